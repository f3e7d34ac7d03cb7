package tree

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing"
	"time"

	"pinion/hashes"
)

// item is one entry of an archive that a test makes.
type item struct {
	name, data string
	typ        byte   // a tar type; '0' is a file
	target     string // of a link
	mode       int64
}

func file(name, data string) item { return item{name: name, data: data, typ: tar.TypeReg, mode: 0o644} }

func tarOf(t testing.TB, items ...item) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	for _, i := range items {
		h := &tar.Header{Typeflag: i.typ, Name: i.name, Linkname: i.target, Mode: i.mode, Size: int64(len(i.data)), ModTime: time.Unix(1, 0)}
		if i.typ == tar.TypeXGlobalHeader {
			h = &tar.Header{Typeflag: i.typ, Name: i.name, PAXRecords: map[string]string{"comment": "0123"}}
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, i.data); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func gzipOf(t testing.TB, data []byte) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := gzip.NewWriter(&buf)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func zipOf(t testing.TB, items ...item) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	for _, i := range items {
		h := &zip.FileHeader{Name: i.name, Method: zip.Deflate}
		mode := fs.FileMode(i.mode)
		data := i.data
		switch i.typ {
		case tar.TypeSymlink:
			mode |= fs.ModeSymlink
			data = i.target
		case tar.TypeFifo:
			mode |= fs.ModeNamedPipe
		case tar.TypeDir:
			mode |= fs.ModeDir
		}
		h.SetMode(mode)
		f, err := w.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(f, data); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func profileOf(strict bool) Options {
	p := Profile{Limits: Foreign()}
	if strict {
		p = Profile{Limits: Native(), Strict: true}
	}
	return Options{Profile: func([]string) Profile { return p }}
}

func fromArchive(t testing.TB, name string, data []byte, opts Options) *Tree {
	t.Helper()
	tr, err := FromArchive(t.Context(), bytes.NewReader(data), int64(len(data)), name, opts, new(Scratch))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return tr
}

// contents lists the files of a tree, an executable one with a star.
func contents(tr *Tree) string {
	var out []string
	for _, f := range tr.Files {
		star := ""
		if f.Exec {
			star = "*"
		}
		out = append(out, fmt.Sprintf("%s%s=%s", f.Path, star, f.Data))
	}
	return strings.Join(out, " ")
}

// every makes the archive in each format.
func every(t testing.TB, items ...item) map[string][]byte {
	plain := tarOf(t, items...)
	return map[string][]byte{"p.tar": plain, "p.tar.gz": gzipOf(t, plain), "P.TGZ": gzipOf(t, plain), "p.zip": zipOf(t, items...)}
}

func TestIsArchive(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"a.tar.gz": true, "a.tgz": true, "a.tar": true, "a.zip": true, "A.ZIP": true, "dir/a-1.0.0.tar.gz": true, "a.mcpb": true, "A.DXT": true,
		"a.gz": false, "a": false, "tar": false, "a.zip.txt": false, "a.tar.xz": false,
	} {
		if got := IsArchive(name); got != want {
			t.Errorf("IsArchive(%q) = %v, want %v", name, got, want)
		}
	}
}

// SB-034: one folder around everything is taken off, and nothing else is.
func TestArchiveFolder(t *testing.T) {
	t.Parallel()
	dir := func(name string) item { return item{name: name + "/", typ: tar.TypeDir, mode: 0o755} }
	for _, c := range []struct {
		name      string
		items     []item
		want, top string
	}{
		{"none", []item{file("SKILL.md", "s"), file("d/x", "x")}, "SKILL.md=s d/x=x", "SKILL.md d"},
		{"one", []item{file("p-1/SKILL.md", "s"), file("p-1/d/x", "x")}, "SKILL.md=s d/x=x", "SKILL.md d"},
		{"one, listed", []item{dir("p-1"), dir("p-1/d"), file("p-1/d/x", "x"), file("p-1/SKILL.md", "s")}, "SKILL.md=s d/x=x", "SKILL.md d"},
		{"tar -c .", []item{dir("."), file("./SKILL.md", "s"), dir("./d"), file("./d/x", "x")}, "SKILL.md=s d/x=x", "SKILL.md d"},
		{"tar -c ./p", []item{dir("./p"), file("./p/SKILL.md", "s")}, "SKILL.md=s", "SKILL.md"},
		{"only one of two", []item{file("p/q/SKILL.md", "s")}, "q/SKILL.md=s", "q"},
		{"two", []item{file("p/SKILL.md", "s"), file("q/x", "x")}, "p/SKILL.md=s q/x=x", "p q"},
		{"and a file", []item{file("p/SKILL.md", "s"), file("README", "r")}, "README=r p/SKILL.md=s", "README p"},
		{"a folder of the format", []item{file(".claude-plugin/plugin.json", "{}")}, ".claude-plugin/plugin.json={}", ".claude-plugin"},
		{"a folder that is part of a package", []item{file("skills/a/SKILL.md", "s")}, "skills/a/SKILL.md=s", "skills"},
		{"a folder called like a part", []item{file("skills/a/SKILL.md", "s"), file("skills/.claude-plugin/plugin.json", "{}")}, ".claude-plugin/plugin.json={} a/SKILL.md=s", ".claude-plugin a"},
		{"a folder called like a part, with one", []item{file("skills/skills/a/SKILL.md", "s")}, "skills/a/SKILL.md=s", "skills"},
		{"a file like the folder", []item{file("p", "s")}, "p=s", "p"},
		{"nothing", nil, "", ""},
	} {
		for name, data := range every(t, c.items...) {
			tr := fromArchive(t, name, data, profileOf(false))
			if got := contents(tr); got != c.want || strings.Join(tr.Top, " ") != c.top || tr.Partial {
				t.Errorf("%s, %s: %q, top %q, problems %v; want %q, top %q", c.name, name, got, tr.Top, tr.Problems, c.want, c.top)
			}
			for _, f := range tr.Files {
				if f.Sum != hashes.Of(f.Data) {
					t.Errorf("%s, %s: the sum of %s is wrong", c.name, name, f.Path)
				}
			}
		}
	}
}

// SB-030, SB-033, SB-034, security 3.1 rows 1-4, 10, 12 and 3.2 rows 20, 24-26
func TestArchiveEntries(t *testing.T) {
	t.Parallel()
	ok := file("SKILL.md", "s")
	for _, c := range []struct {
		name            string
		item            item
		strict, foreign string
		partial         bool   // in a foreign tree
		only            string // "tar": a zip has no such entry
	}{
		{name: "executable", item: item{name: "run", typ: '0', mode: 0o755}, strict: "", foreign: ""},
		{name: "setuid", item: item{name: "run", typ: '0', mode: 0o4755}, strict: "", foreign: ""},
		{name: "zip-slip", item: file("../evil", "x"), strict: "path/invalid error", foreign: "path/invalid error", partial: true},
		{name: "zip-slip inside", item: file("a/../../evil", "x"), strict: "path/invalid error", foreign: "path/invalid error", partial: true},
		{name: "absolute", item: file("/etc/cron.d/evil", "x"), strict: "path/invalid error", foreign: "path/invalid error", partial: true},
		{name: "backslash", item: file(`..\evil`, "x"), strict: "path/invalid error", foreign: "path/invalid error", partial: true},
		{name: "drive", item: file("C:/evil", "x"), strict: "path/invalid error", foreign: "path/invalid error", partial: true},
		{name: "not canonical", item: file("a//b", "x"), strict: "path/invalid error", foreign: "path/invalid error", partial: true},
		{name: "dot inside", item: file("a/./b", "x"), strict: "path/invalid error", foreign: "path/invalid error", partial: true},
		{name: "newline", item: file("a\nb", "x"), strict: "path/invalid error", foreign: "path/invalid error", partial: true},
		{name: "escape", item: file("a\x1b[2J", "x"), strict: "path/invalid error", foreign: "path/invalid error", partial: true},
		{name: "directory outside", item: item{name: "../evil/", typ: tar.TypeDir}, strict: "path/invalid error", foreign: "path/invalid error", partial: true},
		{name: "long", item: file(strings.Repeat("abcdefghi/", 500)+"x", "x"), strict: "path/invalid error", foreign: "path/invalid error", partial: true},
		{name: "git's data", item: file(".git/config", "x"), strict: "path/invalid error", foreign: ""},
		{name: "git's data in disguise", item: file(".GIT/config", "x"), strict: "path/invalid error", foreign: "path/invalid error", partial: true},
		{name: "link", item: item{name: "l", typ: tar.TypeSymlink, target: "SKILL.md"}, strict: "files/symlink error", foreign: "files/symlink error"},
		{name: "link outside", item: item{name: "l", typ: tar.TypeSymlink, target: "/etc/passwd"}, strict: "files/symlink error", foreign: "files/symlink error"},
		{name: "hard link", item: item{name: "l", typ: tar.TypeLink, target: "SKILL.md"}, strict: "files/hardlink error", foreign: "files/hardlink error", partial: true, only: "tar"},
		{name: "hard link outside", item: item{name: "l", typ: tar.TypeLink, target: "/etc/passwd"}, strict: "files/hardlink error", foreign: "files/hardlink error", partial: true, only: "tar"},
		{name: "character device", item: item{name: "d", typ: tar.TypeChar}, strict: "files/special error", foreign: "files/special error", only: "tar"},
		{name: "block device", item: item{name: "d", typ: tar.TypeBlock}, strict: "files/special error", foreign: "files/special error", only: "tar"},
		{name: "FIFO", item: item{name: "d", typ: tar.TypeFifo}, strict: "files/special error", foreign: "files/special error"},
		{name: "twice", item: file("SKILL.md", "other"), strict: "path/collision error", foreign: "path/collision error", partial: true},
		{name: "twice with a dot", item: file("./SKILL.md", "other"), strict: "path/collision error", foreign: "path/collision error", partial: true},
		{name: "file as directory", item: file("SKILL.md/x", "x"), strict: "path/collision error", foreign: "path/collision error", partial: true},
		{name: "case", item: file("skill.md", "x"), strict: "path/collision error", foreign: "path/collision warning"},
		{name: "empty directory", item: item{name: "e/", typ: tar.TypeDir}, strict: "files/empty-dir note", foreign: "files/empty-dir note"},
		{name: "commit of git archive", item: item{name: "pax_global_header", typ: tar.TypeXGlobalHeader}, only: "tar"},
	} {
		for name, data := range every(t, ok, c.item) {
			if c.only != "" && name == "p.zip" {
				continue
			}
			for _, strict := range []bool{true, false} {
				want := c.foreign
				if strict {
					want = c.strict
				}
				tr := fromArchive(t, name, data, profileOf(strict))
				if got := verdict(tr); got != want || !strict && tr.Partial != c.partial {
					t.Errorf("%s, %s, strict %v: %q, partial %v; want %q", c.name, name, strict, got, tr.Partial, want)
				}
				if tr.Lookup("SKILL.md") == nil {
					t.Errorf("%s, %s: SKILL.md is lost", c.name, name)
				}
				for _, f := range tr.Files {
					if f.Exec != (f.Path == "run") {
						t.Errorf("%s, %s: %s has exec %v", c.name, name, f.Path, f.Exec)
					}
				}
			}
		}
	}
}

// What is not the archive its name says.
func TestNotArchive(t *testing.T) {
	t.Parallel()
	tarball := tarOf(t, file("a", "a"))
	for _, c := range []struct {
		name string
		data []byte
	}{
		{"p.txt", tarball}, {"p", tarball}, {"p.zip", tarball}, {"p.tgz", tarball}, {"p.tar", gzipOf(t, tarball)},
		{"p.tar", zipOf(t, file("a", "a"))}, {"p.zip", nil}, {"p.tar", nil}, {"p.tgz", nil}, {"p.zip", []byte("P")},
		{"p.zip", append([]byte("#!/bin/sh\n"), zipOf(t, file("a", "a"))...)},
	} {
		_, err := FromArchive(t.Context(), bytes.NewReader(c.data), int64(len(c.data)), c.name, Options{}, new(Scratch))
		if !errors.Is(err, ErrNotArchive) {
			t.Errorf("%s of %d bytes: %v, want ErrNotArchive", c.name, len(c.data), err)
		}
	}
}

// The size of the file itself is looked at before anything is read.
func TestArchiveTooLarge(t *testing.T) {
	t.Parallel()
	tr, err := FromArchive(t.Context(), noReads{t}, MaxArchive+1, "p.tgz", profileOf(true), new(Scratch))
	if err != nil || verdict(tr) != "files/limit error" || !tr.Partial {
		t.Errorf("%v, %v", tr, err)
	}
}

type noReads struct{ t *testing.T }

func (n noReads) ReadAt([]byte, int64) (int, error) {
	n.t.Error("the archive is read")
	return 0, io.EOF
}

// failing reads well until it fails like a disk.
type failing struct {
	*bytes.Reader
	left int
}

func (f *failing) ReadAt(p []byte, off int64) (int, error) {
	if f.left--; f.left < 0 {
		return 0, &fs.PathError{Op: "read", Path: "p", Err: errors.New("input/output error")}
	}
	return f.Reader.ReadAt(p, off)
}

// A disk that fails is an error, never a finding about the content, and a tree
// is never returned as if it were whole.
func TestArchiveReadErrors(t *testing.T) {
	t.Parallel()
	big := file("a", strings.Repeat("0123456789abcdef", 20_000))
	for name, data := range every(t, big, file("b", "b")) {
		failed := 0
		for n := range 100 {
			tr, err := FromArchive(t.Context(), &failing{bytes.NewReader(data), n}, int64(len(data)), name, profileOf(true), new(Scratch))
			if err == nil {
				if tr.Partial || len(tr.Problems) > 0 {
					t.Errorf("%s: the failure of read %d became %v", name, n, tr.Problems)
				}
				break
			}
			failed++
		}
		if failed == 0 {
			t.Errorf("%s: no read failed", name)
		}
	}
}

func TestArchiveCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, data := range every(t, file("a", "a")) {
		if _, err := FromArchive(ctx, bytes.NewReader(data), int64(len(data)), name, profileOf(true), new(Scratch)); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, want context.Canceled", name, err)
		}
	}
}

// Only what is selected is taken.
func TestArchiveSelection(t *testing.T) {
	t.Parallel()
	opts := profileOf(false)
	opts.Want = func(p string) bool { return p == "skills/" || strings.HasPrefix(p, "skills/pdf") }
	for name, data := range every(t, file("r/skills/pdf/SKILL.md", "s"), file("r/skills/doc/SKILL.md", "d"), file("r/x", "x"), item{name: "r/l", typ: tar.TypeSymlink, target: "x"}) {
		tr := fromArchive(t, name, data, opts)
		if got := contents(tr); got != "skills/pdf/SKILL.md=s" || len(tr.Problems) > 0 {
			t.Errorf("%s: %q, %v", name, got, tr.Problems)
		}
	}
}

// Settings of the user's environment for the archive packages change nothing.
func TestInsecurePathSettings(t *testing.T) {
	t.Setenv("GODEBUG", "tarinsecurepath=0,zipinsecurepath=0")
	for name, data := range every(t, file("../evil", "x"), file("SKILL.md", "s")) {
		tr := fromArchive(t, name, data, profileOf(true))
		if verdict(tr) != "path/invalid error" || tr.Lookup("SKILL.md") == nil {
			t.Errorf("%s: %v", name, tr.Problems)
		}
	}
}

func FuzzFromArchive(f *testing.F) {
	for name, data := range every(f, file("p/SKILL.md", "s"), item{name: "p/l", typ: tar.TypeSymlink, target: "x"}, file("p/d/x", "x"), file("../y", "y")) {
		f.Add(name, data)
	}
	f.Add("p.tar", claim(1<<40))
	f.Add("p.mcpb", append(zipOf(f, file("a", "x")), signature("sig", 3)...))
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		for _, strict := range []bool{true, false} {
			tr, err := FromArchive(t.Context(), bytes.NewReader(data), int64(len(data)), name, profileOf(strict), new(Scratch))
			if err != nil {
				if !errors.Is(err, ErrNotArchive) {
					t.Fatalf("bytes in memory gave %v", err)
				}
				continue
			}
			var total int64
			for i, file := range tr.Files {
				total += int64(len(file.Data))
				if CheckPath(file.Path) != "" {
					t.Fatalf("%q was taken", file.Path)
				}
				if i > 0 && tr.Files[i-1].Path >= file.Path && !tr.Partial {
					t.Fatalf("%q after %q", file.Path, tr.Files[i-1].Path)
				}
				if !tr.Partial && (file.Sum != hashes.Of(file.Data) || file.Size != int64(len(file.Data))) {
					t.Fatalf("%q is not whole in a tree that is", file.Path)
				}
			}
			if total > tr.Profile.Bytes || len(tr.Files) > tr.Profile.Files {
				t.Fatalf("%d bytes in %d files", total, len(tr.Files))
			}
			if tr.Partial && len(tr.Problems) == 0 {
				t.Fatal("a partial tree without a reason")
			}
		}
	})
}
