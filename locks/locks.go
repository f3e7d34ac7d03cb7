// Package locks reads what other tools' lock files pin: those of the skills
// installer and gh skill, and those of microsoft/apm.
//
// It is pure: bytes come in, values go out. Where the digests that such a file
// states have a known recipe, [Sum.Check] computes them from the files of a
// package, so that bytes which are not the locked ones are seen.
package locks

import (
	"fmt"
	"path"
	"strings"

	"pinion/internal/syntax"
	"pinion/source"
)

// MaxBytes is how much of a file is read. The largest known ones have some
// hundred kilobytes.
const MaxBytes = 4 << 20

// List is what one file pins.
type List struct {
	Tool    string // who wrote it, for people
	Entries []Entry
	// Left are the things that the file names and nobody but its own tool can
	// fetch.
	Left []Left
}

// Entry is one package.
type Entry struct {
	Name   string // as the file calls it
	Source source.Spec
	Commit string // "" when the file names none
	Dir    string // in the repository, "." for its root
	Sum    Sum
}

// Left is something that cannot be taken over.
type Left struct {
	Name string
	Why  string // with what to do, where there is something
}

// Error is a file that cannot be used as a whole.
type Error struct{ Why, Tip string }

// Error says why.
func (e *Error) Error() string { return e.Why }

// Hint tells what to do.
func (e *Error) Hint() string { return e.Tip }

// ExitCode is 3: the content has problems.
func (e *Error) ExitCode() int { return 3 }

// Knows reports whether a file of this name, with this content, is one that
// [Read] understands.
func Knows(name string, data []byte) bool { return readerOf(name, data) != nil }

// Read reads a file. The error is an [*Error].
func Read(name string, data []byte) (List, error) {
	read := readerOf(name, data)
	if read == nil {
		return List{}, &Error{Why: fmt.Sprintf("%s is no lock file that is known here", path.Base(name))}
	}
	if len(data) > MaxBytes {
		return List{}, &Error{Why: fmt.Sprintf("%s has %d bytes, more than %d", path.Base(name), len(data), MaxBytes)}
	}
	l, err := read(data)
	if err != nil {
		return List{}, err
	}
	return *l, nil
}

// readerOf goes by the name that the tool gives its file, else by the content.
func readerOf(name string, data []byte) func([]byte) (*List, error) {
	switch base := path.Base(strings.ReplaceAll(name, `\`, "/")); {
	case base == "skills-lock.json":
		return readProjectSkills
	case base == ".skill-lock.json":
		return readUserSkills
	case base == "apm.lock.yaml" || base == "apm.lock":
		return readAPMLock
	case base == "apm.yml" || base == "apm.yaml":
		return readAPM
	case strings.HasSuffix(base, ".json"):
		var w wireSkills
		syntax.Decode(data, &w, syntax.Options{})
		switch {
		case w.Skills == nil:
		case w.Version == 1:
			return readProjectSkills
		case w.Version == 3:
			return readUserSkills
		}
	case (strings.HasSuffix(base, ".yaml") || strings.HasSuffix(base, ".yml")) && strings.Contains(string(data), "lockfile_version:"):
		return readAPMLock
	}
	return nil
}

// add takes an entry over, or notes why not: text is an address as the tool
// writes it, which a ref, a commit and a directory belong to.
func (l *List) add(name, text, ref, commit, dir string, sum Sum) {
	spec, err := withRef(text, ref)
	switch {
	case err != nil:
		l.leave(name, "%v", err)
		return
	case spec.Kind != source.GitHub && spec.Kind != source.Git:
		l.leave(name, "%q is no git repository", text)
		return
	case commit != "" && !source.IsCommit(commit):
		l.leave(name, "its commit %q is not whole", commit)
		return
	}
	clean, ok := cleanDir(dir)
	if !ok {
		l.leave(name, "its directory %q leads out of the repository", dir)
		return
	}
	l.Entries = append(l.Entries, Entry{Name: source.Shown(name), Source: spec, Commit: commit, Dir: clean, Sum: sum})
}

// leave notes what is not taken over. Names are addresses where a file gives no
// others, so that what is noted is without credentials.
func (l *List) leave(name, format string, args ...any) {
	for i, a := range args {
		if s, ok := a.(string); ok {
			args[i] = source.Shown(s)
		}
	}
	l.Left = append(l.Left, Left{Name: source.Shown(name), Why: fmt.Sprintf(format, args...)})
}

// withRef reads an address. The directory for relative ones does not exist, since
// such an address would mean another one wherever it is read.
func withRef(text, ref string) (source.Spec, error) {
	spec, err := source.Parse(text, "/")
	if err != nil || ref == "" || ref == "HEAD" {
		return spec, err
	}
	mark := "#"
	if spec.Kind == source.GitHub || !strings.Contains(text, "://") {
		mark = "@"
	}
	spec.Ref = ""
	return source.Parse(spec.String()+mark+ref, "/")
}

func cleanDir(dir string) (string, bool) {
	dir = strings.ReplaceAll(dir, `\`, "/")
	if dir == "" {
		return ".", true
	}
	clean := path.Clean(dir)
	if clean[0] == '/' || clean == ".." || strings.HasPrefix(clean, "../") {
		return "", false
	}
	return clean, true
}
