package pinion

import (
	"path/filepath"

	"pinion/host"
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

// hostAt returns a host's adapter, and where it is.
func (c *Client) hostAt(name string, project bool) (host.Adapter, host.Place, error) {
	sc, err := c.scope(project)
	if err != nil {
		return nil, host.Place{}, err
	}
	for _, a := range moreHosts() {
		if a.Info().Name == name {
			return a, host.Place{Home: firstSet(c.o.Getenv, "HOME", "USERPROFILE"), Project: sc.Project, Base: c.o.Home, Own: filepath.Join(c.o.Home, "hosts", name), Getenv: c.o.Getenv}, nil
		}
	}
	return nil, host.Place{}, usage("pinion host list shows the hosts", "no host %q", name)
}
