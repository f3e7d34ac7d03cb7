package testkit

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// GitHub is a small GitHub: the API over the repositories of a [GitServer],
// which serves their bytes. API goes into PINION_GITHUB_API and Git.URL into
// PINION_GITHUB_CLONE.
type GitHub struct {
	API string
	Git *GitServer

	Token   string            // when set, needed for everything
	Limited bool              // the rate limit is used up
	Moved   map[string]string // "old/name" → "new/name"
	// Intercept answers a request itself by returning true.
	Intercept func(w http.ResponseWriter, r *http.Request) bool

	mu  sync.Mutex
	log []Request
}

// NewGitHub starts both servers, which end with the test.
func NewGitHub(t testing.TB) *GitHub {
	t.Helper()
	g := &GitHub{Git: NewGitServer(t), Moved: map[string]string{}}
	srv := httptest.NewServer(g)
	t.Cleanup(srv.Close)
	g.API = srv.URL
	return g
}

// Change runs fn, which sets fields, between two requests.
func (g *GitHub) Change(fn func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	fn()
}

// Requests returns what the API was asked since the last call.
func (g *GitHub) Requests() []Request {
	g.mu.Lock()
	defer g.mu.Unlock()
	log := g.log
	g.log = nil
	return log
}

// ServeHTTP implements [http.Handler].
func (g *GitHub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	out := &countedWriter{ResponseWriter: w}
	defer func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.log = append(g.log, Request{Method: r.Method, Path: r.URL.Path, Authorization: r.Header.Get("Authorization"), Out: out.n})
	}()
	g.mu.Lock()
	intercept, isLimited, token := g.Intercept, g.Limited, g.Token
	g.mu.Unlock()
	switch {
	case intercept != nil && intercept(out, r):
		return
	case isLimited:
		out.Header().Set("X-RateLimit-Limit", "60")
		out.Header().Set("X-RateLimit-Remaining", "0")
		out.Header().Set("X-RateLimit-Reset", fmt.Sprint(time.Now().Add(time.Hour).Unix()))
		reply(out, http.StatusForbidden, map[string]any{"message": "API rate limit exceeded"})
		return
	case r.Header.Get("Authorization") != "" && r.Header.Get("Authorization") != "Bearer "+token:
		reply(out, http.StatusUnauthorized, map[string]any{"message": "Bad credentials"})
		return
	}
	if rest, ok := strings.CutPrefix(r.URL.Path, "/repositories/"); ok {
		reply(out, http.StatusOK, map[string]any{"full_name": g.Moved[strings.ReplaceAll(rest, "+", "/")]})
		return
	}
	parts := strings.SplitN(strings.TrimPrefix(r.URL.Path, "/repos/"), "/", 4)
	if len(parts) < 4 {
		reply(out, http.StatusNotFound, map[string]any{"message": "Not Found"})
		return
	}
	name, verb, arg := parts[0]+"/"+parts[1], parts[2], parts[3]
	if _, ok := g.Moved[name]; ok {
		// GitHub redirects to the number of the repository.
		http.Redirect(out, r, g.API+"/repositories/"+strings.ReplaceAll(name, "/", "+"), http.StatusMovedPermanently)
		return
	}
	repo := g.Git.Repo(name)
	if repo == nil || token != "" && r.Header.Get("Authorization") == "" {
		reply(out, http.StatusNotFound, map[string]any{"message": "Not Found"})
		return
	}
	switch verb {
	case "commits":
		g.commit(out, r, repo, arg)
	case "compare":
		g.compare(out, repo, arg)
	default:
		reply(out, http.StatusNotFound, map[string]any{"message": "Not Found"})
	}
}

func reply(w http.ResponseWriter, code int, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(code)
	json.NewEncoder(w).Encode(v)
}

// commit answers GET /repos/O/R/commits/REF with the bare id, as for the sha
// media type.
func (g *GitHub) commit(w http.ResponseWriter, r *http.Request, repo *Repo, ref string) {
	id := resolveRef(repo, ref)
	if id == "" {
		reply(w, http.StatusUnprocessableEntity, map[string]any{"message": "No commit found for SHA: " + ref})
		return
	}
	w.Header().Set("ETag", `"`+id+`"`)
	if r.Header.Get("If-None-Match") == `"`+id+`"` {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Header().Set("Content-Type", "application/vnd.github.sha; charset=utf-8")
	fmt.Fprint(w, id)
}

func resolveRef(repo *Repo, ref string) string {
	name := "refs/" + ref
	if ref == "HEAD" {
		name = ref
	} else if !strings.HasPrefix(ref, "heads/") && !strings.HasPrefix(ref, "tags/") {
		name = ref // a branch, a tag or a shortened commit, as git guesses
	}
	cmd := exec.Command("git", "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
	cmd.Dir = repo.Dir
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// compare answers GET /repos/O/R/compare/A...B with the status alone.
func (g *GitHub) compare(w http.ResponseWriter, repo *Repo, arg string) {
	a, b, _ := strings.Cut(arg, "...")
	if resolveRef(repo, a) == "" || resolveRef(repo, b) == "" {
		reply(w, http.StatusNotFound, map[string]any{"message": "Not Found"})
		return
	}
	isAncestor := func(x, y string) bool {
		cmd := exec.Command("git", "merge-base", "--is-ancestor", x, y)
		cmd.Dir = repo.Dir
		return cmd.Run() == nil
	}
	status := "diverged"
	switch {
	case a == b:
		status = "identical"
	case isAncestor(a, b):
		status = "ahead"
	case isAncestor(b, a):
		status = "behind"
	}
	reply(w, http.StatusOK, map[string]any{"status": status})
}
