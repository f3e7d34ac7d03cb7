package hostcheck

import (
	"path/filepath"
	"runtime"
	"slices"
)

// Name names a client.
type Name string

// The clients.
const (
	ClaudeClient    Name = "claude"
	CodexClient     Name = "codex"
	CopilotClient   Name = "copilot"
	GeminiClient    Name = "gemini"
	SkillsClient    Name = "skills"
	SkillsRefClient Name = "skills-ref"
	McpbClient      Name = "mcpb"
	nodeRuntime     Name = "n22"
)

// Pin is one client at the version that the battery's truth was measured with.
type Pin struct {
	Name    Name
	Package string // of the npm registry
	Version string
	Program string // below node_modules
	Node    bool   // the program is a script for node
}

// Pins are the clients, in the order of the report. The runtime is a package
// like them: the distribution's node may be too old for some.
func Pins() []Pin {
	arch := map[string]string{"amd64": "x64"}[runtime.GOARCH]
	if arch == "" {
		arch = runtime.GOARCH
	}
	system := runtime.GOOS + "-" + arch
	return []Pin{
		{Name: nodeRuntime, Package: "node-" + system, Version: "22", Program: "node-" + system + "/bin/node"},
		// The package's own launcher needs an install script, which is not run.
		{Name: ClaudeClient, Package: "@anthropic-ai/claude-code", Version: "2.1.332", Program: "@anthropic-ai/claude-code-" + system + "/claude"},
		{Name: CodexClient, Package: "@openai/codex", Version: "0.171.0", Program: "@openai/codex-" + system + "/vendor/" + triple() + "/bin/codex"},
		{Name: CopilotClient, Package: "@github/copilot", Version: "1.0.102", Program: "@github/copilot/npm-loader.js", Node: true},
		{Name: GeminiClient, Package: "@google/gemini-cli", Version: "0.61.0", Program: "@google/gemini-cli/bundle/gemini.js", Node: true},
		{Name: SkillsClient, Package: "skills", Version: "1.7.4", Program: "skills/bin/cli.mjs", Node: true},
		{Name: SkillsRefClient, Package: "skills-ref", Version: "0.1.5", Program: "skills-ref/dist/cli.js", Node: true},
		{Name: McpbClient, Package: "@anthropic-ai/mcpb", Version: "2.1.2", Program: "@anthropic-ai/mcpb/dist/cli/cli.js", Node: true},
	}
}

// triple is how Codex names this system in the path of its program, which is
// started without the script around it: half of the time goes there.
func triple() string {
	arch := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[runtime.GOARCH]
	system := map[string]string{"linux": "unknown-linux-musl", "darwin": "apple-darwin", "windows": "pc-windows-msvc"}[runtime.GOOS]
	return arch + "-" + system
}

// ClientNames are the names of the clients, without the runtime.
func ClientNames() []Name {
	var names []Name
	for _, p := range Pins() {
		if p.Name != nodeRuntime {
			names = append(names, p.Name)
		}
	}
	return names
}

// PinOf returns the pin of a client, the zero value when it is not one.
func PinOf(name Name) Pin {
	pins := Pins()
	if i := slices.IndexFunc(pins, func(p Pin) bool { return p.Name == name }); i >= 0 {
		return pins[i]
	}
	return Pin{}
}

// path is where the program of a pin is, below the directory of the clients.
func (p Pin) path(dir string) string {
	return filepath.Join(dir, string(p.Name), "node_modules", filepath.FromSlash(p.Program))
}

// manifest is the installed package's own package.json, which says its version.
func (p Pin) manifest(dir string) string {
	return filepath.Join(dir, string(p.Name), "node_modules", filepath.FromSlash(p.Package), "package.json")
}
