package checks

import (
	"bytes"
	"path"
	"strings"

	"pinion/internal/syntax"
	"pinion/scan"
)

// shellQuotes looks for command lines where no shell script is: in the sentences
// of documentation, in code blocks without a language, in strings of documents
// and of other code.
func shellQuotes() scan.Check {
	return scan.Check{
		Name: "shell-quoted",
		Hints: []string{
			"curl", "wget", "base64", "/dev/tcp", "nc -", "ncat", "socat", "mkfifo", "iwr", "irm ", "invoke-", "downloadstring", "powershell", "mshta",
			"certutil", "bitsadmin", "xxd", "eval ", "openssl",
		},
		Langs: []scan.Lang{scan.Prose, scan.Plain, scan.Python, scan.JavaScript},
		Text: func(p *scan.Pass, t *scan.Text) {
			switch {
			case t.Lang == scan.Prose && t.Role == scan.Block: // a block of Markdown: an example of a document
				quotedLines(p, t, asQuoted)
			case t.Lang == scan.Prose:
				quotedLines(p, t, weightOf(t))
				spans(p, t)
			case t.Lang == scan.Plain && t.Role == scan.Block:
				quotedBlock(p, t, weightOf(t))
			case t.Lang == scan.Plain && t.Role == scan.Value:
				quotedValue(p, t)
			case t.Lang == scan.Plain:
				plainFile(p, t)
			default:
				codeStrings(p, t)
			}
		},
	}
}

// quotedBlock reads a code block that says no language.
func quotedBlock(p *scan.Pass, t *scan.Text, w weight) {
	if bytes.ContainsAny(t.Data, "|`$;&") || bytes.Contains(t.Data, []byte("<(")) {
		judgeRuns(parseAt(p, t, 0, len(t.Data), w))
	}
}

// quotedValue reads a string of a document: a script of a package.json is run,
// anything else is only quoted.
func quotedValue(p *scan.Pass, t *scan.Text) {
	if strings.Contains(t.Pointer, "/args/") || isMemberName(t) || len(t.Data) < 8 {
		return // arguments are read together with their command
	}
	w := asQuoted
	if strings.HasPrefix(t.Pointer, "/scripts/") {
		w = weightOf(t)
	}
	if w == asRun {
		judge(parseAt(p, t, 0, len(t.Data), w))
	} else if worthParsing(t.Data) {
		judgeRuns(parseAt(p, t, 0, len(t.Data), w))
	}
}

// plainFile reads a container file, whose RUN lines are shell.
func plainFile(p *scan.Pass, t *scan.Text) {
	name := strings.ToLower(path.Base(t.File.Path))
	if !strings.HasPrefix(name, "dockerfile") && !strings.HasPrefix(name, "containerfile") && !strings.HasSuffix(name, ".dockerfile") {
		return
	}
	if !p.Spend(3 * len(t.Data)) {
		return
	}
	data := bytes.Clone(t.Data)
	for pos := 0; pos < len(data); {
		end := bytes.IndexByte(data[pos:], '\n')
		if end < 0 {
			end = len(data) - pos
		}
		line := data[pos : pos+end]
		if trimmed := bytes.TrimLeft(line, " \t"); len(trimmed) > 4 && bytes.EqualFold(trimmed[:4], []byte("run ")) {
			copy(trimmed, "    ")
		}
		pos += end + 1
	}
	judge(viewsOf(p, t, p.ParseShell(data), 0, asRun))
}

// maxSpan is how long inline code may be.
const maxSpan = 2 << 10

// spans looks at inline code of sentences.
func spans(p *scan.Pass, t *scan.Text) {
	lineEnd := -1
	for at := 0; at < len(t.Data); {
		open := bytes.IndexByte(t.Data[at:], '`')
		if open < 0 {
			return
		}
		open += at
		n := 1
		for open+n < len(t.Data) && t.Data[open+n] == '`' {
			n++
		}
		start := open + n
		if lineEnd < start {
			if lineEnd = bytes.IndexByte(t.Data[start:], '\n'); lineEnd < 0 {
				lineEnd = len(t.Data) - start
			}
			lineEnd += start
		}
		size := -1
		if n <= 3 { // longer marks are not looked for, so that the work stays linear
			size = bytes.Index(t.Data[start:min(lineEnd, start+maxSpan)], t.Data[open:start])
		}
		if size < 0 {
			at = start
			continue
		}
		at = start + size + n
		code := t.Data[start : start+size]
		if len(code) < 10 || !bytes.ContainsAny(code, "|(<;&") && !bytes.Contains(bytes.ToLower(code), []byte("mshta")) && !bytes.Contains(bytes.ToLower(code), []byte("powershell")) || !worthParsing(code) {
			continue
		}
		w := asQuoted
		before := t.Data[max(0, open-200):open]
		if weightOf(t) == asRun && tellsToRun(before[bytes.LastIndexByte(before, '\n')+1:]) {
			w = asRun
		}
		judgeRuns(parseAt(p, t, start, start+size, w))
	}
}

// tellsToRun reports whether the words before a command tell somebody to run it
// and do not warn of it.
func tellsToRun(before []byte) bool {
	if i := bytes.LastIndexAny(before, ".!?;"); i >= 0 && i < len(before)-1 {
		before = before[i+1:]
	}
	words := strings.FieldsFunc(strings.ToLower(string(before)), func(r rune) bool {
		return r != '\'' && r != '’' && (r < 'a' || r > 'z')
	})
	tells := false
	for _, w := range words {
		switch w {
		case "run", "execute", "try", "paste", "type", "enter", "install", "installing", "using", "running", "launch", "invoke", "copy":
			tells = true
		case "never", "not", "don't", "don’t", "avoid", "dangerous", "instead", "block", "blocks", "blocked", "detect", "detects", "flag", "flags", "reject",
			"unsafe", "malicious", "forbidden", "deny", "suspicious", "attack", "pattern", "patterns", "like", "e", "example", "avoids", "no", "without":
			return false
		}
	}
	return tells
}

// quotedLines looks at lines of a sentence-like text that are commands: those
// that are indented, or stand behind a prompt or a list mark.
func quotedLines(p *scan.Pass, t *scan.Text, w weight) {
	for pos := 0; pos < len(t.Data); {
		end := bytes.IndexByte(t.Data[pos:], '\n')
		if end < 0 {
			end = len(t.Data) - pos
		}
		line := t.Data[pos : pos+end]
		trimmed := bytes.TrimLeft(line, " \t>*-+$#%0123456789.)")
		if startsCommand(trimmed) && bytes.ContainsAny(trimmed, "|(") {
			judgeRuns(parseAt(p, t, pos+len(line)-len(trimmed), pos+len(line), w))
		}
		pos += end + 1
	}
}

func startsCommand(line []byte) bool {
	word, _, ok := bytes.Cut(line, []byte(" "))
	if !ok || len(word) > 20 {
		return false
	}
	switch strings.ToLower(string(word)) {
	case "curl", "wget", "bash", "sh", "zsh", "eval", "echo", "sudo", "iwr", "irm", "iex", "powershell", "pwsh", "python", "python3", "printf", "nc", "source", "invoke-webrequest", "invoke-expression":
		return true
	}
	return false
}

// codeStrings looks at string literals of Python and JavaScript that are only
// data. What is handed to a function that starts a program comes as a script.
func codeStrings(p *scan.Pass, t *scan.Text) {
	lang := syntax.CodePython
	if t.Lang == scan.JavaScript {
		lang = syntax.CodeJavaScript
	}
	if !p.Spend(len(t.Data)) {
		return
	}
	tokens := syntax.ReadCode(lang, t.Data)
	for i, k := range tokens {
		if k.Kind != syntax.TokenString || k.Doc || k.InnerEnd-k.Inner < 12 {
			continue
		}
		code := t.Data[k.Inner:k.InnerEnd]
		if !bytes.ContainsAny(code, "|(<>;&") || !worthParsing(code) {
			continue
		}
		if startsShell(t.Data, tokens, i) {
			continue // the rules of the language hand it over
		}
		judgeRuns(parseAt(p, t, int(k.Inner), int(k.InnerEnd), asQuoted))
	}
}

// startsShell reports whether the string at token i is an argument of a call
// that starts a program.
func startsShell(data []byte, tokens []syntax.Token, i int) bool {
	for n := 0; i > 0 && n < 12; n++ {
		i--
		k := tokens[i]
		if k.Kind == syntax.TokenBreak || k.Kind == syntax.TokenPunct && data[k.Start] == ')' {
			return false
		}
		if k.Kind != syntax.TokenPunct || data[k.Start] != '(' || i == 0 || tokens[i-1].Kind != syntax.TokenName {
			continue
		}
		switch string(data[tokens[i-1].Start:tokens[i-1].End]) {
		case "system", "popen", "run", "call", "check_call", "check_output", "Popen", "getoutput", "getstatusoutput", "create_subprocess_shell",
			"exec", "execSync", "spawn", "spawnSync", "execa", "execaCommand", "execAsync":
			return true
		}
		return false
	}
	return false
}
