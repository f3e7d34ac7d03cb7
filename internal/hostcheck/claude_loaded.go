package hostcheck

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Loaded implements [Host]. Which plugins are loaded, and with which skills,
// commands and agents, Claude Code says at the start of a session; the servers
// that it starts are in its list of plugins. Of hooks and language servers only
// its validator tells, of a package without faults, and is asked where a plugin
// has a sign of such: `plugin details` lists keys and names of files, whether
// they can be loaded or not (claude 2.1.332).
func (c Claude) Loaded(ctx context.Context, plugins map[PluginID]string) (map[PluginID]Inventory, error) {
	start, err := c.sessionStart(ctx)
	if err != nil {
		return nil, err
	}
	list, err := c.List(ctx)
	if err != nil {
		return nil, err
	}
	same := map[string]int{}
	for _, p := range start.Plugins {
		same[p.Name]++
	}
	for _, dir := range plugins {
		same[dir]++
	}
	loaded := map[PluginID]Inventory{}
	for _, p := range start.Plugins {
		plugin, market, _ := strings.Cut(p.Source, "@")
		id := PluginID{plugin, market}
		dir, asked := plugins[id]
		if !asked {
			continue
		}
		if same[p.Name] > 1 || same[dir] > 1 {
			// Whose is what, the names do not tell; and a skill of a directory that
			// two plugins share is given to one of them.
			loaded[id] = nil
			continue
		}
		inv := start.of(p.Name)
		for _, l := range list {
			if l.ID == p.Source {
				inv.add(serverType, slices.Collect(maps.Keys(l.MCPServers))...)
			}
		}
		if hidden(dir) {
			if inv, err = c.withHidden(ctx, dir, inv); err != nil {
				return nil, err
			}
			if inv == nil {
				loaded[id] = nil
				continue
			}
		}
		hooks, err := c.hooks(ctx, dir)
		if err != nil {
			return nil, err
		}
		loaded[id] = append(inv, hooks...).sorted()
	}
	return loaded, nil
}

// hidden reports whether a plugin has skills that users cannot start: a session
// does not name them.
func hidden(dir string) bool {
	found := false
	// What cannot be read is not loaded either.
	_ = filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && strings.EqualFold(filepath.Ext(p), ".md") {
			data, err := os.ReadFile(p)
			found = found || err == nil && bytes.Contains(data, []byte("user-invocable"))
		}
		return nil
	})
	return found
}

// withHidden adds the skills that the validator names; nil when it names none,
// as the package has faults.
func (c Claude) withHidden(ctx context.Context, dir string, inv Inventory) (Inventory, error) {
	report, err := c.Validate(ctx, dir)
	if err != nil || report.Provides == nil {
		return nil, err
	}
	for _, x := range merged(report.Provides) {
		if strings.HasPrefix(x, skillType+":") {
			inv = append(inv, x)
		}
	}
	return inv, nil
}

// hooks are a plugin's hooks and language servers by the validator.
func (c Claude) hooks(ctx context.Context, dir string) (Inventory, error) {
	if entryMayRun(dir) {
		return Inventory{unknown(hookType), unknown(lspType)}, nil
	}
	if !mayRun(dir) {
		return nil, nil
	}
	report, err := c.Validate(ctx, dir)
	if err != nil || report.Provides == nil {
		return Inventory{unknown(hookType), unknown(lspType)}, err
	}
	return slices.DeleteFunc(report.Provides, func(x string) bool {
		return !strings.HasPrefix(x, hookType+":") && !strings.HasPrefix(x, lspType+":")
	}), nil
}

// mayRun reports whether a plugin has a sign of hooks or language servers.
func mayRun(dir string) bool {
	for _, f := range []string{"hooks/hooks.json", ".lsp.json"} {
		if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(f))); err == nil {
			return true
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(claudeManifest)))
	return err == nil && hasRunKey(data)
}

// entryMayRun reports whether the catalog above a plugin has such a sign, which
// the validator of the plugin does not see.
func entryMayRun(dir string) bool {
	for up := filepath.Dir(dir); up != filepath.Dir(up); up = filepath.Dir(up) {
		if data, err := os.ReadFile(filepath.Join(up, filepath.FromSlash(claudeCatalog))); err == nil {
			return hasRunKey(data)
		}
	}
	return false
}

func hasRunKey(data []byte) bool {
	return bytes.Contains(data, []byte(`"hooks"`)) || bytes.Contains(data, []byte(`"lspServers"`))
}

// sessionStart is the first message of a session.
type sessionStart struct {
	Plugins       []struct{ Name, Source string }
	SlashCommands []string `json:"slash_commands"`
	Skills        []string
	Agents        []string
}

// sessionStart starts a session that ends at once, as nobody is logged in, and
// returns its first message. Hooks are off and no server of a plugin is started
// (claude 2.1.332, tried with a plugin whose twelve hooks, server, language
// server and monitors each leave a file: none does; without these two options
// five of its hooks and its server do).
func (c Claude) sessionStart(ctx context.Context) (sessionStart, error) {
	res, err := c.s.Run(ctx, ClaudeClient, "--print", "--settings", `{"disableAllHooks":true}`, "--strict-mcp-config", "--output-format", "stream-json", "--verbose", "hello")
	if err != nil {
		return sessionStart{}, err
	}
	for line := range bytes.Lines(res.Stdout) {
		var m struct {
			Subtype string
			sessionStart
		}
		if json.Unmarshal(line, &m) == nil && m.Subtype == "init" {
			return m.sessionStart, nil
		}
	}
	return sessionStart{}, errors.New("claude said nothing at the start of a session: " + c.s.clean(res.Stderr))
}

// of is the part of one plugin, whose name is before that of each component.
func (s sessionStart) of(plugin string) Inventory {
	inv := Inventory{}
	for _, part := range []struct {
		typ   string
		names []string
	}{{skillType, s.SlashCommands}, {skillType, s.Skills}, {agentType, s.Agents}} {
		for _, n := range part.names {
			if name, ok := strings.CutPrefix(n, plugin+":"); ok {
				inv.add(part.typ, name)
			}
		}
	}
	return inv
}
