package component

import (
	"bytes"
	"strings"
)

// Program checks the file of the package that a command starts: whether it is
// there, and whether the system can run it by itself.
func (r *Reader) Program(command Value) {
	p, direct := r.ownProgram(command.Text())
	if p == "" || r.Tree.Partial {
		return
	}
	file := r.Tree.Lookup(p)
	switch {
	case file == nil:
		if !r.Tree.HasDir(p) {
			r.Report(command, r.rules.Program.Report("the command runs %q, which is not in the package", Clip(p)))
		}
	case !direct:
	case !file.Exec:
		r.Report(command, r.rules.Program.Report("the command runs %q, which is not executable", Clip(p)).
			WithFix("git update-index --chmod=+x %s, or name the interpreter in the command", p))
	case bytes.HasPrefix(file.Data, []byte("#!")) && hasCR(file.Data):
		r.Report(command, r.rules.Program.Report("the first line of %q ends with CR LF, so the system looks for an interpreter of another name", Clip(p)).
			WithFix("save the script with LF line ends"))
	}
}

// ownProgram returns the path inside the package that a command line names
// first, and whether it is run directly and not handed to an interpreter.
func (r *Reader) ownProgram(command string) (p string, direct bool) {
	rest := strings.TrimSpace(command)
	direct = true
	for {
		word, after, quoted := firstWord(rest)
		for _, root := range r.host.Roots {
			tail, ok := strings.CutPrefix(word, root)
			if !ok {
				continue
			}
			if quoted && tail == "" {
				tail, _, _ = firstWord(after) // "${CLAUDE_PLUGIN_ROOT}"/x
			}
			if tail = strings.TrimPrefix(Inside(strings.TrimLeft(tail, "/")), "./"); strings.ContainsAny(tail, "$`*?{\"';|&<>()") || strings.HasPrefix(tail, "..") {
				return "", false
			}
			return tail, direct
		}
		// Only a plain interpreter before it: anything else is the shell's business.
		switch Base(word) {
		case "bash", "sh", "zsh", "node", "python", "python3", "ruby", "perl", "deno", "bun":
			rest, direct = strings.TrimSpace(after), false
		default:
			return "", false
		}
	}
}

// firstWord splits a command line after its first word.
func firstWord(s string) (word, after string, quoted bool) {
	if s != "" && (s[0] == '"' || s[0] == '\'') {
		if end := strings.IndexByte(s[1:], s[0]); end >= 0 {
			return s[1 : 1+end], s[end+2:], true
		}
		return "", "", true
	}
	if i := strings.IndexAny(s, " \t\n"); i >= 0 {
		return s[:i], s[i:], false
	}
	return s, "", false
}

// hasCR reports whether the first line ends with CR LF.
func hasCR(data []byte) bool {
	i := bytes.IndexByte(data, '\n')
	return i > 0 && data[i-1] == '\r'
}
