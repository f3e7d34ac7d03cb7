package catalog

import (
	"bytes"
	"slices"

	"pinion/hashes"
	"pinion/manifest"
)

// Items is a list of packages in little memory, about a hundred bytes each, so
// that a repository of 100,000 packages needs no more than its names. The zero
// value is empty. It is for one goroutine at a time.
type Items struct {
	keys  []byte // what packages are ordered by
	prose prose  // what is only written
	rows  []row
	words []string // the words that repeat: kinds, licences, manifest names
}

// row is one package: the places of its words, one after the other.
type row struct {
	key                         uint32 // in keys: id, version, directory
	block, prose                uint32 // in prose: display name, description
	id, version, dir, name, des uint16 // lengths in bytes; dir 0 is usualDir and the id
	kind, license, manifest     uint8  // indexes of words
	digest                      hashes.Digest
}

// usualDir is where nearly every package lies; it is not stored again for each.
const usualDir = "plugins/"

// NewItems returns an empty list with room for n packages.
func NewItems(n int) *Items {
	return &Items{rows: make([]row, 0, n), keys: make([]byte, 0, 16*n)}
}

// ItemsOf returns a list of the given packages.
func ItemsOf(items ...Item) *Items {
	l := NewItems(len(items))
	for _, it := range items {
		l.Add(it)
	}
	return l
}

// Add adds a package. Words beyond 65,535 bytes, which no valid manifest has,
// are cut.
func (l *Items) Add(it Item) {
	r := row{key: uint32(len(l.keys)), digest: it.Digest}
	r.id, r.version = l.put(it.ID), l.put(it.Version)
	if it.Dir != usualDir+it.ID {
		r.dir = l.put(it.Dir)
	}
	name, des := short(it.DisplayName), short(it.Description)
	r.name, r.des = uint16(len(name)), uint16(len(des))
	r.block, r.prose = l.prose.add(name, des)
	r.kind, r.license, r.manifest = l.word(string(it.Kind)), l.word(it.License), l.word(it.Manifest)
	l.rows = append(l.rows, r)
}

func (l *Items) put(s string) uint16 {
	s = short(s)
	l.keys = append(l.keys, s...)
	return uint16(len(s))
}

func short(s string) string { return s[:min(len(s), 1<<16-1)] }

// word returns the index of a word that repeats. A licence or manifest that is
// none of the known few has problems of its own and is never written.
func (l *Items) word(s string) uint8 {
	i := slices.Index(l.words, s)
	if i < 0 && len(l.words) < 1<<8-1 {
		l.words = append(l.words, s)
		return uint8(len(l.words) - 1)
	}
	return uint8(max(i, 0))
}

// Len returns how many packages there are.
func (l *Items) Len() int {
	if l == nil {
		return 0
	}
	return len(l.rows)
}

// At returns package i.
func (l *Items) At(i int) Item {
	r := &l.rows[i]
	// One string for the words of each kind, and parts of it.
	id, version, name := int(r.id), int(r.version), int(r.name)
	key := string(l.keys[r.key:][:id+version+int(r.dir)])
	text := string(l.prose.at(r.block)[r.prose:][:name+int(r.des)])
	it := Item{
		ID: key[:id], Version: key[id : id+version], Dir: key[id+version:],
		DisplayName: text[:name], Description: text[name:], Digest: r.digest,
	}
	if r.dir == 0 {
		it.Dir = usualDir + it.ID
	}
	it.Kind, it.License, it.Manifest = manifest.Kind(l.words[r.kind]), l.words[r.license], l.words[r.manifest]
	return it
}

// manifestName returns the manifest's file name of package i alone.
func (l *Items) manifestName(i int) string { return l.words[l.rows[i].manifest] }

// sort orders by id, version and directory, whatever the order they came in.
func (l *Items) sort() {
	if l == nil {
		return
	}
	part := func(r *row, skip int, n uint16) []byte { return l.keys[int(r.key)+skip:][:n] }
	// Ids nearly always differ, so versions are seldom looked at.
	slices.SortFunc(l.rows, func(a, b row) int {
		if c := bytes.Compare(part(&a, 0, a.id), part(&b, 0, b.id)); c != 0 {
			return c
		}
		x, y := int(a.id), int(b.id)
		if c := manifest.CompareVersions(string(part(&a, x, a.version)), string(part(&b, y, b.version))); c != 0 {
			return c
		}
		x, y = x+int(a.version), y+int(b.version)
		return bytes.Compare(part(&a, x, a.dir), part(&b, y, b.dir)) // "" is before all others
	})
}
