package tree

import (
	"slices"
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"pinion/problem"
)

// fold maps a path to what the most forgiving file system would make of it:
// Unicode compatibility form and full case folding.
func fold(path string) string {
	if ascii(path) {
		return strings.ToLower(path) // returns path itself when it is lower case
	}
	// Folding can undo the normal form, so it is made twice.
	return norm.NFKC.String(cases.Fold().String(norm.NFKC.String(path)))
}

// checkCollisions reports names that are one name after folding, also when they
// clash as a file and a directory ("A" and "a/b"). The files are sorted.
func (b *Builder) checkCollisions() {
	files := b.tree.Files
	if simple(files) {
		return
	}
	seen := make(map[string]string, 2*len(files)) // folded path → first spelling
	isFile := make(map[string]bool, len(files))
	for _, f := range files {
		folded := fold(f.Path)
		switch first, ok := seen[folded]; {
		case ok && first == f.Path:
			b.impossible(f.Path, "%q appears twice", f.Path)
		case ok:
			b.collision(f.Path, first)
		}
		seen[folded], isFile[folded] = f.Path, true
	}
	for _, f := range files {
		for i := strings.IndexByte(f.Path, '/'); i >= 0; {
			dir := f.Path[:i]
			folded := fold(dir)
			first, ok := seen[folded]
			switch {
			case !ok:
				seen[folded] = dir
			case first != dir:
				b.collision(f.Path, first)
				seen[folded], isFile[folded] = dir, false // one report for each pair of spellings
			case isFile[folded]:
				isFile[folded] = false
				b.impossible(f.Path, "%q is a file and the directory of %q", dir, f.Path)
			}
			next := strings.IndexByte(f.Path[i+1:], '/')
			if next < 0 {
				break
			}
			i += 1 + next
		}
	}
}

func (b *Builder) collision(path, first string) {
	p := ruleCollision.Report("%q and %q are one name on some systems", path, first).At(path, 0, 0)
	if !b.tree.Profile.Strict {
		p = p.As(problem.Warning)
	}
	if !slices.Contains(b.tree.Problems, p) {
		b.report(p)
	}
}

// impossible reports a name that no file system can hold twice. Archives and
// made-up git trees can, so it is an error in every format and the tree is not
// complete: which of the two is meant depends on who unpacks it.
func (b *Builder) impossible(path, format string, args ...any) {
	b.tree.Partial = true
	b.report(ruleCollision.Report(format, args...).At(path, 0, 0).
		WithFix("make the archive or the commit again from a directory"))
}

// simple reports whether no path can collide: all ASCII, none twice, none the
// directory of another, and no two that differ only in case. It allocates
// nothing for the usual small package.
func simple(files []File) bool {
	const few = 128
	if len(files) > few {
		return false
	}
	for i := range files {
		a := files[i].Path
		if !ascii(a) {
			return false
		}
		for j := range files[:i] {
			// Most begin with different letters; in ASCII case is one bit.
			if c := files[j].Path; a[0]|0x20 == c[0]|0x20 && sharesFolded(a, c) {
				return false
			}
		}
	}
	return true
}

// sharesFolded reports whether a and c have a leading run of components that is
// equal when case is ignored but spelled differently.
func sharesFolded(a, c string) bool {
	for {
		x, restA, okA := strings.Cut(a, "/")
		y, restC, okC := strings.Cut(c, "/")
		if x != y {
			return strings.EqualFold(x, y)
		}
		if !okA || !okC {
			return true // the same name twice, or a file that is also a directory
		}
		a, c = restA, restC
	}
}
