package checks

import (
	"slices"
	"strings"

	"pinion/internal/syntax"
	"pinion/scan"
)

// shells are the programs that read shell scripts.
func isShellProgram(name string) bool {
	switch name {
	case "sh", "bash", "zsh", "dash", "ksh", "ksh93", "mksh", "ash", "fish", "rbash", "tcsh", "csh":
		return true
	}
	return false
}

// isInterpreter reports whether a program runs what it is given as code.
func isInterpreter(name string) bool {
	switch name {
	case "python", "python2", "python3", "pypy", "pypy3", "perl", "ruby", "node", "nodejs", "deno", "bun", "php", "lua", "osascript",
		"pwsh", "powershell", "tclsh", "r", "rscript", "groovy", "elixir", "swift", "tsx", "ts-node":
		return true
	}
	return isShellProgram(name) || strings.HasPrefix(name, "python3.") || strings.HasPrefix(name, "python2.")
}

// inside reads a script inside a command.
func (v *shellView) inside(c *shellCall, a shellArg, code string, remote bool) {
	if !v.enter(code) {
		return
	}
	w := c.word(a)
	start, end := v.place(w.Offset, w.End)
	inner := &shellView{
		p: v.p, t: v.t, script: v.p.ParseShell([]byte(code)), weight: v.weight, depth: v.depth + 1,
		remote: v.remote || remote, start: start, end: end, shared: v.shared,
	}
	inner.read()
}

// enter reports whether one more script inside this one is read.
func (v *shellView) enter(code string) bool {
	if strings.TrimSpace(code) == "" {
		return false
	}
	if v.depth >= maxShellDepth || v.shared.inner >= maxInnerShells {
		v.p.Incomplete("%s: shells in shells beyond what is read", v.t.File.Path)
		return false
	}
	v.shared.inner++
	return true
}

// insidePowerShell reads a PowerShell command inside a command.
func (v *shellView) insidePowerShell(c *shellCall, a shellArg, code string) {
	if !v.enter(code) || !v.p.Spend(2*len(code)) {
		return
	}
	w := c.word(a)
	start, end := v.place(w.Offset, w.End)
	inner := &shellView{
		p: v.p, t: v.t, script: readPowerShell([]byte(code)), weight: v.weight, depth: v.depth + 1,
		remote: v.remote, power: true, start: start, end: end, shared: v.shared,
	}
	inner.read()
}

// oneLiner is a program of another language inside a command.
type oneLiner struct {
	view *shellView
	call *shellCall
	arg  shellArg
	lang scan.Lang
	code string
}

// oneLiners hands the programs of other languages to the rules of those
// languages.
func oneLiners(views []*shellView) {
	if len(views) == 0 {
		return
	}
	for _, o := range views[0].shared.oneLiners {
		v, w := o.view, o.call.word(o.arg)
		start, end := v.place(w.Offset, w.End)
		v.p.Within(v.t, start, end, o.lang, []byte(o.code))
	}
}

func (v *shellView) oneLiner(c *shellCall, a shellArg, lang scan.Lang, code string) {
	if v.weight != asRun || v.remote || len(code) < 24 {
		return
	}
	s := v.shared
	if len(s.oneLiners) >= maxOneLiners {
		v.p.Incomplete("%s: it has more programs inside commands than are read", v.t.File.Path)
		return
	}
	s.oneLiners = append(s.oneLiners, oneLiner{v, c, a, lang, code})
}

// langOfInterpreter returns the language of a program's one-liners.
func langOfInterpreter(name string) scan.Lang {
	switch {
	case strings.HasPrefix(name, "python"), strings.HasPrefix(name, "pypy"):
		return scan.Python
	case name == "node", name == "nodejs", name == "deno", name == "bun":
		return scan.JavaScript
	}
	return scan.Plain
}

// nest follows what a command runs that is written inside the script: an
// argument of sh -c, a here-document, the text that echo pipes into a shell.
func (v *shellView) nest(c *shellCall) {
	texts := c.texts()
	switch {
	case isShellProgram(c.name):
		if code, i := c.value("-c"); i >= 0 {
			v.inside(c, c.args[i], code, false)
		} else if readsInput(c) {
			v.nestInput(c, scan.Shell)
		}
	case c.name == "eval":
		if len(c.args) > 0 {
			v.inside(c, c.args[0], strings.Join(texts, " "), false)
		}
	case c.name == "at", c.name == "batch":
		v.nestInput(c, scan.Shell)
	case c.name == "su", c.name == "runuser", c.name == "script":
		if code, i := c.value("-c", "--command"); i >= 0 {
			v.inside(c, c.args[i], code, false)
		}
	case c.name == "trap", c.name == "watch":
		if ops := c.operands(); len(ops) > 0 {
			v.inside(c, ops[0], ops[0].text, false)
		}
	case c.name == "ssh":
		if i := afterHost(c); i > 0 && i < len(c.args) {
			v.inside(c, c.args[i], strings.Join(texts[i:], " "), true)
		}
		v.nestInput(c, scan.Prose) // another machine's shell
	case c.name == "cmd":
		if _, i := c.value("/c", "/C", "/k"); i > 0 {
			v.inside(c, c.args[i], strings.Join(texts[i:], " "), false)
		}
	case c.name == "osascript":
		for _, a := range c.args {
			if _, rest, ok := strings.Cut(a.text, `do shell script "`); ok {
				if k := strings.LastIndexByte(rest, '"'); k > 0 {
					v.inside(c, a, strings.ReplaceAll(rest[:k], `\"`, `"`), false)
				}
			}
		}
	case c.name == "powershell", c.name == "pwsh":
		i := 0
		for i < len(c.args) && strings.HasPrefix(c.args[i].text, "-") && !isCommandOption(c.args[i].text) {
			i++
			if i < len(c.args) && !strings.HasPrefix(c.args[i].text, "-") && !strings.EqualFold(c.args[i-1].text, "-noprofile") && !strings.EqualFold(c.args[i-1].text, "-nop") && !strings.EqualFold(c.args[i-1].text, "-noninteractive") {
				i++ // the value of -ExecutionPolicy and its like
			}
		}
		if i < len(c.args) && isCommandOption(c.args[i].text) {
			i++
		}
		if i < len(c.args) {
			v.insidePowerShell(c, c.args[i], strings.Join(texts[i:], " "))
		}
	case c.name == "find":
		for i, a := range c.args {
			if (a.text == "-exec" || a.text == "-execdir" || a.text == "-ok") && i+3 < len(c.args) && isShellProgram(baseName(c.args[i+1].text)) && c.args[i+2].text == "-c" {
				v.inside(c, c.args[i+3], c.args[i+3].text, false)
			}
		}
	case isInterpreter(c.name):
		lang := langOfInterpreter(c.name)
		if lang == scan.Plain {
			break
		}
		if code, i := c.value("-c", "-e", "--eval", "-p", "eval"); i >= 0 {
			v.oneLiner(c, c.args[i], lang, code)
		} else if readsInput(c) {
			v.nestInput(c, lang)
		}
	case c.name == "cat" || c.name == "tee":
		// A script that is written down is read too.
		for _, r := range c.Redirects {
			if r.Body == "" {
				continue
			}
			for _, o := range append(slices.Clip(c.Redirects), teeTargets(c)...) {
				if strings.HasPrefix(o.Op, ">") && (isScriptName(o.Target.Text) || strings.HasPrefix(r.Body, "#!")) && len(c.Words) > 0 {
					v.inside(c, shellArg{word: 0}, r.Body, false)
					break
				}
			}
		}
	}
}

func isCommandOption(s string) bool {
	s = strings.ToLower(s)
	return len(s) > 1 && strings.HasPrefix("-command", s)
}

// teeTargets returns the files that tee writes, as redirections.
func teeTargets(c *shellCall) []syntax.Redirect {
	if c.name != "tee" {
		return nil
	}
	var out []syntax.Redirect
	op := ">"
	if c.flag("a") || c.has("--append") {
		op = ">>"
	}
	for _, a := range c.operands() {
		out = append(out, syntax.Redirect{Op: op, Target: syntax.Word{Text: a.text, Offset: c.Offset, End: c.End}})
	}
	return out
}

func isScriptName(path string) bool {
	for _, ext := range []string{".sh", ".bash", ".zsh", ".command"} {
		if strings.HasSuffix(path, ext) {
			return true
		}
	}
	return strings.Contains(path, ".git/hooks/")
}

// afterHost returns the index of the argument behind the host of ssh.
func afterHost(c *shellCall) int {
	for i := 0; i < len(c.args); i++ {
		a := c.args[i].text
		switch {
		case len(a) == 2 && a[0] == '-' && strings.Contains("bcDEeFIiJLlmOopQRSWw", a[1:]):
			i++
		case strings.HasPrefix(a, "-"):
		default:
			return i + 1
		}
	}
	return 0
}

// readsInput reports whether an interpreter takes its program from what is
// piped into it: it has no file and no code among its arguments.
func readsInput(c *shellCall) bool {
	shell := isShellProgram(c.name)
	for i := 0; i < len(c.args); i++ {
		a := c.args[i].text
		switch {
		case a == "-" || a == "/dev/stdin" || a == "-s" && shell, a == "/proc/self/fd/0":
			return true
		case a == "--":
		case shell && (a == "-c" || len(a) > 1 && a[0] == '-' && a[1] != '-' && strings.Contains(a, "c") && !strings.Contains(a, "s")):
			return false
		case shell && len(a) > 1 && a[0] == '-' && a[1] != '-' && strings.Contains(a, "s"):
			return true // -es
		case shell && (a == "-o" || a == "+o" || a == "-O" || a == "--rcfile" || a == "--init-file"):
			i++
		case !shell && (a == "-c" || a == "-e" || a == "-E" || a == "-m" || a == "-p" || a == "-n" || a == "-r" || a == "--eval" || a == "--print" || strings.HasPrefix(a, "-M") || strings.HasPrefix(a, "-c") || strings.HasPrefix(a, "-e") ||
			strings.HasPrefix(a, "-ne") || strings.HasPrefix(a, "-pe") || strings.HasPrefix(a, "-n") || strings.HasPrefix(a, "-p") || strings.HasPrefix(a, "-l")):
			return false
		case a == "--version", a == "--help", a == "-V", a == "-v" && !shell:
			return false
		case strings.HasPrefix(a, "-"), strings.HasPrefix(a, "+") && shell:
		default:
			return false
		}
	}
	return true
}

// nestInput reads the literal text that a command gets as its input.
func (v *shellView) nestInput(c *shellCall, lang scan.Lang) {
	if len(c.Words) == 0 {
		return
	}
	read := func(code string) {
		switch lang {
		case scan.Shell:
			v.inside(c, shellArg{word: 0}, code, false)
		case scan.Prose: // a remote shell
			v.inside(c, shellArg{word: 0}, code, true)
		default:
			v.oneLiner(c, shellArg{word: 0}, lang, code)
		}
	}
	for _, r := range c.Redirects {
		switch {
		case r.Body != "":
			read(r.Body)
		case r.Op == "<<<":
			read(v.expand(r.Target.Text))
		}
	}
	if c.Stage == 0 || c.Stages == 0 {
		return
	}
	// The stage before it may print something literal.
	for i := c.index - 1; i >= max(0, c.index-maxLookBack) && v.calls[i].Pipeline >= c.Pipeline-1; i-- {
		b := &v.calls[i]
		if b.Pipeline != c.Pipeline || b.Stage != c.Stage-1 {
			continue
		}
		switch b.name {
		case "echo", "printf":
			read(strings.Join(b.texts(), " "))
		case "cat":
			for _, r := range b.Redirects {
				if r.Body != "" {
					read(r.Body)
				}
			}
		}
	}
}
