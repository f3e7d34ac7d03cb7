package pinion_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pinion"
	"pinion/internal/testkit"
)

const pythonServer = `import json, sys
for line in sys.stdin:
    m = json.loads(line)
    if "id" not in m: continue
    r = {}
    if m["method"] == "initialize": r = {"protocolVersion": m["params"]["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "x", "version": "1"}}
    if m["method"] == "tools/list": r = {"tools": [{"name": "count", "description": "Counts.", "inputSchema": {"type": "object", "properties": {}}}]}
    print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": r}), flush=True)
`

const mitText = "MIT License\n\nPermission is hereby granted.\n"

// mixedRepo is a repository with a package of each kind and an entry of the
// owner's that lives elsewhere.
func mixedRepo(t *testing.T, far, sha string) string {
	t.Helper()
	native := func(id, kind, files, more string) string {
		return fmt.Sprintf(`{"schema_version": 1, "id": %q, "name": "The %s", "version": "1.0.0", "description": "Does %s things.", "kind": %q, "license": "MIT", "files": [%s, "LICENSE"]%s}`,
			id, id, id, kind, files, more)
	}
	skill := func(name string) string {
		return "---\nname: " + name + "\ndescription: Says how to do " + name + " things. Use it when asked to.\n---\n\n# " + name + "\n\n1. Read the text that was given.\n2. Say what is to be changed, and why.\n3. Check the result once more.\n"
	}
	dir := t.TempDir()
	for name, data := range map[string]string{
		"plugins/style/pinion-plugin.json": native("style", "skill", `"SKILL.md"`, ""),
		"plugins/style/SKILL.md":           skill("style"),
		"plugins/style/LICENSE":            mitText,
		"plugins/words/pinion-plugin.json": native("words", "mcp", `"server.py"`, `, "entrypoint": "server.py",
			"configuration": [{"key": "PINION_PLUGIN_WORDS_TOKEN", "label": "Token", "description": "A token.", "secret": true, "required": false}],
			"tools": [{"name": "count", "description": "Counts.", "input_schema": {"type": "object", "properties": {}}}]`),
		"plugins/words/server.py":               pythonServer,
		"plugins/words/LICENSE":                 mitText,
		"plugins/rules/pinion-plugin.json":      native("rules", "extension", `"hooks.py"`, `, "permissions": ["hooks"], "hooks": [{"event": "before_chat", "entrypoint": "hooks.py", "timeout": 10}]`),
		"plugins/rules/hooks.py":                "def handle(event, context):\n    return {}\n",
		"plugins/rules/LICENSE":                 mitText,
		"plugins/cl/.claude-plugin/plugin.json": `{"name": "cl", "version": "1.0.0", "description": "A Claude plugin.", "author": {"name": "Acme"}, "license": "MIT"}`,
		"plugins/cl/skills/inner/SKILL.md":      skill("inner"),
		"plugins/cl/commands/hello.md":          "---\ndescription: Says hello.\n---\nSay hello.\n",
		"plugins/bare/SKILL.md":                 skill("bare"),
		".claude-plugin/marketplace.json":       fmt.Sprintf(`{"name": "mixed", "owner": {"name": "Acme"}, "description": "All kinds.", "plugins": [{"name": "far", "description": "Lives elsewhere.", "author": {"name": "Far"}, "source": {"source": "git-subdir", "url": %q, "path": "plugins/far", "sha": %q}}]}`, far, sha),
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// farRepo serves a repository with a plugin in a directory of it.
func farRepo(t *testing.T) (url, sha string) {
	t.Helper()
	server := testkit.NewGitServer(t)
	repo := testkit.NewRepo(t)
	sha = repo.Commit("main", testkit.Files{
		"plugins/far/.claude-plugin/plugin.json": testkit.Text(`{"name": "far", "version": "3.0.0", "description": "Lives elsewhere.", "author": {"name": "Far"}}`),
		"plugins/far/skills/distant/SKILL.md":    testkit.Text("---\nname: distant\ndescription: Far away.\n---\n# distant\n"),
	})
	return server.Add("acme/far", repo), sha
}

// served puts the files of a directory into a git repository on loopback.
func served(t *testing.T, dir string) (url string) {
	t.Helper()
	files := testkit.Files{}
	err := filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(p)
		files[filepath.ToSlash(rel)] = testkit.Text(string(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	repo := testkit.NewRepo(t)
	repo.Commit("main", files)
	return testkit.NewGitServer(t).Add("acme/catalog", repo) + ".git"
}

func compiled(t *testing.T, dir string, o pinion.BuildOptions) *pinion.BuildReport {
	t.Helper()
	c, err := pinion.New(pinion.Options{Home: filepath.Join(t.TempDir(), "home"), Cwd: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	r, err := c.BuildCatalog(t.Context(), dir, o)
	if err != nil {
		t.Fatal(err)
	}
	if !r.OK {
		t.Fatalf("build-catalog: %v", r.Problems)
	}
	return r
}

// The catalogs of one source pass claude's strict validator and install in
// claude, codex and copilot.
func TestCompiledForRealHosts(t *testing.T) {
	t.Parallel()
	url, sha := farRepo(t)
	repo := mixedRepo(t, url, sha)
	compiled(t, repo, pinion.BuildOptions{Owner: "Acme", Hosts: []string{"claude", "codex", "copilot", "cursor"}})
	t.Run("claude", func(t *testing.T) {
		t.Parallel()
		h := testkit.NewClient(t, "claude")
		h.Run("plugin", "validate", "--strict", repo)
		h.Run("plugin", "marketplace", "add", repo)
		for _, p := range []string{"style", "words", "cl", "bare", "far"} {
			h.Run("plugin", "install", p+"@mixed")
		}
		var list []struct {
			ID         string
			Errors     []string
			MCPServers map[string]any
		}
		if err := json.Unmarshal([]byte(h.Run("plugin", "list", "--json")), &list); err != nil {
			t.Fatal(err)
		}
		seen := 0
		for _, p := range list {
			if strings.HasSuffix(p.ID, "@mixed") {
				seen++
			}
			if len(p.Errors) > 0 || p.ID == "words@mixed" && len(p.MCPServers) != 1 {
				t.Errorf("%+v", p)
			}
		}
		if seen != 5 {
			t.Errorf("claude lists %d plugins: %+v", seen, list)
		}
		for plugin, want := range map[string]string{"style": "Skills (1)  style", "bare": "Skills (1)  bare", "far": "Skills (1)  distant", "words": "MCP servers (1)  words"} {
			if got := h.Run("plugin", "details", plugin); !strings.Contains(got, want) {
				t.Errorf("claude plugin details %s: %s\nwant %q", plugin, got, want)
			}
		}
	})
	t.Run("codex", func(t *testing.T) {
		t.Parallel()
		h := testkit.NewClient(t, "codex")
		h.Run("plugin", "marketplace", "add", "--json", repo)
		for _, p := range []string{"style", "words", "cl", "bare", "far"} {
			h.Run("plugin", "add", p+"@mixed", "--json")
		}
		if got := h.Run("plugin", "list", "--json"); strings.Count(got, `"installed": true`) != 5 {
			t.Errorf("codex plugin list: %s", got)
		}
		prompt := h.Run("debug", "prompt-input", "hello")
		for _, skill := range []string{"style:style", "bare:bare", "cl:inner", "far:distant"} {
			if !strings.Contains(prompt, "- "+skill+":") {
				t.Errorf("codex does not offer the skill %s", skill)
			}
		}
		if got := h.Run("mcp", "list"); !strings.Contains(got, "words") {
			t.Errorf("codex mcp list: %s", got)
		}
	})
	t.Run("copilot", func(t *testing.T) {
		t.Parallel()
		h := testkit.NewClient(t, "copilot")
		h.Run("plugin", "marketplace", "add", repo)
		for _, p := range []string{"style", "words", "cl", "bare"} {
			h.Run("plugin", "install", p+"@mixed")
		}
		if got := h.Run("plugin", "list"); strings.Count(got, "(enabled)") != 4 {
			t.Errorf("copilot plugin list: %s", got)
		}
		skills := h.Run("skill", "list")
		for _, want := range []string{"style", "bare", "inner"} {
			if !strings.Contains(skills, "  "+want+" - ") {
				t.Errorf("copilot skill list lacks %s: %s", want, skills)
			}
		}
		if got := h.Run("mcp", "list"); !strings.Contains(got, "words") {
			t.Errorf("copilot mcp list: %s", got)
		}
	})
}

// A Claude catalog alone is the source: what it lists elsewhere installs in the
// other hosts at the same commit, and what would break one is not in its file.
func TestCompiledClaudeCatalogForRealHosts(t *testing.T) {
	t.Parallel()
	url, sha := farRepo(t)
	repo := t.TempDir()
	source := fmt.Sprintf(`{"name": "dial", "owner": {"name": "Acme"}, "description": "d", "plugins": [
  {"name": "far", "source": {"source": "git-subdir", "url": %q, "path": "plugins/far", "sha": %q}},
  {"name": "pack", "source": {"source": "npm", "package": "@acme/pack", "version": "1.0.0"}},
  {"name": "zip", "source": {"source": "archive", "url": "https://example.com/x.zip"}}
]}
`, url, sha)
	if err := os.MkdirAll(filepath.Join(repo, ".claude-plugin"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(repo, ".claude-plugin", "marketplace.json"), []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	compiled(t, repo, pinion.BuildOptions{Hosts: []string{"claude", "codex", "copilot"}})
	if got, _ := os.ReadFile(filepath.Join(repo, ".claude-plugin", "marketplace.json")); string(got) != source {
		t.Errorf("the source was changed: %s", got)
	}
	t.Run("claude", func(t *testing.T) {
		t.Parallel()
		h := testkit.NewClient(t, "claude")
		h.Run("plugin", "validate", "--strict", repo)
		h.Run("plugin", "validate", "--strict", filepath.Join(repo, ".claude-plugin", "portable", "marketplace.json"))
	})
	t.Run("codex", func(t *testing.T) {
		t.Parallel()
		h := testkit.NewClient(t, "codex")
		h.Run("plugin", "marketplace", "add", "--json", repo)
		h.Run("plugin", "add", "far@dial", "--json")
		if got := h.Run("debug", "prompt-input", "hello"); !strings.Contains(got, "far:distant:") {
			t.Error("codex does not offer the skill of far")
		}
	})
	t.Run("copilot", func(t *testing.T) {
		t.Parallel()
		h := testkit.NewClient(t, "copilot")
		// Of a local marketplace Copilot keeps no plugins that live elsewhere.
		h.Run("plugin", "marketplace", "add", served(t, repo))
		if got := h.Run("plugin", "install", "far@dial"); !strings.Contains(got, "Installed 1 skill") {
			t.Errorf("copilot plugin install: %s", got)
		}
		if got := h.Run("skill", "list"); !strings.Contains(got, "  distant - ") {
			t.Errorf("copilot skill list: %s", got)
		}
	})
}
