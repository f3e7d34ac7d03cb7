package scan

import (
	"bytes"

	"pinion/internal/syntax"
)

// markdown cuts a Markdown file into its frontmatter, the prose and the code
// blocks. Blocks are found line by line: a fence of three or more backticks or
// tildes, behind any indentation, list mark or quote mark, up to one that is at
// least as long. That is more than CommonMark calls a fence, never less, so
// that odd indentation does not turn a command into prose.
func (x *extraction) markdown(data []byte, base int, verbatim bool, depth int) {
	rest := data
	at := base
	if block, n := frontBlock(data); n > 0 {
		x.front(block, at, verbatim, depth)
		rest = data[n:]
		at += n
	}
	prose := 0 // where the prose began that was not handed out yet
	for pos := 0; pos < len(rest); {
		line, next := cutLine(rest, pos)
		mark, info := fence(line)
		if mark == 0 {
			pos = next
			continue
		}
		x.prose(rest[prose:pos], at+prose, verbatim, depth)
		body, end := next, next
		for end < len(rest) {
			l, n := cutLine(rest, end)
			if m, tail := fence(l); m >= mark && m%2 == mark%2 && len(tail) == 0 {
				break
			}
			end = n
		}
		x.block(info, rest[body:end], at+body, verbatim, depth)
		if end < len(rest) {
			_, end = cutLine(rest, end)
		}
		pos, prose = end, end
	}
	x.prose(rest[prose:], at+prose, verbatim, depth)
}

// prose hands out what stands between code blocks, and by themselves the shell
// lines in it that a host runs when the file is invoked.
func (x *extraction) prose(data []byte, base int, verbatim bool, depth int) {
	x.add(Prose, Body, data, base, verbatim, depth)
	for _, s := range syntax.BangCommands(data) {
		x.add(Shell, Command, data[s.Start:s.End], base+s.Start, verbatim, depth)
	}
}

// block hands out one code block.
func (x *extraction) block(info string, data []byte, base int, verbatim bool, depth int) {
	switch lang := langOfInfo[info]; lang {
	case JSON, YAML, TOML:
		x.document(lang, data, base, verbatim, depth)
	case Markdown:
		x.add(Prose, Block, data, base, verbatim, depth)
	case Shell:
		role := Block
		if info == "!" {
			role = Command
		}
		x.add(Shell, role, unprompt(data), base, verbatim, depth)
	default:
		x.add(lang, Block, data, base, verbatim, depth)
	}
}

// front hands out the values of a frontmatter. What a host shows the model to
// choose by is a description.
func (x *extraction) front(data []byte, base int, verbatim bool, depth int) {
	x.document(YAML, data, base, verbatim, depth)
}

// frontBlock returns the YAML between the first two "---" lines and how many
// bytes of data belong to the whole block.
func frontBlock(data []byte) (block []byte, n int) {
	trimmed := syntax.TrimBOM(data)
	skip := len(data) - len(trimmed)
	line, next := cutLine(trimmed, 0)
	if string(bytes.TrimRight(line, " \t\r")) != "---" {
		return nil, 0
	}
	for pos := next; pos < len(trimmed); {
		l, n := cutLine(trimmed, pos)
		if s := string(bytes.TrimRight(l, " \t\r")); s == "---" || s == "..." {
			// The opening line is kept as blank: offsets stay those of the file.
			return data[skip+next : skip+pos], skip + n
		}
		pos = n
	}
	return nil, 0
}

// cutLine returns the line that begins at pos, without its end, and where the
// next one begins.
func cutLine(data []byte, pos int) (line []byte, next int) {
	if i := bytes.IndexByte(data[pos:], '\n'); i >= 0 {
		return data[pos : pos+i], pos + i + 1
	}
	return data[pos:], len(data)
}

// fence returns twice the length of the fence that a line begins with, plus one
// for tildes, and the first word behind it in lower case; 0 for no fence.
func fence(line []byte) (mark int, info string) {
	line = bytes.TrimLeft(line, " \t>*-+0123456789.)")
	if len(line) < 3 || line[0] != '`' && line[0] != '~' {
		return 0, ""
	}
	n := 0
	for n < len(line) && line[n] == line[0] {
		n++
	}
	if n < 3 || bytes.IndexByte(line[n:], '`') >= 0 && line[0] == '`' {
		return 0, "" // inline code has its end on the same line
	}
	mark = 2 * n
	if line[0] == '~' {
		mark++
	}
	word := bytes.TrimLeft(bytes.TrimSpace(line[n:]), "{.")
	if i := bytes.IndexAny(word, " \t,{}:"); i >= 0 {
		word = word[:i]
	}
	return mark, string(bytes.ToLower(word[:min(len(word), 20)]))
}

// unprompt blanks the "$ " that documentation writes before commands. Bytes are
// replaced one for one, so that positions stay.
func unprompt(data []byte) []byte {
	if !bytes.Contains(data, []byte("$ ")) && !bytes.Contains(data, []byte("% ")) {
		return data
	}
	out := bytes.Clone(data)
	for pos := 0; pos < len(out); {
		line, next := cutLine(out, pos)
		trimmed := bytes.TrimLeft(line, " \t")
		if len(trimmed) > 1 && (trimmed[0] == '$' || trimmed[0] == '%') && trimmed[1] == ' ' {
			trimmed[0] = ' '
		}
		pos = next
	}
	return out
}
