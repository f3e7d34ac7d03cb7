package pinion_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pinion"
	"pinion/internal/testkit"
	"pinion/problem"
)

// TestWhatIsAPackage shows what validate takes for packages in a directory that
// nobody prepared for it. All shapes are those of public repositories.
func TestWhatIsAPackage(t *testing.T) {
	t.Parallel()
	skill := testkit.Text("---\nname: s\ndescription: d\n---\n")
	text := testkit.Text("x\n")
	entry := func(more string) testkit.File {
		return testkit.Text(fmt.Sprintf(`{"name": "acme", "owner": {"name": "x"}, "plugins": [{"name": "all", "source": "./"%s}]}`, more))
	}
	for name, c := range map[string]struct {
		files testkit.Files
		want  []string // path, format
	}{
		"source code is no plugin": {testkit.Files{
			"src/hooks/use.ts": text, "src/commands/run.go": text, "src/themes/dark.ts": text, "src/skills/mod.rs": text,
		}, []string{". "}},
		"a plugin by its layout":       {testkit.Files{"p/commands/a.md": skill, "q/skills/s/SKILL.md": skill, "r/hooks/hooks.json": text}, []string{"p claude", "q claude", "r claude"}},
		"a collection of collections":  {testkit.Files{"skills/ann/s/SKILL.md": skill, "skills/bob/s/SKILL.md": skill}, []string{"skills/ann/s agent-skill", "skills/bob/s agent-skill"}},
		"a project with skills of its": {testkit.Files{".claude/skills/s/SKILL.md": skill, ".claude/commands/c.md": text, ".mcp.json": testkit.Text(`{"mcpServers": {}}`)}, []string{".claude/skills/s agent-skill"}},
		"a server alone":               {testkit.Files{".mcp.json": testkit.Text(`{"mcpServers": {}}`), ".github/workflows/ci.yml": text}, []string{". claude"}},
		"homes of other hosts":         {testkit.Files{".gemini/skills/a/SKILL.md": skill, ".codex/skills/b/SKILL.md": skill, ".x/skills/c/SKILL.md": skill}, []string{".codex/skills/b agent-skill", ".gemini/skills/a agent-skill"}},
		"one package of every host": {testkit.Files{
			"a/plugin.json":                testkit.Text(`{"$schema": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json", "name": "a"}`),
			"c/.cursor-plugin/plugin.json": testkit.Text(`{"name": "c"}`), "g/gemini-extension.json": testkit.Text(`{"name": "g", "version": "1.0.0"}`),
			"m/manifest.json": testkit.Text(`{"manifest_version": "0.3", "server": {}}`), "r/server.json": testkit.Text(`{"name": "x/r", "remotes": []}`),
		}, []string{"a agent-plugins", "c cursor", "g gemini", "m mcpb", "r mcp-registry"}},
		"files of the same names": {testkit.Files{
			"web/manifest.json": testkit.Text(`{"short_name": "x", "icons": []}`), "ext/manifest.json": testkit.Text(`{"manifest_version": 3, "name": "x"}`),
			"app/server.json": testkit.Text(`{"port": 80}`), "c/.cursor-plugin/marketplace.json": testkit.Text(`{}`),
		}, []string{". "}},
		"skills of a listed root":    {testkit.Files{".claude-plugin/marketplace.json": entry(""), "skills/a/SKILL.md": skill}, []string{". claude"}},
		"skills that an entry names": {testkit.Files{".claude-plugin/marketplace.json": entry(`, "skills": ["./more/a"]`), "more/a/SKILL.md": skill, "more/b/SKILL.md": skill}, []string{". claude", "more/b agent-skill"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, dir, c.files)
			client, err := pinion.New(pinion.Options{Home: t.TempDir(), Cwd: dir, Offline: true})
			if err != nil {
				t.Fatal(err)
			}
			defer client.Close()
			r, err := client.Validate(t.Context(), nil, pinion.ValidateOptions{})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, p := range r.Packages {
				got = append(got, p.Path+" "+p.Format)
			}
			slices.Sort(got)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("packages (-want +got):\n%s", diff)
			}
		})
	}
}

// TestCatalogOfAnotherHost shows that a catalog is judged by its own host.
func TestCatalogOfAnotherHost(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, testkit.Files{
		".agents/plugins/marketplace.json": testkit.Text(`{"name": "acme", "plugins": [{"name": "p", "source": {"source": "local", "path": "./p"}}]}`),
		".github/plugin/marketplace.json":  testkit.Text(`{"name": "acme", "owner": {"name": "x"}, "plugins": [{"name": "p", "source": "p"}, {"name": "hooks", "source": "./q", "skills": 1}]}`),
		"p/skills/s/SKILL.md":              testkit.Text("---\nname: s\ndescription: d\n---\n"),
		"q/skills/s/SKILL.md":              testkit.Text("---\nname: s\ndescription: d\n---\n"),
	})
	client, err := pinion.New(pinion.Options{Home: t.TempDir(), Cwd: dir, Offline: true})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	r, err := client.Validate(t.Context(), nil, pinion.ValidateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	entry := false
	for _, p := range r.All() {
		if p.Rule == "claude/type" {
			// A finding in an entry is shown where the entry stands.
			entry = p.File == ".github/plugin/marketplace.json" && p.Line == 1 && p.Column > 1
		} else if p.Severity == problem.Error {
			t.Errorf("%s, which its host reads", p)
		}
	}
	if !entry {
		t.Errorf("the entry's fault has no position: %v", r.All())
	}
}

// An MCP bundle is read wherever an archive is, and is what its directory is. The
// file was packed and signed by mcpb 2.1.2 (formats §1.8).
func TestBundleIsAnArchive(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data, err := os.ReadFile("tree/testdata/signed.mcpb")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "hello.mcpb"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	client, err := pinion.New(pinion.Options{Home: t.TempDir(), Cwd: dir, Offline: true})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	r, err := client.Validate(t.Context(), []string{"hello.mcpb"}, pinion.ValidateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Packages) != 1 || r.Packages[0].Format != "mcpb" || r.Packages[0].Kind != "mcp" || !r.OK {
		t.Fatalf("validate of a bundle: %+v", r.Packages)
	}
	if got := r.Packages[0].Problems.Only("archive/signature"); len(got) != 1 || got[0].Severity != problem.Note {
		t.Errorf("problems %v, want a note of the signature", r.Packages[0].Problems)
	}
}
