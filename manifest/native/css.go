package native

import (
	"bytes"
	"strings"
)

// cssScanner reads a style sheet: which files it refers to, and which rules
// reach beyond the plugin's own elements. It never fails and takes time linear
// in the source.
type cssScanner struct {
	src []byte
	at  int
}

// cssRule is a style rule at the top, or in a group such as @media.
type cssRule struct {
	selector string // with comments taken out
	at       int    // byte offset
	// themes is true when the rule only sets custom properties.
	themes bool
}

// cssFile is what one pass finds.
type cssFile struct {
	imports []importRef
	rules   []cssRule
}

// readCSS reads a style sheet. Rules inside @scope (…) are left out when inScope
// accepts what it is limited to, since they reach no further.
func readCSS(src []byte, inScope func(prelude string) bool) cssFile {
	s := cssScanner{src: src}
	var out cssFile
	type group struct{ skip bool } // an open { } around rules
	var groups []group
	skipping := 0
	for {
		s.blank()
		if s.at >= len(s.src) {
			return out
		}
		if s.src[s.at] == '}' {
			s.at++
			if len(groups) > 0 && pop(&groups).skip {
				skipping--
			}
			continue
		}
		start := s.at
		prelude, end := s.prelude(&out)
		switch {
		case end == ';' || end == 0:
		case strings.HasPrefix(prelude, "@"):
			name := strings.ToLower(prelude[1:])
			name = name[:wordLen(name)]
			switch name {
			case "media", "supports", "layer", "container", "starting-style", "document":
				groups = append(groups, group{})
			case "scope":
				skip := inScope(prelude)
				groups = append(groups, group{skip})
				if skip {
					skipping++
				}
			default: // @font-face, @keyframes, @page, …: no selectors inside
				s.block(&out)
			}
		default:
			themes := s.block(&out)
			if skipping == 0 && prelude != "" {
				out.rules = append(out.rules, cssRule{prelude, start, themes})
			}
		}
	}
}

// prelude reads up to { or ; or } and returns the text without comments.
func (s *cssScanner) prelude(out *cssFile) (text string, end byte) {
	var b strings.Builder
	depth := 0
	importing := len(s.src)-s.at >= 7 && bytes.EqualFold(s.src[s.at:s.at+7], []byte("@import"))
	for s.at < len(s.src) {
		c := s.src[s.at]
		switch {
		case c == '/' && s.peek(1) == '*':
			s.comment()
			b.WriteByte(' ')
			continue
		case c == '"' || c == '\'':
			at := s.at
			str := s.quoted(c)
			if importing {
				out.imports = append(out.imports, importRef{unescapeCSS(str), at})
				importing = false // what follows are conditions
			}
			b.Write(s.src[at:s.at])
			continue
		case c == '\\':
			b.Write(s.src[s.at:min(s.at+2, len(s.src))])
			s.at += 2
			continue
		case s.isURL():
			at := s.at
			s.url(out)
			importing = false
			b.Write(s.src[at:s.at])
			continue
		case c == '(' || c == '[':
			depth++
		case (c == ')' || c == ']') && depth > 0:
			depth--
		case c == '{' || c == ';' && depth == 0:
			s.at++
			return strings.TrimSpace(b.String()), c
		case c == '}' && depth == 0:
			return strings.TrimSpace(b.String()), 0
		}
		b.WriteByte(c)
		s.at++
	}
	return strings.TrimSpace(b.String()), 0
}

// block reads up to the matching } and reports whether it only sets custom
// properties and color-scheme. Rules nested in it belong to its selector.
func (s *cssScanner) block(out *cssFile) (themes bool) {
	themes = true
	depth, fresh, any := 1, true, false // fresh: a declaration may begin here
	for s.at < len(s.src) {
		c := s.src[s.at]
		switch {
		case c == '/' && s.peek(1) == '*':
			s.comment()
			continue
		case c == '"' || c == '\'':
			s.quoted(c)
			fresh = false
			continue
		case c == '\\':
			s.at++
			fresh = false
		case s.isURL():
			s.url(out)
			fresh = false
			continue
		case c == '{':
			depth++
			fresh, themes = true, false
		case c == '}':
			if depth--; depth == 0 {
				s.at++
				return themes && any
			}
			fresh = true
		case c == ';':
			fresh = true
		case isBlank(c):
		case fresh:
			fresh, any = false, true
			rest := s.src[s.at:]
			if !bytes.HasPrefix(rest, []byte("--")) && !bytes.HasPrefix(rest, []byte("color-scheme")) {
				themes = false
			}
		}
		s.at++
	}
	return themes && any
}

func (s *cssScanner) peek(n int) byte {
	if s.at+n < len(s.src) {
		return s.src[s.at+n]
	}
	return 0
}

// blank skips blanks, comments, a byte order mark and <!-- -->.
func (s *cssScanner) blank() {
	for s.at < len(s.src) {
		switch c := s.src[s.at]; {
		case isBlank(c), c == ';':
			s.at++
		case c == '/' && s.peek(1) == '*':
			s.comment()
		case bytes.HasPrefix(s.src[s.at:], []byte("\ufeff")), bytes.HasPrefix(s.src[s.at:], []byte("-->")):
			s.at += 3
		case bytes.HasPrefix(s.src[s.at:], []byte("<!--")):
			s.at += 4
		default:
			return
		}
	}
}

func (s *cssScanner) comment() {
	if end := bytes.Index(s.src[s.at+2:], []byte("*/")); end >= 0 {
		s.at += end + 4
	} else {
		s.at = len(s.src)
	}
}

// quoted reads a string; an open one ends with its line.
func (s *cssScanner) quoted(q byte) string {
	start := s.at + 1
	for s.at = start; s.at < len(s.src); s.at++ {
		switch s.src[s.at] {
		case '\\':
			s.at++
		case q:
			s.at++
			return string(s.src[start : s.at-1])
		case '\n':
			return string(s.src[start:s.at])
		}
	}
	s.at = len(s.src)
	return string(s.src[min(start, s.at):])
}

// isURL reports whether url( begins here, and not inside a longer name.
func (s *cssScanner) isURL() bool {
	if c := s.src[s.at] | 0x20; c != 'u' || len(s.src)-s.at < 4 || !bytes.EqualFold(s.src[s.at:s.at+4], []byte("url(")) {
		return false
	}
	return s.at == 0 || !isNamePart(s.src[s.at-1])
}

// url reads url(…), quoted or not.
func (s *cssScanner) url(out *cssFile) {
	s.at += 4
	for s.at < len(s.src) && isBlank(s.src[s.at]) {
		s.at++
	}
	at := s.at
	var text string
	if c := s.peek(0); c == '"' || c == '\'' {
		text = s.quoted(c)
	} else {
		for s.at < len(s.src) && s.src[s.at] != ')' && s.src[s.at] != '\n' {
			if s.src[s.at] == '\\' {
				s.at++
			}
			s.at++
		}
		s.at = min(s.at, len(s.src))
		text = strings.TrimSpace(string(s.src[at:s.at]))
	}
	out.imports = append(out.imports, importRef{unescapeCSS(text), at})
	for s.at < len(s.src) && isBlank(s.src[s.at]) {
		s.at++
	}
	if s.peek(0) == ')' {
		s.at++
	}
}

// unescapeCSS takes the backslashes out. Escapes by number are left: a path
// written so is not found, and reported.
func unescapeCSS(s string) string { return strings.ReplaceAll(s, `\`, "") }

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' }

func isNamePart(c byte) bool { return isWordPart(c) || c == '-' }

// wordLen is the length of the name at the start of s.
func wordLen(s string) int {
	for i := range len(s) {
		if !isNamePart(s[i]) {
			return i
		}
	}
	return len(s)
}
