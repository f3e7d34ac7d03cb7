package tree

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"io"
)

// errUnpacked ends the reading of a stream that unpacks to more than any
// package may have.
var errUnpacked = errors.New("unpacks to more than a package may contain")

// capped counts what is unpacked, headers and padding included, so that a bomb
// ends at the limit whatever it says of itself (security 3.2 row 29).
type capped struct {
	r    io.Reader
	left int64
}

func (c *capped) Read(p []byte) (int, error) {
	if c.left <= 0 {
		return 0, errUnpacked
	}
	n, err := c.r.Read(p[:min(int64(len(p)), c.left)])
	c.left -= int64(n)
	return n, err
}

// tarStream opens the tar inside. raw is what follows the compressed stream.
func (a *archive) tarStream() (stream io.Reader, raw *bufio.Reader, err error) {
	raw = a.section()
	stream = raw
	if a.format == gzipFormat {
		z, err := gzip.NewReader(raw)
		if err != nil {
			return nil, nil, err
		}
		// A second member would be a second archive for some readers and the
		// rest of the first for others.
		z.Multistream(false)
		stream = z
	}
	return &capped{r: stream, left: MaxUnpacked}, raw, nil
}

func (a *archive) listTar(ctx context.Context) error {
	stream, raw, err := a.tarStream()
	if err != nil {
		return a.judge(err)
	}
	t := tar.NewReader(stream)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil && !errors.Is(err, tar.ErrInsecurePath) {
			return a.judge(err)
		}
		m, ok := tarMember(h)
		if ok && !a.add(m) {
			return nil
		}
	}
	return a.tarEnd(stream, raw)
}

// tarMember returns the entry of a header, false for a header that stands for
// none.
func tarMember(h *tar.Header) (member, bool) {
	m := member{Entry: Entry{Path: h.Name, Size: h.Size, Exec: h.Mode&0o111 != 0}}
	switch h.Typeflag {
	case tar.TypeReg, tar.TypeGNUSparse:
	case tar.TypeDir:
		m.dir = true
	case tar.TypeSymlink:
		m.Kind, m.Target = Symlink, h.Linkname
	case tar.TypeLink:
		m.hard, m.Target = true, h.Linkname
	case tar.TypeXGlobalHeader:
		return member{}, false // git archive records the commit in one
	default:
		m.Kind = Other
	}
	return m, true
}

// tarEnd makes sure that the archive ends where its reader stopped: zeros to
// the end of the stream, and no bytes after the compressed stream.
func (a *archive) tarEnd(stream io.Reader, raw *bufio.Reader) error {
	var buf [4096]byte
	for {
		n, err := stream.Read(buf[:])
		for _, c := range buf[:n] {
			if c != 0 {
				a.damaged("there is data after the end of the archive")
				return nil
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return a.judge(err)
		}
	}
	if a.format == gzipFormat {
		if _, err := raw.ReadByte(); err == nil {
			a.damaged("there is data after the end of the compressed stream")
		} else if !errors.Is(err, io.EOF) {
			return err
		}
		return nil
	}
	// A plain tar has no check sum. One that was cut between two entries still
	// lacks the empty block at its end.
	var last [512]byte
	if _, err := a.r.ReadAt(last[:], max(a.size-int64(len(last)), 0)); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if last != [512]byte{} {
		a.damaged("the archive has no end; it was cut off")
	}
	return nil
}

// readTar reads the content of the wanted entries.
func (a *archive) readTar(ctx context.Context, b *Builder) error {
	stream, _, err := a.tarStream()
	if err != nil {
		return a.fail(b, err)
	}
	t := tar.NewReader(stream)
	for i := 0; i < len(a.entries); {
		if err := ctx.Err(); err != nil {
			return err
		}
		h, err := t.Next()
		if err != nil && !errors.Is(err, tar.ErrInsecurePath) {
			return a.fail(b, err)
		}
		m, ok := tarMember(h)
		if !ok {
			continue
		}
		e := &a.entries[i]
		i++
		if e.index < 0 {
			continue
		}
		if m.Size != e.Size || m.Kind != e.Kind || m.dir {
			b.Changed(e.index) // the file was replaced between the two readings
			continue
		}
		if err := a.content(b, e, e.Size, t); err != nil {
			return err
		}
	}
	return nil
}

// judge tells what is wrong with the content from a failure to read it. The
// readers of the standard library use plain errors for damage, so whatever the
// underlying file did not report itself is damage.
func (a *archive) judge(err error) error {
	if errors.Is(err, errUnpacked) {
		a.problems.Add(ruleLimit.Report("the archive unpacks to more than %d bytes", int64(MaxUnpacked)))
		return nil
	}
	if ioError(err) {
		return err
	}
	a.damaged("the archive is damaged: %v", err)
	return nil
}

// fail is judge during the second reading.
func (a *archive) fail(b *Builder, err error) error {
	if ioError(err) {
		return err
	}
	b.tree.Partial = true
	b.report(ruleArchive.Report("the archive is damaged: %v", err))
	return nil
}
