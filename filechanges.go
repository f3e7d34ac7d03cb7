package pinion

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/rogpeppe/go-internal/diff"

	"pinion/hashes"
	"pinion/tree"
)

// FileChange is one file that differs between two versions of a package.
type FileChange struct {
	Path string `json:"path"`
	What string `json:"what"` // "added", "removed", "changed", "executable"
	// Added and Removed count lines; both are 0 for binary files and for files
	// too large to be compared line by line.
	Added   int `json:"added"`
	Removed int `json:"removed"`
}

// maxDiffed is the largest file that is compared line by line, in bytes.
const maxDiffed = 1 << 20

// heldFile is a file of one side of a comparison, kept beyond its tree.
type heldFile struct {
	Path string
	Sum  hashes.Sum
	Exec bool
	Data []byte // nil for what is not compared line by line
}

// hold copies what a comparison needs of a tree.
func hold(t *tree.Tree) []heldFile {
	out := make([]heldFile, 0, len(t.Files))
	for _, f := range t.Files {
		h := heldFile{Path: f.Path, Sum: f.Sum, Exec: f.Exec}
		if len(f.Data) <= maxDiffed && bytes.IndexByte(f.Data, 0) < 0 {
			h.Data = bytes.Clone(f.Data)
		}
		out = append(out, h)
	}
	return out
}

// fileChanges compares two sides, both sorted by path.
func fileChanges(before, after []heldFile) []FileChange {
	out := []FileChange{}
	byPath := func(f heldFile, p string) int { return cmp.Compare(f.Path, p) }
	for _, a := range after {
		i, ok := slices.BinarySearchFunc(before, a.Path, byPath)
		switch {
		case !ok:
			out = append(out, FileChange{Path: a.Path, What: "added", Added: lineCount(a.Data)})
		case before[i].Sum != a.Sum:
			c := FileChange{Path: a.Path, What: "changed"}
			c.Added, c.Removed = changedLines(before[i].Data, a.Data)
			out = append(out, c)
		case before[i].Exec != a.Exec:
			out = append(out, FileChange{Path: a.Path, What: "executable"})
		}
	}
	for _, b := range before {
		if _, ok := slices.BinarySearchFunc(after, b.Path, byPath); !ok {
			out = append(out, FileChange{Path: b.Path, What: "removed", Removed: lineCount(b.Data)})
		}
	}
	slices.SortFunc(out, func(a, b FileChange) int { return cmp.Compare(a.Path, b.Path) })
	return out
}

func lineCount(data []byte) int {
	n := bytes.Count(data, []byte{'\n'})
	if len(data) > 0 && data[len(data)-1] != '\n' {
		n++
	}
	return n
}

// changedLines counts the lines of a unified difference.
func changedLines(before, after []byte) (added, removed int) {
	if before == nil || after == nil {
		return 0, 0
	}
	// How a work tree ends its lines is no change of them.
	crlf, lf := []byte("\r\n"), []byte("\n")
	if bytes.Contains(before, crlf) != bytes.Contains(after, crlf) {
		before, after = bytes.ReplaceAll(before, crlf, lf), bytes.ReplaceAll(after, crlf, lf)
	}
	text := diff.Diff("a", before, "b", after)
	for i := 0; i < 3; i++ { // the three lines of the head
		_, text, _ = bytes.Cut(text, []byte{'\n'})
	}
	for line := range bytes.Lines(text) {
		switch line[0] {
		case '+':
			added++
		case '-':
			removed++
		}
	}
	return added, removed
}
