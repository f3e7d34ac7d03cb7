package market

import (
	"bytes"
	"os"
	"testing"
	"time"

	"pinion/hashes"
	"pinion/internal/fsx"
)

func testMarkets(t *testing.T) *Markets {
	t.Helper()
	home, err := fsx.OpenHome(t.TempDir()+"/home", fsx.Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { home.Close() })
	return New(Options{Home: home, Clock: time.Now})
}

func fact(t *testing.T, id, content string) Fact {
	t.Helper()
	d, err := hashes.Tree([]hashes.File{{Path: "a", Sum: hashes.Of([]byte(content))}})
	if err != nil {
		t.Fatal(err)
	}
	return Fact{ID: id, Version: "1.0.0", Digest: d, Published: true, FirstSeen: time.Unix(1_790_000_000, 0).UTC()}
}

func fill(t *testing.T, ms *Markets) string {
	t.Helper()
	for _, id := range []string{"a", "b", "c"} {
		l, err := ms.Ledger("k")
		if err != nil {
			t.Fatal(err)
		}
		if err := ms.record("k", l, []Fact{fact(t, id, id)}); err != nil {
			t.Fatal(err)
		}
	}
	return ms.o.Home.Path(ledgerFile("k"))
}

func TestLedgerRoundTrip(t *testing.T) {
	ms := testMarkets(t)
	fill(t, ms)
	l, err := ms.Ledger("k")
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"a", "b", "c"} {
		want := fact(t, id, id)
		if f, ok := l.Published(id, "1.0.0"); !ok || f.Digest != want.Digest || !f.FirstSeen.Equal(want.FirstSeen) {
			t.Errorf("%s: %+v, want %+v", id, f, want)
		}
	}
	if !l.HasPublished() || l.Has("a", "1.0.0", fact(t, "a", "other").Digest, false) {
		t.Error("the ledger remembers what was never recorded")
	}
}

// TestLedgerSeesEveryChange flips each byte, and takes out, doubles and swaps
// lines. Only the cut-off rest of an unfinished write is ignored.
func TestLedgerSeesEveryChange(t *testing.T) { // security 3.6 row 98
	ms := testMarkets(t)
	file := fill(t, ms)
	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	try := func(what string, data []byte) {
		t.Helper()
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ms.Ledger("k"); err == nil {
			t.Errorf("%s: not seen", what)
		}
	}
	for i := range good {
		if good[i] == '\n' && i == len(good)-1 {
			continue // then the last line is one that was not finished
		}
		bad := bytes.Clone(good)
		bad[i] ^= 1
		try("flipped byte", bad)
	}
	lines := bytes.SplitAfter(good, []byte("\n"))
	try("first line taken out", bytes.Join(lines[1:], nil))
	try("middle line taken out", bytes.Join([][]byte{lines[0], lines[2]}, nil))
	try("lines swapped", bytes.Join([][]byte{lines[1], lines[0], lines[2]}, nil))
	try("line doubled", bytes.Join([][]byte{lines[0], lines[0], lines[1], lines[2]}, nil))
	try("garbage after it", append(bytes.Clone(good), "x\n"...))

	torn := append(bytes.Clone(good), `{"id":"d","ver`...)
	if err := os.WriteFile(file, torn, 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := ms.Ledger("k")
	if err != nil {
		t.Fatalf("a torn tail: %v", err)
	}
	if err := ms.record("k", l, []Fact{fact(t, "d", "d")}); err != nil {
		t.Fatal(err)
	}
	if l, err = ms.Ledger("k"); err != nil || len(l.Of("d")) != 1 {
		t.Errorf("after the repair: %v, %v", l, err)
	}
}
