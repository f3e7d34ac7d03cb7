package compile

import (
	"slices"
	"strings"

	"pinion/catalog"
	"pinion/internal/syntax"
)

// renames returns the former names that the catalog at path should list, and
// whether that differs from what it does. It only ever grows: what the file,
// the source and the last release have, and null for every plugin that the last
// release lists and the new list does not. A circle is an error.
func (c *compiler) renames(path string, list []syntax.Object) (syntax.Object, bool) {
	present := c.head
	if path != c.in.Path {
		present, _, _ = document(path, c.in.Existing[path])
	}
	out := renamesOf(present)
	before := out.Len()
	source := renamesOf(c.head)
	for _, from := range source.Keys() {
		if _, there := out.Get(from); !there {
			v, _ := source.Get(from)
			out.Set(from, v)
		}
	}
	head, entries, _ := document(path, c.in.Released[path])
	released := renamesOf(head)
	for _, from := range released.Keys() {
		if _, there := out.Get(from); there {
			continue
		}
		v, _ := released.Get(from)
		out.Set(from, v)
		c.out.Problems.Add(ruleRenameDropped.Report("the rename of %s was taken out since the last release, and is put back", clip(from)).At(path, 0, 0))
	}
	now := map[string]bool{}
	for _, e := range list {
		now[text(e, "name")] = true
	}
	for _, e := range entries {
		name := text(e, "name")
		if _, renamed := out.Get(name); name == "" || now[name] || renamed {
			continue
		}
		out.Set(name, syntax.Raw("null"))
		c.out.Problems.Add(ruleRemoved.Report("%s was in the last release and is gone; its users are told that it was removed", clip(name)).At(path, 0, 0))
	}
	if circle := circleIn(out); circle != nil {
		c.out.Problems.Add(catalog.RenameCycle(strings.Join(circle, " → ")).At(path, 0, 0))
	}
	return out, out.Len() != before
}

// renamesOf returns the renames of a catalog, an empty object when there are
// none.
func renamesOf(head syntax.Object) syntax.Object {
	var out syntax.Object
	if raw, ok := head.Get("renames"); ok && raw[0] == '{' {
		_ = syntax.Decode(raw, &out, syntax.Options{AllowDuplicates: true}) // it was read before
	}
	return out
}

// circleIn returns a chain of renames that does not end, nil when all do.
func circleIn(renames syntax.Object) []string {
	ends := map[string]bool{}
	for _, from := range renames.Keys() {
		var chain []string
		at := from
		for !ends[at] {
			if i := slices.Index(chain, at); i >= 0 {
				const most = 6
				part := append(slices.Clone(chain[i:]), at)
				for j := range part {
					part[j] = clip(part[j])
				}
				if len(part) > most {
					part = append(part[:most-1], "…")
				}
				return part
			}
			chain = append(chain, at)
			next := text(renames, at)
			if next == "" {
				break
			}
			at = next
		}
		for _, n := range chain {
			ends[n] = true
		}
	}
	return nil
}
