package market

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"pinion/source"
)

// AddOptions are the choices of an add.
type AddOptions struct {
	Name    string // alias, "" for the catalog's own name
	Catalog string // path of the catalog inside the source, "" to look it up
	// Commit is where a new marketplace begins, a whole commit id in the history of
	// what the source has now; "" begins there. The next refresh goes on from it.
	Commit string
	RefreshOptions
}

// Add resolves a source to one commit, verifies what it offers, and records it.
// The same source again is a refresh, or a change of its ref; another source
// under a taken alias is [ErrTaken], before anything is fetched when the alias
// is given.
func (ms *Markets) Add(ctx context.Context, text string, o AddOptions) (*Report, error) {
	spec, err := source.Parse(text, ms.o.Cwd)
	if err != nil {
		return nil, err
	}
	if o.Name != "" {
		if err := CheckAlias(o.Name); err != nil {
			return nil, err
		}
	}
	key := spec.Key()
	if o.Name != "" {
		if err := ms.free(ctx, o.Name, key); err != nil {
			return nil, err
		}
	}
	unlock, err := ms.lock(ctx, key)
	if err != nil {
		return nil, err
	}
	defer unlock()
	m, err := ms.head(key)
	if errors.Is(err, fs.ErrNotExist) {
		m, err = &Market{Source: spec.Canonical(), Key: key, Added: ms.o.Clock().UTC()}, nil
	} else if err == nil {
		err = ms.present(m)
	}
	var bad *StateError
	if errors.As(err, &bad) && bad.missing { // adding it again is what the user was told to do
		m.Listing, err = Listing{}, nil
	}
	if err != nil {
		return nil, err
	}
	former, otherRef := "", ms.otherRef(m, spec)
	was := m.Name
	m.Spec = spec.String()
	if o.Name != "" {
		if m.Name != o.Name {
			former = m.Name
		}
		m.Name = o.Name
	}
	if o.Catalog != "" {
		m.Catalog = o.Catalog
	}
	o.from = o.Commit
	r, err := ms.update(ctx, m, was, spec, otherRef, o.RefreshOptions)
	if r != nil {
		r.Former = former
	}
	return r, err
}

// otherRef reports whether the user names another ref of a source than before.
// Another spelling of the same source is none, or writing ".git" would switch
// the check of the history off.
func (ms *Markets) otherRef(m *Market, spec source.Spec) bool {
	was, err := source.Parse(m.Spec, ms.o.Cwd)
	return err == nil && was.Ref != spec.Ref
}

// reserved aliases mean something else in a REF or a receipt.
var reserved = []string{"local", "direct", "import", "builtin"}

// CheckAlias refuses a name that cannot stand in a REF: after "@", what begins
// with a digit is a version. It is a usage error.
func CheckAlias(name string) error {
	for _, r := range reserved {
		if name == r {
			return &AliasError{Name: name, Why: "is reserved"}
		}
	}
	if name == "" || len(name) > 64 || !isLetter(name[0]) {
		return &AliasError{Name: name, Why: "must begin with a lower-case letter and have at most 64 characters"}
	}
	for i := range len(name) {
		c := name[i]
		if !isLetter(c) && (c < '0' || c > '9') && c != '-' && c != '_' && c != '.' {
			return &AliasError{Name: name, Why: "may have lower-case letters, digits, '-', '_' and '.' only"}
		}
	}
	return nil
}

// AliasError is a name that no marketplace can have.
type AliasError struct{ Name, Why string }

// Error says why.
func (e *AliasError) Error() string { return fmt.Sprintf("the marketplace name %q %s", e.Name, e.Why) }

// Hint proposes a name that is like it.
func (e *AliasError) Hint() string {
	if like := slug(e.Name); like != e.Name && CheckAlias(like) == nil {
		return fmt.Sprintf("did you mean %q?", like)
	}
	return ""
}

// ExitCode is 2, usage.
func (e *AliasError) ExitCode() int { return 2 }

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' }

// alias chooses the name of a new marketplace: the catalog's own, else the
// repository's.
func (ms *Markets) alias(ctx context.Context, m *Market, spec source.Spec, title string) (string, error) {
	name := slug(title)
	if CheckAlias(name) != nil {
		name = slug(spec.DefaultName())
	}
	if CheckAlias(name) != nil {
		return "", &AliasError{Name: title, Why: "cannot be used; give one with --name"}
	}
	return name, ms.free(ctx, name, m.Key)
}

// slug makes a usable alias out of a name.
func slug(s string) string {
	return strings.Trim(strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9', r == '-', r == '_', r == '.':
			return r
		case 'A' <= r && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '-'
	}, s), "-_.")
}

// free errors when another source has the alias.
func (ms *Markets) free(ctx context.Context, name, key string) error {
	list, _, err := ms.Heads(ctx)
	if err != nil {
		return err
	}
	for _, m := range list {
		if m.Name == name && m.Key != key {
			return &TakenError{Name: name, Source: m.Source}
		}
	}
	return nil
}

// claim keeps the name of a marketplace free until its state is saved: two
// sources that are added under one name at once hold different locks, and both
// found it free. The name that the marketplace had before needs no claim. The lock is
// the home's, which is taken after that of the source and never before it.
func (ms *Markets) claim(ctx context.Context, m *Market, before string) (unlock func(), err error) {
	if m.Name == before {
		return func() {}, nil
	}
	wait, cancel := context.WithTimeout(ctx, ms.o.LockWait)
	defer cancel()
	if unlock, err = ms.o.Home.Lock(wait, homeLock); err != nil {
		return nil, fmt.Errorf("lock the home: %w", err)
	}
	if err := ms.free(ctx, m.Name, m.Key); err != nil {
		unlock()
		return nil, err
	}
	return unlock, nil
}

// Remove forgets a marketplace and its fetched objects. The ledger stays: the
// same source added again is held to what was seen before.
func (ms *Markets) Remove(ctx context.Context, alias string) (*Market, error) {
	m, err := ms.Head(ctx, alias)
	if err != nil {
		return nil, err
	}
	unlock, err := ms.lock(ctx, m.Key)
	if err != nil {
		return nil, err
	}
	defer unlock()
	// The marketplace's own file goes first: without it the rest is only a
	// cache, so a kill in between leaves nothing half removed.
	if err := ms.o.Home.Remove(marketFile(m.Key)); err != nil {
		return nil, fmt.Errorf("remove %s: %w", alias, err)
	}
	if err := ms.clear(m.Key); err != nil {
		ms.o.Log.Warn("the copy of a removed marketplace stays until the next gc", "marketplace", m.Name, "err", err)
	}
	return m, nil
}

// clear removes what was fetched of a source. The snapshot goes last: alone, it
// tells [Markets.Clean] that a removal was cut off.
func (ms *Markets) clear(key string) error {
	return errors.Join(ms.o.Home.RemoveAll(cacheDir(key)), ms.o.Home.RemoveAll(snapshotDir(key)))
}

// Clean finishes removals that were cut off, and takes away what a killed add
// had not recorded yet. What another process is working on stays.
func (ms *Markets) Clean(ctx context.Context) error {
	ents, err := ms.o.Home.ReadDir("src")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	once, cancel := context.WithCancel(ctx)
	cancel() // with a context that has ended a lock is tried once
	var errs []error
	for _, e := range ents {
		key := e.Name()
		if !ms.abandoned(key) {
			continue
		}
		unlock, err := ms.o.Home.Lock(once, lockFile(key))
		if err != nil {
			continue
		}
		if ms.abandoned(key) {
			errs = append(errs, ms.clear(key))
		}
		unlock()
	}
	return errors.Join(errs...)
}

// abandoned reports whether there is a snapshot of no marketplace.
func (ms *Markets) abandoned(key string) bool {
	_, err := ms.o.Home.Lstat(marketFile(key))
	if !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	_, err = ms.o.Home.Lstat(snapshotDir(key))
	return err == nil
}

// Upstream asks the source what it has now, with one small request, and changes
// nothing.
func (ms *Markets) Upstream(ctx context.Context, m *Market) (source.Pin, error) {
	spec, err := source.Parse(m.Spec, ms.o.Cwd)
	if err != nil {
		return source.Pin{}, err
	}
	src, err := ms.o.Open(spec, false)
	if err != nil {
		return source.Pin{}, err
	}
	return src.Resolve(ctx, m.State.Pin)
}
