package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

// Item is one build in a [Plan].
type Item struct {
	Build Build
	Bytes int64 // sum of the file sizes
	// Why says what keeps it: "active", "pinned", "held", "previous", "new",
	// "only version", "damaged"; "" when it goes.
	Why string
}

// Plan is what [Store.GC] keeps and removes.
type Plan struct {
	Remove, Keep []Item
	// Garbage are directories without receipts, as slash paths in the home.
	Garbage []string
	Freed   int64 // bytes of Remove and Garbage
	// Orphans are projects whose directory no longer exists. What they have
	// active is kept until [Store.ForgetProject].
	Orphans []Project
	// Damaged are files that could not be used or are not ours; nothing that
	// they may speak of is removed.
	Damaged []Damage
}

// GC removes builds that nobody needs. It keeps what is active in any scope, the
// keep builds that were active before it there, every build of a held plugin,
// what pinned answers true for (nil: nothing), of a plugin that is active nowhere
// the build installed last, and what was installed within the last hour and never
// active, so that another process can still activate it. With dryRun nothing is changed and the home
// may be read-only.
func (s *Store) GC(ctx context.Context, keep int, pinned func(Build) bool, dryRun bool) (Plan, error) {
	if s.home == nil {
		return Plan{}, nil
	}
	if !dryRun {
		unlock, err := s.lock(ctx)
		if err != nil {
			return Plan{}, err
		}
		defer unlock()
	}
	plan, err := s.plan(ctx, keep, pinned, dryRun)
	if err != nil || dryRun {
		return plan, err
	}
	if len(plan.Remove)+len(plan.Garbage) == 0 {
		if err := s.tidy(); err != nil {
			return plan, fmt.Errorf("gc: %w", err)
		}
		return plan, nil
	}
	note, err := s.note()
	if err != nil {
		return plan, fmt.Errorf("gc: %w", err)
	}
	err = s.collect(ctx, plan)
	s.done(note, err == nil)
	if err != nil {
		return plan, fmt.Errorf("gc: %w", err)
	}
	return plan, nil
}

func (s *Store) collect(ctx context.Context, plan Plan) error {
	for _, it := range plan.Remove {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := s.remove(it.Build.Dir()); err != nil {
			return err
		}
	}
	for _, g := range plan.Garbage {
		if err := s.removeTree(g); err != nil {
			return err
		}
	}
	return errors.Join(s.prune(ctx, ""), s.tidy())
}

func (s *Store) plan(ctx context.Context, keep int, pinned func(Build) bool, dryRun bool) (Plan, error) {
	receipts, damaged, err := s.List(ctx)
	if err != nil {
		return Plan{}, err
	}
	pointers, more, err := s.pointers(ctx, "")
	if err != nil {
		return Plan{}, err
	}
	plan := Plan{Damaged: append(damaged, more...)}
	why := s.reasons(receipts, pointers, more, keep)
	for _, r := range receipts {
		it := Item{Build: r.Build(), Bytes: r.Bytes(), Why: why[r.Build()]}
		if it.Why == "" && pinned != nil && pinned(it.Build) {
			it.Why = "pinned"
		}
		if it.Why != "" {
			plan.Keep = append(plan.Keep, it)
			continue
		}
		plan.Remove = append(plan.Remove, it)
		plan.Freed += it.Bytes
	}
	projects, _, err := s.Projects(ctx)
	if err != nil {
		return Plan{}, err
	}
	for _, p := range projects {
		if p.Missing {
			plan.Orphans = append(plan.Orphans, p)
		}
	}
	if !dryRun {
		if plan.Garbage, err = s.garbage(ctx); err != nil {
			return Plan{}, err
		}
	} else if plan.Garbage, err = s.listGarbage(ctx); err != nil {
		return Plan{}, err
	}
	for _, g := range plan.Garbage {
		plan.Freed += s.size(g)
	}
	strangers, err := s.strangers(ctx)
	plan.Damaged = append(plan.Damaged, strangers...)
	return plan, err
}

// newFor is how long a build that was never active is new.
const newFor = time.Hour

// reasons says for each build what keeps it.
func (s *Store) reasons(receipts []Receipt, pointers []Pointer, damaged []Damage, keep int) map[Build]string {
	why := map[Build]string{}
	active, was := map[string]bool{}, map[Build]bool{}
	held := map[string]string{}
	for _, d := range damaged {
		if d.Build.ID != "" {
			held[d.Build.ID] = "damaged"
		}
	}
	for _, p := range pointers {
		for _, st := range p.History {
			was[st.Build] = true
		}
		if p.Held && held[p.ID] == "" {
			held[p.ID] = "held"
		}
		n := 0
		for _, b := range distinct(p.back(), p.Current) {
			if n >= keep {
				break
			}
			if s.usable(b) == nil {
				if why[b] == "" {
					why[b] = "previous"
				}
				n++
			}
		}
	}
	for _, p := range pointers {
		if p.Current != nil {
			why[*p.Current] = "active"
			active[p.ID] = true
		}
	}
	last := map[string]Receipt{}
	for _, r := range receipts {
		if h := held[r.ID]; h != "" && why[r.Build()] != "active" {
			why[r.Build()] = h
		}
		if why[r.Build()] == "" && !was[r.Build()] && s.now().Sub(r.InstalledAt) < newFor {
			why[r.Build()] = "new"
		}
		if l, ok := last[r.ID]; !ok || r.InstalledAt.After(l.InstalledAt) {
			last[r.ID] = r
		}
	}
	for id, r := range last {
		if b := r.Build(); !active[id] && (why[b] == "" || why[b] == "new") {
			why[b] = "only version"
		}
	}
	return why
}

// distinct drops repetitions and the current build.
func distinct(builds []Build, current *Build) []Build {
	var out []Build
	for _, b := range builds {
		if (current == nil || b != *current) && !slices.Contains(out, b) {
			out = append(out, b)
		}
	}
	return out
}

// listGarbage is garbage without finishing anything.
func (s *Store) listGarbage(ctx context.Context) ([]string, error) {
	var trees []string
	err := s.walk(ctx, packagesDir, "", func(name string, e fs.DirEntry) error {
		at, err := ParseDir(name)
		if err != nil || !e.IsDir() {
			return nil
		}
		if _, err := s.home.Lstat(receiptOf(name)); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		used, err := s.inUse(ctx, at)
		if !used && err == nil {
			trees = append(trees, name)
		}
		return err
	})
	return trees, err
}

// strangers returns what lies in packages and is not a directory of a build, and
// directories in use that have lost their receipt.
func (s *Store) strangers(ctx context.Context) ([]Damage, error) {
	var found []Damage
	err := s.walk(ctx, packagesDir, "", func(name string, e fs.DirEntry) error {
		at, err := ParseDir(name)
		switch {
		case strings.HasSuffix(name, asideSuffix): // a replacement under way
		case !e.IsDir():
			found = append(found, Damage{Path: s.home.Path(name), Build: at.Build(), Reason: "is not a directory", Fix: "pinion did not put it there; remove it"})
		case err != nil:
			found = append(found, Damage{Path: s.home.Path(name), Reason: "is not a directory of the store", Fix: "pinion did not put it there; remove it"})
		default:
			if _, err := s.home.Lstat(receiptOf(name)); !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			used, err := s.inUse(ctx, at)
			if used && err == nil {
				found = append(found, Damage{Path: s.home.Path(name), Build: at.Build(), Reason: "has lost its receipt",
					Fix: fmt.Sprintf("run: pinion install %s", at.Build().Ref())})
			}
			return err
		}
		return nil
	})
	return found, err
}

// size sums the files below a directory; what cannot be read counts nothing.
func (s *Store) size(dir string) int64 {
	var n int64
	entries, err := s.readDir(dir)
	if err != nil {
		return 0
	}
	for _, e := range entries {
		if e.IsDir() {
			n += s.size(path.Join(dir, e.Name()))
		} else if info, err := e.Info(); err == nil {
			n += info.Size()
		}
	}
	return n
}
