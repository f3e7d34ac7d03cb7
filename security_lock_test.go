package pinion_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pinion"
	"pinion/internal/testkit"
	"pinion/market"
)

// TestLockVersionMustBeNamed shows that a version which only a lock file brought
// into a marketplace's name is never what an activation means by itself: a skill
// is activated without a question, so the highest number would be enough to get
// another's text into the agent.
func TestLockVersionMustBeNamed(t *testing.T) { // security 0.5 and 3.5 rows 81, 84 and 88
	tm := newTeam(t)
	tm.evilPlugin("writing-style", "SKILL.md", "9.9.9")
	tm.write()
	c := tm.client()
	if r, err := c.Sync(t.Context(), pinion.SyncOptions{Allow: both}); err != nil || len(r.Installed) != 1 {
		t.Fatalf("sync: %+v, %v", r, err)
	}
	// Nothing else is there: it must be named.
	for _, name := range []string{"writing-style", "writing-style@acme"} {
		a, err := c.Activate(t.Context(), ref(t, name), pinion.ActivateOptions{})
		var u *pinion.UsageError
		if !errors.As(err, &u) || !strings.Contains(u.Hint(), "pinion activate writing-style@9.9.9") {
			t.Errorf("activate %s: %+v, %v; want the version asked for", name, a, err)
		}
	}
	// In the project, where the user agreed to the lock file, it is what is active.
	a, err := c.Activate(t.Context(), ref(t, "writing-style"), pinion.ActivateOptions{Project: true})
	if err != nil || a.Changed || a.Version != "9.9.9" {
		t.Errorf("activate in the project: %+v, %v; want 9.9.9, already active", a, err)
	}
	// With the marketplace's own version beside it, that one is meant.
	if _, err := c.Install(t.Context(), []pinion.Ref{ref(t, "writing-style@acme")}, pinion.InstallOptions{}); err != nil {
		t.Fatal(err)
	}
	a, err = c.Activate(t.Context(), ref(t, "writing-style"), pinion.ActivateOptions{})
	if err != nil || a.Version != "1.0.0" {
		t.Errorf("activate writing-style: %+v, %v; want acme's own 1.0.0", a, err)
	}
	// Named, it is the user's choice.
	a, err = c.Activate(t.Context(), ref(t, "writing-style@9.9.9"), pinion.ActivateOptions{})
	if err != nil || a.Version != "9.9.9" {
		t.Errorf("activate writing-style@9.9.9: %+v, %v", a, err)
	}
}

// TestSyncPlan shows that a dry run of a sync says the steps of the sync and
// leaves everything as it is.
func TestSyncPlan(t *testing.T) { // cli.md "Everywhere": --dry-run
	tm := newTeam(t)
	tm.evilPlugin("writing-style", "SKILL.md", "9.9.9")
	tm.write()
	c := tm.client()
	before := photo(t, tm.home)
	plan, err := c.Sync(t.Context(), pinion.SyncOptions{DryRun: true})
	if err != nil {
		t.Fatal(err)
	}
	after := photo(t, tm.home)
	for name, data := range before {
		if after[name] != data {
			t.Errorf("the dry run changed %s", name)
		}
	}
	if len(after) != len(before) {
		t.Errorf("the dry run left %d files, there were %d", len(after), len(before))
	}
	done, err := c.Sync(t.Context(), pinion.SyncOptions{Allow: both})
	if err != nil {
		t.Fatal(err)
	}
	ids := func(r *pinion.SyncReport) (out []string) {
		for _, in := range r.Installed {
			out = append(out, "installed "+in.ID+" "+in.Version+" "+in.Digest.String())
		}
		for _, s := range r.Activated {
			out = append(out, "activated "+s.ID+" "+s.From+" "+s.To)
		}
		for _, s := range r.Deactivated {
			out = append(out, "deactivated "+s.ID+" "+s.From)
		}
		return out
	}
	if got, want := strings.Join(ids(plan), "\n"), strings.Join(ids(done), "\n"); got != want || len(ids(done)) != 3 {
		t.Errorf("the dry run said\n%s\nthe sync did\n%s", got, want)
	}
	// Switched off is a difference like any other.
	if _, err := c.Disable(t.Context(), ref(t, "writing-style"), pinion.SwitchOptions{Project: true}); err != nil {
		t.Fatal(err)
	}
	if plan, err = c.Sync(t.Context(), pinion.SyncOptions{DryRun: true}); err != nil || len(plan.Activated) != 1 {
		t.Errorf("the dry run for a disabled plugin: %+v, %v", plan, err)
	}
	if done, err = c.Sync(t.Context(), pinion.SyncOptions{}); err != nil || len(done.Activated) != 1 {
		t.Errorf("the sync of a disabled plugin: %+v, %v", done, err)
	}
}

// TestLockBytesAreStillRewritten shows that other bytes under a known version
// are asked about also when a lock file put exactly these into the store before
// the marketplace was known.
func TestLockBytesAreStillRewritten(t *testing.T) { // house "Ledger", security 3.5 rows 81 and 82
	w := newWorld(t)
	skill := func(text string) {
		w.oneClaude(testkit.Files{
			".claude-plugin/plugin.json": testkit.Text(`{"name": "p", "version": "1.0.0", "description": "d"}`),
			"skills/s/SKILL.md":          testkit.Text("---\nname: s\ndescription: d\n---\n" + text + "\n"),
		})
	}
	if err := os.Mkdir(filepath.Join(w.dir, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	p := []pinion.Ref{ref(t, "p")}
	// Another home makes the lock file, of the bytes that come later.
	skill("later")
	home := w.home
	w.home = filepath.Join(t.TempDir(), "other")
	c := w.client()
	if _, err := c.MarketplaceAdd(t.Context(), fileURL(w.repo), market.AddOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Install(t.Context(), p, pinion.InstallOptions{Activate: true, Project: true}); err != nil {
		t.Fatal(err)
	}
	w.home = home
	c = w.client()
	if r, err := c.Sync(t.Context(), pinion.SyncOptions{}); err != nil || len(r.Installed) != 1 {
		t.Fatalf("sync: %+v, %v", r, err)
	}
	skill("first")
	if _, err := c.MarketplaceAdd(t.Context(), fileURL(w.repo), market.AddOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Install(t.Context(), p, pinion.InstallOptions{}); err != nil {
		t.Fatal(err)
	}
	skill("later")
	if _, err := c.MarketplaceRefresh(t.Context(), nil, market.RefreshOptions{}); err != nil {
		t.Fatal(err)
	}
	if r, err := c.Install(t.Context(), p, pinion.InstallOptions{}); exitCode(err) != 5 {
		t.Errorf("install of rewritten bytes: %+v, %v; want the grant asked for", r, err)
	}
}
