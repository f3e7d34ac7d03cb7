package main

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
)

// logger shows what the library notes besides its results: warnings always,
// everything with --verbose.
func (e *env) logger() *slog.Logger {
	least := slog.LevelWarn
	switch {
	case e.opts.verbose:
		least = slog.LevelDebug
	case e.opts.quiet:
		least = slog.LevelError
	}
	return slog.New(&logHandler{e: e, least: least})
}

// logHandler writes records as lines on stderr, escaped.
type logHandler struct {
	e     *env
	least slog.Level
	attrs []slog.Attr
}

var _ slog.Handler = (*logHandler)(nil)

// Enabled implements [slog.Handler].
func (h *logHandler) Enabled(_ context.Context, l slog.Level) bool { return l >= h.least }

// Handle implements [slog.Handler].
func (h *logHandler) Handle(_ context.Context, r slog.Record) error {
	var b strings.Builder
	b.WriteString(r.Message)
	write := func(a slog.Attr) bool {
		fmt.Fprintf(&b, " %s=%s", a.Key, a.Value)
		return true
	}
	for _, a := range h.attrs {
		write(a)
	}
	r.Attrs(write)
	h.e.warn("%s", b.String())
	return nil
}

// WithAttrs implements [slog.Handler].
func (h *logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &logHandler{e: h.e, least: h.least, attrs: append(h.attrs[:len(h.attrs):len(h.attrs)], attrs...)}
}

// WithGroup implements [slog.Handler]. The library has no groups.
func (h *logHandler) WithGroup(string) slog.Handler { return h }
