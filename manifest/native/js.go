package native

import (
	"bytes"
	"unicode/utf8"
)

// jsKind is the kind of a JavaScript token.
type jsKind uint8

const (
	jsEnd      jsKind = iota
	jsWord            // identifier or keyword
	jsPunct           // one character; "=>", "?.", "...", "++" and "--" as a whole
	jsString          // text is the value between the quotes
	jsTemplate        // a piece of a template literal
	jsNumber
	jsRegexp
)

// jsToken is one token. text is a part of the source.
type jsToken struct {
	kind    jsKind
	text    []byte
	at      int  // byte offset
	newline bool // a line ended before it
	plain   bool // of a template: there is no ${ } in it
	closes  bool // of a template's piece: a } came before it
	opens   bool // of a template's piece: a ${ comes after it
}

func (t jsToken) is(s string) bool {
	return string(t.text) == s && (t.kind == jsWord || t.kind == jsPunct)
}

// jsScanner splits JavaScript into tokens: enough to find imports and to tell
// code from strings, comments, templates and regular expressions. It never
// fails: what it cannot place is a one-character token. It takes time linear in
// the source.
type jsScanner struct {
	src    []byte
	at     int
	prev   jsToken
	parens []bool // for each open (: a regular expression may follow its )
	braces []brace
	after  bool // a regular expression may follow the token before

	failures int // searches for the end of a regular expression in vain,
	failEnd  int // on the line that ends here
}

// brace is what an open { is.
type brace uint8

const (
	braceBlock      brace = iota // statements; a regular expression may follow
	braceExpression              // an object or a function expression's body
	braceTemplate                // ${ of a template literal
)

// jsTokens returns all tokens of src, ending with one of kind jsEnd.
func jsTokens(src []byte) []jsToken {
	s := &jsScanner{src: src, after: true}
	out := make([]jsToken, 0, len(src)/4+1)
	for {
		t := s.next()
		out = append(out, t)
		if t.kind == jsEnd {
			return out
		}
	}
}

func (s *jsScanner) next() jsToken {
	newline := s.skipBlank()
	t := jsToken{at: s.at, newline: newline || s.at == 0}
	if s.at >= len(s.src) {
		return t
	}
	switch c := s.src[s.at]; {
	case c == '"' || c == '\'':
		t.kind, t.text = jsString, s.quoted(c)
		s.after = false
	case c == '`':
		s.at++
		t = s.template(t)
	case isWordStart(c):
		t.kind, t.text = jsWord, s.word()
		s.after = regexpAfterWord(t.text) && !s.prev.is(".")
	case c >= '0' && c <= '9' || c == '.' && s.peek(1) >= '0' && s.peek(1) <= '9':
		t.kind, t.text = jsNumber, s.number()
		s.after = false
	case c == '/' && s.after && s.regexp(&t):
		s.after = false
	default:
		t = s.punct(t)
	}
	s.prev = t
	return t
}

func (s *jsScanner) peek(n int) byte {
	if s.at+n < len(s.src) {
		return s.src[s.at+n]
	}
	return 0
}

// skipBlank skips blanks and comments and reports whether a line ended.
func (s *jsScanner) skipBlank() (newline bool) {
	for s.at < len(s.src) {
		switch c := s.src[s.at]; {
		case c == '\n' || c == '\r':
			newline = true
			s.at++
		case c == ' ' || c == '\t' || c == '\v' || c == '\f':
			s.at++
		case bytes.HasPrefix(s.src[s.at:], []byte("\ufeff")):
			s.at += 3
		case bytes.HasPrefix(s.src[s.at:], []byte("\u00a0")), s.at == 0 && s.peek(1) == '!' && c == '#':
			if c == '#' {
				s.toLineEnd()
			} else {
				s.at += 2
			}
		case bytes.HasPrefix(s.src[s.at:], []byte("\u2028")), bytes.HasPrefix(s.src[s.at:], []byte("\u2029")):
			newline = true
			s.at += 3
		case c == '/' && s.peek(1) == '/':
			s.toLineEnd()
		case c == '/' && s.peek(1) == '*':
			end := bytes.Index(s.src[s.at+2:], []byte("*/"))
			if end < 0 {
				s.at = len(s.src)
				return newline
			}
			newline = newline || bytes.IndexByte(s.src[s.at:s.at+2+end], '\n') >= 0
			s.at += end + 4
		default:
			return newline
		}
	}
	return newline
}

func (s *jsScanner) toLineEnd() {
	if end := bytes.IndexByte(s.src[s.at:], '\n'); end >= 0 {
		s.at += end
	} else {
		s.at = len(s.src)
	}
}

// quoted reads a string; an open one ends with its line.
func (s *jsScanner) quoted(q byte) []byte {
	start := s.at + 1
	for s.at = start; s.at < len(s.src); s.at++ {
		switch s.src[s.at] {
		case '\\':
			s.at++
		case q:
			s.at++
			return s.src[start : s.at-1]
		case '\n':
			return s.src[start:s.at]
		}
	}
	s.at = len(s.src)
	return s.src[min(start, s.at):]
}

// template reads a piece of a template literal, up to ` or ${.
func (s *jsScanner) template(t jsToken) jsToken {
	t.kind = jsTemplate
	start := s.at
	for ; s.at < len(s.src); s.at++ {
		switch c := s.src[s.at]; {
		case c == '\\':
			s.at++
		case c == '`':
			t.text = s.src[start:s.at]
			t.plain = start == t.at+1 && s.src[t.at] == '`'
			s.at++
			s.after = false
			return t
		case c == '$' && s.peek(1) == '{':
			t.text, t.opens = s.src[start:s.at], true
			s.at += 2
			s.braces = append(s.braces, braceTemplate)
			s.after = true
			return t
		}
	}
	s.at = len(s.src)
	t.text = s.src[min(start, s.at):]
	return t
}

func (s *jsScanner) word() []byte {
	start := s.at
	s.at++ // also a # that only begins a private name
	for s.at < len(s.src) && isWordPart(s.src[s.at]) {
		s.at++
	}
	return s.src[start:s.at]
}

func (s *jsScanner) number() []byte {
	start := s.at
	for s.at < len(s.src) && (isWordPart(s.src[s.at]) || s.src[s.at] == '.') {
		s.at++
	}
	return s.src[start:s.at]
}

// regexp reads a regular expression, or nothing when there is no end on the
// line: then the slash was a division.
func (s *jsScanner) regexp(t *jsToken) bool {
	if s.at < s.failEnd && s.failures >= maxRegexpFailures {
		return false
	}
	class := false
	for i := s.at + 1; i < len(s.src); i++ {
		switch c := s.src[i]; {
		case c == '\n' || c == '\r':
			return s.noRegexp(i)
		case c == '\\':
			i++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			i++
			for i < len(s.src) && isWordPart(s.src[i]) {
				i++
			}
			t.kind, t.text = jsRegexp, s.src[s.at:i]
			s.at = i
			return true
		}
	}
	return s.noRegexp(len(s.src))
}

// maxRegexpFailures is how often a line is searched for the end of a regular
// expression in vain. Without it a line of "=/[" again and again would be read
// once for each.
const maxRegexpFailures = 32

// noRegexp counts a search that failed at the end of its line.
func (s *jsScanner) noRegexp(lineEnd int) bool {
	if s.at >= s.failEnd {
		s.failures = 0
	}
	s.failures++
	s.failEnd = lineEnd
	return false
}

func (s *jsScanner) punct(t jsToken) jsToken {
	t.kind = jsPunct
	n := 1
	for _, long := range [...]string{"=>", "?.", "...", "++", "--"} {
		if bytes.HasPrefix(s.src[s.at:], []byte(long)) {
			n = len(long)
		}
	}
	if c := s.src[s.at]; c >= utf8.RuneSelf {
		_, n = utf8.DecodeRune(s.src[s.at:])
	}
	t.text = s.src[s.at : s.at+n]
	s.at += n
	was := s.after
	s.after = true
	switch t.text[0] {
	case '(':
		control := s.prev.kind == jsWord && isControl(s.prev.text)
		s.parens = append(s.parens, control)
	case ')':
		s.after = pop(&s.parens)
	case ']':
		s.after = false
	case '{':
		s.braces = append(s.braces, s.braceKind(was))
	case '}':
		switch pop(&s.braces) {
		case braceTemplate:
			t.closes = true
			return s.template(t)
		case braceExpression:
			s.after = false
		}
	case '+', '-':
		if n == 2 {
			s.after = was // a++ / b is a division, ++ /x/ is not
		}
	}
	return t
}

// braceKind tells a block from an object by what stands before.
func (s *jsScanner) braceKind(operand bool) brace {
	switch {
	case s.prev.kind == jsEnd, s.prev.is(")"), s.prev.is("=>"), s.prev.is(";"), s.prev.is("{"), s.prev.is("}"):
		return braceBlock
	case s.prev.kind == jsWord:
		switch string(s.prev.text) {
		case "return", "typeof", "case", "in", "of", "delete", "void", "throw", "new", "await", "yield", "default":
			return braceExpression
		}
		return braceBlock // else, do, try, finally, a class's name
	case !operand:
		return braceBlock
	}
	return braceExpression
}

// pop removes and returns the last element; the zero value when there is none.
func pop[T any](stack *[]T) (v T) {
	if n := len(*stack); n > 0 {
		v = (*stack)[n-1]
		*stack = (*stack)[:n-1]
	}
	return v
}

// regexpAfterWord reports whether an operand follows the keyword.
func regexpAfterWord(w []byte) bool {
	switch string(w) {
	case "return", "typeof", "case", "in", "of", "delete", "void", "throw", "new", "instanceof", "else", "do", "await", "yield":
		return true
	}
	return false
}

// isControl reports whether a statement follows the keyword's parentheses.
func isControl(w []byte) bool {
	switch string(w) {
	case "if", "while", "for", "with", "await": // for await (…)
		return true
	}
	return false
}

func isWordStart(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' || c == '$' || c == '#' || c == '\\' || c >= utf8.RuneSelf
}

func isWordPart(c byte) bool { return isWordStart(c) && c != '#' || '0' <= c && c <= '9' }
