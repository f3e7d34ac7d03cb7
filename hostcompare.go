package pinion

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"pinion/hashes"
	"pinion/internal/fsx"
	"pinion/pkgfmt"
)

// Limits on what is read of a host's copy of a plugin: those of a package, with
// room for what hosts add.
const (
	copyEntries = 20_000
	copyDepth   = 40
	copyListed  = 100 // differences that are named; more say nothing new
)

// compareTrees compares a host's copy of a plugin with the files of a package,
// and returns how many were compared. What hosts themselves put beside a
// plugin's files is no difference. part is true when the package is only some of
// its directory, so that more files are no difference either. A directory that
// is not there has nothing to compare.
func compareTrees(ctx context.Context, dir string, files []pkgfmt.Record, part bool) ([]ImportDifference, int, error) {
	out := []ImportDifference{}
	if dir == "" {
		return out, 0, nil
	}
	d, err := fsx.OpenDir(dir, fsx.Options{})
	if err != nil {
		return out, 0, nil // the host removed it since
	}
	defer d.Close()
	want := make(map[string]pkgfmt.Record, len(files))
	for _, f := range files {
		want[f.Path] = f
	}
	w := walk{dir: d, want: want, part: part}
	if err := w.walk(ctx, ".", 0); err != nil {
		return out, w.compared, err
	}
	for path := range want {
		w.add(path, "missing")
	}
	slices.SortFunc(w.found, func(a, b ImportDifference) int { return strings.Compare(a.Path, b.Path) })
	return append(out, w.found[:min(len(w.found), copyListed)]...), w.compared, nil
}

// walk goes through a host's copy. What is found is taken out of want.
type walk struct {
	dir      *fsx.Dir
	want     map[string]pkgfmt.Record
	part     bool
	seen     int
	compared int
	found    []ImportDifference
}

func (w *walk) add(path, what string) {
	w.found = append(w.found, ImportDifference{Path: path, What: what})
}

func (w *walk) walk(ctx context.Context, dir string, depth int) error {
	entries, err := w.dir.ReadDir(dir)
	if err != nil {
		w.add(dir, "cannot be read")
		return nil
	}
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		if w.seen++; w.seen > copyEntries || depth > copyDepth {
			return errors.New("the host's copy has more files than are compared")
		}
		name := path.Join(dir, e.Name())
		if depth == 0 && isHostsOwn(e.Name()) {
			continue
		}
		f, ours := w.want[name]
		switch {
		case e.IsDir() && (e.Name() == "node_modules" || e.Name() == ".git") && !w.below(name):
			w.extra(name + "/")
		case e.IsDir():
			if err := w.walk(ctx, name, depth+1); err != nil {
				return err
			}
		case !ours:
			w.extra(name)
		case e.Type() != 0:
			delete(w.want, name)
			w.add(name, "not a regular file")
		default:
			delete(w.want, name)
			w.compare(name, f)
		}
	}
	return nil
}

// compare reads one file. One of another size is different without being read.
func (w *walk) compare(name string, f pkgfmt.Record) {
	w.compared++
	info, err := w.dir.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		w.add(name, "missing")
		return
	case err != nil || info.Size() != f.Size:
		w.add(name, "changed")
		return
	}
	data, err := w.dir.ReadFile(name, f.Size)
	if err != nil || hashes.Of(data) != f.Sum {
		w.add(name, "changed")
	}
}

func (w *walk) extra(name string) {
	if !w.part {
		w.add(name, "added")
	}
}

// below reports whether the package has files below a directory.
func (w *walk) below(dir string) bool {
	for name := range w.want {
		if strings.HasPrefix(name, dir+"/") {
			return true
		}
	}
	return false
}

// isHostsOwn reports whether a name at the top of a host's copy is one that
// hosts put there. claude 2.1.332: .in_use, .orphaned_at; codex 0.171.0: .git of
// what was cloned, .codex-plugin-install.json; gemini 0.61.0: .git, its own file
// and the user's settings.
func isHostsOwn(name string) bool {
	switch name {
	case ".git", ".in_use", ".orphaned_at", ".codex-plugin-install.json", ".gemini-extension-install.json", ".env":
		return true
	}
	return false
}
