package git

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"pinion/source"
	"pinion/tree"
)

// prepare runs the builder over a listing and returns the ids of the contents
// it wants, in the order of j.reads.
func (s *snapshot) prepare(ctx context.Context, j *job, req source.Request, items []item) ([]string, error) {
	b := tree.NewBuilder(req.Options, topNames(items), j.scratch)
	type wanted struct {
		index int
		it    *item
	}
	var want []wanted
	dir, skip := "", "" // skip is a directory that is not to be entered
	for k := range items {
		it := &items[k]
		if skip != "" && strings.HasPrefix(it.path, skip) {
			continue
		}
		var ok bool
		if dir, skip, ok = enter(b, dir, it.path); !ok {
			continue
		}
		e := tree.Entry{Path: it.path, Kind: it.mode.kind(), Exec: it.mode == modeExec, Size: it.size, ID: it.id}
		switch it.mode {
		case modeDir:
			b.Enter(it.path)
			continue
		case modeLink:
			target, err := s.target(ctx, *it)
			if err != nil {
				return nil, err
			}
			e.Target = target
		}
		if i, read := b.Add(e); read {
			want = append(want, wanted{i, it})
		}
	}
	l := linker{s: s, ctx: ctx, dir: req.Dir}
	var linked []*item
	for _, p := range b.Links(l.resolve) {
		if p.Entry.Kind != tree.Regular {
			b.Fail(p.Index, "it is a symbolic link inside the target of another")
			continue
		}
		it := &item{path: p.Entry.Path, id: p.Entry.ID, size: -1}
		linked = append(linked, it)
		want = append(want, wanted{p.Index, it})
	}
	if l.err != nil {
		return nil, l.err
	}
	if err := s.ensure(ctx, linked); err != nil {
		return nil, err
	}
	var ids []string
	for _, w := range want {
		if w.it.size < 0 { // beyond the number of files that plan looks at
			if err := s.ensure(ctx, []*item{w.it}); err != nil {
				return nil, err
			}
		}
		if w.it.size > s.limits.Blob {
			b.Fail(w.index, fmt.Sprintf("it has %d bytes", w.it.size))
			continue
		}
		if buf, ok := b.Reserve(w.index, w.it.size); ok {
			j.reads = append(j.reads, pending{w.index, buf})
			ids = append(ids, w.it.id)
		}
	}
	j.b = b
	return ids, nil
}

// topNames returns the first components of sorted paths, sorted.
func topNames(items []item) []string {
	var names []string
	for _, it := range items {
		name, _, _ := strings.Cut(it.path, "/")
		if len(names) == 0 || names[len(names)-1] != name {
			names = append(names, name)
		}
	}
	slices.Sort(names) // "a.txt" and "a/x" sort otherwise than "a" and "a.txt"
	return names
}

// enter tells the builder of each directory between the last one and the one
// of path. ok is false when one of them is not to be entered; skip is then its
// path with a slash.
func enter(b *tree.Builder, last, path string) (dir, skip string, ok bool) {
	end := strings.LastIndexByte(path, '/')
	if end < 0 {
		return "", "", true
	}
	dir = path[:end]
	if dir == last {
		return dir, "", true
	}
	for i := 0; i <= len(dir); i++ {
		if i < len(dir) && dir[i] != '/' {
			continue
		}
		d := dir[:i]
		if d == last || strings.HasPrefix(last, d+"/") {
			continue
		}
		if !b.Enter(d) {
			return last, d + "/", false
		}
	}
	return dir, "", true
}
