package pinion_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pinion"
	"pinion/capability"
	"pinion/internal/syntax"
	"pinion/internal/testkit"
	"pinion/market"
	"pinion/schemas"
)

// valid holds a document against its published schema.
func valid(t *testing.T, name string, doc any) {
	t.Helper()
	text, err := syntax.Encode(doc)
	if err != nil {
		t.Fatal(err)
	}
	v, problems := syntax.Any(text)
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	var check schemas.Validator
	faults, err := check.Validate(name, v)
	if err != nil || len(faults) > 0 {
		t.Errorf("%s: %v %v\n%s", name, faults, err, text)
	}
}

// What a plugin may do is told before it is installed, from its own bytes where
// they are here, and otherwise as what a catalog says. Issue 3, capabilities.
func TestInfoCapabilities(t *testing.T) {
	t.Parallel()
	p := newPointing(t)
	p.plugin("afar", named("afar", simple("1.0.0", "Hi.")))
	files := named("near", simple("1.0.0", "Hi."), ".mcp.json", `{"mcpServers": {"s": {"command": "npx", "args": ["-y", "made-up"]}}}`)
	repo := testkit.Files{claudeCatalog: testkit.Text(`{"name": "m", "owner": {"name": "T"}, "plugins": [
  {"name": "near", "source": "./near"},
  {"name": "afar", "license": "ISC", "source": {"source": "github", "repo": "them/afar"}, "mcpServers": {"told": {"command": "node"}}}]}`)}
	for name, f := range files {
		repo["near/"+name] = f
	}
	p.plugin("market", repo)
	c := p.client()
	if _, err := c.MarketplaceAdd(t.Context(), "them/market", market.AddOptions{Name: "m"}); err != nil {
		t.Fatal(err)
	}
	info := func(text string) *pinion.InfoCapabilities {
		t.Helper()
		r, err := c.InfoCapabilities(t.Context(), ref(t, text))
		if err != nil {
			t.Fatal(err)
		}
		valid(t, "info", r)
		return r.Capabilities
	}
	near := info("near")
	if !near.Read || near.License.Declared != "MIT" || len(near.Fetches) != 1 || near.Fetches[0].Pinned ||
		!slices.ContainsFunc(near.Entries, func(e capability.Entry) bool { return e.String() == "mcp-server s: npx -y made-up" }) {
		t.Errorf("near: %+v", near)
	}
	afar := info("afar")
	if afar.Read || !strings.Contains(afar.Why, "was not fetched") || afar.License != (pinion.InfoLicense{Declared: "ISC"}) {
		t.Errorf("afar, not fetched: %+v", afar)
	}
	if _, err := c.Install(t.Context(), []pinion.Ref{ref(t, "afar"), ref(t, "near")}, pinion.InstallOptions{}); err != nil {
		t.Fatal(err)
	}
	if afar = info("afar"); !afar.Read || !slices.ContainsFunc(afar.Entries, func(e capability.Entry) bool { return e.Name == "told" }) {
		t.Errorf("afar, installed: %+v", afar)
	}
	// Plain info reads nothing and has no such key.
	if r, err := c.Info(t.Context(), ref(t, "near")); err != nil || r.Capabilities != nil {
		t.Errorf("info: %+v, %v", r, err)
	}
}

// Every set of packages gives one document, the same for the same time, and a
// file only where one is asked for. Issue 3, SBOM.
func TestSBOM(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.publish(fixtures(t))
	checkout(t, w.dir, testkit.Files{"plugin/.claude-plugin/plugin.json": testkit.Text(`{"name": "plugin", "version": "1.0.0"}`)})
	c := w.client()
	if _, err := c.MarketplaceAdd(t.Context(), "file://"+filepath.ToSlash(w.repo.Dir), market.AddOptions{Name: "acme"}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Install(t.Context(), []pinion.Ref{ref(t, "workflow-hooks"), ref(t, "writing-style@acme")}, pinion.InstallOptions{}); err != nil {
		t.Fatal(err)
	}
	of := func(o pinion.SBOMOptions, refs ...string) *pinion.SBOM {
		t.Helper()
		r, err := c.SBOM(t.Context(), refs, o)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	for want, r := range map[int]*pinion.SBOM{
		1: of(pinion.SBOMOptions{}, "plugin"), 2: of(pinion.SBOMOptions{Installed: true}), 5: of(pinion.SBOMOptions{Market: "acme"}),
	} {
		if r.Packages != want || strings.Count(string(r.Document), `"primaryPackagePurpose"`) != want || r.Written != "" {
			t.Errorf("%d packages, want %d\n%s", r.Packages, want, r.Document)
		}
		if !strings.Contains(string(r.Document), `"created": "2026-11-02T12:00:00Z"`) {
			t.Error("without SOURCE_DATE_EPOCH the clock counts")
		}
	}
	w.env["SOURCE_DATE_EPOCH"] = "1767225600"
	c = w.client(func(o *pinion.Options) { o.Clock = time.Now })
	a, b := of(pinion.SBOMOptions{}, "plugin", "workflow-hooks"), of(pinion.SBOMOptions{Output: "out.json", DryRun: true}, "plugin", "workflow-hooks")
	if string(a.Document) != string(b.Document) || !strings.Contains(string(a.Document), `"created": "2026-01-01T00:00:00Z"`) {
		t.Error("the same packages and time gave different documents")
	}
	if left, _ := filepath.Glob(filepath.Join(w.dir, "out.json")); len(left) > 0 || b.Written != filepath.Join(w.dir, "out.json") {
		t.Errorf("written: %q", b.Written)
	}
	for _, bad := range []string{"-1", "1.5", "now", "99999999999999"} {
		w.env["SOURCE_DATE_EPOCH"] = bad
		if _, err := c.SBOM(t.Context(), []string{"plugin"}, pinion.SBOMOptions{}); err == nil {
			t.Errorf("SOURCE_DATE_EPOCH=%s was taken", bad)
		}
	}
}
