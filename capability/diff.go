package capability

import (
	"fmt"
	"slices"
	"strings"

	"pinion/scan"
)

// Entry is one line of a summary.
type Entry struct {
	What  string `json:"what"`  // "hook", "mcp-server", "host"
	Name  string `json:"name"`  // its name, the event, the host
	Value string `json:"value"` // the command, the address; "" when the name says it all

	power int // what the value allows; more is more
}

// String writes the entry for people. Characters that could deceive are
// escaped.
func (e Entry) String() string {
	s := e.What
	if e.Name != "" {
		s += " " + scan.Escape(e.Name, maxWords)
	}
	if e.Value != "" {
		s += ": " + scan.Escape(e.Value, maxWords)
	}
	return s
}

// limited begins the words of an agent with a list of tools.
const limited = "limited to "

// maxWords bounds what is shown of one name or command.
const maxWords = 300

// Entries returns the summary as lines, the most powerful kinds first.
func (s Summary) Entries() []Entry {
	var out []Entry
	add := func(what, name, value string, power int) { out = append(out, Entry{what, name, value, power}) }
	for _, h := range s.Hooks {
		add("hook", h.Event, h.Command, 1)
	}
	for _, v := range s.Servers {
		value := v.Command
		if v.URL != "" {
			value = v.URL
		}
		add(v.Kind, v.Name, value, 1)
		for _, name := range v.Env {
			add("variable", name, "given to "+v.Name, 1)
		}
	}
	for _, p := range s.Programs {
		add("program", p, "", 1)
	}
	for _, p := range s.Permissions {
		add("permission", p, "", 1)
	}
	for _, p := range s.Pages {
		add("ui-page", p, "", 1)
	}
	for _, p := range s.Patches {
		add("ui-patch", p, "", 1)
	}
	for _, p := range s.Styles {
		add("ui-style", p, "", 1)
	}
	for _, t := range s.Tools {
		if t.Confirms {
			add("tool", t.Name, "asks before each call", 0)
		} else {
			add("tool", t.Name, "runs without asking", 1)
		}
	}
	for _, a := range s.Allowed {
		if a.Limit && slices.Contains(a.Tools, everyTool) {
			add("agent", a.File, "may use every tool", 0)
			continue
		}
		if a.Limit {
			add("agent", a.File, limited+strings.Join(a.Tools, ", "), 0)
			continue
		}
		for _, t := range a.Tools {
			add("allowed-tool", t, a.File, 1)
		}
	}
	for _, f := range s.Fetches {
		value, power := f.Version, 1
		if f.Pinned {
			power = 0
		} else if value == "" {
			value = "whatever is newest"
		}
		add("fetch", string(f.Ecosystem)+" "+f.Name, value, power)
	}
	for _, h := range s.Hosts {
		add("host", h, "", 1)
	}
	for _, e := range s.Env {
		add("variable", e, "", 1)
	}
	for _, v := range s.Settings {
		value, power := "", 0
		if v.Secret {
			value, power = "secret", 1
		}
		add("setting", v.Key, value, power)
	}
	if s.License != "" {
		add("license", "", s.License, 0)
	}
	return out
}

// Kind is what happened to a capability.
type Kind string

// The kinds of changes.
const (
	Added   Kind = "added"
	Removed Kind = "removed"
	Changed Kind = "changed"
)

// Change is one difference between two summaries.
type Change struct {
	Kind Kind   `json:"kind"`
	What string `json:"what"` // "hook PreToolUse", "host api.example"
	Old  string `json:"old"`
	New  string `json:"new"`
	// Widens is true when the new package may do more than the old one, or
	// something else that was never agreed to.
	Widens bool `json:"widens"`
}

// String writes the change for people, escaped: "added hook Stop: sh x.sh".
func (c Change) String() string {
	s := string(c.Kind) + " " + c.What
	switch {
	case c.Kind == Changed:
		return fmt.Sprintf("%s: %s → %s", s, scan.Escape(c.Old, maxWords), scan.Escape(c.New, maxWords))
	case c.Old+c.New != "":
		return s + ": " + scan.Escape(c.Old+c.New, maxWords)
	}
	return s
}

// Diff returns what is different between two summaries, what widens first, else
// in the order of [Summary.Entries]. It is empty for equal ones.
func Diff(before, after Summary) []Change {
	type key struct{ what, name string }
	was, is := map[key][]Entry{}, map[key][]Entry{}
	var order []key
	collect := func(list []Entry, into map[key][]Entry) {
		for _, e := range list {
			k := key{e.What, e.Name}
			if e.What == "allowed-tool" {
				k.name += "\x00" + e.Value // the same tool in two files is two grants
			}
			if was[k] == nil && is[k] == nil {
				order = append(order, k)
			}
			into[k] = append(into[k], e)
		}
	}
	collect(after.Entries(), is)
	collect(before.Entries(), was)
	out := []Change{}
	for _, k := range order {
		gone, come := without(was[k], is[k]), without(is[k], was[k])
		if k.what == "variable" && len(was[k]) > 0 {
			come = nil // it was known already, from another place
		}
		if k.what == "variable" && len(is[k]) > 0 {
			gone = nil
		}
		if k.what == "variable" && len(come) > 1 {
			come = come[:1]
		}
		for i := range max(len(gone), len(come)) {
			out = append(out, change(at(gone, i), at(come, i)))
		}
	}
	slices.SortStableFunc(out, func(a, b Change) int {
		switch {
		case a.Widens == b.Widens:
			return 0
		case a.Widens:
			return -1
		}
		return 1
	})
	return out
}

// without returns the entries of a that b lacks.
func without(a, b []Entry) []Entry {
	return slices.DeleteFunc(slices.Clone(a), func(e Entry) bool {
		return slices.ContainsFunc(b, func(o Entry) bool { return o.Value == e.Value })
	})
}

func at(list []Entry, i int) *Entry {
	if i < len(list) {
		return &list[i]
	}
	return nil
}

// change compares one entry before and after; one of them may be nil.
func change(before, after *Entry) Change {
	e := after
	if e == nil {
		e = before
	}
	c := Change{What: strings.TrimSpace(e.What + " " + scan.Escape(e.Name, maxWords))}
	switch {
	case before == nil:
		c.Kind, c.New = Added, after.Value
		// An agent that is limited, or a licence, adds no power.
		c.Widens = after.power > 0 || after.What == "fetch" || after.What == "tool"
	case after == nil:
		c.Kind, c.Old = Removed, before.Value
	default:
		c.Kind, c.Old, c.New = Changed, before.Value, after.Value
		switch after.What {
		case "tool", "setting", "fetch":
			c.Widens = after.power > before.power
		case "agent":
			c.Widens = strings.HasPrefix(before.Value, limited) && !subset(after.Value, before.Value)
		case "license":
		default: // another command or address is another thing
			c.Widens = true
		}
	}
	return c
}

// subset reports whether every tool of the list after is in the list before.
func subset(after, before string) bool {
	old := strings.Split(strings.TrimPrefix(before, limited), ", ")
	for tool := range strings.SplitSeq(strings.TrimPrefix(after, limited), ", ") {
		if !slices.Contains(old, tool) {
			return false
		}
	}
	return true
}
