package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"pinion/source"
)

// ref is one line of a list of refs.
type ref struct {
	name, id string
	symref   string // what HEAD points to
	peeled   string // the object an annotated tag leads to
}

// commit returns the object the ref leads to.
func (r ref) commit() string {
	if r.peeled != "" {
		return r.peeled
	}
	return r.id
}

// prefixes returns the full names that want may mean.
func prefixes(want string) []string {
	switch {
	case want == "":
		return []string{"HEAD"}
	case strings.HasPrefix(want, "refs/"):
		return []string{want}
	}
	return []string{"refs/heads/" + want, "refs/tags/" + want}
}

// pick chooses the ref that want names, by its exact full name, so that no
// other name can take its place (security 3.3 rows 37 to 39).
func pick(repo, want string, refs []ref) (source.Pin, error) {
	names := prefixes(want)
	var found []ref
	for _, n := range names {
		for _, r := range refs {
			if r.name == n {
				found = append(found, r)
				break
			}
		}
	}
	switch {
	case len(found) == 0 && want == "":
		return source.Pin{}, fmt.Errorf("%w: %s has no default branch; it may be empty", source.ErrNotFound, repo)
	case len(found) == 0:
		hint := ""
		if strings.Trim(want, "0123456789abcdefABCDEF") == "" {
			hint = "; a commit needs all its 40 digits"
		}
		return source.Pin{}, fmt.Errorf("%w: %s has no branch or tag %q%s", source.ErrNotFound, repo, want, hint)
	case len(found) == 2 && found[0].commit() != found[1].commit():
		return source.Pin{}, &source.SpecError{
			Why:  fmt.Sprintf("%s has a branch and a tag %q with different commits", repo, want),
			Hint: "write " + found[0].name + " or " + found[1].name,
		}
	}
	r := found[0]
	if !source.IsCommit(r.commit()) {
		return source.Pin{}, fmt.Errorf("%s: %w", repo, errProtocol)
	}
	pin := source.Pin{Commit: r.commit(), Ref: r.name}
	if r.symref != "" {
		pin.Ref = r.symref
	}
	return pin, nil
}

// lsRefs asks for the refs with the given prefixes: one POST whose answer does
// not grow with the repository. A server that does not take it without the
// capability request first is asked in the two-request form.
func (w *wire) lsRefs(ctx context.Context, prefixes []string) ([]ref, error) {
	if w.probe {
		return w.lsRefsProbed(ctx, prefixes)
	}
	refs, err := w.lsRefsOnce(ctx, prefixes, "")
	var se *statusError
	switch {
	case errors.As(err, &se), errors.Is(err, errProtocol), errors.Is(err, errEmpty), isFormatError(err):
		// A SHA-256 repository ends here too (security 3.3 row 59).
		return w.lsRefsProbed(ctx, prefixes)
	}
	return refs, err
}

func (w *wire) lsRefsOnce(ctx context.Context, prefixes []string, format string) ([]ref, error) {
	b := line(nil, "command=ls-refs\n")
	if format != "" {
		b = line(b, "object-format="+format)
	}
	b = append(b, delimPkt...)
	b = line(b, "peel\n")
	b = line(b, "symrefs\n")
	for _, p := range prefixes {
		b = line(b, "ref-prefix "+p+"\n")
	}
	b = append(b, flushPkt...)
	body, err := w.post(ctx, b)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	return parseRefs(newPackets(io.LimitReader(body, w.limits.Refs)), w.base)
}

func parseRefs(p *packets, repo string) ([]ref, error) {
	var refs []ref
	for first := true; ; first = false {
		kind, data, err := p.next()
		if err != nil {
			if first && errors.Is(err, errEmpty) {
				return nil, fmt.Errorf("%w: %s: %w", source.ErrOffline, repo, errEmpty)
			}
			if errors.Is(err, io.ErrUnexpectedEOF) {
				return nil, fmt.Errorf("%s: list of refs is cut off or %w", repo, source.ErrTooLarge)
			}
			return nil, err
		}
		if kind == flushPacket {
			return refs, nil
		}
		text := strings.TrimSuffix(string(data), "\n")
		if msg, ok := strings.CutPrefix(text, "ERR "); ok {
			return nil, remoteError(repo, msg)
		}
		f := strings.Split(text, " ")
		if kind != dataPacket || len(f) < 2 || f[0] != "unborn" && !source.IsCommit(f[0]) {
			return nil, fmt.Errorf("%s: %w", repo, errProtocol)
		}
		if f[0] == "unborn" {
			continue
		}
		r := ref{id: f[0], name: f[1]}
		for _, attr := range f[2:] {
			if v, ok := strings.CutPrefix(attr, "symref-target:"); ok {
				r.symref = v
			}
			if v, ok := strings.CutPrefix(attr, "peeled:"); ok {
				r.peeled = v
			}
		}
		refs = append(refs, r)
	}
}

// lsRefsProbed is the form with the capability request first. A server that
// knows only version 0 lists everything there.
func (w *wire) lsRefsProbed(ctx context.Context, prefixes []string) ([]ref, error) {
	body, err := w.do(ctx, http.MethodGet, "/info/refs?service=git-upload-pack", nil, "application/x-git-upload-pack-advertisement")
	var se *statusError
	if errors.As(err, &se) && (se.code == http.StatusNotFound || se.code == http.StatusGone) {
		return nil, fmt.Errorf("%w: %s (%d)", source.ErrNotFound, w.base, se.code)
	}
	if err != nil {
		return nil, err
	}
	defer body.Close()
	p := newPackets(io.LimitReader(body, w.limits.Refs))
	v2, format, refs, err := parseAdvertisement(p, w.base)
	if err != nil || !v2 {
		return refs, err
	}
	if format == "sha1" {
		format = ""
	}
	w.probe = true
	return w.lsRefsOnce(ctx, prefixes, format)
}

// parseAdvertisement reads the answer to GET info/refs: the capabilities of
// version 2, or the whole list of version 0 and 1.
func parseAdvertisement(p *packets, repo string) (v2 bool, format string, refs []ref, err error) {
	head := ""
	byName := map[string]int{}
	flushes := 0
	for first := true; ; {
		kind, data, err := p.next()
		if err != nil {
			return false, "", nil, fmt.Errorf("%s: list of refs is cut off or %w", repo, source.ErrTooLarge)
		}
		if kind == flushPacket {
			if flushes++; !first || flushes > 1 {
				break
			}
			continue // it ends the "# service" line
		}
		text := strings.TrimSuffix(string(data), "\n")
		switch {
		case strings.HasPrefix(text, "# service="), text == "version 1":
			continue
		case strings.HasPrefix(text, "ERR "):
			return false, "", nil, remoteError(repo, text[4:])
		case text == "version 2":
			v2, first = true, false
			continue
		case v2:
			if f, ok := strings.CutPrefix(text, "object-format="); ok {
				format = f
			}
			continue
		}
		if first {
			var caps string
			text, caps, _ = strings.Cut(text, "\x00")
			for c := range strings.FieldsSeq(caps) {
				if v, ok := strings.CutPrefix(c, "symref=HEAD:"); ok {
					head = v
				}
			}
			first = false
		}
		id, name, ok := strings.Cut(text, " ")
		if !ok || !source.IsCommit(id) {
			return false, "", nil, fmt.Errorf("%s: %w", repo, errProtocol)
		}
		if tag, ok := strings.CutSuffix(name, "^{}"); ok {
			if i, ok := byName[tag]; ok {
				refs[i].peeled = id
			}
			continue
		}
		byName[name] = len(refs)
		r := ref{id: id, name: name}
		if name == "HEAD" {
			r.symref = head
		}
		refs = append(refs, r)
	}
	return v2, format, refs, nil
}

// remoteErr is a message of the server. It is untrusted text.
type remoteErr struct{ repo, msg string }

func (e *remoteErr) Error() string { return fmt.Sprintf("%s: the server says %q", e.repo, e.msg) }

func remoteError(repo, msg string) error {
	if len(msg) > 500 {
		msg = msg[:500]
	}
	return &remoteErr{repo, msg}
}

func isFormatError(err error) bool {
	var re *remoteErr
	return errors.As(err, &re) && strings.Contains(re.msg, "object format")
}
