package checks

import (
	"strings"

	"pinion/internal/syntax"
	"pinion/scan"
)

// close ends the innermost bracket: a call is looked at and gives its value to
// what is around it.
func (f *flow) close(end int) {
	fr := f.top()
	if fr.kind == 'b' {
		f.endStatement()
	} else {
		f.loops(fr, fr.cur.value)
		f.endOperand(fr)
	}
	done := *fr
	f.frames = f.frames[:len(f.frames)-1]
	up := f.top()
	o := &up.cur
	o.end = end
	var v value
	for i := range done.args {
		v.merge(done.args[i].value)
	}
	switch done.kind {
	case 'c':
		v = f.call(&done, v, end)
		o.name = ""
		up.chainAt = min(done.start, end)
		up.chain, up.chained, up.hiding = f.nameOfCall(&done), v, done.hidden || done.plain == "getattr"
		if modules[up.chain] {
			o.name = up.chain
		}
		if len(o.shape) == 0 {
			o.shape = "$x"
		}
		o.literal = false
		if joinsPaths[done.plain] {
			o.shape, o.literal = joinPath(o.shape, done.args)
			if what := credentialPath(o.shape[:min(len(o.shape), maxPath)]); what != "" {
				v.merge(value{taint: isSecret, secret: what})
				up.chained = v
			}
		}
	case 'i':
		name := done.callee
		if len(done.args) == 1 && done.args[0].literal && done.args[0].parts > 0 && len(done.args[0].shape) < 100 {
			name += "." + done.args[0].shape
			up.hiding = up.hiding || globalObject(done.callee) || strings.HasSuffix(name, "constructor")
			if up.cur.name == done.callee {
				up.cur.name = name
			}
		} else {
			name += "[]"
		}
		if len(name) > maxChain {
			name = "[]"
		}
		v.merge(done.recv)
		up.chain, up.chained = name, v
		f.envVariable(up)
		o.literal = false
		v = up.chained
	case 'b':
		v = done.result
		up.chain = ""
		o.literal = false
	case '[', '(':
		if done.kind == '(' && len(done.args) == 1 && done.args[0].list == nil {
			// Brackets around one value change nothing.
			a := done.args[0]
			if o.parts == 0 {
				o.literal, o.start = a.literal, done.start
			} else {
				o.literal = o.literal && a.literal
			}
			o.shape += a.shape
			o.name = a.name
			up.chain, up.chained, up.chainAt = a.name, a.value, done.start
			if a.name == "" {
				up.chain = "()"
			}
			up.joined = true
		} else {
			if o.list == nil && len(done.args) > 0 {
				o.list = done.args
			}
			o.literal = false
			up.chain, up.chained, up.chainAt = "[]", v, done.start
			if n := len(done.args); done.kind == '(' && n > 1 && runsCode[f.resolve(done.args[n-1].name)] {
				up.chain = done.args[n-1].name // (0, eval)(…)
			}
		}
	default:
		o.literal = false
		if o.list == nil && len(done.args) > 0 {
			o.list = done.args
		}
		up.chain = ""
	}
	if o.parts == 0 {
		o.parts, o.start = 1, done.start
	}
	o.merge(v)
}

func globalObject(chain string) bool {
	for _, g := range globalObjects {
		if chain == g {
			return true
		}
	}
	return false
}

// nameOfCall returns what the result of a call is called: a module for an import
// at run time, a member for getattr.
func (f *flow) nameOfCall(c *frame) string {
	arg := func(i int) string {
		if i < len(c.args) && c.args[i].literal && c.args[i].parts > 0 {
			return c.args[i].shape
		}
		return ""
	}
	switch c.plain {
	case "require", "__import__", "importlib.import_module", "import", "process.mainModule.require", "process.getBuiltinModule", "createRequire()":
		if name := arg(0); name != "" && len(name) < 60 {
			return module(name)
		}
	case "getattr", "Reflect.get":
		if name := arg(1); name != "" && len(name) < 60 {
			return f.resolve(c.args[0].name + "." + name)
		}
	case "util.promisify":
		if len(c.args) > 0 {
			f.top().cur.name = c.args[0].name
			return c.args[0].name
		}
	case "globals", "locals", "vars":
		return c.plain + "()"
	}
	if c.plain == "" {
		return "()"
	}
	if len(c.plain) > maxChain {
		return "()"
	}
	return c.plain + "()"
}

// call looks at a finished call and returns what is known of its result. args is
// what its arguments hold together.
func (f *flow) call(c *frame, args value, end int) value {
	name := c.plain
	method := name[strings.LastIndexByte(name, '.')+1:]
	all := args
	all.merge(c.recv)
	f.homes(c, args, method, end)
	switch {
	case runsCode[name]:
		f.codeRun(c, args, end)
		return value{taint: args.taint & isRemote}
	case runsShell[name], runsPrograms[name]:
		return f.program(c, args, end)
	case decodes[name], method == "decode" && len(c.args) > 0 && hasLiteral(c.args[0], "base64", "hex", "zlib", "rot13", "rot_13"), name == "Buffer.from" && len(c.args) > 1 && hasLiteral(c.args[1], "base64", "hex", "base64url"):
		if name == "marshal.loads" && (all.taint&(isDecoded|isRemote) != 0) && f.last {
			f.report(ruleMarshal, c.start, int32(end), "compiled Python code is unpacked")
		}
		all.taint |= isDecoded
		return all
	case forgets[name]:
		f.dumped(c, args, end)
		return value{}
	}
	f.dumped(c, args, end)
	f.deserialised(c, args, end)
	f.moduleLoaded(c, args, end)
	f.sent(c, args, method, end)
	f.file(c, args, method, end)
	f.passed(c)
	switch {
	case fetches[name] || postMethods[method] && fetches[strings.TrimSuffix(name, "."+method)+".get"]:
		out := value{taint: isRemote, host: f.hostOf(c, 0)}
		if channels[name] {
			out.taint |= isChannel
		}
		return out
	case joinsPaths[name]:
		if len(c.args) > 1 {
			all.taint &^= isHome
		} else if len(c.args) == 1 {
			all.file = c.args[0].keyOf()
		}
		return all
	case opens[name] && len(c.args) > 0:
		all.file = c.args[0].keyOf()
		return all
	case walks[name] || method == "rglob" || method == "glob" || method == "iterdir":
		if all.taint&isHome != 0 && (len(c.args) == 0 || bare(c.args[0]) || c.recv.taint&isHome != 0) {
			all.taint |= isHomeFile
		}
		return all
	case name == "os.path.expanduser" && len(c.args) == 1 && c.args[0].shape != "~":
		all.taint &^= isHome
		return all
	case homes[name]:
		return value{taint: isHome}
	case channels[name]:
		return value{taint: isChannel, host: f.hostOf(c, 0)}
	case c.recv.taint&isChannel != 0:
		switch method {
		case "recv", "recvfrom", "read", "readline", "recv_into", "makefile", "getresponse":
			return value{taint: isRemote, host: c.recv.host}
		case "pipe":
			if all.taint&isShellProc != 0 {
				f.report(ruleReverseShell, c.start, int32(end), "a shell is connected to another machine")
			}
		}
		if method == "connect" {
			f.vars[strings.TrimSuffix(c.callee, ".connect")] = value{taint: isChannel, host: f.hostOf(c, 0)}
		}
	case c.recv.taint&isShellProc != 0 && method == "pipe" && args.taint&isChannel != 0:
		f.report(ruleReverseShell, c.start, int32(end), "a shell is connected to another machine")
	case keepMethods[method] && args.taint != 0:
		base := strings.TrimSuffix(c.callee, "."+method)
		old := f.vars[base]
		old.merge(args)
		f.vars[base] = old
	case name == "resolve" || name == "callback" || name == "cb":
		for i := len(f.frames) - 1; i >= 0; i-- {
			if f.frames[i].kind == 'b' {
				f.frames[i].result.merge(args)
			}
		}
	}
	if r, ok := f.results[name]; ok {
		all.merge(r)
	}
	return all
}

func hasLiteral(o operand, words ...string) bool {
	if !o.literal {
		return false
	}
	for _, w := range words {
		if strings.EqualFold(o.shape, w) {
			return true
		}
	}
	return false
}

// report is for findings of the second round.
func (f *flow) report(rule string, start int, end int32, format string, args ...any) {
	if f.last {
		f.p.Report(rule, f.t, start, int(end), format, args...)
	}
}

func (f *flow) reportAs(level scan.Level, rule string, start int, end int32, format string, args ...any) {
	if f.last {
		f.p.ReportAs(level, rule, f.t, start, int(end), format, args...)
	}
}

// codeRun is a string that is run as code.
func (f *flow) codeRun(c *frame, args value, end int) {
	short := c.plain
	switch {
	case args.taint&isRemote != 0:
		f.report(ruleRemoteExec, c.start, int32(end), "what another machine answers is run by %s", short)
	case args.taint&isDecoded != 0:
		f.report(ruleDecodeExec, c.start, int32(end), "text that is decoded first is run by %s", short)
	case c.hidden:
		f.report(ruleHiddenCall, c.start, int32(end), "%s is called under a name that is put together", short)
	}
	if len(c.args) > 0 && c.args[0].literal && f.last {
		lang := f.t.Lang
		a := c.args[0]
		f.within(a.start, a.end, lang, a.shape)
	}
}

// within has a string of code looked at, each once: a name may hand the same one
// over a thousand times.
func (f *flow) within(start, end int, lang scan.Lang, code string) {
	if len(f.inside) >= maxInside {
		f.p.Incomplete("%s: it has more code in strings than is followed", f.t.File.Path)
		return
	}
	if f.inside[code] {
		return
	}
	f.inside[code] = true
	f.p.Within(f.t, start, end, lang, []byte(code))
}

// program is another program that is started.
func (f *flow) program(c *frame, args value, end int) value {
	if args.taint&isChannel != 0 && f.started(c).taint != 0 {
		for _, a := range c.args {
			if (a.key == "stdin" || a.key == "stdout" || a.key == "stdio") && a.taint&isChannel != 0 {
				f.report(ruleReverseShell, c.start, int32(end), "a shell is connected to another machine")
			}
		}
	} else if f.tied && f.started(c).taint != 0 {
		f.report(ruleReverseShell, c.start, int32(end), "a shell is started on a connection to another machine")
	}
	if !f.last {
		return f.started(c)
	}
	f.p.Note(runsProgram, f.t, c.start, end, c.plain)
	if len(c.args) == 0 {
		return value{}
	}
	first := c.args[0]
	line, viaShell := f.commandLine(c)
	switch {
	case c.hidden:
		f.report(ruleHiddenCall, c.start, int32(end), "%s is called under a name that is put together", c.plain)
	case !viaShell:
	case first.taint&isRemote != 0 && first.taint&isMixed == 0:
		f.report(ruleRemoteExec, c.start, int32(end), "what another machine answers is run as a command by %s", c.plain)
	case first.taint&isDecoded != 0 && first.taint&isMixed == 0:
		f.report(ruleDecodeExec, c.start, int32(end), "a command that is decoded first is run by %s", c.plain)
	}
	for _, o := range startedFiles(first, c.args) {
		if key := o.keyOf(); key != "" {
			if w, ok := f.written[key]; ok {
				where := ""
				if w.host != "" {
					where = " from " + w.host
				}
				f.report(ruleDownloadRun, c.start, int32(end), "a file is fetched%s and started", where)
				break
			}
		}
	}
	if line != "" {
		f.within(first.start, first.end, scan.Shell, line)
	}
	return f.started(c)
}

// startedFiles returns the operands of a call that may be the program: the first,
// or what an interpreter is given.
func startedFiles(first operand, args []operand) []operand {
	words := first.list
	if words == nil {
		words = []operand{first}
		if len(args) > 1 && args[1].list != nil {
			words = append(words, args[1].list...)
		}
	}
	n := min(1, len(words))
	if n == 1 && len(words) > 1 && words[0].literal && isInterpreter(strings.TrimSuffix(strings.ToLower(baseName(words[0].shape)), ".exe")) {
		n = 2
	}
	return words[:n]
}

// started is the value of a started program: a shell is worth following.
func (f *flow) started(c *frame) value {
	if len(c.args) > 0 {
		o := c.args[0]
		if o.list != nil {
			o = o.list[0]
		}
		if len(o.shape) < maxPath && shellPrograms[strings.ToLower(o.shape[strings.LastIndexByte(o.shape, '/')+1:])] {
			return value{taint: isShellProc}
		}
	}
	return value{}
}

var shellPrograms = wordSet("sh", "bash", "zsh", "dash", "ksh", "cmd", "cmd.exe", "powershell", "powershell.exe", "pwsh", "sh -i", "bash -i")

// commandLine returns the command line that a call starts, "" for one of which
// nothing is known, and whether a shell reads it.
func (f *flow) commandLine(c *frame) (line string, viaShell bool) {
	first := c.args[0]
	viaShell = runsShell[c.plain]
	for _, a := range c.args {
		if a.key == "shell" && a.name == "True" {
			viaShell = true
		}
		for _, prop := range a.list {
			viaShell = viaShell || prop.key == "shell" && prop.name == "true"
		}
	}
	if first.list == nil {
		if viaShell {
			return known(first.shape), true
		}
		words := []operand{first}
		if len(c.args) > 1 && c.args[1].list != nil && c.args[1].key == "" {
			words = append(words, c.args[1].list...)
		}
		return words2line(words), isShellWithC(words)
	}
	if viaShell && len(first.list) > 0 {
		return known(first.list[0].shape), true
	}
	return words2line(first.list), isShellWithC(first.list)
}

func isShellWithC(words []operand) bool {
	return len(words) > 2 && shellPrograms[words[0].shape[strings.LastIndexByte(words[0].shape, '/')+1:]] && strings.HasPrefix(words[1].shape, "-")
}

// known returns a command line of which at least a part is written out.
func known(shape string) string {
	if strings.Trim(strings.ReplaceAll(shape, "$x", ""), " ") == "" {
		return ""
	}
	return shape
}

// words2line quotes words for a shell.
func words2line(words []operand) string {
	var b strings.Builder
	some := false
	for i, w := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		switch {
		case w.shape == "" || w.shape == "$x":
			b.WriteString(`"$x"`)
		case !strings.ContainsAny(w.shape, " \t\n'\"\\$`|&;<>(){}*?#~!"):
			b.WriteString(w.shape)
			some = true
		default:
			b.WriteString("'" + strings.ReplaceAll(w.shape, "'", `'\''`) + "'")
			some = true
		}
	}
	if !some {
		return ""
	}
	return b.String()
}

// tagged is $`…` of Bun and zx: a command line.
func (f *flow) tagged(fr *frame, k syntax.Token) {
	if fr.chain != "$" && fr.chain != "bun.$" && fr.chain != "Bun.$" && fr.chain != "execa.$" || !f.last {
		return
	}
	shape := k.Value(f.data)
	for i := f.at; i+1 < len(f.toks) && f.data[f.toks[i].End-1] == '{' && i < f.at+100; i++ {
		if t := f.toks[i+1]; t.Kind == syntax.TokenString {
			shape += "$x" + t.Value(f.data)
		}
	}
	f.p.Note(runsProgram, f.t, int(k.Start), int(k.End), fr.chain)
	f.within(int(k.Inner), int(k.InnerEnd), scan.Shell, shape)
}

// deserialised is an answer that is unpacked by something that runs code.
func (f *flow) deserialised(c *frame, args value, end int) {
	switch c.plain {
	case "pickle.loads", "pickle.load", "dill.loads", "cloudpickle.loads", "torch.load", "joblib.load", "shelve.open", "jsonpickle.decode":
	case "yaml.load", "yaml.unsafe_load":
		for _, a := range c.args {
			if strings.Contains(a.name, "Safe") {
				return
			}
		}
	default:
		return
	}
	if args.taint&isRemote != 0 {
		f.report(ruleUnpickle, c.start, int32(end), "what another machine answers is unpacked by %s", c.plain)
	}
}

// moduleLoaded is import("https://…") and its like.
func (f *flow) moduleLoaded(c *frame, args value, end int) {
	if c.plain != "import" && c.plain != "importScripts" && c.plain != "require" || len(c.args) == 0 {
		return
	}
	o := c.args[0]
	if _, ok := f.written[o.keyOf()]; ok && o.keyOf() != "" {
		f.report(ruleDownloadRun, c.start, int32(end), "a file is fetched and loaded as code")
		return
	}
	if s := strings.TrimSpace(o.shape); strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://") {
		level := scan.High
		if codeHosts[hostOf(s)] {
			level = scan.Low
		} else if isPrivateHost(hostOf(s)) {
			return
		}
		f.reportAs(level, ruleRemoteImport, c.start, int32(end), "a module is loaded from an address")
	} else if strings.HasPrefix(s, "data:text/javascript") || o.taint&isDecoded != 0 && c.plain == "import" {
		f.report(ruleDecodeExec, c.start, int32(end), "a module is loaded from text in the file")
	}
}

// file keeps track of files that get content from another machine.
func (f *flow) file(c *frame, args value, method string, end int) {
	if c.plain == "os.dup2" && args.taint&isChannel != 0 {
		f.tied = true
	}
	key := func(i int) string {
		if i < len(c.args) {
			return c.args[i].keyOf()
		}
		return ""
	}
	note := func(k string, v value) {
		if k != "" && len(f.written) < 1000 {
			f.written[k] = v
		}
	}
	switch {
	case c.plain == "urllib.request.urlretrieve" || c.plain == "urllib.urlretrieve" || c.plain == "wget.download":
		note(key(1), value{host: f.hostOf(c, 0)})
	case c.plain == "fs.writeFileSync" || c.plain == "fs.writeFile" || c.plain == "fs.promises.writeFile" || c.plain == "fs/promises.writeFile" || c.plain == "Bun.write" || c.plain == "Deno.writeFile" || c.plain == "Deno.writeTextFile":
		if len(c.args) > 1 && c.args[1].taint&isRemote != 0 {
			note(key(0), c.args[1].value)
		}
	case (method == "write" || method == "write_bytes" || method == "write_text") && args.taint&isRemote != 0:
		note(c.recv.file, args)
	case method == "pipe" && c.recv.taint&isRemote != 0 && len(c.args) > 0:
		note(c.args[0].file, c.recv)
	case method == "copyfileobj" && len(c.args) > 1 && c.args[0].taint&isRemote != 0:
		note(c.args[1].file, c.args[0].value)
	}
	if readsFiles[c.plain] && len(c.args) > 0 && c.args[0].taint&isSecret != 0 && c.args[0].secret != "" {
		f.credential(c, c.args[0].value, end)
	}
	switch method {
	case "read_text", "read_bytes":
		if c.recv.taint&isSecret != 0 && c.recv.secret != "" {
			f.credential(c, c.recv, end)
		}
	}
}

// passed gives the parameters of a local function what it was called with.
func (f *flow) passed(c *frame) {
	params := f.params[c.callee]
	for i, p := range params {
		var v value
		if i < len(c.args) && c.args[i].key == "" {
			v = c.args[i].value
		}
		for _, a := range c.args {
			if a.key == p {
				v = a.value
			}
		}
		if v.taint&(anySecret|isRemote|isDecoded) != 0 && len(f.given) < 10_000 {
			old := f.given[c.callee+"."+p]
			old.merge(v)
			f.given[c.callee+"."+p] = old
		}
	}
}
