package compat

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"pinion/internal/syntax"
	"pinion/manifest"
	"pinion/tree"
)

// codexHost is the OpenAI Codex CLI. Its rules were tried with 0.171.0; how
// earlier versions differ is known only where a rule says so.
func codexHost() *host {
	return &host{
		name: Codex, title: "Codex",
		first: Version{0, 171, 0}, newest: Version{0, 171, 0},
		rules: []rule{
			codexNothing, codexManifestText, codexManifestType, codexManifestKeys, codexAgentPlugins, codexName, codexNameMismatch,
			codexVersion, codexPath, codexHooks, codexServers, codexSkill, codexLinks,
			codexCatalogText, codexCatalogHeader, codexCatalogKeys, codexCatalogName, codexEntryName, codexSource,
			codexNoDirectory, codexTwice, codexNotAvailable,
		},
		pkg:      codexPackage,
		catalogs: []string{".agents/plugins/marketplace.json", ".claude-plugin/marketplace.json", ".cursor-plugin/marketplace.json"},
		catalog:  codexCatalog,
	}
}

var (
	codexNothing = rule{
		id: "nothing", effect: note,
		title: "Nothing that Codex loads", help: "Codex looks for plugin.json at the root if it is of Agent Plugins, then .codex-plugin/plugin.json, .claude-plugin/plugin.json and .cursor-plugin/plugin.json; without one it takes a catalog entry that has more than a name and a source. A SKILL.md at the top is a skill.",
		fix: "add .codex-plugin/plugin.json", evidence: codexTried + ", add: \"missing plugin.json\"",
	}
	codexManifestText = rule{
		id: "manifest-json", effect: fatal,
		title: "A manifest that Codex cannot read", help: "Codex wants JSON in UTF-8 without a byte order mark in the first manifest that it finds, and looks at no other one.",
		fix: "correct the file", evidence: codexTried + ", add of a plugin with each fault",
	}
	codexManifestType = rule{
		id: "manifest-type", effect: fatal,
		title: "A manifest that Codex refuses", help: "name, version, description, keywords, apps and interface have to be of their type; other fields may be anything.",
		fix: "write a value of the wanted type", evidence: codexTried + ", add; codex-rs core-plugins manifest_document.rs",
	}
	codexManifestKeys = rule{
		id: "manifest-duplicate-key", effect: fatal,
		title: "A key that is there twice", help: "A key that Codex reads, twice in the manifest, makes it refuse the plugin.",
		fix: "remove one of the two", evidence: codexTried + ", add",
	}
	codexAgentPlugins = rule{
		id: "agent-plugins", effect: fatal,
		title: "A plugin.json of Agent Plugins that Codex refuses", help: "A plugin.json at the root with a $schema of agent-plugins.org goes before every other manifest. One of another version than 1.0.0, or one that breaks its schema, makes Codex refuse the plugin whatever else is there.",
		fix: "correct plugin.json, or remove its $schema", evidence: codexTried + ", add: \"missing or invalid plugin.json\"",
	}
	codexName = rule{
		id: "name", effect: fatal,
		title: "A plugin name that Codex refuses", help: "Names have ASCII letters, digits, \".\", \"_\" and \"-\". An empty name is replaced by that of the directory.",
		fix: "choose a name like release-notes", evidence: codexTried + ", add",
	}
	codexNameMismatch = rule{
		id: "name-mismatch", effect: fatal,
		title: "The manifest and the catalog entry have different names", help: "Codex installs a plugin only under the name that its manifest has.",
		fix: "use the entry's name in the manifest", evidence: codexTried + ", add: \"does not match marketplace plugin name\"",
	}
	codexVersion = rule{
		id: "version", effect: fatal,
		title: "A version that Codex refuses", help: "The version becomes a directory: ASCII letters, digits, \".\", \"+\", \"_\" and \"-\", not blank, not \"..\".",
		fix: "write three numbers, as in 1.2.0, or leave the version out", evidence: codexTried + ", add",
	}
	codexPath = rule{
		id: "path", effect: part,
		title: "A component path that Codex ignores", help: "Paths begin with \"./\", name something below the plugin's directory, and have no \"..\". Codex drops others with a line in its log.",
		fix: "write the path from the plugin's directory", evidence: "codex-rs core-plugins manifest.rs, resolve_manifest_path",
	}
	codexHooks = rule{
		id: "hooks", effect: part,
		title: "Hooks that Codex does not load", help: "A hooks file that is not JSON, or has a value of a wrong type, adds no hooks. The rest of the plugin loads.",
		fix: "correct the file", evidence: codexTried + ", hooks/list of an installed plugin",
	}
	codexServers = rule{
		id: "mcp-servers", effect: part,
		title: "MCP servers that Codex does not load", help: "A file of servers that is not JSON adds none, and a server without a command or a url is dropped.",
		fix: "correct the file", evidence: codexTried + ", plugin/read of an installed plugin",
	}
	codexSkill = rule{
		id: "skill", effect: part,
		title: "A skill that Codex does not load", help: "A skill needs frontmatter that is YAML, with a description, and a name of at most 64 characters.",
		fix: "correct the frontmatter", evidence: codexTried + ", skills/list of an installed plugin",
	}
	codexLinks = rule{
		id: "links", effect: part,
		title: "A symbolic link that Codex leaves out", help: "Codex copies directories and regular files when it installs a plugin. Links are dropped without a word.",
		fix: "put a copy of the file in its place", evidence: codexTried + ", add of a plugin with a link inside",
	}
)

// codexCalled holds what a plugin without a name is called; no field has this
// name.
const codexCalled = "\x00called"

const agentPluginsSchema = "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json"

// codexManifests is the order in which Codex looks for a manifest after the one
// of Agent Plugins.
func codexManifests() []string {
	return []string{".codex-plugin/plugin.json", ".claude-plugin/plugin.json", ".cursor-plugin/plugin.json"}
}

// isAgentPlugins reports whether a plugin.json at the root claims to be of the
// Agent Plugins specification, whatever version.
func isAgentPlugins(t *tree.Tree) bool {
	f := regular(t, "plugin.json")
	if f == nil {
		return false
	}
	v, _ := parse(f.Data)
	return strings.HasPrefix(text(object(v)["$schema"]), "https://agent-plugins.org/")
}

// regular returns a file that is no symbolic link, or nil.
func regular(t *tree.Tree, p string) *tree.File {
	if f := t.Lookup(p); f != nil && f.Link == "" {
		return f
	}
	return nil
}

func codexPackage(j *judge, t *tree.Tree, in Place) {
	entry := in.fields()
	file := ""
	switch i := slices.IndexFunc(codexManifests(), func(p string) bool { return regular(t, p) != nil }); {
	case isAgentPlugins(t):
		codexStandard(j, t, entry)
		return
	case i >= 0:
		file = codexManifests()[i]
	case len(entry) > 2 || len(entry) == 2 && entry["source"] == nil:
		codexFill(j, t, "", entry)
		return
	case in.Entry == nil && t.Lookup("SKILL.md") != nil:
		codexLoneSkill(j, t, in)
		return
	case in.Entry != nil:
		r := codexNothing
		r.effect = fatal
		j.report(r, whole(), "it does not install the plugin: there is no manifest that it reads")
		return
	default:
		j.unread = true
		j.report(codexNothing, whole(), "there is nothing here for it")
		return
	}
	own, ok := codexManifest(j, t, file)
	if !ok {
		return
	}
	name := strings.TrimSpace(text(own["name"]))
	switch {
	case name == "":
		// Then it is called as the directory of the installed copy, which is its version.
		own[codexCalled] = cmp.Or(strings.TrimSpace(text(own["version"])), "local")
	case !codexPlugin(name):
		j.report(codexName, j.in("name"), "it does not install the plugin: the name %q has other characters than letters, digits, \".\", \"_\" and \"-\"", clip(name))
	case in.Entry != nil && in.Entry.Name != "" && name != in.Entry.Name:
		j.report(codexNameMismatch, j.in("name"), "it does not install the plugin: the manifest calls it %q, the catalog %q", clip(name), clip(in.Entry.Name))
	}
	codexVersionCheck(j, own)
	codexFill(j, t, file, own)
}

// codexPlugin reports whether Codex takes a plugin's name.
func codexPlugin(name string) bool { return only(name, "._-") && name != "." && name != ".." }

// codexManifest reads a manifest, and is false when Codex cannot.
func codexManifest(j *judge, t *tree.Tree, file string) (map[string]any, bool) {
	data := t.Lookup(file).Data
	j.file, j.data = file, data
	v, found := parse(data)
	if p, bad := broken(found, badSyntax, badEncoding, hasBOM, oddValue); bad {
		j.report(codexManifestText, place{file: file, line: p.Line, column: p.Column}, "it does not install the plugin: %s", p.Message)
		return nil, false
	}
	own, ok := v.(map[string]any)
	if list, isList := v.([]any); isList && len(list) == 0 {
		return map[string]any{}, true // an empty list is read as a manifest without fields
	}
	if !ok {
		j.report(codexManifestType, j.in(), "it does not install the plugin: the manifest is %s, want an object", kindOf(v))
		return nil, false
	}
	for _, m := range codexManifestShape() {
		j.check(codexManifestType, -1, own, m, "it does not install the plugin")
	}
	known := []string{"name", "version", "description", "keywords", "skills", "mcpServers", "apps", "hooks", "interface"}
	for _, d := range syntax.DuplicateKeys(data) {
		if len(d.Path) == 1 && slices.Contains(known, d.Path[0]) {
			j.report(codexManifestKeys, place{file: file, line: d.Line, column: d.Column}, "it does not install the plugin: the key %q is there twice", clip(d.Path[0]))
		}
	}
	return own, true
}

func codexManifestShape() []member {
	some := nullable(isText)
	return []member{
		optional("name", isText), optional("version", some), optional("description", some), optional("keywords", listOf(isText)),
		optional("apps", some),
		optional("interface", noneOr(objectOf(
			optional("displayName", some), optional("shortDescription", some), optional("longDescription", some),
			optional("developerName", some), optional("category", some), optional("capabilities", listOf(isText)),
			optional("websiteUrl", some), optional("websiteURL", some), optional("privacyPolicyUrl", some), optional("privacyPolicyURL", some),
			optional("termsOfServiceUrl", some), optional("termsOfServiceURL", some), optional("brandColor", some),
			optional("composerIcon", some), optional("logo", some), optional("logoDark", some), optional("screenshots", listOf(isText)),
		))),
	}
}

func codexVersionCheck(j *judge, own map[string]any) {
	v, ok := own["version"].(string)
	if !ok {
		return
	}
	switch v = strings.TrimSpace(v); {
	case v == "":
		j.report(codexVersion, j.in("version"), "it does not install the plugin: the version is blank")
	case !only(v, ".+_-") || v == "." || v == ".." || len(v) > 255:
		j.report(codexVersion, j.in("version"), "it does not install the plugin: the version %q cannot be a directory", clip(v))
	}
}

// codexResolve returns the path inside the package that a field names, or
// reports that Codex ignores it.
func codexResolve(j *judge, field, p string) (string, bool) {
	rel, dotted := strings.CutPrefix(p, "./")
	if !dotted || rel == "" || strings.Contains(p, "\x00") || hasDots(rel) || strings.HasPrefix(rel, "/") || path.Clean(rel) == "." {
		j.report(codexPath, j.in(field), "it ignores the path %q in %q", clip(p), field)
		return "", false
	}
	return path.Clean(rel), true
}

// codexStandard reads a plugin of the Agent Plugins specification.
func codexStandard(j *judge, t *tree.Tree, entry map[string]any) {
	own, ok := codexManifest(j, t, "plugin.json")
	if !ok {
		return
	}
	if s := text(own["$schema"]); s != agentPluginsSchema {
		j.report(codexAgentPlugins, j.in("$schema"), "it does not install the plugin: it reads %s only", agentPluginsSchema)
	}
	for _, m := range []member{
		required("name", named(isStandardName, "a name of lower-case letters, digits, \"-\" and \".\" of at most 64")),
		optional("author", closedObject("name", "email", "url")), optional("homepage", isText), optional("repository", isText), optional("license", isText),
	} {
		j.check(codexAgentPlugins, -1, own, m, "it does not install the plugin")
	}
	name := text(own["name"])
	if want := text(entry["name"]); want != "" && name != "" && name != want {
		j.report(codexNameMismatch, j.in("name"), "it does not install the plugin: the manifest calls it %q, the catalog %q", clip(name), clip(want))
	}
	codexSkills(j, t, "skills")
	if f := t.Lookup("mcp.json"); f != nil {
		v, found := parse(f.Data)
		if _, bad := broken(found, badSyntax, badEncoding, hasBOM); bad {
			j.report(codexServers, place{file: "mcp.json", line: 1, column: 1}, "it does not load the file of servers")
			return
		}
		for name := range object(object(v)["mcpServers"]) {
			j.component(manifest.Component{Type: manifest.ServerComponent, Name: name, Path: "mcp.json"})
		}
	}
}

// isStandardName reports whether the Agent Plugins specification takes a name.
func isStandardName(s string) bool {
	if s == "" || len(s) > 64 || strings.Contains(s, "--") || strings.Contains(s, "..") || strings.ToLower(s) != s || !only(s, ".-") {
		return false
	}
	return isAlnum(s[0]) && isAlnum(s[len(s)-1])
}

// codexLoneSkill judges a package that is one skill.
func codexLoneSkill(j *judge, t *tree.Tree, in Place) {
	f := t.Lookup("SKILL.md")
	name, ok := codexSkillFile(j, *f)
	if !ok {
		j.found[len(j.found)-1].weigh(fatal)
		return
	}
	if s := readSkill(f.Data); s.name == "" && in.Dir != "" {
		name = in.Dir
	}
	j.component(manifest.Component{Type: manifest.SkillComponent, Name: name, Path: "SKILL.md"})
}
