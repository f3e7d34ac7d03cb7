package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pinion/internal/testkit"
	"pinion/source"
	"pinion/tree"
)

// backends runs a test with both implementations over HTTP, and with the
// system's git over file URLs.
func backends(t *testing.T, fn func(t *testing.T, open opener)) {
	for _, b := range []struct {
		name    string
		backend Backend
		file    bool
	}{{"system", System, false}, {"go-git", GoGit, false}, {"file", System, true}} {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			fn(t, func(t *testing.T, repo *testkit.Repo, ref string) (*Remote, *testkit.GitServer) {
				t.Helper()
				srv := testkit.NewGitServer(t)
				url := srv.Add("acme/plugins", repo)
				if b.file {
					url = "file://" + repo.Dir
				}
				r, err := New(source.Spec{Kind: source.Git, URL: url, Ref: ref}, Options{Backend: b.backend})
				if err != nil {
					t.Fatal(err)
				}
				return r, srv
			})
		})
	}
}

type opener func(t *testing.T, repo *testkit.Repo, ref string) (*Remote, *testkit.GitServer)

func (o opener) snapshot(t *testing.T, repo *testkit.Repo) source.Snapshot {
	t.Helper()
	r, _ := o(t, repo, "")
	return openNow(t, r, t.TempDir())
}

func openNow(t *testing.T, r *Remote, cache string) source.Snapshot {
	t.Helper()
	pin, err := r.Resolve(t.Context(), source.Pin{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := r.Open(t.Context(), pin, cache)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// summary lists a tree as text.
func summary(tr *tree.Tree) []string {
	var out []string
	for _, f := range tr.Files {
		line := fmt.Sprintf("%s %q", f.Path, f.Data)
		if f.Exec {
			line += " x"
		}
		if f.Link != "" {
			line += " -> " + f.Link
		}
		out = append(out, line)
	}
	for _, p := range tr.Problems {
		out = append(out, fmt.Sprintf("! %s %s %s", p.Rule, p.Severity, p.File))
	}
	return out
}

func readTree(t *testing.T, s source.Snapshot, dir string) []string {
	t.Helper()
	var out []string
	err := s.Trees(t.Context(), []source.Request{{Dir: dir}}, func(_ int, tr *tree.Tree, err error) error {
		if err != nil {
			return err
		}
		out = summary(tr)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestSnapshot(t *testing.T) {
	t.Parallel()
	repo := testkit.NewRepo(t)
	repo.Commit("main", testkit.Files{
		"marketplace.json":       testkit.Text("{}"),
		"plugins/a/README.md":    testkit.Text("read me"),
		"plugins/a/bin/run":      testkit.Exec("#!/bin/sh\n"),
		"plugins/a/empty":        testkit.Text(""),
		"plugins/a.txt":          testkit.Text("sorts before a/"),
		"plugins/b/SKILL.md":     testkit.Text("skill"),
		"plugins/b/é ü/\"q\".md": testkit.Text("odd name"),
		"LICENSE":                testkit.Text("licence"),
	})
	backends(t, func(t *testing.T, open opener) {
		s := open.snapshot(t, repo)
		ctx := t.Context()

		if got := s.Pin(); got.Ref != "refs/heads/main" || got.Commit != repo.Head("main") {
			t.Errorf("Pin() = %+v", got)
		}
		data, err := s.ReadFile(ctx, "marketplace.json", 2)
		if err != nil || string(data) != "{}" {
			t.Errorf("ReadFile = %q, %v", data, err)
		}
		for path, want := range map[string]error{
			"none": fs.ErrNotExist, "LICENSE/x": fs.ErrNotExist, "plugins": source.ErrNotRegular,
			"../x": fs.ErrInvalid, "LICENSE": source.ErrTooLarge, "/etc/passwd": fs.ErrInvalid, "a\nb": fs.ErrNotExist,
		} {
			if _, err := s.ReadFile(ctx, path, 2); !errors.Is(err, want) {
				t.Errorf("ReadFile(%q) error = %v, want %v", path, err, want)
			}
		}
		entries, err := s.Paths(ctx, "plugins")
		if err != nil {
			t.Fatal(err)
		}
		var paths []string
		for _, e := range entries {
			paths = append(paths, e.Path)
		}
		if diff := cmp.Diff([]string{"a.txt", "a/README.md", "a/bin/run", "a/empty", "b/SKILL.md", "b/é ü/\"q\".md"}, paths); diff != "" {
			t.Errorf("Paths: %s", diff)
		}
		ids, err := s.TreeIDs(ctx, "plugins")
		if err != nil || len(ids) != 2 || ids["a"] != repo.Head("main:plugins/a") {
			t.Errorf("TreeIDs = %v, %v", ids, err)
		}
		if _, err := s.TreeIDs(ctx, "nowhere"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("TreeIDs(nowhere) error = %v", err)
		}

		var got []string
		reqs := []source.Request{{Dir: "plugins/a"}, {Dir: "plugins/none"}, {Dir: "plugins/a.txt"}, {Dir: "."},
			{Dir: ".", Options: tree.Options{Want: func(p string) bool { return p == "LICENSE" }}}}
		err = s.Trees(ctx, reqs, func(i int, tr *tree.Tree, err error) error {
			if err != nil {
				if err != fs.ErrNotExist {
					t.Errorf("request %d: error %v, want exactly fs.ErrNotExist", i, err)
				}
				got = append(got, fmt.Sprintf("%d: %v", i, err))
				return nil
			}
			for _, l := range summary(tr) {
				got = append(got, fmt.Sprintf("%d: %s", i, l))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		want := []string{
			`0: README.md "read me"`, `0: bin/run "#!/bin/sh\n" x`, `0: empty ""`,
			"1: file does not exist", "2: file does not exist",
			`3: LICENSE "licence"`, `3: marketplace.json "{}"`, `3: plugins/a.txt "sorts before a/"`, `3: plugins/a/README.md "read me"`,
			`3: plugins/a/bin/run "#!/bin/sh\n" x`, `3: plugins/a/empty ""`, `3: plugins/b/SKILL.md "skill"`, `3: plugins/b/é ü/"q".md "odd name"`,
			`3: ! path/portable warning plugins/b/é ü/"q".md`,
			`4: LICENSE "licence"`,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Trees (-want +got):\n%s", diff)
		}
		stop := errors.New("stop")
		if err := s.Trees(ctx, reqs, func(int, *tree.Tree, error) error { return stop }); err != stop {
			t.Errorf("Trees with a failing callback = %v", err)
		}
		// The snapshot is usable after an aborted run.
		if _, err := s.ReadFile(ctx, "LICENSE", 100); err != nil {
			t.Error(err)
		}
	})
}

func TestManyTrees(t *testing.T) {
	t.Parallel()
	repo := testkit.NewRepo(t)
	files := testkit.Marketplace(300, 5)
	repo.Commit("main", files)
	backends(t, func(t *testing.T, open opener) {
		s := open.snapshot(t, repo)
		var reqs []source.Request
		for p := range 300 {
			reqs = append(reqs, source.Request{Dir: fmt.Sprintf("plugins/p%05d", 299-p)})
		}
		next := 0
		err := s.Trees(t.Context(), reqs, func(i int, tr *tree.Tree, err error) error {
			if err != nil {
				return err
			}
			if i != next || len(tr.Files) != 5 || len(tr.Problems) != 0 {
				t.Fatalf("request %d (want %d): %d files, problems %v", i, next, len(tr.Files), tr.Problems)
			}
			next++
			for _, f := range tr.Files {
				if want := files[reqs[i].Dir+"/"+f.Path].Data; string(f.Data) != want {
					t.Fatalf("%s/%s = %.20q, want %.20q", reqs[i].Dir, f.Path, f.Data, want)
				}
			}
			return nil
		})
		if err != nil || next != 300 {
			t.Fatalf("Trees = %v after %d", err, next)
		}
	})
}

// More directories than are listed one by one, and fewer than make listing
// everything worth while.
func TestSomeTrees(t *testing.T) {
	t.Parallel()
	repo := testkit.NewRepo(t)
	files := testkit.Marketplace(400, 3)
	files["plugins/p00005/link"] = testkit.Link("../p00399/d0/f0.md")
	repo.Commit("main", files)
	backends(t, func(t *testing.T, open opener) {
		var reqs []source.Request
		for p := range 70 {
			reqs = append(reqs, source.Request{Dir: fmt.Sprintf("plugins/p%05d", p)})
		}
		reqs = append(reqs, source.Request{Dir: "plugins/none"}, source.Request{Dir: "plugins/p00001"}, source.Request{Dir: "../p"})
		read := func(s source.Snapshot, reqs []source.Request) (got []string) {
			t.Helper()
			err := s.Trees(t.Context(), reqs, func(i int, tr *tree.Tree, err error) error {
				if err != nil {
					got = append(got, fmt.Sprintf("%s: %v", reqs[i].Dir, err))
					return nil
				}
				got = append(got, reqs[i].Dir+": "+strings.Join(summary(tr), "; "))
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		var want []string
		s := open.snapshot(t, repo)
		for _, r := range reqs {
			want = append(want, read(s, []source.Request{r})...)
		}
		if diff := cmp.Diff(want, read(open.snapshot(t, repo), reqs)); diff != "" {
			t.Errorf("one by one (-) and together (+):\n%s", diff)
		}
	})
}

func TestLinks(t *testing.T) {
	t.Parallel()
	repo := testkit.NewRepo(t)
	repo.Commit("main", testkit.Files{
		"LICENSE":         testkit.Text("licence"),
		"run":             testkit.Exec("x"),
		"shared/a.md":     testkit.Text("a"),
		"shared/sub/b.md": testkit.Text("b"),
		"shared/inner":    testkit.Link("a.md"),
		"outer":           testkit.Link("LICENSE"),
		"way":             testkit.Link("shared"),
		"p/LICENSE":       testkit.Link("../LICENSE"),
		"p/run":           testkit.Link("../run"),
		"p/twice":         testkit.Link("../outer"),
		"p/docs":          testkit.Link("../shared"),
		"p/escape":        testkit.Link("../../etc/passwd"),
		"p/absolute":      testkit.Link("/etc/passwd"),
		"p/drive":         testkit.Link("C:/x"),
		"p/back":          testkit.Link(`..\LICENSE`),
		"p/git":           testkit.Link("../.git/config"),
		"p/dangling":      testkit.Link("../nothing"),
		"p/loop1":         testkit.Link("loop2"),
		"p/loop2":         testkit.Link("loop1"),
		"p/self":          testkit.Link("."),
		"p/up":            testkit.Link(".."),
		"p/through":       testkit.Link("../way/a.md"),
		"p/long":          testkit.Link(strings.Repeat("x", 2000)),
		"p/module":        testkit.Submodule(strings.Repeat("1", 40)),
		"p/tosub":         testkit.Link("module"),
		"p/.gitmodules":   testkit.Text("[submodule \"x\"]\n\tpath = module\n\turl = ../x\n"),
	})
	want := []string{
		`.gitmodules "[submodule \"x\"]\n\tpath = module\n\turl = ../x\n"`,
		`LICENSE "licence" -> ../LICENSE`,
		`docs/a.md "a" -> ../shared`, `docs/inner "" -> ../shared`, `docs/sub/b.md "b" -> ../shared`,
		`run "x" x -> ../run`, `twice "licence" -> ../outer`,
		"! files/hidden warning .gitmodules",
	}
	backends(t, func(t *testing.T, open opener) {
		s := open.snapshot(t, repo)
		got := readTree(t, s, "p")
		if diff := cmp.Diff(want, got[:min(len(got), len(want))]); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		refused := map[string]bool{}
		for _, l := range got {
			if name, ok := strings.CutPrefix(l, "! files/symlink error "); ok {
				refused[name] = true
			}
		}
		for _, name := range []string{"escape", "absolute", "drive", "back", "git", "dangling", "loop1", "loop2", "self", "up", "through", "long", "tosub"} {
			if !refused[name] {
				t.Errorf("link %q was not refused; all: %q", name, got)
			}
		}
		// security 3.3 row 47
		if !strings.Contains(strings.Join(got, "\n"), "! files/submodule warning module") {
			t.Errorf("submodule not reported: %q", got)
		}
	})
}

func TestRefresh(t *testing.T) {
	t.Parallel()
	backends(t, func(t *testing.T, open opener) {
		repo := testkit.NewRepo(t)
		first := repo.Commit("main", testkit.Marketplace(5, 3))
		r, _ := open(t, repo, "")
		cache := filepath.Join(t.TempDir(), "cache.git")
		readTree(t, openNow(t, r, cache), ".")
		for i := range 3 {
			repo.Update("main", testkit.Files{"plugins/p00001/new.md": testkit.Text(fmt.Sprint(i))})
			s := openNow(t, r, cache)
			if got := readTree(t, s, "plugins/p00001"); got[3] != fmt.Sprintf(`new.md "%d"`, i) {
				t.Errorf("after update %d: %q", i, got)
			}
			if got := readTree(t, s, "plugins/p00004"); len(got) != 3 {
				t.Errorf("after update %d: %q", i, got)
			}
			if a, err := s.Descends(t.Context(), first); a != source.Descendant || err != nil {
				t.Errorf("Descends(first) = %v, %v, want Descendant", a, err)
			}
		}
		// An old commit is still there.
		s, err := r.Open(t.Context(), source.Pin{Commit: first}, cache)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if got := readTree(t, s, "plugins/p00001"); len(got) != 3 {
			t.Errorf("first commit: %q", got)
		}
	})
}

// security 3.3 row 42
func TestRewrittenHistory(t *testing.T) {
	t.Parallel()
	backends(t, func(t *testing.T, open opener) {
		repo := testkit.NewRepo(t)
		root := repo.Commit("main", testkit.Files{"a": testkit.Text("1")})
		old := repo.Update("main", testkit.Files{"a": testkit.Text("2")})
		r, _ := open(t, repo, "")
		cache := t.TempDir()
		openNow(t, r, cache)

		repo.SetRef("refs/heads/main", root) // an amended commit beside the old one
		repo.Update("main", testkit.Files{"a": testkit.Text("3")})
		s := openNow(t, r, cache)
		if a, err := s.Descends(t.Context(), old); a != source.Rewritten || err != nil {
			t.Errorf("amended: Descends(old) = %v, %v, want Rewritten", a, err)
		}
		if a, err := s.Descends(t.Context(), root); a != source.Descendant || err != nil {
			t.Errorf("amended: Descends(root) = %v, %v, want Descendant", a, err)
		}
		repo.Restart("main", testkit.Files{"a": testkit.Text("4")})
		s = openNow(t, r, cache)
		if a, err := s.Descends(t.Context(), root); a != source.Rewritten || err != nil {
			t.Errorf("recreated: Descends(root) = %v, %v, want Rewritten", a, err)
		}
		if a, err := s.Descends(t.Context(), strings.Repeat("12", 20)); a != source.Rewritten || err != nil {
			t.Errorf("unknown commit: %v, %v, want Rewritten", a, err)
		}
		if got := readTree(t, s, "."); got[0] != `a "4"` {
			t.Errorf("content %q", got)
		}
	})
}

func TestResolve(t *testing.T) {
	t.Parallel()
	repo := testkit.NewRepo(t)
	one := repo.Commit("main", testkit.Files{"a": testkit.Text("1")})
	two := repo.Commit("dev", testkit.Files{"a": testkit.Text("2")})
	repo.SetRef("refs/tags/light", one)
	repo.Tag("v1", one)
	repo.SetRef("refs/tags/nested", repo.Tag("inner", repo.Head("refs/tags/v1")))
	repo.SetRef("refs/heads/both", one)
	repo.SetRef("refs/tags/both", two)
	repo.SetRef("refs/heads/agree", one)
	repo.SetRef("refs/tags/agree", one)
	repo.SetRef("refs/heads/"+two, one) // security 3.3 row 37
	repo.SetRef("refs/heads/"+one+"/main", two)
	repo.SetRef("refs/heads/HEAD", two) // security 3.3 row 38
	repo.SetRef("refs/heads/refs/heads/main", two)
	repo.SetRef("refs/heads/main2", two)
	repo.SetRef("refs/heads/20240101", two)
	tests := []struct{ ref, commit, full string }{
		{"", one, "refs/heads/main"},
		{"main", one, "refs/heads/main"},
		{"dev", two, "refs/heads/dev"},
		{"refs/heads/dev", two, "refs/heads/dev"},
		{"light", one, "refs/tags/light"},
		{"v1", one, "refs/tags/v1"},
		{"nested", one, "refs/tags/nested"}, // security 3.3 row 39
		{"agree", one, "refs/heads/agree"},
		{"refs/tags/both", two, "refs/tags/both"},
		{"refs/heads/both", one, "refs/heads/both"},
		{two, two, ""},
		{"20240101", two, "refs/heads/20240101"},
	}
	backends(t, func(t *testing.T, open opener) {
		for _, tt := range tests {
			r, _ := open(t, repo, tt.ref)
			pin, err := r.Resolve(t.Context(), source.Pin{})
			if err != nil || pin.Commit != tt.commit || pin.Ref != tt.full {
				t.Errorf("Resolve(%q) = %+v, %v, want %s %s", tt.ref, pin, err, tt.commit, tt.full)
			}
		}
		for _, ref := range []string{"none", "mai", "tags/v1", "0240101"} {
			r, _ := open(t, repo, ref)
			if pin, err := r.Resolve(t.Context(), source.Pin{}); !errors.Is(err, source.ErrNotFound) {
				t.Errorf("Resolve(%q) = %+v, %v, want ErrNotFound", ref, pin, err)
			}
		}
		r, _ := open(t, repo, "both")
		var se *source.SpecError
		if _, err := r.Resolve(t.Context(), source.Pin{}); !errors.As(err, &se) || !strings.Contains(se.Hint, "refs/tags/both") {
			t.Errorf("Resolve(both) = %v, want a *SpecError with both names", err)
		}
	})
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	repo := testkit.NewRepo(t)
	repo.Commit("main", testkit.Files{"a": testkit.Text("1")})
	blob := repo.Blob("not a commit")
	repo.SetRef("refs/tags/blob", repo.Tag("b", blob)) // security 3.3 row 39
	backends(t, func(t *testing.T, open opener) {
		r, _ := open(t, repo, "blob")
		pin, err := r.Resolve(t.Context(), source.Pin{})
		if err != nil || pin.Commit != blob {
			t.Fatalf("Resolve = %+v, %v", pin, err)
		}
		for _, commit := range []string{blob, strings.Repeat("ab", 20)} {
			if s, err := r.Open(t.Context(), source.Pin{Commit: commit}, t.TempDir()); !errors.Is(err, source.ErrNotFound) {
				t.Errorf("Open(%s) = %v, %v, want ErrNotFound", commit, s, err)
			}
		}
		if _, err := r.Open(t.Context(), source.Pin{Commit: "main"}, t.TempDir()); err == nil {
			t.Error("Open of a branch name succeeded")
		}
		// A directory that is not a cache is left alone.
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "precious"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Open(t.Context(), source.Pin{Commit: repo.Head("main")}, dir); err == nil {
			t.Error("Open into a foreign directory succeeded")
		}
		if _, err := os.Stat(filepath.Join(dir, "precious")); err != nil {
			t.Error(err)
		}
	})
}

func TestDamagedCache(t *testing.T) {
	t.Parallel()
	damage := map[string]func(t *testing.T, cache string){
		"packs emptied": func(t *testing.T, cache string) {
			eachPack(t, cache, func(f string) error { return os.Truncate(f, 0) })
		},
		"packs cut": func(t *testing.T, cache string) {
			eachPack(t, cache, func(f string) error {
				st, err := os.Stat(f)
				if err != nil {
					return err
				}
				return os.Truncate(f, st.Size()/2)
			})
		},
		"packs gone": func(t *testing.T, cache string) { eachPack(t, cache, os.Remove) },
		"head gone":  func(t *testing.T, cache string) { os.Remove(filepath.Join(cache, "HEAD")) },
		"half made": func(t *testing.T, cache string) {
			os.RemoveAll(filepath.Join(cache, "objects"))
			os.Remove(filepath.Join(cache, "config"))
			os.Remove(filepath.Join(cache, "HEAD"))
		},
	}
	repo := testkit.NewRepo(t)
	repo.Commit("main", testkit.Marketplace(5, 3))
	backends(t, func(t *testing.T, open opener) {
		for name, fn := range damage {
			r, _ := open(t, repo, "")
			cache := t.TempDir()
			s := openNow(t, r, cache)
			want := readTree(t, s, ".")
			s.Close()
			fn(t, cache)
			if diff := cmp.Diff(want, readTree(t, openNow(t, r, cache), ".")); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
		}
	})
}

func eachPack(t *testing.T, cache string, fn func(string) error) {
	t.Helper()
	packs, _ := filepath.Glob(filepath.Join(cache, "objects", "pack", "*.pack"))
	if len(packs) == 0 {
		t.Fatal("the cache has no packs")
	}
	for _, f := range packs {
		os.Chmod(f, 0o600)
		if err := fn(f); err != nil {
			t.Fatal(err)
		}
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	repo := testkit.NewRepo(t)
	repo.Commit("main", testkit.Marketplace(20, 3))
	backends(t, func(t *testing.T, open opener) {
		s := open.snapshot(t, repo)
		ctx, cancel := context.WithCancel(t.Context())
		err := s.Trees(ctx, []source.Request{{Dir: "."}, {Dir: "plugins"}, {Dir: "."}}, func(i int, _ *tree.Tree, _ error) error {
			cancel()
			return nil
		})
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("Trees after cancel = %v", err)
		}
		if _, err := s.ReadFile(ctx, "marketplace.json", 1<<20); err == nil {
			t.Error("ReadFile with an ended context succeeded")
		}
		if _, err := s.ReadFile(t.Context(), "marketplace.json", 1<<20); err != nil {
			t.Errorf("ReadFile after a cancelled one: %v", err)
		}
	})
}
