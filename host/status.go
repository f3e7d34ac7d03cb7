package host

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// State is how a thing of a link is.
type State string

// The states. Stale is right by the receipt, but no longer what should be there;
// Orphaned is there and should not be.
const (
	OK       State = "ok"
	Missing  State = "missing"
	Changed  State = "changed"
	Stale    State = "stale"
	Orphaned State = "orphaned"
)

// Finding is one thing that is not as it should be.
type Finding struct {
	State  State  `json:"state"`
	Kind   Kind   `json:"kind"`
	Path   string `json:"path"`
	Key    string `json:"key,omitempty"`
	Plugin string `json:"plugin,omitempty"`
	Detail string `json:"detail"`
}

// Status is how a link is.
type Status struct {
	Host     string    `json:"host"`
	Title    string    `json:"title"`
	Scope    string    `json:"scope"`
	Dir      string    `json:"dir"`   // of the host's configuration
	Found    bool      `json:"found"` // the host is on this machine
	Linked   bool      `json:"linked"`
	State    State     `json:"state"` // the worst of the findings
	Shown    []Shown   `json:"shown"`
	LeftOut  []LeftOut `json:"leftOut"`
	Findings []Finding `json:"findings"`
	Problem  string    `json:"problem,omitempty"` // why it could not be looked at, "" when it could
	Fix      string    `json:"fix,omitempty"`     // the command, "" when nothing is to be done
}

// Status compares the receipt, the disk and what should be there. It changes
// nothing and takes no lock. What makes the comparison impossible is in Problem.
func (l *Linker) Status(ctx context.Context, a Adapter, p Place, active Active) (*Status, error) {
	info := a.Info()
	seen := a.Look(p)
	s := &Status{
		Host: info.Name, Title: info.Title, Scope: scopeWord(p.Project), Dir: seen.Dir, Found: seen.Found, State: OK,
		Shown: []Shown{}, LeftOut: []LeftOut{}, Findings: []Finding{},
	}
	link := "pinion host link " + info.Name
	if p.Project != "" {
		link += " --project"
	}
	old, err := l.readReceipt(info.Name, p.Project)
	var damage *DamageError
	if errors.As(err, &damage) {
		s.Linked, s.State, s.Problem = true, Changed, damage.Error()
		return s, nil
	}
	if err != nil || old == nil {
		return s, err
	}
	s.Linked, s.Shown = true, append(s.Shown, old.Shown...)
	p.Copy = old.Copy
	plugins, err := active(ctx)
	if err != nil {
		return nil, err
	}
	plugins, s.LeftOut = allowed(plugins)
	want, err := a.Want(p, plugins)
	if err != nil {
		return nil, fmt.Errorf("plan %s: %w", info.Title, err)
	}
	s.LeftOut = append(s.LeftOut, want.LeftOut...)
	if err := l.compare(s, want.Items, old); err != nil {
		var refused *RefusedError
		if !errors.As(err, &refused) {
			return nil, err
		}
		s.State, s.Problem = Changed, refused.Error()
		return s, nil
	}
	for _, f := range s.Findings {
		if s.State == OK || f.State == Changed {
			s.State = f.State
		}
		s.Fix = link
	}
	if old.Pending {
		s.State, s.Problem, s.Fix = Stale, "a change was cut off", link
	}
	return s, nil
}

// compare adds the findings.
func (l *Linker) compare(s *Status, want []Item, old *Receipt) error {
	r := newRoots(nil)
	defer r.close()
	k := newDisk(r, true)
	wanted := map[string]Record{}
	var order []string
	for _, i := range want {
		rec, err := i.record()
		if err != nil {
			return err
		}
		wanted[rec.id()] = rec
		order = append(order, rec.id())
	}
	have := map[string]bool{}
	for _, rec := range old.Items {
		have[rec.id()] = true
		if rec.Echo {
			continue
		}
		f, err := k.look(rec)
		if err != nil {
			return err
		}
		w, still := wanted[rec.id()]
		// What a link switched off in the host is not in any adapter's answer.
		if !still && rec.Was != nil {
			w, still = rec, true
		}
		finding := Finding{Kind: rec.Kind, Path: rec.At.Path(), Key: strings.Join(rec.Path, "."), Plugin: rec.Plugin}
		switch {
		case f.absent() && still:
			finding.State, finding.Detail = Missing, "was removed since"
		case f.absent():
			continue
		case still && f.is(&w):
			continue
		case !f.is(&rec):
			finding.State, finding.Detail = Changed, "is "+f.words()+" now"
			if f.damage != "" {
				finding.Detail = "the copy " + f.damage
			}
			if !still && rec.Kind == KeyItem {
				continue // the user's own choice by now
			}
		case still:
			finding.State, finding.Detail = Stale, "another version is active"
		default:
			finding.State, finding.Detail = Orphaned, "the plugin is not active any more"
		}
		s.Findings = append(s.Findings, finding)
	}
	for _, id := range order {
		if rec := wanted[id]; !have[id] && !slices.ContainsFunc(s.Findings, func(f Finding) bool { return f.State == Stale && f.Plugin == rec.Plugin }) {
			s.Findings = append(s.Findings, Finding{
				State: Stale, Kind: rec.Kind, Path: rec.At.Path(), Key: strings.Join(rec.Path, "."), Plugin: rec.Plugin, Detail: "is not there yet",
			})
		}
	}
	return nil
}
