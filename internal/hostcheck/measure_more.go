package hostcheck

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pinion/catalog"
	"pinion/compat"
	"pinion/internal/regex"
)

var skillName = regex.Lazy{Expr: `(?m)^name:[ \t]*"?([^"\r\n]+)`}

// catalogs adds the repositories of a job, asks what is offered, and installs
// what the cases say. Claude and Copilot keep many in one home; Codex starts
// fast, and gets a home for each.
func (m Measure) catalogs(ctx context.Context, j job) ([]Truth, error) {
	if j.client == CodexClient || m.OneByOne {
		return m.each(ctx, j, func(ctx context.Context, s *Session, c Case, name Name) ([]Truth, error) {
			return m.catalogsIn(ctx, NewHost(name, s), s, []Case{c})
		})
	}
	s, err := m.Clients.Session(ctx, m.Temp)
	if err != nil {
		return nil, err
	}
	rows, err := m.withHost(j.client, s, func(h Host) ([]Truth, error) { return m.catalogsIn(ctx, h, s, j.cases) })
	return rows, errors.Join(err, s.Close())
}

func (m Measure) catalogsIn(ctx context.Context, h Host, s *Session, cases []Case) ([]Truth, error) {
	client := h.Name()
	var rows []Truth
	markets, names := map[string]string{}, []string{} // by case
	for _, c := range cases {
		t, market, err := m.add(ctx, h, s, c)
		if err != nil {
			return nil, err
		}
		rows = append(rows, t)
		if t.Loads {
			markets[c.ID] = market
			names = append(names, market)
		}
	}
	offered := map[string][]string{}
	if len(names) > 0 {
		var err error
		if offered, err = h.Offered(ctx, names); err != nil {
			return nil, err
		}
	}
	var all []asked
	for i, c := range cases {
		market, ok := markets[c.ID]
		if !ok {
			continue
		}
		rows[i].Has = nameSet(offered[market])
		dirs := c.directories(judged(client))
		for _, p := range c.Install {
			if !slices.Contains(offered[market], p) {
				continue
			}
			t := row(c, client)
			t.Plugin = p
			dir := filepath.Join(s.Dir, slug(c.ID), filepath.FromSlash(dirs[p]))
			all = append(all, asked{Truth: t, id: PluginID{p, market}, family: c.Family(), dir: dir})
		}
	}
	if len(all) > 0 {
		if err := m.install(ctx, h, all); err != nil {
			return nil, err
		}
	}
	for _, a := range all {
		rows = append(rows, a.Truth)
	}
	return rows, nil
}

// add adds one repository, after its validation.
func (m Measure) add(ctx context.Context, h Host, s *Session, c Case) (Truth, string, error) {
	dir := filepath.Join(s.Dir, slug(c.ID))
	if err := c.Write(dir); err != nil {
		return Truth{}, "", err
	}
	t := row(c, h.Name())
	if claude, ok := h.(Claude); ok {
		if err := validate(ctx, claude, &t, c.Family(), dir); err != nil {
			return t, "", err
		}
	}
	r, err := h.AddMarketplace(ctx, dir)
	t.Loads, t.Text = r.OK, r.Text
	return t, r.Market, err
}

// directories are those of the entries of the catalog that a host reads.
func (c Case) directories(host compat.Host) map[string]string {
	dirs := map[string]string{}
	at, data := catalogOf(host, c)
	cat, _ := catalog.Parse(at, data)
	for _, e := range cat.Entries {
		if dir, ok := c.entryDir(host, cat, e); ok {
			dirs[e.Name] = dir
		}
	}
	return dirs
}

// setLimit is how many names are recorded one by one.
const setLimit = 30

// nameSet is a sorted list of names; of a long one its length and a digest.
func nameSet(names []string) Inventory {
	v := append(Inventory{}, names...).sorted()
	if len(v) <= setLimit {
		return v
	}
	return Inventory{fmt.Sprintf("%d names, sha256 %x", len(v), sha256.Sum256([]byte(strings.Join(v, "\n"))))[:48]}
}

// skills adds a package's or a single skill with the skills installer.
func (m Measure) skills(ctx context.Context, s *Session, c Case, client Name) ([]Truth, error) {
	dir := filepath.Join(filepath.Dir(s.Home), "source", c.Name())
	if err := c.Write(dir); err != nil {
		return nil, err
	}
	k := NewSkillsInstaller(s)
	r, err := k.Add(ctx, dir)
	if err != nil {
		return nil, err
	}
	t := row(c, client)
	t.Text = r.Text
	list, err := k.List(ctx)
	if err != nil {
		return nil, err
	}
	t.Has = skillInventory(list)
	// With nothing to take it ends well as well.
	t.Loads = r.OK && len(list) > 0
	return []Truth{t}, nil
}

// validator asks a validator about one skill or bundle.
func (m Measure) validator(ctx context.Context, s *Session, c Case, client Name) ([]Truth, error) {
	dir := filepath.Join(s.Dir, c.Name())
	if err := c.Write(dir); err != nil {
		return nil, err
	}
	ask, path := s.ValidateSkill, dir
	if client == McpbClient {
		ask, path = s.ValidateBundle, filepath.Join(dir, "manifest.json")
	}
	r, err := ask(ctx, path)
	if err != nil {
		return nil, err
	}
	t := row(c, client)
	t.Loads, t.Text = r.OK, r.Text
	return []Truth{t}, nil
}

// extensions asks Gemini's validator about each extension, and its list about
// all of them where it keeps what is installed.
func (m Measure) extensions(ctx context.Context, j job) ([]Truth, error) {
	s, err := m.Clients.Session(ctx, m.Temp)
	if err != nil {
		return nil, err
	}
	rows, err := m.extensionsIn(ctx, s, j)
	return rows, errors.Join(err, s.Close())
}

func (m Measure) extensionsIn(ctx context.Context, s *Session, j job) ([]Truth, error) {
	g, err := NewGemini(s)
	if err != nil {
		return nil, err
	}
	var rows []Truth
	for _, c := range j.cases {
		// The client loads every directory here that has a manifest, with or
		// without a record of its installation; an installation costs 1.7 s.
		dir := filepath.Join(s.Home, ".gemini", "extensions", c.Name())
		if err := c.Write(dir); err != nil {
			return nil, err
		}
		r, err := g.Validate(ctx, dir)
		if err != nil {
			return nil, err
		}
		t := row(c, j.client)
		t.Text, t.Valid = r.Text, &Valid{OK: r.OK}
		rows = append(rows, t)
	}
	list, err := g.List(ctx)
	if err != nil {
		return nil, err
	}
	for i := range rows {
		for _, e := range list {
			if filepath.Base(e.Path) == j.cases[i].Name() {
				rows[i].Loads, rows[i].Has = true, e.inventory()
			}
		}
	}
	return rows, os.RemoveAll(s.Dir)
}
