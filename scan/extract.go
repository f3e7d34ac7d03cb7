package scan

import (
	"bytes"
	"strings"

	"pinion/internal/syntax"
)

// extraction cuts one file into the texts that rules look at.
type extraction struct {
	file  *File
	texts []*Text
	full  bool // a limit was reached
	// commands counts the commands of documents.
	commands int
}

// extract returns the texts of a file. A file of a known structure gives its
// parts; what cannot be taken apart is one text as a whole, so that a fault in
// a document hides nothing.
func extract(f *File) ([]*Text, bool) {
	x := &extraction{file: f}
	x.whole(f.Lang, f.Data, 0, true, 0)
	return x.texts, x.full
}

// whole takes content of a language apart. base is where it begins in the file.
func (x *extraction) whole(lang Lang, data []byte, base int, verbatim bool, depth int) {
	switch lang {
	case Markdown:
		x.markdown(data, base, verbatim, depth)
	case JSON, YAML, TOML:
		x.document(lang, data, base, verbatim, depth)
	default:
		x.add(lang, Body, data, base, verbatim, depth)
	}
}

func (x *extraction) add(lang Lang, role Role, data []byte, base int, verbatim bool, depth int) *Text {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil
	}
	if len(x.texts) >= maxTexts {
		x.full = true
		return nil
	}
	return x.text(lang, role, data, base, verbatim, depth)
}

// text adds a text without asking how many there are.
func (x *extraction) text(lang Lang, role Role, data []byte, base int, verbatim bool, depth int) *Text {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil
	}
	t := &Text{File: x.file, Lang: lang, Role: role, Data: data, Depth: depth, base: base, verbatim: verbatim}
	if depth > 0 {
		t.Role = Decoded
	}
	x.texts = append(x.texts, t)
	return t
}

// document hands out the strings of a JSON, YAML or TOML document.
func (x *extraction) document(lang Lang, data []byte, base int, verbatim bool, depth int) {
	read := syntax.JSONStrings
	switch lang {
	case YAML:
		read = syntax.YAMLStrings
	case TOML:
		read = syntax.TOMLStrings
	}
	for from := 0; from < len(data); {
		end := len(data)
		if lang != JSON {
			end = from + section(data[from:], lang)
		}
		x.section(lang, read, data[from:end], base+from, verbatim, depth)
		from = end
	}
}

// section hands out the strings of a document, or of one part of a large one.
func (x *extraction) section(lang Lang, read func([]byte, func(syntax.Text) bool) error, data []byte, base int, verbatim bool, depth int) {
	before, full, rest := len(x.texts), x.full, joined{x: x, depth: depth}
	err := read(syntax.TrimBOM(data), func(s syntax.Text) bool {
		at := base
		if verbatim {
			at += s.Offset + len(data) - len(syntax.TrimBOM(data))
		}
		role, inner := roleOf(s.Pointer)
		if len(x.texts) >= maxTexts && (role != Command || x.commands >= maxCommands) {
			// A data file: its values are looked at many at a time.
			rest.add(inner, role, s, at)
			return !x.full
		}
		if role == Command {
			x.commands++
		}
		if t := x.text(inner, role, []byte(s.Value), at, verbatim && s.Verbatim, depth); t != nil {
			t.Pointer = s.Pointer
		}
		return true
	})
	rest.end()
	if err != nil {
		// Half a document is not taken for the whole: it is one text.
		x.texts, x.full = x.texts[:before], full
		x.text(lang, Body, data, base, verbatim, depth)
	}
}

// section returns where the first part of a large YAML or TOML document ends: in
// front of a line that begins a top-level key or table.
func section(data []byte, lang Lang) int {
	if len(data) <= maxDocument {
		return len(data)
	}
	for end := maxDocument; end > 0; {
		i := bytes.LastIndexByte(data[:end], '\n')
		if i < 0 {
			break
		}
		if begins(data[i+1], lang) {
			return i + 1
		}
		end = i
	}
	for end := maxDocument; end < len(data); {
		i := bytes.IndexByte(data[end:], '\n')
		if i < 0 || end+i+1 >= len(data) {
			break
		}
		end += i + 1
		if begins(data[end], lang) {
			return end
		}
	}
	return len(data)
}

// begins reports whether a line that starts with c can begin a top-level key or
// table.
func begins(c byte, lang Lang) bool {
	if lang == TOML {
		return c == '['
	}
	return c > ' ' && c != '#' && c != '}' && c != ']'
}

// joined are values of a data file that become texts together, one on a line,
// apart by what they are in. A finding in them is at the first.
type joined struct {
	x     *extraction
	depth int
	open  [2]*Text // of Plain and of Prose
}

func (j *joined) add(lang Lang, role Role, s syntax.Text, at int) {
	if role == Command {
		j.x.full = true // so many commands are no data
		return
	}
	i := 0
	if lang == Prose {
		i = 1
	}
	t := j.open[i]
	if t == nil {
		t = &Text{File: j.x.file, Lang: lang, Role: role, Depth: j.depth, base: at, Pointer: s.Pointer}
		j.open[i] = t
	}
	t.Data = append(append(t.Data, s.Value...), '\n')
	if len(t.Data) >= joinedValues {
		j.hand(i)
	}
}

func (j *joined) end() {
	for i := range j.open {
		j.hand(i)
	}
}

func (j *joined) hand(i int) {
	if t := j.open[i]; t != nil {
		if j.depth > 0 {
			t.Role = Decoded
		}
		j.x.texts = append(j.x.texts, t)
		j.open[i] = nil
	}
}

// roleOf says what a string of a document is by the last name on its pointer:
// command lines are shell, descriptions and prompts are prose.
func roleOf(pointer string) (Role, Lang) {
	name := pointer
	for {
		i := strings.LastIndexByte(name, '/')
		last := name[i+1:]
		if i > 0 && last != "" && strings.Trim(last, "0123456789") == "" {
			name = name[:i] // an element of a list is what the list is
			continue
		}
		name = last
		break
	}
	switch strings.ToLower(name) {
	case "command", "cmd", "run", "script", "shell", "exec", "bash", "sh", "entrypoint", "postinstall", "preinstall", "install", "prepare", "onactivate", "statusline":
		return Command, Shell
	case "description", "prompt", "instructions", "systemprompt", "system_prompt", "when_to_use", "whentouse", "content", "message", "text", "title", "summary":
		return Description, Prose
	}
	return Value, Plain
}
