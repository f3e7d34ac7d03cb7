package native

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"

	"pinion/internal/syntax"
	"pinion/tree"
)

// Fixed is a manifest whose list of files was completed.
type Fixed struct {
	Path    string   // the manifest's name in the package
	Data    []byte   // its new content
	Added   []string // files that were added to the list, sorted
	Removed []string // entries that were there twice
	BOM     bool     // a byte order mark was removed
}

// Fix returns the package's manifest with what can be corrected without
// changing what it means: files of the package that the list does not have are
// added, in order and at its end, an entry that is there twice is kept once, a
// byte order mark is removed. Hidden files, files that may hold keys, and files
// that the tree refuses are never added. All other bytes stay. It returns nil
// when there is nothing to do, and an error when the manifest cannot be edited.
func Fix(t *tree.Tree) (*Fixed, error) {
	file, fl, problems := choose(t)
	if file == nil || file.Data == nil || problems.HasErrors() || t.Partial {
		return nil, nil
	}
	fix := &Fixed{Path: fl.file, Data: syntax.TrimBOM(file.Data)}
	fix.BOM = len(fix.Data) < len(file.Data)
	var doc document
	syntax.Decode(fix.Data, &doc, syntax.Options{})
	if doc.Files != nil {
		if err := fix.list(t, doc.Files); err != nil {
			return nil, fmt.Errorf("fix %s: %w", fl.file, err)
		}
	}
	if bytes.Equal(fix.Data, file.Data) {
		return nil, nil
	}
	return fix, nil
}

// list corrects "files".
func (f *Fixed) list(t *tree.Tree, declared []string) error {
	c := checker{tree: t}
	seen := make(map[string]bool, len(declared))
	var kept []string
	for _, p := range declared {
		if seen[p] {
			f.Removed = append(f.Removed, p)
			continue
		}
		seen[p] = true
		kept = append(kept, p)
	}
	for i := range t.Files {
		p := t.Files[i].Path
		if !seen[p] && !isManifest(p) && !tree.IsHidden(p) && !mayHoldKeys(p) && !c.refused(p) {
			f.Added = append(f.Added, p)
		}
	}
	if len(f.Removed) > 0 {
		// The editing of single elements cannot remove, so the list is written
		// anew in its place.
		text, err := syntax.Compact(append(kept, f.Added...))
		if err != nil {
			return err
		}
		f.Data, err = syntax.Replace(f.Data, "/files", text)
		return err
	}
	for _, p := range f.Added {
		text, err := syntax.Compact(p)
		if err != nil {
			return err
		}
		if f.Data, err = syntax.Append(f.Data, "/files", text); err != nil {
			return err
		}
	}
	return nil
}

// mayHoldKeys reports whether a file's name is usual for private keys and
// tokens, which must not be published by a command that completes a list.
func mayHoldKeys(p string) bool {
	name := strings.ToLower(path.Base(p))
	switch path.Ext(name) {
	case ".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".ppk", ".asc", ".gpg", ".env":
		return true
	}
	return slices.ContainsFunc([]string{"id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "credentials", "secrets", "token", "passwd", "htpasswd"},
		func(stem string) bool { return name == stem || strings.HasPrefix(name, stem+".") })
}
