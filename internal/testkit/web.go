package testkit

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/pem"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
)

// WebServer serves files of choice on loopback. Its exported fields are set
// before the first request, later ones with Change.
type WebServer struct {
	URL string
	// Client trusts the server's certificate, which is Certificate in PEM; both are
	// nothing special over http.
	Client      *http.Client
	Certificate []byte
	// Intercept answers a request itself by returning true.
	Intercept func(w http.ResponseWriter, r *http.Request) bool

	mu    sync.Mutex
	files map[string][]byte
	log   []Request
}

// NewWebServer starts a server over http that ends with the test.
func NewWebServer(t testing.TB) *WebServer {
	t.Helper()
	return startWebServer(t, httptest.NewServer)
}

// NewWebServerTLS is NewWebServer over https.
func NewWebServerTLS(t testing.TB) *WebServer {
	t.Helper()
	return startWebServer(t, httptest.NewTLSServer)
}

func startWebServer(t testing.TB, start func(http.Handler) *httptest.Server) *WebServer {
	s := &WebServer{files: map[string][]byte{}}
	srv := start(s)
	t.Cleanup(func() {
		srv.CloseClientConnections()
		srv.Close()
	})
	s.URL, s.Client = srv.URL, srv.Client()
	if c := srv.Certificate(); c != nil {
		s.Certificate = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Raw})
	}
	return s
}

// Set serves data at the path, which begins with a slash, and returns its URL.
func (s *WebServer) Set(path string, data []byte) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[path] = data
	return s.URL + path
}

// Change runs fn, which sets fields, between two requests.
func (s *WebServer) Change(fn func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fn()
}

// Requests returns what was asked since the last call.
func (s *WebServer) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	log := s.log
	s.log = nil
	return log
}

// ServeHTTP implements [http.Handler].
func (s *WebServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	out := &countedWriter{ResponseWriter: w}
	s.mu.Lock()
	intercept, data, ok := s.Intercept, s.files[r.URL.EscapedPath()], s.files[r.URL.EscapedPath()] != nil
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.log = append(s.log, Request{Method: r.Method, Path: r.URL.EscapedPath(), Authorization: r.Header.Get("Authorization"), Out: out.n})
	}()
	switch {
	case intercept != nil && intercept(out, r):
	case !ok:
		http.NotFound(out, r)
	default:
		_, _ = out.Write(data)
	}
}

// FilesOf returns the files of a directory, but for those of git.
func FilesOf(dir string) (Files, error) {
	files := Files{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if err == nil && d.Name() == ".git" {
				return filepath.SkipDir
			}
			return err
		}
		data, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		files[filepath.ToSlash(rel)] = Text(string(data))
		return err
	})
	return files, err
}

// Zip packs files below the folder top, "" for none.
func Zip(t testing.TB, top string, files Files) []byte {
	t.Helper()
	var buf bytes.Buffer
	z := zip.NewWriter(&buf)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		h := &zip.FileHeader{Name: below(top, name), Method: zip.Deflate}
		h.SetMode(0o644)
		if files[name].Mode == "100755" {
			h.SetMode(0o755)
		}
		w, err := z.CreateHeader(h)
		if err == nil {
			_, err = w.Write([]byte(files[name].Data))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// TarGz packs files below the folder top, "" for none.
func TarGz(t testing.TB, top string, files Files) []byte {
	t.Helper()
	var buf bytes.Buffer
	g := gzip.NewWriter(&buf)
	w := tar.NewWriter(g)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		h := &tar.Header{Name: below(top, name), Mode: 0o644, Size: int64(len(files[name].Data)), Typeflag: tar.TypeReg}
		switch files[name].Mode {
		case "100755":
			h.Mode = 0o755
		case "120000":
			h.Typeflag, h.Linkname, h.Size = tar.TypeSymlink, files[name].Data, 0
		}
		err := w.WriteHeader(h)
		if err == nil && h.Size > 0 {
			_, err = w.Write([]byte(files[name].Data))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func below(top, name string) string {
	if top == "" {
		return name
	}
	return top + "/" + name
}
