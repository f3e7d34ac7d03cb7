package gemini

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pinion/host"
	"pinion/manifest"
)

func place(t *testing.T) host.Place {
	t.Helper()
	home := t.TempDir()
	return host.Place{
		Home: home, Base: filepath.Join(home, ".pinion"), Own: filepath.Join(home, ".pinion", "hosts", "gemini"),
		Getenv: func(string) string { return "" },
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

// stored is a plugin in a store, with the files that are given.
func stored(t *testing.T, id string, files map[string]string, components ...manifest.Component) host.Plugin {
	t.Helper()
	p := host.Plugin{ID: id, Version: "1.2.0", Description: "about " + id, Dir: t.TempDir(), Enabled: true, Components: components}
	for name, data := range files {
		write(t, filepath.Join(p.Dir, filepath.FromSlash(name)), data)
		p.Files = append(p.Files, host.File{Path: name})
	}
	return p
}

// What Gemini CLI has to find for an extension, for skills alone, and what it
// cannot be given.
func TestWant(t *testing.T) {
	t.Parallel()
	pl := place(t)
	ext := stored(t, "demo", map[string]string{manifestFile: `{"name": "demo-ext", "version": "2.0.0", "mcpServers": {}}`})
	same := stored(t, "same", map[string]string{manifestFile: `{"name": "Demo-Ext", "version": "1.0.0"}`})
	noVersion := stored(t, "none", map[string]string{manifestFile: `{"name": "none"}`})
	badName := stored(t, "bad", map[string]string{manifestFile: `{"name": "../evil", "version": "1.0.0"}`})
	broken := stored(t, "broken", map[string]string{manifestFile: `{"name": `})
	skill := stored(t, "my_skill", map[string]string{"skills/one/SKILL.md": ""}, manifest.Component{Type: manifest.SkillComponent, Name: "one", Path: "skills/one/SKILL.md"})
	hooks := stored(t, "hooks", map[string]string{"hooks/hooks.json": ""}, manifest.Component{Type: manifest.HookComponent, Name: "x", Path: "hooks/hooks.json"})
	off := stored(t, "off", map[string]string{manifestFile: `{"name": "off", "version": "1.0.0"}`})
	off.Enabled = false

	w, err := New().Want(pl, []host.Plugin{ext, same, noVersion, badName, broken, skill, hooks, off})
	if err != nil {
		t.Fatal(err)
	}
	link := func(name string) []byte {
		return []byte("{\n  \"source\": \"" + filepath.ToSlash(filepath.Join(pl.Own, name)) + "\",\n  \"type\": \"link\"\n}\n")
	}
	at := func(name string) host.At {
		return host.At{Root: filepath.Join(pl.Home, ".gemini"), Name: "extensions/" + name + "/" + installFile}
	}
	own := func(name string) host.At { return host.At{Root: pl.Own, Name: name} }
	want := []host.Item{
		host.NewLink(own("demo-ext"), "demo", ext.Dir),
		host.NewFile(at("demo-ext"), link("demo-ext")).For("demo"),
		host.NewFile(own("my-skill/"+manifestFile), []byte("{\n  \"name\": \"my-skill\",\n  \"version\": \"1.2.0\",\n  \"description\": \"about my_skill\"\n}\n")).For("my_skill"),
		host.NewLink(own("my-skill/skills/one"), "my_skill", filepath.Join(skill.Dir, "skills", "one")),
		host.NewFile(at("my-skill"), link("my-skill")).For("my_skill"),
	}
	if d := cmp.Diff(want, w.Items); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]host.Shown{{ID: "demo", Version: "2.0.0", Name: "demo-ext"}, {ID: "my_skill", Version: "1.2.0", Name: "my-skill"}}, w.Shown); d != "" {
		t.Error(d)
	}
	var left []string
	for _, l := range w.LeftOut {
		left = append(left, l.ID)
	}
	if d := cmp.Diff([]string{"same", "none", "bad", "broken", "hooks"}, left); d != "" {
		t.Error(d, w.LeftOut)
	}
}

// Another version changes the link in Pinion's home and nothing of Gemini CLI's,
// so that the extension keeps its id, and with it the user's secret settings.
func TestVersionKeepsSource(t *testing.T) {
	t.Parallel()
	pl := place(t)
	files := map[string]string{manifestFile: `{"name": "demo", "version": "1.0.0"}`}
	one, err := New().Want(pl, []host.Plugin{stored(t, "demo", files)})
	if err != nil {
		t.Fatal(err)
	}
	two, err := New().Want(pl, []host.Plugin{stored(t, "demo", files)})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(one.Items[1], two.Items[1]); d != "" {
		t.Error(d)
	}
	if one.Items[0].Target == two.Items[0].Target {
		t.Error("the link leads to one directory for both versions")
	}
}

// The files are as gemini 0.61.0 wrote them.
func TestInstalled(t *testing.T) {
	t.Parallel()
	pl := place(t)
	root := filepath.Join(pl.Home, ".gemini", "extensions")
	ext := func(dir, name, meta string) {
		write(t, filepath.Join(root, dir, manifestFile), `{"name": "`+name+`", "version": "0.3.0"}`)
		if meta != "" {
			write(t, filepath.Join(root, dir, installFile), meta)
		}
	}
	ext("gext", "gext", `{"source": "https://git.example/gx.git", "type": "git", "ref": "main"}`)
	const commit = "17c4b5b104a51eade79a301f9a302e3a75f01277"
	write(t, filepath.Join(root, "gext", ".git", "HEAD"), commit+"\n")
	ext("packed", "packed", `{"source": "https://git.example/p.git", "type": "git"}`)
	write(t, filepath.Join(root, "packed", ".git", "HEAD"), "ref: refs/heads/main\n")
	write(t, filepath.Join(root, "packed", ".git", "packed-refs"), "# pack-refs with: peeled\n"+commit+" refs/heads/main\n")
	ext("mine", "mine", `{"source": "/src/mine", "type": "local"}`)
	ext("hand", "hand-made", "")
	write(t, filepath.Join(root, "ours", installFile), `{"source": "`+filepath.ToSlash(filepath.Join(pl.Own, "ours"))+`", "type": "link"}`)
	write(t, filepath.Join(root, "extension-enablement.json"), `{"mine": {"overrides": ["!`+filepath.ToSlash(pl.Home)+`/*"]}, "gext": {"overrides": ["!/elsewhere/*"]}}`)

	got, err := New().Installed(t.Context(), pl)
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(root, name) }
	want := []host.Installed{
		{Name: "gext", Shown: "gext", Version: "0.3.0", Source: "https://git.example/gx.git", Ref: "main", Commit: commit, Path: ".", Dir: at("gext"), Enabled: true, InPlace: true},
		{Name: "hand-made", Shown: "hand-made", Version: "0.3.0", Path: ".", Dir: at("hand"), Enabled: true, Why: "nothing says where it came from"},
		{Name: "mine", Shown: "mine", Version: "0.3.0", Source: "/src/mine", Path: ".", Dir: at("mine"), InPlace: true, Why: "it is a local directory"},
		{Name: "packed", Shown: "packed", Version: "0.3.0", Source: "https://git.example/p.git", Commit: commit, Path: ".", Dir: at("packed"), Enabled: true, InPlace: true},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// The rules are those of globToRegex in gemini 0.61.0.
func TestMatches(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule, path string
		want       bool
	}{
		{"/home/u/*", "/home/u/", true},
		{"/home/u/*", "/home/u/code/", true},
		{"/home/u/*", "/home/", false},
		{"/home/u/", "/home/u/", true},
		{"/home/u/", "/home/u/code/", false},
		{"/*", "/home/u/", true},
		{"/a.b/*", "/aXb/", false},
	} {
		if got := matches(c.rule, c.path); got != c.want {
			t.Errorf("matches(%q, %q) = %v, want %v", c.rule, c.path, got, c.want)
		}
	}
}
