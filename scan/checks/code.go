package checks

import "pinion/scan"

// Rules about code in Python, JavaScript and other scripting languages.
const (
	ruleDecodeExec   = "code/decode-exec"
	ruleRemoteExec   = "code/remote-exec"
	ruleRemoteImport = "code/remote-import"
	ruleUnpickle     = "code/unpickle-remote"
	ruleReverseShell = "code/reverse-shell"
	ruleDownloadRun  = "code/download-run"
	ruleHiddenCall   = "code/hidden-call"
	ruleMarshal      = "code/marshal"
	ruleMassChange   = "code/mass-change"
	ruleMinified     = "code/minified"
)

// code reports code that runs what nobody can read in the package: text that is
// decoded or fetched first, shells for another machine, and code made unreadable.
// Python and JavaScript are followed from value to use; other languages are
// looked at line by line.
func code() scan.Check {
	return scan.Check{
		Name:     "code",
		Rules:    codeRules(),
		Patterns: codePatterns(),
		Langs:    []scan.Lang{scan.Python, scan.JavaScript},
		Hints: []string{
			"exec", "eval", "function", "subprocess", "child_process", "system", "popen", "socket", "http", "request", "urlopen", "urlretrieve", "fetch", "environ", "process.env",
			"import", "spawn", "runin", "require", "marshal", "pickle", "yaml.load", "bun", "deno", "getattr", "constructor", "settimeout", "$`", "atob", "fromcharcode", "globalthis", "globals()", "b64decode", "buffer.from", ".ssh", ".aws", ".env", "credential", "wallet", "login data",
		},
		Text: follow,
		File: minified,
	}
}

func codeRules() []scan.Rule {
	return []scan.Rule{{
		ID: ruleDecodeExec, Level: scan.Critical, Since: "0.2.0",
		Covers: []string{"decode/run"},
		Title:  "text is decoded and then run as code",
		Help: "Base64, hexadecimal, compressed or otherwise packed text is decoded and handed to eval, exec, a shell or their like, " +
			"at once or through variables. What runs cannot be read in the package. Decoding data that is not run is not reported.",
		Fix:     "ship the code as it is",
		Example: "exec(base64.b64decode(\"cHJpbnQoMSk=\"))",
	}, {
		ID: ruleRemoteExec, Level: scan.Critical, Since: "0.2.0",
		Covers: []string{"download/run"},
		Title:  "the answer of another machine is run as code",
		Help: "What a web server or a connection sends is handed to eval, exec, a shell or their like, so whoever controls that machine controls the user's. " +
			"No digest covers it and it may change at any time. Parsing an answer as JSON is not reported.",
		Fix:     "ship the code in the package",
		Example: "exec(requests.get(\"https://code.example/x.py\").text)",
	}, {
		ID: ruleRemoteImport, Level: scan.High, Since: "0.2.0",
		Title: "a module is loaded from an address",
		Help: "import() of an http address runs what is there at that moment. Mirrors of package registries, such as esm.sh, weigh little, " +
			"and an import that a program begins with less than one that it makes while it runs.",
		Fix:     "put the module into the package, or take it from a registry with a fixed version",
		Example: "await import(\"https://code.example/x.mjs\")",
	}, {
		ID: ruleUnpickle, Level: scan.High, Since: "0.2.0",
		Title:   "the answer of another machine is unpacked by something that runs code",
		Help:    "pickle, yaml.load without a safe loader and their like run code that their input names. Files of the package are not reported.",
		Fix:     "take JSON, or yaml.safe_load",
		Example: "pickle.loads(requests.get(\"https://data.example/m.pkl\").content)",
	}, {
		ID: ruleReverseShell, Level: scan.Critical, Since: "0.2.0",
		Covers: []string{"shell/reverse-shell"},
		Title:  "a shell is connected to another machine",
		Help: "A program's input and output are tied to a network connection, so that somebody elsewhere types commands here. " +
			"Strings that describe such code are not reported, a socket without a shell neither.",
		Fix: "remove it",
	}, {
		ID: ruleDownloadRun, Level: scan.High, Since: "0.2.0",
		Covers: []string{"download/file-run"},
		Title:  "a file is fetched and started",
		Help: "Code writes what a web server sends to a file and starts or loads that file. No digest of the package covers it. " +
			"Fetching data, or a file that is only unpacked, is not reported.",
		Fix:     "have the user install the program, or take it from a registry with a fixed version and check its digest",
		Example: "urlretrieve(\"https://files.example/tool\", \"/tmp/tool\"); os.system(\"/tmp/tool\")",
	}, {
		ID: ruleHiddenCall, Level: scan.High, Since: "0.2.0",
		Title: "a function that runs code is called under a put-together name",
		Help: "getattr(__builtins__, 'ev' + 'al') and its like have no use but to hide from a reader what is called. " +
			"getattr on a program's own objects is not reported.",
		Fix:     "call the function by its name",
		Example: "getattr(__builtins__, 'ex' + 'ec')(text)",
	}, {
		ID: ruleMarshal, Level: scan.High, Since: "0.2.0",
		Title:   "compiled Python code is unpacked from text",
		Help:    "marshal.loads of decoded or fetched data gives compiled code, which cannot be read.",
		Fix:     "ship the source",
		Example: "marshal.loads(zlib.decompress(blob))",
	}, {
		ID: "code/packed", Level: scan.Medium, Since: "0.2.0",
		Title: "code was made unreadable",
		Help: "Code of a packer or obfuscator: eval(function(p,a,c,k,e,d), names such as _0x1a2b in bulk, pyarmor, JSFuck. " +
			"Code that is only minified is not reported here.",
		Fix: "ship the source",
	}, {
		ID: ruleMinified, Level: scan.Medium, Since: "0.2.0",
		Title: "minified code without its source",
		Help: "A script is almost all one line and no file beside it looks like its source. It is hard to review. " +
			"Libraries that say their name and version in the first lines, and files with a source map in the package, are not reported.",
		Fix: "ship the source beside it, with the command that makes the one from the other",
	}, {
		ID: ruleMassChange, Level: scan.High, Since: "0.2.0",
		Title: "the files of a home are encrypted or wiped in a loop",
		Help:  "A walk over the home or the root encrypts, overwrites or removes what it meets. Walks over a directory that is given are not reported.",
		Fix:   "limit it to a directory that the user names",
	}}
}

// codePatterns are the lines of languages that are not followed, and of
// obfuscators in any.
func codePatterns() []scan.Pattern {
	other := []scan.Lang{scan.Plain, scan.Shell, scan.HTML}
	scripts := []scan.Lang{scan.Python, scan.JavaScript, scan.HTML, scan.Plain}
	return []scan.Pattern{
		// PHP, Ruby, Perl, Lua.
		{Rule: ruleDecodeExec, Langs: other, Any: []string{"base64_decode", "gzinflate", "gzuncompress", "str_rot13", "hex2bin"}, Message: "text that is decoded first is run",
			Match: `(?i)\b(eval|assert|create_function|system|exec|shell_exec|passthru|popen)\s*\(\s*@?\s*(base64_decode|gzinflate|gzuncompress|str_rot13|hex2bin|gzdecode)\s*\(`},
		{Rule: ruleDecodeExec, Langs: other, Any: []string{"base64", "unpack"}, Message: "text that is decoded first is run",
			Match: `\b(eval|instance_eval|class_eval|system|exec)\b[\s(]*(Base64\.(strict_|urlsafe_)?decode64|(MIME::Base64::)?decode_base64\s*\(|["'][A-Za-z0-9+/=]{16,}["']\.unpack1?\(["']m|\[["'][A-Za-z0-9+/=]{16,}["']\]\.pack|pack\s*\(?\s*["']H\*|unpack\s*\(?\s*["']u)`},
		{Rule: ruleRemoteExec, Langs: other, Any: []string{"file_get_contents", "open(", "net::http", "lwp", "get(", "http.get"}, Message: "what another machine answers is run",
			Match: `\b(eval|assert|instance_eval|loadstring|load|include|require)\b[\s(]*(file_get_contents\s*\(\s*["']https?://|URI\.open\s*\(|URI\.parse\([^)]*\)\.(read|open)|Net::HTTP\.get|LWP::Simple::get\s*\(|get\s*\(\s*["']https?://|(socket\.)?http\.request\s*\(|open\(\s*["']https?://)`},
		{Rule: ruleReverseShell, Langs: other, Any: []string{"fsockopen", "tcpsocket", "io::socket", "socket;", "net.dial", "socket.tcp", "socket()"}, Message: "a shell is connected to another machine",
			Match: `(?i)(fsockopen\s*\(.{1,120}(exec|proc_open|shell_exec|system|popen)\s*\(|TCPSocket\.(new|open).{1,160}(exec|spawn|popen|system|/bin/)|use\s+Socket;.{1,400}open\s*\(\s*STDIN.{1,200}exec|IO::Socket::INET.{1,300}(exec|system|STDIN->fdopen)|net\.Dial\(.{1,200}exec\.Command\(\s*"(/bin/)?(ba)?sh"|socket\.tcp\(\).{1,200}io\.popen)`},
		// Obfuscators.
		{Rule: "code/packed", Level: scan.High, Langs: scripts, Any: []string{"eval(function(p,a,c,k,e"}, Match: `eval\(function\(p,a,c,k,e,[dr]\)`, Message: "packed JavaScript"},
		{Rule: "code/packed", Langs: scripts, Any: []string{"_0x"}, Match: `(\b_0x[0-9a-f]{4,6}\b[^\n]{0,80}){12,}`, Message: "names of an obfuscator"},
		{Rule: "code/packed", Level: scan.High, Langs: scripts, Any: []string{"pyarmor"}, Match: `\b(from\s+pyarmor_runtime|__pyarmor__\s*\(|from\s+pytransform\s+import|pyarmor_runtime_\d+)`, Message: "Python of an obfuscator"},
		{Rule: "code/packed", Level: scan.High, Langs: scripts, Any: []string{"(![]+[])", "[][(![]"}, Match: `(\(!\[\]\+\[\]\)\[?[+!\[\]()]{5,}){4,}|\[\]\[\(!\[\]\+\[\]\)`, Message: "JavaScript without letters"},
		{Rule: "code/packed", Langs: []scan.Lang{scan.JavaScript}, Any: []string{`\x`}, Match: `(\\x[0-7][0-9a-fA-F]){40,}`, Message: "a long text whose every letter is escaped"},
		{Rule: "code/packed", Level: scan.High, Langs: []scan.Lang{scan.Python}, Any: []string{"lambda"}, Match: `_\s*=\s*lambda\s+__\s*:\s*__import__\(`, Message: "Python of an obfuscator"},
	}
}
