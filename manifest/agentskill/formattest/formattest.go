// Package formattest runs the cases of a foreign package format: one txtar file
// each, with the package's files and what is to be found in them.
//
// Three files of an archive are not part of the package: "entry" is the catalog
// entry as JSON, "exec" the executable paths, one a line, and "want" the result.
package formattest

import (
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pinion/internal/syntax"
	"pinion/manifest"
	"pinion/manifest/agentskill"
	"pinion/manifest/component"
	"pinion/problem"
	"pinion/tree"
)

var update = flag.Bool("update", false, "rewrite the want file of each case")

// Format is what the cases are run on.
type Format interface {
	Name() string
	Profile() tree.Profile
	Load(*tree.Tree, *manifest.Entry) (*manifest.Manifest, problem.List)
	Rules() []problem.Rule
}

// Run runs every case in testdata.
func Run(t *testing.T, f Format) {
	cases, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(cases) == 0 {
		t.Fatalf("no cases in testdata: %v", err)
	}
	for _, file := range cases {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			input, want, _ := strings.Cut(string(text), "-- want --\n")
			files, exec := map[string][]byte{}, []string(nil)
			var entry *manifest.Entry
			for name, data := range archive(input) {
				switch name {
				case "entry":
					entry = Entry(t, data)
				case "exec":
					exec = strings.Fields(string(data))
				default:
					files[name] = data
				}
			}
			m, found := f.Load(Tree(f.Profile(), files, exec), entry)
			CheckFound(t, f, found)
			got := Render(m, found)
			if *update {
				if err := os.WriteFile(file, []byte(input+"-- want --\n"+got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("Load (-want +got):\n%s", diff)
			}
		})
	}
}

// archive splits text at lines "-- name --", as golang.org/x/tools/txtar does.
func archive(text string) map[string][]byte {
	files := map[string][]byte{}
	name := ""
	for line := range strings.Lines(text) {
		if marker, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), "-- "); ok && strings.HasSuffix(marker, " --") {
			name = strings.TrimSuffix(marker, " --")
			files[name] = []byte{}
		} else if name != "" {
			files[name] = append(files[name], line...)
		}
	}
	return files
}

// Entry reads a catalog entry.
func Entry(t testing.TB, data []byte) *manifest.Entry {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		t.Fatal(err)
	}
	e := &manifest.Entry{Strict: true, Fields: map[string]syntax.Raw{}}
	for key, v := range raw {
		into := map[string]any{"name": &e.Name, "version": &e.Version, "description": &e.Description, "license": &e.License, "strict": &e.Strict}[key]
		if into == nil {
			e.Fields[key] = syntax.Raw(v)
		} else if err := json.Unmarshal(v, into); err != nil {
			t.Fatal(err)
		}
	}
	return e
}

// Tree builds a package from the contents of its files.
func Tree(p tree.Profile, files map[string][]byte, exec []string) *tree.Tree {
	var s tree.Scratch
	b := tree.NewBuilder(tree.Options{Profile: func([]string) tree.Profile { return p }}, nil, &s)
	for path, data := range files {
		i, ok := b.Add(tree.Entry{Path: path, Size: int64(len(data)), Exec: slices.Contains(exec, path)})
		if !ok {
			continue
		}
		if buf, ok := b.Reserve(i, int64(len(data))); ok {
			copy(buf, data)
			b.Fill(i, buf, sha256.Sum256(data))
		}
	}
	return b.Tree()
}

// CheckFound fails on a finding whose rule nobody defines, one without a
// position that is not about the catalog entry, and one without advice.
func CheckFound(t testing.TB, f Format, found problem.List) {
	t.Helper()
	if len(found) == 0 {
		return
	}
	defined := map[string]bool{}
	for _, r := range slices.Concat(f.Rules(), agentskill.Rules(), component.Rules(), syntax.Rules()) {
		defined[r.ID] = true
	}
	for _, p := range found {
		if !defined[p.Rule] {
			t.Errorf("finding of an undefined rule: %s", p)
		}
		if (p.File == "" || p.Line == 0) && !strings.HasPrefix(p.Message, "catalog entry: ") {
			t.Errorf("finding without a position: %s", p)
		}
		if p.Fix == "" {
			t.Errorf("finding without advice: %s", p)
		}
		if p.Message == "" || strings.ContainsAny(p.Message, "\n\x1b") {
			t.Errorf("finding with an unusable message: %q", p.Message)
		}
	}
}

// Render is the text that cases compare.
func Render(m *manifest.Manifest, found problem.List) string {
	var b strings.Builder
	found = slices.Clone(found)
	found.Sort()
	for _, p := range found {
		fmt.Fprintln(&b, p)
	}
	fmt.Fprintf(&b, "= %s %q %q %q license %q\n", m.Kind, m.ID, m.Name, m.Version, m.License)
	for _, c := range m.Components {
		line := fmt.Sprintf("%s %s | %s | %s", c.Type, c.Name, c.Path, c.Detail)
		fmt.Fprintln(&b, strings.TrimRight(line, " |"))
	}
	for _, s := range m.Settings {
		fmt.Fprintf(&b, "setting %s secret=%t required=%t\n", s.Key, s.Secret, s.Required)
	}
	return b.String()
}
