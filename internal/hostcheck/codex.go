package hostcheck

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Codex runs the Codex CLI.
type Codex struct{ s *Session }

var _ Host = Codex{}

// Name implements [Host].
func (Codex) Name() Name { return CodexClient }

func (c Codex) plugin(ctx context.Context, args ...string) (Reply, error) {
	res, err := c.s.Run(ctx, CodexClient, append([]string{"plugin"}, args...)...)
	if err != nil {
		return Reply{}, err
	}
	return c.s.reply(res), nil
}

// AddMarketplace implements [Host].
func (c Codex) AddMarketplace(ctx context.Context, dir string) (Reply, error) {
	res, err := c.s.Run(ctx, CodexClient, "plugin", "marketplace", "add", "--json", dir)
	if err != nil || res.Exit != 0 {
		return c.s.reply(res), err
	}
	var r struct{ MarketplaceName string }
	if err := json.Unmarshal(res.Stdout, &r); err != nil {
		return Reply{}, fmt.Errorf("codex plugin marketplace add: %w", err)
	}
	return Reply{OK: true, Market: r.MarketplaceName}, nil
}

// Install implements [Host].
func (c Codex) Install(ctx context.Context, plugin, market string) (Reply, error) {
	return c.plugin(ctx, "add", plugin+"@"+market, "--json")
}

// Uninstall removes an installed plugin.
func (c Codex) Uninstall(ctx context.Context, plugin, market string) (Reply, error) {
	return c.plugin(ctx, "remove", plugin+"@"+market)
}

// CodexPlugin is one plugin in Codex's list.
type CodexPlugin struct {
	Name            string `json:"name"`
	MarketplaceName string `json:"marketplaceName"`
	Version         string `json:"version"`
	Installed       bool   `json:"installed"`
	Enabled         bool   `json:"enabled"`
}

// List returns what is installed, and with all what could be.
func (c Codex) List(ctx context.Context, all bool) ([]CodexPlugin, error) {
	args := []string{"plugin", "list", "--json"}
	if all {
		args = append(args, "--available")
	}
	res, err := c.s.Run(ctx, CodexClient, args...)
	if err != nil {
		return nil, err
	}
	if res.Exit != 0 {
		return nil, nil // with a catalog that it cannot read it lists nothing
	}
	var list struct{ Installed, Available []CodexPlugin }
	if err := json.Unmarshal(res.Stdout, &list); err != nil {
		return nil, fmt.Errorf("codex plugin list: %w", err)
	}
	return append(list.Installed, list.Available...), nil
}

// Offered implements [Host].
func (c Codex) Offered(ctx context.Context, markets []string) (map[string][]string, error) {
	list, err := c.List(ctx, true)
	if err != nil {
		return nil, err
	}
	names := map[string][]string{}
	for _, p := range list {
		if slices.Contains(markets, p.MarketplaceName) {
			names[p.MarketplaceName] = append(names[p.MarketplaceName], p.Name)
		}
	}
	return names, nil
}

// Loaded implements [Host] with the answers of Codex's own server about the
// installed copies: skills (commands are made into skills at the installation),
// hooks and servers.
func (c Codex) Loaded(ctx context.Context, plugins map[PluginID]string) (map[PluginID]Inventory, error) {
	list, err := c.List(ctx, false)
	if err != nil {
		return nil, err
	}
	loaded := map[PluginID]Inventory{}
	for _, p := range list {
		id := PluginID{p.Name, p.MarketplaceName}
		if _, ok := plugins[id]; ok && p.Enabled {
			loaded[id] = Inventory{}
		}
	}
	server, err := c.s.startCodexServer()
	if err != nil {
		return nil, err
	}
	err = c.inventory(ctx, server, loaded)
	if err == nil {
		err = c.effective(ctx, loaded)
	}
	return loaded, errors.Join(err, server.close())
}

// migrated is what Codex puts before the names of skills that it makes of
// commands.
const migrated = "source-command-"

func (c Codex) inventory(ctx context.Context, server *codexServer, loaded map[PluginID]Inventory) error {
	var skills struct {
		Data []struct {
			Skills []struct{ Name, PluginID string }
		}
	}
	var hooks struct {
		Data []struct {
			Hooks []struct{ EventName, PluginID string }
		}
	}
	cwds := map[string]any{"cwds": []string{c.s.Dir}}
	if err := errors.Join(server.call(ctx, "skills/list", cwds, &skills), server.call(ctx, "hooks/list", cwds, &hooks)); err != nil {
		return err
	}
	add := func(id, typ, name string) {
		plugin, market, _ := strings.Cut(id, "@")
		p := PluginID{plugin, market}
		if inv, ok := loaded[p]; ok {
			inv.add(typ, name)
			loaded[p] = inv
		}
	}
	for _, d := range skills.Data {
		for _, sk := range d.Skills {
			// The scope is the plugin's name. Of a manifest without one it is the
			// name of the directory, which is a version, and stays.
			plugin, _, _ := strings.Cut(sk.PluginID, "@")
			name := unscoped(plugin, sk.Name)
			if command, ok := strings.CutPrefix(name, migrated); ok {
				add(sk.PluginID, commandType, command)
			} else {
				add(sk.PluginID, skillType, name)
			}
		}
	}
	for _, d := range hooks.Data {
		for _, h := range d.Hooks {
			// It says "sessionStart" for what the files call "SessionStart".
			add(h.PluginID, hookType, strings.ToUpper(h.EventName[:1])+h.EventName[1:])
		}
	}
	return c.servers(ctx, server, loaded)
}

// effective takes out the servers that Codex does not have in the end: a plugin
// is read at its source, and loaded from a copy without links.
func (c Codex) effective(ctx context.Context, loaded map[PluginID]Inventory) error {
	res, err := c.s.Run(ctx, CodexClient, "mcp", "list", "--json")
	if err != nil {
		return err
	}
	var list []struct{ Name string }
	if err := json.Unmarshal(res.Stdout, &list); err != nil {
		return fmt.Errorf("codex mcp list: %w", err)
	}
	have := map[string]bool{}
	for _, m := range list {
		have[serverType+":"+m.Name] = true
	}
	for id, inv := range loaded {
		loaded[id] = slices.DeleteFunc(inv, func(x string) bool { return strings.HasPrefix(x, serverType+":") && !have[x] })
	}
	return nil
}

// servers adds the MCP servers: the client's list of servers does not say whose
// they are, so each plugin is read.
func (c Codex) servers(ctx context.Context, server *codexServer, loaded map[PluginID]Inventory) error {
	var list struct {
		Marketplaces []struct{ Name, Path string }
	}
	if err := server.call(ctx, "plugin/list", map[string]any{}, &list); err != nil {
		return err
	}
	paths := map[string]string{}
	for _, m := range list.Marketplaces {
		paths[m.Name] = m.Path
	}
	for id, inv := range loaded {
		var read struct {
			Plugin struct{ MCPServers []string }
		}
		args := map[string]any{"marketplacePath": paths[id.Market], "pluginName": id.Plugin}
		if err := server.call(ctx, "plugin/read", args, &read); err != nil {
			return err
		}
		inv.add(serverType, read.Plugin.MCPServers...)
		loaded[id] = inv.sorted()
	}
	return nil
}
