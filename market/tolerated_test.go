package market_test

import (
	"testing"

	"pinion/internal/testkit"
	"pinion/manifest"
	"pinion/market"
	"pinion/pkgfmt"
	"pinion/tree"
)

// TestTolerated shows that a plugin of which the host loads all but a part can
// be installed, and that one which the host refuses can not. The verdicts are
// those of Claude Code 2.1.332.
func TestTolerated(t *testing.T) {
	w := newWorld(t)
	files := testkit.Files{".claude-plugin/marketplace.json": testkit.Text(`{"name": "acme", "owner": {"name": "Acme"}, "plugins": [
		{"name": "hooks-list", "source": "./hooks-list"}, {"name": "secret", "source": "./secret"},
		{"name": "hooks-syntax", "source": "./hooks-syntax"}, {"name": "missing", "source": "./missing", "skills": ["./nope"]},
		{"name": "gate", "source": "./gate"}, {"name": "manifest", "source": "./manifest"}]}`),
		"hooks-list/hooks/hooks.json":         testkit.Text("[]\n"),
		"hooks-syntax/hooks/hooks.json":       testkit.Text(`{"hooks": nope`),
		"secret/.npmrc":                       testkit.Text("registry=https://registry.example.com/\n"),
		"missing/.claude-plugin/plugin.json":  testkit.Text(`{"name": "missing"}`),
		"gate/hooks/hooks.json":               testkit.Text(`{"hooks": {"PreToolUse": [{"hooks": [{"type": "x"}]}]}}`),
		"manifest/.claude-plugin/plugin.json": testkit.Text(`{"name": "manifest",}`),
	}
	for _, dir := range []string{"hooks-list", "hooks-syntax", "secret", "missing", "gate", "manifest"} {
		files[dir+"/skills/ok/SKILL.md"] = testkit.Text("---\nname: ok\ndescription: d\n---\n")
	}
	w.repo.Commit("main", files)
	w.add(market.AddOptions{})
	for id, want := range map[string]struct {
		status market.Status
		kind   manifest.Kind
	}{
		"hooks-list":   {market.Ready, manifest.Skill},
		"hooks-syntax": {market.Ready, manifest.Extension}, // another reader may find hooks in it
		"secret":       {market.Ready, manifest.Skill},
		"missing":      {market.Ready, manifest.Skill},
		"gate":         {market.Unavailable, manifest.Extension},
		"manifest":     {market.Unavailable, manifest.Skill},
	} {
		p := w.plugin(id)
		if p.Status != want.status || p.Kind != want.kind || p.Notes == 0 && want.status == market.Ready {
			t.Errorf("%s: %s %s with %d warnings, want %s %s (%s)", id, p.Status, p.Kind, p.Notes, want.status, want.kind, p.Why)
		}
		if p.Status != market.Ready {
			continue
		}
		err := w.ms.Fetch(t.Context(), w.url(), p.Origin, func(tr *tree.Tree, at pkgfmt.Place) error {
			pkg := loader().Load(tr, at)
			if !pkg.Problems.HasErrors() {
				t.Errorf("%s: its author sees no error: %v", id, pkg.Problems)
			}
			_, err := pkg.Verify(p.Digest)
			return err
		})
		if err != nil {
			t.Errorf("%s cannot be verified: %v", id, err)
		}
	}
}
