package pinion_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pinion"
	"pinion/internal/testkit"
	"pinion/market"
)

// hostRepos publishes a marketplace with one plugin inside and one elsewhere, as
// Claude Code, Codex and Copilot read it, and an extension of Gemini CLI.
type hostRepos struct {
	server                   *testkit.GitServer
	market, other, ext       *testkit.Repo
	marketURL, extURL        string
	otherCommit, ownCommit   string
	firstMarket, laterMarket string
}

func saying(name, body string) testkit.File {
	return testkit.Text("---\nname: " + name + "\ndescription: says " + name + "\n---\n" + body + "\n")
}

func newHostRepos(t *testing.T) *hostRepos {
	t.Helper()
	h := &hostRepos{server: testkit.NewGitServer(t), market: testkit.NewRepo(t), other: testkit.NewRepo(t), ext: testkit.NewRepo(t)}
	h.otherCommit = h.other.Commit("main", testkit.Files{
		".claude-plugin/plugin.json": testkit.Text(`{"name": "beta", "version": "2.0.0", "description": "b"}`),
		"skills/beta/SKILL.md":       saying("beta", "B"),
	})
	otherURL := h.server.Add("acme/other", h.other) + ".git"
	h.marketURL = h.server.Add("acme/mk", h.market) + ".git"
	h.extURL = h.server.Add("acme/ext", h.ext) + ".git"
	h.firstMarket = h.market.Commit("main", testkit.Files{
		".claude-plugin/marketplace.json": testkit.Text(`{"name": "mkt", "owner": {"name": "o"}, "plugins": [
  {"name": "alpha", "source": "./plugins/alpha", "description": "a"},
  {"name": "beta", "source": {"source": "url", "url": "` + otherURL + `", "sha": "` + h.otherCommit + `"}, "description": "b"}
]}`),
		"plugins/alpha/.claude-plugin/plugin.json": testkit.Text(`{"name": "alpha", "version": "1.0.0", "description": "a"}`),
		"plugins/alpha/skills/alpha/SKILL.md":      saying("alpha", "A"),
	})
	h.ownCommit = h.ext.Commit("main", testkit.Files{
		"gemini-extension.json": testkit.Text(`{"name": "gext", "version": "0.3.0", "description": "g"}`),
		"skills/gs/SKILL.md":    saying("gs", "G"),
	})
	return h
}

// publish makes the next version of alpha.
func (h *hostRepos) publish() {
	h.server.Change(func() {
		h.laterMarket = h.market.Update("main", testkit.Files{
			"plugins/alpha/.claude-plugin/plugin.json": testkit.Text(`{"name": "alpha", "version": "1.1.0", "description": "a"}`),
		})
	})
}

// importer is a client of Pinion for the home of a host's program.
func importer(t *testing.T, host *testkit.Client) *pinion.Client {
	t.Helper()
	c, err := pinion.New(pinion.Options{Home: filepath.Join(t.TempDir(), "pinion"), Cwd: host.Dir, Getenv: func(k string) string {
		return map[string]string{"HOME": host.Home, "PATH": os.Getenv("PATH")}[k]
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// taken is what a test looks at of an import.
type taken struct {
	Shown, ID, Version, Marketplace, Commit, Why string
	Enabled                                      bool
	Differences                                  []string
}

func takenOf(r *pinion.ImportReport) []taken {
	var out []taken
	for _, p := range r.Plugins {
		k := taken{Shown: p.Shown, ID: p.ID, Version: p.Version, Marketplace: p.Marketplace, Commit: p.Commit, Why: p.Why, Enabled: p.Enabled}
		for _, d := range p.Differences {
			k.Differences = append(k.Differences, d.Path+" "+d.What)
		}
		out = append(out, k)
	}
	return out
}

// A home that the real program made is taken over: the marketplace at the commit
// the program has, the plugins at the commits and bytes of their installation,
// although upstream went on. What somebody changed in the program's own copy is
// named. Issue "Hosts", Hand over.
func TestImportFromRealClients(t *testing.T) {
	for _, c := range []struct {
		name string
		do   [][]string
		copy string // of alpha, below the home
	}{
		{"claude", [][]string{{"plugin", "marketplace", "add", "URL"}, {"plugin", "install", "alpha@mkt"}, {"plugin", "install", "beta@mkt"}}, ".claude/plugins/cache/mkt/alpha/1.0.0"},
		{"codex", [][]string{{"plugin", "marketplace", "add", "URL"}, {"plugin", "add", "alpha@mkt"}, {"plugin", "add", "beta@mkt"}}, ".codex/plugins/cache/mkt/alpha/1.0.0"},
		{"copilot", [][]string{{"plugin", "marketplace", "add", "URL"}, {"plugin", "install", "alpha@mkt"}, {"plugin", "install", "beta@mkt"}}, ".copilot/installed-plugins/mkt/alpha"},
	} {
		t.Run(c.name, func(t *testing.T) {
			host := testkit.NewClient(t, c.name)
			repos := newHostRepos(t)
			for _, args := range c.do {
				for i := range args {
					args[i] = strings.ReplaceAll(args[i], "URL", repos.marketURL)
				}
				host.Run(args...)
			}
			repos.publish()
			lib := importer(t, host)

			dry, err := lib.HostImport(t.Context(), c.name, pinion.ImportOptions{DryRun: true})
			if err != nil {
				t.Fatal(err)
			}
			if l, err := lib.List(t.Context()); err != nil || len(l.Plugins) != 0 {
				t.Fatalf("a dry run installed %v, %v", l.Plugins, err)
			}
			r, err := lib.HostImport(t.Context(), c.name, pinion.ImportOptions{Activate: true})
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(takenOf(dry), takenOf(r)); d != "" {
				t.Error("the dry run promised something else:", d)
			}
			want := []taken{
				{Shown: "alpha@mkt", ID: "alpha", Version: "1.0.0", Marketplace: "mkt", Commit: repos.firstMarket, Enabled: true},
				{Shown: "beta@mkt", ID: "beta", Version: "2.0.0", Marketplace: "mkt", Commit: repos.otherCommit, Enabled: true},
			}
			if d := cmp.Diff(want, takenOf(r)); d != "" {
				t.Error(d)
			}
			if len(r.Marketplaces) != 1 || r.Marketplaces[0].Name != "mkt" || r.Marketplaces[0].Commit != repos.firstMarket {
				t.Errorf("marketplaces = %+v", r.Marketplaces)
			}
			for _, p := range r.Plugins {
				if !p.Active || p.Compared == 0 {
					t.Errorf("%s: active %v, %d files compared", p.ID, p.Active, p.Compared)
				}
			}

			// Again: everything is there already, and what was changed in the
			// program's copy is seen.
			name := filepath.Join(host.Home, filepath.FromSlash(c.copy), "skills", "alpha", "SKILL.md")
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, append(data, "and send it to me\n"...), 0o644); err != nil {
				t.Fatal(err)
			}
			if r, err = lib.HostImport(t.Context(), c.name, pinion.ImportOptions{}); err != nil {
				t.Fatal(err)
			}
			if !r.Marketplaces[0].Already || !r.Plugins[0].Already || !slices.Equal(takenOf(r)[0].Differences, []string{"skills/alpha/SKILL.md changed"}) {
				t.Errorf("again: %+v", r)
			}

			// The marketplace goes on from the commit it was taken over at.
			got, err := lib.MarketplaceRefresh(t.Context(), nil, market.RefreshOptions{})
			if err != nil || len(got.Marketplaces) != 1 || got.Marketplaces[0].Commit != repos.laterMarket || got.Marketplaces[0].Ancestry != "checked" {
				t.Errorf("refresh: %+v, %v", got.Marketplaces, err)
			}
		})
	}
}

// An extension that gemini cloned has a commit and no marketplace; its skills and
// those of the skills program are taken over from their repository.
func TestImportFromRealGemini(t *testing.T) {
	host := testkit.NewClient(t, "gemini")
	repos := newHostRepos(t)
	host.Run("extensions", "install", repos.extURL, "--consent")
	repos.server.Change(func() {
		repos.ext.Update("main", testkit.Files{"skills/gs/SKILL.md": saying("gs", "later")})
	})
	lib := importer(t, host)
	r, err := lib.HostImport(t.Context(), "gemini", pinion.ImportOptions{})
	if err != nil || len(r.Plugins) != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	got := takenOf(r)[0]
	if got.ID != "gext" || got.Commit != repos.ownCommit || got.Why != "" || got.Differences != nil || got.Marketplace != "import" {
		t.Errorf("%+v", got)
	}
	if _, err := lib.Activate(t.Context(), ref(t, "gext"), pinion.ActivateOptions{}); err != nil {
		t.Errorf("activate by its name: %v", err)
	}
}

// The skills program records no commit. What its source still has is taken over;
// what differs from it is named and left out.
func TestImportFromRealSkills(t *testing.T) {
	host := testkit.NewClient(t, "skills")
	repos := newHostRepos(t)
	host.Run("add", repos.marketURL, "-s", "alpha", "-g", "-a", "codex", "-y")
	host.Run("add", repos.extURL, "-g", "-a", "codex", "-y")
	repos.server.Change(func() {
		repos.ext.Update("main", testkit.Files{"skills/gs/SKILL.md": saying("gs", "later")})
	})
	lib := importer(t, host)
	r, err := lib.HostImport(t.Context(), "skills", pinion.ImportOptions{})
	if err != nil || len(r.Plugins) != 2 {
		t.Fatalf("%+v, %v", r, err)
	}
	alpha, gs := takenOf(r)[0], takenOf(r)[1]
	if alpha.ID != "alpha" || alpha.Commit != repos.firstMarket || alpha.Why != "" {
		t.Errorf("%+v", alpha)
	}
	if gs.ID != "" || !strings.Contains(gs.Why, "the host recorded no commit") || !slices.Equal(gs.Differences, []string{"SKILL.md changed"}) {
		t.Errorf("%+v", gs)
	}
}
