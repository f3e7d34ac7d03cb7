package market_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pinion/hashes"
	"pinion/internal/fsx"
	"pinion/internal/testkit"
	"pinion/market"
	"pinion/source"
	"pinion/source/git"
)

// entry is one entry of a made-up foreign catalog.
type entry struct{ name, dir, more, body string }

// foreignCatalog writes a catalog and its directories. sep stands between the
// entries, head is what the catalog has besides them.
func foreignCatalog(entries []entry, head, sep string) testkit.Files {
	files := testkit.Files{}
	var texts []string
	for _, e := range entries {
		texts = append(texts, fmt.Sprintf(`{"name": %q, "source": "./%s"%s}`, e.name, e.dir, e.more))
		if e.body != "" {
			files[e.dir+"/skills/s/SKILL.md"] = testkit.Text("---\nname: s\ndescription: d\n---\n" + e.body + "\n")
		}
	}
	text := fmt.Sprintf("{\"name\": \"acme\", \"owner\": {\"name\": \"é\"}%s, \"plugins\": [%s%s%s]}\n", head, sep, strings.Join(texts, ","+sep), sep)
	files[".claude-plugin/marketplace.json"] = testkit.Text(text)
	return files
}

// TestRefreshIsAddingAgain changes a marketplace at random, and holds what a
// refresh makes of it, keeping what did not change, against what reading all of
// it anew gives.
func TestRefreshIsAddingAgain(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			rnd := rand.New(rand.NewPCG(seed, 1))
			w := newWorld(t)
			anew := open(t, filepath.Join(t.TempDir(), "home"), &w.now)
			var entries []entry
			for i := range 8 {
				entries = append(entries, entry{fmt.Sprint("p", i), fmt.Sprint("d/p", i), `, "version": "1.0.0"`, fmt.Sprint(i)})
			}
			head, sep := "", "\n    "
			var before map[string]bool
			for step := range 14 {
				for range rnd.IntN(3) {
					i := rnd.IntN(len(entries))
					switch e := &entries[i]; rnd.IntN(13) {
					case 0: // other bytes under the same version
						e.body = fmt.Sprint("body ", step)
					case 1:
						e.body, e.more = fmt.Sprint("body ", step), fmt.Sprintf(`, "version": "1.%d.0"`, step)
					case 2:
						e.more += fmt.Sprintf(`, "description": "é %d"`, step)
					case 3:
						entries = slices.Insert(entries, i, entry{fmt.Sprint("n", step, i), fmt.Sprint("d/n", step, i), "", "new"})
					case 4:
						if len(entries) > 3 {
							entries = slices.Delete(entries, i, i+1)
						}
					case 5:
						rnd.Shuffle(len(entries), func(a, b int) { entries[a], entries[b] = entries[b], entries[a] })
					case 6: // the directory is shared, and the entry names what it takes
						entries = append(entries, entry{fmt.Sprint("s", step), e.dir, `, "skills": ["./skills/s"]`, e.body})
					case 7: // listed twice
						entries = append(entries, *e)
					case 8:
						entries = append(entries, entry{fmt.Sprint("x", step), "no/such", "", ""})
					case 9:
						entries = append(entries, entry{fmt.Sprint("bad name ", step), "d/p0", "", ""})
					case 10:
						head = fmt.Sprintf(`, "metadata": {"plugins": [1], "version": "%d"}`, step)
					case 11:
						sep = []string{"", "\n", "\n  ", " "}[rnd.IntN(4)]
					case 12:
						e.dir = fmt.Sprint("moved/", step)
					}
				}
				files := foreignCatalog(entries, head, sep)
				files["step"] = testkit.Text(fmt.Sprint(step))
				w.repo.Commit("main", files)
				w.now = w.now.Add(time.Hour)
				var r *market.Report
				var err error
				if step == 0 {
					r = w.add(market.AddOptions{})
				} else if r, err = w.ms.Refresh(t.Context(), "acme", market.RefreshOptions{}); err != nil {
					t.Fatal(err)
				}
				if step > 0 {
					if _, err := anew.Remove(t.Context(), "acme"); err != nil {
						t.Fatal(err)
					}
				}
				again, err := anew.Add(t.Context(), w.url(), market.AddOptions{})
				if err != nil {
					t.Fatal(err)
				}
				got, want := w.market(), plain(t, anew)
				if diff := cmp.Diff(want.State.Plugins, got.State.Plugins, cmp.Comparer(func(a, b hashes.Digest) bool { return a == b })); diff != "" {
					t.Fatalf("step %d: the plugins of a refresh, and of adding again:\n%s", step, diff)
				}
				want.State.Ancestry, got.State.Ancestry = "", ""
				want.State.Plugins, got.State.Plugins = nil, nil
				// A fault of an entry that is known does not stop it from being known.
				want.State.Frame, got.State.Frame = market.Frame{}, market.Frame{}
				if diff := cmp.Diff(want.State, got.State); diff != "" {
					t.Fatalf("step %d: the state:\n%s", step, diff)
				}
				if diff := cmp.Diff(ids(again.Unavailable), ids(r.Unavailable)); len(again.Unavailable) != len(r.Unavailable) || r.Plugins != again.Plugins {
					t.Fatalf("step %d: unavailable:\n%s", step, diff)
				}
				now := map[string]bool{}
				for _, p := range w.market().State.Plugins {
					now[p.ID] = true
				}
				var gone, came []string
				for id := range before {
					if !now[id] {
						gone = append(gone, id)
					}
				}
				for id := range now {
					if !before[id] {
						came = append(came, id)
					}
				}
				if !same(gone, r.Removed) || !same(came, r.Added) {
					t.Fatalf("step %d: removed %v, want %v; added %v, want %v", step, r.Removed, gone, r.Added, came)
				}
				before = now
			}
		})
	}
}

func plain(t *testing.T, ms *market.Markets) *market.Market {
	t.Helper()
	m, err := ms.Get(t.Context(), "acme")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func same(ids []string, changes []market.Change) bool {
	got := map[string]bool{}
	for _, c := range changes {
		got[c.ID] = true
	}
	return slices.Equal(slices.Sorted(slices.Values(ids)), slices.Sorted(maps.Keys(got)))
}

// TestNoNewsOpensNothing shows that a refresh without news works from the
// marketplace's own file: the others could be anything.
func TestNoNewsOpensNothing(t *testing.T) { // issue section 8, refresh unchanged
	w := newWorld(t)
	w.repo.Commit("main", published(t, skill("a", "1.0.0", "a"), skill("b", "1.0.0", "b")))
	w.add(market.AddOptions{})
	key := w.market().Key
	files := []string{w.one("src/" + key + "/snapshot/*"), filepath.Join(w.home, "ledger", key+".jsonl")}
	for _, f := range files {
		if err := os.WriteFile(f, []byte("not what it was\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r, err := w.ms.Refresh(t.Context(), "acme", market.RefreshOptions{})
	if err != nil || !r.Unchanged || r.Plugins != 2 {
		t.Fatalf("%+v, %v", r, err)
	}
	heads, damaged, err := w.ms.Heads(t.Context())
	if err != nil || len(heads) != 1 || len(damaged) != 0 || heads[0].State.Count != 2 {
		t.Errorf("Heads = %+v, %v, %v", heads, damaged, err)
	}
	for _, f := range files {
		if data, err := os.ReadFile(f); err != nil || string(data) != "not what it was\n" {
			t.Errorf("%s was written: %q, %v", f, data, err)
		}
	}
	// With news it is seen.
	w.repo.Commit("main", published(t, skill("a", "1.1.0", "a"), skill("b", "1.0.0", "b")))
	if _, err := w.ms.Refresh(t.Context(), "acme", market.RefreshOptions{}); err == nil || !strings.Contains(err.Error(), files[0]) {
		t.Errorf("a damaged listing was used: %v", err)
	}
}

// one is the only file that a pattern below the home names.
func (w *world) one(pattern string) string {
	w.Helper()
	files, err := filepath.Glob(filepath.Join(w.home, filepath.FromSlash(pattern)))
	if err != nil || len(files) != 1 {
		w.Fatalf("%s names %v, %v", pattern, files, err)
	}
	return files[0]
}

// TestOneChangeCostsOne shows what a refresh does for one changed package among
// many: one directory is read, and what is written is about it alone.
func TestOneChangeCostsOne(t *testing.T) { // issue section 8, refresh with one package changed
	w := newWorld(t)
	packages := func(version string) []testkit.Files {
		all := []testkit.Files{skill("p", version, version)}
		for i := range 60 {
			all = append(all, skill(fmt.Sprintf("p-%d", i), "1.0.0", "same"))
		}
		return all
	}
	w.repo.Commit("main", published(t, packages("1.0.0")...))
	w.add(market.AddOptions{})
	w.repo.Commit("main", published(t, packages("1.1.0")...))

	read := 0
	var written []string
	d, err := fsx.OpenHome(w.home, fsx.Options{Hook: func(op fsx.Op, name string) error {
		if (op == fsx.OpWrite || op == fsx.OpRename) && filepath.Base(name) != "lock" {
			written = append(written, string(op)+" "+strings.Split(name, "/")[0])
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	ms := market.New(market.Options{
		Home: d, Loader: loader(), Clock: func() time.Time { return w.now },
		Open:     func(s source.Spec, _ bool) (source.Source, error) { return git.New(s, git.Options{}) },
		Progress: func(_ string, _, total int) { read = max(read, total) },
	})
	key := w.market().Key
	before := w.photo()
	r, err := ms.Refresh(t.Context(), "acme", market.RefreshOptions{})
	if err != nil || len(r.Updated) != 1 || r.Plugins != 61 {
		t.Fatalf("%+v, %v", r, err)
	}
	if read != 1 {
		t.Errorf("%d directories were read, want 1", read)
	}
	after := w.photo()
	for name, most := range map[string]int{"src/" + key + "/snapshot/plugins.1.jsonl": 1000, "ledger/" + key + ".jsonl": 600} {
		grown, ok := strings.CutPrefix(after[name], before[name])
		if !ok || len(grown) == 0 || len(grown) > most {
			t.Errorf("%s: from %d to %d bytes, want at most %d more", name, len(before[name]), len(after[name]), most)
		}
	}
	if n := len(after["src/"+key+"/market.json"]); n > 2000 {
		t.Errorf("market.json has %d bytes", n)
	}
	if diff := cmp.Diff([]string{"write ledger", "write src", "write staging", "rename src"}, written); diff != "" {
		t.Errorf("writes: %s", diff)
	}
}

// TestLostLedgerIsFilledAgain shows that plugins which are kept as they are stay
// bound to their bytes also when the ledger was lost.
func TestLostLedgerIsFilledAgain(t *testing.T) { // SB-082
	w := newWorld(t)
	w.repo.Commit("main", published(t, skill("a", "1.0.0", "a"), skill("b", "1.0.0", "b")))
	w.add(market.AddOptions{})
	if err := os.Remove(w.one("ledger/*")); err != nil {
		t.Fatal(err)
	}
	w.repo.Commit("main", published(t, skill("a", "1.0.0", "a"), skill("b", "1.1.0", "b")))
	if _, err := w.ms.Refresh(t.Context(), "acme", market.RefreshOptions{}); err != nil {
		t.Fatal(err)
	}
	w.repo.Commit("main", published(t, skill("a", "1.0.0", "other bytes"), skill("b", "1.1.0", "b")))
	w.refused("release/rewritten", market.RefreshOptions{})
}

// TestKeptReleaseIsStillRefused shows that a release which was kept over many
// refreshes is refused when its bytes change, with and without its entry.
func TestKeptReleaseIsStillRefused(t *testing.T) { // SB-081, SB-082
	w := newWorld(t)
	w.repo.Commit("main", published(t, skill("a", "1.0.0", "a"), skill("b", "1.0.0", "b")))
	w.add(market.AddOptions{})
	for i := range 4 {
		w.repo.Commit("main", published(t, skill("a", "1.0.0", "a"), skill("b", fmt.Sprintf("1.0.%d", i+1), fmt.Sprint(i))))
		if r, err := w.ms.Refresh(t.Context(), "acme", market.RefreshOptions{}); err != nil || len(r.Updated) != 1 || r.Plugins != 2 {
			t.Fatalf("%+v, %v", r, err)
		}
	}
	files := published(t, skill("a", "1.0.0", "a"), skill("b", "1.0.4", "3"))
	files["plugins/a/SKILL.md"] = testkit.Text("tampered\n")
	w.repo.Commit("main", files)
	w.refused("hash/mismatch", market.RefreshOptions{})
	w.repo.Commit("main", published(t, skill("a", "1.0.0", "tampered"), skill("b", "1.0.4", "3")))
	w.refused("release/rewritten", market.RefreshOptions{})
	if _, err := w.ms.Refresh(t.Context(), "acme", market.RefreshOptions{SkipRefused: true}); err != nil {
		t.Fatal(err)
	}
	a := w.plugin("a")
	w.repo.Commit("main", published(t, skill("a", "1.0.0", "tampered"), skill("b", "1.0.5", "x")))
	w.refused("release/rewritten", market.RefreshOptions{})
	if again := w.plugin("a"); again.Kept == "" || again.Digest != a.Digest || again.Origin.Commit != a.Origin.Commit {
		t.Errorf("kept back: %+v, then %+v", a, again)
	}
}
