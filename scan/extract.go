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
	full  bool // maxTexts was reached
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
	before := len(x.texts)
	err := read(syntax.TrimBOM(data), func(s syntax.Text) bool {
		at := base
		if verbatim {
			at += s.Offset + len(data) - len(syntax.TrimBOM(data))
		}
		role, inner := roleOf(s.Pointer)
		if t := x.add(inner, role, []byte(s.Value), at, verbatim && s.Verbatim, depth); t != nil {
			t.Pointer = s.Pointer
		}
		return !x.full
	})
	if err != nil {
		// Half a document is not taken for the whole: it is one text.
		x.texts = x.texts[:before]
		x.add(lang, Body, data, base, verbatim, depth)
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
