package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pinion/internal/testkit"
	"pinion/source"
)

// deepRepo has plugins at several depths, and a link out of one of them.
func deepRepo(t *testing.T) (repo *testkit.Repo, dirs []string) {
	repo = testkit.NewRepo(t)
	files := testkit.Marketplace(80, 6)
	for i := range 5 {
		for _, parent := range []string{"", "one/", "one/two/", "one/two/three/"} {
			dir := fmt.Sprintf("%sdeep%d", parent, i)
			files[dir+"/SKILL.md"] = testkit.Text(dir)
			files[dir+"/a/b/c/d.md"] = testkit.Text(dir + " d")
			dirs = append(dirs, dir)
		}
	}
	files["deep0/link"] = testkit.Link("../one/two/three/deep4/a/b/c/d.md")
	files["one/deep1/linked"] = testkit.Link("../two/deep2/a")
	repo.Commit("main", files)
	for i := range 80 {
		dirs = append(dirs, fmt.Sprintf("plugins/p%05d", i))
	}
	return repo, dirs
}

// One plugin of a repository costs one request after the one for the top of the
// repository, however many others there are; and what was not fetched is, when
// it is asked for.
func TestPartialCost(t *testing.T) {
	t.Parallel()
	repo, dirs := deepRepo(t)
	overHTTP(t, func(t *testing.T, b Backend) {
		srv := testkit.NewGitServer(t)
		url := srv.Add("acme/plugins", repo)
		want := map[string][]string{}
		whole := openNow(t, remote(t, url, Options{Backend: b}), t.TempDir())
		for _, d := range append(dirs, ".") {
			want[d] = readTree(t, whole, d)
		}
		r, cache := remote(t, url, Options{Backend: b}), t.TempDir()
		pin, err := r.Resolve(t.Context(), source.Pin{})
		if err != nil {
			t.Fatal(err)
		}
		srv.Requests()
		s, err := r.Open(t.Context(), pin, cache)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if _, err := s.ReadFile(t.Context(), "marketplace.json", 1<<20); err != nil {
			t.Error(err)
		}
		if ids, err := s.TreeIDs(t.Context(), "plugins"); err != nil || len(ids) != 80 {
			t.Errorf("%d ids, %v", len(ids), err)
		}
		for i, d := range []string{"plugins/p00007", "plugins/p00007", "deep3", "one/two/three/deep1", "deep0", "one/deep1"} {
			if diff := cmp.Diff(want[d], readTree(t, s, d)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", d, diff)
			}
			n, bytes := testkit.Cost(srv.Requests())
			if most := []int{2, 0, 1, 2, 3, 3}[i]; n > most || bytes > 24<<10 {
				t.Errorf("%s took %d requests of %d bytes, want at most %d", d, n, bytes, most)
			}
		}
		if _, err := s.ReadFile(t.Context(), "one/two/none/SKILL.md", 1<<20); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("a file that does not exist: %v", err)
		}
		// Another process goes on with what is there.
		again, err := r.Open(t.Context(), pin, cache)
		if err != nil {
			t.Fatal(err)
		}
		defer again.Close()
		for _, d := range append([]string{"one/two/deep4", "plugins/p00041"}, ".") {
			if diff := cmp.Diff(want[d], readTree(t, again, d)); diff != "" {
				t.Errorf("%s, later (-want +got):\n%s", d, diff)
			}
		}
	})
}

// Whatever was read before, and whatever changed meanwhile, a partial cache
// gives what an empty one gives.
func TestPartialRefresh(t *testing.T) {
	t.Parallel()
	overHTTP(t, func(t *testing.T, b Backend) {
		repo, dirs := deepRepo(t)
		srv := testkit.NewGitServer(t)
		url := srv.Add("acme/plugins", repo)
		r, cache := remote(t, url, Options{Backend: b}), t.TempDir()
		rnd := rand.New(rand.NewPCG(1, uint64(b)))
		var commits []string
		for step := range 12 {
			switch d := dirs[rnd.IntN(len(dirs))]; {
			case step == 6 || step == 9: // what the server sends is then too much
				r.opts.Limits.History = int64(step%2) << 10
				repo.Restart("main", testkit.Files{"new/SKILL.md": testkit.Text(fmt.Sprint(step)), d + "/a/x.md": testkit.Text(fmt.Sprint(step))})
				dirs = []string{"new", d}
				for i := range 30 {
					dirs = append(dirs, fmt.Sprintf("again%d/b/p%d", step, i))
					repo.Update("main", testkit.Files{dirs[len(dirs)-1] + "/c/SKILL.md": testkit.Text(fmt.Sprint(step, i))})
				}
			default:
				repo.Update("main", testkit.Files{d + "/a/x.md": testkit.Text(fmt.Sprint(step))})
			}
			commits = append(commits, repo.Head("main"))
			s := openNow(t, r, cache)
			fresh := openNow(t, remote(t, url, Options{Backend: b}), t.TempDir())
			for range 3 {
				d := dirs[rnd.IntN(len(dirs))]
				if diff := cmp.Diff(readTree(t, fresh, d), readTree(t, s, d)); diff != "" {
					t.Errorf("step %d, %s (-fresh +partial):\n%s", step, d, diff)
				}
			}
			if step == 4 || step == 8 {
				if diff := cmp.Diff(readTree(t, fresh, "."), readTree(t, s, ".")); diff != "" {
					t.Errorf("step %d (-fresh +partial):\n%s", step, diff)
				}
			}
			s.Close()
			fresh.Close()
		}
		// Commits from before are still there.
		old, err := r.Open(t.Context(), source.Pin{Commit: commits[len(commits)-2]}, cache)
		if err != nil {
			t.Fatal(err)
		}
		defer old.Close()
		if got := readTree(t, old, "."); len(got) == 0 {
			t.Error("the commit before has no files")
		}
	})
}

// A server may refuse the filter by depth and take the other one.
func TestNoDepthFilter(t *testing.T) {
	t.Parallel()
	repo, _ := deepRepo(t)
	repo.Git("config", "uploadpackfilter.tree.allow", "false")
	overHTTP(t, func(t *testing.T, b Backend) {
		srv := testkit.NewGitServer(t)
		s := openNow(t, remote(t, srv.Add("acme/plugins", repo), Options{Backend: b}), t.TempDir())
		if got := readTree(t, s, "one/two/deep1"); !slices.Contains(got, `SKILL.md "one/two/deep1"`) {
			t.Errorf("tree: %q", got)
		}
	})
}

// A cache from which a directory was lost is another thing than a partial one: it
// is made anew.
func TestLostDirectory(t *testing.T) {
	t.Parallel()
	repo, _ := deepRepo(t)
	overHTTP(t, func(t *testing.T, b Backend) {
		srv := testkit.NewGitServer(t)
		r, cache := remote(t, srv.Add("acme/plugins", repo), Options{Backend: b}), t.TempDir()
		s := openNow(t, r, cache)
		pin := s.Pin()
		readTree(t, s, "deep1")
		s.Close()
		st, err := openStore(cache, r.identity(), len(pin.Commit))
		if err != nil {
			t.Fatal(err)
		}
		if err := st.setPartial(pin.Commit, false); err != nil {
			t.Fatal(err)
		}
		again, err := r.Open(context.WithoutCancel(t.Context()), pin, cache)
		if err != nil {
			t.Fatal(err)
		}
		defer again.Close()
		if got := readTree(t, again, "one/two/three/deep2"); len(got) != 2 {
			t.Errorf("tree: %q", got)
		}
	})
}
