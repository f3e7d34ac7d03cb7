package tree

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
)

// Flags of a zip entry that mean encryption: of the data, strong, of the
// directory.
const zipEncrypted = 0x1 | 0x40 | 0x2000

// zipEnd is the signature of the record at the end of a zip.
var zipEnd = []byte("PK\x05\x06")

// zipEndLen is its length without the comment.
const zipEndLen = 22

// budget lets a reader read so many bytes and no more.
type budget struct {
	r    io.ReaderAt
	left int64 // negative when there is no limit
}

func (g *budget) ReadAt(p []byte, off int64) (int, error) {
	if g.left >= 0 {
		if g.left -= int64(len(p)); g.left < 0 {
			g.left = 0
			return 0, errUnpacked
		}
	}
	return g.r.ReadAt(p, off)
}

// openZip reads the directory of the zip. It is bounded before it is read,
// since the library keeps all of it and believes no count in it.
func (a *archive) openZip() (*zip.Reader, error) {
	g := &budget{r: a.r, left: maxZipDirectory}
	z, err := zip.NewReader(g, a.size)
	if errors.Is(err, zip.ErrInsecurePath) {
		err = nil // the builder judges the names
	}
	g.left = -1
	return z, err
}

func (a *archive) listZip(ctx context.Context) error {
	if ok, err := a.zipEnds(); err != nil || !ok {
		return err
	}
	z, err := a.openZip()
	if err != nil {
		if errors.Is(err, errUnpacked) {
			a.problems.Add(ruleLimit.Report("the archive's directory has more than %d bytes", int64(maxZipDirectory)))
			return nil
		}
		return a.judge(err)
	}
	if ok, err := a.zipStarts(z); err != nil || !ok {
		return err
	}
	for _, f := range z.File {
		if err := ctx.Err(); err != nil {
			return err
		}
		if f.Flags&zipEncrypted != 0 {
			a.problems.Add(ruleEncrypted.Report("%q is encrypted", short(f.Name)))
			return nil
		}
		m := zipMember(f)
		if m.Kind == Symlink {
			m.Target = zipTarget(f)
		}
		if !a.add(m) {
			return nil
		}
	}
	return nil
}

func zipMember(f *zip.File) member {
	m := member{Entry: Entry{Path: f.Name, Size: sizeOf(f.UncompressedSize64)}}
	mode := f.Mode()
	switch {
	case mode.IsDir():
		m.dir = true
	case mode&fs.ModeSymlink != 0:
		m.Kind = Symlink
	case mode.IsRegular():
		m.Exec = mode&0o111 != 0
	default:
		m.Kind = Other
	}
	return m
}

// zipTarget returns the target of a link, which a zip keeps as its content, or
// "" when it is too long or damaged.
func zipTarget(f *zip.File) string {
	if f.UncompressedSize64 > MaxLinkTarget {
		return ""
	}
	r, err := f.Open()
	if err != nil {
		return ""
	}
	defer r.Close()
	b, err := io.ReadAll(io.LimitReader(r, MaxLinkTarget+1))
	if err != nil || len(b) > MaxLinkTarget {
		return ""
	}
	return string(b)
}

// zipEnds reports whether the archive has exactly one end and nothing after it.
// Readers look for the last or the first of several and so see other files.
func (a *archive) zipEnds() (bool, error) {
	tail := make([]byte, min(a.size, zipEndLen+0xffff))
	if _, err := a.r.ReadAt(tail, a.size-int64(len(tail))); err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	at := bytes.LastIndex(tail, zipEnd)
	switch {
	case at < 0 || len(tail)-at < zipEndLen:
		a.damaged("the archive is damaged: it has no end, or data after it")
		return false, nil
	case !reaches(tail, at):
		a.damaged("there is data after the end of the archive")
		return false, nil
	}
	for i := bytes.LastIndex(tail[:at], zipEnd); i >= 0; i = bytes.LastIndex(tail[:i], zipEnd) {
		if reaches(tail, i) {
			a.damaged("the archive has two ends")
			return false, nil
		}
	}
	ok, err := a.adjoins(a.size - int64(len(tail)-at))
	if err == nil && !ok {
		a.damaged("there is data between the entries of the archive and its end")
	}
	return ok, err
}

// reaches reports whether the end record at offset i, with its comment, goes
// exactly to the end of the file.
func reaches(tail []byte, i int) bool {
	return len(tail)-i >= zipEndLen && i+zipEndLen+int(binary.LittleEndian.Uint16(tail[i+20:])) == len(tail)
}

// zipStarts reports whether the first bytes of the file are the first entry. A
// second archive in front would be what other programs read.
func (a *archive) zipStarts(z *zip.Reader) (bool, error) {
	var head [30]byte
	if _, err := a.r.ReadAt(head[:], 0); err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	if len(z.File) == 0 {
		if !bytes.HasPrefix(head[:], zipEnd) {
			a.damaged("there is data before the end of an empty archive")
			return false, nil
		}
		return true, nil
	}
	want := 30 + int64(binary.LittleEndian.Uint16(head[26:])) + int64(binary.LittleEndian.Uint16(head[28:]))
	first := int64(-1)
	for _, f := range z.File {
		at, err := f.DataOffset()
		if err != nil {
			return false, a.judge(err)
		}
		if first < 0 || at < first {
			first = at
		}
	}
	if first != want {
		a.damaged("there is data before the first entry of the archive")
		return false, nil
	}
	return true, nil
}

// readZip reads the content of the wanted entries.
func (a *archive) readZip(ctx context.Context, b *Builder) error {
	z, err := a.openZip()
	if err != nil {
		return a.fail(b, err)
	}
	for i := range a.entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		e := &a.entries[i]
		if e.index < 0 {
			continue
		}
		if i >= len(z.File) || sizeOf(z.File[i].UncompressedSize64) != e.Size {
			b.Changed(e.index) // the file was replaced between the two readings
			continue
		}
		if err := a.zipContent(b, e, z.File[i]); err != nil {
			return err
		}
	}
	return nil
}

func (a *archive) zipContent(b *Builder, e *member, f *zip.File) error {
	r, err := f.Open()
	if err != nil {
		return a.unpackable(b, e, err)
	}
	defer r.Close()
	return a.content(b, e, e.Size, r)
}

// ioError reports whether err comes from the file that the archive is read
// from, not from what is in it.
func ioError(err error) bool {
	var p *fs.PathError
	return errors.As(err, &p)
}

// short cuts a name for a message.
func short(name string) string {
	const most = 200
	if len(name) > most {
		return name[:most] + "…"
	}
	return name
}
