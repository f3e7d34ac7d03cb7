package pinion

import (
	"context"

	"pinion/host"
	"pinion/host/claude"
	"pinion/host/codex"
	"pinion/host/copilot"
	"pinion/host/cursor"
	"pinion/host/gemini"
	"pinion/host/opencode"
	"pinion/host/skills"
	"pinion/host/vscode"
)

// moreHosts are the hosts beside Claude Code, Codex and Copilot, in the order in
// which they are shown.
func moreHosts() []host.Adapter {
	out := []host.Adapter{gemini.New(), cursor.New()}
	for _, v := range vscode.Variants() {
		out = append(out, vscode.New(v))
	}
	return append(append(out, opencode.New(), skills.NewShared()), skills.Others()...)
}

// marketplacesOf returns what tells the marketplaces that a host knows, nil for a
// host that keeps none.
func marketplacesOf(name string) func(context.Context, host.Place) ([]host.Marketplace, error) {
	switch name {
	case "claude":
		return claude.Marketplaces
	case "codex":
		return codex.Marketplaces
	case "copilot":
		return copilot.Marketplaces
	}
	return nil
}
