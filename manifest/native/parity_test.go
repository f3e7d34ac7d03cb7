package native

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pinion/internal/syntax"
	"pinion/problem"
	"pinion/schemas"
	"pinion/tree"
)

// fullManifest has every field of the format.
const fullManifest = `{
  "schema_version": 1, "id": "paint", "name": "Paint", "version": "1.0.0-rc.1+b", "description": "Draws.",
  "kind": "extension", "license": "MIT", "files": ["a.js", "LICENSE", "s.py"], "entrypoint": "s.py",
  "tools": [{"name": "draw", "description": "d", "input_schema": {"type": "object"}, "requires_confirmation": true},
            {"name": "erase_all", "description": "e", "input_schema": {"type": "object", "properties": {}}}],
  "configuration": [{"key": "PINION_PLUGIN_A", "label": "A", "description": "", "secret": true, "required": false}],
  "requires": [], "permissions": ["ui.pages", "hooks"],
  "ui": {"pages": [{"id": "main", "title": "Main", "icon": "pencil", "entrypoint": "a.js"}], "styles": ["a.css"], "patches": ["a.mjs"], "assets": ["x.png"]},
  "hooks": [{"event": "before_chat", "entrypoint": "s.py", "timeout": 10}]
}`

// shapeOf is the verdict of the Go checks on the shape alone.
func shapeOf(data []byte) problem.List {
	c := &checker{format: New(Options{}), flavour: flavours[0], tree: &tree.Tree{}, data: data}
	if c.decode() {
		c.shape()
	}
	return c.problems
}

// TestSchemaAndChecksAgree mutates a manifest and asks both: the published
// schema and the checks in Go must accept and refuse the same documents.
func TestSchemaAndChecksAgree(t *testing.T) {
	t.Parallel()
	var v schemas.Validator
	accepted := 0
	rapid.Check(t, func(t *rapid.T) {
		var doc any
		if err := json.Unmarshal([]byte(fullManifest), &doc); err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(0, 2).Draw(t, "mutations") {
			doc = mutate(t, doc, 0)
		}
		data, err := json.MarshalIndent(doc, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		value, broken := syntax.Any(data)
		if broken != nil {
			t.Fatal(broken)
		}
		faults, err := v.Validate("plugin", value)
		if err != nil {
			t.Fatal(err)
		}
		problems := shapeOf(data)
		if (len(faults) == 0) != !problems.HasErrors() {
			t.Fatalf("schema: %v\nchecks:\n%s\n%s", faults, lines(problems), data)
		}
		if len(faults) == 0 {
			accepted++
		}
	})
	if accepted == 0 {
		t.Error("no document was accepted, so nothing was compared")
	}
}

// mutate changes one place of doc: a value, a key, an element.
func mutate(t *rapid.T, doc any, depth int) any {
	if depth > 0 && rapid.IntRange(0, 3).Draw(t, "here") == 0 {
		return replacement(t)
	}
	switch d := doc.(type) {
	case map[string]any:
		keys := make([]string, 0, len(d))
		for k := range d {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		if len(keys) == 0 {
			return d
		}
		key := rapid.SampledFrom(keys).Draw(t, "key")
		switch rapid.IntRange(0, 9).Draw(t, "how") {
		case 0:
			delete(d, key)
		case 1:
			d[rapid.SampledFrom([]string{"Name", "extra", "licence", ""}).Draw(t, "new")] = d[key]
		default:
			// What is inside an input schema is judged by the meta-schema, not here.
			if key == "properties" {
				return d
			}
			d[key] = mutate(t, d[key], depth+1)
		}
		return d
	case []any:
		switch how := rapid.IntRange(0, 4).Draw(t, "how"); {
		case how == 0 && len(d) > 0:
			return append(d, d[0])
		case how == 1:
			return append(d, replacement(t))
		case how == 2 && len(d) > 0:
			long := make([]any, rapid.SampledFrom([]int{99, 100, 101}).Draw(t, "length"))
			for i := range long {
				long[i] = d[0]
			}
			return long
		case len(d) > 0:
			i := rapid.IntRange(0, len(d)-1).Draw(t, "index")
			d[i] = mutate(t, d[i], depth+1)
		}
		return d
	}
	return replacement(t)
}

// replacement draws values at the borders of what fields accept.
func replacement(t *rapid.T) any {
	if rapid.IntRange(0, 2).Draw(t, "free") == 0 {
		return rapid.StringOfN(rapid.SampledFrom([]rune("aZ0-_. \t\n\u0085\u202eé+v/")), 0, 6, -1).Draw(t, "string")
	}
	return rapid.SampledFrom([]any{
		nil, true, 0, 1, 2, 60, 61, -1, 1.5, "", " ", "\t", "\n", "x", "a-b", "a--b", "a-", "-a", "a_b", "a__b", "a_", "_a", "con", "com1", "com10", "lpt", "nul",
		strings.Repeat("a", 40), strings.Repeat("a", 41), strings.Repeat("é", 40), strings.Repeat("a", 56), strings.Repeat("a", 57),
		strings.Repeat("x", 100), strings.Repeat("x", 101), strings.Repeat("é", 100), strings.Repeat("é", 101),
		strings.Repeat("é", 1024), strings.Repeat("x", 1025), strings.Repeat("x", 10000), strings.Repeat("x", 10001),
		"1.0.0", "v1.0.0", "1.0", "1", "01.0.0", "1.0.0-", "1.0.0-01", "1.0.0-0a", "1.0.0+", "1.0.0+01", "1.0.0-a..b", "1.0.0-a+b.c", "1.0.0-é", "1.0.0 ",
		"1.0.0+" + strings.Repeat("b", 58), "1.0.0+" + strings.Repeat("b", 59),
		"skill", "mcp", "builtin", "channel", "Skill", "MIT", "mit", "GPL-3.0", "0BSD", "a.py", ".py", "a.PY", "a.js", "a.mjs", "a.cjs", "js", "a.css", "css",
		"PINION_PLUGIN_A", "PINION_PLUGIN_", "SHINBOT_PLUGIN_Z_9", "PINION_PLUGIN_a", "PINION_PLUGIN_A\n", "OTHER_A", "PINION_PLUGIN_" + strings.Repeat("A", 114), "PINION_PLUGIN_" + strings.Repeat("A", 115),
		"ui.pages", "ui.patch", "hooks", "ui.patches", "before_chat", "after_response", "on_start",
		[]any{}, []any{"a"}, []any{"a.js", "a.js"}, map[string]any{}, map[string]any{"type": "object"}, map[string]any{"type": "array"},
		map[string]any{"type": []any{"object"}}, map[string]any{"a": nil},
	}).Draw(t, "value")
}
