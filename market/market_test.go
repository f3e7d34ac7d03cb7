package market_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pinion/catalog"
	"pinion/hashes"
	"pinion/internal/fsx"
	"pinion/internal/testkit"
	"pinion/manifest/agentskill"
	"pinion/manifest/claude"
	"pinion/manifest/native"
	"pinion/market"
	"pinion/pkgfmt"
	"pinion/source"
	"pinion/source/dir"
	"pinion/source/git"
	"pinion/tree"
)

// world is a home with a marketplace that the test publishes.
type world struct {
	*testing.T
	repo *testkit.Repo
	home string
	ms   *market.Markets
	now  time.Time
}

func loader() *pkgfmt.Loader {
	c := claude.New()
	return pkgfmt.New(c, native.New(native.Options{}), c, agentskill.New())
}

func open(t *testing.T, home string, now *time.Time) *market.Markets {
	t.Helper()
	d, err := fsx.OpenHome(home, fsx.Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return market.New(market.Options{
		Home: d, Loader: loader(), Cwd: t.TempDir(), Clock: func() time.Time { return *now },
		Open: func(s source.Spec, strange bool) (source.Source, error) {
			if s.Kind == source.Dir {
				return dir.New(s), nil
			}
			return git.New(s, git.Options{})
		},
	})
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{T: t, repo: testkit.NewRepo(t), home: filepath.Join(t.TempDir(), "home"), now: time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC)}
	w.ms = open(t, w.home, &w.now)
	return w
}

func (w *world) url() string { return "file://" + filepath.ToSlash(w.repo.Dir) }

// skill makes the files of a native skill package.
func skill(id, version, body string) testkit.Files {
	m := fmt.Sprintf(`{"schema_version": 1, "id": %q, "name": "Sample", "version": %q, "description": "A sample.", "kind": "skill", "license": "MIT", "files": ["SKILL.md", "LICENSE"]}`, id, version)
	d := "plugins/" + id + "/"
	return testkit.Files{
		d + "pinion-plugin.json": testkit.Text(m + "\n"),
		d + "SKILL.md":           testkit.Text("# Use\n\nSay " + body + ".\n"),
		d + "LICENSE":            testkit.Text("MIT License. Permission is hereby granted, free of charge, to any person.\n"),
	}
}

// published publishes packages with a catalog that states their digests.
func published(t *testing.T, packages ...testkit.Files) testkit.Files {
	t.Helper()
	all := testkit.Files{}
	var entries []map[string]any
	for _, p := range packages {
		maps.Copy(all, p)
		var lines []hashes.File
		var id, version string
		for name, f := range p {
			parts := strings.SplitN(name, "/", 3)
			lines = append(lines, hashes.File{Path: parts[2], Sum: hashes.Of([]byte(f.Data))})
			if parts[2] == "pinion-plugin.json" {
				var m struct{ ID, Version string }
				if err := json.Unmarshal([]byte(f.Data), &m); err != nil {
					t.Fatal(err)
				}
				id, version = m.ID, m.Version
			}
		}
		d, err := hashes.Tree(lines)
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, map[string]any{"name": id, "version": version, "source": "./plugins/" + id, "hash": d.String(), "kind": "skill"})
	}
	data, err := json.Marshal(map[string]any{"schema_version": 1, "name": "acme", "owner": map[string]any{"name": "Acme"}, "plugins": entries})
	if err != nil {
		t.Fatal(err)
	}
	all["marketplace.json"] = testkit.Text(string(data))
	return all
}

func (w *world) add(o market.AddOptions) *market.Report {
	w.Helper()
	r, err := w.ms.Add(w.Context(), w.url(), o)
	if err != nil {
		w.Fatal(err)
	}
	return r
}

func ids(cs []market.Change) []string {
	out := []string{}
	for _, c := range cs {
		out = append(out, strings.TrimSpace(c.ID+" "+c.From+">"+c.To))
	}
	return out
}

// photo is every state file of the home with its content: what a refusal must
// not change. The cache of git objects and locks are not state.
func (w *world) photo() map[string]string {
	w.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(w.home, func(p string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.Name() == "cache.git" || d.Name() == "staging" {
			return filepath.SkipDir
		}
		if d.IsDir() || d.Name() == "lock" {
			return nil
		}
		b, err := os.ReadFile(p)
		rel, _ := filepath.Rel(w.home, p)
		out[rel] = string(b)
		return err
	})
	if err != nil {
		w.Fatal(err)
	}
	return out
}

// refused runs a refresh that must be refused with exit code 4 and nothing
// changed.
func (w *world) refused(rule string, o market.RefreshOptions) *market.RefusedError {
	w.Helper()
	before := w.photo()
	_, err := w.ms.Refresh(w.Context(), "acme", o)
	var r *market.RefusedError
	if !errors.As(err, &r) || r.Rule() != rule || r.ExitCode() != 4 {
		w.Fatalf("refresh: %v, want %s refused with exit code 4", err, rule)
	}
	if diff := cmp.Diff(before, w.photo()); diff != "" {
		w.Fatalf("the refusal changed the state:\n%s", diff)
	}
	if len(r.WaysOut()) == 0 {
		w.Error("the refusal names no way out")
	}
	return r
}

func TestAddAndRefresh(t *testing.T) { // SB-078, SB-079, SB-080, SB-081
	w := newWorld(t)
	first := w.repo.Commit("main", published(t, skill("a", "1.0.0", "a"), skill("b", "1.0.0", "b")))
	r := w.add(market.AddOptions{})
	if r.Name != "acme" || r.Commit != first || r.Previous != "" || r.Plugins != 2 {
		t.Errorf("add: %+v", r)
	}
	if diff := cmp.Diff([]string{"a >1.0.0", "b >1.0.0"}, ids(r.Added)); diff != "" {
		t.Error(diff)
	}
	r, err := w.ms.Refresh(t.Context(), "acme", market.RefreshOptions{})
	if err != nil || !r.Unchanged || r.Commit != first {
		t.Errorf("refresh without news: %+v, %v", r, err)
	}
	second := w.repo.Commit("main", published(t, skill("a", "1.1.0", "more"), skill("c", "0.1.0", "c")))
	r, err = w.ms.Refresh(t.Context(), "acme", market.RefreshOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]string{"added": ids(r.Added), "updated": ids(r.Updated), "removed": ids(r.Removed), "unavailable": ids(r.Unavailable), "rewritten": ids(r.Rewritten)}
	want := map[string][]string{"added": {"c >0.1.0"}, "updated": {"a 1.0.0>1.1.0"}, "removed": {"b 1.0.0>"}, "unavailable": {}, "rewritten": {}}
	if diff := cmp.Diff(want, got); diff != "" || r.Commit != second || r.Previous != first || r.Ancestry != "checked" {
		t.Errorf("refresh: %+v\n%s", r, diff)
	}
}

func TestRewrittenRelease(t *testing.T) { // SB-082, security 3.5 row 82
	w := newWorld(t)
	w.repo.Commit("main", published(t, skill("a", "1.0.0", "a"), skill("b", "1.0.0", "b")))
	w.add(market.AddOptions{})
	w.repo.Commit("main", published(t, skill("a", "1.0.0", "something else"), skill("b", "1.1.0", "news")))
	r := w.refused("release/rewritten", market.RefreshOptions{})
	ref := r.Refused[0]
	if ref.ID != "a" || ref.Recorded.IsZero() || ref.Offered.IsZero() || ref.Recorded == ref.Offered || !ref.FirstSeen.Equal(w.now) {
		t.Errorf("refusal: %+v", ref)
	}

	// The rest can be taken; a stays at the bytes in use.
	rep, err := w.ms.Refresh(t.Context(), "acme", market.RefreshOptions{SkipRefused: true})
	if err != nil || len(rep.Refused) != 1 || len(rep.Updated) != 1 {
		t.Fatalf("--skip-refused: %+v, %v", rep, err)
	}
	m, err := w.ms.Get(t.Context(), "acme")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range m.State.Plugins {
		if p.ID == "a" && (p.Digest != ref.Recorded || p.Kept != "release/rewritten" || p.Status != market.Ready) {
			t.Errorf("a is not kept at its bytes: %+v", p)
		}
	}

	// It is refused for ever, also after remove and add again.
	if _, err := w.ms.Remove(t.Context(), "acme"); err != nil {
		t.Fatal(err)
	}
	_, err = w.ms.Add(t.Context(), w.url(), market.AddOptions{})
	var again *market.RefusedError
	if !errors.As(err, &again) || again.Rule() != "release/rewritten" {
		t.Errorf("added again: %v, want release/rewritten", err)
	}
}

func TestMismatch(t *testing.T) { // SB-081
	w := newWorld(t)
	files := published(t, skill("a", "1.0.0", "a"))
	w.repo.Commit("main", files)
	w.add(market.AddOptions{})
	files = published(t, skill("a", "1.1.0", "a"))
	files["plugins/a/SKILL.md"] = testkit.Text("tampered\n")
	w.repo.Commit("main", files)
	w.refused("hash/mismatch", market.RefreshOptions{})
	if _, err := w.ms.Refresh(t.Context(), "acme", market.RefreshOptions{Accept: []string{"hash/mismatch"}}); err == nil {
		t.Error("a digest mismatch was accepted")
	} else if e := new(market.AcceptError); !errors.As(err, &e) || e.ExitCode() != 2 {
		t.Errorf("--accept hash/mismatch: %v, want a usage error", err)
	}
}

func TestHistoryRewritten(t *testing.T) { // security 3.3 row 42
	w := newWorld(t)
	w.repo.Commit("main", published(t, skill("a", "1.0.0", "a")))
	w.add(market.AddOptions{})
	w.repo.Restart("main", published(t, skill("a", "1.0.0", "a"), skill("b", "1.0.0", "b")))
	w.refused("history/rewritten", market.RefreshOptions{})
	r, err := w.ms.Refresh(t.Context(), "acme", market.RefreshOptions{Accept: []string{"history/rewritten"}})
	if err != nil || r.Ancestry != "accepted" || len(r.Added) != 1 {
		t.Fatalf("accepted: %+v, %v", r, err)
	}
	m, err := w.ms.Get(t.Context(), "acme")
	if err != nil || len(m.State.Accepted) != 1 || m.State.Accepted[0].Rule != "history/rewritten" {
		t.Errorf("the acceptance is not logged: %+v, %v", m.State.Accepted, err)
	}
	// It was taken once, not for ever.
	w.repo.Restart("main", published(t, skill("a", "1.0.0", "a")))
	w.refused("history/rewritten", market.RefreshOptions{})
}

func TestTagMoved(t *testing.T) { // security 3.3 row 41
	w := newWorld(t)
	c := w.repo.Commit("main", published(t, skill("a", "1.0.0", "a")))
	w.repo.Tag("v1", c)
	if _, err := w.ms.Add(t.Context(), w.url()+"#v1", market.AddOptions{}); err != nil {
		t.Fatal(err)
	}
	w.repo.Tag("v1", w.repo.Commit("main", published(t, skill("a", "1.1.0", "b"))))
	w.refused("source/tag-moved", market.RefreshOptions{})
	if _, err := w.ms.Refresh(t.Context(), "acme", market.RefreshOptions{Accept: []string{"source/tag-moved"}}); err != nil {
		t.Error(err)
	}
}

// TestMoved shows that a repository which answers under another owner is
// refused, and can be followed once.
func TestMoved(t *testing.T) { // security 3.3 row 43
	w := newWorld(t)
	srv := testkit.NewGitServer(t)
	w.repo.Commit("main", published(t, skill("a", "1.0.0", "a")))
	old := srv.Add("acme/plugins", w.repo)
	if _, err := w.ms.Add(t.Context(), old, market.AddOptions{}); err != nil {
		t.Fatal(err)
	}
	here := srv.Add("other/plugins", w.repo)
	srv.Change(func() {
		srv.Intercept = func(rw http.ResponseWriter, r *http.Request) bool {
			path, ok := strings.CutPrefix(r.URL.Path, "/acme/plugins")
			if !ok {
				return false
			}
			rest := strings.TrimPrefix(path, ".git")
			http.Redirect(rw, r, strings.TrimSuffix(here, "/")+rest, http.StatusMovedPermanently)
			return true
		}
	})
	w.repo.Commit("main", published(t, skill("a", "1.1.0", "b")))
	w.refused("source/moved", market.RefreshOptions{})
	r, err := w.ms.Refresh(t.Context(), "acme", market.RefreshOptions{Accept: []string{"source/moved"}})
	if err != nil || len(r.Updated) != 1 {
		t.Fatalf("--accept source/moved: %+v, %v", r, err)
	}
	if r, err = w.ms.Refresh(t.Context(), "acme", market.RefreshOptions{}); err != nil || !r.Unchanged {
		t.Errorf("afterwards: %+v, %v", r, err)
	}
	if m := w.market(); len(m.State.Accepted) != 1 || m.State.Accepted[0].Rule != "source/moved" {
		t.Errorf("the acceptance is not logged: %+v", m.State.Accepted)
	}
}

// TestListed shows that a marketplace can be added for one plugin: the others
// are verified by the next refresh, or when they are installed.
func TestListed(t *testing.T) {
	w := newWorld(t)
	files := published(t, skill("a", "1.0.0", "a"), skill("b", "1.0.0", "b"), skill("c", "1.0.0", "c"))
	files["plugins/c/SKILL.md"] = testkit.Text("tampered\n")
	w.repo.Commit("main", files)
	w.add(market.AddOptions{RefreshOptions: market.RefreshOptions{Only: []string{"a"}}})
	if a, b := w.plugin("a"), w.plugin("b"); a.Status != market.Ready || b.Status != market.Listed {
		t.Fatalf("a %s, b %s", a.Status, b.Status)
	}
	b, err := w.ms.Settle(t.Context(), w.market(), w.plugin("b"))
	if err != nil || b.Status != market.Ready || b.Digest.IsZero() {
		t.Errorf("Settle(b): %+v, %v", b, err)
	}
	var refused *market.RefusedError
	if _, err := w.ms.Settle(t.Context(), w.market(), w.plugin("c")); !errors.As(err, &refused) || refused.Rule() != "hash/mismatch" {
		t.Errorf("Settle(c): %v, want hash/mismatch", err)
	}
	// Nothing changed upstream, and yet the rest is verified now.
	w.refused("hash/mismatch", market.RefreshOptions{})
	if _, err := w.ms.Refresh(t.Context(), "acme", market.RefreshOptions{SkipRefused: true}); err != nil {
		t.Fatal(err)
	}
	if b := w.plugin("b"); b.Status != market.Ready {
		t.Errorf("b is still %s", b.Status)
	}
}

// TestServerRenamesBranch shows that another default branch, which the server
// chooses, is held to the same history.
func TestServerRenamesBranch(t *testing.T) {
	w := newWorld(t)
	w.repo.Commit("main", published(t, skill("a", "1.0.0", "a")))
	w.add(market.AddOptions{})
	w.repo.Restart("trunk", published(t, skill("a", "1.0.0", "a"), skill("b", "1.0.0", "b")))
	w.repo.Git("symbolic-ref", "HEAD", "refs/heads/trunk")
	w.refused("history/rewritten", market.RefreshOptions{})
}

// TestTagBecomesBranch shows that a branch in the place of the tag is a moved
// tag.
func TestTagBecomesBranch(t *testing.T) {
	w := newWorld(t)
	c := w.repo.Commit("main", published(t, skill("a", "1.0.0", "a")))
	w.repo.Tag("v1", c)
	if _, err := w.ms.Add(t.Context(), w.url()+"#v1", market.AddOptions{}); err != nil {
		t.Fatal(err)
	}
	w.repo.Git("tag", "-d", "v1")
	w.repo.SetRef("refs/heads/v1", w.repo.Commit("main", published(t, skill("a", "1.1.0", "b"))))
	w.refused("source/tag-moved", market.RefreshOptions{})
}

func TestDigestsDropped(t *testing.T) { // security 3.5 row 79
	w := newWorld(t)
	w.repo.Commit("main", published(t, skill("a", "1.0.0", "a")))
	w.add(market.AddOptions{})
	files := skill("a", "1.0.0", "a")
	files["marketplace.json"] = testkit.Text(`{"name": "acme", "owner": {"name": "Acme"}, "plugins": [{"name": "a", "source": "./plugins/a"}]}`)
	w.repo.Commit("main", files)
	w.refused("catalog/digests-dropped", market.RefreshOptions{})
}

func TestTakenAlias(t *testing.T) {
	w := newWorld(t)
	w.repo.Commit("main", published(t, skill("a", "1.0.0", "a")))
	w.add(market.AddOptions{})
	other := testkit.NewRepo(t)
	other.Commit("main", published(t, skill("b", "1.0.0", "b")))
	before := w.photo()
	for _, o := range []market.AddOptions{{Name: "acme"}, {}} {
		_, err := w.ms.Add(t.Context(), "file://"+filepath.ToSlash(other.Dir), o)
		if !errors.Is(err, market.ErrTaken) {
			t.Errorf("%+v: %v, want ErrTaken", o, err)
		}
	}
	if diff := cmp.Diff(before, w.photo()); diff != "" {
		t.Errorf("the refusal changed the state:\n%s", diff)
	}
	if _, err := w.ms.Add(t.Context(), "file://"+filepath.ToSlash(other.Dir), market.AddOptions{Name: "other"}); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{"local", "1st", "-x", "Acme", "a/b", "builtin", strings.Repeat("a", 65)} {
		if _, err := w.ms.Add(t.Context(), w.url(), market.AddOptions{Name: bad}); err == nil {
			t.Errorf("alias %q was accepted", bad)
		}
	}
}

func TestAddAgain(t *testing.T) {
	w := newWorld(t)
	w.repo.Commit("main", published(t, skill("a", "1.0.0", "a")))
	w.repo.Commit("next", published(t, skill("a", "2.0.0", "a")))
	w.add(market.AddOptions{})
	r := w.add(market.AddOptions{})
	if !r.Unchanged {
		t.Errorf("the same source again: %+v, want nothing changed", r)
	}
	r, err := w.ms.Add(t.Context(), w.url()+"#next", market.AddOptions{})
	if err != nil || r.Name != "acme" || len(r.Updated) != 1 {
		t.Errorf("another ref: %+v, %v", r, err)
	}
	list, _, err := w.ms.List(t.Context())
	if err != nil || len(list) != 1 {
		t.Errorf("%d marketplaces, want the one source once", len(list))
	}
}

// foreign publishes a Claude catalog of two skills.
func foreign(bodies map[string]string) testkit.Files {
	files := testkit.Files{}
	var entries []string
	for _, name := range slices.Sorted(maps.Keys(bodies)) {
		entries = append(entries, fmt.Sprintf(`{"name": %q, "source": "./p/%s", "version": "1.0.0"}`, name, name))
		files["p/"+name+"/skills/s/SKILL.md"] = testkit.Text("---\nname: s\ndescription: d\n---\n" + bodies[name] + "\n")
	}
	files[".claude-plugin/marketplace.json"] = testkit.Text(`{"name": "acme", "owner": {"name": "x"}, "plugins": [` + strings.Join(entries, ",") + `]}`)
	return files
}

func TestForeignRewrites(t *testing.T) { // house "Ledger"
	w := newWorld(t)
	w.repo.Commit("main", foreign(map[string]string{"a": "one", "b": "one"}))
	w.add(market.AddOptions{})
	first := w.plugin("a")

	// One entry changes under its version, one breaks: neither freezes the rest.
	files := foreign(map[string]string{"a": "two", "b": "one", "c": "new"})
	files["p/b/.claude-plugin/plugin.json"] = testkit.Text(`{"name": `)
	w.repo.Commit("main", files)
	r, err := w.ms.Refresh(t.Context(), "acme", market.RefreshOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a 1.0.0>1.0.0"}, ids(r.Rewritten)); diff != "" {
		t.Error(diff)
	}
	if len(r.Unavailable) != 1 || r.Unavailable[0].ID != "b" || r.Unavailable[0].Rule == "" || len(r.Added) != 1 {
		t.Errorf("refresh: %+v", r)
	}
	second := w.plugin("a")
	if !second.Rewritten || second.Digest == first.Digest || second.Status != market.Ready {
		t.Errorf("the second build: %+v", second)
	}

	// The first bytes are back: they are not rewritten.
	w.repo.Commit("main", foreign(map[string]string{"a": "one", "b": "one", "c": "new"}))
	if _, err := w.ms.Refresh(t.Context(), "acme", market.RefreshOptions{}); err != nil {
		t.Fatal(err)
	}
	if p := w.plugin("a"); p.Rewritten || p.Digest != first.Digest {
		t.Errorf("the first bytes again: %+v", p)
	}
	l, err := w.ms.Ledger(w.market().Key)
	if err != nil || len(l.Facts("a", "1.0.0")) != 2 {
		t.Errorf("the ledger has %d builds of a 1.0.0, want 2 (%v)", len(l.Facts("a", "1.0.0")), err)
	}
}

func (w *world) market() *market.Market {
	w.Helper()
	m, err := w.ms.Get(w.Context(), "acme")
	if err != nil {
		w.Fatal(err)
	}
	return m
}

func (w *world) plugin(id string) market.Plugin {
	w.Helper()
	for _, p := range w.market().State.Plugins {
		if p.ID == id {
			return p
		}
	}
	w.Fatalf("no plugin %s", id)
	return market.Plugin{}
}

func TestFetchOldCommit(t *testing.T) {
	w := newWorld(t)
	w.repo.Commit("main", published(t, skill("a", "1.0.0", "one")))
	w.add(market.AddOptions{})
	old := w.plugin("a")
	w.repo.Commit("main", published(t, skill("a", "1.1.0", "two")))
	if _, err := w.ms.Refresh(t.Context(), "acme", market.RefreshOptions{}); err != nil {
		t.Fatal(err)
	}
	m := w.market()
	err := w.ms.Fetch(t.Context(), m.Spec, old.Origin, func(tr *tree.Tree, at pkgfmt.Place) error {
		if p := loader().Load(tr, at); p.Digest != old.Digest {
			t.Errorf("at the old commit: %s, want %s", p.Digest, old.Digest)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestElsewhere(t *testing.T) {
	w := newWorld(t)
	other := testkit.NewRepo(t)
	commit := other.Commit("main", testkit.Files{"sub/skills/s/SKILL.md": testkit.Text("---\nname: s\ndescription: d\n---\nx\n")})
	files := testkit.Files{".claude-plugin/marketplace.json": testkit.Text(fmt.Sprintf(`{"name": "acme", "owner": {"name": "x"}, "plugins": [
		{"name": "far", "source": {"source": "git-subdir", "url": "file://%s", "path": "sub", "sha": "%s"}},
		{"name": "gone", "source": {"source": "git-subdir", "url": "file://%s-missing", "path": "sub"}},
		{"name": "made", "source": {"source": "command", "command": "x"}}]}`, filepath.ToSlash(other.Dir), commit, filepath.ToSlash(other.Dir)))}
	w.repo.Commit("main", files)
	w.add(market.AddOptions{})
	far := w.plugin("far")
	if far.Status != market.Elsewhere || w.plugin("made").Status != market.Unsupported || w.plugin("made").Why == "" {
		t.Fatalf("far %+v, made %+v", far, w.plugin("made"))
	}
	p, err := w.ms.Settle(t.Context(), w.market(), far)
	if err != nil || p.Status != market.Ready || p.Digest.IsZero() || p.Origin.Commit != commit {
		t.Errorf("Settle: %+v, %v", p, err)
	}
	r, err := w.ms.Refresh(t.Context(), "acme", market.RefreshOptions{Deep: true})
	if err != nil || len(r.Unavailable) != 1 || r.Unavailable[0].ID != "gone" {
		t.Errorf("--deep: %+v, %v", r, err)
	}
	if got := w.plugin("far"); got.Digest != p.Digest {
		t.Errorf("--deep: far %+v", got)
	}
}

func TestDirectoryIsADraft(t *testing.T) {
	w := newWorld(t)
	root := t.TempDir()
	put := func(files testkit.Files) {
		for name, f := range files {
			p := filepath.Join(root, filepath.FromSlash(name))
			if err := errors.Join(os.MkdirAll(filepath.Dir(p), 0o755), os.WriteFile(p, []byte(f.Data), 0o644)); err != nil {
				t.Fatal(err)
			}
		}
	}
	put(published(t, skill("a", "1.0.0", "one")))
	if _, err := w.ms.Add(t.Context(), root, market.AddOptions{Name: "acme"}); err != nil {
		t.Fatal(err)
	}
	put(published(t, skill("a", "1.0.0", "two")))
	if _, err := w.ms.Refresh(t.Context(), "acme", market.RefreshOptions{}); err != nil {
		t.Errorf("an author who edits a draft is refused: %v", err)
	}
	if l, err := w.ms.Ledger(w.market().Key); err != nil || len(l.Of("a")) != 0 {
		t.Errorf("a draft is in the ledger: %v, %v", l.Of("a"), err)
	}
}

func TestDamagedStateIsNotReset(t *testing.T) { // security 3.6 row 99
	w := newWorld(t)
	w.repo.Commit("main", published(t, skill("a", "1.0.0", "a")))
	w.add(market.AddOptions{})
	key := w.market().Key
	for _, name := range []string{"ledger/" + key + ".jsonl", "src/" + key + "/snapshot/plugins.1.jsonl", "src/" + key + "/market.json"} {
		p := filepath.Join(w.home, filepath.FromSlash(name))
		good, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		for _, bad := range [][]byte{append([]byte("x"), good...), good[:len(good)/2], []byte("{\"schema\":\"pinion.market/v9\"}\n")} {
			if name[0] == 'l' && len(bad) < len(good) && !strings.Contains(string(bad), "v9") {
				continue // a torn last line of the ledger is a write that was never promised
			}
			if err := os.WriteFile(p, bad, 0o600); err != nil {
				t.Fatal(err)
			}
			w.repo.Update("main", testkit.Files{"note.md": testkit.Text(string(bad))})
			if _, err := w.ms.Refresh(t.Context(), "acme", market.RefreshOptions{}); err == nil {
				t.Errorf("%s: damaged (%.20q) and used", name, bad)
			}
			if now, err := os.ReadFile(p); err != nil || string(now) != string(bad) {
				t.Errorf("%s: the damaged file was changed: %v", name, err)
			}
		}
		if err := os.WriteFile(p, good, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.ms.Refresh(t.Context(), "acme", market.RefreshOptions{}); err != nil {
		t.Errorf("restored: %v", err)
	}
}

func TestUnknownMarketplace(t *testing.T) {
	w := newWorld(t)
	w.repo.Commit("main", published(t, skill("a", "1.0.0", "a")))
	w.add(market.AddOptions{})
	_, err := w.ms.Get(t.Context(), "acmee")
	if !errors.Is(err, market.ErrUnknown) || !strings.Contains(err.Error(), `"acme"`) {
		t.Errorf("Get(acmee): %v, want a suggestion", err)
	}
}

func TestNoCatalog(t *testing.T) {
	w := newWorld(t)
	w.repo.Commit("main", testkit.Files{"README.md": testkit.Text("x")})
	_, err := w.ms.Add(t.Context(), w.url(), market.AddOptions{})
	if !errors.Is(err, catalog.ErrNone) {
		t.Errorf("%v, want ErrNone", err)
	}
	if list, _, err := w.ms.List(context.Background()); err != nil || len(list) != 0 {
		t.Errorf("a source without a catalog was added: %v, %v", list, err)
	}
}
