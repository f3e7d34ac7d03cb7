package tree

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pinion/hashes"
	"pinion/problem"
)

// security 3.1 rows 8-10
func TestCollisions(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name  string
		paths []string
		want  string // in a strict tree
	}{
		{"none", []string{"a", "b/c", "b/d"}, ""},
		{"none upper", []string{"README.md", "LICENSE", "Docs/A", "Docs/B"}, ""},
		{"case", []string{"README.md", "readme.MD"}, "path/collision error"},
		{"case of a directory", []string{"A/x", "a/y"}, "path/collision error"},
		{"case of an inner directory", []string{"d/A/x", "d/a/y", "d/a/z"}, "path/collision error"},
		{"same below other directories", []string{"A/x", "b/X"}, ""},
		{"NFC and NFD", []string{"caf\u00e9", "cafe\u0301"}, "path/portable error, path/collision error"},
		{"sharp s", []string{"stra\u00dfe", "strasse"}, "path/collision error"},
		{"capital sharp s", []string{"\u1e9e", "ss"}, "path/collision error"},
		{"dotted capital i", []string{"\u0130", "i\u0307"}, "path/portable error, path/collision error"},
		{"kelvin sign", []string{"\u212a", "k"}, "path/portable error, path/collision error"},
		{"ligature", []string{"\ufb01le", "file"}, "path/collision error"},
		{"full width", []string{"\uff41", "a"}, "path/collision error"},
		{"sigma", []string{"\u03c3", "\u03c2"}, "path/collision error"},
		{"file and directory", []string{"a", "a/b"}, "path/collision error"},
		{"file and directory, a name between", []string{"a", "a-b", "a/b"}, "path/collision error"},
		{"file and two below it", []string{"a", "a/b", "a/c"}, "path/collision error"},
		{"file and directory by case", []string{"A", "a/b", "a/c"}, "path/collision error"},
		{"deep file and directory", []string{"x/y", "x/y/z/w"}, "path/collision error"},
		{"twice", []string{"a", "a"}, "path/collision error"},
		{"upper twice", []string{"A", "A"}, "path/collision error"},
	}
	for _, c := range cases {
		for _, many := range []bool{false, true} { // both ways of checking
			b := builder(Profile{Limits: Native(), Strict: true})
			for _, p := range c.paths {
				b.Add(Entry{Path: p, Size: 1})
			}
			if many {
				for i := range 200 {
					b.Add(Entry{Path: fmt.Sprintf("zz/%03d", i), Size: 1})
				}
			}
			if got := verdict(b.Tree()); got != c.want {
				t.Errorf("%s, many files %v: %q, want %q", c.name, many, got, c.want)
			}
		}
	}
}

// What no file system can hold is an error in every format and has no digest;
// what some can hold is a warning where the host decides.
func TestCollisionSeverity(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		paths   []string
		want    problem.Severity
		partial bool
	}{
		{[]string{"A", "a"}, problem.Warning, false},
		{[]string{"a", "a"}, problem.Error, true},
		{[]string{"a", "a/b"}, problem.Error, true},
	} {
		b := builder(Profile{Limits: Foreign()})
		for _, p := range c.paths {
			b.Add(Entry{Path: p, Size: 1})
		}
		tr := b.Tree()
		if len(tr.Problems) != 1 || tr.Problems[0].Severity != c.want || tr.Partial != c.partial {
			t.Errorf("%q: %v, partial %v; want one %v, partial %v", c.paths, tr.Problems, tr.Partial, c.want, c.partial)
		}
	}
}

// SB-028, security 3.2 row 29
func TestByteLimit(t *testing.T) {
	t.Parallel()
	profile := Profile{Limits: Limits{Files: 10, Bytes: 100, Depth: 4, Dirs: 4}, Strict: true}
	for _, c := range []struct {
		sizes   []int64
		refused []int // indexes that get no buffer
	}{
		{[]int64{100}, nil},
		{[]int64{60, 40, 0}, nil},
		{[]int64{101}, []int{0}},
		{[]int64{60, 41, 1}, []int{1, 2}},
		{[]int64{1 << 40}, []int{0}},
		// Sums that wrap around must not open the limit again.
		{[]int64{math.MaxInt64, math.MaxInt64, 1 << 62, 1}, []int{0, 1, 2, 3}},
		{[]int64{1 << 62, 1 << 62, 1 << 62, 1 << 62, 1}, []int{0, 1, 2, 3, 4}},
	} {
		b := builder(profile)
		var refused []int
		for i, size := range c.sizes {
			b.Add(Entry{Path: fmt.Sprintf("f%d", i), Size: -1})
			buf, ok := b.Reserve(i, size)
			if !ok {
				refused = append(refused, i)
				continue
			}
			if int64(len(buf)) != size || cap(buf) != len(buf)+1 {
				t.Errorf("%v: Reserve(%d, %d) has length %d and capacity %d", c.sizes, i, size, len(buf), cap(buf))
			}
		}
		tr := b.Tree()
		if !slices.Equal(refused, c.refused) || tr.Partial != (len(c.refused) > 0) {
			t.Errorf("%v: refused %v, partial %v; want %v", c.sizes, refused, tr.Partial, c.refused)
		}
		if n := strings.Count(verdict(tr), "files/limit"); n != min(len(c.refused), 1) {
			t.Errorf("%v: files/limit is reported %d times: %v", c.sizes, n, tr.Problems)
		}
	}
}

// security 3.1 row 11, 3.2 row 29: at the limit and one past it.
func TestCountLimits(t *testing.T) {
	t.Parallel()
	limits := Limits{Files: 3, Bytes: 100, Depth: 3, Dirs: 3}
	file := func(b *Builder, i int) { b.Add(Entry{Path: fmt.Sprintf("f%d", i), Size: 1}) }
	link := func(b *Builder, i int) { b.Add(Entry{Path: fmt.Sprintf("l%d", i), Kind: Symlink, Target: "f"}) }
	dir := func(b *Builder, i int) { b.Enter(fmt.Sprintf("d%d", i)) }
	deep := func(b *Builder, i int) {
		if i > 0 { // one directory, i+1 levels deep
			b.Enter(strings.Repeat("x/", i) + "x")
		}
	}
	for _, c := range []struct {
		name    string
		do      func(*Builder, int)
		times   int
		limited bool
	}{
		{"files", file, 3, false}, {"one file more", file, 4, true}, {"many files more", file, 100, true},
		{"links", link, 3, false}, {"one link more", link, 4, true},
		{"directories", dir, 3, false}, {"one directory more", dir, 4, true}, {"10,000 directories", dir, 10_000, true},
		{"levels", deep, 3, false}, {"one level more", deep, 4, true},
	} {
		b := builder(Profile{Limits: limits})
		for i := range c.times {
			c.do(b, i)
		}
		want := ""
		if c.limited {
			want = "files/limit error"
		}
		if tr := b.Tree(); verdict(tr) != want || tr.Partial != c.limited || len(tr.Files) > limits.Files {
			t.Errorf("%s: %v, partial %v, %d files", c.name, tr.Problems, tr.Partial, len(tr.Files))
		}
	}
}

// A listing with a million odd entries is not a million findings in memory.
func TestProblemsAreBounded(t *testing.T) {
	t.Parallel()
	for _, e := range []Entry{{Path: "a\nb"}, {Path: "fifo", Kind: Other}, {Path: "link", Kind: Symlink, Target: "x"}, {Path: "sub", Kind: Submodule}} {
		b := builder(Profile{Limits: Native(), Strict: true})
		for range MaxProblems + 1000 {
			b.Add(e)
		}
		tr := b.Tree()
		if len(tr.Problems) != MaxProblems+1 || !tr.Partial || tr.Problems[MaxProblems].Rule != "files/limit" {
			t.Errorf("%v: %d problems, partial %v", e, len(tr.Problems), tr.Partial)
		}
	}
}

// Links are not resolved any more once nothing can be taken.
func TestLinksStopAtTheLimit(t *testing.T) {
	t.Parallel()
	b := builder(Profile{Limits: Limits{Files: 10, Bytes: 100, Depth: 3, Dirs: 3}})
	for i := range 10 {
		b.Add(Entry{Path: fmt.Sprintf("l%d", i), Kind: Symlink, Target: "big"})
	}
	asked := 0
	b.Links(func(l Entry) ([]Entry, string) {
		asked++
		var out []Entry
		for i := range 20 {
			out = append(out, Entry{Path: fmt.Sprintf("%s/%d", l.Path, i)})
		}
		return out, ""
	})
	if tr := b.Tree(); asked != 1 || len(tr.Files) != 10 || !tr.Partial {
		t.Errorf("asked %d times, %d files, partial %v", asked, len(tr.Files), tr.Partial)
	}
}

// A strict package with .git gives one finding, not one for each object.
func TestGitDirectoryIsOneFinding(t *testing.T) {
	t.Parallel()
	b := builder(Profile{Limits: Native(), Strict: true})
	if b.Enter(".git") {
		t.Error("a strict tree enters .git")
	}
	if got := verdict(b.Tree()); got != "path/invalid error" {
		t.Errorf("strict: %q", got)
	}
	b = builder(Profile{Limits: Foreign()})
	if b.Enter(".git") || b.Enter("sub/.git") {
		t.Error("a foreign tree enters .git")
	}
	if tr := b.Tree(); len(tr.Problems) > 0 || tr.Partial {
		t.Errorf("foreign: %v, partial %v", tr.Problems, tr.Partial)
	}
}

// Two trees that are read with one Scratch are both valid until it is reset.
func TestScratchKeepsTrees(t *testing.T) {
	t.Parallel()
	s := new(Scratch)
	read := func(name, content string) *Tree {
		b := NewBuilder(Options{}, nil, s)
		i, _ := b.Add(Entry{Path: name, Size: int64(len(content))})
		buf, _ := b.Reserve(i, int64(len(content)))
		copy(buf, content)
		b.Fill(i, buf, hashes.Of(buf))
		return b.Tree()
	}
	for range 3 {
		s.Reset()
		one := read("one", "first content")
		two := read("two", "second")
		if f := one.Files[0]; f.Path != "one" || string(f.Data) != "first content" {
			t.Fatalf("the first tree became %q %q", f.Path, f.Data)
		}
		if f := two.Files[0]; f.Path != "two" || string(f.Data) != "second" {
			t.Fatalf("the second tree is %q %q", f.Path, f.Data)
		}
	}
}

func TestTreeLookup(t *testing.T) {
	t.Parallel()
	b := builder(Profile{Limits: Foreign()})
	for _, p := range []string{"skills/b/SKILL.md", "skills-x", "skills/a/SKILL.md", "README.md", "skills.md"} {
		b.Add(Entry{Path: p, Size: 1})
	}
	tr := b.Tree()
	if f := tr.Lookup("skills-x"); f == nil || f.Path != "skills-x" {
		t.Errorf("Lookup(skills-x) = %v", f)
	}
	if f := tr.Lookup("skills"); f != nil {
		t.Errorf("Lookup(skills) = %v, want nil", f)
	}
	var under []string
	for _, f := range tr.Under("skills") {
		under = append(under, f.Path)
	}
	if want := []string{"skills/a/SKILL.md", "skills/b/SKILL.md"}; !slices.Equal(under, want) {
		t.Errorf("Under(skills) = %q, want %q", under, want)
	}
	if !tr.HasDir("skills/a") || tr.HasDir("skill") || tr.HasDir("README.md") {
		t.Error("HasDir is wrong")
	}
}

func TestResolveLink(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		link, target, want string
		ok                 bool
	}{
		{"plugins/a/LICENSE", "../../LICENSE", "LICENSE", true},
		{"a/b", "c", "a/c", true},
		{"a/b", "./c/../d", "a/d", true},
		{"a", "../x", "", false},
		{"a/b", "../../x", "", false},
		{"a", "/etc/passwd", "", false},
		{"a", `C:\x`, "", false},
		{"a", "c:x", "", false},
		{"a", "", "", false},
		{"a", ".git/config", "", false},
		{"a/b", "../.GIT/config", "", false},
		{"a", "b\x00", "b\x00", true}, // opening it fails
	} {
		got, why := ResolveLink(c.link, c.target)
		if (why == "") != c.ok || c.ok && got != c.want {
			t.Errorf("ResolveLink(%q, %q) = %q, %q; want %q, ok %v", c.link, c.target, got, why, c.want, c.ok)
		}
	}
}
