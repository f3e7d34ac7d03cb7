package hostcheck

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"pinion/internal/regex"
	"pinion/internal/sandbox"
)

// Copilot runs the GitHub Copilot CLI.
type Copilot struct{ s *Session }

var _ Host = Copilot{}

// Name implements [Host].
func (Copilot) Name() Name { return CopilotClient }

func (c Copilot) reply(res sandbox.Result, err error) (Reply, error) {
	if err != nil {
		return Reply{}, err
	}
	return c.s.reply(res), nil
}

// AddMarketplace implements [Host].
func (c Copilot) AddMarketplace(ctx context.Context, dir string) (Reply, error) {
	res, err := c.s.Run(ctx, CopilotClient, "plugin", "marketplace", "add", dir)
	r, err := c.reply(res, err)
	if m := copilotAdded.Get().FindSubmatch(res.Stdout); err == nil && r.OK && m != nil {
		r.Market = string(m[1])
	}
	return r, err
}

var copilotAdded = regex.Lazy{Expr: `(?m)^Marketplace "(.*)" added`}

// Install implements [Host].
func (c Copilot) Install(ctx context.Context, plugin, market string) (Reply, error) {
	return c.reply(c.s.Run(ctx, CopilotClient, "plugin", "install", plugin+"@"+market))
}

// Uninstall removes an installed plugin.
func (c Copilot) Uninstall(ctx context.Context, plugin, market string) (Reply, error) {
	return c.reply(c.s.Run(ctx, CopilotClient, "plugin", "uninstall", plugin+"@"+market))
}

// Offered implements [Host].
func (c Copilot) Offered(ctx context.Context, markets []string) (map[string][]string, error) {
	names := map[string][]string{}
	for _, market := range markets {
		res, err := c.s.Run(ctx, CopilotClient, "plugin", "marketplace", "browse", market, "--json")
		if err != nil {
			return nil, err
		}
		if res.Exit != 0 {
			continue // it cannot browse what it does not read
		}
		var list []struct{ Name string }
		if err := json.Unmarshal(res.Stdout, &list); err != nil {
			return nil, fmt.Errorf("copilot plugin marketplace browse: %w", err)
		}
		for _, p := range list {
			names[market] = append(names[market], p.Name)
		}
	}
	return names, nil
}

// CopilotPlugin is one plugin in Copilot's list.
type CopilotPlugin struct {
	Name          string `json:"name"`
	Marketplace   string `json:"marketplace"`
	Version       string `json:"version"`
	Enabled       bool   `json:"enabled"`
	Source        string `json:"source"`
	InstalledFrom string `json:"installedFrom"`
}

// List returns what is installed, without what is built in.
func (c Copilot) List(ctx context.Context) ([]CopilotPlugin, error) {
	var all, list []CopilotPlugin
	if err := c.json(ctx, &all, "plugin", "list", "--json"); err != nil {
		return nil, err
	}
	for _, p := range all {
		if p.Source != "builtin" {
			list = append(list, p)
		}
	}
	return list, nil
}

func (c Copilot) json(ctx context.Context, v any, args ...string) error {
	res, err := c.s.Run(ctx, CopilotClient, args...)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(res.Stdout, v); err != nil {
		return fmt.Errorf("copilot %s: %w", strings.Join(args, " "), err)
	}
	return nil
}

// Loaded implements [Host]. Copilot has no inventory of one plugin, so its
// lists of skills (with commands) and servers are divided by where they come
// from; hooks and language servers are in no list. A skill that another
// plugin has already is left out by the client, so plugins that are asked about
// together must not share names; of those that share a directory it does not
// tell.
func (c Copilot) Loaded(ctx context.Context, plugins map[PluginID]string) (map[PluginID]Inventory, error) {
	list, err := c.List(ctx)
	if err != nil {
		return nil, err
	}
	l := newCopilotLists(list, plugins)
	var skills []copilotSkill
	if err := c.json(ctx, &skills, "skill", "list", "--json"); err != nil {
		return nil, err
	}
	for _, sk := range skills {
		l.skill(sk)
	}
	var servers struct {
		MCPServers map[string]struct{ SourcePlugin string }
	}
	if err := c.json(ctx, &servers, "mcp", "list", "--json"); err != nil {
		return nil, err
	}
	for name, m := range servers.MCPServers {
		l.server(m.SourcePlugin, name)
	}
	for id := range l.loaded {
		l.add(id, agentType, "?") // agents are in no list of the commands
	}
	return l.done(plugins), nil
}

// copilotSkill is one skill or command in Copilot's list.
type copilotSkill struct{ Name, Source, Path string }

// copilotLists divides Copilot's lists among plugins.
type copilotLists struct {
	loaded map[PluginID]Inventory
	owners map[string][]PluginID // by directory
}

func newCopilotLists(list []CopilotPlugin, plugins map[PluginID]string) copilotLists {
	l := copilotLists{map[PluginID]Inventory{}, map[string][]PluginID{}}
	for _, p := range list {
		id := PluginID{p.Name, p.Marketplace}
		if dir, ok := plugins[id]; ok && p.Enabled {
			l.loaded[id] = Inventory{}
			l.owners[dir] = append(l.owners[dir], id)
		}
	}
	return l
}

func (l copilotLists) add(id PluginID, typ, name string) {
	if inv, ok := l.loaded[id]; ok {
		inv.add(typ, name)
		l.loaded[id] = inv
	}
}

func (l copilotLists) skill(sk copilotSkill) {
	for _, id := range l.owners[owner(sk.Path, l.owners)] {
		if sk.Source == "plugin" {
			l.add(id, skillType, sk.Name)
		}
	}
}

func (l copilotLists) server(plugin, name string) {
	for id := range l.loaded {
		if id.Plugin == plugin {
			l.add(id, serverType, name)
		}
	}
}

func (l copilotLists) done(plugins map[PluginID]string) map[PluginID]Inventory {
	for id, inv := range l.loaded {
		l.loaded[id] = inv.sorted()
		if len(l.owners[plugins[id]]) > 1 {
			l.loaded[id] = nil
		}
	}
	return l.loaded
}

// owner is the innermost plugin's directory that has a path.
func owner(path string, owners map[string][]PluginID) string {
	for dir := path; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, ok := owners[dir]; ok {
			return dir
		}
	}
	return ""
}
