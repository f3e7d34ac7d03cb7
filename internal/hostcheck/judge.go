package hostcheck

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"pinion/catalog"
	"pinion/compat"
	"pinion/manifest"
	"pinion/tree"
)

// Answer is what we say about one question.
type Answer struct {
	Loads bool
	Has   Inventory // nil when it does not load
	Rule  string    // what keeps it from loading, or the first problem
}

// judged is the host whose verdict a client checks, "" for the validators of
// formats that are no hosts.
func judged(name Name) compat.Host {
	switch name {
	case ClaudeClient:
		return compat.Claude
	case CodexClient:
		return compat.Codex
	case CopilotClient:
		return compat.Copilot
	case GeminiClient:
		return compat.Gemini
	case SkillsClient:
		return compat.Skills
	}
	return ""
}

// Judge says what we think of the questions that rows answer, all of one case.
// The tree is made below tmp and removed.
func Judge(ctx context.Context, tmp string, c Case, rows []Truth) ([]Answer, error) {
	root, err := os.MkdirTemp(tmp, "judge-")
	if err != nil {
		return nil, err
	}
	answers, err := judgeIn(ctx, root, c, rows)
	if err := errors.Join(err, os.RemoveAll(root)); err != nil {
		return nil, fmt.Errorf("judge %s: %w", c.ID, err)
	}
	return answers, nil
}

func judgeIn(ctx context.Context, root string, c Case, rows []Truth) ([]Answer, error) {
	if err := c.Write(filepath.Join(root, c.Name())); err != nil {
		return nil, err
	}
	// A repository is its own root: no link may leave it. A package stands in
	// the repository that the clients were shown.
	opened, inside := root, c.Name()
	if c.Shape == Catalog {
		opened, inside = filepath.Join(root, c.Name()), "."
	}
	dir, err := tree.OpenDir(opened)
	if err != nil {
		return nil, err
	}
	var answers []Answer
	for _, r := range rows {
		var a Answer
		to := compat.Newest(judged(r.Client))
		switch {
		case c.Shape == Catalog && r.Plugin == "":
			a = judgeCatalog(to, c)
		case c.Shape == Catalog:
			a, err = judgeEntry(ctx, dir, to, c, r)
		case judged(r.Client) == "":
			a, err = judgeFormat(ctx, dir, inside, r.Client)
		default:
			at := compat.Place{Dir: c.Name()}
			if c.Shape == Package && r.Client != SkillsClient {
				at.Entry = &manifest.Entry{Name: c.Name(), Strict: true}
			}
			a, err = judgePackage(ctx, dir, inside, to, at, r.Client)
		}
		if err != nil {
			return nil, errors.Join(err, dir.Close())
		}
		answers = append(answers, a)
	}
	return answers, dir.Close()
}

func judgePackage(ctx context.Context, dir *tree.Dir, inside string, to compat.Target, at compat.Place, client Name) (Answer, error) {
	t, err := read(ctx, dir, inside)
	if err != nil {
		return Answer{}, err
	}
	return answer(compat.Package(to, t, at), client), nil
}

func read(ctx context.Context, dir *tree.Dir, inside string) (*tree.Tree, error) {
	return dir.Read(ctx, inside, tree.Options{Profile: func([]string) tree.Profile {
		return tree.Profile{Limits: tree.Foreign(), Known: func(string) bool { return true }}
	}}, &tree.Scratch{})
}

// answer is a verdict in the words of the clients.
func answer(v compat.Verdict, client Name) Answer {
	a := Answer{Loads: v.Outcome == compat.Loads || v.Outcome == compat.Partly}
	for _, p := range v.Problems {
		if a.Rule = p.Rule + ": " + p.Message; p.Severity.String() == "error" {
			break
		}
	}
	if !a.Loads {
		return a
	}
	a.Has = inventory(v.Components, client)
	return a
}

// inventory are components in the words of a client, as far as it tells.
func inventory(components []manifest.Component, client Name) Inventory {
	inv := Inventory{}
	for _, c := range components {
		typ := wordFor(c.Type)
		// These two have one list of skills and commands.
		if typ == commandType && (client == ClaudeClient || client == CopilotClient) {
			typ = skillType
		}
		if tells(client, typ) {
			inv.add(typ, c.Name)
		}
	}
	return inv.sorted()
}

func wordFor(t manifest.ComponentType) string {
	switch t {
	case manifest.ServerComponent:
		return serverType
	case manifest.LSPComponent:
		return lspType
	}
	return string(t)
}

// tells reports whether a client's lists have components of a type.
func tells(client Name, typ string) bool {
	switch client {
	case ClaudeClient:
		return strings.Contains(" skill agent hook mcp lsp ", " "+typ+" ")
	case CodexClient:
		return strings.Contains(" skill command hook mcp ", " "+typ+" ")
	case CopilotClient:
		return strings.Contains(" skill mcp agent ", " "+typ+" ")
	case GeminiClient:
		return strings.Contains(" skill agent mcp ", " "+typ+" ")
	case SkillsClient:
		return typ == skillType
	}
	return false
}

// catalogOf finds the catalog that a host reads.
func catalogOf(host compat.Host, c Case) (string, []byte) {
	for _, at := range compat.CatalogPlaces(host) {
		if data, ok := c.Follow(at); ok {
			return at, data
		}
	}
	return "", nil
}

func judgeCatalog(to compat.Target, c Case) Answer {
	at, data := catalogOf(to.Host, c)
	if at == "" {
		return Answer{Rule: "no catalog where the host looks"}
	}
	v := compat.Catalog(to, at, data, compat.Repo{Dir: c.hasDir, File: func(p string) bool { _, ok := c.Follow(p); return ok }})
	a := answer(v, "")
	if !a.Loads {
		return a
	}
	var names []string
	for _, e := range v.Entries {
		if e.Listed {
			names = append(names, e.Name)
		}
	}
	a.Has = nameSet(names)
	return a
}

func judgeEntry(ctx context.Context, dir *tree.Dir, to compat.Target, c Case, r Truth) (Answer, error) {
	at, data := catalogOf(to.Host, c)
	cat, _ := catalog.Parse(at, data)
	for _, e := range cat.Entries {
		if e.Name != r.Plugin {
			continue
		}
		in, ok := c.entryDir(to.Host, cat, e)
		if !ok || !c.hasDir(in) {
			return Answer{Rule: "no such directory"}, nil
		}
		offered := compat.Catalog(to, at, data, compat.Repo{Dir: c.hasDir})
		if e.Index < len(offered.Entries) && offered.Entries[e.Index].Outcome == compat.Refused {
			return Answer{Rule: offered.Entries[e.Index].Rule}, nil
		}
		// Of what is no catalog the entry's own text is not known, and not needed.
		var doc struct{ Plugins []json.RawMessage }
		var raw []byte
		if json.Unmarshal(data, &doc) == nil && e.Index < len(doc.Plugins) {
			raw = doc.Plugins[e.Index]
		}
		entry := &manifest.Entry{Name: e.Name, Version: e.Version, Description: e.Description, License: e.License, Strict: e.Strict, Fields: e.Fields}
		return judgePackage(ctx, dir, in, to, compat.Place{Dir: path.Base(in), Entry: entry, Raw: raw}, r.Client)
	}
	return Answer{Rule: "no such entry"}, nil
}

// entryDir is where a host looks for an entry's package.
func (c Case) entryDir(host compat.Host, cat *catalog.Catalog, e catalog.Entry) (string, bool) {
	dir, ok := e.Source.Relative()
	// Copilot joins the root with every path, Claude Code with bare names only.
	if rooted := path.Join(cat.PluginRoot, dir); ok && host == compat.Copilot && c.hasDir(rooted) {
		dir = rooted
	}
	return dir, ok
}

// hasDir reports whether a directory exists in the case's tree.
func (c Case) hasDir(dir string) bool {
	dir = path.Clean(dir)
	for _, f := range c.Files {
		if dir == "." || strings.HasPrefix(f.Path, dir+"/") {
			return true
		}
		if f.Link != "" && f.Path == dir {
			return c.hasDir(path.Join(path.Dir(f.Path), f.Link))
		}
	}
	return false
}

// Follow is the content of a file, through a link inside the case.
func (c Case) Follow(p string) ([]byte, bool) {
	for _, f := range c.Files {
		if f.Path == p && f.Link != "" {
			return c.Text(path.Join(path.Dir(p), f.Link))
		}
	}
	return c.Text(p)
}
