package pinion_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pinion"
	"pinion/internal/testkit"
	"pinion/market"
)

// handed is a machine with a marketplace whose plugin has two versions, both
// installed.
type handed struct {
	*testing.T
	lib  *pinion.Client
	home string
}

// handOver publishes a plugin that is an extension of Gemini CLI and a skill in
// two versions, and installs both, the older one first.
func handOver(t *testing.T, home string) *handed {
	t.Helper()
	repo := testkit.NewRepo(t)
	files := func(v string) testkit.Files {
		return testkit.Files{
			".claude-plugin/marketplace.json":          testkit.Text(`{"name": "acme", "owner": {"name": "o"}, "plugins": [{"name": "greet", "source": "./plugins/greet"}]}`),
			"plugins/greet/.claude-plugin/plugin.json": testkit.Text(`{"name": "greet", "version": "` + v + `", "description": "greets"}`),
			"plugins/greet/gemini-extension.json":      testkit.Text(`{"name": "greet-ext", "version": "` + v + `"}`),
			"plugins/greet/skills/hello/SKILL.md":      saying("hello", "version "+v),
		}
	}
	repo.Commit("main", files("1.0.0"))
	lib, err := pinion.New(pinion.Options{Home: filepath.Join(t.TempDir(), "pinion"), Cwd: t.TempDir(), Getenv: func(k string) string {
		return map[string]string{"HOME": home, "PATH": os.Getenv("PATH")}[k]
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { lib.Close() })
	h := &handed{T: t, lib: lib, home: home}
	if _, err := lib.MarketplaceAdd(t.Context(), "file://"+filepath.ToSlash(repo.Dir), market.AddOptions{Name: "acme"}); err != nil {
		t.Fatal(err)
	}
	h.install()
	repo.Commit("main", files("2.0.0"))
	if _, err := lib.MarketplaceRefresh(t.Context(), nil, market.RefreshOptions{}); err != nil {
		t.Fatal(err)
	}
	h.install()
	return h
}

func (h *handed) install() {
	h.Helper()
	if _, err := h.lib.Install(h.Context(), []pinion.Ref{ref(h.T, "greet")}, pinion.InstallOptions{}); err != nil {
		h.Fatal(err)
	}
}

func (h *handed) activate(version string) {
	h.Helper()
	if _, err := h.lib.Activate(h.Context(), ref(h.T, "greet@"+version), pinion.ActivateOptions{Allow: both}); err != nil {
		h.Fatal(err)
	}
}

func (h *handed) rollback() {
	h.Helper()
	if _, err := h.lib.Rollback(h.Context(), ref(h.T, "greet"), pinion.ActivateOptions{Allow: both}); err != nil {
		h.Fatal(err)
	}
}

func (h *handed) link(host string, o pinion.HostOptions) {
	h.Helper()
	if _, err := h.lib.HostLink(h.Context(), host, o); err != nil {
		h.Fatal(err)
	}
}

// state returns how a linked host is by now.
func (h *handed) state(host string) string {
	h.Helper()
	s, err := h.lib.HostStatus(h.Context(), []string{host}, false)
	if err != nil || len(s.Hosts) != 1 {
		h.Fatalf("status: %+v, %v", s, err)
	}
	return string(s.Hosts[0].State)
}

// snapshot lists every path below a directory with what it is.
func snapshot(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if strings.HasSuffix(p, ".json.lock") {
			return nil // Copilot's own, which stays where it has been taken once
		}
		b.WriteString(p + " " + d.Type().String())
		if d.Type().IsRegular() {
			data, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			b.Write(data)
		}
		b.WriteString("\n")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// What Pinion activates, rolls back and uninstalls is what the real Gemini CLI
// lists; what somebody changes in its directory is seen, and nothing is left.
// Issue "Hosts", Prove.
func TestGeminiSeesTheActiveVersion(t *testing.T) {
	c := testkit.NewClient(t, "gemini")
	h := handOver(t, c.Home)
	version := func() string {
		t.Helper()
		out := c.Run("extensions", "list", "-o", "json")
		var list []struct {
			Name, Version string
			Skills        []struct{ Body string }
		}
		if i := strings.IndexByte(out, '['); i < 0 || json.Unmarshal([]byte(out[i:]), &list) != nil || len(list) == 0 {
			return ""
		}
		if len(list) != 1 || list[0].Name != "greet-ext" || len(list[0].Skills) != 1 || list[0].Skills[0].Body != "version "+list[0].Version {
			t.Fatalf("gemini lists %s", out)
		}
		return list[0].Version
	}
	h.activate("1.0.0")
	h.link("gemini", pinion.HostOptions{})
	h.activate("2.0.0")
	if got := version(); got != "2.0.0" {
		t.Errorf("active 2.0.0, gemini has %q", got)
	}
	h.rollback()
	if got := version(); got != "1.0.0" {
		t.Errorf("rolled back to 1.0.0, gemini has %q", got)
	}
	// Somebody makes it load something else.
	put(t, c.Home, ".gemini/extensions/greet-ext/.gemini-extension-install.json", `{"source": "/elsewhere", "type": "link"}`)
	if got := h.state("gemini"); got != "changed" {
		t.Errorf("a changed file is %q", got)
	}
	if r, err := h.lib.Status(t.Context(), ref(t, "greet")); err != nil || len(r.Plugins) != 1 || len(r.Plugins[0].Hosts) == 0 || r.Plugins[0].Hosts[0].State != "changed" {
		t.Errorf("status: %+v, %v", r, err)
	}
	h.link("gemini", pinion.HostOptions{})
	if got := h.state("gemini"); got != "ok" {
		t.Errorf("linked again it is %q", got)
	}
	if _, err := h.lib.Uninstall(t.Context(), []pinion.Ref{ref(t, "greet@1.0.0")}, pinion.UninstallOptions{Force: true}); err != nil {
		t.Fatal(err)
	}
	if got := version(); got != "" {
		t.Errorf("uninstalled, gemini has %q", got)
	}
	if list, err := os.ReadDir(filepath.Join(c.Home, ".gemini", "extensions")); err == nil && len(list) > 0 {
		t.Errorf("left: %v", list)
	}
}

// The same with the real skills program, for the user and as copies.
func TestSkillsSeeTheActiveVersion(t *testing.T) {
	for name, copies := range map[string]bool{"links": false, "copies": true} {
		t.Run(name, func(t *testing.T) {
			c := testkit.NewClient(t, "skills")
			h := handOver(t, c.Home)
			body := func() string {
				t.Helper()
				var list []struct{ Name, Path string }
				out := c.Run("list", "-g", "--json")
				if err := json.Unmarshal([]byte(out), &list); err != nil {
					t.Fatalf("skills lists %s", out)
				}
				if len(list) == 0 {
					return ""
				}
				data, err := os.ReadFile(filepath.Join(list[0].Path, "SKILL.md"))
				if err != nil || len(list) != 1 || list[0].Name != "hello" {
					t.Fatalf("skills lists %s, %v", out, err)
				}
				return string(data)
			}
			h.activate("1.0.0")
			h.link("skills", pinion.HostOptions{Copy: copies})
			h.activate("2.0.0")
			if got := body(); !strings.Contains(got, "version 2.0.0") {
				t.Errorf("active 2.0.0, skills has %q", got)
			}
			h.rollback()
			if got := body(); !strings.Contains(got, "version 1.0.0") {
				t.Errorf("rolled back to 1.0.0, skills has %q", got)
			}
			if _, err := h.lib.HostUnlink(t.Context(), "skills", pinion.HostOptions{}); err != nil {
				t.Fatal(err)
			}
			if got := body(); got != "" {
				t.Errorf("unlinked, skills has %q", got)
			}
		})
	}
}

// A skill that is there already stays unless it is to be replaced; then it comes
// back when the host is unlinked.
func TestSkillThatIsThere(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	put(t, home, ".agents/skills/hello/SKILL.md", "mine")
	before := snapshot(t, home)
	h := handOver(t, home)
	h.activate("1.0.0")
	if _, err := h.lib.HostLink(t.Context(), "skills", pinion.HostOptions{}); err == nil || !strings.Contains(pinion.Hint(err), "--replace") {
		t.Fatalf("a skill that is there: %v", err)
	}
	if d := snapshot(t, home); d != before {
		t.Fatalf("a refused link changed something:\n%s", d)
	}
	h.link("skills", pinion.HostOptions{Replace: true})
	data, err := os.ReadFile(filepath.Join(home, ".agents", "skills", "hello", "SKILL.md"))
	if err != nil || !strings.Contains(string(data), "version 1.0.0") {
		t.Errorf("replaced: %s, %v", data, err)
	}
	if _, err := h.lib.HostUnlink(t.Context(), "skills", pinion.HostOptions{}); err != nil {
		t.Fatal(err)
	}
	if d := snapshot(t, home); d != before {
		t.Errorf("unlinked:\n%s\nwant\n%s", d, before)
	}
}

// An extension of gemini's own with the same name would make gemini load none.
func TestGeminiHasTheName(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	const own = ".gemini/extensions/greet-ext/"
	put(t, home, own+"gemini-extension.json", `{"name": "greet-ext", "version": "0.1.0"}`)
	put(t, home, own+".gemini-extension-install.json", `{"source": "https://git.example/x.git", "type": "git"}`)
	before := snapshot(t, home)
	h := handOver(t, home)
	h.activate("1.0.0")
	if _, err := h.lib.HostLink(t.Context(), "gemini", pinion.HostOptions{}); err == nil || !strings.Contains(pinion.Hint(err), "--replace") {
		t.Fatalf("a name that is taken: %v", err)
	}
	h.link("gemini", pinion.HostOptions{Replace: true})
	data, err := os.ReadFile(filepath.Join(home, filepath.FromSlash(own), ".gemini-extension-install.json"))
	if err != nil || !strings.Contains(string(data), `"link"`) {
		t.Errorf("replaced: %s, %v", data, err)
	}
	if _, err := h.lib.HostUnlink(t.Context(), "gemini", pinion.HostOptions{}); err != nil {
		t.Fatal(err)
	}
	if d := snapshot(t, home); d != before {
		t.Errorf("unlinked:\n%s\nwant\n%s", d, before)
	}
}

// The user's settings.json keeps comments, order, indentation and the commas at
// the ends, through a link, another version and the way back.
func TestVSCodeSettingsSurvive(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"comments": "// mine\n{\n\t\"editor.fontSize\": 14, // large\n\t/* plugins */\n\t\"chat.pluginLocations\": {\n\t\t\"/opt/tool\": true, // mine too\n\t},\n\t\"z\": [1,2],\n}\n",
		"crlf":     "{\r\n    \"a\": 1,\r\n    \"b\": {} // end\r\n}\r\n",
		"one line": `{"a": 1}`,
		"empty":    "{}\n",
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			const settings = ".config/Code/User/settings.json"
			put(t, home, settings, text)
			h := handOver(t, home)
			h.activate("1.0.0")
			h.link("vscode", pinion.HostOptions{})
			read := func() string {
				data, err := os.ReadFile(filepath.Join(home, filepath.FromSlash(settings)))
				if err != nil {
					t.Fatal(err)
				}
				return string(data)
			}
			one := read()
			dir, err := h.lib.Path(t.Context(), ref(t, "greet"))
			if err != nil || !strings.Contains(one, `"`+filepath.ToSlash(dir)+`": true`) {
				t.Errorf("linked:\n%s\nwithout %s, %v", one, dir, err)
			}
			for _, keep := range []string{"// mine", "// large", "/* plugins */", "// mine too", "// end"} {
				if strings.Contains(text, keep) && !strings.Contains(one, keep) {
					t.Errorf("lost %q:\n%s", keep, one)
				}
			}
			h.activate("2.0.0")
			if two := read(); strings.Contains(two, dir) || strings.Count(two, `"chat.pluginLocations"`) != 1 {
				t.Errorf("another version:\n%s", two)
			}
			if _, err := h.lib.HostUnlink(t.Context(), "vscode", pinion.HostOptions{}); err != nil {
				t.Fatal(err)
			}
			if got := read(); got != text {
				t.Errorf("unlinked:\n%q\nwant\n%q", got, text)
			}
		})
	}
}

// Every host, with an empty home that it is found in: linking shows or leaves out
// each plugin, a second time changes nothing, unlinking leaves nothing.
func TestEveryHostAndBack(t *testing.T) {
	t.Parallel()
	for _, a := range pinion.Hosts() {
		name := a.Info().Name
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			h := handOver(t, home)
			h.activate("1.0.0")
			list, err := h.lib.HostList(t.Context(), false)
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range list.Hosts {
				if l.Name == name && !l.Found {
					if err := os.MkdirAll(l.Dir, 0o755); err != nil {
						t.Fatal(err)
					}
				}
			}
			before := snapshot(t, home)
			r, err := h.lib.HostLink(t.Context(), name, pinion.HostOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Shown)+len(r.LeftOut) == 0 {
				t.Error("nothing is shown and nothing left out")
			}
			linked := snapshot(t, home)
			if r, err = h.lib.HostLink(t.Context(), name, pinion.HostOptions{}); err != nil || r.Changed || snapshot(t, home) != linked {
				t.Errorf("a second link changed something: %+v, %v", r, err)
			}
			if got := h.state(name); got != "ok" {
				t.Errorf("state %q", got)
			}
			if _, err := h.lib.HostUnlink(t.Context(), name, pinion.HostOptions{}); err != nil {
				t.Fatal(err)
			}
			if d := snapshot(t, home); d != before {
				t.Errorf("unlinked:\n%s\nwant\n%s", d, before)
			}
		})
	}
}
