package catalog

import (
	"slices"

	"pinion/internal/syntax"
)

// field is a member of an object as it is written. anchor is the key of Build's
// own after which an owner's key stands, "" for the beginning.
type field struct {
	name   string
	value  []byte
	anchor string
}

// existing is the catalog that a build replaces.
type existing struct {
	native  bool              // it has a schema_version
	known   map[string][]byte // the members that Build writes itself
	own     []field           // the others
	entries []oldEntry        // in their order
}

// oldEntry is an entry of it.
type oldEntry struct {
	name, version, source string
	own                   []field
	taken                 bool
}

// readExisting takes the catalog to be replaced apart. One that cannot be read
// is refused: what its owner wrote would be lost.
func (r *Result) readExisting(data []byte) *existing {
	old := &existing{}
	if len(data) == 0 {
		return old
	}
	if len(data) > MaxBytes {
		r.Problems.Add(ruleLimit.Report("the catalog has %d bytes, more than %d", len(data), MaxBytes).At(r.Path, 0, 0))
		return old
	}
	var object struct{}
	if faults := syntax.Decode(data, &object, syntax.Options{AllowBOM: true}); faults.HasErrors() {
		for _, p := range faults {
			r.Problems.Add(p.At(r.Path, p.Line, p.Column).
				WithFix("correct it, or delete %s to build a new one without the keys its owner wrote", r.Path))
		}
		return old
	}
	root := documentStart(data)
	old.known = map[string][]byte{}
	old.own = split(data, root, headKeys(), func(key string, value []byte) { old.known[key] = value })
	_, old.native = old.known["schema_version"]
	list, ok := member(data, root, "plugins")
	if !ok {
		return old
	}
	keys := entryKeys()
	for s := range elements(data, list.start) {
		if data[s.start] != '{' {
			continue
		}
		var e oldEntry
		e.own = split(data, s.start, keys, func(key string, value []byte) {
			switch key {
			case "name":
				e.name = words(value)
			case "version":
				e.version = words(value)
			case "source":
				e.source = words(value)
			}
		})
		old.entries = append(old.entries, e)
	}
	return old
}

// split calls known for the members of the object at i that are among keys, and
// returns the others with the key they stand after.
func split(text []byte, i int, keys []string, known func(key string, value []byte)) (own []field) {
	anchor := ""
	for name, v := range members(text, i) {
		value := text[v.start:v.end]
		if slices.Contains(keys, name) {
			known(name, value)
			anchor = name
			continue
		}
		own = append(own, field{name: name, value: value, anchor: anchor})
	}
	return own
}

// keysAt returns the fields that stand after anchor.
func keysAt(own []field, anchor string) (out []field) {
	for _, f := range own {
		if f.anchor == anchor {
			out = append(out, f)
		}
	}
	return out
}

// match gives each item the owner's keys of the entry it continues: the one of
// the same directory, else of the same version, else the only one of its name.
func (o *existing) match(items *Items) map[int][]field {
	if len(o.entries) == 0 {
		return nil
	}
	byName := make(map[string][]*oldEntry, len(o.entries))
	for i := range o.entries {
		e := &o.entries[i]
		byName[e.name] = append(byName[e.name], e)
	}
	out := map[int][]field{}
	for i := range items.Len() {
		it := items.At(i)
		all := byName[it.ID]
		if len(all) == 0 {
			continue
		}
		best := slices.IndexFunc(all, func(e *oldEntry) bool { return e.source == "./"+it.Dir })
		if best < 0 {
			best = slices.IndexFunc(all, func(e *oldEntry) bool { return e.version == it.Version })
		}
		if best < 0 && len(all) == 1 {
			best = 0
		}
		if best < 0 {
			continue
		}
		all[best].taken = true
		if len(all[best].own) > 0 {
			out[i] = all[best].own
		}
	}
	return out
}

// checkDropped refuses to replace a catalog that Pinion did not make and that
// lists more than the packages at hand.
func (r *Result) checkDropped(old *existing) {
	if old.native {
		return
	}
	for i := range old.entries {
		if e := &old.entries[i]; !e.taken {
			r.Problems.Add(ruleForeignFile.Report("%s is a catalog of another host and lists %q, which is no package of this repository", r.Path, clip(e.name)).At(r.Path, 0, 0))
			return
		}
	}
}
