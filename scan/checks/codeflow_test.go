package checks_test

import (
	"strings"
	"testing"

	"pinion/scan"
	"pinion/scan/checks"
)

// Whatever code looks like, following it must end soon: these inputs make naive
// joins of names, literals and brackets quadratic. The report may be incomplete,
// it must not hang; a hang is what the test runner's limit catches.
func TestCodeBombs(t *testing.T) {
	n := 1 << 17
	engine := scan.New("test", checks.Ruleset(), checks.All())
	for name, text := range map[string]string{
		"a.js":  "exec(" + strings.Repeat("a.", n/2) + "b)",
		"b.js":  strings.Repeat("eval(", n/5),
		"c.js":  "exec(" + strings.Repeat("'a'+", n/4) + "'b')",
		"d.js":  "x='" + strings.Repeat("ls;", 1000) + "';const {exec}=require('child_process');" + strings.Repeat("exec(x);", n/8),
		"e.py":  "exec(" + strings.Repeat("'a'", n/3) + ")",
		"f.js":  "eval(" + strings.Repeat("a[b]", n/4) + ")",
		"g.js":  "fetch(" + strings.Repeat("`${", n/3),
		"h.js":  strings.Repeat("eval(atob(x))", n/13),
		"i.py":  strings.Repeat("import exec,", n/12),
		"j.js":  "exec" + strings.Repeat("=/[", n/3),
		"k.js":  strings.Repeat("JSON.stringify(process.env),", n/28),
		"l.py":  "import os\n" + strings.Repeat("os.system(f'{a}{b}{c}')\n", n/24),
		"m.js":  strings.Repeat("()=>{resolve(", n/13),
		"n.sh":  "X=$(cat ~/.ssh/id_rsa)\n" + strings.Repeat("curl $X $X $X;", n/14),
		"o.js":  strings.Repeat("const {a,b:c}=process.env,", n/26),
		"p.txt": strings.Repeat("sk-ant-", n/7),
	} {
		r, err := engine.Scan(t.Context(), packageOf(map[string]string{"SKILL.md": "---\nname: a\ndescription: b\n---\n", name: text}))
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Findings) > 2_000 {
			t.Errorf("%s: %d findings", name, len(r.Findings))
		}
	}
}
