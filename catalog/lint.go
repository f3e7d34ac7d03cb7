package catalog

import (
	"maps"
	"slices"

	"pinion/internal/syntax"
	"pinion/problem"
)

// Lint returns what an author should know of a catalog beyond what [Parse]
// returned: the problems of the entries of a foreign catalog, unknown keys,
// reserved names, renames to nowhere, directories that do not exist. data is
// what was parsed; exists answers for a directory of the repository, "." for
// its root, and may be nil.
func Lint(c *Catalog, data []byte, exists func(dir string) bool) problem.List {
	var out problem.List
	if c.Flavour != Native {
		for i := range c.Entries {
			out = append(out, c.Entries[i].Problems...)
		}
	}
	at := func(pointer string, p problem.Problem) {
		line, col := syntax.Locate(data, pointer)
		out.Add(p.At(c.Path, line, col))
	}
	if why := reservedWhy(c.Name); why != "" {
		at("/name", ruleReservedName.Report("the name %q %s", clip(c.Name), why))
	}
	lost := 0
	for _, from := range slices.Sorted(maps.Keys(c.Renames)) {
		if to := c.Renames[from]; to == "" || c.leads(to) {
			continue
		}
		if lost++; lost <= maxCircles {
			at(syntax.Pointer("renames", from), ruleRenameTarget.Report("%q is renamed to %q, which is not in the catalog", clip(from), clip(c.Renames[from])))
		}
	}
	if exists != nil {
		out = append(out, c.missing(exists)...)
	}
	if c.Flavour == Claude {
		out = append(out, unknownKeys(c.Path, data)...)
	}
	out.Sort()
	return out
}

// leads reports whether a renamed name is an entry, renamed again, or removed.
// Circles have been reported.
func (c *Catalog) leads(name string) bool {
	_, again := c.Renames[name]
	return again || len(c.find(name)) > 0
}

// missing reports entries without a directory. Several may share one.
func (c *Catalog) missing(exists func(string) bool) (out problem.List) {
	known := map[string]bool{}
	for i := range c.Entries {
		e := &c.Entries[i]
		dir, ok := e.Source.Relative()
		if !ok {
			continue
		}
		there, asked := known[dir]
		if !asked {
			there = exists(dir)
			known[dir] = there
		}
		if !there {
			out.Add(ruleDirectoryMissing.Report("the directory %q of %q does not exist", clip(dir), clip(e.Name)).At(c.Path, e.Line, e.Column))
		}
	}
	return out
}

// claudeDocument has every key that Claude Code knows (formats 1.1.1 and
// 1.1.2). Values are not looked at: that has been done.
type claudeDocument struct {
	Schema      syntax.Raw    `json:"$schema"`
	Name        syntax.Raw    `json:"name"`
	Owner       syntax.Raw    `json:"owner"`
	Description syntax.Raw    `json:"description"`
	Version     syntax.Raw    `json:"version"`
	Metadata    syntax.Raw    `json:"metadata"`
	Renames     syntax.Raw    `json:"renames"`
	AllowCross  syntax.Raw    `json:"allowCrossMarketplaceDependenciesOn"`
	Headers     syntax.Raw    `json:"headersHelper"`
	ForceRemove syntax.Raw    `json:"forceRemoveDeletedPlugins"`
	Plugins     []claudeEntry `json:"plugins"`
}

type claudeEntry struct {
	Name           syntax.Raw `json:"name"`
	Source         syntax.Raw `json:"source"`
	DisplayName    syntax.Raw `json:"displayName"`
	Description    syntax.Raw `json:"description"`
	Version        syntax.Raw `json:"version"`
	Author         syntax.Raw `json:"author"`
	Homepage       syntax.Raw `json:"homepage"`
	Repository     syntax.Raw `json:"repository"`
	License        syntax.Raw `json:"license"`
	Keywords       syntax.Raw `json:"keywords"`
	Metadata       syntax.Raw `json:"metadata"`
	Category       syntax.Raw `json:"category"`
	Tags           syntax.Raw `json:"tags"`
	Strict         syntax.Raw `json:"strict"`
	Relevance      syntax.Raw `json:"relevance"`
	DefaultEnabled syntax.Raw `json:"defaultEnabled"`
	Dependencies   syntax.Raw `json:"dependencies"`
	Headers        syntax.Raw `json:"headersHelper"`

	wireComponents
}

// unknownKeys reports keys that Claude Code ignores, with the nearest known one.
func unknownKeys(file string, data []byte) (out problem.List) {
	const rule = "json/unknown-key"
	var doc claudeDocument
	faults := syntax.Decode(data, &doc, syntax.Options{
		RejectUnknown: true, AllowDuplicates: true, AllowBOM: true,
		Severity: map[string]problem.Severity{rule: problem.Warning},
	})
	for _, p := range faults {
		if p.Rule == rule {
			out.Add(p.At(file, p.Line, p.Column))
		}
	}
	return out
}
