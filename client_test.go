package pinion_test

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pinion"
	"pinion/internal/testkit"
	"pinion/market"
	"pinion/problem"
)

// world is one user's machine: a home, a project directory, and a marketplace
// repository that the test publishes.
type world struct {
	*testing.T
	home, dir string
	repo      *testkit.Repo
	env       map[string]string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{T: t, home: filepath.Join(t.TempDir(), "home"), dir: t.TempDir(), repo: testkit.NewRepo(t), env: map[string]string{"HOME": t.TempDir(), "PATH": os.Getenv("PATH")}}
	return w
}

// client opens the library as one command does.
func (w *world) client(change ...func(*pinion.Options)) *pinion.Client {
	w.Helper()
	o := pinion.Options{Home: w.home, Cwd: w.dir, Getenv: func(k string) string { return w.env[k] }, Clock: func() time.Time {
		return time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC)
	}}
	for _, f := range change {
		f(&o)
	}
	c, err := pinion.New(o)
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { c.Close() })
	return c
}

// fixtures returns the files of the seed marketplace.
func fixtures(t *testing.T) testkit.Files {
	t.Helper()
	root := filepath.Join(testkit.SharedDir(t), "fixtures", "shinbot-marketplace-repo")
	out := testkit.Files{}
	err := filepath.WalkDir(root, func(p string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(p)
		rel, _ := filepath.Rel(root, p)
		out[filepath.ToSlash(rel)] = testkit.Text(string(b))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// checkout writes files into a directory.
func checkout(t *testing.T, dir string, files testkit.Files) {
	t.Helper()
	for name, f := range files {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(p), 0o755), os.WriteFile(p, []byte(f.Data), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
}

// publish builds the catalog of files and commits both.
func (w *world) publish(files testkit.Files) string {
	w.Helper()
	dir := w.TempDir()
	checkout(w.T, dir, files)
	r, err := w.client().BuildCatalog(w.Context(), dir, pinion.BuildOptions{Owner: "Acme"})
	if err != nil || !r.OK {
		w.Fatalf("build-catalog: %v, %v", r, err)
	}
	var b strings.Builder
	if _, err := r.Catalog.WriteTo(&b); err != nil {
		w.Fatal(err)
	}
	files[r.Path] = testkit.Text(b.String())
	return w.repo.Commit("main", files)
}

func ref(t *testing.T, s string) pinion.Ref {
	t.Helper()
	r, err := pinion.ParseRef(s, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

var both = []pinion.Grant{pinion.GrantExtension, pinion.GrantComputer}

// TestSpine is the main job: add, install, activate, upgrade, roll back.
func TestSpine(t *testing.T) { // SB-061, SB-062, SB-066, SB-073, SB-078
	w := newWorld(t)
	files := fixtures(t)
	w.publish(files)
	c := w.client()
	added, err := c.MarketplaceAdd(t.Context(), "file://"+filepath.ToSlash(w.repo.Dir), market.AddOptions{Name: "acme"})
	if err != nil || added.Plugins != 5 {
		t.Fatalf("add: %+v, %v", added, err)
	}
	in, err := c.Install(t.Context(), []pinion.Ref{ref(t, "workflow-hooks"), ref(t, "writing-style@acme")}, pinion.InstallOptions{})
	if err != nil || len(in.Installed) != 2 || !in.Installed[0].Pinned {
		t.Fatalf("install: %+v, %v", in, err)
	}
	_, err = c.Activate(t.Context(), ref(t, "workflow-hooks"), pinion.ActivateOptions{})
	var consent *pinion.ConsentError
	if !errors.As(err, &consent) || consent.ExitCode() != 5 || len(consent.Needs) != 2 {
		t.Fatalf("activate without consent: %v", err)
	}
	_, err = c.Activate(t.Context(), ref(t, "workflow-hooks"), pinion.ActivateOptions{Allow: both[:1]})
	if !errors.As(err, &consent) || len(consent.Needs) != 1 {
		t.Fatalf("activate with half of the consent: %v", err)
	}
	a, err := c.Activate(t.Context(), ref(t, "workflow-hooks"), pinion.ActivateOptions{Allow: both})
	if err != nil || !a.Changed || a.Scan == "" {
		t.Fatalf("activate: %+v, %v", a, err)
	}
	if a, err = c.Activate(t.Context(), ref(t, "writing-style"), pinion.ActivateOptions{}); err != nil || a.State != pinion.StateActive {
		t.Fatalf("activate a skill: %+v, %v", a, err)
	}

	// 1.1.0 has the same capabilities: no question.
	m := files["plugins/workflow-hooks/shinbot-plugin.json"].Data
	files["plugins/workflow-hooks/shinbot-plugin.json"] = testkit.Text(strings.Replace(m, `"1.0.0"`, `"1.1.0"`, 1))
	w.publish(files)
	up, err := c.Upgrade(t.Context(), nil, pinion.UpgradeOptions{})
	if err != nil || len(up.Upgraded) != 1 || up.Upgraded[0].To != "1.1.0" {
		t.Fatalf("upgrade: %+v, %v", up, err)
	}
	back, err := c.Rollback(t.Context(), ref(t, "workflow-hooks"), pinion.ActivateOptions{})
	if err != nil || back.Version != "1.0.0" || back.Previous != "1.1.0" {
		t.Fatalf("rollback: %+v, %v", back, err)
	}
	out, err := c.Outdated(t.Context(), false)
	if err != nil || len(out.Plugins) != 1 || out.Plugins[0].Passed != "rolled back" {
		t.Fatalf("outdated: %+v, %v", out, err)
	}
	if up, err = c.Upgrade(t.Context(), nil, pinion.UpgradeOptions{}); err != nil || len(up.Upgraded) != 0 || len(up.Passed) != 1 {
		t.Fatalf("a version that was rolled back from came back: %+v, %v", up, err)
	}

	// 1.2.0 adds a hook: it asks, and without an answer nothing changes.
	m = files["plugins/workflow-hooks/shinbot-plugin.json"].Data
	m = strings.Replace(m, `"1.1.0"`, `"1.2.0"`, 1)
	m = strings.Replace(m, `"ui.patch"`, `"ui.patch", "ui.styles"`, 1)
	m = strings.Replace(m, `"styles": []`, `"styles": ["s.css"]`, 1)
	m = strings.Replace(m, `"hooks.py",`, `"hooks.py", "s.css",`, 1)
	files["plugins/workflow-hooks/shinbot-plugin.json"] = testkit.Text(m)
	files["plugins/workflow-hooks/s.css"] = testkit.Text("[data-plugin=\"workflow-hooks\"] p { color: red }\n")
	w.publish(files)
	_, err = c.Upgrade(t.Context(), []pinion.Ref{ref(t, "workflow-hooks")}, pinion.UpgradeOptions{})
	if !errors.As(err, &consent) || consent.Needs[0] != pinion.GrantNewCapability {
		t.Fatalf("a new capability was not asked about: %v", err)
	}
	list, err := c.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range list.Plugins {
		if p.ID == "workflow-hooks" && (p.State == pinion.StateActive) != (p.Version == "1.0.0") {
			t.Errorf("list: %+v", p)
		}
	}
	up, err = c.Upgrade(t.Context(), []pinion.Ref{ref(t, "workflow-hooks")}, pinion.UpgradeOptions{Allow: []pinion.Grant{pinion.GrantNewCapability}})
	if err != nil || len(up.Upgraded) != 1 || up.Upgraded[0].To != "1.2.0" {
		t.Fatalf("upgrade with the grant: %+v, %v", up, err)
	}
	v, err := c.Verify(t.Context(), nil, false)
	if err != nil || !v.OK || v.Checked != 4 {
		t.Errorf("verify: %+v, %v", v, err)
	}
}

func TestValidateFixtures(t *testing.T) {
	c := newWorld(t).client()
	r, err := c.Validate(t.Context(), []string{filepath.Join(testkit.SharedDir(t), "fixtures", "shinbot-marketplace-repo")}, pinion.ValidateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if !r.OK || len(r.Packages) != 5 || r.All().Count(problem.Warning) != 0 {
		t.Errorf("%d packages: %v", len(r.Packages), r.All())
	}
}

// TestInstallPath shows that the store does not follow the author's directory.
func TestInstallPath(t *testing.T) { // SB-050, SB-061
	w := newWorld(t)
	checkout(t, w.dir, fixtures(t))
	c := w.client()
	src := filepath.Join(w.dir, "plugins", "writing-style")
	in, err := c.Install(t.Context(), []pinion.Ref{{Path: src}}, pinion.InstallOptions{Activate: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(src, "SKILL.md"), []byte("changed\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if v, err := c.Verify(t.Context(), nil, false); err != nil || !v.OK {
		t.Errorf("verify: %+v, %v", v, err)
	}
	again, err := c.Install(t.Context(), []pinion.Ref{{Path: src}}, pinion.InstallOptions{})
	if err != nil || again.Installed[0].Digest == in.Installed[0].Digest || again.Installed[0].Already {
		t.Errorf("other content is not another build: %+v, %v", again, err)
	}
	p, err := c.Path(t.Context(), pinion.Ref{ID: "writing-style"})
	if err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(filepath.Join(p, "SKILL.md")); err != nil || string(b) == "changed\n" {
		t.Errorf("the active bytes changed: %q, %v", b, err)
	}
}

func TestProjectLockAndSync(t *testing.T) {
	w := newWorld(t)
	w.publish(fixtures(t))
	if err := os.Mkdir(filepath.Join(w.dir, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	c := w.client()
	if _, err := c.MarketplaceAdd(t.Context(), "file://"+filepath.ToSlash(w.repo.Dir), market.AddOptions{Name: "acme"}); err != nil {
		t.Fatal(err)
	}
	_, err := c.Install(t.Context(), []pinion.Ref{ref(t, "text-tools"), ref(t, "writing-style")}, pinion.InstallOptions{Project: true, Activate: true, Allow: both})
	if err != nil {
		t.Fatal(err)
	}
	lock := filepath.Join(w.dir, pinion.LockFile)
	before, err := os.ReadFile(lock)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := c.WriteLock(t.Context(), true, false); err != nil || len(r.Problems) != 0 {
		t.Errorf("lock --check: %+v, %v", r, err)
	}

	// A teammate with an empty home, and no marketplace added.
	w.home = filepath.Join(t.TempDir(), "other")
	other := w.client()
	if r, err := other.Sync(t.Context(), pinion.SyncOptions{Check: true}); err != nil || len(r.Differences) != 2 {
		t.Errorf("sync --check: %+v, %v", r, err)
	}
	var consent *pinion.ConsentError
	if _, err := other.Sync(t.Context(), pinion.SyncOptions{}); !errors.As(err, &consent) {
		t.Errorf("sync without consent: %v", err)
	}
	r, err := other.Sync(t.Context(), pinion.SyncOptions{Allow: both})
	if err != nil || len(r.Activated) != 2 {
		t.Fatalf("sync: %+v, %v", r, err)
	}
	if r, err = other.Sync(t.Context(), pinion.SyncOptions{}); err != nil || len(r.Activated)+len(r.Installed) != 0 {
		t.Errorf("sync again: %+v, %v", r, err)
	}
	if after, err := os.ReadFile(lock); err != nil || string(after) != string(before) {
		t.Errorf("sync wrote the lock file: %v", err)
	}
	offline := w.client(func(o *pinion.Options) { o.Offline = true })
	if _, err := offline.Sync(t.Context(), pinion.SyncOptions{}); err != nil {
		t.Errorf("sync --offline from the store: %v", err)
	}
}

func TestParseRef(t *testing.T) {
	for in, want := range map[string]pinion.Ref{
		"a":                {ID: "a"},
		"a@acme":           {ID: "a", Market: "acme"},
		"a@1.0.0":          {ID: "a", Version: "1.0.0"},
		"a@acme@1.0.0":     {ID: "a", Market: "acme", Version: "1.0.0"},
		"a@1.0.0+9c41e0aa": {ID: "a", Version: "1.0.0+9c41e0aa"},
	} {
		if got, err := pinion.ParseRef(in, "/x"); err != nil || got != want {
			t.Errorf("ParseRef(%q) = %+v, %v", in, got, err)
		}
	}
	if got, err := pinion.ParseRef("./a", "/x"); err != nil || got.Path != filepath.Clean("/x/a") {
		t.Errorf("ParseRef(./a) = %+v, %v", got, err)
	}
	for _, in := range []string{"", "owner/repo", "a@", "a@@1", "a@acme@1.0.0@2", "a@1.0.0@acme", "-x", "a@Acme", "a b"} {
		var u *pinion.UsageError
		if _, err := pinion.ParseRef(in, "/x"); !errors.As(err, &u) {
			t.Errorf("ParseRef(%q): %v, want a usage error", in, err)
		}
	}
	if _, err := pinion.ParseRef("owner/repo", "/x"); !strings.Contains(err.(*pinion.UsageError).Hint(), "--from owner/repo") {
		t.Errorf("owner/repo: %v, want the --from line", err)
	}
}

func BenchmarkBuildCatalog(b *testing.B) {
	dir := os.Getenv("PINION_BENCH_REPO")
	if dir == "" {
		b.Skip("PINION_BENCH_REPO names no repository with packages")
	}
	c, err := pinion.New(pinion.Options{Home: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		r, err := c.BuildCatalog(b.Context(), dir, pinion.BuildOptions{Stdout: true, Owner: "x"})
		if err != nil || !r.OK {
			b.Fatal(err, r.Problems)
		}
	}
}

// TestBuildFromCommit shows that a commit that was built before gives the same
// catalog again, and that the working tree has no part in it.
func TestBuildFromCommit(t *testing.T) { // SB-076, SB-077
	testkit.RequireGit(t)
	w := newWorld(t)
	checkout(t, w.dir, fixtures(t))
	git := func(args ...string) {
		testkit.Git(t, w.dir, append([]string{"-c", "user.name=Ann", "-c", "user.email=ann@example.com"}, args...)...)
	}
	git("init", "-q", ".")
	c := w.client()
	build := func(o pinion.BuildOptions) (*pinion.BuildReport, string) {
		t.Helper()
		o.Owner = "Acme"
		r, err := c.BuildCatalog(t.Context(), ".", o)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if r.Catalog != nil {
			if _, err := r.Catalog.WriteTo(&b); err != nil {
				t.Fatal(err)
			}
		}
		return r, b.String()
	}
	r, first := build(pinion.BuildOptions{})
	if !r.Written || r.Path != "shinbot-marketplace.json" {
		t.Fatalf("build: %+v", r)
	}
	git("add", "-A")
	git("commit", "-qm", "one")
	if err := os.WriteFile(filepath.Join(w.dir, "plugins", "paint", "paint.css"), []byte("edited"), 0o644); err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		r, again := build(pinion.BuildOptions{From: "HEAD", Stdout: true})
		if again != first || r.Packages != 5 || !r.OK || r.Changed {
			t.Errorf("build %d of HEAD: %+v\n%s", i+1, r, again)
		}
	}
	r, _ = build(pinion.BuildOptions{Check: true})
	if r.OK || r.Problems[0].Rule != "catalog/version-changed" {
		t.Errorf("an edited release: %+v", r.Problems)
	}
	if r, _ = build(pinion.BuildOptions{Check: true, Base: "none"}); r.OK || r.Problems[0].Rule != "catalog/stale" {
		t.Errorf("--base none: %+v", r.Problems)
	}
}

// TestDryRunWritesNothing runs the changing verbs with DryRun on a home that
// does not exist and on one that does.
func TestDryRunWritesNothing(t *testing.T) {
	w := newWorld(t)
	w.publish(fixtures(t))
	url := "file://" + filepath.ToSlash(w.repo.Dir)
	dry := market.AddOptions{Name: "acme", RefreshOptions: market.RefreshOptions{DryRun: true}}
	c := w.client()
	if r, err := c.MarketplaceAdd(t.Context(), url, dry); err != nil || r.Plugins != 5 {
		t.Fatalf("marketplace add -n: %+v, %v", r, err)
	}
	r, err := c.Install(t.Context(), []pinion.Ref{ref(t, "paint")}, pinion.InstallOptions{From: url, DryRun: true})
	if err != nil || len(r.Installed) != 1 || r.Installed[0].Version != "1.0.0" {
		t.Fatalf("install -n --from: %+v, %v", r, err)
	}
	if _, err := os.Lstat(w.home); !os.IsNotExist(err) {
		t.Fatalf("a dry run made the home: %v", err)
	}

	if _, err := c.MarketplaceAdd(t.Context(), url, market.AddOptions{Name: "acme"}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Install(t.Context(), []pinion.Ref{ref(t, "paint")}, pinion.InstallOptions{Activate: true, Allow: both}); err != nil {
		t.Fatal(err)
	}
	before := photo(t, w.home)
	for what, run := range map[string]func() error{
		"install": func() error {
			_, err := c.Install(t.Context(), []pinion.Ref{ref(t, "text-tools")}, pinion.InstallOptions{DryRun: true})
			return err
		},
		"activate": func() error {
			_, err := c.Activate(t.Context(), ref(t, "paint"), pinion.ActivateOptions{DryRun: true})
			return err
		},
		"disable": func() error {
			_, err := c.Disable(t.Context(), ref(t, "paint"), pinion.SwitchOptions{DryRun: true})
			return err
		},
		"hold": func() error {
			_, err := c.Hold(t.Context(), ref(t, "paint"), pinion.SwitchOptions{DryRun: true})
			return err
		},
		"uninstall": func() error {
			_, err := c.Uninstall(t.Context(), []pinion.Ref{ref(t, "paint")}, pinion.UninstallOptions{Force: true, DryRun: true})
			return err
		},
		"gc":     func() error { _, err := c.GC(t.Context(), 0, true); return err },
		"remove": func() error { _, err := c.MarketplaceRemove(t.Context(), "acme", true, true); return err },
		"refresh": func() error {
			_, err := c.MarketplaceRefresh(t.Context(), nil, market.RefreshOptions{DryRun: true})
			return err
		},
	} {
		if err := run(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if after := photo(t, w.home); !maps.Equal(before, after) {
			t.Errorf("%s with DryRun changed the home", what)
		}
	}
}

// photo is every file of a directory with its content.
func photo(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(p)
		out[p] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
