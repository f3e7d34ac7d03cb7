package hostcheck

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// packages puts packages into one marketplace, installs each, and asks what was
// loaded of all.
func (m Measure) packages(ctx context.Context, j job) ([]Truth, error) {
	s, err := m.Clients.Session(ctx, m.Temp)
	if err != nil {
		return nil, err
	}
	rows, err := m.withHost(j.client, s, func(h Host) ([]Truth, error) { return m.packagesIn(ctx, h, s, j) })
	return rows, errors.Join(err, s.Close())
}

// withHost has f ask a client, Copilot through one server for the whole job.
func (m Measure) withHost(name Name, s *Session, f func(Host) ([]Truth, error)) ([]Truth, error) {
	if name != CopilotClient || m.OneByOne {
		return f(NewHost(name, s))
	}
	server, err := s.startCopilotServer()
	if err != nil {
		return nil, err
	}
	rows, err := f(server)
	return rows, errors.Join(err, server.close())
}

func (m Measure) packagesIn(ctx context.Context, h Host, s *Session, j job) ([]Truth, error) {
	if err := writeMarket(s.Dir, j.cases); err != nil {
		return nil, err
	}
	if r, err := h.AddMarketplace(ctx, s.Dir); err != nil || !r.OK {
		return nil, errors.Join(err, fmt.Errorf("the marketplace of the battery: %s", r.Text))
	}
	var all []asked
	for _, c := range j.cases {
		all = append(all, asked{
			Truth: row(c, j.client), id: PluginID{c.Name(), marketName}, family: c.Family(),
			dir: filepath.Join(s.Dir, packagesDir, c.Name()),
		})
	}
	if claude, ok := h.(Claude); ok {
		for i := range all {
			if err := validate(ctx, claude, &all[i].Truth, all[i].family, all[i].dir); err != nil {
				return nil, err
			}
		}
	}
	err := m.install(ctx, h, all)
	var rows []Truth
	for _, a := range all {
		rows = append(rows, a.Truth)
	}
	return rows, err
}

// asked is a row about one plugin that is being asked about.
type asked struct {
	Truth
	id     PluginID
	family string
	dir    string // of the plugin
}

// validate asks the client's validator about a directory. Its word on loading
// is none; what it lists of a package without faults is.
func validate(ctx context.Context, claude Claude, t *Truth, family, dir string) error {
	// Where the parts are all alike, a sample is enough to compare the validator
	// with the loader; elsewhere its inventory is what ours is compared with.
	if sameParts(family) && hashOf(t.Case)[0] > '4' {
		return nil
	}
	report, err := claude.Validate(ctx, dir)
	t.Valid = &Valid{OK: report.Success, Has: report.Provides}
	return err
}

// install installs plugins and fills in what the client says and loads.
func (m Measure) install(ctx context.Context, h Host, all []asked) error {
	var ids []PluginID
	for _, a := range all {
		ids = append(ids, a.id)
	}
	if b, ok := h.(bulk); ok && !m.OneByOne {
		if err := b.enable(ids); err != nil {
			return err
		}
		for i := range all {
			all[i].Loads = true
		}
	} else {
		for i := range all {
			r, err := h.Install(ctx, all[i].id.Plugin, all[i].id.Market)
			if err != nil {
				return err
			}
			all[i].Loads, all[i].Text = r.OK, r.Text
		}
	}
	if claude, ok := h.(Claude); ok {
		if err := m.claudeErrors(ctx, claude, all); err != nil {
			return err
		}
	}
	dirs := map[PluginID]string{}
	for _, a := range all {
		if a.Loads && (h.Name() != ClaudeClient || m.OneByOne || !sameParts(a.family)) {
			dirs[a.id] = a.dir
		}
	}
	have := map[PluginID]Inventory{}
	if len(dirs) > 0 {
		var err error
		if have, err = h.Loaded(ctx, dirs); err != nil {
			return err
		}
	}
	for i := range all {
		if _, ok := dirs[all[i].id]; ok {
			all[i].Has, all[i].Loads = have[all[i].id], false
			if _, ok := have[all[i].id]; ok {
				all[i].Loads = true
			}
		}
	}
	return nil
}

// sameParts reports whether the cases of a family all have one and the same
// skill, so that of a loaded one Claude Code's inventory, a start of the program
// for each, is not asked for.
func sameParts(family string) bool {
	return slices.Contains([]string{"type", "name", "version", "field", "json"}, family)
}

// claudeErrors takes from Claude Code's list which plugins it did not load: those
// with errors are asked about one by one, as some errors are only remarks.
func (m Measure) claudeErrors(ctx context.Context, claude Claude, all []asked) error {
	list, err := claude.List(ctx)
	if err != nil {
		return err
	}
	said := map[string]string{}
	for _, p := range list {
		said[p.ID] = claude.s.clean(strings.Join(p.Errors, "; "))
	}
	for i := range all {
		a := &all[i]
		if text := said[a.id.String()]; a.Loads && text != "" {
			a.Text = text
			if sameParts(a.family) && !m.OneByOne {
				if _, a.Loads, err = claude.Details(ctx, a.id); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// The battery's own marketplace.
const (
	marketName  = "battery"
	packagesDir = "p"
)

// writeMarket makes a marketplace of packages, each in a directory of its name.
func writeMarket(dir string, cases []Case) error {
	type entry struct {
		Name   string `json:"name"`
		Source string `json:"source"`
	}
	doc := struct {
		Name  string `json:"name"`
		Owner struct {
			Name string `json:"name"`
		} `json:"owner"`
		Plugins []entry `json:"plugins"`
	}{Name: marketName}
	doc.Owner.Name = "Battery"
	for _, c := range cases {
		doc.Plugins = append(doc.Plugins, entry{c.Name(), "./" + packagesDir + "/" + c.Name()})
		if err := c.Write(filepath.Join(dir, packagesDir, c.Name())); err != nil {
			return err
		}
	}
	data, err := json.Marshal(doc)
	if err != nil {
		return err
	}
	file := filepath.Join(dir, filepath.FromSlash(claudeCatalog))
	return errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, data, 0o644))
}
