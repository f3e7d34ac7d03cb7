package checks

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"io"
	"strings"
	"sync"
	"unicode/utf8"

	"pinion/scan"
)

// maxInflated is how much of something compressed is read, in bytes: what the
// engine decodes of one stretch.
const maxInflated = 256 << 10

// packedAs names how bytes are compressed, by their first ones.
func packedAs(b []byte) string {
	switch {
	case len(b) > 10 && b[0] == 0x1f && b[1] == 0x8b && b[2] == 8:
		return "gzip"
	case len(b) > 6 && b[0] == 0x78 && (b[1] == 0x01 || b[1] == 0x5e || b[1] == 0x9c || b[1] == 0xda):
		return "zlib"
	}
	return ""
}

// plainText returns decoded bytes as text, inflated and in UTF-8, nil when they
// are none; packed names what was around it.
func plainText(b []byte) (text []byte, packed string) {
	if kind := packedAs(b); kind != "" {
		var r io.Reader
		var err error
		if kind == "gzip" {
			r, err = gzip.NewReader(bytes.NewReader(b))
		} else {
			r, err = zlib.NewReader(bytes.NewReader(b))
		}
		if err != nil {
			return nil, ""
		}
		// A stream that breaks off still gives what stands before the break.
		b, _ = io.ReadAll(io.LimitReader(r, maxInflated+1)) // one more, so that the engine sees the limit
		packed = kind + " data"
	}
	if order := utf16Order(b); order != 0 {
		b = decodeUTF16(b, order)
		if packed == "" {
			packed = "UTF-16"
		}
	}
	if len(b) < 8 || !looksReadable(append(b[:len(b):len(b)], bytes.Repeat([]byte{' '}, 16)...)) {
		return nil, ""
	}
	if !utf8.Valid(b) {
		b = bytes.ToValidUTF8(b, []byte("?"))
	}
	return b, packed
}

// graveWords are what text must hold to do harm: a command, a library, an
// address, a path, or words about instructions. Decoded text without any of
// them is not looked at further, so that data in base64 costs nothing.
var graveWords = sync.OnceValue(func() [][]byte {
	var out [][]byte
	for w := range strings.FieldsSeq("curl wget http iex( iex invoke- powershell bash /bin/ /dev/ exec eval import require( child_process socket subprocess os. rm\u2423-r " +
		".ssh .aws token passw ignore ignorier disregard forget instruc base64 fetch( chmod sudo crontab python node\u2423 perl system( mkfs dd\u2423if netcat ncat nc\u2423 | function atob 指令 指示 инструкц fromcharcode keychain wallet cookies .env") {
		out = append(out, []byte(strings.ReplaceAll(w, "\u2423", " ")))
	}
	return out
})

func worthReading(text []byte) bool {
	lower := bytes.ToLower(text)
	if drawing(lower) {
		return false
	}
	for _, w := range graveWords() {
		if bytes.Contains(lower, w) {
			return true
		}
	}
	// What is encoded once more has no words.
	return longRun(lower)
}

// drawing reports whether text is a picture without a script and with hardly a
// word in it. Icons are kept as base64 by the hundred.
func drawing(lower []byte) bool {
	t := bytes.TrimSpace(lower)
	if !bytes.HasPrefix(t, []byte("<svg")) && !bytes.HasPrefix(t, []byte("<?xml")) {
		return false
	}
	for _, w := range []string{"<script", "javascript:", "onload", "foreignobject", "<!--"} {
		if bytes.Contains(t, []byte(w)) {
			return false
		}
	}
	words, inTag := 0, false
	for _, c := range t {
		switch {
		case c == '<':
			inTag = true
		case c == '>':
			inTag = false
		case !inTag && c > ' ':
			words++
		}
	}
	return words < maxCaption
}

// maxCaption is how much text a picture without words has, in bytes: a title.
const maxCaption = 60

// longRun reports whether text has a run long enough to be encoded itself.
func longRun(text []byte) bool {
	n := 0
	for _, c := range text {
		if !isBase64[c] {
			n = 0
			continue
		}
		if n++; n >= minBase64 {
			return true
		}
	}
	return false
}

// languagesOf guesses what decoded text is written in, most likely first. Shell
// is among them whenever it is not plainly another language: it is what most
// payloads are.
func languagesOf(text []byte) []scan.Lang {
	head := bytes.ToLower(text[:min(len(text), 4<<10)])
	has := func(words ...string) bool {
		for _, w := range words {
			if bytes.Contains(head, []byte(w)) {
				return true
			}
		}
		return false
	}
	trimmed := bytes.TrimSpace(head)
	switch {
	case bytes.HasPrefix(trimmed, []byte("#!")):
		first, _ := cutAt(trimmed, 0)
		switch {
		case bytes.Contains(first, []byte("python")):
			return []scan.Lang{scan.Python}
		case bytes.Contains(first, []byte("node")):
			return []scan.Lang{scan.JavaScript}
		}
		return []scan.Lang{scan.Shell}
	case has("$env:", "invoke-", "new-object", "iex ", "iex(", "-executionpolicy"):
		return []scan.Lang{scan.PowerShell, scan.Shell}
	case has("require(", "=>", "function(", "function (", "const ", "process.env", "child_process"):
		return []scan.Lang{scan.JavaScript}
	case has("import ", "def ", "__import__", "exec(", "eval(", "os.system", "subprocess."):
		return []scan.Lang{scan.Python, scan.Shell}
	case len(trimmed) > 0 && (trimmed[0] == '{' || trimmed[0] == '['):
		return []scan.Lang{scan.JSON}
	case has("<html", "<script", "<svg", "<?xml"):
		return []scan.Lang{scan.HTML}
	}
	return []scan.Lang{scan.Shell, scan.Prose}
}
