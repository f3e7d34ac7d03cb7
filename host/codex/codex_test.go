package codex

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pinion/host"
)

// Commands become the skills that Codex 0.171.0 made of the same files, byte for
// byte; those of which it made none stay out.
func TestSkill(t *testing.T) {
	t.Parallel()
	const want = "---\nname: \"source-command-x\"\ndescription: \"DESC\"\n---\n\n# source-command-x\n\nUse this skill when the user asks to run the migrated source command `X`.\n\n## Command Template\n\nBODY\n"
	for _, tt := range []struct{ name, in, desc, body string }{
		{"plain", "---\ndescription: d\n---\nhi\n", "d", "hi"},
		{"more keys", "---\ndescription: d\nallowed-tools: Bash\nmodel: opus\nargument-hint: x\n---\nhi\n", "d", "hi"},
		{"quotes and blanks", "---\ndescription: a \"b\" c\\d\n---\n\n\n  hi  \n\n# two\n\n", `a \"b\" c\\d`, "hi  \n\n# two"},
		{"windows", "---\r\ndescription: d\r\n---\r\nhi\r\nyou\r\n", "d", "hi\nyou"},
		{"empty", "---\ndescription: d\n---\n", "d", "No command template body was found."},
		{"variable", "---\ndescription: d\n---\nhi ${CLAUDE_PLUGIN_ROOT}/x\n", "d", "hi ${CLAUDE_PLUGIN_ROOT}/x"},
		{"no frontmatter", "hi\n", "", ""},
		{"no description", "---\nname: x\n---\nhi\n", "", ""},
		{"arguments", "---\ndescription: d\n---\nhi $ARGUMENTS\n", "", ""},
		{"one argument", "---\ndescription: d\n---\nhi $1\n", "", ""},
		{"shell", "---\ndescription: d\n---\nhi !`ls`\n", "", ""},
		{"file", "---\ndescription: d\n---\nhi @file.md\n", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			expect := ""
			if tt.desc != "" {
				expect = strings.NewReplacer("DESC", tt.desc, "BODY", tt.body).Replace(want)
			}
			if d := cmp.Diff(expect, string(skill("source-command-x", "X", []byte(tt.in)))); d != "" {
				t.Error(d)
			}
		})
	}
}

// Each form of a plugin gets what it lacks for Codex, or the reason why it cannot
// be given.
func TestShape(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		plugin host.Plugin
		files  map[string]string
		extra  map[string]string
		under  string
		why    string
	}{
		{"own manifest", host.Plugin{Format: "claude"}, map[string]string{".codex-plugin/plugin.json": `{"name": "p"}`}, nil, "", ""},
		{"other name", host.Plugin{Format: "claude"}, map[string]string{".claude-plugin/plugin.json": `{"name": "q", "version": "1"}`},
			map[string]string{".claude-plugin/plugin.json": "{\n  \"name\": \"p\",\n  \"version\": \"1\"\n}\n"}, "", ""},
		{"a skill alone", host.Plugin{Format: "agent-skill", Description: "d"}, map[string]string{"SKILL.md": "x"},
			map[string]string{".codex-plugin/plugin.json": "{\n  \"name\": \"p\",\n  \"description\": \"d\",\n  \"version\": \"1.0.0\"\n}\n"}, "skills/p", ""},
		{"by its entry", host.Plugin{Format: "claude", Entry: []byte(`{"name": "p", "source": "./x", "strict": false, "mcpServers": {"s": {"command": "node"}}, "category": "c"}`)},
			map[string]string{"skills/a/SKILL.md": "x"},
			map[string]string{".codex-plugin/plugin.json": "{\n  \"name\": \"p\",\n  \"version\": \"1.0.0\",\n  \"mcpServers\": {\n    \"s\": {\n      \"command\": \"node\"\n    }\n  }\n}\n"}, "", ""},
		{"native server", host.Plugin{Format: "native", Kind: "mcp"}, map[string]string{"server.py": "x"}, nil, "", "it is a native mcp plugin, which Codex cannot run by itself"},
		{"bad id", host.Plugin{ID: "a.b"}, nil, nil, "", "its id is no name"},
		{"bad version", host.Plugin{Version: "1/2"}, nil, nil, "", "its version is no name"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			pl := tt.plugin
			pl.Dir = t.TempDir()
			if pl.ID == "" {
				pl.ID = "p"
			}
			if pl.Version == "" {
				pl.Version = "1.0.0"
			}
			for name, data := range tt.files {
				at := filepath.Join(pl.Dir, filepath.FromSlash(name))
				if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(at, []byte(data), 0o644); err != nil {
					t.Fatal(err)
				}
				pl.Files = append(pl.Files, host.File{Path: name, Size: int64(len(data))})
			}
			got, why := shape(pl)
			if tt.why != "" {
				if !strings.HasPrefix(why, tt.why) {
					t.Errorf("why = %q, want %q", why, tt.why)
				}
				return
			}
			extra := map[string]string{}
			for name, data := range got.extra {
				extra[name] = string(data)
			}
			if tt.extra == nil {
				tt.extra = map[string]string{}
			}
			if d := cmp.Diff(tt.extra, extra); d != "" || why != "" || got.under != tt.under {
				t.Errorf("under %q, why %q, extra (-want +got):\n%s", got.under, why, d)
			}
		})
	}
}
