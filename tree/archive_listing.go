package tree

import (
	"io/fs"
	"slices"
	"strings"
)

// strip takes off the one folder that holds everything.
func (a *archive) strip() {
	if folder := a.folder(); folder != "" {
		for i := range a.entries {
			_, a.entries[i].Path, _ = strings.Cut(a.entries[i].Path, "/")
		}
	}
}

// top returns the names at the top, sorted.
func (a *archive) top() []string {
	var top []string
	for _, m := range a.entries {
		first, _, _ := strings.Cut(m.Path, "/")
		if first != "" && first != "." {
			top = append(top, first)
		}
	}
	slices.Sort(top)
	return slices.Compact(top)
}

// below returns the archive as one directory of it shows it. Entries keep their
// places, which are those of the file; what lies elsewhere stands for the
// directory itself. ok is false when there is no such directory, which the whole
// always is.
func (a *archive) below(dir string) (part *archive, ok bool) {
	part = &archive{r: a.r, size: a.size, format: a.format, problems: a.problems}
	part.entries = slices.Clone(a.entries)
	for i := range part.entries {
		m := &part.entries[i]
		m.index = -1
		if dir == "." {
			continue
		}
		rest, inside := strings.CutPrefix(m.Path, dir+"/")
		switch {
		case inside:
			m.Path, ok = rest, true
			continue
		case m.dir && m.Path == dir:
			ok = true
		}
		*m = member{dir: true, index: -1}
	}
	return part, ok || dir == "."
}

// folder returns the one name that everything lies below, or "".
func (a *archive) folder() string {
	folder, inside, around := "", false, false
	for _, m := range a.entries {
		if m.dir && (m.Path == "" || m.Path == ".") {
			continue
		}
		first, rest, below := strings.Cut(m.Path, "/")
		switch {
		case first == "" || first[0] == '.':
			return "" // a folder like .claude-plugin is part of a package
		case !below && !m.dir:
			return "" // a file at the top
		case folder == "":
			folder = first
		case folder != first:
			return ""
		}
		inside, around = inside || rest != "", around || isTop(rest)
	}
	if !inside || isPart(folder) && !around {
		return ""
	}
	return folder
}

// isPart reports whether a folder of this name is mostly a part of a package, and
// not what somebody put around one. A package may have nothing else at its top.
func isPart(name string) bool {
	switch name {
	case "skills", "commands", "agents", "hooks":
		return true
	}
	return false
}

// isTop reports whether only the top of a package has such a path.
func isTop(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return strings.HasPrefix(first, ".") || isPart(first) || strings.HasSuffix(first, "plugin.json") || strings.EqualFold(first, "skill.md") || first == "package.json"
}

// addAll gives the listing to the builder, in the order of the paths.
func (a *archive) addAll(b *Builder) {
	order := make([]*member, 0, len(a.entries))
	for i := range a.entries {
		m := &a.entries[i]
		if m.dir && (m.Path == "" || m.Path == ".") {
			continue // the root itself
		}
		order = append(order, m)
	}
	slices.SortStableFunc(order, func(x, y *member) int { return strings.Compare(x.Path, y.Path) })
	entered := map[string]bool{"": true}
	for i, m := range order {
		if why := CheckPath(m.Path); why != "" && !m.gitData() {
			b.checkName(m.Path)
			b.tree.Partial = true
			continue
		}
		if m.dir {
			if enter(b, entered, m.Path) && !above(m.Path, order[i+1:]) {
				b.EmptyDir(m.Path)
			}
			continue
		}
		if dir := m.Path[:max(strings.LastIndexByte(m.Path, '/'), 0)]; !enter(b, entered, dir) {
			continue
		}
		if m.hard {
			if b.opts.Want != nil && !b.opts.Want(m.Path) {
				continue
			}
			b.report(ruleHardlink.Report("%q is a hard link to %q", m.Path, m.Target).At(m.Path, 0, 0))
			b.tree.Partial = true
			continue
		}
		if j, ok := b.Add(m.Entry); ok {
			m.index = j
		}
	}
}

// gitData reports whether m is part of a repository's own data, for which
// [Builder.Enter] answers once.
func (m *member) gitData() bool {
	return fs.ValidPath(m.Path) && strings.Contains("/"+m.Path+"/", "/.git/")
}

// enter asks the builder once for each directory on the way to dir.
func enter(b *Builder, entered map[string]bool, dir string) bool {
	if ok, known := entered[dir]; known {
		return ok
	}
	ok := enter(b, entered, dir[:max(strings.LastIndexByte(dir, '/'), 0)]) && b.Enter(dir)
	entered[dir] = ok
	return ok
}

// above reports whether any of the entries lies below dir. They are sorted and
// come after dir, but names like "dir-x" stand between.
func above(dir string, after []*member) bool {
	prefix := dir + "/"
	i, _ := slices.BinarySearchFunc(after, prefix, func(m *member, p string) int { return strings.Compare(m.Path, p) })
	return i < len(after) && strings.HasPrefix(after[i].Path, prefix)
}
