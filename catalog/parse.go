package catalog

import (
	"bytes"
	"errors"
	"slices"

	"pinion/internal/syntax"
	"pinion/problem"
)

// errUnusual ends the reading in one pass.
var errUnusual = errors.New("unusual entries")

// Parse reads the catalog data of the file at path, relative to the repository;
// path decides the flavour. The catalog is never nil.
//
// The list is what speaks against the catalog as a whole ([Catalog.Problems]),
// and for a native one also the problems of its entries, since its publisher
// vouches for all of them. An entry of a foreign catalog keeps its problems to
// itself. [Lint] adds what only authors need to know.
func Parse(path string, data []byte) (*Catalog, problem.List) {
	foreign, maybe, forced := profileOf(path)
	// Nothing but the native format has this key, so the others are not read
	// twice.
	if maybe && (forced || bytes.Contains(data, []byte(`"schema_version"`))) {
		r := newReader(path, data, nativeProfile())
		if r.read(); forced || r.isNative() {
			return r.catalog, r.list()
		}
		if r.broken && r.version != nil {
			return r.catalog, r.list()
		}
	}
	r := newReader(path, data, foreign)
	r.read()
	if r.version != nil {
		r.hashMissing()
	}
	return r.catalog, r.list()
}

// reader reads one file in one flavour.
type reader struct {
	data    []byte
	profile *profile
	catalog *Catalog
	check   entryCheck
	at      cursor

	first    int        // the offset of the first entry, -1 if there is none
	version  syntax.Raw // schema_version
	unhashed int        // the first entry without a hash, -1 if there is none
	broken   bool       // the text is not JSON, or not a catalog
}

func newReader(path string, data []byte, p *profile) *reader {
	return &reader{
		data:     data,
		profile:  p,
		catalog:  &Catalog{Path: path, Flavour: p.flavour},
		check:    entryCheck{file: path, profile: p},
		unhashed: -1,
	}
}

// read reads everything. A document without faults is read in one pass.
func (r *reader) read() {
	if len(r.data) > MaxBytes {
		r.broken = true
		r.report(ruleLimit.Report("the catalog has %d bytes, more than %d", len(r.data), MaxBytes), 0, 0)
		return
	}
	header, ok := r.entries()
	if !ok {
		header, ok = r.entriesSlowly()
	}
	if ok {
		r.header(header)
	}
	if r.catalog.index(); ok {
		r.duplicates()
	}
	if r.profile.flavour == Native {
		r.catalog.Native = !r.broken && r.isNative()
	}
}

// isNative is the definition: a schema_version, and a hash in every entry.
func (r *reader) isNative() bool { return !r.broken && r.version != nil && r.unhashed < 0 }

// start prepares for a pass over the entries.
func (r *reader) start() {
	r.catalog.Entries = nil
	r.first = -1
	r.at = newCursor(r.data)
	r.unhashed = -1
}

// add reads one entry, whose text begins at offset. found is what was wrong with
// its JSON, with positions inside it.
func (r *reader) add(w *wireEntry, raw []byte, offset int, found problem.List) {
	c := r.catalog
	r.grow(offset)
	line, col := r.at.to(offset)
	c.Entries = append(c.Entries, Entry{Line: line, Column: col, Index: len(c.Entries)})
	r.check.e, r.check.raw = &c.Entries[len(c.Entries)-1], raw
	r.check.reportIn("", "the entry", found)
	r.check.read(w)
	if !w.Hash.present && r.unhashed < 0 {
		r.unhashed = r.check.e.Index
	}
}

// grow makes room for the entry at offset and, judging by the size of those
// before it, for all that follow: the list is then allocated once.
func (r *reader) grow(offset int) {
	const few = 64
	c := r.catalog
	switch n := len(c.Entries); {
	case n == 0:
		r.first = offset
		c.Entries = make([]Entry, 0, few)
	case n == few:
		each := max((offset-r.first)/n, 2)
		rest := (len(r.data) - offset) / each
		c.Entries = slices.Grow(c.Entries, min(rest+rest/32+few, MaxEntries-n))
	}
}

// entries reads the entries of a document without faults, and returns the rest
// of the document. It returns false as soon as anything is unusual.
func (r *reader) entries() (header []byte, ok bool) {
	r.start()
	last := 0
	var scan entryScan
	faults, err := syntax.DecodeArray(r.data, "/plugins", func(_ int, raw syntax.Raw, offset int) error {
		if len(r.catalog.Entries) == MaxEntries || !scan.read(raw) {
			return errUnusual
		}
		last = offset + len(raw)
		r.add(&scan.w, raw, offset, nil)
		return nil
	})
	if err != nil || len(faults) > 0 {
		return nil, false
	}
	if r.first < 0 {
		return r.data, true
	}
	return append(r.data[:r.first:r.first], r.data[last:]...), true
}

// entriesSlowly reads a document with faults: it reports those of the whole,
// and reads every entry for itself.
func (r *reader) entriesSlowly() (header []byte, ok bool) {
	r.start()
	var whole syntax.Raw
	faults := syntax.Decode(r.data, &whole, r.options())
	if slices.ContainsFunc(faults, func(p problem.Problem) bool { return p.Rule == "json/syntax" || p.Rule == "json/encoding" }) {
		r.broken = true
		r.version = sniffVersion(r.data)
		for _, p := range faults {
			r.report(p, p.Line, p.Column)
		}
		return nil, false
	}
	root := documentStart(r.data)
	list, found := member(r.data, root, "plugins")
	if !found || r.data[list.start] != '[' {
		r.broken = true
		line, col := syntax.PositionAt(r.data, max(list.start, root))
		if r.data[root] != '{' {
			r.report(rulePlugins.Report("the catalog is not a JSON object"), line, col)
			return nil, false
		}
		msg := `the catalog has no "plugins"`
		if found {
			msg = `"plugins" is not a list`
		}
		r.report(rulePlugins.Report("%s", msg), line, col)
		return r.data, true
	}
	for s := range elements(r.data, list.start) {
		if len(r.catalog.Entries) == MaxEntries {
			line, col := syntax.PositionAt(r.data, s.start)
			r.report(ruleLimit.Report("the catalog has more than %d entries", MaxEntries), line, col)
			break
		}
		raw := r.data[s.start:s.end]
		var w wireEntry
		own := syntax.Decode(raw, &w, syntax.Options{AllowDuplicates: true})
		// Duplicate keys have been found in the document already.
		own = slices.DeleteFunc(own, func(p problem.Problem) bool { return p.Rule == "json/duplicate-key" })
		r.add(&w, raw, s.start, own)
	}
	return r.data, true
}

func (r *reader) options() syntax.Options {
	return syntax.Options{Severity: map[string]problem.Severity{
		"json/bom":           r.profile.bom,
		"json/duplicate-key": r.profile.duplicateKey,
	}}
}

func (r *reader) report(p problem.Problem, line, col int) {
	r.catalog.Problems.Add(p.At(r.catalog.Path, line, col))
}

// list returns what [Parse] returns.
func (r *reader) list() problem.List {
	out := slices.Clone(r.catalog.Problems)
	if r.profile.flavour == Native {
		for i := range r.catalog.Entries {
			if len(out) > maxReported {
				break
			}
			out = append(out, r.catalog.Entries[i].Problems...)
		}
	}
	out.Sort()
	return out
}

// sniffVersion tells a broken native catalog from a broken foreign one, so that
// a native one is never replaced by another file beside it.
func sniffVersion(data []byte) syntax.Raw {
	if bytes.Contains(data, []byte(`"schema_version"`)) {
		return syntax.Raw("null")
	}
	return nil
}
