package checks

import (
	"bytes"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"golang.org/x/text/unicode/norm"

	"pinion/scan"
)

var strongLikes = sync.OnceValue(func() map[rune]rune { return lookAlikes(confusables) })
var weakLikes = sync.OnceValue(func() map[rune]rune { return lookAlikes(weakConfusables) })

// skeleton returns a word with every look-alike as the Latin letter it is taken
// for, and how many Latin and how many look-alike letters it has. ok is false
// when a letter of it looks like no Latin one: the word is then not a disguise.
func skeleton(word string) (out string, latin, alike int, ok bool) {
	var b strings.Builder
	weak := 0
	for _, r := range word {
		switch {
		case r < utf8.RuneSelf:
			if inASCIIWord(r) && r > '9' {
				latin++
			}
			b.WriteRune(r)
		case strongLikes()[r] != 0:
			alike++
			b.WriteRune(strongLikes()[r])
		case weakLikes()[r] != 0:
			weak++
			b.WriteRune(weakLikes()[r])
		case wide(r):
			alike++
			b.WriteString(norm.NFKC.String(string(r)))
		default:
			return "", 0, 0, false
		}
	}
	if weak > 0 && latin+alike < 4 {
		return "", 0, 0, false
	}
	return b.String(), latin, alike + weak, true
}

// wide reports whether a character is a letter or digit of ASCII in another
// width or in a style of mathematics.
func wide(r rune) bool {
	if !(0xFF10 <= r && r <= 0xFF5A || 0x1D400 <= r && r <= 0x1D7FF) {
		return false
	}
	s := norm.NFKC.String(string(r))
	return len(s) == 1 && inASCIIWord(rune(s[0]))
}

// homoglyphs looks at the words of a text that are not ASCII.
func homoglyphs(p *scan.Pass, t *scan.Text) {
	data := t.Data
	isName := isNameOf(t.Pointer)
	revealLine := -1
	line := 0
	for i := 0; i < len(data); {
		if !wordByte(data[i]) {
			if data[i] == '\n' {
				line = i + 1
			}
			i++
			continue
		}
		start, plain := i, true
		for i < len(data) && wordByte(data[i]) {
			plain = plain && data[i] < utf8.RuneSelf
			i++
		}
		if plain || i-start > 253 {
			continue
		}
		word := string(data[start:i])
		switch {
		case strings.Contains(word, ".") && fakeHost(hostWord(word)):
			skel, _, _, _ := skeleton(hostWord(word))
			p.Report(ruleHomoglyph, t, start, i, "the host %q is not %s", hostWord(word), strings.ToLower(skel))
			continue
		case t.Lang == scan.Python && pythonDisguise(word, data[i:]):
			p.Report(ruleHomoglyph, t, start, i, "Python reads %q as %s", word, norm.NFKC.String(word))
			continue
		}
		for part := range strings.FieldsFuncSeq(word, func(r rune) bool { return r == '.' || r == '-' }) {
			skel, latin, alike, ok := skeleton(part)
			if !ok || alike == 0 || latin < 2 || !oneWord(part) {
				continue
			}
			if t.Lang.Code() || isName {
				p.Report(ruleHomoglyph, t, start, i, "%q is not %s: it mixes alphabets", part, skel)
			} else if line != revealLine {
				// In prose a mixed word is often a slip of the keyboard. It counts when
				// it hides what another rule looks for.
				revealLine = line
				text, _ := cutAt(data, line)
				text = latinised(text[:min(len(text), 4<<10)])
				if saysOverride(text) || saysConceal(text) {
					p.Report(ruleHomoglyph, t, start, i, "letters of another alphabet hide an order to the model")
				}
			}
			break
		}
	}
}

func wordByte(c byte) bool {
	return c >= utf8.RuneSelf || inASCIIWord(rune(c)) || c == '_' || c == '.' || c == '-'
}

// oneWord reports whether the letters of a part are written as one word: a
// look-alike stands beside a Latin letter. "Х_max" of a formula is two.
func oneWord(part string) bool {
	var prev rune
	for _, r := range part {
		if unicode.IsLetter(r) && unicode.IsLetter(prev) && (r < utf8.RuneSelf) != (prev < utf8.RuneSelf) {
			return true
		}
		prev = r
	}
	return false
}

// latinised returns a line with look-alikes as the Latin letters.
func latinised(line []byte) []byte {
	return bytes.Map(func(r rune) rune {
		if l := strongLikes()[r]; l != 0 {
			return l
		}
		if l := weakLikes()[r]; l != 0 {
			return l
		}
		return r
	}, line)
}

// isNameOf reports whether a value of a document is a name that is typed or
// called: of a package, a tool, a server.
func isNameOf(pointer string) bool {
	i := strings.LastIndexByte(pointer, '/')
	if i < 0 {
		return false
	}
	switch pointer[i+1:] {
	case "name", "id":
		return true
	}
	switch pointer[strings.LastIndexByte(pointer[:i], '/')+1 : i] {
	case "mcpServers", "servers":
		return true
	}
	return false
}

// hostWord returns a word as a host name: without the path of dots around it.
func hostWord(word string) string { return strings.Trim(word, ".-") }

// knownTop are the ends of host names that are taken for one without a scheme
// in front; what is written in Cyrillic with a Cyrillic end is no disguise.
const knownTop = " com org net io dev ai app co cloud sh me info gov edu us uk de fr cn jp example invalid test "

// fakeHost reports whether a name ends as a host does and one of its labels is
// made of letters that all look like Latin ones but are not.
func fakeHost(host string) bool {
	labels := strings.Split(host, ".")
	top := strings.ToLower(labels[len(labels)-1])
	if len(labels) < 2 || !strings.Contains(knownTop, " "+top+" ") {
		return false
	}
	for _, l := range labels[:len(labels)-1] {
		if l == "" || strings.Contains(l, "_") {
			return false
		}
		skel, latin, alike, ok := skeleton(l)
		if ok && alike > 0 && len(skel) == latin+alike+strings.Count(skel, "-")+countDigits(skel) && latin+alike >= 4 {
			return true
		}
	}
	return false
}

func countDigits(s string) int {
	n := 0
	for _, r := range s {
		if '0' <= r && r <= '9' {
			n++
		}
	}
	return n
}

// punycode decodes the host names of a text that are written as xn--… and
// judges what they show.
func punycode(p *scan.Pass, t *scan.Text) {
	lower := t.Lower()
	for at := 0; ; {
		i := bytes.Index(lower[at:], []byte("xn--"))
		if i < 0 {
			return
		}
		start := at + i
		for start > at && wordByte(lower[start-1]) && at+i-start < 253 {
			start--
		}
		end := at + i + 4
		for end < len(lower) && wordByte(lower[end]) && end-start < 253 {
			end++
		}
		host, err := idna.Punycode.ToUnicode(hostWord(string(lower[start:end])))
		if err == nil && !allASCII([]byte(host)) && fakeHost(host) {
			skel, _, _, _ := skeleton(host)
			p.Report(ruleHomoglyph, t, start, end, "the host shows as %q, which is not %s", host, skel)
		}
		at = end
	}
}

// pythonNames are what hidden Python code calls. Python normalises identifiers
// (NFKC), so that a word in another style runs as the plain one.
const pythonNames = " eval exec compile __import__ getattr globals builtins os system popen subprocess base64 open import importlib requests socket marshal pickle "

// pythonDisguise reports whether a word of a Python text is one of these names
// in letters that are not ASCII, and is used: called, or with a dot behind it.
func pythonDisguise(word string, rest []byte) bool {
	plain := norm.NFKC.String(word)
	first, dotted, _ := strings.Cut(plain, ".")
	if !allASCII([]byte(plain)) || !strings.Contains(pythonNames, " "+first+" ") {
		return false
	}
	return dotted != "" || bytes.HasPrefix(bytes.TrimLeft(rest, " "), []byte("("))
}
