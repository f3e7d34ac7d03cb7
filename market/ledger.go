package market

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	"pinion/hashes"
	"pinion/internal/syntax"
	"pinion/manifest"
)

// Fact is one line of the ledger: which bytes an (id, version) had when it was
// first seen, and where they can be fetched again. Lines are never changed or
// removed, also not with the marketplace.
type Fact struct {
	ID        string        `json:"id"`
	Version   string        `json:"version"`
	Digest    hashes.Digest `json:"digest"`
	Published bool          `json:"published"` // the catalog stated the digest
	Origin    FactOrigin    `json:"origin"`
	FirstSeen time.Time     `json:"firstSeen"`
}

// FactOrigin is where the bytes were.
type FactOrigin struct {
	Repository string `json:"repository"` // canonical
	Origin
}

// Ledger is the memory of one source.
type Ledger struct {
	facts []Fact
	index map[[2]string][]int // id, release → lines in order
	last  string              // the check of the last line
}

// Each line ends with a check: the first 16 hex digits of the SHA-256 of the
// line before's check and this line without its own. A flipped bit, and a line
// that was taken out or moved, are seen when the ledger is read (security 3.6
// row 98). It is no defence against somebody who can write the file.
const (
	checkStart = `,"check":"`
	checkEnd   = `"}`
	checkLen   = 16
)

func check(before string, body []byte) string {
	return hashes.Of(append([]byte(before), body...)).String()[:checkLen]
}

// seal adds the check to an encoded fact.
func seal(before string, body []byte) (line []byte, own string) {
	own = check(before, body)
	line = append(body[:len(body)-1:len(body)-1], checkStart...)
	return append(append(line, own...), checkEnd...), own
}

// unseal takes the check off a line and compares it.
func unseal(before string, line []byte) (body []byte, own string, ok bool) {
	at := len(line) - len(checkStart) - checkLen - len(checkEnd)
	if at < 1 || string(line[at:at+len(checkStart)]) != checkStart || string(line[len(line)-len(checkEnd):]) != checkEnd {
		return nil, "", false
	}
	own = string(line[at+len(checkStart) : len(line)-len(checkEnd)])
	body = append(line[:at:at], '}')
	return body, own, own == check(before, body)
}

func ledgerFile(key string) string { return "ledger/" + key + ".jsonl" }

// Ledger reads the memory of the source with the key. A missing file is an
// empty ledger; a damaged line is an error, because forgetting it would allow
// what it forbids. The cut-off rest of an interrupted write is ignored.
func (ms *Markets) Ledger(key string) (*Ledger, error) {
	l := &Ledger{index: map[[2]string][]int{}}
	lines, _, err := ms.o.Home.ReadLines(ledgerFile(key), ledgerLimit)
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err != nil {
		return nil, ms.unreadable(ledgerFile(key), err)
	}
	for i, line := range lines {
		body, own, ok := unseal(l.last, line)
		if !ok {
			return nil, ms.ledgerError(key, i, "the check does not match")
		}
		var f Fact
		if p, bad := syntax.Decode(body, &f, syntax.Options{}).First(); bad {
			return nil, ms.ledgerError(key, i, p.Message)
		}
		l.last = own
		l.add(f)
	}
	return l, nil
}

func (ms *Markets) ledgerError(key string, line int, why string) error {
	return &StateError{File: ms.o.Home.Path(ledgerFile(key)), Why: fmt.Sprintf("was changed in line %d: %s", line+1, why)}
}

func (l *Ledger) add(f Fact) {
	k := [2]string{f.ID, manifest.Release(f.Version)}
	l.index[k] = append(l.index[k], len(l.facts))
	l.facts = append(l.facts, f)
}

// Facts returns what is known of one version, oldest first.
func (l *Ledger) Facts(id, version string) []Fact {
	var out []Fact
	for _, f := range l.release(id, version) {
		if f.Version == version {
			out = append(out, f)
		}
	}
	return out
}

// release returns the facts of every version that differs from the given one in
// build metadata only, oldest first.
func (l *Ledger) release(id, version string) []Fact {
	var out []Fact
	for _, i := range l.index[[2]string{id, manifest.Release(version)}] {
		out = append(out, l.facts[i])
	}
	return out
}

// Of returns everything that is known of one plugin, oldest first.
func (l *Ledger) Of(id string) []Fact {
	var out []Fact
	for _, f := range l.facts {
		if f.ID == id {
			out = append(out, f)
		}
	}
	return out
}

// Published returns what was published for a version. Build metadata does not
// make another release out of it (security 3.1 row 16).
func (l *Ledger) Published(id, version string) (Fact, bool) {
	for _, f := range l.release(id, version) {
		if f.Published {
			return f, true
		}
	}
	return Fact{}, false
}

// Has reports whether exactly these bytes are recorded, with at least the
// weight of published.
func (l *Ledger) Has(id, version string, d hashes.Digest, published bool) bool {
	for _, f := range l.Facts(id, version) {
		if f.Digest == d && (f.Published || !published) {
			return true
		}
	}
	return false
}

// HasPublished reports whether the source ever published digests.
func (l *Ledger) HasPublished() bool {
	for _, f := range l.facts {
		if f.Published {
			return true
		}
	}
	return false
}

// record appends facts durably, after the lines that l was read from.
func (ms *Markets) record(key string, l *Ledger, facts []Fact) error {
	if len(facts) == 0 {
		return nil
	}
	if err := ms.o.Home.MkdirAllSynced("ledger"); err != nil {
		return err
	}
	lines := make([][]byte, 0, len(facts))
	for _, f := range facts {
		body, err := syntax.Compact(f)
		if err != nil {
			return fmt.Errorf("encode a ledger line: %w", err)
		}
		var line []byte
		line, l.last = seal(l.last, body)
		lines = append(lines, line)
	}
	if err := ms.o.Home.Append(ledgerFile(key), lines...); err != nil {
		return fmt.Errorf("write the ledger: %w", err)
	}
	return nil
}
