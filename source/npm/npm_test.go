package npm

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pinion/internal/testkit"
	"pinion/source"
	"pinion/source/sourcetest"
	"pinion/source/web"
	"pinion/tree"
)

// from returns a package in a test's own registry, as the user's default one.
func from(t *testing.T, reg *testkit.Registry, text string) *Remote {
	t.Helper()
	spec, err := source.Parse(text, "/")
	if err != nil {
		t.Fatal(err)
	}
	r, err := New(spec, Options{PublicOnly: true, Web: web.Options{HTTP: reg.Client}, Getenv: registryIs(reg.URL)})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func registryIs(address string) func(string) string {
	return func(name string) string {
		if name == "npm_config_registry" {
			return address + "/"
		}
		return ""
	}
}

func TestConformance(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"tools", "@acme/tools"} {
		sourcetest.Run(t, sourcetest.Kind{
			Ignores: []string{"package.json"},
			Make: func(t *testing.T, files testkit.Files) source.Source {
				reg := testkit.NewRegistryTLS(t)
				reg.Publish(name, "1.0.0", files)
				return from(t, reg, "npm:"+name)
			},
		})
	}
}

func TestResolve(t *testing.T) {
	t.Parallel()
	reg := testkit.NewRegistry(t)
	pins := map[string]string{}
	for _, v := range []string{"1.0.0", "1.2.0", "2.0.0-rc.1", "2.0.0", "3.0.0-beta.1"} {
		pins[v] = reg.Publish("tools", v, testkit.Files{"v": testkit.Text(v)})
	}
	reg.Tag("tools", "latest", "2.0.0")
	reg.Tag("tools", "next", "3.0.0-beta.1")
	for text, want := range map[string]struct{ version, ref string }{
		"npm:tools": {"2.0.0", "latest"}, "npm:tools@latest": {"2.0.0", "latest"}, "npm:tools@next": {"3.0.0-beta.1", "next"},
		"npm:tools@^1.0.0": {"1.2.0", ""}, "npm:tools@1.0.0": {"1.0.0", ""}, "npm:tools@=1.0.0": {"1.0.0", ""}, "npm:tools@v1.0.0": {"1.0.0", ""},
		"npm:tools@*": {"2.0.0", ""}, "npm:tools@1": {"1.2.0", ""}, "npm:tools@<2": {"1.2.0", ""}, "npm:tools@3.0.0-beta.1": {"3.0.0-beta.1", ""},
		"npm:tools@>=1.0.0 <1.1.0 || 7": {"1.0.0", ""},
	} {
		pin, err := from(t, reg, text).Resolve(t.Context(), source.Pin{})
		if err != nil || pin.Commit != pins[want.version] || pin.Ref != want.ref {
			t.Errorf("%s: %+v, %v, want %v", text, pin, err, want)
		}
	}
	for _, text := range []string{"npm:tools@4", "npm:tools@9.9.9", "npm:tools@none", "npm:none"} {
		if pin, err := from(t, reg, text).Resolve(t.Context(), source.Pin{}); !errors.Is(err, source.ErrNotFound) {
			t.Errorf("%s: %+v, %v, want ErrNotFound", text, pin, err)
		}
	}
	reg.Edit("tools", "1.2.0", func(r *testkit.Release) { r.Deprecated = "use 2" })
	if pin, err := from(t, reg, "npm:tools@^1").Resolve(t.Context(), source.Pin{}); err != nil || pin.Commit != pins["1.0.0"] {
		t.Errorf("a deprecated version goes before another: %+v, %v", pin, err)
	}
	for _, r := range reg.Requests() {
		if r.Authorization != "" {
			t.Errorf("credentials were sent: %+v", r)
		}
	}
}

// The answers are those of npm-pick-manifest 11, the part of npm that chooses:
// testdata/pick.json says how they were made.
func TestPickLikeNpm(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join("testdata", "pick.json"))
	if err != nil {
		t.Fatal(err)
	}
	var golden struct {
		Packument json.RawMessage   `json:"packument"`
		Picks     map[string]string `json:"picks"`
	}
	if err := json.Unmarshal(data, &golden); err != nil {
		t.Fatal(err)
	}
	p, err := parsePackument("x", golden.Packument)
	if err != nil {
		t.Fatal(err)
	}
	if len(golden.Picks) < 50 {
		t.Fatalf("only %d answers", len(golden.Picks))
	}
	for want, version := range golden.Picks {
		if got, _, _ := p.pick(want); got != version {
			t.Errorf("pick(%q) = %q, npm picks %q", want, got, version)
		}
	}
}

func open(t *testing.T, r *Remote, pin, cache string) (string, error) {
	t.Helper()
	s, err := r.Open(t.Context(), source.Pin{Commit: pin}, cache)
	if err != nil {
		return "", err
	}
	defer s.Close()
	data, err := s.ReadFile(t.Context(), "v", 100)
	return string(data), err
}

// What comes is compared with what the registry said when it was pinned.
func TestIntegrity(t *testing.T) {
	t.Parallel()
	reg := testkit.NewRegistryTLS(t)
	pin := reg.Publish("tools", "1.0.0", testkit.Files{"v": testkit.Text("one")})
	r := from(t, reg, "npm:tools@^1")
	cache := t.TempDir()
	if got, err := open(t, r, pin, cache); got != "one" || err != nil {
		t.Fatalf("Open = %q, %v", got, err)
	}
	reg.Requests()
	if got, err := open(t, r, pin, cache); got != "one" || err != nil || len(reg.Requests()) != 0 {
		t.Errorf("from the cache: %q, %v", got, err)
	}
	other := reg.Publish("tools", "1.0.0", testkit.Files{"v": testkit.Text("two")}) // the same number again
	var bad *source.IntegrityError
	if got, err := open(t, r, pin, t.TempDir()); !errors.As(err, &bad) || bad.ExitCode() != 4 || !strings.Contains(err.Error(), "tools 1.0.0") {
		t.Errorf("republished: %q, %v", got, err)
	}
	if got, err := open(t, r, other, cache); got != "two" || err != nil {
		t.Errorf("by its own pin: %q, %v", got, err)
	}

	// SHA-1 alone is the last resort; nothing at all is none.
	reg.Edit("tools", "1.0.0", func(r *testkit.Release) { r.Dist.Integrity = "" })
	weak, err := r.Resolve(t.Context(), source.Pin{})
	if err != nil || !strings.HasPrefix(weak.Commit, "1.0.0@sha1-") {
		t.Errorf("shasum: %+v, %v", weak, err)
	}
	if got, err := open(t, r, weak.Commit, t.TempDir()); got != "two" || err != nil {
		t.Errorf("by its shasum: %q, %v", got, err)
	}
	for _, d := range []testkit.Dist{{}, {Integrity: "sha512-AAAA"}, {Integrity: "md5-AAAA"}, {Shasum: "00"}} {
		reg.Edit("tools", "1.0.0", func(r *testkit.Release) { r.Dist.Integrity, r.Dist.Shasum = d.Integrity, d.Shasum })
		if pin, err := r.Resolve(t.Context(), source.Pin{}); err == nil {
			t.Errorf("digests %+v give %+v", d, pin)
		}
	}
}

func TestParseIntegrity(t *testing.T) {
	t.Parallel()
	sha1, sha512 := "sha1-"+strings.Repeat("A", 27)+"=", "sha512-"+strings.Repeat("A", 86)+"=="
	for text, want := range map[string]string{
		sha512: sha512, sha1 + " " + sha512 + "?opt": sha512, strings.Repeat("0", 40): sha1, sha1: sha1,
		"sha512-x " + sha1: sha1, "": "", "sha512": "", strings.Repeat("0", 64): "", "sha512-" + strings.Repeat("A", 40): "",
	} {
		got, err := parseIntegrity(text)
		if (err == nil) != (want != "") || err == nil && got.String() != want {
			t.Errorf("parseIntegrity(%q) = %v, %v, want %q", text, got, err, want)
		}
	}
}

// A mirror repeats the addresses of what it mirrors (npm's replace-registry-host).
func TestMirror(t *testing.T) {
	t.Parallel()
	reg := testkit.NewRegistry(t)
	pin := reg.Publish("tools", "1.0.0", testkit.Files{"v": testkit.Text("one")})
	reg.Edit("tools", "1.0.0", func(r *testkit.Release) {
		r.Dist.Tarball = strings.Replace(r.Dist.Tarball, reg.URL, "https://"+source.NPMHost, 1)
	})
	if got, err := open(t, from(t, reg, "npm:tools"), pin, t.TempDir()); got != "one" || err != nil {
		t.Errorf("Open = %q, %v", got, err)
	}
	for base, want := range map[string]string{
		"https://mirror.example": "https://mirror.example/tools/-/t.tgz", "https://mirror.example/npm": "https://mirror.example/npm/tools/-/t.tgz",
	} {
		spec, err := source.NPMSpec("tools", "", base)
		if err != nil {
			t.Fatal(err)
		}
		r, err := New(spec, Options{Getenv: func(string) string { return "" }})
		if err != nil {
			t.Fatal(err)
		}
		if got := r.relocate("http://" + source.NPMHost + "/tools/-/t.tgz"); got != want {
			t.Errorf("at %s: %s, want %s", base, got, want)
		}
	}
}

// security 3.3 row 55: what a catalog, a registry or a server chose.
func TestAddresses(t *testing.T) {
	t.Parallel()
	reg := testkit.NewRegistryTLS(t)
	pin := reg.Publish("tools", "1.0.0", testkit.Files{"v": testkit.Text("one")})
	spec, err := source.NPMSpec("tools", "", reg.URL)
	if err != nil {
		t.Fatal(err)
	}
	strange, err := New(spec, Options{PublicOnly: true, Web: web.Options{HTTP: reg.Client}, Getenv: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := strange.Resolve(t.Context(), source.Pin{}); err == nil || !strings.Contains(err.Error(), "not public") {
		t.Errorf("a registry here that content chose: %v", err)
	}
	for tarball, want := range map[string]string{
		"https://169.254.169.254/x.tgz": "not public", "http://example.com/x.tgz": "https", "file:///etc/passwd": "URL",
		"https://127.0.0.2/x.tgz": "not public", "https://u:p@example.com/x.tgz": "token", "": "does not say where",
	} {
		reg.Edit("tools", "1.0.0", func(r *testkit.Release) { r.Dist.Tarball = tarball })
		if _, err := open(t, from(t, reg, "npm:tools"), pin, t.TempDir()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("a package at %q: %v, want %q", tarball, err, want)
		}
	}
	for _, address := range []string{"http://registry.example/", "ftp://x/", "https://u:SECRET@registry.example", "https://registry.example/?x=1", "x"} {
		_, err := New(source.Spec{Kind: source.NPM, Package: "tools"}, Options{Getenv: registryIs(address)})
		if spec := new(source.SpecError); !errors.As(err, &spec) || strings.Contains(err.Error(), "SECRET") {
			t.Errorf("default registry %q: %v", address, err)
		}
	}
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	reg := testkit.NewRegistry(t)
	for body, want := range map[string]string{
		"{}": "no versions", "[]": "", "not json": "", `{"name": "other", "versions": {}}`: "answers for",
		`{"name": "tools", "versions": {"1.0.0": 7}, "dist-tags": {"latest": "1.0.0"}}`:            "no digest",
		`{"name": "tools", "versions": {"1.0.0": {"dist": []}}, "dist-tags": {"latest": "1.0.0"}}`: "no digest",
		`{"name": "tools", "versions": {"../../x": {}}, "dist-tags": {"latest": "2.0.0"}}`:         "no version tagged",
		`{"name": "tools", "versions": {"../../x": {}}, "dist-tags": {"latest": "../../x"}}`:       "version \"../../x\" is none",
		`{"name": "tools", "versions": {"\u001b[2J": {}}, "dist-tags": {"latest": "\u001b[2J"}}`:   `is none`,
		`{"name": "tools", "versions": {"1.0.0@x": {}}, "dist-tags": {"latest": "1.0.0@x"}}`:       "is none",
		strings.Repeat("[", 100_000): "",
	} {
		reg.Set("/tools", []byte(body))
		if pin, err := from(t, reg, "npm:tools").Resolve(t.Context(), source.Pin{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %+v, %v, want %q", body, pin, err, want)
		}
	}
	big := reg.PublishTarball("big", "1.0.0", slices.Repeat([]byte("\x1f\x8b\x08x"), MaxPackage/4+1))
	if _, err := from(t, reg, "npm:big").Open(t.Context(), source.Pin{Commit: big}, t.TempDir()); !errors.Is(err, source.ErrTooLarge) {
		t.Errorf("a package above the limit: %v", err)
	}
	odd := reg.PublishTarball("odd", "1.0.0", []byte("<html>"))
	if _, err := from(t, reg, "npm:odd").Open(t.Context(), source.Pin{Commit: odd}, t.TempDir()); !errors.Is(err, tree.ErrNotArchive) {
		t.Errorf("no archive: %v", err)
	}
	reg.Intercept = func(w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(http.StatusServiceUnavailable)
		return true
	}
	if _, err := from(t, reg, "npm:tools").Resolve(t.Context(), source.Pin{}); !errors.Is(err, source.ErrOffline) {
		t.Errorf("503: %v", err)
	}
}

func FuzzPackument(f *testing.F) {
	f.Add([]byte(`{"name":"x","dist-tags":{"latest":"1.0.0"},"versions":{"1.0.0":{"dist":{"tarball":"https://x/y","shasum":"`+strings.Repeat("0", 40)+`"}}}}`), "^1")
	f.Add([]byte(`{"versions":null}`), "")
	f.Fuzz(func(t *testing.T, data []byte, want string) {
		p, err := parsePackument("x", data)
		if err != nil {
			return
		}
		version, _, err := p.pick(want)
		if err != nil {
			return
		}
		if r, err := p.release(version); err == nil {
			if v, sum, err := parsePin(r.pin()); err != nil || (v != version || sum.String() != r.sum.String()) {
				t.Errorf("pin %q: %q, %v, %v", r.pin(), v, sum, err)
			}
		}
	})
}
