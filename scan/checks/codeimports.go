package checks

import (
	"strings"

	"pinion/internal/syntax"
	"pinion/scan"
)

// modules are the names whose members rules know. A variable that holds one of
// them is followed.
var modules = wordSet(
	"os", "subprocess", "base64", "binascii", "zlib", "gzip", "lzma", "bz2", "marshal", "codecs", "socket", "pty", "pickle", "builtins", "requests", "httpx", "urllib", "urllib.request", "urllib2",
	"http.client", "aiohttp", "smtplib", "ftplib", "json", "shutil", "ctypes", "asyncio", "types", "importlib", "websocket", "websockets", "paramiko", "yaml", "dill", "cloudpickle", "io",
	"child_process", "fs", "fs/promises", "fs-extra", "net", "tls", "dgram", "http", "https", "vm", "module", "axios", "got", "node-fetch", "undici", "execa", "shelljs", "cross-spawn", "dns", "dns/promises", "ws", "process", "util", "Buffer", "bun",
)

// module takes the scheme off a module's name.
func module(name string) string {
	name = strings.TrimPrefix(name, "node:")
	switch name {
	case "dns/promises":
		return "dns.promises"
	case "urllib3.util":
		return "urllib3"
	}
	return name
}

// imports reads an import statement of either language.
func (f *flow) imports(fr *frame, k syntax.Token, word string) {
	end := f.at + 1
	depth := 0
	for n := 0; end < len(f.toks) && n < 200; end, n = end+1, n+1 {
		t := f.toks[end]
		if t.Kind == syntax.TokenPunct {
			switch f.data[t.Start] {
			case '(', '{':
				depth++
			case ')', '}':
				depth--
			}
		}
		if depth < 0 || depth == 0 && (t.Kind == syntax.TokenBreak || t.Kind == syntax.TokenPunct && f.data[t.Start] == ';') {
			break
		}
	}
	list := f.toks[f.at+1 : end]
	if f.python {
		f.pythonImport(list, word)
		f.at = end - 1
		return
	}
	if word == "from" || len(list) == 0 {
		return
	}
	if first := list[0]; first.Kind == syntax.TokenPunct && f.data[first.Start] == '(' {
		fr.chain, fr.hiding, fr.chained, fr.chainAt = "import", false, value{}, int(k.Start) // import(…) is a call
		fr.cur.touch(k)
		return
	}
	if first := list[0]; first.Kind == syntax.TokenPunct && f.data[first.Start] == '.' {
		fr.chain = "import"
		return
	}
	from := list[len(list)-1]
	if from.Kind != syntax.TokenString {
		return
	}
	mod := module(from.Value(f.data))
	f.importedFrom(from, mod)
	f.members(list[:len(list)-1], mod)
	f.at = end - 1
}

// members takes names of "{a, b as c}", "* as d", "e", "{a: b}" to those of a
// module.
func (f *flow) members(list []syntax.Token, mod string) {
	braces := false
	for i, t := range list {
		word := f.text(t)
		if t.Kind == syntax.TokenPunct {
			braces = braces && word != "}" || word == "{"
		}
		if t.Kind != syntax.TokenName || word == "as" || word == "from" || word == "type" {
			continue
		}
		local := word
		if i+2 < len(list) && (f.text(list[i+1]) == "as" || f.text(list[i+1]) == ":") {
			local = f.text(list[i+2])
		}
		if i > 0 && (f.text(list[i-1]) == "as" || f.text(list[i-1]) == ":") {
			if i > 1 && f.text(list[i-2]) == "*" {
				f.alias[word] = mod
			}
			continue
		}
		if braces {
			f.alias[local] = mod + "." + word
		} else {
			f.alias[local] = mod
		}
		delete(f.vars, local)
	}
}

// pythonImport reads "import a.b as c, d" and "from a import b as c".
func (f *flow) pythonImport(list []syntax.Token, word string) {
	var parts []string
	for _, t := range list {
		if t.Kind == syntax.TokenName || t.Kind == syntax.TokenPunct {
			parts = append(parts, f.text(t))
		}
	}
	mod := ""
	if word == "from" {
		for len(parts) > 0 && parts[0] != "import" {
			mod += parts[0]
			parts = parts[1:]
		}
		if len(parts) > 0 {
			parts = parts[1:]
		}
	}
	for len(parts) > 0 {
		name := ""
		for len(parts) > 0 && parts[0] != "," && parts[0] != "as" {
			if parts[0] != "(" && parts[0] != ")" {
				name += parts[0]
			}
			parts = parts[1:]
		}
		local := name
		if len(parts) > 1 && parts[0] == "as" {
			local = parts[1]
			parts = parts[2:]
		}
		for len(parts) > 0 && parts[0] != "," {
			parts = parts[1:]
		}
		if len(parts) > 0 {
			parts = parts[1:]
		}
		full := name
		if mod != "" {
			full = mod + "." + name
		}
		if local != "" && local != full {
			f.alias[local] = full
		}
	}
}

// declares reads "const {a: b} = require('m')" and notes the names of any other
// pattern as what is assigned to.
func (f *flow) declares(fr *frame) {
	i := f.at + 1
	if i >= len(f.toks) || f.toks[i].Kind != syntax.TokenPunct || f.text(f.toks[i]) != "{" {
		return
	}
	end, depth := i, 0
	for n := 0; end < len(f.toks) && n < 200; end, n = end+1, n+1 {
		if t := f.toks[end]; t.Kind == syntax.TokenPunct {
			switch f.data[t.Start] {
			case '{':
				depth++
			case '}':
				depth--
			}
			if depth == 0 {
				break
			}
		}
	}
	if end+1 >= len(f.toks) || f.text(f.toks[end+1]) != "=" {
		return
	}
	list := f.toks[i : end+1]
	from := end + 2
	if from < len(f.toks) && f.toks[from].Kind == syntax.TokenName && f.text(f.toks[from]) == "await" {
		from++
	}
	mod := ""
	if from+2 < len(f.toks) {
		switch a, b := f.toks[from], f.toks[from+2]; {
		case (f.text(a) == "require" || f.text(a) == "import") && b.Kind == syntax.TokenString:
			mod = module(b.Value(f.data))
		case a.Kind == syntax.TokenName && f.toks[from+1].Kind != syntax.TokenPunct && modules[f.alias[f.text(a)]]:
			mod = f.alias[f.text(a)]
		}
	}
	if mod != "" {
		f.members(list, mod)
	}
	for _, t := range list {
		if t.Kind == syntax.TokenName && mod == "" && len(fr.targets) < 8 {
			fr.targets = append(fr.targets, f.text(t))
		}
	}
	fr.cur, fr.pattern = operand{}, true
	f.at = end + 1
}

// importedFrom reports a module that is loaded from an address.
func (f *flow) importedFrom(k syntax.Token, mod string) {
	if !strings.HasPrefix(mod, "http://") && !strings.HasPrefix(mod, "https://") {
		return
	}
	level := scan.Medium
	if codeHosts[hostOf(mod)] {
		level = scan.Low
	}
	f.reportAs(level, ruleRemoteImport, int(k.Start), k.End, "a module is loaded from an address")
}

// codeHosts are the public mirrors of package registries that serve modules to
// browsers and Deno. What they serve is published and, with a version, fixed.
var codeHosts = wordSet("esm.sh", "unpkg.com", "cdn.jsdelivr.net", "cdn.skypack.dev", "deno.land", "jsr.io", "cdnjs.cloudflare.com", "esm.run", "ga.jspm.io", "jspm.dev")
