package pinion

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"pinion/hashes"
	"pinion/internal/fsx"
	"pinion/internal/syntax"
	"pinion/manifest"
	"pinion/market"
	"pinion/pkgfmt"
	"pinion/problem"
	"pinion/store"
	"pinion/tree"
)

// LockFile is the name of the project's lock file, at its root.
const LockFile = "pinion.lock"

const (
	lockSchema = "pinion.lock/v1"
	lockLimit  = 16 << 20
)

// Lock is the state of a project: which plugins it uses, from which commit, and
// with which digest. It carries no consent.
type Lock struct {
	Schema  string   `json:"schema"`
	Plugins []Locked `json:"plugins"` // sorted by id
}

// Locked is one plugin of a [Lock].
type Locked struct {
	ID       string           `json:"id"`
	Version  string           `json:"version"`
	Digest   hashes.Digest    `json:"digest"`
	Active   bool             `json:"active"` // false: only to be installed
	Enabled  bool             `json:"enabled"`
	Source   string           `json:"source"`             // the marketplace's canonical source
	Market   string           `json:"marketplace"`        // its alias when it was locked, for people
	Remote   string           `json:"repository"`         // where the bytes are, "" for the source itself
	Commit   string           `json:"commit"`             // "" for a directory of the project
	Path     string           `json:"path"`               // directory in the repository, or from the lock file
	Select   pkgfmt.Selection `json:"select,omitzero"`    // part of the directory
	Entry    *manifest.Entry  `json:"entry,omitempty"`    // what the catalog defines
	Portable bool             `json:"portable,omitempty"` // false for a directory outside the project
}

var ruleLockStale = problem.Rule{
	ID: "lock/stale", Severity: problem.Error, Since: "0.1.0",
	Title: "The lock file is not the project's state",
	Help:  "pinion.lock records what the project uses. It is written by install, activate, upgrade and uninstall with --project, and differs from what is active for the project now.",
	Fix:   "pinion sync brings the project to the lock file; pinion lock writes the project's state into it",
}

// Rules lists every rule this package reports.
func lockRules() []problem.Rule { return []problem.Rule{ruleLockStale} }

// LockReport is the JSON document pinion.lock-report/v1.
type LockReport struct {
	Schema   string       `json:"schema"`
	Path     string       `json:"path"`
	Plugins  []Locked     `json:"plugins"`
	Changed  bool         `json:"changed"`
	Problems problem.List `json:"problems"`
	// Imported and Left are what became of the entries of another lock file; absent
	// where none was read.
	Imported []Imported `json:"imported,omitzero"`
	Left     []NotTaken `json:"left,omitzero"`
}

// WriteLock writes the project's state into its lock file; with check it writes
// nothing and reports each difference as lock/stale.
func (c *Client) WriteLock(ctx context.Context, check, dryRun bool) (*LockReport, error) {
	root, err := c.projectRoot()
	if err != nil {
		return nil, err
	}
	if !check && !dryRun {
		unlock, err := c.exclude(ctx)
		if err != nil {
			return nil, err
		}
		defer unlock()
	}
	have, err := readLock(root)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	want, err := c.projectLock(ctx, root, have)
	if err != nil {
		return nil, err
	}
	r := &LockReport{
		Schema: "pinion.lock-report/v1", Path: filepath.Join(root, LockFile), Plugins: want.Plugins,
		Changed: !reflect.DeepEqual(have.Plugins, want.Plugins), Problems: problem.List{},
	}
	for _, d := range lockDifferences(have, want) {
		r.Problems.Add(ruleLockStale.Report("%s", d).At(LockFile, 0, 0))
	}
	if check || dryRun || !r.Changed {
		return r, nil
	}
	return r, c.saveLock(root, want)
}

// LockFileError is a change that was made while the project's lock file could
// not be brought up to date with it.
type LockFileError struct{ Err error }

// Error says that the change stands.
func (e *LockFileError) Error() string {
	return fmt.Sprintf("done, but %s does not say so yet: %v", LockFile, e.Err)
}

// Hint tells how to get there.
func (e *LockFileError) Hint() string {
	return "put that right, then write the file with: pinion lock"
}

// Unwrap gives the reason.
func (e *LockFileError) Unwrap() error { return e.Err }

// relock brings the lock file up to date after a change in project scope.
// added are builds that were installed for the project and not activated.
func (c *Client) relock(ctx context.Context, project bool, added ...Installed) error {
	if !project {
		return nil
	}
	if err := c.relockProject(ctx, added); err != nil {
		return &LockFileError{err}
	}
	return nil
}

func (c *Client) relockProject(ctx context.Context, added []Installed) error {
	root, err := c.projectRoot()
	if err != nil {
		return err
	}
	unlock, err := c.exclude(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	have, err := readLock(root)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	want, err := c.projectLock(ctx, root, have, added...)
	if err != nil {
		return err
	}
	if reflect.DeepEqual(have.Plugins, want.Plugins) {
		return nil
	}
	return c.saveLock(root, want)
}

// exclude keeps other processes away while a lock file is read, made and
// written: of two that do so at once, the one that read first could otherwise
// write last, and take out what the other put in.
func (c *Client) exclude(ctx context.Context) (unlock func(), err error) {
	st, _, ok, err := c.state(false)
	if err != nil || !ok {
		return func() {}, err
	}
	unlock, err = st.Exclude(ctx)
	if errors.Is(err, fsx.ErrReadOnly) {
		return func() {}, nil // then nobody changes it
	}
	return unlock, err
}

func (c *Client) relockUnless(ctx context.Context, project, dryRun bool) error {
	if dryRun {
		return nil
	}
	return c.relock(ctx, project)
}

// projectLock makes the lock of what a project uses, and nothing of the user's:
// what is active for it, and what was installed for it and is still in the
// store.
func (c *Client) projectLock(ctx context.Context, root string, have Lock, added ...Installed) (Lock, error) {
	l := Lock{Schema: lockSchema, Plugins: []Locked{}}
	st, _, ok, err := c.state(false)
	if err != nil || !ok {
		return l, err
	}
	pointers, damage, err := st.Actives(ctx, store.Scope{Project: root})
	if err != nil {
		return l, err
	}
	if len(damage) > 0 {
		return l, &store.DamageError{Damage: damage[0]}
	}
	for _, p := range pointers {
		if p.Current == nil {
			continue
		}
		if err := l.add(root, st, *p.Current, true, p.Enabled); err != nil {
			return l, err
		}
	}
	for _, in := range added {
		if !l.has(in.ID) {
			if err := l.add(root, st, in.build, false, true); err != nil {
				return l, err
			}
		}
	}
	for _, p := range have.Plugins {
		if p.Active || l.has(p.ID) {
			continue
		}
		b, err := p.build(c.o.Cwd)
		if err != nil {
			return l, err
		}
		if _, err := st.Receipt(b); err == nil {
			l.Plugins = append(l.Plugins, p)
		}
	}
	slices.SortFunc(l.Plugins, func(a, b Locked) int { return strings.Compare(a.ID, b.ID) })
	return l, nil
}

func (l *Lock) add(root string, st *store.Store, b store.Build, active, enabled bool) error {
	r, err := st.Receipt(b)
	if err != nil {
		return err
	}
	e, err := locked(root, r)
	if err != nil {
		return err
	}
	e.Active, e.Enabled = active, enabled
	l.Plugins = append(l.Plugins, e)
	return nil
}

func locked(root string, r store.Receipt) (Locked, error) {
	e := Locked{
		ID: r.ID, Version: r.Version, Digest: r.Digest, Source: r.Origin.Source, Market: r.Origin.Marketplace,
		Remote: r.Origin.Repository, Commit: r.Origin.Commit, Path: r.Origin.Path, Select: r.Origin.Select, Portable: true,
	}
	if r.Origin.Entry != nil {
		e.Entry = new(manifest.Entry)
		if err := syntax.Decode(r.Origin.Entry, e.Entry, syntax.Options{}).Err(); err != nil {
			return e, fmt.Errorf("the receipt of %s: %w", r.ID, err)
		}
	}
	if r.Origin.Commit == "" {
		dir := filepath.Join(filepath.FromSlash(r.Origin.Source), filepath.FromSlash(r.Origin.Path))
		rel, err := filepath.Rel(root, dir)
		e.Portable = err == nil && filepath.IsLocal(rel)
		if e.Portable {
			e.Source, e.Path = "", filepath.ToSlash(rel)
		}
	}
	return e, nil
}

// readLock reads a project's lock file. Without one it is fs.ErrNotExist; one
// that cannot be used is a [*LockReadError].
func readLock(root string) (Lock, error) {
	d, err := tree.OpenDir(root)
	if err != nil {
		return Lock{}, err
	}
	defer d.Close()
	name := filepath.Join(root, LockFile)
	data, err := d.ReadFile(LockFile, lockLimit)
	if errors.Is(err, fs.ErrNotExist) {
		return Lock{}, err
	}
	var l Lock
	if err == nil {
		l, err = parseLock(name, data)
	}
	if err != nil {
		return l, &LockReadError{Path: name, Err: err}
	}
	return l, nil
}

// LockReadError is a lock file of the project that cannot be used.
type LockReadError struct {
	Path string
	Err  error
}

// Error names the file.
func (e *LockReadError) Error() string {
	if text := e.Err.Error(); strings.Contains(text, e.Path) {
		return text
	}
	return fmt.Sprintf("read %s: %v", e.Path, e.Err)
}

// Hint tells both ways out.
func (e *LockReadError) Hint() string {
	return "take it back from version control; or move it away and write what is in use now with: pinion lock"
}

// Unwrap gives the reason.
func (e *LockReadError) Unwrap() error { return e.Err }

func parseLock(name string, data []byte) (Lock, error) {
	var l Lock
	problems := syntax.Decode(data, &l, syntax.Options{})
	for i := range problems {
		problems[i].File = name
	}
	if err := problems.Err(); err != nil {
		return l, err
	}
	if l.Schema != lockSchema {
		return l, fmt.Errorf("%s has schema %q, this Pinion reads %q", name, l.Schema, lockSchema)
	}
	for _, p := range l.Plugins {
		if !isID(p.ID) || p.Digest.IsZero() || p.Commit == "" && p.Path == "" {
			return l, fmt.Errorf("%s: the entry %q lacks an id, a digest or a place", name, p.ID)
		}
	}
	return l, nil
}

func (c *Client) saveLock(root string, l Lock) error {
	data, err := syntax.Encode(l)
	if err != nil {
		return err
	}
	dir, err := fsx.OpenDir(root, fsx.Options{})
	if err != nil {
		return err
	}
	defer dir.Close()
	// What a killed process left here would end up in somebody's commit.
	if err := dir.CleanTemp("."); err != nil {
		return err
	}
	return dir.WriteFile(LockFile, data, 0o644)
}

// lockDifferences says in words how two locks differ.
func lockDifferences(have, want Lock) []string {
	var out []string
	old := map[string]Locked{}
	for _, p := range have.Plugins {
		old[p.ID] = p
	}
	for _, p := range want.Plugins {
		q, ok := old[p.ID]
		delete(old, p.ID)
		switch {
		case !ok:
			out = append(out, fmt.Sprintf("%s %s is active for the project and not locked", p.ID, p.Version))
		case q.Digest != p.Digest:
			out = append(out, fmt.Sprintf("%s is locked at %s (%s), active is %s (%s)", p.ID, q.Version, q.Digest.Short(), p.Version, p.Digest.Short()))
		case q.Active != p.Active:
			out = append(out, fmt.Sprintf("%s is locked as %s, and is %s", p.ID, activeOr(q.Active), activeOr(p.Active)))
		case q.Enabled != p.Enabled:
			out = append(out, fmt.Sprintf("%s is locked as %s, and is %s", p.ID, onOff(q.Enabled), onOff(p.Enabled)))
		case !reflect.DeepEqual(p, q):
			out = append(out, fmt.Sprintf("%s is locked from another place", p.ID))
		}
	}
	for _, q := range old {
		out = append(out, fmt.Sprintf("%s %s is locked and not active for the project", q.ID, q.Version))
	}
	slices.Sort(out)
	return out
}

func activeOr(active bool) string {
	if active {
		return "active"
	}
	return "installed only"
}

func onOff(enabled bool) string {
	if enabled {
		return "enabled"
	}
	return "disabled"
}

// origin returns where the bytes of a locked plugin are, and the spec of its
// marketplace.
func (p Locked) origin() (base string, o market.Origin) {
	return p.Source, market.Origin{
		Spec: p.Remote, Commit: p.Commit, Path: cmp.Or(p.Path, "."), Select: p.Select, Entry: p.Entry,
	}
}
