package pinion

import (
	"bytes"
	"fmt"

	"pinion/internal/syntax"
	"pinion/source"
)

// edited returns the catalog with what was bumped in it. Everything else stays
// byte for byte: the owner's layout, line ends, the order of keys.
func (l *bumpCatalog) edited() ([]byte, error) {
	todo := map[int]*BumpedEntry{}
	for _, p := range l.points {
		if p.bumped != nil {
			todo[p.entry.Index] = p.bumped
		}
	}
	if len(todo) == 0 {
		return l.data, nil
	}
	var out bytes.Buffer
	last := 0
	// Each entry is edited by itself: a document of thousands is read once.
	faults, err := syntax.DecodeArray(l.data, "/plugins", func(i int, raw syntax.Raw, offset int) error {
		b := todo[i]
		if b == nil {
			return nil
		}
		text, err := editedEntry(raw, b)
		if err != nil {
			return fmt.Errorf("entry %s: %w", b.Name, err)
		}
		out.Write(l.data[last:offset])
		out.Write(text)
		last = offset + len(raw)
		delete(todo, i)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := faults.Err(); err != nil {
		return nil, err
	}
	if len(todo) > 0 {
		return nil, fmt.Errorf("%d entries were not found again", len(todo))
	}
	out.Write(l.data[last:])
	return out.Bytes(), nil
}

func editedEntry(raw []byte, b *BumpedEntry) ([]byte, error) {
	var was struct {
		Source struct {
			SHA *string `json:"sha"`
			Ref string  `json:"ref"`
		} `json:"source"`
	}
	if err := syntax.Decode(raw, &was, syntax.Options{AllowDuplicates: true}).Err(); err != nil {
		return nil, err
	}
	set := func(pointer, key, value string) error {
		quoted, err := syntax.Compact(value)
		if err == nil {
			raw, err = syntax.SetMember(raw, pointer, key, bytes.TrimSpace(quoted))
		}
		return err
	}
	ref := b.ToRef
	if source.IsCommit(was.Source.Ref) {
		ref = b.To // the entry named its commit here
	}
	if ref != "" {
		if err := set("/source", "ref", ref); err != nil {
			return nil, err
		}
	}
	if was.Source.SHA != nil || ref != b.To {
		if err := set("/source", "sha", b.To); err != nil {
			return nil, err
		}
	}
	if b.version != "" {
		if err := set("", "version", b.version); err != nil {
			return nil, err
		}
	}
	return raw, nil
}
