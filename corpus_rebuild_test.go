package pinion_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"pinion/internal/testkit"
)

// shapeEntry is one line of a _TREE.tsv.
type shapeEntry struct {
	mode, kind string
	size       int64
	path       string
	target     string // of a symlink
}

// readShape reads the shape of a repository's tree.
func readShape(t *testing.T, repo string) []shapeEntry {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(repo, "_TREE.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	unescape := strings.NewReplacer(`\\`, `\`, `\t`, "\t", `\n`, "\n")
	var out []shapeEntry
	for _, line := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")[1:] {
		col := strings.Split(line, "\t")
		if len(col) < 6 {
			t.Fatalf("%s: %q has %d columns", repo, line, len(col))
		}
		size, err := strconv.ParseInt(col[2], 10, 64)
		if err != nil && col[2] != "" && col[2] != "-" {
			t.Fatalf("%s: %q: %v", repo, line, err)
		}
		out = append(out, shapeEntry{col[0], col[1], size, unescape.Replace(col[4]), unescape.Replace(col[5])})
	}
	return out
}

const (
	// fillerCap is the most made-up content of one file, to keep the runs short.
	fillerCap = 64 << 10
	// realSize is from where on a file keeps its size, because a package's limit
	// on bytes may turn on it.
	realSize = 1 << 20
)

// rebuild makes the content of a repository: the bytes of the corpus where it
// has them, made-up ones elsewhere.
func rebuild(t *testing.T, repo string, shape []shapeEntry) testkit.Files {
	t.Helper()
	out := make(testkit.Files, len(shape))
	for _, e := range shape {
		switch e.kind {
		case "symlink":
			out[e.path] = testkit.Link(e.target)
		case "submodule":
			out[e.path] = testkit.Submodule(strings.Repeat("5", 40))
		case "file", "absent":
			real, err := os.ReadFile(filepath.Join(repo, filepath.FromSlash(e.path)))
			switch {
			case err == nil && path.Base(e.path) == "SKILL.md":
				real = []byte(filled(string(real), e.size, "made up\n")) // only its frontmatter was kept
			case errors.Is(err, fs.ErrNotExist) || err == nil && len(real) == 0 && e.size > 0:
				real = []byte(madeUp(e))
			case err != nil:
				t.Fatal(err)
			}
			out[e.path] = testkit.File{Mode: e.mode, Data: string(real)}
		default:
			t.Fatalf("%s: unknown kind %q of %s", repo, e.kind, e.path)
		}
	}
	return out
}

// madeUp is content that a file of this name could have.
func madeUp(e shapeEntry) string {
	base := path.Base(e.path)
	stem, dir := strings.TrimSuffix(base, path.Ext(base)), path.Base(path.Dir(e.path))
	switch {
	case e.size >= realSize:
		return strings.Repeat("\x00", int(e.size))
	case strings.EqualFold(base, "SKILL.md"):
		return filled(fmt.Sprintf("---\nname: %s\ndescription: Made up.\n---\n", dir), e.size, "made up\n")
	case base == "plugin.json":
		return filled(fmt.Sprintf("{\"name\": %q}\n", path.Base(path.Dir(path.Dir(e.path)))), e.size, " \n")
	case strings.HasSuffix(base, "mcp.json"):
		return filled("{\"mcpServers\": {}}\n", e.size, " \n")
	case strings.HasSuffix(base, "hooks.json"):
		return filled("{\"hooks\": {}}\n", e.size, " \n")
	case path.Ext(base) == ".json":
		return filled("{}\n", e.size, " \n")
	case path.Ext(base) == ".md" && e.size > 0:
		return filled(fmt.Sprintf("---\nname: %s\ndescription: Made up.\n---\n", stem), e.size, "made up\n")
	}
	return filled("", e.size, "made up\n")
}

// filled is head, followed by more up to size or the cap.
func filled(head string, size int64, more string) string {
	n := int(min(size, fillerCap)) - len(head)
	if n <= 0 {
		return head
	}
	return head + strings.Repeat(more, n/len(more)+1)[:n]
}

// scratchDir returns a directory for the test, in memory where the machine has
// such a file system.
func scratchDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "pinion-corpus-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// write puts files into dir. A submodule is what a clone without it has: an
// empty directory.
func write(t *testing.T, dir string, files testkit.Files) {
	t.Helper()
	made := map[string]bool{}
	for name, f := range files {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if parent := filepath.Dir(p); !made[parent] {
			if err := os.MkdirAll(parent, 0o755); err != nil {
				t.Fatal(err)
			}
			made[parent] = true
		}
		var err error
		switch f.Mode {
		case "120000":
			err = os.Symlink(f.Data, p)
		case "160000":
			err = os.MkdirAll(p, 0o755)
		default:
			mode := os.FileMode(0o644)
			if f.Mode == "100755" {
				mode = 0o755
			}
			err = os.WriteFile(p, []byte(f.Data), mode)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
