package host_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pinion/host"
	"pinion/internal/fsx"
)

// What had to make room comes back whole, wherever the link and the unlink were
// cut off. Security 3.6 row 89; issue "Hosts", Hand over.
func TestReplaceCutOff(t *testing.T) {
	t.Parallel()
	cut := errors.New("cut off")
	for _, unlinking := range []bool{false, true} {
		for n := 1; ; n++ {
			s := newStage(t)
			s.put("host/cache/a/1.0.0/theirs.md", "theirs")
			before := s.host()
			s.active = []host.Plugin{s.plugin("a", "1.0.0")}
			replace := host.LinkOptions{Replace: true}
			left := n
			dying := func(fsx.Op, string) error {
				if left--; left < 0 {
					return cut // and everything after it, as after a kill
				}
				return nil
			}
			var err error
			if unlinking {
				s.must(s.link(replace))
				s.hook = dying
				_, err = s.unlink()
			} else {
				s.hook = dying
				_, err = s.link(replace)
			}
			s.hook = nil
			if err == nil {
				if n < 10 {
					t.Fatalf("only %d steps were seen", n)
				}
				break
			}
			if !errors.Is(err, cut) {
				t.Fatalf("step %d: %v", n, err)
			}
			old := time.Now().Add(-time.Minute)
			if err := os.Chtimes(filepath.Join(s.dir, "host", "settings.json.lock"), old, old); err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Fatal(err)
			}
			if !unlinking {
				s.must(s.link(replace))
			}
			s.must(s.unlink())
			after := s.host()
			// Of a run that was cut off behind its last change; hosts take it over.
			delete(after, "settings.json.lock/")
			if d := cmp.Diff(before, after); d != "" {
				t.Fatalf("unlinking %v, cut off at step %d, then unlinked (-want +got):\n%s", unlinking, n, d)
			}
		}
	}
}

// The host's directory may be on another disk than Pinion's home.
func TestReplaceOnAnotherDisk(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	other := t.TempDir()
	if probe := filepath.Join(other, "probe"); os.Link(filepath.Join(s.dir, "host", "settings.json"), probe) == nil {
		t.Skip("the directories for tests are on one disk")
	}
	theirs := filepath.Join(s.dir, "host")
	if err := errors.Join(os.RemoveAll(theirs), os.Symlink(other, theirs)); err != nil {
		t.Fatal(err)
	}
	s.adapter.dir = other
	s.put("host/cache/a/1.0.0/deep/theirs.md", "theirs")
	place := filepath.Join(other, "cache", "a", "1.0.0")
	if err := errors.Join(os.Chmod(filepath.Join(place, "deep", "theirs.md"), 0o755), os.Symlink("deep/theirs.md", filepath.Join(place, "link"))); err != nil {
		t.Fatal(err)
	}
	before := snapshot(t, other)
	s.active = []host.Plugin{s.plugin("a", "1.0.0")}
	s.must(s.link(host.LinkOptions{Replace: true}))
	if got := snapshot(t, other)["cache/a/1.0.0/a.md"]; got != "a1.0.0" {
		t.Errorf("not replaced: %q", got)
	}
	s.must(s.unlink())
	same(t, "after unlink", before, snapshot(t, other))
	if info, err := os.Stat(filepath.Join(place, "deep", "theirs.md")); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("the mode did not come back: %v, %v", info, err)
	}
}
