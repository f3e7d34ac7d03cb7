//go:build linux

package tree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"pinion/hashes"
)

func strict([]string) Profile  { return Profile{Limits: Native(), Strict: true} }
func foreign([]string) Profile { return Profile{Limits: Foreign()} }

// write makes files below dir; a name that ends with a slash is a directory.
func write(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, data := range files {
		path := filepath.Join(dir, name)
		if strings.HasSuffix(name, "/") {
			if err := os.MkdirAll(path, 0o755); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// read reads dir/rel; a reader that hangs fails the test.
func read(t testing.TB, dir, rel string, profile func([]string) Profile) *Tree {
	t.Helper()
	d, err := OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	type result struct {
		tree *Tree
		err  error
	}
	done := make(chan result, 1)
	go func() {
		tr, err := d.Read(context.Background(), rel, Options{Profile: profile}, new(Scratch))
		done <- result{tr, err}
	}()
	select {
	case r := <-done:
		d.Close()
		if r.err != nil {
			t.Fatal(r.err)
		}
		return r.tree
	case <-time.After(20 * time.Second):
		t.Fatal("reading hangs")
		return nil
	}
}

func TestReadDirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, map[string]string{"pkg/b.md": "two", "pkg/a/x.py": "one", "pkg/a-b": "", "pkg/a/e/": "", "other/no": "no"})
	if err := os.Chmod(filepath.Join(dir, "pkg/a/x.py"), 0o4755); err != nil { // security 3.2 row 30
		t.Fatal(err)
	}
	tr := read(t, dir, "pkg", foreign)
	var got strings.Builder
	for _, f := range tr.Files {
		if f.Sum != hashes.Of(f.Data) || f.Size != int64(len(f.Data)) {
			t.Errorf("%s: sum or size is wrong", f.Path)
		}
		fmt.Fprintf(&got, "%s=%s %v\n", f.Path, f.Data, f.Exec)
	}
	if want := "a-b= false\na/x.py=one true\nb.md=two false\n"; got.String() != want {
		t.Errorf("read\n%swant\n%s", got.String(), want)
	}
	if want := "files/empty-dir note"; verdict(tr) != want || tr.Partial {
		t.Errorf("problems %v, partial %v", tr.Problems, tr.Partial)
	}
	if got, want := strings.Join(tr.Top, " "), "a a-b b.md"; got != want {
		t.Errorf("top is %q, want %q", got, want)
	}
}

// SB-030, security 3.2 rows 20, 21, 24-26
func TestFileKinds(t *testing.T) {
	t.Parallel()
	link := func(target string) func(*testing.T, string) {
		return func(t *testing.T, path string) {
			if err := os.Symlink(target, path); err != nil {
				t.Fatal(err)
			}
		}
	}
	device := func(mode uint32, dev uint64) func(*testing.T, string) {
		return func(t *testing.T, path string) {
			if err := unix.Mknod(path, mode|0o644, int(dev)); err != nil {
				t.Skipf("this user cannot make devices: %v", err)
			}
		}
	}
	for _, c := range []struct {
		name            string
		make            func(t *testing.T, path string)
		strict, foreign string
	}{
		{"link to a file of the package", link("SKILL.md"), "files/symlink error", "files/symlink note"},
		{"link to a file of the repository", link("../LICENSE"), "files/symlink error", "files/symlink note"},
		{"link to a directory", link("../docs"), "files/symlink error", "files/symlink note"},
		{"link to a link", link("../alias"), "files/symlink error", "files/symlink note"},
		{"link outside", link("../../secret"), "files/symlink error", "files/symlink error"},
		{"absolute link", link("/etc/passwd"), "files/symlink error", "files/symlink error"},
		{"link through a link", link("../out/passwd"), "files/symlink error", "files/symlink error"},
		{"link to a link outside", link("../passwd"), "files/symlink error", "files/symlink error"},
		{"link to nothing", link("nothing"), "files/symlink error", "files/symlink error"},
		{"link to itself", link("it"), "files/symlink error", "files/symlink error"},
		{"link to its own directory", link("."), "files/symlink error", "files/symlink error"},
		{"link to the repository", link(".."), "files/symlink error", "files/symlink error"},
		{"link to git's data", link("../.git/config"), "files/symlink error", "files/symlink error"},
		{"link to a FIFO", link("../fifo"), "files/symlink error", "files/symlink error"},
		{"hard link", func(t *testing.T, path string) {
			if err := os.Link(filepath.Join(filepath.Dir(path), "../LICENSE"), path); err != nil {
				t.Fatal(err)
			}
		}, "files/hardlink error", "files/hardlink note"},
		{"FIFO", func(t *testing.T, path string) {
			if err := unix.Mkfifo(path, 0o644); err != nil {
				t.Fatal(err)
			}
		}, "files/special error", "files/special error"},
		{"socket", func(t *testing.T, path string) {
			// The name of a socket may have 108 bytes, so it is made elsewhere.
			short, err := os.MkdirTemp("", "s")
			if err != nil {
				t.Fatal(err)
			}
			defer os.RemoveAll(short)
			l, err := net.Listen("unix", filepath.Join(short, "s"))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { l.Close() })
			if err := os.Rename(filepath.Join(short, "s"), path); err != nil {
				t.Skipf("the socket cannot be moved: %v", err)
			}
		}, "files/special error", "files/special error"},
		{"character device", device(unix.S_IFCHR, unix.Mkdev(1, 5)), "files/special error", "files/special error"},
		{"block device", device(unix.S_IFBLK, unix.Mkdev(7, 200)), "files/special error", "files/special error"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, dir, map[string]string{
				"secret": "SECRET", "repo/LICENSE": "MIT", "repo/docs/one.md": "1", "repo/docs/two.md": "2", "repo/.git/config": "SECRET", "repo/pkg/SKILL.md": "skill",
			})
			repo := filepath.Join(dir, "repo")
			link("/etc")(t, filepath.Join(repo, "out"))
			link("/etc/passwd")(t, filepath.Join(repo, "passwd"))
			link("LICENSE")(t, filepath.Join(repo, "alias"))
			if err := unix.Mkfifo(filepath.Join(repo, "fifo"), 0o644); err != nil {
				t.Fatal(err)
			}
			c.make(t, filepath.Join(repo, "pkg/it"))
			for _, p := range []struct {
				profile func([]string) Profile
				want    string
			}{{strict, c.strict}, {foreign, c.foreign}} {
				tr := read(t, repo, "pkg", p.profile)
				if got := verdict(tr); got != p.want {
					t.Errorf("%q, want %q: %v", got, p.want, tr.Problems)
				}
				for _, f := range tr.Files {
					if bytes.Contains(f.Data, []byte("SECRET")) || bytes.Contains(f.Data, []byte("root:")) {
						t.Errorf("%s has bytes from outside: %q", f.Path, f.Data)
					}
				}
			}
		})
	}
}

// A copied link has the content of what it points to.
func TestLinkIsCopied(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, map[string]string{"shared/a.md": "A", "shared/sub/b.md": "B", "pkg/SKILL.md": "S"})
	if err := os.Symlink("../shared", filepath.Join(dir, "pkg/refs")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../shared/sub/b.md", filepath.Join(dir, "pkg/b.md")); err != nil {
		t.Fatal(err)
	}
	tr := read(t, dir, "pkg", foreign)
	var got strings.Builder
	for _, f := range tr.Files {
		fmt.Fprintf(&got, "%s=%s<%s ", f.Path, f.Data, f.Link)
	}
	if want := "SKILL.md=S< b.md=B<../shared/sub/b.md refs/a.md=A<../shared refs/sub/b.md=B<../shared "; got.String() != want {
		t.Errorf("got  %s\nwant %s", got.String(), want)
	}
}

// security 3.2 row 27: refused by its size, before anything is allocated.
func TestSparseFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, "big"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(1 << 40); err != nil {
		t.Skipf("the file system has no sparse file of 1 TiB: %v", err)
	}
	for _, p := range []func([]string) Profile{strict, foreign} {
		if tr := read(t, dir, ".", p); verdict(tr) != "files/limit error" || !tr.Partial || tr.Files[0].Data != nil {
			t.Errorf("%v, partial %v", tr.Problems, tr.Partial)
		}
	}
	d, err := OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if _, err := d.ReadFile("big", 1<<20); !errors.Is(err, ErrTooLarge) {
		t.Errorf("ReadFile: %v, want ErrTooLarge", err)
	}
}

// security 3.2 row 28. Files below /proc say that they are empty and give
// content, which is what a file looks like that grows after it was opened.
func TestGrowingFile(t *testing.T) {
	t.Parallel()
	d, err := OpenDir("/proc/self")
	if err != nil {
		t.Skipf("no /proc: %v", err)
	}
	defer d.Close()
	b := builder(strict(nil))
	var s Scratch
	w := walker{ctx: t.Context(), b: b, s: &s, dir: d}
	i, ok := b.Add(Entry{Path: "cmdline", Size: -1})
	if !ok {
		t.Fatal("the entry is not wanted")
	}
	w.file(d.fd, &dirent{known: s.know([]byte("cmdline"))}, i)
	if tr := b.Tree(); verdict(tr) != "files/changed error" || !tr.Partial {
		t.Errorf("%v, partial %v", tr.Problems, tr.Partial)
	}
}

// security 3.2 rows 22, 23: a name that flips between a file, a link to a
// secret, a FIFO and a directory never gives the secret, and never hangs.
func TestFlippingName(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, map[string]string{"secret": "SECRET", "repo/pkg/it": "fine", "repo/pkg/SKILL.md": "skill", "repo/spare/file": "fine", "repo/spare/dir/x": "fine"})
	repo := filepath.Join(dir, "repo")
	spare := func(name string) string { return filepath.Join(repo, "spare", name) }
	if err := os.Symlink("../../secret", spare("link")); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mkfifo(spare("fifo"), 0o644); err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(repo, "pkg/it")
	var flips atomic.Int64
	stop := make(chan struct{})
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			for _, name := range []string{"link", "file", "fifo", "file", "dir", "file"} {
				select {
				case <-stop:
					return
				default:
				}
				// An exchange, so that the name is never absent.
				_ = unix.Renameat2(unix.AT_FDCWD, spare(name), unix.AT_FDCWD, at, unix.RENAME_EXCHANGE)
				flips.Add(1)
			}
		}
	}()
	reads := 0
	for end := time.Now().Add(1500 * time.Millisecond); time.Now().Before(end); reads++ {
		for _, p := range []func([]string) Profile{strict, foreign} {
			for _, f := range read(t, repo, "pkg", p).Files {
				if bytes.Contains(f.Data, []byte("SECRET")) {
					t.Fatalf("read %d: the secret leaked into %s", reads, f.Path)
				}
				if f.Data != nil && f.Sum != hashes.Of(f.Data) {
					t.Fatalf("read %d: the sum of %s is not that of its bytes", reads, f.Path)
				}
			}
		}
	}
	close(stop)
	<-stopped
	t.Logf("%d reads during %d flips", reads, flips.Load())
	if flips.Load() < 100 || reads < 10 {
		t.Skip("the machine was too slow for the race to mean anything")
	}
}

func TestReadFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, map[string]string{"a": "12345", "d/b": "b", "outside": "o"})
	if err := os.Symlink("a", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("d", filepath.Join(dir, "dlink")); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mkfifo(filepath.Join(dir, "fifo"), 0o644); err != nil {
		t.Fatal(err)
	}
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Skipf("no socket here: %v", err)
	}
	defer l.Close()
	d, err := OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for _, c := range []struct {
		path  string
		limit int64
		want  string
		err   error
	}{
		{"a", 5, "12345", nil},
		{"a", 4, "", ErrTooLarge},
		{"d/b", 100, "b", nil},
		{"none", 100, "", fs.ErrNotExist},
		{"none/x", 100, "", fs.ErrNotExist},
		{"a/x", 100, "", ErrNotDirectory},
		{"d", 100, "", ErrNotRegular},
		{"link", 100, "", ErrNotRegular},
		{"dlink/b", 100, "", ErrNotDirectory},
		{"fifo", 100, "", ErrNotRegular},
		{"s", 100, "", ErrNotRegular},
		{"../outside", 100, "", fs.ErrInvalid},
		{"/etc/passwd", 100, "", fs.ErrInvalid},
	} {
		data, err := d.ReadFile(c.path, c.limit)
		if string(data) != c.want || !errors.Is(err, c.err) {
			t.Errorf("ReadFile(%q, %d) = %q, %v; want %q, %v", c.path, c.limit, data, err, c.want, c.err)
		}
	}
}
