package store

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pinion/internal/fsx"
	"pinion/internal/syntax"
	"pinion/internal/testkit"
	"pinion/manifest"
	"pinion/pkgfmt"
	"pinion/problem"
	"pinion/tree"
)

// plain is a small foreign format: the first two words of the file "id" are the
// id and the version.
type plain struct{}

func (plain) Name() string             { return "plain" }
func (plain) Detect(top []string) bool { return slices.Contains(top, "id") }
func (plain) Profile() tree.Profile    { return tree.Profile{Limits: tree.Foreign()} }

func (plain) Load(t *tree.Tree, _ *manifest.Entry) (*manifest.Manifest, problem.List) {
	m := &manifest.Manifest{Format: "plain", Path: "id", Kind: manifest.Skill}
	if words := strings.Fields(string(t.Lookup("id").Data)); len(words) > 1 {
		m.ID, m.Version = words[0], words[1]
	}
	m.Components = []manifest.Component{{Type: manifest.SkillComponent, Name: m.ID, Path: "id"}}
	return m, nil
}

// home is a home whose steps a test can watch.
type home struct {
	t    testing.TB
	root string
	dir  *fsx.Dir
	mu   sync.Mutex
	hook fsx.Hook
}

func (h *home) step(op fsx.Op, name string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.hook == nil {
		return nil
	}
	return h.hook(op, name)
}

func (h *home) setHook(f fsx.Hook) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.hook = f
}

func newHome(t testing.TB) *home {
	t.Helper()
	return openHome(t, filepath.Join(fastDir(t), "home"))
}

// fastDir is a temporary directory for tests that sync thousands of times.
func fastDir(t testing.TB) string { return testkit.FastDir(t) }

func openHome(t testing.TB, root string) *home {
	t.Helper()
	h := &home{t: t, root: root}
	d, err := fsx.OpenHome(root, fsx.Options{Create: true, Hook: h.step})
	must(t, err)
	h.dir = d
	t.Cleanup(func() { d.Close() })
	return h
}

// clone returns a copy of a home.
func (h *home) clone(t testing.TB) *home {
	t.Helper()
	root := filepath.Join(fastDir(t), "home")
	testkit.CopyTree(t, h.root, root)
	return openHome(t, root)
}

// makeWritable takes the read-only modes off a tree.
func makeWritable(root string) {
	_ = filepath.WalkDir(root, func(p string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() {
			return os.Chmod(p, 0o700)
		}
		return nil
	})
}

var testTime = time.Date(2026, 11, 2, 10, 0, 0, 0, time.UTC)

func (h *home) open() *Store {
	h.t.Helper()
	s, err := Open(h.dir, Options{Clock: func() time.Time { return testTime }, Tool: "1.2.3"})
	must(h.t, err)
	return s
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// files returns a package of a few files in two directories.
func files(id, version string) map[string]string {
	return map[string]string{
		"id":             id + " " + version + "\n",
		"docs/README.md": "about " + version + "\n",
		"bin/run.sh":     "#!/bin/sh\n",
		"a/b/c.txt":      strings.Repeat(version, 100),
	}
}

// stage fetches, verifies and returns a package, as an installation does.
func stage(ctx context.Context, s *Store, dir string, content map[string]string) (Placement, error) {
	for p, data := range content {
		name := filepath.Join(dir, filepath.FromSlash(p))
		mode := fs.FileMode(0o644)
		if strings.HasPrefix(p, "bin/") {
			mode = 0o755
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(data), mode)); err != nil {
			return Placement{}, err
		}
	}
	loader := pkgfmt.New(plain{}, plain{})
	src, err := read(ctx, loader, dir)
	if err != nil {
		return Placement{}, err
	}
	st, err := s.Stage(ctx)
	if err != nil {
		return Placement{}, err
	}
	p := Placement{Stage: st, Key: "0123456789abcdef", Origin: origin()}
	staged := new(tree.Tree)
	if err = st.Write(ctx, src, nil); err == nil {
		staged, err = read(ctx, loader, st.Root())
	}
	if err == nil {
		p.Verified, err = loader.Load(staged, pkgfmt.Place{Root: st.Root()}).Verify(pkgfmt.FirstSeen)
	}
	if err != nil {
		st.Discard()
	}
	return p, err
}

func origin() Origin {
	return Origin{Source: "github.com/acme/tools", Marketplace: "acme", Commit: strings.Repeat("ab", 20),
		Path: "plugins/x", Catalog: "marketplace.json", Entry: syntax.Raw(`{ "name": "x", "note": null }`)}
}

func read(ctx context.Context, l *pkgfmt.Loader, dir string) (*tree.Tree, error) {
	d, err := tree.OpenDir(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.Read(ctx, ".", l.Options(pkgfmt.Place{}), &tree.Scratch{})
}

func (h *home) stage(s *Store, id, version string) Placement {
	h.t.Helper()
	p, err := stage(context.Background(), s, h.t.TempDir(), files(id, version))
	must(h.t, err)
	h.t.Cleanup(p.Stage.Discard)
	return p
}

func (h *home) install(s *Store, id, version string) Build {
	h.t.Helper()
	p := h.stage(s, id, version)
	placed, err := s.Commit(context.Background(), []Placement{p})
	must(h.t, err)
	p.Stage.Discard()
	return placed[0].Build()
}

func (h *home) activate(s *Store, sc Scope, b Build) {
	h.t.Helper()
	_, err := s.Activate(context.Background(), sc, b, nil, "activate")
	must(h.t, err)
}

// snapshot describes everything below the home but staging and the lock.
func (h *home) snapshot() map[string]string { return snapshot(h.t, h.root) }

func snapshot(t testing.TB, root string) map[string]string {
	t.Helper()
	got := map[string]string{}
	err := filepath.WalkDir(root, func(p string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, p)
		if rel == stagingDir {
			return fs.SkipDir
		}
		if rel == lockFile {
			return nil
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		line := info.Mode().String()
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			line += " " + string(data)
		}
		got[filepath.ToSlash(rel)] = line
		return nil
	})
	must(t, err)
	return got
}

func (h *home) staged() []string {
	h.t.Helper()
	entries, err := os.ReadDir(filepath.Join(h.root, stagingDir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		h.t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// same compares two snapshots.
func same(t testing.TB, what string, got, want map[string]string) {
	t.Helper()
	if maps.Equal(got, want) {
		return
	}
	for _, k := range slices.Sorted(maps.Keys(got)) {
		if got[k] != want[k] {
			t.Errorf("%s: %s is %q, want %q", what, k, got[k], want[k])
		}
	}
	for k := range want {
		if _, ok := got[k]; !ok {
			t.Errorf("%s: %s is missing", what, k)
		}
	}
}
