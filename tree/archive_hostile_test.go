package tree

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
)

// Archives that have another meaning for other programs, or an unknown one.
func TestDamagedArchives(t *testing.T) {
	t.Parallel()
	one, two := file("a", strings.Repeat("first ", 100)), file("b", strings.Repeat("second ", 100))
	plain, zipped := tarOf(t, one), zipOf(t, one)
	packed := gzipOf(t, plain)
	flip := func(data []byte, at int) []byte {
		data = bytes.Clone(data)
		data[at] ^= 0x55
		return data
	}
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	set16 := func(data []byte, signature string, at int, v uint16) []byte {
		data = bytes.Clone(data)
		i := bytes.Index(data, []byte(signature))
		binary.LittleEndian.PutUint16(data[i+at:], v)
		return data
	}
	stored := func(extra string) []byte { // a zip with a comment
		var buf bytes.Buffer
		w := zip.NewWriter(&buf)
		f, err := w.CreateHeader(&zip.FileHeader{Name: "a"})
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(f, "x")
		if err := w.SetComment(extra); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return buf.Bytes()
	}
	// long adds the records of a large zip, with wrong offsets of the directory and
	// wrong lengths of their own.
	long := func(data []byte, off, more uint64) []byte {
		at := len(data) - zipEndLen
		end := data[at:]
		size, offset := binary.LittleEndian.Uint32(end[12:]), binary.LittleEndian.Uint32(end[16:])
		out := append(bytes.Clone(data[:at]), zip64End...)
		out = binary.LittleEndian.AppendUint64(out, zip64EndLen-12+more)
		out = append(out, make([]byte, 12)...) // versions and disks
		out = binary.LittleEndian.AppendUint64(out, 1)
		out = binary.LittleEndian.AppendUint64(out, 1)
		out = binary.LittleEndian.AppendUint64(out, uint64(size))
		out = binary.LittleEndian.AppendUint64(out, uint64(offset)+off)
		out = append(out, zip64Locator...)
		out = binary.LittleEndian.AppendUint32(out, 0)
		out = binary.LittleEndian.AppendUint64(out, uint64(at))
		out = binary.LittleEndian.AppendUint32(out, 1)
		end = bytes.Clone(end)
		binary.LittleEndian.PutUint32(end[16:], 0xffffffff)
		return append(out, end...)
	}
	for _, c := range []struct {
		what, name string
		data       []byte
		want       string
	}{
		{"whole", "p.tar", plain, ""},
		{"whole", "p.tgz", packed, ""},
		{"whole", "p.zip", zipped, ""},
		{"more padding", "p.tar", join(plain, make([]byte, 9000)), ""},
		{"a comment", "p.zip", stored("hello"), ""},
		{"second tar behind", "p.tar", join(plain, tarOf(t, two)), "archive/damaged error"},
		{"second tar in the stream", "p.tgz", gzipOf(t, join(plain, tarOf(t, two))), "archive/damaged error"},
		{"second member", "p.tgz", join(packed, gzipOf(t, tarOf(t, two))), "archive/damaged error"},
		{"bytes behind", "p.tgz", join(packed, []byte("x")), "archive/damaged error"},
		{"bytes behind", "p.tar", join(plain, []byte("x")), "archive/damaged error"},
		{"bytes behind", "p.zip", join(zipped, []byte("x")), "archive/damaged error"},
		{"zip in front", "p.zip", join(zipOf(t, two), zipped), "archive/damaged error"},
		{"end in the comment", "p.zip", stored("PK\x05\x06" + strings.Repeat("\x00", 18)), "archive/damaged error"},
		{"cut", "p.tar", plain[:700], "archive/damaged error"},
		{"cut at an entry", "p.tar", plain[:len(plain)-1024], "archive/damaged error"},
		{"cut", "p.tgz", packed[:len(packed)-3], "archive/damaged error"},
		{"zip of the same shape in front", "p.zip", join(zipped, zipped), "archive/damaged error"},
		{"data before the end", "p.zip", join(zipped[:len(zipped)-22], []byte("x"), zipped[len(zipped)-22:]), "archive/damaged error"},
		{"long form", "p.zip", long(zipped, 0, 0), ""},
		{"long form of another directory", "p.zip", long(zipped, 1, 0), "archive/damaged error"},
		{"long form that is longer than it says", "p.zip", long(zipped, 0, 1), "archive/damaged error"},
		{"cut", "p.zip", zipped[:len(zipped)-30], "archive/damaged error"},
		{"check sum", "p.tgz", flip(packed, len(packed)-6), "archive/damaged error"},
		{"header sum", "p.tar", flip(plain, 1), "archive/damaged error"},
		{"data", "p.zip", set16(zipped, "PK\x01\x02", 16, 7), "archive/damaged error"}, // the CRC
		{"size", "p.zip", set16(zipped, "PK\x01\x02", 24, 7), "archive/damaged error"},
		{"size", "p.zip", set16(zipped, "PK\x01\x02", 24, 6000), "archive/damaged error"},
		{"offset", "p.zip", set16(zipped, "PK\x01\x02", 42, 6000), "archive/damaged error"},
		{"method", "p.zip", set16(zipped, "PK\x01\x02", 10, 99), "archive/damaged error"},
		{"encrypted", "p.zip", set16(zipped, "PK\x01\x02", 8, 1), "archive/encrypted error"},
		{"strongly encrypted", "p.zip", set16(zipped, "PK\x01\x02", 8, 0x41), "archive/encrypted error"},
	} {
		tr := fromArchive(t, c.name, c.data, profileOf(true))
		if got := verdict(tr); got != c.want || tr.Partial != (c.want != "") {
			t.Errorf("%s, %s: %v, partial %v; want %q", c.what, c.name, tr.Problems, tr.Partial, c.want)
		}
	}
}

// zeros reads as so many zero bytes.
type zeros struct{ left int64 }

func (z *zeros) Read(p []byte) (int, error) {
	n := min(int64(len(p)), z.left)
	if n == 0 {
		return 0, io.EOF
	}
	clear(p[:n])
	z.left -= n
	return int(n), nil
}

// bombTar is a small .tar.gz whose one file has n bytes.
func bombTar(t testing.TB, n int64) []byte {
	t.Helper()
	var buf bytes.Buffer
	z := gzip.NewWriter(&buf)
	w := tar.NewWriter(z)
	if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: "bomb", Mode: 0o644, Size: n}); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(w, &zeros{n}); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// claim is a tar header alone that claims a file of n bytes, a sparse one whose
// bytes need not be there.
func claim(n int64) []byte {
	h := make([]byte, 512)
	copy(h, "bomb")
	copy(h[100:], "0000644\x00")
	copy(h[108:], "0000000\x000000000\x00")
	copy(h[124:], "00000000000\x0000000000000\x00") // stored size 0
	h[156] = tar.TypeGNUSparse
	copy(h[257:], "ustar  \x00")
	h[483] = 0x80 // real size, base 256
	binary.BigEndian.PutUint64(h[487:], uint64(n))
	copy(h[148:], "        ")
	sum := 0
	for _, c := range h {
		sum += int(c)
	}
	copy(h[148:], fmt.Sprintf("%06o\x00 ", sum))
	return append(h, make([]byte, 1024)...)
}

// security 3.2 rows 27, 29: nothing is allocated for what is refused.
func TestBombs(t *testing.T) {
	many := func(n int) []item {
		items := make([]item, n)
		for i := range items {
			items[i] = item{name: fmt.Sprintf("d%d/", i), typ: tar.TypeDir, mode: 0o755}
		}
		return items
	}
	for _, c := range []struct {
		what, name string
		data       []byte
		limited    bool
		mib        uint64 // that may be allocated
	}{
		{"2 MiB", "p.tgz", bombTar(t, NativeBytes), false, 8},
		{"2 MiB and one byte", "p.tgz", bombTar(t, NativeBytes+1), true, 4},
		{"100 MiB unpacked", "p.tgz", bombTar(t, 100<<20), true, 4},
		{"100 MiB of zeros", "p.tar.gz", func() []byte {
			var buf bytes.Buffer
			z := gzip.NewWriter(&buf)
			_, _ = io.Copy(z, &zeros{100 << 20})
			_ = z.Close()
			return buf.Bytes()
		}(), true, 4},
		{"sparse 1 TiB", "p.tar", claim(1 << 40), true, 4},
		{"sparse 2^62", "p.tar", claim(1 << 62), true, 4},
		{"20,001 directories", "p.tar", tarOf(t, many(20_001)...), true, 96},
		{"10,001 directories", "p.zip", zipOf(t, many(10_001)...), true, 96},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		tr := fromArchive(t, c.name, c.data, profileOf(true))
		runtime.ReadMemStats(&after)
		if got := strings.Contains(verdict(tr), "files/limit error"); got != c.limited || tr.Partial != c.limited {
			t.Errorf("%s: %.200v, partial %v; want a limit %v", c.what, tr.Problems, tr.Partial, c.limited)
		}
		if used := (after.TotalAlloc - before.TotalAlloc) >> 20; used > c.mib {
			t.Errorf("%s: %d MiB are allocated, more than %d", c.what, used, c.mib)
		}
	}
}

// A zip whose directory claims sizes that are not there, or is itself huge.
func TestZipBombs(t *testing.T) {
	data := zipOf(t, file("a", strings.Repeat("0", 1000)))
	i := bytes.Index(data, []byte("PK\x01\x02"))
	binary.LittleEndian.PutUint32(data[i+24:], 0xfffffff0) // 4 GiB unpacked
	if tr := fromArchive(t, "p.zip", data, profileOf(false)); verdict(tr) != "files/limit error" || !tr.Partial {
		t.Errorf("claimed 4 GiB: %v", tr.Problems)
	}
	// Small entries that share one name: 300,000 of them are 14 MB of directory.
	var b bytes.Buffer
	b.WriteString("PK\x03\x04" + strings.Repeat("\x00", 26))
	start := b.Len()
	record := append([]byte("PK\x01\x02"), make([]byte, 42)...)
	for range 300_000 {
		b.Write(record)
	}
	end := append([]byte("PK\x05\x06"), make([]byte, 18)...)
	binary.LittleEndian.PutUint16(end[8:], uint16(300_000%65536))
	binary.LittleEndian.PutUint16(end[10:], uint16(300_000%65536))
	binary.LittleEndian.PutUint32(end[12:], uint32(b.Len()-start))
	binary.LittleEndian.PutUint32(end[16:], uint32(start))
	b.Write(end)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	tr := fromArchive(t, "p.zip", b.Bytes(), profileOf(false))
	runtime.ReadMemStats(&after)
	if verdict(tr) != "files/limit error" {
		t.Errorf("huge directory: %.200v", tr.Problems)
	}
	if used := (after.TotalAlloc - before.TotalAlloc) >> 20; used > 128 {
		t.Errorf("huge directory: %d MiB are allocated", used)
	}
}
