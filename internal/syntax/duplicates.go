package syntax

import (
	"slices"
	"strconv"
)

// Duplicate is a key that its object has already had before.
type Duplicate struct {
	Path         []string // names and numbers from the root to the key
	Line, Column int
}

// DuplicateKeys returns the repeated keys of a document, as far as it can be
// read, for hosts to which only some keys matter.
func DuplicateKeys(data []byte) []Duplicate {
	if depthFault(data) >= 0 {
		return nil
	}
	var out []Duplicate
	var walk func(at int, path []string)
	walk = func(at int, path []string) {
		seen := map[string]bool{}
		eachChild(data, at, func(name string, index int, child span) {
			step := name
			if index >= 0 {
				step = strconv.Itoa(index)
			}
			inner := append(slices.Clone(path), step)
			if index < 0 && seen[name] {
				line, col := PositionAt(data, child.key)
				out = append(out, Duplicate{inner, line, col})
			}
			seen[name] = index < 0
			if child.start < len(data) && (data[child.start] == '{' || data[child.start] == '[') {
				walk(child.start, inner)
			}
		})
	}
	walk(skipFrom(data, 0), nil)
	return out
}
