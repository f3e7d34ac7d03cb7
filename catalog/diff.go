package catalog

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"pinion/internal/syntax"
	"pinion/manifest"
)

// Changes is what is different between two catalogs, each list sorted by name
// and version.
type Changes struct {
	Added     []Change // a new name
	Updated   []Change // a known name with another version, or with another source
	Removed   []Change // a name, or one of its versions, that is gone
	Renamed   []Change // a name that is gone and leads to another entry
	Rewritten []Change // the same version with another digest
	Unchanged int
}

// Change is one entry before and after. From is nil for what was added, To for
// what was removed.
type Change struct{ From, To *Entry }

// Name returns the name as it is now, or was.
func (c Change) Name() string {
	if c.To != nil {
		return c.To.Name
	}
	return c.From.Name
}

// Diff compares two readings of one catalog by name, version and digest. Where
// no digest is published it compares the source and the component fields; that
// the files of a directory changed is not for a catalog to know.
func Diff(before, after *Catalog) Changes {
	var out Changes
	b, a := before.groups(), after.groups()
	for _, name := range slices.Sorted(maps.Keys(a)) {
		out.compare(b[name], a[name])
	}
	for _, name := range slices.Sorted(maps.Keys(b)) {
		if _, there := a[name]; there {
			continue
		}
		to, _, renamed := after.Resolve(name)
		for _, from := range b[name] {
			if renamed {
				out.Renamed = append(out.Renamed, Change{from, &to})
			} else {
				out.Removed = append(out.Removed, Change{From: from})
			}
		}
	}
	return out
}

// groups returns the entries by name, those of one name in their order.
func (c *Catalog) groups() map[string][]*Entry {
	out := make(map[string][]*Entry, len(c.Entries))
	for i := range c.Entries {
		e := &c.Entries[i]
		out[e.Name] = append(out[e.Name], e)
	}
	return out
}

// compare adds what is different between the entries of one name.
func (c *Changes) compare(before, after []*Entry) {
	if len(before) == 0 {
		for _, to := range after {
			c.Added = append(c.Added, Change{To: to})
		}
		return
	}
	old := make(map[string]*Entry, len(before))
	for _, e := range before {
		if old[e.Version] == nil {
			old[e.Version] = e
		}
	}
	last := highest(before)
	gone := maps.Clone(old)
	moved := false // the highest version gave way to another one
	seen := make(map[string]bool, len(after))
	for _, to := range after {
		if seen[to.Version] {
			continue // the first entry of a version counts
		}
		seen[to.Version] = true
		from := old[to.Version]
		if from == nil {
			c.Updated = append(c.Updated, Change{last, to})
			moved = true
			continue
		}
		delete(gone, to.Version)
		switch {
		case !from.Digest.IsZero() && !to.Digest.IsZero() && from.Digest != to.Digest:
			c.Rewritten = append(c.Rewritten, Change{from, to})
		case from.Source != to.Source || from.Strict != to.Strict || !maps.EqualFunc(from.Fields, to.Fields, sameJSON):
			c.Updated = append(c.Updated, Change{from, to})
		default:
			c.Unchanged++
		}
	}
	if moved {
		delete(gone, last.Version)
	}
	for _, version := range slices.Sorted(maps.Keys(gone)) {
		c.Removed = append(c.Removed, Change{From: gone[version]})
	}
}

func sameJSON(a, b syntax.Raw) bool { return bytes.Equal(a, b) }

func highest(all []*Entry) *Entry {
	return slices.MaxFunc(all, func(a, b *Entry) int { return manifest.CompareVersions(a.Version, b.Version) })
}

// String names the first differences in words, "" when there are none.
func (c Changes) String() string {
	var words []string
	add := func(list []Change, text func(Change) string) {
		for _, x := range list {
			words = append(words, text(x))
		}
	}
	add(c.Rewritten, func(x Change) string {
		return fmt.Sprintf("%s %s has other files", clip(x.To.Name), clip(x.To.Version))
	})
	add(c.Updated, func(x Change) string {
		if x.From.Version == x.To.Version {
			return fmt.Sprintf("%s has another source", clip(x.To.Name))
		}
		return fmt.Sprintf("%s %s is %s", clip(x.To.Name), clip(x.From.Version), clip(x.To.Version))
	})
	add(c.Added, func(x Change) string { return fmt.Sprintf("%s is missing", clip(x.To.Name)) })
	add(c.Removed, func(x Change) string { return fmt.Sprintf("%s is not there any more", clip(x.From.Name)) })
	add(c.Renamed, func(x Change) string { return fmt.Sprintf("%s is now %s", clip(x.From.Name), clip(x.To.Name)) })
	const most = 3
	if n := len(words); n > most {
		words = append(words[:most], fmt.Sprintf("and %d more", n-most))
	}
	return strings.Join(words, ", ")
}
