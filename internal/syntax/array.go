package syntax

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json"
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
	return overArray(data, pointer, func(dec *jsontext.Decoder, base, index int) (err, stop error) {
		raw, err := dec.ReadValue()
		if err != nil {
			return err, nil
		}
		end := base + int(dec.InputOffset())
		offset := end - len(raw)
		return nil, fn(index, data[offset:end:end], offset)
	})
}

// DecodeEach is [DecodeArray] with every element decoded into a T, in one pass
// over the text. v is used again for the next element. Unknown keys are
// skipped. An element of a wrong type ends the reading; [Decode] of the
// element's text then tells everything that is wrong with it.
func DecodeEach[T any](data []byte, pointer string, fn func(index int, v *T, raw Raw, offset int) error) (problem.List, error) {
	var v, zero T
	return overArray(data, pointer, func(dec *jsontext.Decoder, base, index int) (err, stop error) {
		offset := skipFrom(data, base+int(dec.InputOffset()))
		v = zero
		if err := json.UnmarshalDecode(dec, &v); err != nil {
			return err, nil
		}
		end := base + int(dec.InputOffset())
		return nil, fn(index, &v, data[offset:end:end], offset)
	})
}

// overArray reads the whole document in one pass and calls each for the
// elements of the list. The first error of each is a fault of the document, the
// second one ends the run.
func overArray(data []byte, pointer string, each func(dec *jsontext.Decoder, base, index int) (err, stop error)) (problem.List, error) {
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
	for i := 0; err == nil && dec.PeekKind() != ']'; i++ {
		var stop error
		if err, stop = each(dec, base, i); stop != nil {
			return nil, stop
		}
		end := base + int(dec.InputOffset())
		if depthBelow(data[done:end], MaxDepth-outer) >= 0 {
			return arrayFault(data, 0, ""), nil
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
	if se, ok := errors.AsType[*json.SemanticError](err); ok {
		pointer := string(se.JSONPointer)
		return arrayFault(data, find(data, pointer).start, fmt.Sprintf("the value at %q: %s", pointer, semanticText(se))), nil
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
