package fsx

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/gofrs/flock"
)

// lockPoll is the pause between two tries; the lock itself has no queue.
const lockPoll = 20 * time.Millisecond

// lockPatience is how long a wait for a lock goes unmentioned.
const lockPatience = 500 * time.Millisecond

// pidOffset is where the holder writes its process id: Windows locks byte 0 and
// lets nobody else read it.
const pidOffset = 1

// Lock takes the exclusive lock of a lock file, creating it (0600), and writes
// our process id into it. It waits until ctx ends, and then returns
// [*LockedError], which is also the context's error; with a ctx that has ended
// it tries once. The lock is freed by unlock, which may be called again, and by
// the end of the process however it comes about (security 3.6 row 96). Locks
// exclude each other within one process too. A lock file that is a link, a
// directory, not ours or writable by others is refused (row 97). The file is
// never removed, since two processes could then hold locks of one name.
func (d *Dir) Lock(ctx context.Context, name string) (unlock func(), err error) {
	return d.wait(ctx, name, false)
}

// RLock is [Dir.Lock] shared with other readers. On a read-only file system
// where no lock file exists it succeeds without one, as nobody can write.
func (d *Dir) RLock(ctx context.Context, name string) (unlock func(), err error) {
	return d.wait(ctx, name, true)
}

func (d *Dir) wait(ctx context.Context, name string, shared bool) (func(), error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	timer := time.NewTimer(lockPoll)
	defer timer.Stop()
	var told <-chan time.Time // fires when the wait has become long
	if d.waiting != nil {
		patience := time.NewTimer(lockPatience)
		defer patience.Stop()
		told = patience.C
	}
	for {
		free, err := d.tryLock(name, shared)
		if shared && errors.Is(err, ErrReadOnly) {
			return func() {}, nil
		}
		if err == nil {
			return d.held(name, shared, free), nil
		}
		if !errors.Is(err, ErrLocked) {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, &LockedError{Name: d.full(name), PID: d.holder(name), Err: ctx.Err()}
		case <-told:
			d.waiting(d.holder(name))
			timer.Reset(0)
		case <-timer.C:
			timer.Reset(lockPoll)
		}
	}
}

// held notes the holder and returns the function that undoes both, once.
func (d *Dir) held(name string, shared bool, free func() error) (unlock func()) {
	if !shared {
		d.writeHolder(name, os.Getpid())
	}
	var once sync.Once
	return func() {
		once.Do(func() {
			if !shared {
				// Readers write no id, so ours would name the wrong process.
				d.writeHolder(name, 0)
			}
			// Closing the handle frees the lock whatever Unlock returns.
			_ = free()
		})
	}
}

// tryLock makes the lock file if needed and takes its lock, or gives ErrLocked.
func (d *Dir) tryLock(name string, shared bool) (unlock func() error, err error) {
	for range openAttempts {
		unlock, err = d.lockOnce(name, shared)
		if !errors.Is(err, fs.ErrNotExist) {
			return unlock, err
		}
		f, err := d.create(name, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, err // also when the directory of the lock is missing
		}
		if err := f.Close(); err != nil {
			return nil, d.opError(OpCreate, name, err)
		}
	}
	return nil, d.opError("lock", name, errors.New("lock file was removed again and again"))
}

// lockOnce tries to lock the file that is there now. The library opens it by
// path, so it is compared afterwards with what the root has under that name:
// a lock on any other file would exclude nobody.
func (d *Dir) lockOnce(name string, shared bool) (func() error, error) {
	if _, err := d.checkRegular(name); err != nil {
		return nil, err
	}
	flag := os.O_RDWR
	if shared {
		flag = os.O_RDONLY // works on a read-only file system
	}
	l := flock.New(d.Path(name), flock.SetFlag(flag|lockFlags))
	try := l.TryLock
	if shared {
		try = l.TryRLock
	}
	ok, err := try()
	if err != nil {
		return nil, d.opError("lock", name, err)
	}
	if !ok {
		return nil, d.opError("lock", name, ErrLocked)
	}
	locked, err := l.Stat()
	if err == nil {
		var named fs.FileInfo
		if named, err = d.root.Lstat(name); err == nil && !os.SameFile(locked, named) {
			err = fs.ErrNotExist // ours was removed and made anew: start again
		}
	}
	if err != nil {
		return nil, d.opError("lock", name, errors.Join(err, l.Unlock()))
	}
	return l.Unlock, nil
}

// writeHolder tells others who has the lock. The lock is valid without it, so a
// full disk does not matter. The id of a killed holder stays until the next one
// overwrites it.
func (d *Dir) writeHolder(name string, pid int) {
	f, _, err := d.openRegular(name, os.O_RDWR)
	if err != nil {
		return
	}
	defer f.Close()
	line := append(strconv.AppendInt(nil, int64(pid), 10), '\n')
	_ = d.step(OpWrite, name, func() error {
		_, err := f.WriteAt(line, pidOffset)
		return err
	})
}

// holder reads the process id from a lock file; 0 means unknown.
func (d *Dir) holder(name string) int {
	f, _, err := d.openRegular(name, os.O_RDONLY)
	if err != nil {
		return 0
	}
	defer f.Close()
	var buf [32]byte
	n, _ := f.ReadAt(buf[:], pidOffset) // a short read is the normal case
	line, _, ok := bytes.Cut(buf[:n], []byte{'\n'})
	if !ok {
		return 0
	}
	pid, err := strconv.Atoi(string(line))
	if err != nil || pid < 0 {
		return 0
	}
	return pid
}
