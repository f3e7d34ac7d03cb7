package hostcheck

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"pinion/internal/regex"
)

// Measure asks clients about cases.
type Measure struct {
	Clients Clients
	Temp    string // where the homes and the trees are made
	Workers int
	// OneByOne installs each package with a command of its own, also where the
	// client can be told of many at once.
	OneByOne bool
	// Done is called after each group of questions with its answers, one call
	// at a time.
	Done func([]Truth) error
}

// job is a group of cases that one client is asked about in one home.
type job struct {
	client Name
	cases  []Case
}

// batchSize is how many packages are in one marketplace: many enough that the
// client's lists cost little, few enough that a run shows progress.
const batchSize = 40

// Run asks each client about each case that it has something to say about and
// that is not fresh in known. A client that fails in a way that is no answer
// ends the run.
func (m Measure) Run(ctx context.Context, cases []Case, clients []Name, known *Truths) error {
	// In the order of their digests, so that each group has cases of each
	// family, and what is known when a run is stopped is a fair sample.
	cases = slices.Clone(cases)
	slices.SortFunc(cases, func(a, b Case) int { return strings.Compare(a.Digest(), b.Digest()) })
	var jobs []job
	for _, name := range clients {
		var stale []Case
		for _, c := range cases {
			if c.Asks(name) && !known.fresh(c, name) {
				stale = append(stale, c)
			}
		}
		jobs = append(jobs, divide(name, stale)...)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// The two that answer fast go first.
	fast := func(j job) int { return slices.Index([]Name{CopilotClient, CodexClient}, j.client) }
	slices.SortStableFunc(jobs, func(a, b job) int {
		return cmp.Or(cmp.Compare(fast(b), fast(a)), strings.Compare(a.cases[0].Digest(), b.cases[0].Digest()))
	})
	queue := make(chan job)
	errs := make(chan error, m.Workers)
	var lock sync.Mutex
	for range m.Workers {
		go func() {
			var failed error
			for j := range queue {
				if failed != nil || ctx.Err() != nil {
					continue
				}
				rows, err := m.ask(ctx, j)
				lock.Lock()
				if err == nil {
					known.put(rows)
					err = m.Done(rows)
				}
				lock.Unlock()
				if failed = err; err != nil {
					cancel()
				}
			}
			errs <- failed
		}()
	}
	for _, j := range jobs {
		queue <- j
	}
	close(queue)
	var all []error
	for range m.Workers {
		all = append(all, <-errs)
	}
	return errors.Join(all...)
}

// divide makes groups in which no two cases share a name.
func divide(client Name, cases []Case) []job {
	type group struct {
		job
		names map[string]bool
	}
	var groups []*group
	for _, c := range cases {
		names := c.usedNames()
		var g *group
		for _, have := range groups {
			if have.cases[0].Shape == c.Shape && len(have.cases) < batchSize && !slices.ContainsFunc(names, func(n string) bool { return have.names[n] }) {
				g = have
				break
			}
		}
		if g == nil {
			g = &group{job: job{client: client}, names: map[string]bool{}}
			groups = append(groups, g)
		}
		g.cases = append(g.cases, c)
		for _, n := range names {
			g.names[n] = true
		}
	}
	var jobs []job
	for _, g := range groups {
		jobs = append(jobs, g.job)
	}
	return jobs
}

var anyName = regex.Lazy{Expr: `"name"\s*:\s*"([^"]*)"`}

// usedNames are the names that a case may not share with another in the same
// home: that of its directory, of its skills and commands, of its servers.
func (c Case) usedNames() []string {
	names := []string{"plugin " + strings.ToLower(c.Name())}
	for _, f := range c.Files {
		lower := strings.ToLower(f.Path)
		switch {
		case strings.HasSuffix(lower, "skill.md"):
			names = append(names, "skill "+filepath.Base(filepath.Dir(f.Path)))
			if m := skillName.Get().FindSubmatch(f.Data); m != nil {
				names = append(names, "skill "+strings.TrimSpace(string(m[1])))
			}
		case strings.HasSuffix(lower, ".md"):
			names = append(names, "skill "+strings.TrimSuffix(filepath.Base(f.Path), filepath.Ext(f.Path)))
		case strings.HasSuffix(lower, "marketplace.json"):
			for _, m := range anyName.Get().FindAllSubmatch(f.Data, -1) {
				names = append(names, "plugin "+strings.ToLower(string(m[1])))
			}
		case strings.HasSuffix(lower, ".json"):
			var doc struct{ MCPServers map[string]json.RawMessage }
			if json.Unmarshal(f.Data, &doc) == nil {
				for n := range doc.MCPServers {
					names = append(names, "server "+n)
				}
			}
			if json.Unmarshal(f.Data, &doc.MCPServers) == nil && strings.HasSuffix(lower, "mcp.json") {
				for n := range doc.MCPServers {
					names = append(names, "server "+n)
				}
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// ask runs one job in a home of its own.
func (m Measure) ask(ctx context.Context, j job) ([]Truth, error) {
	var rows []Truth
	var err error
	switch j.cases[0].Shape {
	case Package:
		if j.client == SkillsClient {
			rows, err = m.each(ctx, j, m.skills)
		} else {
			rows, err = m.packages(ctx, j)
		}
	case Catalog:
		rows, err = m.catalogs(ctx, j)
	case Extension:
		rows, err = m.extensions(ctx, j)
	case Skill:
		rows, err = m.each(ctx, j, map[Name]func(context.Context, *Session, Case, Name) ([]Truth, error){SkillsClient: m.skills, SkillsRefClient: m.validator}[j.client])
	case Bundle:
		rows, err = m.each(ctx, j, m.validator)
	}
	if err != nil {
		return nil, fmt.Errorf("ask %s about %s and %d more: %w", j.client, j.cases[0].ID, len(j.cases)-1, err)
	}
	return rows, nil
}

// each asks about one case after the other, each in a home of its own.
func (m Measure) each(ctx context.Context, j job, ask func(context.Context, *Session, Case, Name) ([]Truth, error)) ([]Truth, error) {
	var all []Truth
	for _, c := range j.cases {
		s, err := m.Clients.Session(ctx, m.Temp)
		if err != nil {
			return nil, err
		}
		rows, err := ask(ctx, s, c, j.client)
		if err := errors.Join(err, s.Close()); err != nil {
			return nil, fmt.Errorf("%s: %w", c.ID, err)
		}
		all = append(all, rows...)
	}
	return all, nil
}

// row begins a row about a case.
func row(c Case, client Name) Truth {
	return Truth{Case: c.ID, Client: client, Version: PinOf(client).Version, Digest: c.Digest()}
}

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

// validate asks the client's validator about a directory. Of each family but
// the corpus one in three is asked about: it is no verdict on loading.
func validate(ctx context.Context, claude Claude, t *Truth, family, dir string) error {
	if !strings.HasPrefix(family, "corpus") && hashOf(t.Case)[0] > '4' {
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
