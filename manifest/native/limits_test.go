package native

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pinion/internal/syntax"
	"pinion/problem"
	"pinion/tree"
)

// manifestWith is a valid skill whose fields are replaced or added to.
func manifestWith(t testing.TB, fields map[string]any) string {
	t.Helper()
	m := map[string]any{
		"schema_version": 1, "id": "style", "name": "Style", "version": "1.0.0", "description": "A guide.",
		"kind": "skill", "license": "MIT", "files": []string{"SKILL.md", "LICENSE"},
	}
	for k, v := range fields {
		m[k] = v
	}
	b, err := syntax.Encode(m)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

var instructions = "# Use\n" + strings.Repeat("Prefer short sentences. ", 10) + "\n"

// packageOf is a valid skill with n declared files.
func packageOf(t testing.TB, n int) map[string]string {
	files := map[string]string{"SKILL.md": instructions, "LICENSE": "text\n"}
	list := []string{"SKILL.md", "LICENSE"}
	for i := len(list); i < n; i++ {
		p := fmt.Sprintf("docs/%03d.md", i)
		files[p] = "x\n"
		list = append(list, p)
	}
	files["pinion-plugin.json"] = manifestWith(t, map[string]any{"files": list})
	return files
}

func rules(l problem.List) (ids []string) {
	for _, p := range l {
		ids = append(ids, p.Rule)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// TestLimits is each limit at its border and one past it.
func TestLimits(t *testing.T) {
	t.Parallel()
	toolList := func(n int) map[string]string {
		var list []map[string]any
		for i := range n {
			list = append(list, map[string]any{"name": fmt.Sprintf("t%d", i), "description": "d", "input_schema": map[string]any{"type": "object"}})
		}
		return map[string]string{"LICENSE": "text\n", "server.py": "\n", "pinion-plugin.json": manifestWith(t, map[string]any{
			"kind": "mcp", "files": []string{"server.py", "LICENSE"}, "entrypoint": "server.py", "tools": list})}
	}
	settingList := func(n int) map[string]string {
		files := toolList(1)
		var list []map[string]any
		for i := range n {
			list = append(list, map[string]any{"key": fmt.Sprintf("PINION_PLUGIN_%d", i), "label": "l"})
		}
		files["pinion-plugin.json"] = manifestWith(t, map[string]any{
			"kind": "mcp", "files": []string{"server.py", "LICENSE"}, "entrypoint": "server.py", "configuration": list,
			"tools": []map[string]any{{"name": "t", "description": "d", "input_schema": map[string]any{"type": "object"}}}})
		return files
	}
	sized := func(total int) map[string]string {
		files := packageOf(t, 3)
		for _, data := range files {
			total -= len(data)
		}
		files["docs/002.md"] += strings.Repeat("x", total)
		return files
	}
	for _, tt := range []struct {
		name  string
		files map[string]string
		want  []string
	}{
		{"100 files", packageOf(t, 100), nil}, // SB-029
		{"101 files", packageOf(t, 101), []string{"files/too-many"}},
		{"100 tools", toolList(100), nil}, // SB-027
		{"101 tools", toolList(101), []string{"tools/too-many"}},
		{"100 settings", settingList(100), nil},
		{"101 settings", settingList(101), []string{"manifest/too-many"}},
		{"2,000,000 bytes", sized(tree.NativeNoteBytes), nil}, // SB-028
		{"2,000,001 bytes", sized(tree.NativeNoteBytes + 1), []string{"files/decimal-size"}},
		{"2 MiB", sized(tree.NativeBytes), []string{"files/decimal-size"}},
		{"2 MiB and one", sized(tree.NativeBytes + 1), []string{"files/limit"}},
	} {
		got := load(New(Options{}), tt.files)
		if !slices.Equal(rules(got), tt.want) {
			t.Errorf("%s: rules = %v, want %v\n%s", tt.name, rules(got), tt.want, lines(got))
		}
	}
}

// Hostile manifests end, with a bounded number of problems.
func TestHostileManifests(t *testing.T) {
	t.Parallel()
	base := packageOf(t, 2)
	long := func(field, element string, n int) string {
		return strings.Replace(base["pinion-plugin.json"], `"schema_version"`, `"`+field+`": [`+strings.Repeat(element+",", n)+element+`], "schema_version"`, 1)
	}
	for name, manifest := range map[string]string{
		"tools":       long("tools", `{}`, 60_000),
		"tool fields": long("tools", `{"name":"A","description":"","input_schema":{"type":"array"}}`, 6_000),
		"files":       strings.Replace(base["pinion-plugin.json"], `"SKILL.md"`, strings.Repeat(`"x",`, 60_000)+`"SKILL.md"`, 1),
		"permissions": long("permissions", `"x"`, 60_000),
		"hooks":       long("hooks", `{"event":1}`, 30_000),
		"unknown":     strings.Replace(base["pinion-plugin.json"], `{`, `{`+strings.Repeat(`"a":1,`, 60_000), 1),
		"deep":        strings.Replace(base["pinion-plugin.json"], `"Style"`, strings.Repeat("[", 100_000)+strings.Repeat("]", 100_000), 1),
	} {
		files := map[string]string{"SKILL.md": base["SKILL.md"], "LICENSE": base["LICENSE"], "pinion-plugin.json": manifest}
		got := load(New(Options{}), files)
		if !got.HasErrors() || len(got) > 2*maxProblems {
			t.Errorf("%s: %d problems, want some errors and at most %d", name, len(got), 2*maxProblems)
		}
	}
}

// Hostile modules and style sheets end.
func TestHostileModules(t *testing.T) {
	t.Parallel()
	m := manifestWith(t, map[string]any{
		"kind": "extension", "files": []string{"a.js", "a.css", "LICENSE"}, "permissions": []string{"ui.styles", "ui.patch"},
		"ui": map[string]any{"patches": []string{"a.js"}, "styles": []string{"a.css"}}})
	for name, content := range map[string]string{
		"imports":   strings.Repeat("import a,", 30_000),
		"brackets":  strings.Repeat("(", 200_000),
		"braces":    strings.Repeat("{", 200_000),
		"templates": strings.Repeat("`${", 60_000),
		"classes":   strings.Repeat("=/[", 100_000),
		"open urls": strings.Repeat(`url("x" `, 40_000),
		"slashes":   strings.Repeat("/", 199_999),
		"shadowed":  "let document=1;" + strings.Repeat("document;", 30_000),
		"selectors": strings.Repeat("a:not(", 40_000) + "{}",
		"rules":     strings.Repeat("a{}", 60_000),
		"urls":      strings.Repeat("url(x)", 40_000),
		"quotes":    strings.Repeat(`'"`, 90_000),
		"relative":  strings.Repeat("import './x';", 15_000),
	} {
		got := load(New(Options{}), map[string]string{"pinion-plugin.json": m, "LICENSE": "t\n", "a.js": content, "a.css": content})
		if len(got) > 2*maxProblems {
			t.Errorf("%s: %d problems", name, len(got))
		}
	}
}
