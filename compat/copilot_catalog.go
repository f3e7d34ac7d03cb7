package compat

import (
	"path"
	"slices"
	"strings"
)

const copilotTried = "tried with Copilot CLI 1.0.102"

var (
	copilotCatalogText = rule{
		id: "catalog-json", effect: fatal,
		title: "A catalog that Copilot cannot read", help: "Copilot wants JSON in UTF-8 without a byte order mark. Duplicate keys are taken, the last one counts.",
		fix: "correct the file", evidence: copilotTried + ", marketplace add",
	}
	copilotCatalogHeader = rule{
		id: "catalog-type", effect: fatal,
		title: "A catalog that Copilot refuses", help: "Copilot checks every field that it knows, also inside the entries: one value of a wrong type, one entry without a name or source makes it refuse the whole catalog.",
		fix: "write a value of the wanted type", evidence: copilotTried + ", marketplace add: \"Invalid marketplace.json\"",
	}
	copilotName = rule{
		id: "name", effect: fatal,
		title: "A name that Copilot refuses", help: "Names of marketplaces and of plugins have letters, digits, \"-\" and \".\", at most 64. One other name makes it refuse the whole catalog; awesome-copilot and copilot-plugins are its own.",
		fix: "choose a name like release-notes", evidence: copilotTried + ", marketplace add; upper case since 0.0.405 (changelog)",
	}
	copilotTwice = rule{
		id: "entry-twice", effect: fatal,
		title: "Two entries of one name", help: "Copilot refuses the whole catalog. Names that differ only in case are two names.",
		fix: "rename or remove one of the two", evidence: copilotTried + ", marketplace add: \"Duplicate plugin name\"",
	}
	copilotSource = rule{
		id: "source-kind", effect: fatal,
		title: "A source that Copilot does not know", help: "Copilot knows directories, github, url and git-subdir. One other source, or one that lacks what its kind needs, makes it refuse the whole catalog.",
		fix: "keep such entries in a catalog of their own", evidence: copilotTried + ", marketplace add; github/copilot-cli#1996",
	}
	copilotPath = rule{
		id: "entry-path", effect: fatal,
		title: "A source that leaves the marketplace", help: "The entry is listed; installing it says that the path escapes the marketplace.",
		fix: "write the path from the root of the marketplace", evidence: copilotTried + ", install",
	}
	copilotNoDirectory = rule{
		id: "entry-missing", effect: fatal,
		title: "A source that does not exist", help: "The entry is listed; installing it says that the directory was not found.",
		fix: "correct the path, or add the directory", evidence: copilotTried + ", install",
	}
	copilotSHA = rule{
		id: "sha", effect: part, versions: before(1, 0, 70),
		title: "A pinned commit", help: "\"sha\" in a source is followed since 1.0.70; before, the newest commit of the branch is installed.",
		fix: "use a newer Copilot", evidence: "changelog of 1.0.70",
	}
	copilotEmail = rule{
		id: "empty-email", effect: fatal, versions: before(1, 0, 71),
		title: "An empty e-mail address", help: "An empty email of an owner or an author is accepted since 1.0.71.",
		fix: "remove the empty email", evidence: "changelog of 1.0.71",
	}
	copilotRemote = rule{
		id: "remote-source", effect: fatal, versions: before(0, 0, 413),
		title: "A plugin in another repository", help: "Sources other than directories of the marketplace are known since 0.0.413.",
		fix: "use a newer Copilot", evidence: "changelog of 0.0.413",
	}
	copilotPlugins = rule{
		id: "plugins", effect: fatal, versions: before(0, 0, 392),
		title: "A version without plugins", help: "Copilot has plugins from marketplaces since 0.0.392.",
		fix: "use a newer Copilot", evidence: "changelog of 0.0.392",
	}
	copilotUpper = rule{
		id: "upper-case", effect: fatal, versions: before(0, 0, 405),
		title: "A name with upper case", help: "Upper case in the names of marketplaces and plugins is accepted since 0.0.405.",
		fix: "choose a name in lower case", evidence: "changelog of 0.0.405",
	}
	copilotPlace = rule{
		id: "catalog-place", effect: fatal, versions: before(1, 0, 6),
		title: "A catalog in .plugin", help: "The file locations of the Open Plugin specification are looked at since 1.0.6.",
		fix: "put the catalog into .github/plugin", evidence: "changelog of 1.0.6",
	}
)

// copilotID reports whether Copilot takes a name.
func copilotID(s string) bool {
	return only(s, "-.") && len(s) <= 64 && !slices.Contains(strings.Split(s, "."), "")
}

func copilotCatalog(j *judge, data []byte, repo Repo) {
	j.report(copilotPlugins, place{file: j.file}, "it has no marketplaces before 0.0.392")
	if strings.HasPrefix(j.file, ".plugin/") {
		j.report(copilotPlace, place{file: j.file}, "it looks into .plugin since 1.0.6")
	}
	c := j.open(data, repo, catalogRules{
		json: copilotCatalogText, faults: []fault{badSyntax, badEncoding, hasBOM, oddValue},
		header: copilotCatalogHeader,
		shape: []member{
			required("name", isText), required("owner", copilotPerson()), required("plugins", listOf(anything)),
			optional("metadata", objectOf(optional("pluginRoot", isText), optional("description", isText), optional("version", isText))),
		},
	})
	if c == nil {
		return
	}
	copilotNamed(j, c.root["name"], "name")
	if name := text(c.root["name"]); name == "awesome-copilot" || name == "copilot-plugins" {
		j.report(copilotName, j.in("name"), "it refuses the catalog: %q is one of its own marketplaces", name)
	}
	copilotMail(j, object(c.root["owner"]), "owner")
	root := text(object(c.root["metadata"])["pluginRoot"])
	seen := map[string]bool{}
	for i, v := range c.entries {
		e, ok := v.(map[string]any)
		if !ok {
			j.report(copilotCatalogHeader, j.in("plugins", i), "it refuses the catalog: an entry is %s, want an object", kindOf(v))
			continue
		}
		name := text(e["name"])
		for _, m := range copilotEntryShape() {
			j.check(copilotCatalogHeader, -1, e, m, "it refuses the catalog", "plugins", i)
		}
		copilotNamed(j, e["name"], "plugins", i, "name")
		copilotMail(j, object(e["author"]), "plugins", i, "author")
		if name != "" && seen[name] {
			j.report(copilotTwice, j.in("plugins", i, "name"), "it refuses the catalog: there are two entries of the name %q", clip(name))
		}
		seen[name] = true
		copilotEntrySource(j, repo, i, e, root)
	}
}

// copilotPerson is an owner or author.
func copilotPerson() shape {
	mail := named(func(s string) bool { return s == "" || isMail(s) }, "an e-mail address")
	return objectOf(required("name", isText), optional("email", mail), optional("url", isText))
}

// isMail reports whether s has the form of an e-mail address.
func isMail(s string) bool {
	user, host, ok := strings.Cut(s, "@")
	return ok && user != "" && strings.Contains(host, ".") && !strings.ContainsAny(host, "@ ") && !strings.HasSuffix(host, ".")
}

func copilotEntryShape() []member {
	paths := either("a path or a list of paths", isText, listOf(isText))
	fields := either("an object or a path", isText, objectOf())
	return []member{
		required("name", isText), required("source", either("a directory or an object", isText, objectOf())),
		optional("description", isText), optional("version", isText), optional("category", isText), optional("tags", listOf(isText)),
		optional("keywords", listOf(isText)), optional("license", isText), optional("homepage", isURL), optional("repository", isText),
		optional("author", copilotPerson()), optional("strict", isTruth),
		optional("skills", paths), optional("commands", paths), optional("agents", paths),
		optional("hooks", fields), optional("mcpServers", fields), optional("lspServers", fields),
	}
}

func copilotNamed(j *judge, v any, at ...any) {
	s, ok := v.(string)
	switch {
	case !ok:
	case !copilotID(s):
		j.report(copilotName, j.in(at...), "it refuses the catalog: the name %q has other characters than letters, digits, \"-\" and \".\", or more than 64", clip(s))
	case strings.ToLower(s) != s:
		j.report(copilotUpper, j.in(at...), "it refuses a name with upper case, as %q, before 0.0.405", clip(s))
	}
}

func copilotMail(j *judge, person map[string]any, at ...any) {
	if mail, ok := person["email"].(string); ok && mail == "" {
		j.report(copilotEmail, j.in(append(at, "email")...), "it refuses an empty email before 1.0.71")
	}
}

func copilotEntrySource(j *judge, repo Repo, i int, e map[string]any, root string) {
	s := sourceOf(e)
	in := j.in("plugins", i, "source")
	kills := func(format string, args ...any) {
		j.report(copilotSource, in, "it refuses the catalog: "+format, args...)
	}
	for _, key := range []string{"ref", "path"} {
		if v, ok := s.o[key]; ok && text(v) == "" {
			if _, isString := v.(string); !isString {
				kills("%q of a source is no string", key)
			}
		}
	}
	if v, ok := s.o["sha"]; ok {
		if sha, isString := v.(string); !isString || !isHex(sha, 40, true) {
			kills("a sha has to be 40 hex digits")
		}
		j.report(copilotSHA, in, "it follows \"sha\" since 1.0.70")
	}
	if s.kind != "./" && s.kind != "" {
		j.report(copilotRemote, in, "it installs plugins of other repositories since 0.0.413").entry = i
	}
	switch s.kind {
	case "./":
		copilotDirectory(j, repo, i, e, s.text, root)
	case "github":
		if repo, ok := s.o["repo"].(string); !ok || !isOwnerRepo(repo) {
			kills("a github source needs a repo of the form owner/name")
		}
	case "url":
		if _, want := isURL(s.o["url"]); want != "" {
			kills("the url of a source is none")
		}
	case "git-subdir":
		if text(s.o["url"]) == "" || text(s.o["path"]) == "" {
			kills("a git-subdir source needs a url and a path")
		}
	default:
		if s.o != nil {
			kills("it does not know sources of the kind %q", clip(s.kind))
		}
	}
}

func copilotDirectory(j *judge, repo Repo, i int, e map[string]any, dir, root string) {
	if root != "" { // also before a path with "./"
		dir = root + "/" + dir
	}
	name := entryName(e, i)
	switch clean := path.Clean(dir); {
	case path.IsAbs(dir) || clean == ".." || strings.HasPrefix(clean, "../"):
		j.report(copilotPath, j.in("plugins", i, "source"), "it does not install %q: the source %q leaves the marketplace", name, clip(dir)).entry = i
	case repo.Dir != nil && !repo.Dir(cleaned(dir)):
		j.report(copilotNoDirectory, j.in("plugins", i, "source"), "it does not install %q: the directory %q does not exist", name, clip(dir)).entry = i
	}
}
