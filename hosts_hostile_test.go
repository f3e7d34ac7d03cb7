package pinion_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pinion"
)

// The first link is a change, also when nothing is active yet, and is remembered:
// what is activated later is seen. Issue "Hosts", Hand over.
func TestLinkBeforeAnythingIsActive(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	put(t, home, ".claude/settings.json", "{}\n")
	h := handOver(t, home)
	for i, want := range []bool{true, false} {
		r, err := h.lib.HostLink(t.Context(), "claude", pinion.HostOptions{})
		if err != nil || r.Changed != want || !r.Linked || r.Restart != "" {
			t.Errorf("link %d with nothing active: %+v, %v", i, r, err)
		}
	}
	h.activate("1.0.0")
	data, err := os.ReadFile(filepath.Join(home, ".claude", "settings.json"))
	if err != nil || !strings.Contains(string(data), `"greet@pinion": true`) {
		t.Errorf("not seen after the activation: %s, %v", data, err)
	}
}

// A refusal says what to do, and never advises what would be refused again.
func TestWayOutOfARefusal(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, settings, hint, not string
		linked                    bool
	}{
		{"a marketplace of the user", `{"extraKnownMarketplaces": {"pinion": {"source": {"source": "github", "repo": "a/b"}}}}`, "take it out of the file", "--replace", false},
		{"a link", "{}\n", "in the place of the link", "--replace", true},
		{"no object", `{"enabledPlugins": null}`, "put it right", "--replace", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			name := ".claude/settings.json"
			if tt.linked {
				name = "dots/settings.json"
				put(t, home, ".claude/keep", "")
				if err := os.Symlink("../dots/settings.json", filepath.Join(home, ".claude", "settings.json")); err != nil {
					t.Fatal(err)
				}
			}
			put(t, home, name, tt.settings)
			h := handOver(t, home)
			h.activate("1.0.0")
			before := snapshot(t, home)
			_, err := h.lib.HostLink(t.Context(), "claude", pinion.HostOptions{Replace: true})
			if hint := pinion.Hint(err); err == nil || !strings.Contains(hint, tt.hint) || strings.Contains(hint, tt.not) {
				t.Errorf("%v\n%s", err, hint)
			}
			if d := snapshot(t, home); d != before {
				t.Errorf("a refusal changed something:\n%s", d)
			}
		})
	}
}

// A plugin whose files are gone from the store goes from the hosts, and stops
// neither the look at them nor the repair.
func TestStoreWasEmptied(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	put(t, home, ".claude/settings.json", "{}\n")
	before := snapshot(t, home)
	h := handOver(t, home)
	h.activate("1.0.0")
	h.link("claude", pinion.HostOptions{})
	dir, err := h.lib.Path(t.Context(), ref(t, "greet"))
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			err = os.Chmod(p, 0o700)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if got := h.state("claude"); got == "ok" {
		t.Error("the host has a link to nothing, and all is well")
	}
	h.link("claude", pinion.HostOptions{})
	if d := snapshot(t, home); strings.Contains(d, "greet") {
		t.Errorf("still there:\n%s", d)
	}
	if _, err := h.lib.HostUnlink(t.Context(), "claude", pinion.HostOptions{}); err != nil {
		t.Fatal(err)
	}
	if d := snapshot(t, home); d != before {
		t.Errorf("unlinked:\n%s\nwant\n%s", d, before)
	}
}

// What a deleted project left in the user's files is found, and taken back.
func TestProjectIsGone(t *testing.T) {
	t.Parallel()
	home, project := t.TempDir(), filepath.Join(t.TempDir(), "project")
	put(t, home, ".claude/settings.json", "{}\n")
	before := snapshot(t, home)
	h := handOver(t, home)
	lib, err := pinion.New(pinion.Options{Home: h.lib.Home(), Cwd: t.TempDir(), Project: project, Getenv: func(k string) string {
		return map[string]string{"HOME": home, "PATH": os.Getenv("PATH")}[k]
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { lib.Close() })
	put(t, project, ".pinion/keep", "")
	if _, err := lib.Activate(t.Context(), ref(t, "greet@1.0.0"), pinion.ActivateOptions{Allow: both, Project: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := lib.HostLink(t.Context(), "claude", pinion.HostOptions{Project: true}); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(project); err != nil {
		t.Fatal(err)
	}
	r, err := h.lib.Doctor(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, c := range r.Checks {
		found = found || c.Name == "hosts" && strings.Contains(c.Fix, "PINION_PROJECT="+project)
	}
	if !found {
		t.Errorf("doctor does not say it: %+v", r.Checks)
	}
	if _, err := lib.HostUnlink(t.Context(), "claude", pinion.HostOptions{Project: true}); err != nil {
		t.Fatal(err)
	}
	if d := snapshot(t, home); d != before {
		t.Errorf("unlinked:\n%s\nwant\n%s", d, before)
	}
	if _, err := os.Lstat(project); err == nil {
		t.Error("the project was made again")
	}
}

// A policy that was tightened after the activation counts for hosts too: the
// plugin goes with the next command, and comes back with the policy.
func TestPolicyTightenedLater(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	put(t, home, ".claude/settings.json", "{}\n")
	h := handOver(t, home)
	h.activate("1.0.0")
	h.link("claude", pinion.HostOptions{})
	policy := ".config/pinion/policy.toml"
	put(t, home, policy, "[deny]\nkinds = ['skill', 'extension']\n")
	if got := h.state("claude"); got == "ok" {
		t.Error("the policy forbids it, and the host has it: all is well")
	}
	r, err := h.lib.HostLink(t.Context(), "claude", pinion.HostOptions{})
	if err != nil || len(r.Shown) != 0 || len(r.LeftOut) != 1 || !strings.Contains(r.LeftOut[0].Reason, "denied") {
		t.Errorf("%+v, %v", r, err)
	}
	if data, err := os.ReadFile(filepath.Join(home, ".claude", "settings.json")); err != nil || strings.Contains(string(data), "greet") {
		t.Errorf("the host still has it: %s, %v", data, err)
	}
	if err := os.Remove(filepath.Join(home, filepath.FromSlash(policy))); err != nil {
		t.Fatal(err)
	}
	h.link("claude", pinion.HostOptions{})
	if got := h.state("claude"); got != "ok" {
		t.Errorf("without the policy: %q", got)
	}
}

// A project's policy counts in the project, whoever made the plugin active.
func TestPolicyOfTheProject(t *testing.T) {
	t.Parallel()
	home, project := t.TempDir(), t.TempDir()
	put(t, home, ".claude/settings.json", "{}\n")
	h := handOver(t, home)
	lib, err := pinion.New(pinion.Options{Home: h.lib.Home(), Cwd: project, Project: project, Getenv: func(k string) string {
		return map[string]string{"HOME": home, "PATH": os.Getenv("PATH")}[k]
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { lib.Close() })
	if _, err := lib.Activate(t.Context(), ref(t, "greet@1.0.0"), pinion.ActivateOptions{Allow: both, Project: true}); err != nil {
		t.Fatal(err)
	}
	put(t, project, ".pinion/policy.toml", "[deny]\nkinds = ['skill', 'extension']\n")
	r, err := lib.HostLink(t.Context(), "claude", pinion.HostOptions{Project: true})
	if err != nil || len(r.Shown) != 0 || len(r.LeftOut) != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}
