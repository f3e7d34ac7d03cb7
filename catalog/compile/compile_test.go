package compile_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pinion/catalog"
	"pinion/catalog/compile"
	"pinion/manifest"
	"pinion/problem"
)

const claudeFile, codexFile, copilotFile = ".claude-plugin/marketplace.json", ".agents/plugins/marketplace.json", ".github/plugin/marketplace.json"

// nativeCatalog is a native catalog of the given packages, with what the owner
// added to its head.
func nativeCatalog(more string, ids ...string) []byte {
	var list []string
	for _, id := range ids {
		list = append(list, fmt.Sprintf(`{"name": %q, "version": "1.0.0", "source": "./plugins/%s", "hash": "h1:FHA/QtypxxRSCn9qD4gIle+A1j0QQ01qWacoYXM5ET8=", "description": "d", "kind": "skill", "license": "MIT", "category": "dev", "x-own": 1}`, id, id))
	}
	return []byte(`{"schema_version": 1, "name": "acme", "owner": {"name": "Acme"}, "plugins": [` + strings.Join(list, ", ") + `]` + more + `}`)
}

func skillPackage(id string) *compile.Package {
	return &compile.Package{
		Format: "native", Top: []string{"LICENSE", "SKILL.md", "pinion-plugin.json"},
		Manifest: &manifest.Manifest{Format: "native", Path: "pinion-plugin.json", ID: id, Kind: manifest.Skill},
		Files:    []compile.File{{Path: "SKILL.md", Data: []byte("s")}, {Path: "pinion-plugin.json", Data: []byte("{}")}},
	}
}

func rulesOf(list problem.List, host string) (out []string) {
	for _, p := range list {
		if strings.HasPrefix(p.Message, host) {
			out = append(out, p.Rule)
		}
	}
	return out
}

// What each host is told of native packages, and what it is told that it loses.
func TestNative(t *testing.T) {
	t.Parallel()
	in := compile.Input{
		Hosts: compile.Hosts(), Path: "marketplace.json", Data: nativeCatalog("", "hooked", "mail", "style"),
		Packages: map[string]*compile.Package{
			"plugins/style": skillPackage("style"),
			"plugins/mail": {Format: "native", Top: []string{"server.py", "pinion-plugin.json"}, Manifest: &manifest.Manifest{
				Path: "pinion-plugin.json", ID: "mail", Kind: manifest.Extension, Entrypoint: "server.py",
				Settings: []manifest.Setting{{Key: "PINION_PLUGIN_TOKEN", Label: "Token", Secret: true, Required: true}, {Key: "PINION_PLUGIN_NAME"}},
				Tools:    []manifest.Tool{{Name: "send", RequiresConfirmation: true}},
				Hooks:    []manifest.Hook{{Event: "before_tool"}}, UI: &manifest.UI{Pages: []manifest.Page{{ID: "inbox"}}},
			}, Files: []compile.File{{Path: "server.py", Data: []byte("x")}}},
			"plugins/hooked": {Format: "native", Manifest: &manifest.Manifest{Path: "pinion-plugin.json", ID: "hooked", Kind: manifest.Extension, Hooks: []manifest.Hook{{Event: "before_chat"}}}},
		},
	}
	out := compile.Compile(in)
	if out.Problems.HasErrors() {
		t.Fatal(out.Problems)
	}
	made := files(out)
	for path, want := range map[string][]string{
		claudeFile: {`"skills": [
        "./"
      ]`, `"${CLAUDE_PLUGIN_ROOT}/server.py"`, `"PINION_PLUGIN_TOKEN": "${user_config.PINION_PLUGIN_TOKEN}"`, `"sensitive": true,
          "required": true`, `"default": ""`, `"category": "dev"`, `"description": "Plugins of Acme"`},
		codexFile: {`"path": "./.pinion/hosts/style"`, `"cwd": "."`, `"env_vars": [
            "PINION_PLUGIN_TOKEN",`},
		"marketplace.json":                              {`"PINION_PLUGIN_TOKEN": "${PINION_PLUGIN_TOKEN}"`, `"name": "hooked"`, `"x-own": 1`},
		".cursor-plugin/marketplace.json":               {`"source": "./.pinion/hosts/mail"`},
		".pinion/hosts/mail/mcp.json":                   {`"${CURSOR_PLUGIN_ROOT}/package/server.py"`, `"${env:PINION_PLUGIN_TOKEN}"`},
		".pinion/hosts/style/.codex-plugin/plugin.json": {`"skills": "./skills/"`, `"name": "style"`},
		".pinion/hosts/style/skills/style/SKILL.md":     {"s"},
	} {
		for _, part := range want {
			if !strings.Contains(string(made[path]), part) {
				t.Errorf("%s has no %s:\n%s", path, part, made[path])
			}
		}
	}
	for _, path := range []string{claudeFile, codexFile, ".cursor-plugin/marketplace.json"} {
		for _, not := range []string{"hooked", `"hash"`, `"kind"`, "x-own"} {
			if strings.Contains(string(made[path]), not) {
				t.Errorf("%s has %s", path, not)
			}
		}
	}
	for host, want := range map[string]int{"Claude Code": 3, "Codex": 4, "Copilot": 4, "Cursor": 4} {
		got := rulesOf(out.Problems, host)
		lost := len(slices.DeleteFunc(slices.Clone(got), func(r string) bool { return r != "compile/lost" }))
		// The hook, the page, the confirmation; the question where the host has none.
		if lost != want || !slices.Contains(got, "compile/left-out") {
			t.Errorf("%s: %d parts are reported as lost, want %d: %v", host, lost, want, got)
		}
	}
}

// The keys of owners, their entries and their order survive in each target
// file; what was generated for a package that is gone does not.
func TestOwnersKeys(t *testing.T) {
	t.Parallel()
	in := compile.Input{
		Hosts: []catalog.Flavour{catalog.Claude, catalog.Codex}, Path: "marketplace.json", Data: nativeCatalog("", "style"),
		Packages: map[string]*compile.Package{"plugins/style": skillPackage("style")},
		Existing: map[string][]byte{
			claudeFile: []byte(`{"x-top": {"b": 1, "a": 2}, "name": "other", "plugins": [
				{"name": "far", "x-far": true, "source": {"source": "github", "repo": "a/b", "sha": "0123456789012345678901234567890123456789"}},
				{"x-mine": [1], "name": "style", "author": {"name": "Me"}, "mcpServers": {"old": {}}},
				{"name": "gone", "source": "./plugins/gone"}]}`),
			codexFile: []byte(`{"interface": {"displayName": "Shown"}, "plugins": [{"name": "style", "policy": {"installation": "NOT_AVAILABLE"}, "x-mine": 1}]}`),
			".pinion/hosts/gone/.codex-plugin/plugin.json": nil,
		},
	}
	out := compile.Compile(in)
	made := files(out)
	claude := string(made[claudeFile])
	for _, want := range []string{"\"x-top\": {\n    \"b\": 1,", `"name": "acme"`, `"x-far": true`, `"x-mine": [`, `"name": "Me"`} {
		if !strings.Contains(claude, want) {
			t.Errorf("the Claude catalog has no %s:\n%s", want, claude)
		}
	}
	if strings.Contains(claude, "gone") || strings.Contains(claude, "old") || strings.Index(claude, "far") > strings.Index(claude, "style") {
		t.Errorf("the Claude catalog:\n%s", claude)
	}
	codex := string(made[codexFile])
	for _, want := range []string{"Shown", "NOT_AVAILABLE", `"x-mine": 1`, `"url": "https://github.com/a/b.git"`} {
		if !strings.Contains(codex, want) {
			t.Errorf("the Codex catalog has no %s:\n%s", want, codex)
		}
	}
	if want := []string{".pinion/hosts/gone/.codex-plugin/plugin.json"}; !slices.Equal(out.Remove, want) {
		t.Errorf("Remove = %v, want %v", out.Remove, want)
	}
	broken := in
	broken.Existing = map[string][]byte{codexFile: []byte(`{"plugins": [`)}
	if out := compile.Compile(broken); !out.Problems.HasErrors() || len(out.Files) > 0 {
		t.Errorf("a broken target is replaced: %v", out.Problems)
	}
}

// user-needs 57 and Annex A: a removed entry gets a tombstone, renames only
// grow, and a circle is refused.
func TestRenames(t *testing.T) {
	t.Parallel()
	source := func(renames, names string) []byte {
		var list []string
		for _, n := range strings.Fields(names) {
			list = append(list, fmt.Sprintf(`{"name": %q, "source": {"source": "github", "repo": "a/b"}}`, n))
		}
		return []byte(`{"name": "acme", "owner": {"name": "A"}, "description": "d",` + renames + ` "plugins": [` + strings.Join(list, ",") + `]}`)
	}
	for _, tt := range []struct {
		name, released, now, want string
		rules                     []string
	}{
		{"nothing gone", string(source("", "one two")), string(source("", "one two three")), "", nil},
		{"gone", string(source("", "one two")), string(source("", "one")), `"two":null`, []string{"catalog/removed"}},
		{"renamed", string(source("", "one two")), string(source(`"renames": {"two": "one"},`, "one")), `"renames": {"two": "one"}`, nil},
		{"told before", string(source("", "one two")), string(source(`"renames": {"two": null},`, "one")), `"renames": {"two": null}`, nil},
		{"taken out", string(source(`"renames": {"zero": "one"},`, "one")), string(source("", "one")), `"zero":"one"`, []string{"catalog/rename-dropped"}},
	} {
		data := []byte(tt.now)
		out := compile.Compile(compile.Input{
			Hosts: []catalog.Flavour{catalog.Claude}, Path: claudeFile, Data: data,
			Released: map[string][]byte{claudeFile: []byte(tt.released)},
		})
		got := string(files(out)[claudeFile])
		if !strings.Contains(strings.ReplaceAll(got, `": `, `":`), strings.ReplaceAll(tt.want, `": `, `":`)) {
			t.Errorf("%s: %s has no %s", tt.name, got, tt.want)
		}
		var rules []string
		for _, p := range out.Problems {
			rules = append(rules, p.Rule)
		}
		if !slices.Equal(rules, tt.rules) {
			t.Errorf("%s: rules %v, want %v", tt.name, rules, tt.rules)
		}
	}
	out := compile.Compile(compile.Input{
		Hosts: []catalog.Flavour{catalog.Claude}, Path: claudeFile, Data: source(`"renames": {"a": "b", "b": "a"},`, "one"),
	})
	if !out.Problems.HasErrors() || len(out.Files) > 0 {
		t.Errorf("a circle is written: %v", out.Problems)
	}
	native := compile.Compile(compile.Input{
		Hosts: []catalog.Flavour{catalog.Codex}, Path: "marketplace.json", Data: nativeCatalog("", "style"),
		Packages: map[string]*compile.Package{"plugins/style": skillPackage("style")},
		Released: map[string][]byte{"marketplace.json": nativeCatalog("", "paint", "style")},
	})
	if got := string(files(native)["marketplace.json"]); !strings.Contains(got, `"paint": null`) {
		t.Errorf("the native catalog does not say that paint is gone:\n%s", got)
	}
}

// formats 1.1.3 and 1.15 row 4: what older versions stumble over is in no other
// host's catalog, and not in the one for older versions.
func TestNewerSources(t *testing.T) {
	t.Parallel()
	out := compile.Compile(compile.Input{
		Hosts: compile.Hosts(), Path: claudeFile, Data: []byte(`{"name": "acme", "owner": {"name": "A"}, "plugins": [
			{"name": "zip", "source": {"source": "archive", "url": "https://example.com/x.zip"}},
			{"name": "made", "source": {"source": "command", "command": "make"}},
			{"name": "pack", "source": {"source": "npm", "package": "p"}},
			{"name": "tied", "source": {"source": "github", "repo": "a/b", "path": "p/q", "ref": "0123456789012345678901234567890123456789"}},
			{"name": "whole", "source": "./"}]}`),
	})
	made := files(out)
	for path, want := range map[string]string{
		".claude-plugin/portable/marketplace.json": "pack tied whole",
		codexFile:                         "pack tied",
		copilotFile:                       "tied whole",
		".cursor-plugin/marketplace.json": "",
	} {
		c, _ := catalog.Parse(path, made[path])
		var names []string
		for _, e := range c.Entries {
			names = append(names, e.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s lists %q, want %q", path, got, want)
		}
	}
	for path, want := range map[string]string{
		codexFile:   `"url": "https://github.com/a/b.git",` + "\n        \"path\": \"p/q\",\n        \"sha\": \"0123456789012345678901234567890123456789\"",
		copilotFile: `"repo": "a/b",` + "\n        \"path\": \"p/q\",\n        \"sha\": \"0123456789012345678901234567890123456789\"",
	} {
		if !strings.Contains(string(made[path]), want) {
			t.Errorf("%s has no %s:\n%s", path, want, made[path])
		}
	}
	for _, rule := range []string{"compile/needs-version", "compile/left-out"} {
		if !slices.ContainsFunc(out.Problems, func(p problem.Problem) bool { return p.Rule == rule }) {
			t.Errorf("%s is not reported: %v", rule, out.Problems)
		}
	}
}

// user-needs 4.10: names that can be taken for one another.
func TestNames(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ names, taken, want string }{
		{"text-tools mail-reader", "", ""},
		{"text-tools text_tools", "", "catalog/confusable-name"},
		{"text-tools Text-tools", "", "catalog/confusable-name"},
		{"text-tools text-t00ls", "", "catalog/confusable-name"},
		{"modern-css modem-css", "", "catalog/confusable-name"},
		{"text-tools text-tolls", "", "catalog/near-name"},
		{"text-tools text-tool", "", "catalog/near-name"},
		{"tool-one1 tool-one2", "", ""},
		{"plugin-a plugin-b", "", ""},
		{"claude-tools", "", "catalog/reserved-plugin"},
		{"text-tools", "text-tools", "catalog/taken-name"},
		{"text-tools", "texttools", "catalog/taken-name"},
		{"text-tools", "mail", ""},
	} {
		var list []string
		for _, n := range strings.Fields(tt.names) {
			list = append(list, fmt.Sprintf(`{"name": %q, "source": {"source": "github", "repo": "a/b"}}`, n))
		}
		in := compile.Input{
			Hosts: []catalog.Flavour{catalog.Claude}, Path: claudeFile,
			Data: []byte(`{"name": "acme", "owner": {"name": "A"}, "plugins": [` + strings.Join(list, ",") + `]}`),
		}
		if tt.taken != "" {
			in.Taken = []compile.Taken{{Name: tt.taken, Market: "others"}}
		}
		got := ""
		for _, p := range compile.Compile(in).Problems {
			got = p.Rule
		}
		if got != tt.want {
			t.Errorf("%s, taken %q: %q, want %q", tt.names, tt.taken, got, tt.want)
		}
	}
}

// What a catalog asks for is followed or refused, and never passed over.
func TestTargets(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{}`: "[]", `{"targets": []}`: "[]", `{"targets": ["codex", "claude", "codex"]}`: "[claude codex]",
		"\ufeff" + `{"targets": ["codex"], "plugins": {"x": `: "[]",
		`{"targets": "codex"}`:                                "no list", `{"targets": {"codex": true}}`: "no list", `{"targets": null}`: "no list",
		`{"targets": [["codex"]]}`: "no list", `{"targets": [null]}`: "no list", `{"targets": ["emacs"]}`: "no host",
	} {
		got, err := compile.Targets([]byte(text))
		if err == nil && fmt.Sprint(got) != want || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v, want %s", text, got, err, want)
		}
	}
}

// One name that Copilot does not take makes it refuse the whole catalog.
func TestNamesOfCopilot(t *testing.T) {
	t.Parallel()
	out := compile.Compile(compile.Input{
		Hosts: []catalog.Flavour{catalog.Copilot}, Path: claudeFile,
		Data: []byte(`{"name": "acme", "owner": {"name": "A"}, "plugins": [{"name": "good", "source": "./good"}, {"name": "../../x", "source": "./x"},
			{"name": "under_score", "source": "./x"}, {"name": "\u001b[31mred", "source": "./x"}, {"name": "h\u0435llo", "source": "./x"}]}`),
	})
	made := string(files(out)[".github/plugin/marketplace.json"])
	if strings.Count(made, `"name"`) != 3 || !strings.Contains(made, "good") {
		t.Errorf("%s\n%v", made, out.Problems)
	}
}

func TestParseHosts(t *testing.T) {
	t.Parallel()
	got, err := compile.ParseHosts([]string{"vscode", "Claude", "copilot"})
	if err != nil || fmt.Sprint(got) != "[claude copilot]" {
		t.Errorf("ParseHosts = %v, %v", got, err)
	}
	if _, err := compile.ParseHosts([]string{"emacs"}); err == nil {
		t.Error("emacs is taken for a host")
	}
}
