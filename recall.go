package pinion

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"pinion/catalog"
	"pinion/internal/fsx"
	"pinion/internal/syntax"
	"pinion/source"
)

// A commit that was built before needs no second build: the same trees and the
// same catalog give the same result. What is remembered is only that a catalog
// was up to date with its packages; git's ids serve as keys and are never what
// anybody is shown or pinned to.

// knownBuild is one commit whose catalog was found up to date.
type knownBuild struct {
	Key      string `json:"key"`
	Packages int    `json:"packages"`
	Files    int    `json:"files"`
}

type knownBuilds struct {
	Schema string       `json:"schema"`
	Builds []knownBuild `json:"builds"` // newest last
}

const (
	knownSchema = "pinion.known-builds/v1"
	knownFile   = "builds.json"
	knownLimit  = 1 << 20
	knownMax    = 256
)

// content is a catalog that is at hand as a whole.
type content []byte

// WriteTo writes the catalog.
func (b content) WriteTo(w io.Writer) (int64, error) {
	n, err := w.Write(b)
	return int64(n), err
}

// committedCatalog is what a commit has for the fast way.
type committedCatalog struct {
	name string
	data content
	key  string
}

// recallable returns the catalog of a commit and the key of its build, false
// when the build depends on more than the commit: on a base of its own, or on
// another released catalog than the commit's.
func (c *Client) recallable(ctx context.Context, s *committed, at place, o BuildOptions) (committedCatalog, bool, error) {
	if o.Base != "" {
		return committedCatalog{}, false, nil
	}
	ids, err := s.snap.TreeIDs(ctx, s.dir)
	if err != nil || ids[pluginsDir] == "" {
		return committedCatalog{}, false, ignoreMissing(err)
	}
	for _, name := range []string{"marketplace.json", "shinbot-marketplace.json"} {
		data, err := s.file(ctx, name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return committedCatalog{}, false, err
		}
		same, err := s.isHead(ctx, at)
		if err != nil || !same {
			return committedCatalog{}, false, err
		}
		h := sha256.New()
		for _, part := range []string{Version, ids[pluginsDir], name, o.Owner, hex.EncodeToString(sum(data))} {
			h.Write([]byte(part + "\n"))
		}
		return committedCatalog{name: name, data: data, key: hex.EncodeToString(h.Sum(nil))}, true, nil
	}
	return committedCatalog{}, false, nil
}

func sum(data []byte) []byte {
	s := sha256.Sum256(data)
	return s[:]
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// isHead reports whether the snapshot is HEAD's, whose catalog is then both the
// one being replaced and the released one.
func (s *committed) isHead(ctx context.Context, at place) (bool, error) {
	head, err := at.local.Snapshot(ctx, "HEAD")
	if errors.Is(err, source.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer head.Close()
	return head.Pin().Commit == s.snap.Pin().Commit, nil
}

// cacheDir is $XDG_CACHE_HOME/pinion, else ~/.cache/pinion, "" for none.
func (c *Client) cacheDir() string {
	if x := c.o.Getenv("XDG_CACHE_HOME"); filepath.IsAbs(x) {
		return filepath.Join(x, "pinion")
	}
	if h := c.o.Getenv("HOME"); filepath.IsAbs(h) {
		return filepath.Join(h, ".cache", "pinion")
	}
	return ""
}

// recall returns what is known of a build. A cache that cannot be read knows
// nothing.
func (c *Client) recall(key string) (knownBuild, bool) {
	for _, k := range c.knownBuilds() {
		if k.Key == key {
			return k, true
		}
	}
	return knownBuild{}, false
}

func (c *Client) knownBuilds() []knownBuild {
	dir := c.cacheDir()
	if dir == "" {
		return nil
	}
	d, err := fsx.OpenDir(dir, fsx.Options{})
	if err != nil {
		return nil
	}
	defer d.Close()
	data, err := d.ReadFile(knownFile, knownLimit)
	if err != nil {
		return nil
	}
	var k knownBuilds
	if syntax.Decode(data, &k, syntax.Options{}).HasErrors() || k.Schema != knownSchema {
		return nil
	}
	return k.Builds
}

// remember notes that a catalog is up to date. It is a cache: what cannot be
// written is forgotten.
func (c *Client) remember(k knownBuild) {
	dir := c.cacheDir()
	if dir == "" || os.MkdirAll(dir, 0o700) != nil {
		return
	}
	builds := append(c.knownBuilds(), k)
	data, err := syntax.Encode(knownBuilds{Schema: knownSchema, Builds: builds[max(0, len(builds)-knownMax):]})
	if err == nil {
		err = writeFile(filepath.Join(dir, knownFile), data)
	}
	if err != nil {
		c.o.Log.Debug("the build could not be remembered", "err", err)
	}
}

// same reports whether a build gave exactly the catalog that the commit has.
func (cc committedCatalog) same(built *catalog.Result) bool {
	return cc.name == built.Path && string(built.Bytes()) == string(cc.data)
}
