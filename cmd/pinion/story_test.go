package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"pinion/internal/testkit"
)

// storyKey finds the state of one story in its environment.
type storyKey struct{}

// story is what one story has beside its files: the servers it started.
type story struct {
	t        *testing.T
	github   *testkit.GitHub
	registry *testkit.Registry
	web      *testkit.WebServer
}

func storyOf(ts *testscript.TestScript) *story { return ts.Value(storyKey{}).(*story) }

// storyCommands are the commands of the stories:
//
//	exits CODE PROGRAM ARG...   runs a program that must end with exactly CODE
//	publish DIR [MESSAGE]       commits everything in DIR, a repository it makes when needed
//	serve OWNER/NAME DIR        serves DIR's repository over HTTP, as GitHub and at $GIT_URL/OWNER/NAME
//	registry NAME VERSION DIR   publishes DIR in an npm registry, the user's default one
//	archive NAME DIR            serves DIR as a zip at $WEB_URL/NAME, whose sha256 is then $SHA256
//	moved OLD NEW               lets the GitHub of the story redirect OLD to NEW
//	replace FILE OLD NEW        replaces text in a file
//	checksum NAME               writes into the file NAME what every file of the home is
func storyCommands() map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){
		"exits": exits, "publish": publish, "serve": serve, "registry": registry, "archive": archive, "moved": moved, "replace": replace, "checksum": checksum,
	}
}

// need fails a story whose command is used wrongly.
func need(ts *testscript.TestScript, neg bool, args []string, least int, usage string) {
	if neg || len(args) < least {
		ts.Fatalf("usage: %s", usage)
	}
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 2, "exits CODE PROGRAM ARG...")
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit %d, want %d", got, want)
	}
}

func publish(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 1, "publish DIR [MESSAGE]")
	dir := ts.MkAbs(args[0])
	message := "change"
	if len(args) > 1 {
		message = args[1]
	}
	if _, err := os.Stat(filepath.Join(dir, ".git")); err != nil {
		ts.Check(ts.Exec("git", "init", "-q", "--template=", dir))
	}
	ts.Check(ts.Exec("git", "-C", dir, "add", "-A"))
	ts.Check(ts.Exec("git", "-C", dir, "commit", "-q", "-m", message))
}

func serve(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 2, "serve OWNER/NAME DIR")
	s := storyOf(ts)
	if s.github == nil {
		s.github = testkit.NewGitHub(s.t)
		ts.Setenv("PINION_GITHUB_API", s.github.API)
		ts.Setenv("PINION_GITHUB_CLONE", s.github.Git.URL)
		ts.Setenv("GIT_URL", s.github.Git.URL)
	}
	dir := filepath.Join(ts.MkAbs(args[1]), ".git")
	ts.Check(ts.Exec("git", "-C", dir, "config", "uploadpack.allowFilter", "true"))
	ts.Check(ts.Exec("git", "-C", dir, "config", "uploadpack.allowAnySHA1InWant", "true"))
	s.github.Git.Add(args[0], &testkit.Repo{Dir: dir})
}

// trust lets the programs of a story believe in the certificate of a server.
func trust(ts *testscript.TestScript, certificate []byte) {
	name := ts.MkAbs("ca.pem")
	ts.Check(os.WriteFile(name, certificate, 0o600))
	ts.Setenv("SSL_CERT_FILE", name)
}

func registry(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 3, "registry NAME VERSION DIR")
	s := storyOf(ts)
	if s.registry == nil {
		s.registry = testkit.NewRegistryTLS(s.t)
		trust(ts, s.registry.Certificate)
		ts.Setenv("npm_config_registry", s.registry.URL)
	}
	files, err := testkit.FilesOf(ts.MkAbs(args[2]))
	ts.Check(err)
	s.registry.Publish(args[0], args[1], files)
}

func archive(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 2, "archive NAME DIR")
	s := storyOf(ts)
	if s.web == nil {
		s.web = testkit.NewWebServerTLS(s.t)
		trust(ts, s.web.Certificate)
		ts.Setenv("WEB_URL", s.web.URL)
	}
	files, err := testkit.FilesOf(ts.MkAbs(args[1]))
	ts.Check(err)
	data := testkit.Zip(s.t, "", files)
	s.web.Set("/"+args[0], data)
	ts.Setenv("SHA256", fmt.Sprintf("%x", sha256.Sum256(data)))
}

func moved(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 2, "moved OLD NEW")
	storyOf(ts).github.Moved[args[0]] = args[1]
}

func replace(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 3, "replace FILE OLD NEW")
	name := ts.MkAbs(args[0])
	data, err := os.ReadFile(name)
	ts.Check(err)
	from, to := strings.ReplaceAll(args[1], `\n`, "\n"), strings.ReplaceAll(args[2], `\n`, "\n")
	if !bytes.Contains(data, []byte(from)) {
		ts.Fatalf("%s has no %q", args[0], from)
	}
	// Files of the store are read-only.
	ts.Check(os.Chmod(name, 0o644))
	ts.Check(os.WriteFile(name, bytes.ReplaceAll(data, []byte(from), []byte(to)), 0o644))
}

// checksum lists mode, hash and path of everything in the home that is state:
// not the cache of fetched objects, which nothing is decided by, and not the
// lock files, which hold the number of the last process.
func checksum(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 1, "checksum NAME")
	home := ts.Getenv("PINION_HOME")
	var b strings.Builder
	err := filepath.WalkDir(home, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(home, p)
		if err != nil {
			return err
		}
		switch {
		case d.IsDir() && (d.Name() == "cache.git" || d.Name() == "staging"):
			return filepath.SkipDir
		case d.IsDir() || d.Name() == "lock":
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		sum := ""
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			sum = fmt.Sprintf("%x", sha256.Sum256(data))
		}
		fmt.Fprintf(&b, "%s %s %s\n", info.Mode(), sum, filepath.ToSlash(rel))
		return nil
	})
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(b.String()), 0o644))
}
