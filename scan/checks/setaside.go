package checks

import (
	"bytes"
	"slices"
	"strings"
)

// The commonest order to a model is found word by word and not by expression:
// "ignore" and "forget" are everywhere, and a look at the dozen words behind
// them costs a tenth of what an expression over the line does.
var (
	asideVerbs = []string{"ignor", "disregard", "forget", "overrul", "set aside", "not follow", "n't follow", "stop following", "not obey", "n't obey"}
	asideForms = strings.Fields("ignore ignoring disregard disregarding forget overrule overruling set not n't stop")
	asideWhose = strings.Fields("previous prior preceding earlier above original initial system developer safety security system's developer's")
	asideWhat  = strings.Fields("instruction instructions prompt prompts rules guidelines messages directive directives restrictions guardrails constraints")
	asideWhere = strings.Fields("above before previously earlier")
	asideAll   = strings.Fields("instructions guidelines rules training safety programming")
)

// asideWords is how many words behind the verb belong to the order.
const asideWords = 12

// maxAsides is how many such orders of one text are looked at.
const maxAsides = 40

// setAsides returns where a text, in lower case, orders to set instructions
// aside: pairs of start and end, at most maxAsides of each verb.
func setAsides(lower []byte) [][]int {
	var out [][]int
	for _, verb := range asideVerbs {
		before := len(out)
		for at := 0; len(out)-before < maxAsides; {
			i := bytes.Index(lower[at:], []byte(verb))
			if i < 0 {
				break
			}
			start := at + i
			at = start + len(verb)
			if start > 0 && inASCIIWord(rune(lower[start-1])) && verb[0] != 'n' {
				continue
			}
			if n := setAside(lower[start:min(start+maxPhrase, len(lower))]); n > 0 {
				out = append(out, []int{start, start + n})
				at = start + n
			}
		}
	}
	slices.SortFunc(out, func(a, b []int) int { return a[0] - b[0] })
	return out
}

// setAside returns the length of the order that a text begins with, 0 for none.
func setAside(text []byte) int {
	var words [asideWords]string
	var ends [asideWords]int
	n := 0
	for i := 0; i < len(text) && n < asideWords; {
		c := text[i]
		if c == '.' || c == '\n' || c == ';' || c == '!' || c == '?' {
			break
		}
		from := i
		for i < len(text) && (inASCIIWord(rune(text[i])) || text[i] == '\'') {
			i++
		}
		if i == from {
			i++
			continue
		}
		words[n], ends[n] = string(text[from:i]), i
		n++
	}
	if n < 3 || !slices.Contains(asideForms, words[0]) {
		return 0
	}
	for i := 1; i < n; i++ {
		if slices.Contains(asideWhose, words[i]) {
			for j := i + 1; j < min(i+4, n); j++ {
				if slices.Contains(asideWhat, words[j]) {
					return ends[j]
				}
			}
		}
		if slices.Contains(asideWhat, words[i]) {
			for j := i + 1; j < min(i+6, n); j++ {
				if slices.Contains(asideWhere, words[j]) {
					return ends[j]
				}
			}
		}
	}
	if w := words[1]; w != "all" && w != "everything" && w != "any" {
		return 0
	}
	for i := 2; i < min(5, n); i++ {
		if slices.Contains(asideAll, words[i]) || words[i] == "you" && i+2 < n && words[i+2] == "told" {
			return ends[min(i+2, n-1)]
		}
	}
	return 0
}
