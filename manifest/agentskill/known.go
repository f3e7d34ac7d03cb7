package agentskill

import (
	"path"
	"strings"
)

// KnownName reports whether a path with a hidden component is one that the
// plugin formats define, or one of the harmless files that repositories carry.
// Directories that hosts run things from are known by exact file only: hidden
// code must not pass because it lies next to a manifest.
func KnownName(p string) bool {
	dir, name := path.Split(p)
	if IsHousekeeping(name) {
		return !strings.Contains("/"+dir, "/.") || knownDir(strings.TrimSuffix(dir, "/"))
	}
	switch p {
	case ".claude-plugin/plugin.json", ".claude-plugin/marketplace.json",
		".claude-plugin/icon.png", ".claude-plugin/icon.svg", ".claude-plugin/README.md",
		".codex-plugin/plugin.json", ".cursor-plugin/plugin.json", ".cursor-plugin/marketplace.json",
		".github/plugin/plugin.json", ".github/plugin/marketplace.json", ".github/mcp.json",
		".plugin/plugin.json", ".plugin/marketplace.json",
		".agents/plugins/marketplace.json", ".mcp.json", ".lsp.json", ".app.json":
		return true
	}
	return false
}

func knownDir(dir string) bool {
	switch dir {
	case ".claude-plugin", ".codex-plugin", ".cursor-plugin", ".github", ".github/plugin", ".plugin", ".agents", ".agents/plugins":
		return true
	}
	return false
}

// IsHousekeeping reports whether a file name is one that editors, git and
// linters read and no agent does.
func IsHousekeeping(name string) bool {
	switch name {
	case ".gitignore", ".gitattributes", ".gitkeep", ".keep", ".editorconfig", ".npmignore", ".dockerignore",
		".prettierrc", ".prettierignore", ".prettierrc.json", ".eslintrc.json", ".eslintignore",
		".nvmrc", ".node-version", ".python-version", ".tool-versions", ".shellcheckrc", ".yamllint", ".yamllint.yml",
		".env.example", ".env.sample", ".env.template":
		return true
	}
	return strings.HasPrefix(name, ".markdownlint")
}
