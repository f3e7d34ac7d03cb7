package hostcheck

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"pinion/internal/syntax"
	"pinion/manifest/agentskill"
	"pinion/manifest/mcpb"
	"pinion/problem"
	"pinion/tree"
)

// judgeFormat says whether a validator of one format should be content, by the
// findings of our reader of that format.
func judgeFormat(ctx context.Context, dir *tree.Dir, inside string, client Name) (Answer, error) {
	t, err := read(ctx, dir, inside)
	if err != nil {
		return Answer{}, err
	}
	if client == McpbClient {
		_, found := mcpb.New().Load(t, nil)
		return against(found, func(p problem.Problem) bool { return p.Severity == problem.Error }), nil
	}
	format := agentskill.New()
	m, found := format.Load(t, nil)
	found = append(found, format.CheckName(m, inside)...)
	f := t.Lookup("SKILL.md")
	if f == nil {
		return against(found, strictSkill), nil
	}
	front, _ := agentskill.Front(f.Path, f.Data)
	a := against(found, func(p problem.Problem) bool { return strictSkill(p) && !unseen(p, front) })
	if !a.Loads {
		return a, nil
	}
	// No host reads it, so our reader has no rule for it.
	if c, ok := front.Get("compatibility"); ok && (c.Kind != syntax.String || utf8.RuneCountInString(c.Value) > maxCompatibility) {
		return Answer{Rule: "compatibility is no text of at most 500 characters"}, nil
	}
	for _, field := range front.Fields {
		if !slices.Contains(specificationKeys(), field.Key) {
			return Answer{Rule: "the specification has no key " + field.Key}, nil
		}
	}
	return a, nil
}

// maxCompatibility is the specification's limit, in characters.
const maxCompatibility = 500

// specificationKeys are those that the strict validator accepts. Our reader
// knows more: those that hosts document.
func specificationKeys() []string {
	return []string{"name", "description", "license", "compatibility", "metadata", "allowed-tools"}
}

// strictSkill reports whether a finding is against the specification. Hosts
// load such files, so it is a warning or a note to us.
func strictSkill(p problem.Problem) bool {
	return strings.HasPrefix(p.Rule, "skill/") && p.Rule != "skill/file-name" || strings.HasPrefix(p.Rule, "yaml/")
}

// unseen reports what the specification forbids and skills-ref 0.1.5 does not
// look at: the types of description, allowed-tools and metadata, bytes that are
// not UTF-8, and tags and anchors of YAML.
func unseen(p problem.Problem, front syntax.Front) bool {
	switch p.Rule {
	case "skill/type":
		for _, key := range []string{"description", "allowed-tools", "metadata"} {
			if strings.HasPrefix(p.Message, `"`+key) {
				return true
			}
		}
	case "skill/description":
		d, ok := front.Get("description")
		return ok && d.Kind == syntax.Null
	case "yaml/syntax":
		return strings.Contains(p.Message, "is not UTF-8")
	case "yaml/unsafe":
		return strings.HasPrefix(p.Message, "a tag") || strings.HasPrefix(p.Message, "an anchor")
	}
	return false
}

// against is the answer that the first counted finding gives.
func against(found problem.List, counts func(problem.Problem) bool) Answer {
	for _, p := range found {
		if counts(p) {
			return Answer{Rule: p.Rule + ": " + p.Message}
		}
	}
	return Answer{Loads: true, Has: Inventory{}}
}
