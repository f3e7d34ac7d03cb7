package agentskill

import (
	"slices"
	"strings"

	"pinion/internal/syntax"
	"pinion/manifest"
)

// Hooks returns the handlers in the `hooks` key of a frontmatter: events, each
// with a list of matchers, each with a list of handlers. A host that reads the
// key runs them while the skill or command is in use. Where a laxer reader may find
// hooks that this one does not, as behind a YAML alias, one stands for them.
func Hooks(file string, front syntax.Front) []manifest.Component {
	hooks, there := front.Get("hooks")
	var out []manifest.Component
	for _, event := range hooks.Items {
		for _, matcher := range event.Items {
			list := member(matcher, "hooks")
			for _, h := range list.Items {
				out = append(out, manifest.Component{
					Type: manifest.HookComponent, Name: event.Key, Path: file,
					Detail: HookDetail(member(matcher, "matcher").Value, handler(h)),
				})
			}
		}
	}
	if front.Hidden || hooks.Hides() || there && len(out) == 0 && hooks.Kind != syntax.Null && len(hooks.Items) > 0 {
		out = append(out, unread(manifest.HookComponent, file))
	}
	return out
}

// handler names what a hook runs: its command, URL, tool or prompt.
func handler(h syntax.Field) string {
	for _, key := range []string{"command", "url", "tool", "prompt"} {
		if f := member(h, key); f.Value != "" {
			return f.Value
		}
	}
	return member(h, "type").Value
}

// HookDetail is how a hook is shown: what it runs, on which tools.
func HookDetail(matcher, runs string) string {
	runs = strings.TrimSpace(runs)
	if matcher == "" || matcher == "*" {
		return runs
	}
	return "[" + matcher + "] " + runs
}

// member returns the item of a map field, the zero Field when there is none.
func member(f syntax.Field, key string) syntax.Field {
	for _, item := range f.Items {
		if item.Key == key {
			return item
		}
	}
	return syntax.Field{}
}

// Servers returns the MCP servers that a frontmatter defines, by the keys of all
// hosts: a map of them, or a list with maps in it. A host that reads the key starts
// them with the agent.
func Servers(file string, front syntax.Front) []manifest.Component {
	var out []manifest.Component
	for _, key := range []string{"mcpServers", "mcp-servers", "mcp_servers"} {
		servers, ok := front.Get(key)
		if !ok {
			continue
		}
		all := servers.Items
		if servers.Kind == syntax.List {
			all = nil
			for _, e := range servers.Items {
				all = append(all, e.Items...) // one that is only named is defined elsewhere
			}
		}
		for _, s := range all {
			if detail := server(s); detail != "" {
				out = append(out, manifest.Component{Type: manifest.ServerComponent, Name: s.Key, Path: file, Detail: detail})
			}
		}
		if servers.Hides() {
			out = append(out, unread(manifest.ServerComponent, file))
		}
	}
	return out
}

// server names what a server starts or connects to.
func server(s syntax.Field) string {
	var words []string
	for _, key := range []string{"command", "args", "url", "http_url", "httpUrl", "tcp"} {
		for _, f := range s.Items {
			if f.Key == key {
				words = append(append(words, f.Value), f.List...)
			}
		}
	}
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " ")
}

// unread stands for parts that a host may find where this reader does not.
func unread(t manifest.ComponentType, file string) manifest.Component {
	return manifest.Component{Type: t, Name: "frontmatter", Path: file, Detail: "cannot be read"}
}
