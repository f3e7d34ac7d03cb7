package pinion

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pinion/hashes"
	"pinion/tree"
)

func heldOf(files map[string]string) []heldFile {
	t := &tree.Tree{}
	for _, name := range []string{"added.md", "big.md", "bits.sh", "gone.md", "last.md", "photo.png", "text.md"} {
		if text, ok := files[name]; ok {
			t.Files = append(t.Files, tree.File{Path: name, Data: []byte(text), Sum: hashes.Of([]byte(text)), Exec: strings.HasPrefix(text, "#!x")})
		}
	}
	return hold(t)
}

func TestFileChanges(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("line\n", maxDiffed/5+1)
	before := heldOf(map[string]string{
		"big.md": big, "bits.sh": "echo\n", "gone.md": "1\n2\n3", "last.md": "a\nb", "photo.png": "\x00a", "text.md": "--- a\n+++ b\nsame\n",
	})
	after := heldOf(map[string]string{
		"added.md": "1\n2\n", "big.md": big + "more\n", "bits.sh": "echo\n", "last.md": "a\nb\n", "photo.png": "\x00b", "text.md": "--- a\n++ c\nsame\nnew\n",
	})
	for i := range after {
		after[i].Exec = after[i].Path == "bits.sh"
	}
	want := []FileChange{
		{Path: "added.md", What: "added", Added: 2},
		{Path: "big.md", What: "changed"},
		{Path: "bits.sh", What: "executable"},
		{Path: "gone.md", What: "removed", Removed: 3},
		{Path: "last.md", What: "changed", Added: 1, Removed: 1},
		{Path: "photo.png", What: "changed"},
		{Path: "text.md", What: "changed", Added: 2, Removed: 1},
	}
	if diff := cmp.Diff(want, fileChanges(before, after)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got := fileChanges(after, after); len(got) > 0 || got == nil {
		t.Errorf("no difference gives %#v", got)
	}
	// What is held does not change with the buffers it was read into.
	data := []byte("text")
	held := hold(&tree.Tree{Files: []tree.File{{Path: "a", Data: data}}})
	copy(data, "TEXT")
	if !bytes.Equal(held[0].Data, []byte("text")) {
		t.Errorf("held %q", held[0].Data)
	}
}
