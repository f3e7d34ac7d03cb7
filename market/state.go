package market

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"pinion/internal/fsx"
	"pinion/internal/sealed"
)

// homeLock is the lock of the whole home, which the store takes for its changes.
const homeLock = "lock"

func dirOf(key string) string               { return "src/" + key }
func marketFile(key string) string          { return "src/" + key + "/market.json" }
func snapshotDir(key string) string         { return "src/" + key + "/snapshot" }
func cacheDir(key string) string            { return "src/" + key + "/cache.git" }
func lockFile(key string) string            { return "src/" + key + "/lock" }
func (ms *Markets) cache(key string) string { return ms.o.Home.Path(cacheDir(key)) }

// head returns the marketplace under key without its plugins.
func (ms *Markets) head(key string) (*Market, error) {
	var m Market
	err := ms.open(marketFile(key), marketLimit, func(data []byte) *sealed.Fault { return sealed.Decode(data, "market", &m) })
	if err != nil {
		return nil, err
	}
	return &m, nil
}

// read returns the marketplace under key with all of its plugins.
func (ms *Markets) read(key string) (*Market, error) {
	return ms.readFor(key, func(*Market) func(*listing, *row) bool { return func(*listing, *row) bool { return true } })
}

// readFor is read with the plugins of the rows that want picks. With an error
// that concerns the plugins alone, the marketplace is returned without them.
func (ms *Markets) readFor(key string, want func(*Market) func(*listing, *row) bool) (*Market, error) {
	m, err := ms.head(key)
	if err != nil {
		return nil, err
	}
	for {
		l, err := ms.listing(m)
		if err == nil {
			m.State.Plugins, err = ms.plugins(m, l, want(m))
			sortPlugins(m.State.Plugins)
		}
		if err == nil {
			return m, nil
		}
		// Another process may have put a new listing in the place of the one that
		// was in use a moment ago.
		now, herr := ms.head(key)
		if herr != nil || now.Listing == m.Listing {
			return m, err
		}
		m = now
	}
}

// present looks whether the listing of a marketplace is there, without reading it.
func (ms *Markets) present(m *Market) error {
	if m.Listing.File == "" {
		return nil
	}
	_, err := ms.o.Home.Lstat(ms.listingFile(m.Key, m.Listing))
	if errors.Is(err, fs.ErrNotExist) {
		return ms.missing(m)
	}
	return err
}

// open reads one of our own files. Anything unexpected is an error that names
// the file; it is never reset silently, because that would lose what protects
// against a rollback (security 3.6 row 99).
func (ms *Markets) open(file string, limit int64, decode func(data []byte) *sealed.Fault) error {
	data, err := ms.o.Home.ReadFile(file, limit)
	if err != nil {
		return ms.unreadable(file, err)
	}
	if fault := decode(data); fault != nil {
		return &StateError{File: ms.o.Home.Path(file), Why: fault.Reason}
	}
	return nil
}

// unreadable names the file in the error of reading it; a missing one stays
// [fs.ErrNotExist].
func (ms *Markets) unreadable(file string, err error) error {
	var insecure *fsx.InsecureError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return err
	case errors.As(err, &insecure):
		return &StateError{File: ms.o.Home.Path(file), Why: insecure.Reason}
	case errors.Is(err, fsx.ErrNotRegular):
		return &StateError{File: ms.o.Home.Path(file), Why: "is not a regular file"}
	}
	return &StateError{File: ms.o.Home.Path(file), Why: fmt.Sprintf("cannot be read: %v", err)}
}

// StateError is a file of the home that cannot be used.
type StateError struct {
	File, Why string

	missing bool // the listing alone, which adding again makes anew
}

// Error names the file and what is wrong with it.
func (e *StateError) Error() string { return e.File + " " + e.Why }

// Hint tells the way out.
func (e *StateError) Hint() string {
	return "keep the file for inspection, move it away, and add the marketplace again; what is installed is not affected"
}

// save writes the plugins of a new state, and then the marketplace's own file,
// which makes them count. l is the listing in use, whose rows that are kept stay.
// The caller holds the lock.
func (ms *Markets) save(m *Market, l *listing, added [][]byte) error {
	var err error
	if m.Listing, err = ms.amend(m.Key, m.Listing, l, added); err != nil {
		return fmt.Errorf("write the listing: %w", err)
	}
	return ms.saveMarket(m)
}

// saveMarket writes the marketplace's own file, and takes away the listing that
// it no longer names, or that a killed process had not named yet.
func (ms *Markets) saveMarket(m *Market) error {
	m.Schema = marketSchema
	data, err := sealed.Encode(m)
	if err != nil {
		return fmt.Errorf("encode the marketplace: %w", err)
	}
	if err := ms.o.Home.WriteFile(marketFile(m.Key), data, 0o600); err != nil {
		return err
	}
	other := ms.listingFile(m.Key, Listing{File: m.Listing.other()})
	if _, err := ms.o.Home.Lstat(other); err != nil {
		return nil
	}
	if err := ms.o.Home.Remove(other); err != nil {
		ms.o.Log.Warn("a former listing stays until the next refresh", "marketplace", m.Name, "err", err)
	}
	return nil
}

// lock takes the lock of one source and heals what a killed process left. It
// waits for another process as long as the options say, and then gives
// [*fsx.LockedError].
func (ms *Markets) lock(ctx context.Context, key string) (unlock func(), err error) {
	if err := ms.o.Home.MkdirAllSynced(dirOf(key)); err != nil {
		return nil, err
	}
	wait, cancel := context.WithTimeout(ctx, ms.o.LockWait)
	defer cancel()
	if unlock, err = ms.o.Home.Lock(wait, lockFile(key)); err != nil {
		return nil, fmt.Errorf("lock the marketplace: %w", err)
	}
	if _, err := ms.o.Home.CleanStaging(); err != nil && !errors.Is(err, fsx.ErrReadOnly) {
		unlock()
		return nil, err
	}
	return unlock, nil
}

func sortMarkets(list []*Market) {
	slices.SortFunc(list, func(a, b *Market) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Key, b.Key))
	})
}

func sortPlugins(list []Plugin) {
	slices.SortStableFunc(list, func(a, b Plugin) int {
		return cmp.Or(strings.Compare(a.ID, b.ID), strings.Compare(a.Version, b.Version))
	})
}

func names(list []*Market) []string {
	out := make([]string, 0, len(list))
	for _, m := range list {
		out = append(out, m.Name)
	}
	return out
}
