package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"pinion/internal/fsx"
	"pinion/tree"
)

// Stage is an empty directory below the home for a package that is being
// fetched. It is for one goroutine.
type Stage struct {
	store *Store
	fsx   *fsx.Stage // nil after Discard
	root  string
}

// Stage makes a new stage. The caller discards it, also after [Store.Commit].
func (s *Store) Stage(ctx context.Context) (*Stage, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if s.home == nil {
		return nil, ErrNoHome
	}
	if err := s.checkVersion(); err != nil {
		return nil, err
	}
	st, err := s.note()
	if err != nil {
		return nil, fmt.Errorf("make a staging directory: %w", err)
	}
	return &Stage{store: s, fsx: st, root: s.home.Path(st.Name)}, nil
}

// Root returns the absolute directory, from which the package is then read and
// verified: the same string must be the root of its [pkgfmt.Verified].
func (st *Stage) Root() string { return st.root }

// Discard removes the stage unless it was placed. It can be called again.
func (st *Stage) Discard() {
	if st.fsx == nil {
		return
	}
	st.store.release(st.fsx)
	st.fsx = nil
}

// Write writes the files of t into the stage, each once and never over another:
// 0444, or 0555 when the file is executable and the format is one in which that
// is content; both are cut by the umask (security 3.2 rows 30 and 31). exec goes
// before the tree's own bits, as in [pkgfmt.Place]; nil keeps them.
//
// It refuses a tree that was not read completely and paths that could leave the
// stage; they are checked again because this is the last moment.
func (st *Stage) Write(ctx context.Context, t *tree.Tree, exec map[string]bool) error {
	switch {
	case st.fsx == nil:
		return errors.New("the stage was discarded")
	case t.Partial:
		return fmt.Errorf("stage the package: %w", ErrPartial)
	}
	dir := "."
	for i := range t.Files {
		if i%64 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		f := &t.Files[i]
		if why := tree.CheckPath(f.Path); why != "" {
			return fmt.Errorf("stage %q: the path %s", f.Path, why)
		}
		if int64(len(f.Data)) != f.Size {
			return fmt.Errorf("stage %q: %w", f.Path, ErrPartial)
		}
		if d := path.Dir(f.Path); d != dir {
			// Files are sorted, so a directory comes up a few times at most.
			if err := st.fsx.Dir.MkdirAll(d); err != nil {
				return fmt.Errorf("stage the package: %w", err)
			}
			dir = d
		}
		x := f.Exec
		if v, ok := exec[f.Path]; ok {
			x = v
		}
		perm := permFile
		if x && !t.Profile.Strict {
			perm = permExec
		}
		if err := st.fsx.Dir.WriteNew(f.Path, f.Data, perm); err != nil {
			return fmt.Errorf("stage the package: %w", err)
		}
	}
	return nil
}

const (
	permFile fs.FileMode = 0o444
	permExec fs.FileMode = 0o555
)
