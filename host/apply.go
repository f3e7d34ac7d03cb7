package host

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"pinion/internal/fsx"
	"pinion/internal/syntax"
)

// run is one plan that is being carried out.
type run struct {
	l     *Linker
	roots *roots
	disk  *disk
	plan  *plan
	old   *Receipt
	next  *Receipt // as it will be
	edits []fileEdit
}

// apply writes the receipt, carries the plan out and writes the receipt again.
func (r *run) apply(ctx context.Context) error {
	pending := *r.next
	pending.Pending, pending.Items = true, nil
	for _, t := range r.plan.tasks {
		rec := t.rec
		rec.Gone = !t.keep
		if t.do && t.old != nil && t.keep {
			before := *t.old
			before.Before = nil
			rec.Before = &before
			if t.old.Before != nil && !t.old.Gone {
				rec.Before = t.old.Before // still the last state that was whole
			}
		}
		if t.keep || t.old != nil {
			pending.Items = append(pending.Items, rec)
		}
	}
	if r.old != nil {
		// A table that is to go is still there until its file is written.
		for _, t := range r.old.Tables {
			if !slices.ContainsFunc(pending.Tables, func(o Table) bool { return o.At == t.At && slices.Equal(o.Path, t.Path) }) {
				pending.Tables = append(slices.Clone(pending.Tables), t)
			}
		}
	}
	if err := r.l.writeReceipt(&pending); err != nil {
		return err
	}
	for _, step := range []func(context.Context) error{r.place, r.keys, r.clear, r.finish} {
		if err := step(ctx); err != nil {
			return &UnfinishedError{err}
		}
	}
	return nil
}

// UnfinishedError is a run that stopped after its first change, with the reason.
// The receipt says so: the next run goes on, and an unlink takes it back.
type UnfinishedError struct{ Err error }

func (e *UnfinishedError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *UnfinishedError) Unwrap() error { return e.Err }

// finish writes the receipt of what is there now, or removes it with the last
// item.
func (r *run) finish(context.Context) error {
	r.next.Items = nil
	for _, t := range r.plan.tasks {
		if t.keep {
			t.rec.Before, t.rec.Gone = nil, false
			r.next.Items = append(r.next.Items, t.rec)
		}
	}
	r.next.Pending = false
	return r.l.writeReceipt(r.next)
}

// place makes links, copies and files, and what they are in.
func (r *run) place(ctx context.Context) error {
	touched := map[string]At{}
	for _, t := range r.plan.tasks {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !t.do || !t.keep || t.rec.Kind == KeyItem {
			continue
		}
		d, err := r.roots.make(t.rec.At)
		if err != nil {
			return err
		}
		if err := r.placeOne(t, d); err != nil {
			return fmt.Errorf("%s %s: %w", t.step.Do, t.step.Path, err)
		}
		top, _, _ := strings.Cut(t.rec.At.Name, "/")
		if t.rec.Kind == CopyItem {
			touched[t.rec.At.Root] = At{Root: t.rec.At.Root, Name: top}
		}
	}
	for _, at := range touched {
		d, err := r.roots.open(at.Root)
		if err != nil {
			return err
		}
		if err := d.SyncTree(at.Name); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) placeOne(t *task, d *fsx.Dir) error {
	name := t.rec.At.Name
	if t.aside {
		if err := r.setAside(t, d); err != nil {
			return err
		}
	}
	f, err := r.disk.look(t.rec)
	if err != nil {
		return err
	}
	switch t.rec.Kind {
	case LinkItem:
		if !f.absent() && f.kind != LinkItem {
			if err := d.RemoveAll(name); err != nil {
				return err
			}
		}
		return d.Symlink(t.rec.Target, name)
	case FileItem:
		if !f.absent() && f.kind != FileItem {
			if err := d.RemoveAll(name); err != nil {
				return err
			}
		}
		return d.WriteFile(name, t.item.Content, 0o600)
	}
	fresh, err := copyTree(d, *t.item, t.rec.Files)
	if err != nil {
		return err
	}
	if f.absent() {
		return d.Rename(fresh, name)
	}
	if f.kind != CopyItem {
		if err := d.RemoveAll(name); err != nil {
			return err
		}
		return d.Rename(fresh, name)
	}
	return d.SwapDir(fresh, name)
}

// copyTree writes the files of a copy beside its place and returns the name. Each
// file is compared with its sum on the way. Files are read-only; directories can
// be written, because hosts remove their own cache.
func copyTree(d *fsx.Dir, item Item, files []File) (fresh string, err error) {
	from, err := fsx.OpenDir(item.Target, fsx.Options{})
	if err != nil {
		return "", err
	}
	defer from.Close() // a handle for reading
	fresh = path.Join(path.Dir(item.At.Name), newPrefix+path.Base(item.At.Name))
	if err := d.RemoveAll(fresh); err != nil {
		return "", err
	}
	if err := d.MkdirAll(fresh); err != nil {
		return "", err
	}
	for _, f := range files {
		data, ok := item.Extra[f.Path]
		if !ok {
			source := strings.TrimPrefix(strings.TrimPrefix(f.Path, item.Under), "/")
			if data, err = from.ReadFile(source, f.Size); err != nil {
				break
			}
		}
		if sum(data) != f.Sum {
			err = fmt.Errorf("%s in the store is not what was installed; run: pinion verify --repair", f.Path)
			break
		}
		name := path.Join(fresh, f.Path)
		if err = d.MkdirAll(path.Dir(name)); err != nil {
			break
		}
		mode := fs.FileMode(0o444)
		if f.Exec {
			mode = 0o555
		}
		if err = d.WriteNew(name, data, mode); err != nil {
			break
		}
	}
	if err != nil {
		return "", errors.Join(err, d.RemoveAll(fresh))
	}
	return fresh, nil
}

// setAside moves what is in the way into the home, where it is kept.
func (r *run) setAside(t *task, d *fsx.Dir) error {
	home := r.l.o.Home
	name := r.freeAside(path.Base(t.rec.At.Name))
	// What was never ours goes back when ours goes, also when a run was cut off
	// before it was moved.
	theirs := t.keep && (t.old == nil || t.cutOff)
	noted := false
	if theirs && t.rec.Aside != "" {
		if _, err := home.Lstat(t.rec.Aside); errors.Is(err, fs.ErrNotExist) {
			name, noted = t.rec.Aside, true
		} else {
			theirs = false // it is there already: this is something that came since
		}
	}
	if err := home.MkdirAllSynced(path.Dir(name)); err != nil {
		return err
	}
	// The receipt must know the place before the thing is there, so that it is
	// found again whatever happens in between.
	if theirs && !noted {
		t.rec.Aside = name
		if err := r.noteAside(t, name); err != nil {
			return err
		}
	}
	if err := d.Move(t.rec.At.Name, home, name); err != nil {
		return fmt.Errorf("move %s away: %w", d.Path(t.rec.At.Name), err)
	}
	t.step.Aside = home.Path(name)
	return nil
}

// freeAside returns a place in the home for something with a name.
func (r *run) freeAside(base string) string {
	dir := path.Join(asideDir, r.l.o.Clock().UTC().Format("20060102T150405.000000000"))
	name := path.Join(dir, base)
	for i := 2; ; i++ {
		if _, err := r.l.o.Home.Lstat(name); err != nil {
			return name
		}
		name = path.Join(fmt.Sprintf("%s-%d", dir, i), base)
	}
}

// noteAside writes the pending receipt again with where a thing is moved to.
func (r *run) noteAside(t *task, name string) error {
	pending, err := r.l.readReceipt(r.next.Host, r.next.Project)
	if err != nil || pending == nil {
		return errors.Join(err, errors.New("the receipt is gone"))
	}
	for i := range pending.Items {
		if pending.Items[i].id() == t.rec.id() {
			pending.Items[i].Aside = name
		}
	}
	return r.l.writeReceipt(pending)
}

// fileEdit is what a configuration file will be.
type fileEdit struct {
	at     At
	before []byte
	after  []byte
	remove bool // it was made by us and has nothing in it any more
}

// prepare works out what the configuration files will be, so that one that
// cannot be edited stops the run before the first change, and which directories
// have to be made.
func (r *run) prepare() error {
	byFile := map[At][]*task{}
	var order []At
	for _, t := range r.plan.tasks {
		if t.do && t.rec.Kind == KeyItem {
			if byFile[t.rec.At] == nil {
				order = append(order, t.rec.At)
			}
			byFile[t.rec.At] = append(byFile[t.rec.At], t)
		}
	}
	for _, at := range order {
		e, err := r.prepareFile(at, byFile[at])
		if err != nil {
			return err
		}
		r.edits = append(r.edits, e)
	}
	known := map[At]bool{}
	for _, at := range r.next.Dirs {
		known[at] = true
	}
	looked := map[At]bool{}
	for _, t := range r.plan.tasks {
		above := At{Root: t.rec.At.Root, Name: path.Dir(t.rec.At.Name)}
		if !t.do || !t.keep || looked[above] {
			continue
		}
		looked[above] = true
		dirs, err := r.roots.missing(t.rec.At)
		if err != nil {
			return err
		}
		for _, at := range dirs {
			if !known[at] {
				known[at] = true
				r.next.Dirs = append(r.next.Dirs, at)
			}
		}
	}
	return nil
}

func (r *run) prepareFile(at At, tasks []*task) (fileEdit, error) {
	c := r.disk.configs[at]
	e := fileEdit{at: at, before: c.data}
	if d, err := r.roots.open(at.Root); err == nil && d != nil && c.exists {
		// A new file in its place would pass over what its owner meant by that.
		if info, err := d.Lstat(at.Name); err == nil && info.Mode().Perm()&0o200 == 0 {
			return e, &RefusedError{Path: at.Path(), Reason: "is read-only", Err: fs.ErrPermission}
		}
	}
	var changes []syntax.Change
	for _, t := range tasks {
		ch := syntax.Change{Path: t.rec.Path}
		if t.rec.Echo {
			ch.Path = t.rec.Path[:len(t.rec.Path)-1]
		}
		value := t.rec.Value
		if !t.keep {
			value = t.rec.Was
		}
		if value != nil {
			ch.Value = value
		}
		changes = append(changes, ch)
	}
	// Tables that were made go when they are empty, the innermost first.
	for _, t := range slices.Backward(r.next.Tables) {
		if t.At == at {
			changes = append(changes, syntax.Change{Path: t.Path, IfEmpty: true})
		}
	}
	out, made, err := syntax.EditConfig(c.data, c.format, changes)
	if err != nil {
		return e, &RefusedError{Path: at.Path(), Reason: "cannot be edited: " + err.Error(), Err: err}
	}
	doc, err := syntax.ReadConfig(out, c.format)
	if err != nil {
		return e, err
	}
	for _, m := range made {
		r.next.Tables = append(r.next.Tables, Table{At: at, Path: m})
	}
	r.next.Tables = slices.DeleteFunc(r.next.Tables, func(t Table) bool {
		_, ok := syntax.ConfigValue(doc, t.Path...)
		return t.At == at && !ok
	})
	e.after = out
	if !c.exists && !slices.Contains(r.next.Files, at) {
		r.next.Files = append(r.next.Files, at)
	}
	for _, t := range r.plan.tasks {
		if t.rec.Base && t.rec.At == at && !t.keep {
			delete(doc, t.rec.Path[0])
		}
	}
	// A comment is somebody's own.
	e.remove = slices.Contains(r.next.Files, at) && len(doc) == 0 && !bytes.ContainsAny(out, "/#")
	return e, nil
}

// keys puts the configuration files in place, each in one step.
func (r *run) keys(ctx context.Context) error {
	for _, e := range r.edits {
		if err := ctx.Err(); err != nil {
			return err
		}
		d, err := r.roots.make(e.at)
		if err != nil {
			return err
		}
		// A host that takes no lock may have written since the plan was made.
		now, err := r.roots.read(e.at)
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		if err != nil || !bytes.Equal(now, e.before) {
			return fmt.Errorf("edit %s: %w", e.at.Path(), errors.Join(err, errMoved))
		}
		if !e.remove {
			err = d.ReplaceFile(e.at.Name, e.after, 0o600)
		} else if err = d.Remove(e.at.Name); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		if err != nil {
			return fmt.Errorf("edit %s: %w", e.at.Path(), err)
		}
		if e.remove {
			r.next.Files = slices.DeleteFunc(r.next.Files, func(f At) bool { return f == e.at })
		}
	}
	return nil
}

// errMoved means that a file was changed between the plan and its edit.
var errMoved = errors.New("it was changed at the same time")

// clear removes what goes, puts back what had to make room, and takes away the
// directories that are empty by now.
func (r *run) clear(ctx context.Context) error {
	for _, t := range r.plan.tasks {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !t.do || t.keep || t.rec.Kind == KeyItem {
			continue
		}
		d, err := r.roots.open(t.rec.At.Root)
		if err != nil || d == nil {
			return err
		}
		done, err := r.wasPutBack(t)
		if err != nil {
			return err
		}
		if done {
			continue
		}
		if t.aside {
			err = r.setAside(t, d)
		} else if t.step.Do == Remove {
			err = d.RemoveAll(t.rec.At.Name)
		}
		if err == nil && t.rec.Aside != "" {
			err = r.putBack(t, d)
		}
		if err != nil {
			return fmt.Errorf("%s %s: %w", t.step.Do, t.step.Path, err)
		}
	}
	// Directories that were made for things that went.
	dirs := r.next.Dirs
	r.next.Dirs = nil
	for _, at := range slices.Backward(dirs) {
		if r.inUse(at) {
			r.next.Dirs = append([]At{at}, r.next.Dirs...)
			continue
		}
		if os.Remove(at.Path()) != nil { // not empty, or gone already
			if _, err := os.Lstat(at.Path()); err == nil {
				r.next.Dirs = append([]At{at}, r.next.Dirs...)
			}
		}
	}
	return nil
}

// inUse reports whether something of the receipt is below a directory.
func (r *run) inUse(dir At) bool {
	above := dir.Path() + string(filepath.Separator)
	return slices.ContainsFunc(r.plan.tasks, func(t *task) bool {
		return t.keep && strings.HasPrefix(t.rec.At.Path(), above)
	})
}

// wasPutBack reports whether a run that was cut off had put back what had made
// room for ours: what is there now is its owner's.
func (r *run) wasPutBack(t *task) (bool, error) {
	if t.old == nil || !t.old.Gone || t.old.Aside == "" {
		return false, nil
	}
	_, err := r.l.o.Home.Lstat(t.old.Aside)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	return false, err
}

// putBack moves to its place what had to make room for ours.
func (r *run) putBack(t *task, d *fsx.Dir) error {
	if _, err := r.l.o.Home.Lstat(t.rec.Aside); errors.Is(err, fs.ErrNotExist) {
		return nil // a run that was cut off has done it
	}
	// Not through the home, which wants files that nobody else can write.
	from, err := fsx.OpenDir(r.l.o.Home.Path(path.Dir(t.rec.Aside)), fsx.Options{Hook: r.l.o.Hook})
	if err != nil {
		return err
	}
	defer from.Close()
	if err := from.Move(path.Base(t.rec.Aside), d, t.rec.At.Name); err != nil {
		return fmt.Errorf("put %s back: %w", d.Path(t.rec.At.Name), err)
	}
	// Empty by now, unless two things were moved in one moment.
	_ = r.l.o.Home.RemoveOne(path.Dir(t.rec.Aside))
	return nil
}

// newPrefix begins the name of a copy that is not finished.
const newPrefix = ".pinion-new-"

// sweep removes what a run that was cut off had not finished beside our things.
func (r *run) sweep() error {
	seen := map[At]bool{}
	for _, rec := range r.old.Items {
		dir := At{Root: rec.At.Root, Name: path.Dir(rec.At.Name)}
		if seen[dir] {
			continue
		}
		seen[dir] = true
		d, err := r.roots.open(dir.Root)
		if err != nil {
			return err
		}
		if d == nil {
			continue
		}
		entries, err := fs.ReadDir(d.FS(), dir.Name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		for _, e := range entries {
			name := e.Name()
			if !strings.HasPrefix(name, newPrefix) && !(strings.HasPrefix(name, ".pinion-") && strings.HasSuffix(name, ".tmp")) {
				continue
			}
			if err := d.RemoveAll(path.Join(dir.Name, name)); err != nil {
				return err
			}
		}
	}
	return nil
}
