package checks

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"pinion/internal/syntax"
	"pinion/scan"
)

// shellCommands is the family of what command lines do, on the parsed script
// and never on its letters: quotes, variables, wrappers and shells in shells
// change nothing.
func shellCommands() scan.Check {
	return scan.Check{
		Name: "shell",
		Rules: slices.Concat(downloadRules(), reverseShellRules(), destructiveRules(), persistenceRules(), weakenRules(),
			hostCommandRules()),
		Langs: []scan.Lang{scan.Shell, scan.PowerShell},
		Text: func(p *scan.Pass, t *scan.Text) {
			if isMemberName(t) {
				return
			}
			var views []*shellView
			if t.Lang == scan.PowerShell {
				if !p.Spend(2 * len(t.Data)) {
					return
				}
				views = powerViews(p, t, t.Data, 0, weightOf(t))
			} else {
				views = viewsOf(p, t, scriptOf(p, t), 0, weightOf(t))
			}
			judge(views)
		},
		FileEnd: func(p *scan.Pass, _ *scan.File) { hostConfigs(p) },
		Package: hookPackage,
	}
}

// scriptOf parses a text as a shell script. In documentation the placeholders in
// angle brackets, "ssh <user>@<host>", are words and no redirections.
func scriptOf(p *scan.Pass, t *scan.Text) *syntax.Script {
	if t.Role != scan.Block || !bytes.Contains(t.Data, []byte("<")) {
		return p.Script(t)
	}
	data := withoutPlaceholders(t.Data)
	if bytes.Equal(data, t.Data) {
		return p.Script(t)
	}
	return p.ParseShell(data)
}

// withoutPlaceholders replaces the brackets of <name> by letters, so that
// offsets stay.
func withoutPlaceholders(data []byte) []byte {
	out := bytes.Clone(data)
	for i := 0; i < len(out); i++ {
		if out[i] != '<' {
			continue
		}
		end := i + 1
		for end < len(out) && (out[end] == '_' || out[end] == '-' || out[end] == '.' || out[end] == ' ' || out[end] >= 'a' && out[end] <= 'z' || out[end] >= 'A' && out[end] <= 'Z' || out[end] >= '0' && out[end] <= '9') {
			end++
		}
		if end == i+1 || end >= len(out) || out[end] != '>' || out[i+1] == ' ' || out[end-1] == ' ' || i > 0 && out[i-1] == '<' {
			i = end - 1
			continue
		}
		for k := i; k <= end; k++ {
			if out[k] == '<' || out[k] == '>' || out[k] == ' ' {
				out[k] = '_'
			}
		}
		i = end
	}
	return out
}

// judge runs every rule on the scripts of a text.
func judge(views []*shellView) {
	oneLiners(views)
	for _, v := range views {
		if !v.remote {
			flowOf(v)
		}
		for i := range v.calls {
			c := &v.calls[i]
			reverseShell(v, c)
			destructive(v, c)
			persistence(v, c)
			weaken(v, c)
			shellFacts(v, c)
			scriptVariables(v, c)
		}
	}
}

// judgeRuns looks only for what runs foreign code: what is only quoted somewhere
// is worth no more.
func judgeRuns(views []*shellView) {
	oneLiners(views)
	for _, v := range views {
		flowOf(v)
		for i := range v.calls {
			reverseShell(v, &v.calls[i])
		}
	}
}

func powerViews(p *scan.Pass, t *scan.Text, data []byte, base int, w weight) []*shellView {
	v := &shellView{p: p, t: t, script: readPowerShell(data), weight: w, base: base, exact: true, power: true, shared: &shellShared{seen: map[string]bool{}}}
	v.read()
	return v.shared.views
}

// weightOf says how close the commands of a text are to being run. Only files
// that are written for people, by their name, weigh less: an agent follows any
// other Markdown of a package.
func weightOf(t *scan.Text) weight {
	if t.File.Lang == scan.Markdown || t.File.Lang == scan.Prose {
		if isManual(t.File.Path) {
			return asDoc
		}
	}
	// What a tool is called with is an example, a test or a recording.
	for _, part := range []string{"/tool_input/", "/toolinput/", "/tool_calls/", "/arguments/", "/input/", "/params/", "/expected", "/cases/", "/examples/", "/tests/"} {
		if t.Role == scan.Command && strings.Contains(strings.ToLower(t.Pointer), part) {
			return asQuoted
		}
	}
	return asRun
}

// isManual reports whether a Markdown file is documentation for people by its
// name.
func isManual(name string) bool {
	stem := strings.ToLower(path.Base(name))
	stem, _, _ = strings.Cut(stem, ".")
	for _, s := range []string{"readme", "contributing", "changelog", "security", "install", "installation", "development", "history", "support", "faq", "releasing", "quickstart", "getting-started"} {
		if stem == s || strings.HasPrefix(stem, s+"-") || strings.HasPrefix(stem, s+"_") {
			return true
		}
	}
	return false
}

// isMemberName reports whether a text is the name of a JSON member, such as
// "command", and not its value.
func isMemberName(t *scan.Text) bool {
	return t.Pointer != "" && string(t.Data) == t.Pointer[strings.LastIndexByte(t.Pointer, '/')+1:]
}

// parserCost is what it costs to begin with a script of a few words, in steps.
const parserCost = 4 << 10

// parseAt reads a stretch of a text as a shell script.
func parseAt(p *scan.Pass, t *scan.Text, start, end int, w weight) []*shellView {
	code := t.Data[start:end]
	if !p.Spend(parserCost) {
		return nil
	}
	if isPowerLine(code) {
		if !p.Spend(2 * len(code)) {
			return nil
		}
		return powerViews(p, t, code, start, w)
	}
	return viewsOf(p, t, p.ParseShell(code), start, w)
}

func isPowerLine(code []byte) bool {
	low := bytes.ToLower(code[:min(len(code), 4<<10)])
	for _, w := range []string{"iex", "invoke-expression", "downloadstring", "start-process"} {
		if bytes.Contains(low, []byte(w)) {
			return true
		}
	}
	return false
}

// worthParsing reports whether a stretch has a word that some rule needs.
func worthParsing(code []byte) bool {
	low := bytes.ToLower(code)
	for _, w := range []string{"curl", "wget", "base64", "/dev/tcp", "nc ", "ncat", "socat", "mkfifo", "iwr", "irm", "invoke-", "downloadstring", "powershell", "mshta", "certutil", "bitsadmin", "xxd", "eval", "openssl"} {
		if bytes.Contains(low, []byte(w)) {
			return true
		}
	}
	return false
}
