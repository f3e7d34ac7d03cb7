package market

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"pinion/catalog"
)

// news is the part of a catalog that has to be judged.
type news struct {
	cat   *catalog.Catalog
	data  []byte      // the catalog's text, without the entries that are known
	texts []entryText // of its entries, zero where one cannot be told from the next
	frame Frame
}

// news finds and reads the catalog of a snapshot. Of a catalog that is the one in
// use but for some entries, only those are read, and the rows of the others are
// marked as kept.
func (ms *Markets) news(ctx context.Context, m *Market, j *judge, l *listing) (news, error) {
	read := remembering(func(path string) ([]byte, error) { return j.snap.ReadFile(ctx, path, catalog.MaxBytes) })
	if n, err := ms.changed(ctx, m, j, l, read); n.cat != nil || err != nil {
		return n, err
	}
	for i := range l.rows {
		l.rows[i].kept = false
	}
	path, data, err := m.Catalog, []byte(nil), error(nil)
	if path != "" {
		data, err = read(path)
	} else {
		path, data, err = catalog.Find(ctx, read)
	}
	commit := j.snap.Pin().Commit
	if err != nil {
		return news{}, fmt.Errorf("%s at %s: %w", m.Source, short(commit), err)
	}
	cat, problems := catalog.Parse(path, data)
	if problems.HasErrors() {
		return news{}, &CatalogError{Source: m.Source, Commit: commit, Problems: problems}
	}
	n := whole(data)
	if n.cat = cat; len(n.texts) != len(cat.Entries) {
		n.texts, n.frame = make([]entryText, len(cat.Entries)), Frame{}
	}
	return n, nil
}

// changed is the case of news in which something is known. The catalog is nil in
// any other.
func (ms *Markets) changed(ctx context.Context, m *Market, j *judge, l *listing, read func(string) ([]byte, error)) (news, error) {
	// Only a ledger that has what the last refresh knew spares looking at every
	// plugin: a lost one is filled again.
	if !j.ledger.known || len(l.rows) == 0 {
		return news{}, nil
	}
	path, data := m.before(read)
	if path == "" {
		return news{}, nil
	}
	var err error
	n, ok := l.split(data, m.State.Frame, func(r *row) bool {
		var same bool
		if err == nil {
			same, err = j.hasTree(ctx, l.part(r.dir), l.part(r.tree))
		}
		return same
	})
	if err != nil || !ok {
		return news{}, err
	}
	cat, problems := catalog.Parse(path, n.data)
	if problems.HasErrors() || cat.Native != m.State.Native || string(cat.Flavour) != m.State.Flavour ||
		len(cat.Entries) != len(n.texts) || len(cat.Entries)+l.kept() > catalog.MaxEntries || !l.apart(cat) {
		return news{}, nil
	}
	n.cat = cat
	return n, nil
}

// before reads the catalog where it was, "" if it may be another file now. A
// catalog that is native is one because of its content, which [catalog.Find]
// looks at; it is looked at here when the catalog turns out to be the same kind.
func (m *Market) before(read func(string) ([]byte, error)) (path string, data []byte) {
	candidates := catalog.Candidates()
	if m.Catalog != "" {
		candidates = []string{m.Catalog}
	}
	for i, path := range candidates {
		data, err := read(path)
		switch {
		case err == nil && path == m.State.CatalogPath && (i > 0 || m.Catalog != "" || m.State.Native):
			return path, data
		case !errors.Is(err, fs.ErrNotExist):
			return "", nil
		}
	}
	return "", nil
}

// apart reports whether the entries of a catalog have nothing to do with the
// rows that are kept: they are no other versions of the same plugins, and do not
// share their directories.
func (l *listing) apart(cat *catalog.Catalog) bool {
	ids, dirs := map[string]bool{}, map[string]bool{}
	for i := range cat.Entries {
		e := &cat.Entries[i]
		ids[jsonText(e.Name)], dirs[jsonText(e.Source.Place())] = true, true
	}
	for i := range l.rows {
		if r := &l.rows[i]; !r.kept {
			ids[string(l.part(r.id))] = true
		}
	}
	for i := range l.rows {
		if r := &l.rows[i]; r.kept && (ids[string(l.part(r.id))] || dirs[string(l.part(r.dir))]) {
			return false
		}
	}
	return true
}

// remembering reads each file once.
func remembering(read func(path string) ([]byte, error)) func(path string) ([]byte, error) {
	type answer struct {
		data []byte
		err  error
	}
	known := map[string]answer{}
	return func(path string) ([]byte, error) {
		a, ok := known[path]
		if !ok {
			a.data, a.err = read(path)
			known[path] = a
		}
		return a.data, a.err
	}
}
