package fsx

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

// openHome makes an empty home.
func openHome(t *testing.T, hook Hook) *Dir {
	t.Helper()
	d, err := OpenHome(filepath.Join(t.TempDir(), "home"), Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// Read-only trees would keep t.TempDir from cleaning up.
		d.hook = nil
		entries, _ := d.ReadDir(".")
		for _, e := range entries {
			if err := d.removeTree(d.root, e.Name(), e.Name()); err != nil {
				t.Error(err)
			}
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	d.hook = hook
	return d
}

// snapshot describes everything below dir but staging: mode and content by path.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	got := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, p)
		if rel == stagingDir {
			return fs.SkipDir
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		line := info.Mode().String()
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			line += " " + string(data)
		}
		got[filepath.ToSlash(rel)] = line
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func staged(t *testing.T, d *Dir) []string {
	t.Helper()
	entries, err := os.ReadDir(d.Path(stagingDir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// counter is a hook that counts.
type counter struct {
	mu sync.Mutex
	n  map[Op]int
}

func (c *counter) hook(op Op, _ string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n == nil {
		c.n = map[Op]int{}
	}
	c.n[op]++
	return nil
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// security 3.6 rows 94 and 97: which homes are refused, and that advice is given.
func TestOpenHomeRefuses(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no owners and modes on Windows")
	}
	tests := []struct {
		name   string
		make   func(t *testing.T, p string)
		reason string
	}{
		{"symlink", func(t *testing.T, p string) {
			must(t, os.Mkdir(p+".real", 0o700))
			must(t, os.Symlink(p+".real", p))
		}, "symbolic link"},
		{"dangling symlink", func(t *testing.T, p string) { must(t, os.Symlink("nowhere", p)) }, "symbolic link"},
		{"file", func(t *testing.T, p string) { must(t, os.WriteFile(p, nil, 0o600)) }, "not a directory"},
		{"group-writable", func(t *testing.T, p string) {
			must(t, os.Mkdir(p, 0o700))
			must(t, os.Chmod(p, 0o770))
		}, "mode 0770"},
		{"world-writable", func(t *testing.T, p string) {
			must(t, os.Mkdir(p, 0o700))
			must(t, os.Chmod(p, 0o702))
		}, "mode 0702"},
		{"other owner", func(t *testing.T, p string) {
			if os.Geteuid() != 0 {
				t.Skip("needs root to give a directory away")
			}
			must(t, os.Mkdir(p, 0o700))
			must(t, os.Chown(p, 65534, 65534))
		}, "belongs to user 65534"},
	}
	for _, tt := range tests {
		for _, create := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/create=%v", tt.name, create), func(t *testing.T) {
				p := filepath.Join(t.TempDir(), "home")
				tt.make(t, p)
				d, err := OpenHome(p, Options{Create: create})
				if err == nil {
					d.Close()
				}
				var ie *InsecureError
				if !errors.As(err, &ie) || !strings.Contains(ie.Reason, tt.reason) || ie.Hint == "" {
					t.Fatalf("OpenHome = %v, want *InsecureError with %q and a hint", err, tt.reason)
				}
			})
		}
	}
	if _, err := OpenHome("/", Options{Create: true}); !errors.As(err, new(*InsecureError)) {
		t.Errorf(`OpenHome("/") = %v, want *InsecureError`, err)
	}
	missing := filepath.Join(t.TempDir(), "a", "b")
	if _, err := OpenHome(missing, Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("OpenHome(missing) = %v, want fs.ErrNotExist", err)
	}
	if _, err := os.Lstat(filepath.Dir(missing)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("opening a missing home made %s", filepath.Dir(missing))
	}
}

// security 3.1 rows 1-3 as far as they are about names handed to us.
func TestNamesStayInside(t *testing.T) {
	t.Parallel()
	d := openHome(t, nil)
	outside := filepath.Join(filepath.Dir(d.abs), "outside")
	must(t, os.WriteFile(outside, []byte("x"), 0o600))
	must(t, os.Symlink("..", d.Path("up")))
	for _, name := range []string{"", ".", "..", "../outside", "/etc/passwd", "a/../b", "a//b", "a/", "./a", "a\x00b", "up/outside"} {
		if err := d.WriteFile(name, []byte("y"), 0o600); err == nil {
			t.Errorf("WriteFile(%q) succeeded", name)
		}
		if err := d.WriteNew(name, []byte("y"), 0o600); err == nil {
			t.Errorf("WriteNew(%q) succeeded", name)
		}
		if err := d.Append(name, []byte("y")); err == nil {
			t.Errorf("Append(%q) succeeded", name)
		}
		if err := d.RemoveAll(name); err == nil {
			t.Errorf("RemoveAll(%q) succeeded", name)
		}
		if _, err := d.ReadFile(name, 10); err == nil {
			t.Errorf("ReadFile(%q) succeeded", name)
		}
		if err := d.RenameNoReplace(name, "z"); err == nil {
			t.Errorf("RenameNoReplace(%q) succeeded", name)
		}
		if unlock, err := d.Lock(t.Context(), name); err == nil {
			unlock()
			t.Errorf("Lock(%q) succeeded", name)
		}
	}
	if b, err := os.ReadFile(outside); err != nil || string(b) != "x" {
		t.Errorf("file outside = %q, %v; want it untouched", b, err)
	}
}

func TestWriteFile(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"home", "dir"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			d := openHome(t, nil)
			d.home = kind == "home"
			must(t, d.MkdirAllSynced("a/b"))
			for _, content := range []string{"one", "", "three three"} {
				must(t, d.WriteFile("a/b/f.json", []byte(content), 0o600))
				got, err := d.ReadFile("a/b/f.json", 100)
				if err != nil || string(got) != content {
					t.Fatalf("ReadFile = %q, %v, want %q", got, err, content)
				}
			}
			entries, err := os.ReadDir(d.Path("a/b"))
			must(t, err)
			if len(entries) != 1 || len(staged(t, d)) != 0 {
				t.Errorf("left over: %v, %v", entries, staged(t, d))
			}
			if err := d.WriteFile("no/dir", nil, 0o600); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("WriteFile without directory = %v, want fs.ErrNotExist", err)
			}
			if n := staged(t, d); len(n) != 0 {
				t.Errorf("left over: %v", n)
			}
		})
	}
}

// A cleaning process may take the temporary file of a live writer: it starts again.
func TestWriteFileSurvivesCleaning(t *testing.T) {
	t.Parallel()
	d := openHome(t, nil)
	cleaned := 0
	d.hook = func(op Op, name string) error {
		if op == OpRename && cleaned < 2 {
			cleaned++
			n, err := (&Dir{root: d.root, abs: d.abs, home: true}).CleanStaging()
			if n != 1 || err != nil {
				t.Errorf("CleanStaging = %d, %v, want 1", n, err)
			}
		}
		return nil
	}
	must(t, d.WriteFile("f", []byte("new"), 0o600))
	if got, err := d.ReadFile("f", 10); err != nil || string(got) != "new" || cleaned != 2 {
		t.Errorf("ReadFile = %q, %v after %d cleanings", got, err, cleaned)
	}
}

// security 3.6 row 97, 3.2 rows 20, 25 and 27 for state files.
func TestReadFileRefuses(t *testing.T) {
	t.Parallel()
	d := openHome(t, nil)
	must(t, d.WriteFile("ok", []byte("12345"), 0o600))
	must(t, os.Symlink("ok", d.Path("link")))
	must(t, os.Symlink("/etc/passwd", d.Path("outlink")))
	must(t, d.MkdirAll("dir"))
	must(t, os.WriteFile(d.Path("open"), []byte("x"), 0o600))
	must(t, os.Chmod(d.Path("open"), 0o666))
	sparse, err := os.Create(d.Path("sparse"))
	must(t, err)
	must(t, errors.Join(sparse.Truncate(1<<40), sparse.Close()))

	for _, name := range []string{"link", "outlink", "dir"} {
		if _, err := d.ReadFile(name, 100); !errors.Is(err, ErrNotRegular) {
			t.Errorf("ReadFile(%q) = %v, want ErrNotRegular", name, err)
		}
		if err := d.Append(name, []byte("x")); !errors.Is(err, ErrNotRegular) {
			t.Errorf("Append(%q) = %v, want ErrNotRegular", name, err)
		}
	}
	if _, err := d.ReadFile("sparse", 1<<20); !errors.Is(err, ErrTooLarge) {
		t.Errorf("ReadFile(sparse) = %v, want ErrTooLarge", err)
	}
	if got, err := d.ReadFile("ok", 5); err != nil || string(got) != "12345" {
		t.Errorf("ReadFile at the limit = %q, %v", got, err)
	}
	if _, err := d.ReadFile("ok", 4); !errors.Is(err, ErrTooLarge) {
		t.Errorf("ReadFile one over the limit = %v, want ErrTooLarge", err)
	}
	if _, err := d.ReadFile("none", 4); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("ReadFile(none) = %v, want fs.ErrNotExist", err)
	}
	if runtime.GOOS != "windows" {
		if _, err := d.ReadFile("open", 4); !errors.As(err, new(*InsecureError)) {
			t.Errorf("ReadFile(mode 0666) = %v, want *InsecureError", err)
		}
	}
}

// Readers that meet a writer see one of the two contents and no error.
func TestReadWhileReplaced(t *testing.T) {
	t.Parallel()
	d := openHome(t, nil)
	old, new := strings.Repeat("a", 5000), strings.Repeat("b", 9000)
	must(t, d.WriteFile("f", []byte(old), 0o600))
	done := make(chan error, 1)
	go func() {
		for i := range 100 {
			if err := d.WriteFile("f", []byte([]string{new, old}[i%2]), 0o600); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	for {
		select {
		case err := <-done:
			must(t, err)
			return
		default:
		}
		got, err := d.ReadFile("f", 10000)
		if err != nil || string(got) != old && string(got) != new {
			t.Errorf("ReadFile = %d bytes, %v", len(got), err)
			must(t, <-done)
			return
		}
	}
}

func TestLedger(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 10000) // the search for the last newline needs several steps
	tests := []struct {
		name, before string
		want         []string
		torn         bool
		after        string
	}{
		{"missing", "-", nil, false, "{new}\n{2}\n"},
		{"empty", "", nil, false, "{new}\n{2}\n"},
		{"complete", "{a}\n{b}\n", []string{"{a}", "{b}"}, false, "{a}\n{b}\n{new}\n{2}\n"},
		{"empty line", "{a}\n\n", []string{"{a}", ""}, false, "{a}\n\n{new}\n{2}\n"},
		{"torn", "{a}\n{b}\n{\"to", []string{"{a}", "{b}"}, true, "{a}\n{b}\n{new}\n{2}\n"},
		{"only torn", "{\"to", nil, true, "{new}\n{2}\n"},
		{"torn long", "{a}\n" + long, []string{"{a}"}, true, "{a}\n{new}\n{2}\n"},
		{"torn with zeros", "{a}\n\x00\x00\x00", []string{"{a}"}, true, "{a}\n{new}\n{2}\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := openHome(t, nil)
			if tt.before != "-" {
				must(t, os.WriteFile(d.Path("l"), []byte(tt.before), 0o600))
				lines, torn, err := d.ReadLines("l", 1<<20)
				must(t, err)
				var got []string
				for _, l := range lines {
					got = append(got, string(l))
				}
				if !slices.Equal(got, tt.want) || torn != tt.torn {
					t.Errorf("ReadLines = %q, %v, want %q, %v", got, torn, tt.want, tt.torn)
				}
				// Reading repairs nothing: it must work on a read-only disk.
				if b, err := os.ReadFile(d.Path("l")); err != nil || string(b) != tt.before {
					t.Errorf("ReadLines changed the file: %v", err)
				}
			}
			must(t, d.Append("l", []byte("{new}"), []byte("{2}")))
			if b, err := os.ReadFile(d.Path("l")); err != nil || string(b) != tt.after {
				t.Errorf("after Append: %q, %v, want %q", b, err, tt.after)
			}
		})
	}
	d := openHome(t, nil)
	if err := d.Append("l", []byte("a\nb")); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("Append of two lines in one = %v, want fs.ErrInvalid", err)
	}
	if _, _, err := d.ReadLines("l", 10); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("ReadLines(missing) = %v, want fs.ErrNotExist", err)
	}
	must(t, d.Append("l", []byte("1234")))
	if _, _, err := d.ReadLines("l", 4); !errors.Is(err, ErrTooLarge) {
		t.Errorf("ReadLines over the limit = %v, want ErrTooLarge", err)
	}
}

// security 3.6 row 100: an existing target stays, whatever it is.
func TestRenameNoReplace(t *testing.T) {
	t.Parallel()
	kinds := map[string]func(*Dir) error{
		"native":   func(d *Dir) error { return d.RenameNoReplace("src", "dst") },
		"portable": func(d *Dir) error { return d.renamePortable("src", "dst") },
	}
	put := map[string]func(*Dir, string) error{
		"file": func(d *Dir, n string) error { return d.WriteNew(n, []byte(n), 0o600) },
		"dir": func(d *Dir, n string) error {
			return errors.Join(d.MkdirAll(n), d.WriteNew(n+"/f", []byte(n), 0o600))
		},
		"empty dir": func(d *Dir, n string) error { return d.MkdirAll(n) },
		"link":      func(d *Dir, n string) error { return os.Symlink("nowhere", d.Path(n)) },
	}
	for kind, rename := range kinds {
		for _, src := range []string{"file", "dir"} {
			d := openHome(t, nil)
			must(t, put[src](d, "src"))
			if err := rename(d); err != nil {
				t.Errorf("%s: %s to a free name: %v", kind, src, err)
			}
			if _, err := d.Lstat("src"); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: the old name of a %s is still there: %v", kind, src, err)
			}
			for dst := range put {
				d := openHome(t, nil)
				must(t, put[src](d, "src"))
				must(t, put[dst](d, "dst"))
				before := snapshot(t, d.abs)
				if err := rename(d); !errors.Is(err, fs.ErrExist) {
					t.Errorf("%s: %s to taken %s = %v, want fs.ErrExist", kind, src, dst, err)
				}
				same(t, kind+" "+src+" "+dst, snapshot(t, d.abs), before)
			}
		}
	}
}

func same(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	for p, w := range want {
		if got[p] != w {
			t.Errorf("%s: %s = %q, want %q", what, p, got[p], w)
		}
	}
	for p := range got {
		if _, ok := want[p]; !ok {
			t.Errorf("%s: %s appeared", what, p)
		}
	}
}

func TestSyncEach(t *testing.T) {
	t.Parallel()
	var c counter
	d := openHome(t, nil)
	must(t, d.MkdirAll("t/a/b"))
	must(t, d.WriteNew("t/f", nil, 0o444))
	must(t, d.WriteNew("t/a/b/f", nil, 0o600))
	d.hook = c.hook
	must(t, d.syncEach("t"))
	want := 2 // files
	if canSyncDir {
		want += 3
	}
	if c.n[OpSync] != want {
		t.Errorf("%d fsync, want %d", c.n[OpSync], want)
	}
	must(t, os.Symlink("f", d.Path("t/link")))
	if err := d.syncEach("t"); !errors.Is(err, ErrNotRegular) {
		t.Errorf("tree with a link = %v, want ErrNotRegular", err)
	}
}

func TestReadOnlyTree(t *testing.T) {
	t.Parallel()
	d := openHome(t, nil)
	must(t, d.MkdirAll("t/a"))
	must(t, d.WriteNew("t/a/f", []byte("x"), 0o600))
	must(t, d.WriteNew("t/x", []byte("x"), 0o700))
	must(t, os.Symlink(d.Path("t/x"), d.Path("t/a/link")))
	if err := d.MakeReadOnly("t"); !errors.Is(err, ErrNotRegular) {
		t.Errorf("MakeReadOnly with a link = %v, want ErrNotRegular", err)
	}
	must(t, os.Remove(d.Path("t/a/link")))
	must(t, d.MakeReadOnly("t"))
	must(t, d.Place("t", "p"))
	if runtime.GOOS != "windows" {
		for p, want := range map[string]fs.FileMode{"p": 0o500, "p/a": 0o500, "p/a/f": 0o400, "p/x": 0o500} {
			if info, err := d.Lstat(p); err != nil || info.Mode().Perm() != want {
				t.Errorf("mode of %s = %v, %v, want %v", p, info.Mode(), err, want)
			}
		}
	}
	must(t, d.RemoveAll("p"))
	must(t, d.RemoveAll("p"))
	if n := staged(t, d); len(n) != 0 {
		t.Errorf("left over: %v", n)
	}
}

// RemoveAll removes a link and not what it points to.
func TestRemoveAllDoesNotFollow(t *testing.T) {
	t.Parallel()
	d := openHome(t, nil)
	must(t, d.MkdirAll("keep"))
	must(t, d.WriteNew("keep/f", []byte("x"), 0o600))
	must(t, d.MkdirAll("t/a"))
	must(t, os.Symlink("../keep", d.Path("t/link")))
	must(t, os.Symlink("../../keep/f", d.Path("t/a/link")))
	must(t, os.Symlink("keep", d.Path("top")))
	must(t, d.RemoveAll("t"))
	must(t, d.RemoveAll("top"))
	if b, err := d.ReadFile("keep/f", 10); err != nil || string(b) != "x" {
		t.Errorf("target of a link = %q, %v; want it untouched", b, err)
	}
}

func TestSub(t *testing.T) {
	t.Parallel()
	var seen []string
	d := openHome(t, nil)
	must(t, d.MkdirAll("a/b"))
	must(t, os.Symlink("a", d.Path("link")))
	d.hook = func(op Op, name string) error { seen = append(seen, string(op)+" "+name); return nil }
	sub, err := d.Sub("a/b")
	must(t, err)
	defer sub.Close()
	must(t, sub.WriteNew("f", nil, 0o600))
	if want := []string{"create a/b/f", "write a/b/f"}; !slices.Equal(seen, want) {
		t.Errorf("hook saw %q, want %q", seen, want)
	}
	for _, name := range []string{"link", "a/b/f"} {
		if _, err := d.Sub(name); !errors.Is(err, ErrNotDir) {
			t.Errorf("Sub(%q) = %v, want ErrNotDir", name, err)
		}
	}
}

func TestStaging(t *testing.T) {
	t.Parallel()
	d := openHome(t, nil)
	if n, err := d.CleanStaging(); n != 0 || err != nil {
		t.Errorf("CleanStaging without staging = %d, %v", n, err)
	}
	live, err := d.Stage()
	must(t, err)
	must(t, live.Dir.WriteNew("f", nil, 0o600))
	// What dead processes leave: a tree with its lock file, a tree without, a
	// temporary file, a lock file alone; and something that is not ours.
	for _, dir := range []string{"0123456789abcdef", "1123456789abcdef"} {
		must(t, d.MkdirAll("staging/"+dir+"/a"))
		must(t, d.WriteNew("staging/"+dir+"/a/f", nil, 0o400))
		must(t, d.MakeReadOnly("staging/"+dir))
	}
	for _, f := range []string{"0123456789abcdef.lock", "2123456789abcdef.tmp", "3123456789abcdef.lock", "foreign"} {
		must(t, d.WriteNew("staging/"+f, nil, 0o600))
	}
	if n, err := d.CleanStaging(); n != 4 || err != nil {
		t.Errorf("CleanStaging = %d, %v, want 4", n, err)
	}
	base := filepath.Base(live.Name)
	want := []string{base, base + ".lock", "foreign"}
	slices.Sort(want)
	if got := staged(t, d); !slices.Equal(got, want) {
		t.Errorf("staging = %q, want %q", got, want)
	}
	must(t, live.Close())
	must(t, live.Close())
	if got := staged(t, d); !slices.Equal(got, []string{"foreign"}) {
		t.Errorf("staging after Close = %q", got)
	}
}

func TestCleanTemp(t *testing.T) {
	t.Parallel()
	d, err := OpenDir(t.TempDir(), Options{})
	must(t, err)
	defer d.Close()
	for _, f := range []string{".pinion-0123456789abcdef.tmp", "0123456789abcdef.tmp", "mine.tmp"} {
		must(t, d.WriteNew(f, nil, 0o600))
	}
	must(t, d.CleanTemp("."))
	left := snapshot(t, d.abs)
	if _, ok := left[".pinion-0123456789abcdef.tmp"]; ok || len(left) != 3 {
		t.Errorf("left: %v", left)
	}
}

func TestSwapDir(t *testing.T) {
	t.Parallel()
	d := openHome(t, nil)
	for _, content := range []string{"one", "two", "three"} {
		s, err := d.Stage()
		must(t, err)
		must(t, s.Dir.WriteNew("f", []byte(content), 0o400))
		must(t, d.SwapDir(s.Name, "snapshot"))
		must(t, s.Close())
		if b, err := d.ReadFile("snapshot/f", 10); err != nil || string(b) != content {
			t.Errorf("snapshot = %q, %v, want %q", b, err, content)
		}
		if n := staged(t, d); len(n) != 0 {
			t.Errorf("left over: %v", n)
		}
	}
	must(t, d.RecoverSwap("snapshot"))
	must(t, d.rename("snapshot", "snapshot.old")) // the state between the two renames
	must(t, d.RecoverSwap("snapshot"))
	if b, err := d.ReadFile("snapshot/f", 10); err != nil || string(b) != "three" {
		t.Errorf("recovered snapshot = %q, %v", b, err)
	}
	must(t, d.MkdirAll("snapshot.old/x")) // the state after them
	must(t, d.RecoverSwap("snapshot"))
	if _, err := d.Lstat("snapshot.old"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("old snapshot is still there: %v", err)
	}
}
