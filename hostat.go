package pinion

import (
	"context"
	"path/filepath"
	"strings"

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

// importable is a host whose plugins can be taken over.
type importable struct {
	name         string
	installed    func(context.Context, host.Place) ([]host.Installed, error)
	marketplaces func(context.Context, host.Place) ([]host.Marketplace, error) // nil for a host that keeps none
}

func importables() []importable {
	out := []importable{
		{"claude", claude.InstalledPlugins, claude.Marketplaces},
		{"codex", codex.InstalledPlugins, codex.Marketplaces},
		{"copilot", copilot.InstalledPlugins, copilot.Marketplaces},
	}
	for _, a := range moreHosts() {
		out = append(out, importable{a.Info().Name, a.Installed, nil})
	}
	return out
}

// hostAt returns a host whose plugins can be taken over, and where it is.
func (c *Client) hostAt(name string, project bool) (importable, host.Place, error) {
	sc, err := c.scope(project)
	if err != nil {
		return importable{}, host.Place{}, err
	}
	pl := host.Place{
		Home: firstSet(c.o.Getenv, "HOME", "USERPROFILE"), Project: sc.Project, Base: c.o.Home,
		Own: filepath.Join(c.o.Home, "hosts", name), Getenv: c.o.Getenv,
	}
	if pl.Home == "" {
		return importable{}, pl, usage("set HOME", "there is no home directory in which a host could be")
	}
	var names []string
	for _, h := range importables() {
		if h.name == name {
			return h, pl, nil
		}
		names = append(names, h.name)
	}
	return importable{}, pl, usage("hosts are "+strings.Join(names, ", "), "no host %q", name)
}
