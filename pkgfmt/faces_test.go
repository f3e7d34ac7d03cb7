package pkgfmt_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pinion/internal/syntax"
	"pinion/manifest"
	"pinion/manifest/agentplugins"
	"pinion/manifest/agentskill"
	"pinion/manifest/agentskill/formattest"
	"pinion/manifest/claude"
	"pinion/manifest/codex"
	"pinion/manifest/copilot"
	"pinion/manifest/cursor"
	"pinion/manifest/gemini"
	"pinion/manifest/mcpb"
	"pinion/manifest/mcpregistry"
	"pinion/manifest/native"
	"pinion/pkgfmt"
	"pinion/problem"
	"pinion/tree"
)

func hosts() *pkgfmt.Loader {
	c := claude.New()
	return pkgfmt.New(c, native.New(native.Options{}), c, codex.New(), copilot.New(), cursor.New(), gemini.New(), agentplugins.New(), mcpb.New(), mcpregistry.New(), agentskill.New())
}

// load reads files as a package; entry may be nil.
func loadFiles(files map[string]string, entry *manifest.Entry) *pkgfmt.Package {
	raw := map[string][]byte{}
	top := map[string]bool{}
	for p, s := range files {
		raw[p] = []byte(s)
		first, _, _ := strings.Cut(p, "/")
		top[first] = true
	}
	t := formattest.Tree(tree.Profile{Limits: tree.Foreign(), Known: agentskill.KnownName}, raw, nil)
	t.Top = nil
	for name := range top {
		t.Top = append(t.Top, name)
	}
	slices.Sort(t.Top)
	return hosts().Load(t, pkgfmt.Place{Name: "dir", Root: "root", Entry: entry})
}

const (
	claudeJSON = `{"name": "demo", "version": "1.1.0", "description": "one", "license": "MIT", "author": {"name": "A"}}`
	codexJSON  = `{"name": "demo", "version": "1.1.0", "description": "one", "license": "MIT"}`
	skillMD    = "---\nname: a\ndescription: d\nlicense: MIT\n---\n"
	claudeHook = `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "./x"}]}]}}`
	flatHook   = `{"version": 1, "hooks": {"sessionEnd": [{"type": "command", "bash": "./x"}]}}`
)

// One directory, several hosts: which formats read it, which is the primary one,
// and what the package is altogether.
func TestFaces(t *testing.T) {
	for _, tt := range []struct {
		name  string
		files map[string]string
		entry *manifest.Entry
		faces string
		kind  manifest.Kind
	}{
		{name: "claude alone", files: map[string]string{".claude-plugin/plugin.json": claudeJSON, "skills/a/SKILL.md": skillMD}, faces: "claude", kind: manifest.Skill},
		{
			name:  "claude and codex",
			files: map[string]string{".claude-plugin/plugin.json": claudeJSON, ".codex-plugin/plugin.json": codexJSON, "skills/a/SKILL.md": skillMD},
			faces: "claude codex", kind: manifest.Skill,
		},
		{
			// Claude Code would load the directory too, but nobody says that it is a plugin of that host.
			name:  "codex, in Claude Code's layout",
			files: map[string]string{".codex-plugin/plugin.json": codexJSON, "skills/a/SKILL.md": skillMD},
			faces: "codex claude", kind: manifest.Skill,
		},
		{
			// Codex is kept from the hooks, Claude Code is not.
			name: "the second face runs",
			files: map[string]string{
				".codex-plugin/plugin.json": `{"name": "demo", "version": "1.0.0", "hooks": {}}`, "hooks/hooks.json": claudeHook,
			},
			faces: "codex claude", kind: manifest.Extension,
		},
		{
			name:  "Copilot finds hooks in a plugin of another host",
			files: map[string]string{".claude-plugin/plugin.json": claudeJSON, "hooks.json": flatHook},
			faces: "claude copilot", kind: manifest.Extension,
		},
		{
			name:  "an entry without definitions",
			files: map[string]string{".codex-plugin/plugin.json": codexJSON, "README.md": "x"},
			entry: &manifest.Entry{Name: "demo", Strict: true}, faces: "codex claude", kind: manifest.Skill,
		},
		{
			name:  "an entry that is the definition",
			files: map[string]string{".codex-plugin/plugin.json": codexJSON, "README.md": "x"},
			entry: &manifest.Entry{Name: "demo", Fields: map[string]syntax.Raw{"mcpServers": syntax.Raw(`{"s": {"command": "c"}}`)}},
			faces: "claude codex", kind: manifest.MCP,
		},
		{name: "a skill alone", files: map[string]string{"SKILL.md": skillMD}, faces: "agent-skill", kind: manifest.Skill},
		{
			name:  "a skill at the top of a plugin with others",
			files: map[string]string{".claude-plugin/plugin.json": claudeJSON, "SKILL.md": "---\nname: b\ndescription: d\nhooks:\n  Stop:\n    - hooks: [{type: command, command: x}]\n---\n", "skills/a/SKILL.md": skillMD},
			faces: "claude agent-skill", kind: manifest.Extension,
		},
		{
			name:  "a skill at the top that the plugin has",
			files: map[string]string{".claude-plugin/plugin.json": claudeJSON, "SKILL.md": skillMD},
			faces: "claude", kind: manifest.Skill,
		},
		{
			name:  "a plugin.json of Agent Plugins is not Copilot's",
			files: map[string]string{"plugin.json": `{"$schema": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json", "name": "demo"}`, "README.md": "x"},
			faces: "agent-plugins", kind: manifest.Skill,
		},
		{name: "Copilot alone", files: map[string]string{"plugin.json": codexJSON}, faces: "copilot", kind: manifest.Skill},
		{name: "native stays alone", files: map[string]string{"pinion-plugin.json": `{}`, "agents/a.md": "x", "skills/a/SKILL.md": skillMD}, faces: "native", kind: ""},
		{name: "native with a manifest of a host", files: map[string]string{"pinion-plugin.json": `{}`, "gemini-extension.json": `{"name": "demo", "version": "1.0.0"}`}, faces: "native gemini", kind: manifest.Skill},
		{name: "a repository is no package", files: map[string]string{".github/workflows/ci.yml": "x"}, faces: "", kind: manifest.Skill},
	} {
		t.Run(tt.name, func(t *testing.T) {
			pkg := loadFiles(tt.files, tt.entry)
			var names []string
			for _, f := range pkg.Faces {
				names = append(names, f.Format)
			}
			if got := strings.Join(names, " "); got != tt.faces {
				t.Errorf("faces = %q, want %q", got, tt.faces)
			}
			if pkg.Manifest.Kind != tt.kind {
				t.Errorf("kind = %q, want %q; %v", pkg.Manifest.Kind, tt.kind, pkg.Manifest.Components)
			}
			if first, _, _ := strings.Cut(tt.faces, " "); pkg.Format != first {
				t.Errorf("format = %q, want %q", pkg.Format, first)
			}
			if pkg.Manifest.Kind.Executable() && !slices.ContainsFunc(pkg.Manifest.Components, func(c manifest.Component) bool {
				return c.Type == manifest.HookComponent || c.Type == manifest.ServerComponent
			}) && tt.kind != "" {
				t.Errorf("an executable package shows nothing that runs: %v", pkg.Manifest.Components)
			}
		})
	}
}

// A component is listed once, with the hosts that see it.
func TestFacesOf(t *testing.T) {
	pkg := loadFiles(map[string]string{
		".claude-plugin/plugin.json": claudeJSON, ".codex-plugin/plugin.json": codexJSON,
		"skills/a/SKILL.md": strings.Replace(skillMD, "name: a", "name: other", 1), "commands/c.md": "x", ".mcp.json": `{"mcpServers": {"s": {"command": "c"}}}`,
	}, nil)
	got := map[string]string{}
	for _, c := range pkg.Manifest.Components {
		got[string(c.Type)+" "+c.Path] += strings.Join(pkg.FacesOf(c), " ")
	}
	want := map[string]string{"skill skills/a/SKILL.md": "claude codex", "command commands/c.md": "claude", "mcp-server .mcp.json": "claude codex"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("FacesOf (-want +got):\n%s", diff)
	}
}

// What is wrong for a further host is shown, and keeps nobody from the first.
func TestFacesTolerated(t *testing.T) {
	files := map[string]string{
		".claude-plugin/plugin.json": claudeJSON, ".codex-plugin/plugin.json": `{"name": "demo", "version": "1.1.0", "keywords": "k"}`,
		"skills/a/SKILL.md": skillMD,
	}
	pkg := loadFiles(files, nil)
	bad, ok := pkg.Problems.First()
	if !ok || bad.Rule != "codex/type" || !strings.HasPrefix(bad.Message, "codex: ") {
		t.Errorf("problems = %v, want the error of Codex", pkg.Problems)
	}
	if _, err := pkg.Verify(pkgfmt.FirstSeen); err != nil {
		t.Errorf("Verify = %v, want no error", err)
	}
	delete(files, ".claude-plugin/plugin.json")
	if _, err := loadFiles(files, nil).Verify(pkgfmt.FirstSeen); err == nil {
		t.Error("a plugin that its only host refuses was verified")
	}
}

// The digest is that of the files, whoever reads them.
func TestFacesDigest(t *testing.T) {
	files := map[string]string{".claude-plugin/plugin.json": claudeJSON, ".codex-plugin/plugin.json": codexJSON, "SKILL.md": skillMD}
	all := loadFiles(files, nil)
	c := claude.New()
	one := pkgfmt.New(c, c).Load(all.Tree, pkgfmt.Place{Name: "dir", Root: "root"})
	if all.Digest != one.Digest || all.Digest.IsZero() {
		t.Errorf("digest with three faces = %s, with one %s", all.Digest, one.Digest)
	}
}

// Manifests that disagree (manifest/drift): the field, both values, both places.
func TestDrift(t *testing.T) {
	pkg := loadFiles(map[string]string{
		".claude-plugin/plugin.json": "{\n  \"name\": \"demo\",\n  \"version\": \"1.1.0\",\n  \"description\": \"one\",\n  \"license\": \"MIT\"\n}",
		".codex-plugin/plugin.json":  "{\n  \"version\": \"1.0.0\",\n  \"name\": \"demo2\",\n  \"description\": \"two\",\n  \"license\": \"Apache-2.0\",\n  \"hooks\": {}\n}",
		"skills/a/SKILL.md":          skillMD, "hooks/hooks.json": claudeHook, "commands/c.md": "x",
	}, nil)
	var got []string
	for _, p := range pkg.Problems.Only("manifest/drift") {
		got = append(got, p.String())
	}
	want := []string{
		`.codex-plugin/plugin.json:1:1: note: claude has the hook Stop, codex does not (manifest/drift)`,
		`.codex-plugin/plugin.json:2:14: warning: version is "1.0.0" here and "1.1.0" in .claude-plugin/plugin.json:3 (manifest/drift)`,
		`.codex-plugin/plugin.json:3:11: warning: name is "demo2" here and "demo" in .claude-plugin/plugin.json:2 (manifest/drift)`,
		`.codex-plugin/plugin.json:4:18: warning: description is "two" here and "one" in .claude-plugin/plugin.json:4 (manifest/drift)`,
		`.codex-plugin/plugin.json:5:14: warning: license is "Apache-2.0" here and "MIT" in .claude-plugin/plugin.json:5 (manifest/drift)`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("drift (-want +got):\n%s", diff)
	}
	if pkg.Problems.Count(problem.Error) != 0 {
		t.Errorf("drift is no error: %v", pkg.Problems)
	}
}
