package pinion_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pinion"
	"pinion/internal/testkit"
)

// put writes a file of a host.
func put(t *testing.T, home, name, data string) {
	t.Helper()
	at := filepath.Join(home, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at, []byte(data), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Everything that cannot be taken over is in the report with the reason, and the
// one good plugin among it is taken over. The files are as claude 2.1.332 writes
// them, with what somebody could have put there. Issue "Hosts", Hand over.
func TestImportLeavesOut(t *testing.T) { // security 3.3 row 55
	t.Parallel()
	w := newWorld(t)
	commit := w.repo.Commit("main", testkit.Files{
		".claude-plugin/marketplace.json": testkit.Text(`{"name": "good", "owner": {"name": "o"}, "plugins": [
  {"name": "alpha", "source": "./plugins/alpha"},
  {"name": "packed", "source": {"source": "command", "command": "make-it"}},
  {"name": "broken", "source": "./plugins/none"}
]}`),
		"plugins/alpha/.claude-plugin/plugin.json": testkit.Text(`{"name": "alpha", "version": "1.0.0"}`),
		"plugins/alpha/skills/alpha/SKILL.md":      saying("alpha", "A"),
	})
	home := w.env["HOME"]
	secret := filepath.Join(t.TempDir(), "secret")
	put(t, secret, "skills/alpha/SKILL.md", "what is this?")
	put(t, home, ".claude/plugins/known_marketplaces.json", fmt.Sprintf(`{
  "good": {"source": {"source": "git", "url": "file://%s"}, "installLocation": "%s"},
  "dir": {"source": {"source": "directory", "path": "/src/dir"}},
  "url": {"source": {"source": "url", "url": "https://files.example/marketplace.json"}},
  "npm": {"source": {"source": "npm", "package": "p"}},
  "program": {"source": {"source": "git", "url": "ext::sh -c 'touch /tmp/owned'"}},
  "option": {"source": {"source": "git", "url": "--upload-pack=touch"}},
  "token": {"source": {"source": "git", "url": "https://user:hunter2@git.example/x.git"}},
  "../../up": {"source": {"source": "github", "repo": "../../up"}},
  "odd": {"source": {"source": "hostPattern"}},
  "future": 7
}`, filepath.ToSlash(w.repo.Dir), filepath.ToSlash(secret)))
	record := func(version, at, commit string) string {
		return fmt.Sprintf(`[{"scope": "user", "version": %q, "installPath": %q, "gitCommitSha": %q}]`, version, at, commit)
	}
	put(t, home, ".claude/plugins/installed_plugins.json", `{"version": 2, "plugins": {
  "alpha@good": `+record("1.0.0", secret, commit)+`,
  "broken@good": `+record("1.0.0", "", "")+`,
  "packed@good": `+record("1.0.0", "", "")+`,
  "unknown@good": `+record("1.0.0", "", "")+`,
  "lost@good": `+record("1.0.0", "", strings.Repeat("ab", 20))+`,
  "a@dir": `+record("1.0.0", "", "")+`,
  "a@gone": `+record("1.0.0", "", "")+`,
  "plain": `+record("1.0.0", "", "")+`,
  "project@good": [{"scope": "project", "projectPath": "/elsewhere", "version": "1.0.0"}]
}}`)
	r, err := w.client().HostImport(t.Context(), "claude", pinion.ImportOptions{Activate: true})
	if err != nil {
		t.Fatal(err)
	}
	why := map[string]string{}
	for _, m := range r.Marketplaces {
		why[m.Shown] = m.Why
		if strings.Contains(m.Why, "hunter2") {
			t.Errorf("the reason tells a password: %s", m.Why)
		}
	}
	for name, want := range map[string]string{
		"good": "", "dir": "local path", "url": "catalog at a URL", "npm": "no repository", "program": "names a program",
		"option": "looks like an option", "token": "token", "../../up": "no repository of GitHub", "odd": "no repository", "future": "no repository",
	} {
		if got, ok := why[name]; !ok || want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("marketplace %s: %q, want %q", name, got, want)
		}
	}
	got := map[string]pinion.ImportedPlugin{}
	for _, p := range r.Plugins {
		got[p.Shown] = p
	}
	for name, want := range map[string]string{
		"broken@good": "", "packed@good": "", "unknown@good": "no plugin", "lost@good": "", "a@dir": "its marketplace dir was left out",
		"a@gone": "does not know its marketplace", "plain": "",
	} {
		if p, ok := got[name]; !ok || p.ID != "" || p.Why == "" || !strings.Contains(p.Why, want) {
			t.Errorf("plugin %s: %+v, want a reason with %q", name, p, want)
		}
	}
	// The recorded path lies outside the host's cache: it is not looked at.
	if p := got["alpha@good"]; p.ID != "alpha" || p.Commit != commit || p.Why != "" || p.Compared != 0 || p.Enabled || p.Active {
		t.Errorf("alpha: %+v", p)
	}
	if _, ok := got["project@good"]; ok {
		t.Error("a plugin of a project was taken over for the user")
	}
}

// A host's state that cannot be read is an error that names the file, and a host
// without one has nothing.
func TestImportUnreadable(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r, err := w.client().HostImport(t.Context(), "claude", pinion.ImportOptions{})
	if err != nil || len(r.Plugins)+len(r.Marketplaces) != 0 {
		t.Errorf("an empty home: %+v, %v", r, err)
	}
	if _, err := os.Stat(w.home); err == nil {
		t.Error("finding nothing made a home")
	}
	for host, file := range map[string]string{
		"claude": ".claude/plugins/installed_plugins.json", "codex": ".codex/config.toml", "copilot": ".copilot/settings.json", "skills": ".agents/.skill-lock.json",
	} {
		w := newWorld(t)
		put(t, w.env["HOME"], file, "{ [ truncated")
		put(t, w.env["HOME"], ".agents/skills/x/SKILL.md", "x")
		if _, err := w.client().HostImport(t.Context(), host, pinion.ImportOptions{}); err == nil || !strings.Contains(err.Error(), filepath.Base(file)) {
			t.Errorf("%s: %v", host, err)
		}
	}
	if _, err := w.client().HostImport(t.Context(), "emacs", pinion.ImportOptions{}); err == nil || !strings.Contains(err.Error(), "emacs") {
		t.Errorf("an unknown host: %v", err)
	}
}
