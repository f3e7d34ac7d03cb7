package host

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
)

// tries bounds how often a plan is made again because a host wrote its file at
// the same time.
const tries = 8

// ErrNotLinked means that a host is not linked in a scope.
var ErrNotLinked = errors.New("is not linked")

// ConflictError is a link that was refused because something is in its place.
// Nothing was changed.
type ConflictError struct {
	Host string
	// Own are plugins that the host has by itself.
	Own []Installed
	// Steps are places that hold something that is not ours.
	Steps []Step
}

// Replaceable reports whether Replace would make room.
func (e *ConflictError) Replaceable() bool {
	for _, s := range e.Steps {
		if s.Kind == KeyItem {
			return false
		}
	}
	return !slices.ContainsFunc(e.Own, func(in Installed) bool { return len(in.Off) == 0 })
}

func (e *ConflictError) Error() string {
	if len(e.Own) > 0 {
		var names []string
		for _, o := range e.Own {
			names = append(names, o.Shown)
		}
		return fmt.Sprintf("%s has plugins of these names by itself: %s", e.Host, strings.Join(names, ", "))
	}
	s := e.Steps[0]
	what := s.Path
	if s.Key != "" {
		what += ": " + s.Key
	}
	return fmt.Sprintf("%s %s", what, s.Why)
}

// LinkOptions are the choices of a link.
type LinkOptions struct {
	// Replace switches off what the host has by itself, and moves away what is in
	// the place of ours, until the host is unlinked.
	Replace bool
	DryRun  bool
}

// Result is what a run did, or would do.
type Result struct {
	Host    string    `json:"host"`
	Title   string    `json:"title"`
	Scope   string    `json:"scope"` // "user" or the project's root
	Linked  bool      `json:"linked"`
	Changed bool      `json:"changed"`
	DryRun  bool      `json:"dryRun"`
	Shown   []Shown   `json:"shown"`
	LeftOut []LeftOut `json:"leftOut"`
	Steps   []Step    `json:"steps"`
	Blocked []Step    `json:"blocked"`
	Restart string    `json:"restart"` // what the user has to do, "" for nothing
}

func newResult(info Info, p Place, dry bool) *Result {
	return &Result{
		Host: info.Name, Title: info.Title, Scope: scopeWord(p.Project), DryRun: dry,
		Shown: []Shown{}, LeftOut: []LeftOut{}, Steps: []Step{}, Blocked: []Step{},
	}
}

func scopeWord(project string) string {
	if project == "" {
		return "user"
	}
	return project
}

// Active gives the plugins of a scope. It is called while the lock is held, so
// that the last of several runs has the last state.
type Active func(context.Context) ([]Plugin, error)

// Link makes a host see the active plugins, takes back what was changed since, and
// remembers it. Doing it again changes nothing. It is refused with
// [*ConflictError] or [*RefusedError]; nothing was changed then.
func (l *Linker) Link(ctx context.Context, a Adapter, p Place, active Active, o LinkOptions) (*Result, error) {
	return l.again(ctx, func() (*Result, error) { return l.link(ctx, a, p, active, o, true) })
}

// Update is [Linker.Link] for a host that is linked, after the active plugins
// changed. What the host or its user changed since stays and is in Blocked. It is
// [ErrNotLinked] for a host that is not.
func (l *Linker) Update(ctx context.Context, a Adapter, p Place, active Active, dry bool) (*Result, error) {
	return l.again(ctx, func() (*Result, error) { return l.link(ctx, a, p, active, LinkOptions{DryRun: dry}, false) })
}

func (l *Linker) again(ctx context.Context, do func() (*Result, error)) (*Result, error) {
	for i := 1; ; i++ {
		r, err := do()
		if !errors.Is(err, errMoved) || i == tries {
			return r, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
}

func (l *Linker) link(ctx context.Context, a Adapter, p Place, active Active, o LinkOptions, repair bool) (*Result, error) {
	info := a.Info()
	unlock, err := l.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	old, err := l.readReceipt(info.Name, p.Project)
	if err != nil {
		return nil, err
	}
	if !repair && old == nil {
		return nil, fmt.Errorf("%s %w", info.Title, ErrNotLinked)
	}
	if old != nil {
		if !repair {
			p.Copy = old.Copy
		}
		o.Replace = o.Replace || old.Replace
	}
	plugins, err := active(ctx)
	if err != nil {
		return nil, err
	}
	res := newResult(info, p, o.DryRun)
	plugins, res.LeftOut = allowed(plugins)
	off, plugins, err := l.own(ctx, a, p, plugins, old, o.Replace, repair, res)
	if err != nil {
		return nil, err
	}
	want, err := a.Want(p, plugins)
	if err != nil {
		return nil, fmt.Errorf("plan %s: %w", info.Title, err)
	}
	want.Items = append(want.Items, off...)
	res.LeftOut = append(res.LeftOut, want.LeftOut...)
	next := &Receipt{
		Host: info.Name, Project: p.Project, Copy: p.Copy, Replace: o.Replace, At: l.o.Clock().UTC().Truncate(0), Shown: want.Shown,
	}
	res.Shown, res.Linked = append(res.Shown, want.Shown...), true
	m := mode{repair: repair, replace: o.Replace, own: p.Own}
	changed, err := l.carryOut(ctx, want.Items, old, next, m, res, info)
	if err != nil {
		return nil, err
	}
	res.Changed = changed || old == nil // that it is linked is new, also when nothing is active yet
	if changed {
		res.Restart = info.Restart
	}
	return res, nil
}

// allowed splits off what no host may be given.
func allowed(plugins []Plugin) (rest []Plugin, refused []LeftOut) {
	refused = []LeftOut{}
	for _, pl := range plugins {
		if pl.Refused != "" {
			refused = append(refused, LeftOut{ID: pl.ID, Reason: pl.Refused})
			continue
		}
		rest = append(rest, pl)
	}
	return rest, refused
}

// own looks for plugins that the host has by itself under the same name.
func (l *Linker) own(ctx context.Context, a Adapter, p Place, plugins []Plugin, old *Receipt, replace, repair bool, res *Result) (off []Item, rest []Plugin, err error) {
	if len(plugins) == 0 {
		return nil, plugins, nil
	}
	installed, err := a.Installed(ctx, p)
	if err != nil {
		return nil, nil, fmt.Errorf("look what %s has: %w", res.Title, err)
	}
	was := map[string]bool{}
	if old != nil {
		for _, r := range old.Items {
			was[r.id()] = true
		}
	}
	conflict := &ConflictError{Host: res.Title}
	out := map[string]bool{}
	name := func(pl Plugin) string { return pl.ID }
	if n, ok := a.(Namer); ok {
		name = func(pl Plugin) string { return n.NameOf(p, pl) }
	}
	for _, in := range installed {
		i := slices.IndexFunc(plugins, func(pl Plugin) bool { return name(pl) == in.Name && pl.Enabled })
		if i < 0 || in.InPlace {
			continue
		}
		switched := slices.ContainsFunc(in.Off, func(item Item) bool { return was[itemID(item.At, item.Path)] })
		switch {
		case !in.Enabled && !switched:
		case replace && len(in.Off) > 0:
			for _, item := range in.Off {
				off = append(off, item.For(in.Name).Replacing())
			}
		default:
			conflict.Own = append(conflict.Own, in)
			out[plugins[i].ID] = true
		}
	}
	if len(conflict.Own) > 0 && repair {
		return nil, nil, conflict
	}
	for _, pl := range plugins {
		if !out[pl.ID] {
			rest = append(rest, pl)
			continue
		}
		res.LeftOut = append(res.LeftOut, LeftOut{ID: pl.ID, Reason: res.Title + " has it by itself; pinion host link " + res.Host + " --replace"})
	}
	return off, rest, nil
}

// carryOut makes the plan and applies it. The caller holds the lock.
func (l *Linker) carryOut(ctx context.Context, want []Item, old, next *Receipt, m mode, res *Result, info Info) (bool, error) {
	r := &run{l: l, roots: newRoots(l.o.Hook), old: old, next: next}
	defer r.roots.close()
	if old != nil {
		next.Tables, next.Files, next.Dirs = slices.Clone(old.Tables), slices.Clone(old.Files), slices.Clone(old.Dirs)
	}
	if !res.DryRun {
		free, err := r.roots.guard(ctx, guards(want, old), l.o.Wait)
		if err != nil {
			return false, err
		}
		defer free()
		if old != nil && old.Pending {
			if err := r.sweep(); err != nil {
				return false, err
			}
		}
	}
	r.disk = newDisk(r.roots, m.repair)
	var err error
	if r.plan, err = makePlan(want, old, r.disk, m); err != nil {
		return false, err
	}
	res.Steps, res.Blocked = append(res.Steps, r.plan.steps()...), append(res.Blocked, r.plan.blocked...)
	if m.repair && len(r.plan.blocked) > 0 {
		return false, &ConflictError{Host: info.Title, Steps: r.plan.blocked}
	}
	if err := r.prepare(); err != nil {
		return false, err
	}
	changed := len(res.Steps) > 0
	if res.DryRun || !changed && r.same() {
		return changed, nil
	}
	if err := r.apply(ctx); err != nil {
		return changed, err
	}
	res.Steps = append([]Step{}, r.plan.steps()...) // with where things were moved to
	return changed, nil
}

// same reports whether the receipt already says what a run without steps would
// write.
func (r *run) same() bool {
	o, n := r.old, r.next
	if o == nil || o.Pending || o.Copy != n.Copy || o.Replace != n.Replace || !slices.Equal(o.Shown, n.Shown) {
		return false
	}
	kept := 0
	for _, t := range r.plan.tasks {
		if !t.keep {
			return false
		}
		kept++
	}
	return kept == len(o.Items)
}

// guards returns the configuration files of a run with the hosts' locks of them.
func guards(want []Item, old *Receipt) map[At]Guard {
	files := map[At]Guard{}
	for _, i := range want {
		if i.Kind == KeyItem {
			files[i.At] = i.Guard
		}
	}
	if old != nil {
		for _, r := range old.Items {
			if r.Kind == KeyItem {
				files[r.At] = r.Guard
			}
		}
	}
	maps.DeleteFunc(files, func(_ At, g Guard) bool { return g == NoGuard })
	return files
}

// Unlink takes back everything that a link put on the disk and that still is as
// it was put there, and restores what was there before. Without a link it does
// nothing.
func (l *Linker) Unlink(ctx context.Context, info Info, p Place, dry bool) (*Result, error) {
	return l.again(ctx, func() (*Result, error) { return l.unlink(ctx, info, p, dry) })
}

func (l *Linker) unlink(ctx context.Context, info Info, p Place, dry bool) (*Result, error) {
	res := newResult(info, p, dry)
	if names, err := l.Names(p.Project); err != nil || !slices.Contains(names, info.Name) {
		return res, err
	}
	unlock, err := l.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	old, err := l.readReceipt(info.Name, p.Project)
	if err != nil || old == nil {
		return res, err
	}
	next := &Receipt{Host: info.Name, Project: p.Project, At: l.o.Clock().UTC().Truncate(0), Shown: []Shown{}}
	if _, err := l.carryOut(ctx, nil, old, next, mode{own: p.Own}, res, info); err != nil {
		return nil, err
	}
	res.Changed, res.Linked = true, false
	res.Restart = info.Restart
	if dry {
		return res, nil
	}
	for _, at := range slices.Backward(next.Dirs) {
		// Empty only now that the hosts' locks in them are free; one that is not stays.
		_ = os.Remove(at.Path())
	}
	if err := l.removeOwn(p); err != nil {
		return nil, err
	}
	return res, l.removeReceipt(info.Name, p.Project)
}

// removeOwn removes what is left of the directory of a link in the home.
func (l *Linker) removeOwn(p Place) error {
	r := newRoots(l.o.Hook)
	defer r.close()
	d, err := r.open(p.Own)
	if err != nil || d == nil {
		return err
	}
	entries, err := d.ReadDir(".")
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := d.RemoveAll(e.Name()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
