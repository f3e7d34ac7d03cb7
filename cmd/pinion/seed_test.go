package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pinion/internal/testkit"
)

// The packages of the seed documents pass, and their digests are those that
// sha256sum and openssl give. Issue section 3.
func TestSeedPackages(t *testing.T) {
	t.Parallel()
	fixtures := filepath.Join(testkit.SharedDir(t), "fixtures")
	s := newSession(t)
	if err := os.CopyFS(filepath.Join(s.dir, "repo"), os.DirFS(filepath.Join(fixtures, "shinbot-marketplace-repo"))); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := s.run("validate", "repo"); code != 0 {
		t.Errorf("validate: exit %d\n%s%s", code, out, errs)
	}
	if code, out, errs := s.run("build-catalog", "repo", "--owner", "Your Name"); code != 0 || !strings.Contains(out, "wrote shinbot-marketplace.json") {
		t.Errorf("build-catalog: exit %d\n%s%s", code, out, errs)
	}
	digests, err := os.ReadFile(filepath.Join(fixtures, "digests.txt"))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(digests)) {
		f := strings.Fields(line)
		if len(f) != 2 || strings.HasPrefix(line, "#") {
			continue
		}
		n++
		id, want := f[0], f[1]
		if strings.HasPrefix(id, "h1:") {
			id, want = want, id
		}
		if code, out, errs := s.run("hash", filepath.Join("repo", "plugins", filepath.Base(id))); code != 0 || strings.TrimSpace(out) != want {
			t.Errorf("hash %s = %q (exit %d), want %q\n%s", id, out, code, want, errs)
		}
	}
	if n < 5 {
		t.Errorf("only %d digests were compared", n)
	}
}
