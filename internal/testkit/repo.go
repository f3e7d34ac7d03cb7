package testkit

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// File is one entry of a commit.
type File struct {
	Mode string // as git writes it; "" is 100644
	Data string // content, link target, or the commit of a submodule
}

// Files is the content of a commit, by slash-separated path.
type Files map[string]File

// Text is a regular file.
func Text(data string) File { return File{"100644", data} }

// Exec is an executable file.
func Exec(data string) File { return File{"100755", data} }

// Link is a symbolic link.
func Link(target string) File { return File{"120000", target} }

// Submodule is a pointer into another repository.
func Submodule(commit string) File { return File{"160000", commit} }

// Repo is a bare repository that a test fills. Nothing is ever checked out.
type Repo struct {
	Dir string
	t   testing.TB
}

// NewRepo makes an empty repository whose default branch is main, and which
// allows partial fetches as public hosts do.
func NewRepo(t testing.TB) *Repo {
	t.Helper()
	RequireGit(t)
	r := &Repo{Dir: filepath.Join(t.TempDir(), "repo.git"), t: t}
	Git(t, t.TempDir(), "init", "-q", "--bare", "--template=", "-b", "main", r.Dir)
	r.AllowFilter(true)
	return r
}

// AllowFilter switches partial fetches.
func (r *Repo) AllowFilter(on bool) {
	Git(r.t, r.Dir, "config", "uploadpack.allowFilter", fmt.Sprint(on))
}

// Git runs git in the repository.
func (r *Repo) Git(args ...string) string {
	r.t.Helper()
	return Git(r.t, r.Dir, args...)
}

// Commit adds a commit to branch that contains exactly files, and returns its
// id.
func (r *Repo) Commit(branch string, files Files) string {
	r.t.Helper()
	return r.write(branch, files, "deleteall\n", false)
}

// Update adds a commit to branch that changes only the named files. An entry
// with Mode "delete" removes one.
func (r *Repo) Update(branch string, files Files) string {
	r.t.Helper()
	return r.write(branch, files, "", false)
}

// Restart makes branch a single commit without history: a recreated
// repository, or a force-push.
func (r *Repo) Restart(branch string, files Files) string {
	r.t.Helper()
	return r.write(branch, files, "deleteall\n", true)
}

func (r *Repo) write(branch string, files Files, first string, orphan bool) string {
	r.t.Helper()
	refName := branch
	if !strings.HasPrefix(branch, "refs/") {
		refName = "refs/heads/" + branch
	}
	var b strings.Builder
	from := ""
	if old := r.Git("for-each-ref", "--format=%(objectname)", refName); old != "" && !orphan {
		from = "from " + old + "\n"
	}
	if orphan {
		fmt.Fprintf(&b, "reset %s\n", refName)
	}
	fmt.Fprintf(&b, "commit %s\ncommitter Ann <ann@example.com> 1767323045 +0000\ndata 7\nchange\n\n%s%s", refName, from, first)
	for _, path := range slices.Sorted(maps.Keys(files)) {
		f := files[path]
		switch f.Mode {
		case "delete":
			fmt.Fprintf(&b, "D %s\n", quote(path))
		case "160000":
			fmt.Fprintf(&b, "M 160000 %s %s\n", f.Data, quote(path))
		default:
			mode := f.Mode
			if mode == "" {
				mode = "100644"
			}
			fmt.Fprintf(&b, "M %s inline %s\ndata %d\n%s\n", mode, quote(path), len(f.Data), f.Data)
		}
	}
	gitInput(r.t, r.Dir, b.String(), "fast-import", "--quiet", "--force")
	return r.Head(refName)
}

// quote writes a path as fast-import reads it.
func quote(path string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(path) + `"`
}

// Head returns what a ref points to.
func (r *Repo) Head(ref string) string {
	r.t.Helper()
	return r.Git("rev-parse", "--verify", ref)
}

// SetRef points a ref at an object, whatever the name looks like.
func (r *Repo) SetRef(name, id string) {
	r.t.Helper()
	path := filepath.Join(r.Dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(id+"\n"), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

// Tag makes an annotated tag.
func (r *Repo) Tag(name, object string) string {
	r.t.Helper()
	r.Git("tag", "-f", "-a", "-m", name, name, object)
	return r.Head("refs/tags/" + name)
}

// Blob stores content and returns its id.
func (r *Repo) Blob(data string) string {
	r.t.Helper()
	return gitInput(r.t, r.Dir, data, "hash-object", "-w", "--stdin")
}

// Tree stores a tree object with one line "MODE TYPE ID\tNAME" for each entry.
// It makes the names that git add refuses.
func (r *Repo) Tree(lines ...string) string {
	r.t.Helper()
	return gitInput(r.t, r.Dir, strings.Join(lines, "\x00")+"\x00", "mktree", "-z", "--missing")
}

// CommitTree points branch at a new commit of a tree object.
func (r *Repo) CommitTree(branch, tree string) string {
	r.t.Helper()
	id := gitInput(r.t, r.Dir, "change\n", "commit-tree", tree)
	r.SetRef("refs/heads/"+branch, id)
	return id
}

// Marketplace returns n plugins below plugins/, each with files files of about
// a kilobyte that does not compress to nothing.
func Marketplace(n, files int) Files {
	out := Files{"marketplace.json": Text(`{"name": "made-up", "plugins": []}` + "\n")}
	seed := uint32(1)
	for p := range n {
		dir := fmt.Sprintf("plugins/p%05d/", p)
		for f := range files {
			var b strings.Builder
			for range 128 {
				seed = seed*1664525 + 1013904223
				fmt.Fprintf(&b, "%x\n", seed)
			}
			out[fmt.Sprintf("%sd%d/f%d.md", dir, f%3, f)] = Text(b.String())
		}
	}
	return out
}

// SharedDir returns the folder of shared test data: $PINION_SHARED, or a
// sibling of the repository named shared. It skips the test when there is none.
func SharedDir(t testing.TB) string {
	t.Helper()
	if dir := os.Getenv("PINION_SHARED"); dir != "" {
		return dir
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		shared := filepath.Join(dir, "shared")
		if st, err := os.Stat(filepath.Join(shared, "fixtures")); err == nil && st.IsDir() {
			return shared
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Skip("no shared test data: set PINION_SHARED or put it beside the repository")
		}
		dir = up
	}
}
