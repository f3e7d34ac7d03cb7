// Package capability says what a plugin may do once it is active: what runs and
// when, which hosts and secrets it names, which tools it may use without asking,
// what it fetches. A summary is made of the package's bytes alone, so that
// consent can be to the summary, and two of them can be compared.
//
// It is a list of facts and no judgement: package scan judges. What code does
// with names that it computes cannot be seen in its text.
package capability

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"pinion/hashes"
	"pinion/internal/syntax"
	"pinion/manifest"
	"pinion/pkgfmt"
	"pinion/scan"
	"pinion/scan/launch"
)

// Summary is what a plugin may do. Lists are sorted and without repetition; the
// same package gives the same summary everywhere.
type Summary struct {
	Hooks    []Hook   `json:"hooks"`
	Servers  []Server `json:"servers"`
	Tools    []Tool   `json:"tools"`
	Programs []string `json:"programs"` // executable files, and what lies on the agent's PATH
	// Hosts are the network hosts that code, commands and configurations name.
	// Links in prose are not among them.
	Hosts []string `json:"hosts"`
	// Env are the variables that are read or set by name, secrets among them.
	Env         []string  `json:"env"`
	Allowed     []Allowed `json:"allowedTools"`
	Permissions []string  `json:"permissions"` // native only
	Pages       []string  `json:"pages"`
	Patches     []string  `json:"patches"`
	Styles      []string  `json:"styles"`
	Settings    []Setting `json:"settings"`
	Fetches     []Fetch   `json:"fetches"`
	License     string    `json:"license"`
	Files       int       `json:"files"`
	Bytes       int64     `json:"bytes"`
	// Truncated is true when there is more of something than is listed.
	Truncated bool `json:"truncated"`
}

// Hook is a command, address or prompt that the host uses on an event.
type Hook struct {
	Event   string `json:"event"`
	Command string `json:"command"` // with the matcher before it, in brackets
	File    string `json:"file"`    // that declares it, "" for the catalog entry
}

// Server is a program that the host starts, or an address it connects to.
type Server struct {
	Kind    string   `json:"kind"` // "mcp-server", "lsp-server", "monitor"
	Name    string   `json:"name"`
	Command string   `json:"command"` // "" when URL is set
	URL     string   `json:"url"`
	Env     []string `json:"env"` // names of the variables it is given
	File    string   `json:"file"`
}

// Tool is a declared tool.
type Tool struct {
	Name     string `json:"name"`
	Confirms bool   `json:"confirms"` // the user is asked before each call
}

// Allowed is a skill, command or agent with the tools that its frontmatter
// grants or, for an agent, limits it to.
type Allowed struct {
	File  string   `json:"file"`
	Limit bool     `json:"limit"` // an agent: without the list it may use every tool
	Tools []string `json:"tools"`
}

// everyTool stands for an agent without a list of tools.
const everyTool = "*"

// Setting is a value that the user is asked for.
type Setting struct {
	Key      string `json:"key"`
	Secret   bool   `json:"secret"`
	Required bool   `json:"required"`
}

// Fetch is something that is fetched when the plugin is used.
type Fetch struct {
	Ecosystem launch.Ecosystem `json:"ecosystem"`
	Name      string           `json:"name"`
	Version   string           `json:"version"`
	Pinned    bool             `json:"pinned"`
	Starts    launch.Starter   `json:"starts"`
}

// maxList is how many hosts, variables, programs and so on are listed of each
// kind. A summary is shown to people.
const maxList = 1_000

// Of returns the summary of a package.
func Of(pkg *pkgfmt.Package) Summary {
	m := pkg.Manifest
	s := Summary{Permissions: m.Permissions, License: m.License, Files: len(pkg.Tree.Files), Bytes: pkg.Tree.Bytes}
	r := &reader{pkg: pkg, s: &s, hosts: map[string]bool{}, env: map[string]bool{}, given: map[[2]string][]string{}}
	r.files()
	r.components()
	for _, t := range m.Tools {
		s.Tools = append(s.Tools, Tool{t.Name, t.RequiresConfirmation})
	}
	for _, v := range m.Settings {
		s.Settings = append(s.Settings, Setting{v.Key, v.Secret, v.Required})
	}
	for _, f := range launch.Of(pkg) {
		// A server that is elsewhere is listed as one, and installing something by
		// hand is no part of the plugin.
		if f.Starts != launch.Document && !f.Remote() && !(f.Installs() && f.Starts == launch.Script) {
			s.Fetches = append(s.Fetches, Fetch{f.Ecosystem, f.Name, f.Version, f.Pinned, f.Starts})
		}
	}
	for name := range r.hosts {
		s.Hosts = append(s.Hosts, name)
	}
	for name := range r.env {
		s.Env = append(s.Env, name)
	}
	s.sort()
	return s
}

// Digest identifies the summary: consent is to this.
func (s Summary) Digest() hashes.Sum {
	b, err := syntax.Compact(s)
	if err != nil {
		return hashes.Sum{} // a struct of strings and numbers always encodes
	}
	return hashes.Of(b)
}

// sort gives every list its order and cuts it to what is shown.
func (s *Summary) sort() {
	for i := range s.Servers {
		list(s, &s.Servers[i].Env, strings.Compare)
	}
	list(s, &s.Hooks, func(a, b Hook) int {
		return cmp.Or(cmp.Compare(a.Event, b.Event), cmp.Compare(a.Command, b.Command), cmp.Compare(a.File, b.File))
	})
	sortServers(s)
	list(s, &s.Tools, func(a, b Tool) int { return cmp.Compare(a.Name, b.Name) })
	list(s, &s.Settings, func(a, b Setting) int { return cmp.Compare(a.Key, b.Key) })
	list(s, &s.Fetches, func(a, b Fetch) int {
		return cmp.Or(cmp.Compare(a.Ecosystem, b.Ecosystem), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Version, b.Version), cmp.Compare(a.Starts, b.Starts))
	})
	for _, l := range []*[]string{&s.Programs, &s.Hosts, &s.Env, &s.Permissions, &s.Pages, &s.Patches, &s.Styles} {
		list(s, l, strings.Compare)
	}
	slices.SortFunc(s.Allowed, func(a, b Allowed) int { return cmp.Compare(a.File, b.File) })
}

func sortServers(s *Summary) {
	slices.SortFunc(s.Servers, func(a, b Server) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Command, b.Command), cmp.Compare(a.URL, b.URL), cmp.Compare(a.File, b.File))
	})
	if len(s.Servers) > maxList {
		s.Servers, s.Truncated = s.Servers[:maxList], true
	}
}

// list sorts a copy of l, drops repetitions and cuts it.
func list[T comparable](s *Summary, l *[]T, order func(a, b T) int) {
	out := slices.Clone(*l)
	slices.SortFunc(out, order)
	out = slices.Compact(out)
	if len(out) > maxList {
		out, s.Truncated = out[:maxList], true
	}
	*l = out
}

// reader collects a summary.
type reader struct {
	pkg   *pkgfmt.Package
	s     *Summary
	hosts map[string]bool
	env   map[string]bool
	given map[[2]string][]string // file and server → names of variables
}

// components takes over what the format's reader found.
func (r *reader) components() {
	native := r.pkg.Format == "native"
	for _, c := range r.pkg.Manifest.Components {
		switch c.Type {
		case manifest.HookComponent:
			h := Hook{Event: c.Name, Command: c.Detail, File: c.Path}
			if native { // the entrypoint is what runs; the detail is its time limit
				h.Command, h.File = "python "+c.Path, r.pkg.Manifest.Path
			}
			r.s.Hooks = append(r.s.Hooks, h)
			r.command(c.Detail)
		case manifest.ServerComponent, manifest.LSPComponent, manifest.MonitorComponent:
			v := Server{Kind: string(c.Type), Name: c.Name, Command: c.Detail, File: c.Path, Env: r.given[[2]string{c.Path, c.Name}]}
			if native {
				v.File = r.pkg.Manifest.Path
			}
			if strings.Contains(c.Detail, "://") && !strings.ContainsAny(c.Detail, " \t") {
				v.Command, v.URL = "", c.Detail
			}
			r.s.Servers = append(r.s.Servers, v)
			r.command(c.Detail)
		case manifest.ProgramComponent:
			r.s.Programs = append(r.s.Programs, c.Path)
		case manifest.PageComponent:
			r.s.Pages = append(r.s.Pages, c.Name)
		case manifest.PatchComponent:
			r.s.Patches = append(r.s.Patches, c.Path)
		case manifest.StyleComponent:
			r.s.Styles = append(r.s.Styles, c.Path)
		case manifest.AgentComponent:
			if !slices.ContainsFunc(r.s.Allowed, func(a Allowed) bool { return a.File == c.Path }) {
				r.s.Allowed = append(r.s.Allowed, Allowed{c.Path, true, []string{everyTool}})
			}
		case manifest.SettingComponent:
			if !slices.ContainsFunc(r.pkg.Manifest.Settings, func(v manifest.Setting) bool { return v.Key == c.Name }) {
				r.s.Settings = append(r.s.Settings, Setting{c.Name, strings.Contains(c.Detail, "secret"), strings.Contains(c.Detail, "required")})
			}
		case manifest.ToolComponent:
			if !slices.ContainsFunc(r.pkg.Manifest.Tools, func(t manifest.Tool) bool { return t.Name == c.Name }) {
				r.s.Tools = append(r.s.Tools, Tool{Name: c.Name})
			}
		}
	}
}

// command reads a command line that may stand in the catalog entry only.
func (r *reader) command(text string) {
	r.namesHosts([]byte(text))
	r.namesEnv([]byte(text), scan.Shell)
}

// files reads every text of the package.
func (r *reader) files() {
	for _, f := range r.pkg.Tree.Files {
		file, texts := scan.FileTexts(f.Path, f.Exec, f.Data)
		if launch.IsConfig(f.Path, f.Data) {
			for _, v := range launch.Servers(file, texts) {
				if !v.Example {
					r.given[[2]string{f.Path, v.Name}] = v.Env
					for _, name := range v.Env {
						if isVariable(name) {
							r.env[name] = true
						}
					}
				}
			}
		}
		for _, t := range texts {
			r.text(t)
		}
		if file.Lang == scan.Markdown {
			r.allowed(f.Path, f.Data)
		}
	}
}

// text reads one text for hosts and variables. Prose and descriptions only talk.
func (r *reader) text(t *scan.Text) {
	switch {
	case t.Role == scan.Description || t.Lang == scan.Prose && t.Role != scan.Command:
		return
	case t.Lang == scan.HTML && path.Ext(t.File.Path) != ".html" && path.Ext(t.File.Path) != ".htm":
		return // drawings and XML name schemas by address
	case t.Role == scan.Value && isAbout(t.Pointer):
		return
	case t.Lang == scan.Plain && t.Role == scan.Block:
		return // a code block in no language that is known is mostly output
	}
	r.namesHosts(t.Data)
	r.namesEnv(t.Data, t.Lang)
}
