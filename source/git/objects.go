package git

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"

	"pinion/tree"
)

// objects is a bare repository as this package needs it: packs go in, objects
// come out. There are two, the system's git and go-git, and one conformance
// suite.
type objects interface {
	// index stores the objects of a pack. A broken pack leaves nothing behind.
	// complete says that nothing the objects refer to is missing, parents
	// excepted, so that git's own checks of names and modes can be made too;
	// without it parseTree and parseListing make them.
	index(ctx context.Context, pack io.Reader, complete bool) error
	// reader starts reading objects; close ends it.
	reader() (objectReader, error)
	// bulkReader is a reader that is worth its start for many bytes.
	bulkReader() (objectReader, error)
	// list returns everything below a tree, in the order of paths.
	list(ctx context.Context, root string) ([]item, error)
	// thin reports whether index understands deltas against stored objects.
	thin() bool
	close() error
}

// objectReader returns objects in the order of the requests. request may be
// called from one goroutine while another calls next.
type objectReader interface {
	request(id string) error
	flush() error
	// next returns the next object. kind is "missing" for one that is not
	// here; content must be read to its end before the next call.
	next() (kind string, size int64, content io.Reader, err error)
	// sizes returns the bytes of each object, -1 for one that is not here. No
	// answer may be outstanding.
	sizes(ctx context.Context, ids []string) ([]int64, error)
	// kill makes all further calls fail at once.
	kill()
	// usable is false after kill.
	usable() bool
	close() error
}

// errCorrupt is a cache that cannot be used any more.
var errCorrupt = errors.New("the cache is damaged")

// ErrNoGit is a job for which the system's git is needed and missing.
var ErrNoGit = errors.New("this needs git, which is not installed")

// item is one entry of a listing.
type item struct {
	path string
	mode mode
	id   string
	size int64 // -1 when not looked up yet
}

type mode uint8

const (
	modeFile mode = iota
	modeExec
	modeLink
	modeSubmodule
	modeDir
)

func parseMode(s string) (mode, bool) {
	switch s {
	case "100755":
		return modeExec, true
	case "100644", "100664", "100600": // the last two were written by early gits
		return modeFile, true
	case "120000":
		return modeLink, true
	case "160000":
		return modeSubmodule, true
	case "40000", "040000":
		return modeDir, true
	}
	return 0, false
}

func (m mode) kind() tree.Kind {
	switch m {
	case modeLink:
		return tree.Symlink
	case modeSubmodule:
		return tree.Submodule
	case modeDir:
		return tree.Other
	}
	return tree.Regular
}

func (m mode) regular() bool { return m == modeFile || m == modeExec }

// parseTree reads a tree object. idLen is the number of bytes of an id.
func parseTree(data []byte, idLen int) ([]item, error) {
	n := 0
	for rest := data; len(rest) > 0; n++ {
		var ok bool
		if _, rest, ok = nextEntry(rest, idLen); !ok {
			return nil, fmt.Errorf("tree object: %w", errMalformed)
		}
	}
	// There may be thousands: the names share one piece of memory, and so do the
	// ids.
	names := string(data)
	digits := make([]byte, 0, n*hex.EncodedLen(idLen))
	for rest := data; len(rest) > 0; {
		var e treeEntry
		e, rest, _ = nextEntry(rest, idLen)
		digits = hex.AppendEncode(digits, e.id)
	}
	ids := string(digits)
	items := make([]item, 0, n)
	var last treeEntry
	for rest := data; len(rest) > 0; {
		var e treeEntry
		at := len(data) - len(rest)
		e, rest, _ = nextEntry(rest, idLen)
		m, ok := parseMode(string(e.mode))
		if !ok {
			return nil, fmt.Errorf("tree object: %w", errMalformed)
		}
		name := names[at+len(e.mode)+1:][:len(e.name)]
		if name == "" || name == "." || name == ".." || len(name) == 4 && strings.EqualFold(name, ".git") || strings.IndexByte(name, '/') >= 0 {
			return nil, fmt.Errorf("tree object: name %q: %w", name, errMalformed)
		}
		if len(items) > 0 && !before(last, e) {
			return nil, fmt.Errorf("tree object: %q is out of order: %w", name, errMalformed)
		}
		items = append(items, item{path: name, mode: m, id: ids[:2*idLen], size: -1})
		ids, last = ids[2*idLen:], e
	}
	return items, nil
}

// sortKey orders as git does: a directory as if its name ended with a slash.
func (it item) sortKey() string {
	if it.mode == modeDir {
		return it.path + "/"
	}
	return it.path
}

// errMalformed is an object that git would not write.
var errMalformed = errors.New("malformed object")

// parseCommit returns the tree and the parents of a commit object.
func parseCommit(data []byte) (root string, parents []string, err error) {
	for line := range strings.SplitSeq(string(data), "\n") {
		if line == "" {
			break
		}
		if id, ok := strings.CutPrefix(line, "tree "); ok && root == "" {
			root = id
		}
		if id, ok := strings.CutPrefix(line, "parent "); ok {
			parents = append(parents, id)
		}
	}
	if root == "" {
		return "", nil, fmt.Errorf("commit object: %w", errMalformed)
	}
	return root, parents, nil
}

// readOne returns the content of one object of at most max bytes.
func readOne(r objectReader, id string, max int64) (kind string, data []byte, err error) {
	err = readMany(r, []string{id}, max, func(_ int, k string, d []byte) error {
		kind, data = k, d
		return nil
	})
	return kind, data, err
}

// readMany reads objects of at most max bytes each. data is nil for a missing
// one, and must not be changed.
func readMany(r objectReader, ids []string, max int64, fn func(i int, kind string, data []byte) error) error {
	sent := make(chan error, 1)
	go func() {
		for _, id := range ids {
			if err := r.request(id); err != nil {
				r.kill() // nobody may wait for the answers
				sent <- err
				return
			}
		}
		sent <- r.flush()
	}()
	left, err := receive(r, len(ids), max, fn)
	if left > 0 {
		r.kill() // the answers that are still to come would be taken for others
	}
	return errors.Join(err, <-sent)
}

// receive returns also how many answers were not read to their end.
func receive(r objectReader, n int, max int64, fn func(i int, kind string, data []byte) error) (left int, err error) {
	for i := range n {
		kind, size, content, err := r.next()
		if err != nil {
			return n - i, err
		}
		if size > max {
			return n - i, fmt.Errorf("a %s of %d bytes: %w", kind, size, errOversize)
		}
		var data []byte
		if in, ok := content.(*shared); ok {
			data = in.data[:size:size]
		} else if kind != "missing" {
			data = make([]byte, size)
			if _, err := io.ReadFull(content, data); err != nil {
				return n - i, fmt.Errorf("%w: %w", errCorrupt, err)
			}
		}
		if err := fn(i, kind, data); err != nil {
			return n - i - 1, err
		}
	}
	return 0, nil
}

var errOversize = errors.New("larger than any real one")
