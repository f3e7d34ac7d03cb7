package git

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pinion/internal/testkit"
	"pinion/source"
)

// worktree makes a repository with a work tree.
func worktree(t *testing.T, files map[string]string) string {
	t.Helper()
	testkit.RequireGit(t)
	dir := t.TempDir()
	testkit.Git(t, dir, "init", "-q", "-b", "main", ".")
	for p, text := range files {
		put(t, filepath.Join(dir, filepath.FromSlash(p)), text)
	}
	testkit.Git(t, dir, "add", "-A")
	testkit.Git(t, dir, "commit", "-q", "-m", "first")
	return dir
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := writeFile(path, text); err != nil {
		t.Fatal(err)
	}
}

func local(t *testing.T, dir string, env map[string]string) *Local {
	t.Helper()
	l, err := OpenLocal(dir, Options{Getenv: func(k string) string {
		if v, ok := env[k]; ok {
			return v
		}
		if k == "PATH" {
			return os.Getenv("PATH")
		}
		return ""
	}})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestLocal(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	put(t, filepath.Join(home, ".gitconfig"), "[user]\n\tname = Ann Author\n[core]\n\tautocrlf = input\n")
	dir := worktree(t, map[string]string{
		"marketplace.json": "{}", "plugins/a/run.sh": "#!/bin/sh\n", "plugins/a/x.md": "x\n", "plugins/b/y.md": "y\n", ".gitignore": "*.log\n",
		".gitattributes": "*.md text eol=lf\n*.bin -text\n*.id ident\n*.lfs filter=lfs\n*.u16 working-tree-encoding=UTF-16\n*.u8 working-tree-encoding=UTF-8\n*.auto text=auto\n",
	})
	testkit.Git(t, dir, "update-index", "--chmod=+x", "plugins/a/run.sh")
	if err := os.Chmod(filepath.Join(dir, "plugins/a/run.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	testkit.Git(t, dir, "commit", "-q", "-m", "bit")
	testkit.Git(t, dir, "remote", "add", "origin", "git@github.com:Acme/Plugins.git")
	first := testkit.Git(t, dir, "rev-parse", "HEAD~1")
	put(t, filepath.Join(dir, "marketplace.json"), "changed")

	ctx := t.Context()
	l := local(t, filepath.Join(dir, "plugins", "a"), map[string]string{"HOME": home})
	if l.Top() != dir {
		t.Errorf("Top() = %s, want %s", l.Top(), dir)
	}
	s, err := l.Snapshot(ctx, "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if data, err := s.ReadFile(ctx, "marketplace.json", 100); err != nil || string(data) != "{}" {
		t.Errorf("HEAD's file = %q, %v, want what was committed", data, err)
	}
	if got := readTree(t, s, "plugins/a"); !cmp.Equal(got, []string{`run.sh "#!/bin/sh\n" x`, `x.md "x\n"`}) {
		t.Errorf("plugins/a of HEAD = %q", got)
	}
	if a, err := s.Descends(ctx, first); a != source.Descendant || err != nil {
		t.Errorf("Descends = %v, %v", a, err)
	}
	for _, rev := range []string{"none", "HEAD~9", "--all", "", "HEAD\n"} {
		var se *source.SpecError
		if _, err := l.Snapshot(ctx, rev); !errors.Is(err, source.ErrNotFound) && !errors.As(err, &se) {
			t.Errorf("Snapshot(%q) = %v", rev, err)
		}
	}
	bits, err := l.Executables(ctx, filepath.Join(dir, "plugins", "a"))
	if err != nil || !cmp.Equal(bits, map[string]bool{"run.sh": true, "x.md": false}) {
		t.Errorf("Executables = %v, %v", bits, err)
	}
	if got := l.RemoteOwner(ctx); got != "Acme" {
		t.Errorf("RemoteOwner() = %q", got)
	}
	if got := l.UserName(ctx); got != "Ann Author" {
		t.Errorf("UserName() = %q", got)
	}

	put(t, filepath.Join(dir, "plugins/a/new.md"), "n")
	put(t, filepath.Join(dir, "plugins/a/x.log"), "ignored")
	put(t, filepath.Join(dir, "plugins/b/y.md"), "other\n")
	dirty, err := l.Dirty(ctx, dir)
	if diff := cmp.Diff([]string{"marketplace.json", "plugins/a/new.md", "plugins/b/y.md"}, dirty); err != nil || diff != "" {
		t.Errorf("Dirty: %v %s", err, diff)
	}
	if dirty, err = l.Dirty(ctx, filepath.Join(dir, "plugins", "a")); err != nil || !cmp.Equal(dirty, []string{"plugins/a/new.md"}) {
		t.Errorf("Dirty(plugins/a) = %q, %v", dirty, err)
	}

	attrs, err := l.Attributes(ctx, filepath.Join(dir, "plugins", "a"), []string{"x.md", "a.bin", "a.id", "a.lfs", "a.u16", "a.u8", "a.auto", "sub/plain", "odd\nname.md"})
	want := map[string]Attributes{
		"x.md": {Text: "set", EOL: "lf", AutoCRLF: "input"}, "a.bin": {Text: "unset", AutoCRLF: "input"}, "a.id": {Ident: true, AutoCRLF: "input"},
		"a.lfs": {Filter: "lfs", AutoCRLF: "input"}, "a.u16": {Encoding: "UTF-16", AutoCRLF: "input"}, "a.u8": {AutoCRLF: "input"},
		"a.auto": {Text: "auto", AutoCRLF: "input"}, "sub/plain": {AutoCRLF: "input"}, "odd\nname.md": {Text: "set", EOL: "lf", AutoCRLF: "input"},
	}
	if diff := cmp.Diff(want, attrs); err != nil || diff != "" {
		t.Errorf("Attributes: %v %s", err, diff)
	}
}

func TestLocalPlaces(t *testing.T) {
	t.Parallel()
	dir := worktree(t, map[string]string{"a": "1"})
	linked := filepath.Join(t.TempDir(), "linked")
	testkit.Git(t, dir, "worktree", "add", "-q", "-b", "side", linked)
	put(t, filepath.Join(linked, "a"), "2")
	testkit.Git(t, linked, "commit", "-q", "-a", "-m", "side")
	for at, want := range map[string]string{dir: "1", linked: "2"} {
		l := local(t, at, nil)
		s, err := l.Snapshot(t.Context(), "HEAD")
		if err != nil {
			t.Fatal(err)
		}
		if data, err := s.ReadFile(t.Context(), "a", 10); err != nil || string(data) != want {
			t.Errorf("HEAD of %s: a = %q, %v, want %q", at, data, err, want)
		}
		s.Close()
	}
	if _, err := OpenLocal(t.TempDir(), Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no repository: %v, want fs.ErrNotExist", err)
	}
	empty := t.TempDir()
	testkit.Git(t, empty, "init", "-q", ".")
	if _, err := local(t, empty, nil).Snapshot(t.Context(), "HEAD"); !errors.Is(err, source.ErrNotFound) {
		t.Errorf("no commit yet: %v, want ErrNotFound", err)
	}
	if _, err := OpenLocal(dir, Options{Program: filepath.Join(dir, "nogit")}); err != nil {
		t.Errorf("git is started only when needed: %v", err)
	}
}

// security 3.3 row 48: a repository whose own configuration names programs
func TestLocalRunsNothing(t *testing.T) {
	t.Parallel()
	dir := worktree(t, map[string]string{".gitattributes": "* filter=evil diff=evil\n", "a": "1\n", "b": "2\n"})
	marker := filepath.Join(t.TempDir(), "MARKER")
	evil := filepath.Join(t.TempDir(), "evil")
	if err := os.WriteFile(evil, []byte("#!/bin/sh\necho \"$0 $*\" >> "+marker+"\ncat\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"filter.evil.clean", "filter.evil.smudge", "filter.evil.process", "core.fsmonitor", "diff.evil.textconv",
		"diff.external", "core.pager", "core.sshCommand", "core.askPass", "core.alternateRefsCommand", "uploadpack.packObjectsHook", "gpg.program"} {
		testkit.Git(t, dir, "config", key, evil)
	}
	testkit.Git(t, dir, "config", "filter.evil.required", "true")
	hooks := filepath.Join(dir, ".git", "hooks")
	for _, n := range []string{"post-index-change", "reference-transaction", "fsmonitor-watchman"} {
		os.MkdirAll(hooks, 0o755)
		if err := os.WriteFile(filepath.Join(hooks, n), []byte("#!/bin/sh\ntouch "+marker+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	put(t, filepath.Join(dir, "a"), "3\n") // the same size: git must look inside
	l := local(t, dir, nil)
	dirty, err := l.Dirty(t.Context(), dir)
	if err != nil || !cmp.Equal(dirty, []string{"a"}) {
		t.Errorf("Dirty = %q, %v", dirty, err)
	}
	if _, err := l.Attributes(t.Context(), dir, []string{"a"}); err != nil {
		t.Error(err)
	}
	if _, err := l.Executables(t.Context(), dir); err != nil {
		t.Error(err)
	}
	s, err := l.Snapshot(t.Context(), "main")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	readTree(t, s, ".")
	l.UserName(t.Context())
	if b, err := os.ReadFile(marker); err == nil {
		t.Errorf("something ran: %s", b)
	}
}
