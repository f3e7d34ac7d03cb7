package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Scope says for whom a version is active: the user, or one project. The zero
// value is the user.
type Scope struct {
	// Project is the absolute OS path of the project's root, "" for the user.
	Project string
}

// String returns "user" or the project's root.
func (sc Scope) String() string {
	if sc.Project == "" {
		return "user"
	}
	return sc.Project
}

func (sc Scope) check() error {
	if sc.Project != "" && (!filepath.IsAbs(sc.Project) || filepath.Clean(sc.Project) != sc.Project) {
		return fmt.Errorf("project %q: want a clean absolute path", sc.Project)
	}
	return nil
}

// dir is the slash path of the scope's pointers.
func (sc Scope) dir() string {
	if sc.Project == "" {
		return activeDir
	}
	return path.Join(projectsDir, ProjectKey(sc.Project), activeDir)
}

func (sc Scope) file(id string) string { return path.Join(sc.dir(), escape(id)+".json") }

// ProjectKey names a project in the home: 16 hex digits of the SHA-256 of its
// absolute root.
func ProjectKey(root string) string {
	sum := sha256.Sum256([]byte(root))
	return hex.EncodeToString(sum[:8])
}

// Project is one project that has pointers.
type Project struct {
	Key  string
	Root string // "" when none of its pointers can be read
	// Missing is true when the root does not exist any more.
	Missing bool
	IDs     []string // of its pointers, sorted
}

// Projects returns every project with pointers, sorted by root. What belongs to
// a missing one stays installed until [Store.ForgetProject].
func (s *Store) Projects(ctx context.Context) ([]Project, []Damage, error) {
	all, damaged, err := s.pointers(ctx, "")
	if err != nil {
		return nil, nil, err
	}
	byRoot := map[string]*Project{}
	for _, p := range all {
		if p.Project == "" {
			continue
		}
		pr := byRoot[p.Project]
		if pr == nil {
			_, err := os.Lstat(p.Project)
			pr = &Project{Key: ProjectKey(p.Project), Root: p.Project, Missing: errors.Is(err, fs.ErrNotExist)}
			byRoot[p.Project] = pr
		}
		pr.IDs = append(pr.IDs, p.ID)
	}
	projects := make([]Project, 0, len(byRoot))
	for _, p := range byRoot {
		projects = append(projects, *p)
	}
	slices.SortFunc(projects, func(a, b Project) int { return strings.Compare(a.Root, b.Root) })
	return projects, damaged, nil
}

// ForgetProject removes every pointer of a project.
func (s *Store) ForgetProject(ctx context.Context, root string) error {
	sc := Scope{Project: root}
	if err := sc.check(); err != nil || root == "" {
		return errors.Join(err, errors.New("forget a project: no project given"))
	}
	unlock, err := s.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if err := s.home.RemoveAll(path.Dir(sc.dir())); err != nil {
		return fmt.Errorf("forget project %s: %w", root, err)
	}
	if _, err := s.home.Lstat(projectsDir); err != nil {
		return nil // there never was one
	}
	return s.home.SyncDir(projectsDir)
}

// pointers reads the pointers of every scope for one id, or for all with "":
// the user's first, then by project.
func (s *Store) pointers(ctx context.Context, id string) ([]Pointer, []Damage, error) {
	if s.home == nil {
		return nil, nil, nil
	}
	all, damaged, err := s.pointersIn(ctx, activeDir, id)
	if err != nil {
		return nil, nil, err
	}
	projects, err := s.readDir(projectsDir)
	if err != nil {
		return nil, nil, err
	}
	for _, e := range projects {
		dir := path.Join(projectsDir, e.Name())
		if !e.IsDir() {
			damaged = append(damaged, Damage{Path: s.home.Path(dir), Reason: "is not a directory", Fix: "pinion did not put it there; remove it"})
			continue
		}
		p, d, err := s.pointersIn(ctx, path.Join(dir, activeDir), id)
		if err != nil {
			return nil, nil, err
		}
		all, damaged = append(all, p...), append(damaged, d...)
	}
	return all, damaged, nil
}

// pointersIn reads the pointers in one directory.
func (s *Store) pointersIn(ctx context.Context, dir, id string) (all []Pointer, damaged []Damage, err error) {
	if id != "" {
		p, d, err := s.readPointer(path.Join(dir, escape(id)+".json"))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, nil, nil
		case err != nil:
			return nil, nil, err
		case d != nil:
			return nil, []Damage{*d}, nil
		}
		return []Pointer{p}, nil, nil
	}
	entries, err := s.readDir(dir)
	if err != nil {
		return nil, nil, err
	}
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		p, d, err := s.readPointer(path.Join(dir, e.Name()))
		switch {
		case errors.Is(err, fs.ErrNotExist): // removed since it was listed
		case err != nil:
			return nil, nil, err
		case d != nil:
			damaged = append(damaged, *d)
		default:
			all = append(all, p)
		}
	}
	return all, damaged, nil
}
