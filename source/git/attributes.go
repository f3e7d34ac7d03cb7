package git

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"pinion/source"
)

// Attributes are what git does with one file's content, as .gitattributes and
// the user's core.autocrlf say.
type Attributes struct {
	Text     string // "set", "unset", "auto" or ""
	EOL      string // "lf", "crlf" or ""
	Filter   string // name of a clean/smudge filter
	Ident    bool
	Encoding string // working-tree-encoding
	// AutoCRLF is the user's core.autocrlf: "true", "input" or "".
	AutoCRLF string
}

// Attributes returns the attributes of files, given by path from dir. Git looks
// them up; it runs no filter and reads no content.
func (l *Local) Attributes(ctx context.Context, dir string, paths []string) (map[string]Attributes, error) {
	rel, err := l.rel(dir)
	if err != nil {
		return nil, err
	}
	var in strings.Builder
	for _, p := range paths {
		in.WriteString(path.Join(rel, p))
		in.WriteByte(0)
	}
	c := l.call("check-attr", "-z", "--stdin", "text", "eol", "filter", "ident", "working-tree-encoding")
	c.stdin = strings.NewReader(in.String())
	out, err := l.git.output(ctx, c, maxListing)
	if err != nil {
		return nil, err
	}
	f := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	if len(paths) > 0 && len(f) != len(paths)*5*3 {
		return nil, fmt.Errorf("git check-attr answered %d fields for %d files: %w", len(f), len(paths), errMalformed)
	}
	auto := l.AutoCRLF(ctx)
	all := make(map[string]Attributes, len(paths))
	for i, p := range paths {
		a := Attributes{AutoCRLF: auto}
		for k := range 5 {
			at := (i*5 + k) * 3
			a.set(f[at+1], f[at+2])
		}
		all[p] = a
	}
	return all, nil
}

func (a *Attributes) set(name, value string) {
	if value == "unspecified" {
		return
	}
	named := value
	if value == "set" || value == "unset" {
		named = "" // "filter" and "-filter" name none
	}
	switch name {
	case "text":
		a.Text = value
	case "eol":
		a.EOL = named
	case "filter":
		a.Filter = named
	case "ident":
		a.Ident = value == "set"
	case "working-tree-encoding":
		if !strings.EqualFold(named, "utf-8") && !strings.EqualFold(named, "utf8") {
			a.Encoding = named
		}
	}
}

// config returns one value with the user's configuration taken into account,
// "" when it is not set. git config runs nothing.
func (l *Local) config(ctx context.Context, key string) string {
	c := l.call("config", "--get", key)
	c.user = true
	out, err := l.git.output(ctx, c, 64<<10)
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(string(out), "\n")
}

// AutoCRLF returns "true", "input" or "": what the user's git does to line ends
// of files without attributes.
func (l *Local) AutoCRLF(ctx context.Context) string {
	switch v := strings.ToLower(l.config(ctx, "core.autocrlf")); v {
	case "input":
		return v
	case "true", "yes", "on", "1":
		return "true"
	}
	return ""
}

// UserName returns git's user.name, "" when there is none.
func (l *Local) UserName(ctx context.Context) string { return l.config(ctx, "user.name") }

// RemoteOwner returns who owns the remote "origin": the first part of its path
// on GitHub and the like, "" when there is none.
func (l *Local) RemoteOwner(ctx context.Context) string {
	spec, err := l.Remote(ctx)
	if err != nil {
		return ""
	}
	if spec.Kind == source.GitHub {
		return spec.Owner
	}
	u := spec.URL
	if spec.Kind != source.Git || strings.HasPrefix(u, "file:") {
		return ""
	}
	if _, rest, ok := strings.Cut(u, "://"); ok {
		_, u, _ = strings.Cut(rest, "/")
	} else {
		_, u, _ = strings.Cut(u, ":")
	}
	owner, _, ok := strings.Cut(strings.Trim(u, "/"), "/")
	if !ok {
		return ""
	}
	return owner
}

// Remote returns where "origin" is. A URL that is refused as a source, for one
// with a token in it, is an error that does not repeat it.
func (l *Local) Remote(ctx context.Context) (source.Spec, error) {
	raw := l.config(ctx, "remote.origin.url")
	if raw == "" {
		return source.Spec{}, fmt.Errorf("remote origin: %w", source.ErrNotFound)
	}
	spec, err := source.Parse(raw, l.top)
	var se *source.SpecError
	if errors.As(err, &se) {
		return source.Spec{}, fmt.Errorf("remote origin: %w", err)
	}
	return spec, err
}
