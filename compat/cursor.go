package compat

import (
	"strings"

	"pinion/manifest/cursor"
	"pinion/tree"
)

// cursorHost is Cursor. The program cannot be run offline: what its rules say
// comes from its published schemas and from what it publishes itself.
func cursorHost() *host {
	return &host{
		name: Cursor, title: "Cursor",
		first: Version{2, 5, 0}, newest: Version{2, 5, 0},
		rules:    []rule{cursorNothing, cursorManifest, cursorPart, cursorCatalogText, cursorCatalogType, cursorCatalogKey, cursorEntry, cursorNoDirectory},
		pkg:      cursorPackage,
		catalogs: []string{".cursor-plugin/marketplace.json"},
		catalog:  cursorCatalog,
	}
}

const cursorKnown = "cursor/plugins schemas/plugin.schema.json and schemas/marketplace.schema.json; the program itself was not tried"

var (
	cursorNothing = rule{
		id: "nothing", effect: note,
		title: "Nothing that Cursor loads", help: "A plugin has .cursor-plugin/plugin.json. A SKILL.md at the top is a skill.",
		fix: "add .cursor-plugin/plugin.json", evidence: cursorKnown,
	}
	cursorManifest = rule{
		id: "manifest", effect: fatal,
		title: "A manifest that Cursor's schema refuses", help: "The schema of plugin.json is closed; the message names the rule of the format.",
		fix: "see the rule that the message names", evidence: cursorKnown,
	}
	cursorPart = rule{
		id: "part", effect: part,
		title: "A part that Cursor leaves out", help: "The plugin loads without this file.",
		fix: "see the rule that the message names", evidence: cursorKnown,
	}
	cursorCatalogText = rule{
		id: "catalog-json", effect: fatal,
		title: "A catalog that is not JSON", help: "Cursor wants JSON.",
		fix: "correct the file", evidence: cursorKnown,
	}
	cursorCatalogType = rule{
		id: "catalog-type", effect: fatal,
		title: "A catalog that Cursor's schema refuses", help: "name, owner with a name and the list plugins are needed, and every entry has a name and a source.",
		fix: "write a value of the wanted type", evidence: cursorKnown,
	}
	cursorCatalogKey = rule{
		id: "catalog-key", effect: note,
		title: "A key that Cursor's schema does not have", help: "The schema of the catalog is closed, but catalogs that Cursor publishes have other keys too.",
		fix: "keep such keys in the catalog of another host", evidence: cursorKnown + "; .cursor-plugin/marketplace.json of public repositories",
	}
	cursorEntry = rule{
		id: "source", effect: fatal,
		title: "A source that Cursor does not know", help: "A source is the text of a directory; objects are not in the schema.",
		fix: "name a directory of the repository", evidence: cursorKnown,
	}
	cursorNoDirectory = rule{
		id: "entry-missing", effect: fatal,
		title: "A source that does not exist", help: "The directory that the entry names is not in the repository.",
		fix: "correct the path, or add the directory", evidence: cursorKnown,
	}
)

func cursorPackage(j *judge, t *tree.Tree, in Place) {
	switch {
	case t.Lookup(".cursor-plugin/plugin.json") != nil:
		j.byReader(cursor.New(), t, in, cursorManifest, cursorPart)
	case t.Lookup("SKILL.md") != nil && in.Entry == nil:
		j.loneSkill(t, in, cursorManifest)
	default:
		j.unread = true
		j.report(cursorNothing, whole(), "there is no .cursor-plugin/plugin.json")
	}
}

func cursorCatalog(j *judge, data []byte, repo Repo) {
	c := j.open(data, repo, catalogRules{
		json: cursorCatalogText, faults: []fault{badSyntax}, header: cursorCatalogType,
		shape: []member{
			required("name", filled), required("owner", objectOf(required("name", isText), optional("email", isText))),
			required("plugins", listOf(objectOf(required("name", filled), required("source", anything)))),
		},
	})
	if c == nil {
		return
	}
	root := text(object(c.root["metadata"])["pluginRoot"])
	for key := range c.root {
		switch key {
		case "name", "owner", "metadata", "plugins":
		default:
			j.report(cursorCatalogKey, j.in(key), "its schema has no key %q", clip(key))
		}
	}
	for i, v := range c.entries {
		e := object(v)
		dir, ok := e["source"].(string)
		switch name := entryName(e, i); {
		case !ok || !within(dir):
			j.report(cursorEntry, j.in("plugins", i, "source"), "it does not load %q, whose source is no directory of the repository", name).entry = i
		default:
			if root != "" && !strings.HasPrefix(dir, "./") {
				dir = root + "/" + dir
			}
			if repo.Dir != nil && !repo.Dir(cleaned(dir)) {
				j.report(cursorNoDirectory, j.in("plugins", i, "source"), "it does not load %q: the directory %q does not exist", name, clip(dir)).entry = i
			}
		}
	}
}
