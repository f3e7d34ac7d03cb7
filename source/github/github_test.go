package github

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"pinion/internal/testkit"
	"pinion/source"
	"pinion/source/git"
	"pinion/tree"
)

func open(t *testing.T, hub *testkit.GitHub, spec string, o Options) *Repo {
	t.Helper()
	s, err := source.Parse(spec, "/")
	if err != nil {
		t.Fatal(err)
	}
	o.API, o.Clone = hub.API, hub.Git.URL
	r, err := New(s, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestResolve(t *testing.T) {
	t.Parallel()
	hub := testkit.NewGitHub(t)
	repo := testkit.NewRepo(t)
	hub.Git.Add("acme/plugins", repo)
	one := repo.Commit("main", testkit.Files{"a": testkit.Text("1")})
	repo.SetRef("refs/tags/v1", one)
	repo.SetRef("refs/tags/main", repo.Commit("other", testkit.Files{"a": testkit.Text("2")}))
	repo.SetRef("refs/heads/"+one[:12], repo.Head("other"))

	r := open(t, hub, "Acme/Plugins", Options{})
	pin, err := r.Resolve(t.Context(), source.Pin{})
	if err != nil || pin != (source.Pin{Commit: one, Ref: "HEAD"}) {
		t.Fatalf("Resolve = %+v, %v", pin, err)
	}
	hub.Requests()
	if again, err := r.Resolve(t.Context(), pin); err != nil || again != pin {
		t.Errorf("unchanged: %+v, %v", again, err)
	}
	log := hub.Requests()
	if n, bytes := testkit.Cost(log); n != 1 || bytes != 0 || len(hub.Git.Requests()) != 0 {
		t.Errorf("unchanged refresh: %d requests with %d bytes, want 1 without a body", n, bytes)
	}
	two := repo.Update("main", testkit.Files{"a": testkit.Text("3")})
	if pin, err = r.Resolve(t.Context(), pin); err != nil || pin.Commit != two {
		t.Errorf("changed: %+v, %v", pin, err)
	}

	for _, tt := range []struct{ spec, commit, ref string }{
		{"acme/plugins@v1", one, "refs/tags/v1"},
		{"acme/plugins@refs/heads/main", two, "refs/heads/main"},
		{"acme/plugins@refs/heads/" + one[:12], repo.Head("other"), "refs/heads/" + one[:12]},
		{"acme/plugins@" + one, one, ""},
	} {
		r := open(t, hub, tt.spec, Options{})
		pin, err := r.Resolve(t.Context(), source.Pin{})
		if err != nil || pin.Commit != tt.commit || pin.Ref != tt.ref {
			t.Errorf("Resolve(%s) = %+v, %v", tt.spec, pin, err)
		}
		if again, err := r.Resolve(t.Context(), pin); err != nil || again != pin {
			t.Errorf("Resolve(%s) again = %+v, %v", tt.spec, again, err)
		}
	}
	// security 3.3 row 39
	var se *source.SpecError
	if _, err := open(t, hub, "acme/plugins@main", Options{}).Resolve(t.Context(), source.Pin{}); !errors.As(err, &se) {
		t.Errorf("branch and tag of one name: %v, want a *SpecError", err)
	}
	if _, err := open(t, hub, "acme/plugins@nothing", Options{}).Resolve(t.Context(), source.Pin{}); !errors.Is(err, source.ErrNotFound) {
		t.Errorf("no such ref: %v", err)
	}
}

func TestFetchAndAncestry(t *testing.T) {
	t.Parallel()
	hub := testkit.NewGitHub(t)
	repo := testkit.NewRepo(t)
	hub.Git.Add("acme/plugins", repo)
	first := repo.Commit("main", testkit.Marketplace(3, 3))
	repo.Update("main", testkit.Files{"x": testkit.Text("y")})
	r := open(t, hub, "acme/plugins", Options{})
	pin, err := r.Resolve(t.Context(), source.Pin{})
	if err != nil {
		t.Fatal(err)
	}
	cache := t.TempDir()
	s, err := r.Open(t.Context(), pin, cache)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	err = s.Trees(t.Context(), []source.Request{{Dir: "."}}, func(_ int, tr *tree.Tree, err error) error {
		n = len(tr.Files)
		return err
	})
	if err != nil || n != 11 {
		t.Errorf("Trees: %d files, %v", n, err)
	}
	hub.Git.Requests()
	if a, err := s.Descends(t.Context(), first); a != source.Descendant || err != nil {
		t.Errorf("Descends = %v, %v", a, err)
	}
	if len(hub.Git.Requests()) != 0 {
		t.Error("ancestry was downloaded although the API knows it")
	}
	hub.Change(func() { hub.Limited = true })
	if a, err := s.Descends(t.Context(), first); a != source.Descendant || err != nil {
		t.Errorf("Descends without the API = %v, %v", a, err)
	}
	hub.Change(func() { hub.Limited = false })
	s.Close()

	// security 3.3 row 42: a recreated repository
	repo.Restart("main", testkit.Files{"a": testkit.Text("evil")})
	repo.Git("reflog", "expire", "--expire=now", "--all")
	repo.Git("gc", "-q", "--prune=now")
	if pin, err = r.Resolve(t.Context(), pin); err != nil {
		t.Fatal(err)
	}
	if s, err = r.Open(t.Context(), pin, cache); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if a, err := s.Descends(t.Context(), first); a != source.Rewritten || err != nil {
		t.Errorf("recreated: Descends = %v, %v, want Rewritten", a, err)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	repo := testkit.NewRepo(t)
	head := repo.Commit("main", testkit.Files{"a": testkit.Text("1")})
	start := func(t *testing.T) *testkit.GitHub {
		hub := testkit.NewGitHub(t)
		hub.Git.Add("acme/plugins", repo)
		return hub
	}
	t.Run("rate limit falls back to git", func(t *testing.T) {
		hub := start(t)
		hub.Limited = true
		pin, err := open(t, hub, "acme/plugins", Options{}).Resolve(t.Context(), source.Pin{})
		if err != nil || pin != (source.Pin{Commit: head, Ref: "HEAD"}) {
			t.Errorf("Resolve = %+v, %v", pin, err)
		}
		hub.Git.Intercept = func(w http.ResponseWriter, _ *http.Request) bool {
			http.Error(w, "down", http.StatusBadGateway)
			return true
		}
		_, err = open(t, hub, "acme/plugins", Options{}).Resolve(t.Context(), source.Pin{})
		if !errors.Is(err, source.ErrOffline) || !strings.Contains(err.Error(), "rate limit") || !strings.Contains(err.Error(), "GITHUB_TOKEN") {
			t.Errorf("both down: %v, want the rate limit explained", err)
		}
	})
	t.Run("private", func(t *testing.T) {
		hub := start(t)
		hub.Token, hub.Git.Password = "TOPSECRET", "TOPSECRET"
		_, err := open(t, hub, "acme/plugins", Options{}).Resolve(t.Context(), source.Pin{})
		if !errors.Is(err, source.ErrNotFound) || !strings.Contains(err.Error(), "private") || !strings.Contains(err.Error(), "GITHUB_TOKEN") {
			t.Errorf("without a token: %v", err)
		}
		r := open(t, hub, "acme/plugins", Options{Token: "TOPSECRET"})
		pin, err := r.Resolve(t.Context(), source.Pin{})
		if err != nil || pin.Commit != head {
			t.Fatalf("with the token: %+v, %v", pin, err)
		}
		for _, b := range []git.Backend{git.System, git.GoGit} {
			s, err := open(t, hub, "acme/plugins", Options{Token: "TOPSECRET", Git: git.Options{Backend: b}}).Open(t.Context(), pin, t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			if data, err := s.ReadFile(t.Context(), "a", 10); err != nil || string(data) != "1" {
				t.Errorf("ReadFile = %q, %v", data, err)
			}
			s.Close()
		}
		_, err = open(t, hub, "acme/plugins", Options{Token: "OLDSECRET"}).Resolve(t.Context(), source.Pin{})
		if !errors.Is(err, source.ErrNotFound) || strings.Contains(err.Error(), "SECRET") {
			t.Errorf("with a bad token: %v", err)
		}
	})
	// security 3.3 row 43
	t.Run("moved", func(t *testing.T) {
		hub := start(t)
		hub.Moved["acme/plugins"] = "Mallory/Plugins"
		_, err := open(t, hub, "acme/plugins", Options{}).Resolve(t.Context(), source.Pin{})
		var moved *source.MovedError
		if !errors.As(err, &moved) || moved.From != "github.com/acme/plugins" || moved.To != "github.com/mallory/plugins" {
			t.Errorf("Resolve = %v, want a *MovedError to github.com/mallory/plugins", err)
		}
	})
	t.Run("moved to another host", func(t *testing.T) {
		hub, other := start(t), start(t)
		hub.Intercept = func(w http.ResponseWriter, r *http.Request) bool {
			http.Redirect(w, r, other.API+r.URL.Path, http.StatusFound)
			return true
		}
		_, err := open(t, hub, "acme/plugins", Options{Token: "TOPSECRET"}).Resolve(t.Context(), source.Pin{})
		var moved *source.MovedError
		if !errors.As(err, &moved) || len(other.Requests()) != 0 {
			t.Errorf("Resolve = %v, want a *MovedError and no request there", err)
		}
	})
	t.Run("unreachable API", func(t *testing.T) {
		hub := start(t)
		hub.API = "http://127.0.0.1:1"
		pin, err := open(t, hub, "acme/plugins", Options{}).Resolve(t.Context(), source.Pin{})
		if err != nil || pin.Commit != head {
			t.Errorf("Resolve = %+v, %v, want git's answer", pin, err)
		}
	})
	t.Run("nonsense", func(t *testing.T) {
		hub := start(t)
		hub.Intercept = func(w http.ResponseWriter, _ *http.Request) bool {
			w.Write([]byte("refs/heads/main --upload-pack=x"))
			return true
		}
		pin, err := open(t, hub, "acme/plugins", Options{}).Resolve(t.Context(), source.Pin{})
		if err != nil || pin.Commit != head {
			t.Errorf("Resolve = %+v, %v, want git's answer", pin, err)
		}
	})
}
