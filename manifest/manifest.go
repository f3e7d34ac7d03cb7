// Package manifest is the host-neutral description of a plugin: what it is
// called, what kind it is, and what it adds to an agent. Each sub-folder reads
// one on-disk format into it and reports what that format finds wrong.
//
// A Manifest is facts from the package's own files. It does not know where the
// package came from, which files really exist or what its digest is: pkgfmt
// holds it against the tree.
package manifest

import "pinion/internal/syntax"

// Kind is what a package is for (SB-002).
type Kind string

// The kinds. A Builtin is shipped with a host and only compared with it.
const (
	Skill     Kind = "skill"     // instructions only
	MCP       Kind = "mcp"       // tools of an MCP server
	Extension Kind = "extension" // hooks, UI, programs
	Builtin   Kind = "builtin"   // part of a host
)

// Executable reports whether activating the kind lets code run. Everything but
// a skill does.
func (k Kind) Executable() bool { return k != Skill }

// Manifest describes one plugin.
type Manifest struct {
	Format string // "native", "claude", "agent-skill"
	Path   string // the manifest file inside the package; "" when the format needs none

	ID          string // how it is called in commands; a directory-safe name
	Name        string // for people
	Version     string // SemVer, or "" when the package states none
	Description string
	Kind        Kind
	License     string // SPDX id, or "" when none is stated

	Files       []string // the declared list; native only
	Entrypoint  string   // the MCP server's file; native only
	Tools       []Tool
	Settings    []Setting
	Permissions []string
	UI          *UI
	Hooks       []Hook

	// Components is everything the package adds, in a stable order: what the
	// activation prompt and the capability summary show.
	Components []Component
}

// Tool is one declared MCP tool (SB-021).
type Tool struct {
	Name                 string
	Description          string
	InputSchema          syntax.Raw
	RequiresConfirmation bool
}

// Setting is one value the user gives: a token, an account (SB-036).
type Setting struct {
	Key         string
	Label       string
	Description string
	Secret      bool
	Required    bool
}

// UI is what an extension adds to the host's pages (SB-116, SB-117).
type UI struct {
	Pages   []Page
	Styles  []string
	Patches []string
	Assets  []string
}

// Page is one page of the sidebar.
type Page struct{ ID, Title, Icon, Entrypoint string }

// Hook is a handler that the host calls on an event (SB-152). Timeout is in
// seconds.
type Hook struct {
	Event      string
	Entrypoint string
	Timeout    int
}

// ComponentType names what a component is, in the words of the field.
type ComponentType string

// The component types.
const (
	SkillComponent   ComponentType = "skill"
	CommandComponent ComponentType = "command"
	AgentComponent   ComponentType = "agent"
	HookComponent    ComponentType = "hook"
	ServerComponent  ComponentType = "mcp-server"
	LSPComponent     ComponentType = "lsp-server"
	MonitorComponent ComponentType = "monitor"
	ProgramComponent ComponentType = "program" // on the agent's PATH, or an executable file
	ToolComponent    ComponentType = "tool"
	PageComponent    ComponentType = "ui-page"
	StyleComponent   ComponentType = "ui-style"
	PatchComponent   ComponentType = "ui-patch"
	SettingComponent ComponentType = "setting"
	OtherComponent   ComponentType = "other" // output styles, themes, workflows
)

// Component is one thing a package adds.
type Component struct {
	Type   ComponentType `json:"type"`
	Name   string        `json:"name"`   // the skill's or server's name, the hook's event
	Path   string        `json:"path"`   // the file that defines it, "" when the catalog entry does
	Detail string        `json:"detail"` // the command, URL or matcher; "" when there is none
}

// Entry is what a catalog says of a package and what its format may need to
// read it: for some packages the entry is the only definition.
type Entry struct {
	Name        string `json:"name"`
	Version     string `json:"version,omitempty"`
	Description string `json:"description,omitempty"`
	License     string `json:"license,omitempty"`
	// Strict is false when the entry is the entire definition (Claude's
	// `strict: false`). It is true when the entry does not say.
	Strict bool `json:"strict"`
	// Fields are the entry's component fields (skills, hooks, mcpServers, …)
	// as they were written; nil when the entry defines none.
	Fields map[string]syntax.Raw `json:"fields,omitempty"`
}
