package catalog

import (
	"maps"
	"slices"
	"strings"

	"pinion/internal/syntax"
	"pinion/manifest"
	"pinion/problem"
)

// Resolve returns the entry that a name means now. A name that is not in the
// list is looked for among the renames, whose chains are followed within this
// catalog and never out of it (security 3.5 row 85). from is the asked name
// when a rename applied; with ok false it means that the plugin was removed, or
// that the renames lead nowhere.
//
// Of several versions the highest release counts, and a prerelease only when
// there is nothing else.
func (c *Catalog) Resolve(name string) (e Entry, from string, ok bool) {
	now := name
	// A chain without a cycle is not longer than the map.
	for range len(c.Renames) + 1 {
		if all := c.Named(now); len(all) > 0 {
			if now != name {
				from = name
			}
			if c.Flavour != Native {
				return all[0], from, true
			}
			return newest(all), from, true
		}
		next, renamed := c.Renames[now]
		if !renamed {
			break
		}
		from = name
		if next == "" {
			break
		}
		now = next
	}
	return Entry{}, from, false
}

// newest returns the entry with the highest release. Entries of a foreign
// catalog are no versions of one another: the first one counts.
func newest(all []Entry) Entry {
	best := all[0]
	for _, e := range all[1:] {
		if manifest.ValidVersion(e.Version) && newer(e.Version, best.Version) {
			best = e
		}
	}
	return best
}

// newer reports whether a goes before b when no version is asked for.
func newer(a, b string) bool {
	if pa, pb := manifest.IsPrerelease(a), manifest.IsPrerelease(b); pa != pb {
		return pb
	}
	return manifest.CompareVersions(a, b) > 0
}

// renames reads the map of former names and checks that every chain ends.
func (r *reader) renames(raw syntax.Raw) {
	severity := problem.Warning
	if r.profile.flavour == Native {
		severity = problem.Error
	}
	var wire map[string]*string
	r.decode("/renames", raw, &wire, severity)
	if len(wire) == 0 {
		return
	}
	c := r.catalog
	c.Renames = make(map[string]string, len(wire))
	for from, to := range wire {
		if to != nil {
			c.Renames[from] = *to
		} else {
			c.Renames[from] = ""
		}
	}
	// good holds the names whose chain is known to end.
	good := map[string]bool{}
	circles := 0
	for _, from := range slices.Sorted(maps.Keys(c.Renames)) {
		var chain []string
		seen := map[string]bool{}
		for at := from; !good[at]; {
			if seen[at] {
				if circles++; circles > maxCircles {
					break // each position costs a pass over the file
				}
				r.reportAt(syntax.Pointer("renames", from),
					ruleRenameCycle.Report("the renames go in a circle: %s", circle(chain, at)).As(severity))
				break
			}
			seen[at] = true
			chain = append(chain, at)
			next, more := c.Renames[at]
			if !more || next == "" {
				break
			}
			at = next
		}
		for _, n := range chain {
			good[n] = true // reported once is enough
		}
	}
}

// RenameCycle refuses renames of which a chain does not end.
func RenameCycle(chain string) problem.Problem {
	return ruleRenameCycle.Report("the renames go in a circle: %s", chain).As(problem.Error)
}

// circle shows the part of a chain that repeats.
func circle(chain []string, back string) string {
	part := append(slices.Clone(chain[slices.Index(chain, back):]), back)
	if len(part) > 6 {
		part = append(part[:5], "…")
	}
	for i := range part {
		part[i] = clip(part[i])
	}
	return strings.Join(part, " → ")
}
