package pinion

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"pinion/capability"
	"pinion/problem"
	"pinion/source"
	"pinion/tree"
)

// leave notes why an entry stays as it is. to is the commit that is not taken.
func (p *pointed) leave(rule, message, to string) {
	p.left = &LeftOut{
		Catalog: p.in.file, Name: p.entry.Name, Source: p.entry.Source.Location, From: p.entry.Source.SHA, To: to,
		Rule: rule, Message: message, Capabilities: []capability.Change{},
	}
}

// leaveFor is leave for an error of reading the other repository.
func (p *pointed) leaveFor(err error, to string) {
	var left *leftError
	var moved *source.MovedError
	switch {
	case errors.As(err, &left):
		p.leave(left.rule, left.message, to)
	case errors.As(err, &moved):
		p.leave(sourceMoved, err.Error(), to)
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, tree.ErrNotDirectory):
		p.leave(noDirectory, fmt.Sprintf("the repository has no directory %q at %s", p.entry.Source.Dir, shortCommit(to)), to)
	default:
		p.leave(unreachable, err.Error(), to)
	}
}

// leftError is a reason to leave an entry as it is that has a rule.
type leftError struct{ rule, message string }

func (e *leftError) Error() string { return e.message }

// shortCommit is a commit as people are shown it.
func shortCommit(id string) string { return id[:min(len(id), 7)] }

// tell adds what became of the entries to the report. Those that stay are
// problems too, at their place in the catalog; only one that waits for a human
// is an error.
func (b *bumping) tell(l *bumpCatalog, r *BuildReport) {
	r.Elsewhere += len(l.points)
	for _, p := range l.points {
		switch {
		case p.bumped != nil:
			r.Entries = append(r.Entries, *p.bumped)
		case p.left != nil:
			r.LeftOut = append(r.LeftOut, *p.left)
			severity := problem.Warning
			if p.left.Rule == newCapability {
				severity = problem.Error
			}
			r.Problems.Add(problem.Problem{
				Rule: p.left.Rule, Severity: severity, File: l.file, Line: p.entry.Line, Column: p.entry.Column,
				Message: fmt.Sprintf("%s stays%s: %s", p.entry.Name, atCommit(p.left.From), p.left.Message),
				Fix:     wayOut(p.left),
			})
		default:
			r.Unchanged++
		}
	}
}

// wayOut is what the catalog's owner can do about an entry that only a human
// should move. Everything else is its publisher's to correct.
func wayOut(l *LeftOut) string {
	switch l.Rule {
	case tagMoved:
		return "ask the publisher what changed; to take it, write the new commit into sha yourself"
	case newCapability:
		return "look at what is new; to take it, run pinion build-catalog --bump without --fail-on, or write " + l.To + " into sha"
	}
	return ""
}

func atCommit(id string) string {
	if id == "" {
		return " as it is"
	}
	return " at " + shortCommit(id)
}

// write replaces the catalog, unless it changed since it was read: looking for
// news takes minutes.
func (l *bumpCatalog) write(dir string, text []byte) error {
	file := filepath.Join(dir, filepath.FromSlash(l.file))
	now, err := readBase(file)
	if err != nil {
		return err
	}
	if !bytes.Equal(now, l.data) {
		return blocked("run the command again; what was found out is kept", "%s was changed by somebody else while news were looked for; it was not written", l.file)
	}
	return writeFrom(file, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}
