package vscode

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pinion/host"
	"pinion/manifest"
)

func place(t *testing.T, env map[string]string) host.Place {
	t.Helper()
	home := t.TempDir()
	return host.Place{
		Home: home, Base: filepath.Join(home, ".pinion"), Own: filepath.Join(home, ".pinion", "hosts", "vscode"),
		Getenv: func(k string) string { return env[k] },
	}
}

// Where each system and edition keeps the user's settings.
func TestDirs(t *testing.T) {
	t.Parallel()
	pl := place(t, nil)
	insiders := Variants()[1]
	for os, want := range map[string]string{
		"linux":   filepath.Join(pl.Home, ".config", "Code - Insiders", "User"),
		"darwin":  filepath.Join(pl.Home, "Library", "Application Support", "Code - Insiders", "User"),
		"windows": filepath.Join(pl.Home, "AppData", "Roaming", "Code - Insiders", "User"),
	} {
		if got := (Adapter{insiders, os}).dir(pl); got != want {
			t.Errorf("%s: %s, want %s", os, got, want)
		}
	}
	moved := filepath.Join(t.TempDir(), "moved")
	if got := (Adapter{insiders, "linux"}).dir(place(t, map[string]string{"XDG_CONFIG_HOME": moved})); got != filepath.Join(moved, "Code - Insiders", "User") {
		t.Errorf("XDG_CONFIG_HOME: %s", got)
	}
	if got := (Adapter{insiders, "darwin"}).dir(place(t, map[string]string{"VSCODE_PORTABLE": moved})); got != filepath.Join(moved, "user-data", "User") {
		t.Errorf("VSCODE_PORTABLE: %s", got)
	}
}

// One key for each plugin, by the directory of its version; skills without a
// manifest get one of Agent Plugins 1.0.
func TestWant(t *testing.T) {
	t.Parallel()
	pl := place(t, nil)
	a := Adapter{Variants()[0], "linux"}
	claude := host.Plugin{ID: "tools", Version: "1.0.0", Dir: "/store/tools", Enabled: true, Files: []host.File{{Path: ".claude-plugin/plugin.json"}, {Path: "hooks/hooks.json"}},
		Components: []manifest.Component{{Type: manifest.HookComponent, Path: "hooks/hooks.json"}}}
	skill := host.Plugin{ID: "style", Version: "2.0.0", Dir: "/store/style", Enabled: true, Files: []host.File{{Path: "SKILL.md"}},
		Components: []manifest.Component{{Type: manifest.SkillComponent, Name: "style", Path: "SKILL.md"}}}
	mcp := host.Plugin{ID: "mcp", Version: "1.0.0", Dir: "/store/mcp", Enabled: true, Files: []host.File{{Path: "server.py"}},
		Components: []manifest.Component{{Type: manifest.ServerComponent, Path: "server.py"}}}
	w, err := a.Want(pl, []host.Plugin{claude, skill, mcp})
	if err != nil {
		t.Fatal(err)
	}
	at := host.At{Root: a.dir(pl), Name: "settings.json"}
	made := "{\n  \"$schema\": \"" + schemaURL + "\",\n  \"name\": \"style\",\n  \"version\": \"2.0.0\"\n}\n"
	want := host.Want{
		Items: []host.Item{
			host.NewKey(at, host.JSONC, true, setting, "/store/tools").For("tools").Replacing(),
			host.NewFile(host.At{Root: pl.Own, Name: "style-2.0.0/plugin.json"}, []byte(made)).For("style"),
			host.NewLink(host.At{Root: pl.Own, Name: "style-2.0.0/skills/style"}, "style", "/store/style"),
			host.NewKey(at, host.JSONC, true, setting, filepath.Join(pl.Own, "style-2.0.0")).For("style").Replacing(),
		},
		Shown:   []host.Shown{{ID: "tools", Version: "1.0.0", Name: "tools"}, {ID: "style", Version: "2.0.0", Name: "style"}},
		LeftOut: []host.LeftOut{{ID: "mcp", Reason: "it has no manifest for Visual Studio Code, and its MCP servers cannot be given to it without one"}},
	}
	if d := cmp.Diff(want, w); d != "" {
		t.Error(d)
	}
}

// settings.json is JSON with comments and commas at the end.
func TestInstalled(t *testing.T) {
	t.Parallel()
	pl := place(t, nil)
	a := Adapter{Variants()[0], "linux"}
	if got, err := a.Installed(t.Context(), pl); err != nil || got != nil {
		t.Fatal(got, err)
	}
	text := `{
  // mine
  "editor.fontSize": 14, /* large */
  "chat.pluginLocations": {
    "/opt/tool": true, // "http://x"
    "~/other": false,
    "` + filepath.ToSlash(filepath.Join(pl.Base, "packages", "x")) + `": true,
  },
}
`
	if err := os.MkdirAll(a.dir(pl), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(a.dir(pl), "settings.json"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	got, err := a.Installed(t.Context(), pl)
	if err != nil {
		t.Fatal(err)
	}
	off := func(key string) []host.Item {
		return []host.Item{host.NewKey(host.At{Root: a.dir(pl), Name: "settings.json"}, host.JSONC, false, setting, key)}
	}
	want := []host.Installed{
		{Name: "tool", Shown: "/opt/tool", Dir: "/opt/tool", Enabled: true, Why: "it is a local directory", Off: off("/opt/tool")},
		{Name: "other", Shown: "~/other", Dir: "~/other", Why: "it is a local directory", Off: off("~/other")},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
