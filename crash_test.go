package pinion_test

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pinion"
	"pinion/author"
	"pinion/internal/fsx"
	"pinion/internal/syntax"
	"pinion/internal/testkit"
	"pinion/manifest"
	"pinion/market"
)

// machine is a user's whole machine in one directory, for tests that break it
// and look at what is left:
//
//	home/     Pinion's home        user/  $HOME, which nothing may touch
//	project/  a project            tmp/   $TMPDIR, likewise
//	author/   an author's repository
//	old/      copies of home, project and author to start from again
//
// Markets are added of three repositories: acme (native, with news that was not
// fetched yet), foreign (without digests, with news that rewrites a version) and
// gone (native); beta is not added. Of text-tools 1.0.0, 1.1.0 and 1.2.0 are
// installed, and were activated in this order; the project uses 1.1.0; 1.3.0 is
// known and 1.4.0 is the news; the branch other ends at 1.2.0. paint 0.1.0 is installed from gone.
type machine struct {
	testing.TB
	base    string
	homeDir string // of Pinion, from base
	repos   map[string]*testkit.Repo
}

// newMachine makes the state that every test starts from.
func newMachine(t testing.TB) *machine {
	t.Helper()
	m := &machine{TB: t, base: testkit.FastDir(t), homeDir: "home", repos: map[string]*testkit.Repo{}}
	for _, d := range []string{"user", "tmp", "project", "old"} {
		m.must(os.Mkdir(m.at(d), 0o700))
	}
	m.author()
	m.publish("acme", "1.0.0")
	m.publish("gone", "")
	m.publish("beta", "")
	m.repos["foreign"] = testkit.NewRepo(t)
	m.repos["foreign"].Commit("main", foreignFiles("one", "first"))
	c := m.client()
	for _, name := range []string{"acme", "foreign", "gone"} {
		_, err := c.MarketplaceAdd(t.Context(), m.spec(name), market.AddOptions{Name: name})
		m.must(err)
	}
	m.install(c, "paint@gone", pinion.InstallOptions{})
	for _, v := range []string{"1.0.0", "1.1.0", "1.2.0"} {
		if v != "1.0.0" {
			m.publish("acme", v)
			_, err := c.MarketplaceRefresh(t.Context(), []string{"acme"}, market.RefreshOptions{})
			m.must(err)
		}
		m.install(c, "text-tools@acme", pinion.InstallOptions{Activate: true, Allow: both})
		if v == "1.1.0" {
			m.install(c, "text-tools@acme", pinion.InstallOptions{Activate: true, Project: true, Allow: both})
		}
	}
	m.repos["acme"].SetRef("refs/heads/other", m.repos["acme"].Head("main"))
	m.publish("acme", "1.3.0")
	_, err := c.MarketplaceRefresh(t.Context(), []string{"acme"}, market.RefreshOptions{})
	m.must(err)
	m.must(c.Close())
	m.publish("acme", "1.4.0")
	m.repos["foreign"].Update("main", foreignFiles("one", "second", "two"))
	for _, d := range startedFrom {
		testkit.CopyTree(t, m.at(d), m.at("old/"+d))
	}
	return m
}

// startedFrom are the directories that commands change.
var startedFrom = []string{"home", "project", "author"}

// restore brings the machine back to its first state.
func (m *machine) restore() {
	m.Helper()
	for _, d := range startedFrom {
		m.must(testkit.RemoveTree(m.at(d)))
		testkit.CopyTree(m.TB, m.at("old/"+d), m.at(d))
	}
}

// at is the path of something on the machine.
func (m *machine) at(name string) string {
	if rest, ok := strings.CutPrefix(name, "home"); ok && (rest == "" || rest[0] == '/') {
		name = m.homeDir + rest
	}
	return filepath.Join(m.base, filepath.FromSlash(name))
}

func (m *machine) must(err error) {
	m.Helper()
	if err != nil {
		m.Fatal(err)
	}
}

func (m *machine) spec(name string) string { return "file://" + filepath.ToSlash(m.repos[name].Dir) }

// client is the library on this machine.
func (m *machine) client(change ...func(*pinion.Options)) *pinion.Client {
	m.Helper()
	env := m.env()
	o := pinion.Options{Cwd: m.at("project"), Getenv: func(k string) string { return env[k] }}
	for _, f := range change {
		f(&o)
	}
	c, err := pinion.New(o)
	m.must(err)
	m.Cleanup(func() { c.Close() })
	return c
}

// env is the whole environment of a command on this machine.
func (m *machine) env() map[string]string {
	return map[string]string{
		"HOME": m.at("user"), "TMPDIR": m.at("tmp"), "PINION_HOME": m.at("home"), "PINION_PROJECT": m.at("project"),
		"PATH": os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.DevNull,
	}
}

func (m *machine) install(c *pinion.Client, text string, o pinion.InstallOptions) {
	m.Helper()
	r, err := pinion.ParseRef(text, m.base)
	m.must(err)
	_, err = c.Install(m.Context(), []pinion.Ref{r}, o)
	m.must(err)
}

// author makes the author's repository, whose catalog is one version behind.
func (m *machine) author() {
	m.Helper()
	c := m.client()
	for id, kind := range map[string]manifest.Kind{"text-tools": manifest.MCP, "paint": manifest.Skill, "mail": manifest.Skill} {
		_, err := c.Init(m.Context(), author.InitOptions{Kind: kind, ID: id, Dir: m.at("author/plugins/" + id), Holder: "Acme"})
		m.must(err)
	}
	_, err := c.BuildCatalog(m.Context(), m.at("author"), pinion.BuildOptions{Owner: "Acme"})
	m.must(err)
	_, err = c.Bump(m.Context(), m.at("author/plugins/mail"), "0.2.0", false, false)
	m.must(err)
}

// publish commits the author's plugins to a repository, text-tools in a new
// version unless that is "".
func (m *machine) publish(name, version string) {
	m.Helper()
	dir := filepath.Join(testkit.FastDir(m.TB), name)
	testkit.CopyTree(m.TB, m.at("author"), dir)
	c := m.client()
	if version != "" {
		_, err := c.Bump(m.Context(), filepath.Join(dir, "plugins", "text-tools"), version, true, false)
		m.must(err)
	}
	m.must(os.Remove(filepath.Join(dir, "marketplace.json")))
	r, err := c.BuildCatalog(m.Context(), dir, pinion.BuildOptions{Owner: "Acme"})
	if err != nil || !r.OK {
		m.Fatalf("build-catalog: %+v, %v", r, err)
	}
	files := testkit.Files{}
	m.must(filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(p)
		rel, _ := filepath.Rel(dir, p)
		files[filepath.ToSlash(rel)] = testkit.Text(string(b))
		return err
	}))
	if m.repos[name] == nil {
		m.repos[name] = testkit.NewRepo(m.TB)
	}
	m.repos[name].Commit("main", files)
}

// foreignFiles is a marketplace without digests, of skills whose text is given.
func foreignFiles(first, text string, more ...string) testkit.Files {
	files := testkit.Files{}
	var entries []string
	for _, id := range append([]string{first}, more...) {
		entries = append(entries, fmt.Sprintf(`{"name": %q, "source": "./plugins/%s"}`, id, id))
		files["plugins/"+id+"/.claude-plugin/plugin.json"] = testkit.Text(fmt.Sprintf(`{"name": %q, "version": "1.0.0"}`, id))
		files["plugins/"+id+"/skills/s/SKILL.md"] = testkit.Text("---\nname: s\ndescription: " + text + "\n---\n" + text + "\n")
	}
	files[".claude-plugin/marketplace.json"] = testkit.Text(`{"name": "foreign", "owner": {"name": "F"}, "plugins": [` + strings.Join(entries, ", ") + "]}\n")
	return files
}

// state is what a user can tell two machines apart by, in parts that each
// change at one moment: "ledger", "markets", "plugins", "active", "lock" (the
// project's lock file), "catalog" (the author's) and "trees". Times, and the
// checksums over them, are taken out.
type state map[string]string

var (
	someTime  = regexp.MustCompile(`"20\d\d-\d\d-\d\dT[0-9:.]+Z"`)
	someCheck = regexp.MustCompile(`,?\s*"check(sum)?":\s*"(sha256:)?[0-9a-f]+"`)
)

func timeless(data []byte) string {
	return someCheck.ReplaceAllString(someTime.ReplaceAllString(string(data), `"T"`), "")
}

// look reads the state without healing anything.
func (m *machine) look() state {
	m.Helper()
	s := state{"trees": strings.Join(m.trees(), "\n")}
	for part, name := range map[string]string{"ledger": "home/ledger", "plugins": "home/receipts", "active": "home/active", "lock": "project", "catalog": "author/marketplace.json"} {
		s[part] = m.contents(name)
	}
	s["active"] += m.contents("home/projects")
	s["markets"] = m.markets()
	return s
}

// markets is what the library reads of the marketplaces.
func (m *machine) markets() string {
	m.Helper()
	d, err := fsx.OpenHome(m.at("home"), fsx.Options{})
	if err != nil {
		return ""
	}
	defer d.Close()
	list, damaged, err := market.New(market.Options{Home: d}).List(m.Context())
	if err != nil || len(damaged) > 0 {
		return fmt.Sprint("damaged: ", damaged, err)
	}
	var b strings.Builder
	for _, mk := range list {
		// How the plugins are kept says nothing of what they are.
		mk.Listing, mk.Ledger = market.Listing{}, market.Mark{}
		for _, v := range []any{mk, mk.State.Plugins} {
			text, err := syntax.Encode(v)
			m.must(err)
			b.WriteString(timeless(text))
		}
	}
	return b.String()
}

// contents is every file below a directory, or one file. What an interrupted
// write left beside its target is not looked at here; see leftovers.
func (m *machine) contents(name string) string {
	m.Helper()
	var b strings.Builder
	err := filepath.WalkDir(m.at(name), func(p string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || d.IsDir() || strings.HasSuffix(p, ".tmp") {
			return err
		}
		data, err := os.ReadFile(p)
		if end := strings.LastIndexByte(string(data), '\n'); strings.HasSuffix(p, ".jsonl") {
			data = data[:end+1] // a torn line was never written
			if end < 0 {
				return err
			}
		}
		fmt.Fprintf(&b, "%s: %s\n", strings.TrimPrefix(p, m.at("home")), timeless(data))
		return err
	})
	m.must(err)
	return b.String()
}

// trees is the path of everything in the home but unfinished work, caches and
// locks.
func (m *machine) trees() []string {
	m.Helper()
	var names []string
	m.must(filepath.WalkDir(m.at("home"), func(p string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(m.at("home"), p)
		switch {
		case err != nil:
			return err
		case d.IsDir() && (rel == "staging" || d.Name() == "cache.git"):
			return fs.SkipDir
		case d.Name() != "lock" && rel != ".":
			// A listing has one of two names in turn.
			names = append(names, strings.Replace(rel, "plugins.2.jsonl", "plugins.1.jsonl", 1))
		}
		return nil
	}))
	return names
}

// leftovers is what unfinished work left: in the home, in the project and in
// the author's repository.
func (m *machine) leftovers() []string {
	m.Helper()
	var names []string
	for _, d := range []string{"home/staging", "project", "author"} {
		m.must(filepath.WalkDir(m.at(d), func(p string, e fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err == nil && (d == "home/staging" && filepath.Dir(p) == m.at(d) || strings.HasSuffix(p, ".tmp")) {
				names = append(names, strings.TrimPrefix(p, m.base+"/"))
			}
			return err
		}))
	}
	return names
}

// outside is everything that no command may change.
func (m *machine) outside() string {
	m.Helper()
	var names []string
	for _, d := range []string{"user", "tmp"} {
		m.must(filepath.WalkDir(m.at(d), func(p string, e fs.DirEntry, err error) error {
			names = append(names, p)
			return err
		}))
	}
	return strings.Join(names, "\n")
}

// differs names the parts in which two states differ.
func differs(a, b state) []string {
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(a)) {
		if a[k] != b[k] {
			parts = append(parts, k)
		}
	}
	return parts
}

// sound checks what holds at every moment: each pointer names a build that is
// there, and every installed build has the bytes of its receipt (I1, I2).
func (m *machine) sound(what string) {
	m.Helper()
	c := m.client()
	defer c.Close()
	l, err := c.List(m.Context())
	if err != nil || len(l.Damaged) > 0 {
		m.Errorf("%s: list: %+v, %v", what, l, err)
		return
	}
	v, err := c.Verify(m.Context(), nil, false)
	if err != nil || !v.OK {
		m.Errorf("%s: verify: %+v, %v", what, v, err)
	}
	markets, err := c.MarketplaceList(m.Context())
	if err != nil || len(markets.Damaged) > 0 {
		m.Errorf("%s: marketplaces: %+v, %v", what, markets, err)
	}
	for _, p := range l.Plugins {
		if p.State != pinion.StateActive {
			continue
		}
		r, err := pinion.ParseRef(p.ID, m.base)
		m.must(err)
		if dir, err := c.Path(m.Context(), r); err != nil || !strings.HasPrefix(dir, m.at("home")) {
			m.Errorf("%s: path %s = %q, %v", what, p.ID, dir, err)
		}
	}
}
