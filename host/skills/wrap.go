package skills

import (
	"path"
	"slices"

	"pinion/host"
)

// Wrap returns a directory that makes a plugin of a host's own kind out of
// skills: the given manifest files, and the skills below "skills". Nothing of the
// plugin's own files changes.
func Wrap(pl host.Place, at host.At, p host.Plugin, faces []Face, files map[string][]byte) []host.Item {
	var items []host.Item
	for _, file := range sortedKeys(files) {
		items = append(items, host.NewFile(host.At{Root: at.Root, Name: path.Join(at.Name, file)}, files[file]).For(p.ID))
	}
	for _, f := range faces {
		items = append(items, Put(pl, host.At{Root: at.Root, Name: path.Join(at.Name, "skills", f.Name)}, p, f.Dir))
	}
	return items
}

func sortedKeys(m map[string][]byte) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// Alone reports why the skills of a plugin are not all of it, or cannot be
// wrapped; "" when they are and can.
func Alone(faces []Face, rest []string, hostTitle string) string {
	switch {
	case len(faces) == 0 && len(rest) == 0:
		return "it has nothing that " + hostTitle + " can load"
	case len(rest) > 0:
		return "it has no manifest for " + hostTitle + ", and its " + host.Words(rest) + " cannot be given to it without one"
	}
	var names []string
	for _, f := range faces {
		if !IsName(f.Name) || slices.Contains(names, f.Name) {
			return "two of its skills have one name, or one that no directory can have"
		}
		names = append(names, f.Name)
	}
	return ""
}
