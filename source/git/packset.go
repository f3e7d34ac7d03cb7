package git

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// packSet is the packs of a cache, read without git. Nothing else of the
// repository is looked at: no loose object, alternate, graft, replace ref or
// configuration (security 3.3 row 50). It is safe for concurrent use.
type packSet struct {
	dir    string // of the repository
	idLen  int    // bytes of an object id
	limits Limits

	mu    sync.Mutex
	packs []*pack
	known map[string]bool // names of the packs that were opened
	memo  memo

	armed   bool // warm may begin
	warming sync.WaitGroup
	warmed  map[oid]*outer // by warm, until the next pack was kept
}

func newPackSet(dir string, idLen int, l Limits) *packSet {
	return &packSet{dir: dir, idLen: idLen, limits: l, known: map[string]bool{}}
}

// onlyPacks reports whether all objects of a repository are in packs.
func onlyPacks(dir string) bool {
	entries, err := os.ReadDir(filepath.Join(dir, "objects"))
	return err == nil && !slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		n := e.Name()
		return n != "pack" && n != "info" && !strings.HasSuffix(n, tempSuffix)
	})
}

// all returns the packs known so far.
func (s *packSet) all() []*pack {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.packs
}

// refresh opens the packs that came since the last call and reports whether
// there are any. The index is the last file of a pack to be written.
func (s *packSet) refresh() (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	dir := filepath.Join(s.dir, "objects", "pack")
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false, fmt.Errorf("%w: %w", errCorrupt, err)
	}
	packs := s.packs[:len(s.packs):len(s.packs)] // others read the old list
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".idx")
		if !ok || s.known[name] {
			continue
		}
		p, err := openPack(filepath.Join(dir, name), s.idLen, s.limits.Objects)
		if errors.Is(err, fs.ErrNotExist) {
			continue // an index without its pack is no pack
		}
		if err != nil {
			return false, fmt.Errorf("%w: %w", errCorrupt, err)
		}
		s.known[name] = true
		packs = append(packs, p)
	}
	grown := len(packs) > len(s.packs)
	s.packs = packs
	return grown, nil
}

// close closes the files. The set can be used again.
func (s *packSet) close() error {
	s.warmUp()
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	for _, p := range s.packs {
		err = errors.Join(err, p.close())
	}
	s.packs, s.known, s.memo, s.warmed = nil, map[string]bool{}, memo{}, nil
	return err
}
