package catalog

import (
	"bytes"
	stdjson "encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
)

// bigCatalog returns a native catalog of n entries, as long as real ones.
func bigCatalog(n int) []byte {
	var b bytes.Buffer
	b.WriteString("{\n  \"schema_version\": 1,\n  \"name\": \"big\",\n  \"owner\": {\n    \"name\": \"Big\"\n  },\n  \"plugins\": [\n")
	for i := range n {
		if i > 0 {
			b.WriteString(",\n")
		}
		fmt.Fprintf(&b, "    {\n      \"name\": \"plugin-%05d\",\n      \"version\": \"1.%d.0\",\n      \"source\": \"./plugins/plugin-%05d\",\n"+
			"      \"hash\": \"h1:ewgmbxq501s9WBsNBQyYKOiGfnOXpdPPuc8LDrawrBk=\",\n      \"displayName\": \"Plugin %d\",\n      \"description\": %q,\n"+
			"      \"kind\": \"skill\",\n      \"license\": \"MIT\"\n    }",
			i, i%10, i, i, "What it does and when to use it. "+strings.Repeat("Some words about it. ", 8+i%8))
	}
	b.WriteString("\n  ]\n}\n")
	return b.Bytes()
}

// stdCatalog is what encoding/json v1 decodes for comparison: the same fields.
type stdCatalog struct {
	SchemaVersion int    `json:"schema_version"`
	Name          string `json:"name"`
	Owner         Owner  `json:"owner"`
	Plugins       []struct {
		Name        string   `json:"name"`
		Version     string   `json:"version"`
		Source      string   `json:"source"`
		Hash        string   `json:"hash"`
		DisplayName string   `json:"displayName"`
		Description string   `json:"description"`
		Kind        string   `json:"kind"`
		License     string   `json:"license"`
		Keywords    []string `json:"keywords"`
	} `json:"plugins"`
}

// BenchmarkBuild writes 10,000 entries, first and over the catalog before.
func BenchmarkBuild(b *testing.B) {
	items := make([]Item, 10_000)
	for i := range items {
		items[i] = item(b, fmt.Sprintf("plugin-%05d", i), "1.0.0")
	}
	existing := Build(BuildInput{Items: ItemsOf(items...), Name: "n", Owner: "o"}).Bytes()
	for name, old := range map[string][]byte{"new": nil, "again": existing} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r := Build(BuildInput{Items: ItemsOf(items...), Existing: old, Name: "n", Owner: "o"})
				if _, err := r.WriteTo(io.Discard); err != nil || len(r.Problems) > 0 {
					b.Fatal(err, r.Problems)
				}
			}
		})
	}
}

// The issue, section 8: load a catalog of 10,000 in at most half the time of
// encoding/json v1. Compare both sub-benchmarks.
func BenchmarkParse(b *testing.B) {
	data := bigCatalog(10_000)
	b.Run("pinion", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			if c, l := Parse("marketplace.json", data); len(c.Entries) != 10_000 || len(l) > 0 {
				b.Fatal(len(c.Entries), l)
			}
		}
	})
	b.Run("encoding-json-v1", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			var c stdCatalog
			if err := stdjson.Unmarshal(data, &c); err != nil {
				b.Fatal(err)
			}
		}
	})
}
