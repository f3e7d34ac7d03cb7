package compile

import (
	"path"
	"strings"

	"pinion/catalog"
	"pinion/internal/syntax"
	"pinion/manifest"
	"pinion/problem"
)

// nativePath is where a native catalog lies that Copilot reads too.
const nativePath = "marketplace.json"

// unit is one plugin on its way to a host.
type unit struct {
	name  string
	entry *catalog.Entry
	raw   syntax.Object // the entry as written
	dir   string        // in the repository, "" for elsewhere
	pkg   *Package      // nil when nothing is known of it
	own   bool          // a package of the native catalog
	file  string        // where its entry is
}

// read takes the source apart.
func (c *compiler) read() {
	cat, problems := catalog.Parse(c.in.Path, c.in.Data)
	c.source = cat
	for _, p := range problems {
		if p.Rule == "catalog/rename-cycle" {
			p = p.As(problem.Error) // what does not end is not published
		}
		c.out.Problems.Add(p)
	}
	if c.out.Problems.HasErrors() {
		return
	}
	head, entries, faults := document(c.in.Path, c.in.Data)
	c.out.Problems = append(c.out.Problems, faults...)
	c.head = head
	c.add(cat, entries, c.native())
	if !c.native() {
		return
	}
	// What the owner lists in the Claude catalog beside the native one: plugins
	// that live elsewhere, which a native catalog cannot have.
	beside := c.in.Existing[claudePath]
	if len(beside) == 0 {
		return
	}
	_, entries, faults = document(claudePath, beside)
	if faults.HasErrors() {
		c.out.Problems = append(c.out.Problems, faults...)
		return
	}
	more, _ := catalog.Parse(claudePath, beside)
	owned := map[string]bool{}
	for _, u := range c.units {
		owned[u.name] = true
	}
	kept := *more
	kept.Entries = nil
	var raws []syntax.Object
	for i := range more.Entries {
		e := more.Entries[i]
		if i >= len(entries) || owned[e.Name] || generated(&e) {
			continue
		}
		kept.Entries, raws = append(kept.Entries, e), append(raws, entries[i])
	}
	c.add(&kept, raws, false)
}

// generated reports whether an entry of the Claude catalog beside a native one
// means a package below plugins, so that it is there only as long as the
// package is.
func generated(e *catalog.Entry) bool {
	dir, ok := e.Source.Relative()
	return ok && path.Dir(dir) == "plugins"
}

func (c *compiler) add(cat *catalog.Catalog, raws []syntax.Object, own bool) {
	for i := range cat.Entries {
		if i >= len(raws) {
			break
		}
		e := &cat.Entries[i]
		u := &unit{name: e.Name, entry: e, raw: raws[i], own: own, file: cat.Path}
		if dir, ok := e.Source.Relative(); ok {
			u.dir, u.pkg = dir, c.in.Packages[dir]
		}
		c.units = append(c.units, u)
	}
}

// document takes a catalog apart: its members without "plugins" having been
// looked at, and its entries. An entry that is no object is an empty one.
func document(name string, data []byte) (head syntax.Object, entries []syntax.Object, faults problem.List) {
	options := syntax.Options{AllowBOM: true, AllowDuplicates: true}
	for _, p := range syntax.Decode(data, &head, options) {
		faults.Add(p.At(name, p.Line, p.Column))
	}
	raw, _ := head.Get("plugins")
	var list []syntax.Raw
	if syntax.Decode(raw, &list, options).HasErrors() {
		return head, nil, faults
	}
	entries = make([]syntax.Object, len(list))
	for i, text := range list {
		if text[0] == '{' {
			// Its text was checked with the document.
			_ = syntax.Decode(text, &entries[i], options)
		}
	}
	return head, entries, faults
}

// components returns what a package adds, nil when nothing is known of it.
func (u *unit) components() []manifest.Component {
	if u.pkg == nil || u.pkg.Manifest == nil {
		return nil
	}
	return u.pkg.Manifest.Components
}

// isNative reports whether the package is in Pinion's own format.
func (u *unit) isNative() bool { return u.pkg != nil && u.pkg.Format == "native" }

// rootSkill reports whether the package is one skill whose SKILL.md is at its
// top.
func (u *unit) rootSkill() bool {
	return u.pkg.has("SKILL.md") && !u.pkg.has("skills") && !u.pkg.has(".claude-plugin")
}

// text returns a member that is a string, "" otherwise.
func text(o syntax.Object, key string) string {
	raw, ok := o.Get(key)
	if !ok {
		return ""
	}
	s, _ := syntax.Unquote(raw)
	return s
}

// at returns where problems about a unit are.
func (u *unit) at(p problem.Problem) problem.Problem {
	if u.own && u.pkg != nil && u.pkg.Manifest != nil {
		return p.At(path.Join(u.dir, u.pkg.Manifest.Path), 0, 0)
	}
	return p.At(u.file, u.entry.Line, u.entry.Column)
}

// report adds a problem about a unit.
func (c *compiler) report(u *unit, p problem.Problem) { c.out.Problems.Add(u.at(p)) }

// lost reports a part of a plugin that the host of this run does not get.
func (c *compiler) lost(u *unit, what, why string) {
	c.report(u, ruleLost.Report("%s: %s loses %s: %s", c.d.host, clip(u.name), what, why))
}

// leftOut reports a plugin that the host does not get at all.
func (c *compiler) leftOut(u *unit, why string, arg ...string) {
	c.host.LeftOut++
	p := ruleLeftOut.Report("%s: %s is left out: %s", c.d.host, clip(u.name), why)
	if len(arg) > 0 {
		p = p.WithFix("%s", arg[0])
	}
	c.report(u, p)
}

// notCarried reports keys of an entry that only describe, and that the host
// has no place for.
func (c *compiler) notCarried(u *unit, keys []string) {
	if len(keys) > 0 {
		c.report(u, ruleNotCarried.Report("%s: %s: its catalog has no %s", c.d.host, clip(u.name), strings.Join(keys, ", ")))
	}
}

// clip shortens a name of the source that a message repeats.
func clip(s string) string {
	const most = 80
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
