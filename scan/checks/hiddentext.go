package checks

import (
	"bytes"
	"regexp"
	"sync"

	"pinion/scan"
)

// maxHidden is how much of a hidden stretch is looked at together, in bytes.
const maxHidden = 4 << 10

// addressed are words to a model with what it has to do; sends are orders to
// move data or code, which need a target.
var (
	addressed = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:(?:ai|llm|coding|language|any) (?:agents?|assistants?|models?)|(?:agents?|assistants?|claude|chatgpt|copilot|codex|gemini|llms?)\b[:,]?)[^.\n]*?\b(?:must|shall|always|never|please|do not|don't|are required to|you should|you need to|execute|send|fetch|append|upload)\b`)
	})
	obliged = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:you (?:must|shall|are required to|have to) (?:always |first |also |now |never |secretly |silently )?(?:run|execute|send|fetch|read|upload|append|write|include|call|use|install|post|download|follow)|(?:before|when|after) (?:responding|answering|replying)\b[^.\n]*?\b(?:run|execute|send|fetch|read|upload|append|include|call|post))\b`)
	})
	sendsAway = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:send|upload|post|exfiltrate|forward|transmit|leak)\b[^\n]*?(?:https?://|webhook|@[a-z0-9-]+\.)|\b(?:curl|wget)\s[^\n]*?https?://`)
	})
	unseenElement = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?:px|em|pt|rem|%)?\s*[;"'!]|opacity\s*:\s*0\s*[;"']|(?:^|[^-a-z])color\s*[:=]\s*["']?(?:white|#fff(?:fff)?|transparent)\b`)
	})
	commentLink = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?m)^[ \t]*\[[^\]\n]{1,40}\]:\s*(?:#|<>|<#>|about:blank)\s*["'(]([^\n]{8,})$`)
	})
)

// hiddenText looks at comments, at elements that are not displayed and at link
// definitions that only carry a title.
func hiddenText(p *scan.Pass, t *scan.Text) {
	if t.Role == scan.Block {
		return // shown as it is
	}
	lower := t.Lower()
	for at := 0; ; {
		i := bytes.Index(lower[at:], []byte("<!--"))
		if i < 0 {
			break
		}
		start := at + i + 4
		end := len(lower)
		if j := bytes.Index(lower[start:], []byte("-->")); j >= 0 {
			end = start + j
		}
		if !hiddenStretch(p, t, start, end, "a comment") {
			return
		}
		at = end
	}
	if !unseenElements(p, t, lower) {
		return
	}
	if bytes.Contains(lower, []byte("]: #")) || bytes.Contains(lower, []byte("]: <")) {
		if !p.Spend(len(lower)) {
			return
		}
		for _, m := range commentLink().FindAllSubmatchIndex(t.Data, 200) {
			if !hiddenStretch(p, t, m[2], m[3], "a link definition") {
				return
			}
		}
	}
}

// unseenElements looks at what stands in elements whose style keeps it from
// being seen. It returns false when the file has cost enough.
func unseenElements(p *scan.Pass, t *scan.Text, lower []byte) bool {
	style, font := finder{word: []byte("style")}, finder{word: []byte("<font")}
	for at := 0; ; {
		i, j := style.next(lower, at), font.next(lower, at)
		if j < i {
			i = j + 1
		}
		if i >= len(lower) {
			return true
		}
		at = i + 1
		open := bytes.LastIndexByte(lower[max(i-300, 0):i], '<')
		if open < 0 {
			continue
		}
		open += max(i-300, 0)
		shut := bytes.IndexByte(lower[i:min(i+600, len(lower))], '>')
		if shut < 0 || bytes.IndexByte(lower[open:i], '>') >= 0 {
			continue
		}
		shut += i + 1
		if !p.Spend(shut - open) {
			return false
		}
		at = shut
		if !unseenElement().Match(lower[i:shut]) {
			continue
		}
		end := min(shut+maxHidden, len(lower))
		if j := bytes.Index(lower[shut:end], []byte("</")); j >= 0 {
			end = shut + j
		}
		if !hiddenStretch(p, t, shut, end, "an element that is not displayed") {
			return false
		}
		at = end // what is inside was looked at
	}
}

// finder looks for a word from place to place; what it found ahead is kept, so
// that two of them in one walk stay linear.
type finder struct {
	word []byte
	at   int
	any  bool // at is where the word is
}

// next returns where the word begins at or after from, len(b) without one.
// Places must not go back.
func (f *finder) next(b []byte, from int) int {
	if f.any && f.at >= from {
		return f.at
	}
	f.any = true
	if i := bytes.Index(b[from:], f.word); i >= 0 {
		f.at = from + i
	} else {
		f.at = len(b)
	}
	return f.at
}

// hiddenStretch reports one stretch if it tells somebody to do something. It
// returns false when the file has cost enough.
func hiddenStretch(p *scan.Pass, t *scan.Text, start, end int, where string) bool {
	for ; end-start > maxHidden; start += maxHidden - maxPhrase {
		if !hiddenPart(p, t, start, start+maxHidden, where) {
			return false
		}
	}
	return hiddenPart(p, t, start, end, where)
}

func hiddenPart(p *scan.Pass, t *scan.Text, start, end int, where string) bool {
	if !p.Spend(8 * (end - start)) {
		return false
	}
	words := t.Data[start:end]
	switch {
	case saysOverride(words):
		p.ReportAs(scan.High, ruleHiddenText, t, start, end, "%s sets instructions aside", where)
	case saysConceal(words):
		p.ReportAs(scan.High, ruleHiddenText, t, start, end, "%s keeps something from the user", where)
	case addressed().Match(words), obliged().Match(words), sendsAway().Match(words):
		p.Report(ruleHiddenText, t, start, end, "%s tells an agent what to do", where)
	}
	return true
}
