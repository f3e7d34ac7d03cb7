package dir

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"pinion/internal/testkit"
	"pinion/source"
	"pinion/source/sourcetest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the suite has names and modes that this system does not have")
	}
	sourcetest.Run(t, sourcetest.Kind{Plain: true, Make: func(t *testing.T, files testkit.Files) source.Source {
		root := t.TempDir()
		for name, f := range files {
			p := filepath.Join(root, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
				t.Fatal(err)
			}
			mode := os.FileMode(0o644)
			if f.Mode == "100755" {
				mode = 0o755
			}
			if err := os.WriteFile(p, []byte(f.Data), mode); err != nil {
				t.Fatal(err)
			}
		}
		return New(source.Spec{Kind: source.Dir, Dir: root})
	}})
}
