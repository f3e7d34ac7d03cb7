package fsx

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// The states a caller branches on. They are found with [errors.Is].
var (
	// ErrReadOnly: the file system does not take writes.
	ErrReadOnly = errors.New("the file system is read-only")
	// ErrNoSpace: the disk or the quota of the user is full.
	ErrNoSpace = errors.New("no space left")
	// ErrNotDurable: the change is visible, but the last sync did not succeed, so
	// a power cut may still undo it. The old state is gone all the same.
	ErrNotDurable = errors.New("the change may not survive a power cut")
	// ErrTooLarge: a file is larger than the limit that was passed in.
	ErrTooLarge = errors.New("file is too large")
	// ErrNotRegular: a symbolic link, a directory or a special file is where a
	// regular file must be.
	ErrNotRegular = errors.New("not a regular file")
	// ErrNotDir: something else is where a directory must be.
	ErrNotDir = errors.New("not a directory")
	// ErrLocked: another holder has the lock; see [LockedError].
	ErrLocked = errors.New("locked")
)

// OpError is a step that did not succeed: which, on what, and why.
type OpError struct {
	Op   Op
	Name string // slash path from the opened directory, or an absolute path before it was opened
	Err  error  // the bare reason, without a second path
}

func (e *OpError) Error() string { return fmt.Sprintf("%s %s: %v", e.Op, e.Name, e.Err) }

// Unwrap gives the reason and, where it has one, its portable name.
func (e *OpError) Unwrap() []error {
	switch {
	case isReadOnly(e.Err):
		return []error{e.Err, ErrReadOnly}
	case isNoSpace(e.Err):
		return []error{e.Err, ErrNoSpace}
	}
	return []error{e.Err}
}

// newOpError strips the path that the standard library put around the reason:
// it may be the random name of a temporary file.
func newOpError(op Op, name string, err error) error {
	var oe *OpError
	if errors.As(err, &oe) {
		return err
	}
	var pe *fs.PathError
	var le *os.LinkError
	if errors.As(err, &pe) {
		err = pe.Err
	} else if errors.As(err, &le) {
		err = le.Err
	}
	return &OpError{Op: op, Name: name, Err: err}
}

func (d *Dir) opError(op Op, name string, err error) error { return newOpError(op, d.full(name), err) }

// InsecureError refuses a directory or a state file that somebody else could
// have changed, or that is not what it must be.
type InsecureError struct {
	Path   string
	Reason string // completes "Path ..."
	Hint   string // what the user can do
}

func (e *InsecureError) Error() string { return fmt.Sprintf("%s %s", e.Path, e.Reason) }

func insecure(path, reason, hint string) error {
	return &InsecureError{Path: path, Reason: reason, Hint: hint}
}

// LockedError says who has the lock that could not be taken in time.
type LockedError struct {
	Name string
	PID  int   // 0 when the holder did not say, which readers never do
	Err  error // why the wait ended: the error of the context
}

func (e *LockedError) Error() string {
	who := "another process"
	if e.PID != 0 {
		who = fmt.Sprintf("process %d", e.PID)
	}
	if errors.Is(e.Err, context.DeadlineExceeded) {
		return fmt.Sprintf("%s is still locked by %s after waiting", e.Name, who)
	}
	return fmt.Sprintf("%s is locked by %s", e.Name, who)
}

// Unwrap gives [ErrLocked] and the error of the context.
func (e *LockedError) Unwrap() []error { return []error{ErrLocked, e.Err} }
