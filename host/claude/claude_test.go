package claude

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pinion/host"
)

// What is written for a user and for a project: the catalog, and every key with
// its file. Golden for the doors that the package comment explains.
func TestWant(t *testing.T) {
	t.Parallel()
	plugins := []host.Plugin{
		{ID: "text-tools", Version: "1.0.0", Format: "claude", Dir: "/store/tt", Enabled: true, Description: "d",
			Entry: []byte(`{"name": "text-tools", "source": "./plugins/tt", "strict": false, "hooks": {"Stop": []}, "x-mine": 1}`)},
		{ID: "off", Version: "0.1.0", Format: "agent-skill", Dir: "/store/off", Files: []host.File{{Path: "SKILL.md"}}},
		{ID: "server", Version: "1.0.0", Format: "native", Kind: "mcp", Dir: "/store/server", Enabled: true},
	}
	for _, project := range []string{"", "/home/u/p"} {
		p := host.Place{Home: "/home/u", Project: project, Own: "/home/u/.pinion/hosts/claude/x", Getenv: func(string) string { return "" }}
		market := p.MarketName()
		plugins[0].Hides = project != ""
		w, err := Adapter{}.Want(p, plugins)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, i := range w.Items {
			switch i.Kind {
			case host.KeyItem:
				got = append(got, fmt.Sprintf("%s %s = %v", i.At.Path(), strings.Join(i.Path, " "), i.Value))
			case host.LinkItem:
				got = append(got, i.At.Path()+" -> "+i.Target)
			default:
				got = append(got, i.At.Path()+"\n"+string(i.Content))
			}
		}
		settings, record := "/home/u/.claude/settings.json", "scope:user version:"
		if project != "" {
			settings, record = "/home/u/p/.claude/settings.local.json", "projectPath:/home/u/p scope:local version:"
		}
		own := "/home/u/.pinion/hosts/claude/x"
		source := "map[path:" + own + " source:directory]"
		want := []string{
			own + "/plugins/text-tools -> /store/tt",
			own + "/plugins/off -> /store/off",
			own + "/.claude-plugin/marketplace.json\n" + `{
  "name": "` + market + `",
  "owner": {
    "name": "Pinion"
  },
  "description": "The plugins that are active in Pinion. This directory is generated.",
  "plugins": [
    {
      "name": "text-tools",
      "source": "./plugins/text-tools",
      "description": "d",
      "version": "1.0.0",
      "strict": false,
      "hooks": {
        "Stop": []
      }
    },
    {
      "name": "off",
      "source": "./plugins/off",
      "version": "0.1.0"
    }
  ]
}
`,
			"/home/u/.claude/settings.json extraKnownMarketplaces " + market + " source = " + source,
			settings + " enabledPlugins text-tools@" + market + " = true",
			"/home/u/.claude/plugins/installed_plugins.json plugins text-tools@" + market + " = [map[installPath:" + own + "/plugins/text-tools " + record + "1.0.0]]",
			settings + " enabledPlugins text-tools@pinion = false",
			settings + " enabledPlugins off@" + market + " = false",
			"/home/u/.claude/plugins/installed_plugins.json plugins off@" + market + " = [map[installPath:" + own + "/plugins/off " + record + "0.1.0]]",
			"/home/u/.claude/plugins/known_marketplaces.json " + market + " source = " + source,
			"/home/u/.claude/plugins/installed_plugins.json version = 2",
		}
		if project == "" {
			want = slices.Delete(want, 6, 7) // only a project hides what the user has
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("project %q (-want +got):\n%s", project, d)
		}
		if len(w.LeftOut) != 1 || w.LeftOut[0].ID != "server" {
			t.Errorf("left out: %v", w.LeftOut)
		}
	}
}

// What Claude Code left without using it is found; what it uses, and links, are
// not. User needs 66.
func TestLeftovers(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	cache := filepath.Join(home, ".claude", "plugins", "cache")
	for _, f := range []string{"acme/p/1.0.0/.orphaned_at", "acme/p/1.0.0/a.md", "acme/p/1.1.0/a.md", "temp_git_1/x"} {
		at := filepath.Join(cache, filepath.FromSlash(f))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte("1234"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(cache, "acme", "p", "1.0.0"), filepath.Join(cache, "acme", "p", "0.9.0")); err != nil {
		t.Fatal(err)
	}
	got, err := Adapter{}.Leftovers(t.Context(), host.Place{Home: home, Getenv: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	want := []host.Leftover{
		{Path: filepath.Join(cache, "acme", "p", "1.0.0"), Reason: "is a version of p@acme that Claude Code no longer uses", Bytes: 8},
		{Path: filepath.Join(cache, "temp_git_1"), Reason: "is what a cut-off fetch of Claude Code left", Bytes: 4},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
