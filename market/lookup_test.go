package market_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"pinion/hashes"
	"pinion/internal/testkit"
	"pinion/market"
)

// Lookup decodes what it needs and finds what reading everything finds.
func TestLookup(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	files := testkit.Files{".claude-plugin/marketplace.json": testkit.Text(`{"name": "m", "owner": {"name": "O"}, "renames": {"old": "alpha", "older": "old"},
		"plugins": [
			{"name": "alpha", "source": "./a", "description": "quotes \" ] } and\nlines \"id\": \"beta\",", "tags": ["]", "}"]},
			{"name": "alphabet", "source": "./b", "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "echo {\"plugins\": [] }"}]}]}},
			{"name": "beta", "source": "./none"}
		]}`)}
	for _, d := range []string{"a", "b"} {
		files[d+"/skills/x/SKILL.md"] = testkit.Text("---\nname: x\ndescription: Does x.\n---\n\nText.\n")
	}
	w.repo.Commit("main", files)
	if _, err := w.ms.Add(t.Context(), w.url(), market.AddOptions{}); err != nil {
		t.Fatal(err)
	}
	all, err := w.ms.Get(t.Context(), "m")
	if err != nil {
		t.Fatal(err)
	}
	if len(all.State.Plugins) != 3 {
		t.Fatalf("plugins = %+v", all.State.Plugins)
	}
	for id, want := range map[string][]string{
		"alpha": {"alpha"}, "alphabet": {"alphabet"}, "beta": {"beta"}, "old": {"alpha"}, "older": {"alpha"}, "none": {}, "": {}, `"`: {}, "Stop": {},
	} {
		for _, alias := range []string{"m", ""} {
			got, err := w.ms.Lookup(t.Context(), alias, id)
			if err != nil || len(got) != 1 {
				t.Fatalf("Lookup(%q, %q) = %d, %v", alias, id, len(got), err)
			}
			wanted := *all
			wanted.State.Plugins = []market.Plugin{}
			for _, p := range all.State.Plugins {
				for _, name := range want {
					if p.ID == name {
						wanted.State.Plugins = append(wanted.State.Plugins, p)
					}
				}
			}
			if diff := cmp.Diff(&wanted, got[0], cmp.Comparer(func(a, b hashes.Digest) bool { return a == b })); diff != "" {
				t.Errorf("Lookup(%q, %q): %s", alias, id, diff)
			}
		}
	}
	if _, err := w.ms.Lookup(t.Context(), "other", "alpha"); err == nil {
		t.Error("Lookup in an unknown marketplace works")
	}
	heads, _, err := w.ms.Heads(t.Context())
	if err != nil || len(heads) != 1 || len(heads[0].State.Plugins) != 0 || heads[0].State.Pin != all.State.Pin {
		t.Errorf("Heads = %+v, %v", heads, err)
	}
	if key, ok := w.ms.Key(t.Context(), "m"); !ok || key != all.Key {
		t.Errorf("Key = %q, %v", key, ok)
	}
	if _, ok := w.ms.Key(t.Context(), "other"); ok {
		t.Error("Key of an unknown alias")
	}
}
