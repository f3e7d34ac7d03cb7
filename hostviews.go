package pinion

import (
	"context"
	"slices"

	"pinion/host"
	"pinion/store"
)

// HostView is what one host sees of one plugin.
type HostView struct {
	Host    string `json:"host"`
	Scope   string `json:"scope"`   // "user" or the project's root
	Name    string `json:"name"`    // as the host calls it
	Version string `json:"version"` // "" when the host has it by itself and does not say
	// State is "ok" or how what a link put there is by now; "own" for a plugin that
	// the host has by itself, "off" for one of those that is switched off, and "left
	// out" for one that this host cannot load.
	State string `json:"state"`
}

// The states of a [HostView] beside those of a link.
const (
	viewOwn     = "own"
	viewOff     = "off"
	viewLeftOut = "left out"
)

// hostViews returns what each host on this machine sees of the plugins with the
// ids: what links put there, and what hosts have by themselves. A host that
// cannot be looked at is passed over; host status says why.
func (c *Client) hostViews(ctx context.Context, ids []string) (map[string][]HostView, error) {
	out := map[string][]HostView{}
	linked, err := c.HostStatus(ctx, nil, false)
	if err != nil {
		return nil, err
	}
	for _, s := range linked.Hosts {
		for _, id := range ids {
			if v, ok := viewOf(s, id); ok {
				out[id] = append(out[id], v)
			}
		}
	}
	for _, a := range Hosts() {
		p, err := c.place(a.Info().Name, store.Scope{})
		if err != nil || !a.Look(p).Found {
			continue
		}
		installed, err := a.Installed(ctx, p)
		if err != nil {
			c.o.Log.Warn("what a host has by itself cannot be read", "host", a.Info().Name, "err", err)
			continue
		}
		for _, in := range installed {
			if !slices.Contains(ids, in.Name) {
				continue
			}
			v := HostView{Host: a.Info().Name, Scope: store.Scope{}.String(), Name: in.Shown, Version: in.Version, State: viewOwn}
			if !in.Enabled {
				v.State = viewOff
			}
			out[in.Name] = append(out[in.Name], v)
		}
	}
	return out, ctx.Err()
}

// viewOf finds a plugin in the status of a linked host.
func viewOf(s *host.Status, id string) (HostView, bool) {
	v := HostView{Host: s.Host, Scope: s.Scope, State: string(host.OK)}
	found := false
	for _, shown := range s.Shown {
		if shown.ID == id && !found {
			v.Name, v.Version, found = shown.Name, shown.Version, true
		}
	}
	if !found {
		if slices.ContainsFunc(s.LeftOut, func(l host.LeftOut) bool { return l.ID == id }) {
			v.State = viewLeftOut
			return v, true
		}
		return v, false
	}
	for _, f := range s.Findings {
		if f.Plugin == id {
			v.State = string(f.State)
		}
	}
	if s.Problem != "" {
		v.State = string(s.State)
	}
	return v, true
}

// addHosts puts the hosts beside the other layers. What differs in a linked host
// is named when nothing before it does.
func (c *Client) addHosts(ctx context.Context, plugins []PluginStatus) error {
	ids := make([]string, 0, len(plugins))
	for _, p := range plugins {
		ids = append(ids, p.ID)
	}
	if len(ids) == 0 {
		return nil
	}
	views, err := c.hostViews(ctx, ids)
	if err != nil {
		return err
	}
	for i := range plugins {
		p := &plugins[i]
		p.Hosts = views[p.ID]
		for _, v := range p.Hosts {
			switch host.State(v.State) {
			case host.Changed, host.Missing, host.Stale, host.Orphaned:
				if p.Differs == "" {
					p.Differs, p.Next = v.State+" in "+v.Host, "pinion host link "+v.Host
					if v.Scope != (store.Scope{}).String() {
						p.Next += " --project"
					}
				}
			}
		}
	}
	return nil
}

// linkedNames returns the hosts that see what is active here, in the order in
// which hosts are shown.
func (c *Client) linkedNames() ([]string, error) {
	l, err := c.linker()
	if err != nil {
		return nil, err
	}
	linked, err := l.Names("")
	if err != nil {
		return nil, err
	}
	if root := c.projectOrNone(); root != "" {
		more, err := l.Names(root)
		if err != nil {
			return nil, err
		}
		linked = append(linked, more...)
	}
	var out []string
	for _, a := range Hosts() {
		if name := a.Info().Name; slices.Contains(linked, name) {
			out = append(out, name)
		}
	}
	return out, nil
}
