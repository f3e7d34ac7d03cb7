package pinion_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pinion"
	"pinion/internal/testkit"
	"pinion/market"
)

// oneClaude publishes a Claude catalog with the plugin p made of files.
func (w *world) oneClaude(files testkit.Files) {
	w.Helper()
	all := testkit.Files{".claude-plugin/marketplace.json": testkit.Text(`{"name": "acme", "owner": {"name": "x"}, "plugins": [{"name": "p", "source": "./p"}]}`)}
	for name, f := range files {
		all["p/"+name] = f
	}
	w.repo.Commit("main", all)
}

// TestInstallRunsNothing installs, activates, verifies and removes a package
// full of what other tools would run.
func TestInstallRunsNothing(t *testing.T) { // SB-114, security 3.1 row 18 and 3.2 row 33
	w := newWorld(t)
	marker := filepath.Join(t.TempDir(), "MARKER")
	script := "#!/bin/sh\ntouch " + marker + "\n"
	scripts, err := json.Marshal(map[string]any{"name": "p", "scripts": map[string]string{
		"preinstall": "touch " + marker, "install": "touch " + marker, "postinstall": "touch " + marker, "prepare": "touch " + marker,
	}})
	if err != nil {
		t.Fatal(err)
	}
	files := hookPlugin("p", "1.0.0", "touch "+marker)
	files["package.json"] = testkit.Text(string(scripts))
	files["setup.py"] = testkit.Text("open('" + marker + "', 'w')\n")
	files["Makefile"] = testkit.Text("all:\n\ttouch " + marker + "\n")
	files["install.sh"], files["bin/p"], files["hooks/post-checkout"] = testkit.Exec(script), testkit.Exec(script), testkit.Exec(script)
	files[".mcp.json"] = testkit.Text(`{"mcpServers": {"m": {"command": "touch", "args": ["` + marker + `"]}}}`)
	files["skills/s/SKILL.md"] = testkit.Text("---\nname: s\ndescription: d\ntargetDir: " + filepath.Dir(marker) + "\n---\n!`touch " + marker + "`\n")
	files["manifest.lock"], files[".cargo-ok"] = testkit.Text("{}"), testkit.Text("ok") // marks of other tools
	w.oneClaude(files)
	c := w.client()
	if _, err := c.MarketplaceAdd(t.Context(), fileURL(w.repo), market.AddOptions{}); err != nil {
		t.Fatal(err)
	}
	in, err := c.Install(t.Context(), []pinion.Ref{ref(t, "p")}, pinion.InstallOptions{Activate: true, Allow: both})
	if err != nil {
		t.Fatal(err)
	}
	if rel, err := filepath.Rel(w.home, in.Installed[0].Path); err != nil || !filepath.IsLocal(rel) {
		t.Errorf("placed at %s, outside the home", in.Installed[0].Path)
	}
	if _, err := c.Verify(t.Context(), nil, true); err != nil {
		t.Error(err)
	}
	if _, err := c.Uninstall(t.Context(), []pinion.Ref{ref(t, "p")}, pinion.UninstallOptions{Force: true}); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(marker); !os.IsNotExist(err) {
		t.Error("something of the package ran, or chose where to write")
	}
}

// TestAnyBytesSurvive shows that content is bytes: other encodings and lone
// surrogates are installed as they are.
func TestAnyBytesSurvive(t *testing.T) { // security 3.2 row 34
	w := newWorld(t)
	odd := map[string]string{"utf16.txt": "\xff\xfeh\x00i\x00", "latin.txt": "caf\xe9", "lone.txt": "\xed\xa0\x80", "nul.bin": "a\x00b", "crlf.md": "a\r\nb\r\n"}
	files := testkit.Files{"skills/s/SKILL.md": testkit.Text("---\nname: s\ndescription: d\n---\nx\n")}
	for name, data := range odd {
		files[name] = testkit.Text(data)
	}
	w.oneClaude(files)
	c := w.client()
	if _, err := c.MarketplaceAdd(t.Context(), fileURL(w.repo), market.AddOptions{}); err != nil {
		t.Fatal(err)
	}
	in, err := c.Install(t.Context(), []pinion.Ref{ref(t, "p")}, pinion.InstallOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range odd {
		if got, err := os.ReadFile(filepath.Join(in.Installed[0].Path, name)); err != nil || string(got) != want {
			t.Errorf("%s = %q, %v; want %q", name, got, err, want)
		}
	}
}

// TestRefreshChangesNothingInstalled shows that a newer version, and one that is
// gone from the catalog, leave what is installed and active alone.
func TestRefreshChangesNothingInstalled(t *testing.T) { // SB-071, security 3.5 row 83
	w := newWorld(t)
	files := fixtures(t)
	w.publish(files)
	c := w.client()
	if _, err := c.MarketplaceAdd(t.Context(), fileURL(w.repo), market.AddOptions{Name: "acme"}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Install(t.Context(), []pinion.Ref{ref(t, "writing-style"), ref(t, "text-tools")}, pinion.InstallOptions{Activate: true, Allow: both}); err != nil {
		t.Fatal(err)
	}
	state := func() map[string]string {
		out := map[string]string{}
		for name, data := range photo(t, w.home) {
			rel, _ := filepath.Rel(w.home, name)
			if top, _, _ := strings.Cut(filepath.ToSlash(rel), "/"); top == "packages" || top == "receipts" || top == "active" {
				out[rel] = data
			}
		}
		return out
	}
	before := state()
	m := files["plugins/text-tools/shinbot-plugin.json"].Data
	files["plugins/text-tools/shinbot-plugin.json"] = testkit.Text(strings.Replace(m, `"1.0.0"`, `"1.1.0"`, 1))
	for name := range files {
		if strings.HasPrefix(name, "plugins/writing-style/") {
			delete(files, name)
		}
	}
	w.publish(files)
	if _, err := c.MarketplaceRefresh(t.Context(), nil, market.RefreshOptions{}); err != nil {
		t.Fatal(err)
	}
	after := state()
	for name, data := range before {
		if after[name] != data {
			t.Errorf("the refresh changed %s", name)
		}
	}
	if len(after) != len(before) {
		t.Errorf("%d files of installed plugins, there were %d", len(after), len(before))
	}
	list, err := c.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range list.Plugins {
		if want := map[string]string{"writing-style": "no longer in the catalog", "text-tools": "1.1.0 is out"}[p.ID]; p.State != pinion.StateActive || len(p.Notes) != 1 || p.Notes[0] != want {
			t.Errorf("list: %+v, want active and %q", p, want)
		}
	}
	// The withdrawn version can still be had by name, with the same bytes.
	if _, err := c.Install(t.Context(), []pinion.Ref{ref(t, "writing-style@acme@1.0.0")}, pinion.InstallOptions{}); err != nil {
		t.Errorf("the withdrawn version: %v", err)
	}
}

// TestTwoMarketplacesOneName shows that a name which two marketplaces offer is
// never settled silently.
func TestTwoMarketplacesOneName(t *testing.T) { // security 3.5 row 84
	w := newWorld(t)
	w.publish(fixtures(t))
	other := testkit.NewRepo(t)
	files := fixtures(t)
	m := files["plugins/writing-style/shinbot-plugin.json"].Data
	files["plugins/writing-style/shinbot-plugin.json"] = testkit.Text(strings.Replace(m, `"1.0.0"`, `"99.0.0"`, 1))
	first := w.repo
	w.repo = other
	w.publish(files)
	w.repo = first
	c := w.client()
	for name, r := range map[string]*testkit.Repo{"acme": first, "evil": other} {
		if _, err := c.MarketplaceAdd(t.Context(), fileURL(r), market.AddOptions{Name: name}); err != nil {
			t.Fatal(err)
		}
	}
	_, err := c.Install(t.Context(), []pinion.Ref{ref(t, "writing-style")}, pinion.InstallOptions{})
	var u *pinion.UsageError
	if !errors.As(err, &u) || !strings.Contains(u.Hint(), "writing-style@acme") || !strings.Contains(u.Hint(), "writing-style@evil") {
		t.Errorf("install of a name in two marketplaces: %v, want both full forms", err)
	}
	in, err := c.Install(t.Context(), []pinion.Ref{ref(t, "writing-style@acme")}, pinion.InstallOptions{Activate: true})
	if err != nil || in.Installed[0].Version != "1.0.0" {
		t.Fatalf("install: %+v, %v", in, err)
	}
	// The other marketplace's higher version is no upgrade.
	up, err := c.Upgrade(t.Context(), nil, pinion.UpgradeOptions{})
	if err != nil || len(up.Upgraded) != 0 {
		t.Errorf("upgrade crossed over to another marketplace: %+v, %v", up, err)
	}
}
