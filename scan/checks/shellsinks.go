package checks

import (
	"strings"

	"pinion/scan"
)

// verifies reports whether a command checks a digest or a signature.
func verifies(c *shellCall) bool {
	switch c.name {
	case "sha256sum", "sha512sum", "sha1sum", "shasum", "b2sum":
		return c.flag("c") || c.has("--check")
	case "gpg", "gpgv", "minisign", "cosign", "slsa-verifier", "signify":
		return c.name == "gpgv" || c.has("--verify", "-V", "verify", "verify-blob", "verify-artifact", "-Vm")
	case "get-filehash":
		return true
	}
	return false
}

// levelOf weighs a download by its servers.
func (f *shellFlow) levelOf(t origin, usual scan.Level) scan.Level {
	if t.decoded || len(t.urls) == 0 {
		return usual
	}
	for _, u := range t.urls {
		host := hostOf(u)
		if usual == scan.High && isDropHost(host) {
			return scan.Critical
		}
		if knownInstaller(u) == "" && !isPrivateHost(host) && !isExampleHost(host) {
			return usual
		}
	}
	return scan.Low
}

// from names the server, or the project, that a download comes from.
func from(t origin) string {
	for _, u := range t.urls {
		if project := knownInstaller(u); project != "" {
			return ", the installer of " + project
		}
		if host := hostOf(u); host != "" {
			return ", from " + scan.Escape(host, 60)
		}
	}
	return ""
}

// run reports that data is run by a command.
func (f *shellFlow) run(c *shellCall, t origin, how string) {
	switch {
	case t.decoded:
		level := scan.Critical
		switch f.weight {
		case asDoc:
			level = scan.High // no installer asks people to run what they cannot read
		case asQuoted:
			level = scan.Medium
		}
		f.reportAt(level, "decode/run", c, "decoded content is run by %s", how)
	case t.loaded:
		level := f.levelOf(t, scan.High)
		switch {
		case len(t.urls) == 0 && (f.weight == asQuoted || f.t.Lang == scan.Prose):
			level = scan.Low // "curl … | sh" is talked about
		case f.weight == asDoc && level == scan.Critical:
			f.reportAt(scan.High, "download/run", c, "a download is run by %s%s", how, from(t))
			return
		}
		f.report(level, "download/run", c, "a download is run by %s%s", how, from(t))
	}
}

func (f *shellFlow) runFile(c *shellCall, name, how string) {
	file := f.files[fileKey(name)]
	if file == nil || !file.any() {
		return
	}
	file.reported = true
	if file.decoded {
		f.run(c, file.origin, how)
		return
	}
	level := f.levelOf(file.origin, scan.High)
	if f.verified {
		level = min(level, scan.Medium)
	}
	f.report(level, "download/file-run", c, "a downloaded file is run by %s%s", how, from(file.origin))
}

// sink reports when what a command runs was downloaded or decoded.
func (f *shellFlow) sink(c *shellCall) {
	shown := c.name
	if shown == "" {
		shown = "the shell"
	}
	if len(c.Words) > 0 && len(c.args) >= 0 && c.path != "" && !f.power {
		// `$(curl host)` in a sentence is how injection is explained.
		if t := f.wordTaint(c, c.word(shellArg{word: f.programWord(c)})); t.any() && c.name == "" && f.weight != asQuoted {
			f.run(c, t, "the shell")
			return
		}
	}
	if f.power {
		f.powerSink(c)
		return
	}
	if file := f.files[fileKey(c.path)]; file != nil && c.path != "" {
		f.runFile(c, c.path, "the shell")
		return
	}
	switch {
	case c.name == "eval":
		var t origin
		for _, a := range c.args {
			if runsVariable(c.word(a).Text, true) {
				t = t.plus(f.argTaint(c, a))
			}
		}
		f.run(c, t, "eval")
	case c.name == "source" || c.name == ".":
		if len(c.args) == 0 {
			break
		}
		f.run(c, f.argTaint(c, c.args[0]), "source")
		f.runFile(c, c.args[0].text, "source")
		if c.args[0].text == "/dev/stdin" {
			f.run(c, f.input(c), "source")
		}
	case isInterpreter(c.name):
		f.interpreter(c, shown)
	case isLauncher(c.name):
		f.launcher(c)
	case c.name == "dpkg" || c.name == "rpm" || c.name == "installer" || c.name == "apt" || c.name == "apt-get" || c.name == "dnf" || c.name == "yum" || c.name == "open" || c.name == "start" || c.name == "at" || c.name == "crontab":
		for _, a := range c.args {
			if file := f.files[fileKey(a.text)]; file != nil && !file.reported {
				file.reported = true
				f.report(f.levelOf(file.origin, scan.Medium), "download/file-run", c, "a downloaded file is installed by %s%s", shown, from(file.origin))
			}
		}
	}
}

// programWord returns the index of the word that names the program.
func (f *shellFlow) programWord(c *shellCall) int {
	if len(c.args) > 0 && c.args[0].word > 0 {
		return c.args[0].word - 1
	}
	if len(c.args) == 0 {
		return len(c.Words) - 1
	}
	return 0
}

func (f *shellFlow) interpreter(c *shellCall, shown string) {
	if c.name == "powershell" || c.name == "pwsh" {
		f.encodedCommand(c)
	}
	if readsInput(c) {
		f.run(c, f.input(c), shown)
		return
	}
	code, i := c.value("-c", "-e", "--eval", "-r", "-E")
	if i >= 0 {
		var t origin
		if runsVariable(c.word(c.args[i]).Text, isShellProgram(c.name)) { // otherwise it is data inside code
			t = f.argTaint(c, c.args[i])
		}
		if !t.any() {
			t = codeTaint(code)
		}
		if !t.any() && f.input(c).any() && (runsInput(code) || isShellProgram(c.name) && c.wrappedBy("xargs", "gxargs") && (strings.HasPrefix(strings.TrimSpace(code), "{}") || strings.HasPrefix(strings.TrimSpace(code), "$"))) {
			t = f.input(c)
		}
		if !t.any() && isShellProgram(c.name) && strings.Contains(code, "$(cat)") {
			t = f.input(c)
		}
		f.run(c, t, shown)
		return
	}
	if c.has("-c") && c.wrappedBy("xargs", "gxargs") && isShellProgram(c.name) {
		f.run(c, f.input(c), shown)
		return
	}
	for _, a := range c.operands() {
		if (c.name == "deno" || c.name == "bun") && a.text == "run" {
			continue
		}
		if c.name == "deno" || c.name == "bun" || c.name == "node" {
			if strings.HasPrefix(a.text, "https://") || strings.HasPrefix(a.text, "http://") {
				f.run(c, origin{loaded: true, urls: []string{a.text}}, shown)
			}
		}
		if strings.HasPrefix(a.text, "/dev/fd/") {
			f.run(c, f.input(c), shown)
		}
		f.run(c, f.argTaint(c, a), shown)
		f.runFile(c, a.text, shown)
		break
	}
}

// runsVariable reports whether a variable or substitution stands where a command
// would: at the beginning of the text, or behind what ends a command.
func runsVariable(text string, shell bool) bool {
	ends := ";\n"
	if shell {
		ends = ";&|\n({"
	}
	for i := 0; i < len(text); i++ {
		if text[i] != '$' && text[i] != '`' {
			continue
		}
		before := strings.TrimRight(text[:i], " \t\"'\\")
		if before == "" || strings.IndexByte(ends, before[len(before)-1]) >= 0 {
			return true
		}
	}
	return false
}

// encodedCommand reports powershell -EncodedCommand, whose value is a script in
// base64.
func (f *shellFlow) encodedCommand(c *shellCall) {
	for i, a := range c.args {
		low := strings.ToLower(strings.TrimPrefix(strings.Replace(a.text, "/", "-", 1), "-"))
		if len(a.text) < 2 || a.text[0] != '-' && a.text[0] != '/' || low == "" || !strings.HasPrefix("encodedcommand", low) && low != "ec" || i+1 >= len(c.args) {
			continue
		}
		value := c.args[i+1].text
		switch {
		case len(value) >= 16 && strings.Trim(value, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=") == "":
			f.run(c, origin{decoded: true}, "PowerShell")
		case strings.Contains(value, "$"):
			f.report(scan.Medium, "decode/run", c, "an encoded script of a variable is run by PowerShell")
		}
		return
	}
}

// codeTaint reads one-liners of other languages as far as the shell is
// concerned: what they fetch or decode and run themselves.
func codeTaint(code string) origin {
	low := strings.ToLower(code)
	if !strings.Contains(low, "exec(") && !strings.Contains(low, "eval(") && !strings.Contains(low, "eval ") && !strings.Contains(low, "function(") && !strings.Contains(low, "system(") {
		return origin{}
	}
	var out origin
	for _, m := range []string{"urlopen(", "requests.get(", "urlretrieve(", "file_get_contents('http", `file_get_contents("http`, "net::http", "lwp::simple", "httpx.get("} {
		if strings.Contains(low, m) {
			out.loaded, out.urls = true, urlsIn(code)
		}
	}
	if strings.Contains(low, "exec(") || strings.Contains(low, "eval(") || strings.Contains(low, "eval ") {
		for _, m := range []string{"b64decode(", "decodebytes(", "fromhex(", "base64_decode(", "decode_base64", "unpack('m", `unpack("m`, "unhexlify(", "decode64(", "atob(", "'base64')", `"base64")`} {
			if strings.Contains(low, m) {
				out.decoded = true
			}
		}
	}
	return out
}

// runsInput reports whether a one-liner runs what it reads.
func runsInput(code string) bool {
	return strings.Contains(code, "stdin") && (strings.Contains(code, "exec(") || strings.Contains(code, "eval("))
}

// isLauncher are programs of Windows that fetch and run by themselves.
func isLauncher(name string) bool {
	switch name {
	case "mshta", "regsvr32", "rundll32", "msiexec", "wscript", "cscript", "installutil":
		return true
	}
	return false
}

func (f *shellFlow) launcher(c *shellCall) {
	for _, a := range c.args {
		low := strings.ToLower(a.text)
		if i := strings.Index(low, "http"); i >= 0 && strings.Contains(low, "://") {
			f.run(c, origin{loaded: true, urls: []string{a.text[i:]}}, c.name)
			return
		}
		if strings.HasPrefix(low, "javascript:") || strings.HasPrefix(low, "vbscript:") {
			f.run(c, origin{loaded: true}, c.name)
			return
		}
		f.runFile(c, a.text, c.name)
	}
}

// powerSink is sink for PowerShell and batch files.
func (f *shellFlow) powerSink(c *shellCall) {
	switch c.name {
	case "iex", "invoke-expression":
		t := f.input(c)
		for _, a := range c.args {
			t = t.plus(f.argTaint(c, a))
		}
		f.run(c, t, "Invoke-Expression")
		return
	case "powershell", "pwsh":
		f.interpreter(c, c.name)
		return
	case "start-process", "saps", "start", "invoke-item", "ii", "msiexec":
		for _, a := range c.args {
			f.runFile(c, a.text, c.name)
		}
	}
	if isLauncher(c.name) {
		f.launcher(c)
		return
	}
	if isShellProgram(c.name) {
		f.interpreter(c, c.name)
		return
	}
	low := strings.ToLower(c.path)
	if strings.Contains(low, "[scriptblock]::create(") || strings.Contains(low, "assembly]::load(") || strings.Contains(low, ".invokescript(") {
		f.run(c, f.argTaint(c, shellArg{}).plus(powerTaint(c.path)), "a script block")
		return
	}
	f.runFile(c, c.path, "the shell")
}
