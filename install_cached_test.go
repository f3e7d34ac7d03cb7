package pinion_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"pinion"
	"pinion/hashes"
	"pinion/internal/testkit"
	"pinion/market"
)

// What was fetched is installed without a request and without a process: issue 2
// section 8, "install one plugin, cached". A git that says that it was run stands
// first in PATH, and afterwards there is none. It sets the environment, so it
// does not run beside others.
func TestCachedInstallStartsNothing(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a shell script stands for git")
	}
	w := newWorld(t)
	files := testkit.Files{}
	for i := range 3 {
		id := fmt.Sprintf("made-up-%d", i)
		files["plugins/"+id+"/pinion-plugin.json"] = testkit.Text(fmt.Sprintf(`{"schema_version": 1, "id": %q, "version": "1.0.0", "name": "Made up",
			"description": "A made-up plugin.", "kind": "skill", "license": "Apache-2.0", "files": ["LICENSE", "SKILL.md"]}`, id))
		files["plugins/"+id+"/LICENSE"] = testkit.Text("Apache License\n")
		files["plugins/"+id+"/SKILL.md"] = testkit.Text("---\nname: " + id + "\ndescription: A made-up plugin.\n---\n# Made up\n")
	}
	w.publish(files)
	srv := testkit.NewGitServer(t)
	if _, err := w.client().MarketplaceAdd(t.Context(), srv.Add("acme/plugins", w.repo), market.AddOptions{Name: "acme"}); err != nil {
		t.Fatal(err)
	}
	srv.Requests()

	bin := t.TempDir()
	ran := filepath.Join(bin, "ran")
	if err := os.WriteFile(filepath.Join(bin, "git"), []byte("#!/bin/sh\necho \"$*\" >> '"+ran+"'\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for i, path := range []string{bin, ""} {
		t.Setenv("PATH", path)
		w.env["PATH"] = path
		in, err := w.client().Install(context.Background(), []pinion.Ref{ref(t, fmt.Sprintf("made-up-%d@acme", i))}, pinion.InstallOptions{})
		if err != nil || len(in.Installed) != 1 || in.Installed[0].Digest == (hashes.Digest{}) {
			t.Fatalf("PATH=%q: %+v, %v", path, in, err)
		}
	}
	if said, err := os.ReadFile(ran); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("git was run: %s (%v)", said, err)
	}
	if n, _ := testkit.Cost(srv.Requests()); n != 0 {
		t.Errorf("%d requests, want 0", n)
	}
}

// A marketplace that is added takes two requests, however small or large: one
// finds the commit, one brings all of it (issue 2 section 8, "add a new
// marketplace and verify all").
func TestAddRequests(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.publish(fixtures(t))
	srv := testkit.NewGitServer(t)
	if _, err := w.client().MarketplaceAdd(t.Context(), srv.Add("acme/plugins", w.repo), market.AddOptions{Name: "acme"}); err != nil {
		t.Fatal(err)
	}
	if n, _ := testkit.Cost(srv.Requests()); n != 2 {
		t.Errorf("%d requests, want 2", n)
	}
}
