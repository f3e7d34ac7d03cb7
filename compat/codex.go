package compat

import (
	"cmp"
	stdjson "encoding/json"
	"path"
	"regexp"
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

// codexPaths are the paths of a field; a list with anything else in it is none.
func codexPaths(v any) []string {
	out := texts(v)
	if l, ok := v.([]any); ok && len(l) != len(out) {
		return nil
	}
	return out
}

// codexFill lists the components of a plugin: own are the fields of its
// manifest, or of the catalog entry.
func codexFill(j *judge, t *tree.Tree, file string, own map[string]any) {
	if file == "" {
		j.file, j.data = "", nil
		codexVersionCheck(j, own)
	}
	for _, f := range t.Files {
		if f.Link != "" {
			j.report(codexLinks, place{file: f.Path}, "it leaves out the symbolic link %q", clip(f.Path))
		}
	}
	var roots []string
	for _, p := range codexPaths(own["skills"]) {
		if dir, ok := codexResolve(j, "skills", p); ok && !slices.Contains(roots, dir) {
			roots = append(roots, dir)
		}
	}
	if len(roots) == 0 { // else they replace the directory
		roots = []string{"skills"}
	}
	for _, dir := range roots {
		codexSkills(j, t, dir)
	}
	if called := text(own[codexCalled]); called != "" {
		for i := range j.components {
			j.components[i].Name = called + ":" + j.components[i].Name
		}
	}
	codexCommands(j, t, own)
	codexHookSources(j, t, own)
	codexServerSources(j, t, own)
}

func (j *judge) component(c manifest.Component) {
	if !slices.Contains(j.components, c) {
		j.components = append(j.components, c)
	}
}

// codexSkills lists the skills below a directory, at any depth up to six.
func codexSkills(j *judge, t *tree.Tree, dir string) {
	for _, f := range t.Under(dir) {
		if base(f.Path) == "SKILL.md" && f.Link == "" && strings.Count(strings.TrimPrefix(f.Path, dir), "/") <= 7 && !hiddenBelow(f.Path, dir) {
			if name, ok := codexSkillFile(j, f); ok {
				j.component(manifest.Component{Type: manifest.SkillComponent, Name: name, Path: f.Path})
			}
		}
	}
}

// hiddenBelow reports whether a directory between dir and the file is hidden.
func hiddenBelow(p, dir string) bool {
	return strings.Contains(strings.TrimPrefix(p, dir), "/.")
}

// codexSkillFile returns the name of a skill, or reports why it is left out.
func codexSkillFile(j *judge, f tree.File) (string, bool) {
	s := readSkill(f.Data)
	mended := s.mend()
	name := s.name
	if name == "" {
		name = base(path.Dir(f.Path))
	}
	why := ""
	switch {
	case !s.front || !s.first:
		why = "its first line does not begin the frontmatter"
	case s.broken && !mended:
		why = "its frontmatter is no YAML"
	case s.description == "":
		why = "it has no description"
	case len([]rune(name)) > 64:
		why = "its name has more than 64 characters"
	case !s.fits():
		why = "a value of its frontmatter has another type than Codex wants"
	}
	if why != "" {
		j.report(codexSkill, place{file: f.Path, line: 1, column: 1}, "it leaves the skill out: %s", why)
		return "", false
	}
	return name, true
}

// codexCommands lists the commands, of which an installation makes skills: those
// with a description and without anything that only a command can have.
func codexCommands(j *judge, t *tree.Tree, own map[string]any) {
	type found struct{ name, path string }
	var all []found
	take := func(dir string, f tree.File) {
		rel, ok := strings.CutSuffix(strings.TrimPrefix(strings.TrimPrefix(f.Path, dir), "/"), ".md")
		s := readSkill(f.Data)
		if ok && f.Link == "" && base(rel) != "README" && s.first && !s.broken && s.description != "" && !commandOnly(string(f.Data)) {
			all = append(all, found{slug(rel), f.Path})
		}
	}
	for _, p := range codexCommandPaths(j, own) {
		if f := t.Lookup(p); f != nil {
			take(path.Dir(p), *f)
			continue
		}
		for _, f := range t.Under(p) {
			take(p, f)
		}
	}
	for _, c := range all {
		// Two of one name are both left out.
		twice := slices.ContainsFunc(all, func(o found) bool { return o.name == c.name && o.path != c.path })
		if !twice && len("source-command-"+c.name) <= 64 {
			j.component(manifest.Component{Type: manifest.CommandComponent, Name: c.name, Path: c.path})
		}
	}
}

// codexCommandPaths are the directory commands, or what the manifest has in its
// place.
func codexCommandPaths(j *judge, own map[string]any) (out []string) {
	v, ok := own["commands"]
	if !ok {
		return []string{"commands"}
	}
	for _, p := range texts(v) {
		if r, ok := codexResolve(j, "commands", p); ok {
			out = append(out, r)
		}
	}
	return out
}

// commandOnly reports whether a command takes arguments, or runs or reads
// something, which no skill can.
func commandOnly(body string) bool {
	numbered := false
	for i := 0; i+1 < len(body); i++ {
		numbered = numbered || body[i] == '$' && body[i+1] >= '0' && body[i+1] <= '9'
	}
	reads := slices.ContainsFunc(strings.Fields(body), func(w string) bool { return len(w) > 1 && w[0] == '@' })
	return numbered || reads || strings.Contains(body, "$ARGUMENTS") || strings.Contains(body, "!`") || strings.Contains(body, "! `") ||
		strings.Contains(body, "{{") && strings.Contains(body, "}}")
}

// slug is a name of lower-case letters, digits and dashes.
func slug(s string) string {
	var b strings.Builder
	dash := false
	for _, r := range strings.ToLower(s) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
			dash = false
		case !dash:
			b.WriteByte('-')
			dash = true
		}
	}
	return strings.Trim(b.String(), "-")
}

func codexHookSources(j *judge, t *tree.Tree, own map[string]any) {
	file := func(p string) {
		f := regular(t, p)
		if f == nil {
			return
		}
		v, found := parse(f.Data)
		q, bad := broken(found, badSyntax, badEncoding, hasBOM)
		if why := codexHooksFault(v); bad || why != "" {
			j.report(codexHooks, place{file: p, line: max(q.Line, 1), column: max(q.Column, 1)}, "it does not load the hooks file: %s", cmp.Or(q.Message, why))
			return
		}
		j.hookEvents(p, object(v)["hooks"], codexEvents(), codexHandler)
	}
	switch h := own["hooks"].(type) {
	case string:
		if p, ok := codexResolve(j, "hooks", h); ok {
			file(p)
			return
		}
	case []any:
		paths := texts(h)
		if len(paths) == len(h) && len(h) > 0 {
			any := false
			for _, p := range paths {
				if r, ok := codexResolve(j, "hooks", p); ok {
					file(r)
					any = true
				}
			}
			if any {
				return
			}
			break
		}
		if len(h) > 0 && !slices.ContainsFunc(h, func(e any) bool { return codexHooksFault(e) != "" }) {
			for _, e := range h {
				j.hookEvents("", object(e)["hooks"], codexEvents(), codexHandler)
			}
			return
		}
	case map[string]any:
		// An object without "hooks" is read as one without hooks.
		if codexHooksFault(h) == "" {
			j.hookEvents("", h["hooks"], codexEvents(), codexHandler)
			return
		}
	}
	file("hooks/hooks.json")
}

// codexHooksFault returns why an object of hooks is refused as a whole, or "".
func codexHooksFault(v any) string {
	o, ok := v.(map[string]any)
	if !ok {
		return "it is " + kindOf(v) + ", want an object"
	}
	for key := range o {
		if key != "hooks" && key != "description" {
			return "it has the unknown key " + quoted([]any{key})
		}
	}
	hooks, there := o["hooks"]
	if !there {
		return ""
	}
	events, ok := hooks.(map[string]any)
	if !ok {
		return "\"hooks\" is " + kindOf(hooks) + ", want an object"
	}
	whole := func(v any) ([]any, string) {
		if n, ok := v.(stdjson.Number); !ok || strings.ContainsAny(string(n), ".-eE") {
			return nil, "a whole number"
		}
		return nil, ""
	}
	handler := func(v any) ([]any, string) {
		needs := map[string][]member{
			"command":  {required("command", isText), optional("timeout", nullable(whole))},
			"mcp_tool": {required("server", isText), required("tool", isText)},
			"prompt":   nil, "agent": nil,
		}
		members, known := needs[text(object(v)["type"])]
		if !known {
			return nil, "a hook of a type that it knows"
		}
		return objectOf(members...)(v)
	}
	matchers := listOf(objectOf(optional("matcher", nullable(isText)), optional("hooks", listOf(handler))))
	for event, list := range events {
		if !slices.Contains(codexEvents(), event) {
			continue
		}
		if at, want := matchers(list); want != "" {
			return quoted(append([]any{event}, at...)) + " is not " + want
		}
	}
	return ""
}

// hookEvents lists the events of an object of hooks that have a handler which
// the host takes, in their order of known names.
func (j *judge) hookEvents(file string, v any, known []string, takes func(any) bool) {
	for _, event := range known {
		list, _ := object(v)[event].([]any)
		taken := slices.ContainsFunc(list, func(m any) bool {
			if p := text(object(m)["matcher"]); p != "" && p != "*" {
				if _, err := regexp.Compile(p); err != nil {
					return false
				}
			}
			handlers, _ := object(m)["hooks"].([]any)
			return slices.ContainsFunc(handlers, takes)
		})
		if taken {
			j.component(manifest.Component{Type: manifest.HookComponent, Name: event, Path: file})
		}
	}
}

func codexEvents() []string {
	return []string{
		"PreToolUse", "PermissionRequest", "PostToolUse", "PreCompact", "PostCompact", "SessionStart", "UserPromptSubmit",
		"SubagentStart", "SubagentStop", "Stop", "SessionEnd",
	}
}

func codexHandler(v any) bool {
	h := object(v)
	return text(h["type"]) == "mcp_tool" || text(h["type"]) == "command" && strings.TrimSpace(text(h["command"])) != ""
}

func codexServerSources(j *judge, t *tree.Tree, own map[string]any) {
	add := func(file string, servers map[string]any) {
		for name, s := range servers {
			if why := codexServerFault(s); why != "" {
				j.report(codexServers, place{file: file}, "it drops the server %q: %s", clip(name), why)
				continue
			}
			j.component(manifest.Component{Type: manifest.ServerComponent, Name: name, Path: file})
		}
	}
	file := func(p string) {
		f := t.Lookup(p)
		if f == nil || f.Link != "" {
			return
		}
		v, found := parse(f.Data)
		q, bad := broken(found, badSyntax, badEncoding, hasBOM)
		doc, isObject := v.(map[string]any)
		if bad || !isObject {
			j.report(codexServers, place{file: p, line: max(q.Line, 1), column: max(q.Column, 1)}, "it does not load the file of servers")
			return
		}
		if servers, ok := doc["mcpServers"].(map[string]any); ok {
			add(p, servers)
			return
		}
		add(p, doc)
	}
	switch m := own["mcpServers"].(type) {
	case string:
		if p, ok := codexResolve(j, "mcpServers", m); ok {
			file(p)
			return
		}
	case map[string]any:
		if inner, ok := m["mcpServers"].(map[string]any); ok {
			m = inner
		}
		add("", m)
		return
	}
	file(".mcp.json")
}

// codexServerFault returns why Codex drops a server, or "".
func codexServerFault(v any) string {
	o, ok := v.(map[string]any)
	if !ok {
		return "it is " + kindOf(v) + ", want an object"
	}
	_, hasCommand := o["command"].(string)
	_, hasURL := o["url"].(string)
	if hasCommand == hasURL {
		return "it needs either a command or a url"
	}
	if at, want := objectOf(optional("args", nullable(listOf(isText))), optional("env", nullable(mapOf(isText))), optional("cwd", nullable(isText)), optional("tools", nullable(objectOf())))(v); want != "" {
		return quoted(at) + " is not " + want
	}
	return ""
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
