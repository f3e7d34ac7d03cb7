package git

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pinion/source"
)

// store is the bare repository that a source keeps between runs. It can be
// deleted at any time. A commit counts as present once its mark, a ref named
// after it, exists; the mark is written last.
type store struct {
	dir string
	id  string // what it belongs to
}

const (
	markDir  = "refs/pinion"
	ownFile  = "pinion"      // says that the directory is a cache, and whose
	fullFile = "pinion-full" // the commits of which no blob is missing
	headText = "ref: refs/heads/none\n"
	// tempSuffix is what git itself gives a file that is being written.
	tempSuffix = ".lock"
)

// openStore prepares the directory. One that belongs to another source, or that
// was left half made, is made anew; one that is not a cache is refused.
func openStore(dir, identity string, idLen int) (*store, error) {
	s := &store{dir: dir, id: fmt.Sprintf("pinion git cache 1\n%s\n%d\n", identity, idLen)}
	own, err := os.ReadFile(filepath.Join(dir, ownFile))
	if err == nil && string(own) == s.id && s.complete() {
		s.sweep()
		if s.packs() <= maxPacks {
			return s, nil
		}
	}
	if err != nil {
		entries, lerr := os.ReadDir(dir)
		// A process that was killed at its first step left only that.
		entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return e.Name() == ownFile+tempSuffix })
		if lerr == nil && len(entries) > 0 {
			return nil, fmt.Errorf("%s is not a cache of pinion and is not empty", dir)
		}
	}
	return s, s.reset()
}

// complete reports whether the parts of a repository are there, and none that
// would make git read what belongs to others (security 3.3 row 50).
func (s *store) complete() bool {
	for _, f := range [...]string{"objects/info/alternates", "info/grafts"} {
		if _, err := os.Lstat(filepath.Join(s.dir, filepath.FromSlash(f))); !errors.Is(err, fs.ErrNotExist) {
			return false
		}
	}
	head, err := os.ReadFile(filepath.Join(s.dir, "HEAD"))
	return err == nil && string(head) == headText
}

// reset makes an empty repository, without git, so that no template is used.
func (s *store) reset() error {
	entries, err := os.ReadDir(s.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("cache: %w", err)
	}
	for _, e := range entries {
		if e.Name() == ownFile {
			continue // it stays to say whose the rest is
		}
		if err := os.RemoveAll(filepath.Join(s.dir, e.Name())); err != nil {
			return fmt.Errorf("cache: %w", err)
		}
	}
	config := "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"
	if strings.HasSuffix(s.id, "\n64\n") {
		config = "[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectformat = sha256\n"
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return fmt.Errorf("cache: %w", err)
	}
	// First whose it is, or what a killed process left would be nobody's.
	if err := s.write(ownFile, s.id); err != nil {
		return err
	}
	for _, d := range [...]string{"objects/info", "objects/pack", markDir} {
		if err := os.MkdirAll(filepath.Join(s.dir, d), 0o700); err != nil {
			return fmt.Errorf("cache: %w", err)
		}
	}
	for _, f := range [...][2]string{{"config", config}, {"HEAD", headText}} {
		if err := s.write(f[0], f[1]); err != nil {
			return err
		}
	}
	return nil
}

func (s *store) write(name, text string) error {
	path := filepath.Join(s.dir, filepath.FromSlash(name))
	tmp := path + tempSuffix
	if err := os.WriteFile(tmp, []byte(text), 0o600); err != nil {
		return fmt.Errorf("cache: %w", err)
	}
	if err := os.Rename(tmp, path); err != nil {
		return fmt.Errorf("cache: %w", err)
	}
	return nil
}

// sweep removes what an interrupted fetch left. A running one is younger, except
// for locks: whoever opens the cache excludes every other process, so a lock is
// that of a git that was killed, and would stop every later one.
func (s *store) sweep() {
	for _, pattern := range [...]string{"*", "objects/*", "refs/*", markDir + "/*"} {
		locks, _ := fs.Glob(os.DirFS(s.dir), pattern+tempSuffix)
		for _, f := range locks {
			os.Remove(filepath.Join(s.dir, filepath.FromSlash(f)))
		}
	}
	tmp, _ := filepath.Glob(filepath.Join(s.dir, "objects", "pack", "tmp_*"))
	for _, f := range tmp {
		if st, err := os.Stat(f); err == nil && time.Since(st.ModTime()) > time.Hour {
			os.Remove(f)
		}
	}
}

func (s *store) packs() int {
	packs, _ := filepath.Glob(filepath.Join(s.dir, "objects", "pack", "*.pack"))
	return len(packs)
}

// has reports whether the commit was fetched.
func (s *store) has(commit string) bool {
	b, err := os.ReadFile(filepath.Join(s.dir, markDir, commit))
	return err == nil && strings.TrimSpace(string(b)) == commit
}

// mark records that the commit was fetched.
func (s *store) mark(commit string) error { return s.write(markDir+"/"+commit, commit+"\n") }

// known returns the fetched commits, newest first, at most maxHaves.
func (s *store) known() []string {
	entries, _ := os.ReadDir(filepath.Join(s.dir, markDir))
	type mark struct {
		id string
		at time.Time
	}
	var marks []mark
	for _, e := range entries {
		if info, err := e.Info(); err == nil && source.IsCommit(e.Name()) {
			marks = append(marks, mark{e.Name(), info.ModTime()})
		}
	}
	slices.SortFunc(marks, func(a, b mark) int { return cmp.Or(b.at.Compare(a.at), cmp.Compare(a.id, b.id)) })
	var ids []string
	for _, m := range marks[:min(len(marks), maxHaves)] {
		ids = append(ids, m.id)
	}
	return ids
}

// shallow returns the commits whose parents are not here. The file is git's
// own, so that git fetch works on the same repository.
func (s *store) shallow() []string {
	return slices.DeleteFunc(s.listed("shallow"), func(id string) bool { return !source.IsCommit(id) })
}

func (s *store) addShallow(ids []string) error {
	all := append(s.shallow(), ids...)
	slices.Sort(all)
	all = slices.Compact(all)
	if len(all) == 0 {
		return nil
	}
	return s.write("shallow", strings.Join(all, "\n")+"\n")
}

// listed returns the words of one of the store's files, none when it is not
// there.
func (s *store) listed(file string) []string {
	b, _ := os.ReadFile(filepath.Join(s.dir, file))
	return strings.Fields(string(b))
}

// isFull reports whether setFull was called for the commit.
func (s *store) isFull(commit string) bool { return slices.Contains(s.listed(fullFile), commit) }

// full returns those of the known commits of which every blob is here.
func (s *store) full() []string {
	full := s.listed(fullFile)
	return slices.DeleteFunc(s.known(), func(id string) bool { return !slices.Contains(full, id) })
}

// setFull records that every blob of the commit is here. Of the commits named
// before, the newest stay.
func (s *store) setFull(commit string) error {
	full := s.full()
	if slices.Contains(full, commit) {
		return nil
	}
	full = append([]string{commit}, full...)
	return s.write(fullFile, strings.Join(full[:min(len(full), maxHaves)], "\n")+"\n")
}
