package skills_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pinion/host"
	"pinion/host/skills"
	"pinion/manifest"
)

func place(t *testing.T, env map[string]string) host.Place {
	t.Helper()
	home := t.TempDir()
	return host.Place{
		Home: home, Base: filepath.Join(home, ".pinion"), Own: filepath.Join(home, ".pinion", "hosts", "skills"),
		Getenv: func(k string) string { return env[k] },
	}
}

func plugin(id string, components ...manifest.Component) host.Plugin {
	return host.Plugin{ID: id, Version: "1.0.0", Dir: filepath.FromSlash("/store/" + id), Enabled: true, Components: components, Files: []host.File{
		{Path: "SKILL.md"}, {Path: "skills/one/SKILL.md"}, {Path: "skills/one/run.sh", Exec: true}, {Path: "skills/two/SKILL.md"},
	}}
}

func skill(name, path string) manifest.Component {
	return manifest.Component{Type: manifest.SkillComponent, Name: name, Path: path}
}

// What of a plugin can stand alone as skills, and what cannot.
func TestFaces(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		parts []manifest.Component
		want  []skills.Face
		rest  []string
		why   string
	}{
		{"one at the top", []manifest.Component{skill("tool", "SKILL.md")}, []skills.Face{{Name: "tool", Dir: "."}}, nil, ""},
		{"two", []manifest.Component{skill("one", "skills/one/SKILL.md"), skill("two", "skills/two/SKILL.md")},
			[]skills.Face{{Name: "one", Dir: "skills/one"}, {Name: "two", Dir: "skills/two"}}, nil, ""},
		{"a name for people", []manifest.Component{skill("My Skill", "skills/one/SKILL.md")}, []skills.Face{{Name: "one", Dir: "skills/one"}}, nil, ""},
		{"its own script", []manifest.Component{skill("one", "skills/one/SKILL.md"), {Type: manifest.ProgramComponent, Path: "skills/one/run.sh"}},
			[]skills.Face{{Name: "one", Dir: "skills/one"}}, nil, ""},
		{"a program of the plugin", []manifest.Component{skill("one", "skills/one/SKILL.md"), {Type: manifest.ProgramComponent, Path: "bin/run"}},
			[]skills.Face{{Name: "one", Dir: "skills/one"}}, []string{"programs"}, "its skills may rely on its programs, which this host cannot load"},
		{"with commands", []manifest.Component{skill("one", "skills/one/SKILL.md"), {Type: manifest.CommandComponent}},
			[]skills.Face{{Name: "one", Dir: "skills/one"}}, []string{"commands"}, ""},
		{"servers only", []manifest.Component{{Type: manifest.ServerComponent}, {Type: manifest.HookComponent}}, nil,
			[]string{"MCP servers", "hooks"}, "it has no skills, only MCP servers and hooks"},
		{"nothing", nil, nil, nil, "it has no skills"},
	} {
		faces, rest := skills.Faces(plugin("tool", c.parts...))
		if d := cmp.Diff(c.want, faces); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
		if d := cmp.Diff(c.rest, rest); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
		if got := skills.WhyNot(faces, rest); got != c.why {
			t.Errorf("%s: WhyNot = %q, want %q", c.name, got, c.why)
		}
	}
}

// A skill is one link, named like it; two of one name are not decided by chance.
func TestWant(t *testing.T) {
	t.Parallel()
	pl := place(t, nil)
	off := plugin("off", skill("off", "SKILL.md"))
	off.Enabled = false
	w, err := skills.NewShared().Want(pl, []host.Plugin{
		plugin("a", skill("one", "skills/one/SKILL.md"), skill("two", "skills/two/SKILL.md")),
		plugin("b", skill("one", "SKILL.md")),
		plugin("hooked", skill("three", "SKILL.md"), manifest.Component{Type: manifest.HookComponent, Path: "hooks/hooks.json"}),
		off,
	})
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(pl.Home, ".agents")
	want := host.Want{
		Items: []host.Item{
			host.NewLink(host.At{Root: root, Name: "skills/one"}, "a", filepath.FromSlash("/store/a/skills/one")),
			host.NewLink(host.At{Root: root, Name: "skills/two"}, "a", filepath.FromSlash("/store/a/skills/two")),
		},
		Shown: []host.Shown{{ID: "a", Version: "1.0.0", Name: "one"}, {ID: "a", Version: "1.0.0", Name: "two"}},
		LeftOut: []host.LeftOut{
			{ID: "b", Reason: "its skill one has the name of one of a"},
			{ID: "hooked", Reason: "its skills may rely on its hooks, which this host cannot load"},
		},
	}
	if d := cmp.Diff(want, w); d != "" {
		t.Error(d)
	}
}

// Where links do not work a skill is a copy of its own files and no others.
func TestCopy(t *testing.T) {
	t.Parallel()
	pl := place(t, nil)
	pl.Copy, pl.Project = true, filepath.Join(pl.Home, "work")
	w, err := skills.NewShared().Want(pl, []host.Plugin{plugin("a", skill("one", "skills/one/SKILL.md"))})
	if err != nil || len(w.Items) != 1 {
		t.Fatal(w, err)
	}
	got := w.Items[0]
	if got.Kind != host.CopyItem || got.At != (host.At{Root: pl.Project, Name: ".agents/skills/one"}) || len(got.Files) != 2 || got.Files[0].Path != "SKILL.md" {
		t.Errorf("item = %+v", got)
	}
}

// A directory that the user moved with XDG_CONFIG_HOME is used there.
func TestConfigHome(t *testing.T) {
	t.Parallel()
	at := filepath.Join(t.TempDir(), "config")
	pl := place(t, map[string]string{"XDG_CONFIG_HOME": at})
	d, _ := skills.For("opencode")
	if got := skills.New(d).Look(pl).Dir; got != filepath.Join(at, "opencode", "skills") {
		t.Errorf("dir = %s", got)
	}
}

// Every row of the table can be told apart and stays below the home.
func TestDirs(t *testing.T) {
	t.Parallel()
	last := ""
	for _, d := range skills.Dirs() {
		if d.Host <= last {
			t.Errorf("%s comes after %s", d.Host, last)
		}
		last = d.Host
		if !filepath.IsLocal(d.User) || !filepath.IsLocal(d.Project) || d.Config != strings.HasPrefix(d.User, ".config/") || d.Title == "" {
			t.Errorf("%+v", d)
		}
	}
}

func write(t *testing.T, name, data string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(data), 0o644); err != nil {
		t.Fatal(err)
	}
}

// What is there and is not ours, with where the lock file says it came from. The
// lock file is as skills 1.7.4 wrote it.
func TestInstalled(t *testing.T) {
	t.Parallel()
	pl := place(t, nil)
	dir := filepath.Join(pl.Home, ".agents", "skills")
	for _, n := range []string{"alpha", "beta", "gamma", "local", "odd"} {
		write(t, filepath.Join(dir, n, "SKILL.md"), "---\nname: "+n+"\ndescription: d\n---\n")
	}
	write(t, filepath.Join(dir, "notes", "README.md"), "no skill")
	write(t, filepath.Join(pl.Base, "packages", "x", "SKILL.md"), "ours")
	if err := os.Symlink(filepath.Join(pl.Base, "packages", "x"), filepath.Join(dir, "ours")); err != nil {
		t.Skip("no links here:", err)
	}
	write(t, filepath.Join(pl.Home, ".agents", ".skill-lock.json"), `{
  "version": 3,
  "skills": {
    "alpha": {"source": "acme/mk", "sourceType": "github", "sourceUrl": "https://github.com/acme/mk.git", "skillPath": "plugins/alpha/skills/alpha/SKILL.md", "skillFolderHash": "0c26"},
    "beta": {"source": "https://git.example/b.git", "sourceType": "git", "sourceUrl": "https://git.example/b.git", "ref": "v1", "skillPath": "SKILL.md"},
    "local": {"source": "/src", "sourceType": "local"},
    "odd": {"source": "acme/mk", "sourceType": "github", "skillPath": "../../etc/SKILL.md"}
  },
  "dismissed": {}
}`)
	got, err := skills.NewShared().Installed(t.Context(), pl)
	if err != nil {
		t.Fatal(err)
	}
	want := []host.Installed{
		{Name: "alpha", Shown: "alpha", Source: "acme/mk", Path: "plugins/alpha/skills/alpha", Dir: filepath.Join(dir, "alpha"), Enabled: true, InPlace: true},
		{Name: "beta", Shown: "beta", Source: "https://git.example/b.git", Ref: "v1", Path: ".", Dir: filepath.Join(dir, "beta"), Enabled: true, InPlace: true},
		{Name: "gamma", Shown: "gamma", Dir: filepath.Join(dir, "gamma"), Enabled: true, InPlace: true, Why: "no lock file says where it came from"},
		{Name: "local", Shown: "local", Dir: filepath.Join(dir, "local"), Enabled: true, InPlace: true, Why: `it came from a source of the kind "local", which is no repository`},
		{Name: "odd", Shown: "odd", Source: "acme/mk", Path: "../../etc", Dir: filepath.Join(dir, "odd"), Enabled: true, InPlace: true, Why: `the lock file has the path "../../etc/SKILL.md", which leads to no skill`},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// A lock file that cannot be read is said to be one, and never taken for an
// empty one; a link in its place is not followed.
func TestHostileLock(t *testing.T) {
	t.Parallel()
	for name, data := range map[string]string{"text": "not json", "list": "[]", "deep": strings.Repeat("[", 100_000)} {
		pl := place(t, nil)
		write(t, filepath.Join(pl.Home, ".agents", ".skill-lock.json"), data)
		if _, err := skills.NewShared().Installed(t.Context(), pl); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	pl := place(t, nil)
	write(t, filepath.Join(pl.Home, "elsewhere.json"), `{"version": 3}`)
	if err := os.MkdirAll(filepath.Join(pl.Home, ".agents"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../elsewhere.json", filepath.Join(pl.Home, ".agents", ".skill-lock.json")); err != nil {
		t.Skip("no links here:", err)
	}
	if _, err := skills.NewShared().Installed(t.Context(), pl); err == nil {
		t.Error("a link was followed")
	}
}
