package cursor_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pinion/host"
	"pinion/host/cursor"
	"pinion/manifest"
)

func place(t *testing.T) host.Place {
	t.Helper()
	home := t.TempDir()
	return host.Place{
		Home: home, Base: filepath.Join(home, ".pinion"), Own: filepath.Join(home, ".pinion", "hosts", "cursor"),
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

// A plugin with Cursor's manifest is linked as it is; skills alone get a closed
// manifest around them; the rest is left out with the reason.
func TestWant(t *testing.T) {
	t.Parallel()
	pl := place(t)
	own := host.Plugin{ID: "tools", Version: "1.0.0", Dir: t.TempDir(), Enabled: true, Files: []host.File{{Path: ".cursor-plugin/plugin.json"}}}
	write(t, filepath.Join(own.Dir, ".cursor-plugin", "plugin.json"), `{"name": "acme.tools"}`)
	skill := host.Plugin{ID: "my_style", Version: "2.0.0", Dir: "/store/style", Enabled: true, Files: []host.File{{Path: "SKILL.md"}},
		Components: []manifest.Component{{Type: manifest.SkillComponent, Name: "style", Path: "SKILL.md"}}}
	hooks := host.Plugin{ID: "hooks", Version: "1.0.0", Enabled: true, Components: []manifest.Component{{Type: manifest.HookComponent, Path: "hooks/hooks.json"}}}
	w, err := cursor.New().Want(pl, []host.Plugin{own, skill, hooks})
	if err != nil {
		t.Fatal(err)
	}
	local := func(name string) host.At {
		return host.At{Root: filepath.Join(pl.Home, ".cursor"), Name: "plugins/local/" + name}
	}
	want := host.Want{
		Items: []host.Item{
			host.NewLink(local("acme.tools"), "tools", own.Dir),
			host.NewFile(host.At{Root: pl.Own, Name: "my-style/.cursor-plugin/plugin.json"}, []byte("{\n  \"name\": \"my-style\",\n  \"version\": \"2.0.0\"\n}\n")).For("my_style"),
			host.NewLink(host.At{Root: pl.Own, Name: "my-style/skills/style"}, "my_style", "/store/style"),
			host.NewLink(local("my-style"), "my_style", filepath.Join(pl.Own, "my-style")),
		},
		Shown:   []host.Shown{{ID: "tools", Version: "1.0.0", Name: "acme.tools"}, {ID: "my_style", Version: "2.0.0", Name: "my-style"}},
		LeftOut: []host.LeftOut{{ID: "hooks", Reason: "it has no manifest for Cursor, and its hooks cannot be given to it without one"}},
	}
	if d := cmp.Diff(want, w); d != "" {
		t.Error(d)
	}
	pl.Copy = true
	if w, err = cursor.New().Want(pl, []host.Plugin{skill}); err != nil || len(w.Items) != 2 || w.Items[1].Kind != host.CopyItem || w.Items[1].At != local("my-style/skills/style") {
		t.Errorf("copies: %+v, %v", w, err)
	}
}

// Only what is a plugin and not ours is Cursor's own.
func TestInstalled(t *testing.T) {
	t.Parallel()
	pl := place(t)
	root := filepath.Join(pl.Home, ".cursor", "plugins", "local")
	write(t, filepath.Join(root, "mine", ".cursor-plugin", "plugin.json"), `{"name": "mine", "version": "0.1.0"}`)
	write(t, filepath.Join(root, "notes", "x.txt"), "x")
	write(t, filepath.Join(pl.Own, "ours", ".cursor-plugin", "plugin.json"), `{"name": "ours"}`)
	if err := os.Symlink(filepath.Join(pl.Own, "ours"), filepath.Join(root, "ours")); err != nil {
		t.Skip("no links here:", err)
	}
	got, err := cursor.New().Installed(t.Context(), pl)
	want := []host.Installed{{Name: "mine", Shown: "mine", Version: "0.1.0", Dir: filepath.Join(root, "mine"), Enabled: true, InPlace: true, Why: "it is a local directory"}}
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Error(d, err)
	}
}
