package locks

import (
	"maps"
	"path"
	"slices"
	"strings"

	"pinion/internal/syntax"
)

// wireSkills is the lock of the skills installer: skills-lock.json in a project,
// version 1, and .skill-lock.json of a user, version 3, which gh skill writes too
// (formats 1.10, 1.11; skills 1.7.4).
type wireSkills struct {
	Version int                   `json:"version"`
	Skills  map[string]syntax.Raw `json:"skills"`
}

// wireSkill has the fields of both.
type wireSkill struct {
	Source     string `json:"source"`     // owner/repo, or an address
	SourceURL  string `json:"sourceUrl"`  // an address
	SourceType string `json:"sourceType"` // github, gitlab, git, local, well-known, …
	Ref        string `json:"ref"`
	PinnedRef  string `json:"pinnedRef"` // gh skill
	SkillPath  string `json:"skillPath"` // of SKILL.md in the repository
	// ComputedHash is of the files (version 1). SkillFolderHash (version 3) is the
	// same where the installer had cloned, and git's own tree id where it or gh had
	// asked GitHub.
	ComputedHash    string `json:"computedHash"`
	SkillFolderHash string `json:"skillFolderHash"`
}

func readProjectSkills(data []byte) (*List, error) { return readSkills(data, 1, "skills") }

func readUserSkills(data []byte) (*List, error) { return readSkills(data, 3, "skills, gh skill") }

func readSkills(data []byte, version int, tool string) (*List, error) {
	var w wireSkills
	found := syntax.Decode(data, &w, syntax.Options{})
	if w.Skills == nil {
		if err := found.Err(); err != nil {
			return nil, &Error{Why: "the lock file cannot be read: " + err.Error()}
		}
		return nil, &Error{Why: `the lock file has no "skills"`}
	}
	if w.Version != version {
		return nil, &Error{
			Why: "the lock file has another version than this Pinion knows",
			Tip: "let a current skills installer write it anew",
		}
	}
	l := &List{Tool: tool}
	for _, name := range slices.Sorted(maps.Keys(w.Skills)) {
		var s wireSkill
		if p, bad := syntax.Decode(w.Skills[name], &s, syntax.Options{}).First(); bad {
			l.leave(name, "its entry cannot be read: %s", p.Message)
			continue
		}
		l.skill(name, s)
	}
	return l, nil
}

func (l *List) skill(name string, s wireSkill) {
	switch s.SourceType {
	case "local":
		l.leave(name, "it lies in a directory of one computer; pinion install DIR takes it as it is there")
		return
	case "well-known":
		l.leave(name, "it comes from a web page's own list and not from a repository; only the skills installer fetches it")
		return
	case "node_modules":
		l.leave(name, "it comes with a package in node_modules, which npm brings")
		return
	case "github", "gitlab", "git", "":
	default:
		l.leave(name, "its source is of the kind %q, which only the skills installer fetches", s.SourceType)
		return
	}
	address := s.SourceURL
	if address == "" {
		address = s.Source
	}
	if s.SkillPath == "" {
		l.leave(name, "its entry does not say where in the repository it is; let a current skills installer write it anew")
		return
	}
	dir, file := path.Split(strings.ReplaceAll(s.SkillPath, `\`, "/"))
	if !strings.EqualFold(file, "SKILL.md") {
		l.leave(name, "its path %q is not that of a SKILL.md", s.SkillPath)
		return
	}
	ref := s.Ref
	if s.PinnedRef != "" {
		ref = s.PinnedRef
	}
	sum := Sum{}
	switch hash := s.ComputedHash + s.SkillFolderHash; {
	case len(hash) == 64 && isHex(hash):
		sum = Sum{skillsHash, hash}
	case len(hash) == 40 && isHex(hash):
		sum = Sum{gitTree, hash}
	case hash != "":
		sum = Sum{unknownHash, hash}
	}
	l.add(name, address, ref, "", dir, sum)
}

func isHex(s string) bool { return strings.Trim(s, "0123456789abcdef") == "" }
