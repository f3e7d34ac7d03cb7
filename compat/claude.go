package compat

import (
	"strings"

	"pinion/manifest"
	"pinion/manifest/claude"
	"pinion/tree"
)

// claudeHost is Claude Code. Its plugins came with 2.0.12 (changelog); what the
// rules say of the newest version was tried with 2.1.332.
func claudeHost() *host {
	return &host{
		name: Claude, title: "Claude Code",
		first: Version{2, 0, 12}, newest: Version{2, 1, 332},
		rules:    claudeRules(),
		pkg:      claudePackage,
		catalogs: []string{".claude-plugin/marketplace.json"},
		catalog:  claudeCatalog,
	}
}

const claudeTried = "tried with Claude Code 2.1.332"

var (
	claudePlugins = rule{
		id: "plugins", effect: fatal, versions: before(2, 0, 12),
		title: "A version without plugins", help: "Claude Code has plugins and marketplaces since 2.0.12.",
		fix: "use a newer Claude Code", evidence: "changelog of 2.0.12, \"Plugin System Released\"",
	}
	claudeNothing = rule{
		id: "nothing", effect: note,
		title: "Nothing that Claude Code loads", help: "There is no .claude-plugin/plugin.json, no catalog entry, no directory of components and no SKILL.md.",
		fix: "add .claude-plugin/plugin.json", evidence: claudeTried,
	}
	claudeManifest = rule{
		id: "manifest", effect: fatal,
		title: "A plugin that Claude Code refuses", help: "plugin.json, the catalog entry or a file that guards permissions has something that makes Claude Code refuse the whole plugin; the message names the rule of the format.",
		fix: "see the rule that the message names", evidence: claudeTried + ", install and list of a plugin with each fault",
	}
	claudePart = rule{
		id: "part", effect: part,
		title: "A part of a plugin that Claude Code leaves out", help: "The plugin loads without this file, hook or server, and Claude Code says so in its list of errors, or nothing at all.",
		fix: "see the rule that the message names", evidence: claudeTried,
	}
	claudeDuplicateHooks = rule{
		id: "duplicate-hooks", effect: part, versions: before(2, 1, 290),
		title: "The hooks file that is loaded anyway is named again", help: "hooks/hooks.json is loaded by itself. When plugin.json names it too, 2.1.248 and older versions report the plugin as failed with \"Duplicate hooks file detected\", and users saw all of it dead. 2.1.290 loads the file once; between these two nothing was tried.",
		fix: "remove \"hooks\" from plugin.json", evidence: "tried with Claude Code 2.1.100, 2.1.248, 2.1.290 and 2.1.332, list; Daily-Nerd/daimon#179, asklokesh/loki-mode PR#196 with 2.1.247",
	}
	claudeManifestBOM = rule{
		id: "manifest-bom", effect: fatal, versions: before(2, 1, 248),
		title: "A manifest with a byte order mark", help: "A byte order mark in plugin.json is skipped by 2.1.248; 2.1.197 and older versions refuse the plugin. Between these two nothing was tried.",
		fix: "save the file without the mark; pinion validate --fix does", evidence: "tried with Claude Code 2.1.197, 2.1.248, 2.1.290 and 2.1.315, install; anthropics/claude-code#82705",
	}
	claudeDescribing = rule{
		id: "describing-type", effect: fatal, versions: before(2, 1, 332),
		title: "A describing field of a wrong type", help: "author, homepage, keywords and other fields that only describe the plugin are ignored by 2.1.332 when they are of a wrong type; older versions refuse to install the plugin.",
		fix: "write a value of the wanted type", evidence: "tried with Claude Code 2.1.100, 2.1.120, 2.1.197, 2.1.248, 2.1.290, 2.1.315 and 2.1.332, install: \"Validation errors: author: Invalid input\"",
	}
	claudeRootSkill = rule{
		id: "root-skill", effect: fatal, versions: before(2, 1, 142),
		title: "A skill at the top of the plugin", help: "A SKILL.md at the top of a plugin without skills/ is a skill since 2.1.142; before, the plugin adds nothing.",
		fix: "move it to skills/NAME/SKILL.md", evidence: "changelog of 2.1.142",
	}
	claudeLoneSkill = rule{
		id: "skills", effect: fatal, versions: before(2, 0, 20),
		title: "A skill by itself", help: "Claude Code reads skills from .claude/skills since 2.0.20.",
		fix: "use a newer Claude Code", evidence: "changelog of 2.0.20",
	}
	claudeRootPath = rule{
		id: "skills-dot", effect: fatal, versions: before(2, 1, 221),
		title: "The skills path \".\"", help: "\".\" for the plugin's own directory is accepted in \"skills\" since 2.1.221; before, a path has to begin with \"./\".",
		fix: "write \"./\"", evidence: "changelog of 2.1.221",
	}
	claudeSkillsHidden = rule{
		id: "skills-hidden", effect: part, versions: before(2, 1, 136),
		title: "Declared skills hide the directory", help: "\"skills\" in plugin.json adds to skills/ since 2.1.136; before, it hid that directory.",
		fix: "name ./skills/ in \"skills\" too", evidence: "changelog of 2.1.136",
	}
	claudeDefaultEnabled = rule{
		id: "default-enabled", effect: part, versions: before(2, 1, 154),
		title: "A plugin that starts disabled", help: "\"defaultEnabled\": false is followed since 2.1.154; before, the plugin is enabled when it is installed.",
		fix: "say in the description that the plugin can be disabled", evidence: "changelog of 2.1.154",
	}
	claudeMonitors = rule{
		id: "monitors", effect: part, versions: before(2, 1, 105),
		title: "Monitors", help: "Plugins have monitors since 2.1.105; before, they are not started.",
		fix: "use a newer Claude Code", evidence: "changelog of 2.1.105",
	}
	claudeThemes = rule{
		id: "themes", effect: part, versions: before(2, 1, 118),
		title: "Themes", help: "Plugins bring themes since 2.1.118.",
		fix: "use a newer Claude Code", evidence: "changelog of 2.1.118",
	}
	claudeBin = rule{
		id: "bin", effect: part, versions: before(2, 1, 91),
		title: "Programs in bin/", help: "Files in bin/ are on the agent's path since 2.1.91.",
		fix: "call the program by its path", evidence: "changelog of 2.1.91",
	}
	claudeUserConfig = rule{
		id: "user-config", effect: part, versions: before(2, 1, 83),
		title: "Settings that the user is asked for", help: "\"userConfig\" is asked for since 2.1.83.",
		fix: "read the value from the environment too", evidence: "changelog of 2.1.83",
	}
	claudeSettings = rule{
		id: "settings", effect: part, versions: before(2, 1, 49),
		title: "Settings that the plugin brings", help: "settings.json in a plugin is read since 2.1.49.",
		fix: "use a newer Claude Code", evidence: "changelog of 2.1.49",
	}
	claudeStyles = rule{
		id: "output-styles", effect: part, versions: before(2, 0, 41),
		title: "Output styles", help: "Plugins bring output styles since 2.0.41.",
		fix: "use a newer Claude Code", evidence: "changelog of 2.0.41",
	}
)

var claudeEvent = rule{
	id: "hook-event", effect: part,
	title: "A hook on an event that came later", help: "Hook events were added one by one; a version that lacks one never runs its hooks. " + claudeEventTable,
	fix: "use a newer Claude Code, or an older event", evidence: "changelog of each version",
}

// claudeEventTable says since when there are the events that came after plugins.
const claudeEventTable = "SubagentStart since 2.0.43; PermissionRequest 2.0.45; Setup 2.1.10; TeammateIdle 2.1.33; TaskCompleted 2.1.33; " +
	"ConfigChange 2.1.49; WorktreeCreate 2.1.50; WorktreeRemove 2.1.50; InstructionsLoaded 2.1.69; Elicitation 2.1.76; " +
	"ElicitationResult 2.1.76; PostCompact 2.1.76; StopFailure 2.1.78; CwdChanged 2.1.83; FileChanged 2.1.83; TaskCreated 2.1.84; " +
	"PermissionDenied 2.1.89; MessageDisplay 2.1.152; DirectoryAdded 2.1.219."

// claudeEventSince returns the version that added an event, zero for those that
// plugins had from the beginning.
func claudeEventSince(event string) Version {
	table := strings.TrimSuffix(strings.ReplaceAll(claudeEventTable, " since ", " "), ".")
	for line := range strings.SplitSeq(table, "; ") {
		name, since, _ := strings.Cut(line, " ")
		if v, err := ParseVersion(since); name == event && err == nil {
			return v
		}
	}
	return Version{}
}

func claudeRules() []rule {
	return []rule{
		claudePlugins, claudeNothing, claudeManifest, claudePart, claudeDuplicateHooks, claudeRootSkill, claudeLoneSkill, claudeRootPath,
		claudeSkillsHidden, claudeDefaultEnabled, claudeMonitors, claudeThemes, claudeBin, claudeUserConfig, claudeSettings,
		claudeStyles, claudeCatalogText, claudeCatalogBOM, claudeEntryKills, claudeDescribing, claudeManifestBOM, claudeCatalogHeader, claudeCatalogName, claudeEntry, claudeEntryName, claudeEntryID,
		claudeEntryPath, claudeNoDirectory, claudeBare, claudeSourceKind, claudeOldSourceKind, claudeGitSubdir, claudeArchive,
		claudeCommand, claudeHeaders, claudeRenames, claudeSHA, claudeEvent,
	}
}

// leftOut are the findings of the reader of Claude's format that say that the
// host drops something.
func leftOut(id string) bool {
	switch id {
	case "claude/hook", "claude/hook-event", "claude/mcp-server", "claude/lsp-server", "claude/monitor", "claude/no-skill",
		"claude/missing-path", "claude/path", "claude/hooks", "claude/misplaced", "skill/file-name",
		"json/syntax", "json/encoding", "json/bom":
		return true
	}
	return false
}

func claudePackage(j *judge, t *tree.Tree, in Place) {
	f := claude.New()
	if in.Entry == nil && t.Lookup(claude.ManifestPath) == nil && !f.Detect(t.Top) && t.Lookup("SKILL.md") == nil {
		j.unread = true
		j.report(claudeNothing, whole(), "there is nothing here for it")
		return
	}
	j.report(claudePlugins, whole(), "it has no plugins before 2.0.12")
	if t.HasDir(claude.ManifestPath) {
		j.report(claudeManifest, place{file: claude.ManifestPath}, "it refuses the plugin: the manifest is a directory")
	}
	m, found := f.Load(t, in.Entry)
	for _, p := range found {
		switch {
		case p.Rule == "claude/duplicate-hooks":
			j.report(claudeDuplicateHooks, at(p), "it reports the plugin as failed before 2.1.290: %s", p.Message)
		case p.Rule == "json/bom" && p.File == claude.ManifestPath:
			j.report(claudeManifestBOM, at(p), "it refuses the plugin before 2.1.248: %s", p.Message)
		case p.Rule == "claude/ignored-field":
			j.report(claudeDescribing, at(p), "it refuses the plugin before 2.1.332: %s", p.Message)
		case p.Rule == "claude/hooks" && strings.Contains(p.Message, "is null"):
			j.report(claudePart, at(p), "it loads no hooks: %s (%s)", p.Message, p.Rule)
		case p.Severity.String() == "error" && !p.Tolerated:
			j.report(claudeManifest, at(p), "it refuses the plugin: %s (%s)", p.Message, p.Rule)
		case leftOut(p.Rule) && (p.Severity.String() != "note"):
			j.report(claudePart, at(p), "it leaves a part out: %s (%s)", p.Message, p.Rule)
		}
	}
	for name, s := range object(claudeOwn(t)["lspServers"]) {
		if at, want := claudeLSP(s); want != "" {
			j.file, j.data = claude.ManifestPath, t.Lookup(claude.ManifestPath).Data
			j.report(claudeManifest, j.in("lspServers", name), "it refuses the plugin: %s of the language server %q is not %s", quoted(at), clip(name), want)
		}
	}
	j.components = claudeInventory(t, in, m)
	claudeSince(j, t, in, m)
}

// claudeSince reports what older versions do not have.
func claudeSince(j *judge, t *tree.Tree, in Place, m *manifest.Manifest) {
	seen := map[string]bool{}
	once := func(r rule, file, format string, args ...any) {
		if !seen[r.id] {
			seen[r.id] = true
			j.report(r, place{file: file}, format, args...)
		}
	}
	skills, root := 0, false
	for _, c := range j.components {
		switch c.Type {
		case manifest.SkillComponent:
			skills++
			root = root || c.Path == "SKILL.md"
		case manifest.HookComponent:
			if since := claudeEventSince(c.Name); !since.IsZero() && !seen[c.Name] {
				seen[c.Name] = true
				r := claudeEvent
				r.versions.until = since
				j.report(r, place{file: c.Path}, "it calls hooks of %s since %s", c.Name, since)
			}
			if c.Name == "subagentStatusLine" {
				once(claudeSettings, c.Path, "it reads a plugin's settings.json since 2.1.49")
			}
		case manifest.MonitorComponent:
			once(claudeMonitors, c.Path, "it has monitors since 2.1.105")
		case manifest.SettingComponent:
			once(claudeUserConfig, c.Path, "it asks for settings since 2.1.83")
		case manifest.ProgramComponent:
			if strings.HasPrefix(c.Path, "bin/") {
				once(claudeBin, c.Path, "it puts bin/ on the path since 2.1.91")
			}
		case manifest.OtherComponent:
			switch c.Detail {
			case "theme":
				once(claudeThemes, c.Path, "it takes themes from plugins since 2.1.118")
			case "output style":
				once(claudeStyles, c.Path, "it takes output styles from plugins since 2.0.41")
			}
		}
	}
	own := claudeOwn(t)
	if in.Entry == nil && own == nil && root {
		once(claudeLoneSkill, "SKILL.md", "it has skills since 2.0.20")
	} else if root && skills == 1 && own["skills"] == nil && (in.Entry == nil || in.Entry.Fields["skills"] == nil) && len(j.components) == 1 {
		once(claudeRootSkill, "SKILL.md", "it takes a SKILL.md at the top as a skill since 2.1.142")
	}
	if own["defaultEnabled"] == false {
		once(claudeDefaultEnabled, claude.ManifestPath, "it follows \"defaultEnabled\": false since 2.1.154")
	}
	if list := texts(own["skills"]); len(list) > 0 {
		for _, s := range list {
			if s == "." {
				once(claudeRootPath, claude.ManifestPath, "it accepts \".\" in \"skills\" since 2.1.221")
			}
		}
		if t.HasDir("skills") && !namesDir(list, "skills") {
			once(claudeSkillsHidden, claude.ManifestPath, "\"skills\" hides the directory skills before 2.1.136")
		}
	}
}

// claudeOwn is plugin.json as an object, or nil.
func claudeOwn(t *tree.Tree) map[string]any {
	f := t.Lookup(claude.ManifestPath)
	if f == nil {
		return nil
	}
	v, _ := parse(f.Data)
	return object(v)
}

// texts returns a string, or the strings of a list.
func texts(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		var out []string
		for _, e := range v {
			if s, ok := e.(string); ok {
				out = append(out, s)
			}
		}
		return out
	}
	return nil
}

// namesDir reports whether a list of paths names dir, or something in it.
func namesDir(list []string, dir string) bool {
	for _, p := range list {
		p = strings.TrimSuffix(strings.TrimPrefix(p, "./"), "/")
		if p == dir || strings.HasPrefix(p, dir+"/") {
			return true
		}
	}
	return false
}
