package gemini

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"pinion/host"
	"pinion/internal/syntax"
)

// install is .gemini-extension-install.json.
type install struct {
	Source string `json:"source"`
	Type   string `json:"type"` // git, github-release, local, link
	Ref    string `json:"ref,omitempty"`
}

// Installed returns the extensions that were not put there by Pinion. What was
// cloned records its commit in .git; a release or a copy records none.
func (Adapter) Installed(ctx context.Context, pl host.Place) ([]host.Installed, error) {
	root := filepath.Join(dir(pl), "extensions")
	list, err := host.ListState(root)
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", root, err)
	}
	off, err := disabled(root, pl.Home)
	if err != nil {
		return nil, err
	}
	var out []host.Installed
	for _, e := range list {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		at := filepath.Join(root, e.Name())
		if !e.IsDir() || pl.IsOurs(at) {
			continue
		}
		meta, why := readInstall(at)
		if meta.Type == "link" && pl.Owns(meta.Source) {
			continue
		}
		in := host.Installed{Name: e.Name(), Shown: e.Name(), Dir: at, Source: meta.Source, Ref: meta.Ref, Path: ".", Enabled: true, Why: why}
		files := at
		if meta.Type == "link" && filepath.IsAbs(meta.Source) {
			files = meta.Source
			in.Dir = files
		}
		m, err := readManifest(files)
		if errors.Is(err, fs.ErrNotExist) && why != "" {
			continue // no extension: gemini passes it over too
		}
		if m.Name != "" {
			in.Name, in.Shown = m.Name, m.Name
		}
		in.Version = m.Version
		in.Enabled = !slices.Contains(off, in.Name)
		// Our file takes the place of this one's, and the rest of its directory is
		// then not loaded. Where there is none to be replaced it cannot be done.
		in.InPlace = in.Name == e.Name() && meta.Type != ""
		if meta.Type == "git" || meta.Type == "github-release" {
			in.Commit, _ = host.GitHead(at)
		}
		out = append(out, in)
	}
	return out, nil
}

// readInstall reads where an extension came from, and why it cannot be taken
// over, "" when it can.
func readInstall(at string) (install, string) {
	var m install
	data, err := host.ReadState(at, installFile, maxManifest)
	if errors.Is(err, fs.ErrNotExist) {
		return m, "nothing says where it came from"
	}
	if err != nil {
		return m, fmt.Sprintf("%s cannot be read: %v", installFile, err)
	}
	if err := syntax.Decode(data, &m, syntax.Options{}).Err(); err != nil {
		return m, fmt.Sprintf("%s cannot be read: %v", installFile, err)
	}
	switch m.Type {
	case "git":
		return m, ""
	case "github-release":
		return m, "it is the archive of a release, which records no commit"
	case "link", "local":
		return m, "it is a local directory"
	}
	return m, fmt.Sprintf("it is of the kind %q, which is no repository", m.Type)
}

// disabled returns the extensions that extension-enablement.json switches off
// for the user's home, by gemini's rule: the last line that matches counts.
func disabled(root, home string) ([]string, error) {
	const name = "extension-enablement.json"
	data, err := host.ReadState(root, name, maxManifest)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", filepath.Join(root, name), err)
	}
	var rules map[string]struct {
		Overrides []string `json:"overrides"`
	}
	if err := syntax.Decode(data, &rules, syntax.Options{}).Err(); err != nil {
		return nil, nil // gemini takes a file it cannot read for an empty one
	}
	at := filepath.ToSlash(home) + "/"
	if !strings.HasPrefix(at, "/") {
		at = "/" + at
	}
	var out []string
	for ext, r := range rules {
		on := true
		for _, rule := range r.Overrides {
			line, negated := strings.CutPrefix(rule, "!")
			if matches(line, at) {
				on = !negated
			}
		}
		if !on {
			out = append(out, ext)
		}
	}
	return out, nil
}

// matches is globToRegex of gemini 0.61.0: "*" and a slash before it stand for
// anything, everything else for itself.
func matches(rule, path string) bool {
	parts := strings.Split(rule, "*")
	var b strings.Builder
	b.WriteString("^")
	for i, p := range parts {
		if i < len(parts)-1 {
			if q, ok := strings.CutSuffix(p, "/"); ok {
				b.WriteString(regexp.QuoteMeta(q) + "(/.*)?")
				continue
			}
			b.WriteString(regexp.QuoteMeta(p) + "(.*)?")
			continue
		}
		b.WriteString(regexp.QuoteMeta(p))
	}
	b.WriteString("$")
	re, err := regexp.Compile(b.String())
	return err == nil && re.MatchString(path)
}
