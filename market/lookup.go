package market

import (
	"context"
	"slices"

	"pinion/internal/syntax"
)

// Lookup returns the marketplace with the alias, or with "" all of them sorted
// by alias, as [Markets.Get] and [Markets.List] do, but with only those plugins
// that the id may mean: the ones that have it, and those it was renamed to. With
// "" one that cannot be read is left out.
func (ms *Markets) Lookup(ctx context.Context, alias, id string) ([]*Market, error) {
	list, _, err := ms.list(ctx, func(key string) (*Market, error) {
		return ms.readFor(key, func(m *Market) func(*listing, *row) bool { return named(meanings(m.State.Renames, id)) })
	})
	if err != nil || alias == "" {
		return list, err
	}
	list = slices.DeleteFunc(list, func(m *Market) bool { return m.Name != alias })
	if len(list) == 0 {
		m, err := ms.Get(ctx, alias)
		if err != nil {
			return nil, err
		}
		list = append(list, m)
	}
	return list[:1], nil
}

// Heads is [Markets.List] without any plugins, whose files are not opened.
func (ms *Markets) Heads(ctx context.Context) ([]*Market, []Damage, error) {
	return ms.list(ctx, ms.head)
}

// Head is [Markets.Get] without any plugins.
func (ms *Markets) Head(ctx context.Context, alias string) (*Market, error) {
	return find(ctx, alias, ms.Heads)
}

// Key returns the key of the marketplace with the alias.
func (ms *Markets) Key(ctx context.Context, alias string) (key string, ok bool) {
	m, err := ms.Head(ctx, alias)
	if err != nil {
		return "", false
	}
	return m.Key, true
}

// named picks the rows of the plugins with the ids.
func named(ids []string) func(*listing, *row) bool {
	texts := map[string]bool{}
	for _, id := range ids {
		texts[jsonText(id)] = true
	}
	return func(l *listing, r *row) bool { return texts[string(l.part(r.id))] }
}

// jsonText is a text as it is between the quotes of our files.
func jsonText(s string) string {
	quoted, err := syntax.Compact(s)
	if err != nil {
		return s // it is not UTF-8, and in none of them
	}
	return string(quoted[1 : len(quoted)-1])
}

// meanings returns the id and every id it was renamed to.
func meanings(renames []Rename, id string) []string {
	out := []string{id}
	for range renames {
		i := slices.IndexFunc(renames, func(r Rename) bool { return r.From == id })
		if i < 0 || renames[i].To == "" || slices.Contains(out, renames[i].To) {
			break
		}
		id = renames[i].To
		out = append(out, id)
	}
	return out
}
