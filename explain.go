package pinion

import (
	"cmp"
	"slices"
	"strings"

	"pinion/catalog"
	"pinion/compat"
	"pinion/internal/syntax"
	"pinion/manifest/agentplugins"
	"pinion/manifest/agentskill"
	"pinion/manifest/claude"
	"pinion/manifest/codex"
	"pinion/manifest/component"
	"pinion/manifest/copilot"
	"pinion/manifest/cursor"
	"pinion/manifest/gemini"
	"pinion/manifest/mcpb"
	"pinion/manifest/mcpregistry"
	"pinion/manifest/native"
	"pinion/market"
	"pinion/pkgfmt"
	"pinion/policy"
	"pinion/problem"
	"pinion/scan/checks"
	"pinion/schemas"
	"pinion/tree"
)

// Rules returns every rule that Pinion reports, sorted by id.
func Rules() []problem.Rule {
	rules := slices.Concat(
		syntax.Rules(),
		tree.Rules(),
		component.Rules(),
		native.Rules(),
		claude.Rules(),
		codex.Rules(),
		copilot.Rules(),
		agentplugins.Rules(),
		cursor.Rules(),
		gemini.Rules(),
		mcpb.Rules(),
		mcpregistry.Rules(),
		agentskill.Rules(),
		pkgfmt.Rules(),
		catalog.Rules(),
		compat.Rules(),
		market.Rules(),
		lockRules(),
		storeRules(),
		policy.Rules(),
		checks.Rules(),
		changeRules(),
	)
	slices.SortStableFunc(rules, func(a, b problem.Rule) int { return cmp.Compare(a.ID, b.ID) })
	return slices.CompactFunc(rules, func(a, b problem.Rule) bool { return a.ID == b.ID })
}

// Explain returns one rule. An unknown id is a [*NotFoundError] that names the
// nearest.
func Explain(id string) (problem.Rule, error) {
	var ids []string
	for _, r := range Rules() {
		if r.ID == id {
			return r, nil
		}
		ids = append(ids, r.ID)
	}
	// People type the part after the slash.
	for _, known := range ids {
		if _, name, _ := strings.Cut(known, "/"); name == id {
			return Explain(known)
		}
	}
	group := slices.DeleteFunc(slices.Clone(ids), func(known string) bool { return !strings.HasPrefix(known, strings.TrimSuffix(id, "/")+"/") })
	if len(group) > 0 {
		return problem.Rule{}, notFound("its rules are: "+strings.Join(group, ", "), "%q is a group of rules", id)
	}
	if near, ok := syntax.Nearest(id, ids); ok {
		return problem.Rule{}, notFound("", "no rule %q; did you mean %q?", id, near)
	}
	return problem.Rule{}, notFound("pinion rules lists them", "no rule %q", id)
}

// Schema returns the JSON Schema of a document by name.
func Schema(name string) ([]byte, error) {
	if data, ok := schemas.Get(name); ok {
		return data, nil
	}
	if near, ok := syntax.Nearest(name, schemas.Names()); ok {
		return nil, notFound("", "no schema %q; did you mean %q?", name, near)
	}
	return nil, notFound("there are: "+strings.Join(schemas.Names(), ", "), "no schema %q", name)
}

// Schemas returns the names that [Schema] knows, sorted.
func Schemas() []string { return schemas.Names() }
