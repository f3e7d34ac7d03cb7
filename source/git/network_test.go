package git

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"pinion/internal/testkit"
	"pinion/source"
	"pinion/source/web"
	"pinion/tree"
)

// overHTTP runs a test with both implementations against one server each.
func overHTTP(t *testing.T, fn func(t *testing.T, b Backend)) {
	for name, b := range map[string]Backend{"system": System, "go-git": GoGit} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fn(t, b)
		})
	}
}

func remote(t *testing.T, url string, o Options) *Remote {
	t.Helper()
	r, err := New(source.Spec{Kind: source.Git, URL: url}, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A history that was rewritten is sent from its beginning; when that is more
// than is taken, the commit alone is fetched and the history looked at by
// itself.
func TestLongHistory(t *testing.T) {
	t.Parallel()
	overHTTP(t, func(t *testing.T, b Backend) {
		repo := testkit.NewRepo(t)
		files := testkit.Marketplace(3, 3)
		old := repo.Commit("main", files)
		srv := testkit.NewGitServer(t)
		r, cache := remote(t, srv.Add("acme/plugins", repo), Options{Backend: b, Limits: Limits{History: 8 << 10}}), t.TempDir()
		readTree(t, openNow(t, r, cache), ".")
		files["noise"] = testkit.Text("none") // or it would be the same commit
		repo.Restart("main", files)
		for i := range 8 {
			repo.Update("main", testkit.Files{"noise": testkit.Text(noise(4<<10, uint32(i)))})
		}
		s := openNow(t, r, cache)
		if got := readTree(t, s, "plugins/p00001"); len(got) != 3 {
			t.Errorf("tree: %q", got)
		}
		if a, err := s.Descends(t.Context(), old); a != source.Rewritten || err != nil {
			t.Errorf("Descends = %v, %v, want Rewritten", a, err)
		}
	})
}

// noise does not compress.
func noise(n int, seed uint32) string {
	data := make([]byte, n)
	x := seed*2 + 1
	for i := range data {
		x = x*1664525 + 1013904223
		data[i] = byte(x >> 24)
	}
	return string(data)
}

func TestOldServers(t *testing.T) {
	t.Parallel()
	repo := testkit.NewRepo(t)
	repo.Commit("main", testkit.Marketplace(3, 3))
	repo.Tag("v1", repo.Head("main"))
	overHTTP(t, func(t *testing.T, b Backend) {
		srv := testkit.NewGitServer(t)
		url := srv.Add("acme/plugins", repo)
		srv.NeedProbe = true
		want := readTree(t, openNow(t, remote(t, url, Options{Backend: b}), t.TempDir()), "plugins/p00001")
		if len(want) != 3 {
			t.Errorf("server that wants the capability request: %q", want)
		}
		srv = testkit.NewGitServer(t)
		url = srv.Add("acme/plugins", repo)
		srv.OldProtocol = true
		for _, name := range []string{"", "v1"} {
			r, err := New(source.Spec{Kind: source.Git, URL: url, Ref: name}, Options{Backend: b})
			if err != nil {
				t.Fatal(err)
			}
			pin, err := r.Resolve(t.Context(), source.Pin{})
			if err != nil || pin.Commit != repo.Head("main") {
				t.Errorf("version 0: Resolve(%q) = %+v, %v", name, pin, err)
			}
			s, err := r.Open(t.Context(), pin, t.TempDir())
			if b == GoGit {
				if !errors.Is(err, ErrNoGit) {
					t.Errorf("version 0 without git: %v, want ErrNoGit", err)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := readTree(t, s, "plugins/p00001"); len(got) != 3 {
				t.Errorf("version 0: %q", got)
			}
			s.Close()
		}
	})
}

func TestNoPartialFetch(t *testing.T) {
	t.Parallel()
	repo := testkit.NewRepo(t)
	first := repo.Commit("main", testkit.Marketplace(3, 3))
	repo.AllowFilter(false)
	second := repo.Update("main", testkit.Files{"x": testkit.Text("y")})
	repo.Update("main", testkit.Files{"x": testkit.Text("z")})
	overHTTP(t, func(t *testing.T, b Backend) {
		srv := testkit.NewGitServer(t)
		s := openNow(t, remote(t, srv.Add("acme/plugins", repo), Options{Backend: b}), t.TempDir())
		if got := readTree(t, s, "plugins/p00001"); len(got) != 3 {
			t.Errorf("tree: %q", got)
		}
		if a, err := s.Descends(t.Context(), first); a != source.Unchecked || err != nil {
			t.Errorf("Descends = %v, %v, want Unchecked", a, err)
		}
		// The commit itself names its parents.
		if a, err := s.Descends(t.Context(), second); a != source.Descendant || err != nil {
			t.Errorf("Descends from the parent = %v, %v, want Descendant", a, err)
		}
	})
}

// security 3.3 rows 43, 55 and 57
func TestRedirects(t *testing.T) {
	t.Parallel()
	repo := testkit.NewRepo(t)
	repo.Commit("main", testkit.Marketplace(2, 3))
	other := testkit.NewGitServer(t)
	other.Add("acme/plugins", repo)
	overHTTP(t, func(t *testing.T, b Backend) {
		for _, to := range []string{
			other.URL + "/acme/plugins", "http://169.254.169.254/acme/plugins", "http://[::1]:1/acme/plugins",
			"/mallory/plugins", "/acme/plugins2", "//localhost./acme/plugins", "ftp://x/acme/plugins", "http://2130706433/acme/plugins",
		} {
			srv := testkit.NewGitServer(t)
			srv.Intercept = func(w http.ResponseWriter, r *http.Request) bool {
				http.Redirect(w, r, to+"/git-upload-pack", http.StatusMovedPermanently)
				return true
			}
			url := srv.Add("acme/plugins", repo)
			r := remote(t, url, Options{Backend: b, Token: "TOPSECRET", TokenURL: srv.URL})
			_, err := r.Resolve(t.Context(), source.Pin{})
			var moved *source.MovedError
			if !errors.As(err, &moved) {
				t.Errorf("redirect to %s: Resolve = %v, want a *MovedError", to, err)
			}
			if _, err = r.Open(t.Context(), source.Pin{Commit: repo.Head("main")}, t.TempDir()); !errors.As(err, &moved) {
				t.Errorf("redirect to %s: Open = %v, want a *MovedError", to, err)
			}
			for _, q := range srv.Requests() {
				if !strings.HasPrefix(q.Path, "/acme/plugins/") {
					t.Errorf("asked for %s", q.Path)
				}
			}
		}
		if n := len(other.Requests()); n != 0 {
			t.Errorf("%d requests went to the other host", n)
		}
		// Only spelled otherwise: followed once.
		srv := testkit.NewGitServer(t)
		srv.Intercept = func(w http.ResponseWriter, r *http.Request) bool {
			if strings.Contains(r.URL.Path, ".git/") {
				return false
			}
			http.Redirect(w, r, strings.Replace(r.URL.Path, "/acme/plugins/", "/Acme/Plugins.git/", 1), http.StatusMovedPermanently)
			return true
		}
		r := remote(t, srv.Add("acme/plugins", repo), Options{Backend: b})
		if got := readTree(t, openNow(t, r, t.TempDir()), "."); len(got) != 7 {
			t.Errorf("after a redirect to the same repository: %d lines", len(got))
		}
		srv = testkit.NewGitServer(t)
		srv.Intercept = func(w http.ResponseWriter, r *http.Request) bool {
			http.Redirect(w, r, r.URL.Path, http.StatusFound)
			return true
		}
		if _, err := remote(t, srv.Add("acme/plugins", repo), Options{Backend: b}).Resolve(t.Context(), source.Pin{}); err == nil {
			t.Error("an endless redirect succeeded")
		}
	})
}

func TestToken(t *testing.T) {
	t.Parallel()
	repo := testkit.NewRepo(t)
	repo.Commit("main", testkit.Marketplace(2, 3))
	overHTTP(t, func(t *testing.T, b Backend) {
		srv := testkit.NewGitServer(t)
		srv.Password = "TOPSECRET"
		url := srv.Add("acme/plugins", repo)
		r := remote(t, url, Options{Backend: b, Token: "TOPSECRET", TokenURL: srv.URL})
		if got := readTree(t, openNow(t, r, t.TempDir()), "."); len(got) != 7 {
			t.Errorf("with the token: %d lines", len(got))
		}
		srv.Requests()
		for name, o := range map[string]Options{
			"none": {Backend: b}, "wrong": {Backend: b, Token: "WRONGSECRET", TokenURL: srv.URL},
			"for another host": {Backend: b, Token: "TOPSECRET", TokenURL: "https://github.com"},
			"for a look-alike": {Backend: b, Token: "TOPSECRET", TokenURL: srv.URL + "/acm"},
			"without a host":   {Backend: b, Token: "TOPSECRET"},
		} {
			_, err := remote(t, url, o).Resolve(t.Context(), source.Pin{})
			if !errors.Is(err, source.ErrNotFound) {
				t.Errorf("token %s: Resolve = %v, want ErrNotFound", name, err)
			}
			if err != nil && strings.Contains(err.Error(), "SECRET") {
				t.Errorf("token %s: message %q contains it", name, err)
			}
			for _, q := range srv.Requests() {
				if name != "wrong" && q.Authorization != "" {
					t.Errorf("token %s: was sent", name)
				}
			}
		}
	})
	// The path over git itself, for servers of the old protocol.
	srv := testkit.NewGitServer(t)
	srv.Password, srv.OldProtocol = "TOPSECRET", true
	r := remote(t, srv.Add("acme/plugins", repo), Options{Backend: System, Token: "TOPSECRET", TokenURL: srv.URL})
	if got := readTree(t, openNow(t, r, t.TempDir()), "."); len(got) != 7 {
		t.Errorf("with the token by git: %d lines", len(got))
	}
}

// security 3.3 row 54
func TestSlowServers(t *testing.T) {
	t.Parallel()
	repo := testkit.NewRepo(t)
	head := repo.Commit("main", testkit.Marketplace(2, 3))
	limits := Limits{Connect: 200 * time.Millisecond, Stall: 200 * time.Millisecond, Total: 3 * time.Second}
	overHTTP(t, func(t *testing.T, b Backend) {
		for name, answer := range map[string]func(http.ResponseWriter, *http.Request) bool{
			"silent": testkit.Silent,
			"drip":   testkit.Drip(20 * time.Millisecond),
			"reset": func(w http.ResponseWriter, r *http.Request) bool {
				c, _, err := http.NewResponseController(w).Hijack()
				if err == nil {
					c.Close()
				}
				return true
			},
			"broken": func(w http.ResponseWriter, r *http.Request) bool {
				w.Header().Set("Content-Type", "application/x-git-upload-pack-result")
				io.WriteString(w, "000dpackfile\n1000\x01PACK")
				return true
			},
		} {
			srv := testkit.NewGitServer(t)
			srv.Intercept = answer
			r := remote(t, srv.Add("acme/plugins", repo), Options{Backend: b, Limits: limits})
			if _, err := r.Resolve(t.Context(), source.Pin{}); err == nil {
				t.Errorf("%s: Resolve succeeded", name)
			}
			cache := t.TempDir()
			_, err := r.Open(t.Context(), source.Pin{Commit: head}, cache)
			if !errors.Is(err, source.ErrOffline) && !errors.Is(err, web.ErrTooSlow) {
				t.Errorf("%s: Open = %v, want ErrOffline", name, err)
			}
			// security 3.3 row 60: the next try with a working server succeeds.
			srv.Change(func() { srv.Intercept = nil })
			patient := remote(t, srv.URL+"/acme/plugins", Options{Backend: b})
			if got := readTree(t, openNow(t, patient, cache), "."); len(got) != 7 {
				t.Errorf("%s: afterwards %d lines", name, len(got))
			}
		}
		down := remote(t, "http://127.0.0.1:1/acme/plugins", Options{Backend: b})
		if _, err := down.Resolve(t.Context(), source.Pin{}); !errors.Is(err, source.ErrOffline) {
			t.Errorf("nobody listens: %v, want ErrOffline", err)
		}
	})
}

// security 3.3 rows 51, 53 and 58
func TestPackLimits(t *testing.T) {
	t.Parallel()
	repo := testkit.NewRepo(t)
	repo.Commit("main", testkit.Files{"big": testkit.Text(noise(1<<20, 0)), "a": testkit.Text("a"), "b/c": testkit.Text("c")})
	overHTTP(t, func(t *testing.T, b Backend) {
		for name, l := range map[string]Limits{"bytes": {Pack: 100 << 10}, "objects": {Objects: 2}} {
			srv := testkit.NewGitServer(t)
			r := remote(t, srv.Add("acme/plugins", repo), Options{Backend: b, Limits: l})
			pin, err := r.Resolve(t.Context(), source.Pin{})
			if err != nil {
				t.Fatal(err)
			}
			s, err := r.Open(t.Context(), pin, t.TempDir())
			if err == nil {
				defer s.Close()
				_, err = s.ReadFile(t.Context(), "big", 2<<20)
			}
			if !errors.Is(err, source.ErrTooLarge) {
				t.Errorf("%s: %v, want ErrTooLarge", name, err)
			}
		}
		for name, change := range map[string]func([]byte) []byte{
			"flipped": func(b []byte) []byte {
				if i := bytes.Index(b, []byte("PACK")); i >= 0 {
					b[i+40] ^= 0x10
				}
				return b
			},
			"cut": func(b []byte) []byte { return b[:len(b)*2/3] },
		} {
			srv := testkit.NewGitServer(t)
			url := srv.Add("acme/plugins", repo)
			head := repo.Head("main")
			plain := testkit.NewGitServer(t)
			plain.Add("acme/plugins", repo)
			srv.Intercept = func(w http.ResponseWriter, r *http.Request) bool {
				inner := &recorder{header: http.Header{}}
				plain.ServeHTTP(inner, r)
				w.Header().Set("Content-Type", inner.header.Get("Content-Type"))
				w.Write(change(inner.buf.Bytes()))
				return true
			}
			r, cache := remote(t, url, Options{Backend: b}), t.TempDir()
			if s, err := r.Open(t.Context(), source.Pin{Commit: head}, cache); err == nil {
				t.Errorf("%s pack: Open succeeded: %v", name, s.Pin())
			}
			srv.Change(func() { srv.Intercept = nil })
			if _, err := openNow(t, r, cache).ReadFile(t.Context(), "a", 10); err != nil {
				t.Errorf("after a %s pack: %v", name, err)
			}
		}
	})
	// git's own transport is bounded by the size of the file it writes.
	r := remote(t, "file://"+repo.Dir, Options{Backend: System, Limits: Limits{Pack: 100 << 10}})
	if s, err := r.Open(t.Context(), source.Pin{Commit: repo.Head("main")}, t.TempDir()); err == nil {
		s.Close()
		t.Error("file: a pack above the limit was taken")
	}
}

type recorder struct {
	header http.Header
	buf    bytes.Buffer
}

func (r *recorder) Header() http.Header         { return r.header }
func (r *recorder) WriteHeader(int)             {}
func (r *recorder) Write(p []byte) (int, error) { return r.buf.Write(p) }

// security 3.3 row 52
func TestHugeBlob(t *testing.T) {
	t.Parallel()
	repo := testkit.NewRepo(t)
	repo.Commit("main", testkit.Files{"p/zeros": testkit.Text(string(make([]byte, 80<<20))), "p/a.md": testkit.Text("a"), "q/b.md": testkit.Text("b")})
	backends(t, func(t *testing.T, open opener) {
		s := open.snapshot(t, repo)
		if _, err := s.ReadFile(t.Context(), "p/zeros", 1<<20); !errors.Is(err, source.ErrTooLarge) {
			t.Errorf("ReadFile = %v, want ErrTooLarge", err)
		}
		err := s.Trees(t.Context(), []source.Request{{Dir: "p"}, {Dir: "q"}}, func(i int, tr *tree.Tree, err error) error {
			if err != nil {
				return err
			}
			if limit := strings.Contains(strings.Join(summary(tr), "\n"), "files/limit"); limit != (i == 0) || tr.Partial != limit {
				t.Errorf("request %d: limit reported %v", i, limit)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// security 3.3 row 55
func TestPublicOnly(t *testing.T) {
	t.Parallel()
	repo := testkit.NewRepo(t)
	repo.Commit("main", testkit.Marketplace(1, 1))
	srv := testkit.NewGitServer(t)
	url := srv.Add("acme/plugins", repo)
	for _, u := range []string{url, strings.Replace(url, "127.0.0.1", "localhost", 1), "http://169.254.169.254/acme/plugins", "https://10.0.0.1/a/b"} {
		_, err := remote(t, u, Options{PublicOnly: true}).Resolve(t.Context(), source.Pin{})
		if !errors.Is(err, source.ErrOffline) || !strings.Contains(err.Error(), "not public") {
			t.Errorf("Resolve(%s) = %v, want a refusal", u, err)
		}
	}
	if n := len(srv.Requests()); n != 0 {
		t.Errorf("%d requests reached the server", n)
	}
	if _, err := New(source.Spec{Kind: source.Git, URL: "file://" + repo.Dir}, Options{PublicOnly: true}); err == nil {
		t.Error("a file URL was accepted")
	}
}

func TestMissingRepository(t *testing.T) {
	t.Parallel()
	srv := testkit.NewGitServer(t)
	for _, url := range []string{srv.URL + "/acme/nothing", "file:///nonexistent/repo.git"} {
		if _, err := remote(t, url, Options{}).Resolve(t.Context(), source.Pin{}); !errors.Is(err, source.ErrNotFound) {
			t.Errorf("Resolve(%s) = %v, want ErrNotFound", url, err)
		}
	}
	empty := testkit.NewRepo(t)
	if _, err := remote(t, srv.Add("acme/empty", empty), Options{}).Resolve(t.Context(), source.Pin{}); !errors.Is(err, source.ErrNotFound) {
		t.Errorf("empty repository: %v, want ErrNotFound", err)
	}
	srv.Intercept = func(w http.ResponseWriter, _ *http.Request) bool {
		io.WriteString(w, "<html>a page</html>")
		return true
	}
	if _, err := remote(t, srv.URL+"/a/b", Options{}).Resolve(t.Context(), source.Pin{}); !errors.Is(err, errProtocol) {
		t.Errorf("a web page: %v, want errProtocol", err)
	}
}

// security 3.3 row 53: an endless list of refs
func TestEndlessRefs(t *testing.T) {
	t.Parallel()
	srv := testkit.NewGitServer(t)
	srv.Intercept = func(w http.ResponseWriter, r *http.Request) bool {
		w.Header().Set("Content-Type", "application/x-git-upload-pack-result")
		for i := 0; r.Context().Err() == nil; i++ {
			text := fmt.Sprintf("%040x refs/heads/main%d\n", i, i)
			if _, err := fmt.Fprintf(w, "%04x%s", len(text)+4, text); err != nil {
				break
			}
		}
		return true
	}
	if _, err := remote(t, srv.URL+"/a/b", Options{}).Resolve(t.Context(), source.Pin{}); !errors.Is(err, source.ErrTooLarge) {
		t.Errorf("Resolve = %v, want ErrTooLarge", err)
	}
}
