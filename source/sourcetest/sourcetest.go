// Package sourcetest is the one suite that every kind of source passes: what
// [source.Source] and [source.Snapshot] promise, whatever the bytes come from.
package sourcetest

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pinion/internal/testkit"
	"pinion/source"
	"pinion/tree"
)

// Kind is a kind of source under test.
type Kind struct {
	// Make returns a source with exactly the files.
	Make func(t *testing.T, files testkit.Files) source.Source
	// Plain is a source without pins.
	Plain bool
	// Ignores are files that the kind adds by itself.
	Ignores []string
}

// Run tests a kind of source.
func Run(t *testing.T, k Kind) {
	files := testkit.Files{
		"marketplace.json":       testkit.Text("{}"),
		"plugins/a/x.md":         testkit.Text("x"),
		"plugins/a/sub/y.md":     testkit.Text("y"),
		"plugins/a/bin/run":      testkit.Exec("#!/bin/sh\n"),
		"plugins/a.txt":          testkit.Text("sorts before a/"),
		"plugins/b/z.md":         testkit.Text("z"),
		"plugins/b/é ü/\"q\".md": testkit.Text("odd name"),
		"plugins/b/empty":        testkit.Text(""),
		"LICENSE":                testkit.Text("licence"),
	}
	src := k.Make(t, files)
	cache := t.TempDir() + "/cache"
	open := func(t *testing.T) source.Snapshot {
		t.Helper()
		pin, err := src.Resolve(t.Context(), source.Pin{})
		if err != nil {
			t.Fatal(err)
		}
		s, err := src.Open(t.Context(), pin, cache)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	}
	s := open(t)

	t.Run("pin", func(t *testing.T) {
		pin := s.Pin()
		if (pin.Commit == "") != k.Plain {
			t.Fatalf("Pin() = %+v, without pins is %v", pin, k.Plain)
		}
		again := open(t)
		if again.Pin() != pin {
			t.Errorf("opened again: %+v, want %+v", again.Pin(), pin)
		}
		if k.Plain {
			return
		}
		// By its pin alone, in an empty cache, as after a lock file.
		alone, err := src.Open(t.Context(), source.Pin{Commit: pin.Commit}, t.TempDir()+"/other")
		if err != nil {
			t.Fatal(err)
		}
		defer alone.Close()
		if data, err := alone.ReadFile(t.Context(), "LICENSE", 100); err != nil || string(data) != "licence" {
			t.Errorf("by its pin: %q, %v", data, err)
		}
		if a, err := s.Descends(t.Context(), pin.Commit); err != nil || a != source.Descendant {
			t.Errorf("Descends from itself = %v, %v", a, err)
		}
		for _, bad := range []string{"x", "1.0.0", "sha256:00", "1.0.0@sha512-AAAA", "../../x@sha1-AAAA"} {
			if s, err := src.Open(t.Context(), source.Pin{Commit: bad}, t.TempDir()); !errors.Is(err, fs.ErrInvalid) {
				t.Errorf("Open of pin %q = %v, %v; want ErrInvalid", bad, s, err)
			}
		}
	})
	t.Run("files", func(t *testing.T) {
		if data, err := s.ReadFile(t.Context(), "marketplace.json", 2); err != nil || string(data) != "{}" {
			t.Errorf("ReadFile = %q, %v", data, err)
		}
		if data, err := s.ReadFile(t.Context(), "plugins/b/empty", 0); err != nil || len(data) != 0 {
			t.Errorf("ReadFile of nothing = %q, %v", data, err)
		}
		for path, want := range map[string]error{
			"none": fs.ErrNotExist, "LICENSE/x": fs.ErrNotExist, "plugins": source.ErrNotRegular, "LICENSE": source.ErrTooLarge,
			"../x": fs.ErrInvalid, "/etc/passwd": fs.ErrInvalid, "": fs.ErrInvalid,
		} {
			if data, err := s.ReadFile(t.Context(), path, 2); !errors.Is(err, want) {
				t.Errorf("ReadFile(%q) = %q, %v; want %v", path, data, err, want)
			}
		}
	})
	t.Run("paths", func(t *testing.T) {
		for dir, want := range map[string][]string{
			"plugins":   {"a.txt", "a/bin/run", "a/sub/y.md", "a/x.md", "b/empty", "b/z.md", "b/é ü/\"q\".md"},
			"plugins/b": {"empty", "z.md", "é ü/\"q\".md"},
			".": {"LICENSE", "marketplace.json", "plugins/a.txt", "plugins/a/bin/run", "plugins/a/sub/y.md", "plugins/a/x.md",
				"plugins/b/empty", "plugins/b/z.md", "plugins/b/é ü/\"q\".md"},
		} {
			entries, err := s.Paths(t.Context(), dir)
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]bool{}
			var order []string
			for _, e := range entries {
				got[e.Path] = true
				order = append(order, e.Path)
			}
			for _, p := range k.Ignores {
				delete(got, p)
			}
			wanted := map[string]bool{}
			for _, p := range want {
				wanted[p] = true
			}
			if diff := cmp.Diff(wanted, got); diff != "" {
				t.Errorf("Paths(%q): %s", dir, diff)
			}
			for i := 1; i < len(order); i++ {
				if order[i-1] >= order[i] {
					t.Errorf("Paths(%q): %q comes before %q", dir, order[i-1], order[i])
				}
			}
		}
		if got, err := s.Paths(t.Context(), "none"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Paths of no directory = %v, %v", got, err)
		}
	})
	t.Run("trees", func(t *testing.T) {
		var got []string
		reqs := []source.Request{
			{Dir: "plugins/b"}, {Dir: "none"}, {Dir: "LICENSE"}, {Dir: "plugins/a"},
			{Dir: "plugins/a", Options: tree.Options{Want: func(p string) bool { return p == "sub/" || p == "sub/y.md" }}},
		}
		err := s.Trees(t.Context(), reqs, func(i int, tr *tree.Tree, err error) error {
			if err != nil {
				if !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("request %d: %v", i, err)
				}
				got = append(got, fmt.Sprint(i, " is not there"))
				return nil
			}
			for _, f := range tr.Files {
				got = append(got, fmt.Sprintf("%d %s %q %v", i, f.Path, f.Data, f.Exec))
			}
			if tr.Problems.HasErrors() || tr.Partial {
				t.Errorf("request %d: %v", i, tr.Problems)
			}
			return nil
		})
		want := []string{
			`0 empty "" false`, `0 z.md "z" false`, `0 é ü/"q".md "odd name" false`, "1 is not there", "2 is not there",
			`3 bin/run "#!/bin/sh\n" true`, `3 sub/y.md "y" false`, `3 x.md "x" false`, `4 sub/y.md "y" false`,
		}
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("Trees: %v %s", err, diff)
		}
		stop := errors.New("stop")
		if err := s.Trees(t.Context(), reqs, func(int, *tree.Tree, error) error { return stop }); err != stop {
			t.Errorf("Trees with an error of its caller = %v", err)
		}
	})
	t.Run("ids", func(t *testing.T) {
		ids, err := s.TreeIDs(t.Context(), "plugins")
		if err != nil || ids != nil && (len(ids) != 2 || ids["a"] == "" || ids["a"] == ids["b"]) {
			t.Errorf("TreeIDs = %v, %v", ids, err)
		}
	})
}
