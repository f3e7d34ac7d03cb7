package checks

import (
	"strings"

	"pinion/internal/syntax"
	"pinion/scan"
)

// shellExfiltration follows keys through a shell script: from the commands that
// read them, over pipes, substitutions, variables and files, to commands that
// send.
func shellExfiltration(p *scan.Pass, t *scan.Text) {
	if !p.Spend(2 * len(t.Data)) {
		return
	}
	w := asRun
	if t.Role == scan.Block && isForPeople(t.File.Path) {
		w = asDoc
	}
	for _, v := range viewsOf(p, t, p.Script(t), 0, w) {
		if v.remote {
			continue // it reads the keys of another machine
		}
		s := &shellSecrets{v: v, vars: map[string]string{}, files: map[string]string{}, out: make([]string, len(v.calls)), told: map[string]bool{}}
		for round := range 2 {
			s.report = round == 1
			clear(s.told)
			for i := range v.calls {
				s.step(&v.calls[i])
			}
		}
	}
}

// isForPeople reports whether a Markdown file is documentation of the package,
// not what a model is given.
func isForPeople(path string) bool {
	base := strings.ToLower(path[strings.LastIndexByte(path, '/')+1:])
	return strings.HasPrefix(base, "readme") || strings.HasPrefix(base, "changelog") || strings.HasPrefix(base, "contributing") || strings.HasPrefix(base, "security")
}

// shellSecrets is what is known of one script. A secret is the name that
// credentialPath gives it, or wholeEnv.
type shellSecrets struct {
	v      *shellView
	vars   map[string]string
	files  map[string]string
	out    []string // what each command writes
	told   map[string]bool
	report bool
}

const wholeEnv = "the environment"

func (s *shellSecrets) step(c *shellCall) {
	in := ""
	take := func(what string) {
		if in == "" {
			in = what
		}
	}
	if c.Stage > 0 {
		for i := c.index - 1; i >= 0; i-- {
			if k := &s.v.calls[i]; k.Pipeline == c.Pipeline && k.Stage == c.Stage-1 {
				take(s.out[i])
				break
			}
			if c.index-i > 50 {
				break
			}
		}
	}
	for i := c.index + 1; i < len(s.v.calls) && s.v.calls[i].Parent >= c.index; i++ {
		if s.v.calls[i].Parent == c.index {
			take(s.out[i])
		}
	}
	for _, w := range c.Words {
		take(s.referred(w.Text))
	}
	for _, r := range c.Redirects {
		switch {
		case strings.HasPrefix(r.Op, "<"):
			take(credentialPath(r.Target.Text))
			take(s.files[r.Target.Text])
			take(s.referred(r.Body))
			take(s.referred(r.Target.Text))
		}
	}
	own := s.own(c)
	if own != "" && own != wholeEnv {
		s.read(c, own)
	}
	take(own)
	if narrows(c) && in == wholeEnv {
		in = ""
	}
	for _, a := range c.Assigns {
		if len(s.vars) < 1000 {
			s.vars[a.Name] = firstOf(in, s.referred(a.Value.Text))
		}
	}
	out := in
	if quiet(c.name) {
		out = ""
	}
	s.out[c.index] = out
	for _, r := range c.Redirects {
		if strings.HasPrefix(r.Op, ">") && out != "" && len(s.files) < 1000 {
			if host, ok := strings.CutPrefix(r.Target.Text, "/dev/tcp/"); ok {
				host, _, _ = strings.Cut(host, "/")
				s.sends(c, out, host)
				continue
			}
			s.files[r.Target.Text] = out
			if out == wholeEnv {
				s.dump(c)
			}
		}
	}
	if in != "" {
		s.packs(c, in)
	}
	if carries, host := carrier(c); carries {
		s.v.note(sendsData, c, host)
		what := firstOf(in, s.sentFiles(c))
		if what != "" {
			s.sends(c, what, host)
		} else {
			s.variables(c, host)
		}
	}
}

func firstOf(words ...string) string {
	for _, w := range words {
		if w != "" {
			return w
		}
	}
	return ""
}

// referred returns the secret of a variable that a word uses.
func (s *shellSecrets) referred(text string) string {
	for i := strings.IndexByte(text, '$'); i >= 0 && i < len(text); {
		name, end, _ := variable(text, i)
		if what := s.vars[name]; what != "" && name != "" {
			return what
		}
		next := strings.IndexByte(text[max(end, i+1):], '$')
		if next < 0 {
			return ""
		}
		i = max(end, i+1) + next
	}
	return ""
}

// own is what a command itself reads.
func (s *shellSecrets) own(c *shellCall) string {
	switch c.name {
	case "env", "printenv", "set":
		if len(c.operands()) == 0 && len(c.Words) == 1+len(c.under) {
			return wholeEnv
		}
	case "export", "declare", "typeset":
		if c.has("-p", "-x") && len(c.operands()) == 0 {
			return wholeEnv
		}
	case "security":
		if c.has("find-generic-password", "find-internet-password", "dump-keychain") && (c.has("-w", "-g", "dump-keychain") || c.flag("wg")) {
			return "the keychain"
		}
	case "gpg", "gpg2":
		if c.has("--export-secret-keys", "--export-secret-subkeys") {
			return "private PGP keys"
		}
	case "secret-tool":
		if c.has("lookup") {
			return "the keyring"
		}
	case "cat", "head", "tail", "less", "more", "tac", "nl", "base64", "base32", "xxd", "od", "hexdump", "strings", "grep", "egrep", "rg", "awk", "gawk", "sed", "jq", "cut", "tar", "zip", "7z", "gzip", "bzip2", "xz", "openssl", "cp", "sqlite3", "sort", "tr", "mv", "dd":
		args := c.args
		switch c.name {
		case "grep", "egrep", "rg", "sed", "awk", "gawk", "jq", "tr":
			for len(args) > 0 && strings.HasPrefix(args[0].text, "-") {
				args = args[1:]
			}
			args = args[min(1, len(args)):] // an expression or a program
		}
		for _, a := range args {
			text := strings.TrimPrefix(a.text, "if=")
			if what := credentialPath(text); what != "" && !(c.name == "cp" && credentialPath(c.args[len(c.args)-1].text) != "" && a.text == c.args[len(c.args)-1].text) {
				if (c.name == "grep" || c.name == "sed") && what == envFile {
					continue // one setting of it
				}
				return what
			}
			if what := s.files[text]; what != "" && text != "" {
				return what
			}
		}
	}
	return ""
}

// narrows reports whether a command lets through a line or two of its input.
func narrows(c *shellCall) bool {
	switch c.name {
	case "grep", "egrep", "rg", "wc", "cut", "awk", "head", "tail", "sort":
		for _, a := range c.args {
			if l := strings.ToLower(a.text); strings.Contains(l, "key") || strings.Contains(l, "token") || strings.Contains(l, "secret") || strings.Contains(l, "pass") {
				return c.name == "wc"
			}
		}
		return c.name != "sort" && c.name != "head" && c.name != "tail"
	}
	return false
}

// quiet are commands that put nothing of their input out.
func quiet(name string) bool {
	switch name {
	case "wc", "test", "[", "chmod", "mkdir", "rm", "touch", "ls", "curl", "wget", "sha256sum", "md5sum", "shasum", "cp", "mv", "source", ".", "cd", "exit", "return":
		return true
	}
	return false
}

// packs notes files that get a secret by name: an archive, a copy.
func (s *shellSecrets) packs(c *shellCall, what string) {
	if len(s.files) >= 1000 {
		return
	}
	ops := c.operands()
	switch c.name {
	case "tar":
		for _, a := range ops {
			if strings.Contains(a.text, ".t") {
				s.files[a.text] = what
				return
			}
		}
	case "zip", "7z", "rar":
		for _, a := range ops {
			if strings.Contains(a.text, ".") && credentialPath(a.text) == "" {
				s.files[a.text] = what
				return
			}
		}
	case "cp", "mv", "tee", "dd":
		if len(ops) > 0 {
			s.files[strings.TrimPrefix(ops[len(ops)-1].text, "of=")] = what
		}
	case "gzip", "xz", "bzip2", "base64":
	}
}

// carrier reports whether a command sends data, and to which host.
func carrier(c *shellCall) (bool, string) {
	host := func() string {
		for _, a := range c.args {
			if strings.Contains(a.text, "://") {
				return webHost(a.text)
			}
		}
		for _, a := range c.operands() {
			if h := hostOf(a.text); strings.Contains(h, ".") && !strings.Contains(a.text, "@/") {
				return h
			}
		}
		return ""
	}
	switch c.name {
	case "curl", "curlie", "http", "https", "xh":
		return true, host()
	case "wget":
		return true, host()
	case "nc", "ncat", "netcat", "socat", "telnet":
		for _, a := range c.operands() {
			text := a.text
			if i := strings.LastIndexByte(strings.ToLower(text), ':'); c.name == "socat" && i > 0 {
				text = text[:i]
				text = text[strings.LastIndexByte(text, ':')+1:]
			}
			if strings.Contains(text, ".") {
				return true, hostOf(text)
			}
		}
		return true, ""
	case "scp", "rsync", "sftp", "rclone":
		for _, a := range c.operands() {
			if i := strings.IndexByte(a.text, ':'); i > 0 && !strings.Contains(a.text[:i], "/") {
				return true, hostOf(a.text[:i])
			}
		}
		return c.name == "sftp" || c.name == "rclone", ""
	case "ftp", "mail", "mailx", "sendmail", "mutt", "swaks":
		return true, ""
	case "dig", "nslookup", "host", "ping":
		return true, host()
	case "aws":
		return c.has("s3") && c.has("cp", "sync", "mv"), "amazonaws.com"
	case "gh":
		return c.has("gist") && c.has("create"), "gist.github.com"
	}
	return false, ""
}

// sentFiles returns what a file holds that a command sends by name.
func (s *shellSecrets) sentFiles(c *shellCall) string {
	skip := map[string]bool{"-i": true, "-e": true, "--rsh": true, "-o": true, "-F": c.name == "scp", "-K": true, "--config": true, "--cert": true, "--key": true, "-E": true, "--cacert": true, "--netrc-file": true, "-b": true, "-c": true, "--cookie": true, "--cookie-jar": true, "-O": true, "--output": true}
	for i, a := range c.args {
		if i > 0 && skip[c.args[i-1].text] {
			continue
		}
		text := a.text
		if c.name == "curl" {
			j := strings.IndexByte(text, '@')
			if j < 0 && !(i > 0 && (c.args[i-1].text == "-T" || c.args[i-1].text == "--upload-file")) {
				continue
			}
			text = text[j+1:]
		} else if strings.HasPrefix(text, "-") {
			if _, rest, ok := strings.Cut(text, "="); ok {
				text = rest
			} else {
				continue
			}
		}
		if j := strings.IndexByte(text, ';'); j > 0 {
			text = text[:j]
		}
		if what := firstOf(s.files[text], credentialPath(text)); what != "" && text != "" {
			return what
		}
	}
	return ""
}

func (s *shellSecrets) once(c *shellCall, rule string) bool {
	key := rule + string(rune(c.index))
	if !s.report || s.told[key] {
		return false
	}
	s.told[key] = true
	return true
}

func (s *shellSecrets) read(c *shellCall, what string) {
	if !s.report || s.told[what] {
		return
	}
	s.told[what] = true
	s.v.note(readsCredential, c, what)
	level := scan.Medium
	if projectSecret(what) || s.v.t.Role == scan.Block {
		level = scan.Low
	}
	s.v.report(level, ruleCredentialRead, c, "it reads %s", what)
}

func (s *shellSecrets) dump(c *shellCall) {
	if s.once(c, ruleEnvDump) {
		s.v.note(dumpsEnv, c, "env")
		s.v.report(scan.Medium, ruleEnvDump, c, "every environment variable is written out")
	}
}

// sends is a secret that leaves.
func (s *shellSecrets) sends(c *shellCall, what, host string) {
	if isPrivateHost(host) || what != wholeEnv && (ownService(what, host) || projectSecret(what) && !isDrop(host)) || !s.once(c, ruleSecretSent) {
		return
	}
	to := firstOf(host, "another machine")
	if isDrop(host) {
		s.v.report(scan.Critical, ruleSecretDrop, c, "%s goes to %s", what, to)
		return
	}
	level := scan.High
	if host == "" && hasService(what) {
		level = scan.Medium // most likely to that service
	}
	if isShownHost(host) {
		level = scan.Medium
	}
	s.v.report(level, ruleSecretSent, c, "%s goes to %s", what, to)
}

// variables looks at single variables that a command sends by name.
func (s *shellSecrets) variables(c *shellCall, host string) {
	if host == "" || isPrivateHost(host) || isExampleHost(host) {
		return
	}
	for _, w := range c.Words {
		name := sentVariable(w)
		if name == "" || !secretVariable(name) || ownVariable(name, host) {
			continue
		}
		if !s.once(c, ruleKeyElsewhere) {
			return
		}
		switch {
		case isDrop(host) && !strings.Contains(host, "/"): // a bot's own token is part of its address
			s.v.report(scan.High, ruleSecretDrop, c, "%s goes to %s", name, host)
		case knownVariable(name):
			s.v.report(scan.Medium, ruleKeyElsewhere, c, "%s goes to %s", name, host)
		}
		return
	}
}

// sentVariable returns the first variable of a word that looks like a key.
func sentVariable(w syntax.Word) string {
	for i := 0; i < len(w.Text); i++ {
		if w.Text[i] == '$' {
			if name, _, _ := variable(w.Text, i); secretVariable(name) && name == strings.ToUpper(name) {
				return name
			}
		}
	}
	return ""
}
