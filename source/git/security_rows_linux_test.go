package git

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"pinion/internal/testkit"
	"pinion/source"
)

// deltaPack is a pack of a few kilobytes: one blob of 16 MiB of zeros, and a
// delta that stands for copies times its content.
func deltaPack(copies int) []byte {
	base := make([]byte, 1<<24-1)
	varint := func(n int) (b []byte) { return binary.AppendUvarint(nil, uint64(n)) }
	header := func(kind, size int) []byte {
		b := []byte{byte(kind<<4 | size&15)}
		for size >>= 4; size > 0; size >>= 7 {
			b[len(b)-1] |= 0x80
			b = append(b, byte(size&0x7f))
		}
		return b
	}
	deflate := func(data []byte) []byte {
		var b bytes.Buffer
		z := zlib.NewWriter(&b)
		z.Write(data)
		z.Close()
		return b.Bytes()
	}
	delta := append(varint(len(base)), varint(len(base)*copies)...)
	delta = append(delta, bytes.Repeat([]byte{0xf0, 0xff, 0xff, 0xff}, copies)...) // copy all of the base
	id := sha1.Sum(fmt.Appendf([]byte(nil), "blob %d\x00%s", len(base), base))
	out := append([]byte("PACK"), 0, 0, 0, 2, 0, 0, 0, 2)
	out = append(append(out, header(3, len(base))...), deflate(base)...)
	out = append(append(append(out, header(7, len(delta))...), id[:]...), deflate(delta)...)
	sum := sha1.Sum(out)
	return append(out, sum[:]...)
}

// bombServer answers with the pack whatever is fetched.
func bombServer(t *testing.T, pack []byte, commit string) (url string) {
	t.Helper()
	line := func(s string) string { return fmt.Sprintf("%04x%s", len(s)+4, s) }
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/x-git-upload-pack-result")
		if !bytes.Contains(body, []byte("command=fetch")) {
			io.WriteString(w, line(commit+" HEAD symref-target:refs/heads/main\n")+line(commit+" refs/heads/main\n")+"0000")
			return
		}
		io.WriteString(w, line("packfile\n"))
		for rest := pack; len(rest) > 0; {
			n := min(len(rest), 60_000)
			io.WriteString(w, line("\x01"+string(rest[:n])))
			rest = rest[n:]
		}
		io.WriteString(w, "0000")
	}))
	t.Cleanup(srv.Close)
	return srv.URL + "/o/r"
}

// TestDeltaBomb shows that a delta which stands for gigabytes is refused instead
// of taking the memory, or the time, for them.
func TestDeltaBomb(t *testing.T) { // security 3.3 row 53
	t.Parallel()
	testkit.RequireGit(t)
	commit := strings.Repeat("a", 40)
	url := bombServer(t, deltaPack(200), commit) // 3.1 GiB
	r := remote(t, url, Options{Backend: System})
	s, err := r.Open(t.Context(), source.Pin{Commit: commit}, t.TempDir())
	if err == nil {
		s.Close()
		t.Fatal("the pack was taken")
	}
	if !strings.Contains(strings.ToLower(err.Error()), "memory") {
		t.Errorf("%v; want the limit of memory reached", err)
	}

	r = remote(t, url, Options{Backend: GoGit})
	if s, err = r.Open(t.Context(), source.Pin{Commit: commit}, t.TempDir()); err == nil {
		s.Close()
		t.Fatal("go-git took the pack")
	}
	if !strings.Contains(err.Error(), "a delta stands for") {
		t.Errorf("go-git: %v; want the delta's size to be refused", err)
	}
}
