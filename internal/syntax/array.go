package syntax

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"pinion/problem"
)

// DecodeArray calls fn for each element of the list that pointer names, in
// order, with its text and its offset in data, without holding the elements in
// memory. raw is a part of data, not a copy. An element is checked for syntax
// and duplicate keys before fn sees it.
//
// The list of problems is for the document (broken, or no list there); fn may
// have been called for the elements before the fault. An error of fn stops the
// reading and is returned as it is.
func DecodeArray(data []byte, pointer string, fn func(index int, raw Raw, offset int) error) (problem.List, error) {
	tokens, ok := splitPointer(pointer)
	if !ok {
		return nil, fmt.Errorf("%q is not a JSON pointer", pointer)
	}
	base := len(data) - len(TrimBOM(data))
	dec := jsontext.NewDecoder(bytes.NewBuffer(data[base:]))
	if !descend(dec, tokens) {
		return arrayFault(data, find(data, pointer).start, fmt.Sprintf("there is no value at %q", pointer)), nil
	}
	at := func() int { return skipFrom(data, base+int(dec.InputOffset())) }
	if dec.PeekKind() != '[' {
		return arrayFault(data, at(), fmt.Sprintf("the value at %q is not a list", pointer)), nil
	}
	_, err := dec.ReadToken()
	// The nesting is checked piece by piece, while the text is still in the
	// processor's cache; the library itself stops long before its stack ends.
	done := base + int(dec.InputOffset())
	if depthBelow(data[:done], MaxDepth) >= 0 {
		return arrayFault(data, 0, ""), nil
	}
	outer := dec.StackDepth()
	for i := 0; dec.PeekKind() != ']'; i++ {
		var raw Raw
		if raw, err = dec.ReadValue(); err != nil {
			break
		}
		end := base + int(dec.InputOffset())
		if depthBelow(data[done:end], MaxDepth-outer) >= 0 {
			return arrayFault(data, 0, ""), nil
		}
		offset := end - len(raw)
		if err := fn(i, data[offset:end:end], offset); err != nil {
			return nil, err
		}
		done = end
	}
	if depthBelow(data[done:], MaxDepth-outer) >= 0 {
		return arrayFault(data, 0, ""), nil
	}
	// The rest of the document has to be JSON too.
	for err == nil && dec.StackDepth() > 0 {
		if k := dec.PeekKind(); k == '}' || k == ']' {
			_, err = dec.ReadToken()
		} else {
			err = dec.SkipValue()
		}
	}
	if err == nil && skipBlanks(data, base+int(dec.InputOffset())) == len(data) {
		return nil, nil
	}
	return arrayFault(data, at(), "the list cannot be read"), nil
}

// descend reads up to the value that tokens name.
func descend(dec *jsontext.Decoder, tokens []string) bool {
	for _, want := range tokens {
		open, err := dec.ReadToken()
		if err != nil || open.Kind() != '{' && open.Kind() != '[' {
			return false
		}
		for i := 0; ; i++ {
			if k := dec.PeekKind(); k == '}' || k == ']' || k == 0 {
				return false
			}
			name := strconv.Itoa(i)
			if open.Kind() == '{' {
				tok, err := dec.ReadToken()
				if err != nil {
					return false
				}
				name = tok.String()
			}
			if name == want {
				break
			}
			if dec.SkipValue() != nil {
				return false
			}
		}
	}
	return true
}

// arrayFault explains data from the beginning, and falls back to msg when the
// document has no fault of its own.
func arrayFault(data []byte, offset int, msg string) problem.List {
	var whole Raw
	if l := explain(data, &whole, Options{AllowBOM: true}); l.HasErrors() {
		return l
	}
	f := &findings{}
	f.add(ruleType, offset, "", "%s", msg)
	return f.list(data)
}
