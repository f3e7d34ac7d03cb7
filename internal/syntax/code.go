package syntax

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// CodeLang is a language that [ReadCode] cuts into tokens.
type CodeLang uint8

// The languages. CodeJavaScript is TypeScript too.
const (
	CodePython CodeLang = iota
	CodeJavaScript
)

// TokenKind says what a token is.
type TokenKind uint8

// The kinds. Numbers, regular expressions and comments are passed over: a
// comment gives no token, the other two an empty place of kind TokenOther.
const (
	TokenName   TokenKind = iota // a name or keyword
	TokenPunct                   // one operator or bracket; more characters only for "=>", "==", "+=", "..." and their like
	TokenString                  // a string literal, or a stretch of a template between two holes
	TokenOther                   // a number or a regular expression
	TokenBreak                   // the end of a line, outside brackets in Python, anywhere in JavaScript
)

// Token is one token of code. Start and End are offsets of the whole token,
// quotes included.
type Token struct {
	Kind       TokenKind
	Start, End int32
	// Inner and InnerEnd are offsets of what a string's quotes enclose.
	Inner, InnerEnd int32
	Raw             bool // no escapes in this string
	Format          bool // it has holes: an f-string, a template
	Doc             bool // a string that is a statement by itself: a docstring
}

// MaxTokens bounds the tokens of one text.
const MaxTokens = 2_000_000

// maxRegexp bounds how far a slash looks for its end, so that many without one
// do not make the work quadratic.
const maxRegexp = 2 << 10

// ReadCode cuts Python or JavaScript into tokens in one pass. It never fails:
// code with faults gives some tokens, and what cannot be is passed over. It is
// no parser; names mean nothing to it.
func ReadCode(lang CodeLang, data []byte) []Token {
	r := &codeReader{lang: lang, data: data, out: make([]Token, 0, len(data)/6+8)}
	for r.pos < len(data) && len(r.out) < MaxTokens {
		r.next()
	}
	return r.out
}

type codeReader struct {
	lang  CodeLang
	data  []byte
	pos   int
	depth int // open brackets, for Python's line ends
	// holes are the numbers of open braces at which a "}" ends the hole of a
	// template.
	holes  []int
	braces int
	out    []Token
}

func (r *codeReader) at(i int) byte {
	if i < len(r.data) {
		return r.data[i]
	}
	return 0
}

func (r *codeReader) add(k TokenKind, end int) *Token {
	r.out = append(r.out, Token{Kind: k, Start: int32(r.pos), End: int32(end)})
	r.pos = end
	return &r.out[len(r.out)-1]
}

func (r *codeReader) next() {
	c := r.data[r.pos]
	python := r.lang == CodePython
	switch {
	case c == '\n':
		if !python || r.depth == 0 {
			r.endLine()
		}
		r.pos++
	case c == ' ' || c == '\t' || c == '\r' || c == '\f':
		r.pos++
	case c == '\\':
		r.pos = min(r.pos+2, len(r.data)) // a joined line, or \u in a name
	case python && c == '#', !python && c == '/' && r.at(r.pos+1) == '/', !python && c == '#' && r.at(r.pos+1) == '!' && r.pos == 0:
		for r.pos < len(r.data) && r.data[r.pos] != '\n' {
			r.pos++
		}
	case !python && c == '/' && r.at(r.pos+1) == '*':
		r.blockComment()
	case c == '"' || c == '\'':
		r.quoted(r.pos, r.pos)
	case !python && c == '`':
		r.pos++
		r.template(r.pos - 1)
	case nameByte(c) && !(c >= '0' && c <= '9'):
		r.name()
	case c >= '0' && c <= '9':
		end := r.pos + 1
		for end < len(r.data) && (nameByte(r.data[end]) || r.data[end] == '.' && r.at(end+1) >= '0' && r.at(end+1) <= '9') {
			end++
		}
		r.add(TokenOther, end)
	case !python && c == '/' && r.regexpMayStand():
		r.regexp()
	default:
		r.punct(c)
	}
}

func (r *codeReader) blockComment() {
	for r.pos += 2; r.pos < len(r.data); r.pos++ {
		if r.data[r.pos] == '*' && r.at(r.pos+1) == '/' {
			r.pos += 2
			return
		}
	}
}

// endLine adds a TokenBreak, once, and marks a line that is a string alone.
func (r *codeReader) endLine() {
	n := len(r.out)
	if n == 0 || r.out[n-1].Kind == TokenBreak {
		return
	}
	if r.out[n-1].Kind == TokenString && r.lang == CodePython && (n == 1 || r.out[n-2].Kind == TokenBreak) {
		r.out[n-1].Doc = true
	}
	r.out = append(r.out, Token{Kind: TokenBreak, Start: int32(r.pos), End: int32(r.pos + 1)})
}

func nameByte(c byte) bool {
	return c == '_' || c == '$' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= utf8.RuneSelf
}

// name reads an identifier, or the prefix of a Python string.
func (r *codeReader) name() {
	end := r.pos
	for end < len(r.data) && nameByte(r.data[end]) {
		end++
	}
	if r.lang == CodePython && end-r.pos <= 2 && (r.at(end) == '"' || r.at(end) == '\'') && strings.Trim(string(r.data[r.pos:end]), "rRbBuUfFtT") == "" {
		r.quoted(r.pos, end)
		return
	}
	r.add(TokenName, end)
}

// quoted reads a string whose prefix begins at start and its quote at q.
func (r *codeReader) quoted(start, q int) {
	prefix := strings.ToLower(string(r.data[start:q]))
	quote := r.data[q]
	n := 1
	if r.lang == CodePython && r.at(q+1) == quote && r.at(q+2) == quote {
		n = 3
	}
	raw := strings.Contains(prefix, "r")
	i := q + n
	for ; i < len(r.data); i++ {
		c := r.data[i]
		if c == '\\' {
			i++
			continue
		}
		if c == '\n' && n == 1 {
			break // no end: the string is what is on this line
		}
		if c == quote && (n == 1 || r.at(i+1) == quote && r.at(i+2) == quote) {
			break
		}
	}
	i = min(i, len(r.data))
	end := i
	if i < len(r.data) && r.data[i] == quote {
		end = min(i+n, len(r.data))
	}
	r.pos = start
	t := r.add(TokenString, end)
	t.Inner, t.InnerEnd, t.Raw = int32(q+n), int32(max(i, q+n)), raw
	t.Format = strings.ContainsAny(prefix, "ft")
	if int(t.Inner) > len(r.data) {
		t.Inner, t.InnerEnd = int32(len(r.data)), int32(len(r.data))
	}
}

// template reads a stretch of a template literal, from behind its backtick or
// the end of a hole up to the next hole or the end.
func (r *codeReader) template(start int) {
	inner := r.pos
	for i := r.pos; i < len(r.data); i++ {
		switch {
		case r.data[i] == '\\':
			i++
			continue
		case r.data[i] == '`':
			r.pos = start
			t := r.add(TokenString, i+1)
			t.Inner, t.InnerEnd = int32(inner), int32(i)
			t.Format = r.data[start] != '`'
			return
		case r.data[i] == '$' && r.at(i+1) == '{':
			r.pos = start
			t := r.add(TokenString, i+2)
			t.Inner, t.InnerEnd, t.Format = int32(inner), int32(i), true
			r.holes = append(r.holes, r.braces)
			r.braces++
			return
		}
	}
	r.pos = start
	t := r.add(TokenString, len(r.data))
	t.Inner, t.InnerEnd = int32(inner), int32(len(r.data))
}

// regexpMayStand reports whether a slash begins a regular expression: after an
// operator or a keyword, not after a value.
func (r *codeReader) regexpMayStand() bool {
	for i := len(r.out) - 1; i >= 0; i-- {
		t := r.out[i]
		switch t.Kind {
		case TokenBreak:
			continue
		case TokenName:
			switch string(r.data[t.Start:t.End]) {
			case "return", "typeof", "case", "in", "of", "delete", "void", "throw", "new", "do", "else", "await", "yield":
				return true
			}
			return false
		case TokenPunct:
			c := r.data[t.End-1]
			return c != ')' && c != ']' && c != '}'
		}
		return false
	}
	return true
}

func (r *codeReader) regexp() {
	class := false
	limit := min(len(r.data), r.pos+maxRegexp)
	for i := r.pos + 1; i < limit && r.data[i] != '\n'; i++ {
		switch c := r.data[i]; {
		case c == '\\':
			i++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			i++
			for i < len(r.data) && nameByte(r.data[i]) {
				i++
			}
			r.add(TokenOther, i)
			return
		}
	}
	r.punct('/') // no end on this line: a division after all
}

func (r *codeReader) punct(c byte) {
	end := r.pos + 1
	switch c {
	case '(', '[':
		r.depth++
	case ')', ']':
		r.depth = max(r.depth-1, 0)
	case '{':
		r.depth++
		r.braces++
	case '}':
		r.depth = max(r.depth-1, 0)
		r.braces = max(r.braces-1, 0)
		if n := len(r.holes); n > 0 && r.holes[n-1] == r.braces {
			r.holes = r.holes[:n-1]
			start := r.pos
			r.pos++
			r.template(start)
			return
		}
	case '.':
		if r.at(end) == '.' && r.at(end+1) == '.' {
			end += 2 // a spread
		}
	case '=', '+', '-', '*', '!', '<', '>', '|', '&', '?', ':':
		// Two characters are enough to tell an assignment from a comparison.
		if d := r.at(end); d == '=' || c == '=' && d == '>' || c == '-' && d == '>' || c == '|' && d == '|' || c == '&' && d == '&' || c == '?' && (d == '?' || d == '.') {
			end++
			if (c == '=' || c == '!') && d == '=' && r.at(end) == '=' {
				end++
			}
		}
	}
	r.add(TokenPunct, min(end, len(r.data)))
}

// Value returns what a string literal stands for, with escapes resolved as both
// languages do. Holes of an f-string stay as they are written.
func (t Token) Value(data []byte) string {
	s := string(data[t.Inner:t.InnerEnd])
	if t.Raw || strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		digits, base, from := 0, 16, i+1
		switch c := s[i]; {
		case c == 'x':
			digits = 2
		case c == 'u' && from < len(s) && s[from] == '{':
			if end := strings.IndexByte(s[from:min(len(s), from+9)], '}'); end > 1 {
				if v, err := strconv.ParseUint(s[from+1:from+end], 16, 32); err == nil {
					b.WriteRune(rune(v))
					i = from + end
					continue
				}
			}
		case c == 'u':
			digits = 4
		case c == 'U':
			digits = 8
		case '0' <= c && c <= '7':
			digits, base, from = 3, 8, i
		case c == '\n':
			continue
		case strings.IndexByte("abfnrtv", c) >= 0:
			b.WriteByte("\a\b\f\n\r\t\v"[strings.IndexByte("abfnrtv", c)])
			continue
		}
		n := 0
		for n < digits && from+n < len(s) && hexDigit(s[from+n], base) {
			n++
		}
		if n == 0 {
			b.WriteByte(s[i])
			continue
		}
		v, _ := strconv.ParseUint(s[from:from+n], base, 32)
		if digits > 3 {
			b.WriteRune(rune(v))
		} else {
			b.WriteByte(byte(v))
		}
		i = from + n - 1
	}
	return b.String()
}

func hexDigit(c byte, base int) bool {
	if base == 8 {
		return c >= '0' && c <= '7'
	}
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}
