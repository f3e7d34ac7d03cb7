package pinion

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/diff"

	"pinion/hashes"
	"pinion/manifest"
	"pinion/pkgfmt"
	"pinion/store"
	"pinion/tree"
)

// Limits of what a question shows. What is left out is always said.
const (
	shownLines = 1000      // of one plugin
	shownFile  = 512 << 10 // a larger file is named and not shown, in bytes
	shownWidth = 2000      // of one line, in bytes
)

// step is a change of the active version: from has no digest when there is
// nothing to compare with.
type step struct{ from, to store.Receipt }

// show makes the function that lists what steps change.
func (c *Client) show(st *store.Store, steps ...step) func(context.Context) ([]string, error) {
	return func(ctx context.Context) ([]string, error) {
		var out []string
		for _, s := range steps {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			lines, err := showStep(st, s)
			if err != nil {
				return nil, err
			}
			out = append(out, lines...)
		}
		return out, nil
	}
}

func showStep(st *store.Store, s step) ([]string, error) {
	to, err := openStored(st, s.to)
	if err != nil {
		return nil, err
	}
	defer to.Close()
	var lines []string
	if s.from.Digest.IsZero() {
		lines, err = to.running()
	} else {
		var from *stored
		if from, err = openStored(st, s.from); err != nil {
			return nil, err
		}
		defer from.Close()
		lines, err = changes(from, to)
	}
	if more := len(lines) - shownLines; more > 0 {
		lines = append(lines[:shownLines], fmt.Sprintf("%d more lines; the files are in %s", more, to.Path()))
	}
	return lines, err
}

// stored is an installed build whose files are read.
type stored struct {
	store.Receipt
	*tree.Dir
}

func openStored(st *store.Store, r store.Receipt) (*stored, error) {
	dir, err := st.Path(r.Build())
	if err != nil {
		return nil, err
	}
	d, err := tree.OpenDir(dir)
	if err != nil {
		return nil, err
	}
	return &stored{r, d}, nil
}

// record finds a file of the build.
func (s *stored) record(path string) (pkgfmt.Record, bool) {
	i, ok := slices.BinarySearchFunc(s.Files, path, func(f pkgfmt.Record, p string) int { return strings.Compare(f.Path, p) })
	if !ok {
		return pkgfmt.Record{}, false
	}
	return s.Files[i], true
}

// text reads a file to be shown. why says why it cannot be: it is too large, or
// no text.
func (s *stored) text(f pkgfmt.Record) (data []byte, why string, err error) {
	if f.Size > shownFile {
		return nil, fmt.Sprintf("%d bytes, too many to show", f.Size), nil
	}
	if data, err = s.ReadFile(f.Path, shownFile); err != nil {
		return nil, "", err
	}
	if hashes.Of(data) != f.Sum {
		// Nobody may agree to other lines than those that were installed.
		return nil, "", blocked("pinion verify "+s.ID+" says more", "%s was changed after it was installed", filepath.Join(s.Path(), filepath.FromSlash(f.Path)))
	}
	if bytes.IndexByte(data, 0) >= 0 || !utf8.Valid(data) {
		return nil, fmt.Sprintf("%d bytes, not text", f.Size), nil
	}
	return data, "", nil
}

// changes compares two builds file by file, what runs first.
func changes(from, to *stored) ([]string, error) {
	var out []string
	for _, path := range changedPaths(from, to) {
		a, had := from.record(path)
		b, has := to.record(path)
		if had && has && a.Sum == b.Sum {
			out = append(out, "diff "+path, fmt.Sprintf("executable before: %t, now: %t", a.Exec, b.Exec))
			continue
		}
		var before, after []byte
		var why, whyNow string
		var err error
		if had {
			if before, why, err = from.text(a); err != nil {
				return nil, err
			}
		}
		if has {
			if after, whyNow, err = to.text(b); err != nil {
				return nil, err
			}
		}
		if why+whyNow != "" {
			out = append(out, "diff "+path, "before: "+sizeOf(why, a, had)+"; now: "+sizeOf(whyNow, b, has))
			continue
		}
		head := "diff " + path
		switch {
		case !had:
			head += ": new"
		case !has:
			head += ": removed"
		}
		lines := splitLines(diff.Diff("a", before, "b", after))
		// Its first three lines repeat the names.
		out = append(append(out, head), lines[min(3, len(lines)):]...)
	}
	return out, nil
}

// sizeOf says what a file that is not compared is.
func sizeOf(why string, f pkgfmt.Record, there bool) string {
	switch {
	case !there:
		return "none"
	case why != "":
		return why
	}
	return fmt.Sprintf("%d bytes", f.Size)
}

// changedPaths are the files in which two builds differ, first those that the
// new one runs, so that no amount of other changes can push them out of sight.
func changedPaths(from, to *stored) []string {
	runs := map[string]bool{}
	for _, p := range to.runningPaths() {
		runs[p] = true
	}
	var out []string
	for _, f := range to.Files {
		if old, ok := from.record(f.Path); !ok || old.Sum != f.Sum || old.Exec != f.Exec {
			out = append(out, f.Path)
		}
	}
	for _, f := range from.Files {
		if _, ok := to.record(f.Path); !ok {
			out = append(out, f.Path)
		}
	}
	slices.SortFunc(out, func(a, b string) int {
		if runs[a] != runs[b] {
			if runs[a] {
				return -1
			}
			return 1
		}
		return strings.Compare(a, b)
	})
	return out
}

// thatRun are the components through which code runs or a host changes.
// Instructions are not among them: they are read, not run.
func thatRun(components []manifest.Component) []manifest.Component {
	return slices.DeleteFunc(slices.Clone(components), func(c manifest.Component) bool {
		switch c.Type {
		case manifest.SkillComponent, manifest.CommandComponent, manifest.AgentComponent, manifest.OtherComponent:
			return true
		}
		return false
	})
}

// runningPaths are the files through which code runs: those that define a
// capability, those that its command names, and the executable ones.
func (s *stored) runningPaths() []string {
	caps := thatRun(s.Components)
	var out []string
	for _, f := range s.Files {
		if f.Exec || slices.ContainsFunc(caps, func(c manifest.Component) bool {
			return c.Path == f.Path || strings.Contains(c.Detail, f.Path)
		}) {
			out = append(out, f.Path)
		}
	}
	return out
}

// running lists what runs: each capability with its whole command, then the
// files behind them.
func (s *stored) running() ([]string, error) {
	var out []string
	for _, c := range thatRun(s.Components) {
		line := s.ID + " " + s.Version + ": " + string(c.Type) + " " + c.Name
		for _, part := range []string{c.Path, c.Detail} {
			if part != "" {
				line += "  " + part
			}
		}
		out = append(out, splitLines([]byte(line))...)
	}
	for _, path := range s.runningPaths() {
		f, _ := s.record(path)
		data, why, err := s.text(f)
		if err != nil {
			return nil, err
		}
		if why != "" {
			out = append(out, "file "+path+": "+why)
			continue
		}
		out = append(out, "file "+path)
		for _, line := range splitLines(data) {
			out = append(out, "    "+line)
		}
	}
	return out, nil
}

// splitLines cuts a text into lines, and lines that are too long to be read.
func splitLines(text []byte) []string {
	if len(text) == 0 {
		return nil
	}
	var out []string
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if len(line) > shownWidth {
			cut := strings.ToValidUTF8(line[:shownWidth], "")
			line = fmt.Sprintf("%s … %d more bytes in this line", cut, len(line)-len(cut))
		}
		out = append(out, line)
	}
	return out
}
