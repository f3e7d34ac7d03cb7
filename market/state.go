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
func stateFile(key string) string           { return snapshotDir(key) + "/state.json" }
func (ms *Markets) cache(key string) string { return ms.o.Home.Path(cacheDir(key)) }

// read returns the marketplace under key with its state.
func (ms *Markets) read(key string) (*Market, error) {
	return ms.readWith(key, func(data []byte, s *State) *sealed.Fault { return sealed.Decode(data, "snapshot", s) })
}

// readWith is read with what decodes the state.
func (ms *Markets) readWith(key string, state func(data []byte, s *State) *sealed.Fault) (*Market, error) {
	var m Market
	if err := ms.decode(marketFile(key), marketLimit, "market", &m); err != nil {
		return nil, err
	}
	decode := func(data []byte) *sealed.Fault { return state(data, &m.State) }
	if err := ms.open(stateFile(key), stateLimit, decode); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return &m, &StateError{File: ms.o.Home.Path(stateFile(key)), Why: "is missing, so " + m.Name + " must be added again: pinion marketplace add " + m.Spec, missing: true}
		}
		return nil, err
	}
	// The snapshot is put in place first and with one rename, so it is what
	// decides whether a change was made.
	if t := m.State.Told; m.Serial != m.State.Serial {
		m.Name, m.Spec, m.Catalog, m.Checked, m.Serial = t.Name, t.Spec, t.Catalog, m.State.Changed, m.State.Serial
	}
	return &m, nil
}

// decode reads one of our own files. Anything unexpected is an error that names
// the file; it is never reset silently, because that would lose what protects
// against a rollback (security 3.6 row 99).
func (ms *Markets) decode(file string, limit int64, name string, v any) error {
	return ms.open(file, limit, func(data []byte) *sealed.Fault { return sealed.Decode(data, name, v) })
}

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

	missing bool // the snapshot alone, which adding again makes anew
}

// Error names the file and what is wrong with it.
func (e *StateError) Error() string { return e.File + " " + e.Why }

// Hint tells the way out.
func (e *StateError) Hint() string {
	return "keep the file for inspection, move it away, and add the marketplace again; what is installed is not affected"
}

// save puts a new snapshot in the place of the old one with one rename, and
// writes the marketplace's own file. The caller holds the lock.
func (ms *Markets) save(m *Market, catalog []byte) error {
	m.Schema, m.State.Schema = marketSchema, stateSchema
	m.Serial++
	m.State.Serial, m.State.Told = m.Serial, Told{Name: m.Name, Spec: m.Spec, Catalog: m.Catalog}
	state, err := sealed.Encode(&m.State)
	if err != nil {
		return fmt.Errorf("encode the snapshot: %w", err)
	}
	st, err := ms.o.Home.Stage()
	if err != nil {
		return fmt.Errorf("stage the snapshot: %w", err)
	}
	defer st.Close()
	for name, data := range map[string][]byte{"state.json": state, "catalog.json": catalog} {
		if err := ms.o.Home.WriteNew(st.Name+"/"+name, data, 0o600); err != nil {
			return fmt.Errorf("write the snapshot: %w", err)
		}
	}
	if err := ms.o.Home.SyncTree(st.Name); err != nil {
		return fmt.Errorf("write the snapshot: %w", err)
	}
	if err := ms.o.Home.SwapDir(st.Name, snapshotDir(m.Key)); err != nil {
		return fmt.Errorf("put the snapshot in place: %w", err)
	}
	err = ms.saveMarket(m)
	if err == nil {
		return nil
	}
	if _, serr := ms.o.Home.Lstat(marketFile(m.Key)); serr != nil {
		return err // it is not added yet
	}
	// The change is made: read takes what this file was to say from the snapshot.
	ms.o.Log.Warn("the marketplace's own file could not be written; its snapshot says the same", "marketplace", m.Name, "err", err)
	return nil
}

func (ms *Markets) saveMarket(m *Market) error {
	m.Schema = marketSchema
	data, err := sealed.Encode(m)
	if err != nil {
		return fmt.Errorf("encode the marketplace: %w", err)
	}
	return ms.o.Home.WriteFile(marketFile(m.Key), data, 0o600)
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
	if err := ms.o.Home.RecoverSwap(snapshotDir(key)); err != nil {
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
