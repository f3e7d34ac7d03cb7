package compile

import (
	"bytes"

	"pinion/internal/syntax"
)

// nativeFile writes the native catalog itself: what the build gave, with what
// Copilot needs in the entries when it is a target, and the former names.
func (c *compiler) nativeFile() {
	list := c.forCopilot
	changed := list != nil
	if !changed {
		_, list, _ = document(c.in.Path, c.in.Data)
	}
	renames, more := c.renames(c.in.Path, list)
	if !changed && !more {
		c.put(c.in.Path, c.in.Data, false)
		return
	}
	head := clone(c.head)
	c.set(&head, "plugins", list)
	if more {
		c.set(&head, "renames", renames)
	}
	data, err := syntax.Encode(head)
	if err != nil {
		c.out.Problems.Add(ruleWrite.Report("%s cannot be written: %v", c.in.Path, err).At(c.in.Path, 0, 0))
		return
	}
	if bytes.HasSuffix(c.in.Data, data) { // but for a byte order mark
		data = c.in.Data
	}
	c.put(c.in.Path, data, false)
}

// clone returns an object that can be changed by itself.
func clone(o syntax.Object) (out syntax.Object) {
	for _, k := range o.Keys() {
		v, _ := o.Get(k)
		out.Set(k, v)
	}
	return out
}
