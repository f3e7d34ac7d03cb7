package catalog

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pinion/internal/testkit"
)

// How many sources of each form the catalogs of real repositories have, by a
// second reading that knows nothing of the first, and what became of each:
// fetchable, or why not (formats 1.1.3, Annex B).
func TestCorpusForms(t *testing.T) {
	t.Parallel()
	root := filepath.Join(testkit.SharedDir(t), "corpus")
	type row struct{ entries, fetched, unfit int }
	table := map[string]row{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(d.Name(), "marketplace.json") {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		_, inside, _ := strings.Cut(filepath.ToSlash(rel), "/")
		if strings.HasPrefix(inside, "_history/") {
			inside = ".claude-plugin/marketplace.json"
		}
		var raw struct {
			Plugins []struct{ Source json.RawMessage }
		}
		if json.Unmarshal(data, &raw) != nil {
			return nil // the broken ones of the histories
		}
		c, _ := Parse(inside, data)
		if len(c.Entries) != len(raw.Plugins) {
			t.Errorf("%s: %d entries of %d were read", rel, len(c.Entries), len(raw.Plugins))
			return nil
		}
		for i, e := range c.Entries {
			form, want := shape(raw.Plugins[i].Source)
			name := fmt.Sprintf("%-7s %s", c.Flavour, form)
			r := table[name]
			r.entries++
			_, relative := e.Source.Relative()
			_, _, _, elsewhere := e.Source.Spec()
			if e.Unavailable == "" && (relative || elsewhere) {
				r.fetched++
				if e.Source.Form != want {
					t.Errorf("%s: entry %d is %s, read as %s", rel, i, form, e.Source.Form)
				}
			} else {
				r.unfit++
				if e.Unavailable == "" || e.Rule() == "" {
					t.Errorf("%s: entry %d (%s) cannot be fetched, and nothing says why", rel, i, form)
				}
			}
			table[name] = r
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(table)) {
		r := table[name]
		fmt.Fprintf(&b, "%-32s %5d entries %5d fetchable %3d not\n", name, r.entries, r.fetched, r.unfit)
	}
	const golden = "testdata/corpus-forms.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), b.String()); d != "" {
		t.Errorf("sources of real catalogs (-want +got):\n%s", d)
	}
}

// shape says how a source is written, and what it is.
func shape(raw json.RawMessage) (form string, want Form) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		switch {
		case strings.HasPrefix(text, "./"), text == ".":
			return "text ./", Relative
		case strings.Contains(text, "/"):
			return "text with a slash", Relative
		}
		return "text bare", Relative
	}
	var o map[string]any
	if json.Unmarshal(raw, &o) != nil {
		return "something else", Unknown
	}
	kind, _ := o["source"].(string)
	form = kind
	for _, key := range []string{"path", "ref", "sha", "sha256", "version", "registry"} {
		if _, ok := o[key]; ok {
			form += "+" + key
		}
	}
	if url, _ := o["url"].(string); kind == "url" && strings.HasPrefix(url, ".") {
		return form + " of itself", Relative
	}
	for f, name := range formNames {
		if name == kind {
			want = Form(f)
		}
	}
	if kind == "local" {
		want = Relative
	}
	return form, want
}
