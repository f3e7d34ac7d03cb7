package skills

import "pinion/host"

// Dir says where one host looks for skills.
type Dir struct {
	Host    string
	Title   string // for people
	User    string // slash path from the user's home
	Project string // slash path from the project's root
	// Config is set when XDG_CONFIG_HOME takes the place of ".config" in User.
	Config bool
}

// Shared is the directory that most hosts look into, for the user from the home
// and for a project from its root.
const Shared = ".agents/skills"

// Dirs returns the directories that hosts document, sorted by host. Sources:
// the hosts' own pages, and the tables in skills 1.7.4, which agree on these.
// Those that have only the shared directory are not here.
func Dirs() []Dir {
	return []Dir{
		{Host: "amp", Title: "Amp", User: ".config/agents/skills", Project: Shared, Config: true},
		{Host: "antigravity", Title: "Antigravity", User: ".gemini/antigravity/skills", Project: Shared},
		{Host: "claude", Title: "Claude Code", User: ".claude/skills", Project: ".claude/skills"},
		{Host: "continue", Title: "Continue", User: ".continue/skills", Project: ".continue/skills"},
		{Host: "copilot", Title: "GitHub Copilot CLI", User: ".copilot/skills", Project: Shared},
		{Host: "crush", Title: "Crush", User: ".config/crush/skills", Project: ".crush/skills", Config: true},
		{Host: "cursor", Title: "Cursor", User: ".cursor/skills", Project: Shared},
		{Host: "droid", Title: "Factory Droid", User: ".factory/skills", Project: Shared},
		{Host: "gemini", Title: "Gemini CLI", User: ".gemini/skills", Project: Shared},
		{Host: "goose", Title: "Goose", User: ".config/goose/skills", Project: ".goose/skills", Config: true},
		{Host: "openclaw", Title: "OpenClaw", User: ".openclaw/skills", Project: "skills"},
		{Host: "opencode", Title: "opencode", User: ".config/opencode/skills", Project: ".opencode/skills", Config: true},
		{Host: "pi", Title: "Pi", User: ".pi/agent/skills", Project: Shared},
		{Host: "windsurf", Title: "Windsurf", User: ".codeium/windsurf/skills", Project: ".windsurf/skills"},
	}
}

// For returns the directory of a host, and false for one that is not known.
func For(name string) (Dir, bool) {
	for _, d := range Dirs() {
		if d.Host == name {
			return d, true
		}
	}
	return Dir{}, false
}

// Others returns the adapters of the hosts that can be given skills and nothing
// else, and have no adapter of their own.
func Others() []host.Adapter {
	var out []host.Adapter
	for _, d := range Dirs() {
		switch d.Host {
		case "claude", "copilot", "cursor", "gemini", "opencode":
			continue
		}
		out = append(out, New(d))
	}
	return out
}
