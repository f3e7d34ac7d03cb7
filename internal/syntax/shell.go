package syntax

import (
	"bytes"
	"errors"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

const (
	// maxShell is the largest piece of a script that is parsed at once, in bytes.
	// The parser is recursive and may take 4 KiB of stack for each byte; a piece
	// of this size stays far below the 1 GiB at which Go gives up.
	maxShell = 64 << 10
	// maxNesting is how many brackets may be open in one piece.
	maxNesting = 1_000
	// maxShellWork bounds what parsing again after faults may cost, in bytes read
	// for each byte of a piece. A quote without end is read to the end of the
	// piece, every time.
	maxShellWork = 24
	maxCommands  = 20_000 // of one script
)

// Script is what a shell would run, as a flat list of simple commands. It is
// made by parsing alone: nothing is expanded or executed.
type Script struct {
	Commands []Command
	// Broken is true when a part could not be parsed, or there is more than is
	// listed. Documentation often is: it has placeholders in angle brackets.
	Broken bool
	// Left is true when more than the faulty lines was passed over, because there
	// is a limit to brackets, commands and faults.
	Left bool
	// Work is how many bytes were parsed, those that were parsed again included.
	Work int
}

// Command is one simple command.
type Command struct {
	Words     []Word // the program and its arguments; empty for assignments alone
	Assigns   []Assign
	Redirects []Redirect
	// Pipeline numbers the pipelines of the script; Stage and Stages say which
	// part of it this is, 0 of 1 for a command by itself.
	Pipeline, Stage, Stages int
	// Parent is the index of the command whose words contain this one, -1 for
	// none, and Via how: "$(", "<(" or ">(".
	Parent int
	Via    string
	// Function is the name of the function whose body it is in.
	Function string
	Offset   int // of its first byte
	End      int
}

// Name returns the program without its directory, "" for none or a dynamic one.
func (c Command) Name() string {
	if len(c.Words) == 0 {
		return ""
	}
	name := c.Words[0].Text
	return name[strings.LastIndexByte(name, '/')+1:]
}

// Args returns the texts of the words after the program.
func (c Command) Args() []string {
	var out []string
	for _, w := range c.Words[min(1, len(c.Words)):] {
		out = append(out, w.Text)
	}
	return out
}

// Word is one word, without quotes and escapes. Variables and substitutions are
// kept as they are written, "$HOME/.ssh".
type Word struct {
	Text    string
	Literal bool // nothing in it depends on the run
	Offset  int
	End     int
}

// Assign is NAME=VALUE in front of a command or alone.
type Assign struct {
	Name   string
	Value  Word
	Offset int
}

// Redirect is one redirection. Op is ">", ">>", "<", "<<" and so on; Body is the
// text of a here-document.
type Redirect struct {
	Op     string
	Fd     string // the number or {name} in front of it; "" for the usual stream
	Target Word
	Body   string
	Offset int
}

// ParseShell reads a Bash script. What cannot be parsed is passed over line by
// line; it never fails.
func ParseShell(data []byte) *Script {
	s := &shellReader{script: &Script{}, parser: syntax.NewParser(syntax.Variant(syntax.LangBash))}
	for base := 0; base < len(data); {
		end := min(base+maxShell, len(data))
		if end < len(data) {
			if i := bytes.LastIndexByte(data[base:end], '\n'); i > 0 {
				end = base + i + 1
			}
		}
		if nesting(data[base:end]) > maxNesting {
			s.script.Broken, s.script.Left = true, true
		} else {
			s.piece(data[base:end], base)
		}
		base = end
	}
	return s.script
}

// nesting returns how many brackets are open at most, quotes not considered.
func nesting(data []byte) int {
	depth, deepest := 0, 0
	for _, c := range data {
		switch c {
		case '(', '{', '[':
			depth++
			deepest = max(deepest, depth)
		case ')', '}', ']':
			depth = max(depth-1, 0)
		}
	}
	return deepest
}

type shellReader struct {
	script   *Script
	parser   *syntax.Parser
	data     []byte
	base     int
	pipeline int
	function string
}

func (s *shellReader) piece(data []byte, base int) {
	work := maxShellWork*len(data) + maxShell
	for work > 0 {
		s.data, s.base = data, base
		var err error
		source := bytes.NewReader(data)
		// The iterator tells an error twice and must be heard out: leaving it early
		// panics.
		for st, e := range s.parser.StmtsSeq(source) {
			switch {
			case e != nil:
				err = e
			case len(s.script.Commands) < maxCommands:
				s.stmt(st, -1, "")
			default:
				s.script.Broken, s.script.Left = true, true
			}
		}
		// The parser reads ahead; what it only buffered cost nothing.
		cost := max(len(data)-source.Len()-readAhead, 0) + faultCost
		work -= cost
		s.script.Work += cost
		if err == nil {
			s.script.Work += len(data)
			return
		}
		s.script.Broken = true
		at := 0
		var pe syntax.ParseError
		var le syntax.LangError
		switch {
		case errors.As(err, &pe):
			at = int(pe.Pos.Offset())
		case errors.As(err, &le):
			at = int(le.Pos.Offset())
		default:
			return
		}
		at = min(at, len(data))
		i := bytes.IndexByte(data[at:], '\n')
		if i < 0 {
			return
		}
		data, base = data[at+i+1:], base+at+i+1
	}
	s.script.Left = true
}

const (
	// faultCost is what beginning once more costs, in bytes.
	faultCost = 256
	// readAhead is how much the parser reads at once.
	readAhead = 1 << 10
)

func (s *shellReader) stmt(st *syntax.Stmt, parent int, via string) {
	if st == nil {
		return
	}
	s.pipeline++
	var stages []*syntax.Stmt
	flatten(st, &stages)
	pipe := s.pipeline
	for i, part := range stages {
		s.command(part, pipe, i, len(stages), parent, via)
	}
}

// flatten returns the stages of a pipeline in order.
func flatten(st *syntax.Stmt, out *[]*syntax.Stmt) {
	if b, ok := st.Cmd.(*syntax.BinaryCmd); ok && (b.Op == syntax.Pipe || b.Op == syntax.PipeAll) {
		flatten(b.X, out)
		flatten(b.Y, out)
		return
	}
	*out = append(*out, st)
}

func (s *shellReader) command(st *syntax.Stmt, pipe, stage, stages, parent int, via string) {
	if len(s.script.Commands) >= maxCommands {
		return
	}
	switch c := st.Cmd.(type) {
	case *syntax.CallExpr:
		s.call(st, c, pipe, stage, stages, parent, via)
	case nil:
		s.call(st, &syntax.CallExpr{}, pipe, stage, stages, parent, via)
	case *syntax.BinaryCmd: // && and ||
		s.stmt(c.X, parent, via)
		s.stmt(c.Y, parent, via)
	case *syntax.FuncDecl:
		before := s.function
		if c.Name != nil { // nameless functions are zsh's
			s.function = c.Name.Value
		}
		s.stmt(c.Body, parent, via)
		s.function = before
	default:
		// The commands of a compound are read with the place that the compound
		// has in its pipeline: "curl x | { read a; sh; }" still feeds sh.
		first := len(s.script.Commands)
		syntax.Walk(c, func(n syntax.Node) bool {
			if inner, ok := n.(*syntax.Stmt); ok {
				s.stmt(inner, parent, via)
				return false
			}
			if d, ok := n.(*syntax.DeclClause); ok {
				s.declare(d, parent, via)
				return false
			}
			return true
		})
		if stages > 1 {
			for i := first; i < len(s.script.Commands); i++ {
				if k := &s.script.Commands[i]; k.Stages == 1 && k.Parent == parent {
					k.Pipeline, k.Stage, k.Stages = pipe, stage, stages
				}
			}
		}
		if len(st.Redirs) > 0 {
			s.call(st, &syntax.CallExpr{}, pipe, stage, stages, parent, via)
		}
	}
}

// declare reads "export NAME=VALUE" and its like as a command with assignments.
func (s *shellReader) declare(d *syntax.DeclClause, parent int, via string) {
	call := &syntax.CallExpr{}
	for _, a := range d.Args {
		if a.Name != nil {
			call.Assigns = append(call.Assigns, a)
		}
	}
	st := &syntax.Stmt{Position: d.Pos()}
	s.pipeline++
	s.call(st, call, s.pipeline, 0, 1, parent, via)
	if n := len(s.script.Commands) - 1; n >= 0 && d.Variant != nil {
		at := s.base + int(d.Variant.Pos().Offset())
		s.script.Commands[n].Words = []Word{{Text: d.Variant.Value, Literal: true, Offset: at, End: at + len(d.Variant.Value)}}
		s.script.Commands[n].Offset, s.script.Commands[n].End = at, s.base+int(d.End().Offset())
	}
}

func (s *shellReader) call(st *syntax.Stmt, c *syntax.CallExpr, pipe, stage, stages, parent int, via string) {
	i := len(s.script.Commands)
	s.script.Commands = append(s.script.Commands, Command{
		Pipeline: pipe, Stage: stage, Stages: stages, Parent: parent, Via: via, Function: s.function,
		Offset: s.at(st.Pos()), End: s.at(st.End()),
	})
	var out Command
	for _, a := range c.Assigns {
		if a.Name == nil {
			continue
		}
		as := Assign{Name: a.Name.Value, Offset: s.at(a.Pos())}
		if a.Value != nil {
			as.Value = s.word(a.Value, i)
		}
		out.Assigns = append(out.Assigns, as)
	}
	for _, w := range c.Args {
		out.Words = append(out.Words, s.word(w, i))
	}
	for _, r := range st.Redirs {
		rd := Redirect{Op: r.Op.String(), Offset: s.at(r.Pos())}
		if r.N != nil {
			rd.Fd = r.N.Value
		}
		if r.Word != nil {
			rd.Target = s.word(r.Word, i)
		}
		if r.Hdoc != nil {
			rd.Body = s.word(r.Hdoc, i).Text
		}
		out.Redirects = append(out.Redirects, rd)
	}
	k := &s.script.Commands[i]
	k.Assigns, k.Words, k.Redirects = out.Assigns, out.Words, out.Redirects
}

// at turns a position of the parser into an offset of the whole script. A made
// up node has none.
func (s *shellReader) at(p syntax.Pos) int {
	if !p.IsValid() {
		return s.base
	}
	return s.base + min(int(p.Offset()), len(s.data))
}

// word renders a word and reads the commands inside it as children of parent.
func (s *shellReader) word(w *syntax.Word, parent int) Word {
	out := Word{Literal: true, Offset: s.at(w.Pos()), End: s.at(w.End())}
	var b strings.Builder
	s.parts(w.Parts, &b, &out.Literal, parent)
	out.Text = b.String()
	return out
}

func (s *shellReader) parts(parts []syntax.WordPart, b *strings.Builder, literal *bool, parent int) {
	for _, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			b.WriteString(unescape(p.Value))
		case *syntax.SglQuoted:
			if p.Dollar {
				b.WriteString(ansiC(p.Value))
			} else {
				b.WriteString(p.Value)
			}
		case *syntax.DblQuoted:
			s.parts(p.Parts, b, literal, parent)
		case *syntax.CmdSubst:
			*literal = false
			b.WriteString("$(…)")
			for _, st := range p.Stmts {
				s.stmt(st, parent, "$(")
			}
		case *syntax.ProcSubst:
			*literal = false
			b.WriteString(p.Op.String() + "…)")
			for _, st := range p.Stmts {
				s.stmt(st, parent, p.Op.String())
			}
		default:
			*literal = false
			from, to := min(int(p.Pos().Offset()), len(s.data)), min(int(p.End().Offset()), len(s.data))
			if from < to {
				b.Write(s.data[from:to])
			}
			syntax.Walk(p, func(n syntax.Node) bool {
				if c, ok := n.(*syntax.CmdSubst); ok {
					for _, st := range c.Stmts {
						s.stmt(st, parent, "$(")
					}
					return false
				}
				return true
			})
		}
	}
}

// unescape takes the backslashes out of an unquoted literal, as a shell does:
// "cu\rl" runs curl.
func unescape(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
			if s[i] == '\n' {
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// ansiC decodes the inside of $'…'.
func ansiC(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		digits, base := 0, 0
		switch {
		case s[i] == 'x':
			i, digits, base = i+1, 2, 16
		case s[i] == 'u':
			i, digits, base = i+1, 4, 16
		case s[i] == 'U':
			i, digits, base = i+1, 8, 16
		case '0' <= s[i] && s[i] <= '7':
			digits, base = 3, 8
		}
		if base == 0 {
			if j := strings.IndexByte("abefnrtv", s[i]); j >= 0 {
				b.WriteByte("\a\b\x1b\f\n\r\t\v"[j])
			} else {
				b.WriteByte(s[i])
			}
			continue
		}
		n := 0
		for n < digits && i+n < len(s) {
			if _, err := strconv.ParseUint(s[i:i+n+1], base, 64); err != nil {
				break
			}
			n++
		}
		v, err := strconv.ParseUint(s[i:i+n], base, 32)
		switch {
		case err != nil: // no digits: what follows stands for itself
		case digits > 3:
			b.WriteRune(rune(v))
		default:
			b.WriteByte(byte(v))
		}
		i += n - 1
	}
	return b.String()
}
