package checks

import (
	"bytes"
	"strings"

	"pinion/internal/syntax"
)

const (
	maxPowerShellNesting  = 50
	maxPowerShellCommands = 20_000
)

// readPowerShell cuts PowerShell, or a batch file, into commands. It knows
// strings, comments, pipes, assignments, parentheses and blocks, which is enough
// to tell what is run from what is printed; it is no parser of expressions.
// Names are returned in lower case and without the backtick that splits words.
// What stands in parentheses is a child of the command around it.
func readPowerShell(data []byte) *syntax.Script {
	r := &powerReader{data: data, script: &syntax.Script{}}
	for r.pos < len(data) {
		r.statements(-1, 0)
		if r.pos < len(data) {
			r.pos++ // a bracket that nothing opened
		}
	}
	return r.script
}

type powerReader struct {
	data     []byte
	pos      int
	script   *syntax.Script
	pipeline int
}

// statements reads up to the closing bracket of its level.
func (r *powerReader) statements(parent, depth int) {
	for r.pos < len(r.data) {
		switch c := r.data[r.pos]; {
		case c == ')' || c == '}' || c == ']':
			return
		case c == ';' || c == '\n' || c == '\r' || c == ' ' || c == '\t' || c == '&' || c == '|' || c == ',' || c == '@':
			r.pos++
		case c == '#':
			r.comment()
		case c == '<' && bytes.HasPrefix(r.data[r.pos:], []byte("<#")):
			r.blockComment()
		default:
			r.pipe(parent, depth)
		}
	}
}

func (r *powerReader) comment() {
	for r.pos < len(r.data) && r.data[r.pos] != '\n' {
		r.pos++
	}
}

func (r *powerReader) blockComment() {
	if i := bytes.Index(r.data[r.pos:], []byte("#>")); i >= 0 {
		r.pos += i + 2
		return
	}
	r.pos = len(r.data)
}

// pipe reads one pipeline.
func (r *powerReader) pipe(parent, depth int) {
	r.pipeline++
	number := r.pipeline
	var stages []int
	for stage := 0; r.pos < len(r.data); stage++ {
		if len(r.script.Commands) >= maxPowerShellCommands {
			r.script.Broken, r.script.Left = true, true
			r.pos = len(r.data)
			return
		}
		i := len(r.script.Commands)
		via := ""
		if parent >= 0 {
			via = "$("
		}
		r.script.Commands = append(r.script.Commands, syntax.Command{Pipeline: number, Stage: stage, Parent: parent, Via: via, Offset: r.pos})
		r.words(i, depth)
		r.script.Commands[i].End = max(r.pos, r.script.Commands[i].Offset)
		stages = append(stages, i)
		if r.pos >= len(r.data) || r.data[r.pos] != '|' {
			break
		}
		r.pos++
		for r.pos < len(r.data) && (r.data[r.pos] == ' ' || r.data[r.pos] == '\t' || r.data[r.pos] == '\n' || r.data[r.pos] == '\r') {
			r.pos++
		}
	}
	for _, i := range stages {
		r.script.Commands[i].Stages = len(stages)
	}
}

// words reads the words of command i. A string at the place of the program is
// printed, unless "&" or "." stands before it.
func (r *powerReader) words(i, depth int) {
	var words []syntax.Word
	if at := r.pos; at < len(r.data) && (r.data[at] == '"' || r.data[at] == '\'') {
		before := bytes.TrimRight(r.data[max(0, at-8):at], " \t")
		if n := len(before); n == 0 || before[n-1] != '&' && before[n-1] != '.' {
			words = append(words, syntax.Word{Text: "write-output", Literal: true, Offset: at, End: at})
		}
	}
	for r.pos < len(r.data) {
		switch c := r.data[r.pos]; c {
		case ' ', '\t', ',':
			r.pos++
			continue
		case '`':
			if r.pos+1 < len(r.data) && (r.data[r.pos+1] == '\n' || r.data[r.pos+1] == '\r') {
				r.pos += 2 // the line goes on
				continue
			}
		case '\n', '\r', ';', '|', '&', ')', '}', ']':
			r.finish(i, words)
			return
		case '#':
			r.comment()
			continue
		}
		words = append(words, r.word(i, depth))
	}
	r.finish(i, words)
}

// finish makes an assignment of "$x = …" and words of the rest.
func (r *powerReader) finish(i int, words []syntax.Word) {
	c := &r.script.Commands[i]
	if len(words) >= 2 && strings.HasPrefix(words[0].Text, "$") && (words[1].Text == "=" || words[1].Text == "+=") {
		value := syntax.Word{Offset: words[1].End, End: r.pos}
		var texts []string
		for _, w := range words[2:] {
			texts = append(texts, w.Text)
		}
		value.Text = strings.Join(texts, " ")
		if len(words) > 2 {
			value.Offset, value.End = words[2].Offset, words[len(words)-1].End
		}
		c.Assigns = []syntax.Assign{{Name: strings.TrimPrefix(words[0].Text, "$"), Value: value, Offset: words[0].Offset}}
		if len(words) > 2 { // the value is a command too
			c.Words = words[2:]
		}
		return
	}
	for k, w := range words {
		if w.Text == ">" || w.Text == ">>" {
			if k+1 < len(words) {
				c.Redirects = append(c.Redirects, syntax.Redirect{Op: w.Text, Target: words[k+1], Offset: w.Offset})
			}
			words = words[:k]
			break
		}
	}
	c.Words = words
}

// word reads one word. Brackets inside it are read as commands of their own.
func (r *powerReader) word(parent, depth int) syntax.Word {
	w := syntax.Word{Literal: true, Offset: r.pos}
	var b strings.Builder
	square := 0 // open "["
	for r.pos < len(r.data) {
		switch c := r.data[r.pos]; c {
		case ' ', '\t', '\n', '\r', ';', '|', ',', '&':
			if r.pos > w.Offset {
				goto done
			}
			r.pos++
			goto done
		case ')', '}', ']':
			if c == ']' && square > 0 {
				square--
				b.WriteByte(c)
				r.pos++
				continue
			}
			goto done
		case '`':
			if r.pos++; r.pos < len(r.data) {
				b.WriteByte(r.data[r.pos])
				r.pos++
			}
		case '\'', '"':
			b.WriteString(r.quoted(c))
		case '(', '{':
			w.Literal = false
			from := r.pos
			r.pos++
			if depth >= maxPowerShellNesting {
				r.script.Broken = true
				continue // what is deeper is read at this level
			}
			r.statements(parent, depth+1)
			if r.pos < len(r.data) {
				r.pos++
			}
			b.WriteString(flat(string(r.data[from:min(r.pos, from+1024)])))
		default:
			switch c {
			case '$':
				w.Literal = false
			case '[':
				square++
			}
			b.WriteByte(c)
			r.pos++
		}
	}
done:
	w.Text, w.End = b.String(), r.pos
	return w
}

// flat takes the backticks out of an expression.
func flat(s string) string { return strings.ReplaceAll(s, "`", "") }

func (r *powerReader) quoted(q byte) string {
	var b strings.Builder
	for r.pos++; r.pos < len(r.data); r.pos++ {
		c := r.data[r.pos]
		switch {
		case c == q && r.pos+1 < len(r.data) && r.data[r.pos+1] == q:
			b.WriteByte(c)
			r.pos++
		case c == q:
			r.pos++
			return b.String()
		case c == '`' && q == '"' && r.pos+1 < len(r.data):
			r.pos++
			b.WriteByte(r.data[r.pos])
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
