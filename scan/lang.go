package scan

import (
	"bytes"
	"path"
	"strings"
)

// Lang is what a stretch of text is written in, as far as rules care.
type Lang uint8

// The languages. Plain is text of any other kind, code in a language no rule
// knows included.
const (
	Plain Lang = iota
	Prose
	Shell
	PowerShell
	Python
	JavaScript // and TypeScript
	HTML
	JSON
	YAML
	TOML
	Markdown // a whole file; its parts are Prose and code
)

var langWords = [...]string{"plain", "prose", "shell", "powershell", "python", "javascript", "html", "json", "yaml", "toml", "markdown"}

// String returns the language's word.
func (l Lang) String() string { return langWords[l] }

// Code reports whether l is a programming language.
func (l Lang) Code() bool { return l >= Shell && l <= JavaScript }

var langOfExt = map[string]Lang{
	".md": Markdown, ".markdown": Markdown, ".mdx": Markdown, ".mdc": Markdown,
	".txt": Prose, ".rst": Prose, ".adoc": Prose,
	".sh": Shell, ".bash": Shell, ".zsh": Shell, ".ksh": Shell, ".command": Shell, ".bats": Shell,
	".ps1": PowerShell, ".psm1": PowerShell, ".bat": PowerShell, ".cmd": PowerShell,
	".py": Python, ".pyw": Python, ".pyi": Python,
	".js": JavaScript, ".mjs": JavaScript, ".cjs": JavaScript, ".jsx": JavaScript,
	".ts": JavaScript, ".mts": JavaScript, ".cts": JavaScript, ".tsx": JavaScript,
	".html": HTML, ".htm": HTML, ".svg": HTML, ".xml": HTML, ".vue": HTML, ".svelte": HTML,
	".json": JSON, ".jsonc": JSON, ".webmanifest": JSON, ".mcpb": Plain,
	".yaml": YAML, ".yml": YAML, ".toml": TOML,
}

// langOfInfo is what the word after the fence of a code block means.
var langOfInfo = map[string]Lang{
	"!": Shell, "sh": Shell, "bash": Shell, "zsh": Shell, "shell": Shell, "console": Shell, "shellsession": Shell, "shell-session": Shell, "terminal": Shell,
	"powershell": PowerShell, "ps1": PowerShell, "pwsh": PowerShell, "bat": PowerShell, "cmd": PowerShell,
	"python": Python, "py": Python, "python3": Python,
	"js": JavaScript, "javascript": JavaScript, "ts": JavaScript, "typescript": JavaScript, "jsx": JavaScript, "tsx": JavaScript, "node": JavaScript,
	"html": HTML, "xml": HTML, "json": JSON, "jsonc": JSON, "json5": JSON, "yaml": YAML, "yml": YAML, "toml": TOML,
	"md": Markdown, "markdown": Markdown,
}

// langOf returns the language of a file by its name, else by its first line.
func langOf(name string, data []byte) Lang {
	base := strings.ToLower(path.Base(name))
	if l, ok := langOfExt[path.Ext(base)]; ok {
		return l
	}
	switch base {
	case "makefile", "gnumakefile", "justfile", ".bashrc", ".zshrc", ".profile", ".envrc":
		return Shell
	case "readme", "license", "licence", "notice", "copying", "changelog", "authors":
		return Prose
	}
	if line, ok := bytes.CutPrefix(data, []byte("#!")); ok {
		if i := bytes.IndexByte(line, '\n'); i >= 0 {
			line = line[:i]
		}
		line = line[:min(len(line), 200)]
		switch {
		case bytes.Contains(line, []byte("python")):
			return Python
		case bytes.Contains(line, []byte("node")), bytes.Contains(line, []byte("bun")), bytes.Contains(line, []byte("deno")):
			return JavaScript
		case bytes.Contains(line, []byte("pwsh")):
			return PowerShell
		case bytes.Contains(line, []byte("sh")):
			return Shell
		}
	}
	return Plain
}

// isText reports whether a file is looked at as text. A name that promises text
// is believed, so that a NUL byte cannot hide a script; any other file is text
// without a NUL in its first 8 KiB, which is how git decides.
func isText(lang Lang, data []byte) bool {
	return lang != Plain || bytes.IndexByte(data[:min(len(data), 8<<10)], 0) < 0
}
