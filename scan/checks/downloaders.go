package checks

import (
	"path"
	"strings"
)

// isDownload reports whether a command gets something from a server.
func isDownload(c *shellCall) bool {
	switch c.name {
	case "curl", "wget", "wget2", "fetch", "aria2c", "lynx", "w3m", "http", "https", "xh", "curlie", "axel",
		"invoke-webrequest", "iwr", "invoke-restmethod", "irm", "start-bitstransfer", "new-object":
		return c.name != "new-object" || powerTaint(strings.Join(c.texts(), " ")).loaded
	case "certutil":
		return c.has("-urlcache", "/urlcache") || len(urlsOf(c)) > 0
	case "bitsadmin":
		return c.has("/transfer", "/addfile")
	case "gh":
		return c.has("api") && strings.Contains(strings.Join(c.texts(), " "), "raw")
	case "aws", "gsutil", "gcloud":
		return c.has("cp") && c.has("-")
	case "dig", "nslookup", "host":
		return c.has("txt", "TXT", "-type=txt", "-q=txt", "-t=txt")
	case "nc", "ncat", "netcat", "telnet":
		return len(c.operands()) >= 2
	}
	return false
}

// The options of curl and wget of one letter that take a value.
const (
	curlValued = "AbcCdDeEFhHKmoPQrtTuUwxXYyz"
	wgetValued = "aABDeGIlioOPQRtTUwX"
)

// outputOf returns the file that curl or wget is told to write.
func outputOf(c *shellCall) (string, bool) {
	letter, valued, long := byte('o'), curlValued, "--output"
	if strings.HasPrefix(c.name, "wget") {
		letter, valued, long = 'O', wgetValued, "--output-document"
	}
	if name, ok := c.short(letter, valued); ok {
		return name, true
	}
	name, i := c.value(long)
	return name, i >= 0
}

// writesOutput reports whether a download is printed and not put into a file.
func writesOutput(c *shellCall) bool {
	switch c.name {
	case "curl", "curlie":
		if c.has("-I", "--head", "--remote-name", "--remote-name-all") {
			return false
		}
		if _, ok := c.short('O', curlValued); ok {
			return false
		}
		name, ok := outputOf(c)
		return !ok || name == "-" || name == "/dev/stdout"
	case "wget", "wget2":
		name, ok := outputOf(c)
		return ok && (name == "-" || name == "/dev/stdout")
	case "aria2c", "axel", "bitsadmin", "start-bitstransfer":
		return false
	case "fetch":
		_, i := c.value("-o")
		return i >= 0 && c.args[i].text == "-"
	case "invoke-webrequest", "iwr", "invoke-restmethod", "irm":
		for _, a := range c.args {
			if strings.EqualFold(a.text, "-OutFile") || strings.EqualFold(a.text, "-o") || strings.EqualFold(a.text, "-out") {
				return false
			}
		}
		return true
	case "certutil":
		return c.has("-")
	}
	return true
}

// downloadTargets returns the files that a download writes.
func downloadTargets(c *shellCall) []string {
	remote := func() []string {
		var out []string
		for _, u := range urlsOf(c) {
			u, _, _ = strings.Cut(u, "?")
			if base := path.Base(u); base != "." && base != "/" && strings.Count(u, "/") > 2 {
				out = append(out, base)
			}
		}
		return out
	}
	switch c.name {
	case "curl", "curlie":
		if name, ok := outputOf(c); ok {
			return []string{name}
		}
		if _, ok := c.short('O', curlValued); ok || c.has("--remote-name") {
			return remote()
		}
	case "wget", "wget2":
		if name, ok := outputOf(c); ok {
			return []string{name}
		}
		files := remote()
		if dir, ok := c.short('P', wgetValued); ok {
			for i, f := range files {
				files[i] = path.Join(dir, f)
			}
		}
		return files
	case "aria2c", "axel":
		if name, i := c.value("-o", "--out"); i >= 0 {
			return []string{name}
		}
		return remote()
	case "fetch":
		if name, i := c.value("-o"); i >= 0 {
			return []string{name}
		}
		return remote()
	case "invoke-webrequest", "iwr", "invoke-restmethod", "irm", "start-bitstransfer":
		for i, a := range c.args {
			if (strings.EqualFold(a.text, "-OutFile") || strings.EqualFold(a.text, "-Destination") || strings.EqualFold(a.text, "-o")) && i+1 < len(c.args) {
				return []string{c.args[i+1].text}
			}
		}
	case "certutil", "bitsadmin":
		if ops := c.operands(); len(ops) > 0 {
			return []string{ops[len(ops)-1].text}
		}
	case "new-object":
		return nil
	}
	return nil
}

// isDecoder reports whether a command turns encoded data into what it was.
func isDecoder(c *shellCall) bool {
	switch c.name {
	case "base64", "gbase64", "base32", "basenc":
		return c.flag("dD") || c.has("--decode")
	case "openssl":
		return len(c.args) > 0 && c.flag("d") && c.args[0].text != "dgst" && c.args[0].text != "s_client" && c.args[0].text != "x509"
	case "xxd":
		return c.flag("r")
	case "uudecode", "rev":
		return true
	case "certutil":
		return c.has("-decode", "/decode", "-decodehex")
	case "tr":
		all := strings.Join(c.texts(), " ")
		return strings.Contains(all, "n-za-m") || strings.Contains(all, "N-ZA-M")
	case "python", "python3", "perl", "ruby", "node", "php":
		code, i := c.value("-c", "-e", "-r", "-ne", "-pe")
		if i < 0 {
			return strings.Contains(strings.Join(c.texts(), " "), "-m base64 -d")
		}
		low := strings.ToLower(code)
		for _, m := range []string{"b64decode", "decode_base64", "unhexlify", "fromhex", "decode64", "base64_decode", "pack("} {
			if strings.Contains(low, m) {
				return true
			}
		}
		return strings.Contains(low, "atob(") || strings.Contains(low, "buffer.from(") && strings.Contains(low, "base64")
	}
	return false
}

// escaped reports whether a command prints text that is spelled out in escapes:
// printf '\x63\x75\x72\x6c'.
func escaped(c *shellCall) bool {
	if c.name == "echo" && !c.flag("e") {
		return false
	}
	n := 0
	for _, a := range c.args {
		n += strings.Count(a.text, `\x`) + strings.Count(a.text, `\1`) + strings.Count(a.text, `\0`) + strings.Count(a.text, `\u00`)
	}
	return n >= 4
}

// urlsOf returns the URLs among the arguments of a command. A download without
// a written scheme has one too: "curl get.host.invalid/x".
func urlsOf(c *shellCall) []string {
	var out []string
	for _, a := range c.args {
		out = append(out, urlsIn(a.text)...)
	}
	if len(out) == 0 && (c.name == "curl" || c.name == "wget" || c.name == "iwr" || c.name == "irm") {
		for _, a := range c.operands() {
			host := hostOf(a.text)
			if i := strings.LastIndexByte(host, '.'); i > 0 && i < len(host)-2 && strings.Contains(a.text, "/") || knownInstaller(a.text) != "" {
				out = append(out, a.text)
			}
		}
	}
	return out
}

// urlsIn returns the http and https URLs in a text, at most eight.
func urlsIn(s string) []string {
	var out []string
	for len(out) < 8 {
		i := strings.Index(s, "://")
		if i < 0 {
			break
		}
		from := i
		for from > 0 && (s[from-1] >= 'a' && s[from-1] <= 'z' || s[from-1] >= 'A' && s[from-1] <= 'Z') {
			from--
		}
		end := i + 3
		for end < len(s) && !strings.ContainsRune(" \t\n\r\"'`<>|)]}\\", rune(s[end])) {
			if s[end] == '$' && end+1 < len(s) && s[end+1] == '{' { // a variable inside it
				if k := strings.IndexByte(s[end:], '}'); k > 0 {
					end += k + 1
					continue
				}
			}
			end++
		}
		switch strings.ToLower(s[from:i]) {
		case "http", "https", "ftp":
			if end > i+3 {
				out = append(out, s[from:end])
			}
		}
		s = s[end:]
	}
	return out
}
