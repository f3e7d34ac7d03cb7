package fsx

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// openAttempts bounds how often a file that other processes replace meanwhile
// is opened again.
const openAttempts = 16

// ReadFile returns the content of a regular file of at most limit bytes. It
// refuses links, directories and special files ([ErrNotRegular]) without
// opening them for long (a FIFO does not hang), larger files ([ErrTooLarge])
// before any allocation, and in a home files that another user owns or could
// have written ([*InsecureError]; security 3.6 row 97).
func (d *Dir) ReadFile(name string, limit int64) ([]byte, error) {
	f, info, err := d.openRegular(name, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	data, err := readAll(f, info.Size(), limit)
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, d.opError("read", name, err)
	}
	return data, nil
}

// readAll reads the size bytes the file had when it was opened. Bytes appended
// since then are the next reader's; fewer bytes are an error.
func readAll(f *os.File, size, limit int64) ([]byte, error) {
	if size > limit {
		return nil, fmt.Errorf("%w: %d bytes, the limit is %d", ErrTooLarge, size, limit)
	}
	data := make([]byte, size)
	if _, err := io.ReadFull(f, data); err != nil {
		return nil, fmt.Errorf("file shrank while it was read: %w", err)
	}
	return data, nil
}

// openRegular opens an existing regular file and makes sure that the file
// opened is the one the name stands for: os.Root would follow a link.
func (d *Dir) openRegular(name string, flag int) (*os.File, fs.FileInfo, error) {
	if err := checkName(name); err != nil {
		return nil, nil, err
	}
	for range openAttempts {
		before, err := d.checkRegular(name)
		if err != nil {
			return nil, nil, err
		}
		f, err := d.root.OpenFile(name, flag|openFlags, 0)
		if errors.Is(err, fs.ErrNotExist) {
			continue // removed since the look; the next look says so
		}
		if err != nil {
			return nil, nil, d.opError("open", name, err)
		}
		info, err := f.Stat()
		if err == nil && os.SameFile(before, info) {
			return f, info, nil
		}
		// Most likely another process has just renamed a new version into
		// place, which is no fault: look again.
		if err := errors.Join(err, f.Close()); err != nil {
			return nil, nil, d.opError("open", name, err)
		}
	}
	return nil, nil, d.opError("open", name, errors.New("file was replaced again and again while it was opened"))
}

// checkRegular refuses what is not a regular file, and in a home what is not
// safely ours.
func (d *Dir) checkRegular(name string) (fs.FileInfo, error) {
	info, err := d.root.Lstat(name)
	if err != nil {
		return nil, d.opError("open", name, err)
	}
	if !info.Mode().IsRegular() {
		return nil, d.opError("open", name, fmt.Errorf("%w: it is %s", ErrNotRegular, kind(info.Mode())))
	}
	if d.home {
		if err := checkPrivate(d.Path(name), info); err != nil {
			return nil, err
		}
	}
	return info, nil
}

func kind(m fs.FileMode) string {
	switch m.Type() {
	case fs.ModeSymlink:
		return "a symbolic link"
	case fs.ModeDir:
		return "a directory"
	case fs.ModeNamedPipe:
		return "a named pipe"
	case fs.ModeSocket:
		return "a socket"
	}
	return "a special file"
}
