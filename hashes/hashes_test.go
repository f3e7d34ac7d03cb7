package hashes_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/dirhash"
	"pgregory.net/rapid"

	"pinion/hashes"
)

// shared returns a file of the shared fixtures, or skips.
func shared(t *testing.T, rel string) string {
	t.Helper()
	root := os.Getenv("PINION_SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "shared")
	}
	p := filepath.Join(root, filepath.FromSlash(rel))
	if _, err := os.Stat(p); err != nil {
		t.Skipf("no shared fixtures: %v", err)
	}
	return p
}

// files lists a directory as the digest wants it.
func files(t *testing.T, dir string) []hashes.File {
	t.Helper()
	var out []hashes.File
	err := filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		out = append(out, hashes.File{Path: filepath.ToSlash(rel), Sum: hashes.Of(b)})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// golden reads the published digests of the fixtures.
func golden(t *testing.T) map[string]string {
	t.Helper()
	b, err := os.ReadFile(shared(t, "fixtures/digests.txt"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for line := range strings.Lines(string(b)) {
		id, digest, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok {
			t.Fatalf("digests.txt: line %q", line)
		}
		want[id] = digest
	}
	return want
}

func TestGolden(t *testing.T) { // SB-079, house "Package digest"
	for id, want := range golden(t) {
		d, err := hashes.Tree(files(t, shared(t, "fixtures/shinbot-marketplace-repo/plugins/"+id)))
		if err != nil {
			t.Fatal(err)
		}
		if d.String() != want {
			t.Errorf("%s: Tree() = %s, want %s", id, d, want)
		}
	}
}

// TestDirhash recomputes with the library of Go's checksum database.
func TestDirhash(t *testing.T) {
	for id, want := range golden(t) {
		got, err := dirhash.HashDir(shared(t, "fixtures/shinbot-marketplace-repo/plugins/"+id), "", func(files []string, open func(string) (io.ReadCloser, error)) (string, error) {
			return dirhash.Hash1(files, func(name string) (io.ReadCloser, error) { return open(name) })
		})
		if err != nil || got != want {
			t.Errorf("%s: dirhash = %s, %v, want %s", id, got, err, want)
		}
	}
}

// TestShell recomputes with sha256sum and sort alone, as documented.
func TestShell(t *testing.T) {
	if _, err := exec.LookPath("sha256sum"); err != nil {
		t.Skip("sha256sum is not installed")
	}
	for id, want := range golden(t) {
		cmd := exec.Command("sh", "-c", `find . -type f -printf '%P\n' | LC_ALL=C sort | xargs -d'\n' sha256sum | sha256sum | cut -c1-64`)
		cmd.Dir = shared(t, "fixtures/shinbot-marketplace-repo/plugins/"+id)
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		d, err := hashes.Parse(want)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimSpace(string(out)); got != d.Hex(64) {
			t.Errorf("%s: sha256sum says %s, want %s", id, got, d.Hex(64))
		}
	}
}

// TestAgainstDirhash compares with the oracle on made-up trees.
func TestAgainstDirhash(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		content := rapid.MapOfN(rapid.StringMatching(`[a-zA-Z0-9/._é-]{1,12}`), rapid.SliceOf(rapid.Byte()), 0, 6).Draw(t, "files")
		var fs []hashes.File
		var names []string
		for name, data := range content {
			fs = append(fs, hashes.File{Path: name, Sum: hashes.Of(data)})
			names = append(names, name)
		}
		before := slices.Clone(fs)
		got, err := hashes.Tree(fs)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(before, fs) {
			t.Fatal("Tree changed its argument")
		}
		want, err := dirhash.Hash1(names, func(n string) (io.ReadCloser, error) {
			return io.NopCloser(bytes.NewReader(content[n])), nil
		})
		if err != nil || got.String() != want {
			t.Fatalf("Tree() = %s, want %s (%v)", got, want, err)
		}
	})
}

func TestTreeRefuses(t *testing.T) {
	if _, err := hashes.Tree([]hashes.File{{Path: "a"}, {Path: "a"}}); err == nil {
		t.Error("a path that appears twice was accepted")
	}
	if _, err := hashes.Tree([]hashes.File{{Path: "a\nb"}}); !errors.Is(err, hashes.ErrNewline) {
		t.Errorf("a path with a newline: %v, want ErrNewline", err)
	}
}

func TestParse(t *testing.T) {
	d, err := hashes.Tree([]hashes.File{{Path: "a", Sum: hashes.Of(nil)}})
	if err != nil {
		t.Fatal(err)
	}
	back, err := hashes.Parse(d.String())
	if err != nil || back != d {
		t.Errorf("Parse(%q) = %v, %v", d, back, err)
	}
	for _, bad := range []string{
		"", "h1:", "h2:" + d.String()[3:], d.String() + "=", "h1:" + base64.StdEncoding.EncodeToString(make([]byte, 31)),
		strings.ToUpper(d.String()[:3]) + d.String()[3:], d.String() + "\n",
	} {
		if _, err := hashes.Parse(bad); err == nil {
			t.Errorf("Parse(%q) accepted", bad)
		}
	}
	var zero hashes.Digest
	if zero.String() != "" || !zero.IsZero() {
		t.Errorf("zero digest prints %q", zero)
	}
	if s := d.Short(); !strings.HasPrefix(d.String(), strings.TrimSuffix(s, "…")) || len(s) != len("h1:")+8+len("…") {
		t.Errorf("Short() = %q", s)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("h1:Akq3E6Yh15Q4ft5nW2VRbrkfFlKccE6DYiI+1bWHUOM=")
	f.Fuzz(func(t *testing.T, s string) {
		if d, err := hashes.Parse(s); err == nil && d.String() != s {
			t.Errorf("Parse(%q) accepted, but it prints as %q", s, d)
		}
	})
}

func ExampleTree() {
	d, _ := hashes.Tree([]hashes.File{{Path: "SKILL.md", Sum: hashes.Of([]byte("# Hello\n"))}})
	os.Stdout.WriteString(d.String()[:3] + "\n")
	// Output: h1:
}
