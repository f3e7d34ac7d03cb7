package git

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"pinion/internal/testkit"
	"pinion/source"
	"pinion/tree"
)

// SB: issue 2 section 8, "refresh, unchanged: one request, at most 1 KB".
func TestUnchangedCost(t *testing.T) {
	t.Parallel()
	repo := testkit.NewRepo(t)
	head := repo.Commit("main", testkit.Marketplace(3, 3))
	var packed strings.Builder
	packed.WriteString("# pack-refs with: peeled fully-peeled sorted \n")
	for i := range 5000 { // the answer must not grow with the number of refs
		fmt.Fprintf(&packed, "%s refs/heads/topic-%05d\n", head, i)
	}
	if err := writeFile(repo.Dir+"/packed-refs", packed.String()); err != nil {
		t.Fatal(err)
	}
	srv := testkit.NewGitServer(t)
	r := remote(t, srv.Add("acme/plugins", repo), Options{})
	if _, err := r.Resolve(t.Context(), source.Pin{Commit: head}); err != nil {
		t.Fatal(err)
	}
	if n, bytes := testkit.Cost(srv.Requests()); n != 1 || bytes > 1<<10 {
		t.Errorf("unchanged refresh: %d requests, %d bytes, want 1 and at most 1024", n, bytes)
	}
	// A whole commit id needs no request at all.
	r, err := New(source.Spec{Kind: source.Git, URL: srv.URL + "/acme/plugins", Ref: head}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Resolve(t.Context(), source.Pin{}); err != nil {
		t.Fatal(err)
	}
	if n, _ := testkit.Cost(srv.Requests()); n != 0 {
		t.Errorf("commit id: %d requests, want 0", n)
	}
}

func TestTransferCost(t *testing.T) {
	t.Parallel()
	one := func(t *testing.T, s source.Snapshot, dir string) {
		t.Helper()
		if got := readTree(t, s, dir); len(got) < 5 {
			t.Errorf("%s: %q", dir, got)
		}
	}
	overHTTP(t, func(t *testing.T, b Backend) {
		small, large := testkit.NewRepo(t), testkit.NewRepo(t)
		small.Commit("main", testkit.Marketplace(50, 5))
		large.Commit("main", testkit.Marketplace(500, 8))
		for _, tt := range []struct {
			name string
			repo *testkit.Repo
		}{{"small", small}, {"large", large}} {
			srv := testkit.NewGitServer(t)
			url := srv.Add("acme/plugins", tt.repo)
			r, cache := remote(t, url, Options{Backend: b}), t.TempDir()
			s := openNow(t, r, cache)
			if _, err := s.ReadFile(t.Context(), "marketplace.json", 1<<20); err != nil {
				t.Fatal(err)
			}
			one(t, s, "plugins/p00007")
			log := srv.Requests()
			n, lazy := testkit.Cost(log)
			if n > 4 {
				t.Errorf("%s: first install took %d requests, want at most 4", tt.name, n)
			}
			s.Close()

			if tt.repo == large {
				whole := remote(t, url, Options{Backend: b})
				ws := openNow(t, whole, t.TempDir())
				readTree(t, ws, ".")
				_, clone := testkit.Cost(srv.Requests())
				if 10*lazy > clone {
					t.Errorf("one plugin of %d bytes in all cost %d bytes, want at most a tenth", clone, lazy)
				}
			}

			tt.repo.Update("refs/heads/main", testkit.Files{
				"marketplace.json":        testkit.Text(`{"b": "` + t.Name() + `"}`),
				"plugins/p00003/d0/f0.md": testkit.Text("changed " + t.Name()),
			})
			srv.Requests()
			s = openNow(t, r, cache)
			if _, err := s.ReadFile(t.Context(), "marketplace.json", 1<<20); err != nil {
				t.Fatal(err)
			}
			if _, err := s.TreeIDs(t.Context(), "plugins"); err != nil {
				t.Fatal(err)
			}
			one(t, s, "plugins/p00003")
			if n, _ := testkit.Cost(srv.Requests()); n > 3 {
				t.Errorf("%s: changed refresh took %d requests, want at most 3", tt.name, n)
			}
			if a, err := s.Descends(t.Context(), tt.repo.Head("main~1")); a != source.Descendant || err != nil {
				t.Errorf("Descends = %v, %v", a, err)
			}
			if n, _ := testkit.Cost(srv.Requests()); n != 0 {
				t.Errorf("%s: ancestry took %d requests after a refresh, want 0", tt.name, n)
			}
			s.Close()

			// On an empty cache the history between two commits is asked for.
			tt.repo.Update("refs/heads/main", testkit.Files{"plugins/p00003/d0/f0.md": testkit.Text("again " + t.Name())})
			s = openNow(t, r, t.TempDir())
			srv.Requests()
			if a, err := s.Descends(t.Context(), tt.repo.Head("main~2")); a != source.Descendant || err != nil {
				t.Errorf("Descends = %v, %v", a, err)
			}
			if n, bytes := testkit.Cost(srv.Requests()); n != 1 || bytes > 4<<10 {
				t.Errorf("%s: ancestry took %d requests, %d bytes, want 1 and no content", tt.name, n, bytes)
			}
		}
	})
}

// A refresh after everything was read moves what changed and no more, at sizes
// on both sides of every threshold; SB: issue 2 section 8, "refresh, 1 package
// changed: at most 3 requests".
func TestChangedCost(t *testing.T) {
	t.Parallel()
	overHTTP(t, func(t *testing.T, b Backend) {
		for _, tt := range []struct{ packages, files int }{{20, 5}, {250, 5}, {1_100, 10}} {
			repo := testkit.NewRepo(t)
			files := testkit.Marketplace(tt.packages, tt.files)
			repo.Commit("main", files)
			srv := testkit.NewGitServer(t)
			r, cache := remote(t, srv.Add("acme/plugins", repo), Options{Backend: b}), t.TempDir()
			var reqs []source.Request
			for i := range tt.packages {
				reqs = append(reqs, source.Request{Dir: fmt.Sprintf("plugins/p%05d", i)})
			}
			open := func(reqs []source.Request) {
				t.Helper()
				s := openNow(t, r, cache)
				defer s.Close()
				if _, err := s.ReadFile(t.Context(), "marketplace.json", 1<<20); err != nil {
					t.Fatal(err)
				}
				if _, err := s.TreeIDs(t.Context(), "plugins"); err != nil {
					t.Fatal(err)
				}
				err := s.Trees(t.Context(), reqs, func(_ int, tr *tree.Tree, err error) error {
					if err == nil && len(tr.Files) != tt.files {
						err = fmt.Errorf("%d files", len(tr.Files))
					}
					return err
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			open(reqs)
			_, first := testkit.Cost(srv.Requests())
			for round := range 2 {
				repo.Update("main", testkit.Files{
					"marketplace.json":        testkit.Text(fmt.Sprintf(`{"round": %d}`, round)),
					"plugins/p00003/d0/f0.md": testkit.Text(fmt.Sprintf("changed %d", round)),
				})
				open(reqs[3:4])
				// Where deltas are not understood the one large directory is
				// sent whole: a name, a mode and an id for each package.
				most := int64(4 << 10)
				if b == GoGit {
					most += int64(tt.packages) * 40
				}
				n, bytes := testkit.Cost(srv.Requests())
				if n > 2 || bytes > most {
					t.Errorf("%d files, update %d: %d requests, %d bytes of %d, want at most 2 and %d", tt.packages*tt.files, round, n, bytes, first, most)
				}
			}
		}
	})
}

// Who says that everything will be read gets it at once; what is not asked for
// by a commit that is there already is not fetched again.
func TestWholeCost(t *testing.T) {
	t.Parallel()
	repo := testkit.NewRepo(t)
	repo.Commit("main", testkit.Marketplace(50, 5))
	overHTTP(t, func(t *testing.T, b Backend) {
		srv := testkit.NewGitServer(t)
		r := remote(t, srv.Add("acme/plugins", repo), Options{Backend: b})
		open := func(ctx context.Context) (requests int, bytes int64) {
			t.Helper()
			srv.Requests()
			pin, err := r.Resolve(ctx, source.Pin{})
			if err != nil {
				t.Fatal(err)
			}
			cache := t.TempDir()
			for range 2 {
				s, err := r.Open(ctx, pin, cache)
				if err != nil {
					t.Fatal(err)
				}
				if got := readTree(t, s, "."); len(got) != 251 {
					t.Errorf("%d files, want 251", len(got))
				}
				s.Close()
			}
			return testkit.Cost(srv.Requests())
		}
		n, bytes := open(t.Context())
		m, whole := open(WithWhole(t.Context()))
		if n != 3 || m != 2 || whole >= bytes {
			t.Errorf("%d requests of %d bytes, and with everything at once %d of %d", n, bytes, m, whole)
		}
		// A repository that is too large for that is fetched as any other.
		r.opts.Limits.Pack = whole / 2
		pin, err := r.Resolve(t.Context(), source.Pin{})
		if err != nil {
			t.Fatal(err)
		}
		s, err := r.Open(WithWhole(t.Context()), pin, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if got := readTree(t, s, "plugins/p00007"); len(got) != 5 {
			t.Errorf("above the limit: %d files, want 5", len(got))
		}
	})
}

// Finding out and fetching share one connection, so that https is set up once.
func TestOneConnection(t *testing.T) {
	t.Parallel()
	repo := testkit.NewRepo(t)
	repo.Commit("main", testkit.Marketplace(3, 3))
	overHTTP(t, func(t *testing.T, b Backend) {
		srv := testkit.NewGitServer(t)
		var dials atomic.Int32
		transport := &http.Transport{DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			dials.Add(1)
			return new(net.Dialer).DialContext(ctx, network, addr)
		}}
		r := remote(t, srv.Add("acme/plugins", repo), Options{Backend: b, HTTP: &http.Client{Transport: transport}})
		if got := readTree(t, openNow(t, r, t.TempDir()), "plugins/p00001"); len(got) != 3 {
			t.Errorf("tree: %q", got)
		}
		if n := dials.Load(); n != 1 {
			t.Errorf("%d connections, want 1", n)
		}
	})
}
