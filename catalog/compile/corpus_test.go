package compile_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pinion/catalog"
	"pinion/catalog/compile"
	"pinion/internal/testkit"
)

// corpus returns every Claude catalog of the corpus, by file.
func corpus(t *testing.T) map[string][]byte {
	t.Helper()
	root := filepath.Join(testkit.SharedDir(t), "corpus")
	out := map[string][]byte{}
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(filepath.ToSlash(p), ".claude-plugin/marketplace.json") {
			return err
		}
		data, err := os.ReadFile(p)
		out[p] = data
		return err
	})
	if err != nil || len(out) == 0 {
		t.Fatalf("no catalogs: %v", err)
	}
	return out
}

// plugins gives every directory that a catalog names the shape of a Claude
// plugin.
func plugins(c *catalog.Catalog) map[string]*compile.Package {
	out := map[string]*compile.Package{}
	for _, e := range c.Entries {
		if dir, ok := e.Source.Relative(); ok && dir != "." {
			out[dir] = &compile.Package{Format: "claude", Top: []string{".claude-plugin", ".cursor-plugin", "skills"}}
		}
	}
	return out
}

func files(r *compile.Result) map[string][]byte {
	out := map[string][]byte{}
	for _, f := range r.Files {
		out[f.Path] = f.Data
	}
	return out
}

// Every published Claude catalog is written for the other hosts and back:
// entries are in the file of a host or reported as left out of it, the host
// reads the file without an error, a second run changes nothing, and the Claude
// file itself stays as it is. Issue 4 "Compile", user-needs 18, 75, §4.6.
func TestCorpus(t *testing.T) {
	t.Parallel()
	for file, data := range corpus(t) {
		source, problems := catalog.Parse(".claude-plugin/marketplace.json", data)
		if problems.HasErrors() {
			continue // validate says so
		}
		in := compile.Input{
			Hosts: compile.Hosts(), Path: source.Path, Data: data, Packages: plugins(source),
			Existing: map[string][]byte{source.Path: data},
		}
		out := compile.Compile(in)
		if out.Problems.HasErrors() {
			t.Errorf("%s: %v", file, out.Problems)
			continue
		}
		made := files(out)
		if !bytes.Equal(made[source.Path], data) {
			t.Errorf("%s: the Claude catalog of a Claude catalog is another one", file)
		}
		for _, h := range out.Hosts {
			again, problems := catalog.Parse(h.Path, made[h.Path])
			if problems.HasErrors() || h.Host != catalog.Claude && catalog.Lint(again, made[h.Path], nil).HasErrors() {
				t.Errorf("%s for %s: %v", file, h.Host, problems)
			}
			if n := len(again.Entries); n != h.Plugins || n+h.LeftOut != len(source.Entries) {
				t.Errorf("%s for %s: %d entries became %d, and %d are reported as left out", file, h.Host, len(source.Entries), n, h.LeftOut)
			}
			samePins(t, file, source, again)
		}
		in.Existing = made
		second := compile.Compile(in)
		for path, want := range made {
			if !bytes.Equal(files(second)[path], want) {
				t.Errorf("%s: %s is another one in the second run", file, path)
			}
		}
		if len(second.Remove) > 0 {
			t.Errorf("%s: the second run removes %v", file, second.Remove)
		}
		back(t, file, source, made)
	}
}

// samePins checks that the entries of a compiled catalog lead to the same
// directory of the same commit.
func samePins(t *testing.T, file string, from, to *catalog.Catalog) {
	t.Helper()
	for _, e := range to.Entries {
		was := from.Named(e.Name)[0].Source
		if e.Source.Dir != was.Dir || e.Source.SHA != was.SHA || e.Source.Ref != was.Ref {
			t.Errorf("%s: %s in %s is at %+v, was at %+v", file, e.Name, to.Path, e.Source, was)
		}
	}
}

// back compiles what was written for Codex and Copilot for Claude Code.
func back(t *testing.T, file string, source *catalog.Catalog, made map[string][]byte) {
	t.Helper()
	for _, path := range []string{".agents/plugins/marketplace.json", ".github/plugin/marketplace.json"} {
		if !slices.Contains(keys(made), path) {
			continue
		}
		out := compile.Compile(compile.Input{Hosts: []catalog.Flavour{catalog.Claude}, Path: path, Data: made[path]})
		if out.Problems.HasErrors() {
			t.Errorf("%s, from %s back: %v", file, path, out.Problems)
			continue
		}
		again, problems := catalog.Parse(source.Path, files(out)[source.Path])
		if problems.HasErrors() {
			t.Errorf("%s, from %s back: %v", file, path, problems)
		}
		samePins(t, file, source, again)
	}
}

func keys(m map[string][]byte) (out []string) {
	for k := range m {
		out = append(out, k)
	}
	return out
}
