package native

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"pinion/internal/syntax"
	"pinion/problem"
)

// The closed vocabularies of the format.
var (
	kinds       = []string{"skill", "mcp", "extension", "builtin"}                                                     // SB-002
	licenses    = []string{"MIT", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "0BSD", "Unlicense", "CC0-1.0"} // SB-064
	permissions = []string{"ui.pages", "ui.styles", "ui.patch", "hooks"}                                               // SB-115
	events      = []string{"before_chat", "before_tool", "after_tool", "after_response"}                               // SB-153
)

// shape checks what the published schema says too. What decoding has refused is
// not reported a second time.
func (c *checker) shape() {
	d := &c.doc
	c.schemaVersion()
	c.slug(ruleID, "/id", d.ID)
	c.label("/name", d.Name)
	if !isVersion(d.Version) || len(d.Version) > maxVersion {
		c.missing(versionProblem(d.Version), "/version")
	}
	c.text("/description", d.Description, maxText)
	if !contains(kinds, d.Kind) {
		c.missing(kindProblem(d.Kind), "/kind")
	}
	if !contains(licenses, d.License) {
		c.missing(licenseProblem(d.License), "/license")
	}
	if d.Files == nil && c.absent("/files") {
		c.missing(problem.Problem{}, "/files")
	}
	if len(d.Files) > maxList {
		c.atKey(ruleTooManyFiles.Report("%d files are declared; a package has at most %d", len(d.Files), maxList), "/files")
	}
	c.distinct(ruleDuplicateFile, "files", d.Files)
	c.optionalFile(ruleEntrypoint, "/entrypoint", d.Entrypoint, ".py")
	if len(d.Requires) > 0 {
		c.at(ruleRequires.Report("\"requires\" must be empty: a plugin cannot install packages into the runtime"), "/requires")
	}
	c.toolShapes()
	c.settingShapes()
	c.uiShapes()
	c.hookShapes()
}

// newerVersion returns the version when it is a whole number above 1.
func (c *checker) newerVersion() string {
	v := string(c.doc.SchemaVersion)
	if len(v) == 0 || len(v) > 18 || strings.Trim(v, "0123456789") != "" || v == "1" || v == "0" {
		return ""
	}
	return v
}

// schemaVersion accepts only the number 1, written so (SB-006).
func (c *checker) schemaVersion() {
	v := string(c.doc.SchemaVersion)
	if v == "1" {
		return
	}
	shown := v
	if len(shown) > 20 {
		shown = shown[:20] + "…"
	}
	c.missing(ruleSchemaVersion.Report("schema_version is %s, want the number 1", strings.ToValidUTF8(shown, "")).WithFix("write 1"), "/schema_version")
}

// slug checks an id (SB-007).
func (c *checker) slug(r problem.Rule, pointer, s string) {
	switch {
	case len(s) > maxID:
		c.at(r.Report("%s is %d characters long, at most %d are allowed", quote(s), len(s), maxID), pointer)
	case !isSlug(s):
		p := r.Report("%s is not made of lower-case words joined by single dashes", quote(s))
		if near := slugOf(s); near != "" && len(near) <= maxID {
			p = p.WithFix("write %q", near)
		}
		c.missing(p, pointer)
	case isDeviceName(s):
		c.at(r.Report("%s is the name of a Windows device", quote(s)).WithFix("choose another id"), pointer)
	}
}

// label checks a required text on one line.
func (c *checker) label(pointer, s string) {
	c.bounded(pointer, s, maxLabel)
	if blank(s, " ") {
		c.missing(ruleText.Report("%s is empty", quote(dotted(pointer))), pointer)
	}
	c.fit(pointer, s, false)
}

// text checks a required text that may have several lines.
func (c *checker) text(pointer, s string, most int) {
	c.bounded(pointer, s, most)
	if blank(s, " \t\n") {
		c.missing(ruleText.Report("%s is empty", quote(dotted(pointer))), pointer)
	}
	if most == maxText {
		c.fit(pointer, s, true)
	}
}

func (c *checker) bounded(pointer, s string, most int) {
	if len(s) > most && utf8.RuneCountInString(s) > most {
		c.at(ruleText.Report("%s has %d characters, at most %d are allowed", quote(dotted(pointer)), utf8.RuneCountInString(s), most).
			WithFix("shorten it"), pointer)
	}
}

func (c *checker) fit(pointer, s string, lines bool) {
	if r, bad := unfit(s, lines); bad {
		c.at(ruleText.Report("%s contains the control character %U", quote(dotted(pointer)), r).WithFix("remove the character"), pointer)
	}
}

// optionalFile checks the ending of an optional reference.
func (c *checker) optionalFile(r problem.Rule, pointer, path, ending string) {
	if path == "" && c.unset(pointer) || strings.HasSuffix(path, ending) {
		return
	}
	c.at(r.Report("%s is %s, want a file that ends with %s", quote(dotted(pointer)), quote(path), ending), pointer)
}

// unset is absent, without the search when the text cannot have the key.
func (c *checker) unset(pointer string) bool {
	return !bytes.Contains(c.data, []byte(pointer[1:])) || c.absent(pointer)
}

// distinct reports an element that is in the list before.
func (c *checker) distinct(r problem.Rule, list string, values []string) {
	const few = 16 // comparing each pair is faster than a map, and allocates nothing
	var seen map[string]struct{}
	if len(values) > few {
		seen = make(map[string]struct{}, len(values))
	}
	for i, v := range values {
		twice := false
		if seen == nil {
			twice = contains(values[:i], v)
		} else if _, twice = seen[v]; !twice {
			seen[v] = struct{}{}
		}
		if twice {
			c.at(r.Report("%s is in %q twice", quote(v), strings.ReplaceAll(list, "/", ".")).WithFix("remove one of the two"),
				"/"+list+"/"+strconv.Itoa(i))
		}
	}
}

func (c *checker) toolShapes() {
	c.count(ruleTooManyTools, "tools", len(c.doc.Tools))
	for i := range c.doc.Tools[:min(len(c.doc.Tools), maxList)] {
		t := &c.doc.Tools[i]
		name := t.Name
		switch {
		case len(name) > maxToolName-len(toolPrefix)-len(toolDivision)-1:
			c.at(ruleToolLength.Report("tool name %s is %d characters long and can fit into no plg__<id>__<tool>", quote(name), len(name)), ptr("tools", i, "name"))
		case !isToolName(name):
			p := ruleToolName.Report("tool name %s is not a lower-case identifier", quote(name))
			if near := strings.ReplaceAll(slugOf(name), "-", "_"); isToolName(near) {
				p = p.WithFix("write %q, also in the server", near)
			}
			c.missing(p, ptr("tools", i, "name"))
		}
		if blank(t.Description, " \t\n") || len(t.Description) > maxLong {
			c.text(ptr("tools", i, "description"), t.Description, maxLong)
		}
		c.schemaShape(i, t.InputSchema)
	}
}

// schemaShape checks that input_schema is an object of type object (SB-021).
func (c *checker) schemaShape(i int, raw syntax.Raw) {
	if len(raw) == 0 {
		c.missing(ruleToolSchema.Report("\"input_schema\" is missing"), ptr("tools", i, "input_schema"))
		return
	}
	var head struct {
		Type syntax.Raw `json:"type"`
	}
	if raw.Kind() != '{' {
		c.at(ruleToolSchema.Report("input_schema is not an object"), ptr("tools", i, "input_schema"))
		return
	}
	syntax.Decode(raw, &head, syntax.Options{})
	switch string(head.Type) {
	case `"object"`:
	case "":
		c.at(ruleToolSchema.Report("input_schema has no \"type\", want \"object\"").WithFix("add \"type\": \"object\""), ptr("tools", i, "input_schema"))
	default:
		var s string
		if syntax.Decode(head.Type, &s, syntax.Options{}) == nil && s == "object" {
			return // written with escapes
		}
		c.at(ruleToolSchema.Report("the type of input_schema is %s, want \"object\"", strings.ToValidUTF8(clip(string(head.Type)), "")).
			WithFix("arguments have names: write \"type\": \"object\""), ptr("tools", i, "input_schema", "type"))
	}
}

func (c *checker) settingShapes() {
	c.count(ruleTooMany, "configuration", len(c.doc.Configuration))
	for i := range c.doc.Configuration[:min(len(c.doc.Configuration), maxList)] {
		s := &c.doc.Configuration[i]
		if !isSettingKey(s.Key) || len(s.Key) > maxKey {
			c.missing(ruleSettingKey.Report("setting key %s is not %s and upper-case letters, digits and underscores", quote(s.Key), c.flavour.settingPrefix).
				WithFix("write %q", settingKeyLike(c.flavour.settingPrefix, s.Key)), ptr("configuration", i, "key"))
		}
		if blank(s.Label, " ") || len(s.Label) > maxLabel || hasUnfit(s.Label, false) {
			c.label(ptr("configuration", i, "label"), s.Label)
		}
		if len(s.Description) > maxText {
			c.bounded(ptr("configuration", i, "description"), s.Description, maxText)
		}
	}
}

func (c *checker) uiShapes() {
	u := &c.doc.UI
	c.count(ruleTooMany, "ui/pages", len(u.Pages))
	for i := range u.Pages[:min(len(u.Pages), maxList)] {
		p := &u.Pages[i]
		c.slug(rulePageID, ptr("ui", "pages", i, "id"), p.ID)
		c.label(ptr("ui", "pages", i, "title"), p.Title)
		c.label(ptr("ui", "pages", i, "icon"), p.Icon)
		if !isModule(p.Entrypoint) {
			c.missing(moduleProblem(p.Entrypoint), ptr("ui", "pages", i, "entrypoint"))
		}
	}
	c.paths("ui/styles", u.Styles, func(s string) (problem.Problem, bool) {
		return ruleUIFile.Report("style %s does not end with .css", quote(s)).WithFix("name a .css file"), strings.HasSuffix(s, ".css")
	})
	c.paths("ui/patches", u.Patches, func(s string) (problem.Problem, bool) { return moduleProblem(s), isModule(s) })
	c.paths("ui/assets", u.Assets, func(string) (problem.Problem, bool) { return problem.Problem{}, true })
}

// paths checks one list of file names of the user interface.
func (c *checker) paths(list string, values []string, check func(string) (problem.Problem, bool)) {
	if len(values) == 0 {
		return
	}
	c.count(ruleTooMany, list, len(values))
	values = values[:min(len(values), maxList)]
	c.distinct(ruleUIDuplicate, list, values)
	for i, v := range values {
		if p, ok := check(v); !ok {
			c.at(p, "/"+list+"/"+strconv.Itoa(i))
		}
	}
}

func (c *checker) hookShapes() {
	c.distinct(rulePermissionTwice, "permissions", c.doc.Permissions)
	for i, p := range c.doc.Permissions {
		if !contains(permissions, p) {
			c.at(rulePermissionUnknown.Report("unknown permission %s", quote(p)).WithFix("%s", didYouMean(p, permissions)), ptr("permissions", i))
		}
	}
	c.count(ruleTooMany, "hooks", len(c.doc.Hooks))
	for i := range c.doc.Hooks[:min(len(c.doc.Hooks), maxList)] {
		h := &c.doc.Hooks[i]
		if !contains(events, h.Event) {
			c.missing(ruleEvent.Report("unknown event %s", quote(h.Event)).WithFix("%s", didYouMean(h.Event, events)), ptr("hooks", i, "event"))
		}
		if !strings.HasSuffix(h.Entrypoint, ".py") {
			c.missing(ruleHookFile.Report("the hook's entrypoint is %s, want a Python file that ends with .py", quote(h.Entrypoint)), ptr("hooks", i, "entrypoint"))
		}
		if h.Timeout < 1 || h.Timeout > 60 {
			c.missing(ruleTimeout.Report("timeout is %d, want a whole number of seconds from 1 to 60", h.Timeout), ptr("hooks", i, "timeout"))
		}
	}
}

// count reports a list that is too long. Only its first elements are checked.
func (c *checker) count(r problem.Rule, list string, n int) {
	if n > maxList {
		c.atKey(r.Report("%q has %d elements, at most %d are allowed", strings.ReplaceAll(list, "/", "."), n, maxList), "/"+list)
	}
}
