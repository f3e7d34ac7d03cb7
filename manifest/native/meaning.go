package native

import (
	"crypto/sha256"
	"slices"
	"strings"

	"pinion/internal/syntax"
	"pinion/manifest"
	"pinion/problem"
	"pinion/schemas"
	"pinion/tree"
)

// meaning checks what a schema cannot: the parts against each other and against
// the files.
func (c *checker) meaning() {
	c.fileList()
	c.licenseFile()
	c.size()
	c.kind()
	c.references()
	c.tools()
	c.settings()
	c.permissions()
	c.modules()
	c.skill()
	c.bundled()
}

// kind checks that the contributions fit the kind (SB-002, SB-003, SB-014,
// SB-020, SB-035).
func (c *checker) kind() {
	d := &c.doc
	kind := manifest.Kind(d.Kind)
	refuse := func(there bool, field, instead string) {
		if there {
			c.atKey(ruleKindField.Report("a plugin of kind %q cannot have %q", d.Kind, field).WithFix("%s", instead), "/"+field)
		}
	}
	switch kind {
	case manifest.Skill:
		const use = `remove it, or change the kind to "mcp" or "extension"`
		refuse(d.Entrypoint != "", "entrypoint", use)
		refuse(len(d.Tools) > 0, "tools", use)
		refuse(len(d.Configuration) > 0, "configuration", use)
		refuse(d.UI.contributes(), "ui", use)
		refuse(len(d.Hooks) > 0, "hooks", use)
	case manifest.MCP:
		const use = `remove it, or change the kind to "extension"`
		refuse(d.UI.contributes(), "ui", use)
		refuse(len(d.Hooks) > 0, "hooks", use)
	case manifest.Extension:
		if !d.UI.contributes() && len(d.Hooks) == 0 && len(d.Tools) == 0 && d.Entrypoint == "" {
			c.at(ruleEmpty.Report("the extension adds nothing: it has no ui, no hooks and no tools"), "/kind")
		}
	}
	if kind == manifest.Skill || !contains(kinds, d.Kind) {
		return
	}
	switch {
	case kind == manifest.MCP && d.Entrypoint == "" && c.absent("/entrypoint"):
		c.at(ruleEntrypoint.Report("a plugin of kind \"mcp\" needs an \"entrypoint\"").WithFix("add the file that starts the server, such as \"entrypoint\": \"server.py\""), "/kind")
	case len(d.Tools) > 0 && d.Entrypoint == "" && c.absent("/entrypoint"):
		c.atKey(ruleEntrypoint.Report("\"tools\" need an \"entrypoint\" that serves them").WithFix("add \"entrypoint\": \"server.py\""), "/tools")
	}
	switch {
	case kind == manifest.MCP && len(d.Tools) == 0:
		c.at(ruleNoTools.Report("a plugin of kind \"mcp\" needs at least one tool"), "/kind")
	case d.Entrypoint != "" && len(d.Tools) == 0:
		c.at(ruleNoTools.Report("the server %s has no \"tools\"", quote(d.Entrypoint)), "/entrypoint")
	}
}

// references checks that every file a field names is in the list (SB-020,
// SB-118, SB-152). A reference with the wrong ending has been reported.
func (c *checker) references() {
	d := &c.doc
	one := func(path string, where func() string) {
		if path != "" && !contains(d.Files, path) {
			c.at(c.unlisted(path), where())
		}
	}
	one(d.Entrypoint, func() string { return "/entrypoint" })
	for i := range d.UI.Pages[:min(len(d.UI.Pages), maxList)] {
		one(d.UI.Pages[i].Entrypoint, func() string { return ptr("ui", "pages", i, "entrypoint") })
	}
	list := func(name string, paths []string) {
		for i, p := range paths[:min(len(paths), maxList)] {
			one(p, func() string { return ptr("ui", name, i) })
		}
	}
	list("styles", d.UI.Styles)
	list("patches", d.UI.Patches)
	list("assets", d.UI.Assets)
	for i := range d.Hooks[:min(len(d.Hooks), maxList)] {
		one(d.Hooks[i].Entrypoint, func() string { return ptr("hooks", i, "entrypoint") })
	}
}

func (c *checker) unlisted(path string) problem.Problem {
	p := ruleReference.Report("%s is not in \"files\"", quote(path))
	if near, ok := syntax.Nearest(path, c.doc.Files[:min(len(c.doc.Files), maxList)]); ok && c.tree.Lookup(path) == nil {
		return p.WithFix("write %q, or add %q to \"files\"", near, path)
	}
	return p.WithFix("add %q to \"files\"", clip(path))
}

// tools checks names against each other and each input schema (SB-021, SB-024,
// SB-026).
func (c *checker) tools() {
	tools := c.doc.Tools[:min(len(c.doc.Tools), maxList)]
	var names map[string]struct{}
	if len(tools) > 1 {
		names = make(map[string]struct{}, len(tools))
	}
	for i := range tools {
		name := tools[i].Name
		if full := len(toolPrefix) + len(c.doc.ID) + len(toolDivision) + len(name); full > maxToolName && len(name) <= 56 && len(c.doc.ID) <= maxID {
			c.at(ruleToolLength.Report("plg__%s__%s is %d characters long, at most %d are allowed", c.doc.ID, clip(name), full, maxToolName).
				WithFix("shorten the tool's name or the plugin's id by %d", full-maxToolName), ptr("tools", i, "name"))
		}
		if _, twice := names[name]; twice && name != "" {
			c.at(ruleToolTwice.Report("the tool %s is declared twice", quote(name)), ptr("tools", i, "name"))
		}
		if names != nil {
			names[name] = struct{}{}
		}
		for _, f := range c.format.checkSchema(tools[i].InputSchema) {
			c.at(schemaFault(f.Pointer, f.Message), ptr("tools", i, "input_schema")+f.Pointer)
		}
	}
}

// maxSchemas bounds what a Format remembers.
const maxSchemas = 4096

// checkSchema checks an input schema, once for equal texts.
func (f *Format) checkSchema(raw syntax.Raw) []schemas.Fault {
	if raw.Kind() != '{' {
		return nil // reported with the shape
	}
	key := sha256.Sum256(raw)
	f.mu.Lock()
	_, valid := f.schemas[key]
	f.mu.Unlock()
	if valid {
		return nil
	}
	doc, broken := syntax.Any(raw)
	if broken.HasErrors() {
		return nil // reported by decoding the manifest
	}
	faults := schemas.CheckSchema(doc)
	// A type that is not "object" was reported with the shape.
	faults = slices.DeleteFunc(faults, func(f schemas.Fault) bool { return f.Pointer == "/type" })
	if len(faults) == 0 {
		f.mu.Lock()
		if len(f.schemas) >= maxSchemas {
			clear(f.schemas)
		}
		f.schemas[key] = struct{}{}
		f.mu.Unlock()
	}
	return faults
}

// settings checks keys against the manifest's name and each other (SB-037).
func (c *checker) settings() {
	for i, s := range c.doc.Configuration[:min(len(c.doc.Configuration), maxList)] {
		if !isSettingKey(s.Key) {
			continue
		}
		if want := c.flavour.settingPrefix; !strings.HasPrefix(s.Key, want) {
			c.at(ruleSettingPrefix.Report("in %s setting keys begin with %s", c.flavour.file, want).
				WithFix("write %q", settingKeyLike(want, s.Key)), ptr("configuration", i, "key"))
		}
		if slices.ContainsFunc(c.doc.Configuration[:i], func(o setting) bool { return o.Key == s.Key }) {
			c.at(ruleSettingTwice.Report("the setting %s is declared twice", quote(s.Key)), ptr("configuration", i, "key"))
		}
	}
}

// permissions holds contributions against permissions, both ways (SB-115,
// SB-151).
func (c *checker) permissions() {
	u := &c.doc.UI
	for _, use := range [...]struct {
		permission, field, pointer string
		used                       bool
	}{
		{"ui.pages", "ui.pages", "/ui/pages", len(u.Pages) > 0},
		{"ui.styles", "ui.styles", "/ui/styles", len(u.Styles) > 0},
		{"ui.patch", "ui.patches", "/ui/patches", len(u.Patches) > 0},
		{"hooks", "hooks", "/hooks", len(c.doc.Hooks) > 0},
	} {
		at := indexOf(c.doc.Permissions, use.permission)
		switch {
		case use.used && at < 0:
			c.atKey(rulePermissionMissing.Report("%q needs the permission %q", use.field, use.permission).
				WithFix("add %q to \"permissions\"", use.permission), use.pointer)
		case !use.used && at >= 0:
			c.at(rulePermissionUnused.Report("the permission %q is not used: there is no %q", use.permission, use.field).
				WithFix("remove it"), ptr("permissions", at))
		}
	}
	for i := range u.Pages[:min(len(u.Pages), maxList)] {
		id := u.Pages[i].ID
		if id != "" && slices.ContainsFunc(u.Pages[:i], func(p page) bool { return p.ID == id }) {
			c.at(rulePageTwice.Report("the page id %s is declared twice", quote(id)), ptr("ui", "pages", i, "id"))
		}
	}
}

// size notes a package that a host with decimal megabytes refuses (SB-028).
func (c *checker) size() {
	if c.tree.Bytes > tree.NativeNoteBytes && c.tree.Bytes <= tree.NativeBytes {
		c.add(ruleDecimalSize.Report("the package has %d bytes; a host that reads \"2 MB\" as 2,000,000 bytes refuses it", c.tree.Bytes).
			At(c.flavour.file, 0, 0))
	}
}
