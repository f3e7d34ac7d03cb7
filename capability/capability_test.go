package capability_test

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pinion/capability"
	"pinion/hashes"
	"pinion/internal/testkit"
	"pinion/manifest/agentskill"
	"pinion/manifest/claude"
	"pinion/manifest/native"
	"pinion/pkgfmt"
	"pinion/tree"
)

func loader() *pkgfmt.Loader {
	byEntry := claude.New()
	return pkgfmt.New(byEntry, native.New(native.Options{}), byEntry, agentskill.New())
}

// packageOf makes a package of files in memory; a name that ends in an asterisk
// is executable.
func packageOf(files map[string]string) *pkgfmt.Package {
	top := map[string]bool{}
	for p := range files {
		first, _, nested := strings.Cut(strings.TrimSuffix(p, "*"), "/")
		if nested {
			first += "/"
		}
		top[strings.TrimSuffix(first, "/")] = true
	}
	place := pkgfmt.Place{Name: "fixture"}
	l := loader()
	b := tree.NewBuilder(l.Options(place), slices.Sorted(maps.Keys(top)), &tree.Scratch{})
	for _, p := range slices.Sorted(maps.Keys(files)) {
		path, exec := strings.CutSuffix(p, "*")
		data := []byte(files[p])
		if i, read := b.Add(tree.Entry{Path: path, Size: int64(len(data)), Exec: exec}); read {
			if _, ok := b.Reserve(i, int64(len(data))); ok {
				b.Fill(i, data, hashes.Of(data))
			}
		}
	}
	return l.Load(b.Tree(), place)
}

func lines(s capability.Summary) string {
	var out []string
	for _, e := range s.Entries() {
		out = append(out, e.String())
	}
	return strings.Join(out, "\n")
}

var plugin = map[string]string{
	".claude-plugin/plugin.json": `{"name": "fixture", "license": "MIT", "homepage": "https://home.made-up.example"}`,
	".mcp.json": `{"mcpServers": {
		"notes": {"command": "npx", "args": ["-y", "made-up@1.2.3"], "env": {"NOTES_TOKEN": "${NOTES_TOKEN}"}},
		"far": {"type": "http", "url": "https://mcp.made-up.example/mcp"}}}`,
	"hooks/hooks.json":  `{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "uvx made-up-hook"}]}]}}`,
	"skills/a/SKILL.md": "---\nname: a\ndescription: see https://prose.made-up.example\nallowed-tools: Read, Bash(git log:*)\n---\nSee https://docs.made-up.example\n\n```sh\ncurl -H \"Authorization: $MADE_UP_KEY\" https://api.made-up.example/v1\n```\n",
	"agents/b.md":       "---\nname: b\ndescription: b\ntools: Read, Grep\n---\n",
	"agents/c.md":       "---\nname: c\ndescription: c\n---\n",
	"scripts/x.py*":     "import os\nos.environ[\"OTHER_KEY\"]\nopen(\"https://up.made-up.example\")\n",
}

// user-needs 3.9: what a plugin may do, at a glance.
func TestOf(t *testing.T) {
	s := capability.Of(packageOf(plugin))
	want := `hook PreToolUse: [Bash] uvx made-up-hook
mcp-server far: https://mcp.made-up.example/mcp
mcp-server notes: npx -y made-up@1.2.3
variable NOTES_TOKEN: given to notes
program scripts/x.py
agent agents/b.md: limited to Grep, Read
agent agents/c.md: may use every tool
allowed-tool Bash(git log:*): skills/a/SKILL.md
allowed-tool Read: skills/a/SKILL.md
fetch npm made-up: 1.2.3
fetch pypi made-up-hook: whatever is newest
host api.made-up.example
host mcp.made-up.example
host up.made-up.example
variable MADE_UP_KEY
variable NOTES_TOKEN
variable OTHER_KEY
license: MIT`
	if d := cmp.Diff(want, lines(s)); d != "" {
		t.Error(d)
	}
	if s.Files != 7 || s.Bytes == 0 || s.Truncated {
		t.Error(s.Files, s.Bytes, s.Truncated)
	}
	// The JSON is the same every time, and gives the same summary again.
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var again capability.Summary
	if err := json.Unmarshal(b, &again); err != nil {
		t.Fatal(err)
	}
	if again.Digest() != s.Digest() || capability.Of(packageOf(plugin)).Digest() != s.Digest() || len(capability.Diff(s, again)) != 0 {
		t.Error("the summary changed on the way")
	}
}

func TestDiff(t *testing.T) {
	edit := func(name, from, to string) map[string]string {
		files := maps.Clone(plugin)
		if from == "" {
			files[name] = to
		} else if files[name] = strings.ReplaceAll(files[name], from, to); files[name] == plugin[name] {
			t.Fatalf("%s has no %q", name, from)
		}
		return files
	}
	for name, c := range map[string]struct {
		files map[string]string
		want  string // "!" before what widens
	}{
		"nothing":      {plugin, ""},
		"prose":        {edit("skills/a/SKILL.md", "docs.made-up", "www.made-up"), ""},
		"new command":  {edit("hooks/hooks.json", "uvx made-up-hook", "sh x.sh"), "!changed hook PreToolUse: [Bash] uvx made-up-hook → [Bash] sh x.sh\nremoved fetch pypi made-up-hook: whatever is newest"},
		"new matcher":  {edit("hooks/hooks.json", `"matcher": "Bash"`, `"matcher": "*"`), "!changed hook PreToolUse: [Bash] uvx made-up-hook → uvx made-up-hook"},
		"new version":  {edit(".mcp.json", "1.2.3", "1.2.4"), "!changed mcp-server notes: npx -y made-up@1.2.3 → npx -y made-up@1.2.4\nchanged fetch npm made-up: 1.2.3 → 1.2.4"},
		"no version":   {edit(".mcp.json", "@1.2.3", ""), "!changed mcp-server notes: npx -y made-up@1.2.3 → npx -y made-up\n!changed fetch npm made-up: 1.2.3 → whatever is newest"},
		"new variable": {edit(".mcp.json", `"env": {`, `"env": {"MORE_KEY": "x", `), "!added variable MORE_KEY: given to notes"},
		"new host":     {edit("scripts/x.py*", "up.made-up", "drop.made-up"), "!added host drop.made-up.example\nremoved host up.made-up.example"},
		"wider tools":  {edit("skills/a/SKILL.md", "Bash(git log:*)", "Bash(*)"), "!added allowed-tool Bash(*): skills/a/SKILL.md\nremoved allowed-tool Bash(git log:*): skills/a/SKILL.md"},
		"wider agent":  {edit("agents/b.md", "tools: Read, Grep\n", ""), "!changed agent agents/b.md: limited to Grep, Read → may use every tool"},
		"less agent":   {edit("agents/b.md", "Read, Grep", "Grep"), "changed agent agents/b.md: limited to Grep, Read → limited to Grep"},
		"new program":  {edit("bin/tool", "", "#!/bin/sh\n"), "!added program bin/tool"},
		"new licence":  {edit(".claude-plugin/plugin.json", "MIT", "ISC"), "changed license: MIT → ISC"},
	} {
		var got []string
		for _, d := range capability.Diff(capability.Of(packageOf(plugin)), capability.Of(packageOf(c.files))) {
			mark := ""
			if d.Widens {
				mark = "!"
			}
			got = append(got, mark+d.String())
		}
		if d := cmp.Diff(c.want, strings.Join(got, "\n")); d != "" {
			t.Errorf("%s\n%s", name, d)
		}
	}
}

// SB-021, SB-036, SB-116: what native packages declare.
func TestNative(t *testing.T) {
	dir := filepath.Join(testkit.SharedDir(t), "fixtures", "shinbot-marketplace-repo", "plugins")
	d, err := tree.OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	names, err := d.Subdirs(".")
	if err != nil || len(names) < 5 {
		t.Fatal(names, err)
	}
	l := loader()
	got := map[string]string{}
	for _, name := range names {
		place := pkgfmt.Place{Name: name}
		tr, err := d.Read(t.Context(), name, l.Options(place), &tree.Scratch{})
		if err != nil {
			t.Fatal(err)
		}
		pkg := l.Load(tr, place)
		if err := pkg.Problems.Err(); err != nil {
			t.Fatal(err)
		}
		got[name] = lines(capability.Of(pkg))
	}
	for name, want := range map[string]string{
		"mail-reader": "mcp-server mail-reader: python server.py\ntool send_mail: asks before each call\ntool token_length: runs without asking\n" +
			"variable SHINBOT_PLUGIN_EXAMPLE_TOKEN\nsetting SHINBOT_PLUGIN_EXAMPLE_TOKEN: secret\nlicense: MIT",
		"paint":      "permission ui.pages\npermission ui.patch\npermission ui.styles\nui-page canvas\nui-patch toolbar.js\nui-style paint.css\nlicense: MIT",
		"text-tools": "mcp-server text-tools: python server.py\ntool normalize: runs without asking\nlicense: MIT",
		"workflow-hooks": "hook after_response: python hooks.py\nhook after_tool: python hooks.py\nhook before_chat: python hooks.py\n" +
			"hook before_tool: python hooks.py\npermission hooks\npermission ui.patch\nui-patch toolbar.js\nlicense: MIT",
		"writing-style": "license: MIT",
	} {
		if d := cmp.Diff(want, got[name]); d != "" {
			t.Errorf("%s\n%s", name, d)
		}
	}
	// A tool that stops asking, and a patch of the host's pages, widen.
	before := capability.Summary{Tools: []capability.Tool{{Name: "send", Confirms: true}}}
	after := capability.Summary{Tools: []capability.Tool{{Name: "send"}}, Patches: []string{"p.js"}}
	for _, c := range capability.Diff(before, after) {
		if !c.Widens {
			t.Error(c)
		}
	}
	if c := capability.Diff(after, before); len(c) != 2 || c[0].Widens || c[1].Widens {
		t.Error(c)
	}
}
