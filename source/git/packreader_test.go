package git

import (
	"bytes"
	"compress/zlib"
	"context"
	"crypto/sha1"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pinion/internal/testkit"
)

// gitWith runs git on a repository with a standard input.
func gitWith(t *testing.T, dir, stdin string, args ...string) string {
	t.Helper()
	testkit.RequireGit(t)
	cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
	cmd.Stdin = strings.NewReader(stdin)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// blobs makes a bare repository with n blobs, each one line longer than the one
// before, and returns its directory, their ids and their contents.
func blobs(t *testing.T, format string, n int) (dir string, ids []string, data map[string]string) {
	t.Helper()
	dir = t.TempDir()
	gitWith(t, dir, "", "init", "-q", "--bare", "--object-format="+format)
	var in, text strings.Builder
	data = map[string]string{}
	var all []string
	for i := range n {
		fmt.Fprintf(&text, "%d: %x\n", i, sha1.Sum([]byte{byte(i), byte(i >> 8)}))
		content := text.String()
		if n > 1000 {
			content = fmt.Sprint(i)
		}
		fmt.Fprintf(&in, "blob\nmark :%d\ndata %d\n%s\n", i+1, len(content), content)
		all = append(all, content)
	}
	marks := filepath.Join(dir, "marks")
	gitWith(t, dir, in.String(), "-c", "fastimport.unpackLimit=0", "fast-import", "--quiet", "--export-marks="+marks)
	m, err := os.ReadFile(marks)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(m)) {
		var i int
		var id string
		if _, err := fmt.Sscanf(line, ":%d %s", &i, &id); err != nil {
			t.Fatal(err)
		}
		data[id] = all[i-1]
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return dir, ids, data
}

// packed makes a cache out of the objects of a repository.
func packed(t *testing.T, dir string, ids []string, args ...string) (cache string) {
	t.Helper()
	cache = t.TempDir()
	if err := os.MkdirAll(filepath.Join(cache, "objects", "pack"), 0o700); err != nil {
		t.Fatal(err)
	}
	args = append([]string{"pack-objects", "-q", "--window=20", "--depth=50", "--no-reuse-delta"}, args...)
	gitWith(t, dir, strings.Join(ids, "\n"), append(args, filepath.Join(cache, "objects", "pack", "pack"))...)
	return cache
}

// readAll reads objects, and their sizes before, and returns the first error.
func readAll(r *packReader, ids []string, want map[string]string) error {
	sizes, err := r.sizes(context.Background(), ids)
	if err != nil {
		return err
	}
	return readMany(r, ids, 64<<20, func(i int, kind string, got []byte) error {
		switch {
		case kind == "missing":
			return fmt.Errorf("%s is missing", ids[i])
		case kind != "blob" || string(got) != want[ids[i]]:
			return fmt.Errorf("%s: wrong content: a %s of %d bytes, want %d", ids[i], kind, len(got), len(want[ids[i]]))
		case sizes[i] != int64(len(got)):
			return fmt.Errorf("%s has %d bytes, its size was given as %d", ids[i], len(got), sizes[i])
		}
		return nil
	})
}

// What git packs, with every kind of delta, index and id, is read as it was
// before.
func TestPackReader(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, format string
		n            int
		args         []string
	}{
		{"offset deltas", "sha1", 200, []string{"--delta-base-offset"}},
		{"deltas by id", "sha1", 200, nil},
		{"large offsets", "sha1", 200, []string{"--index-version=2,0x80"}},
		{"SHA-256", "sha256", 200, []string{"--delta-base-offset"}},
		{"large index", "sha1", 12_000, nil},
		{"large index, SHA-256", "sha256", 12_000, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir, ids, data := blobs(t, tt.format, tt.n)
			set := newPackSet(packed(t, dir, ids, tt.args...), len(ids[0])/2, DefaultLimits())
			defer set.close()
			r := set.reader()
			if err := readAll(r, ids, data); err != nil {
				t.Error(err)
			}
			slices.Reverse(ids)
			if err := readAll(r, ids, data); err != nil {
				t.Errorf("backwards: %v", err)
			}
			if held := set.all()[0].held != nil; held != (tt.n < 1000) {
				t.Errorf("the index is held: %v", held)
			}
			none := strings.Repeat("0a", len(ids[0])/2)
			if kind, _, err := readOne(r, none, 1); kind != "missing" || err != nil {
				t.Errorf("an object that is not there: %s, %v", kind, err)
			}
			if sizes, err := r.sizes(t.Context(), []string{none, ids[0]}); err != nil || sizes[0] != -1 || sizes[1] < 0 {
				t.Errorf("sizes = %v, %v", sizes, err)
			}
		})
	}
}

// A pack that comes while a reader is open is found, and one limit holds for
// all kinds of entries.
func TestPackReaderGrowsAndLimits(t *testing.T) {
	t.Parallel()
	dir, ids, data := blobs(t, "sha1", 100)
	cache := packed(t, dir, ids[:50])
	longest := slices.MaxFunc(ids, func(a, b string) int { return len(data[a]) - len(data[b]) })
	limits := DefaultLimits()
	limits.Blob = int64(len(data[longest]))
	set := newPackSet(cache, sha1.Size, limits)
	defer set.close()
	r := set.reader()
	if err := readAll(r, ids[:50], data); err != nil {
		t.Fatal(err)
	}
	gitWith(t, dir, strings.Join(ids[50:], "\n"), "pack-objects", "-q", filepath.Join(cache, "objects", "pack", "pack"))
	if err := readAll(r, ids, data); err != nil {
		t.Error(err)
	}
	limits.Blob--
	low := newPackSet(cache, sha1.Size, limits)
	defer low.close()
	r = low.reader()
	if sizes, err := r.sizes(t.Context(), []string{longest}); err != nil || sizes[0] != limits.Blob+1 {
		t.Errorf("sizes = %v, %v: the size of what is too large must be told", sizes, err)
	}
	if _, _, err := readOne(r, longest, 1<<30); !errors.Is(err, errOversize) || errors.Is(err, errCorrupt) {
		t.Errorf("one byte above the limit: %v, want errOversize", err)
	}
}

// security 3.3 row 58: whatever becomes of the files, no wrong content is given.
func TestPackDamage(t *testing.T) {
	t.Parallel()
	dir, ids, data := blobs(t, "sha1", 12)
	for _, ext := range []string{".pack", ".idx"} {
		cache := packed(t, dir, ids, "--delta-base-offset")
		files, _ := filepath.Glob(filepath.Join(cache, "objects", "pack", "*"+ext))
		whole, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		os.Chmod(files[0], 0o600)
		try := func(what string, content []byte) (failed bool) {
			t.Helper()
			if err := os.WriteFile(files[0], content, 0o600); err != nil {
				t.Fatal(err)
			}
			set := newPackSet(cache, sha1.Size, DefaultLimits())
			defer set.close()
			err := readAll(set.reader(), ids, data)
			if err != nil && strings.Contains(err.Error(), "wrong content") {
				t.Errorf("%s %s: %v", ext, what, err)
			}
			return err != nil
		}
		failures := 0
		for i := 0; i < len(whole); i += 3 {
			bad := bytes.Clone(whole)
			bad[i] ^= 1 << (i % 8)
			if try(fmt.Sprintf("with byte %d flipped", i), bad) {
				failures++
			}
			if i%48 == 0 && !try(fmt.Sprintf("cut at %d", i), whole[:i]) {
				t.Errorf("%s cut at %d was read", ext, i)
			}
		}
		if failures == 0 {
			t.Errorf("%s: no flipped bit was noticed", ext)
		}
	}
}

// forged is a pack entry written by hand.
type forged struct {
	kind int
	size int64  // as stated
	base string // id of a REF_DELTA's base, or the bytes of an offset
	body []byte // before compression
	id   string
}

// forge writes a pack and its index, which are what they state but for their
// entries.
func forge(t testing.TB, entries []forged) (cache string) {
	t.Helper()
	pack := binary.BigEndian.AppendUint32([]byte("PACK\x00\x00\x00\x02"), uint32(len(entries)))
	offsets := map[string]int{}
	var ids []string
	for _, e := range entries {
		offsets[e.id] = len(pack)
		ids = append(ids, e.id)
		b, n := byte(e.kind<<4)|byte(e.size&15), e.size>>4
		for ; n > 0; n >>= 7 {
			pack = append(pack, b|0x80)
			b = byte(n & 0x7f)
		}
		pack = append(append(pack, b), e.base...)
		var z bytes.Buffer
		w := zlib.NewWriter(&z)
		w.Write(e.body)
		w.Close()
		pack = append(pack, z.Bytes()...)
	}
	sum := sha1.Sum(pack)
	pack = append(pack, sum[:]...)
	slices.Sort(ids)
	idx := []byte("\xfftOc\x00\x00\x00\x02")
	for i := range 256 {
		n := 0
		for _, id := range ids {
			if int(id[0]) <= i {
				n++
			}
		}
		idx = binary.BigEndian.AppendUint32(idx, uint32(n))
	}
	idx = append(idx, strings.Join(ids, "")...)
	for range ids {
		idx = binary.BigEndian.AppendUint32(idx, crc32.ChecksumIEEE(nil))
	}
	for _, id := range ids {
		idx = binary.BigEndian.AppendUint32(idx, uint32(offsets[id]))
	}
	idx = append(idx, sum[:]...)
	idx = append(idx, make([]byte, sha1.Size)...)
	cache = t.TempDir()
	dir := filepath.Join(cache, "objects", "pack")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for ext, data := range map[string][]byte{".pack": pack, ".idx": idx} {
		if err := os.WriteFile(filepath.Join(dir, "pack-0"+ext), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cache
}

func blobID(data string) string {
	sum := sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(data), data))
	return string(sum[:])
}

// security 3.3 row 53: what is small and stands for much, or leads to itself, is
// refused before memory or time is spent on it.
func TestForgedPacks(t *testing.T) {
	t.Parallel()
	const a, b = "aaaaaaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbbbbbb"
	good := forged{kind: entryBlob, size: 5, body: []byte("hello"), id: blobID("hello")}
	huge := []byte("\x05\xff\xff\xff\xff\xff\x7f\x90\x05") // of five bytes makes 4 TB
	tests := []struct {
		name    string
		entries []forged
		id      string
		want    error
	}{
		{"good", []forged{good}, good.id, nil},
		{"another id", []forged{{kind: entryBlob, size: 5, body: []byte("hello"), id: a}}, a, errCorrupt},
		{"size of terabytes", []forged{{kind: entryBlob, size: 1 << 42, body: []byte("x"), id: a}}, a, errOversize},
		{"shorter than stated", []forged{{kind: entryBlob, size: 9, body: []byte("hello"), id: a}}, a, errCorrupt},
		{"longer than stated", []forged{{kind: entryBlob, size: 4, body: []byte("hello"), id: a}}, a, errCorrupt},
		{"delta to terabytes", []forged{good, {kind: entryRefDelta, size: int64(len(huge)), base: good.id, body: huge, id: a}}, a, errOversize},
		{"delta of terabytes", []forged{good, {kind: entryRefDelta, size: 1 << 42, base: good.id, body: huge, id: a}}, a, errOversize},
		{"empty delta", []forged{good, {kind: entryRefDelta, base: good.id, id: a}}, a, errCorrupt},
		{"delta beyond its base", []forged{good, {kind: entryRefDelta, size: 4, base: good.id, body: []byte("\x05\x09\x90\x09"), id: a}}, a, errCorrupt},
		{"base is missing", []forged{{kind: entryRefDelta, size: 4, base: b, body: []byte("\x05\x05\x90\x05"), id: a}}, a, errCorrupt},
		{"delta of itself", []forged{{kind: entryRefDelta, size: 4, base: a, body: []byte("\x05\x05\x90\x05"), id: a}}, a, errCorrupt},
		{"deltas of each other", []forged{
			{kind: entryRefDelta, size: 4, base: b, body: []byte("\x05\x05\x90\x05"), id: a},
			{kind: entryRefDelta, size: 4, base: a, body: []byte("\x05\x05\x90\x05"), id: b},
		}, a, errCorrupt},
		{"offset of nothing", []forged{{kind: entryOfsDelta, size: 4, base: "\x00", body: []byte("\x05\x05\x90\x05"), id: a}}, a, errCorrupt},
		{"offset before the pack", []forged{{kind: entryOfsDelta, size: 4, base: "\x7f", body: []byte("\x05\x05\x90\x05"), id: a}}, a, errCorrupt},
		{"unknown kind", []forged{{kind: 5, size: 5, body: []byte("hello"), id: a}}, a, errCorrupt},
		{"kind zero", []forged{{kind: 0, size: 5, body: []byte("hello"), id: a}}, a, errCorrupt},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			set := newPackSet(forge(t, tt.entries), sha1.Size, DefaultLimits())
			defer set.close()
			id := hex.EncodeToString([]byte(tt.id))
			_, data, err := readOne(set.reader(), id, 1<<40)
			if !errors.Is(err, tt.want) || tt.want == nil && string(data) != "hello" {
				t.Errorf("%q, %v, want error %v", data, err, tt.want)
			}
		})
	}
}

// security 3.3 row 50: a cache that would make git read the objects of others is
// made anew.
func TestCacheOfOthers(t *testing.T) {
	t.Parallel()
	repo := testkit.NewRepo(t)
	repo.Commit("main", testkit.Files{"a": testkit.Text("1")})
	r := remote(t, testkit.NewGitServer(t).Add("acme/plugins", repo), Options{})
	for _, name := range []string{"objects/info/alternates", "info/grafts"} {
		cache := t.TempDir()
		openNow(t, r, cache).Close()
		path := filepath.Join(cache, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := writeFile(path, repo.Dir+"/objects\n"); err != nil {
			t.Fatal(err)
		}
		if got := readTree(t, openNow(t, r, cache), "."); len(got) != 1 {
			t.Errorf("%s: %q", name, got)
		}
		if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is still there: %v", name, err)
		}
	}
}

func FuzzPackEntry(f *testing.F) {
	var z bytes.Buffer
	w := zlib.NewWriter(&z)
	io.WriteString(w, "hello")
	w.Close()
	f.Add(append([]byte{entryBlob<<4 | 5}, z.Bytes()...))
	f.Add(append([]byte{entryOfsDelta<<4 | 5, 0x0c}, z.Bytes()...))
	f.Add(append([]byte{entryRefDelta<<4 | 5}, append(bytes.Repeat([]byte("a"), 20), z.Bytes()...)...))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) == 0 {
			return
		}
		cache := forge(t, []forged{
			{kind: entryBlob, size: 5, body: []byte("hello"), id: strings.Repeat("a", sha1.Size)},
			{kind: entryBlob, size: 5, body: []byte("hello"), id: strings.Repeat("b", sha1.Size)},
		})
		p, err := openPack(filepath.Join(cache, "objects", "pack", "pack-0"), sha1.Size, 100)
		if err != nil {
			t.Fatal(err)
		}
		defer p.close()
		off, err := p.find([]byte(strings.Repeat("b", sha1.Size)), nil)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(cache, "objects", "pack", "pack-0.pack")
		whole, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, append(append(whole[:off:off], data...), make([]byte, sha1.Size)...), 0o600); err != nil {
			t.Fatal(err)
		}
		p.end = off + int64(len(data))
		r := (&packSet{idLen: sha1.Size, limits: Limits{Blob: 1 << 20}}).reader()
		if _, content, err := r.u.entry(p, off); err == nil && len(content) > 1<<20 {
			t.Fatalf("%d bytes above the limit", len(content))
		}
	})
}
