package market_test

import (
	"flag"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pinion/internal/fsx"
	"pinion/internal/testkit"
	"pinion/market"
	"pinion/source"
	"pinion/source/archive"
	"pinion/source/git"
	"pinion/source/npm"
	"pinion/source/web"
)

var updateForms = flag.Bool("update", false, "rewrite testdata/forms.golden")

// forms are the entries of a catalog with every form of a source there is
// (formats 1.1.3, 1.2, 1.4, 1.5), in every host's spelling, sound and unsound.
// Each plugin is a skill that says its own name, so that a wrong directory shows.
const forms = `{"name": "forms", "owner": {"name": "x"}, "metadata": {"pluginRoot": "./packages"}, "plugins": [
{"name": "dotted", "strict": false, "source": "./plugins/dotted"},
{"name": "plain", "strict": false, "source": "plugins/plain"},
{"name": "bare", "strict": false, "source": "bare"},
{"name": "local", "strict": false, "source": {"source": "local", "path": "./plugins/local"}},
{"name": "github", "strict": false, "source": {"source": "github", "repo": "acme/other"}},
{"name": "github-path", "strict": false, "source": {"source": "github", "repo": "acme/other", "path": "plugins/github-path", "ref": "main"}},
{"name": "github-sha", "strict": false, "source": {"source": "github", "repo": "acme/other", "path": "plugins/github-sha", "ref": "gone", "sha": "COMMIT"}},
{"name": "ref-is-sha", "strict": false, "source": {"source": "github", "repo": "acme/other", "path": "plugins/ref-is-sha", "ref": "COMMIT"}},
{"name": "url", "strict": false, "source": {"source": "url", "url": "https://git.example/acme/other.git"}},
{"name": "url-path", "strict": false, "source": {"source": "url", "url": "https://git.example/acme/other.git", "path": "./plugins/url-path"}},
{"name": "url-ssh", "strict": false, "source": {"source": "url", "url": "git@git.example:acme/other.git", "path": "plugins/url-ssh"}},
{"name": "url-self", "strict": false, "source": {"source": "url", "url": "./plugins/url-self"}},
{"name": "subdir", "strict": false, "source": {"source": "git-subdir", "url": "https://git.example/acme/other", "path": "plugins/subdir", "ref": "main"}},
{"name": "subdir-short", "strict": false, "source": {"source": "git-subdir", "url": "acme/other", "path": "plugins/subdir-short"}},
{"name": "subdir-ssh", "strict": false, "source": {"source": "git-subdir", "url": "ssh://git@git.example/acme/other", "path": "plugins/subdir-ssh"}},
{"name": "npm", "strict": false, "source": {"source": "npm", "package": "@acme/npm", "version": "^1"}},
{"name": "npm-registry", "strict": false, "source": {"source": "npm", "package": "npm-registry", "registry": "REGISTRY"}},
{"name": "archive", "strict": false, "source": {"source": "archive", "url": "WEB/archive.zip"}},
{"name": "command", "source": {"source": "command", "command": "make plugin", "timeout": 60, "mode": "copy"}},
{"name": "pip", "source": {"source": "pip", "package": "plugin"}},
{"name": "settings", "source": {"source": "settings", "plugins": []}},
{"name": "future", "source": {"source": "teleport", "to": "mars"}},
{"name": "kindless", "source": {"url": "https://git.example/acme/other"}},
{"name": "odd-kind", "source": {"source": 7}},
{"name": "odd-path", "source": {"source": "local", "path": ["./a"]}},
{"name": "odd-url", "source": {"source": "url", "url": {}}},
{"name": "list", "source": ["./plugins/dotted"]},
{"name": "number", "source": 7},
{"name": "null", "source": null},
{"name": "none"},
{"name": "outside", "source": "../outside"},
{"name": "option", "source": {"source": "url", "url": "--upload-pack=x"}},
{"name": "program", "source": {"source": "url", "url": "ext::sh -c x"}},
{"name": "no-repo", "source": {"source": "github", "repo": "acme"}},
{"name": "short-sha", "source": {"source": "github", "repo": "acme/other", "sha": "abc1234"}},
{"name": "no-subdir", "source": {"source": "git-subdir", "url": "acme/other"}},
{"source": "./plugins/nameless"},
{"name": 7, "source": "./plugins/dotted"},
{"name": "../up", "source": "./plugins/dotted"},
{"name": "hooks", "hooks": "./hooks.json", "source": "./plugins/hooks"},
"text",
null,
[],
{"name": "last", "strict": false, "source": "./plugins/last"}
]}`

// formPlugin is a plugin that consists of one skill of its name.
func formPlugin(dir, name string) testkit.Files {
	return testkit.Files{path.Join(dir, "skills/"+name+"/SKILL.md"): testkit.Text("---\nname: " + name + "\ndescription: Says " + name + ".\n---\n# " + name + "\n")}
}

func TestEveryForm(t *testing.T) {
	other := testkit.NewRepo(t)
	files := testkit.Files{}
	for _, name := range []string{"github-path", "github-sha", "ref-is-sha", "url-path", "url-ssh", "subdir", "subdir-short", "subdir-ssh"} {
		for p, f := range formPlugin("plugins/"+name, name) {
			files[p] = f
		}
	}
	// The root of the other repository is the plugin of the forms without a path.
	for p, f := range formPlugin("", "root") {
		files[p] = f
	}
	commit := other.Commit("main", files)
	reg := testkit.NewRegistryTLS(t)
	reg.Publish("@acme/npm", "1.0.0", formPlugin("", "npm"))
	reg.Publish("npm-registry", "1.0.0", formPlugin("", "npm-registry"))
	srv := testkit.NewWebServerTLS(t)
	srv.Set("/archive.zip", testkit.Zip(t, "", formPlugin("", "archive")))
	text := strings.NewReplacer("COMMIT", commit, "REGISTRY", reg.URL, "WEB", srv.URL).Replace(forms)

	want, err := os.ReadFile(filepath.Join("testdata", "forms.golden"))
	if err != nil && !*updateForms {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, f := range []struct{ name, path string }{
		{"claude", ".claude-plugin/marketplace.json"}, {"codex", ".agents/plugins/marketplace.json"},
		{"copilot", ".github/plugin/marketplace.json"}, {"cursor", ".cursor-plugin/marketplace.json"},
	} {
		repo := testkit.NewRepo(t)
		content := testkit.Files{f.path: testkit.Text(text), "hooks.json": testkit.Text("{}")}
		for dir, names := range map[string][]string{"plugins": {"dotted", "plain", "local", "url-self", "hooks", "last"}, "packages": {"bare"}, ".": {"bare", "plain"}} {
			for _, name := range names {
				where := dir + "/" + name
				says := name
				if dir == "." {
					where, says = name, "wrong-"+name // where nobody may look
				}
				for p, f := range formPlugin(where, says) {
					content[p] = f
				}
			}
		}
		repo.Commit("main", content)
		ms := formMarkets(t, other, reg, srv)
		if _, err := ms.Add(t.Context(), "file://"+filepath.ToSlash(repo.Dir), market.AddOptions{Name: "forms", Catalog: f.path}); err != nil {
			t.Fatalf("%s: %v", f.name, err)
		}
		m, err := ms.Get(t.Context(), "forms")
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&got, "== %s\n", f.name)
		for _, p := range m.State.Plugins {
			line := fmt.Sprintf("%q %s", p.ID, p.Status)
			switch p.Status {
			case market.Elsewhere:
				line += fmt.Sprintf(" %s %s %s", p.Origin.Spec, p.Origin.Path, source.Short(p.Origin.Commit))
				s, err := ms.Settle(t.Context(), m, p)
				if err != nil || s.Status != market.Ready || len(s.Components) != 1 {
					t.Errorf("%s: %s: %+v, %v", f.name, p.ID, s, err)
					break
				}
				line += " = " + s.Components[0].Name
				if says := s.Components[0].Name; says != p.ID && (says != "root" || p.Origin.Path != ".") {
					t.Errorf("%s: %s is %s", f.name, p.ID, says)
				}
			case market.Ready:
				line += fmt.Sprintf(" %s = %s", p.Origin.Path, p.Components[0].Name)
				if len(p.Components) != 1 || p.Components[0].Name != p.ID {
					t.Errorf("%s: %s is %v", f.name, p.ID, p.Components)
				}
			default:
				if p.Why == "" {
					t.Errorf("%s: %s is %s without a reason", f.name, p.ID, p.Status)
				}
				line += fmt.Sprintf(" (%s) %s", p.Rule, p.Why)
			}
			line = strings.NewReplacer(commit[:7], "COMMIT", reg.URL, "REGISTRY", srv.URL, "WEB").Replace(line)
			got.WriteString(line + "\n")
		}
	}
	if *updateForms {
		if err := os.WriteFile(filepath.Join("testdata", "forms.golden"), []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("testdata/forms.golden (-want +got):\n%s", diff)
	}
}

// formMarkets opens a home in which every git address leads to one repository.
func formMarkets(t *testing.T, other *testkit.Repo, reg *testkit.Registry, srv *testkit.WebServer) *market.Markets {
	t.Helper()
	d, err := fsx.OpenHome(filepath.Join(t.TempDir(), "home"), fsx.Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return market.New(market.Options{
		Home: d, Loader: loader(), Cwd: t.TempDir(), Clock: func() time.Time { return time.Unix(1_800_000_000, 0) },
		Open: func(s source.Spec, strange bool) (source.Source, error) {
			switch s.Kind {
			case source.NPM:
				return npm.New(s, npm.Options{PublicOnly: strange, Web: web.Options{HTTP: reg.Client}, Getenv: func(k string) string {
					return map[string]string{"npm_config_registry": reg.URL}[k]
				}})
			case source.Archive:
				return archive.New(s, web.Options{Trusted: s.Host(), HTTP: srv.Client}), nil
			}
			if s.Host() != "" {
				s.Kind, s.URL = source.Git, "file://"+filepath.ToSlash(other.Dir)
			}
			return git.New(s, git.Options{})
		},
	})
}
