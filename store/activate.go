package store

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
)

// Change is what a call made of a pointer.
type Change struct {
	Scope    Scope
	ID       string
	From, To *Build // current before and after; nil is none
	Enabled  bool   // afterwards
	Held     bool   // afterwards
	// Changed is false when everything was as asked already and nothing was
	// written.
	Changed bool
}

// Activate makes b the current build of its id in a scope, in the place of
// whatever version from whatever source was current (SB-062, SB-074). A disabled
// plugin stays disabled. consent, nil for none, is remembered with it; why goes
// into the history. It costs two fsync, whatever the size of the build.
//
// [ErrNotInstalled] when b is not there, [*DamageError] when its receipt or the
// pointer cannot be used. The bytes are not read: see [Store.Check].
func (s *Store) Activate(ctx context.Context, sc Scope, b Build, consent *Consent, why string) (Change, error) {
	return s.change(ctx, sc, b.ID, func(p *Pointer) (bool, error) {
		if err := s.usable(b); err != nil {
			return false, err
		}
		return s.turn(p, Step{Build: b, At: s.now(), Why: why}, consent), nil
	})
}

// turn moves the pointer to the build of a step.
func (s *Store) turn(p *Pointer, st Step, consent *Consent) bool {
	changed := false
	if consent != nil {
		c := *consent
		c.Key, c.Digest, c.At = st.Build.Key, st.Build.Digest, st.At
		if old, ok := p.Consent(st.Build); !ok || !sameConsent(old, c) {
			p.consent(c)
			changed = true
		}
	}
	if p.Current == nil || *p.Current != st.Build {
		p.push(st)
		changed = true
	}
	return changed
}

// sameConsent compares all but the time.
func sameConsent(a, b Consent) bool {
	return slices.Equal(a.Grants, b.Grants) && a.Capabilities == b.Capabilities && a.Report == b.Report && a.Policy == b.Policy
}

// usable reports whether a build can be pointed at: its receipt is whole and its
// directory is there.
func (s *Store) usable(b Build) error {
	if _, err := s.Receipt(b); err != nil {
		return err
	}
	return s.exists(b)
}

// Previous returns the build that [Store.Rollback] would go to: the one that was
// current before, leaving out what is no longer installed or cannot be used.
// [ErrNotActive] when the id was never active here, [ErrNoHistory] when nothing
// is left.
func (s *Store) Previous(ctx context.Context, sc Scope, id string) (Build, error) {
	p, err := s.Active(ctx, sc, id)
	if err != nil {
		return Build{}, err
	}
	return s.previous(p)
}

func (s *Store) previous(p Pointer) (Build, error) {
	if len(p.History) == 0 {
		return Build{}, notActive(p)
	}
	for _, b := range p.back() {
		if s.usable(b) == nil {
			return b, nil
		}
	}
	return Build{}, &Refusal{
		Reason:  ErrNoHistory,
		Message: fmt.Sprintf("%s has no earlier version to go back to", p.ID),
		Hint:    fmt.Sprintf("`pinion list` shows what is installed; activate a version by name: pinion activate %s VERSION", p.ID),
	}
}

// Rollback goes to the build of [Store.Previous] and, again, further back. The
// build it leaves is remembered as passed. want, when it is not zero, is the
// build that the caller's gates were passed for: another one is [ErrChanged].
func (s *Store) Rollback(ctx context.Context, sc Scope, id string, want Build, consent *Consent) (Change, error) {
	return s.change(ctx, sc, id, func(p *Pointer) (bool, error) {
		b, err := s.previous(*p)
		if err != nil {
			return false, err
		}
		if want != (Build{}) && b != want {
			return false, &Refusal{
				Reason:  ErrChanged,
				Message: fmt.Sprintf("another process changed %s: a rollback now goes to %s", id, b.Version),
				Hint:    "run the command again",
			}
		}
		if left := p.Current; left != nil && !p.HasPassed(*left) {
			p.Passed = append(p.Passed, *left)
		}
		return s.turn(p, Step{Build: b, At: s.now(), Why: "rollback", Back: true}, consent), nil
	})
}

// Disable blocks a plugin in a scope, whichever version is current, until
// [Store.Enable] (SB-072). Both are [ErrNotActive] without a current version.
func (s *Store) Disable(ctx context.Context, sc Scope, id string) (Change, error) {
	return s.enable(ctx, sc, id, false)
}

// Enable takes back a [Store.Disable].
func (s *Store) Enable(ctx context.Context, sc Scope, id string) (Change, error) {
	return s.enable(ctx, sc, id, true)
}

func (s *Store) enable(ctx context.Context, sc Scope, id string, on bool) (Change, error) {
	return s.change(ctx, sc, id, func(p *Pointer) (bool, error) {
		if p.Current == nil {
			return false, notActive(*p)
		}
		changed := p.Enabled != on
		p.Enabled = on
		return changed, nil
	})
}

// Clear makes nothing current in a scope. The build stays installed, and the
// history and consents stay for the next activation. Where nothing is current
// it changes nothing.
func (s *Store) Clear(ctx context.Context, sc Scope, id string) (Change, error) {
	return s.change(ctx, sc, id, func(p *Pointer) (bool, error) {
		changed := p.Current != nil
		p.Current, p.Enabled = nil, true
		return changed, nil
	})
}

// Hold keeps a plugin at what it is: upgrades pass it over, and its builds are
// not removed without force. Some build of it must be installed.
func (s *Store) Hold(ctx context.Context, sc Scope, id string) (Change, error) {
	return s.change(ctx, sc, id, func(p *Pointer) (bool, error) {
		if p.Held {
			return false, nil
		}
		there, err := s.installed(ctx, id)
		if err == nil && !there {
			err = &Refusal{Reason: ErrNotInstalled, Message: fmt.Sprintf("%s is not installed", id), Hint: "run: pinion install " + id}
		}
		p.Held = true
		return true, err
	})
}

// Unhold takes back a [Store.Hold].
func (s *Store) Unhold(ctx context.Context, sc Scope, id string) (Change, error) {
	return s.change(ctx, sc, id, func(p *Pointer) (bool, error) {
		changed := p.Held
		p.Held = false
		return changed, nil
	})
}

// Skip remembers that the user does not want b, which need not be installed,
// until it is activated by name. It changes nothing that is in use.
func (s *Store) Skip(ctx context.Context, sc Scope, id string, b Build) (Change, error) {
	return s.change(ctx, sc, id, func(p *Pointer) (bool, error) {
		if p.HasSkipped(b) {
			return false, nil
		}
		p.Skipped = append(p.Skipped, b)
		if len(p.Skipped) > maxHistory {
			p.Skipped = p.Skipped[len(p.Skipped)-maxHistory:]
		}
		return true, nil
	})
}

// change reads a pointer, lets f edit it and writes it when f says so, all under
// the lock.
func (s *Store) change(ctx context.Context, sc Scope, id string, f func(*Pointer) (bool, error)) (Change, error) {
	if id == "" {
		return Change{}, fmt.Errorf("change a pointer: no id")
	}
	unlock, err := s.lock(ctx)
	if err != nil {
		return Change{}, err
	}
	defer unlock()
	p, err := s.Active(ctx, sc, id)
	if err != nil {
		return Change{}, err
	}
	c := Change{Scope: sc, ID: id, From: p.Current}
	if c.Changed, err = f(&p); err != nil {
		return Change{}, err
	}
	c.To, c.Enabled, c.Held = p.Current, p.Enabled, p.Held
	if !c.Changed {
		return c, nil
	}
	if p.isEmpty() {
		err = s.removePointer(p)
	} else {
		err = s.writePointer(p)
	}
	if err != nil {
		return Change{}, err
	}
	return c, nil
}

// isEmpty reports whether the pointer says nothing that must be remembered.
func (p Pointer) isEmpty() bool {
	return p.Current == nil && !p.Held && p.Enabled && len(p.History)+len(p.Passed)+len(p.Skipped)+len(p.Consents) == 0
}

// installed reports whether any build of the id has a receipt file.
func (s *Store) installed(ctx context.Context, id string) (bool, error) {
	found := false
	err := s.walk(ctx, receiptsDir, id, func(string, fs.DirEntry) error {
		found = true
		return nil
	})
	return found, err
}

func notActive(p Pointer) error {
	return &Refusal{
		Reason:  ErrNotActive,
		Message: fmt.Sprintf("no version of %s is active (%s)", p.ID, p.Scope()),
		Hint:    fmt.Sprintf("run: pinion activate %s", p.ID),
	}
}
