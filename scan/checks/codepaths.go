package checks

import "strings"

// joinsPaths put parts of a path together.
var joinsPaths = wordSet("os.path.join", "path.join", "path.resolve", "path.posix.join", "posixpath.join", "Path", "pathlib.Path", "pathlib.PurePath", "join")

func joinPath(shape string, args []operand) (string, bool) {
	if shape != "" && shape != "$x" {
		return shape, false
	}
	var parts []string
	literal := len(args) > 0
	for _, a := range args {
		parts = append(parts, a.shape)
		literal = literal && a.literal
	}
	if s := strings.Join(parts, "/"); len(s) <= maxShape {
		return s, literal
	}
	return "$x", false
}

// bare reports whether an operand is one value, with nothing written behind it.
func bare(o operand) bool {
	return o.shape == "" || o.shape == "$x" || o.shape == "~" || o.shape == "/" || o.shape == `C:\`
}

var (
	// opens give a handle that can be written to.
	opens = wordSet("open", "io.open", "codecs.open", "fs.createWriteStream", "fs-extra.createWriteStream", "os.open", "fs.openSync")
	// homes return the home.
	homes = wordSet("os.homedir", "Path.home", "pathlib.Path.home", "os.path.expanduser", "homedir")
	// walks list what is in a directory.
	walks = wordSet("os.walk", "os.listdir", "os.scandir", "glob.glob", "glob.iglob", "fs.readdirSync", "fs.readdir", "fs.promises.readdir", "fs/promises.readdir", "globSync", "glob.sync")
	// removes take away what they are given.
	removes = wordSet("shutil.rmtree", "os.remove", "os.unlink", "os.rmdir", "fs.rmSync", "fs.rm", "fs.unlinkSync", "fs.unlink", "fs.promises.rm", "fs.promises.unlink", "fs/promises.rm", "fs/promises.unlink", "rimraf", "rimraf.sync")
)

// homes reports what happens to every file of a home.
func (f *flow) homes(c *frame, args value, method string, end int) {
	if (args.taint|c.recv.taint)&isHomeFile == 0 {
		return
	}
	switch {
	case removes[c.plain] || method == "unlink" || method == "rmdir":
		f.report(ruleMassChange, c.start, int32(end), "what is in the home is removed")
	case strings.Contains(strings.ToLower(method), "encrypt") && args.taint&isHomeFile != 0, method == "update" && strings.Contains(strings.ToLower(c.callee), "cipher"):
		f.report(ruleMassChange, c.start, int32(end), "what is in the home is encrypted")
	}
}
