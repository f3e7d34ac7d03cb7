package capability

import (
	"bytes"
	"slices"
	"strings"

	"pinion/internal/regex"
	"pinion/internal/syntax"
	"pinion/scan"
)

var (
	hostName = regex.Lazy{Expr: `(?i)\b(?:https?|wss?|ftps?|ssh)://(?:[^\s/@"'` + "`" + `<>()]*@)?([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)`}

	// readsEnv are the ways in which Python and JavaScript read one variable.
	readsEnv = regex.Lazy{Expr: `(?:os\.environ(?:\.get)?\s*[\[(]\s*|os\.getenv\s*\(\s*|getenv\s*\(\s*|process\.env\s*\[\s*|Deno\.env\.get\s*\(\s*|Bun\.env\s*\[\s*)["'` + "`" + `]([A-Za-z_][A-Za-z0-9_]*)|(?:process|Bun|import\.meta)\.env\.([A-Za-z_][A-Za-z0-9_]*)`}
	shellEnv = regex.Lazy{Expr: `\$\{?(?:env:)?([A-Z][A-Z0-9_]{2,})`}
	powerEnv = regex.Lazy{Expr: `(?i)\$env:([A-Z_][A-Z0-9_]*)`}
	// secretName is a variable that holds something to keep.
	secretName = regex.Lazy{Expr: `(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?|AUTH|PAT|COOKIE|DSN|_URL|_URI)$`}
	variable   = regex.Lazy{Expr: `^[A-Za-z_][A-Za-z0-9_]*$`}
)

func isVariable(s string) bool { return variable.Get().MatchString(s) }

// namesHosts notes the hosts of the addresses in a text.
func (r *reader) namesHosts(data []byte) {
	if !bytes.Contains(data, []byte("://")) {
		return
	}
	for _, m := range hostName.Get().FindAllSubmatch(data, 2_000) {
		if name := strings.ToLower(string(m[1])); strings.Contains(name, ".") && !isPlaceholder(name) {
			r.hosts[name] = true
		}
	}
}

// isPlaceholder reports whether a host is nobody's or the own machine.
func isPlaceholder(name string) bool {
	switch name {
	case "example.com", "example.org", "example.net", "www.w3.org", "json-schema.org", "json.schemastore.org", "127.0.0.1", "0.0.0.0":
		return true
	}
	return strings.HasSuffix(name, ".example.com") || strings.HasSuffix(name, ".localhost") || strings.HasSuffix(name, ".local")
}

// namesEnv notes the variables that a text reads by name. Every script has
// variables of its own, so of a shell script only names that sound like secrets
// count.
func (r *reader) namesEnv(data []byte, lang scan.Lang) {
	switch lang {
	case scan.Python, scan.JavaScript, scan.HTML:
		if !bytes.Contains(data, []byte("env")) {
			return
		}
		for _, m := range readsEnv.Get().FindAllSubmatch(data, 2_000) {
			r.noteEnv(string(slices.Concat(m[1], m[2])))
		}
	case scan.PowerShell:
		for _, m := range powerEnv.Get().FindAllSubmatch(data, 2_000) {
			r.noteEnv(string(m[1]))
		}
	default:
		if bytes.IndexByte(data, '$') < 0 {
			return
		}
		for _, m := range shellEnv.Get().FindAllSubmatch(data, 2_000) {
			if name := string(m[1]); secretName.Get().MatchString(name) {
				r.noteEnv(name)
			}
		}
	}
}

// noteEnv notes a variable, except those that every process has.
func (r *reader) noteEnv(name string) {
	switch name {
	case "PATH", "HOME", "PWD", "USER", "SHELL", "TERM", "LANG", "TMPDIR", "TEMP", "TMP", "CI", "NODE_ENV", "DEBUG", "PORT", "NO_COLOR",
		"USERPROFILE", "APPDATA", "LOCALAPPDATA", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "CLAUDE_PLUGIN_ROOT", "CLAUDE_PROJECT_DIR":
		return
	}
	r.env[name] = true
}

// isAbout reports whether a value of a document is where people are sent to, and
// nothing a program uses.
func isAbout(pointer string) bool {
	name := strings.ToLower(pointer[strings.LastIndexByte(pointer, '/')+1:])
	switch name {
	case "$schema", "$id", "$ref", "homepage", "repository", "bugs", "documentation", "docs", "license", "licence", "readme", "funding", "author", "changelog", "issues", "resolved":
		return true
	}
	for _, parent := range []string{"/author/", "/repository/", "/owner/", "/bugs/", "/funding/", "/maintainers/", "/contributors/"} {
		if strings.Contains(strings.ToLower(pointer), parent) {
			return true
		}
	}
	return false
}

// allowed reads the tools that a frontmatter grants.
func (r *reader) allowed(file string, data []byte) {
	if !bytes.Contains(data, []byte("tools")) {
		return
	}
	front, _ := syntax.Frontmatter(data)
	if !front.Found {
		return
	}
	out := Allowed{File: file}
	for _, key := range []string{"allowed-tools", "allowedTools", "tools"} {
		field, ok := front.Get(key)
		if !ok {
			continue
		}
		out.Limit = key == "tools"
		words := field.List
		if len(words) == 0 {
			words = toolWords(field.Value)
		}
		out.Tools = append(out.Tools, words...)
	}
	if len(out.Tools) > 0 {
		slices.Sort(out.Tools)
		out.Tools = slices.Compact(out.Tools)
		if len(out.Tools) > maxList {
			out.Tools, r.s.Truncated = out.Tools[:maxList], true
		}
		r.s.Allowed = append(r.s.Allowed, out)
	}
}

// toolWords splits "Read, Bash(git log:*)": at commas and blanks, never
// inside parentheses.
func toolWords(s string) []string {
	depth := 0
	return strings.FieldsFunc(s, func(c rune) bool {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth = max(0, depth-1)
		case depth > 0:
		case c == ',':
			return true
		case c == ' ' || c == '\t' || c == '\n':
			return true
		}
		return false
	})
}
