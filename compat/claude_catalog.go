package compat

import (
	"bytes"
	"net"
	"net/url"
	"slices"
	"strings"

	"pinion/internal/syntax"
	"pinion/manifest"
	"pinion/manifest/claude"
	"pinion/problem"
	"pinion/tree"
)

var (
	claudeCatalogText = rule{
		id: "catalog-json", effect: fatal,
		title: "A catalog that is not JSON", help: "Comments, trailing commas and the like make Claude Code refuse the catalog. A byte order mark, duplicate keys and bytes that are not UTF-8 do not.",
		fix: "correct the file", evidence: claudeTried + ", marketplace add",
	}
	claudeCatalogBOM = rule{
		id: "catalog-bom", effect: fatal, versions: before(2, 1, 248),
		title: "A catalog with a byte order mark", help: "A byte order mark is skipped by 2.1.248; 2.1.197 and older versions refuse the catalog. Between these two nothing was tried.",
		fix: "save the file without the mark; pinion validate --fix does", evidence: "tried with Claude Code 2.1.100, 2.1.120, 2.1.197, 2.1.248, 2.1.290 and 2.1.332, marketplace add; anthropics/claude-code#84501",
	}
	claudeEntryKills = rule{
		id: "entry-kills", effect: fatal, versions: before(2, 1, 120),
		title: "One wrong entry makes the catalog unreadable", help: "Before 2.1.120 one entry with a value of a wrong type, without a name or with an unknown source made the whole catalog unreadable; since then only that entry is lost.",
		fix: "correct the entry", evidence: "tried with Claude Code 2.1.100, 2.1.120, 2.1.197, 2.1.248 and 2.1.290, marketplace add",
	}
	claudeCatalogHeader = rule{
		id: "catalog-type", effect: fatal,
		title: "A catalog that Claude Code refuses", help: "name, owner with a name, and the list plugins are needed, and the fields that it knows have to be of their type. With anything else the whole catalog is refused.",
		fix: "write a value of the wanted type", evidence: claudeTried + ", marketplace add",
	}
	claudeCatalogName = rule{
		id: "catalog-name", effect: fatal,
		title: "A name that Claude Code refuses for a marketplace", help: "Names have letters, digits, \".\", \"_\" and \"-\" and begin with a letter or digit. Anthropic's own names, names that look like them, and inline, builtin and skills-dir are refused from everybody else.",
		fix: "choose another name", evidence: claudeTried + ", marketplace add with each name",
	}
	claudeEntry = rule{
		id: "entry", effect: fatal,
		title: "An entry that Claude Code does not install", help: "The entry has a value of a wrong type, or a source that lacks something. It is listed, and installing it says that the entry is invalid. The other entries are not touched.",
		fix: "correct the entry", evidence: claudeTried + ", install of an entry with each fault",
	}
	claudeEntryName = rule{
		id: "entry-name", effect: fatal,
		title: "An entry without a usable name", help: "An entry whose name is missing, empty, no string or has a space is not listed. The other entries are not touched.",
		fix: "give it a name like release-notes", evidence: claudeTried + ", list of what is available",
	}
	claudeEntryID = rule{
		id: "entry-id", effect: fatal,
		title: "A name that cannot be installed", help: "The parts of a plugin's id have letters, digits, \".\", \"_\" and \"-\" only, and begin with a letter or digit.",
		fix: "choose a name like release-notes", evidence: claudeTried + ", install",
	}
	claudeEntryPath = rule{
		id: "entry-path", effect: fatal,
		title: "A source that leaves the marketplace", help: "A relative source begins with \"./\" and has no \"..\" and no backslash.",
		fix: "write the path from the root of the marketplace", evidence: claudeTried + ", install",
	}
	claudeNoDirectory = rule{
		id: "entry-missing", effect: fatal,
		title: "A source that does not exist", help: "The directory that the entry names is not in the repository, so that the plugin cannot be installed.",
		fix: "correct the path, or add the directory", evidence: claudeTried + ", install: \"Source path does not exist\"",
	}
	claudeBare = rule{
		id: "bare-names", effect: fatal, versions: before(2, 1, 239),
		title: "A bare name as source", help: "A source without \"./\" and \"/\" is a directory below metadata.pluginRoot since 2.1.239; before, pluginRoot had no effect.",
		fix: "write the whole path with \"./\"", evidence: "changelog of 2.1.239",
	}
	claudeSourceKind = rule{
		id: "source-kind", effect: fatal,
		title: "A kind of source that Claude Code does not know", help: "It knows \"./\" paths, github, url, git-subdir, npm, archive and command. Any other entry is listed and cannot be installed.",
		fix: "use a git source", evidence: claudeTried + ", install: \"a source type your Claude Code version does not support\"",
	}
	claudeOldSourceKind = rule{
		id: "source-kind-kills", effect: fatal, versions: before(2, 1, 120),
		title: "One unknown source makes the catalog unreadable", help: "Before 2.1.120 one entry with a kind of source that the version does not know made it refuse the whole catalog.",
		fix: "keep such entries in a catalog of their own for older versions", evidence: "changelog of 2.1.120; anthropics/claude-plugins-official#634",
	}
	claudeGitSubdir = rule{
		id: "git-subdir", effect: fatal, versions: before(2, 1, 69),
		title: "A git-subdir source", help: "git-subdir is known since 2.1.69. Before, it is an unknown kind, which makes the whole catalog unreadable.",
		fix: "use a newer Claude Code", evidence: "changelog of 2.1.69",
	}
	claudeArchive = rule{
		id: "archive", effect: fatal, versions: before(2, 1, 224),
		title: "An archive source", help: "archive is known since 2.1.224; before, the entry cannot be installed.",
		fix: "use a newer Claude Code, or a git source", evidence: "changelog of 2.1.224",
	}
	claudeCommand = rule{
		id: "command", effect: fatal, versions: before(2, 1, 229),
		title: "A command source", help: "command is known since 2.1.229; before, the entry cannot be installed.",
		fix: "use a newer Claude Code, or a git source", evidence: "changelog of 2.1.229",
	}
	claudeHeaders = rule{
		id: "headers-helper", effect: part, versions: before(2, 1, 238),
		title: "A command that makes headers", help: "\"headersHelper\" is run since 2.1.238; before, the download goes without those headers.",
		fix: "use a newer Claude Code", evidence: "changelog of 2.1.238",
	}
	claudeRenames = rule{
		id: "renames", effect: part, versions: before(2, 1, 193),
		title: "Renamed plugins", help: "\"renames\" is followed since 2.1.193; before, users of the former name keep a plugin that gets no updates.",
		fix: "keep the former entry for a while", evidence: "changelog of 2.1.193",
	}
	claudeSHA = rule{
		id: "sha", effect: part, versions: before(2, 1, 14),
		title: "A pinned commit", help: "\"sha\" in a source is followed since 2.1.14; before, the newest commit is installed.",
		fix: "use a newer Claude Code", evidence: "changelog of 2.1.14",
	}
)

// claudeEntryShape is what Claude Code checks of an entry beside its source and
// components.
func claudeEntryShape() []member {
	return []member{
		optional("category", isText), optional("tags", listOf(isText)), optional("license", isText),
		optional("homepage", isURL), optional("repository", isText), optional("keywords", listOf(isText)),
		optional("author", objectOf(required("name", filled), optional("email", isText), optional("url", isText))),
		optional("displayName", isText), optional("description", isText), optional("version", isText),
		optional("strict", isTruth), optional("defaultEnabled", isTruth), optional("headersHelper", isText),
	}
}

func claudeCatalog(j *judge, data []byte, repo Repo) {
	j.report(claudePlugins, place{file: j.file}, "it has no marketplaces before 2.0.12")
	c := j.open(data, repo, catalogRules{
		json: claudeCatalogText, faults: []fault{badSyntax},
		header: claudeCatalogHeader,
		shape: []member{
			required("name", filled), required("owner", objectOf(required("name", filled))), required("plugins", listOf(anything)),
			optional("$schema", isText), optional("description", isText), optional("version", isText), optional("allowCrossMarketplaceDependenciesOn", listOf(isText)),
			optional("metadata", objectOf(optional("pluginRoot", isText), optional("description", isText), optional("version", isText))),
		},
	})
	if c == nil {
		return
	}
	if bytes.HasPrefix(data, []byte("\ufeff")) {
		j.report(claudeCatalogBOM, place{file: j.file, line: 1, column: 1}, "it refuses a catalog with a byte order mark before 2.1.248")
	}
	if name := text(c.root["name"]); name != "" {
		if why := claudeNameFault(name); why != "" {
			j.report(claudeCatalogName, j.in("name"), "it refuses the catalog: the name %q %s", clip(name), why)
		}
	}
	if r := object(c.root["renames"]); len(r) > 0 {
		j.report(claudeRenames, j.in("renames"), "it follows \"renames\" since 2.1.193")
	}
	root := text(object(c.root["metadata"])["pluginRoot"])
	for i, v := range c.entries {
		before := len(j.found)
		claudeCatalogEntry(j, c, i, object(v), root)
		if f := j.found[before:]; slices.ContainsFunc(f, func(f finding) bool { return f.rule.id == claudeEntry.id || f.rule.id == claudeEntryName.id }) {
			j.report(claudeEntryKills, j.in("plugins", i), "it reads no catalog with this entry before 2.1.120")
		}
	}
}

func claudeCatalogEntry(j *judge, c *catalogFile, i int, e map[string]any, root string) {
	name := text(e["name"])
	if name == "" || strings.Contains(name, " ") {
		j.entries[i].Listed = false
		j.report(claudeEntryName, j.in("plugins", i), "it does not list the entry %q, which has no usable name", entryName(e, i)).entry = i
		return
	}
	if !claudeID(name) {
		j.report(claudeEntryID, j.in("plugins", i, "name"), "it does not install a plugin with the name %q", clip(name)).entry = i
	}
	what := "it does not install " + quoted([]any{name})
	for _, m := range claudeEntryShape() {
		j.check(claudeEntry, i, e, m, what, "plugins", i)
	}
	for _, p := range claudeFields(name, e) {
		j.report(claudeEntry, j.in("plugins", i), "%s: %s (%s)", what, p.Message, p.Rule).entry = i
	}
	if e["headersHelper"] != nil {
		j.report(claudeHeaders, j.in("plugins", i, "headersHelper"), "it runs \"headersHelper\" since 2.1.238").entry = i
	}
	if e["defaultEnabled"] == false {
		j.report(claudeDefaultEnabled, j.in("plugins", i, "defaultEnabled"), "it follows \"defaultEnabled\": false since 2.1.154").entry = i
	}
	claudeSource(j, c, i, e, root, what)
}

// claudeFields judges the entry's components, without a look at the package.
func claudeFields(name string, e map[string]any) (out problem.List) {
	fields := map[string]syntax.Raw{}
	for _, key := range append(claude.EntryFields(), "dependencies") {
		if v, ok := e[key]; ok && v != nil {
			if raw, err := syntax.Compact(v); err == nil {
				fields[key] = raw
			}
		}
	}
	if len(fields) == 0 {
		return nil
	}
	// Paths are not looked for in a tree that was not read completely.
	_, found := claude.New().Load(&tree.Tree{Partial: true}, &manifest.Entry{Name: name, Strict: true, Fields: fields})
	for _, p := range found {
		if p.Severity == problem.Error && p.File == "" && !p.Tolerated {
			out.Add(p)
		}
	}
	return out
}

func claudeSource(j *judge, c *catalogFile, i int, e map[string]any, root, what string) {
	s := sourceOf(e)
	in := j.in("plugins", i, "source")
	refuse := func(r rule, format string, args ...any) {
		j.report(r, in, what+": "+format, args...).entry = i
	}
	need := func(members ...member) {
		for _, m := range members {
			j.check(claudeEntry, i, s.o, m, what, "plugins", i, "source")
		}
	}
	ref := optional("ref", isText)
	sha := optional("sha", named(isSHA, "40 lower-case hex digits"))
	if _, pinned := s.o["sha"]; pinned {
		j.report(claudeSHA, in, "it follows \"sha\" since 2.1.14").entry = i
	}
	switch s.kind {
	case "./":
		claudeRelative(j, c, i, s.text, root, refuse)
	case "github":
		need(required("repo", isText), ref, sha)
		if repo := text(s.o["repo"]); repo != "" && !isOwnerRepo(repo) {
			refuse(claudeEntry, "the repo %q is not owner/name", clip(repo))
		}
	case "url":
		need(required("url", isText), ref, sha)
		if u := text(s.o["url"]); u != "" && !isGitURL(u) {
			refuse(claudeEntry, "%q is no git URL", clip(u))
		}
	case "git-subdir":
		j.report(claudeGitSubdir, in, "it reads no catalog with a git-subdir source before 2.1.69")
		need(required("url", isText), required("path", filled), ref, sha)
	case "npm":
		need(required("package", named(isPackageName, "the name of a package")), optional("version", isText), optional("registry", isURL))
	case "archive":
		j.report(claudeOldSourceKind, in, "it reads no catalog with an archive source before 2.1.120")
		j.report(claudeArchive, in, "it installs archives since 2.1.224").entry = i
		need(required("url", named(isArchiveURL, "an https URL of a public host")), optional("sha256", named(isSHA256, "64 hex digits")))
	case "command":
		j.report(claudeOldSourceKind, in, "it reads no catalog with a command source before 2.1.120")
		j.report(claudeCommand, in, "it takes command sources since 2.1.229").entry = i
		need(required("command", named(isCommandLine, "a command of at most 500 printable ASCII characters without runs of blanks")),
			optional("mode", named(func(m string) bool { return m == "copy" || m == "link" }, "copy or link")),
			optional("timeout", numberUpTo(600)))
	case "":
		refuse(claudeEntry, "the source is neither text nor an object with a kind")
	default:
		j.report(claudeOldSourceKind, in, "it reads no catalog with a %q source before 2.1.120", clip(s.kind))
		refuse(claudeSourceKind, "it does not know sources of the kind %q", clip(s.kind))
	}
	if ref := text(s.o["ref"]); strings.HasPrefix(ref, "-") {
		refuse(claudeEntry, "the ref %q begins with a dash", clip(ref))
	}
}

func claudeRelative(j *judge, c *catalogFile, i int, dir, root string, refuse func(rule, string, ...any)) {
	bare := !strings.ContainsAny(dir, `/\`) && dir != "" && dir != "." && dir != ".."
	switch {
	case bare && root == "":
		refuse(claudeEntryPath, "the source %q has no \"./\", and the catalog no pluginRoot", clip(dir))
		return
	case bare && !within(root):
		refuse(claudeEntryPath, "pluginRoot %q leaves the marketplace", clip(root))
		return
	case bare:
		j.report(claudeBare, j.in("plugins", i, "source"), "it joins the bare name %q with pluginRoot since 2.1.239", clip(dir)).entry = i
		dir = root + "/" + dir
	case dir != "." && !strings.HasPrefix(dir, "./"):
		refuse(claudeEntryPath, "the source %q does not begin with \"./\"", clip(dir))
		return
	case hasDots(dir) || strings.Contains(dir, `\`):
		refuse(claudeEntryPath, "the source %q does not stay in the marketplace", clip(dir))
		return
	}
	if c.repo.Dir != nil && !c.repo.Dir(cleaned(dir)) {
		refuse(claudeNoDirectory, "the directory %q does not exist", clip(dir))
	}
}

// claudeID reports whether Claude Code makes a plugin's id of a name.
func claudeID(name string) bool { return only(name, "._-") && isAlnum(name[0]) }

// claudeNameFault returns why a marketplace cannot have a name, or "".
func claudeNameFault(name string) string {
	lower := strings.ToLower(name)
	// Only letters and digits count: "Claude_Plugins" is read as "claudeplugins".
	squeezed := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, lower)
	switch {
	case strings.Contains(name, " "):
		return "has a space"
	case strings.ContainsAny(name, `/\`) || name == "." || strings.Contains(name, ".."):
		return "is a path"
	case slices.Contains([]string{"inline", "builtin", "skills-dir", "synced"}, lower):
		return "is one that it keeps for itself"
	case slices.Contains(claudeReserved(), lower):
		return "is one of Anthropic's own"
	case claudeLooksOfficial(squeezed), strings.ContainsFunc(name, func(r rune) bool { return r > 0x7e }):
		return "looks like one of Anthropic's own"
	case !claudeID(name):
		return "has characters other than letters, digits, \".\", \"_\" and \"-\", or begins with one of these"
	}
	return ""
}

// claudeLooksOfficial reports whether a name without its punctuation has the
// maker's name beside "official", or begins with it and one of three words.
func claudeLooksOfficial(squeezed string) bool {
	for _, maker := range []string{"claude", "anthropic"} {
		if strings.Contains(squeezed, "official"+maker) || strings.Contains(squeezed, maker+"official") {
			return true
		}
		if rest, ok := strings.CutPrefix(squeezed, maker); ok && (strings.HasPrefix(rest, "marketplace") || strings.HasPrefix(rest, "plugins")) {
			return true
		}
	}
	return false
}

// claudeReserved are the names of Anthropic's own marketplaces (formats 1.1.1).
func claudeReserved() []string {
	return []string{
		"claude-code-marketplace", "claude-code-plugins", "claude-plugins-official", "claude-plugins-community",
		"claude-community", "anthropic-marketplace", "anthropic-plugins", "agent-skills", "anthropic-agent-skills",
		"knowledge-work-plugins", "life-sciences", "claude-for-legal", "claude-for-financial-services",
		"financial-services-plugins", "first-party-plugins", "healthcare",
	}
}

func isHex(s string, n int, upper bool) bool {
	if len(s) != n {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || upper && c >= 'A' && c <= 'F') {
			return false
		}
	}
	return true
}

func isSHA(s string) bool    { return isHex(s, 40, false) }
func isSHA256(s string) bool { return isHex(s, 64, true) }

func isOwnerRepo(s string) bool {
	owner, repo, ok := strings.Cut(s, "/")
	return ok && only(owner, "._-") && only(repo, "._-")
}

// isGitURL reports whether s is an address that git is called with.
func isGitURL(s string) bool {
	if user, rest, ok := strings.Cut(s, "@"); ok && !strings.Contains(user, "/") && !strings.HasPrefix(s, "-") && strings.Contains(rest, ":") {
		return true // user@host:path
	}
	u, err := url.Parse(s)
	if err != nil {
		return false
	}
	switch u.Scheme {
	case "https", "http", "ssh", "git+ssh", "ssh+git":
		return u.Host != ""
	case "file":
		return u.Host == ""
	}
	return false
}

// isPackageName reports whether s is the name of an npm package.
func isPackageName(s string) bool {
	scope, name, scoped := strings.Cut(s, "/")
	if !scoped {
		name = scope
	} else if !strings.HasPrefix(scope, "@") || !only(scope[1:], "._-~") {
		return false
	}
	return only(name, "._-~") && name[0] != '.' && !strings.Contains(name, "..")
}

// isArchiveURL reports whether s is an https address that is not one of this
// machine or of its neighbours.
func isArchiveURL(s string) bool {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "https" || u.Host == "" {
		return false
	}
	name := u.Hostname()
	if name == "localhost" || strings.HasSuffix(name, ".localhost") || name == "metadata.google.internal" {
		return false
	}
	ip := net.ParseIP(name)
	return ip == nil || !ip.IsLoopback() && !ip.IsLinkLocalUnicast() && !ip.IsUnspecified()
}

func isCommandLine(s string) bool {
	return s != "" && len(s) <= 500 && !strings.Contains(s, "    ") &&
		!strings.ContainsFunc(s, func(r rune) bool { return r < 0x20 || r > 0x7e })
}
