package market

import (
	"bytes"
	"context"
	"slices"

	"pinion/internal/sealed"
	"pinion/internal/syntax"
)

// A state lists everything a catalog has, thousands of plugins with all of their
// components, and most verbs are about one. Its file is checked as a whole and
// then only the wanted plugins are decoded, which the file's own form allows:
// one member a line, and no line break inside a text.

// Lookup returns the marketplace with the alias, or with "" all of them sorted
// by alias, as [Markets.Get] and [Markets.List] do, but with only those plugins
// that the id may mean: the ones that have it, and those it was renamed to. With
// "" one that cannot be read is left out.
func (ms *Markets) Lookup(ctx context.Context, alias, id string) ([]*Market, error) {
	list, _, err := ms.list(ctx, func(key string) (*Market, error) { return ms.readFor(key, id) })
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

// Heads is [Markets.List] without any plugins.
func (ms *Markets) Heads(ctx context.Context) ([]*Market, []Damage, error) {
	return ms.list(ctx, func(key string) (*Market, error) { return ms.readFor(key, "") })
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

// readFor is read with the plugins that an id may mean, none for "".
func (ms *Markets) readFor(key, id string) (*Market, error) {
	return ms.readWith(key, func(data []byte, s *State) *sealed.Fault {
		body, fault := sealed.Open(data, "snapshot")
		if fault != nil {
			return fault
		}
		head, plugins := cutPlugins(body)
		if p, bad := syntax.Decode(head, s, syntax.Options{}).First(); bad {
			return &sealed.Fault{Reason: "cannot be read: " + p.String()}
		}
		if plugins == nil || id == "" {
			return nil
		}
		for _, name := range meanings(s.Renames, id) {
			found, fault := pluginsOf(plugins, name)
			if fault != nil {
				return fault
			}
			s.Plugins = append(s.Plugins, found...)
		}
		sortPlugins(s.Plugins)
		return nil
	})
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

// cutPlugins splits an encoded state into the same state without plugins and the
// lines of these.
func cutPlugins(body []byte) (head, plugins []byte) {
	start, end := []byte("\n  \"plugins\": ["), []byte("\n  ]")
	from := bytes.Index(body, start)
	if from < 0 {
		return body, nil
	}
	from += len(start)
	length := bytes.Index(body[from:], end)
	if body[from] == ']' || length < 0 {
		return body, nil
	}
	plugins = body[from : from+length]
	return slices.Concat(body[:from], body[from+length:]), plugins
}

// pluginsOf decodes the plugins with the id among the lines of a state's.
func pluginsOf(lines []byte, id string) ([]Plugin, *sealed.Fault) {
	quoted, err := syntax.Compact(id)
	if err != nil {
		return nil, &sealed.Fault{Reason: "cannot be searched: " + err.Error()}
	}
	start, end := []byte("\n    {\n      \"id\": "+string(quoted)+","), []byte("\n    }")
	var out []Plugin
	for {
		from := bytes.Index(lines, start)
		if from < 0 {
			return out, nil
		}
		lines = lines[from:]
		length := bytes.Index(lines, end)
		if length < 0 {
			return nil, &sealed.Fault{Reason: "has a plugin without an end"}
		}
		length += len(end)
		var p Plugin
		if bad, is := syntax.Decode(lines[:length], &p, syntax.Options{}).First(); is {
			return nil, &sealed.Fault{Reason: "cannot be read: " + bad.String()}
		}
		out, lines = append(out, p), lines[length:]
	}
}
