package locks

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"slices"
	"strings"

	"pinion/tree"
)

// Sum is the digest that a lock states of a package. The zero value is none.
type Sum struct {
	kind sumKind
	text string // lower-case hex digits
}

type sumKind uint8

const (
	noHash       sumKind = iota
	skillsHash           // of skills
	gitTree              // the id of the directory's tree in git
	apmHash              // content_hash of apm
	apmSkillHash         // the same, of a skill
	unknownHash
)

// IsZero reports whether the lock states none.
func (s Sum) IsZero() bool { return s.kind == noHash }

// String is the digest as it is written.
func (s Sum) String() string { return s.text }

// Verdict is what came of a comparison.
type Verdict uint8

// Unknown is a digest that cannot be compared, see [Sum.Check].
const (
	Unknown Verdict = iota
	Same
	Other
)

// Check compares the digest with the files of the package and with the id that
// its directory has in git ("" when that is not known). got is what they have, and
// why says of an unknown one what hinders.
func (s Sum) Check(t *tree.Tree, id string) (v Verdict, got, why string) {
	switch s.kind {
	case noHash:
		return Unknown, "", "the lock states no digest"
	case gitTree:
		if id == "" {
			return Unknown, "", "the source does not tell the tree's id"
		}
		return verdict(s.text == id), id, ""
	case unknownHash:
		return Unknown, "", "the digest in the lock has an unknown form"
	}
	if t.Partial {
		return Unknown, "", "not all files were read"
	}
	if s.kind == skillsHash {
		files := regular(t, "node_modules")
		if why := unordered(files); why != "" {
			return Unknown, "", why
		}
		// What was downloaded from the installer's own service has fewer files.
		for _, some := range [][]tree.File{slices.DeleteFunc(regular(t, "__pycache__", "__pypackages__"), isMetadata), files} {
			slices.SortStableFunc(some, func(a, b tree.File) int { return compareLocale(a.Path, b.Path) })
			if got = sumOf(some); got == s.text {
				break
			}
		}
		return verdict(s.text == got), got, ""
	}
	got = sumOfAPM(t)
	if s.text != got && s.kind != apmSkillHash && t.Lookup("apm.yml") == nil {
		// To a plugin apm adds files of its own before it hashes (apm 0.35.0).
		return Unknown, "", "apm hashed files that it had added to the package"
	}
	return verdict(s.text == got), got, ""
}

func verdict(same bool) Verdict {
	if same {
		return Same
	}
	return Other
}

// unordered says why the order of files is not known, in which the skills
// installer has hashed them: that of JavaScript's localeCompare.
func unordered(files []tree.File) string {
	for _, f := range files {
		if strings.ContainsFunc(f.Path, func(r rune) bool { return r < ' ' || r > '~' }) {
			return "the order of names that are not ASCII depends on the language of whoever wrote the lock"
		}
	}
	return ""
}

func isMetadata(f tree.File) bool { return path.Base(f.Path) == "metadata.json" }

// sumOfAPM is the digest that apm makes, in the order of bytes (apm 0.35.0,
// compute_package_hash).
func sumOfAPM(t *tree.Tree) string {
	return sumOf(slices.DeleteFunc(regular(t, "__pycache__"), func(f tree.File) bool { return f.Path == ".apm-pin" }))
}

// regular returns the files that are no links and lie in no directory with one of
// the names.
func regular(t *tree.Tree, without ...string) []tree.File {
	var out []tree.File
	for _, f := range t.Files {
		dirs := strings.Split(f.Path, "/")
		dirs = dirs[:len(dirs)-1]
		if f.Link == "" && !slices.ContainsFunc(dirs, func(d string) bool { return slices.Contains(without, d) }) {
			out = append(out, f)
		}
	}
	return out
}

// sumOf is the SHA-256 of path and content of all files, one after the other with
// nothing in between (skills 1.7.4, computeSkillFolderHash).
func sumOf(files []tree.File) string {
	h := sha256.New()
	for _, f := range files {
		h.Write([]byte(f.Path))
		h.Write(f.Data)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// localeOrder is the order of ASCII in the root collation of CLDR, which
// localeCompare follows in nearly every language. Letters follow, without regard
// to case.
const localeOrder = " _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789abcdefghijklmnopqrstuvwxyz"

// compareLocale compares ASCII texts like localeCompare: first without regard to
// case, then small letters before capitals.
func compareLocale(a, b string) int {
	la, lb := strings.ToLower(a), strings.ToLower(b)
	for i := range min(len(la), len(lb)) {
		if la[i] != lb[i] {
			return strings.IndexByte(localeOrder, la[i]) - strings.IndexByte(localeOrder, lb[i])
		}
	}
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	for i := range len(a) {
		if a[i] != b[i] { // one of the two is the capital
			return int(b[i]) - int(a[i])
		}
	}
	return 0
}
