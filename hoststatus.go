package pinion

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"pinion/host"
	"pinion/problem"
	"pinion/store"
)

// HostStatusReport is the JSON document pinion.host-status/v1.
type HostStatusReport struct {
	Schema string         `json:"schema"`
	OK     bool           `json:"ok"`
	Hosts  []*host.Status `json:"hosts"`
}

// HostStatus compares each linked host with what should be there: the receipt,
// the disk and the active plugins. With names it answers for these, linked or not.
// Nothing is changed.
func (c *Client) HostStatus(ctx context.Context, names []string, project bool) (*HostStatusReport, error) {
	r := &HostStatusReport{Schema: "pinion.host-status/v1", OK: true, Hosts: []*host.Status{}}
	for _, name := range names {
		if _, err := hostNamed(name); err != nil {
			return nil, err
		}
	}
	scopes := []store.Scope{{}}
	if root := c.projectOrNone(); root != "" && !project {
		scopes = append(scopes, store.Scope{Project: root})
	}
	if project {
		sc, err := c.scope(true)
		if err != nil {
			return nil, err
		}
		scopes = []store.Scope{sc}
	}
	l, err := c.linker()
	if err != nil {
		return nil, err
	}
	for i, sc := range scopes {
		linked, err := l.Names(sc.Project)
		if err != nil {
			return nil, err
		}
		for _, a := range Hosts() {
			name := a.Info().Name
			is := slices.Contains(linked, name)
			// A host that was named is answered for once, also when it is not linked.
			if len(names) > 0 && !slices.Contains(names, name) || !is && (len(names) == 0 || i > 0) {
				continue
			}
			s, err := c.hostStatus(ctx, l, a, sc)
			if err != nil {
				return nil, fmt.Errorf("status of %s: %w", a.Info().Title, err)
			}
			r.Hosts = append(r.Hosts, s)
			r.OK = r.OK && s.State == host.OK
		}
	}
	return r, nil
}

func (c *Client) hostStatus(ctx context.Context, l *host.Linker, a host.Adapter, sc store.Scope) (*host.Status, error) {
	p, err := c.place(a.Info().Name, sc)
	if err != nil {
		return nil, err
	}
	st, _, ok, err := c.state(false)
	if err != nil {
		return nil, err
	}
	active := func(context.Context) ([]host.Plugin, error) { return nil, nil }
	if ok {
		active = c.activeFor(st, sc)
	}
	return l.Status(ctx, a, p, active)
}

// HostDifference is one way in which a linked host is not what it should be. It
// stands in the report of verify.
type HostDifference struct {
	Host  string `json:"host"`
	Title string `json:"title"`
	Scope string `json:"scope"`
	host.Finding
	Fix string `json:"fix"`
}

// hostDifferences compares the linked hosts of every scope, for verify and doctor.
func (c *Client) hostDifferences(ctx context.Context) (out []HostDifference, linked int, err error) {
	l, err := c.linker()
	if err != nil {
		return nil, 0, err
	}
	roots, damaged, err := l.Projects(ctx)
	if err != nil {
		return nil, 0, err
	}
	for _, d := range damaged {
		out = append(out, HostDifference{Finding: host.Finding{State: host.Changed, Detail: d.Error()}, Fix: "move the file away"})
	}
	for _, root := range append([]string{""}, roots...) {
		sc := store.Scope{Project: root}
		names, err := l.Names(root)
		if err != nil {
			return nil, 0, err
		}
		for _, name := range names {
			linked++
			a, err := hostNamed(name)
			if err == nil && root != "" && gone(root) {
				out = append(out, HostDifference{Host: name, Title: a.Info().Title, Scope: root, Finding: host.Finding{
					State: host.Orphaned, Path: root, Detail: "the project is not there any more",
				}, Fix: "pinion host unlink " + name + " --project, with PINION_PROJECT=" + root})
				continue
			}
			if err != nil {
				out = append(out, HostDifference{Host: name, Title: name, Scope: sc.String(), Finding: host.Finding{State: host.Orphaned, Detail: err.Error()}})
				continue
			}
			s, err := c.hostStatus(ctx, l, a, sc)
			if err != nil {
				return nil, 0, err
			}
			for _, f := range s.Findings {
				out = append(out, HostDifference{Host: s.Host, Title: s.Title, Scope: s.Scope, Finding: f, Fix: s.Fix})
			}
			if s.Problem != "" {
				out = append(out, HostDifference{Host: s.Host, Title: s.Title, Scope: s.Scope, Finding: host.Finding{State: s.State, Path: s.Dir, Detail: s.Problem}, Fix: s.Fix})
			}
		}
	}
	return out, linked, nil
}

// gone reports whether nothing is at a path. What cannot be looked at is not gone.
func gone(name string) bool {
	_, err := os.Lstat(name)
	return errors.Is(err, fs.ErrNotExist)
}

var ruleHostChanged = problem.Rule{
	ID: "host/changed", Severity: problem.Error, Since: "0.3.0",
	Title:   "A linked host does not have what Pinion put there",
	Help:    "A receipt records every file, link and value that a link put into a host. Somebody changed or removed one of them since, so what the host loads is not what is active here.",
	Fix:     "pinion host link HOST puts it right; pinion host status HOST shows everything",
	Example: "a file of the copy in a host's cache was edited",
}

func (d HostDifference) problem() problem.Problem {
	text := d.Title + ": " + d.Detail
	if d.Key != "" {
		text = d.Title + ": " + d.Key + " " + d.Detail
	}
	p := ruleHostChanged.Report("%s", text).At(d.Path, 0, 0)
	p.Fix = d.Fix
	return p
}

// verifyHosts returns what was changed or removed in the linked hosts, of the
// plugins that refs name, or of all.
func (c *Client) verifyHosts(ctx context.Context, refs []Ref) ([]HostDifference, error) {
	all, _, err := c.hostDifferences(ctx)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(d HostDifference) bool {
		named := len(refs) == 0 || slices.ContainsFunc(refs, func(r Ref) bool { return r.ID == d.Plugin })
		return !named || d.State != host.Changed && d.State != host.Missing
	}), nil
}

// checkHosts looks at the linked hosts, and at what hosts left behind.
func (c *Client) checkHosts(ctx context.Context, r *DoctorReport) error {
	differences, linked, err := c.hostDifferences(ctx)
	if err != nil {
		return err
	}
	for _, d := range differences {
		what := d.Path
		if d.Key != "" {
			what += ": " + d.Key
		}
		level := "failed"
		if d.Kind == "" && d.State == host.Orphaned {
			level = "note" // of a project that is gone
		}
		r.add("hosts", level, d.Title+": "+what+": "+d.Detail, d.Fix)
	}
	if linked > 0 && len(differences) == 0 {
		r.add("hosts", "ok", plural(linked, "linked host")+" as they should be", "")
	}
	for _, a := range Hosts() {
		sweeper, ok := a.(host.Sweeper)
		if !ok {
			continue
		}
		p, err := c.place(a.Info().Name, store.Scope{})
		var none *UsageError
		if errors.As(err, &none) {
			return nil // without a home directory there is no host
		}
		if err != nil {
			return err
		}
		left, err := sweeper.Leftovers(ctx, p)
		if err != nil {
			r.add("hosts", "note", a.Info().Title+": "+err.Error(), "")
			continue
		}
		var bytes int64
		for _, l := range left {
			bytes += l.Bytes
		}
		if len(left) > 0 {
			r.add("hosts", "note", fmt.Sprintf("%s left %d directories, %d kB: %s %s", a.Info().Title, len(left), (bytes+999)/1000, left[0].Path, left[0].Reason),
				"remove them while it is not running")
		}
	}
	return nil
}
