package skills_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pinion/host"
	"pinion/host/skills"
	"pinion/internal/testkit"
	"pinion/manifest"
)

// The real skills program shows a linked skill, leaves it alone when it updates
// and removes, and puts its own copy in the place of the link, never through it,
// when it is told to add a skill of the same name.
func TestRealSkills(t *testing.T) {
	c := testkit.NewClient(t, "skills")
	store := filepath.Join(t.TempDir(), "hello")
	write(t, filepath.Join(store, "SKILL.md"), "---\nname: hello\ndescription: says hello\n---\nours\n")
	pl := host.Place{Home: c.Home, Base: filepath.Dir(store), Own: filepath.Join(filepath.Dir(store), "hosts", "skills"), Getenv: func(string) string { return "" }}
	w, err := skills.NewShared().Want(pl, []host.Plugin{{ID: "hello", Version: "1.0.0", Dir: store, Enabled: true, Files: []host.File{{Path: "SKILL.md"}},
		Components: []manifest.Component{{Type: manifest.SkillComponent, Name: "hello", Path: "SKILL.md"}}}})
	if err != nil || len(w.Items) != 1 {
		t.Fatal(w, err)
	}
	at := filepath.Join(w.Items[0].At.Root, filepath.FromSlash(w.Items[0].At.Name))
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(w.Items[0].Target, at); err != nil {
		t.Fatal(err)
	}
	shown := func() string {
		var list []struct{ Name, Path string }
		out := c.Run("list", "-g", "--json")
		if err := json.Unmarshal([]byte(out), &list); err != nil || len(list) != 1 || list[0].Name != "hello" {
			t.Fatalf("skills lists %s, %v", out, err)
		}
		data, err := os.ReadFile(filepath.Join(list[0].Path, "SKILL.md"))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	c.Run("update", "-g", "-y")
	c.Run("remove", "hello", "-g", "-y")
	if got := shown(); !strings.Contains(got, "ours") {
		t.Errorf("after update and remove: %s", got)
	}
	if in, err := skills.NewShared().Installed(t.Context(), pl); err != nil || len(in) != 0 {
		t.Errorf("ours is taken for the program's own: %+v, %v", in, err)
	}
	src := filepath.Join(t.TempDir(), "src")
	write(t, filepath.Join(src, "skills", "hello", "SKILL.md"), "---\nname: hello\ndescription: other\n---\ntheirs\n")
	c.Run("add", src, "-s", "hello", "-g", "-a", "codex", "-y")
	if got := shown(); !strings.Contains(got, "theirs") {
		t.Errorf("after add: %s", got)
	}
	if data, err := os.ReadFile(filepath.Join(store, "SKILL.md")); err != nil || !strings.Contains(string(data), "ours") {
		t.Errorf("the store was written through the link: %s, %v", data, err)
	}
	if in, err := skills.NewShared().Installed(t.Context(), pl); err != nil || len(in) != 1 {
		t.Errorf("what the program put there now: %+v, %v", in, err)
	}
}
