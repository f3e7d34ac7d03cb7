package tree

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"
	"strings"

	"pinion/hashes"
	"pinion/problem"
)

// ErrNotArchive is a file whose name or first bytes are not those of an archive
// that is read here.
var ErrNotArchive = errors.New("not an archive")

// format is a kind of archive.
type format uint8

const (
	none format = iota
	tarFormat
	gzipFormat
	zipFormat
	bundleFormat // a zip that may have a signature after its end
)

// IsArchive reports whether a file of this name is read as an archive: .tar.gz,
// .tgz, .tar, .zip, or an MCP bundle, which is a zip: .mcpb, earlier .dxt. Case
// does not count.
func IsArchive(name string) bool { return formatOf(name) != none }

func formatOf(name string) format {
	name = strings.ToLower(name)
	for _, f := range [...]struct {
		ending string
		format format
	}{{".tar.gz", gzipFormat}, {".tgz", gzipFormat}, {".tar", tarFormat}, {".zip", zipFormat}, {".mcpb", bundleFormat}, {".dxt", bundleFormat}} {
		if strings.HasSuffix(name, f.ending) {
			return f.format
		}
	}
	return none
}

// FromArchive reads the package in an archive of size bytes; name is its file
// name, whose ending says the format. One folder that holds everything is taken
// off the paths, unless its name begins with a dot.
//
// The archive is read twice, first the listing and then the content, and never
// unpacked: nothing is written. Names, kinds and limits are judged by the same
// [Builder] as everything else (SB-034). Beyond that an archive must have one
// meaning for everyone who reads it: no entry twice, nothing before its first
// entry or after its end, no encryption, whole check sums. Links are not
// resolved, not even hard links.
//
// It errors with [ErrNotArchive], or when r or ctx fails. What is wrong inside
// is in the tree's problems.
func FromArchive(ctx context.Context, r io.ReaderAt, size int64, name string, opts Options, s *Scratch) (*Tree, error) {
	a, err := OpenArchive(ctx, r, size, name)
	if err != nil {
		return nil, err
	}
	return a.Read(ctx, ".", opts, s)
}

// Archive is the listing of an archive, of which directories can be read by
// themselves. It is for one goroutine at a time, and needs the file it was
// opened with for as long as it is used.
type Archive struct{ archive }

// OpenArchive lists an archive as [FromArchive] does, whose errors it has.
func OpenArchive(ctx context.Context, r io.ReaderAt, size int64, name string) (*Archive, error) {
	a := &Archive{archive{r: r, size: size, format: formatOf(name)}}
	if a.format == none {
		return nil, fmt.Errorf("%s: %w: its name ends with none of .tar.gz, .tgz, .tar, .zip, .mcpb", name, ErrNotArchive)
	}
	if size > MaxArchive {
		a.problems.Add(ruleLimit.Report("the archive has %d bytes, more than %d", size, int64(MaxArchive)))
		return a, nil
	}
	if !a.looksRight() {
		return nil, fmt.Errorf("%s: %w: its first bytes are those of another format", name, ErrNotArchive)
	}
	if a.format == bundleFormat {
		var err error
		if a.signed, err = a.unsign(); err != nil {
			return nil, err
		}
		a.format = zipFormat
	}
	if err := a.list(ctx); err != nil {
		return nil, err
	}
	a.strip()
	return a, nil
}

// Problems are those of the archive as a whole. With any, its listing may not be
// complete, and nothing is read from it.
func (a *Archive) Problems() problem.List { return a.problems }

// Entries returns the files and links below dir ("." for everything), sorted,
// with paths relative to it. An entry twice is in it twice. ok is false when
// there is no such directory.
func (a *Archive) Entries(dir string) (entries []Entry, ok bool) {
	part, ok := a.below(dir)
	if !ok {
		return nil, false
	}
	for _, m := range part.entries {
		if !m.dir {
			entries = append(entries, m.Entry)
		}
	}
	slices.SortStableFunc(entries, func(x, y Entry) int { return strings.Compare(x.Path, y.Path) })
	return entries, true
}

// Read reads the package in one directory of the archive, "." for all of it. A
// directory that is not there is fs.ErrNotExist.
func (a *Archive) Read(ctx context.Context, dir string, opts Options, s *Scratch) (*Tree, error) {
	part, ok := a.below(dir)
	if !ok {
		return nil, fmt.Errorf("%s: %w", dir, fs.ErrNotExist)
	}
	b := NewBuilder(opts, part.top(), s)
	if a.signed {
		b.report(ruleSignature.Report("the bundle is signed; the signature was not checked"))
	}
	for _, p := range part.problems {
		b.tree.Partial = true
		b.report(p)
	}
	part.addAll(b)
	b.Links(func(Entry) ([]Entry, string) { return nil, "links in an archive are not followed" })
	if len(part.problems) == 0 {
		if err := part.read(ctx, b); err != nil {
			return nil, err
		}
	} else {
		b.tree.Partial = true
	}
	return b.Tree(), ctx.Err()
}

// archive is one reading of one archive.
type archive struct {
	r        io.ReaderAt
	size     int64
	format   format
	entries  []member     // in the order of the archive
	problems problem.List // of the archive as a whole
	signed   bool         // a bundle with a signature behind its end
}

// member is one entry of the listing.
type member struct {
	Entry
	dir   bool
	hard  bool // a hard link to Target
	index int  // in the builder, -1 when its content is not wanted
}

// looksRight compares the first bytes with the format.
func (a *archive) looksRight() bool {
	var head [512]byte
	n, err := a.r.ReadAt(head[:min(int64(len(head)), a.size)], 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return true // reading on will say what is wrong
	}
	start := string(head[:n])
	switch a.format {
	case gzipFormat:
		return strings.HasPrefix(start, "\x1f\x8b\x08")
	case zipFormat, bundleFormat:
		return strings.HasPrefix(start, "PK\x03\x04") || strings.HasPrefix(start, "PK\x05\x06")
	}
	// A tar without "ustar" is one of before 1988; an empty one is all zero.
	return n == len(head) && (start[257:262] == "ustar" || strings.Trim(start, "\x00") == "")
}

func (a *archive) list(ctx context.Context) error {
	if a.format == zipFormat {
		return a.listZip(ctx)
	}
	return a.listTar(ctx)
}

func (a *archive) read(ctx context.Context, b *Builder) error {
	if a.format == zipFormat {
		return a.readZip(ctx, b)
	}
	return a.readTar(ctx, b)
}

// add takes an entry into the listing, and reports whether there is room.
func (a *archive) add(m member) bool {
	if len(a.entries) >= MaxMembers {
		a.problems.Add(ruleLimit.Report("the archive has more than %d entries", MaxMembers))
		return false
	}
	// "tar -c ." begins every name so; it says nothing.
	m.Path = strings.TrimPrefix(m.Path, "./")
	if m.dir {
		m.Path = strings.TrimSuffix(m.Path, "/")
	}
	if len(m.Path) > MaxPath {
		m.Path = m.Path[:MaxPath+1] // long enough to be refused, short enough to be kept
	}
	if len(m.Target) > MaxLinkTarget {
		m.Target = ""
	}
	m.index = -1
	a.entries = append(a.entries, m)
	return true
}

// damaged reports that the archive cannot be read to its end.
func (a *archive) damaged(format string, args ...any) {
	a.problems.Add(ruleArchive.Report(format, args...))
}

// content reads one wanted entry of the given size into the builder. The error
// is one of the file that the archive is read from.
func (a *archive) content(b *Builder, m *member, size int64, r io.Reader) error {
	buf, ok := b.Reserve(m.index, size)
	if !ok {
		return nil
	}
	_, err := io.ReadFull(r, buf)
	if err == nil {
		err = atEnd(r, buf[size:size+1])
	}
	if err != nil {
		return a.unpackable(b, m, err)
	}
	b.Fill(m.index, buf, hashes.Of(buf))
	return nil
}

// unpackable reports an entry that is damaged, and returns a failure to read
// the archive itself.
func (a *archive) unpackable(b *Builder, m *member, err error) error {
	if ioError(err) {
		return err
	}
	b.tree.Partial = true
	b.report(ruleArchive.Report("%q cannot be unpacked: %v", m.Path, err).At(m.Path, 0, 0))
	return nil
}

// atEnd makes sure that r ends here, which is also when it compares its check
// sum. spare is room for one byte.
func atEnd(r io.Reader, spare []byte) error {
	for {
		n, err := r.Read(spare)
		switch {
		case n > 0:
			return errors.New("it is longer than the archive says")
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// section returns a buffered reader of the whole archive.
func (a *archive) section() *bufio.Reader {
	return bufio.NewReaderSize(io.NewSectionReader(a.r, 0, a.size), 64<<10)
}

// sizeOf brings an unsigned size into the range of the limits.
func sizeOf(n uint64) int64 { return int64(min(n, math.MaxInt64)) }
