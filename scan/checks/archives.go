package checks

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"fmt"
	"io"
	"path"
	"strings"

	"pinion/scan"
)

// Limits of what is unpacked. They are small: an archive is a finding by
// itself, whatever could be read of it.
const (
	maxUnpack  = 4 << 20 // bytes unpacked of one file of the package
	maxMember  = 1 << 20 // bytes of one member that are looked at
	maxMembers = 5_000   // members of one archive
	maxNested  = 2       // archives inside archives that are nothing special
	bombRatio  = 100     // unpacked size against packed size
	bombFloor  = 1 << 20 // bytes below which a ratio says nothing
)

// archives reports packed files, and looks into those it can unpack.
func archives() scan.Check {
	return scan.Check{
		Name: "archive",
		Form: true,
		Rules: []scan.Rule{{
			ID: "archive/packed", Level: scan.Medium, Since: "0.2.0",
			Title: "an archive is in the package",
			Help: "What is packed is not seen by whoever reads the package, and other tools do not look inside. Zip, tar, gzip and bzip2 are unpacked within limits, and what is found in them is reported for the archive; 7z, rar, xz and others are not unpacked. " +
				"Office documents are archive/document.",
			Fix:     "put the files into the package as they are",
			Example: "data/tools.tar.gz",
		}, {
			ID: "archive/hostile", Level: scan.High, Since: "0.2.0",
			Title: "an archive resists being looked into",
			Help: "The archive has a password, unpacks to more than a hundred times its size, or holds archives in archives in archives. No plugin needs that; malware uses it to get past scanners. " +
				"Ordinary archives are archive/packed.",
			Fix:     "take the archive out",
			Example: "setup.zip, whose members are encrypted",
		}, {
			ID: "archive/document", Level: scan.Low, Since: "0.2.0",
			Title: "an office document is in the package",
			Help: "Word, Excel, PowerPoint and OpenDocument files are archives of XML. Their text is not scanned. With macros (vbaProject.bin) the finding is high: macros run when the document is opened. " +
				"PDF files are not reported.",
			Fix:     "ship text where text will do",
			Example: "templates/report.docx",
		}},
		File: func(p *scan.Pass, f *scan.File) {
			kind := kindOf(f.Data)
			if kind.class != archiveClass {
				return
			}
			u := &unpacking{pass: p, file: f, left: p.Unpack(maxUnpack)}
			if document, macros := u.document(kind); document {
				p.Unpack(-u.left)
				if macros {
					p.ReportFile(scan.High, "archive/document", f.Path, "an office document with macros")
					return
				}
				p.ReportFile(scan.Low, "archive/document", f.Path, "an office document; its text is not scanned")
				return
			}
			u.open(kind, path.Base(f.Path), f.Data, 1)
			p.Unpack(-u.left)
			u.report(kind)
		},
	}
}

// unpacking is the look into one file of the package.
type unpacking struct {
	pass *scan.Pass
	file *scan.File
	left int // bytes that may still be unpacked

	members  int
	unread   int
	programs []string
	locked   bool
	bomb     string // what grows how much
	deep     string
	broken   bool
	opaque   bool // of a kind that is not unpacked
}

// document reports whether a zip is an office document, and has macros.
func (u *unpacking) document(kind fileKind) (document, macros bool) {
	if kind.name != "zip" {
		return false, false
	}
	switch strings.ToLower(path.Ext(u.file.Path)) {
	case ".docx", ".xlsx", ".pptx", ".docm", ".xlsm", ".pptm", ".dotx", ".xltx", ".potx", ".ppsx", ".odt", ".ods", ".odp", ".odg", ".epub", ".vsdx":
	default:
		return false, false
	}
	r := u.zip(u.file.Data)
	if r == nil {
		return false, false
	}
	own := false
	for _, m := range r.File {
		own = own || m.Name == "[Content_Types].xml" || m.Name == "mimetype"
		macros = macros || strings.HasSuffix(strings.ToLower(m.Name), "vbaproject.bin")
		if m.Flags&1 != 0 {
			return false, false
		}
	}
	return own, macros
}

// zip returns the directory of a zip, nil when it is broken or too long. How
// long is found by counting, before the reader allocates.
func (u *unpacking) zip(data []byte) *zip.Reader {
	if bytes.Count(data, []byte("PK\x01\x02")) > maxMembers {
		u.unread++
		return nil
	}
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil
	}
	return r
}

// open looks into an archive that lies in depth-1 others.
func (u *unpacking) open(kind fileKind, name string, data []byte, depth int) {
	if depth > maxNested {
		u.deep = name
		return
	}
	switch kind.name {
	case "zip":
		u.openZip(name, data, depth)
	case "tar":
		u.openTar(bytes.NewReader(data), depth)
	case "gzip":
		in := bytes.NewReader(data)
		r, err := gzip.NewReader(in)
		if err != nil {
			u.broken = true
			return
		}
		u.openStream(r, in, name, depth)
	case "bzip2":
		in := bytes.NewReader(data)
		u.openStream(bzip2.NewReader(in), in, name, depth)
	default:
		u.opaque = true
	}
}

func (u *unpacking) openZip(name string, data []byte, depth int) {
	r := u.zip(data)
	if r == nil {
		u.broken = u.unread == 0
		return
	}
	var unpacked uint64
	for _, m := range r.File {
		if m.FileInfo().IsDir() {
			continue
		}
		u.members++
		if m.Flags&1 != 0 {
			u.locked = true
			continue
		}
		unpacked += min(m.UncompressedSize64, 1<<50)
		u.grows(m.Name, m.UncompressedSize64, m.CompressedSize64)
		if u.left <= 0 {
			u.unread++
			continue
		}
		src, err := m.Open()
		if err != nil {
			u.unread++
			continue
		}
		u.member(m.Name, src, depth)
		src.Close() // it only reads memory
	}
	// Members that overlap grow together and not each by itself.
	u.grows(name, unpacked, uint64(len(data)))
}

func (u *unpacking) openTar(src io.Reader, depth int) {
	r := tar.NewReader(src)
	for range maxMembers {
		h, err := r.Next()
		if err == io.EOF {
			return
		}
		if err != nil {
			u.broken = true
			return
		}
		if h.Typeflag == tar.TypeReg {
			u.members++
			u.member(h.Name, r, depth)
		}
		if u.left <= 0 {
			u.unread++
			return
		}
	}
	u.unread++
}

// openStream unpacks one compressed stream: a tar, or a single file. in is what
// src reads from.
func (u *unpacking) openStream(src io.Reader, in *bytes.Reader, name string, depth int) {
	data, err := io.ReadAll(io.LimitReader(src, int64(u.left)+1))
	full := len(data) > u.left
	u.take(len(data))
	u.grows(name, uint64(len(data)), uint64(in.Size())-uint64(in.Len()))
	u.broken = u.broken || err != nil && len(data) == 0
	if full {
		u.unread++
	}
	name = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".bz2"), ".tgz")
	if kind := kindOf(data); kind.name == "tar" {
		u.left += len(data) // its members are these bytes
		u.openTar(bytes.NewReader(data), depth)
		return
	}
	u.members++
	u.content(name, data, depth)
}

// member looks at one member of an archive.
func (u *unpacking) member(name string, src io.Reader, depth int) {
	limit := min(u.left, maxMember)
	if limit <= 0 {
		u.unread++
		return
	}
	data, _ := io.ReadAll(io.LimitReader(src, int64(limit))) // what can be read of a broken one counts
	u.take(len(data))
	if len(data) == limit {
		u.unread++
	}
	u.content(name, data, depth)
}

func (u *unpacking) take(n int) { u.left = max(0, u.left-n) }

// content judges what was unpacked.
func (u *unpacking) content(name string, data []byte, depth int) {
	kind := kindOf(data)
	switch {
	case kind.class == programClass || kind.class == bytecodeClass || isPyc(name, data):
		u.programs = append(u.programs, name)
	case kind.class == archiveClass:
		u.open(kind, name, data, depth+1)
	case len(data) > 0 && bytes.IndexByte(data[:min(len(data), 8<<10)], 0) < 0:
		if !u.pass.Inner(u.file, name, data) {
			u.unread++
		}
	}
}

// grows records a member that unpacks to very much more than it is.
func (u *unpacking) grows(name string, unpacked, packed uint64) {
	if u.bomb == "" && unpacked > bombFloor && unpacked/max(packed, 1) > bombRatio {
		u.bomb = fmt.Sprintf("%s unpacks to %d times its size", scan.Escape(name, 60), unpacked/max(packed, 1))
	}
}

// report says what was found, the worst first.
func (u *unpacking) report(kind fileKind) {
	p, at := u.pass, u.file.Path
	if len(u.programs) > 0 {
		more := ""
		if n := len(u.programs) - 1; n > 0 {
			more = fmt.Sprintf(" and %d more", n)
		}
		p.ReportFile(scan.High, "binary/program", at, "the archive holds compiled code: %s%s", scan.Escape(u.programs[0], 80), more)
	}
	switch {
	case u.locked:
		p.ReportFile(scan.High, "archive/hostile", at, "the archive is locked with a password")
	case u.bomb != "":
		p.ReportFile(scan.High, "archive/hostile", at, "%s", u.bomb)
	case u.deep != "":
		p.ReportFile(scan.High, "archive/hostile", at, "archives lie more than %d deep in one another: %s", maxNested, scan.Escape(u.deep, 60))
	default:
		what := fmt.Sprintf("%d files inside", u.members)
		switch {
		case u.opaque && u.members == 0:
			what = "not unpacked"
		case u.broken && u.members == 0:
			what = "it cannot be unpacked"
		case u.unread > 0 || u.broken || u.opaque:
			what += ", not all looked at"
		}
		p.ReportFile(scan.Medium, "archive/packed", at, "%s archive, %s", kind.name, what)
	}
}
