package compat

import (
	"bytes"
	"cmp"
	stdjson "encoding/json"
	"path"
	"slices"
	"strings"

	"pinion/internal/syntax"
	"pinion/manifest"
	"pinion/tree"
)

// copilotHost is the GitHub Copilot CLI. Its plugins came with 0.0.392; what
// the rules say of the newest version was tried with 1.0.102.
func copilotHost() *host {
	return &host{
		name: Copilot, title: "Copilot CLI",
		first: Version{0, 0, 392}, newest: Version{1, 0, 102},
		rules: []rule{
			copilotPlugins, copilotNothing, copilotManifestText, copilotManifestType, copilotPart, copilotSkill, copilotServers,
			copilotStandard, copilotOpenPlugin, copilotLSP, copilotHooks,
			copilotCatalogText, copilotCatalogHeader, copilotName, copilotTwice, copilotSource, copilotPath, copilotNoDirectory,
			copilotSHA, copilotEmail, copilotRemote, copilotUpper, copilotPlace,
		},
		pkg:      copilotPackage,
		catalogs: []string{"marketplace.json", ".plugin/marketplace.json", ".github/plugin/marketplace.json", ".claude-plugin/marketplace.json"},
		catalog:  copilotCatalog,
	}
}

var (
	copilotNothing = rule{
		id: "nothing", effect: note,
		title: "Nothing that Copilot loads", help: "Copilot looks for .plugin/plugin.json, plugin.json, .github/plugin/plugin.json and .claude-plugin/plugin.json, or takes the catalog's entry. A SKILL.md at the top is a skill.",
		fix: "add plugin.json", evidence: copilotTried + ", install",
	}
	copilotManifestText = rule{
		id: "manifest-json", effect: part,
		title: "A manifest that Copilot cannot read", help: "When the manifest is no JSON, Copilot loads the plugin from its usual directories, as if there were none.",
		fix: "correct the file", evidence: copilotTried + ", install of a plugin with each fault",
	}
	copilotManifestType = rule{
		id: "manifest-type", effect: part,
		title: "A manifest field that Copilot ignores", help: "Copilot loads the plugin whatever is in its manifest. A path field of a wrong type adds nothing, and still replaces the directory.",
		fix: "write a value of the wanted type", evidence: copilotTried + ", install of a plugin with each fault",
	}
	copilotPart = rule{
		id: "path", effect: part,
		title: "A component path that Copilot ignores", help: "A path that does not exist or leaves the plugin adds nothing.",
		fix: "write the path from the plugin's directory", evidence: copilotTried,
	}
	copilotSkill = rule{
		id: "skill", effect: part,
		title: "A skill that Copilot does not load", help: "The frontmatter of a skill has to be YAML, with a name and a description that are strings, when they are there.",
		fix: "correct the frontmatter", evidence: copilotTried + ", skill list",
	}
	copilotServers = rule{
		id: "mcp-servers", effect: part,
		title: "MCP servers that Copilot does not load", help: "A file of servers that is not JSON, or a server without a command or a url, adds none.",
		fix: "correct the file", evidence: copilotTried + ", mcp list",
	}
	copilotStandard = rule{
		id: "agent-plugins", effect: fatal, versions: before(1, 0, 74),
		title: "A plugin of the Agent Plugins specification", help: "plugin.json of Agent Plugins 1.0 and its mcp.json are read since 1.0.74.",
		fix: "add .claude-plugin/plugin.json for older versions", evidence: "changelog of 1.0.74",
	}
	copilotOpenPlugin = rule{
		id: "open-plugin-place", effect: fatal, versions: before(1, 0, 6),
		title: "A manifest in .plugin", help: "The file locations of the Open Plugin specification are looked at since 1.0.6.",
		fix: "add plugin.json at the root", evidence: "changelog of 1.0.6",
	}
	copilotLSP = rule{
		id: "lsp-servers", effect: part, versions: before(0, 0, 405),
		title: "Language servers", help: "Plugins bring language servers since 0.0.405.",
		fix: "use a newer Copilot", evidence: "changelog of 0.0.405",
	}
	copilotHooks = rule{
		id: "hooks", effect: part, versions: before(0, 0, 402),
		title: "Hooks", help: "Plugins bring hooks since 0.0.402.",
		fix: "use a newer Copilot", evidence: "changelog of 0.0.402",
	}
)

// copilotManifests is the order in which Copilot looks for a manifest.
func copilotManifests() []string {
	return []string{".plugin/plugin.json", "plugin.json", ".github/plugin/plugin.json", ".claude-plugin/plugin.json"}
}

func copilotPackage(j *judge, t *tree.Tree, in Place) {
	j.report(copilotPlugins, whole(), "it has no plugins before 0.0.392")
	entry := in.fields()
	file := ""
	if i := slices.IndexFunc(copilotManifests(), func(p string) bool { return t.Lookup(p) != nil }); i >= 0 {
		file = copilotManifests()[i]
	}
	own := map[string]any{}
	switch {
	case file != "":
		own = copilotManifest(j, t, file)
	case in.Entry == nil && t.Lookup("SKILL.md") != nil:
		copilotLoneSkill(j, t, in)
		return
	case in.Entry == nil:
		j.unread = true
		j.report(copilotNothing, whole(), "there is nothing here for it")
		return
	}
	if isAgentPlugins(t) && file == "plugin.json" {
		j.report(copilotStandard, place{file: file}, "it reads plugins of Agent Plugins since 1.0.74")
		if text(own["$schema"]) != agentPluginsSchema {
			j.report(copilotManifestType, j.in("$schema"), "it loads nothing of a plugin of another version of the specification than 1.0.0")
			return
		}
	}
	if strings.HasPrefix(file, ".plugin/") {
		j.report(copilotOpenPlugin, place{file: file}, "it looks into .plugin since 1.0.6")
	}
	// An entry's own fields are not looked at, but for servers.
	field := func(key string) any { return own[key] }
	copilotDirs(j, t, field, "skills", copilotSkillDir)
	if f := t.Lookup("SKILL.md"); f != nil && field("skills") == nil && !t.HasDir("skills") {
		copilotSkillFile(j, *f)
	}
	copilotDirs(j, t, field, "commands", copilotCommandDir)
	copilotDirs(j, t, field, "agents", copilotAgentDir)
	copilotServerSources(j, t, own["mcpServers"], entry["mcpServers"])
	if t.Lookup("hooks.json") != nil || t.Lookup("hooks/hooks.json") != nil || field("hooks") != nil {
		j.report(copilotHooks, whole(), "it takes hooks from plugins since 0.0.402")
	}
	if t.Lookup("lsp.json") != nil || t.Lookup(".lsp.json") != nil || field("lspServers") != nil {
		j.report(copilotLSP, whole(), "it takes language servers from plugins since 0.0.405")
	}
}

// copilotManifest reads a manifest; without one that can be read the usual
// directories are what counts.
func copilotManifest(j *judge, t *tree.Tree, file string) map[string]any {
	data := t.Lookup(file).Data
	j.file, j.data = file, data
	v, found := parse(data)
	if p, bad := broken(found, badSyntax, badEncoding); bad {
		j.report(copilotManifestText, place{file: file, line: p.Line, column: p.Column}, "it does not read the manifest: %s", p.Message)
		return nil
	}
	own, ok := v.(map[string]any)
	if !ok {
		j.report(copilotManifestType, j.in(), "it ignores the manifest, which is %s", kindOf(v))
		return nil
	}
	paths := either("a path or a list of paths", isText, listOf(isText))
	for _, m := range []member{optional("skills", paths), optional("commands", paths), optional("agents", paths)} {
		j.check(copilotManifestType, -1, own, m, "it loads nothing from the field")
	}
	return own
}

// copilotDirs reads the directories of a field, or the one that it has by
// default: a field replaces it.
func copilotDirs(j *judge, t *tree.Tree, field func(string) any, key string, read func(*judge, *tree.Tree, string) int) {
	v := field(key)
	if v == nil {
		read(j, t, key)
		return
	}
	if v == "" {
		read(j, t, key)
		return
	}
	if list, ok := v.([]any); ok && len(list) != len(texts(v)) {
		return // one element of another type makes it no list of paths
	}
	for _, p := range texts(v) {
		dir := inside(p)
		if dir == ".." || strings.HasPrefix(dir, "../") || read(j, t, dir) == 0 {
			j.report(copilotPart, place{file: j.file}, "nothing is loaded from the path %q in %q", clip(p), key)
		}
	}
}

func copilotSkillDir(j *judge, t *tree.Tree, dir string) int {
	n := 0
	prefix := dir + "/"
	if dir == "" {
		prefix = ""
	}
	if f := t.Lookup(prefix + "SKILL.md"); f != nil {
		copilotSkillFile(j, *f)
		return 1
	}
	var within []string // the skills that were found; it does not look into them
	for _, f := range t.Files {
		rest, ok := strings.CutPrefix(f.Path, prefix)
		inner := slices.ContainsFunc(within, func(d string) bool { return strings.HasPrefix(f.Path, d) })
		if ok && strings.Count(rest, "/") <= 5 && base(rest) == "SKILL.md" && !strings.Contains("/"+rest, "/.") && !inner {
			copilotSkillFile(j, f)
			within = append(within, strings.TrimSuffix(f.Path, "SKILL.md"))
			n++
		}
	}
	return n
}

func copilotSkillFile(j *judge, f tree.File) {
	s := readSkill(bytes.ToValidUTF8(f.Data, []byte("\ufffd")))
	name := s.name
	if name == "" {
		name = base(path.Dir(f.Path))
	}
	if why := copilotSkillFault(s); why != "" {
		j.report(copilotSkill, place{file: f.Path, line: 1, column: 1}, "it leaves the skill out: %s", why)
		return
	}
	j.component(manifest.Component{Type: manifest.SkillComponent, Name: dashed(name), Path: f.Path})
}

// dashed is a name as it is typed after a slash.
func dashed(name string) string { return strings.ReplaceAll(name, " ", "-") }

// copilotSkillFault returns why Copilot leaves a skill or an agent out, or "".
func copilotSkillFault(s skill) string {
	switch {
	case !s.front || !s.first && !s.marked:
		return "it has no frontmatter at its beginning"
	case s.broken && bytes.Contains(s.raw, []byte(":")): // anything else is taken for text
		return "its frontmatter is no YAML"
	}
	for _, f := range s.fields {
		ok := true
		switch f.Key {
		case "name":
			ok = (f.Kind == syntax.String || f.Kind == syntax.Date) && len(f.Value) <= 64 && only(f.Value, "-_. ")
		case "description":
			ok = f.Kind == syntax.String && len([]rune(f.Value)) <= 1024
		case "argument-hint", "model":
			ok = f.Kind == syntax.String || f.Kind == syntax.Null
		case "tools", "allowed-tools":
			ok = f.Kind != syntax.Map
		case "disable-model-invocation", "user-invocable":
			ok = f.Kind == syntax.Bool || f.Kind == syntax.Null
		}
		if !ok {
			return quoted([]any{f.Key}) + " is of a type or length that it does not take"
		}
	}
	return ""
}

func copilotAgentDir(j *judge, t *tree.Tree, dir string) int {
	n := 0
	add := func(p string) {
		s := readSkill(t.Lookup(p).Data)
		if name, ok := strings.CutSuffix(base(p), ".md"); ok && copilotSkillFault(s) == "" && s.description != "" {
			j.component(manifest.Component{Type: manifest.AgentComponent, Name: strings.TrimSuffix(name, ".agent"), Path: p})
			n++
		}
	}
	if t.Lookup(dir) != nil {
		add(dir)
	}
	for _, f := range t.Under(dir) {
		if path.Dir(f.Path) == dir {
			add(f.Path)
		}
	}
	return n
}

func copilotCommandDir(j *judge, t *tree.Tree, dir string) int {
	n := 0
	add := func(p string) {
		data := t.Lookup(p).Data
		sk := readSkill(data)
		stem := base(p)[:len(base(p))-len(".md")]
		if strings.HasPrefix(stem, ".") || (sk.front || bytes.HasPrefix(data, []byte("---"))) && copilotSkillFault(sk) != "" {
			return // a command needs no frontmatter, but a good one if there is one
		}
		j.component(manifest.Component{Type: manifest.CommandComponent, Name: dashed(cmp.Or(sk.name, stem)), Path: p})
		n++
	}
	if strings.HasSuffix(dir, ".md") && t.Lookup(dir) != nil {
		add(dir)
		return n
	}
	for _, f := range t.Under(dir) {
		if strings.EqualFold(path.Ext(f.Path), ".md") && path.Dir(f.Path) == dir {
			add(f.Path)
		}
	}
	return n
}

func copilotServerSources(j *judge, t *tree.Tree, fields ...any) {
	add := func(file string, servers map[string]any) {
		for name, s := range servers {
			why := copilotServerFault(object(s))
			if name == "" {
				why = "has no name"
			}
			if why != "" {
				j.report(copilotServers, place{file: file}, "it loads none of the servers: the server %q %s", clip(name), why)
				return
			}
		}
		for name := range servers {
			j.component(manifest.Component{Type: manifest.ServerComponent, Name: name, Path: file})
		}
	}
	file := func(p string) bool {
		f := t.Lookup(p)
		if f == nil {
			return false
		}
		doc, isObject := document(t, p, badSyntax, badEncoding, hasBOM).(map[string]any)
		if !isObject {
			j.report(copilotServers, place{file: p, line: 1, column: 1}, "it does not load the file of servers")
			return true
		}
		if servers, ok := doc["mcpServers"]; ok {
			doc = object(servers)
		}
		add(p, doc)
		return true
	}
	// The first that is there counts, and the file goes before the fields.
	for _, p := range []string{".mcp.json", ".github/mcp.json"} {
		if file(p) {
			return
		}
	}
	if isAgentPlugins(t) && file("mcp.json") {
		return
	}
	for _, v := range fields {
		switch m := v.(type) {
		case string:
			if file(inside(m)) {
				return
			}
		case map[string]any:
			add("", m)
			return
		}
	}
}

// copilotServerFault returns why a server makes Copilot drop all of its file, or
// "".
func copilotServerFault(s map[string]any) string {
	if typ, ok := s["type"]; ok && !slices.Contains([]string{"local", "stdio", "http", "sse", "streamable-http"}, text(typ)) {
		return "is of an unknown type"
	}
	_, remote := s["url"].(string)
	_, local := s["command"].(string)
	switch {
	case !local && (!remote || text(s["type"]) == "stdio" || text(s["type"]) == "local"):
		return "has no command"
	case !remote && (text(s["type"]) != "" && text(s["type"]) != "stdio" && text(s["type"]) != "local"):
		return "has no url"
	}
	if _, want := isURL(s["url"]); remote && want != "" {
		return "has a url that is none"
	}
	if at, want := objectOf(optional("args", listOf(isText)), optional("env", mapOf(isText)), optional("headers", mapOf(isText)), optional("cwd", isText))(s); want != "" {
		return "has " + quoted(at) + " that is not " + want
	}
	if timeout, ok := s["timeout"]; ok {
		if _, isNumber := timeout.(stdjson.Number); !isNumber {
			return "has a timeout that is no number"
		}
	}
	return ""
}

// copilotLoneSkill judges a package that is one skill.
func copilotLoneSkill(j *judge, t *tree.Tree, in Place) {
	n := len(j.found)
	copilotSkillFile(j, *t.Lookup("SKILL.md"))
	if len(j.found) > n {
		j.found[n].weigh(fatal)
	}
}
