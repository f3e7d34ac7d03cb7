package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// Twenty processes that change the same hosts at once lose nothing: every plugin
// is in every host, and other people's keys are still there. Issue "Hosts", Hand
// over; user needs 64.
func TestTwentyAtOnce(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("pinion")
	if err != nil {
		t.Fatal(err)
	}
	s := newSession(t)
	home := s.vars["HOME"]
	put := func(name, data string) {
		t.Helper()
		p := filepath.Join(home, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put(".claude/settings.json", "{\n  \"model\": \"opus\"\n}\n")
	put(".codex/config.toml", "model = \"x\" # mine\n")
	put(".copilot/settings.json", "{\n  // mine\n}\n")
	must := func(args ...string) {
		t.Helper()
		if code, out, errs := s.run(args...); code != 0 {
			t.Fatalf("pinion %s: exit %d\n%s%s", strings.Join(args, " "), code, out, errs)
		}
	}
	const n = 20
	install := []string{"install"}
	for i := range n {
		must("init", "skill", fmt.Sprintf("p%d", i), fmt.Sprintf("src/p%d", i))
		install = append(install, filepath.Join(s.dir, fmt.Sprintf("src/p%d", i)))
	}
	must(append(install, "-q")...)
	hosts := []string{"claude", "codex", "copilot"}
	for _, h := range hosts {
		must("host", "link", h)
	}
	var env []string
	for k, v := range s.vars {
		env = append(env, k+"="+v)
	}
	var wait sync.WaitGroup
	for i := range n {
		wait.Go(func() {
			cmd := exec.CommandContext(t.Context(), program, "activate", fmt.Sprintf("p%d", i))
			cmd.Dir, cmd.Env = s.dir, env
			if out, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(out), "was not changed") {
				t.Errorf("activate p%d: %v\n%s", i, err, out)
			}
		})
	}
	wait.Wait()
	if code, out, errs := s.run("host", "status"); code != 0 {
		t.Errorf("host status: exit %d\n%s%s", code, out, errs)
	}
	read := func(name string) string {
		t.Helper()
		data, err := os.ReadFile(filepath.Join(home, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	var settings struct {
		Model          string          `json:"model"`
		EnabledPlugins map[string]bool `json:"enabledPlugins"`
	}
	if err := json.Unmarshal([]byte(read(".claude/settings.json")), &settings); err != nil {
		t.Fatal(err)
	}
	var records struct{ Plugins map[string]any }
	if err := json.Unmarshal([]byte(read(".claude/plugins/installed_plugins.json")), &records); err != nil {
		t.Fatal(err)
	}
	if len(settings.EnabledPlugins) != n || settings.Model != "opus" || len(records.Plugins) != n {
		t.Errorf("Claude Code has %d switches and %d records, want %d: %v", len(settings.EnabledPlugins), len(records.Plugins), n, settings)
	}
	if c := read(".codex/config.toml"); strings.Count(c, "enabled = true") != n || !strings.HasPrefix(c, "model = \"x\" # mine\n") {
		t.Errorf("Codex has:\n%s", c)
	}
	if c := read(".copilot/settings.json"); strings.Count(c, "@pinion\": true") != n || !strings.Contains(c, "// mine") {
		t.Errorf("Copilot has:\n%s", c)
	}
	for _, h := range hosts {
		must("host", "unlink", h)
	}
	if got := read(".claude/settings.json") + read(".codex/config.toml") + read(".copilot/settings.json"); got != "{\n  \"model\": \"opus\"\n}\nmodel = \"x\" # mine\n{\n  // mine\n}\n" {
		t.Errorf("after unlink:\n%s", got)
	}
}
