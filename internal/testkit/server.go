package testkit

import (
	"bytes"
	"io"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// GitServer serves repositories over smart HTTP on loopback, by git's own
// git-http-backend, at URL/OWNER/NAME with and without ".git". Its exported
// fields are set before the first request, later ones with Change.
type GitServer struct {
	URL string

	// Intercept answers a request itself by returning true. It is for
	// redirects, refusals and broken answers.
	Intercept func(w http.ResponseWriter, r *http.Request) bool
	// Password, when set, must be the password of a Basic login.
	Password string
	// OldProtocol hides protocol version 2.
	OldProtocol bool
	// NeedProbe refuses a POST before any GET of the capabilities.
	NeedProbe bool

	t       testing.TB
	backend string
	mu      sync.Mutex
	repos   map[string]*Repo
	log     []Request
	probed  bool
}

// Request is what one request cost.
type Request struct {
	Method, Path  string
	Authorization string
	In, Out       int64  // bytes of the bodies
	Body          string // the first 4 KiB of what was sent
}

// NewGitServer starts a server that ends with the test.
func NewGitServer(t testing.TB) *GitServer {
	t.Helper()
	return startGitServer(t, httptest.NewServer)
}

// NewGitServerTLS is NewGitServer over https, with a certificate that no client
// knows.
func NewGitServerTLS(t testing.TB) *GitServer {
	t.Helper()
	return startGitServer(t, httptest.NewTLSServer)
}

func startGitServer(t testing.TB, start func(http.Handler) *httptest.Server) *GitServer {
	t.Helper()
	RequireGit(t)
	path, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		t.Fatal(err)
	}
	s := &GitServer{t: t, repos: map[string]*Repo{}, backend: filepath.Join(strings.TrimSpace(string(path)), "git-http-backend")}
	if _, err := exec.LookPath(s.backend); err != nil {
		t.Skip("git-http-backend is not installed")
	}
	srv := start(s)
	t.Cleanup(func() {
		srv.CloseClientConnections()
		srv.Close()
	})
	s.URL = srv.URL
	return s
}

// Add serves repo as name ("owner/name") and returns its URL.
func (s *GitServer) Add(name string, repo *Repo) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.repos[strings.ToLower(name)] = repo
	return s.URL + "/" + name
}

// Repo returns the repository served under name, or nil.
func (s *GitServer) Repo(name string) *Repo {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.repos[strings.ToLower(strings.TrimSuffix(name, ".git"))]
}

// Change runs fn, which sets fields, between two requests.
func (s *GitServer) Change(fn func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fn()
}

// Requests returns what was asked since the last call.
func (s *GitServer) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	log := s.log
	s.log = nil
	return log
}

// Cost adds up requests.
func Cost(log []Request) (requests int, bytes int64) {
	for _, r := range log {
		bytes += r.In + r.Out
	}
	return len(log), bytes
}

// ServeHTTP implements [http.Handler].
func (s *GitServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	in := &countedBody{ReadCloser: r.Body}
	r.Body = in
	out := &countedWriter{ResponseWriter: w}
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.log = append(s.log, Request{
			Method: r.Method, Path: r.URL.Path, Authorization: r.Header.Get("Authorization"),
			In: in.n, Out: out.n, Body: in.head.String(),
		})
	}()
	s.mu.Lock()
	intercept, password, old := s.Intercept, s.Password, s.OldProtocol
	s.mu.Unlock()
	if intercept != nil && intercept(out, r) {
		return
	}
	if password != "" {
		if _, pw, ok := r.BasicAuth(); !ok || pw != password {
			out.Header().Set("WWW-Authenticate", `Basic realm="git"`)
			http.Error(out, "login", http.StatusUnauthorized)
			return
		}
	}
	s.mu.Lock()
	if r.Method == http.MethodGet {
		s.probed = true
	}
	refuse := s.NeedProbe && !s.probed
	s.mu.Unlock()
	if refuse {
		http.Error(out, "ask for the capabilities first", http.StatusBadRequest)
		return
	}
	parts := strings.SplitN(strings.TrimPrefix(r.URL.Path, "/"), "/", 3)
	if len(parts) < 3 {
		http.NotFound(out, r)
		return
	}
	repo := s.Repo(parts[0] + "/" + parts[1])
	if repo == nil {
		http.NotFound(out, r)
		return
	}
	env := []string{"GIT_PROJECT_ROOT=" + filepath.Dir(repo.Dir), "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null"}
	r2 := r.Clone(r.Context())
	if old {
		r2.Header.Del("Git-Protocol")
	}
	r2.URL.Path = "/" + filepath.Base(repo.Dir) + "/" + parts[2]
	(&cgi.Handler{Path: s.backend, Env: env, Stderr: io.Discard}).ServeHTTP(out, r2)
}

type countedBody struct {
	io.ReadCloser
	n    int64
	head bytes.Buffer
}

func (c *countedBody) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.n += int64(n)
	if room := 4<<10 - c.head.Len(); room > 0 {
		c.head.Write(p[:min(n, room)])
	}
	return n, err
}

type countedWriter struct {
	http.ResponseWriter
	n int64
}

func (c *countedWriter) Write(p []byte) (int, error) {
	n, err := c.ResponseWriter.Write(p)
	c.n += int64(n)
	return n, err
}

func (c *countedWriter) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// Silent is an Intercept that never answers, until the client goes away.
func Silent(_ http.ResponseWriter, r *http.Request) bool {
	io.Copy(io.Discard, r.Body)
	<-r.Context().Done()
	return true
}

// Drip is an Intercept that sends one byte now and then.
func Drip(every time.Duration) func(http.ResponseWriter, *http.Request) bool {
	return func(w http.ResponseWriter, r *http.Request) bool {
		w.Header().Set("Content-Type", "application/x-git-upload-pack-result")
		io.Copy(io.Discard, r.Body)
		rc := http.NewResponseController(w)
		for {
			w.Write([]byte("1"))
			rc.Flush()
			select {
			case <-r.Context().Done():
				return true
			case <-time.After(every):
			}
		}
	}
}
