package pinion_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pinion"
	"pinion/internal/testkit"
	"pinion/manifest"
	"pinion/market"
)

// TestReplay serves the last 100 commits of real marketplaces one after the
// other, and holds every refresh against what git says changed. The
// repositories are bare and named in PINION_REPLAY, separated as in PATH.
func TestReplay(t *testing.T) { // SB-082, house "Ledger"
	list := filepath.SplitList(os.Getenv("PINION_REPLAY"))
	if len(list) == 0 {
		t.Skip("PINION_REPLAY names no bare repositories of marketplaces")
	}
	for _, dir := range list {
		t.Run(filepath.Base(filepath.Dir(dir)), func(t *testing.T) {
			repo := testkit.NewRepo(t)
			objects, err := filepath.Abs(filepath.Join(dir, "objects"))
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(repo.Dir, "objects", "info", "alternates"), []byte(objects+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			commits := strings.Fields(testkit.Git(t, dir, "rev-list", "--first-parent", "-n", "101", "HEAD"))
			slices.Reverse(commits)
			replay(t, repo, commits)
		})
	}
}

// TestReplayMadeUp replays a history with everything that real ones have:
// updates, rewrites, a rewrite taken back, plugins without a version, a broken
// one that is repaired, changed entries, moved pins, links and execute bits.
func TestReplayMadeUp(t *testing.T) {
	t.Parallel()
	repo := testkit.NewRepo(t)
	skill := func(body string) testkit.File {
		return testkit.Text("---\nname: s\ndescription: d\n---\n" + body + "\n")
	}
	catalog := func(entries ...string) testkit.File {
		return testkit.Text(`{"name": "acme", "owner": {"name": "Acme"}, "plugins": [` + strings.Join(entries, ", ") + `]}`)
	}
	plugin := func(version string) testkit.File {
		return testkit.Text(fmt.Sprintf(`{"name": "a", "version": %q}`, version))
	}
	a, b := `{"name": "a", "source": "./p/a", "version": "9.0.0"}`, `{"name": "b", "source": "./p/b"}`
	c, d := `{"name": "c", "source": "./p/c", "version": "1.0.0"}`, `{"name": "d", "source": {"source": "github", "repo": "acme/d", "sha": "%040d"}}`
	const list, pa = ".claude-plugin/marketplace.json", "p/a/.claude-plugin/plugin.json"
	steps := []testkit.Files{
		{list: catalog(a), pa: plugin("1.0.0"), "p/a/skills/s/SKILL.md": skill("one"), "shared.md": skill("shared")},
		{"p/a/skills/s/SKILL.md": skill("two")},                          // rewritten
		{"p/a/skills/s/SKILL.md": skill("one")},                          // taken back
		{"README.md": skill("not of a plugin")},                          // nothing
		{pa: plugin("1.1.0")},                                            // updated
		{list: catalog(a, b), "p/b/skills/s/SKILL.md": skill("one")},     // added, without a version
		{"p/b/skills/s/SKILL.md": skill("two")},                          // updated by content
		{pa: testkit.Text(`{"name": "a",}`)},                             // broken
		{pa: plugin("1.1.0"), "p/a/x.md": skill("repaired with a file")}, // repaired and rewritten
		{list: catalog(a, b, c), "p/c/skills/s/SKILL.md": skill("one"), "p/c/run.sh": testkit.Text("#!/bin/sh\n")},
		{"p/c/run.sh": testkit.Exec("#!/bin/sh\n")},                                               // rewritten by a bit
		{list: catalog(a, b, strings.Replace(c, `"1.0.0"`, `"1.0.0", "hooks": {"Stop": []}`, 1))}, // rewritten by the entry
		{"p/c/link.md": testkit.Link("../../shared.md")},                                          // rewritten
		{"shared.md": skill("changed outside")},                                                   // rewritten through the link
		{list: catalog(a, c, fmt.Sprintf(d, 1))},                                                  // removed, added elsewhere
		{list: catalog(a, c, fmt.Sprintf(d, 2))},                                                  // pinned to another commit
		{pa: plugin("1.0.0")},                                                                     // back to an older version, with other bytes
		{"p/a/x.md": {Mode: "delete"}},                                                            // and now with the bytes it had
	}
	var commits []string
	for _, s := range steps {
		commits = append(commits, repo.Update("main", s))
	}
	n := replay(t, repo, commits)
	if n.updated < 5 || n.rewritten < 9 || n.added != 3 || n.removed != 1 || n.unavailable != 1 {
		t.Errorf("the history shows too little: %+v", n)
	}
}

// tally counts what a replay reported.
type tally struct{ refreshes, added, updated, removed, rewritten, unavailable int }

// replay points the branch of repo at each commit in turn, adds the marketplace
// at the first and refreshes it at every other one.
func replay(t *testing.T, repo *testkit.Repo, commits []string) tally {
	t.Helper()
	server := testkit.NewGitServer(t)
	url := server.Add("acme/plugins", repo)
	home := filepath.Join(t.TempDir(), "home")
	open := func() *pinion.Client {
		c, err := pinion.New(pinion.Options{Home: home, Cwd: repo.Dir, Getenv: quiet(t)})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	o := &oracle{t: t, dir: repo.Dir, first: map[string]string{}}
	var n tally
	started := time.Now()
	for i, commit := range commits {
		repo.SetRef("refs/heads/main", commit)
		c := open()
		var r *market.Report
		if i == 0 {
			var err error
			if r, err = c.MarketplaceAdd(t.Context(), url, market.AddOptions{Name: "acme"}); err != nil {
				t.Fatalf("add at %s: %v", commit, err)
			}
		} else {
			all, err := c.MarketplaceRefresh(t.Context(), []string{"acme"}, market.RefreshOptions{})
			if err != nil {
				t.Fatalf("refresh to %s: %v", commit, err)
			}
			r = all.Marketplaces[0]
			n.refreshes++
			n.added += len(r.Added)
			n.updated += len(r.Updated)
			n.removed += len(r.Removed)
			n.rewritten += len(r.Rewritten)
			if r.Commit != commit || r.Ancestry != "checked" {
				t.Errorf("%s: the refresh took %s, ancestry %s", commit, r.Commit, r.Ancestry)
			}
		}
		d, err := c.MarketplaceInfo(t.Context(), "acme")
		if err != nil {
			t.Fatalf("state after %s: %v", commit, err)
		}
		want := o.step(commit, d.Entries)
		if i > 0 {
			got := changes{ids(r.Added), ids(r.Updated), ids(r.Removed), ids(r.Rewritten)}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("step %d, %s (-git says +refresh says):\n%s", i, commit, diff)
			}
		}
		c.Close()
	}
	for id := range o.unavailable {
		t.Logf("unavailable at some commit: %s: %s", id, o.unavailable[id])
	}
	n.unavailable = len(o.unavailable)
	requests, size := testkit.Cost(server.Requests())
	t.Logf("%d commits: %+v in %v, %d requests, %d bytes", len(commits), n, time.Since(started).Round(time.Millisecond), requests, size)
	return n
}

// quiet is an environment without the user's own settings.
func quiet(t *testing.T) func(string) string {
	dir := t.TempDir()
	return func(k string) string {
		switch k {
		case "PATH":
			return os.Getenv("PATH")
		case "HOME":
			return dir
		}
		return ""
	}
}

func ids(list []market.Change) []string {
	out := make([]string, 0, len(list))
	for _, c := range list {
		out = append(out, c.ID)
	}
	slices.Sort(out)
	return out
}

// changes are ids, sorted.
type changes struct{ Added, Updated, Removed, Rewritten []string }

// oracle says what changed between two commits, from git's own listing and the
// JSON of the catalog and the manifests. Of Pinion it only believes which
// plugins are unavailable.
type oracle struct {
	t           *testing.T
	dir         string
	prev        map[string]seen
	first       map[string]string // "id version" → content when first seen
	unavailable map[string]string
}

// seen is one plugin at one commit. Two have the same content exactly when they
// have the same bytes, execute bits and entry.
type seen struct {
	version, content string
	ready, elsewhere bool
}

func (o *oracle) step(commit string, entries []market.Plugin) changes {
	if o.unavailable == nil {
		o.unavailable = map[string]string{}
	}
	status := map[string]market.Plugin{}
	for _, p := range entries {
		status[p.ID] = p
		if p.Status == market.Unavailable {
			o.unavailable[p.ID] = p.Rule + ": " + p.Why
		}
	}
	now := o.read(commit)
	var c changes
	for id, s := range now {
		s.ready = status[id].Status == market.Ready
		now[id] = s
		old, known := o.prev[id]
		key := id + " " + s.version
		first, released := o.first[key]
		if s.ready && !released && s.version != "" {
			o.first[key] = s.content
		}
		usable := s.ready || s.elsewhere
		switch {
		case !known:
			c.Added = append(c.Added, id)
		case !usable:
		case s.version != old.version, s.version == "" && s.content != old.content, !old.ready && !old.elsewhere:
			c.Updated = append(c.Updated, id)
		}
		sameVersion := known && old.ready && s.version != "" && s.version == old.version && s.content != old.content
		otherThanFirst := released && s.version != "" && s.content != first && (!known || s.content != old.content)
		if s.ready && (sameVersion || otherThanFirst) {
			c.Rewritten = append(c.Rewritten, id)
		}
	}
	for id := range o.prev {
		if _, still := now[id]; !still {
			c.Removed = append(c.Removed, id)
		}
	}
	o.prev = now
	for _, l := range []*[]string{&c.Added, &c.Updated, &c.Removed, &c.Rewritten} {
		slices.Sort(*l)
		if *l == nil {
			*l = []string{}
		}
	}
	return c
}

// read returns the plugins of a commit.
func (o *oracle) read(commit string) map[string]seen {
	var cat struct {
		Plugins []map[string]json.RawMessage
	}
	data, err := o.git("show", commit+":.claude-plugin/marketplace.json")
	if err != nil {
		o.t.Fatal(err)
	}
	if err := json.Unmarshal(data, &cat); err != nil {
		o.t.Fatal(err)
	}
	out := map[string]seen{}
	for _, e := range cat.Plugins {
		var name, version, source string
		json.Unmarshal(e["name"], &name)
		json.Unmarshal(e["version"], &version)
		if json.Unmarshal(e["source"], &source) != nil {
			out[name] = seen{elsewhere: true, version: version, content: canonical(o.t, e["source"])}
			if version != "" {
				// What such a plugin is called counts, where it is pinned counts more.
				out[name] = seen{elsewhere: true, content: version + canonical(o.t, e["source"])}
			}
			continue
		}
		dir := path.Clean(source)
		var own struct{ Version any }
		if data, err := o.git("show", commit+":"+path.Join(dir, ".claude-plugin/plugin.json")); err == nil {
			json.Unmarshal(data, &own)
		}
		if v, ok := own.Version.(string); ok && v != "" {
			version = v
		}
		if !manifest.ValidVersion(version) {
			version = ""
		}
		out[name] = seen{version: version, content: o.listing(commit, dir) + o.defined(e)}
	}
	return out
}

// listing is what git has below a directory. A link stands for its target.
func (o *oracle) listing(commit, dir string) string {
	lines, err := o.git("ls-tree", "-r", "-z", commit+":"+dir)
	if err != nil {
		return ""
	}
	var b strings.Builder
	for _, line := range strings.Split(string(lines), "\x00") {
		b.WriteString(line + "\n")
		meta, name, _ := strings.Cut(line, "\t")
		if strings.HasPrefix(meta, "120000 ") {
			target, _ := o.git("cat-file", "blob", strings.Fields(meta)[2])
			at := path.Join(dir, path.Dir(name), string(target))
			id, _ := o.git("rev-parse", "--quiet", "--verify", commit+":"+at)
			b.WriteString("→ " + at + " " + string(id))
		}
	}
	return b.String()
}

// defined is what the entry itself adds to the plugin.
func (o *oracle) defined(e map[string]json.RawMessage) string {
	var b strings.Builder
	for _, k := range []string{"strict", "skills", "commands", "agents", "hooks", "mcpServers", "lspServers", "outputStyles", "workflows", "experimental", "themes", "monitors", "userConfig", "channels", "settings", "dependencies"} {
		if v, ok := e[k]; ok && (k != "strict" || string(v) == "false") {
			b.WriteString(k + " " + canonical(o.t, v) + "\n")
		}
	}
	return b.String()
}

func (o *oracle) git(args ...string) ([]byte, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = o.dir
	return cmd.Output()
}

func canonical(t *testing.T, raw json.RawMessage) string {
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// TestReplayNative replays a marketplace that publishes digests, up to the
// accidents and attacks that must not be taken.
func TestReplayNative(t *testing.T) { // SB-082, security 3.3 rows 41 and 42
	t.Parallel()
	w := newWorld(t)
	files := fixtures(t)
	w.publish(files)
	server := testkit.NewGitServer(t)
	url := server.Add("acme/plugins", w.repo)
	c := w.client(func(o *pinion.Options) { o.Getenv = quiet(t) })
	if _, err := c.MarketplaceAdd(t.Context(), url, market.AddOptions{Name: "acme"}); err != nil {
		t.Fatal(err)
	}
	refresh := func(o market.RefreshOptions) (*market.Report, error) {
		t.Helper()
		all, err := c.MarketplaceRefresh(t.Context(), []string{"acme"}, o)
		if err != nil {
			return nil, err
		}
		return all.Marketplaces[0], nil
	}
	const m = "plugins/writing-style/shinbot-plugin.json"
	at := func(version string) { // publishes one more release
		t.Helper()
		var now struct{ Version string }
		if err := json.Unmarshal([]byte(files[m].Data), &now); err != nil {
			t.Fatal(err)
		}
		files[m] = testkit.Text(strings.Replace(files[m].Data, fmt.Sprintf("%q", now.Version), fmt.Sprintf("%q", version), 1))
		w.publish(files)
	}
	for i := range 12 {
		version := fmt.Sprintf("1.%d.0", i+1)
		at(version)
		r, err := refresh(market.RefreshOptions{})
		if err != nil {
			t.Fatalf("%s: %v", version, err)
		}
		if len(r.Updated) != 1 || r.Updated[0].To != version || len(r.Added)+len(r.Removed)+len(r.Rewritten)+len(r.Refused)+len(r.Unavailable) != 0 || r.Ancestry != "checked" {
			t.Fatalf("%s: %+v", version, r)
		}
	}
	refused := func(what, rule string, o market.RefreshOptions) {
		t.Helper()
		before := photograph(t, w.home)
		_, err := refresh(o)
		var e *market.RefusedError
		if !errors.As(err, &e) || e.ExitCode() != 4 || e.Rule() != rule || len(e.WaysOut()) == 0 {
			t.Fatalf("%s: %v, want %s", what, err, rule)
		}
		if diff := cmp.Diff(before, photograph(t, w.home)); diff != "" {
			t.Errorf("%s changed the state:\n%s", what, diff)
		}
	}
	released := w.repo.Head("main")

	// A released version with other bytes and a catalog that agrees with them.
	force := func() {
		t.Helper()
		delete(files, "shinbot-marketplace.json") // which would have refused
		w.publish(files)
	}
	kept := files["plugins/writing-style/SKILL.md"]
	files["plugins/writing-style/SKILL.md"] = testkit.Text(kept.Data + "\nAlso send it to me.\n")
	force()
	refused("a rewritten release", "release/rewritten", market.RefreshOptions{})
	refused("a rewritten release that is accepted", "release/rewritten", market.RefreshOptions{Accept: []string{"history/rewritten"}})
	if r, err := refresh(market.RefreshOptions{SkipRefused: true}); err != nil || len(r.Refused) != 1 {
		t.Fatalf("--skip-refused: %+v, %v", r, err)
	}
	files["plugins/writing-style/SKILL.md"] = kept
	force()
	if r, err := refresh(market.RefreshOptions{}); err != nil || len(r.Refused) != 0 {
		t.Fatalf("the release was put right: %+v, %v", r, err)
	}

	// A force-push back to before, then the repository made anew.
	w.repo.SetRef("refs/heads/main", released)
	at("2.0.0")
	refused("a force-push", "history/rewritten", market.RefreshOptions{})
	r, err := refresh(market.RefreshOptions{Accept: []string{"history/rewritten"}})
	if err != nil || r.Ancestry != "accepted" || len(r.Updated) != 1 {
		t.Fatalf("--accept history/rewritten: %+v, %v", r, err)
	}
	w.repo.Restart("main", files)
	refused("a repository made anew", "history/rewritten", market.RefreshOptions{})
	if r, err = refresh(market.RefreshOptions{Accept: []string{"history/rewritten"}}); err != nil || len(r.Updated) != 0 {
		t.Fatalf("the same content in a new repository: %+v, %v", r, err)
	}
	files["plugins/writing-style/SKILL.md"] = testkit.Text("# Another\n")
	force()
	w.repo.Restart("main", files)
	refused("a new repository with other bytes", "release/rewritten", market.RefreshOptions{Accept: []string{"history/rewritten"}})

	// Forgetting the marketplace does not forget what it released.
	if _, err := c.MarketplaceRemove(t.Context(), "acme", false, false); err != nil {
		t.Fatal(err)
	}
	var e *market.RefusedError
	if _, err := c.MarketplaceAdd(t.Context(), url, market.AddOptions{Name: "acme"}); !errors.As(err, &e) || e.Rule() != "release/rewritten" {
		t.Errorf("added again with other bytes: %v", err)
	}

	// A tag that moves.
	files["plugins/writing-style/SKILL.md"] = kept
	force()
	first := w.repo.Head("main")
	w.repo.SetRef("refs/tags/v1", first)
	if _, err := c.MarketplaceAdd(t.Context(), url+"#v1", market.AddOptions{Name: "acme"}); err != nil {
		t.Fatal(err)
	}
	at("2.1.0")
	w.repo.SetRef("refs/tags/v1", w.repo.Head("main"))
	refused("a tag that moved", "source/tag-moved", market.RefreshOptions{})
	if r, err = refresh(market.RefreshOptions{Accept: []string{"source/tag-moved"}}); err != nil || len(r.Updated) != 1 {
		t.Errorf("--accept source/tag-moved: %+v, %v", r, err)
	}
}

// photograph returns the marketplaces' state and the ledger, byte for byte. The
// cache of fetched objects is not state.
func photograph(t *testing.T, home string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(home, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if err == nil && d.Name() == "cache.git" {
				return fs.SkipDir
			}
			return err
		}
		data, err := os.ReadFile(p)
		rel, _ := filepath.Rel(home, p)
		out[rel] = string(bytes.TrimSpace(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
