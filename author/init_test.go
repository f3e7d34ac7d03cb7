package author

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pinion/manifest"
	"pinion/manifest/agentskill"
	"pinion/manifest/native"
	"pinion/pkgfmt"
	"pinion/problem"
	"pinion/tree"
)

// load reads a package directory as validate does.
func load(t *testing.T, dir string) *pkgfmt.Package {
	t.Helper()
	d, err := tree.OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	l := pkgfmt.New(agentskill.New(), native.New(native.Options{}), agentskill.New())
	at := pkgfmt.Place{Name: filepath.Base(dir)}
	tr, err := d.Read(t.Context(), ".", l.Options(at), new(tree.Scratch))
	if err != nil {
		t.Fatal(err)
	}
	return l.Load(tr, at)
}

func options(kind manifest.Kind, dir string) InitOptions {
	return InitOptions{Kind: kind, ID: "my-tool", Dir: dir, Holder: "Ada Lovelace", Now: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)}
}

// SB-005..020, SB-064, SB-115..118: what init makes validates at once.
func TestInitValidates(t *testing.T) {
	t.Parallel()
	want := map[manifest.Kind][]string{
		manifest.Skill:     {"LICENSE", "SKILL.md", "pinion-plugin.json"},
		manifest.MCP:       {"LICENSE", "pinion-plugin.json", "server.py"},
		manifest.Extension: {"LICENSE", "hooks.py", "page.css", "page.js", "pinion-plugin.json"},
	}
	for kind, files := range want {
		for _, license := range Licenses() {
			dir := filepath.Join(t.TempDir(), "plugins", "my-tool")
			o := options(kind, dir)
			o.License = license
			made, err := Init(t.Context(), o)
			if err != nil {
				t.Fatalf("%s, %s: %v", kind, license, err)
			}
			if !slices.Equal(made.Files, files) || made.Dir != dir {
				t.Errorf("%s: made %q in %q, want %q", kind, made.Files, made.Dir, files)
			}
			p := load(t, dir)
			if n := p.Problems.Count(problem.Error) + p.Problems.Count(problem.Warning); n > 0 {
				t.Errorf("%s, %s: %v", kind, license, p.Problems)
			}
			if p.ID() != "my-tool" || p.Version() != "0.1.0" || p.Manifest.Kind != kind || p.Manifest.License != license || p.Digest.IsZero() {
				t.Errorf("%s: loaded as %+v", kind, p.Manifest)
			}
		}
	}
}

func TestInitShinbot(t *testing.T) {
	t.Parallel()
	for _, kind := range []manifest.Kind{manifest.Skill, manifest.MCP, manifest.Extension} {
		o := options(kind, t.TempDir()) // an empty directory is fine
		o.Manifest = "shinbot-plugin.json"
		if _, err := Init(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		if p := load(t, o.Dir); len(p.Problems) > 0 || p.Manifest.Path != "shinbot-plugin.json" {
			t.Errorf("%s: %v", kind, p.Problems)
		}
	}
}

// Words of the author that mean something in YAML, Python, JavaScript, JSON or
// the templates stay words.
func TestInitQuotes(t *testing.T) {
	t.Parallel()
	python, _ := exec.LookPath("python3")
	for _, words := range []string{
		`He said: "no" # not 'yes' \n`, `{{id}} ${x} %s`, `- a: [b]`, "yes", "null", "Größe – 大きさ", `"""`, "*x", "1.0", "a: b",
	} {
		for _, kind := range []manifest.Kind{manifest.Skill, manifest.MCP, manifest.Extension} {
			o := options(kind, filepath.Join(t.TempDir(), "x"))
			o.Name, o.Description = words, words
			if _, err := Init(t.Context(), o); err != nil {
				t.Fatalf("%q: %v", words, err)
			}
			p := load(t, o.Dir)
			if p.Problems.HasErrors() || p.Problems.Count(problem.Warning) > 0 || p.Manifest.Name != words || p.Manifest.Description != words {
				t.Errorf("%q: %v, loaded as %q, %q", words, p.Problems, p.Manifest.Name, p.Manifest.Description)
			}
			if kind == manifest.Skill {
				skill, problems := agentskill.Read("SKILL.md", p.Tree.Lookup("SKILL.md").Data)
				if skill.Description != words || problems.HasErrors() {
					t.Errorf("the frontmatter says %q, want %q; %v", skill.Description, words, problems)
				}
			}
			if kind == manifest.MCP && python != "" {
				code := "import ast,sys; t=ast.parse(open(sys.argv[1],encoding='utf-8').read()); print([n.args[0].value for n in ast.walk(t) if isinstance(n, ast.Call) and getattr(n.func,'id','')=='FastMCP'][0])"
				cmd := exec.CommandContext(t.Context(), python, "-c", code, filepath.Join(o.Dir, "server.py"))
				cmd.Env = append(os.Environ(), "PYTHONIOENCODING=utf-8")
				out, err := cmd.CombinedOutput()
				if err != nil || strings.TrimRight(string(out), "\r\n") != words {
					t.Errorf("%q: Python reads %q, %v", words, out, err)
				}
			}
		}
	}
}

// The hook and the tool of the templates do what they say.
func TestTemplatesRun(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3")
	}
	o := options(manifest.Extension, filepath.Join(t.TempDir(), "x"))
	if _, err := Init(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), python, "-I", "-c", `
import json, runpy, sys
handle = runpy.run_path(sys.argv[1])["handle"]
print(json.dumps([handle("before_chat", {"data": {"context": "c"}}), handle("after_tool", {"data": {}})]))
`, filepath.Join(o.Dir, "hooks.py"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var got []map[string]string
	if err := json.Unmarshal(out, &got); err != nil || got[0]["context"] != "c\nReport which checks actually ran." || len(got[1]) != 0 {
		t.Errorf("the hook gives %s", out)
	}
}

// SB-064
func TestLicenseTexts(t *testing.T) {
	t.Parallel()
	for _, id := range Licenses() {
		text, err := LicenseText(id, 2026, "Ada Lovelace")
		if err != nil {
			t.Fatal(err)
		}
		s := string(text)
		if strings.Contains(s, "{{") || len(s) < 500 || !strings.HasSuffix(s, "\n") {
			t.Errorf("%s: the text is not complete", id)
		}
		named := strings.Contains(s, "Ada Lovelace") && strings.Contains(s, "2026")
		if want := id != "Unlicense" && id != "CC0-1.0"; named != want {
			t.Errorf("%s names the holder: %v, want %v", id, named, want)
		}
	}
	var e *Error
	if _, err := LicenseText("mit", 2026, "x"); !errors.As(err, &e) || !strings.Contains(e.Hint, "did you mean MIT?") {
		t.Errorf("mit: %v, %+v", err, e)
	}
	if _, err := LicenseText("GPL-3.0", 2026, "x"); !errors.As(err, &e) || !strings.Contains(e.Hint, "CC0-1.0") {
		t.Errorf("GPL-3.0: %v, %+v", err, e)
	}
}

// Nothing that is there is touched.
func TestInitNeverOverwrites(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		make func(t *testing.T, dir string)
		want func(dir string) *ExistsError
	}{
		{"a file in the directory", func(t *testing.T, dir string) { put(t, dir, map[string]string{"x/README": "mine"}) },
			func(dir string) *ExistsError { return &ExistsError{Path: filepath.Join(dir, "x"), Dir: true} }},
		{"a hidden file", func(t *testing.T, dir string) { put(t, dir, map[string]string{"x/.git": "mine"}) },
			func(dir string) *ExistsError { return &ExistsError{Path: filepath.Join(dir, "x"), Dir: true} }},
		{"a file at the place", func(t *testing.T, dir string) { put(t, dir, map[string]string{"x": "mine"}) },
			func(dir string) *ExistsError { return &ExistsError{Path: filepath.Join(dir, "x")} }},
		{"a file above", func(t *testing.T, dir string) { put(t, dir, map[string]string{"x": "mine"}) },
			func(dir string) *ExistsError { return &ExistsError{Path: filepath.Join(dir, "x")} }},
		{"a link to nowhere", func(t *testing.T, dir string) {
			if err := os.Symlink("nowhere", filepath.Join(dir, "x")); err != nil {
				t.Skipf("no links here: %v", err)
			}
		}, func(dir string) *ExistsError { return &ExistsError{Path: filepath.Join(dir, "x")} }},
	} {
		dir := t.TempDir()
		c.make(t, dir)
		before := snapshot(t, dir)
		o := options(manifest.Skill, filepath.Join(dir, "x"))
		if c.name == "a file above" {
			o.Dir = filepath.Join(dir, "x", "y", "z")
		}
		var got *ExistsError
		_, err := Init(t.Context(), o)
		if want := c.want(dir); !errors.As(err, &got) && c.name != "a file above" || got != nil && *got != *want || err == nil {
			t.Errorf("%s: %v, want %v", c.name, err, want)
		}
		if after := snapshot(t, dir); after != before {
			t.Errorf("%s: changed\n%s\nto\n%s", c.name, before, after)
		}
	}
}

// A start that fails half-way leaves nothing behind.
func TestInitUndoes(t *testing.T) {
	t.Parallel()
	files := []file{{"SKILL.md", []byte("x")}, {"LICENSE", []byte("y")}, {"none/pinion-plugin.json", []byte("z")}}
	for _, existing := range []bool{false, true} {
		dir := t.TempDir()
		put(t, dir, map[string]string{"keep": "k"})
		target := filepath.Join(dir, "a", "b")
		if existing {
			if err := os.MkdirAll(target, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		before := snapshot(t, dir)
		m, err := create(t.Context(), target, files)
		if !errors.Is(err, fs.ErrNotExist) || len(m.files) != 2 {
			t.Fatalf("create: %v after %q", err, m.files)
		}
		if err := m.undo(); err != nil {
			t.Fatal(err)
		}
		if after := snapshot(t, dir); after != before {
			t.Errorf("left\n%s\nof\n%s", after, before)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dir := t.TempDir()
	if _, err := Init(ctx, options(manifest.Skill, filepath.Join(dir, "a", "b"))); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if got := snapshot(t, dir); got != "" {
		t.Errorf("a cancelled start left %s", got)
	}
}

// SB-007, security 3.1 row 14
func TestCheckID(t *testing.T) {
	t.Parallel()
	for id, hint := range map[string]string{
		"my-tool": "", "a": "", "x2": "", "2fa": "", strings.Repeat("a", 40): "",
		"My Tool": "my-tool", "myTool": "my-tool", "MyHTTPTool": "my-httptool", "my_tool": "my-tool", "my--tool": "my-tool", "-rf": "rf",
		"--upload-pack=x": "upload-pack-x", "../../x": "x", "a/b": "a-b", "con": "con-plugin", "COM1": "com1-plugin", "tool.": "tool",
		"my.tool": "my-tool", "Größe": "gr-e", "trailing-": "trailing", strings.Repeat("word-", 9) + "x": strings.TrimSuffix(strings.Repeat("word-", 8), "-"),
		"": "text-tools", "🎨": "text-tools", "...": "text-tools",
	} {
		err := CheckID(id)
		if hint == "" {
			if err != nil {
				t.Errorf("CheckID(%q) = %v", id, err)
			}
			continue
		}
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(e.Hint, hint) {
			t.Errorf("CheckID(%q) = %v, hint %q; want %q", id, err, e.Hint, hint)
			continue
		}
		if near := nearest(id); near != "" && CheckID(near) != nil {
			t.Errorf("the suggestion %q for %q is no id", near, id)
		}
	}
}

func TestInitRefusesOptions(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, change := range map[string]func(*InitOptions){
		"kind":                func(o *InitOptions) { o.Kind = "skil" },
		"builtin":             func(o *InitOptions) { o.Kind = manifest.Builtin },
		"id":                  func(o *InitOptions) { o.ID = "My Tool" },
		"license":             func(o *InitOptions) { o.License = "WTFPL" },
		"manifest":            func(o *InitOptions) { o.Manifest = "../x.json" },
		"name on two lines":   func(o *InitOptions) { o.Name = "a\nb" },
		"long name":           func(o *InitOptions) { o.Name = strings.Repeat("é", 101) },
		"blank description":   func(o *InitOptions) { o.Description = " " },
		"holder with escapes": func(o *InitOptions) { o.Holder = "a\x1b[2J" },
		"name not UTF-8":      func(o *InitOptions) { o.Name = "a\xff" },
	} {
		o := options(manifest.Skill, filepath.Join(dir, "x"))
		change(&o)
		var e *Error
		if _, err := Init(t.Context(), o); !errors.As(err, &e) {
			t.Errorf("%s: %v, want an *Error", name, err)
		}
	}
	if got := snapshot(t, dir); got != "" {
		t.Errorf("refused options left %s", got)
	}
}

func TestDefaultDir(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, map[string]string{"repo/.git/HEAD": "x", "repo/a/b/c": "x", "worktree/.git": "gitdir: x", "plain/x": "x"})
	at := func(p string) string { return filepath.Join(dir, filepath.FromSlash(p)) }
	for cwd, want := range map[string]string{
		"repo": "repo/plugins/my-tool", "repo/a/b": "repo/plugins/my-tool", "repo/plugins": "repo/plugins/my-tool", "worktree": "worktree/plugins/my-tool", "plain": "plain/my-tool",
	} {
		if got := DefaultDir(at(cwd), "my-tool"); got != at(want) {
			t.Errorf("DefaultDir(%s) = %s, want %s", cwd, got, at(want))
		}
	}
}

// put makes files below dir.
func put(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, data := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(data), 0o640); err != nil {
			t.Fatal(err)
		}
	}
}

// snapshot lists everything below dir with modes and contents.
func snapshot(t *testing.T, dir string) string {
	t.Helper()
	var out strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		info, err := d.Info()
		if err != nil {
			return err
		}
		out.WriteString(filepath.ToSlash(rel) + " " + info.Mode().String())
		if d.Type().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			out.WriteString(" " + string(data))
		}
		out.WriteString("\n")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}
