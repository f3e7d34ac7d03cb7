package market

import (
	"bytes"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

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
	whole, err := ms.Ledger("k")
	if err != nil {
		t.Fatal(err)
	}
	mark := whole.mark
	try := func(what string, data []byte) {
		t.Helper()
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ms.Ledger("k"); err == nil {
			t.Errorf("%s: not seen", what)
		}
		if l, err := ms.ledger("k", mark); err == nil {
			t.Errorf("%s: not seen with a mark (known: %v)", what, l.known)
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

// TestLedgerLines shows that a fact is found in the same way whether few or many
// are asked for, and that an id is not found inside of another or of a text.
func TestLedgerLines(t *testing.T) {
	ms := testMarkets(t)
	l, err := ms.Ledger("k")
	if err != nil {
		t.Fatal(err)
	}
	ids := []string{"a", "ab", "b", `q"uote`, `back\slash`, "ü"}
	for i := range 40 {
		ids = append(ids, fmt.Sprintf("id-%d", i))
	}
	var facts []Fact
	for _, id := range append(ids, "a", `q"uote`) {
		f := fact(t, id, fmt.Sprint(len(facts)))
		f.Origin.Path = `{"id":"a","published":true`
		f.Published = id == "id-7"
		facts = append(facts, f)
	}
	if err := ms.record("k", l, facts); err != nil {
		t.Fatal(err)
	}
	all, err := ms.Ledger("k")
	if err != nil {
		t.Fatal(err)
	}
	if !l.known || l.mark != all.mark {
		t.Errorf("the mark after recording is %+v, of the file %+v", l.mark, all.mark)
	}
	some, err := ms.ledger("k", all.mark)
	if err != nil || !some.known || !some.HasPublished() {
		t.Fatalf("with its mark: %+v, %v", some, err)
	}
	for n, id := range append(ids, "none", "") {
		want := all.Of(id)
		if diff := cmp.Diff(want, some.Of(id), cmp.Comparer(func(a, b hashes.Digest) bool { return a == b })); diff != "" {
			t.Errorf("%d: %q: %s", n, id, diff)
		}
		if n < len(ids) && len(want) == 0 {
			t.Errorf("%q is not found", id)
		}
	}
	if len(some.Of("a")) != 2 {
		t.Errorf("a: %+v", some.Of("a"))
	}

	// What was added behind the mark is checked by the chain.
	before := all.mark
	if err := ms.record("k", all, []Fact{fact(t, "late", "late")}); err != nil {
		t.Fatal(err)
	}
	if l, err := ms.ledger("k", before); err != nil || !l.known || l.mark != all.mark || len(l.Of("late")) != 1 {
		t.Errorf("a line behind the mark: %+v, %v", l, err)
	}
	// A ledger that lost what it had at the mark is not known.
	if l, err := ms.ledger("gone", before); err != nil || l.known {
		t.Errorf("a lost ledger: %+v, %v", l, err)
	}
}
