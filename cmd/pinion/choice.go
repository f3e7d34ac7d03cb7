package main

import (
	"fmt"
	"strings"

	"pinion/internal/syntax"
)

// unknownWord is the error for a flag's value that is none of the known ones.
func unknownWord[T ~string](flag, word string, known []T) error {
	words := make([]string, len(known))
	for i, k := range known {
		words[i] = string(k)
	}
	hint := "one of " + strings.Join(words, ", ")
	if len(words) == 1 {
		hint = "the only one is " + words[0]
	}
	if near, ok := syntax.Nearest(word, words); ok {
		hint = fmt.Sprintf("did you mean %q? %s", near, hint)
	}
	return usagef(hint, "%s %q is not known", flag, word)
}
