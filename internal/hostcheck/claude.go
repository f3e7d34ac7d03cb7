package hostcheck

import (
	"context"
	"encoding/json"
	"fmt"
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
