package pinion

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"pinion/catalog"
	"pinion/pkgfmt"
	"pinion/source/git"
	"pinion/tree"
)

// repoRoot returns the nearest directory at or above dir that has a .git, or
// dir itself. Links of a package may point to files of the same repository, so
// the package is read from there.
func repoRoot(dir string) (root string, inGit bool) {
	for d := dir; ; {
		if _, err := os.Lstat(filepath.Join(d, ".git")); err == nil {
			return d, true
		}
		up := filepath.Dir(d)
		if up == d {
			return dir, false
		}
		d = up
	}
}

// discovery is what a directory turned out to be.
type discovery struct {
	root     *tree.Dir // of the repository
	inGit    bool
	base     string // the directory the user named, from root
	mu       sync.Mutex
	packages []string // directories, from root, sorted
	catalogs []string // files, from root

	converts converting
	gitOnce  sync.Once
	local    *git.Local
	gitErr   error
}

// maxDiscoveryDepth is how deep packages are looked for below what the user
// named: plugins live at most a few levels down, vendored trees much deeper.
const maxDiscoveryDepth = 8

// manyDirectories is from how many names in one directory those in it are looked
// into side by side.
const manyDirectories = 64

// maxRecognized is how much of a file is read to see whether a directory is a
// package, in bytes.
const maxRecognized = 1 << 20

// discover finds what a directory contains: itself when it is a package, else
// every package under it, and the catalogs at its top. The caller closes root.
func (c *Client) discover(ctx context.Context, dir string) (*discovery, error) {
	rootPath, inGit := repoRoot(dir)
	rel, err := filepath.Rel(rootPath, dir)
	if err != nil {
		return nil, err
	}
	root, err := tree.OpenDir(rootPath)
	if err != nil {
		return nil, err
	}
	d := &discovery{root: root, inGit: inGit, base: filepath.ToSlash(rel)}
	for _, name := range catalog.Candidates() {
		if _, err := root.ReadFile(joinRel(d.base, name), catalog.MaxBytes); err == nil || errors.Is(err, tree.ErrTooLarge) {
			d.catalogs = append(d.catalogs, joinRel(d.base, name))
		}
	}
	if err := c.walk(ctx, d, d.base, 0); err != nil {
		root.Close()
		return nil, err
	}
	slices.Sort(d.packages)
	return d, nil
}

// directories returns a function that says whether there is a directory, given
// from the one the user named. It lists each parent once: a catalog names
// thousands of siblings.
func (d *discovery) directories() func(dir string) bool {
	listed := map[string][]string{}
	return func(dir string) bool {
		if dir == "." {
			return true
		}
		parent := path.Dir(dir)
		names, ok := listed[parent]
		if !ok {
			names, _ = d.root.Names(joinRel(d.base, parent)) // of nothing, nothing is there
			listed[parent] = names
		}
		if _, ok = slices.BinarySearch(names, path.Base(dir)+"/"); !ok {
			// Some file systems do not tell what a name is.
			_, err := d.root.Names(joinRel(d.base, dir))
			ok = err == nil
		}
		return ok
	}
}

// walk looks into one directory by its names alone.
func (c *Client) walk(ctx context.Context, d *discovery, dir string, depth int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	names, err := d.root.Names(dir)
	if err != nil {
		if depth == 0 {
			return err
		}
		return nil // unreadable below: the package that needs it will say so
	}
	top := make([]string, 0, len(names))
	for _, n := range names {
		top = append(top, strings.TrimSuffix(n, "/"))
	}
	// Where hosts keep a project's own skills is the home of packages, never one
	// itself, though it looks like a plugin.
	home := dir != d.base && hostHome(path.Base(dir))
	if !home && slices.ContainsFunc(c.formats(d, dir, top), func(f pkgfmt.Format) bool {
		return (len(d.catalogs) == 0 || dir != d.base || f.Name() == "native") && !c.holdsNative(d, dir, f.Name(), names) && !c.gathers(d, dir, f.Name(), top)
	}) {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.packages = append(d.packages, dir)
		return nil
	}
	if depth == maxDiscoveryDepth {
		return nil
	}
	below, ctx := errgroup.WithContext(ctx)
	below.SetLimit(runtime.GOMAXPROCS(0))
	for _, n := range names {
		name, isDir := strings.CutSuffix(n, "/")
		if !isDir || name == "node_modules" || name[0] == '.' && !hostHome(name) {
			continue
		}
		into := func() error { return c.walk(ctx, d, joinRel(dir, name), depth+1) }
		// Where there are few there is nothing to gain.
		if len(names) < manyDirectories || !below.TryGo(into) {
			if err := into(); err != nil {
				return errors.Join(err, below.Wait())
			}
		}
	}
	return below.Wait()
}

// formats returns what a directory is a package of.
func (c *Client) formats(d *discovery, dir string, top []string) []pkgfmt.Format {
	return c.loader.Formats(top, func(p string) ([]byte, bool) {
		data, err := d.root.ReadFile(joinRel(dir, p), maxRecognized)
		return data, err == nil || errors.Is(err, tree.ErrTooLarge)
	})
}

// holdsNative reports whether a directory that was only recognised by the names
// in it is a place of native packages, one of which is called "hooks", say.
func (c *Client) holdsNative(d *discovery, dir, format string, names []string) bool {
	if format != "agent-skill" && (format != "claude" || slices.Contains(names, ".claude-plugin/")) {
		return false // it has a manifest
	}
	for _, n := range names {
		name, isDir := strings.CutSuffix(n, "/")
		if !isDir {
			continue
		}
		inside, err := d.root.Names(joinRel(dir, name))
		if err != nil {
			continue // the package that needs it will say so
		}
		if f := c.loader.Detect(inside); f != nil && f.Name() == "native" {
			return true
		}
	}
	return false
}

// gathers reports whether a directory without a manifest only looks like a
// plugin: it has directories of the right names without anything in them that a
// host would load, as source code and collections do, or it is a project that
// configures servers beside the skills hosts keep for it.
func (c *Client) gathers(d *discovery, dir, format string, top []string) bool {
	if format != "claude" || slices.Contains(top, ".claude-plugin") {
		return false
	}
	servers := func(n string) bool { return n == ".mcp.json" || n == ".lsp.json" }
	if slices.ContainsFunc(top, servers) && !slices.ContainsFunc(top, skillsHome) {
		return false
	}
	return !slices.ContainsFunc(top, func(n string) bool { return d.holdsComponent(joinRel(dir, n), n) })
}

// holdsComponent reports whether hosts load anything from a directory of a
// plugin with this name.
func (d *discovery) holdsComponent(dir, name string) bool {
	switch name {
	case "skills":
		return d.holds(dir, func(n string) bool { return strings.EqualFold(n, "SKILL.md") })
	case "commands", "agents", "output-styles":
		return d.holds(dir, func(n string) bool { return strings.HasSuffix(n, ".md") })
	case "hooks", "monitors":
		names, _ := d.root.Names(dir)
		return slices.Contains(names, name+".json")
	case "themes":
		return d.holds(dir, func(n string) bool { return strings.HasSuffix(n, ".json") })
	case "workflows":
		return d.holds(dir, func(n string) bool { return strings.Contains(".js.mjs.cjs.ts.mts", cmp.Or(path.Ext(n), "none")) })
	}
	return false
}

// holds reports whether dir, or a directory in it, has a file with such a name.
// What cannot be listed holds nothing.
func (d *discovery) holds(dir string, such func(name string) bool) bool {
	names, _ := d.root.Names(dir)
	return slices.ContainsFunc(names, such) || slices.ContainsFunc(names, func(n string) bool {
		if !strings.HasSuffix(n, "/") {
			return false
		}
		inside, _ := d.root.Names(joinRel(dir, n))
		return slices.ContainsFunc(inside, such)
	})
}

// hostHome reports whether a project keeps skills or plugins below this hidden
// name, for one host or for several.
func hostHome(name string) bool {
	switch name {
	case ".claude", ".agents", ".codex", ".cursor", ".gemini", ".github", ".goose":
		return true
	}
	return false
}

// skillsHome reports whether Claude Code, or every host, looks for a project's
// skills below this hidden name. Plugins rarely have one.
func skillsHome(name string) bool { return name == ".claude" || name == ".agents" }

func joinRel(dir, name string) string { return path.Join(dir, name) }
