package checks

import "strings"

// The names of functions that code rules know, as "module.function" with the
// module's real name: aliases and node: prefixes are gone. A Python and a
// JavaScript name do not clash, so that one list of each kind is enough.
// Sources: the reference of each language's standard library and of the most
// used HTTP clients.

// runsCode take a string and run it as code.
var runsCode = wordSet(
	"exec", "eval", "builtins.exec", "builtins.eval", "execfile", "types.FunctionType", "code.InteractiveInterpreter.runsource", "runpy.run_path",
	"Function", "vm.runInNewContext", "vm.runInThisContext", "vm.runInContext", "vm.Script", "vm.compileFunction", "vm.SourceTextModule",
	"module._compile", "Module._compile", "execScript", "indirectEval",
)

// runsShell hand their first argument to a shell; the others of runsProgram
// start a program with arguments.
var runsShell = wordSet(
	"os.system", "os.popen", "popen2.popen2", "commands.getoutput", "subprocess.getoutput", "subprocess.getstatusoutput", "asyncio.create_subprocess_shell",
	"child_process.exec", "child_process.execSync", "shelljs.exec", "execa.command", "execa.commandSync", "execa.execaCommand", "execa.execaCommandSync",
)

// runsPrograms start a program from a list, or by a name and a list.
var runsPrograms = wordSet(
	"subprocess.run", "subprocess.Popen", "subprocess.call", "subprocess.check_call", "subprocess.check_output", "asyncio.create_subprocess_exec",
	"os.execv", "os.execve", "os.execvp", "os.execl", "os.execlp", "os.spawnv", "os.spawnl", "os.startfile", "pty.spawn",
	"child_process.spawn", "child_process.spawnSync", "child_process.execFile", "child_process.execFileSync", "child_process.fork",
	"Deno.Command", "Deno.run", "Bun.spawn", "Bun.spawnSync", "execa", "execa.execa", "execa.sync", "cross-spawn", "cross-spawn.sync",
)

// decodes turn encoded text into what it stands for.
var decodes = wordSet(
	"base64.b64decode", "base64.b32decode", "base64.b85decode", "base64.a85decode", "base64.b16decode", "base64.urlsafe_b64decode", "base64.standard_b64decode", "base64.decodebytes",
	"binascii.unhexlify", "binascii.a2b_base64", "binascii.a2b_hex", "bytes.fromhex", "bytearray.fromhex", "codecs.decode",
	"zlib.decompress", "gzip.decompress", "lzma.decompress", "bz2.decompress", "marshal.loads",
	"atob", "String.fromCharCode", "String.fromCodePoint", "unescape", "zlib.inflateSync", "zlib.gunzipSync", "zlib.unzipSync", "zlib.brotliDecompressSync", "zlib.inflateRawSync",
)

// fetches return what another machine answers.
var fetches = wordSet(
	"requests.get", "requests.post", "requests.request", "httpx.get", "httpx.post", "httpx.request", "urllib.request.urlopen", "urllib2.urlopen", "urllib.urlopen", "urllib3.request",
	"http.client.HTTPSConnection", "http.client.HTTPConnection", "aiohttp.ClientSession", "requests.Session", "httpx.Client", "httpx.AsyncClient", "urllib3.PoolManager", "urllib.request.Request",
	"fetch", "axios", "axios.get", "axios.post", "axios.request", "got", "got.get", "got.post", "http.get", "https.get", "http.request", "https.request", "node-fetch", "undici.fetch", "undici.request", "superagent.get", "needle", "request", "request.get", "request.post",
)

// channels are connections: what is written to them leaves, what is read is from
// elsewhere.
var channels = wordSet(
	"socket.socket", "socket.create_connection", "ssl.wrap_socket", "smtplib.SMTP", "smtplib.SMTP_SSL", "ftplib.FTP", "telnetlib.Telnet", "paramiko.SSHClient", "websocket.create_connection", "websockets.connect",
	"net.connect", "net.createConnection", "net.Socket", "tls.connect", "dgram.createSocket", "WebSocket", "ws", "Deno.connect", "Bun.connect",
	"http.request", "https.request", "XMLHttpRequest", "http.client.HTTPSConnection", "http.client.HTTPConnection",
)

// outgoing are functions that carry their arguments to another machine.
var outgoing = wordSet(
	"navigator.sendBeacon", "dns.lookup", "dns.resolve", "dns.resolve4", "dns.resolveTxt", "dns.promises.lookup", "dns.promises.resolve", "socket.gethostbyname", "socket.getaddrinfo",
	"request.put", "superagent.post", "axios.put", "axios.patch", "got.put", "requests.put", "requests.patch", "httpx.put", "urllib.request.urlretrieve",
)

// forgets give back nothing of what they are given but a number, a yes or no, or
// a digest.
var forgets = wordSet(
	"len", "bool", "int", "isinstance", "type", "hash", "id", "os.path.exists", "os.path.isfile", "os.path.isdir", "os.stat", "os.path.getsize", "os.access", "os.chmod", "os.makedirs", "os.mkdir", "os.remove", "os.unlink",
	"hashlib.sha256", "hashlib.sha1", "hashlib.md5", "hashlib.sha512", "hashlib.new", "crypto.createHash", "hmac.new",
	"fs.existsSync", "fs.statSync", "fs.mkdirSync", "fs.unlinkSync", "fs.rmSync", "existsSync", "statSync", "mkdirSync", "Boolean", "Number", "print", "console.log", "console.error", "logging.info", "logger.info",
)

// readsFiles read the file that their first argument names.
var readsFiles = wordSet(
	"open", "io.open", "codecs.open", "shutil.copy", "shutil.copyfile", "shutil.copytree", "sqlite3.connect", "glob.glob", "Deno.readTextFile", "Deno.readTextFileSync", "Deno.readFile", "Bun.file",
	"fs.readFile", "fs.readFileSync", "fs.promises.readFile", "fs.createReadStream", "fs.copyFileSync", "fs.copyFile", "fs.cpSync", "fs.readdirSync", "fs/promises.readFile", "fs-extra.readFile", "fs-extra.readFileSync", "os.listdir", "configparser.ConfigParser",
)

// serialises turn a value into text that can leave.
var serialises = wordSet("json.dumps", "json.dump", "JSON.stringify", "pickle.dumps", "print", "console.log", "pprint.pprint", "pprint", "str", "repr", "util.inspect", "querystring.stringify", "urllib.parse.urlencode")

// methods that read from a connection or an answer, and that write to one.
var (
	writesMethods = wordSet("write", "end", "send", "sendall", "sendto", "sendmail", "send_message", "request", "storbinary", "login", "emit")
	postMethods   = wordSet("post", "put", "patch")
	keepMethods   = wordSet("append", "push", "extend", "update", "add", "set", "insert", "unshift", "concat")
)

// globalObjects hold every global function as a property.
var globalObjects = []string{
	"globalThis", "window", "self", "global", "builtins", "__builtins__", "__builtin__", "globals()", "locals()", "vars()",
	"__builtins__.__dict__", "builtins.__dict__", "builtins()", "process.mainModule",
}

func wordSet(words ...string) map[string]bool {
	m := make(map[string]bool, len(words))
	for _, w := range words {
		m[w] = true
	}
	return m
}

// plainName takes what only says where a name comes from off its front.
func plainName(name string) string {
	for _, g := range globalObjects {
		if len(name) > len(g) && name[len(g)] == '.' && name[:len(g)] == g {
			name = name[len(g)+1:]
		}
	}
	switch name {
	case "Function.constructor", "constructor.constructor", "[].constructor.constructor":
		return "Function"
	}
	if strings.HasSuffix(name, ".constructor.constructor") {
		return "Function"
	}
	return name
}
