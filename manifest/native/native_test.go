package native

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"pinion/hashes"
	"pinion/internal/testkit"
	"pinion/problem"
	"pinion/tree"
)

var update = flag.Bool("update", false, "rewrite the want sections of testdata")

// makeTree builds a tree as every reader does.
func makeTree(files map[string]string) *tree.Tree {
	var top, paths []string
	for p := range files {
		paths = append(paths, p)
		first, _, _ := strings.Cut(p, "/")
		if !slices.Contains(top, first) {
			top = append(top, first)
		}
	}
	slices.Sort(top)
	slices.Sort(paths)
	f := New(Options{})
	b := tree.NewBuilder(tree.Options{Profile: func([]string) tree.Profile { return f.Profile() }}, top, &tree.Scratch{})
	for _, p := range paths {
		i, ok := b.Add(tree.Entry{Path: p, Size: int64(len(files[p])), Nlink: 1})
		if !ok {
			continue
		}
		if buf, ok := b.Reserve(i, int64(len(files[p]))); ok {
			copy(buf, files[p])
			b.Fill(i, buf, hashes.Of(buf))
		}
	}
	return b.Tree()
}

// load is what a command sees: the tree's problems and the format's.
func load(f *Format, files map[string]string) problem.List {
	t := makeTree(files)
	_, problems := f.Load(t, nil)
	all := append(slices.Clone(t.Problems), problems...)
	all.Sort()
	return all
}

func lines(l problem.List) string {
	var b strings.Builder
	for _, p := range l {
		b.WriteString(p.String() + "\n")
	}
	return b.String()
}

// TestCases runs testdata/*.txtar: the files of a package, those below bundle/
// being the host's, and what is reported. Each case names its rows.
func TestCases(t *testing.T) {
	t.Parallel()
	cases, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(cases) == 0 {
		t.Fatal("no cases", err)
	}
	for _, name := range cases {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			t.Parallel()
			ar, err := readArchive(name)
			if err != nil {
				t.Fatal(err)
			}
			files, bundle, want := map[string]string{}, fstest.MapFS{}, ""
			for _, f := range ar.files {
				inner, shipped := strings.CutPrefix(f.name, "bundle/")
				switch {
				case f.name == "want":
					want = f.data
				case shipped:
					bundle[inner] = &fstest.MapFile{Data: []byte(f.data)}
				default:
					files[f.name] = f.data
				}
			}
			var opts Options
			if len(bundle) > 0 {
				opts.Bundle = bundle
			}
			got := lines(load(New(opts), files))
			if *update {
				ar.files[len(ar.files)-1].data = got
				if err := os.WriteFile(name, ar.text(), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if d := cmp.Diff(want, got); d != "" {
				t.Errorf("problems (-want +got)\n%s", d)
			}
		})
	}
}

// TestEveryRuleHasACase keeps the promise of one failing fixture for each rule.
func TestEveryRuleHasACase(t *testing.T) {
	t.Parallel()
	cases, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var all bytes.Buffer
	for _, name := range cases {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(data)
	}
	// Lists of more than 100 elements and packages above 2,000,000 bytes are
	// made in TestLimits, which compares their rules too.
	large := []string{ruleTooManyFiles.ID, ruleTooManyTools.ID, ruleTooMany.ID, ruleDecimalSize.ID}
	seen := map[string]bool{}
	for _, r := range Rules() {
		if seen[r.ID] {
			t.Errorf("rule %s is listed twice", r.ID)
		}
		seen[r.ID] = true
		if r.Title == "" || r.Help == "" || r.Fix == "" || r.Since == "" || strings.Count(r.ID, "/") != 1 {
			t.Errorf("rule %+v is not complete", r)
		}
		if !slices.Contains(large, r.ID) && !bytes.Contains(all.Bytes(), []byte("("+r.ID+")")) {
			t.Errorf("no case in testdata reports %s", r.ID)
		}
	}
}

// The five packages pass as they are, read from disk like any other.
func TestFixtures(t *testing.T) {
	t.Parallel()
	root := filepath.Join(testkit.SharedDir(t), "fixtures", "shinbot-marketplace-repo", "plugins")
	d, err := tree.OpenDir(root)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	f := New(Options{})
	for id, components := range map[string]string{
		"writing-style":  "skill writing-style SKILL.md ",
		"text-tools":     "mcp-server text-tools server.py python server.py; tool normalize server.py ",
		"paint":          "ui-page canvas paint.js Paint; ui-style paint.css paint.css ; ui-patch toolbar.js toolbar.js ",
		"workflow-hooks": "hook before_chat hooks.py at most 10 s; hook before_tool hooks.py at most 10 s; hook after_tool hooks.py at most 10 s; hook after_response hooks.py at most 10 s; ui-patch toolbar.js toolbar.js ",
		"mail-reader": "mcp-server mail-reader server.py python server.py; tool token_length server.py ; tool send_mail server.py asks before each call; " +
			"setting SHINBOT_PLUGIN_EXAMPLE_TOKEN shinbot-plugin.json secret, required",
	} {
		opts := tree.Options{Profile: func(top []string) tree.Profile {
			if !f.Detect(top) {
				t.Errorf("%s: Detect(%v) = false", id, top)
			}
			return f.Profile()
		}}
		tr, err := d.Read(t.Context(), id, opts, &tree.Scratch{})
		if err != nil {
			t.Fatal(err)
		}
		m, problems := f.Load(tr, nil)
		if len(tr.Problems)+len(problems) > 0 {
			t.Errorf("%s: %v %v, want no problems", id, tr.Problems, problems)
		}
		var got []string
		for _, c := range m.Components {
			got = append(got, string(c.Type)+" "+c.Name+" "+c.Path+" "+c.Detail)
		}
		if d := cmp.Diff(components, strings.Join(got, "; ")); d != "" {
			t.Errorf("%s: components (-want +got)\n%s", id, d)
		}
		if m.ID != id || m.Version != "1.0.0" || m.License != "MIT" || m.Path != "shinbot-plugin.json" || m.Format != f.Name() {
			t.Errorf("%s: manifest = %+v", id, m)
		}
	}
}

func TestDetect(t *testing.T) {
	t.Parallel()
	f := New(Options{})
	for _, tt := range []struct {
		top  string
		want bool
	}{
		{"LICENSE pinion-plugin.json", true},
		{"LICENSE shinbot-plugin.json", true},
		{".claude-plugin LICENSE", false},
		{"Pinion-plugin.json", false},
		{"", false},
	} {
		if got := f.Detect(strings.Fields(tt.top)); got != tt.want {
			t.Errorf("Detect(%s) = %t, want %t", tt.top, got, tt.want)
		}
	}
	if d := cmp.Diff([]string{"pinion-plugin.json", "shinbot-plugin.json"}, FileNames()); d != "" {
		t.Error(d)
	}
}
