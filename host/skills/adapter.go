package skills

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"pinion/host"
)

// Adapter gives the skills of plugins to one directory.
//
// skills 1.7.4: `skills list --json` shows a link in the directory like a
// directory of its own, with source null, and needs no lock entry; `skills
// update` passes it over; `skills remove` does not find it; `skills add` of a
// skill with the same name removes the link and puts a copy in its place, and
// never writes through it.
type Adapter struct{ dir Dir }

var _ host.Adapter = Adapter{}

// New returns the adapter of one directory.
func New(d Dir) Adapter { return Adapter{d} }

// NewShared returns the adapter of the directory that most hosts look into.
func NewShared() Adapter {
	return New(Dir{Host: "skills", Title: "every host that reads " + Shared, User: Shared, Project: Shared})
}

// Info tells what the host is called.
func (a Adapter) Info() host.Info {
	restart := "start a new session of " + a.dir.Title
	if a.dir.Host == "skills" {
		restart = "start a new session of your agent"
	}
	// Two links of one directory would take each other's skills away again.
	project := a.dir.Project != "" && (a.dir.Project != Shared || a.dir.User == Shared)
	return host.Info{Name: a.dir.Host, Title: a.dir.Title, Restart: restart, Scopes: host.Scopes{User: true, Project: project}}
}

// root splits the directory of the scope into what is opened and the rest: a
// user's own link at the first part is followed, none behind it is.
func (a Adapter) root(pl host.Place) (root, rest string) {
	if pl.Project != "" {
		return pl.Project, a.dir.Project
	}
	if rest, ok := strings.CutPrefix(a.dir.User, ".config/"); ok && a.dir.Config {
		return pl.Env("XDG_CONFIG_HOME", ".config"), rest
	}
	first, rest, _ := strings.Cut(a.dir.User, "/")
	return filepath.Join(pl.Home, first), rest
}

func (a Adapter) path(pl host.Place) string {
	root, rest := a.root(pl)
	return filepath.Join(root, filepath.FromSlash(rest))
}

// Look says whether the host is there: its directory of the user, or in a
// project the project's own. The shared directory belongs to no host and is made
// when it is needed.
func (a Adapter) Look(pl host.Place) host.Presence {
	dir := a.path(pl)
	found := a.dir.User == Shared || isDir(filepath.Dir(dir))
	if pl.Project != "" {
		if !strings.Contains(a.dir.Project, "/") {
			found = isDir(dir) // above it is the project itself
		}
		users := pl
		users.Project = ""
		found = found || isDir(filepath.Dir(a.path(users)))
	}
	return host.Presence{Found: found, Dir: dir}
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// Want puts a link for each skill. A plugin with parts beside its skills is left
// out when they run something: its skills may rely on them.
func (a Adapter) Want(pl host.Place, plugins []host.Plugin) (host.Want, error) {
	var w host.Want
	root, rest := a.root(pl)
	taken := map[string]string{}
	for _, p := range plugins {
		if !p.Enabled {
			continue
		}
		faces, other := Faces(p)
		if why := WhyNot(faces, other); why != "" {
			w.LeftOut = append(w.LeftOut, host.LeftOut{ID: p.ID, Reason: why})
			continue
		}
		if len(other) > 0 {
			w.LeftOut = append(w.LeftOut, host.LeftOut{ID: p.ID, Reason: "only its skills are given; a directory of skills cannot hold " + host.Words(other)})
		}
		for _, f := range faces {
			switch by, ok := taken[f.Name]; {
			case !IsName(f.Name):
				w.LeftOut = append(w.LeftOut, host.LeftOut{ID: p.ID, Reason: fmt.Sprintf("its skill %q has a name that no directory can have", f.Name)})
				continue
			case ok:
				w.LeftOut = append(w.LeftOut, host.LeftOut{ID: p.ID, Reason: fmt.Sprintf("its skill %s has the name of one of %s", f.Name, by)})
				continue
			}
			taken[f.Name] = p.ID
			w.Items = append(w.Items, Put(pl, host.At{Root: root, Name: path.Join(rest, f.Name)}, p, f.Dir))
			w.Shown = append(w.Shown, host.Shown{ID: p.ID, Version: p.Version, Name: f.Name})
		}
	}
	return w, nil
}

// WhyNot says why skills alone would not be the plugin, "" when they are: what
// else it has is not there, or is only read by people and agents on request.
func WhyNot(faces []Face, other []string) string {
	if len(faces) == 0 {
		if len(other) == 0 {
			return "it has no skills"
		}
		return "it has no skills, only " + host.Words(other)
	}
	var runs []string
	for _, o := range other {
		if o != "commands" && o != "agents" && o != "other parts" {
			runs = append(runs, o)
		}
	}
	if len(runs) > 0 {
		return "its skills may rely on its " + host.Words(runs) + ", which this host cannot load"
	}
	return ""
}

// Installed returns the skills that are in the directory and were not put there
// by Pinion.
func (a Adapter) Installed(ctx context.Context, pl host.Place) ([]host.Installed, error) {
	dir := a.path(pl)
	list, err := host.ListState(dir)
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", dir, err)
	}
	from, err := a.locked(pl)
	if err != nil {
		return nil, err
	}
	var out []host.Installed
	for _, e := range list {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		at := filepath.Join(dir, e.Name())
		if strings.HasPrefix(e.Name(), ".") || pl.IsOurs(at) {
			continue
		}
		if _, err := os.Stat(filepath.Join(at, "SKILL.md")); err != nil {
			continue
		}
		in := host.Installed{Name: e.Name(), Shown: e.Name(), Dir: at, Enabled: true, InPlace: true}
		from.fill(&in)
		out = append(out, in)
	}
	return out, nil
}
