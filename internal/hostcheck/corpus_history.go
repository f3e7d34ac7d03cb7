package hostcheck

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"pinion/internal/regex"
)

// simpleName is a name that can be given to every client on its command line.
var simpleName = regex.Lazy{Expr: `^[A-Za-z0-9][A-Za-z0-9_-]*$`}

// history returns the broken files of the repository's past, each in the place
// of the file that it was; skills by themselves, as there are many.
func (r *repository) history() (all, skills []candidate, err error) {
	data, err := os.ReadFile(filepath.Join(r.dir, "_history", "INDEX.tsv"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	seen := map[string]bool{}
	for i, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		f := strings.Split(line, "\t")
		if i == 0 || len(f) < 2 || seen[f[0]+"\t"+f[1]] {
			continue // the heading, or a second fault of the same file
		}
		seen[f[0]+"\t"+f[1]] = true
		old, err := os.ReadFile(filepath.Join(r.dir, "_history", f[0]))
		if err != nil {
			return nil, nil, fmt.Errorf("_history: %w", err)
		}
		commit, _, _ := strings.Cut(f[0], "--")
		kind, build := r.oldCase(f[1], old)
		if build == nil {
			continue
		}
		c := candidate{"corpus-old/" + kind + "-" + r.name + "-" + commit + "-" + hashOf(f[1])[:4], build}
		if kind == "skill" {
			skills = append(skills, c)
		} else {
			all = append(all, c)
		}
	}
	return all, skills, nil
}

// oldCase makes a case of one file as it was.
func (r *repository) oldCase(p string, old []byte) (kind string, build func() Case) {
	switch path.Base(p) {
	case "SKILL.md":
		return "skill", func() Case {
			return Case{Shape: Skill, Files: []File{{Path: "SKILL.md", Data: old}}, Dir: path.Base(path.Dir(p))}
		}
	case "plugin.json":
		for _, m := range manifests() {
			if root, ok := strings.CutSuffix("/"+p, "/"+m); ok {
				return "plugin", func() Case { return r.oldPackage(strings.TrimPrefix(root, "/"), m, old) }
			}
		}
	case "marketplace.json":
		return "catalog", func() Case {
			c := Case{Shape: Catalog, Files: []File{{Path: p, Data: old}}}
			r.fill(&c, "", p, old)
			return c
		}
	case "gemini-extension.json":
		return "gemini", func() Case {
			return Case{Shape: Extension, Files: []File{{Path: "gemini-extension.json", Data: old}}}
		}
	}
	return "", nil
}

func (r *repository) oldPackage(root, manifest string, old []byte) Case {
	c := Case{Shape: Package}
	if root != "" && r.small(root) {
		c.Files = r.under(root)
	}
	c.put(File{Path: manifest, Data: old})
	return c
}
