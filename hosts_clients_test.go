package pinion_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pinion"
	"pinion/host"
	"pinion/internal/testkit"
	"pinion/market"
)

// shownBy asks the real program what it has, as "NAME VERSION on|off".
func shownBy(t *testing.T, c *testkit.Client, name string) []string {
	t.Helper()
	var out []string
	add := func(full, version string, on bool) {
		if strings.HasSuffix(full, "@pinion") {
			out = append(out, strings.TrimSuffix(full, "@pinion")+" "+version+" "+map[bool]string{true: "on", false: "off"}[on])
		}
	}
	switch name {
	case "claude":
		var list []struct {
			ID, Version, FolderVersion string
			Enabled                    bool
			Errors                     []string
		}
		decodeList(t, c.Run("plugin", "list", "--json"), '[', &list)
		for _, p := range list {
			add(p.ID, p.Version, p.Enabled)
			if strings.HasSuffix(p.ID, "@pinion") && (p.FolderVersion != p.Version || len(p.Errors) > 0) {
				t.Errorf("claude loads %q of %s %s: %v", p.FolderVersion, p.ID, p.Version, p.Errors)
			}
		}
	case "codex":
		var list struct {
			Installed []struct {
				PluginID, Version string
				Enabled           bool
			}
		}
		decodeList(t, c.Run("plugin", "list", "--json"), '{', &list)
		for _, p := range list.Installed {
			add(p.PluginID, p.Version, p.Enabled)
		}
	case "copilot":
		for line := range strings.Lines(c.Run("plugin", "list")) {
			f := strings.Fields(strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(line), "•")))
			if len(f) == 3 && strings.HasPrefix(f[1], "(v") {
				add(f[0], strings.Trim(f[1], "(v)"), f[2] == "(enabled)")
			}
		}
	}
	slices.Sort(out)
	return out
}

// decodeList reads the JSON of a program that may print warnings before it.
func decodeList(t *testing.T, out string, open byte, v any) {
	t.Helper()
	at := strings.IndexByte("\n"+out, '\n')
	for at >= 0 && at < len(out) && out[at] != open {
		next := strings.IndexByte(out[at:], '\n')
		if next < 0 {
			break
		}
		at += next + 1
	}
	if err := json.NewDecoder(strings.NewReader(out[min(at, len(out)):])).Decode(v); err != nil {
		t.Fatalf("%v in\n%s", err, out)
	}
}

// skillsOf asks the real program which skills it loads.
func skillsOf(t *testing.T, c *testkit.Client, name string) string {
	t.Helper()
	switch name {
	case "codex":
		return c.Run("debug", "prompt-input", "hi")
	case "copilot":
		return c.Run("skill", "list")
	}
	// A session begins by saying what is loaded. Without an account it ends there,
	// with an error.
	out, _ := c.Try("-p", "hi", "--output-format", "stream-json", "--verbose")
	for line := range strings.Lines(out) {
		var start struct {
			Subtype string
			Plugins []struct{ Name, Version, Source string }
			Skills  []string
		}
		if json.Unmarshal([]byte(line), &start) != nil || start.Subtype != "init" {
			continue
		}
		var loaded []string
		for _, p := range start.Plugins {
			loaded = append(loaded, p.Source+" "+p.Version)
		}
		return strings.Join(append(loaded, start.Skills...), "\n")
	}
	return out
}

// tree lists files and links below a directory with their content, without what
// the programs themselves write as they run.
func treeOf(t *testing.T, root string, names ...string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, name := range names {
		path := filepath.Join(root, name)
		data, err := os.ReadFile(path)
		if err == nil {
			out[name] = string(data)
		} else if !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	return out
}

// The whole life of a link with the real program: what is active in Pinion is
// exactly what the program lists and loads, after each verb; somebody's change of
// its copy is told; and in the end nothing is left. Issue "Hosts", Prove; user
// needs 55, 56, 91.
func TestLinkWithRealClients(t *testing.T) {
	for _, c := range []struct {
		name    string
		config  string // a file of the user, below the home
		content string
		load    string // a skill as the program prints it, for a version
		copied  string // a file of the program's copy, below the home; "" for none
	}{
		{"claude", ".claude/settings.json", "{\n  \"model\": \"opus\",\n  \"enabledPlugins\": {}\n}\n", "alpha@pinion V", ""},
		{"codex", ".codex/config.toml", "# mine\nmodel = \"x\" # why\n\n[tui]\ntheme = 'dark'\n", "says alpha V", ".codex/plugins/cache/pinion/alpha/1.1.0/skills/alpha/SKILL.md"},
		// Copilot itself drops comments when it writes, as it does in this test.
		{"copilot", ".copilot/settings.json", "{\n  \"theme\": \"dark\"\n}\n", "says alpha V", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			real := testkit.NewClient(t, c.name)
			real.Dir = t.TempDir() // at home, Claude Code's own directory would be a project's
			lib := importer(t, real)
			config := filepath.Join(real.Home, filepath.FromSlash(c.config))
			if err := os.MkdirAll(filepath.Dir(config), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(config, []byte(c.content), 0o640); err != nil {
				t.Fatal(err)
			}
			repo := testkit.NewRepo(t)
			files := func(version string) testkit.Files {
				return testkit.Files{
					".claude-plugin/marketplace.json": testkit.Text(`{"name": "acme", "owner": {"name": "o"}, "plugins": [
  {"name": "alpha", "source": "./plugins/alpha", "description": "a"},
  {"name": "solo", "source": "./plugins/solo", "version": "0.3.0", "description": "one skill"}]}`),
					"plugins/alpha/.claude-plugin/plugin.json": testkit.Text(`{"name": "alpha", "version": "` + version + `", "description": "a"}`),
					"plugins/alpha/skills/alpha/SKILL.md":      testkit.Text("---\nname: alpha\ndescription: says alpha " + version + "\n---\nA\n"),
					"plugins/solo/SKILL.md":                    testkit.Text("---\nname: solo\ndescription: says solo\n---\nS\n"),
				}
			}
			repo.Commit("main", files("1.0.0"))
			ctx := t.Context()
			do := func(what string, err error) {
				t.Helper()
				if err != nil {
					t.Fatalf("%s: %v", what, err)
				}
			}
			expect := func(after string, want ...string) {
				t.Helper()
				if d := cmp.Diff(want, shownBy(t, real, c.name)); d != "" {
					t.Errorf("after %s %s shows (-want +got):\n%s", after, c.name, d)
				}
			}
			ref := func(s string) pinion.Ref {
				r, err := pinion.ParseRef(s, real.Dir)
				do("ref", err)
				return r
			}
			_, err := lib.MarketplaceAdd(ctx, "file://"+filepath.ToSlash(repo.Dir), market.AddOptions{})
			do("add", err)
			_, err = lib.Install(ctx, []pinion.Ref{ref("alpha"), ref("solo")}, pinion.InstallOptions{Activate: true})
			do("install", err)

			_, err = lib.HostLink(ctx, c.name, pinion.HostOptions{DryRun: true})
			do("dry run", err)
			if d := cmp.Diff(map[string]string{c.config: c.content}, treeOf(t, real.Home, c.config)); d != "" {
				t.Fatal("a dry run changed something:", d)
			}
			r, err := lib.HostLink(ctx, c.name, pinion.HostOptions{})
			do("link", err)
			if !r.Changed || len(r.Shown) != 2 || len(r.LeftOut) != 0 {
				t.Errorf("link: %+v", r.Result)
			}
			expect("link", "alpha 1.0.0 on", "solo 0.3.0 on")
			if got := skillsOf(t, real, c.name); !strings.Contains(got, strings.Replace(c.load, "V", "1.0.0", 1)) || !strings.Contains(got, "solo") {
				t.Errorf("the skills of alpha 1.0.0 and solo are not loaded: want %q in\n%s", c.load, got)
			}
			if r, err = lib.HostLink(ctx, c.name, pinion.HostOptions{}); err != nil || r.Changed {
				t.Errorf("the second link: %v, %v", r.Steps, err)
			}

			repo.Update("main", files("1.1.0"))
			up, err := lib.Upgrade(ctx, nil, pinion.UpgradeOptions{})
			do("upgrade", err)
			if len(up.Hosts) != 1 || up.Hosts[0].Error != "" || !up.Hosts[0].Changed || up.Hosts[0].Restart == "" {
				t.Errorf("the upgrade says of the hosts: %+v", up.Hosts)
			}
			expect("upgrade", "alpha 1.1.0 on", "solo 0.3.0 on")
			if got := skillsOf(t, real, c.name); !strings.Contains(got, strings.Replace(c.load, "V", "1.1.0", 1)) {
				t.Errorf("the skill of alpha 1.1.0 is not loaded:\n%s", got)
			}

			tamper(t, real, lib, c.name, c.copied)

			_, err = lib.Rollback(ctx, ref("alpha"), pinion.ActivateOptions{})
			do("rollback", err)
			expect("rollback", "alpha 1.0.0 on", "solo 0.3.0 on")
			_, err = lib.Disable(ctx, ref("solo"), pinion.SwitchOptions{})
			do("disable", err)
			expect("disable", "alpha 1.0.0 on", "solo 0.3.0 off")
			_, err = lib.Uninstall(ctx, []pinion.Ref{ref("alpha")}, pinion.UninstallOptions{Force: true})
			do("uninstall", err)
			expect("uninstall of alpha", "solo 0.3.0 off")
			_, err = lib.Uninstall(ctx, []pinion.Ref{ref("solo")}, pinion.UninstallOptions{Force: true})
			do("uninstall", err)
			expect("uninstall of solo")
			if d := cmp.Diff(c.content, treeOf(t, real.Home, c.config)[c.config]); d != "" {
				t.Errorf("with nothing active the user's file is not what it was:\n%s", d)
			}
			if info, err := os.Stat(config); err != nil || info.Mode().Perm() != 0o640 {
				t.Errorf("the user's file has another mode: %v, %v", info.Mode(), err)
			}
			s, err := lib.HostStatus(ctx, []string{c.name}, false)
			do("status", err)
			if !s.OK || !s.Hosts[0].Linked {
				t.Errorf("status at the end: %+v", s.Hosts[0])
			}
			_, err = lib.HostUnlink(ctx, c.name, pinion.HostOptions{})
			do("unlink", err)
			left := leftBehind(t, real.Home, lib.Home())
			if len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// tamper changes what the program has, and expects host status, verify and doctor
// to say so, and another link to put it right.
func tamper(t *testing.T, real *testkit.Client, lib *pinion.Client, name, copied string) {
	t.Helper()
	ctx := t.Context()
	if copied != "" {
		path := filepath.Join(real.Home, filepath.FromSlash(copied))
		if err := os.Chmod(path, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("---\nname: alpha\ndescription: evil\n---\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	} else {
		real.Run("plugin", "disable", "alpha@pinion")
	}
	s, err := lib.HostStatus(ctx, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	if s.OK || len(s.Hosts) != 1 || s.Hosts[0].State != host.Changed || len(s.Hosts[0].Findings) != 1 || s.Hosts[0].Findings[0].Plugin != "alpha" {
		t.Errorf("host status after a change in %s: %+v", name, s.Hosts)
	}
	v, err := lib.Verify(ctx, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	if v.OK || len(v.Hosts) != 1 || len(v.Problems()) != 1 || v.Problems()[0].Rule != "host/changed" {
		t.Errorf("verify after a change in %s: %+v", name, v)
	}
	// Another verb does not overwrite it.
	sw, err := lib.Disable(ctx, pinion.Ref{ID: "solo"}, pinion.SwitchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if copied == "" && (len(sw.Hosts) != 1 || len(sw.Hosts[0].Blocked) != 1) {
		t.Errorf("disable of another plugin says: %+v", sw.Hosts)
	}
	if s, err := lib.HostStatus(ctx, nil, false); err != nil || s.OK {
		t.Errorf("another verb overwrote the change in %s: %v", name, err)
	}
	if _, err := lib.Enable(ctx, pinion.Ref{ID: "solo"}, pinion.SwitchOptions{}); err != nil {
		t.Fatal(err)
	}
	if r, err := lib.HostLink(ctx, name, pinion.HostOptions{}); err != nil || !r.Changed {
		t.Errorf("link as the repair: %v", err)
	}
	if s, err := lib.HostStatus(ctx, nil, false); err != nil || !s.OK {
		t.Errorf("status after the repair: %+v, %v", s.Hosts[0], err)
	}
}

// leftBehind lists what is still there of ours: names with "pinion" in them in the
// host's home, and directories of links in our own.
func leftBehind(t *testing.T, home, own string) []string {
	t.Helper()
	var out []string
	for _, root := range []string{home, filepath.Join(own, "hosts"), filepath.Join(own, "undo")} {
		err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
			if err != nil {
				return nil
			}
			data, _ := os.ReadFile(p)
			rel, _ := filepath.Rel(root, p)
			config := strings.HasSuffix(p, "settings.json") || strings.HasSuffix(p, "config.toml") || strings.HasSuffix(p, "installed_plugins.json") || strings.HasSuffix(p, "known_marketplaces.json")
			switch {
			case root == home && (strings.Contains(rel, "pinion") || config && strings.Contains(string(data), "pinion")):
				out = append(out, rel)
			case root != home && !d.IsDir() && filepath.Base(p) != "lock" && !strings.Contains(p, "aside"):
				out = append(out, p)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}
