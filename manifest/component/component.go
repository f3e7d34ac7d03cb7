// Package component reads the parts that plugins of several hosts share: Agent
// Skills, Markdown commands and agents, hooks in Claude Code's shape, MCP and
// language servers, and paths to them. A format hands over the tree and what its
// host calls things ([Host]), and takes out the components and the findings.
//
// The list of components is everything that any host could start: what this host
// drops or does not understand is listed too, and reported beside it. Rules are
// the format's own, or the ones of this package ([Shared]).
package component

import (
	"strings"

	"pinion/manifest"
	"pinion/manifest/agentskill"
	"pinion/problem"
	"pinion/tree"
)

// maxFile is the largest JSON file that is read, in bytes. Real ones stay below
// 100 KiB; findings are located by reading the file again, so size is time.
const maxFile = 1 << 20

// maxFindings bounds what one package can make Pinion print.
const maxFindings = 300

// Host is what one host calls things, and what it does with what it does not
// understand.
type Host struct {
	// Manifest is the path of the format's manifest. The host refuses a plugin
	// whose manifest is broken; without another broken file it loads the rest.
	Manifest string
	Rules    Ruleset
	// AutoHooks is the hooks file that the host loads by itself, "" for none.
	AutoHooks string
	// HooksKeys are the keys a hooks file may have, nil for any, and HooksKeyFate
	// what becomes of another one.
	HooksKeys    []string
	HooksKeyFate string
	// Events are the names on which the host calls hooks; case counts. Nil is any.
	Events []string
	// Gates are the events whose hooks guard permissions: the host applies nothing
	// of a plugin in which one of them cannot be loaded.
	Gates []string
	// Flat is true for a host whose events list hooks without matchers around them.
	Flat bool
	// StrictHooks is true for a host that loads no hook of a file with a fault.
	StrictHooks bool
	// Handler returns what keeps the host from taking a hook, and where; Server
	// the same for an MCP server. Nil is what Claude Code wants.
	Handler, Server func(v Value) (why string, at Value)
	// ServerFate is what the host does about such a server, "" for what is usual.
	ServerFate string
	// Roots are the ways in which a command names the package's directory.
	Roots []string
	// Paths says which component paths the host takes.
	Paths PathForm
}

// PathForm says which component paths a host takes, beside those that begin
// with "./".
type PathForm struct {
	Bare   bool // a path may begin with a name
	NoRoot bool // the package's own directory is none
	NoDots bool // ".." is refused also in a path that stays inside the package
}

// Reader is one reading of one package. It is not safe for concurrent use.
type Reader struct {
	Tree *tree.Tree
	// ID is what a skill at the top is called when it does not say.
	ID string
	// Components are those found so far, each once, in order.
	Components []manifest.Component
	Found      problem.List

	host   *Host
	rules  *Ruleset
	fatal  bool // an error was found with which the host refuses the package
	seen   map[manifest.Component]bool
	skills map[string]agentskill.Skill // by path
}

// New returns a reader of t for the host.
func New(t *tree.Tree, host *Host) *Reader {
	return &Reader{Tree: t, host: host, rules: &host.Rules, seen: map[manifest.Component]bool{}, skills: map[string]agentskill.Skill{}}
}

// Component lists c once.
func (r *Reader) Component(c manifest.Component) {
	if !r.seen[c] {
		r.seen[c] = true
		r.Components = append(r.Components, c)
	}
}

// Add reports p, unless there are too many already. The first error that keeps
// the package from being used is always reported.
func (r *Reader) Add(p problem.Problem) {
	fatal := p.Severity >= problem.Error && !p.Tolerated
	if len(r.Found) < maxFindings || fatal && !r.fatal {
		r.Found.Add(p)
		r.fatal = r.fatal || fatal
	}
}

// AddAll adds findings of another reader about one file.
func (r *Reader) AddAll(list problem.List) {
	for _, p := range list {
		r.Add(p)
	}
}

// Read reports whether the skill file at p was listed.
func (r *Reader) Read(p string) bool {
	_, ok := r.skills[p]
	return ok
}

// Executables lists what lies on the agent's PATH and every executable file.
// bin is that directory, with its slash, "" where the host has none.
func (r *Reader) Executables(bin string) {
	for _, f := range r.Tree.Files {
		if f.Exec || bin != "" && strings.HasPrefix(f.Path, bin) {
			r.Component(manifest.Component{Type: manifest.ProgramComponent, Name: Base(f.Path), Path: f.Path})
		}
	}
}

// Kind follows what the components can do: anything that runs by itself makes an
// extension, MCP servers alone an mcp package.
func Kind(list []manifest.Component) manifest.Kind {
	kind := manifest.Skill
	for _, c := range list {
		switch c.Type {
		case manifest.HookComponent, manifest.LSPComponent, manifest.MonitorComponent, manifest.ProgramComponent:
			return manifest.Extension
		case manifest.ServerComponent:
			kind = manifest.MCP
		}
	}
	return kind
}

// AnyFile is where a finding about the whole package is shown.
func (r *Reader) AnyFile() string {
	if r.Tree.Lookup(r.host.Manifest) != nil {
		return r.host.Manifest
	}
	for _, c := range r.Components {
		if c.Path != "" {
			return c.Path
		}
	}
	if len(r.Tree.Files) > 0 {
		return r.Tree.Files[0].Path
	}
	return r.host.Manifest
}

// Data returns the bytes of a file, nil when there is none.
func (r *Reader) Data(p string) []byte {
	if f := r.Tree.Lookup(p); f != nil {
		return f.Data
	}
	return nil
}

// Under returns the files below dir whose name has the ending; dir "" is the
// package.
func (r *Reader) Under(dir, ending string) []string {
	files := r.Tree.Files
	if dir != "" {
		files = r.Tree.Under(dir)
	}
	var out []string
	for _, f := range files {
		if strings.HasSuffix(f.Path, ending) {
			out = append(out, f.Path)
		}
	}
	return out
}

// PathList returns the elements of a field that is a path or a list of paths.
func (r *Reader) PathList(v Value, field string) []Value {
	if k := v.Kind(); k != '"' && k != '[' {
		r.Report(v, r.rules.Type.Report("%q is %s, want a path or a list of paths", field, v.Found()))
		return nil
	}
	return v.OneOrMore()
}

// FrontName is the name in a Markdown file's frontmatter, else the file's.
func (r *Reader) FrontName(p string) string {
	front, _ := agentskill.Front(p, r.Data(p))
	if f, ok := front.Get("name"); ok && f.Value != "" {
		return f.Value
	}
	return Stem(p)
}
