package checks

import (
	"strings"
)

// shellFacts notes what a command does that weighs only together with something
// else: where it connects to, and that it sends something.
func shellFacts(v *shellView, c *shellCall) {
	if v.weight != asRun || v.remote || c.name == "" && !v.power {
		return
	}
	if c.name == "echo" || c.name == "printf" || c.name == "grep" || c.name == "write-host" || c.name == "cat" && len(c.Redirects) > 0 {
		return // words
	}
	for _, u := range urlsOf(c) {
		noteHost(v, c, hostOf(u))
	}
	for _, a := range c.args {
		if strings.Count(a.text, ".") == 3 && len(a.text) <= 21 { // an address without a scheme
			if host := hostOf(a.text); isDropHost(host) {
				if _, ok := address(host); ok && networkProgram(c.name) {
					v.note(dropHost, c, host)
				}
			}
		}
	}
	if host, ok := uploads(c); ok && !isPrivateHost(host) {
		v.note(sendsData, c, host)
	}
}

// noteHost notes a host that takes data from anybody.
func noteHost(v *shellView, c *shellCall, host string) {
	if host == "" || isPrivateHost(host) || isExampleHost(host) {
		return
	}
	if isDropHost(host) {
		v.note(dropHost, c, host)
	}
}

func networkProgram(name string) bool {
	switch name {
	case "curl", "wget", "nc", "ncat", "netcat", "socat", "telnet", "ssh", "scp", "rsync", "sftp", "ftp":
		return true
	}
	return false
}

// uploads reports whether a command sends something that is not in its address,
// and to which host, "" when that is not written out.
func uploads(c *shellCall) (host string, ok bool) {
	for _, u := range urlsOf(c) {
		if host = hostOf(u); host != "" {
			break
		}
	}
	switch c.name {
	case "curl", "curlie", "http", "https", "xh":
		for i, a := range c.args {
			switch {
			case a.text == "-T", a.text == "-F", a.text == "-d", a.text == "--json", strings.HasPrefix(a.text, "--data"), strings.HasPrefix(a.text, "--form"), strings.HasPrefix(a.text, "--upload-file"),
				strings.HasPrefix(a.text, "-d@"), strings.HasPrefix(a.text, "-F") && strings.Contains(a.text, "="):
				return host, true
			case (a.text == "-X" || a.text == "--request") && i+1 < len(c.args) && (c.args[i+1].text == "POST" || c.args[i+1].text == "PUT"),
				a.text == "-XPOST", a.text == "-XPUT", a.text == "--request=POST":
				return host, true
			case strings.Contains(a.text, "://") && strings.Contains(a.text, "$(…)"):
				return host, true // in the address itself
			}
		}
	case "wget":
		for _, a := range c.args {
			if strings.HasPrefix(a.text, "--post-") || strings.HasPrefix(a.text, "--body-") || a.text == "--method=POST" || a.text == "--method=PUT" {
				return host, true
			}
		}
	case "nc", "ncat", "netcat":
		if ops := c.operands(); len(ops) > 0 && !c.flag("lz") && (c.Stage > 0 || len(c.Redirects) > 0) {
			return hostOf(ops[0].text), true
		}
	case "scp", "rsync", "rclone":
		if ops := c.operands(); len(ops) > 1 {
			last := ops[len(ops)-1].text
			if i := strings.IndexByte(last, ':'); i > 1 && !strings.Contains(last[:i], "/") {
				return hostOf(last[:i]), true
			}
		}
	case "mail", "mailx", "sendmail", "mutt", "swaks":
		return "", true
	case "aws", "gsutil":
		if ops := c.operands(); c.has("cp", "sync", "mv") && len(ops) > 1 && strings.Contains(ops[len(ops)-1].text, "://") {
			return "", true
		}
	case "gh":
		return "gist.github.com", c.has("gist") && c.has("create")
	case "dig", "nslookup", "host", "ping":
		for _, a := range c.operands() {
			if strings.Contains(a.text, "$(…)") || strings.Contains(a.text, "$") && strings.Contains(a.text, ".") && strings.Count(a.text, ".") > 1 {
				return "", true
			}
		}
	case "invoke-restmethod", "irm", "invoke-webrequest", "iwr":
		for i, a := range c.args {
			low := strings.ToLower(a.text)
			if low == "-body" || low == "-infile" || low == "-form" || low == "-method" && i+1 < len(c.args) && (strings.EqualFold(c.args[i+1].text, "post") || strings.EqualFold(c.args[i+1].text, "put")) {
				return host, true
			}
		}
	}
	return host, false
}
