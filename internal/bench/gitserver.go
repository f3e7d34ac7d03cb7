package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cgi"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"
)

// maxPost bounds the body of one request; the largest is a list of wanted blobs.
const maxPost = 64 << 20

// gitServer serves the repositories below a directory with git's own
// http-backend on loopback, and counts.
type gitServer struct {
	url             string
	requests, bytes atomic.Int64
	http            *http.Server
	backend         cgi.Handler
}

// traffic is a reading of a server's counters.
type traffic struct{ requests, bytes int64 }

// startGitServer serves root until close is called.
func startGitServer(ctx context.Context, b *bench, root string) (*gitServer, error) {
	libexec, err := b.output(ctx, command{path: "git", args: []string{"--exec-path"}})
	if err != nil {
		return nil, err
	}
	program := filepath.Join(libexec, "git-http-backend")
	if _, err := os.Stat(program); err != nil {
		return nil, fmt.Errorf("git http-backend is not installed: %w", err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &gitServer{
		url: "http://" + listener.Addr().String(),
		backend: cgi.Handler{
			Path: program,
			Env: append(b.environment(command{}),
				"GIT_PROJECT_ROOT="+root, "GIT_HTTP_EXPORT_ALL=1"),
			Stderr: io.Discard,
		},
	}
	s.http = &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	go s.http.Serve(listener) // ends with close
	return s, nil
}

func (s *gitServer) close() error { return s.http.Close() }

func (s *gitServer) read() traffic { return traffic{s.requests.Load(), s.bytes.Load()} }

// ServeHTTP runs http-backend for one request.
func (s *gitServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.requests.Add(1)
	// CGI states the length of a body; git sends a long one in chunks.
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxPost))
	if err != nil {
		http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
		return
	}
	s.bytes.Add(int64(len(body)))
	r.Body, r.ContentLength, r.TransferEncoding = io.NopCloser(bytes.NewReader(body)), int64(len(body)), nil
	backend := s.backend
	if v := r.Header.Get("Git-Protocol"); v != "" {
		backend.Env = append(backend.Env[:len(backend.Env):len(backend.Env)], "GIT_PROTOCOL="+v)
	}
	backend.ServeHTTP(&countingWriter{w, &s.bytes}, r)
}

// countingWriter counts the bytes of a response's body.
type countingWriter struct {
	http.ResponseWriter
	bytes *atomic.Int64
}

func (w *countingWriter) Write(p []byte) (int, error) {
	n, err := w.ResponseWriter.Write(p)
	w.bytes.Add(int64(n))
	return n, err
}
