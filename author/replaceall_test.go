package author

import (
	"os"
	"path/filepath"
	"testing"
)

// Files are made, replaced and removed together, and what is in the way changes
// nothing. Issue 4 "Compile": all files or none.
func TestReplaceAll(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, data := range map[string]string{"kept": "k", "old": "o", "gone/deep/file": "g", "busy/file": "b", "busy/other": "b"} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	changes := []Change{
		{Path: "old", Data: []byte("new")}, {Path: "a/b/made", Data: []byte("m"), Exec: true},
		{Path: "gone/deep/file"}, {Path: "busy/file"}, {Path: "never/was"},
	}
	if err := ReplaceAll(dir, changes); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"a/b/made": "m", "busy/other": "b", "kept": "k", "old": "new", "busy/file": "", "never/was": ""} {
		if got, _ := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name))); string(got) != want {
			t.Errorf("%s has %q, want %q", name, got, want)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "gone")); !os.IsNotExist(err) {
		t.Errorf("an empty directory is left: %v", err)
	}
	if st, err := os.Stat(filepath.Join(dir, "a/b/made")); err != nil || st.Mode().Perm()&0o111 == 0 {
		t.Errorf("the made file cannot be run: %v, %v", st, err)
	}
	before := snapshot(t, dir)
	if err := os.Symlink("kept", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"kept/inside", "link", "../out"} {
		err := ReplaceAll(dir, []Change{{Path: "old", Data: []byte("x")}, {Path: "new/dir/file", Data: []byte("x")}, {Path: bad, Data: []byte("x")}})
		if err == nil {
			t.Errorf("%s is written", bad)
		}
		if _, err := os.Stat(filepath.Join(dir, "new")); !os.IsNotExist(err) {
			t.Errorf("%s: a directory is left: %v", bad, err)
		}
		if err := os.Remove(filepath.Join(dir, "link")); err != nil {
			t.Fatal(err)
		}
		if got := snapshot(t, dir); got != before {
			t.Errorf("%s: %q, want %q", bad, got, before)
		}
		if err := os.Symlink("kept", filepath.Join(dir, "link")); err != nil {
			t.Fatal(err)
		}
	}
}
