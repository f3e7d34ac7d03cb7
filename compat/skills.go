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
		// It takes bytes that are not UTF-8, and NUL, for text.
		s := readSkill(bytes.ReplaceAll(bytes.ToValidUTF8(f.Data, []byte("\ufffd")), []byte{0}, []byte("\ufffd")))
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
		seen := map[string]bool{}
		for _, dir := range skillsPlaces(t) {
			for _, f := range t.Files {
				rest, ok := strings.CutPrefix(f.Path, dir.path)
				if ok && base(rest) == "SKILL.md" && !seen[f.Path] && dir.reaches(t, rest) {
					seen[f.Path] = true
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

// skillsPlace is a directory in which the installer looks for skills.
type skillsPlace struct {
	path  string // with a slash at its end, "" for the package itself
	depth int    // levels of directories
}

// reaches reports whether the installer comes to the SKILL.md at rest below the
// place: not too deep, not through another skill, not through what it skips.
func (p skillsPlace) reaches(t *tree.Tree, rest string) bool {
	dirs := strings.Split(path.Dir(rest), "/")
	if rest == "SKILL.md" || len(dirs) > p.depth {
		return false
	}
	for i := 1; i < len(dirs); i++ {
		above := strings.Join(dirs[:i], "/")
		if t.Lookup(p.path+above+"/SKILL.md") != nil || skipped(above+"/x") {
			return false
		}
	}
	return true
}

// skillsPlaces are the directories in which skills lie: the package itself, the
// usual ones and those of agents, three levels deep (skills 1.7.4, discoverSkills),
// and the directories around the paths that a Claude plugin's manifest lists.
func skillsPlaces(t *tree.Tree) []skillsPlace {
	out := []skillsPlace{{"", 1}}
	for _, usual := range []string{
		"skills/", "skills/.curated/", "skills/.experimental/", "skills/.system/", ".agents/skills/", ".claude/skills/",
		".codex/skills/", ".cursor/skills/", ".gemini/skills/", ".github/skills/", ".opencode/skills/",
	} {
		out = append(out, skillsPlace{usual, 3})
	}
	declared, _ := claudeOwn(t)["skills"].([]any) // of a single path it takes each character for one
	for _, p := range texts(declared) {
		if strings.HasPrefix(p, "./") && within(p) {
			// The path is that of a skill, so what it looks into is the directory
			// above.
			around := path.Dir(path.Clean(p)) + "/"
			if around == "./" {
				around = ""
			}
			out = append(out, skillsPlace{around, 1})
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
