package dir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pinion/source"
	"pinion/tree"
)

func TestDir(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for path, text := range map[string]string{
		"marketplace.json": "{}", "plugins/a/x.md": "x", "plugins/a/sub/y.md": "y", "plugins/b/z.md": "z", ".git/config": "secret",
	} {
		p := filepath.Join(root, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	outside := t.TempDir()
	os.WriteFile(filepath.Join(outside, "secret"), []byte("s"), 0o600)
	if err := os.Symlink(outside, filepath.Join(root, "out")); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	spec, err := source.Parse(root, "/")
	if err != nil {
		t.Fatal(err)
	}
	src := New(spec)
	pin, err := src.Resolve(t.Context(), source.Pin{})
	if err != nil || pin != (source.Pin{}) {
		t.Fatalf("Resolve = %+v, %v", pin, err)
	}
	s, err := src.Open(t.Context(), pin, "")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if data, err := s.ReadFile(t.Context(), "marketplace.json", 2); err != nil || string(data) != "{}" {
		t.Errorf("ReadFile = %q, %v", data, err)
	}
	for path, want := range map[string]error{
		"none": fs.ErrNotExist, "marketplace.json": source.ErrTooLarge, "../x": fs.ErrInvalid,
		"plugins": source.ErrNotRegular, "out": source.ErrNotRegular, "out/secret": fs.ErrNotExist, "marketplace.json/x": fs.ErrNotExist,
	} {
		if data, err := s.ReadFile(t.Context(), path, 1); !errors.Is(err, want) {
			t.Errorf("ReadFile(%q) = %q, %v, want %v", path, data, err, want)
		}
	}
	entries, err := s.Paths(t.Context(), "plugins")
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, e := range entries {
		paths = append(paths, e.Path)
	}
	if diff := cmp.Diff([]string{"a/sub/y.md", "a/x.md", "b/z.md"}, paths); diff != "" {
		t.Error(diff)
	}
	var got []string
	reqs := []source.Request{{Dir: "plugins/b"}, {Dir: "none"}, {Dir: "marketplace.json"}, {Dir: "plugins/a"}, {Dir: "out"}}
	err = s.Trees(t.Context(), reqs, func(i int, tr *tree.Tree, err error) error {
		if err != nil {
			got = append(got, fmt.Sprint(i, " ", err))
			return nil
		}
		for _, f := range tr.Files {
			got = append(got, fmt.Sprint(i, " ", f.Path, " ", string(f.Data)))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"0 z.md z", "1 file does not exist", "2 file does not exist", "3 sub/y.md y", "3 x.md x", "4 file does not exist"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if _, err := New(source.Spec{Kind: source.Dir, Dir: filepath.Join(root, "nowhere")}).Resolve(t.Context(), pin); !errors.Is(err, source.ErrNotFound) {
		t.Errorf("missing directory: %v, want ErrNotFound", err)
	}
}
