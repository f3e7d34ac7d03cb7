package hostcheck

import (
	"context"
	"slices"
	"strings"
)

// Host is a client that has marketplaces. Errors are failed runs; what the
// client refuses is a Reply.
type Host interface {
	Name() Name
	// AddMarketplace adds a local directory.
	AddMarketplace(ctx context.Context, dir string) (Reply, error)
	// Offered are the names of the entries that the client lists of each of the
	// marketplaces, in its order.
	Offered(ctx context.Context, markets []string) (map[string][]string, error)
	// Install installs one plugin of an added marketplace.
	Install(ctx context.Context, plugin, market string) (Reply, error)
	// Loaded is what the client has loaded of each of the installed plugins,
	// whose directories are given; a plugin that it did not load is absent, and
	// one of which it does not tell has a nil inventory.
	Loaded(ctx context.Context, plugins map[PluginID]string) (map[PluginID]Inventory, error)
}

// PluginID names a plugin of a marketplace.
type PluginID struct{ Plugin, Market string }

// String returns "plugin@market", which all clients write.
func (id PluginID) String() string { return id.Plugin + "@" + id.Market }

// NewHost returns the named client in a session, nil when it has no
// marketplaces.
func NewHost(name Name, s *Session) Host {
	switch name {
	case ClaudeClient:
		return Claude{s}
	case CodexClient:
		return Codex{s}
	case CopilotClient:
		return Copilot{s}
	}
	return nil
}

// Inventory are components as "type:name", sorted and without repetition. The
// types are those of package manifest, in the short words of the clients.
type Inventory []string

// The types of components that clients name.
const (
	skillType   = "skill"
	commandType = "command"
	agentType   = "agent"
	hookType    = "hook" // the name is the event
	serverType  = "mcp"
	lspType     = "lsp"
	contextType = "context" // a file of instructions
)

func (v *Inventory) add(typ string, names ...string) {
	for _, n := range names {
		*v = append(*v, typ+":"+n)
	}
}

// sorted returns v in its final form.
func (v Inventory) sorted() Inventory {
	slices.Sort(v)
	return slices.Compact(v)
}

// unknown stands in an inventory for components of a type of which the client
// does not tell.
func unknown(typ string) string { return typ + ":?" }

// told returns v without the components of the types that are unknown in by.
func (v Inventory) told(by Inventory) Inventory {
	return slices.DeleteFunc(slices.Clone(v), func(x string) bool {
		typ, _, _ := strings.Cut(x, ":")
		return slices.Contains(by, unknown(typ))
	})
}

// unscoped takes the plugin's name from "plugin:name".
func unscoped(plugin, name string) string { return strings.TrimPrefix(name, plugin+":") }
