// Package skills gives Agent Skills to hosts that look for them in a directory:
// one link for each skill, named like the skill, into the store.
//
// It also holds the table of those directories, and tells which skills of a
// plugin can stand alone, which the adapters of other hosts use.
package skills

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"pinion/host"
	"pinion/manifest"
)

// maxName is the longest name of a skill that the specification allows.
const maxName = 64

// Face is one skill of a plugin.
type Face struct {
	Name string // of its directory in a host
	Dir  string // slash path in the plugin, "." for the whole plugin
}

// Faces returns the skills of a plugin in the order of its components, and in
// words what else it has: an empty rest means that the skills are the whole
// plugin.
func Faces(p host.Plugin) (faces []Face, rest []string) {
	for _, c := range p.Components {
		if c.Type != manifest.SkillComponent || c.Path == "" {
			continue
		}
		f := Face{Name: c.Name, Dir: path.Dir(c.Path)}
		if !IsName(f.Name) {
			f.Name = path.Base(f.Dir)
		}
		if !IsName(f.Name) && f.Dir == "." {
			f.Name = p.ID
		}
		faces = append(faces, f)
	}
	for _, c := range p.Components {
		if what := words(c, faces); what != "" && !slices.Contains(rest, what) {
			rest = append(rest, what)
		}
	}
	return faces, rest
}

// IsName reports whether a skill can be a directory of this name in every host.
func IsName(s string) bool {
	if s == "" || len(s) > maxName || strings.HasPrefix(s, "-") {
		return false
	}
	return strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-_") == ""
}

// words names a component that is not part of a skill, "" for one that is.
func words(c manifest.Component, faces []Face) string {
	inside := slices.ContainsFunc(faces, func(f Face) bool {
		return c.Path != "" && (f.Dir == "." || strings.HasPrefix(c.Path, f.Dir+"/"))
	})
	switch c.Type {
	case manifest.SkillComponent:
		return ""
	case manifest.ProgramComponent: // a script of a skill
		if inside {
			return ""
		}
		return "programs"
	case manifest.CommandComponent:
		return "commands"
	case manifest.AgentComponent:
		return "agents"
	case manifest.HookComponent:
		return "hooks"
	case manifest.ServerComponent, manifest.ToolComponent:
		return "MCP servers"
	case manifest.LSPComponent:
		return "language servers"
	case manifest.MonitorComponent:
		return "monitors"
	case manifest.SettingComponent:
		return "settings"
	case manifest.PageComponent, manifest.StyleComponent, manifest.PatchComponent:
		return "user interface"
	}
	return "other parts"
}

// Part returns the plugin as only the files below dir, for a copy of them.
func Part(p host.Plugin, dir string) host.Plugin {
	if dir == "." {
		return p
	}
	out := p
	out.Dir = filepath.Join(p.Dir, filepath.FromSlash(dir))
	out.Files = nil
	for _, f := range p.Files {
		if rel, ok := strings.CutPrefix(f.Path, dir+"/"); ok {
			f.Path = rel
			out.Files = append(out.Files, f)
		}
	}
	return out
}

// Put returns what makes the files below dir of a plugin appear at a place: a
// link, or a copy where copies are asked for.
func Put(pl host.Place, at host.At, p host.Plugin, dir string) host.Item {
	part := Part(p, dir)
	if pl.Copy {
		return host.NewCopy(at, part, nil)
	}
	return host.NewLink(at, p.ID, part.Dir)
}
