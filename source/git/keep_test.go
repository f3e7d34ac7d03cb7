//go:build unix

package git

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pinion/internal/testkit"
	"pinion/source"
)

// thinPack returns the pack that a server sends for commit to somebody who has
// the other.
func thinPack(t testing.TB, repo *testkit.Repo, commit, have string) []byte {
	t.Helper()
	cmd := exec.Command("git", "--git-dir="+repo.Dir, "pack-objects", "--revs", "--thin", "--stdout", "--delta-base-offset", "-q")
	cmd.Stdin = strings.NewReader(commit + "\n^" + have + "\n")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// bigCatalog is a file of n lines, one of which differs for each round.
func bigCatalog(n, round int) string {
	var b strings.Builder
	for i := range n {
		r := 0
		if i == n/2 {
			r = round
		}
		fmt.Fprintf(&b, "%d: %x\n", i, sha1.Sum(fmt.Append(nil, i, r)))
	}
	return b.String()
}

// A refresh with one change starts no git, and what it leaves behind is what
// git's own index-pack would leave: packs that are complete by themselves, whose
// every object is as its id says. After many of them no chain of deltas is long.
func TestKeptPacks(t *testing.T) {
	t.Parallel()
	repo := testkit.NewRepo(t)
	files := testkit.Marketplace(30, 5)
	files["marketplace.json"] = testkit.Text(bigCatalog(2_000, 0)) // of which a delta is worth while
	repo.Commit("main", files)
	srv := testkit.NewGitServer(t)
	program, runs := counted(t, "no such option")
	r, cache := remote(t, srv.Add("acme/plugins", repo), Options{Program: program}), t.TempDir()
	all := openNow(t, r, cache)
	readTree(t, all, ".")
	all.Close()
	runs()
	const rounds = maxLinks + 4
	for round := range rounds {
		want := bigCatalog(2_000, round+1)
		repo.Update("main", testkit.Files{"marketplace.json": testkit.Text(want), "plugins/p00003/d0/f0.md": testkit.Text(fmt.Sprint(round))})
		s := openNow(t, r, cache)
		got, err := s.ReadFile(t.Context(), "marketplace.json", 1<<20)
		if err != nil || string(got) != want {
			t.Fatalf("round %d: %d bytes, %v", round, len(got), err)
		}
		if got := readTree(t, s, "plugins/p00003"); len(got) != 5 {
			t.Errorf("round %d: %q", round, got)
		}
		s.Close()
		if got := runs(); len(got) != 0 {
			t.Errorf("round %d ran git:\n%s", round, strings.Join(got, "\n"))
		}
	}
	packs, err := filepath.Glob(filepath.Join(cache, "objects", "pack", "*.idx"))
	if err != nil || len(packs) < rounds {
		t.Fatalf("%d packs, %v", len(packs), err)
	}
	for _, p := range packs {
		out, err := exec.Command("git", "verify-pack", "-v", p).CombinedOutput()
		if err != nil {
			t.Fatalf("git verify-pack: %v\n%s", err, out)
		}
		for line := range strings.Lines(string(out)) {
			if f := strings.Fields(line); len(f) == 7 && f[1] == "blob" && len(f[5]) > 1 && f[5] > fmt.Sprint(maxLinks+1) {
				t.Errorf("a chain of %s deltas", f[5])
			}
		}
	}
	gitWith(t, cache, "", "fsck", "--full", "--strict")
	// A new process reads them without what the one before had in memory.
	s := openNow(t, r, cache)
	defer s.Close()
	if got, err := s.ReadFile(t.Context(), "marketplace.json", 1<<20); err != nil || string(got) != bigCatalog(2_000, rounds) {
		t.Errorf("read again: %d bytes, %v", len(got), err)
	}
}

// A pack is kept, or left to git as if it had not been looked at (security 3.3
// rows 53 and 58).
func TestKeepRefuses(t *testing.T) {
	t.Parallel()
	repo := testkit.NewRepo(t)
	old := repo.Commit("main", testkit.Files{"a.md": testkit.Text(bigCatalog(500, 0))})
	now := repo.Update("main", testkit.Files{"a.md": testkit.Text(bigCatalog(500, 1))})
	good := thinPack(t, repo, now, old)
	sealed := func(body []byte) []byte {
		sum := sha1.Sum(body)
		return append(slices.Clone(body), sum[:]...)
	}
	body := good[:len(good)-sha1.Size]
	flip := func(at int) []byte {
		b := slices.Clone(body)
		b[at] ^= 1
		return sealed(b)
	}
	counting := func(n uint32) []byte {
		b := slices.Clone(body)
		binary.BigEndian.PutUint32(b[8:], n)
		return sealed(b)
	}
	deflated := func(data []byte) []byte {
		var z bytes.Buffer
		w := zlib.NewWriter(&z)
		w.Write(data)
		w.Close()
		return z.Bytes()
	}
	one := func(entry ...[]byte) []byte {
		return sealed(append([]byte("PACK\x00\x00\x00\x02\x00\x00\x00\x01"), bytes.Join(entry, nil)...))
	}
	base := bytes.Repeat([]byte{7}, sha1.Size)
	for _, tt := range []struct {
		name string
		pack []byte
		kept bool
	}{
		{"whole", good, true},
		{"cut off", good[:len(good)-1], false},
		{"more behind it", append(slices.Clone(good), 0), false},
		{"another sum", append(slices.Clone(body), base...), false},
		{"fewer objects", counting(1), false},
		{"more objects", counting(400), false},
		{"too many objects", counting(smallCount + 1), false},
		{"a bit of the last object", flip(len(body) - 3), false},
		{"larger than it says", one([]byte{0x33}, deflated([]byte("four"))), false},
		{"smaller than it says", one([]byte{0x35}, deflated([]byte("four"))), false},
		{"exactly", one([]byte{0x34}, deflated([]byte("four"))), true},
		{"a tag", one([]byte{0x44}, deflated([]byte("four"))), false},
		{"no such kind", one([]byte{0x54}, deflated([]byte("four"))), false},
		{"says terabytes", one([]byte{0xbf, 0xff, 0xff, 0xff, 0xff, 0x7f}, deflated(nil)), false},
		{"a base that is not here", one([]byte{0x74}, base, deflated([]byte("\x04\x01\x01x"))), false},
		{"a base before the pack", one([]byte{0x64, 0x7f}, deflated([]byte("\x04\x01\x01x"))), false},
		{"a base that is itself", one([]byte{0x64, 0x00}, deflated([]byte("\x04\x01\x01x"))), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			cache := t.TempDir()
			dir := filepath.Join(cache, "objects", "pack")
			if err := os.MkdirAll(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			first := sha1Pack(t, repo, old)
			set := newPackSet(cache, sha1.Size, DefaultLimits())
			defer set.close()
			if kept, err := set.keep(first, true); !kept || err != nil {
				t.Fatalf("keep = %v, %v", kept, err)
			}
			before := names(t, dir)
			kept, err := set.keep(tt.pack, false)
			if kept != tt.kept || err != nil {
				t.Errorf("keep = %v, %v, want %v", kept, err, tt.kept)
			}
			if !kept && !slices.Equal(names(t, dir), before) {
				t.Errorf("it left %q", names(t, dir))
			}
		})
	}
}

// sha1Pack is a pack of everything that a commit has.
func sha1Pack(t testing.TB, repo *testkit.Repo, commit string) []byte {
	t.Helper()
	cmd := exec.Command("git", "--git-dir="+repo.Dir, "pack-objects", "--revs", "--stdout", "-q")
	cmd.Stdin = strings.NewReader(commit + "\n")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func names(t *testing.T, dir string) (out []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

// A delta that stands for more than the limit is not worked out, and neither are
// many that are within it (security 3.3 row 53).
func TestKeepBombs(t *testing.T) {
	t.Parallel()
	size := func(n int) []byte {
		var b []byte
		for ; n >= 0x80; n >>= 7 {
			b = append(b, byte(n)|0x80)
		}
		return append(b, byte(n))
	}
	for name, each := range map[string]int{"one": smallObjects + 1, "all": smallObjects / 10} {
		var w packWriter
		w.at = packHead
		w.entry(oid{1}, entryBlob, 4, 0, deflate("four"))
		for i := range 12 {
			// It copies nothing: its size must be refused before its instructions are.
			delta := append(append(size(4), size(each)...), 0x91, 0, 1)
			w.entry(oid{byte(2 + i)}, entryOfsDelta, int64(len(delta)), packHead, deflate(string(delta)))
		}
		body := append([]byte("PACK\x00\x00\x00\x02\x00\x00\x00\x0d"), w.more.Bytes()...)
		sum := sha1.Sum(body)
		set := newPackSet(t.TempDir(), sha1.Size, DefaultLimits())
		if kept, err := set.keep(append(body, sum[:]...), false); kept || err != nil {
			t.Errorf("%s: keep = %v, %v", name, kept, err)
		}
	}
}

func deflate(text string) []byte {
	var z bytes.Buffer
	w := zlib.NewWriter(&z)
	w.Write([]byte(text))
	w.Close()
	return z.Bytes()
}

// What plainTree and plainCommit take, git's own check takes too. What they do
// not is left to git, so they may be too careful, not too generous (security 3.3
// rows 47 and 58).
func TestForm(t *testing.T) {
	t.Parallel()
	id := strings.Repeat("\x01", sha1.Size)
	entry := func(mode, name string) string { return mode + " " + name + "\x00" + id }
	fresh := func([]byte) bool { return true }
	for _, tt := range []struct {
		tree string
		want bool
	}{
		{"", true},
		{entry("100644", "a") + entry("40000", "b"), true},
		{entry("100755", ".gitignore") + entry("40000", ".github") + entry("100644", ".gitlab-ci.yml"), false}, // order: .github first
		{entry("40000", ".github") + entry("100755", ".gitignore") + entry("100644", ".gitlab-ci.yml"), true},
		{entry("120000", "a") + entry("160000", "m"), true},
		{entry("100644", "é.md"), true},
		{entry("100644", "a.b") + entry("40000", "a"), true},
		{entry("100644", "a") + entry("100644", "a.b") + entry("40000", "a"), false}, // twice, with another between
		{entry("40000", "a") + entry("100644", "a.b"), false},
		{entry("100644", "b") + entry("100644", "a"), false},
		{entry("100644", "a") + entry("100644", "a"), false},
		{entry("100644", "."), false}, {entry("100644", ".."), false}, {entry("100644", ""), false},
		{entry("100644", "a/b"), false}, {entry("40000", ".git"), false}, {entry("40000", ".GIT"), false},
		{entry("40000", ".git."), false}, {entry("40000", ".git "), false}, {entry("40000", ".git::$INDEX_ALLOCATION"), false},
		{entry("40000", "git~1"), false}, {entry("100644", "gitmod~1"), false}, {entry("40000", `a\.git`), false},
		{entry("40000", ".g\u200cit"), false}, {entry("40000", "\u200d.GiT"), false},
		{entry("100644", ".gitmodules"), false}, {entry("100644", ".GitModules"), false}, {entry("120000", ".gitignore"), false},
		{entry("100644", ".gitattributes"), false}, {entry("100644", ".Gitattributes"), false},
		{entry("100664", "a"), false}, {entry("0100644", "a"), false}, {entry("040000", "a"), false}, {entry("100600", "a"), false},
		{"100644 a\x00" + strings.Repeat("\x00", sha1.Size), false},
		{entry("100644", "a")[:20], false}, {"100644a\x00" + id, false},
	} {
		if got := plainTree([]byte(tt.tree), sha1.Size, fresh); got != tt.want {
			t.Errorf("plainTree(%q) = %v", tt.tree, got)
		}
	}
	if !plainTree([]byte(entry("100644", ".gitattributes")), sha1.Size, func([]byte) bool { return false }) {
		t.Error("a .gitattributes that was there before is refused")
	}
	hex := strings.Repeat("ab", sha1.Size)
	who := "A B <a@example.org> 1700000000 +0100\n"
	for text, want := range map[string]bool{
		"tree " + hex + "\nauthor " + who + "committer " + who + "\nmessage\n":                                           true,
		"tree " + hex + "\nparent " + hex + "\nparent " + hex + "\nauthor " + who + "committer " + who + "gpgsig x\n\nm": true,
		"tree " + hex + "\nauthor " + who + "committer " + who + "\nnul \x00 byte":                                       false,
		"tree " + hex[1:] + "\nauthor " + who + "committer " + who + "\n":                                                false,
		"tree " + hex + "\nauthor " + who + "\n":                                                                         false,
		"tree " + hex + "\nauthor <a@example.org> 1 +0000\ncommitter " + who + "\n":                                      false,
		"tree " + hex + "\nauthor A<a@example.org> 1 +0000\ncommitter " + who + "\n":                                     false,
		"tree " + hex + "\nauthor A <a@example.org> 01 +0000\ncommitter " + who + "\n":                                   false,
		"tree " + hex + "\nauthor A <a@example.org> 99999999999999999999 +0000\ncommitter " + who + "\n":                 false,
		"tree " + hex + "\nauthor A <a@example.org> 1 0000\ncommitter " + who + "\n":                                     false,
		"author " + who + "tree " + hex + "\ncommitter " + who + "\n":                                                    false,
		"tree " + hex + "\nencoding x\nauthor " + who + "committer " + who + "\n":                                        false,
		strings.Replace("tree "+hex+"\nauthor "+who+"committer "+who+"\n", "A B", "A > B", 1):                            false,
	} {
		if got := plainCommit([]byte(text)); got != want {
			t.Errorf("plainCommit(%q) = %v", text, got)
		}
	}
}

// The file that says what to make ready can be anything.
func TestWarmFile(t *testing.T) {
	t.Parallel()
	repo := testkit.NewRepo(t)
	repo.Commit("main", testkit.Files{"marketplace.json": testkit.Text(bigCatalog(2_000, 0))})
	srv := testkit.NewGitServer(t)
	r, cache := remote(t, srv.Add("acme/plugins", repo), Options{Backend: System}), t.TempDir()
	s := openNow(t, r, cache)
	readTree(t, s, ".")
	s.Close()
	for i, text := range []string{"", "\n\n", "not hex\n", strings.Repeat("ab", 400), strings.Repeat("0", 40) + "\n", repo.Head("main") + "\n" + repo.Head("main^{tree}"), strings.Repeat("ab", 20) + "\n" + strings.Repeat("zz", 20)} {
		if err := os.WriteFile(filepath.Join(cache, warmFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		want := bigCatalog(2_000, i+1)
		repo.Update("main", testkit.Files{"marketplace.json": testkit.Text(want)})
		s := openNow(t, r, cache)
		if got, err := s.ReadFile(t.Context(), "marketplace.json", 1<<20); err != nil || string(got) != want {
			t.Errorf("%q: %d bytes, %v", text, len(got), err)
		}
		s.Close()
		left, err := os.ReadFile(filepath.Join(cache, warmFile))
		if want := repo.Head("main:marketplace.json") + "\n"; err != nil || string(left) != want {
			t.Errorf("%q: left %q, %v, want %q", text, left, err, want)
		}
	}
}

// The server is asked before anything else is begun, and what can be done
// meanwhile is begun before it answers.
func TestWhileWaiting(t *testing.T) {
	t.Parallel()
	repo := testkit.NewRepo(t)
	repo.Commit("main", testkit.Marketplace(3, 3))
	srv := testkit.NewGitServer(t)
	r, cache := remote(t, srv.Add("acme/plugins", repo), Options{Backend: System}), t.TempDir()
	s := openNow(t, r, cache)
	readTree(t, s, ".")
	s.Close()
	repo.Update("main", testkit.Files{"a.md": testkit.Text("a")})
	pin, err := r.Resolve(t.Context(), source.Pin{})
	if err != nil {
		t.Fatal(err)
	}
	started := make(chan bool, 8)
	for want := range 2 {
		s, err := r.Open(source.WhileWaiting(t.Context(), func() { started <- true }), pin, cache)
		if err != nil {
			t.Fatal(err)
		}
		s.Close()
		// The second time nobody is asked.
		if n := len(started); n != 1 {
			t.Errorf("opening %d: begun %d times in all, want 1", want, n)
		}
	}
}

// What patchDelta makes of a delta is what git makes of it; damage is an error
// and never more than the size that was stated.
func FuzzDelta(f *testing.F) {
	f.Add([]byte("0123456789"), []byte("\x0a\x05\x91\x02\x05"))
	f.Add([]byte("0123456789"), []byte("\x0a\x03\x03abc"))
	f.Add([]byte("0123456789"), []byte("\x0a\x0d\x90\x0a\x03abc"))
	f.Add([]byte(""), []byte("\x00\x00"))
	f.Fuzz(func(t *testing.T, base, delta []byte) {
		var head deltaHead
		head.n = copy(head.data[:], delta)
		size, err := head.target()
		if err != nil || size > 1<<20 {
			return
		}
		got, err := patchDelta(nil, base, delta)
		if err == nil && int64(len(got)) != size {
			t.Errorf("%d bytes, the delta says %d", len(got), size)
		}
		want, werr := oraclePatch(base, delta)
		if len(base) > 0 && len(delta) >= 4 && size > 0 && (err == nil) != (werr == nil) || err == nil && werr == nil && !bytes.Equal(got, want) {
			t.Errorf("patchDelta = %q, %v; go-git %q, %v", got, err, want, werr)
		}
	})
}

// No pack makes keep fail, and what it keeps can be read.
func FuzzKeep(f *testing.F) {
	repo := testkit.NewRepo(f)
	old := repo.Commit("main", testkit.Files{"a.md": testkit.Text(bigCatalog(50, 0))})
	now := repo.Update("main", testkit.Files{"a.md": testkit.Text(bigCatalog(50, 1))})
	first := sha1Pack(f, repo, old)
	f.Add(thinPack(f, repo, now, old)[:40])
	thin := thinPack(f, repo, now, old)
	f.Add(thin[:len(thin)-sha1.Size])
	f.Add(first[:len(first)-sha1.Size])
	f.Fuzz(func(t *testing.T, body []byte) {
		cache := testkit.FastDir(t)
		if err := os.MkdirAll(filepath.Join(cache, "objects", "pack"), 0o700); err != nil {
			t.Fatal(err)
		}
		set := newPackSet(cache, sha1.Size, DefaultLimits())
		defer set.close()
		if kept, err := set.keep(first, true); !kept || err != nil {
			t.Fatalf("keep = %v, %v", kept, err)
		}
		sum := sha1.Sum(body)
		kept, err := set.keep(append(slices.Clone(body), sum[:]...), false)
		if err != nil {
			t.Fatal(err)
		}
		if !kept {
			return
		}
		again := newPackSet(cache, sha1.Size, DefaultLimits())
		defer again.close()
		r := again.reader()
		defer r.close()
		for id, o := range set.memo.objects {
			kind, data, err := readOne(r, fmt.Sprintf("%x", id), smallObjects)
			if err != nil || kind != entryKinds[o.kind] || !bytes.Equal(data, o.data) {
				t.Errorf("%x: a %s of %d bytes, %v", id, kind, len(data), err)
			}
		}
	})
}
