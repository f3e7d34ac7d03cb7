package hostcheck

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
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
		names := slices.DeleteFunc(c.usedNames(), func(n string) bool {
			// Claude Code and Codex put the plugin's name before each skill.
			word, _, _ := strings.Cut(n, " ")
			return client != CopilotClient && word == "skill" || client == ClaudeClient && word == "server"
		})
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
		case strings.HasSuffix(lower, ".md") && strings.Contains("/"+lower, "/commands/"):
			names = append(names, "skill "+strings.TrimSuffix(filepath.Base(f.Path), filepath.Ext(f.Path)))
		case strings.HasSuffix(lower, "marketplace.json"):
			names = append(names, catalogNames(f.Data)...)
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

// catalogNames are the names of a catalog and of its plugins, as far as it can
// be read: one that cannot is added by no client.
func catalogNames(data []byte) []string {
	var doc struct {
		Name    any
		Plugins []struct{ Name any }
	}
	if json.Unmarshal(bytes.TrimPrefix(data, []byte("\ufeff")), &doc) != nil {
		return nil
	}
	names := []string{fmt.Sprintf("market %v", doc.Name)}
	for _, p := range doc.Plugins {
		names = append(names, strings.ToLower(fmt.Sprintf("plugin %v", p.Name)))
	}
	return names
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
