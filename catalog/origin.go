package catalog

import (
	"fmt"
	"io/fs"
	"path"
	"strings"

	"pinion/source"
)

// Form is the kind of a source.
type Form uint8

// The forms of every flavour (formats 1.1.3, 1.2, 1.4, 1.5). Unknown is also
// the form of a source that could not be read.
const (
	Unknown   Form = iota
	Relative       // a directory of the catalog's own repository
	GitHub         // a repository on GitHub
	URL            // a git repository
	GitSubdir      // a directory of a git repository
	NPM
	Archive
	Command
	Pip
)

// formNames are the words of the JSON.
var formNames = [...]string{"unknown", "relative", "github", "url", "git-subdir", "npm", "archive", "command", "pip"}

// String returns the form as it is written in catalogs.
func (f Form) String() string {
	if int(f) < len(formNames) {
		return formNames[f]
	}
	return formNames[Unknown]
}

// Origin is where an entry's plugin is. The zero value is an unreadable source.
type Origin struct {
	Form Form
	bare bool // a relative name without a slash, to be joined with the plugin root

	// Dir is the cleaned directory inside the repository, "." for its root; ""
	// in forms that have none.
	Dir string
	// Location is the place as the source package writes it ("owner/repo", a URL,
	// "npm:NAME@VERSION", "archive:URL"), a Python package or a command; the
	// source's own word for itself when the form is Unknown.
	Location string
	Ref      string // branch or tag, "" for the default branch
	SHA      string // lower-case hex digits of a whole commit id, of an archive's SHA-256, or ""
}

// Relative returns the directory in the catalog's own repository, "." for its
// root.
func (o Origin) Relative() (dir string, ok bool) {
	return o.Dir, o.Form == Relative && o.Dir != ""
}

// Spec returns how to fetch what is not in the catalog's own repository: the text
// for the source package (such as "owner/repo@ref" or "URL#ref"), the directory
// inside ("." for the root), and the pin's commit, or "" for what is there now. The
// ref is left out when there is a commit: it may be gone, or name something else
// by now.
func (o Origin) Spec() (spec, subdir, commit string, ok bool) {
	switch o.Form {
	case GitHub, URL, GitSubdir, NPM, Archive:
	default:
		return "", "", "", false
	}
	if o.Location == "" || o.Dir == "" {
		return "", "", "", false
	}
	spec = o.Location
	if o.Ref != "" && o.SHA == "" {
		mark := "@"
		if strings.Contains(spec, "://") {
			mark = "#"
		}
		spec += mark + o.Ref
	}
	if o.Form == Archive && o.SHA != "" {
		return spec, o.Dir, "sha256:" + o.SHA, true
	}
	return spec, o.Dir, o.SHA, true
}

// Place identifies the directory, so that entries with the same one are seen:
// the directory itself in the catalog's repository, else the repository, pin
// and directory. It is "" for forms without a directory.
func (o Origin) Place() string {
	if dir, ok := o.Relative(); ok {
		return dir
	}
	if spec, dir, sha, ok := o.Spec(); ok {
		return spec + " " + sha + " " + dir
	}
	return ""
}

// Why returns why Pinion cannot install from a form, in words for people, or "".
func (o Origin) Why() string {
	switch o.Form {
	case Command:
		return "it is made by a command on your computer, which Pinion does not run; install it with the host itself, or ask the author for a git source"
	case Pip:
		return "it is a Python package, whose installation runs its own code; install it with the host itself, or ask the author for a git source"
	case Unknown:
		if o.Location == "settings" {
			return "it stands for a catalog inside a settings file, which has no place in a repository; ask the author for a git source"
		}
		if o.Location != "" {
			return fmt.Sprintf("its source is of the kind %q, which Pinion does not know; a newer Pinion or the host itself may", o.Location)
		}
		return "its source cannot be read"
	}
	return ""
}

// cleanDir returns a directory without "./" and trailing slashes, "." for the
// root, or why it could lead out of the repository.
func cleanDir(s string) (dir, why string) {
	// Nearly every source is clean after its "./", and then costs no memory.
	if dir = strings.TrimPrefix(s, "./"); plainDir(dir) && len(s) <= maxLocation {
		return dir, ""
	}
	switch {
	case s == "":
		return "", "is empty"
	case len(s) > maxLocation:
		return "", "is too long"
	case strings.Contains(s, `\`):
		return "", "contains a backslash; paths are slash-separated"
	case s[0] == '/':
		return "", "is absolute"
	case len(s) > 1 && s[1] == ':':
		return "", "begins with a drive letter"
	case strings.ContainsFunc(s, isControl):
		return "", "contains a control character"
	}
	for part := range strings.SplitSeq(s, "/") {
		if part == ".." {
			return "", `contains ".."`
		}
	}
	if dir = path.Clean(s); !fs.ValidPath(dir) {
		return "", "is not a path"
	}
	return dir, ""
}

// plainDir reports whether nothing has to be looked at more closely: the names
// have letters, digits, dashes, underscores and, not at their beginning, dots.
func plainDir(s string) bool {
	inName := false // a letter or the like goes before
	for i := range len(s) {
		switch c := s[i]; {
		case isAlnum(c) || c == '-' || c == '_':
			inName = true
		case c == '.' && inName:
		case c == '/' && inName:
			inName = false
		default:
			return false
		}
	}
	return inName
}

func isControl(r rune) bool { return r < 0x20 || r >= 0x7f && r < 0xa0 }

// repository returns the canonical text of a git repository's address, or what
// is wrong with the field: git itself would take programs ("ext::") and options
// ("--upload-pack") in its place. The fault never repeats a credential.
func repository(field, text string) (location, fault string) {
	if text == "" {
		return "", "the " + field + " is missing"
	}
	spec, err := source.Parse(text, "/")
	if err != nil {
		return "", why(field, err)
	}
	switch {
	case spec.Kind == source.NPM || spec.Kind == source.Archive:
		return "", fmt.Sprintf("the %s %q is no git repository", field, clip(text))
	case spec.Kind == source.Dir:
		return "", fmt.Sprintf("the %s %q is a directory of some computer", field, clip(text))
	case spec.Ref != "":
		return "", fmt.Sprintf("the %s contains the ref %q, which belongs in \"ref\"", field, clip(spec.Ref))
	case field == "repo" && spec.Kind != source.GitHub:
		return "", fmt.Sprintf("the repo %q is not of the form owner/name", clip(text))
	}
	return spec.String(), ""
}

func isAlnum(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}
