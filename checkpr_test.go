package pinion_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pinion"
	"pinion/author"
	"pinion/internal/testkit"
	"pinion/problem"
)

func skillText(name, text string) string {
	return fmt.Sprintf("---\nname: %s\ndescription: Does %s. Use it for %s.\nlicense: MIT\nmetadata:\n  version: 1.0.0\n---\n%s\n", name, name, name, text)
}

// origin is a repository on "main" with the skills a and b, a branch "change"
// that changes a, and a main that went on and changed b since. It returns the
// directory and the commit that both sides share.
func origin(t *testing.T) (dir, shared string) {
	t.Helper()
	testkit.RequireGit(t)
	dir = t.TempDir()
	testkit.Git(t, dir, "init", "-q", "-b", "main")
	commit := func(name, text string) {
		checkout(t, dir, testkit.Files{"packs/" + name + "/SKILL.md": testkit.Text(skillText(name, text))})
		testkit.Git(t, dir, "add", "-A")
		testkit.Git(t, dir, "commit", "-q", "-m", name)
	}
	commit("a", "First.")
	commit("b", "First.")
	shared = testkit.Git(t, dir, "rev-parse", "HEAD")
	testkit.Git(t, dir, "checkout", "-q", "-b", "change")
	commit("a", "Second.")
	testkit.Git(t, dir, "checkout", "-q", "main")
	for i := range 5 {
		commit("b", fmt.Sprintf("Main %d.", i))
	}
	return dir, shared
}

func statuses(r *pinion.CheckReport) []string {
	out := []string{}
	for _, p := range r.Packages {
		out = append(out, p.Status+" "+p.Path)
	}
	return out
}

// The base is what the change shares with where it goes: what others did
// meanwhile is no part of it. What a shallow clone lacks is fetched. Issue "Scan,
// gate and review", Review in CI.
func TestCheckPRBase(t *testing.T) {
	t.Parallel()
	from, shared := origin(t)
	tip := testkit.Git(t, from, "rev-parse", "main")
	// GitHub checks out a merge of the change into its base.
	testkit.Git(t, from, "checkout", "-q", "--detach", "main")
	testkit.Git(t, from, "merge", "-q", "--no-ff", "-m", "merge", "change")
	testkit.Git(t, from, "update-ref", "refs/pull/7/merge", "HEAD")
	testkit.Git(t, from, "checkout", "-q", "main")
	checkout(t, from, testkit.Files{"packs/b/SKILL.md": testkit.Text(skillText("b", "Later."))})
	testkit.Git(t, from, "commit", "-q", "-a", "-m", "later")

	clone := func(t *testing.T, args ...string) string {
		dir := filepath.Join(t.TempDir(), "clone")
		testkit.Git(t, from, slices.Concat([]string{"clone", "-q"}, args, []string{"file://" + filepath.ToSlash(from), dir})...)
		return dir
	}
	shallow := func(t *testing.T) string { return clone(t, "--depth=1", "--branch=change") }
	pull := func(t *testing.T, depth ...string) string {
		dir := t.TempDir()
		testkit.Git(t, dir, "init", "-q", "-b", "main")
		testkit.Git(t, dir, "remote", "add", "origin", "file://"+filepath.ToSlash(from))
		testkit.Git(t, dir, slices.Concat([]string{"fetch", "-q"}, depth, []string{"origin", "+refs/pull/7/merge:refs/remotes/pull/7/merge"})...)
		testkit.Git(t, dir, "checkout", "-q", "--detach", "refs/remotes/pull/7/merge")
		return dir
	}
	github := map[string]string{"GITHUB_BASE_REF": "main", "GITHUB_REF": "refs/pull/7/merge"}
	onlyA := []string{"changed packs/a"}
	tests := []struct {
		name    string
		dir     func(t *testing.T) string
		env     map[string]string
		base    string
		offline bool
		want    string // the commit
		touched []string
		shallow bool // the clone is shallow afterwards
	}{
		{name: "github, depth 1", dir: func(t *testing.T) string { return pull(t, "--depth=1") }, env: github, want: tip, touched: onlyA, shallow: true},
		{name: "github, everything", dir: func(t *testing.T) string { return pull(t) }, env: github, want: tip, touched: onlyA},
		{name: "gitlab, depth 1", dir: shallow, env: map[string]string{"CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main", "CI_MERGE_REQUEST_DIFF_BASE_SHA": shared},
			want: shared, touched: onlyA, shallow: true},
		{name: "gitlab, a base that is none", dir: shallow, env: map[string]string{"CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main", "CI_MERGE_REQUEST_DIFF_BASE_SHA": strings.Repeat("0", 40)},
			want: shared, touched: onlyA},
		{name: "depth 1", dir: shallow, base: "main", want: shared, touched: onlyA},
		{name: "depth 1, a commit", dir: shallow, base: shared, want: shared, touched: onlyA, shallow: true},
		{name: "depth 1, offline", dir: func(t *testing.T) string { return clone(t, "--depth=1", "--branch=change", "--no-single-branch") }, base: "main", offline: true,
			want: testkit.Git(t, from, "rev-parse", "main"), touched: []string{"changed packs/a", "changed packs/b"}, shallow: true},
		// A clone that has everything stays one.
		{name: "one branch", dir: func(t *testing.T) string { return clone(t, "--single-branch", "--branch=change") }, base: "main", want: shared, touched: onlyA},
		{name: "a name at origin", dir: func(t *testing.T) string { return clone(t, "--branch=change") }, base: "main", offline: true, want: shared, touched: onlyA},
		{name: "origin's own", dir: func(t *testing.T) string { return clone(t, "--branch=change") }, want: shared, touched: onlyA},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			for k, v := range tt.env {
				w.env[k] = v
			}
			dir := tt.dir(t)
			r, err := w.client(func(o *pinion.Options) { o.Cwd, o.Offline = dir, tt.offline }).CheckPR(t.Context(), ".", pinion.CheckOptions{Base: tt.base})
			if err != nil {
				t.Fatal(err)
			}
			if r.Base != tt.want {
				t.Errorf("base %s, want %s; %q", r.Base, tt.want, r.Notes)
			}
			if diff := cmp.Diff(tt.touched, statuses(r)); diff != "" {
				t.Errorf("packages (-want +got):\n%s", diff)
			}
			if is := testkit.Git(t, dir, "rev-parse", "--is-shallow-repository"); (is == "true") != tt.shallow {
				t.Errorf("the clone is shallow: %s", is)
			}
			if tt.offline && tt.shallow && !strings.Contains(strings.Join(r.Notes, "\n"), "shallow") {
				t.Errorf("notes %q do not say that the clone is shallow", r.Notes)
			}
		})
	}
	for base, hint := range map[string]string{
		"":                       "--base origin/main",
		"no-such":                "git fetch origin no-such:refs/remotes/origin/no-such && pinion check-pr --base origin/no-such",
		"--upload-pack=x":        "",
		"HEAD~99":                "a base is a branch",
		strings.Repeat("1", 40):  "git fetch origin 1111",
		"origin/":                "--base origin/main",
		"a..b":                   "a base is a branch",
		"$(touch x)":             "a base is a branch",
		"refs/heads/no/such.loc": "git fetch origin",
	} {
		dir := t.TempDir()
		testkit.Git(t, dir, "clone", "-q", "--depth=1", "--branch=change", "file://"+filepath.ToSlash(from), ".")
		testkit.Git(t, dir, "remote", "set-head", "origin", "-d")
		_, err := newWorld(t).client(func(o *pinion.Options) { o.Cwd = dir }).CheckPR(t.Context(), ".", pinion.CheckOptions{Base: base})
		var hinted interface{ Hint() string }
		if err == nil || hint != "" && (!errors.As(err, &hinted) || !strings.Contains(hinted.Hint(), hint)) {
			t.Errorf("base %q: %v, want a hint with %q", base, err, hint)
		}
	}
}

// A history that shares nothing is not compared.
func TestCheckPRUnrelated(t *testing.T) {
	t.Parallel()
	dir, _ := origin(t)
	testkit.Git(t, dir, "checkout", "-q", "--orphan", "other")
	testkit.Git(t, dir, "commit", "-q", "-m", "other")
	_, err := newWorld(t).client(func(o *pinion.Options) { o.Cwd = dir }).CheckPR(t.Context(), ".", pinion.CheckOptions{Base: "main"})
	var wrong *pinion.UsageError
	if !errors.As(err, &wrong) || !strings.Contains(err.Error(), "no commit in common") {
		t.Errorf("CheckPR = %v", err)
	}
}

// Where git checks text out with CRLF, only what was edited is changed.
func TestCheckPRCRLF(t *testing.T) {
	t.Parallel()
	from, _ := origin(t)
	dir := filepath.Join(t.TempDir(), "clone")
	testkit.Git(t, from, "clone", "-q", "-c", "core.autocrlf=true", "file://"+filepath.ToSlash(from), dir)
	name := filepath.Join(dir, "packs", "a", "SKILL.md")
	text, err := os.ReadFile(name)
	if err != nil || !strings.Contains(string(text), "\r\n") {
		t.Fatalf("%q, %v", text, err)
	}
	check := func() *pinion.CheckReport {
		r, err := newWorld(t).client(func(o *pinion.Options) { o.Cwd = dir }).CheckPR(t.Context(), ".", pinion.CheckOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if got := statuses(check()); len(got) > 0 {
		t.Errorf("nothing was edited: %q", got)
	}
	more := filepath.Join(dir, "packs", "a", "more.md")
	if err := os.WriteFile(more, []byte("# More\r\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	r := check()
	if len(r.Packages) != 1 || len(r.Packages[0].Files) != 1 || r.Packages[0].Files[0].Path != "more.md" {
		t.Errorf("files %+v", r.Packages)
	}
}

// The same for a catalog with digests: what was committed is compared, as git
// stores it.
func TestCheckPRCRLFCatalog(t *testing.T) {
	t.Parallel()
	testkit.RequireGit(t)
	from := t.TempDir()
	testkit.Git(t, from, "init", "-q", "-b", "main")
	w := newWorld(t)
	for _, id := range []string{"one", "two"} {
		if _, err := w.client(func(o *pinion.Options) { o.Cwd = from }).Init(t.Context(), author.InitOptions{Kind: "skill", ID: id, Holder: "Ann"}); err != nil {
			t.Fatal(err)
		}
	}
	if r, err := w.client().BuildCatalog(t.Context(), from, pinion.BuildOptions{Owner: "Ann"}); err != nil || !r.OK {
		t.Fatalf("%+v, %v", r, err)
	}
	testkit.Git(t, from, "add", "-A")
	testkit.Git(t, from, "commit", "-q", "-m", "first")
	dir := filepath.Join(t.TempDir(), "clone")
	testkit.Git(t, from, "clone", "-q", "-c", "core.autocrlf=true", "file://"+filepath.ToSlash(from), dir)
	check := func() *pinion.CheckReport {
		r, err := w.client(func(o *pinion.Options) { o.Cwd = dir }).CheckPR(t.Context(), ".", pinion.CheckOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if r := check(); !r.OK || len(r.All()) > 0 {
		t.Errorf("nothing changed: %v", r.All())
	}
	name := filepath.Join(dir, "plugins", "one", "SKILL.md")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, append(text, "More.\r\n"...), 0o644); err != nil {
		t.Fatal(err)
	}
	testkit.Git(t, dir, "commit", "-q", "-a", "-m", "second")
	r := check()
	var rules []string
	for _, p := range r.All() {
		if p.Severity == problem.Error {
			rules = append(rules, fmt.Sprintf("%s:%d %s", p.File, p.Line, p.Rule))
		}
	}
	if diff := cmp.Diff([]string{"plugins/one/pinion-plugin.json:5 catalog/version-changed"}, rules); diff != "" {
		t.Errorf("errors (-want +got):\n%s", diff)
	}
	if f := r.Packages[0].Files; len(f) != 1 || f[0] != (pinion.FileChange{Path: "SKILL.md", What: "changed", Added: 1}) {
		t.Errorf("files %+v", f)
	}
}

// A change of ten thousand files in a thousand packages is judged like any
// other. How long it takes is in docs/benchmarks.md.
func TestCheckPRHuge(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("writes 10,000 files")
	}
	testkit.RequireGit(t)
	dir := t.TempDir()
	testkit.Git(t, dir, "init", "-q", "-b", "main")
	testkit.Git(t, dir, "commit", "-q", "--allow-empty", "-m", "empty")
	files := testkit.Files{}
	for i := range 1000 {
		name := fmt.Sprintf("s%04d", i)
		files["packs/"+name+"/SKILL.md"] = testkit.Text(skillText(name, "Text."))
		for j := range 9 {
			files[fmt.Sprintf("packs/%s/f%d.md", name, j)] = testkit.Text(fmt.Sprintf("# %s %d\n", name, j))
		}
	}
	checkout(t, dir, files)
	r, err := newWorld(t).client(func(o *pinion.Options) { o.Cwd = dir }).CheckPR(t.Context(), ".", pinion.CheckOptions{Base: "main", OnlyOwn: []string{"s"}})
	if err != nil {
		t.Fatal(err)
	}
	if !r.OK || r.Files != len(files) || len(r.Packages) != 1000 || len(r.Packages[999].Files) != 10 {
		t.Errorf("ok %t, %d files, %d packages: %v", r.OK, r.Files, len(r.Packages), r.All())
	}
}
