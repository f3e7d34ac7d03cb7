package git

import (
	"bytes"
	"pinion/internal/regex"
	"strings"
)

// The functions below say whether an object is in the form that git writes, as
// its own check of objects that come in would (git-fsck(1)). They say yes only
// to what is plainly in order; anything else is left to git (security 3.3 rows
// 47 and 58).

// commitForm is the head of a commit: one tree, its parents, and two people
// with a time each.
var commitForm = regex.Lazy{Expr: `\Atree [0-9a-f]{40}\n(?:parent [0-9a-f]{40}\n)*` +
	`author [^<>\x00\n]+ <[^<>\x00\n]*> (?:0|[1-9][0-9]{0,17}) [+-][0-9]{4}\n` +
	`committer [^<>\x00\n]+ <[^<>\x00\n]*> (?:0|[1-9][0-9]{0,17}) [+-][0-9]{4}\n`}

func plainCommit(data []byte) bool {
	return bytes.IndexByte(data, 0) < 0 && commitForm.Get().Match(data)
}

// treeEntry is one entry of a tree object. What it has is part of the object.
type treeEntry struct {
	mode, name, id []byte
}

func (e treeEntry) dir() bool { return string(e.mode) == "40000" || string(e.mode) == "040000" }

// nextEntry cuts the first entry off a tree object.
func nextEntry(data []byte, idLen int) (e treeEntry, rest []byte, ok bool) {
	end := bytes.IndexByte(data, 0)
	if end < 0 || len(data) < end+1+idLen {
		return e, nil, false
	}
	space := bytes.IndexByte(data[:end], ' ')
	if space < 0 {
		return e, nil, false
	}
	return treeEntry{data[:space], data[space+1 : end], data[end+1:][:idLen]}, data[end+1+idLen:], true
}

// plainTree also refuses files that git reads itself, when fresh says that their
// content came with the tree and has not been looked at.
func plainTree(data []byte, idLen int, fresh func(id []byte) bool) bool {
	var last treeEntry
	var files [][]byte // names of which a directory could still be a second one
	for len(data) > 0 {
		e, rest, ok := nextEntry(data, idLen)
		if !ok || !plainName(e.name) || zero(e.id) {
			return false
		}
		switch string(e.mode) {
		case "40000", "100644", "100755", "160000":
		case "120000":
			if hasGit(e.name) {
				return false
			}
		default:
			return false
		}
		if string(e.name) == gitAttributes && fresh(e.id) {
			return false
		}
		if last.name != nil && !before(last, e) {
			return false
		}
		for len(files) > 0 && !bytes.HasPrefix(e.name, files[len(files)-1]) {
			files = files[:len(files)-1]
		}
		if e.dir() && len(files) > 0 && len(files[len(files)-1]) == len(e.name) {
			return false
		}
		if !e.dir() {
			files = append(files, e.name)
		}
		last, data = e, rest
	}
	return true
}

// before reports whether a stands before b in a tree: a directory does as if its
// name ended with a slash.
func before(a, b treeEntry) bool {
	n := min(len(a.name), len(b.name))
	if c := bytes.Compare(a.name[:n], b.name[:n]); c != 0 {
		return c < 0
	}
	end := func(e treeEntry) byte {
		switch {
		case len(e.name) > n:
			return e.name[n]
		case e.dir():
			return '/'
		}
		return 0
	}
	return end(a) < end(b)
}

const gitAttributes = ".gitattributes"

// plainName reports whether no system takes a name for ".git", for one of the
// files that git reads itself, or for more than a name.
func plainName(name []byte) bool {
	if len(name) == 0 || name[0] == '.' && (len(name) == 1 || len(name) == 2 && name[1] == '.') {
		return false
	}
	for _, c := range name {
		// A stream or a directory on Windows, the short form of a name there, and
		// letters that HFS+ leaves out.
		if c == '/' || c == '\\' || c == ':' || c == '~' || c >= 0x80 {
			return c >= 0x80 && !odd(name)
		}
	}
	if !hasGit(name) {
		return true
	}
	rest := strings.ToLower(string(name[len(".git"):]))
	if string(name) == gitAttributes {
		return true
	}
	return rest != "" && rest[0] >= 'a' && rest[0] <= 'z' && !strings.HasPrefix(rest, "modules") && !strings.HasPrefix(rest, "attributes")
}

// odd is the careful answer for names that are not ASCII.
func odd(name []byte) bool {
	var ascii []byte
	for _, c := range name {
		switch {
		case c == '/' || c == '\\' || c == ':' || c == '~':
			return true
		case c < 0x80:
			ascii = append(ascii, c)
		}
	}
	return hasGit(ascii)
}

// hasGit reports whether a name begins with ".git", in any case.
func hasGit(name []byte) bool {
	return len(name) >= len(".git") && strings.EqualFold(string(name[:len(".git")]), ".git")
}

func zero(id []byte) bool { return len(bytes.TrimLeft(id, "\x00")) == 0 }
