package syntax

import "bytes"

// maxBangs is how many lines of one file are listed.
const maxBangs = 200

// Span is a range of bytes.
type Span struct{ Start, End int }

// BangCommands returns where the shell lines of a Markdown command or skill are,
// which Claude Code runs by itself when the file is invoked, before the model
// sees it: !`line` at the start of a line or behind white space, and a code block
// whose fence is followed by "!".
func BangCommands(data []byte) []Span {
	var out []Span
	for pos := 0; len(out) < maxBangs; {
		i := bytes.Index(data[pos:], []byte("!`"))
		j := bytes.Index(data[pos:], []byte("```!"))
		switch {
		case i < 0 && j < 0:
			return out
		case j >= 0 && (i < 0 || j < i):
			start := pos + j + len("```!")
			nl := bytes.IndexByte(data[start:], '\n')
			if nl < 0 {
				return out
			}
			start += nl + 1
			end := bytes.Index(data[start:], []byte("```"))
			if end < 0 {
				end = len(data) - start
			}
			if len(bytes.TrimSpace(data[start:start+end])) > 0 {
				out = append(out, Span{start, start + end})
			}
			pos = min(start+end+3, len(data))
		default:
			at := pos + i
			start := at + len("!`")
			pos = start
			end := bytes.IndexAny(data[start:], "`\n")
			if end <= 0 || data[start+end] != '`' || at > 0 && !isBlank(data[at-1]) {
				continue
			}
			out = append(out, Span{start, start + end})
			pos = start + end + 1
		}
	}
	return out
}
