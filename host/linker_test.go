package host_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pinion/host"
	"pinion/internal/fsx"
	"pinion/internal/testkit"
)

// everything is an adapter that wants one of each kind of item for each plugin.
type everything struct {
	dir string // of the host
	own []host.Installed
}

func (everything) Info() host.Info {
	return host.Info{Name: "every", Title: "Every", Restart: "restart Every", Scopes: host.Scopes{User: true}}
}

func (a everything) Look(host.Place) host.Presence { return host.Presence{Found: true, Dir: a.dir} }

func (a everything) Installed(context.Context, host.Place) ([]host.Installed, error) {
	return a.own, nil
}

func (a everything) json() host.At    { return host.At{Root: a.dir, Name: "settings.json"} }
func (a everything) records() host.At { return host.At{Root: a.dir, Name: "records.json"} }
func (a everything) toml() host.At    { return host.At{Root: a.dir, Name: "sub/config.toml"} }

func (a everything) Want(p host.Place, plugins []host.Plugin) (host.Want, error) {
	var w host.Want
	for _, pl := range plugins {
		w.Items = append(w.Items,
			host.NewLink(host.At{Root: p.Own, Name: "plugins/" + pl.ID}, pl.ID, pl.Dir),
			host.NewCopy(host.At{Root: a.dir, Name: "cache/" + pl.ID + "/" + pl.Version}, pl, map[string][]byte{"extra.json": []byte("{}\n")}),
			host.NewKey(a.json(), host.JSONC, pl.Enabled, "on", pl.ID).For(pl.ID).Replacing().Guarded(host.DirGuard),
			host.NewKey(a.toml(), host.TOML, pl.Version, "plugins", pl.ID, "version").For(pl.ID),
			host.NewKey(a.records(), host.JSON, pl.Version, "records", pl.ID).For(pl.ID))
		w.Shown = append(w.Shown, host.Shown{ID: pl.ID, Version: pl.Version, Name: pl.ID + "@every"})
	}
	if len(plugins) > 0 {
		w.Items = append(w.Items,
			host.NewFile(host.At{Root: p.Own, Name: "catalog.json"}, []byte(strings.Repeat("x", len(plugins)))),
			host.NewKey(a.json(), host.JSONC, map[string]any{"path": p.Own}, "markets", "pinion").Guarded(host.DirGuard),
			host.NewKey(a.records(), host.JSON, 2, "version").Basic(),
			host.NewKey(host.At{Root: a.dir, Name: "known.json"}, host.JSON, map[string]any{"path": p.Own}, "pinion", "source").Echoed())
	}
	return w, nil
}

// stage is a user's machine with a host and a store.
type stage struct {
	*testing.T
	dir     string
	home    *fsx.Dir
	adapter everything
	place   host.Place
	active  []host.Plugin
	hook    fsx.Hook
}

const (
	jsonBefore = "{\n  // mine\n  \"theme\": \"dark\", // keep\n  \"on\": {\n    \"b\": false\n  },\n}\n"
	tomlBefore = "# mine\nmodel = \"x\"\n"
)

func newStage(t *testing.T) *stage {
	t.Helper()
	dir := testkit.FastDir(t)
	s := &stage{T: t, dir: dir, adapter: everything{dir: filepath.Join(dir, "host")}}
	home, err := fsx.OpenHome(filepath.Join(dir, "home"), fsx.Options{Create: true, Hook: func(op fsx.Op, name string) error {
		if s.hook != nil {
			return s.hook(op, name)
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { home.Close() })
	s.home = home
	s.place = host.Place{
		Home: dir, Own: filepath.Join(dir, "home", "hosts", "every", "user"), Base: filepath.Join(dir, "home"), Getenv: func(string) string { return "" },
	}
	s.put("host/settings.json", jsonBefore)
	s.put("host/sub/config.toml", tomlBefore)
	return s
}

func (s *stage) put(name, data string) {
	s.Helper()
	p := filepath.Join(s.dir, filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(p), 0o755), os.WriteFile(p, []byte(data), 0o640)); err != nil {
		s.Fatal(err)
	}
}

// plugin makes one version of a plugin in the store.
func (s *stage) plugin(id, version string) host.Plugin {
	s.Helper()
	pl := host.Plugin{ID: id, Version: version, Format: "claude", Dir: filepath.Join(s.dir, "store", id, version), Enabled: true}
	for name, data := range map[string]string{"a.md": id + version, "bin/run": "#!/bin/sh\n"} {
		s.put("store/"+id+"/"+version+"/"+name, data)
		sum := sha256.Sum256([]byte(data))
		pl.Files = append(pl.Files, host.File{Path: name, Sum: hex.EncodeToString(sum[:]), Size: int64(len(data)), Exec: name == "bin/run"})
	}
	return pl
}

func (s *stage) linker() *host.Linker {
	return host.New(host.Options{Home: s.home, Hook: s.hook, Wait: 10 * time.Second, Clock: func() time.Time {
		return time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC)
	}})
}

func (s *stage) plugins(context.Context) ([]host.Plugin, error) { return s.active, nil }

func (s *stage) link(o host.LinkOptions) (*host.Result, error) {
	return s.linker().Link(s.Context(), s.adapter, s.place, s.plugins, o)
}

func (s *stage) update() (*host.Result, error) {
	return s.linker().Update(s.Context(), s.adapter, s.place, s.plugins, false)
}

func (s *stage) unlink() (*host.Result, error) {
	return s.linker().Unlink(s.Context(), s.adapter.Info(), s.place, false)
}

func (s *stage) must(r *host.Result, err error) *host.Result {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
	return r
}

// host returns everything in the host's directory: content of files, targets of
// links.
func (s *stage) host() map[string]string { return snapshot(s.T, filepath.Join(s.dir, "host")) }

func snapshot(t *testing.T, root string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		switch {
		case d.Type() == fs.ModeSymlink:
			to, err := os.Readlink(p)
			out[filepath.ToSlash(rel)] = "-> " + to
			return err
		case d.Type().IsRegular():
			data, err := os.ReadFile(p)
			out[filepath.ToSlash(rel)] = string(data)
			return err
		case d.IsDir() && rel != ".":
			out[filepath.ToSlash(rel)+"/"] = ""
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func (s *stage) state() host.State {
	s.Helper()
	st, err := s.linker().Status(s.Context(), s.adapter, s.place, s.plugins)
	if err != nil {
		s.Fatal(err)
	}
	return st.State
}

func same(t *testing.T, what string, want, got any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

// A link, a change of version, a second run, and the way back.
func TestLinkAndBack(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	before := s.host()
	s.active = []host.Plugin{s.plugin("a", "1.0.0"), s.plugin("b", "1.0.0")}
	if r := s.must(s.link(host.LinkOptions{DryRun: true})); !r.Changed || len(r.Steps) != 13 {
		t.Errorf("a dry run has %d steps: %v", len(r.Steps), r.Steps)
	}
	same(t, "after a dry run", before, s.host())
	r := s.must(s.link(host.LinkOptions{}))
	if !r.Changed || r.Restart != "restart Every" || len(r.Shown) != 2 {
		t.Errorf("link: %+v", r)
	}
	got := s.host()
	same(t, "settings.json", "{\n  // mine\n  \"theme\": \"dark\", // keep\n  \"on\": {\n    \"b\": true,\n    \"a\": true\n  },\n  \"markets\": {\n    \"pinion\": {\n      \"path\": \""+s.place.Own+"\"\n    }\n  },\n}\n", got["settings.json"])
	same(t, "config.toml", tomlBefore+"\n[plugins.a]\nversion = \"1.0.0\"\n\n[plugins.b]\nversion = \"1.0.0\"\n", got["sub/config.toml"])
	same(t, "the copy", "a1.0.0", got["cache/a/1.0.0/a.md"])
	same(t, "what the copy has more", "{}\n", got["cache/a/1.0.0/extra.json"])
	same(t, "the catalog", map[string]string{"catalog.json": "xx", "plugins/": "", "plugins/a": "-> " + s.active[0].Dir, "plugins/b": "-> " + s.active[1].Dir}, snapshot(t, s.place.Own))
	if info, err := os.Stat(filepath.Join(s.dir, "host", "settings.json")); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("settings.json has mode %v, %v", info.Mode(), err)
	}
	if info, err := os.Stat(filepath.Join(s.dir, "host/cache/a/1.0.0/bin/run")); err != nil || info.Mode().Perm() != 0o555 {
		t.Errorf("the program of the copy has mode %v, %v", info.Mode(), err)
	}
	same(t, "status", host.OK, s.state())
	if r := s.must(s.link(host.LinkOptions{})); r.Changed {
		t.Errorf("the second link changed: %v", r.Steps)
	}
	if r := s.must(s.update()); r.Changed {
		t.Errorf("an update without a change changed: %v", r.Steps)
	}

	s.active = []host.Plugin{s.plugin("a", "1.1.0")}
	s.active[0].Enabled = false
	same(t, "status before the update", host.Stale, s.state())
	s.must(s.update())
	got = s.host()
	if _, ok := got["cache/a/1.0.0/"]; ok {
		t.Error("the old copy is still there")
	}
	same(t, "the new copy", "a1.1.0", got["cache/a/1.1.0/a.md"])
	if !strings.Contains(got["settings.json"], "\"a\": false") || !strings.Contains(got["settings.json"], "\"b\": false") {
		t.Errorf("a is off, and b has its value from before: %s", got["settings.json"])
	}
	// What the host wrote because of us goes too; what is its own stays.
	s.put("host/known.json", `{"pinion": {"source": {"path": "`+s.place.Own+`"}, "at": 1}, "acme": {}}`)
	before["known.json"] = `{ "acme": {}}`
	same(t, "status", host.OK, s.state())
	s.must(s.unlink())
	same(t, "after unlink", before, s.host())
	if _, err := os.Lstat(filepath.Join(s.dir, "home", "hosts")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("left in the home: %v", err)
	}
	if r := s.must(s.unlink()); r.Changed {
		t.Error("a second unlink says that it changed something")
	}
	if _, err := s.update(); !errors.Is(err, host.ErrNotLinked) {
		t.Errorf("update of an unlinked host: %v", err)
	}
}

// A file that was made for ours and has something of the host's own by now stays
// valid for the host.
func TestBaseOfAFile(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.active = []host.Plugin{s.plugin("a", "1.0.0")}
	s.must(s.link(host.LinkOptions{}))
	s.put("host/records.json", strings.Replace(s.host()["records.json"], `"a": "1.0.0"`, `"a": "1.0.0", "theirs": "3"`, 1))
	s.must(s.unlink())
	same(t, "records.json", "{\n  \"records\": { \"theirs\": \"3\"\n  },\n  \"version\": 2\n}\n", s.host()["records.json"])
}

// What the host or its user changed since is never overwritten silently, and
// unlink takes back only what still is ours.
func TestChangedByTheHost(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.active = []host.Plugin{s.plugin("a", "1.0.0")}
	s.must(s.link(host.LinkOptions{}))
	edit := func(name, old, with string) {
		t.Helper()
		data := s.host()[name]
		if !strings.Contains(data, old) {
			t.Fatalf("%s has no %q:\n%s", name, old, data)
		}
		p := filepath.Join(s.dir, "host", name)
		if err := errors.Join(os.Chmod(p, 0o644), os.WriteFile(p, []byte(strings.Replace(data, old, with, 1)), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	edit("settings.json", `"a": true`, `"a": false, "mine": 1`)
	edit("cache/a/1.0.0/a.md", "a1.0.0", "evil")
	same(t, "status", host.Changed, s.state())

	s.active = append(s.active, s.plugin("c", "1.0.0"))
	r := s.must(s.update())
	if len(r.Blocked) != 1 || r.Blocked[0].Key != "on.a" || r.Blocked[0].Was != "false" {
		t.Errorf("blocked: %+v", r.Blocked)
	}
	if got := s.host(); !strings.Contains(got["settings.json"], `"a": false, "mine": 1`) || got["cache/a/1.0.0/a.md"] != "evil" {
		t.Errorf("the change was overwritten: %s", got["settings.json"])
	}
	r = s.must(s.link(host.LinkOptions{}))
	aside := ""
	for _, step := range r.Steps {
		if step.Kind == host.CopyItem && step.Plugin == "a" {
			aside = step.Aside
		}
	}
	if got := snapshot(t, aside); got["a.md"] != "evil" {
		t.Errorf("the changed copy is not kept at %q: %v", aside, got)
	}
	same(t, "status after another link", host.OK, s.state())
	edit("settings.json", `"a": true`, `"a": "mine"`)
	s.must(s.unlink())
	if got := s.host()["settings.json"]; !strings.Contains(got, `"a": "mine"`) || !strings.Contains(got, `"mine": 1`) || strings.Contains(got, "pinion") || strings.Contains(got, `"c"`) {
		t.Errorf("after unlink: %s", got)
	}
}

// What is there and was never ours is refused, and with replace moved away until
// the unlink.
func TestReplace(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.put("host/cache/a/1.0.0/theirs.md", "theirs")
	s.put("host/settings.json", "{\n  \"on\": {\n    \"a@acme\": true\n  }\n}\n")
	s.adapter.own = []host.Installed{{Name: "b", Shown: "b@acme", Marketplace: "acme", Enabled: true, Off: []host.Item{host.NewKey(s.adapter.json(), host.JSONC, false, "on", "a@acme")}}}
	before := s.host()
	s.active = []host.Plugin{s.plugin("a", "1.0.0"), s.plugin("b", "1.0.0")}
	_, err := s.link(host.LinkOptions{})
	var conflict *host.ConflictError
	if !errors.As(err, &conflict) || len(conflict.Own) != 1 {
		t.Fatalf("link beside a plugin of the host: %v", err)
	}
	own := s.adapter.own
	s.adapter.own = nil
	if _, err := s.link(host.LinkOptions{}); !errors.As(err, &conflict) || len(conflict.Steps) != 1 {
		t.Fatalf("link over a directory of somebody else: %v", err)
	}
	same(t, "after the refusals", before, s.host())
	s.adapter.own = own
	s.must(s.link(host.LinkOptions{Replace: true}))
	if got := s.host(); !strings.Contains(got["settings.json"], `"a@acme": false`) || got["cache/a/1.0.0/theirs.md"] != "" {
		t.Errorf("not replaced: %v", got)
	}
	same(t, "status", host.OK, s.state())
	s.adapter.own[0].Enabled = false // as the host says now
	if r := s.must(s.update()); r.Changed || len(r.LeftOut) > 0 {
		t.Errorf("an update after a replacement: %+v", r)
	}
	s.must(s.unlink())
	same(t, "after unlink", before, s.host())
}

// Files of a host are hostile input: nothing is followed, nothing is changed, and
// the error says which file it is. Security 3.2, 3.6 row 97.
func TestHostileFiles(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, want string
		make       func(s *stage, path string) error
	}{
		{"link", "is a link to", func(s *stage, p string) error {
			s.put("elsewhere.json", "{}")
			return os.Symlink(filepath.Join(s.dir, "elsewhere.json"), p)
		}},
		{"directory", "not a regular file", func(_ *stage, p string) error { return os.Mkdir(p, 0o755) }},
		{"read-only", "is read-only", func(_ *stage, p string) error { return os.WriteFile(p, []byte("{}"), 0o400) }},
		{"too large", "larger than", func(_ *stage, p string) error {
			return errors.Join(os.WriteFile(p, []byte("{}"), 0o600), os.Truncate(p, 1<<40))
		}},
		{"not JSON", "cannot be read as jsonc", func(_ *stage, p string) error { return os.WriteFile(p, []byte("{\"a\": "), 0o600) }},
		{"a list", "not an object", func(_ *stage, p string) error { return os.WriteFile(p, []byte("[]"), 0o600) }},
		{"parent is a value", "not an object", func(_ *stage, p string) error { return os.WriteFile(p, []byte("{\"on\": 1}"), 0o600) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			p := filepath.Join(s.dir, "host", "settings.json")
			if err := errors.Join(os.Remove(p), tt.make(s, p)); err != nil {
				t.Fatal(err)
			}
			s.active = []host.Plugin{s.plugin("a", "1.0.0")}
			_, err := s.link(host.LinkOptions{})
			var refused *host.RefusedError
			if !errors.As(err, &refused) || refused.Path != p || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("got %v, want a refusal of %s with %q", err, p, tt.want)
			}
			if _, err := os.Lstat(filepath.Join(s.dir, "host", "cache")); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the copy was made all the same: %v", err)
			}
			if names, err := s.linker().Names(""); err != nil || len(names) > 0 {
				t.Errorf("it counts as linked: %v, %v", names, err)
			}
		})
	}
}

// A directory of a project that is a link leads nowhere that we write.
func TestLinkedDirectory(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	outside := t.TempDir()
	if err := errors.Join(os.RemoveAll(filepath.Join(s.dir, "host", "sub")), os.Symlink(outside, filepath.Join(s.dir, "host", "sub"))); err != nil {
		t.Fatal(err)
	}
	s.active = []host.Plugin{s.plugin("a", "1.0.0")}
	var refused *host.RefusedError
	if _, err := s.link(host.LinkOptions{}); !errors.As(err, &refused) {
		t.Errorf("got %v, want a refusal", err)
	}
	same(t, "outside", map[string]string{}, snapshot(t, outside))
}

// A run that is cut off at any step is completed by the next one, and taken back
// exactly by unlink. Security 3.6 row 89.
func TestCutOff(t *testing.T) {
	t.Parallel()
	cut := errors.New("cut off")
	for _, back := range []bool{false, true} {
		for n := 1; ; n++ {
			s := newStage(t)
			before := s.host()
			s.active = []host.Plugin{s.plugin("a", "1.0.0"), s.plugin("b", "1.0.0")}
			s.must(s.link(host.LinkOptions{}))
			s.active = []host.Plugin{s.plugin("a", "2.0.0"), s.plugin("c", "1.0.0")}
			left := n
			s.hook = func(fsx.Op, string) error {
				if left--; left < 0 {
					return cut // and everything after it, as after a kill
				}
				return nil
			}
			_, err := s.update()
			s.hook = nil
			if err == nil {
				if n < 20 {
					t.Fatalf("only %d steps were seen", n)
				}
				break
			}
			if !errors.Is(err, cut) {
				t.Fatalf("step %d: %v", n, err)
			}
			// The lock that a killed process leaves is stale after a while.
			old := time.Now().Add(-time.Minute)
			if err := os.Chtimes(filepath.Join(s.dir, "host", "settings.json.lock"), old, old); err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Fatal(err)
			}
			if !back {
				r := s.must(s.update())
				if len(r.Blocked) > 0 {
					t.Fatalf("step %d: the next run takes its own work for somebody's: %v", n, r.Blocked)
				}
				if st := s.state(); st != host.OK {
					t.Fatalf("step %d: %s after the next run", n, st)
				}
			}
			s.must(s.unlink())
			if d := cmp.Diff(before, s.host()); d != "" {
				t.Fatalf("cut off at step %d, then unlinked (-want +got):\n%s", n, d)
			}
		}
	}
}
