package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"pinion/source"
)

// ancestry finds out whether commit has older among its ancestors, by fetching
// the commits between them and nothing else: one request. Where the server
// cannot do that, or the history is too long, it stays unchecked.
func (r *Remote) ancestry(ctx context.Context, cache, commit, older string) (source.Ancestry, error) {
	dir, err := os.MkdirTemp(cache, "history-")
	if err != nil {
		return source.Unchecked, fmt.Errorf("check ancestry: %w", err)
	}
	defer os.RemoveAll(dir)
	st, err := openStore(dir, r.identity(), len(commit))
	if err != nil {
		return source.Unchecked, err
	}
	objs, err := r.objects(dir, len(commit))
	if err != nil {
		return source.Unchecked, err
	}
	defer objs.close()

	var shallow []string
	if r.wire != nil {
		req := wants{ids: []string{commit}, haves: []string{older}, filter: "tree:0", max: r.opts.Limits.History}
		shallow, err = r.wire.fetch(ctx, req, func(pack io.Reader) error { return objs.index(ctx, pack, false) })
	} else {
		err = r.gitFetch(ctx, st.dir, commit, "", "tree:0")
		shallow = st.shallow()
	}
	switch {
	case ctx.Err() != nil:
		return source.Unchecked, ctx.Err()
	case err != nil:
		r.opts.Log.Info("ancestry not checked", "source", r.spec.Canonical(), "error", err)
		if errors.Is(err, source.ErrOffline) && !errors.Is(err, source.ErrTooLarge) {
			return source.Unchecked, err
		}
		return source.Unchecked, nil
	}
	rd, err := objs.reader()
	if err != nil {
		return source.Unchecked, err
	}
	defer rd.close()
	defer context.AfterFunc(ctx, rd.kill)()
	return descends(ctx, rd, commit, older, shallow)
}

// descends walks from commit to its ancestors. Commits that are not here were
// left out by the server because older has them too; those named in shallow
// have parents that nobody knows.
func descends(ctx context.Context, r objectReader, commit, older string, shallow []string) (source.Ancestry, error) {
	cut := make(map[string]bool, len(shallow))
	for _, id := range shallow {
		cut[id] = true
	}
	unknown := false
	seen := map[string]bool{commit: true}
	level := []string{commit}
	for len(level) > 0 {
		var below []string
		err := readMany(r, level, maxCommit, func(i int, kind string, data []byte) error {
			if err := ctx.Err(); err != nil || kind == "missing" {
				return err
			}
			_, parents, err := parseCommit(data)
			if err != nil {
				return err
			}
			if cut[level[i]] {
				unknown = true
				return nil
			}
			for _, p := range parents {
				if !seen[p] {
					seen[p] = true
					below = append(below, p)
				}
			}
			return nil
		})
		switch {
		case ctx.Err() != nil:
			return source.Unchecked, ctx.Err()
		case err != nil:
			return source.Unchecked, err
		case seen[older]:
			return source.Descendant, nil
		case len(seen) > maxCommits:
			return source.Unchecked, nil
		}
		level = below
	}
	if unknown {
		return source.Unchecked, nil
	}
	return source.Rewritten, nil
}
