package compat

import (
	"bytes"
	"path"
	"strings"

	"pinion/manifest"
	"pinion/tree"
)

// skillsHost is the skills installer, with which people put skills into the
// directories of some eighty agents. Its rules were tried with 1.7.4.
func skillsHost() *host {
	return &host{
		name: Skills, title: "skills",
		first: Version{1, 7, 4}, newest: Version{1, 7, 4},
		rules: []rule{skillsNothing, skillsDropped},
		pkg:   skillsPackage,
	}
}

const skillsTried = "tried with skills 1.7.4"

var (
	skillsNothing = rule{
		id: "nothing", effect: note,
		title: "Nothing that the skills installer finds", help: "It looks for SKILL.md at the top, below skills/ and the directories of agents, and then everywhere down to five levels.",
		fix: "add skills/NAME/SKILL.md", evidence: skillsTried + ", add: \"No valid skills found\"",
	}
	skillsDropped = rule{
		id: "dropped", effect: part,
		title: "A skill that the installer skips", help: "A skill needs frontmatter that is YAML, with a name and a description that are text.",
		fix: "correct the frontmatter", evidence: skillsTried + ", add",
	}
)

func skillsPackage(j *judge, t *tree.Tree, _ Place) {
	dropped := 0
	take := func(f tree.File) {
		s := readSkill(bytes.ToValidUTF8(f.Data, []byte("\ufffd")))
		if !s.front || s.broken || s.name == "" || s.written("description") == "" || !s.nameText && !s.date("name") || !s.exact || !s.descriptionText || s.internal() {
			dropped++
			j.report(skillsDropped, place{file: f.Path, line: 1, column: 1}, "it skips the skill, whose frontmatter has no name or no description that is text")
			return
		}
		j.component(manifest.Component{Type: manifest.SkillComponent, Name: skillsName(s.name), Path: f.Path})
	}
	if f := t.Lookup("SKILL.md"); f != nil {
		take(*f)
	}
	if len(j.components) == 0 {
		for _, dir := range skillsPlaces(t) {
			for _, f := range t.Files {
				rest, ok := strings.CutPrefix(f.Path, dir)
				if ok && base(rest) == "SKILL.md" && strings.Count(rest, "/") == 1 {
					take(f)
				}
			}
		}
	}
	// Only when there is nothing where skills usually lie, it looks everywhere.
	if len(j.components) == 0 {
		for _, f := range t.Files {
			if base(f.Path) == "SKILL.md" && f.Path != "SKILL.md" && strings.Count(f.Path, "/") <= 6 && !skipped(f.Path) {
				take(f)
			}
		}
	}
	switch {
	case len(j.components) > 0:
	case dropped > 0:
		j.found[0].weigh(fatal)
	default:
		j.unread = true
		j.report(skillsNothing, whole(), "there is no skill here")
	}
}

// skillsPlaces are the directories whose own directories are skills, with a
// slash at their end: the package itself, the usual ones, those of agents, and
// those that a Claude plugin's manifest names.
func skillsPlaces(t *tree.Tree) []string {
	out := []string{
		"", "skills/", "skills/.curated/", "skills/.experimental/", "skills/.system/", ".agents/skills/", ".claude/skills/",
		".codex/skills/", ".cursor/skills/", ".gemini/skills/", ".github/skills/", ".opencode/skills/",
	}
	declared, _ := claudeOwn(t)["skills"].([]any) // a single path is not looked at
	for _, p := range texts(declared) {
		if strings.HasPrefix(p, "./") && within(p) {
			out = append(out, inside(p)+"/")
		}
	}
	return out
}

// skipped reports whether the installer does not look into a directory.
func skipped(p string) bool {
	for part := range strings.SplitSeq(path.Dir(p), "/") {
		switch part {
		case "node_modules", ".git", "dist", "build", "__pycache__":
			return true
		}
	}
	return false
}

// skillsName is the directory that the installer makes of a skill's name.
func skillsName(name string) string {
	var b strings.Builder
	dash := false
	for _, r := range strings.ToLower(name) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '.' || r == '_' {
			b.WriteRune(r)
			dash = false
		} else if !dash {
			b.WriteByte('-')
			dash = true
		}
	}
	out := strings.Trim(b.String(), ".-")
	return out[:min(len(out), 255)] // what a directory can be called
}
