package native

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What --fix may do: complete the list, and nothing that changes meaning.
func TestFix(t *testing.T) {
	t.Parallel()
	const manifest = `{
	"schema_version": 1, "id": "style", "name": "Style",   "version": "1.0.0", "description": "A guide.",
	"kind": "skill", "license": "MIT",
	"files": [
		"SKILL.md",
		"LICENSE"
	]
}
`
	base := map[string]string{"SKILL.md": instructions, "LICENSE": "text\n"}
	for _, tt := range []struct {
		name     string
		manifest string
		more     map[string]string
		want     *Fixed
	}{
		{"nothing to do", manifest, nil, nil},
		{"adds", manifest, map[string]string{"b.md": "b", "a/x.md": "x", ".env": "A=1", ".hidden/y": "y", "k.pem": "k", "id_rsa": "k", "secrets.json": "{}"},
			&Fixed{Added: []string{"a/x.md", "b.md"}, Data: []byte(strings.Replace(manifest, `"LICENSE"`, `"LICENSE",`+"\n\t\t"+`"a/x.md",`+"\n\t\t"+`"b.md"`, 1))}},
		{"byte order mark", "\ufeff" + manifest, nil, &Fixed{BOM: true, Data: []byte(manifest)}},
		{"duplicates", strings.Replace(manifest, `"LICENSE"`, `"LICENSE", "SKILL.md"`, 1), map[string]string{"b.md": "b"},
			&Fixed{Removed: []string{"SKILL.md"}, Added: []string{"b.md"}, Data: []byte(strings.Replace(manifest, `"LICENSE"`, `"LICENSE",`+"\n\t\t"+`"b.md"`, 1))}},
		{"keeps what is missing", strings.Replace(manifest, `"LICENSE"`, `"LICENSE", "gone.md"`, 1), nil, nil},
		{"no list", `{"schema_version": 1}`, nil, nil},
		{"no manifest", "", nil, nil},
	} {
		files := map[string]string{}
		for p, data := range base {
			files[p] = data
		}
		for p, data := range tt.more {
			files[p] = data
		}
		if tt.manifest != "" {
			files["pinion-plugin.json"] = tt.manifest
		}
		if tt.want != nil {
			tt.want.Path = "pinion-plugin.json"
		}
		got, err := Fix(makeTree(files))
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%s: Fix (-want +got)\n%s", tt.name, d)
		}
		if got == nil || tt.name == "adds" {
			continue // what may not be added is still a problem
		}
		files["pinion-plugin.json"] = string(got.Data)
		if l := load(New(Options{}), files); len(l) > 0 {
			t.Errorf("%s: after Fix\n%s", tt.name, lines(l))
		}
	}
	if _, err := Fix(makeTree(map[string]string{"pinion-plugin.json": `{"files": ["a"], }`, "b": "b"})); err == nil {
		t.Error("Fix of broken JSON gave no error")
	}
}

// Every problem says what to do.
func TestAdvice(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		field string
		value any
		want  string // the fix of the first problem
	}{
		{"kind", "skil", `write "skill"`},
		{"kind", "plugin", "write one of skill, mcp, extension, builtin"},
		{"license", "mit", `write "MIT"`},
		{"license", "Apache 2.0", `write "Apache-2.0" if that is the licence in LICENSE`},
		{"license", "GPL-3.0", "the supported licences are MIT, Apache-2.0, BSD-2-Clause, BSD-3-Clause, ISC, 0BSD, Unlicense, CC0-1.0"},
		{"license", "AGPL-3.0-only", "the supported licences are MIT, Apache-2.0, BSD-2-Clause, BSD-3-Clause, ISC, 0BSD, Unlicense, CC0-1.0"},
		{"license", "UNLICENSED", "the supported licences are MIT, Apache-2.0, BSD-2-Clause, BSD-3-Clause, ISC, 0BSD, Unlicense, CC0-1.0"},
		{"version", "v1.2", `write "1.2.0"`},
		{"id", "My Style!", `write "my-style"`},
		{"schema_version", 2, "use a newer Pinion, or write 1"},
		{"files", []string{"SKILL.md", "LICENSE", "./SKILL.md"}, `write "SKILL.md"`},
		{"files", []string{"skill.md", "LICENSE"}, `write "SKILL.md"`},
		{"requires", []string{"httpx"}, "remove the key, and use the standard library or ship the code in the package"},
	} {
		got := load(New(Options{}), map[string]string{"SKILL.md": instructions, "LICENSE": "t\n", "pinion-plugin.json": manifestWith(t, map[string]any{tt.field: tt.value})})
		if len(got) == 0 || got[0].Fix != tt.want {
			t.Errorf("%s %v: %+v, want the fix %q", tt.field, tt.value, got, tt.want)
		}
	}
}
