package hostcheck

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"pinion/catalog"
)

// How much of the corpus is in the battery. Each choice is by a hash of the
// name, so that it is the same everywhere and favours nobody.
const (
	corpusPackages   = 110 // packages in all
	corpusPerRepo    = 7   // packages of one repository
	corpusSkills     = 60
	corpusOldSkills  = 25 // broken ones of the past
	corpusFiles      = 250
	corpusInstalled  = 2 // plugins of each catalog
	corpusCatalogMax = 900
)

// repository is one repository of the corpus.
type repository struct {
	dir, name string
	tree      map[string]treeRow // by path
	paths     []string           // sorted
}

// treeRow is one line of a repository's list of entries.
type treeRow struct{ kind, target string }

// Corpus returns the cases of the corpus in a directory, sorted by id. Files
// whose content the corpus has not are made up.
func Corpus(dir string) ([]Case, error) {
	list, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var all, packages, skills, old []candidate
	for _, e := range list {
		if !e.IsDir() {
			continue
		}
		r, err := openRepository(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, fmt.Errorf("corpus: %s: %w", e.Name(), err)
		}
		found := r.candidates()
		all = append(all, found.all...)
		packages = append(packages, first(found.packages, corpusPerRepo)...)
		skills = append(skills, found.skills...)
		whole, oldSkills, err := r.history()
		if err != nil {
			return nil, fmt.Errorf("corpus: %s: %w", e.Name(), err)
		}
		all = append(all, whole...)
		old = append(old, oldSkills...)
	}
	all = append(all, first(packages, corpusPackages)...)
	all = append(all, first(skills, corpusSkills)...)
	all = append(all, first(old, corpusOldSkills)...)
	var cases []Case
	for _, a := range all {
		if c := a.make(); len(c.Files) > 0 && len(c.Files) <= corpusCatalogMax {
			c.ID = a.id
			cases = append(cases, c)
		}
	}
	sortCases(cases)
	return cases, nil
}

// candidate is a case that is made when it is chosen.
type candidate struct {
	id   string
	make func() Case
}

// first takes n by the hash of their ids.
func first(list []candidate, n int) []candidate {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b candidate) int { return cmp.Compare(hashOf(a.id), hashOf(b.id)) })
	return list[:min(n, len(list))]
}

// hashOf orders names in a way that has nothing to do with them.
func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func openRepository(dir string) (*repository, error) {
	r := &repository{dir: dir, name: idOf(filepath.Base(dir)), tree: map[string]treeRow{}}
	data, err := os.ReadFile(filepath.Join(dir, "_TREE.tsv"))
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil // documentation, no repository
	}
	if err != nil {
		return nil, err
	}
	for i, line := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n") {
		f := strings.Split(line, "\t")
		if i == 0 || len(f) < 6 || strings.ContainsAny(f[4], "\\") {
			continue // the heading, or a name with an escaped character
		}
		r.tree[f[4]] = treeRow{kind: f[1], target: f[5]}
		r.paths = append(r.paths, f[4])
	}
	slices.Sort(r.paths)
	return r, nil
}

// below returns the paths below a directory, "." for all.
func (r *repository) below(dir string) []string {
	if dir == "." {
		return r.paths
	}
	lo, _ := slices.BinarySearch(r.paths, dir+"/")
	hi, _ := slices.BinarySearch(r.paths, dir+"0") // "0" comes after "/"
	return r.paths[lo:hi]
}

// small reports whether a directory has something and not more than a case may
// have.
func (r *repository) small(dir string) bool {
	n := len(r.below(dir))
	return n > 0 && n <= corpusFiles
}

// under returns the files and links below a directory, as a case has them.
func (r *repository) under(dir string) []File {
	var list []File
	for _, p := range r.below(dir) {
		rel := strings.TrimPrefix(strings.TrimPrefix(p, dir), "/")
		if dir == "." {
			rel = p
		}
		switch r.tree[p].kind {
		case "file":
			list = append(list, File{Path: rel, Data: r.content(p)})
		case "symlink":
			list = append(list, File{Path: rel, Link: r.tree[p].target})
		}
	}
	return list
}

// content is the corpus's, else made up: what is read of a file without it is
// its name, and of agents and commands their first lines.
func (r *repository) content(p string) []byte {
	if data, err := os.ReadFile(filepath.Join(r.dir, filepath.FromSlash(p))); err == nil {
		return data
	}
	base := strings.TrimSuffix(path.Base(p), path.Ext(p))
	switch path.Ext(p) {
	case ".md":
		return []byte("---\nname: " + base + "\ndescription: Made up for a test.\n---\nMade up.\n")
	case ".json":
		return []byte("{}\n")
	}
	return []byte("made up\n")
}

// has reports whether the corpus has the content of a file.
func (r *repository) has(p string) bool {
	_, err := os.Stat(filepath.Join(r.dir, filepath.FromSlash(p)))
	return err == nil
}

// id makes an id of the repository and a path in it.
func (r *repository) id(family, p string) string {
	id := family + "/" + r.name
	if p = idOf(p); p != "" {
		id += "-" + p
	}
	if len(id) > 90 {
		id = id[:80] + "-" + hashOf(id)[:8]
	}
	return id
}

// manifests are the places of a plugin's manifest.
func manifests() []string {
	return []string{claudeManifest, codexManifest, ".cursor-plugin/plugin.json", ".plugin/plugin.json", ".github/plugin/plugin.json", "plugin.json"}
}

// found are the candidates of one repository.
type found struct{ all, packages, skills []candidate }

// candidates finds catalogs, extensions and bundles, which are all taken, and
// packages and skills, of which some are.
func (r *repository) candidates() found {
	var f found
	dirs := map[string]bool{}
	for _, p := range r.paths {
		if r.tree[p].kind != "file" || !r.has(p) {
			continue
		}
		dir := path.Dir(p)
		switch path.Base(p) {
		case "plugin.json":
			for _, m := range manifests() {
				root, ok := strings.CutSuffix("/"+p, "/"+m)
				root = cmp.Or(strings.TrimPrefix(root, "/"), ".")
				if ok && !dirs[root] && r.small(root) {
					dirs[root] = true
					f.packages = append(f.packages, candidate{r.id("corpus", root), func() Case { return Case{Shape: Package, Files: r.under(root)} }})
				}
			}
		case "marketplace.json":
			if root, ok := catalogRoot(p); ok {
				f.all = append(f.all, candidate{r.id("corpus-catalog", p), func() Case { return r.catalogCase(root, p) }})
			}
		case "gemini-extension.json":
			if r.small(dir) {
				f.all = append(f.all, candidate{r.id("corpus-gemini", dir), func() Case { return Case{Shape: Extension, Files: r.under(dir)} }})
			}
		case "manifest.json":
			if data := r.content(p); strings.Contains(string(data), "manifest_version") || strings.Contains(string(data), "dxt_version") {
				f.all = append(f.all, candidate{r.id("corpus-bundle", dir), func() Case {
					return Case{Shape: Bundle, Files: []File{{Path: "manifest.json", Data: data}}}
				}})
			}
		case "SKILL.md":
			if r.small(dir) && dir != "." {
				f.skills = append(f.skills, candidate{r.id("corpus-skill", dir), func() Case {
					return Case{Shape: Skill, Files: r.under(dir), Dir: path.Base(dir)}
				}})
			}
		}
	}
	return f
}

// catalogRoot is the root of the repository whose catalog lies at p; not ok when
// it is a file of that name inside something else.
func catalogRoot(p string) (root string, ok bool) {
	for _, place := range []string{claudeCatalog, ".agents/plugins/marketplace.json", ".github/plugin/marketplace.json", ".plugin/marketplace.json", ".cursor-plugin/marketplace.json", "marketplace.json"} {
		if dir, ok := strings.CutSuffix("/"+p, "/"+place); ok {
			root = strings.TrimPrefix(dir, "/")
			break
		}
	}
	return root, root == "" || strings.HasSuffix(p, claudeCatalog)
}

// catalogCase makes a repository of a catalog: whole directories for the
// plugins that are installed, and one file for each other directory that an
// entry names and that exists.
func (r *repository) catalogCase(root, p string) Case {
	c := Case{Shape: Catalog}
	for _, q := range r.below(cmp.Or(root, ".")) {
		rel := strings.TrimPrefix(strings.TrimPrefix(q, root), "/")
		if path.Base(q) == "marketplace.json" && strings.Count(rel, "/") < 3 && r.has(q) {
			c.Files = append(c.Files, File{Path: rel, Data: r.content(q)})
		}
	}
	r.fill(&c, root, p, r.content(p))
	slices.SortFunc(c.Files, func(a, b File) int { return cmp.Compare(a.Path, b.Path) })
	return c
}

// fill adds the directories of a catalog's entries to its case.
func (r *repository) fill(c *Case, root, p string, data []byte) {
	cat, _ := catalog.Parse(strings.TrimPrefix(strings.TrimPrefix(p, root), "/"), data)
	entries := slices.Clone(cat.Entries)
	slices.SortFunc(entries, func(a, b catalog.Entry) int { return cmp.Compare(hashOf(a.Name), hashOf(b.Name)) })
	have := map[string]bool{}
	for _, f := range c.Files {
		have[f.Path] = true
	}
	for _, e := range entries {
		dir, ok := e.Source.Relative()
		if !ok {
			continue
		}
		var whole []File
		if at := path.Join(root, dir); r.small(at) && len(c.Install) < corpusInstalled && simpleName.Get().MatchString(e.Name) {
			c.Install = append(c.Install, e.Name)
			whole = r.under(at)
		} else {
			whole = r.sample(at)
		}
		for _, f := range whole {
			f.Path = path.Join(dir, f.Path)
			if !have[f.Path] {
				have[f.Path] = true
				c.Files = append(c.Files, f)
			}
		}
	}
}

// sample is one file of a directory: a manifest where it has one, else the
// first by name.
func (r *repository) sample(dir string) []File {
	for _, m := range manifests() {
		if p := path.Join(dir, m); r.tree[p].kind == "file" {
			return []File{{Path: m, Data: r.content(p)}}
		}
	}
	for _, p := range r.below(dir) {
		if r.tree[p].kind == "file" {
			return []File{{Path: strings.TrimPrefix(p, dir+"/"), Data: r.content(p)}}
		}
	}
	return nil
}
