package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"pinion/internal/sealed"
	"slices"
	"strings"
	"time"

	"pinion/hashes"
)

const pointerSchema = "pinion.active/v1"

// maxHistory bounds the history of one pointer; the oldest steps go first.
const maxHistory = 100

// Pointer is what is in use of one plugin in one scope. Its file is written as
// a whole, so everything in it changes together or not at all.
type Pointer struct {
	Schema string `json:"schema"`
	ID     string `json:"id"`
	// Project is the root of the scope's project, "" for the user.
	Project string `json:"project,omitempty"`
	// Current is the active build, nil when there is none: the plugin is only
	// held, or its active version was uninstalled by force.
	Current *Build `json:"current,omitzero"`
	// Enabled is false after [Store.Disable]: nothing of the plugin may run,
	// whatever is current (SB-072).
	Enabled bool `json:"enabled"`
	// Held keeps upgrade, uninstall and gc away.
	Held bool `json:"held,omitzero"`
	// History is every activation and rollback, newest first.
	History []Step `json:"history"`
	// Passed are builds that were rolled back from, so that an upgrade does not
	// bring them back unasked. It outlives their uninstallation.
	Passed []Build `json:"passed"`
	// Skipped are builds that the user does not want, so that an upgrade does not
	// ask about them again.
	Skipped []Build `json:"skipped,omitempty"`
	// Consents are remembered for each digest.
	Consents []Consent `json:"consents"`
}

// Step is one change of the current build.
type Step struct {
	Build Build     `json:"build"`
	At    time.Time `json:"at"`
	Why   string    `json:"why,omitempty"` // in the caller's words: "activate", "upgrade", "sync"
	// Back is true for a rollback: the steps that it undid are no longer ones
	// to go back to.
	Back bool `json:"back,omitzero"`
}

// Consent is what a person agreed to for one content. The store only keeps it;
// Key, Digest and At are filled in from the build and the clock.
type Consent struct {
	Key          string        `json:"key"`
	Digest       hashes.Digest `json:"digest"`
	Grants       []string      `json:"grants"`           // "extension", "computer"
	Capabilities string        `json:"capabilities"`     // the summary that was shown, or its hash
	Report       string        `json:"report,omitempty"` // id of the scan report
	Policy       string        `json:"policy,omitempty"` // hash of the user policy
	At           time.Time     `json:"at"`
}

// Scope returns the scope of the pointer.
func (p Pointer) Scope() Scope { return Scope{Project: p.Project} }

// Consent returns what was agreed to for a build.
func (p Pointer) Consent(b Build) (Consent, bool) {
	i := slices.IndexFunc(p.Consents, func(c Consent) bool { return c.Key == b.Key && c.Digest == b.Digest })
	if i < 0 {
		return Consent{}, false
	}
	return p.Consents[i], true
}

// HasPassed reports whether b was rolled back from.
func (p Pointer) HasPassed(b Build) bool { return slices.Contains(p.Passed, b) }

// HasSkipped reports whether the user skipped b. A digest that one of the two
// does not know fits any.
func (p Pointer) HasSkipped(b Build) bool {
	return slices.ContainsFunc(p.Skipped, func(s Build) bool {
		if s.Digest.IsZero() || b.Digest.IsZero() {
			s.Digest = b.Digest
		}
		return s == b
	})
}

// back returns the builds that a rollback may go to, nearest first. Going back
// and then forward to something else forgets what was undone, as in an editor.
func (p Pointer) back() []Build {
	var stack []Build
	for _, st := range slices.Backward(p.History) {
		if st.Back {
			at := -1
			for i, b := range slices.Backward(stack) {
				if b == st.Build {
					at = i
					break
				}
			}
			// Its activation may have been dropped from a long history.
			stack = stack[:at+1]
		}
		if len(stack) == 0 || stack[len(stack)-1] != st.Build {
			stack = append(stack, st.Build)
		}
	}
	if n := len(stack); n > 0 && p.Current != nil && stack[n-1] == *p.Current {
		stack = stack[:n-1]
	}
	slices.Reverse(stack)
	return stack
}

// push makes b current.
func (p *Pointer) push(st Step) {
	p.Current = &st.Build
	p.History = append([]Step{st}, p.History...)
	if len(p.History) > maxHistory {
		p.History = p.History[:maxHistory]
	}
	p.Passed = slices.DeleteFunc(p.Passed, func(b Build) bool { return b == st.Build })
	p.Skipped = slices.DeleteFunc(p.Skipped, func(b Build) bool { return b.Version == st.Build.Version && b.Key == st.Build.Key })
}

// consent remembers c in the place of an earlier one for the same content.
func (p *Pointer) consent(c Consent) {
	p.Consents = slices.DeleteFunc(p.Consents, func(o Consent) bool { return o.Key == c.Key && o.Digest == c.Digest })
	p.Consents = append(p.Consents, c)
}

// Active returns the pointer of an id in one scope. Without one, which is no
// error, Current is nil and Enabled true.
func (s *Store) Active(ctx context.Context, sc Scope, id string) (Pointer, error) {
	if err := errors.Join(ctx.Err(), sc.check()); err != nil {
		return Pointer{}, err
	}
	if s.home == nil {
		return newPointer(sc, id), nil
	}
	p, damage, err := s.readPointer(sc.file(id))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return newPointer(sc, id), nil
	case err != nil:
		return Pointer{}, err
	case damage != nil:
		return Pointer{}, &DamageError{*damage}
	}
	return p, nil
}

// Actives returns the pointers of one scope, sorted by id, also those that are
// disabled or without a current build, and the ones that cannot be used.
func (s *Store) Actives(ctx context.Context, sc Scope) ([]Pointer, []Damage, error) {
	if err := sc.check(); err != nil || s.home == nil {
		return nil, nil, err
	}
	all, damaged, err := s.pointersIn(ctx, sc.dir(), "")
	sortPointers(all)
	return all, damaged, err
}

// Effective returns what holds in a project, sorted by id: the project's pointer
// where it has a current build, else the user's. A disabled one is returned as
// such and hides the user's too. Nothing is returned for an id
// whose pointer in one of the two cannot be used: that one might have said
// "disabled". project "" is the user alone.
func (s *Store) Effective(ctx context.Context, project string) ([]Pointer, []Damage, error) {
	all, damaged, err := s.Actives(ctx, Scope{})
	if err != nil || project == "" {
		return onlyCurrent(all), damaged, err
	}
	own, more, err := s.Actives(ctx, Scope{Project: project})
	if err != nil {
		return nil, nil, err
	}
	damaged = append(damaged, more...)
	own = onlyCurrent(own)
	hidden := map[string]bool{}
	for _, p := range own {
		hidden[p.ID] = true
	}
	all = slices.DeleteFunc(onlyCurrent(all), func(p Pointer) bool { return hidden[p.ID] })
	all = append(all, own...)
	for _, d := range damaged {
		all = slices.DeleteFunc(all, func(p Pointer) bool { return p.ID == d.Build.ID })
	}
	sortPointers(all)
	return all, damaged, nil
}

func onlyCurrent(all []Pointer) []Pointer {
	return slices.DeleteFunc(all, func(p Pointer) bool { return p.Current == nil })
}

func sortPointers(all []Pointer) {
	slices.SortFunc(all, func(a, b Pointer) int { return strings.Compare(a.ID, b.ID) })
}

func newPointer(sc Scope, id string) Pointer {
	return Pointer{Schema: pointerSchema, ID: id, Project: sc.Project, Enabled: true}
}

// decodedPointer is a pointer with the file and the bytes it was decoded from.
type decodedPointer struct {
	file    string
	data    []byte
	pointer Pointer
}

// clone returns a pointer that can be changed without changing p.
func (p Pointer) clone() Pointer {
	if p.Current != nil {
		current := *p.Current
		p.Current = &current
	}
	p.History, p.Passed = slices.Clone(p.History), slices.Clone(p.Passed)
	p.Skipped, p.Consents = slices.Clone(p.Skipped), slices.Clone(p.Consents)
	return p
}

// readPointer reads one pointer file and checks that it lies where it belongs.
func (s *Store) readPointer(file string) (Pointer, *Damage, error) {
	data, fault, err := s.readState(file, maxPointer)
	if err != nil {
		return Pointer{}, nil, err
	}
	s.mu.Lock()
	last := s.lastPointer
	s.mu.Unlock()
	// A verb looks before it takes the lock and again under it, and a long
	// history is most of the work.
	if fault == nil && last.file == file && bytes.Equal(last.data, data) {
		return last.pointer.clone(), nil, nil
	}
	var p Pointer
	if fault == nil {
		fault = sealed.Decode(data, "active", &p)
	}
	if fault == nil && (p.Scope().check() != nil || p.Scope().file(p.ID) != file) {
		fault = &sealed.Fault{Reason: fmt.Sprintf("is the pointer of %q in %s", p.ID, p.Scope())}
	}
	if fault == nil && p.Current != nil && (p.Current.ID != p.ID || p.Current.Check() != nil) {
		fault = &sealed.Fault{Reason: "names a build of another plugin"}
	}
	if fault == nil {
		s.mu.Lock()
		s.lastPointer = decodedPointer{file, data, p.clone()}
		s.mu.Unlock()
		return p, nil, nil
	}
	d := &Damage{name: file, Path: s.home.Path(file), Reason: fault.Reason, Newer: fault.Newer, Fix: "pinion did not put it there; remove it"}
	if name, ok := strings.CutSuffix(path.Base(file), ".json"); ok {
		if id, err := unescape(name); err == nil {
			d.Build.ID = id
			d.Fix = fmt.Sprintf("move the file away and run: pinion activate %s; its history and consents are lost then", id)
		}
	}
	if fault.Newer {
		d.Fix = "install the newer Pinion again"
	}
	return Pointer{}, d, nil
}

// writePointer replaces the file of a pointer: two fsync, and one more for each
// directory that must be made first.
func (s *Store) writePointer(p Pointer) error {
	p.Schema = pointerSchema
	data, err := sealed.Encode(p)
	if err != nil {
		return fmt.Errorf("write the pointer of %s: %w", p.ID, err)
	}
	if len(data) > maxPointer {
		return fmt.Errorf("write the pointer of %s: %d bytes are too many", p.ID, len(data))
	}
	if err := s.home.MkdirAllSynced(p.Scope().dir()); err != nil {
		return err
	}
	return s.home.WriteFile(p.Scope().file(p.ID), data, 0o600)
}

// removePointer removes the file of a pointer and of the last of a project its
// directory.
func (s *Store) removePointer(p Pointer) error {
	err := s.home.Remove(p.Scope().file(p.ID))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if p.Project == "" {
		return nil
	}
	return s.removeEmpty(p.Scope().dir(), projectsDir)
}
