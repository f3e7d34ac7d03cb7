package locks

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pinion/hashes"
	"pinion/source"
	"pinion/tree"
)

// The order is that of localeCompare in a real JavaScript engine.
func TestCompareLocale(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join("testdata", "locale.json"))
	if err != nil {
		t.Fatal(err)
	}
	var golden struct{ Names []string }
	if err := json.Unmarshal(data, &golden); err != nil || len(golden.Names) < 100 {
		t.Fatal(len(golden.Names), err)
	}
	got := slices.Clone(golden.Names)
	slices.Sort(got)
	slices.SortFunc(got, compareLocale)
	if diff := cmp.Diff(golden.Names, got); diff != "" {
		t.Errorf("order (-node +here):\n%s", diff)
	}
	for _, a := range golden.Names {
		for _, b := range golden.Names {
			if x, y := compareLocale(a, b), compareLocale(b, a); (x < 0) != (y > 0) || (x == 0) != (a == b) {
				t.Errorf("compare(%q, %q) = %d, and the other way %d", a, b, x, y)
			}
		}
	}
}

func files(pairs ...string) *tree.Tree {
	t := &tree.Tree{}
	for i := 0; i < len(pairs); i += 2 {
		t.Files = append(t.Files, tree.File{Path: pairs[i], Data: []byte(pairs[i+1]), Sum: hashes.Of([]byte(pairs[i+1]))})
	}
	return t
}

func TestCheck(t *testing.T) {
	t.Parallel()
	plain := files("SKILL.md", "s", "b.md", "b")
	more := files("SKILL.md", "s", "b.md", "b", "node_modules/x/y", "n")
	meta := files("SKILL.md", "s", "__pycache__/x", "c", "b.md", "b", "metadata.json", "{}")
	linked := files("SKILL.md", "s", "b.md", "b", "link", "b")
	linked.Files[2].Link = "b.md"
	partial := files("SKILL.md", "s")
	partial.Partial = true
	sum := sumOf([]tree.File{plain.Files[1], plain.Files[0]}) // b.md before SKILL.md
	for name, c := range map[string]struct {
		sum  Sum
		tree *tree.Tree
		id   string
		want Verdict
	}{
		"skills":               {Sum{skillsHash, sum}, plain, "", Same},
		"skills, node_modules": {Sum{skillsHash, sum}, more, "", Same},
		"skills, links":        {Sum{skillsHash, sum}, linked, "", Same},
		"skills, from service": {Sum{skillsHash, sum}, meta, "", Same},
		"skills, other":        {Sum{skillsHash, sum}, files("SKILL.md", "s", "b.md", "c"), "", Other},
		"skills, order":        {Sum{skillsHash, sumOf(plain.Files)}, plain, "", Other},
		"skills, not ASCII":    {Sum{skillsHash, sum}, files("SKILL.md", "s", "é.md", "b"), "", Unknown},
		"skills, partial":      {Sum{skillsHash, sum}, partial, "", Unknown},
		"tree":                 {Sum{gitTree, "aa"}, plain, "aa", Same},
		"tree, other":          {Sum{gitTree, "aa"}, plain, "ab", Other},
		"tree, no id":          {Sum{gitTree, "aa"}, plain, "", Unknown},
		"apm":                  {Sum{apmHash, sumOf(plain.Files)}, plain, "", Same},
		"apm, adds files":      {Sum{apmHash, sum}, plain, "", Unknown},
		"apm, other":           {Sum{apmHash, sum}, files("apm.yml", "name: x"), "", Other},
		"apm, skill":           {Sum{apmSkillHash, sum}, plain, "", Other},
		"odd":                  {Sum{unknownHash, "x"}, plain, "", Unknown},
		"none":                 {Sum{}, plain, "", Unknown},
	} {
		if got, _, why := c.sum.Check(c.tree, c.id); got != c.want || (why == "") != (got != Unknown) {
			t.Errorf("%s: %v %q, want %v", name, got, why, c.want)
		}
	}
}

func TestReadAPMLock(t *testing.T) {
	t.Parallel()
	commit := strings.Repeat("a1", 20)
	l, err := Read("x/apm.lock.yaml", []byte(`lockfile_version: 1
dependencies:
- {repo_url: acme/one, resolved_commit: "`+commit+`", resolved_ref: gone}
- {repo_url: group/sub/two, host: gitlab.example, resolved_commit: "`+commit+`", virtual_path: a/b, is_virtual: true}
- {repo_url: "https://git.example/three", host: git.example, resolved_ref: main}
- {repo_url: acme/four, host: ghe.example, port: 8443, resolved_commit: 0123456}
- {repo_url: acme/five, virtual_path: ../up}
- {repo_url: acme/six, virtual_path: x/y.prompt.md}
- {repo_url: acme/seven, host: x.example, is_insecure: true}
- {repo_url: "ext::sh -c x"}
- {repo_url: "--upload-pack=x", host: x.example}
- {local_path: ./packages/x, repo_url: _local/x, source: local}
- {repo_url: acme/eight, registry_prefix: artifactory/github, host: proxy.example}
`))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range l.Entries {
		got = append(got, strings.Join([]string{e.Name, e.Source.String(), e.Commit, e.Dir}, " | "))
	}
	want := []string{
		"acme/one | acme/one | " + commit + " | .", "group/sub/two/a/b | https://gitlab.example/group/sub/two | " + commit + " | a/b",
		"https://git.example/three | https://git.example/three#main |  | .",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
	if len(l.Left) != 8 {
		t.Errorf("left out: %v", l.Left)
	}
	for _, left := range l.Left {
		if left.Why == "" {
			t.Errorf("%q is left out without a reason", left.Name)
		}
	}
	for name, text := range map[string]string{
		"version": "lockfile_version: 3\ndependencies: []", "no version": "dependencies: []", "an alias": "lockfile_version: 1\ndependencies: [&a {repo_url: x}, *a]",
		"a tag": "lockfile_version: !!int 1", "twice": "lockfile_version: 1\nlockfile_version: 1", "no YAML": "lockfile_version: [", "a list": "- lockfile_version: 1",
	} {
		l, err := Read("apm.lock.yaml", []byte(text))
		if bad := new(Error); !errors.As(err, &bad) || bad.ExitCode() != 3 {
			t.Errorf("%s: %+v, %v", name, l, err)
		}
	}
}

func TestKnows(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"skills-lock.json": true, "a/.skill-lock.json": true, `a\apm.yml`: true, "apm.lock.yaml": true, "pinion.lock": false, "package-lock.json": false, "x.yaml": false,
	} {
		if got := Knows(name, []byte(`{"lockfileVersion": 3}`)); got != want {
			t.Errorf("Knows(%q) = %v", name, got)
		}
	}
	if _, err := Read("pinion.lock", nil); err == nil {
		t.Error("a file of another kind was read")
	}
	if _, err := Read("skills-lock.json", make([]byte, MaxBytes+1)); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Errorf("above the limit: %v", err)
	}
}

// What is accepted names sources and directories that are safe to use.
func FuzzRead(f *testing.F) {
	f.Add("skills-lock.json", []byte(`{"version":1,"skills":{"a":{"source":"o/r","sourceType":"github","skillPath":"s/SKILL.md","ref":"v1","computedHash":"00"}}}`))
	f.Add(".skill-lock.json", []byte(`{"version":3,"skills":{"a":{"sourceUrl":"https://h/x","skillPath":"SKILL.md","pinnedRef":"x"}}}`))
	f.Add("apm.lock.yaml", []byte("lockfile_version: \"2\"\ndependencies:\n- repo_url: a/b\n  host: h.example\n  port: 1\n  virtual_path: c\n"))
	f.Add("apm.yml", []byte("dependencies:\n  apm:\n  - a/b/c#d\n  - {git: x/y, path: z}\n"))
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		l, err := Read(name, data)
		if err != nil {
			return
		}
		for _, e := range l.Entries {
			again, err := source.Parse(e.Source.String(), "/")
			if err != nil || again != e.Source || e.Source.Kind == source.Dir {
				t.Fatalf("source %+v of %q: %v", e.Source, e.Name, err)
			}
			if strings.HasPrefix(e.Dir, "/") || slices.Contains(strings.Split(e.Dir, "/"), "..") || e.Commit != "" && !source.IsCommit(e.Commit) {
				t.Fatalf("entry %+v", e)
			}
		}
	})
}

// What a lock file says of addresses reaches screens and reports: no part of it may
// be a credential (security 3.3 row 55).
func TestNoCredentials(t *testing.T) {
	t.Parallel()
	for name, data := range map[string]string{
		"apm.yml": `dependencies:
  apm:
    - https://user:SECRET@example.com/o/r.git#main
    - https://SECRET@example.com/o/r#^1
    - "https://u:SEC/RET@example.com/o/r"
    - example.com/o/r/x.prompt.md?token=SECRET
    - https://example.com/o/r/x?token=SECRET
    - user:SECRET@example.com/o/r#^1
    - git: https://user:SECRET@example.com/o/r.git
      path: ../x
    - git: https://user:SECRET@example.com/o/r.git
      ref: ^1
    - git: https://user:SECRET@example.com/o/r.git
      marketplace: https://user:SECRET@example.com
  mcp:
    - https://user:SECRET@example.com/mcp
`,
		"apm.lock.yaml": `lockfile_version: "1"
dependencies:
  - repo_url: https://user:SECRET@example.com/o/r.git
    virtual_path: ../../x
  - repo_url: https://user:SECRET@example.com/o/r.git
    source: local
  - repo_url: https://user:SECRET@example.com/o/r.git
    registry_prefix: https://u:SECRET@proxy
  - repo_url: https://user:SECRET@example.com/o/r.git
    source: https://u:SECRET@x
  - repo_url: o/r
    host: user:SECRET@example.com
`,
		"skills-lock.json": `{"version": 1, "skills": {
			"https://u:SECRET@x/": {"source": "https://u:SECRET@x/o/r", "sourceType": "git", "skillPath": "a/SKILL.md"},
			"b": {"source": "o/r", "sourceType": "https://u:SECRET@x", "skillPath": "a/SKILL.md"},
			"c": {"source": "o/r", "sourceUrl": "https://u:SECRET@x/o/r.git", "sourceType": "github", "skillPath": "a/SKILL.md"}}}`,
	} {
		l, err := Read(name, []byte(data))
		if err != nil {
			t.Fatal(name, err)
		}
		for _, e := range l.Left {
			if strings.Contains(e.Name+e.Why, "SEC") {
				t.Errorf("%s: %s: %s", name, e.Name, e.Why)
			}
		}
		for _, e := range l.Entries {
			if strings.Contains(e.Name+e.Source.String(), "SEC") {
				t.Errorf("%s: %+v", name, e)
			}
		}
	}
}
