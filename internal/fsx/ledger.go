package fsx

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// ReadLines returns the complete lines, without their newline, of an
// append-only file of at most limit bytes. torn reports that bytes after the
// last newline were left out: the rest of an [Dir.Append] that was cut off, and
// that its caller was never told had succeeded. The refusals are those of
// [Dir.ReadFile]; a missing file is [fs.ErrNotExist].
func (d *Dir) ReadLines(name string, limit int64) (lines [][]byte, torn bool, err error) {
	data, err := d.ReadFile(name, limit)
	if err != nil {
		return nil, false, err
	}
	end := bytes.LastIndexByte(data, '\n') + 1
	torn = end < len(data)
	lines = make([][]byte, 0, bytes.Count(data[:end], []byte{'\n'}))
	for rest := data[:end]; len(rest) > 0; {
		i := bytes.IndexByte(rest, '\n')
		lines = append(lines, rest[:i:i])
		rest = rest[i+1:]
	}
	return lines, torn, nil
}

// Append adds lines, given without newline, to a file that only grows, with one
// fsync for all of them (and one more for the directory when the file is new).
// A torn tail is cut off first. After an error the file has its old complete
// lines and, unless even cutting it back is refused, nothing else. The caller
// holds the lock that guards the file.
func (d *Dir) Append(name string, lines ...[]byte) error {
	if err := checkName(name); err != nil {
		return err
	}
	var data []byte
	for _, l := range lines {
		if bytes.IndexByte(l, '\n') >= 0 {
			return d.opError("append", name, fmt.Errorf("a line must not contain a newline: %w", fs.ErrInvalid))
		}
		data = append(append(data, l...), '\n')
	}
	if len(data) == 0 {
		return nil
	}
	f, info, err := d.openRegular(name, os.O_RDWR|os.O_APPEND)
	if errors.Is(err, fs.ErrNotExist) {
		return d.appendFirst(name, data)
	}
	if err != nil {
		return err
	}
	err = d.appendTo(f, name, info.Size(), data)
	if cerr := f.Close(); err == nil && cerr != nil {
		err = d.opError(OpWrite, name, cerr)
	}
	return err
}

// appendFirst makes the file. It is not renamed into place: a torn first line
// is as harmless as any other.
func (d *Dir) appendFirst(name string, data []byte) error {
	f, err := d.create(name, 0o600)
	if err != nil {
		return err
	}
	err = d.appendTo(f, name, 0, data)
	if cerr := f.Close(); err == nil && cerr != nil {
		err = d.opError(OpWrite, name, cerr)
	}
	if err != nil {
		_ = d.remove(name) // an empty ledger is as good as none
		return err
	}
	return d.syncParent(name)
}

func (d *Dir) appendTo(f *os.File, name string, size int64, data []byte) error {
	end, err := completeLength(f, size)
	if err != nil {
		return d.opError("read", name, err)
	}
	if end < size {
		if err := d.truncate(f, name, end); err != nil {
			return err
		}
	}
	if err = d.write(f, name, data); err == nil {
		err = d.sync(f, name)
	}
	if err != nil {
		// A caller told of a failure must not find the lines there.
		_ = d.truncate(f, name, end)
	}
	return err
}

// completeLength returns how many of the size bytes of f are complete lines,
// reading backwards from the end.
func completeLength(f *os.File, size int64) (int64, error) {
	var buf [4096]byte
	for end := size; end > 0; {
		start := max(0, end-int64(len(buf)))
		b := buf[:end-start]
		if _, err := f.ReadAt(b, start); err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		if i := bytes.LastIndexByte(b, '\n'); i >= 0 {
			return start + int64(i) + 1, nil
		}
		end = start
	}
	return 0, nil
}
