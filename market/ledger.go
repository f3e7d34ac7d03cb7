package market

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"
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

// Ledger is the memory of one source. It is safe for concurrent reading when
// [Markets.Ledger] returned it.
type Ledger struct {
	file     string
	text     []byte            // the lines, whose checks are right
	index    map[string][]int  // the text of an id → where its lines begin; nil until many are asked for
	facts    map[string][]Fact // by id, what was decoded and added
	searched int               // ids
	last     []byte            // the check of the last line, with those that were recorded
	mark     Mark              // the end of the file, with those
	known    bool              // it begins with what it had at the mark it was read with
	err      error             // why a line could not be decoded; nothing is recorded then
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

// check is the check of a line, of which body is all before it.
func check(before, body []byte) (own [checkLen]byte) {
	sum := sha256.New()
	sum.Write(before)
	sum.Write(body)
	sum.Write([]byte{'}'})
	hex.Encode(own[:], sum.Sum(nil)[:checkLen/2])
	return own
}

// seal adds the check to an encoded fact.
func seal(before, body []byte) (line, own []byte) {
	body = body[: len(body)-1 : len(body)-1]
	sum := check(before, body)
	line = append(append(append(body, checkStart...), sum[:]...), checkEnd...)
	return line, sum[:]
}

// unseal takes the check off a line.
func unseal(line []byte) (body, own []byte, ok bool) {
	at := len(line) - len(checkStart) - checkLen - len(checkEnd)
	if at < 1 || string(line[at:at+len(checkStart)]) != checkStart || string(line[len(line)-len(checkEnd):]) != checkEnd {
		return nil, nil, false
	}
	return line[:at:at], line[at+len(checkStart) : len(line)-len(checkEnd)], true
}

func ledgerFile(key string) string { return "ledger/" + key + ".jsonl" }

// Ledger reads the memory of the source with the key. A missing file is an
// empty ledger; a damaged line is an error, because forgetting it would allow
// what it forbids. The cut-off rest of an interrupted write is ignored.
func (ms *Markets) Ledger(key string) (*Ledger, error) {
	l, err := ms.ledger(key, Mark{})
	if err != nil {
		return nil, err
	}
	return l, l.decodeAll()
}

// ledger is [Markets.Ledger] for somebody who wants a few facts: lines are not
// decoded, and the checks of those before the mark are not computed when the
// file has the mark's own.
func (ms *Markets) ledger(key string, mark Mark) (*Ledger, error) {
	l := &Ledger{file: ms.o.Home.Path(ledgerFile(key)), facts: map[string][]Fact{}}
	data, err := ms.o.Home.ReadFile(ledgerFile(key), ledgerLimit)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, ms.unreadable(ledgerFile(key), err)
	}
	l.text = data[:bytes.LastIndexByte(data, '\n')+1]
	at := 0
	if l.known = mark.holds(l.text); l.known && mark.Size > 0 {
		at = int(mark.Size)
		_, l.last, _ = unseal(l.text[bytes.LastIndexByte(l.text[:at-1], '\n')+1 : at-1])
	}
	l.mark = mark
	if !l.known {
		l.mark = Mark{}
	}
	l.mark = l.mark.after(l.text[at:])
	for at < len(l.text) {
		end := at + bytes.IndexByte(l.text[at:], '\n')
		body, own, ok := unseal(l.text[at:end])
		if want := check(l.last, body); !ok || string(own) != string(want[:]) {
			return nil, l.damaged(at, "the check does not match")
		}
		l.last, at = own, end+1
	}
	return l, nil
}

// damaged is the error of the line at an offset.
func (l *Ledger) damaged(at int, why string) error {
	return &StateError{File: l.file, Why: fmt.Sprintf("was changed in line %d: %s", bytes.Count(l.text[:at], []byte{'\n'})+1, why)}
}

// of returns everything that is known of one plugin, oldest first.
func (l *Ledger) of(id string) []Fact {
	if facts, ok := l.facts[id]; ok {
		return facts
	}
	var facts []Fact
	for _, at := range l.linesOf(jsonText(id)) {
		if f, ok := l.decode(at); ok {
			facts = append(facts, f)
		}
	}
	if len(facts) > 0 {
		l.facts[id] = facts
	}
	return facts
}

// linesOf returns where the lines of an id begin, which is given as it is written
// there. A few ids are searched for; for many, the lines are indexed.
func (l *Ledger) linesOf(id string) []int {
	const few = 16
	if l.index != nil {
		return l.index[id]
	}
	if l.searched++; l.searched > few {
		l.index = map[string][]int{}
		for at := range l.starts() {
			text, _ := bytes.CutPrefix(l.text[at:], []byte(idStart))
			name := string(text[:max(quoteIn(text), 0)])
			l.index[name] = append(l.index[name], at)
		}
		return l.index[id]
	}
	var out []int
	start := []byte(idStart + id + `"`)
	for at := 0; ; at++ {
		n := bytes.Index(l.text[at:], start)
		if n < 0 {
			return out
		}
		if at += n; at == 0 || l.text[at-1] == '\n' {
			out = append(out, at)
		}
	}
}

// idStart is how a line begins.
const idStart = `{"id":"`

// starts gives where each line begins.
func (l *Ledger) starts() iter.Seq[int] {
	return func(yield func(int) bool) {
		for at := 0; at < len(l.text); at += bytes.IndexByte(l.text[at:], '\n') + 1 {
			if !yield(at) {
				return
			}
		}
	}
}

// decode reads the line that begins at an offset.
func (l *Ledger) decode(at int) (f Fact, ok bool) {
	body, _, _ := unseal(l.text[at : at+bytes.IndexByte(l.text[at:], '\n')])
	if p, bad := syntax.Decode(append(body, '}'), &f, syntax.Options{}).First(); bad {
		l.err = cmp.Or(l.err, l.damaged(at, p.Message))
		return Fact{}, false
	}
	return f, true
}

// decodeAll reads every line. Afterwards lookups change nothing.
func (l *Ledger) decodeAll() error {
	l.index = map[string][]int{}
	for at := range l.starts() {
		if f, ok := l.decode(at); ok {
			l.facts[f.ID] = append(l.facts[f.ID], f)
		}
	}
	return l.err
}

func (l *Ledger) add(f Fact) { l.facts[f.ID] = append(l.of(f.ID), f) }

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
	release := manifest.Release(version)
	for _, f := range l.of(id) {
		if manifest.Release(f.Version) == release {
			out = append(out, f)
		}
	}
	return out
}

// Of returns everything that is known of one plugin, oldest first.
func (l *Ledger) Of(id string) []Fact { return slices.Clone(l.of(id)) }

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
	published := []byte(`"published":true`)
	for at := 0; ; {
		n := bytes.Index(l.text[at:], published)
		if n < 0 {
			return false
		}
		at += n
		// A catalog entry that is part of a fact may have such a member too.
		if f, ok := l.decode(bytes.LastIndexByte(l.text[:at], '\n') + 1); ok && f.Published {
			return true
		}
		at += bytes.IndexByte(l.text[at:], '\n')
	}
}

// record appends facts durably, after the lines that l was read from.
func (ms *Markets) record(key string, l *Ledger, facts []Fact) error {
	if l.err != nil || len(facts) == 0 {
		return l.err
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
	l.mark = l.mark.afterLines(lines)
	return nil
}
