package checks

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"sync"

	"pinion/internal/syntax"
	"pinion/scan"
)

// agentFiles are the files of agents that hold for every session: instructions,
// memory, settings. They are grave in a home directory only.
const agentFiles = `(?:CLAUDE|AGENTS?|SOUL|MEMORY|IDENTITY|GEMINI|HEARTBEAT|BOOTSTRAP|TOOLS|USER)\.md|settings(?:\.local)?\.json|\.?mcp(?:_config)?\.json|hooks\.json|config\.(?:toml|json)|\.claude\.json|\.cursorrules|claude_desktop_config\.json|openclaw\.json|copilot-instructions\.md`

// agentDirs are where they lie below a home directory.
const agentDirs = `\.(?:claude|codex|cursor|gemini|openclaw|clawdbot|moltbot|windsurf|codeium/windsurf|continue|config/(?:claude|opencode|agents)|copilot|agents)`

var (
	// homeAgentFile is such a file as a shell or a sentence names it.
	homeAgentFile = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)(?:~|\$\{?HOME\}?|\$env:USERPROFILE|%USERPROFILE%|/root|/home/[\w.$-]+|/Users/[\w.$-]+)[/\\](?:` + agentDirs + `[/\\](?:[\w.-]+[/\\]){0,3}(?:` + agentFiles + `)|\.claude\.json|\.mcp\.json|CLAUDE\.md)`)
	})
	// joinedAgentFile is such a file as a program puts it together.
	joinedAgentFile = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)["']` + agentDirs + `["']\s*[,/+]\s*(?:["'][\w.-]+["']\s*[,/+]\s*)?["'](?:` + agentFiles + `)["']|(?:home\(\)|homedir\(\)|expanduser\()[^\n]*?` + agentDirs + `[/\\](?:[\w.-]+[/\\]){0,2}(?:` + agentFiles + `)`)
	})
	writeCall = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\.write_text\(|\.write_bytes\(|\bwrite(?:File(?:Sync)?|Json)\(|\bappendFile(?:Sync)?\(|createWriteStream\(|open\([^()\n]{0,200}["'](?:a|w|a\+|w\+|r\+)["']|json\.dump\(|shutil\.(?:copy\w*|move)\(|copyFile(?:Sync)?\(|symlink(?:Sync)?\(`)
	})
	writeVerb = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:append|write|insert|inject|save|persist|store|copy|overwrite|add)\b[^.\n]*?$`)
	})
)

// agentFileNames are words of which every such path has one.
var agentFileNames = []string{"claude.md", "agent.md", "agents.md", "soul.md", "memory.md", "identity.md", "gemini.md", "heartbeat.md", "bootstrap.md", "tools.md", "user.md", "settings", "mcp", "hooks.json", "config.", ".claude.json", ".cursorrules", "claude_desktop_config", "openclaw.json", "copilot-instructions"}

// maxAgentPath is how long a path of this kind is at most, and maxAgentPaths how
// many of one text are looked at.
const (
	maxAgentPath  = 160
	maxAgentPaths = 100
)

// agentPaths returns where an expression matches, looking only around the names
// of files. The result is in order and without overlaps.
func agentPaths(t *scan.Text, exprs ...*regexp.Regexp) [][]int {
	lower := t.Lower()
	var spots []int
	for _, w := range agentFileNames {
		for at := 0; len(spots) < maxAgentPaths; {
			i := bytes.Index(lower[at:], []byte(w))
			if i < 0 {
				break
			}
			spots = append(spots, at+i)
			at += i + len(w)
		}
	}
	slices.Sort(spots)
	var out [][]int
	last := 0
	for _, i := range spots {
		from, to := max(i-maxAgentPath, last), min(i+40, len(lower))
		for _, expr := range exprs {
			if from >= to {
				break
			}
			if m := expr.FindIndex(t.Data[from:to]); m != nil {
				out = append(out, []int{from + m[0], from + m[1]})
				last = from + m[1]
				break
			}
		}
	}
	return out
}

// memoryWrites notes where a text writes such a file.
func memoryWrites(p *scan.Pass, t *scan.Text) {
	lower := t.Lower()
	if t.Depth > 0 || !bytes.Contains(lower, []byte(".claude")) && !bytes.Contains(lower, []byte("claude.md")) && !bytes.Contains(lower, []byte(".mcp.json")) &&
		!bytes.Contains(lower, []byte(".codex")) && !bytes.Contains(lower, []byte(".cursor")) && !bytes.Contains(lower, []byte(".gemini")) &&
		!bytes.Contains(lower, []byte(".openclaw")) && !bytes.Contains(lower, []byte(".clawdbot")) {
		return
	}
	switch {
	case t.Lang == scan.Shell:
		for _, c := range p.Script(t).Commands {
			if w := writtenAgentFile(c); w.Text != "" {
				p.Note(writesConfig, t, w.Offset, w.End, w.Text)
			}
		}
	case t.Lang == scan.Python, t.Lang == scan.JavaScript, t.Lang == scan.PowerShell:
		if !p.Spend(len(lower)) {
			return
		}
		for _, m := range agentPaths(t, homeAgentFile(), joinedAgentFile()) {
			// The path is named first and written a little later, or on the same line.
			from := max(bytes.LastIndexByte(t.Data[:m[0]], '\n'), m[0]-maxAgentPath, 0)
			if writeCall().Match(t.Data[from:min(m[1]+nearBytes, len(t.Data))]) {
				p.Note(writesConfig, t, m[0], m[1], string(t.Data[m[0]:m[1]]))
				return
			}
		}
	case t.Lang == scan.Prose && t.Role != scan.Block && (isReadByModel(t.File.Path) || t.File.Lang != scan.Markdown):
		if !p.Spend(len(lower)) {
			return
		}
		for _, m := range agentPaths(t, homeAgentFile()) {
			before := t.Data[max(m[0]-120, 0):m[0]]
			if i := bytes.LastIndexByte(before, '\n'); i >= 0 {
				before = before[i+1:]
			}
			if writeVerb().Match(before) && !negated().Match(before) {
				p.Note(writesConfig, t, m[0], m[1], string(t.Data[m[0]:m[1]]))
			}
		}
	}
}

// writtenAgentFile returns the word of a command that names such a file and is
// written to, the zero word for none.
func writtenAgentFile(c syntax.Command) syntax.Word {
	for _, r := range c.Redirects {
		if strings.Contains(r.Op, ">") && homeAgentFile().MatchString(r.Target.Text) {
			return r.Target
		}
	}
	var args []syntax.Word
	if len(c.Words) > 1 {
		args = c.Words[1:]
	}
	switch c.Name() {
	case "tee", "sponge":
	case "cp", "mv", "ln", "install", "rsync":
		args = args[max(len(args)-1, 0):]
	case "sed", "perl":
		if !strings.Contains(strings.Join(c.Args(), " "), "-i") {
			return syntax.Word{}
		}
	default:
		return syntax.Word{}
	}
	for _, w := range args {
		if homeAgentFile().MatchString(w.Text) {
			return w
		}
	}
	return syntax.Word{}
}
