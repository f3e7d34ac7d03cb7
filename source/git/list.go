package git

import (
	"context"
	"fmt"
	"strings"

	"pinion/source"
)

var _ source.Lister = (*Remote)(nil)

// Refs lists branches and tags by the beginning of their full names.
func (r *Remote) Refs(ctx context.Context, prefixes ...string) ([]source.Pin, error) {
	var refs []ref
	var err error
	switch {
	case r.wire != nil:
		refs, err = r.wire.lsRefs(ctx, prefixes)
		r.wire.close()
	case r.git != nil:
		patterns := make([]string, len(prefixes))
		for i, p := range prefixes {
			patterns[i] = quoteGlob(p) + "*"
		}
		refs, err = r.git.lsRemote(ctx, r.url, patterns)
	default:
		return nil, fmt.Errorf("%s: %w", r.url, ErrNoGit)
	}
	if err != nil {
		return nil, r.moved(err)
	}
	var out []source.Pin
	for _, f := range refs {
		// A server may answer with more than it was asked for, and git takes a
		// pattern for the end of a name as well.
		asked := false
		for _, p := range prefixes {
			asked = asked || strings.HasPrefix(f.name, p)
		}
		if asked && source.IsCommit(f.commit()) {
			out = append(out, source.Pin{Commit: f.commit(), Ref: f.name})
		}
	}
	return out, nil
}

// quoteGlob takes the special meaning from the characters of a pattern.
func quoteGlob(s string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(s)
}
