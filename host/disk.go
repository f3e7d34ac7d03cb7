package host

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"pinion/internal/fsx"
	"pinion/internal/syntax"
)

// found is what is on the disk at the place of an item.
type found struct {
	kind   Kind   // "" for nothing
	other  string // what it is when it is none of our kinds
	sum    string
	target string
	value  syntax.Raw
	// damage is how a copy differs from its list, "" for not at all or not looked.
	damage string
}

func (f found) absent() bool { return f.kind == "" && f.other == "" }

// is reports whether the disk has what a record says.
func (f found) is(r *Record) bool {
	if r == nil || f.kind != r.Kind {
		return false
	}
	switch r.Kind {
	case FileItem:
		return f.sum == r.Sum
	case LinkItem:
		return f.target == r.Target
	case CopyItem:
		return f.damage == ""
	}
	return sameValue(f.value, r.Value)
}

// sameValue compares two JSON values: the blanks that a receipt puts into one mean
// nothing.
func sameValue(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	x, err := syntax.Canonical(a)
	if err != nil {
		return false
	}
	y, err := syntax.Canonical(b)
	return err == nil && bytes.Equal(x, y)
}

// words says what is there, without anything that could be a secret.
func (f found) words() string {
	switch f.kind {
	case FileItem:
		return "another file"
	case LinkItem:
		return "a link to " + f.target
	case CopyItem:
		return "a directory"
	case KeyItem:
		s := string(f.value)
		switch {
		case strings.HasPrefix(s, "{"):
			return "another object"
		case strings.HasPrefix(s, "["):
			return "another list"
		case len(s) <= 60:
			return s
		}
		return "another value"
	}
	if f.other != "" {
		return f.other
	}
	return "nothing"
}

// disk looks at places of a run. Configuration files are read once.
type disk struct {
	roots   *roots
	configs map[At]*config
	// deep compares the files of copies, not only that they are there.
	deep bool
}

// config is one configuration file as it was read.
type config struct {
	at     At
	format Format
	guard  Guard
	data   []byte
	exists bool
	doc    map[string]any
}

func newDisk(r *roots, deep bool) *disk {
	return &disk{roots: r, configs: map[At]*config{}, deep: deep}
}

// config returns a configuration file. One that cannot be used as it is, is a
// [*RefusedError].
func (k *disk) config(r Record) (*config, error) {
	if c, ok := k.configs[r.At]; ok {
		return c, nil
	}
	c := &config{at: r.At, format: r.Format, guard: r.Guard}
	data, err := k.roots.read(r.At)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	default:
		c.data, c.exists = data, true
	}
	if c.doc, err = syntax.ReadConfig(c.data, c.format); err != nil {
		return nil, &RefusedError{Path: r.At.Path(), Reason: "cannot be read as " + string(c.format) + ": " + err.Error(), Err: err}
	}
	k.configs[r.At] = c
	return c, nil
}

// look returns what is at the place of a record.
func (k *disk) look(r Record) (found, error) {
	if r.Kind == KeyItem {
		c, err := k.config(r)
		if err != nil {
			return found{}, err
		}
		v, ok := syntax.ConfigValue(c.doc, r.Path...)
		if !ok {
			return found{}, nil
		}
		text, err := syntax.ConfigText(v)
		if err != nil {
			return found{other: "another value"}, nil // a date, a number that JSON lacks
		}
		return found{kind: KeyItem, value: text}, nil
	}
	d, err := k.roots.open(r.At.Root)
	if err != nil || d == nil {
		return found{}, err
	}
	if err := k.roots.above(d, r.At); err != nil {
		return found{}, err
	}
	info, err := d.Lstat(r.At.Name)
	if errors.Is(err, fs.ErrNotExist) {
		return found{}, nil
	}
	if err != nil {
		return found{}, err
	}
	switch {
	case info.Mode().Type() == fs.ModeSymlink:
		to, err := d.Readlink(r.At.Name)
		return found{kind: LinkItem, target: to}, err
	case info.IsDir():
		f := found{kind: CopyItem}
		if k.deep && r.Kind == CopyItem {
			f.damage, err = compareTree(d, r.At.Name, r.Files)
		}
		return f, err
	case !info.Mode().IsRegular():
		return found{other: "a special file"}, nil
	}
	if r.Kind != FileItem {
		return found{kind: FileItem}, nil
	}
	data, err := d.ReadFile(r.At.Name, maxFile)
	if errors.Is(err, fsx.ErrTooLarge) {
		return found{kind: FileItem}, nil
	}
	return found{kind: FileItem, sum: sum(data)}, err
}

// compareTree compares a directory with a list of files. The result completes
// "the copy "; "" when they are the same.
func compareTree(d *fsx.Dir, name string, files []File) (string, error) {
	want := make(map[string]File, len(files))
	dirs := map[string]bool{".": true}
	for _, f := range files {
		want[f.Path] = f
		for dir := path.Dir(f.Path); !dirs[dir]; dir = path.Dir(dir) {
			dirs[dir] = true
		}
	}
	seen := 0
	var walk func(rel string) (string, error)
	walk = func(rel string) (string, error) {
		entries, err := d.ReadDir(path.Join(name, rel))
		if err != nil {
			return "", err
		}
		for _, e := range entries {
			p := path.Join(rel, e.Name())
			switch {
			case e.IsDir() && !dirs[p]:
				return fmt.Sprintf("has a directory %q more", p), nil
			case e.IsDir():
				if s, err := walk(p); s != "" || err != nil {
					return s, err
				}
			case !e.Type().IsRegular():
				return fmt.Sprintf("has %q, which is no regular file", p), nil
			default:
				f, ok := want[p]
				if !ok {
					return fmt.Sprintf("has a file %q more", p), nil
				}
				seen++
				data, err := d.ReadFile(path.Join(name, p), f.Size)
				if errors.Is(err, fsx.ErrTooLarge) || err == nil && sum(data) != f.Sum {
					return fmt.Sprintf("has another %q", p), nil
				}
				if err != nil {
					return "", err
				}
			}
		}
		return "", nil
	}
	s, err := walk(".")
	if err == nil && s == "" && seen < len(files) {
		s = fmt.Sprintf("lacks %d of its %d files", len(files)-seen, len(files))
	}
	return s, err
}

// sameTree reports whether a directory has what a cut-off change was to replace.
func sameTree(d *fsx.Dir, r Record) bool {
	damage, err := compareTree(d, r.At.Name, r.Before.Files)
	return err == nil && damage == ""
}
