package main

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"pinion/internal/testkit"
)

// update rewrites the expected output in the stories: go test ./cmd/pinion -update.
var update = flag.Bool("update", false, "rewrite the expected output in testdata/script")

// TestMain lets the test binary be pinion itself, so that the stories run the
// real command line.
func TestMain(m *testing.M) {
	// Tests that run commands in this process scan in a worker, which is this
	// very program.
	if len(os.Args) > 1 && os.Args[1] == scanWorker {
		main()
		return
	}
	testscript.Main(m, map[string]func(){"pinion": main})
}

// TestScript runs every story of testdata/script, each with a home of its own.
// Beside the usual commands of testscript they have those of storyCommands.
func TestScript(t *testing.T) {
	shared := ""
	t.Run("shared test data", func(t *testing.T) { shared = testkit.SharedDir(t) })
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("..", "..", "testdata", "script"),
		UpdateScripts:       *update,
		RequireUniqueNames:  true,
		RequireExplicitExec: true,
		Setup:               func(env *testscript.Env) error { return setUpStory(t, env, shared) },
		Cmds:                storyCommands(),
		Condition: func(cond string) (bool, error) {
			return cond == "shared" && shared != "", nil
		},
	})
}

// setUpStory gives a story an empty home and an environment in which nothing of
// the machine's own configuration can be seen.
func setUpStory(t *testing.T, env *testscript.Env, shared string) error {
	home := filepath.Join(env.WorkDir, ".home")
	gitconfig := filepath.Join(env.WorkDir, ".gitconfig")
	for _, v := range [][2]string{
		{"HOME", home},
		{"USERPROFILE", home},
		{"XDG_CONFIG_HOME", filepath.Join(home, ".config")},
		{"XDG_DATA_HOME", filepath.Join(home, ".local", "share")},
		{"XDG_CACHE_HOME", filepath.Join(home, ".cache")},
		{"PINION_HOME", filepath.Join(home, ".pinion")},
		{"SHARED", shared},
		{"GIT_CONFIG_NOSYSTEM", "1"},
		{"GIT_CONFIG_GLOBAL", gitconfig},
		{"GIT_AUTHOR_DATE", "2026-01-02T03:04:05Z"},
		{"GIT_COMMITTER_DATE", "2026-01-02T03:04:05Z"},
		// A machine that lies about its name must not be asked for one.
		{"GITHUB_TOKEN", ""},
		{"GH_TOKEN", ""},
	} {
		env.Setenv(v[0], v[1])
	}
	env.Values[storyKey{}] = &story{t: t}
	config := "[user]\n\tname = Ann Author\n\temail = ann@example.org\n[init]\n\tdefaultBranch = main\n[uploadpack]\n\tallowFilter = true\n\tallowAnySHA1InWant = true\n"
	if err := os.WriteFile(gitconfig, []byte(config), 0o600); err != nil {
		return err
	}
	return os.MkdirAll(home, 0o700)
}
