package catalog

import (
	"maps"
	"slices"

	"pinion/hashes"
	"pinion/internal/syntax"
	"pinion/problem"
)

// VersionChanged reports other bytes under a version that a catalog released.
func VersionChanged(id, version string, released, now hashes.Digest) problem.Problem {
	return ruleVersionChanged.Report("%s %s has other files than its release: released %s, now %s", id, version, released.Short(), now.Short())
}

// NotListed reports a package that a catalog does not have with these bytes.
func NotListed(id, version string) problem.Problem {
	return ruleStale.Report("the catalog does not have %s %s as it is now", clip(id), clip(version))
}

// Touched compares two catalog files value by value and returns the names of
// the entries that were added, removed or changed in any way, sorted. "" stands
// for everything outside the entries. A file that is no JSON object is one
// without entries.
func Touched(before, after []byte) []string {
	a, b := parts(before), parts(after)
	names := map[string]bool{}
	for name, text := range a {
		if b[name] != text {
			names[name] = true
		}
	}
	for name, text := range b {
		if a[name] != text {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// parts returns the canonical text of each entry by its name, several of one
// name joined, and of the rest under "".
func parts(data []byte) map[string]string {
	out := map[string]string{}
	v, _ := syntax.Any(data)
	doc, ok := v.(map[string]any)
	if !ok {
		return out
	}
	list, _ := doc["plugins"].([]any)
	delete(doc, "plugins")
	put := func(name string, v any) {
		if b, err := syntax.Compact(v); err == nil {
			if c, err := syntax.Canonical(b); err == nil {
				b = c
			}
			out[name] += string(b) + "\n"
		}
	}
	for _, e := range list {
		name := ""
		if m, ok := e.(map[string]any); ok {
			name, _ = m["name"].(string)
		}
		if name == "" {
			name = "(no name)"
		}
		put(name, e)
	}
	put("", doc)
	return out
}
