package gemini

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pinion/host"
	"pinion/internal/testkit"
	"pinion/manifest"
)

// apply makes what is wanted and takes away what was wanted before and is not
// any more.
func apply(t *testing.T, before, now []host.Item) {
	t.Helper()
	path := func(i host.Item) string { return filepath.Join(i.At.Root, filepath.FromSlash(i.At.Name)) }
	for _, i := range before {
		if err := os.Remove(path(i)); err != nil {
			t.Fatal(err)
		}
		os.Remove(filepath.Dir(path(i))) // when it is empty
	}
	for _, i := range now {
		err := os.MkdirAll(filepath.Dir(path(i)), 0o755)
		switch {
		case err != nil:
		case i.Kind == host.LinkItem:
			err = os.Symlink(i.Target, path(i))
		case i.Kind == host.FileItem:
			err = os.WriteFile(path(i), i.Content, 0o600)
		default:
			t.Fatalf("item of kind %s", i.Kind)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// listed is what gemini says of one extension.
type listed struct {
	Name, Version, Path string
	IsActive            bool
	Skills              []struct{ Name, Body string }
}

func list(t *testing.T, c *testkit.Client) map[string]listed {
	t.Helper()
	out := c.Run("extensions", "list", "-o", "json")
	var exts []listed
	if i := strings.IndexByte(out, '['); i < 0 || json.Unmarshal([]byte(out[i:]), &exts) != nil {
		if strings.Contains(out, "No extensions") {
			return nil
		}
		t.Fatalf("gemini printed %q", out)
	}
	all := map[string]listed{}
	for _, e := range exts {
		all[e.Name] = e
	}
	return all
}

// The real Gemini CLI shows the version that is wanted and no other, also after
// its own update and disable, and nothing when it was taken back. The trees are
// read-only, as those of the store are.
func TestRealGemini(t *testing.T) {
	c := testkit.NewClient(t, "gemini")
	pl := host.Place{
		Home: c.Home, Base: filepath.Join(c.Home, ".pinion"), Own: filepath.Join(c.Home, ".pinion", "hosts", "gemini"),
		Getenv: func(string) string { return "" },
	}
	version := func(v string) []host.Plugin {
		ext := stored(t, "demo", map[string]string{
			manifestFile:            `{"name": "demo", "version": "` + v + `"}`,
			"skills/hello/SKILL.md": "---\nname: hello\ndescription: says hello\n---\nversion " + v + "\n",
		})
		skill := stored(t, "my_skill", map[string]string{"SKILL.md": "---\nname: mine\ndescription: d\n---\nmine " + v + "\n"},
			manifest.Component{Type: manifest.SkillComponent, Name: "mine", Path: "SKILL.md"})
		skill.Version = v
		for _, dir := range []string{ext.Dir, skill.Dir} {
			if err := os.Chmod(dir, 0o555); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { os.Chmod(dir, 0o755) })
		}
		return []host.Plugin{ext, skill}
	}
	var now []host.Item
	link := func(plugins []host.Plugin) {
		t.Helper()
		w, err := New().Want(pl, plugins)
		if err != nil || len(w.LeftOut) > 0 {
			t.Fatal(w.LeftOut, err)
		}
		apply(t, now, w.Items)
		now = w.Items
	}
	one, two := version("1.0.0"), version("2.0.0")
	for _, step := range []struct {
		plugins []host.Plugin
		version string
	}{{two, "2.0.0"}, {one, "1.0.0"}} {
		link(step.plugins)
		got := list(t, c)
		if len(got) != 2 || got["demo"].Version != step.version || got["my-skill"].Version != step.version || !got["demo"].IsActive {
			t.Fatalf("gemini lists %+v, want version %s", got, step.version)
		}
		for name, body := range map[string]string{"demo": "version ", "my-skill": "mine "} {
			if s := got[name].Skills; len(s) != 1 || s[0].Body != body+step.version {
				t.Errorf("%s: skills %+v", name, s)
			}
		}
	}
	if out := c.Run("extensions", "update", "--all"); !strings.Contains(out, "No extensions to update") {
		t.Errorf("update --all: %s", out)
	}
	c.Run("extensions", "disable", "demo")
	in, err := New().Installed(t.Context(), pl)
	if err != nil || len(in) != 0 {
		t.Errorf("ours are taken for gemini's own: %+v, %v", in, err)
	}
	if off, err := disabled(filepath.Join(pl.Home, ".gemini", "extensions"), pl.Home); err != nil || len(off) != 1 || off[0] != "demo" {
		t.Errorf("disabled = %v, %v", off, err)
	}
	link(nil)
	if got := list(t, c); len(got) != 0 {
		t.Errorf("gemini still lists %+v", got)
	}
}
