// Package store keeps installed plugins: for each version one read-only
// directory that is never modified, a receipt that says what it is and where it
// came from, and for each plugin a pointer to the version in use.
//
// Layout below the home, all names escaped by [Build.Dir]'s rule:
//
//	VERSION                                        one integer; a newer one is refused untouched
//	lock                                           held by every call that writes
//	packages/<key>/<id>/<version>+<8 hex>/         the files of a version
//	receipts/<key>/<id>/<version>+<8 hex>.json     [Receipt]
//	active/<id>.json                               [Pointer] of the user
//	projects/<16 hex>/active/<id>.json             [Pointer] of one project
//
// Rules it enforces:
//
//   - Only a [pkgfmt.Verified] that was read from the very stage it belongs to
//     is placed ([Store.Commit]), and never over an existing directory.
//   - Order of writes: stage, one sync for everything, rename, receipt, pointer.
//     A tree without a receipt is garbage and removed by a later write; a
//     receipt without a tree cannot occur, whenever the process is killed.
//   - Receipts and pointers end with a checksum of themselves. A damaged one is
//     reported as [Damage], never repaired by guessing and never in the way of
//     the others.
//   - Activating and rolling back is one atomic write of one small file,
//     whatever the size and the number of the versions.
//
// What it does not do: it fetches nothing, knows no catalogs and no policy, and
// never prints. Consent is data that callers hand in and read back; the gates
// before an activation are theirs.
package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"sync"
	"time"

	"pinion/internal/fsx"
)

// formatVersion is the layout of the home that this package reads and writes.
const formatVersion = 1

const (
	versionFile = "VERSION"
	lockFile    = "lock"
	stagingDir  = "staging" // made by fsx
	packagesDir = "packages"
	receiptsDir = "receipts"
	activeDir   = "active"
	projectsDir = "projects"
)

// defaultWait is how long a writing call waits for another process. Downloads
// happen outside the lock, so nobody holds it for long.
const defaultWait = 30 * time.Second

// Options are the settings of [Open].
type Options struct {
	// Clock gives the times in receipts and pointers; nil is the system's.
	Clock func() time.Time
	// Tool is the version of Pinion, for receipts.
	Tool string
	// LockWait bounds the wait for another writing process; 0 is 30 seconds.
	LockWait time.Duration
}

// Store is the installed plugins of one home. It is safe for concurrent use, by
// goroutines and by processes: writing calls exclude each other, reading calls
// see each file before or after a change.
//
// A writing call holds the file "lock" of the home, so its caller must not.
type Store struct {
	home *fsx.Dir // nil while there is no home: everything reads as empty
	opts Options

	mu    sync.Mutex
	live  map[string]bool // stages of this store that are in use
	stuck []*fsx.Stage    // notes of changes whose clean-up did not work
	last  decoded         // the receipt that was read last

	lastPointer decodedPointer // the pointer that was read last
}

// Open returns the store of a home, which may be nil when no home exists yet:
// reading then finds nothing, and writing is [ErrNoHome]. It refuses a home of a
// newer format with [*VersionError]. It writes nothing, except that it removes
// what killed processes left behind when nobody else is writing.
func Open(home *fsx.Dir, opts Options) (*Store, error) {
	if opts.Clock == nil {
		opts.Clock = time.Now
	}
	if opts.LockWait == 0 {
		opts.LockWait = defaultWait
	}
	s := &Store{home: home, opts: opts, live: map[string]bool{}}
	if home == nil {
		return s, nil
	}
	if err := s.checkVersion(); err != nil {
		return nil, err
	}
	if !s.leftovers() {
		return s, nil
	}
	// With a context that has ended the lock is tried once.
	once, cancel := context.WithCancel(context.Background())
	cancel()
	if unlock, err := home.Lock(once, lockFile); err == nil {
		s.heal()
		unlock()
	}
	return s, nil
}

// Prepare makes sure that the home says its format, as the first write does,
// and removes what killed processes left. Callers that write into the home
// beside the store begin with it.
func (s *Store) Prepare(ctx context.Context) error {
	unlock, err := s.lock(ctx)
	if err != nil {
		return err
	}
	unlock()
	return nil
}

// Exclude keeps every other process from changing the store until unlock, for a
// caller that makes a file of its own from what is installed. That caller must
// not change the store meanwhile.
func (s *Store) Exclude(ctx context.Context) (unlock func(), err error) { return s.lock(ctx) }

// lock begins a change: it excludes other writers, checks the format again,
// since another process may have upgraded the home, and heals.
func (s *Store) lock(ctx context.Context) (unlock func(), err error) {
	if s.home == nil {
		return nil, ErrNoHome
	}
	// A reader must not turn a newer home's lock into a file of ours.
	if err := s.checkVersion(); err != nil {
		return nil, err
	}
	wait, cancel := context.WithTimeout(ctx, s.opts.LockWait)
	defer cancel()
	unlock, err = s.home.Lock(wait, lockFile)
	if err != nil {
		return nil, fmt.Errorf("lock the store: %w", err)
	}
	if err := s.checkVersion(); err != nil {
		unlock()
		return nil, err
	}
	if err := s.writeVersion(); err != nil {
		unlock()
		return nil, err
	}
	s.heal()
	return unlock, nil
}

// checkVersion reads the format of the home; a home without one is new.
func (s *Store) checkVersion() error {
	data, err := s.home.ReadFile(versionFile, 64)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the format of the home: %w", err)
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(data)))
	switch {
	case err != nil || n < 1:
		return &Refusal{
			Reason:  ErrDamaged,
			Message: fmt.Sprintf("%s must hold one integer and holds %q", s.home.Path(versionFile), data),
			Hint:    fmt.Sprintf("if no newer Pinion ever used this home, write %d into the file", formatVersion),
		}
	case n > formatVersion:
		return &VersionError{Path: s.home.Path("."), Have: n, Want: formatVersion}
	}
	return nil
}

func (s *Store) writeVersion() error {
	if _, err := s.home.Lstat(versionFile); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := s.home.WriteFile(versionFile, fmt.Appendf(nil, "%d\n", formatVersion), 0o600); err != nil {
		return fmt.Errorf("start the home: %w", err)
	}
	return nil
}

// now is the time for receipts and pointers, in whole seconds of UTC.
func (s *Store) now() time.Time { return s.opts.Clock().UTC().Truncate(time.Second) }

// Path returns the absolute directory of an installed build.
func (s *Store) Path(b Build) (string, error) {
	if s.home == nil {
		return "", notInstalled(b)
	}
	if err := s.exists(b); err != nil {
		return "", err
	}
	return s.home.Path(b.Dir()), nil
}

// exists reports whether the build has its directory.
func (s *Store) exists(b Build) error {
	if err := b.Check(); err != nil {
		return err
	}
	info, err := s.home.Lstat(b.Dir())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return notInstalled(b)
	case err != nil:
		return err
	case !info.IsDir():
		return &Refusal{
			Reason:  ErrDamaged,
			Message: fmt.Sprintf("%s is not a directory", s.home.Path(b.Dir())),
			Hint:    fmt.Sprintf("run: pinion verify --repair %s", b.Ref()),
		}
	}
	return nil
}
