package archive_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pinion/internal/testkit"
	"pinion/source"
	"pinion/source/archive"
	"pinion/source/sourcetest"
	"pinion/source/web"
	"pinion/tree"
)

// at returns the source of an archive on a test's own server.
func at(t *testing.T, srv *testkit.WebServer, text string) source.Source {
	t.Helper()
	spec, err := source.Parse(text, "/")
	if err != nil {
		t.Fatal(err)
	}
	return archive.New(spec, web.Options{Trusted: spec.Host(), HTTP: srv.Client})
}

func TestConformance(t *testing.T) {
	t.Parallel()
	for name, pack := range map[string]func(t testing.TB, files testkit.Files) []byte{
		"zip":                func(t testing.TB, f testkit.Files) []byte { return testkit.Zip(t, "", f) },
		"zip in a folder":    func(t testing.TB, f testkit.Files) []byte { return testkit.Zip(t, "tools-1.0.0", f) },
		"tar.gz in a folder": func(t testing.TB, f testkit.Files) []byte { return testkit.TarGz(t, "package", f) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sourcetest.Run(t, sourcetest.Kind{Make: func(t *testing.T, files testkit.Files) source.Source {
				srv := testkit.NewWebServerTLS(t)
				data := pack(t, files)
				// The name in the address says nothing about the format.
				return at(t, srv, "archive:"+srv.Set("/download", data)+"?id=1")
			}})
		})
	}
}

func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// formats 1.1.3: the sha256 is compared, also for what is in the cache.
func TestSHA256(t *testing.T) {
	t.Parallel()
	srv := testkit.NewWebServerTLS(t)
	one := testkit.Zip(t, "", testkit.Files{"a": testkit.Text("one")})
	two := testkit.Zip(t, "", testkit.Files{"a": testkit.Text("two")})
	address := "archive:" + srv.Set("/a.zip", one)
	cache := t.TempDir()
	read := func(text string) (string, source.Pin, error) {
		src := at(t, srv, text)
		pin, err := src.Resolve(t.Context(), source.Pin{})
		if err != nil {
			t.Fatal(err)
		}
		s, err := src.Open(t.Context(), pin, cache)
		if err != nil {
			return "", pin, err
		}
		defer s.Close()
		data, err := s.ReadFile(t.Context(), "a", 10)
		return string(data), s.Pin(), err
	}

	if got, pin, err := read(address + "#" + sumOf(one)); got != "one" || err != nil || pin.Commit != "sha256:"+sumOf(one) {
		t.Errorf("right sum: %q, %v, %v", got, pin, err)
	}
	var other *source.IntegrityError
	if got, _, err := read(address + "#" + sumOf(two)); !errors.As(err, &other) || other.ExitCode() != 4 || other.Got != "sha256:"+sumOf(one) {
		t.Errorf("wrong sum: %q, %v", got, err)
	}
	if left, _ := filepath.Glob(filepath.Join(cache, "*")); len(left) != 1 {
		t.Errorf("a refused file stays in the cache: %v", left)
	}
	srv.Requests()
	if got, _, err := read(address + "#" + sumOf(one)); got != "one" || err != nil || len(srv.Requests()) != 0 {
		t.Errorf("from the cache: %q, %v", got, err)
	}
	// A damaged cache is fetched again, and one that was exchanged for another file.
	for _, damage := range [][]byte{one[:len(one)-1], two} {
		if err := os.WriteFile(filepath.Join(cache, sumOf(one)), damage, 0o600); err != nil {
			t.Fatal(err)
		}
		if got, _, err := read(address + "#" + sumOf(one)); got != "one" || err != nil || len(srv.Requests()) != 1 {
			t.Errorf("damaged cache: %q, %v", got, err)
		}
	}
	// Without a sum, what is there counts, and is said.
	srv.Set("/a.zip", two)
	if got, pin, err := read(address); got != "two" || err != nil || pin.Commit != "sha256:"+sumOf(two) {
		t.Errorf("without a sum: %q, %v, %v", got, pin, err)
	}
}

// security 3.3 row 55: every hop is held to the rules of the first.
func TestRedirects(t *testing.T) {
	t.Parallel()
	data := testkit.Zip(t, "", testkit.Files{"a": testkit.Text("one")})
	other := testkit.NewWebServer(t)
	other.Set("/a.zip", data)
	srv := testkit.NewWebServerTLS(t)
	srv.Set("/a.zip", data)
	srv.Intercept = func(w http.ResponseWriter, r *http.Request) bool {
		to, ok := strings.CutPrefix(r.URL.Path, "/to/")
		if ok {
			targets := map[string]string{
				"same": "/a.zip", "http": other.URL + "/a.zip", "file": "file:///etc/passwd", "loop": "/to/loop",
				"user": strings.Replace(srv.URL, "://", "://u:SECRET@", 1) + "/a.zip", "metadata": "https://169.254.169.254/latest",
				"private": "https://10.0.0.1/x", "loopback": "https://127.0.0.2/x",
			}
			w.Header().Set("Location", targets[to])
			w.WriteHeader(http.StatusFound)
		}
		return ok
	}
	for to, want := range map[string]string{
		"same": "", "http": "not an https address", "file": "", "loop": "too many redirects", "user": "user name or token",
		"metadata": "not public", "private": "not public", "loopback": "not public",
	} {
		if to == "file" {
			want = "valid URL"
		}
		s, err := at(t, srv, "archive:"+srv.URL+"/to/"+to).Open(t.Context(), source.Pin{}, t.TempDir())
		switch {
		case want == "" && err == nil:
			s.Close()
		case want == "" || err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "SECRET"):
			t.Errorf("redirect to %s: %v, want %q", to, err, want)
		}
	}
	// An address that content chose may not even begin here.
	for _, address := range []string{srv.URL + "/a.zip", "https://localhost/a.zip", "https://[::1]/a.zip", "https://169.254.169.254/a.zip", "https://100.64.0.1/a.zip"} {
		spec, err := source.ArchiveSpec(address, "")
		if err != nil {
			t.Fatal(err)
		}
		_, err = archive.New(spec, web.Options{HTTP: srv.Client}).Open(t.Context(), source.Pin{}, t.TempDir())
		if !errors.Is(err, source.ErrOffline) || !strings.Contains(err.Error(), "not public") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	srv := testkit.NewWebServerTLS(t)
	long := bytes.Repeat([]byte("x"), 70<<10)
	srv.Intercept = func(w http.ResponseWriter, r *http.Request) bool {
		switch r.URL.Path {
		case "/401":
			w.WriteHeader(http.StatusUnauthorized)
		case "/500":
			w.WriteHeader(http.StatusInternalServerError)
		case "/long": // says nothing of its length
			_ = http.NewResponseController(w).Flush()
			for range (tree.MaxArchive >> 16) + 1 {
				if _, err := w.Write(long); err != nil {
					return true
				}
			}
		case "/claims":
			w.Header().Set("Content-Length", fmt.Sprint(tree.MaxArchive+1))
			w.WriteHeader(http.StatusOK)
		case "/cut":
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write([]byte("PK\x03\x04"))
		case "/html":
			_, _ = w.Write([]byte("<html>"))
		default:
			return false
		}
		return true
	}
	for path, want := range map[string]error{
		"/none": source.ErrNotFound, "/401": source.ErrNotFound, "/500": source.ErrOffline,
		"/claims": source.ErrTooLarge, "/cut": source.ErrOffline, "/html": tree.ErrNotArchive,
	} {
		cache := t.TempDir()
		_, err := at(t, srv, "archive:"+srv.URL+path).Open(t.Context(), source.Pin{}, cache)
		if !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", path, err, want)
		}
	}
	if !testing.Short() {
		if _, err := at(t, srv, "archive:"+srv.URL+"/long").Open(t.Context(), source.Pin{}, t.TempDir()); !errors.Is(err, source.ErrTooLarge) {
			t.Errorf("/long: %v, want ErrTooLarge", err)
		}
	}
}

// What is wrong inside is a finding of the package, whoever asks for it.
func TestHostile(t *testing.T) {
	t.Parallel()
	srv := testkit.NewWebServerTLS(t)
	for name, files := range map[string]testkit.Files{
		"path/invalid":  {"../evil": testkit.Text("x"), "b": testkit.Text("x")},
		"files/symlink": {"link": testkit.Link("/etc/passwd"), "b": testkit.Text("x")},
	} {
		src := at(t, srv, "archive:"+srv.Set("/"+name, testkit.TarGz(t, "", files)))
		s, err := src.Open(t.Context(), source.Pin{}, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		err = s.Trees(t.Context(), []source.Request{{Dir: "."}}, func(_ int, tr *tree.Tree, err error) error {
			if err != nil {
				return err
			}
			if bad, ok := tr.Problems.First(); !ok || bad.Rule != name {
				t.Errorf("%s: %v", name, tr.Problems)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		if data, err := s.ReadFile(t.Context(), "link", 100); err == nil {
			t.Errorf("a link was read: %q", data)
		}
	}
}
