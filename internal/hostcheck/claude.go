package hostcheck

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"pinion/internal/regex"
	"pinion/internal/sandbox"
)

// Claude runs Claude Code.
type Claude struct{ s *Session }

var _ Host = Claude{}

// Name implements [Host].
func (Claude) Name() Name { return ClaudeClient }

// temporary are the names that clients invent for their temporary directories.
var temporary = regex.Lazy{Expr: `temp_(local|git|npm)_[0-9]+_[a-z0-9]+`}

// claudeReply is the answer of most commands under --json.
type claudeReply struct {
	Outcome, Message, Marketplace string
}

func (c Claude) reply(res sandbox.Result, err error) (Reply, error) {
	if err != nil {
		return Reply{}, err
	}
	var r claudeReply
	if json.Unmarshal(res.Stdout, &r) != nil {
		// An argument that it does not take is answered in text.
		return c.s.reply(res), nil
	}
	if res.Exit == 0 && r.Outcome == "ok" {
		return Reply{OK: true, Market: r.Marketplace}, nil
	}
	return Reply{Text: c.s.clean(r.Message)}, nil
}

// AddMarketplace implements [Host].
func (c Claude) AddMarketplace(ctx context.Context, dir string) (Reply, error) {
	return c.reply(c.s.Run(ctx, ClaudeClient, "plugin", "marketplace", "add", "--json", dir))
}

// Install implements [Host].
func (c Claude) Install(ctx context.Context, plugin, market string) (Reply, error) {
	return c.reply(c.s.Run(ctx, ClaudeClient, "plugin", "install", "--json", plugin+"@"+market))
}

// Uninstall removes an installed plugin.
func (c Claude) Uninstall(ctx context.Context, plugin, market string) (Reply, error) {
	return c.reply(c.s.Run(ctx, ClaudeClient, "plugin", "uninstall", "--json", plugin+"@"+market))
}

// ClaudePlugin is one installed plugin in Claude Code's list.
type ClaudePlugin struct {
	ID             string   `json:"id"`
	Version        string   `json:"version"`
	Enabled        bool     `json:"enabled"`
	InstallPath    string   `json:"installPath"`
	ReadFromFolder string   `json:"readFromFolder"`
	Errors         []string `json:"errors"`
	// MCPServers are those that it starts; `plugin details` counts also those
	// that it drops.
	MCPServers map[string]json.RawMessage `json:"mcpServers"`
}

// List returns what is installed, without what is built in.
func (c Claude) List(ctx context.Context) ([]ClaudePlugin, error) {
	res, err := c.s.Run(ctx, ClaudeClient, "plugin", "list", "--json")
	if err != nil {
		return nil, err
	}
	var all, list []ClaudePlugin
	if err := json.Unmarshal(res.Stdout, &all); err != nil {
		return nil, fmt.Errorf("claude plugin list: %w", err)
	}
	for _, p := range all {
		if !strings.HasSuffix(p.ID, "@builtin") {
			list = append(list, p)
		}
	}
	return list, nil
}

// Offered implements [Host]. What is installed is not in the list.
func (c Claude) Offered(ctx context.Context, markets []string) (map[string][]string, error) {
	res, err := c.s.Run(ctx, ClaudeClient, "plugin", "list", "--json", "--available")
	if err != nil {
		return nil, err
	}
	var list struct {
		Available []struct{ Name, MarketplaceName string }
	}
	if err := json.Unmarshal(res.Stdout, &list); err != nil {
		return nil, fmt.Errorf("claude plugin list --available: %w", err)
	}
	names := map[string][]string{}
	for _, p := range list.Available {
		if slices.Contains(markets, p.MarketplaceName) {
			names[p.MarketplaceName] = append(names[p.MarketplaceName], p.Name)
		}
	}
	return names, nil
}

// Loaded implements [Host] with the inventory of `plugin details`, which is of
// what was loaded: a plugin with errors is not found there. The servers are
// those of the list (claude 2.1.332: of servers without a command, and of an
// unknown type, the list has none, and details counts them).
func (c Claude) Loaded(ctx context.Context, plugins map[PluginID]string) (map[PluginID]Inventory, error) {
	list, err := c.List(ctx)
	if err != nil {
		return nil, err
	}
	loaded := map[PluginID]Inventory{}
	for id := range plugins {
		inv, ok, err := c.Details(ctx, id)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		inv = slices.DeleteFunc(inv, func(x string) bool { return strings.HasPrefix(x, serverType+":") })
		for _, p := range list {
			if p.ID == id.String() {
				inv.add(serverType, slices.Collect(maps.Keys(p.MCPServers))...)
			}
		}
		loaded[id] = inv.sorted()
	}
	return loaded, nil
}

// Details is the inventory of one plugin, and whether it is loaded.
func (c Claude) Details(ctx context.Context, id PluginID) (Inventory, bool, error) {
	res, err := c.s.Run(ctx, ClaudeClient, "plugin", "details", id.String())
	if err != nil || res.Exit != 0 {
		return nil, false, err
	}
	return claudeDetails(string(res.Stdout)), true, nil
}

var claudeRow = regex.Lazy{Expr: `^  (Skills|Agents|Hooks|MCP servers|LSP servers) \((\d+)\)(?:  (.*))?$`}

// claudeDetails reads the text of `plugin details`, the only place where
// version 2.1.332 says what it loaded. Commands are among the skills.
func claudeDetails(text string) Inventory {
	types := map[string]string{"Skills": skillType, "Agents": agentType, "Hooks": hookType, "MCP servers": serverType, "LSP servers": lspType}
	inv := Inventory{}
	for line := range strings.Lines(text) {
		m := claudeRow.Get().FindStringSubmatch(strings.TrimRight(line, "\n"))
		if m == nil || m[2] == "0" {
			continue
		}
		// A remark in brackets may follow after two blanks.
		names, _, _ := strings.Cut(m[3], "  (")
		inv.add(types[m[1]], strings.Split(names, ", ")...)
	}
	return inv.sorted()
}

// ClaudeReport is what `plugin validate` says of a package or a catalog.
type ClaudeReport struct {
	Success  bool
	Errors   []string  // as "path: message", of the manifest and the files
	Provides Inventory // nil when it makes none
}

// Validate runs the validator on a directory.
func (c Claude) Validate(ctx context.Context, dir string) (ClaudeReport, error) {
	res, err := c.s.Run(ctx, ClaudeClient, "plugin", "validate", "--json", dir)
	if err != nil {
		return ClaudeReport{}, err
	}
	var doc struct {
		Success  bool
		Manifest claudeFindings
		Contents []claudeFindings
		Provides *struct {
			Hooks                            []struct{ Event string }
			MCPServers, LSPServers, Monitors []struct{ Name string }
			Skills, Commands, Agents         []string
			OutputStyles, Themes, Workflows  []string
			Bin                              []any
		}
	}
	if err := json.Unmarshal(res.Stdout, &doc); err != nil {
		// A directory without a manifest is answered in text.
		return ClaudeReport{Errors: []string{c.s.reply(res).Text}}, nil
	}
	r := ClaudeReport{Success: doc.Success && res.Exit == 0}
	for _, f := range append([]claudeFindings{doc.Manifest}, doc.Contents...) {
		for _, e := range f.Errors {
			r.Errors = append(r.Errors, c.s.clean(e.Path+": "+e.Message))
		}
	}
	if p := doc.Provides; p != nil {
		r.Provides = Inventory{}
		for _, h := range p.Hooks {
			r.Provides.add(hookType, h.Event)
		}
		for _, m := range p.MCPServers {
			r.Provides.add(serverType, m.Name)
		}
		for _, m := range p.LSPServers {
			r.Provides.add(lspType, m.Name)
		}
		for typ, names := range map[string][]string{skillType: p.Skills, commandType: p.Commands, agentType: p.Agents} {
			for _, n := range names {
				_, n, _ = strings.Cut(n, ":")
				r.Provides.add(typ, n)
			}
		}
		r.Provides = r.Provides.sorted()
	}
	return r, nil
}

type claudeFindings struct {
	Errors []struct{ Path, Message string }
}
