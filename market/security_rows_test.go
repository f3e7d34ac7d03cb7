package market_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pinion/internal/testkit"
	"pinion/market"
)

// TestListedDigestIsRemembered shows that a digest counts as published as soon
// as the catalog stated it, also for a plugin that was not read yet.
func TestListedDigestIsRemembered(t *testing.T) { // SB-082, security 3.5 row 82
	w := newWorld(t)
	w.repo.Commit("main", published(t, skill("a", "1.0.0", "a"), skill("b", "1.0.0", "b")))
	w.add(market.AddOptions{RefreshOptions: market.RefreshOptions{Only: []string{"a"}}})
	if b := w.plugin("b"); b.Status != market.Listed {
		t.Fatalf("b is %s, want listed", b.Status)
	}
	w.repo.Commit("main", published(t, skill("a", "1.0.0", "a"), skill("b", "1.0.0", "other bytes")))
	r := w.refused("release/rewritten", market.RefreshOptions{})
	if r.Refused[0].ID != "b" || r.Refused[0].Recorded == r.Refused[0].Offered || r.Refused[0].Recorded.IsZero() {
		t.Errorf("refusal: %+v", r.Refused[0])
	}
	// Nothing is installable under the new digest, whatever else is taken.
	if _, err := w.ms.Refresh(t.Context(), "acme", market.RefreshOptions{SkipRefused: true}); err != nil {
		t.Fatal(err)
	}
	if b := w.plugin("b"); b.Digest == r.Refused[0].Offered {
		t.Errorf("the other bytes can be installed: %+v", b)
	}
}

// TestPublishedAfterRecorded shows that a catalog which begins to publish
// digests does not launder other bytes of a version that was seen before.
func TestPublishedAfterRecorded(t *testing.T) { // house "Ledger"
	w := newWorld(t)
	files := skill("a", "1.0.0", "a")
	files[".claude-plugin/marketplace.json"] = testkit.Text(`{"name": "acme", "owner": {"name": "x"}, "plugins": [{"name": "a", "source": "./plugins/a"}]}`)
	w.repo.Commit("main", files)
	w.add(market.AddOptions{})
	first := w.plugin("a")
	if first.Status != market.Ready || first.Published {
		t.Fatalf("before: %+v", first)
	}
	w.repo.Commit("main", published(t, skill("a", "1.0.0", "other bytes")))
	r, err := w.ms.Refresh(t.Context(), "acme", market.RefreshOptions{})
	if err != nil {
		return // a refusal would be as good
	}
	if a := w.plugin("a"); a.Digest != first.Digest && (!a.Rewritten || len(r.Rewritten) != 1) {
		t.Errorf("other bytes under a known version are not shown as rewritten: %+v, %+v", a, r)
	}
}

// TestEntryNamesAnotherPackage shows that an entry cannot offer a package that
// calls itself otherwise, which would be installed under that other name.
func TestEntryNamesAnotherPackage(t *testing.T) { // SB-085, security 3.5 row 84
	bad := skill("mail-reader", "9.9.9", "a")
	for name, f := range maps.Clone(bad) {
		delete(bad, name)
		bad[strings.Replace(name, "plugins/mail-reader/", "plugins/writing-style/", 1)] = f
	}
	t.Run("foreign", func(t *testing.T) {
		w := newWorld(t)
		files := maps.Clone(bad)
		files[".claude-plugin/marketplace.json"] = testkit.Text(`{"name": "acme", "owner": {"name": "x"}, "plugins": [{"name": "writing-style", "source": "./plugins/writing-style"}]}`)
		w.repo.Commit("main", files)
		w.add(market.AddOptions{})
		if p := w.plugin("writing-style"); p.Status != market.Unavailable || p.Rule != "catalog/disagrees" {
			t.Errorf("%s %s %q, want unavailable by catalog/disagrees", p.Status, p.Rule, p.Why)
		}
	})
	t.Run("elsewhere", func(t *testing.T) {
		w := newWorld(t)
		other := testkit.NewRepo(t)
		other.Commit("main", maps.Clone(bad))
		w.repo.Commit("main", testkit.Files{".claude-plugin/marketplace.json": testkit.Text(fmt.Sprintf(`{"name": "acme", "owner": {"name": "x"}, "plugins": [
			{"name": "writing-style", "source": {"source": "git-subdir", "url": "file://%s", "path": "plugins/writing-style"}}]}`, filepath.ToSlash(other.Dir)))})
		w.add(market.AddOptions{})
		p, err := w.ms.Settle(t.Context(), w.market(), w.plugin("writing-style"))
		if err != nil || p.Status != market.Unavailable || p.Rule != "catalog/disagrees" {
			t.Errorf("%s %s %q %v, want unavailable by catalog/disagrees", p.Status, p.Rule, p.Why, err)
		}
	})
	t.Run("native, listed", func(t *testing.T) {
		w := newWorld(t)
		files := published(t, skill("a", "1.0.0", "a"), bad)
		cat := files["marketplace.json"].Data
		cat = strings.ReplaceAll(cat, `"name":"mail-reader"`, `"name":"writing-style"`)
		files["marketplace.json"] = testkit.Text(strings.ReplaceAll(cat, "./plugins/mail-reader", "./plugins/writing-style"))
		w.repo.Commit("main", files)
		w.add(market.AddOptions{RefreshOptions: market.RefreshOptions{Only: []string{"a"}}})
		p := w.plugin("writing-style")
		if p.Status != market.Listed {
			t.Fatalf("writing-style is %s %s", p.Status, p.Why)
		}
		p, err := w.ms.Settle(t.Context(), w.market(), p)
		if err != nil || p.Status != market.Unavailable || p.Rule != "catalog/disagrees" {
			t.Errorf("%s %s %q %v, want unavailable by catalog/disagrees", p.Status, p.Rule, p.Why, err)
		}
	})
}

// TestDeepIntoItself shows that an entry which points to the marketplace's own
// repository does not wait for the lock that the refresh holds.
func TestDeepIntoItself(t *testing.T) {
	w := newWorld(t)
	w.repo.Commit("main", testkit.Files{
		"p/skills/s/SKILL.md": testkit.Text("---\nname: s\ndescription: d\n---\nx\n"),
		".claude-plugin/marketplace.json": testkit.Text(fmt.Sprintf(`{"name": "acme", "owner": {"name": "x"}, "plugins": [
			{"name": "self", "source": {"source": "git-subdir", "url": "%s", "path": "p"}}]}`, w.url())),
	})
	w.add(market.AddOptions{})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if _, err := w.ms.Refresh(ctx, "acme", market.RefreshOptions{Deep: true}); err != nil {
		t.Fatalf("refresh --deep: %v", err)
	}
	if p := w.plugin("self"); p.Status != market.Ready {
		t.Errorf("self is %s: %s", p.Status, p.Why)
	}
}

// TestOtherSpellingIsNoOtherRef shows that naming the same source in another way
// does not switch the check of its history off.
func TestOtherSpellingIsNoOtherRef(t *testing.T) { // security 3.3 rows 41 and 42
	t.Run("branch", func(t *testing.T) {
		w := newWorld(t)
		srv := testkit.NewGitServer(t)
		url := srv.Add("acme/plugins", w.repo)
		w.repo.Commit("main", published(t, skill("a", "1.0.0", "a")))
		if _, err := w.ms.Add(t.Context(), url, market.AddOptions{}); err != nil {
			t.Fatal(err)
		}
		w.repo.Restart("main", published(t, skill("a", "1.1.0", "a")))
		_, err := w.ms.Add(t.Context(), url+".git", market.AddOptions{})
		var r *market.RefusedError
		if !errors.As(err, &r) || r.Rule() != "history/rewritten" {
			t.Errorf("added again as %s.git: %v, want history/rewritten", url, err)
		}
	})
	t.Run("tag", func(t *testing.T) {
		w := newWorld(t)
		srv := testkit.NewGitServer(t)
		url := srv.Add("acme/plugins", w.repo)
		w.repo.Tag("v1", w.repo.Commit("main", published(t, skill("a", "1.0.0", "a"))))
		if _, err := w.ms.Add(t.Context(), url+"#v1", market.AddOptions{}); err != nil {
			t.Fatal(err)
		}
		w.repo.Tag("v1", w.repo.Commit("main", published(t, skill("a", "1.1.0", "b"))))
		_, err := w.ms.Add(t.Context(), url+".git#v1", market.AddOptions{})
		var r *market.RefusedError
		if !errors.As(err, &r) || r.Rule() != "source/tag-moved" {
			t.Errorf("added again as %s.git#v1: %v, want source/tag-moved", url, err)
		}
	})
}

// TestSecondBuildOfOneRelease shows that build metadata does not make another
// release out of a version.
func TestSecondBuildOfOneRelease(t *testing.T) { // security 3.1 row 16
	w := newWorld(t)
	w.repo.Commit("main", published(t, skill("a", "1.0.0", "a")))
	w.add(market.AddOptions{})
	w.repo.Commit("main", published(t, skill("a", "1.0.0+b", "other bytes")))
	r, err := w.ms.Refresh(t.Context(), "acme", market.RefreshOptions{})
	if err != nil {
		return
	}
	if p := w.plugin("a"); p.Status == market.Ready && !p.Rewritten {
		t.Errorf("1.0.0+b is a new release beside 1.0.0: %+v, %+v", p, r)
	}
}

// TestHugeTexts shows that a text which is only shown does not stay in memory and
// in the state at the size that the catalog gave it.
func TestHugeTexts(t *testing.T) { // security 3.4 row 73
	w := newWorld(t)
	huge := strings.Repeat("é", 1<<20)
	w.repo.Commit("main", testkit.Files{
		"p/skills/s/SKILL.md": testkit.Text("---\nname: s\ndescription: d\n---\nx\n"),
		".claude-plugin/marketplace.json": testkit.Text(fmt.Sprintf(`{"name": "acme", "owner": {"name": "x"}, "metadata": {"description": %q}, "description": %q,
			"plugins": [{"name": "p", "source": "./p", "description": %q, "displayName": %q, "license": %q}]}`, huge, huge, huge, huge, huge)),
	})
	w.add(market.AddOptions{})
	for name, data := range w.photo() {
		if len(data) > 100<<10 && !strings.HasSuffix(name, "catalog.json") {
			t.Errorf("%s has %d bytes", name, len(data))
		}
	}
	// The text is cut in the same way again: nothing changed.
	if r, err := w.ms.Refresh(t.Context(), "acme", market.RefreshOptions{Deep: true}); err != nil || len(r.Updated)+len(r.Rewritten)+len(r.Added) != 0 {
		t.Errorf("refresh: %+v, %v", r, err)
	}
}
