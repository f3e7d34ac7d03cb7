package checks

import (
	"bytes"
	"regexp"
	"sync"

	"pinion/scan"
)

// The words around a link that make it a source of instructions: a verb that
// loads in front and one that obeys behind, or both in front.
var (
	linkLoads = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:fetch|download|read|load|open|visit|retrieve|get|curl|wget|browse to|go to|access|navigate to|pull|query|request|webfetch)\b[^\n]*?$`)
	})
	linkObeys = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("(?i)^[^.\\n]*?(?:\\band\\b|\\bthen\\b|[,;.]|—|\\bto\\b)[\\s*`]{0,4}(?:\\w+ ){0,3}?(?:follow|execute|obey|comply with|carry out|perform|adopt|act on)\\b[^.\\n]*?\\b(?:instructions?|steps|commands?|directions|directives?|prompts?|orders|what(?:ever)? (?:it|the (?:page|file)) says|everything (?:in it|it says))\\b")
	})
	loadsAndObeys = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:fetch|download|retrieve|load|curl|read)\b[^.\n]*?\b(?:and|then)\b[^.\n]*?\b(?:follow|execute|obey|comply with|carry out)\b[^.\n]*?\b(?:instructions?|steps|commands?|directives?|prompts?)\b[^.\n]*?\b(?:at|from|on|in|found|of)\W{0,4}$`)
	})
	linkFollows = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:always |first )(?:follow|execute|obey|comply with|carry out)\b[^.\n]*?\b(?:instructions?|commands?|directives?|prompts?)\b[^.\n]*?\b(?:at|from|on|in|found)\W{0,4}$`)
	})
	// Setting a program up is what people follow pages for.
	aboutSetup = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:install(?:ation|ing|er)?|set-?up|setting up|upgrade|migration|sign[- ]?up|log[- ]?in|authenticat\w+|getting[- ]started|quick-?start|prerequisites?|contributing|on-screen|build) (?:the |your )?(?:\w+ )?(?:instructions?|steps|commands?|guide|directions)|\b(?:instructions?|steps) (?:to|for) (?:install|set|sign|log|creat|generat|obtain|get|build)`)
	})
)

// remoteInstructions looks at the words around every link of a text.
func remoteInstructions(p *scan.Pass, t *scan.Text) {
	if t.Lang.Code() && t.Lang != scan.Shell {
		return // links of programs are data
	}
	data := t.Data
	for at := 0; ; {
		i := bytes.Index(data[at:], []byte("://"))
		if i < 0 {
			return
		}
		start := at + i
		for start > at && inASCIIWord(rune(data[start-1])) {
			start--
		}
		end := at + i + 3
		for end < len(data) && end-start < 2_000 && data[end] > ' ' && !bytes.ContainsRune([]byte("<>\"'`)]"), rune(data[end])) {
			end++
		}
		at = max(end, at+i+3)
		if !obeyWord(t.Lower()[max(start-160, 0):min(end+220, len(data))]) {
			continue
		}
		if !p.Spend(2_000) {
			return
		}
		before := lastParagraph(data[max(start-160, 0):start])
		after := firstParagraph(data[end:min(end+220, len(data))])
		after = bytes.TrimLeft(after, "<>\"'`)]*_ ")
		var found []int
		switch {
		case linkLoads().Match(before) && linkObeys().Match(after):
			found = linkObeys().FindIndex(after)
		case loadsAndObeys().Match(before), linkFollows().Match(before):
			found = []int{0, 0}
		default:
			continue
		}
		if aboutSetup().Match(before) || aboutSetup().Match(after[:found[1]]) || denied(data, start) || linkQuoted(data, start, end) {
			continue
		}
		level := scan.Medium
		if t.Role != scan.Block && (t.File.Lang != scan.Markdown && t.File.Lang != scan.Prose || isReadByModel(t.File.Path)) {
			level = scan.High
		}
		p.ReportAs(level, ruleRemote, t, start, end, "the agent is to load this address and do what it says")
	}
}

// obeyWord reports whether text near a link has one of the words that the
// expressions look for.
func obeyWord(lower []byte) bool {
	for _, w := range []string{"follow", "execut", "obey", "comply", "carry out", "perform", "adopt", "act on"} {
		if bytes.Contains(lower, []byte(w)) {
			return true
		}
	}
	return false
}

// linkQuoted reports whether the sentence around a link is quoted. Marks around
// the link alone are the link's own.
func linkQuoted(data []byte, start, end int) bool {
	before, after := sameLine(data, start, end)
	if n := len(before); n > 0 && len(after) > 0 && before[n-1] == after[0] {
		before, after = before[:n-1], after[1:]
	}
	return shownAsText(before, after)
}

// lastParagraph returns the words in front of a link, joined over single line
// ends.
func lastParagraph(b []byte) []byte {
	if i := bytes.LastIndex(b, []byte("\n\n")); i >= 0 {
		b = b[i+2:]
	}
	return bytes.ReplaceAll(b, []byte("\n"), []byte(" "))
}

func firstParagraph(b []byte) []byte {
	if i := bytes.Index(b, []byte("\n\n")); i >= 0 {
		b = b[:i]
	}
	return bytes.ReplaceAll(b, []byte("\n"), []byte(" "))
}
