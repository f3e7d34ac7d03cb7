package catalog

import (
	"strconv"

	"pinion/internal/syntax"
	"pinion/manifest"
	"pinion/problem"
)

// header reads everything but the entries. text is the document, with or
// without them.
func (r *reader) header(text []byte) {
	var h wireHeader
	if faults := syntax.Decode(text, &h, r.options()); len(faults) > 0 {
		if len(text) != len(r.data) {
			// Positions after the list are right only in the whole document.
			faults = syntax.Decode(r.data, &h, r.options())
		}
		for _, p := range faults {
			r.report(p, p.Line, p.Column)
		}
	}
	c := r.catalog
	c.Name, c.Description, c.Version = h.Name, h.Description, h.Version
	r.version = h.SchemaVersion
	if r.profile.flavour == Native {
		r.schemaVersion(h.SchemaVersion)
	}
	r.name()
	r.owner(h.Owner)
	if h.Metadata != nil {
		r.metadata(h.Metadata)
	}
	if h.Renames != nil {
		r.renames(h.Renames)
	}
	r.bareNames()
}

// reportAt reports a problem at a value of the whole document. Finding it costs
// a pass over the text, so it is only done for problems.
func (r *reader) reportAt(pointer string, p problem.Problem) {
	line, col := syntax.Locate(r.data, pointer)
	r.report(p, line, col)
}

func (r *reader) schemaVersion(raw syntax.Raw) {
	const at = "/schema_version"
	switch n, err := strconv.Atoi(string(raw)); {
	case raw == nil:
		r.reportAt(at, ruleSchemaVersion.Report("the catalog has no schema_version"))
	case err != nil || n < 1:
		r.reportAt(at, ruleSchemaVersion.Report("the schema_version is %s, want %d", clip(string(raw)), schemaVersion))
	case n > schemaVersion:
		r.reportAt(at, ruleSchemaVersion.Report("the catalog has schema_version %d; this Pinion knows %d", n, schemaVersion).
			WithFix("use a newer version of Pinion"))
	}
}

func (r *reader) name() {
	name := r.catalog.Name
	switch {
	case name == "":
		// A name of another type has been reported.
		if v, ok := member(r.data, documentStart(r.data), "name"); !ok || r.data[v.start] == '"' {
			r.reportAt("/name", ruleName.Report("the catalog has no name"))
		}
	case !usableName(name):
		found := ruleName.Report("the name %q cannot be typed and used as a directory", clip(name))
		if r.profile.flavour == Codex || r.profile.flavour == Cursor {
			found = found.As(problem.Warning)
		}
		r.reportAt("/name", found)
	}
}

func (r *reader) owner(raw syntax.Raw) {
	if r.profile.owner == ignored {
		return
	}
	severity := problem.Warning
	if r.profile.owner == required {
		severity = problem.Error
	}
	if raw == nil {
		r.reportAt("/owner", ruleOwner.Report("the catalog has no owner; %s wants one", r.profile.host).As(severity))
		return
	}
	r.decode("/owner", raw, &r.catalog.Owner, severity)
	if r.catalog.Owner.Name == "" && raw[0] == '{' {
		r.reportAt("/owner", ruleOwner.Report("the owner has no name; %s wants one", r.profile.host).As(severity))
	}
}

func (r *reader) metadata(raw syntax.Raw) {
	var m wireMetadata
	r.decode("/metadata", raw, &m, problem.Warning)
	c := r.catalog
	if c.Description == "" {
		c.Description = m.Description
	}
	if c.Version == "" {
		c.Version = m.Version
	}
	if m.PluginRoot == "" || r.profile.flavour == Native {
		return
	}
	dir, why := cleanDir(m.PluginRoot)
	if why != "" {
		r.reportAt("/metadata/pluginRoot", ruleSourcePath.Report("the plugin root %q %s", clip(m.PluginRoot), why))
		return
	}
	c.PluginRoot = dir
}

// decode reads a value of the header whose faults have a severity of their own.
func (r *reader) decode(pointer string, raw syntax.Raw, v any, severity problem.Severity) {
	faults := syntax.Decode(raw, v, syntax.Options{AllowDuplicates: true})
	if len(faults) == 0 {
		return
	}
	line, col := syntax.Locate(r.data, pointer)
	for _, p := range faults {
		if p.Rule == "json/duplicate-key" {
			continue // found in the document already
		}
		l, c := inside(p.Line, p.Column, line, col)
		p.Message = naming(p.Message, strconv.Quote(pointer[1:]))
		r.report(p.As(severity), l, c)
	}
}

// bareNames joins names without a slash with the plugin root.
func (r *reader) bareNames() {
	root := r.catalog.PluginRoot
	if root == "" || root == "." {
		return
	}
	for i := range r.catalog.Entries {
		if o := &r.catalog.Entries[i].Source; o.bare && o.Dir != "" && o.Dir != "." {
			o.Dir = root + "/" + o.Dir
		}
	}
}

// duplicates reports entries that repeat a name, in a native catalog a name and
// version.
func (r *reader) duplicates() {
	c := r.catalog
	native := r.profile.flavour == Native
	first := 0 // of the entries that are equal to it
	for i := 1; i < len(c.byName); i++ {
		e, f := &c.Entries[c.byName[i]], &c.Entries[c.byName[first]]
		if e.Name == "" || e.Name != f.Name || native && manifest.Release(e.Version) != manifest.Release(f.Version) {
			first = i
			continue
		}
		r.duplicate(f, e, native)
	}
}

func (r *reader) duplicate(first, e *Entry, native bool) {
	var p problem.Problem
	if native {
		p = ruleDuplicate.Report("%s %s is listed twice, before on line %d", clip(e.Name), clip(e.Version), first.Line)
	} else {
		p = ruleDuplicateName.Report("the name %q is listed twice, before on line %d", clip(e.Name), first.Line).As(r.profile.duplicateName)
		if r.profile.duplicateName == problem.Error {
			p.Message += "; " + r.profile.host + " refuses the whole catalog because of it"
		}
	}
	e.Problems.Add(p.At(r.catalog.Path, e.Line, e.Column))
	e.blame(p)
}

// hashMissing reports a catalog that would be native but for an entry.
func (r *reader) hashMissing() {
	e := r.catalog.Entries
	if r.unhashed < 0 || r.unhashed >= len(e) {
		return
	}
	r.report(ruleHashMissing.Report("the entry %q has no hash, so nothing in this catalog is pinned by its publisher", clip(e[r.unhashed].Name)),
		e[r.unhashed].Line, e[r.unhashed].Column)
}
