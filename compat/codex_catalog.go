package compat

import (
	"slices"
	"strings"
)

const codexTried = "tried with Codex 0.171.0"

var (
	codexCatalogText = rule{
		id: "catalog-json", effect: fatal,
		title: "A catalog that Codex cannot read", help: "Codex wants JSON in UTF-8 without a byte order mark. Anything else makes it refuse the catalog.",
		fix: "correct the file", evidence: codexTried + ", marketplace add",
	}
	codexCatalogHeader = rule{
		id: "catalog-type", effect: fatal,
		title: "A catalog that Codex refuses", help: "name and plugins are needed, and every entry has a name and a source. One value of a wrong type among those that Codex reads makes it refuse the whole catalog, also inside an entry.",
		fix: "write a value of the wanted type", evidence: codexTried + ", marketplace add; codex-rs core-plugins marketplace.rs",
	}
	codexCatalogKeys = rule{
		id: "catalog-duplicate-key", effect: fatal,
		title: "A key that is there twice", help: "A key that Codex reads, twice in the same object, makes it refuse the whole catalog. Other keys may be repeated.",
		fix: "remove one of the two", evidence: codexTried + ", marketplace add: \"duplicate field\"",
	}
	codexCatalogName = rule{
		id: "catalog-name", effect: fatal,
		title: "A name that Codex refuses for a marketplace", help: "Names have ASCII letters, digits, \"_\" and \"-\"; openai-curated is Codex's own.",
		fix: "choose a name like acme-plugins", evidence: codexTried + ", marketplace add",
	}
	codexEntryName = rule{
		id: "entry-name", effect: fatal,
		title: "A name that Codex does not list", help: "An entry whose name has other characters than ASCII letters, digits, \".\", \"_\" and \"-\", or is empty, is skipped.",
		fix: "choose a name like release-notes", evidence: codexTried + ", list of what is available",
	}
	codexSource = rule{
		id: "source", effect: fatal,
		title: "A source that Codex skips", help: "Codex lists entries with a \"./\" path, local, url, git-subdir and npm. Others, and those that lack something or whose path has \"..\", are skipped without a word.",
		fix: "use a \"./\" path, or url with the repository's address", evidence: codexTried + ", list of what is available",
	}
	codexNoDirectory = rule{
		id: "entry-missing", effect: fatal,
		title: "A source that does not exist", help: "The entry is listed, and installing it says \"missing plugin.json\".",
		fix: "correct the path, or add the directory", evidence: codexTried + ", add",
	}
	codexTwice = rule{
		id: "entry-twice", effect: fatal,
		title: "A second entry of one name", help: "Codex lists and installs the first entry of a name only.",
		fix: "rename or remove one of the two", evidence: codexTried + ", list of what is available",
	}
	codexNotAvailable = rule{
		id: "not-available", effect: fatal,
		title: "An entry that says it cannot be installed", help: "With policy.installation NOT_AVAILABLE the entry is listed and not installed; with policy.products that lack codex it is not listed.",
		fix: "remove the policy", evidence: "codex-rs core-plugins marketplace.rs, find_installable_marketplace_plugin",
	}
)

func codexCatalog(j *judge, data []byte, repo Repo) {
	words := func(w ...string) shape {
		return named(func(s string) bool {
			for _, x := range w {
				if s == x {
					return true
				}
			}
			return false
		}, "one of "+strings.Join(w, ", "))
	}
	policy := objectOf(
		optional("installation", words("NOT_AVAILABLE", "AVAILABLE", "INSTALLED_BY_DEFAULT")),
		optional("authentication", words("ON_INSTALL", "ON_USE")),
		optional("products", nullable(listOf(isText))),
	)
	c := j.open(data, repo, catalogRules{
		json: codexCatalogText, faults: []fault{badSyntax, badEncoding, hasBOM},
		header: codexCatalogHeader,
		shape: []member{
			required("name", isText), optional("interface", nullable(objectOf(optional("displayName", nullable(isText))))),
			required("plugins", listOf(objectOf(required("name", isText), required("source", anything), optional("policy", policy), optional("category", nullable(isText))))),
		},
	})
	if c == nil {
		return
	}
	j.twice(codexCatalogKeys, data, func(at []string) bool {
		switch len(at) {
		case 1:
			return at[0] == "name" || at[0] == "plugins" || at[0] == "interface"
		case 3:
			return at[0] == "plugins" && (at[2] == "name" || at[2] == "source" || at[2] == "policy" || at[2] == "category")
		}
		return false
	})
	if name := text(c.root["name"]); name == "openai-curated" {
		j.report(codexCatalogName, j.in("name"), "it refuses the catalog: the name %q is its own", name)
	}
	if name, ok := c.root["name"].(string); ok && !only(name, "_-") {
		j.report(codexCatalogName, j.in("name"), "it refuses the catalog: the name %q has other characters than letters, digits, \"_\" and \"-\"", clip(name))
	}
	seen := map[string]bool{}
	for i, v := range c.entries {
		e := object(v)
		name := text(e["name"])
		skip := func(r rule, key, format string, args ...any) {
			j.entries[i].Listed = false
			j.report(r, j.in("plugins", i, key), "it skips "+quoted([]any{entryName(e, i)})+": "+format, args...).entry = i
		}
		if why := codexSourceFault(sourceOf(e)); why != "" {
			skip(codexSource, "source", "%s", why)
			continue
		}
		switch {
		case !codexPlugin(name):
			skip(codexEntryName, "name", "the name has other characters than letters, digits, \".\", \"_\" and \"-\"")
			continue
		case seen[name]:
			skip(codexTwice, "name", "there is an entry of this name before it")
			continue
		}
		seen[name] = true
		if products, ok := object(e["policy"])["products"].([]any); ok && !slices.ContainsFunc(products, func(p any) bool { return strings.EqualFold(text(p), "codex") }) {
			skip(codexNotAvailable, "policy", "it is for other products")
			continue
		}
		if text(object(e["policy"])["installation"]) == "NOT_AVAILABLE" {
			j.report(codexNotAvailable, j.in("plugins", i, "policy"), "it does not install %q, which is NOT_AVAILABLE", clip(name)).entry = i
		}
		if dir, ok := codexLocal(sourceOf(e)); ok && repo.Dir != nil && !repo.Dir(cleaned(dir)) {
			j.report(codexNoDirectory, j.in("plugins", i, "source"), "it does not install %q: the directory %q does not exist", clip(name), clip(dir)).entry = i
		}
	}
}

// codexLocal is the directory of a local source.
func codexLocal(s source) (string, bool) {
	switch s.kind {
	case "./":
		return s.text, true
	case "local":
		p, ok := s.o["path"].(string)
		return p, ok
	}
	return "", false
}

// codexSourceFault returns why Codex skips a source, or "".
func codexSourceFault(s source) string {
	if dir, ok := codexLocal(s); ok {
		// The root of the marketplace is "." or "./".
		if dir == "." || dir == "./" {
			return ""
		}
		if !strings.HasPrefix(dir, "./") || !plainPath(dir[2:]) {
			return "the path " + quoted([]any{dir}) + " does not begin with \"./\", or does not stay in the marketplace"
		}
		return ""
	}
	for _, key := range []string{"url", "path", "ref", "sha", "package", "version", "registry"} {
		if v, ok := s.o[key]; ok && v != nil {
			if _, isString := v.(string); !isString {
				return quoted([]any{key}) + " is no string"
			}
		}
	}
	switch s.kind {
	case "url", "git-subdir":
		if !codexURL(strings.TrimSpace(text(s.o["url"]))) {
			return "the url is none that Codex takes"
		}
		p, has := s.o["path"].(string)
		p = strings.TrimPrefix(strings.TrimSpace(p), "./")
		if has && !plainPath(p) || !has && s.kind == "git-subdir" {
			return "the path is missing, empty, or leaves the repository"
		}
		return ""
	case "npm":
		if !isPackageName(text(s.o["package"])) {
			return "it names no package"
		}
		if r, ok := s.o["registry"].(string); ok && !strings.HasPrefix(r, "https://") {
			return "its registry is not at an https address"
		}
		return ""
	case "local":
		return "it has no path"
	case "":
		return "it says no kind"
	}
	return "Codex does not know sources of the kind " + quoted([]any{s.kind})
}

// plainPath reports whether a path has nothing but names.
func plainPath(p string) bool {
	if p == "" || strings.HasPrefix(p, "/") {
		return false
	}
	return !hasDots(p) && !strings.HasPrefix(p, "./") && p != "."
}

func codexURL(u string) bool {
	for _, prefix := range []string{"http://", "https://", "file://", "./", "../", "/", "ssh://"} {
		if strings.HasPrefix(u, prefix) {
			return true
		}
	}
	return strings.HasPrefix(u, "git@") && strings.Contains(u, ":") || isOwnerRepo(u)
}
