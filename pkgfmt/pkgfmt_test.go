package pkgfmt_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pinion/hashes"
	"pinion/internal/syntax"
	"pinion/internal/testkit"
	"pinion/manifest"
	"pinion/manifest/agentskill"
	"pinion/manifest/claude"
	"pinion/manifest/native"
	"pinion/pkgfmt"
	"pinion/problem"
	"pinion/tree"
)

func loader() *pkgfmt.Loader {
	c := claude.New()
	return pkgfmt.New(c, native.New(native.Options{}), c, agentskill.New())
}

// write makes a package directory; a name that ends in "*" is executable.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, body := range files {
		mode := os.FileMode(0o644)
		if n, ok := strings.CutSuffix(name, "*"); ok {
			name, mode = n, 0o755
		}
		p := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(body), mode); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func load(t *testing.T, dir string, at pkgfmt.Place) *pkgfmt.Package {
	t.Helper()
	l := loader()
	d, err := tree.OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	if at.Name == "" {
		at.Name = "sample"
	}
	tr, err := d.Read(t.Context(), ".", l.Options(at), new(tree.Scratch))
	if err != nil {
		t.Fatal(err)
	}
	return l.Load(tr, at)
}

func TestFixtures(t *testing.T) { // SB-002, SB-014, SB-020, SB-079, SB-115, SB-151
	root := filepath.Join(testkit.SharedDir(t), "fixtures")
	want, err := os.ReadFile(filepath.Join(root, "digests.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(want)) {
		id, digest, _ := strings.Cut(strings.TrimSpace(line), " ")
		p := load(t, filepath.Join(root, "shinbot-marketplace-repo", "plugins", id), pkgfmt.Place{Name: id})
		if p.Digest.String() != digest {
			t.Errorf("%s: digest %s, want %s", id, p.Digest, digest)
		}
		if p.ID() != id || p.Version() != "1.0.0" || p.Format != "native" {
			t.Errorf("%s: loaded as %s %s (%s)", id, p.ID(), p.Version(), p.Format)
		}
		if p.Problems.HasErrors() || p.Problems.Count(problem.Warning) > 0 {
			t.Errorf("%s: %v", id, p.Problems)
		}
	}
}

const skill = "---\nname: sample\ndescription: Says hello when asked.\n---\n# Hello\n"

// TestExecIsContent shows that the execute bit counts in foreign packages and
// not in native ones (house "Package digest").
func TestExecIsContent(t *testing.T) {
	plain := load(t, write(t, map[string]string{"SKILL.md": skill, "run.sh": "true\n"}), pkgfmt.Place{})
	exec := load(t, write(t, map[string]string{"SKILL.md": skill, "run.sh*": "true\n"}), pkgfmt.Place{})
	if plain.Digest == exec.Digest {
		t.Error("a foreign package has the same digest with and without an executable file")
	}
	lines := []hashes.File{
		{Path: "//exec", Sum: hashes.Of([]byte("run.sh\n"))},
		{Path: "SKILL.md", Sum: hashes.Of([]byte(skill))},
		{Path: "run.sh", Sum: hashes.Of([]byte("true\n"))},
	}
	want, err := hashes.Tree(lines)
	if err != nil || exec.Digest != want {
		t.Errorf("digest %s, want %s (%v)", exec.Digest, want, err)
	}
	if exec.Manifest.Kind != manifest.Extension || plain.Manifest.Kind != manifest.Skill {
		t.Errorf("kinds %s and %s, want extension and skill", exec.Manifest.Kind, plain.Manifest.Kind)
	}
	over := load(t, write(t, map[string]string{"SKILL.md": skill, "run.sh*": "true\n"}), pkgfmt.Place{Exec: map[string]bool{"run.sh": false}})
	if over.Digest != plain.Digest {
		t.Error("the bits that git records do not go before those of the file system")
	}
}

func TestEntryIsContent(t *testing.T) {
	dir := write(t, map[string]string{"skills/a/SKILL.md": skill})
	bare := load(t, dir, pkgfmt.Place{Entry: &manifest.Entry{Name: "p", Strict: true}})
	inline := &manifest.Entry{Name: "p", Fields: map[string]syntax.Raw{"skills": syntax.Raw(`[ "./skills/a" ]`)}}
	defined := load(t, dir, pkgfmt.Place{Entry: inline})
	if bare.Digest == defined.Digest {
		t.Error("an entry that defines components does not change the digest")
	}
	content, err := pkgfmt.EntryContent(inline)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(content), `{"name":"p","skills":["./skills/a"],"strict":false}`; got != want {
		t.Errorf("EntryContent() = %s, want %s", got, want)
	}
	if defined.Manifest.ID != "p" {
		t.Errorf("id %q, want the entry's name", defined.Manifest.ID)
	}
}

// A finding in the catalog's entry is shown in the catalog, one about the whole
// package at the package.
func TestEntryHasAPosition(t *testing.T) {
	dir := write(t, map[string]string{"skills/a/SKILL.md": skill})
	entry := &manifest.Entry{Name: "p", Strict: true, Fields: map[string]syntax.Raw{"skills": syntax.Raw(`["./nope"]`)}}
	for listed, want := range map[pkgfmt.Position]string{
		{File: "x/marketplace.json", Line: 3, Column: 5}: "x/marketplace.json:3:5",
		{}: "plugins/p",
	} {
		p, ok := load(t, dir, pkgfmt.Place{Path: "plugins/p", Entry: entry, Listed: listed}).Problems.First()
		if !ok || p.Position() != want {
			t.Errorf("%v: %s, want it at %s", listed, p, want)
		}
	}
	for path, want := range map[string]string{"": ".", ".": ".", "plugins/p": "plugins/p"} {
		p, ok := load(t, write(t, map[string]string{"x": ""}), pkgfmt.Place{Path: path}).Problems.First()
		if !ok || p.Rule != "manifest/missing" || p.File != want {
			t.Errorf("%q: %s, want it at %s", path, p, want)
		}
	}
}

func TestContentVersion(t *testing.T) {
	p := load(t, write(t, map[string]string{"SKILL.md": skill}), pkgfmt.Place{})
	want := "0.0.0-h" + p.Digest.Hex(12)
	if p.Version() != want || !manifest.ValidVersion(want) {
		t.Errorf("Version() = %q, want %q, valid", p.Version(), want)
	}
}

func TestVerify(t *testing.T) {
	dir := write(t, map[string]string{"SKILL.md": skill})
	p := load(t, dir, pkgfmt.Place{Root: "stage-1"})
	v, err := p.Verify(pkgfmt.FirstSeen)
	if err != nil || v.Pinned || v.Root() != "stage-1" || v.Digest() != p.Digest {
		t.Errorf("Verify(FirstSeen) = %+v, %v", v, err)
	}
	if v, err = p.Verify(p.Digest); err != nil || !v.Pinned {
		t.Errorf("Verify(own digest) = %+v, %v", v, err)
	}
	other := load(t, write(t, map[string]string{"SKILL.md": skill + "more\n"}), pkgfmt.Place{})
	v, err = p.Verify(other.Digest)
	var mismatch *hashes.MismatchError
	if !errors.As(err, &mismatch) || mismatch.Want != other.Digest || mismatch.Got != p.Digest || v.Root() != "" {
		t.Errorf("Verify(other digest) = %+v, %v, want a mismatch and nothing verified", v, err)
	}
	bad := load(t, write(t, map[string]string{"notes.md": "no manifest\n"}), pkgfmt.Place{})
	var content *problem.ContentError
	if _, err := bad.Verify(pkgfmt.FirstSeen); !errors.As(err, &content) {
		t.Errorf("a package with errors was verified: %v", err)
	}
}

func TestSelection(t *testing.T) {
	s := pkgfmt.NewSelection([]string{"./skills/pdf", "./commands/go.md", "./skills/pdf/"})
	for path, want := range map[string]bool{
		"skills/": true, "skills/pdf/": true, "skills/pdf/SKILL.md": true, "skills/pdfx/": false, "skills/xlsx/": false,
		"commands/": true, "commands/go.md": true, "commands/stop.md": false, "README.md": false,
		"LICENSE": true, "license.txt": true, "NOTICE.md": true, "docs/LICENSE": false, "docs/": false,
		".claude-plugin/": true, ".claude-plugin/plugin.json": true, ".claude-plugin/marketplace.json": false,
	} {
		if got := s.Want(path); got != want {
			t.Errorf("Want(%q) = %v, want %v", path, got, want)
		}
	}
	if !pkgfmt.NewSelection([]string{"./a", "./"}).Whole() || !pkgfmt.NewSelection(nil).Whole() {
		t.Error("naming the directory itself does not select everything")
	}
}

func TestLFSPointer(t *testing.T) { // security 3.3 row 46
	pointer := "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n"
	p := load(t, write(t, map[string]string{"SKILL.md": skill, "model.bin": pointer}), pkgfmt.Place{})
	var got []string
	for _, pr := range p.Problems {
		if pr.Rule == "files/lfs" {
			got = append(got, pr.File+" "+pr.Severity.String())
		}
	}
	if diff := cmp.Diff([]string{"model.bin warning"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestCheckStored(t *testing.T) { // security 3.3 rows 44 and 45
	crlf := "a\r\nb\r\n"
	for _, tc := range []struct {
		name string
		body string
		attr pkgfmt.Attributes
		want bool
	}{
		{"no attributes", crlf, pkgfmt.Attributes{}, false},
		{"autocrlf", crlf, pkgfmt.Attributes{AutoCRLF: "true"}, true},
		{"autocrlf input", crlf, pkgfmt.Attributes{AutoCRLF: "input"}, true},
		{"autocrlf, binary", crlf + "\x00", pkgfmt.Attributes{AutoCRLF: "true"}, false},
		{"text", crlf, pkgfmt.Attributes{Text: "set"}, true},
		{"text=auto", crlf, pkgfmt.Attributes{Text: "auto"}, true},
		{"-text", crlf, pkgfmt.Attributes{Text: "unset", AutoCRLF: "true"}, false},
		{"eol=crlf", crlf, pkgfmt.Attributes{EOL: "crlf"}, true},
		{"LF already", "a\nb\n", pkgfmt.Attributes{Text: "set"}, false},
		{"ident", "x $Id: 1 $\n", pkgfmt.Attributes{Ident: true}, true},
		{"ident, nothing to expand", "x\n", pkgfmt.Attributes{Ident: true}, false},
		{"filter", "x\n", pkgfmt.Attributes{Filter: "lfs"}, true},
		{"encoding", "x\n", pkgfmt.Attributes{Encoding: "UTF-16"}, true},
	} {
		p := load(t, write(t, map[string]string{"SKILL.md": skill, "f.txt": tc.body}), pkgfmt.Place{Path: "pkg"})
		p.CheckStored(map[string]pkgfmt.Attributes{"f.txt": tc.attr})
		got := false
		for _, pr := range p.Problems {
			got = got || pr.Rule == "text/eol" && pr.File == "pkg/f.txt" && pr.Severity == problem.Warning
		}
		if got != tc.want {
			t.Errorf("%s: warned %v, want %v: %v", tc.name, got, tc.want, p.Problems)
		}
	}
}

func TestNoManifest(t *testing.T) {
	p := load(t, write(t, map[string]string{"notes.md": "x\n"}), pkgfmt.Place{Path: "dir"})
	if len(p.Problems) != 1 || p.Problems[0].Rule != "manifest/missing" {
		t.Errorf("problems: %v, want manifest/missing alone", p.Problems)
	}
}

func FuzzSelection(f *testing.F) {
	f.Add("./skills/a", "skills/a/b")
	f.Fuzz(func(t *testing.T, sel, path string) {
		s := pkgfmt.NewSelection([]string{sel})
		if s.Want(path) && !s.Whole() {
			// What is wanted must be reachable: every directory above it is entered.
			for i := range path {
				if path[i] == '/' && i > 0 && i < len(path)-1 && !s.Want(path[:i+1]) {
					t.Errorf("selection %q wants %q but does not enter %q", sel, path, path[:i+1])
				}
			}
		}
	})
}
