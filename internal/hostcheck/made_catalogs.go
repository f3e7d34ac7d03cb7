package hostcheck

import "strings"

// catalogText writes a catalog's text.
func catalogText(plugins string, more ...string) string {
	fields := append([]string{`"name": "@-market"`, `"owner": {"name": "O"}`, `"plugins": [` + plugins + `]`}, more...)
	return "{" + strings.Join(fields, ", ") + "}\n"
}

// one is a good entry, and two more for neighbours.
const (
	oneEntry = `{"name": "@-one", "source": "./plugins/@-one"}`
	twoEntry = `{"name": "@-two", "source": "./plugins/@-two"}`
)

// plugin is a plugin of a catalog's repository.
func plugin(name string) []File {
	return files("plugins/"+name+"/.claude-plugin/plugin.json", `{"name": "`+name+`", "version": "1.0.0", "description": "d"}`,
		"plugins/"+name+"/skills/"+name+"-skill/SKILL.md", skillText(name+"-skill"))
}

func both() []File { return append(plugin("@-one"), plugin("@-two")...) }

func (m *maker) madeCatalogs() {
	cat := func(id, text string, parts ...[]File) {
		c := m.add(Catalog, "catalog/"+id, append([][]File{both(), file(claudeCatalog, text)}, parts...)...)
		// Whether an entry's package loads depends on the entry and on where its
		// source leads to; the rest of a catalog decides only what is listed.
		if strings.HasPrefix(id, "entry-") || strings.HasPrefix(id, "root-") || id == "good" || id == "source-is-link" || id == "source-local" || id == "source-slash-end" || id == "source-root" || id == "source-missing" {
			c.Install = c.names("@-one", "@-two")
		}
	}
	ok := catalogText(oneEntry + ", " + twoEntry)
	for id, text := range map[string]string{
		"good": ok, "bom": "\ufeff" + ok, "comment": "// c\n" + ok, "trailing-comma": strings.Replace(ok, "]", ",]", 1), "empty": "", "array": "[" + ok + "]", "broken": ok[:20], "latin-1": strings.Replace(ok, `"O"`, "\"\xe9\"", 1), "twice-key": strings.Replace(ok, `"owner"`, `"name": "@-market", "owner"`, 1), "twice-key-in-entry": catalogText(`{"name": "@-one", "name": "@-one", "source": "./plugins/@-one"}`), "nul-escaped": strings.Replace(ok, `"O"`, `"a\u0000"`, 1), "surrogate": strings.Replace(ok, `"O"`, `"a\ud800"`, 1), "no-plugins": catalogText(""), "plugins-missing": `{"name": "@-market", "owner": {"name": "O"}}`, "plugins-object": `{"name": "@-market", "owner": {"name": "O"}, "plugins": {}}`, "plugins-null": `{"name": "@-market", "owner": {"name": "O"}, "plugins": null}`,
		"unknown-top": catalogText(oneEntry, `"own": 1`), "x-prefix": catalogText(oneEntry, `"x-own": 1, "_own": 2`), "schema": catalogText(oneEntry, `"$schema": "https://example.com/s.json"`), "schema-number": catalogText(oneEntry, `"$schema": 5`), "description": catalogText(oneEntry, `"description": "d"`), "description-number": catalogText(oneEntry, `"description": 5`), "version": catalogText(oneEntry, `"version": "1.0.0"`), "version-number": catalogText(oneEntry, `"version": 1`), "metadata": catalogText(oneEntry, `"metadata": {"description": "d", "version": "1"}`), "metadata-text": catalogText(oneEntry, `"metadata": "m"`), "metadata-unknown": catalogText(oneEntry, `"metadata": {"own": 1}`), "metadata-version-number": catalogText(oneEntry, `"metadata": {"version": 1}`), "renames": catalogText(oneEntry, `"renames": {"old": "@-one"}`), "renames-null": catalogText(oneEntry, `"renames": {"old": null}`), "renames-cycle": catalogText(oneEntry, `"renames": {"a": "b", "b": "a"}`), "renames-list": catalogText(oneEntry, `"renames": []`), "cross": catalogText(oneEntry, `"allowCrossMarketplaceDependenciesOn": ["other"]`), "cross-text": catalogText(oneEntry, `"allowCrossMarketplaceDependenciesOn": "other"`), "interface": catalogText(oneEntry, `"interface": {"displayName": "D"}`), "interface-text": catalogText(oneEntry, `"interface": "D"`), "native": catalogText(oneEntry, `"schema_version": 1`), "force-remove": catalogText(oneEntry, `"forceRemoveDeletedPlugins": true`),
	} {
		cat(id, text)
	}
	for id, owner := range map[string]string{"missing": "", "text": `"owner": "O", `, "null": `"owner": null, `, "empty": `"owner": {}, `, "name-empty": `"owner": {"name": ""}, `, "name-number": `"owner": {"name": 1}, `, "email": `"owner": {"name": "O", "email": "o@@example.com"}, `, "email-bad": `"owner": {"name": "O", "email": "no"}, `, "url": `"owner": {"name": "O", "url": "https://example.com"}, `, "url-bad": `"owner": {"name": "O", "url": "no"}, `, "unknown": `"owner": {"name": "O", "own": 1}, `, "list": `"owner": [], `} {
		cat("owner-"+id, strings.Replace(ok, `"owner": {"name": "O"}, `, owner, 1))
	}
	for _, name := range []string{"Upper", "with space", "under_score", "dot.ted", "double--dash", "-lead", "trail-", "ünicode", "claude-plugins-official", "claude-code-plugins", "anthropic-marketplace", "agent-skills", "official-claude-plugins", "anthropic-plugins-v2", "inline", "builtin", "skills-dir", "x/y", "..", "x@@z", "org", "unknown", "local", "my-claude-plugins", "anthropics", "healthcare", "openai-curated", "openai", "awesome-copilot", "copilot-plugins", strings.Repeat("n", 64), strings.Repeat("n", 65), strings.Repeat("n", 129), " ", "user"} {
		id := idOf(name)
		if len(name) > 60 {
			id = "length-" + map[int]string{64: "64", 65: "65", 129: "129"}[len(name)]
		}
		id += map[string]string{"..": "dots", " ": "blank", "-lead": "-dash", "trail-": "-dash"}[name]
		cat("name-"+id, strings.Replace(ok, `"@-market"`, `"`+name+`"`, 1))
	}
	for id, v := range map[string]string{"missing": "", "null": `"name": null, `, "number": `"name": 1, `, "empty": `"name": "", `} {
		cat("name-"+id, strings.Replace(ok, `"name": "@-market", `, v, 1))
	}
	m.madeEntries(cat)
	m.madeSources(cat)
	m.madeCatalogPlaces()
}

// madeEntries are entries, each beside a good one.
func (m *maker) madeEntries(cat func(id, text string, parts ...[]File)) {
	entry := func(more string) string {
		return catalogText(`{"name": "@-one", "source": "./plugins/@-one"` + more + "}, " + twoEntry)
	}
	for id, more := range map[string]string{
		"unknown": `, "own": 1`, "x-prefix": `, "x-own": 1, "_own": 1`, "hash": `, "hash": "h1:x", "sha256": "x", "integrity": "x"`, "sha": `, "sha": "x"`, "description": `, "description": "d"`, "description-number": `, "description": 1`, "description-null": `, "description": null`, "version": `, "version": "2.0.0"`, "version-number": `, "version": 2`, "version-bad": `, "version": "../x"`, "author": `, "author": {"name": "A"}`, "author-text": `, "author": "A"`, "author-empty": `, "author": {}`, "homepage": `, "homepage": "https://example.com"`, "homepage-bad": `, "homepage": "example"`, "repository": `, "repository": "https://example.com/r"`, "repository-object": `, "repository": {"url": "x"}`, "license": `, "license": "MIT"`, "license-number": `, "license": 5`, "keywords": `, "keywords": ["k"]`, "keywords-text": `, "keywords": "k"`, "category": `, "category": "c"`, "category-number": `, "category": 1`, "tags": `, "tags": ["t"]`, "tags-text": `, "tags": "t"`, "display-name": `, "displayName": "D"`, "display-name-number": `, "displayName": 1`, "strict-text": `, "strict": "false"`, "strict-true": `, "strict": true`, "strict-false": `, "strict": false`, "default-enabled": `, "defaultEnabled": false`, "relevance": `, "relevance": {"x": 1}`, "policy": `, "policy": {"installation": "AVAILABLE", "authentication": "ON_INSTALL"}`, "policy-not-available": `, "policy": {"installation": "NOT_AVAILABLE"}`, "policy-default": `, "policy": {"installation": "INSTALLED_BY_DEFAULT"}`, "policy-unknown": `, "policy": {"installation": "MAYBE"}`, "policy-auth-unknown": `, "policy": {"authentication": "MAYBE"}`, "policy-text": `, "policy": "x"`, "policy-products": `, "policy": {"products": ["CODEX"]}`, "policy-products-other": `, "policy": {"products": ["CHATGPT"]}`, "policy-products-empty": `, "policy": {"products": []}`, "interface": `, "interface": {"displayName": "D"}`, "metadata": `, "metadata": {"a": 1}`, "dependencies": `, "dependencies": ["@-two"]`, "dependencies-object": `, "dependencies": {}`,
		"skills": `, "skills": ["./skills/@-one-skill"]`, "skills-missing": `, "skills": ["./none"]`, "skills-bare": `, "skills": ["skills"]`, "skills-number": `, "skills": 1`, "commands": `, "commands": ["./none.md"]`, "servers": `, "mcpServers": {"@-s": {"command": "node"}}`, "servers-bad": `, "mcpServers": {"@-s": {}}`, "hooks": `, "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}`, "hooks-path": `, "hooks": "./hooks.json"`, "hooks-bad": `, "hooks": {"Stop": 1}`, "agents": `, "agents": ["./none.md"]`, "lsp": `, "lspServers": {"@-l": {"command": "gopls", "extensionToLanguage": {".go": "go"}}}`, "skills-strict-false": `, "strict": false, "skills": ["./skills/@-one-skill"]`,
	} {
		cat("entry-"+id, entry(more))
	}
	for id, e := range map[string]string{
		"no-name": `{"source": "./plugins/@-one"}`, "name-null": `{"name": null, "source": "./plugins/@-one"}`, "name-number": `{"name": 1, "source": "./plugins/@-one"}`, "name-empty": `{"name": "", "source": "./plugins/@-one"}`, "name-blank": `{"name": "a b", "source": "./plugins/@-one"}`, "name-upper": `{"name": "@-ONE", "source": "./plugins/@-one"}`, "name-dot": `{"name": "@.one", "source": "./plugins/@-one"}`, "name-slash": `{"name": "@/one", "source": "./plugins/@-one"}`, "name-under": `{"name": "@_one", "source": "./plugins/@-one"}`, "name-at": `{"name": "@@@-one", "source": "./plugins/@-one"}`, "name-dots": `{"name": "..", "source": "./plugins/@-one"}`, "name-umlaut": `{"name": "@-ü", "source": "./plugins/@-one"}`, "name-reserved": `{"name": "claude-code", "source": "./plugins/@-one"}`, "name-other": `{"name": "@-other", "source": "./plugins/@-one"}`, "name-long": `{"name": "` + strings.Repeat("n", 70) + `", "source": "./plugins/@-one"}`, "no-source": `{"name": "@-one"}`, "source-null": `{"name": "@-one", "source": null}`, "source-number": `{"name": "@-one", "source": 1}`, "source-list": `{"name": "@-one", "source": []}`, "text": `"@-one"`, "null": `null`, "empty": `{}`, "number": `5`,
	} {
		cat("entry-"+id, catalogText(e+", "+twoEntry))
	}
	cat("entry-twice", catalogText(oneEntry+", "+oneEntry+", "+twoEntry))
	cat("entry-twice-case", catalogText(oneEntry+`, {"name": "@-ONE", "source": "./plugins/@-two"}`))
	cat("entry-same-directory", catalogText(oneEntry+`, {"name": "@-again", "source": "./plugins/@-one"}`))
	cat("entry-no-manifest", catalogText(oneEntry+", "+twoEntry), without("plugins/@-one/.claude-plugin/plugin.json"))
	cat("entry-no-manifest-loose", catalogText(`{"name": "@-one", "source": "./plugins/@-one", "strict": false}, `+twoEntry), without("plugins/@-one/.claude-plugin/plugin.json"))
	cat("entry-no-manifest-loose-skills", catalogText(`{"name": "@-one", "source": "./plugins/@-one", "strict": false, "skills": ["./extra/@-own"]}, `+twoEntry), without("plugins/@-one/.claude-plugin/plugin.json"), file("plugins/@-one/extra/@-own/SKILL.md", skillText("@-own")))
	cat("entry-loose-conflict", catalogText(`{"name": "@-one", "source": "./plugins/@-one", "strict": false, "skills": ["./skills/@-one-skill"]}, `+twoEntry), file("plugins/@-one/.claude-plugin/plugin.json", `{"name": "@-one", "version": "1.0.0", "skills": "./skills"}`))
	cat("entry-strict-adds", catalogText(`{"name": "@-one", "source": "./plugins/@-one", "skills": ["./extra/@-own"]}, `+twoEntry), file("plugins/@-one/extra/@-own/SKILL.md", skillText("@-own")))
	cat("entry-manifest-broken", catalogText(oneEntry+", "+twoEntry), file("plugins/@-one/.claude-plugin/plugin.json", "{"))
	cat("entry-shared-root", catalogText(`{"name": "@-one", "source": "./", "strict": false, "skills": ["./skills/@-a"]}, {"name": "@-two", "source": "./", "strict": false, "skills": ["./skills/@-b"]}`), files("skills/@-a/SKILL.md", skillText("@-a"), "skills/@-b/SKILL.md", skillText("@-b")))
}

// madeSources are the forms of a source, each beside a good entry.
func (m *maker) madeSources(cat func(id, text string, parts ...[]File)) {
	const sha = "0123456789012345678901234567890123456789"
	for id, s := range map[string]string{
		"bare": `"plugins/@-one"`, "name-only": `"@-one"`, "above": `"../@-one"`, "inside-above": `"./plugins/../plugins/@-one"`, "absolute": `"/etc"`, "missing": `"./plugins/none"`, "backslash": `".\\plugins\\@-one"`, "slash-end": `"./plugins/@-one/"`, "double-slash": `".//plugins/@-one"`, "root": `"./"`, "dot": `"."`, "empty": `""`, "blank": `" "`, "file": `"./plugins/@-one/.claude-plugin/plugin.json"`, "url-text": `"https://example.com/a.git"`, "short": `"owner/repo"`, "home": `"~/x"`, "encoded": `"./plugins/%40-one"`, "upper": `"./PLUGINS/@-one"`,
		"local": `{"source": "local", "path": "./plugins/@-one"}`, "local-bare": `{"source": "local", "path": "plugins/@-one"}`, "local-no-path": `{"source": "local"}`, "directory": `{"source": "directory", "path": "./plugins/@-one"}`, "path-kind": `{"source": "path", "path": "./plugins/@-one"}`, "kind-missing": `{"path": "./plugins/@-one"}`, "kind-number": `{"source": 1}`, "kind-unknown": `{"source": "carrier-pigeon", "url": "x"}`, "kind-upper": `{"source": "GitHub", "repo": "a/b"}`, "settings": `{"source": "settings"}`, "pip": `{"source": "pip", "package": "x"}`, "command": `{"source": "command", "command": "true"}`,
		"github": `{"source": "github", "repo": "owner/name"}`, "github-ref": `{"source": "github", "repo": "owner/name", "ref": "main"}`, "github-sha": `{"source": "github", "repo": "owner/name", "sha": "` + sha + `"}`, "github-path": `{"source": "github", "repo": "owner/name", "path": "p"}`, "github-commit": `{"source": "github", "repo": "owner/name", "commit": "` + sha + `"}`, "github-no-repo": `{"source": "github"}`, "github-bare": `{"source": "github", "repo": "name"}`, "github-url": `{"source": "github", "repo": "https://github.com/owner/name"}`, "github-three": `{"source": "github", "repo": "a/b/c"}`, "github-number": `{"source": "github", "repo": 5}`,
		"url": `{"source": "url", "url": "https://example.com/a.git"}`, "url-ref-sha": `{"source": "url", "url": "https://example.com/a.git", "ref": "main", "sha": "` + sha + `"}`, "url-path": `{"source": "url", "url": "https://example.com/a.git", "path": "p"}`, "url-no-url": `{"source": "url"}`, "url-ssh": `{"source": "url", "url": "git@@example.com:a/b.git"}`, "url-http": `{"source": "url", "url": "http://example.com/a.git"}`, "url-file": `{"source": "url", "url": "file:///tmp/none.git"}`, "url-ext": `{"source": "url", "url": "ext::sh -c true"}`, "url-bare": `{"source": "url", "url": "example"}`, "url-option": `{"source": "url", "url": "--upload-pack=x"}`, "url-empty": `{"source": "url", "url": ""}`, "url-no-git": `{"source": "url", "url": "https://example.com/a"}`, "url-user": `{"source": "url", "url": "https://u:p@@example.com/a.git"}`, "url-unknown-key": `{"source": "url", "url": "https://example.com/a.git", "own": 1}`, "url-number": `{"source": "url", "url": 5}`,
		"sha-short": `{"source": "url", "url": "https://example.com/a.git", "sha": "0123456"}`, "sha-upper": `{"source": "url", "url": "https://example.com/a.git", "sha": "` + strings.Repeat("A", 40) + `"}`, "sha-64": `{"source": "url", "url": "https://example.com/a.git", "sha": "` + strings.Repeat("a", 64) + `"}`, "sha-number": `{"source": "url", "url": "https://example.com/a.git", "sha": 1}`, "sha-null": `{"source": "url", "url": "https://example.com/a.git", "sha": null}`, "sha-empty": `{"source": "url", "url": "https://example.com/a.git", "sha": ""}`, "ref-like-sha": `{"source": "url", "url": "https://example.com/a.git", "ref": "` + sha + `"}`, "ref-number": `{"source": "url", "url": "https://example.com/a.git", "ref": 1}`, "ref-empty": `{"source": "url", "url": "https://example.com/a.git", "ref": ""}`, "ref-dash": `{"source": "url", "url": "https://example.com/a.git", "ref": "--x"}`, "ref-null": `{"source": "url", "url": "https://example.com/a.git", "ref": null}`,
		"subdir": `{"source": "git-subdir", "url": "https://example.com/a.git", "path": "p"}`, "subdir-sha": `{"source": "git-subdir", "url": "https://example.com/a.git", "path": "p", "ref": "main", "sha": "` + sha + `"}`, "subdir-no-path": `{"source": "git-subdir", "url": "https://example.com/a.git"}`, "subdir-path-dot": `{"source": "git-subdir", "url": "https://example.com/a.git", "path": "./p"}`, "subdir-path-above": `{"source": "git-subdir", "url": "https://example.com/a.git", "path": "../p"}`, "subdir-path-absolute": `{"source": "git-subdir", "url": "https://example.com/a.git", "path": "/p"}`, "subdir-path-empty": `{"source": "git-subdir", "url": "https://example.com/a.git", "path": ""}`, "subdir-short": `{"source": "git-subdir", "url": "owner/name", "path": "p"}`, "subdir-no-url": `{"source": "git-subdir", "path": "p"}`, "subdir-repo": `{"source": "git-subdir", "repo": "owner/name", "path": "p"}`, "subdir-path-root": `{"source": "git-subdir", "url": "https://example.com/a.git", "path": "."}`,
		"npm": `{"source": "npm", "package": "x"}`, "npm-version": `{"source": "npm", "package": "@@scope/x", "version": "^1.0.0"}`, "npm-registry": `{"source": "npm", "package": "x", "registry": "https://example.com"}`, "npm-no-package": `{"source": "npm"}`, "npm-bad-package": `{"source": "npm", "package": "../x"}`, "npm-empty": `{"source": "npm", "package": ""}`, "npm-version-number": `{"source": "npm", "package": "x", "version": 1}`, "npm-registry-http": `{"source": "npm", "package": "x", "registry": "http://example.com"}`,
		"archive": `{"source": "archive", "url": "https://example.com/a.zip"}`, "archive-sha": `{"source": "archive", "url": "https://example.com/a.zip", "sha256": "` + strings.Repeat("a", 64) + `"}`, "archive-sha-bad": `{"source": "archive", "url": "https://example.com/a.zip", "sha256": "abc"}`, "archive-http": `{"source": "archive", "url": "http://example.com/a.zip"}`, "archive-no-url": `{"source": "archive"}`, "archive-loopback": `{"source": "archive", "url": "https://127.0.0.1/a.zip"}`, "archive-tar": `{"source": "archive", "url": "https://example.com/a.tar.gz"}`, "command-long": `{"source": "command", "command": "` + strings.Repeat("c", 501) + `"}`, "command-mode": `{"source": "command", "command": "true", "mode": "link"}`, "command-timeout": `{"source": "command", "command": "true", "timeout": 601}`, "command-empty": `{"source": "command", "command": ""}`, "command-list": `{"source": "command", "command": ["true"]}`,
	} {
		cat("source-"+id, catalogText(`{"name": "@-one", "source": `+s+`}, `+twoEntry))
	}
	cat("root-bare", catalogText(`{"name": "@-one", "source": "@-one"}, `+twoEntry, `"metadata": {"pluginRoot": "./plugins"}`))
	cat("root-dot", catalogText(`{"name": "@-one", "source": "./@-one"}, `+twoEntry, `"metadata": {"pluginRoot": "./plugins"}`))
	cat("root-full", catalogText(oneEntry+", "+twoEntry, `"metadata": {"pluginRoot": "./plugins"}`))
	cat("root-above", catalogText(`{"name": "@-one", "source": "@-one"}, `+twoEntry, `"metadata": {"pluginRoot": "../plugins"}`))
	cat("root-missing", catalogText(`{"name": "@-one", "source": "@-one"}, `+twoEntry, `"metadata": {"pluginRoot": "./none"}`))
	cat("root-number", catalogText(oneEntry, `"metadata": {"pluginRoot": 5}`))
	cat("source-is-link", catalogText(`{"name": "@-one", "source": "./linked"}, `+twoEntry), link("linked", "plugins/@-one"))
}

// madeCatalogPlaces are the places where hosts look for a catalog.
func (m *maker) madeCatalogPlaces() {
	ok := catalogText(oneEntry + ", " + twoEntry)
	places := map[string]string{"root": "marketplace.json", "plugin": ".plugin/marketplace.json", "github": ".github/plugin/marketplace.json", "claude": claudeCatalog, "agents": ".agents/plugins/marketplace.json", "cursor": ".cursor-plugin/marketplace.json", "codex": ".codex-plugin/marketplace.json", "native": "shinbot-marketplace.json", "agents-root": ".agents/marketplace.json"}
	for id, at := range places {
		c := m.add(Catalog, "catalog-place/"+id, both(), file(at, ok))
		c.Install = c.names("@-one", "@-two")
		if at != claudeCatalog {
			m.add(Catalog, "catalog-place/"+id+"-and-claude", both(), file(at, catalogText(oneEntry)), file(claudeCatalog, catalogText(twoEntry)))
			m.add(Catalog, "catalog-place/"+id+"-broken-and-claude", both(), file(at, "{"), file(claudeCatalog, catalogText(twoEntry)))
		}
	}
	m.add(Catalog, "catalog-place/none", both())
	m.add(Catalog, "catalog-place/codex-form", both(), file(".agents/plugins/marketplace.json", `{"name": "@-market", "interface": {"displayName": "D"}, "plugins": [{"name": "@-one", "source": {"source": "local", "path": "./plugins/@-one"}, "policy": {"installation": "AVAILABLE", "authentication": "ON_INSTALL"}, "category": "c"}]}`))
	m.add(Catalog, "catalog-place/is-link", both(), file("real.json", ok), link(claudeCatalog, "../real.json"))
}
