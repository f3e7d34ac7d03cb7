package author

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"pinion/internal/syntax"
	"pinion/manifest"
)

// Bounds of the texts of a manifest, in code points (SB-008, SB-010).
const (
	maxName        = 100
	maxDescription = 1024
)

// InitOptions say what to start. Kind and ID are required.
type InitOptions struct {
	Kind        manifest.Kind // Skill, MCP or Extension
	ID          string
	Dir         string // where; "" is [DefaultDir] of the working directory
	License     string // "" is [DefaultLicense]
	Holder      string // of the copyright; "" is "the authors of NAME"
	Name        string // "" is made from the id
	Description string // "" is a sentence to be replaced
	Manifest    string // the manifest's file name; "" is pinion-plugin.json
	// Now dates the copyright; the zero time is the present.
	Now time.Time
	// DryRun makes nothing and says what would be made.
	DryRun bool
}

// Created is what [Init] made.
type Created struct {
	Dir   string
	Files []string // inside Dir, sorted
}

// Init starts a package that validates without an error or a warning. It never
// writes over anything: a file, or a directory that is not empty, is an
// [*ExistsError]. Options that cannot be are an [*Error]. When it cannot finish,
// it removes what it made.
func Init(ctx context.Context, o InitOptions) (Created, error) {
	if err := o.complete(); err != nil {
		return Created{}, err
	}
	files, err := scaffold(o)
	if err != nil {
		return Created{}, err
	}
	if o.DryRun {
		if err := checkFree(o.Dir); err != nil {
			return Created{}, err
		}
	} else if made, err := create(ctx, o.Dir, files); err != nil {
		return Created{}, errors.Join(err, made.undo())
	}
	c := Created{Dir: o.Dir}
	for _, f := range files {
		c.Files = append(c.Files, f.name)
	}
	slices.Sort(c.Files)
	return c, nil
}

// complete fills in the defaults and refuses what no package can have.
func (o *InitOptions) complete() error {
	kinds := []string{string(manifest.Skill), string(manifest.MCP), string(manifest.Extension)}
	if !slices.Contains(kinds, string(o.Kind)) {
		e := &Error{What: fmt.Sprintf("kind %q cannot be started", o.Kind), Hint: "one of " + strings.Join(kinds, ", ")}
		if near, ok := syntax.Nearest(string(o.Kind), kinds); ok {
			e.Hint = fmt.Sprintf("did you mean %s?", near)
		}
		return e
	}
	if err := CheckID(o.ID); err != nil {
		return err
	}
	switch o.Manifest {
	case "":
		o.Manifest = "pinion-plugin.json"
	case "pinion-plugin.json", "shinbot-plugin.json":
	default:
		return &Error{What: fmt.Sprintf("%q is not the name of a manifest", o.Manifest), Hint: "pinion-plugin.json or shinbot-plugin.json"}
	}
	if o.Name == "" {
		o.Name = title(o.ID)
	}
	if o.Description == "" {
		o.Description = describe(o.Kind)
	}
	if o.License == "" {
		o.License = DefaultLicense
	}
	if o.Holder == "" {
		o.Holder = "the authors of " + o.Name
	}
	if o.Now.IsZero() {
		o.Now = time.Now()
	}
	if o.Dir == "" {
		o.Dir = DefaultDir(".", o.ID)
	}
	for _, t := range []struct {
		what, text string
		most       int
	}{{"name", o.Name, maxName}, {"description", o.Description, maxDescription}, {"copyright holder", o.Holder, maxDescription}} {
		if err := checkText(t.what, t.text, t.most); err != nil {
			return err
		}
	}
	return nil
}

// checkText refuses a text that is no line of a manifest.
func checkText(what, text string, most int) error {
	switch {
	case !utf8.ValidString(text):
		return &Error{What: what + " is not UTF-8"}
	case strings.TrimSpace(text) == "":
		return &Error{What: what + " is blank"}
	case utf8.RuneCountInString(text) > most:
		return &Error{What: fmt.Sprintf("%s has more than %d characters", what, most)}
	}
	for _, r := range text {
		if r < 0x20 || r >= 0x7f && r < 0xa0 || r >= 0x2028 && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			return &Error{What: fmt.Sprintf("%s contains the control character %q", what, r), Hint: "write it on one line"}
		}
	}
	return nil
}

// checkFree refuses a directory that [create] would refuse.
func checkFree(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case len(entries) > 0:
		return &ExistsError{Path: dir, Dir: true}
	}
	return nil
}

// made is what was created so far, in order.
type made struct {
	dir   string
	root  *os.Root
	dirs  []string // directories that did not exist before, outermost first
	files []string // inside root
}

// create writes the files into dir, which must be absent or empty.
func create(ctx context.Context, dir string, files []file) (m made, err error) {
	if m.dirs, err = makeDirs(dir); err != nil {
		return m, err
	}
	if m.root, err = os.OpenRoot(dir); err != nil {
		return m, err
	}
	defer m.root.Close()
	m.dir = dir
	if len(m.dirs) == 0 {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return m, err
		}
		if len(entries) > 0 {
			return m, &ExistsError{Path: dir, Dir: true}
		}
	}
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return m, err
		}
		w, err := m.root.OpenFile(f.name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if errors.Is(err, fs.ErrExist) {
			return m, &ExistsError{Path: filepath.Join(dir, f.name)}
		}
		if err != nil {
			return m, err
		}
		m.files = append(m.files, f.name)
		_, err = w.Write(f.data)
		if cerr := w.Close(); err == nil {
			err = cerr // a network file system reports a failed write here
		}
		if err != nil {
			return m, fmt.Errorf("write %s: %w", filepath.Join(dir, f.name), err)
		}
	}
	return m, nil
}

// makeDirs makes dir and what is missing above it, and returns what it made.
func makeDirs(dir string) ([]string, error) {
	var missing []string
	for d := filepath.Clean(dir); ; d = filepath.Dir(d) {
		st, err := os.Stat(d)
		if err == nil {
			if !st.IsDir() {
				return nil, &ExistsError{Path: d}
			}
			break
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		missing = append(missing, d)
		if filepath.Dir(d) == d {
			break
		}
	}
	slices.Reverse(missing)
	var out []string
	for _, d := range missing {
		if err := os.Mkdir(d, 0o755); err != nil {
			if errors.Is(err, fs.ErrExist) {
				err = &ExistsError{Path: d} // a link to nowhere, or made just now
			}
			return out, err
		}
		out = append(out, d)
	}
	return out, nil
}

// undo removes what was made. A directory that someone else put a file into
// stays.
func (m made) undo() error {
	var errs []error
	if len(m.files) > 0 {
		root, err := os.OpenRoot(m.dir)
		if err != nil {
			return err
		}
		defer root.Close()
		for _, name := range m.files {
			if err := root.Remove(name); err != nil {
				errs = append(errs, err)
			}
		}
	}
	for _, d := range slices.Backward(m.dirs) {
		if err := os.Remove(d); err != nil {
			errs = append(errs, err)
			break
		}
	}
	return errors.Join(errs...)
}
