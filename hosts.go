package pinion

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"pinion/host"
	"pinion/host/claude"
	"pinion/host/codex"
	"pinion/host/copilot"
	"pinion/host/cursor"
	"pinion/host/gemini"
	"pinion/host/opencode"
	"pinion/host/skills"
	"pinion/host/vscode"
	"pinion/internal/syntax"
	"pinion/store"
)

// Hosts returns every host that plugins can be given to, in the order in which
// they are shown. A new host is one folder under host and one line here.
func Hosts() []host.Adapter {
	hosts := []host.Adapter{claude.Adapter{}, codex.Adapter{}, copilot.Adapter{}, gemini.New(), cursor.New()}
	for _, v := range vscode.Variants() {
		hosts = append(hosts, vscode.New(v))
	}
	return append(append(hosts, opencode.New(), skills.NewShared()), skills.Others()...)
}

// HostOptions are the choices of a link.
type HostOptions struct {
	Project bool
	// Copy copies files where links would do.
	Copy bool
	// Replace switches off what the host has by itself, until it is unlinked.
	Replace bool
	DryRun  bool
}

// HostReport says what a link or unlink did. It is the JSON document
// pinion.host-link/v1.
type HostReport struct {
	Schema string `json:"schema"`
	*host.Result
}

// HostListReport is the JSON document pinion.host-list/v1.
type HostListReport struct {
	Schema string       `json:"schema"`
	Scope  string       `json:"scope"`
	Hosts  []ListedHost `json:"hosts"`
}

// ListedHost is one host that plugins can be given to.
type ListedHost struct {
	Name    string       `json:"name"`
	Title   string       `json:"title"`
	Found   bool         `json:"found"` // it is on this machine
	Dir     string       `json:"dir"`   // of its configuration
	Linked  bool         `json:"linked"`
	Copy    bool         `json:"copy"`
	User    bool         `json:"user"`    // can be linked for the user
	Project bool         `json:"project"` // can be linked for a project
	Shown   []host.Shown `json:"shown"`
	Problem string       `json:"problem"` // why its receipt cannot be used
}

// HostList returns every host, with what is linked in the scope.
func (c *Client) HostList(ctx context.Context, project bool) (*HostListReport, error) {
	sc, err := c.scope(project)
	if err != nil {
		return nil, err
	}
	l, err := c.linker()
	if err != nil {
		return nil, err
	}
	linked, err := l.Linked(ctx, sc.Project)
	if err != nil {
		return nil, err
	}
	r := &HostListReport{Schema: "pinion.host-list/v1", Scope: sc.String(), Hosts: []ListedHost{}}
	for _, a := range Hosts() {
		info := a.Info()
		p, err := c.place(info.Name, sc)
		if err != nil {
			return nil, err
		}
		seen := a.Look(p)
		h := ListedHost{
			Name: info.Name, Title: info.Title, Found: seen.Found, Dir: seen.Dir, User: info.Scopes.User, Project: info.Scopes.Project,
			Shown: []host.Shown{},
		}
		if i := slices.IndexFunc(linked, func(k host.Linked) bool { return k.Host == info.Name }); i >= 0 {
			h.Linked, h.Copy, h.Shown = true, linked[i].Copy, append(h.Shown, linked[i].Shown...)
			if linked[i].Damage != nil {
				h.Problem = linked[i].Damage.Error()
			}
		}
		r.Hosts = append(r.Hosts, h)
	}
	return r, nil
}

// HostLink makes a host see what is active in the scope, from now on: activate,
// disable, rollback and uninstall change the host too. Linking again repairs what
// was changed since.
func (c *Client) HostLink(ctx context.Context, name string, o HostOptions) (*HostReport, error) {
	a, p, sc, err := c.hostIn(name, o.Project)
	if err != nil {
		return nil, err
	}
	info := a.Info()
	if sc.Project == "" && !info.Scopes.User {
		return nil, usage("add --project", "%s has no plugins of its own for a user", info.Title)
	}
	if sc.Project != "" && !info.Scopes.Project {
		tip := "leave --project out"
		if d, ok := skills.For(name); ok && d.Project == skills.Shared {
			tip = "its skills in a project: pinion host link skills --project; or leave --project out"
		}
		return nil, usage(tip, "%s has no plugins of its own for a project", info.Title)
	}
	if seen := a.Look(p); !seen.Found {
		return nil, notFound("start it once, or make the directory "+seen.Dir, "%s was not found on this machine", info.Title)
	}
	p.Copy = o.Copy
	create := !o.DryRun
	st, _, ok, err := c.state(create)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, notFound("pinion install PLUGIN --activate", "nothing is installed, so there is nothing to show to %s", info.Title)
	}
	l, err := c.linker()
	if err != nil {
		return nil, err
	}
	res, err := l.Link(ctx, a, p, c.activeFor(st, sc), host.LinkOptions{Replace: o.Replace, DryRun: o.DryRun})
	if err != nil {
		return nil, hostError(err, info.Name, sc)
	}
	return &HostReport{Schema: "pinion.host-link/v1", Result: res}, nil
}

// HostUnlink takes back what a link put on the disk, and restores what was there
// before it. Without a link it does nothing.
func (c *Client) HostUnlink(ctx context.Context, name string, o HostOptions) (*HostReport, error) {
	a, p, sc, err := c.hostIn(name, o.Project)
	if err != nil {
		return nil, err
	}
	l, err := c.linker()
	if err != nil {
		return nil, err
	}
	res, err := l.Unlink(ctx, a.Info(), p, o.DryRun)
	if err != nil {
		return nil, hostError(err, name, sc)
	}
	return &HostReport{Schema: "pinion.host-link/v1", Result: res}, nil
}

// hostError gives an error of the linker the way out.
func hostError(err error, name string, sc store.Scope) error {
	var conflict *host.ConflictError
	var refused *host.RefusedError
	var damage *host.DamageError
	link := "pinion host link " + name + scopeFlag(sc)
	switch {
	case errors.As(err, &conflict) && len(conflict.Own) > 0 && !conflict.Replaceable():
		return blocked("remove it there, then: "+link, "%s", conflict)
	case errors.As(err, &conflict) && !conflict.Replaceable():
		return blocked("take it out of the file or give it another name, then: "+link, "%s", conflict)
	case errors.As(err, &conflict) && len(conflict.Own) > 0:
		return blocked(link+" --replace switches them off there, until pinion host unlink "+name+scopeFlag(sc), "%s", conflict)
	case errors.As(err, &conflict):
		return blocked(link+" --replace moves it away, until pinion host unlink "+name+scopeFlag(sc), "%s", conflict)
	case errors.As(err, &refused) && refused.Link != "":
		return blocked("put a file of its own in the place of the link (a manager of dotfiles can copy), then: "+link, "%s", refused)
	case errors.As(err, &refused):
		return blocked("put it right, then: "+link, "%s", refused)
	case errors.As(err, &damage):
		return blocked("move the file away, take back by hand what it names, then: "+link, "%s", damage)
	}
	var stopped *host.UnfinishedError
	if errors.As(err, &stopped) {
		return &unfinished{err, "it stopped on the way: " + link + " goes on, " + strings.Replace(link, " link ", " unlink ", 1) + " takes it back"}
	}
	return err
}

// unfinished is an error with advice of its own: the disk's would say that nothing
// was changed.
type unfinished struct {
	error
	tip string
}

func (e *unfinished) Unwrap() error { return e.error }

// Hint tells what to do.
func (e *unfinished) Hint() string { return e.tip }

// scopeFlag is what a command needs to stay in a scope.
func scopeFlag(sc store.Scope) string {
	if sc.Project != "" {
		return " --project"
	}
	return ""
}

// hostIn returns a host and its place in a scope.
func (c *Client) hostIn(name string, project bool) (host.Adapter, host.Place, store.Scope, error) {
	sc, err := c.scope(project)
	if err != nil {
		return nil, host.Place{}, sc, err
	}
	a, err := hostNamed(name)
	if err != nil {
		return nil, host.Place{}, sc, err
	}
	p, err := c.place(a.Info().Name, sc)
	return a, p, sc, err
}

func hostNamed(name string) (host.Adapter, error) {
	var names []string
	for _, a := range Hosts() {
		if a.Info().Name == name {
			return a, nil
		}
		names = append(names, a.Info().Name)
	}
	if near, ok := syntax.Nearest(name, names); ok {
		return nil, usage("pinion host list", "unknown host %q; did you mean %q?", name, near)
	}
	return nil, usage("pinion host list", "unknown host %q", name)
}

// place is where a host is for a scope.
func (c *Client) place(name string, sc store.Scope) (host.Place, error) {
	p := host.Place{
		Home: firstSet(c.o.Getenv, "HOME", "USERPROFILE"), Project: sc.Project, Base: c.o.Home,
		Own: filepath.Join(c.o.Home, "hosts", name, host.ScopeName(sc.Project)), Getenv: c.o.Getenv,
	}
	if p.Home == "" || !filepath.IsAbs(p.Home) {
		return p, usage("set HOME", "there is no home directory in which a host could be")
	}
	return p, nil
}

// linker returns what changes hosts. Without a home nothing is linked.
func (c *Client) linker() (*host.Linker, error) {
	if _, _, _, err := c.state(false); err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return host.New(host.Options{Home: c.home, Clock: c.o.Clock, Wait: c.o.LockWait}), nil
}

// activeFor gives what a host is to see in a scope: every plugin with an active
// version, also those that are switched off.
func (c *Client) activeFor(st *store.Store, sc store.Scope) host.Active {
	return func(ctx context.Context) ([]host.Plugin, error) {
		pointers, _, err := st.Actives(ctx, sc)
		if err != nil {
			return nil, err
		}
		users := map[string]bool{}
		if sc.Project != "" {
			mine, _, err := st.Actives(ctx, store.Scope{})
			if err != nil {
				return nil, err
			}
			for _, p := range mine {
				users[p.ID] = p.Current != nil
			}
		}
		asked := sync.OnceValues(func() (bool, error) { // the same for all of them
			user, proj, err := c.policies(sc.Project)
			return user != nil || proj != nil, err
		})
		var out []host.Plugin
		for _, p := range pointers {
			if p.Current == nil {
				continue
			}
			in, err := st.Receipt(*p.Current)
			var dir string
			if err == nil {
				dir, err = st.Path(*p.Current)
			}
			if errors.Is(err, store.ErrNotInstalled) || errors.Is(err, store.ErrDamaged) {
				continue // doctor and verify say so; a host must not run what nobody can check
			}
			if err != nil {
				return nil, err
			}
			pl := hostPlugin(in, dir)
			ask, err := asked()
			if err == nil && ask {
				pl.Refused, err = c.refusedNow(ctx, st, in, sc)
			}
			if err != nil {
				return nil, err
			}
			pl.Enabled, pl.Hides = p.Enabled, users[p.ID]
			out = append(out, pl)
		}
		return out, nil
	}
}

// refusedNow asks the policies of a scope about a version that a host is to use:
// one may have been tightened since the activation, and a project's counts where a
// plugin is used, whoever made it active.
func (c *Client) refusedNow(ctx context.Context, st *store.Store, in store.Receipt, sc store.Scope) (string, error) {
	j, err := c.gate(ctx, st, in, sc)
	var refused *GateError
	if errors.As(err, &refused) {
		return "it may not be used: " + refused.Reasons[0].Message, nil
	}
	if errors.Is(err, store.ErrDamaged) {
		return "its files were changed: pinion verify --repair " + in.ID, nil
	}
	if err != nil {
		return "", err
	}
	return "", c.keep(j)
}

func hostPlugin(in store.Receipt, dir string) host.Plugin {
	files := make([]host.File, 0, len(in.Files))
	for _, f := range in.Files {
		files = append(files, host.File{Path: f.Path, Sum: f.Sum.String(), Size: f.Size, Exec: f.Exec})
	}
	return host.Plugin{
		ID: in.ID, Version: in.Version, Marketplace: in.Origin.Marketplace, Description: in.Description, Format: in.Format, Kind: in.Kind,
		Dir: dir, Digest: in.Digest.String(), Files: files, Components: in.Components, Entry: in.Origin.Entry,
	}
}

// HostChange is what a change of the active plugins did in one linked host.
type HostChange struct {
	Host    string         `json:"host"`
	Title   string         `json:"title"`
	Scope   string         `json:"scope"`
	Changed bool           `json:"changed"`
	Shown   []host.Shown   `json:"shown"`
	LeftOut []host.LeftOut `json:"leftOut"`
	Blocked []host.Step    `json:"blocked"`
	Restart string         `json:"restart"` // what to do so that it sees the change, "" for nothing
	Error   string         `json:"error"`   // why the host was not changed, "" when it was
	Fix     string         `json:"fix"`     // the command that repairs it, "" for nothing to repair
}

// updateHosts brings the linked hosts of the user and of the current project up
// to date, or with everywhere those of every project. It comes after the change
// and never takes it back: what a host refuses is in the result, with the command
// that repairs it. Without a link it looks for one directory and is done.
func (c *Client) updateHosts(ctx context.Context, dry, everywhere bool) []HostChange {
	l, err := c.linker()
	if err != nil {
		return nil
	}
	scopes := []store.Scope{{}}
	if root := c.projectOrNone(); root != "" {
		scopes = append(scopes, store.Scope{Project: root})
	}
	if everywhere {
		roots, _, err := l.Projects(ctx)
		if err != nil {
			return []HostChange{{Error: err.Error(), Fix: "pinion doctor", Shown: []host.Shown{}, LeftOut: []host.LeftOut{}, Blocked: []host.Step{}}}
		}
		for _, root := range roots {
			if sc := (store.Scope{Project: root}); !slices.Contains(scopes, sc) {
				scopes = append(scopes, sc)
			}
		}
	}
	var out []HostChange
	for _, sc := range scopes {
		names, err := l.Names(sc.Project)
		if err != nil {
			out = append(out, failedHost("", sc, err))
			continue
		}
		for _, name := range names {
			out = append(out, c.updateHost(ctx, l, name, sc, dry))
		}
	}
	return out
}

// wouldSee is the answer of a dry run: nothing has changed, so there is no plan to
// show beyond which host it is.
func wouldSee(a host.Adapter, sc store.Scope) HostChange {
	info := a.Info()
	return HostChange{
		Host: info.Name, Title: info.Title, Scope: sc.String(), Restart: info.Restart,
		Shown: []host.Shown{}, LeftOut: []host.LeftOut{}, Blocked: []host.Step{},
	}
}

func failedHost(name string, sc store.Scope, err error) HostChange {
	h := HostChange{
		Host: name, Title: name, Scope: sc.String(), Shown: []host.Shown{}, LeftOut: []host.LeftOut{}, Blocked: []host.Step{},
		Error: err.Error(), Fix: "pinion host link " + name,
	}
	if name == "" {
		h.Fix = "pinion doctor"
	} else {
		h.Fix += scopeFlag(sc)
	}
	return h
}

func (c *Client) updateHost(ctx context.Context, l *host.Linker, name string, sc store.Scope, dry bool) HostChange {
	a, err := hostNamed(name)
	if err != nil {
		return failedHost(name, sc, fmt.Errorf("it is linked, and this Pinion does not know it: %w", err))
	}
	if dry {
		return wouldSee(a, sc)
	}
	p, err := c.place(name, sc)
	if err != nil {
		return failedHost(name, sc, err)
	}
	st, _, _, err := c.state(false)
	if err != nil {
		return failedHost(name, sc, err)
	}
	res, err := l.Update(ctx, a, p, c.activeFor(st, sc), false)
	if err != nil {
		h := failedHost(name, sc, err)
		h.Title = a.Info().Title
		return h
	}
	h := HostChange{
		Host: name, Title: res.Title, Scope: res.Scope, Changed: res.Changed, Shown: res.Shown, LeftOut: res.LeftOut, Blocked: res.Blocked, Restart: res.Restart,
	}
	if len(res.Blocked) > 0 {
		h.Fix = failedHost(name, sc, errors.New("blocked")).Fix
	}
	return h
}

// SeenBy returns the names of the hosts that show a plugin, in the order given.
func SeenBy(hosts []HostChange, id string) []string {
	var out []string
	for _, h := range hosts {
		if slices.ContainsFunc(h.Shown, func(s host.Shown) bool { return s.ID == id }) && h.Error == "" {
			out = append(out, strings.TrimSpace(h.Title))
		}
	}
	return out
}
