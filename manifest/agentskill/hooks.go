package agentskill

import (
	"strings"

	"pinion/internal/syntax"
	"pinion/manifest"
)

// Hooks returns the handlers in the `hooks` key of a frontmatter: events, each
// with a list of matchers, each with a list of handlers. A host that reads the
// key runs them while the skill or command is in use. Anything of another shape
// is skipped, as by the host.
func Hooks(file string, front syntax.Front) []manifest.Component {
	hooks, _ := front.Get("hooks")
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
