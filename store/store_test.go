package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pinion/hashes"
	"pinion/internal/fsx"
	"pinion/manifest"
	"pinion/tree"
)

// SB-001, SB-061: two versions side by side, read-only, with their receipts;
// nothing is active, and a later change of the source does not matter.
func TestInstall(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	s := h.open()
	one, two := h.install(s, "Text.Tools", "1.0.0"), h.install(s, "Text.Tools", "1.1.0")
	got, damaged, err := s.List(t.Context())
	must(t, err)
	if len(got) != 2 || len(damaged) != 0 || got[0].Build() != two || got[1].Build() != one {
		t.Fatalf("List = %v, %v, want both versions, the newest first", got, damaged)
	}
	r := got[1]
	if r.Schema != receiptSchema || r.Tool != "1.2.3" || !r.InstalledAt.Equal(testTime) || r.Format != "plain" || r.Kind != manifest.Skill ||
		r.Origin.Source != "github.com/acme/tools" || string(r.Origin.Entry) == "" || len(r.Files) != 4 || len(r.Components) != 1 || r.Bytes() == 0 {
		t.Errorf("receipt = %+v", r)
	}
	dir, err := s.Path(one)
	must(t, err)
	if want := filepath.Join(h.root, "packages/0123456789abcdef/=54ext.=54ools/1.0.0+"+one.Digest.Hex(8)); dir != want {
		t.Errorf("Path = %s, want %s", dir, want)
	}
	for p, want := range map[string]fs.FileMode{"id": 0o444, "bin/run.sh": 0o555} {
		info, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(p)))
		must(t, err)
		if hasModes && info.Mode().Perm()|0o044 != want|0o044 {
			t.Errorf("%s has mode %v, want %v", p, info.Mode(), want)
		}
	}
	if info, _ := os.Lstat(dir); hasModes && info.Mode().Perm()&0o222 != 0 {
		t.Errorf("%s can be written to: %v", dir, info.Mode())
	}
	if diffs, err := s.Verify(t.Context()); err != nil || len(diffs) != 0 {
		t.Errorf("Verify = %v, %v", diffs, err)
	}
	if p, err := s.Active(t.Context(), Scope{}, "Text.Tools"); err != nil || p.Current != nil {
		t.Errorf("Active = %+v, %v, want nothing", p, err)
	}
	if left := h.staged(); len(left) != 0 {
		t.Errorf("left over: %v", left)
	}
	if found, _, err := s.Find(t.Context(), "text.tools"); err != nil || len(found) != 0 {
		t.Errorf("Find of another case = %v, %v", found, err)
	}
	if found, _, err := s.Find(t.Context(), "Text.Tools"); err != nil || len(found) != 2 {
		t.Errorf("Find = %v, %v", found, err)
	}
}

func TestInstallAgain(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	s := h.open()
	h.install(s, "x", "1.0.0")
	before := h.snapshot()
	p, q := h.stage(s, "x", "1.0.0"), h.stage(s, "x", "1.0.0")
	placed, err := s.Commit(t.Context(), []Placement{p, q})
	must(t, err)
	if len(placed) != 2 || !placed[0].Already || !placed[1].Already {
		t.Errorf("Commit = %+v, want twice already there", placed)
	}
	same(t, "after the second installation", h.snapshot(), before)
}

func TestInstallBatch(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	s := h.open()
	must(t, s.Prepare(t.Context()))
	var batch []Placement
	for i := range 6 {
		batch = append(batch, h.stage(s, fmt.Sprintf("p%d", i), "1.0.0"))
	}
	batch = append(batch, h.stage(s, "p0", "1.0.0")) // the same again
	n := map[fsx.Op]int{}
	h.setHook(func(op fsx.Op, _ string) error { n[op]++; return nil })
	placed, err := s.Commit(t.Context(), batch)
	h.setHook(nil)
	must(t, err)
	if len(placed) != 7 || placed[5].ID != "p5" || placed[0].Already || !placed[6].Already {
		t.Errorf("Commit = %+v", placed)
	}
	if n[fsx.OpSyncFS] != 2 || n[fsx.OpSync] != 6 {
		t.Logf("steps: %v", n)
		if isLinux {
			t.Errorf("%d syncfs and %d fsync for a batch of 6, want 2 and 6", n[fsx.OpSyncFS], n[fsx.OpSync])
		}
	}
	if diffs, err := s.Verify(t.Context()); err != nil || len(diffs) != 0 {
		t.Errorf("Verify = %v, %v", diffs, err)
	}
}

// Only what was verified in the very stage is placed.
func TestCommitRefuses(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	s := h.open()
	good, other := h.stage(s, "x", "1.0.0"), h.stage(s, "x", "1.0.0")
	gone := h.stage(s, "x", "1.0.0")
	gone.Stage.Discard()
	long := h.stage(s, strings.Repeat("L", 120), "1.0.0")
	tests := []struct {
		name string
		p    Placement
		want error
	}{
		{"zero", Placement{Stage: good.Stage, Key: "k"}, ErrUnverified},
		{"no stage", Placement{Verified: good.Verified, Key: "k"}, ErrUnverified},
		{"another root", Placement{Stage: other.Stage, Verified: good.Verified, Key: "k"}, ErrUnverified},
		{"discarded", gone, ErrUnverified},
		{"no key", Placement{Stage: good.Stage, Verified: good.Verified}, nil},
		{"name too long", long, nil},
	}
	for _, tt := range tests {
		before := h.snapshot()
		_, err := s.Commit(t.Context(), []Placement{tt.p})
		if err == nil || tt.want != nil && !errors.Is(err, tt.want) {
			t.Errorf("%s: Commit = %v, want %v", tt.name, err, tt.want)
		}
		same(t, tt.name, h.snapshot(), before)
	}
}

func TestStageWriteRefuses(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	s := h.open()
	file := func(p string) tree.File { return tree.File{Path: p, Size: 1, Data: []byte("x")} }
	tests := []struct {
		name string
		t    tree.Tree
	}{
		{"partial", tree.Tree{Partial: true}},
		{"no data", tree.Tree{Files: []tree.File{{Path: "a", Size: 1}}}},
		{"dot dot", tree.Tree{Files: []tree.File{file("../a")}}},
		{"absolute", tree.Tree{Files: []tree.File{file("/a")}}},
		{"git", tree.Tree{Files: []tree.File{file(".git/config")}}},
		{"twice", tree.Tree{Files: []tree.File{file("a"), file("a")}}},
		{"file and directory", tree.Tree{Files: []tree.File{file("a"), file("a/b")}}},
	}
	for _, tt := range tests {
		st, err := s.Stage(t.Context())
		must(t, err)
		if err := st.Write(t.Context(), &tt.t, nil); err == nil {
			t.Errorf("%s: Write succeeded", tt.name)
		}
		st.Discard()
	}
	if left := h.staged(); len(left) != 0 {
		t.Errorf("left over: %v", left)
	}
}

// The execute bit is content in foreign formats only.
func TestStageModes(t *testing.T) {
	t.Parallel()
	if !hasModes {
		t.Skip("no permission bits on this system")
	}
	h := newHome(t)
	s := h.open()
	for _, strict := range []bool{true, false} {
		st, err := s.Stage(t.Context())
		must(t, err)
		tr := tree.Tree{Files: []tree.File{{Path: "a", Exec: true}, {Path: "b"}, {Path: "c", Exec: true}}}
		tr.Profile.Strict = strict
		must(t, st.Write(t.Context(), &tr, map[string]bool{"b": true, "c": false}))
		got := ""
		for _, n := range []string{"a", "b", "c"} {
			info, err := os.Lstat(filepath.Join(st.Root(), n))
			must(t, err)
			if info.Mode().Perm()&0o100 != 0 {
				got += n
			}
		}
		if want := map[bool]string{true: "", false: "ab"}[strict]; got != want {
			t.Errorf("strict %v: executable are %q, want %q", strict, got, want)
		}
		st.Discard()
	}
}

func TestBuildDir(t *testing.T) {
	t.Parallel()
	d, err := hashes.Tree([]hashes.File{{Path: "a"}})
	must(t, err)
	tests := []struct{ key, id, version, want string }{
		{"0123456789abcdef", "text-tools", "1.0.0", "0123456789abcdef/text-tools/1.0.0+"},
		{"k", "Text_Tools", "1.0.0-rc.1+b=1", "k/=54ext_=54ools/1.0.0-rc.1+b=3D1+"},
		{"k", "con", "1", "k/=63on/1+"},
		{"k", "com1.x", "1", "k/=63om1.x/1+"},
		{"k", "console", "1", "k/console/1+"},
		{"k", "a.", "..", "k/a=2E/..+"},
		{"k", "..", "../x", "k/.=2E/..=2Fx+"},
		{"k", ".", "ü\x00 ", "k/=2E/=C3=BC=00=20+"},
	}
	for _, tt := range tests {
		b := Build{Key: tt.key, ID: tt.id, Version: tt.version, Digest: d}
		want := "packages/" + tt.want + d.Hex(8)
		if got := b.Dir(); got != want || !fs.ValidPath(got) {
			t.Errorf("Dir of %q = %q, want %q", tt, got, want)
		}
		for _, p := range []string{b.Dir(), b.ReceiptPath(), b.place()} {
			got, err := ParseDir(p)
			if err != nil || got != (Location{tt.key, tt.id, tt.version, d.Hex(8)}) {
				t.Errorf("ParseDir(%q) = %v, %v", p, got, err)
			}
		}
	}
	for _, bad := range []string{"", "packages", "packages/k/id", "packages/k/id/1.0.0", "packages/k/id/1.0.0+ABCDEF01", "packages/k/id/+01234567",
		"packages/k/=41=4/1+01234567", "packages/k/Text/1+01234567", "packages/k/=61/1+01234567", "packages/k/con/1+01234567", "receipts/k/id/1+01234567",
		"packages/k//1+01234567", "packages/k/id/1+01234567/x", "packages/k/id/1+01234567.old"} {
		if got, err := ParseDir(bad); err == nil {
			t.Errorf("ParseDir(%q) = %v, want an error", bad, got)
		}
	}
}
