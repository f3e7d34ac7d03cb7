package checks

import (
	"bytes"
	"encoding/binary"
	"path"
	"slices"
	"strings"
)

// fileClass is how a kind of file is judged.
type fileClass uint8

const (
	programClass  fileClass = iota + 1 // runs as it is
	bytecodeClass                      // compiled source, run by an interpreter
	archiveClass                       // other files, packed
)

// fileKind is what the first bytes of a file say it is.
type fileKind struct {
	class fileClass
	name  string
}

// kindOf returns what content is, the zero value for what is no program,
// bytecode or archive. Short magics are checked against the structure behind
// them, since text may begin with "MZ" or "BZh".
func kindOf(data []byte) fileKind {
	has := func(magic string) bool { return bytes.HasPrefix(data, []byte(magic)) }
	switch {
	case has("\x7fELF") && len(data) > 5 && (data[4] == 1 || data[4] == 2):
		return fileKind{programClass, "ELF"}
	case has("MZ") && isPE(data):
		return fileKind{programClass, "Windows"}
	case has("\xfe\xed\xfa\xce"), has("\xfe\xed\xfa\xcf"), has("\xce\xfa\xed\xfe"), has("\xcf\xfa\xed\xfe"):
		if len(data) >= 28 {
			return fileKind{programClass, "Mach-O"}
		}
	case has("\xca\xfe\xba\xbe") || has("\xca\xfe\xba\xbf"):
		// A Java class has its version where a universal binary has the number
		// of architectures; there are no more than a few of these, and no class
		// is older than version 45.
		if len(data) < 8 {
			break
		}
		if n := binary.BigEndian.Uint32(data[4:]); n > 0 && n < 40 {
			return fileKind{programClass, "universal Mach-O"}
		}
		if major := binary.BigEndian.Uint16(data[6:]); data[3] == 0xbe && major >= 45 && major < 200 {
			return fileKind{programClass, "Java class"}
		}
	case has("\x00asm") && len(data) >= 8 && (data[4] == 1 || data[4] == 0x0d || data[4] == 0x0a):
		return fileKind{programClass, "WebAssembly"}
	case (has("dex\n0") || has("dey\n0")) && len(data) > 8 && data[7] == 0:
		return fileKind{programClass, "Android"}

	case has("\x1bLua"):
		return fileKind{bytecodeClass, "Lua"}
	case has("FOR1") && len(data) > 12 && string(data[8:12]) == "BEAM":
		return fileKind{bytecodeClass, "Erlang"}
	case has("\xc6\x1f\xbc\x03\xc1\x03\x19\x1f"):
		return fileKind{bytecodeClass, "Hermes JavaScript"}

	case has("PK\x03\x04"), has("PK\x05\x06") && len(data) >= 22, has("PK\x07\x08PK"):
		return fileKind{archiveClass, "zip"}
	case has("\x1f\x8b\x08"):
		return fileKind{archiveClass, "gzip"}
	case has("BZh") && len(data) > 10 && data[3] >= '1' && data[3] <= '9' && (string(data[4:10]) == "1AY&SY" || string(data[4:10]) == "\x17\x72\x45\x38\x50\x90"):
		return fileKind{archiveClass, "bzip2"}
	case has("\xfd7zXZ\x00"):
		return fileKind{archiveClass, "xz"}
	case has("7z\xbc\xaf\x27\x1c"):
		return fileKind{archiveClass, "7z"}
	case has("Rar!\x1a\x07"):
		return fileKind{archiveClass, "rar"}
	case has("\x28\xb5\x2f\xfd"):
		return fileKind{archiveClass, "zstd"}
	case has("MSCF\x00\x00\x00\x00"):
		return fileKind{archiveClass, "cabinet"}
	case has("!<arch>\n"):
		return fileKind{archiveClass, "ar"}
	case has("\xed\xab\xee\xdb"):
		return fileKind{archiveClass, "rpm"}
	case has("xar!\x00"):
		return fileKind{archiveClass, "xar"}
	case len(data) >= 512 && string(data[257:262]) == "ustar":
		return fileKind{archiveClass, "tar"}
	}
	return fileKind{}
}

// isPE follows the header of a Windows program to its second magic. The header
// alone, an old DOS program, is none that runs today.
func isPE(data []byte) bool {
	if len(data) < 0x40 {
		return false
	}
	at := int64(binary.LittleEndian.Uint32(data[0x3c:]))
	return at+4 <= int64(len(data)) && string(data[at:at+4]) == "PE\x00\x00"
}

// isPyc reports whether content of a file with this name is Python bytecode:
// the magic is a version, CR and LF.
func isPyc(name string, data []byte) bool {
	switch path.Ext(name) {
	case ".pyc", ".pyo":
		return len(data) >= 4 && data[2] == '\r' && data[3] == '\n'
	}
	return false
}

// promised says what the ending of a name promises: "image", "sound", "font",
// "document", "text", or "" for anything else.
func promised(name string) string {
	ext := strings.TrimPrefix(strings.ToLower(path.Ext(name)), ".")
	for _, p := range []struct {
		what string
		exts []string
	}{
		{"image", []string{"png", "jpg", "jpeg", "gif", "webp", "bmp", "ico", "svg", "avif", "tif", "tiff", "heic"}},
		{"sound", []string{"mp3", "mp4", "wav", "ogg", "webm", "mov", "m4a", "flac"}},
		{"font", []string{"ttf", "otf", "woff", "woff2", "eot"}},
		{"document", []string{"pdf"}},
		{"text", []string{
			"md", "markdown", "mdx", "mdc", "txt", "rst", "json", "jsonc", "yaml", "yml", "toml", "csv", "tsv", "xml", "html", "htm", "css", "ini", "cfg", "conf", "log",
			"py", "js", "mjs", "cjs", "ts", "tsx", "jsx", "sh", "bash", "rb", "go", "rs", "java", "c", "h", "cpp", "lua", "pl", "php", "sql", "ps1",
		}},
	} {
		if slices.Contains(p.exts, ext) {
			return p.what
		}
	}
	return ""
}
