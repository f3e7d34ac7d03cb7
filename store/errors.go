package store

import (
	"errors"
	"fmt"
)

// The states a caller branches on, found with [errors.Is].
var (
	// ErrNoHome: there is no home to write to.
	ErrNoHome = errors.New("there is no home")
	// ErrNotInstalled: the build, or any build of the id, is not there.
	ErrNotInstalled = errors.New("not installed")
	// ErrNotActive: no version of the plugin is active in this scope.
	ErrNotActive = errors.New("not active")
	// ErrNoHistory: no earlier version is left to go back to.
	ErrNoHistory = errors.New("no earlier version")
	// ErrChanged: another process changed the pointer since the caller looked.
	ErrChanged = errors.New("changed meanwhile")
	// ErrActive and ErrHeld refuse an uninstallation without force.
	ErrActive = errors.New("in use")
	ErrHeld   = errors.New("held")
	// ErrDamaged: a state file or a directory is not what was written.
	ErrDamaged = errors.New("damaged")
	// ErrOccupied: another content is where a build must be placed.
	ErrOccupied = errors.New("occupied")
	// ErrUnverified: nothing proves that these bytes were checked.
	ErrUnverified = errors.New("not verified")
	// ErrPartial: a tree that was not read completely cannot be staged.
	ErrPartial = errors.New("not all of the files were read")
)

// Refusal is a request that the state of the store does not allow.
type Refusal struct {
	Reason  error  // one of the sentinels
	Message string // what is in the way
	Hint    string // what the user can do about it
}

func (e *Refusal) Error() string { return e.Message }

// Unwrap gives the sentinel.
func (e *Refusal) Unwrap() error { return e.Reason }

func notInstalled(b Build) error {
	return &Refusal{
		Reason:  ErrNotInstalled,
		Message: fmt.Sprintf("%s %s (%s) is not installed", b.ID, b.Version, b.Digest.Short()),
		Hint:    fmt.Sprintf("run: pinion install %s", b.Ref()),
	}
}

// VersionError is a home that a newer Pinion has written. Nothing in it is read
// or changed.
type VersionError struct {
	Path       string
	Have, Want int // the format of the home and ours
}

func (e *VersionError) Error() string {
	return fmt.Sprintf("%s has format %d, this Pinion knows formats up to %d: install a newer Pinion", e.Path, e.Have, e.Want)
}

// Damage is a state file that cannot be used. The file is left as it is.
type Damage struct {
	Path string // absolute OS path of the file
	// Build is what its name says, without a digest; for a pointer only the ID.
	Build  Build
	Reason string // completes "Path ..."
	Fix    string // what the user can do
	Newer  bool   // a newer Pinion wrote it, nothing is wrong with it

	name string // slash path in the home
}

// DamageError is [Damage] where it stops the run.
type DamageError struct{ Damage }

func (e *DamageError) Error() string { return e.Path + " " + e.Reason }

// Unwrap gives [ErrDamaged].
func (e *DamageError) Unwrap() error { return ErrDamaged }
