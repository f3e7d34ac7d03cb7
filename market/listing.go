package market

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"

	"pinion/hashes"
	"pinion/internal/sealed"
	"pinion/internal/syntax"
	"pinion/problem"
)

// The plugins of a marketplace are in a file of their own, one a line: thousands
// of them, of which a refresh changes a few and most verbs want one. The file
// only grows. A refresh adds the plugins that it judged, and a line that takes
// out the ones they replace; the mark in the marketplace's own file, which is
// written last, makes that count. When most of it is taken out, or something is
// behind the mark, it is written anew under another name.

// Listing names the file with the plugins of a state, and what of it counts.
type Listing struct {
	File string `json:"file"` // in the snapshot directory, "" before the first refresh
	Mark
}

// listingNames are the names that the file has in turn.
var listingNames = [2]string{"plugins.1.jsonl", "plugins.2.jsonl"}

// record is one line: a plugin, and when it can be kept without judging it
// again. Its first fields are found without decoding the line. Fields of the
// plugin that are among them, and a commit that is the state's own, are left out
// of the rest.
type record struct {
	// Entry is the SHA-256 of the text that the catalog has for the plugin, of
	// Size bytes. It is "" for a plugin that every refresh judges anew.
	Entry  string `json:"entry"`
	Size   int    `json:"size"`
	Tree   string `json:"tree"` // the plugin's TreeID
	Dir    string `json:"dir"`  // the path of its origin
	ID     string `json:"id"`
	Plugin `json:",embed"`
}

// removal is a line that takes out lines before it, by their numbers from 0.
type removal struct {
	Without []int `json:"without"`
}

// row is one line of a listing that counts.
type row struct {
	at, end      int // of the line, in the text of the listing
	entry        span
	tree, dir    span
	id           span
	size, number int
	kept         bool // it stays as it is
}

// span is a part of the text of a listing. What it has is as it is in the line,
// with JSON's escapes.
type span struct{ at, end int }

// listing is the content of a file of plugins.
type listing struct {
	text  []byte // what counts
	rows  []row
	lines int  // in all, also those that do not count
	tail  bool // something is behind what counts
}

func (l *listing) part(s span) []byte { return l.text[s.at:s.end:s.end] }
func (l *listing) line(r *row) []byte { return l.text[r.at:r.end:r.end] }

func (ms *Markets) listingFile(key string, l Listing) string { return snapshotDir(key) + "/" + l.File }

// listing reads the plugins of a marketplace without decoding them. A marketplace
// without any yet has an empty listing.
func (ms *Markets) listing(m *Market) (*listing, error) {
	l := &listing{}
	if m.Listing.File == "" {
		return l, nil
	}
	err := ms.open(ms.listingFile(m.Key, m.Listing), listingLimit, func(data []byte) *sealed.Fault {
		if !m.Listing.holds(data) {
			return &sealed.Fault{Reason: "was changed or cut off: its checksum does not match"}
		}
		l.text, l.tail = data[:m.Listing.Size], int64(len(data)) > m.Listing.Size
		return l.scan()
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ms.missing(m)
	}
	return l, err
}

// missing is the error of a marketplace whose listing is not there.
func (ms *Markets) missing(m *Market) *StateError {
	return &StateError{
		File: ms.o.Home.Path(ms.listingFile(m.Key, m.Listing)), missing: true,
		Why: "is missing, so " + m.Name + " must be added again: pinion marketplace add " + m.Spec,
	}
}

// scan finds the rows in the text.
func (l *listing) scan() *sealed.Fault {
	l.rows = make([]row, 0, bytes.Count(l.text, []byte{'\n'}))
	gone := map[int]bool{}
	for at := 0; at < len(l.text); l.lines++ {
		n := bytes.IndexByte(l.text[at:], '\n')
		if n < 0 {
			return &sealed.Fault{Reason: "does not end with a line"}
		}
		line := l.text[at : at+n]
		if bytes.HasPrefix(line, []byte(`{"without":`)) {
			var r removal
			if bad, is := syntax.Decode(line, &r, syntax.Options{}).First(); is {
				return unreadable(l.lines, bad)
			}
			for _, number := range r.Without {
				gone[number] = true
			}
		} else {
			r, ok := scanRow(l.text[:at+n], at)
			if !ok {
				return &sealed.Fault{Reason: fmt.Sprintf("has an unreadable line %d", l.lines+1)}
			}
			r.number = l.lines
			l.rows = append(l.rows, r)
		}
		at += n + 1
	}
	if len(gone) > 0 {
		l.rows = slices.DeleteFunc(l.rows, func(r row) bool { return gone[r.number] })
	}
	return nil
}

func unreadable(number int, p problem.Problem) *sealed.Fault {
	return &sealed.Fault{Reason: fmt.Sprintf("has an unreadable line %d: %s", number+1, p.String())}
}

// scanRow finds the first fields of a [record] in the line that begins at an
// offset and ends with the text.
func scanRow(text []byte, at int) (r row, ok bool) {
	r, ok = row{at: at, end: len(text)}, true
	after := func(literal string) {
		if ok = ok && bytes.HasPrefix(text[at:], []byte(literal)); ok {
			at += len(literal)
		}
	}
	value := func(end int) (s span) {
		if ok = ok && end >= 0; ok {
			s = span{at, at + end}
			at += end
		}
		return s
	}
	after(`{"entry":"`)
	r.entry = value(quoteIn(text[at:]))
	after(`","size":`)
	size := value(bytes.IndexByte(text[at:], ','))
	after(`,"tree":"`)
	r.tree = value(quoteIn(text[at:]))
	after(`","dir":"`)
	r.dir = value(quoteIn(text[at:]))
	after(`","id":"`)
	r.id = value(quoteIn(text[at:]))
	n, err := strconv.Atoi(string(text[size.at:size.end]))
	r.size = n
	digits := 0
	if n > 0 {
		digits = hex.EncodedLen(len(hashes.Sum{}))
	}
	return r, ok && err == nil && n >= 0 && r.entry.end-r.entry.at == digits
}

// quoteIn returns where the JSON string that text begins inside of ends, or -1.
func quoteIn(text []byte) int {
	for i := 0; ; {
		n := bytes.IndexByte(text[i:], '"')
		if n < 0 {
			return -1
		}
		escape := bytes.IndexByte(text[i:i+n], '\\')
		if escape < 0 {
			return i + n
		}
		if i += escape + 2; i > len(text) { // the escaped character may be the quote
			return -1
		}
	}
}

// plugin decodes a row. commit is that of the state, which plugins of the
// marketplace's own repository have that name none.
func (l *listing) plugin(r *row, commit string) (Plugin, *sealed.Fault) {
	var rec record
	if bad, is := syntax.Decode(l.line(r), &rec, syntax.Options{}).First(); is {
		return Plugin{}, unreadable(r.number, bad)
	}
	p := rec.Plugin
	p.ID, p.TreeID, p.Origin.Path = rec.ID, rec.Tree, rec.Dir
	if p.Origin.own() && p.Origin.Commit == "" {
		p.Origin.Commit = commit
	}
	return p, nil
}

// own reports whether an origin is a directory of the marketplace's repository.
func (o Origin) own() bool { return o.Spec == "" && o.Path != "" }

// encode makes the line of a plugin. text is what the catalog has for it, zero
// when it is to be judged anew at every refresh.
func encode(p Plugin, text entryText, commit string) ([]byte, error) {
	rec := record{Entry: text.hex(), Size: text.size, Tree: p.TreeID, Dir: p.Origin.Path, ID: p.ID, Plugin: p}
	if p.Origin.own() && p.Origin.Commit == commit {
		rec.Origin.Commit = ""
	}
	rec.Plugin.ID, rec.TreeID, rec.Origin.Path = "", "", ""
	return syntax.Compact(&rec)
}

// plugins decodes the rows that want picks.
func (ms *Markets) plugins(m *Market, l *listing, want func(*listing, *row) bool) ([]Plugin, error) {
	out := make([]Plugin, 0, len(l.rows))
	for i := range l.rows {
		if !want(l, &l.rows[i]) {
			continue
		}
		p, fault := l.plugin(&l.rows[i], m.State.Pin.Commit)
		if fault != nil {
			return nil, &StateError{File: ms.o.Home.Path(ms.listingFile(m.Key, m.Listing)), Why: fault.Reason}
		}
		out = append(out, p)
	}
	return out, nil
}

// kept counts the rows that stay.
func (l *listing) kept() (n int) {
	for i := range l.rows {
		if l.rows[i].kept {
			n++
		}
	}
	return n
}

// amend writes a listing that has added instead of the rows that are not kept,
// and returns where it is. The one in use stays as it is, and readable, until
// the marketplace's own file names the other.
func (ms *Markets) amend(key string, in Listing, l *listing, added [][]byte) (Listing, error) {
	var kept [][]byte
	without := []int{}
	for i := range l.rows {
		if r := &l.rows[i]; r.kept {
			kept = append(kept, l.line(r))
		} else {
			without = append(without, r.number)
		}
	}
	if len(kept) > 0 && !l.tail && l.lines <= 2*len(kept) {
		if len(without) > 0 {
			line, err := syntax.Compact(removal{without})
			if err != nil {
				return in, fmt.Errorf("encode the listing: %w", err)
			}
			added = append(added, line)
		}
		if len(added) == 0 {
			return in, nil
		}
		in.Mark = in.afterLines(added)
		return in, ms.o.Home.Append(ms.listingFile(key, in), added...)
	}
	if err := ms.o.Home.MkdirAllSynced(snapshotDir(key)); err != nil {
		return in, err
	}
	lines := append(kept, added...)
	in = Listing{File: in.other(), Mark: Mark{}.afterLines(lines)}
	text := bytes.Join(append(lines, nil), []byte{'\n'})
	return in, ms.o.Home.WriteFile(ms.listingFile(key, in), text, 0o600)
}

// other is the name that the listing has when it is written anew: one of two, so
// that a killed process leaves at most one file behind, and that not for long.
func (in Listing) other() string {
	if in.File == listingNames[0] {
		return listingNames[1]
	}
	return listingNames[0]
}
