package git

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pinion/internal/testkit"
	"pinion/source"
	"pinion/tree"
)

func writeFile(path, text string) error { return os.WriteFile(path, []byte(text), 0o644) }

// security 3.3 rows 35, 44, 48, 50 and 56: everything that could make git run a
// program writes a marker, and none is there afterwards. It sets the
// environment, so it does not run beside others.
func TestNothingRuns(t *testing.T) {
	home := t.TempDir()
	marker := filepath.Join(home, "MARKER")
	script := filepath.Join(home, "evil")
	if err := os.WriteFile(script, []byte("#!/bin/sh\necho \"$0 $*\" >> "+marker+"\nexit 0\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, h := range []string{"hooks", "template/hooks"} {
		for _, n := range []string{"post-checkout", "post-index-change", "reference-transaction", "post-merge", "fsmonitor-watchman"} {
			p := filepath.Join(home, h, n)
			os.MkdirAll(filepath.Dir(p), 0o755)
			if err := os.WriteFile(p, []byte("#!/bin/sh\ntouch "+marker+"\n"), 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	config := fmt.Sprintf(`[core]
	hooksPath = %[1]s/hooks
	fsmonitor = %[1]s/evil
	sshCommand = %[1]s/evil
	gitProxy = %[1]s/evil
	askPass = %[1]s/evil
	pager = %[1]s/evil
	editor = %[1]s/evil
	alternateRefsCommand = %[1]s/evil
	attributesFile = %[1]s/attributes
	autocrlf = true
[init]
	templateDir = %[1]s/template
[credential]
	helper = "!%[1]s/evil"
[filter "evil"]
	clean = %[1]s/evil
	smudge = %[1]s/evil
	process = %[1]s/evil
	required = true
[diff "evil"]
	textconv = %[1]s/evil
[url "ext::%[1]s/evil "]
	insteadOf = http://
	insteadOf = file://
[protocol "ext"]
	allow = always
[uploadpack]
	packObjectsHook = %[1]s/evil
[http]
	proxy = http://127.0.0.1:1
[alias]
	fetch = !%[1]s/evil
`, home)
	for _, f := range []string{".gitconfig", "attributes"} {
		text := config
		if f == "attributes" {
			text = "* filter=evil diff=evil text=auto eol=crlf ident\n"
		}
		if err := writeFile(filepath.Join(home, f), text); err != nil {
			t.Fatal(err)
		}
	}
	repo := testkit.NewRepo(t)
	files := testkit.Files{
		".gitattributes": testkit.Text("* filter=evil text=auto eol=crlf ident export-subst working-tree-encoding=UTF-16\nb.md export-ignore\n"),
		"a.md":           testkit.Text("line\n$Id$ $Format:%H$\n"),
		"b.md":           testkit.Text("ignored\r\n"),
		// security 3.3 row 46: a pointer is content here and judged elsewhere
		"big.bin": testkit.Text("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n"),
	}
	repo.Commit("main", files)
	srv := testkit.NewGitServer(t)
	url := srv.Add("acme/plugins", repo)

	for k, v := range map[string]string{
		"HOME": home, "XDG_CONFIG_HOME": home, "GIT_CONFIG_GLOBAL": filepath.Join(home, ".gitconfig"), "GIT_CONFIG_SYSTEM": filepath.Join(home, ".gitconfig"),
		"GIT_EXTERNAL_DIFF": script, "GIT_SSH": script, "GIT_SSH_COMMAND": script, "GIT_PROXY_COMMAND": script, "GIT_ASKPASS": script,
		"SSH_ASKPASS": script, "GIT_EDITOR": script, "GIT_PAGER": script, "GIT_TEMPLATE_DIR": filepath.Join(home, "template"),
		"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.fsmonitor", "GIT_CONFIG_VALUE_0": script,
		"GIT_CONFIG_PARAMETERS": "'core.fsmonitor=" + script + "'", "GIT_ALLOW_PROTOCOL": "ext:file:http",
		"GIT_OBJECT_DIRECTORY": home, "GIT_ALTERNATE_OBJECT_DIRECTORIES": home, "GIT_TRACE": filepath.Join(home, "trace"),
	} {
		t.Setenv(k, v)
	}
	for _, o := range []struct {
		url string
		b   Backend
	}{{url, System}, {url, GoGit}, {"file://" + repo.Dir, System}} {
		// A user's repository above the cache must not be found.
		above := t.TempDir()
		if err := os.MkdirAll(filepath.Join(above, ".git", "objects"), 0o755); err != nil {
			t.Fatal(err)
		}
		writeFile(filepath.Join(above, ".git", "HEAD"), "ref: refs/heads/main\n")
		writeFile(filepath.Join(above, ".git", "config"), config)
		s := openNow(t, remote(t, o.url, Options{Backend: o.b}), filepath.Join(above, "cache"))
		err := s.Trees(t.Context(), []source.Request{{Dir: "."}}, func(_ int, tr *tree.Tree, err error) error {
			if err != nil {
				return err
			}
			for _, f := range tr.Files {
				if string(f.Data) != files[f.Path].Data {
					t.Errorf("%s = %q, want the blob %q", f.Path, f.Data, files[f.Path].Data)
				}
			}
			if len(tr.Files) != len(files) {
				t.Errorf("%d files, want %d", len(tr.Files), len(files))
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		if _, err := s.Descends(t.Context(), strings.Repeat("ab", 20)); err != nil {
			t.Error(err)
		}
	}
	if b, err := os.ReadFile(marker); err == nil {
		t.Errorf("something ran: %s", b)
	}
	if _, err := os.Stat(filepath.Join(home, "trace")); err == nil {
		t.Error("GIT_TRACE was passed on")
	}
}

// security 3.3 row 47 and part 3.1: names that no git add would take
func TestHostileTrees(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func(r *testkit.Repo) string{
		"dotdot": func(r *testkit.Repo) string { return r.Tree("100644 blob " + r.Blob("x") + "\t..") },
		"dot":    func(r *testkit.Repo) string { return r.Tree("100644 blob " + r.Blob("x") + "\t.") },
		"dotgit": func(r *testkit.Repo) string { return r.Tree("100644 blob " + r.Blob("x") + "\t.GIT") },
		"gitmodules option": func(r *testkit.Repo) string {
			return r.Tree("100644 blob "+r.Blob("[submodule \"-u./x\"]\n\tpath = -u./x\n\turl = -u./x\n")+"\t.gitmodules", "160000 commit "+strings.Repeat("1", 40)+"\tm")
		},
	} {
		repo := testkit.NewRepo(t)
		repo.CommitTree("main", make(repo))
		overHTTP(t, func(t *testing.T, b Backend) {
			srv := testkit.NewGitServer(t)
			r := remote(t, srv.Add("acme/plugins", repo), Options{Backend: b})
			pin, err := r.Resolve(t.Context(), source.Pin{})
			if err != nil {
				t.Fatal(err)
			}
			s, err := r.Open(t.Context(), pin, t.TempDir())
			if err == nil {
				err = s.Trees(t.Context(), []source.Request{{Dir: "."}}, func(_ int, tr *tree.Tree, err error) error {
					if err == nil && !tr.Problems.HasErrors() && name != "gitmodules option" {
						t.Errorf("%s: taken without a problem: %q", name, summary(tr))
					}
					return err
				})
				s.Close()
			}
			if err != nil && errors.Is(err, source.ErrOffline) {
				t.Errorf("%s: %v says that the server is down", name, err)
			}
		})
	}
}

func TestOddNames(t *testing.T) {
	t.Parallel()
	repo := testkit.NewRepo(t)
	repo.Commit("main", testkit.Files{
		"p/a\rb": testkit.Text("cr"), "p/tab\tx": testkit.Text("t"), "p/new\nline": testkit.Text("n"), `p/back\slash`: testkit.Text("b"),
		"p/\xff\xfe": testkit.Text("bytes"), "p/ok": testkit.Text("ok"), "p/-rf": testkit.Text("dash"), "p/:(glob)**": testkit.Text("magic"),
	})
	backends(t, func(t *testing.T, open opener) {
		got := strings.Join(readTree(t, open.snapshot(t, repo), "p"), "\n")
		if n := strings.Count(got, "! path/invalid error"); n != 5 {
			t.Errorf("%d invalid paths, want 5:\n%s", n, got)
		}
		for _, want := range []string{`ok "ok"`, `-rf "dash"`, `:(glob)** "magic"`} {
			if !strings.Contains(got, want) {
				t.Errorf("%s is missing:\n%s", want, got)
			}
		}
	})
}

// security 3.3 row 53: trees that grow without end
func TestTreeBombs(t *testing.T) {
	t.Parallel()
	repo := testkit.NewRepo(t)
	blob := repo.Blob("x")
	bomb := repo.Tree("100644 blob " + blob + "\tf")
	for range 8 {
		var lines []string
		for i := range 10 {
			lines = append(lines, fmt.Sprintf("040000 tree %s\td%d", bomb, i))
		}
		bomb = repo.Tree(lines...)
	}
	deep := repo.Tree("100644 blob " + blob + "\tf")
	for range 200 {
		deep = repo.Tree("040000 tree " + deep + "\td")
	}
	fine := repo.Tree("100644 blob " + blob + "\tok.md")
	repo.CommitTree("main", repo.Tree("040000 tree "+bomb+"\tbomb", "040000 tree "+deep+"\tdeep", "040000 tree "+fine+"\tfine"))
	backends(t, func(t *testing.T, open opener) {
		r, _ := open(t, repo, "")
		r.opts.Limits.Entries = 20_000
		if r.git != nil {
			r.git.limits.Entries = 20_000
		}
		s := openNow(t, r, t.TempDir())
		reqs := []source.Request{{Dir: "bomb"}, {Dir: "deep"}, {Dir: "fine"}}
		seen := 0
		err := s.Trees(t.Context(), reqs, func(i int, tr *tree.Tree, err error) error {
			seen++
			switch {
			case i == 0 && !errors.Is(err, source.ErrTooLarge):
				t.Errorf("bomb: %v, want ErrTooLarge", err)
			case i == 1 && (err != nil || !tr.Partial || !strings.Contains(strings.Join(summary(tr), "\n"), "files/limit")):
				t.Errorf("deep: %v, want files/limit", err)
			case i == 2 && (err != nil || len(tr.Files) != 1):
				t.Errorf("fine: %v", err)
			}
			return nil
		})
		if err != nil || seen != 3 {
			t.Errorf("Trees = %v after %d", err, seen)
		}
		if _, err := s.Paths(t.Context(), "."); !errors.Is(err, source.ErrTooLarge) {
			t.Errorf("Paths = %v, want ErrTooLarge", err)
		}
	})
}

// security 3.3 row 59
func TestSHA256(t *testing.T) {
	t.Parallel()
	testkit.RequireGit(t)
	dir := filepath.Join(t.TempDir(), "repo.git")
	testkit.Git(t, t.TempDir(), "init", "-q", "--bare", "--object-format=sha256", "-b", "main", dir)
	work := t.TempDir()
	testkit.Git(t, work, "init", "-q", "--object-format=sha256", "-b", "main", ".")
	writeFile(filepath.Join(work, "a.md"), "a")
	testkit.Git(t, work, "add", "a.md")
	testkit.Git(t, work, "commit", "-q", "-m", "x")
	testkit.Git(t, work, "push", "-q", "file://"+dir, "main")
	testkit.Git(t, dir, "config", "uploadpack.allowFilter", "true")
	srv := testkit.NewGitServer(t)
	url := srv.Add("acme/plugins", &testkit.Repo{Dir: dir})
	for _, u := range []string{url, "file://" + dir} {
		s := openNow(t, remote(t, u, Options{Backend: System}), t.TempDir())
		if got := readTree(t, s, "."); len(s.Pin().Commit) != 64 || got[0] != `a.md "a"` {
			t.Errorf("%s: %v %q", u, s.Pin(), got)
		}
	}
	r := remote(t, url, Options{Backend: GoGit})
	pin, err := r.Resolve(t.Context(), source.Pin{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Open(t.Context(), pin, t.TempDir()); !errors.Is(err, ErrNoGit) {
		t.Errorf("go-git: %v, want ErrNoGit", err)
	}
}
