package catalog

import (
	"bytes"
	"slices"
	"strings"

	"pinion/hashes"
	"pinion/manifest"
	"pinion/problem"
)

// CheckUpdate reports every version that both catalogs list with different
// digests: a released version never changes (SB-082), and build metadata does not
// make another one out of it (security 3.1 row 16). Positions are those of
// the entries of next.
func CheckUpdate(released, next *Catalog) problem.List {
	var out problem.List
	for i := range next.Entries {
		e := &next.Entries[i]
		dir, _ := e.Source.Relative()
		out = append(out, versionChanged(released, e.Name, e.Version, e.Digest, dir, next.Path, e.Line, e.Column)...)
	}
	out.Sort()
	return out
}

// versionChanged compares one version with the released one.
func versionChanged(released *Catalog, name, version string, got hashes.Digest, dir, file string, line, col int) problem.List {
	if released == nil {
		return nil
	}
	for _, old := range released.Named(name) {
		if manifest.Release(old.Version) != manifest.Release(version) || old.Digest.IsZero() || got.IsZero() || old.Digest == got {
			continue
		}
		p := ruleVersionChanged.Report("%s %s is released with other files: released %s, now %s", clip(name), clip(version), old.Digest, got).
			At(file, line, col)
		if dir != "" && !strings.ContainsAny(dir, " '\"") {
			p = p.WithFix("pinion bump %s patch, or git checkout HEAD -- %s", dir, dir)
		}
		return problem.List{p}
	}
	return nil
}

// Stale compares the catalog in the file at path with what a build gives. It
// names the first entries that differ, at the line where the file does.
func Stale(path string, have, want []byte) problem.List {
	if bytes.Equal(have, want) {
		return nil
	}
	if len(have) == 0 {
		return problem.List{ruleStale.Report("%s does not exist or is empty", path).At(path, 0, 0)}
	}
	what := "it is laid out differently, or its header differs"
	before, _ := Parse(path, have)
	after, _ := Parse(path, want)
	if d := Diff(before, after).String(); d != "" {
		what = d
	} else if names := slices.DeleteFunc(Touched(have, want), func(n string) bool { return n == "" }); len(names) > 0 {
		what = "the entry " + clip(names[0]) + " differs"
	}
	line := 1 + bytes.Count(have[:common(have, want)], []byte{'\n'})
	return problem.List{ruleStale.Report("the catalog is not what the packages give: %s", what).At(path, line, 1)}
}

// StaleFile reports a file beside the catalog that is not what the packages
// give.
func StaleFile(path, why string) problem.Problem {
	return ruleStale.Report("%s %s", path, why).At(path, 0, 0)
}

// common returns the length of the common beginning.
func common(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}
