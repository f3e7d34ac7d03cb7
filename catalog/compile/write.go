package compile

import (
	"slices"
	"strings"

	"pinion/catalog"
	"pinion/internal/syntax"
	"pinion/problem"
)

// catalog writes the catalog of the host at path: the entries of the file that
// is there in their order, each with its owner's keys, and then those that are
// new.
func (c *compiler) catalog(path string) {
	var head syntax.Object
	var entries []syntax.Object
	if old := c.in.Existing[path]; len(old) > 0 {
		var faults problem.List
		head, entries, faults = document(path, old)
		if c.refused(path, faults) {
			return
		}
	}
	c.d.header(c, &head)
	made := map[string]*syntax.Object{}
	var order []string
	for _, u := range c.units {
		if made[u.name] != nil {
			c.leftOut(u, "another entry has the same name, and of two the first one counts")
			continue
		}
		if why := c.badName(u); why != "" {
			c.leftOut(u, why)
			continue
		}
		e, ok := c.d.entry(c, u)
		if !ok {
			continue
		}
		made[u.name], order = e, append(order, u.name)
	}
	var list []syntax.Object
	for _, old := range entries {
		name := text(old, "name")
		e := made[name]
		if e == nil {
			continue // removed, or left out
		}
		list = append(list, merged(old, *e, c.d))
		made[name] = nil
	}
	for _, name := range order {
		if e := made[name]; e != nil {
			list = append(list, *e)
		}
	}
	c.host.Plugins = len(list)
	c.finish(path, head, list)
}

// finish writes the document.
func (c *compiler) finish(path string, head syntax.Object, list []syntax.Object) {
	if list == nil {
		list = []syntax.Object{}
	}
	c.set(&head, "plugins", list)
	if c.d.renames {
		if renames, changed := c.renames(path, list); changed {
			c.set(&head, "renames", renames)
		}
	}
	data, err := syntax.Encode(head)
	if err != nil {
		c.out.Problems.Add(ruleWrite.Report("%s cannot be written: %v", path, err).At(path, 0, 0))
		return
	}
	c.put(path, data, false)
	if c.d.flavour == catalog.Claude {
		c.portable(head, list)
	}
}

// refused reports a target file that cannot be read: what its owner wrote would
// be lost.
func (c *compiler) refused(path string, faults problem.List) bool {
	if !faults.HasErrors() {
		return false
	}
	for _, p := range faults {
		c.out.Problems.Add(p.WithFix("correct it, or delete %s to write a new one without the keys its owner wrote", path))
	}
	return true
}

// itself is the target that is the source: nothing in it changes but the
// renames.
func (c *compiler) itself() {
	data := c.in.Data
	_, list, _ := document(c.in.Path, data)
	c.host.Plugins = len(list)
	for _, u := range c.units {
		if need := needs(u); need != "" {
			c.needs(u, need)
		}
	}
	if c.d.renames {
		if renames, changed := c.renames(c.in.Path, list); changed {
			raw, err := syntax.Compact(renames)
			if err == nil {
				data, err = syntax.SetMember(data, "", "renames", raw)
			}
			if err != nil {
				c.out.Problems.Add(ruleWrite.Report("the renames cannot be written: %v", err).At(c.in.Path, 0, 0))
				return
			}
		}
	}
	c.put(c.in.Path, data, false)
	if c.d.flavour == catalog.Claude {
		c.portable(c.head, list)
	}
}

// merged returns a new entry with the keys of the old one that are not written
// here. Keys stand where they stood.
func merged(old, next syntax.Object, d *dialect) syntax.Object {
	var out syntax.Object
	for _, key := range old.Keys() {
		value, written := next.Get(key)
		if written && !slices.Contains(d.defaults, key) {
			out.Set(key, value)
		} else if written || !slices.Contains(d.own, key) {
			value, _ := old.Get(key)
			out.Set(key, value)
		}
	}
	for _, key := range next.Keys() {
		if _, there := out.Get(key); !there {
			value, _ := next.Get(key)
			out.Set(key, value)
		}
	}
	return out
}

// set gives a member a value that always has a JSON form.
func (c *compiler) set(o *syntax.Object, key string, v any) {
	if err := o.SetValue(key, v); err != nil {
		c.out.Problems.Add(ruleWrite.Report("%v", err).At(c.in.Path, 0, 0))
	}
}

// setText sets a member unless the text is empty.
func (c *compiler) setText(o *syntax.Object, key, s string) {
	if s != "" {
		c.set(o, key, s)
	}
}

// name writes the catalog's name, which is the source's.
func (c *compiler) name(head *syntax.Object) { c.set(head, "name", c.source.Name) }

// badName returns why the host cannot have a plugin of this name.
func (c *compiler) badName(u *unit) string {
	name := u.name
	switch {
	case name == "":
		return "it has no name"
	case c.d.flavour == catalog.Codex && strings.Trim(name, letters+"_-") != "":
		return "the name may have letters, digits, _ and - only"
	case c.d.flavour == catalog.Copilot && (len(name) > 64 || strings.Trim(name, letters+"-.") != ""):
		// Copilot 1.0.102 refuses the whole catalog for one such name.
		return "the name may have letters, digits, - and . only, and at most 64 of them"
	case c.d.flavour == catalog.Cursor && (strings.Trim(name, lower+".-") != "" || strings.Trim(name, ".-") != name):
		return "the name may have lower-case letters, digits, . and - only, and begins and ends with a letter or digit"
	}
	return ""
}

const (
	lower   = "abcdefghijklmnopqrstuvwxyz0123456789"
	letters = lower + "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
)

// owner writes the owner with only the given members. Of a source that names
// none the one in the file stays, and else the catalog's name is taken, since
// hosts refuse a catalog without an owner.
func (c *compiler) owner(head *syntax.Object, keys ...string) {
	var all, out syntax.Object
	if raw, ok := c.head.Get("owner"); ok && raw[0] == '{' {
		_ = syntax.Decode(raw, &all, syntax.Options{AllowDuplicates: true}) // it was read before
	}
	for _, k := range keys {
		if v, ok := all.Get(k); ok {
			out.Set(k, v)
		}
	}
	if _, there := head.Get("owner"); out.Len() == 0 && there {
		return
	}
	if text(out, "name") == "" {
		c.set(&out, "name", c.source.Name)
	}
	c.set(head, "owner", out)
}
