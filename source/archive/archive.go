// Package archive reads a .zip, .tar or .tar.gz file at a web address as a
// source.
//
// The pin is the SHA-256 of the file. Where a catalog names it, other bytes are
// refused; where it does not, what was seen first is what is recorded. What may
// be in an archive, and how much, is decided by package tree; nothing is ever
// unpacked to disk. One folder that holds everything is taken off the paths.
package archive

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"pinion/source"
	"pinion/source/web"
	"pinion/tree"
)

// Remote is an archive at a web address. It implements [source.Source].
type Remote struct {
	spec source.Spec
	web  *web.Client
}

var _ source.Source = (*Remote)(nil)

// New returns the archive that spec names. It touches nothing yet.
func New(spec source.Spec, o web.Options) *Remote {
	return &Remote{spec: spec, web: web.New(o)}
}

const pinPrefix = "sha256:"

// Resolve returns the pin that the spec states, and the zero pin where it states
// none: which bytes are there shows when they are opened, and then
// [source.Snapshot.Pin] tells.
func (r *Remote) Resolve(context.Context, source.Pin) (source.Pin, error) {
	if r.spec.Ref == "" {
		return source.Pin{}, nil
	}
	return source.Pin{Commit: pinPrefix + r.spec.Ref}, nil
}

// Open fetches the file unless it is in the cache. With a pin, other bytes are a
// [*source.IntegrityError].
func (r *Remote) Open(ctx context.Context, pin source.Pin, cache string) (source.Snapshot, error) {
	want, ok := strings.CutPrefix(pin.Commit, pinPrefix)
	if pin.Commit != "" && (!ok || len(want) != 2*sha256.Size) {
		return nil, fmt.Errorf("pin %q of an archive: %w", pin.Commit, fs.ErrInvalid)
	}
	defer r.web.Close()
	f, err := Keep(cache, want, func(path string) bool { return want != "" && sumOf(path) == want }, func(w io.Writer) (name string, err error) {
		sum := sha256.New()
		if err := Download(ctx, r.web, r.spec.URL, tree.MaxArchive, io.MultiWriter(w, sum)); err != nil {
			return "", err
		}
		got := hex.EncodeToString(sum.Sum(nil))
		if want != "" && got != want {
			return "", &source.IntegrityError{What: r.spec.Canonical(), Want: pinPrefix + want, Got: pinPrefix + got}
		}
		return got, nil
	})
	if err != nil {
		return nil, err
	}
	return Read(ctx, f, source.Pin{Commit: pinPrefix + f.Name})
}

// Download writes one file to w.
func Download(ctx context.Context, c *web.Client, address string, limit int64, w io.Writer) error {
	body, err := c.Get(ctx, web.Request{URL: address, Accept: "*/*", Plain: true, Limit: limit})
	if err != nil {
		return err
	}
	_, err = io.Copy(w, body)
	if cerr := body.Close(); err == nil {
		err = cerr
	}
	return err
}

func sumOf(path string) string {
	sum := sha256.New()
	if err := hashFile(path, sum); err != nil {
		return ""
	}
	return hex.EncodeToString(sum.Sum(nil))
}
