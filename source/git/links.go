package git

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"strings"

	"pinion/source"
	"pinion/tree"
)

// target returns what the link points to, "" when that is longer than a target
// may be.
func (s *snapshot) target(ctx context.Context, it item) (string, error) {
	if it.size > tree.MaxLinkTarget {
		return "", nil
	}
	r, err := s.reading()
	if err != nil {
		return "", err
	}
	if it.size < 0 {
		if err := s.ensure(ctx, []*item{&it}); err != nil {
			return "", err
		}
		return s.target(ctx, it)
	}
	_, data, err := readOne(r, it.id, tree.MaxLinkTarget)
	return string(data), err
}

// linker resolves the links of one package inside the commit's tree. Nothing
// is followed by the file system.
type linker struct {
	s   *snapshot
	ctx context.Context // for the length of one call
	dir string
	n   int   // files found so far
	err error // what stopped the reading
}

func (l *linker) resolve(e tree.Entry) (files []tree.Entry, why string) {
	at, target := path.Join(l.dir, e.Path), e.Target
	for range tree.MaxLinkHops {
		switch {
		case l.err != nil:
			return nil, "it was not read"
		case target == "":
			return nil, "its target is empty or too long"
		case strings.Contains(target, `\`) || len(target) > 1 && target[1] == ':':
			return nil, "its target is an absolute path"
		}
		to, why := tree.ResolveLink(at, target)
		if why != "" {
			return nil, why
		}
		it, via, err := l.s.lookup(l.ctx, to)
		switch {
		case errors.Is(err, fs.ErrNotExist) && via:
			return nil, "its target is reached through another link"
		case errors.Is(err, fs.ErrNotExist):
			return nil, "its target does not exist"
		case err != nil:
			l.err = err
			return nil, "it was not read"
		}
		switch {
		case it.mode.regular():
			return []tree.Entry{{Path: e.Path, Exec: it.mode == modeExec, Size: -1, ID: it.id}}, ""
		case it.mode == modeLink:
			at = to
			if target, err = l.s.target(l.ctx, it); err != nil {
				l.err = err
			}
			continue
		case it.mode == modeDir:
			if to == "." || strings.HasPrefix(at+"/", to+"/") {
				return nil, "its target contains the link itself"
			}
			return l.directory(it.id, e.Path)
		}
		return nil, "its target is not a regular file"
	}
	return nil, "too many links lead to one another"
}

// directory lists the files of a linked directory as files below the link's
// path. Links inside it are not followed a second time.
func (l *linker) directory(id, as string) (files []tree.Entry, why string) {
	items, err := l.s.walk(l.ctx, id, tree.ForeignFiles)
	// Many links to one large directory would be much work for a small package.
	if l.n += len(items); errors.Is(err, source.ErrTooLarge) || l.n > 2*tree.ForeignFiles {
		return nil, "its target has too many files"
	}
	if err != nil {
		l.err = err
		return nil, "it was not read"
	}
	for _, it := range items {
		switch {
		case it.mode == modeDir:
			return nil, "its target is too deep"
		case it.mode == modeSubmodule:
			continue
		}
		files = append(files, tree.Entry{Path: as + "/" + it.path, Kind: it.mode.kind(), Exec: it.mode == modeExec, Size: -1, ID: it.id})
	}
	return files, ""
}
