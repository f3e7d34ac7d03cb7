package syntax

import (
	"strings"
	"unicode"
)

// maxWord bounds the length of words that are compared, since the comparison
// takes time with the product of the lengths and words come from hostile text.
const maxWord = 64

// Nearest returns the candidate that word is most likely a misspelling of: the
// same word but for case, dashes and underscores, or the one at the smallest
// Damerau-Levenshtein distance of at most max(1, len(word)/3). Of equals the
// first wins.
func Nearest(word string, candidates []string) (string, bool) {
	if word == "" || len(word) > maxWord {
		return "", false
	}
	flat := fold(word)
	for _, c := range candidates {
		if c != word && flat != "" && fold(c) == flat {
			return c, true
		}
	}
	best, limit := "", max(1, len(word)/3)
	a := []rune(word)
	for _, c := range candidates {
		if c == word || len(c) > maxWord {
			continue
		}
		if d := distance(a, []rune(c)); d <= limit && d < max(len(a), 2) {
			best, limit = c, d-1
		}
	}
	return best, best != ""
}

// fold drops what misspelled names differ in most: case and separators.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == ' ' {
			return -1
		}
		return unicode.ToLower(r)
	}, s)
}

// distance counts insertions, deletions, substitutions and swaps of neighbours
// (optimal string alignment).
func distance(a, b []rune) int {
	var before []int
	prev := make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur := make([]int, len(b)+1)
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], before[j-2]+1)
			}
		}
		before, prev = prev, cur
	}
	return prev[len(b)]
}
