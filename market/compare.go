package market

import (
	"strings"

	"pinion/manifest"
)

// compare says what changes between the snapshot in use and the next one.
func compare(m *Market, next *State, refused []Refusal) *Report {
	r := &Report{
		Name: m.Name, Source: m.Source, Commit: next.Pin.Commit, Previous: m.State.Pin.Commit,
		Ancestry: next.Ancestry, Plugins: next.Count,
		Added: []Change{}, Updated: []Change{}, Removed: []Change{}, Rewritten: []Change{},
		Unavailable: []Change{}, Refused: refused,
	}
	if r.Refused == nil {
		r.Refused = []Refusal{}
	}
	if next == &m.State {
		r.Unavailable = append(r.Unavailable, next.Bad...)
		return r
	}
	old := newest(m.State.Plugins)
	now := newest(next.Plugins)
	for _, p := range next.Plugins {
		q, known := old[p.ID]
		switch {
		case p.Status == Unavailable:
			r.Unavailable = append(r.Unavailable, change(q.Version, p))
		case p.Rewritten && (!known || q.Digest != p.Digest), known && otherBytes(q, p):
			r.Rewritten = append(r.Rewritten, change(q.Version, p))
		}
		if now[p.ID].Version != p.Version || now[p.ID].Digest != p.Digest {
			continue // an older version that is also listed
		}
		switch {
		case !known:
			r.Added = append(r.Added, change("", p))
		case p.Status == Unavailable:
		case p.Status == Elsewhere && q.Status == Ready && sameAddress(q.Origin, p.Origin):
			// It was fetched before and is to be fetched again: no news of it yet.
		case q.Version != p.Version, q.Status == Unavailable:
			r.Updated = append(r.Updated, change(q.Version, p))
		case p.Status == Elsewhere && !sameAddress(q.Origin, p.Origin):
			c := change(q.Version, p)
			c.Why = strings.TrimSpace("now at " + p.Origin.Spec + " " + short(p.Origin.Commit))
			r.Updated = append(r.Updated, c)
		}
	}
	for _, q := range m.State.Plugins {
		if _, still := now[q.ID]; !still && old[q.ID].Version == q.Version {
			r.Removed = append(r.Removed, Change{ID: q.ID, From: q.Version})
		}
	}
	return r
}

// otherBytes reports whether a version that could be had has other bytes now,
// also when they are those that it began with: whoever installed it in between
// has others.
func otherBytes(q, p Plugin) bool {
	return q.Status == Ready && p.Status == Ready && q.Version == p.Version && q.Digest != p.Digest
}

// sameAddress reports whether two origins in other repositories are the same. A
// new one without a commit is wherever its branch is now.
func sameAddress(a, b Origin) bool {
	return a.Spec == b.Spec && a.Path == b.Path && (b.Commit == "" || a.Commit == b.Commit)
}

func change(from string, p Plugin) Change {
	return Change{ID: p.ID, From: from, To: p.Version, Digest: p.Digest.String(), Rule: p.Rule, Why: p.Why}
}

// unavailable lists the plugins that cannot be installed.
func unavailable(plugins []Plugin) []Change {
	out := []Change{}
	for _, p := range plugins {
		if p.Status == Unavailable {
			out = append(out, change("", p))
		}
	}
	return out
}

// newest maps each id to its highest version.
func newest(plugins []Plugin) map[string]Plugin {
	out := make(map[string]Plugin, len(plugins))
	for _, p := range plugins {
		if q, ok := out[p.ID]; !ok || manifest.CompareVersions(q.Version, p.Version) < 0 {
			out[p.ID] = p
		}
	}
	return out
}
