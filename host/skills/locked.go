package skills

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"pinion/host"
	"pinion/internal/syntax"
)

// source is what a lock file of the skills program says of one skill. It records
// no commit, only a hash of what it read, which its own copy need not have.
//
// skills 1.7.4: skills-lock.json (version 1) in a project, .skill-lock.json
// (version 3) in ~/.agents or $XDG_STATE_HOME/skills for the user; sourceType is
// "github", "git" (with the URL) or "local".
type source struct {
	Source     string `json:"source"`
	SourceType string `json:"sourceType"`
	SourceURL  string `json:"sourceUrl"`
	Ref        string `json:"ref"`
	PinnedRef  string `json:"pinnedRef"` // written by gh skill
	SkillPath  string `json:"skillPath"` // of its SKILL.md in the repository
}

// lockFile is the part of both lock files that is read.
type lockFile struct {
	Version int               `json:"version"`
	Skills  map[string]source `json:"skills"`
}

// locked reads the lock file of the scope. One that is not there is empty.
func (a Adapter) locked(pl host.Place) (lockFile, error) {
	dir, name := filepath.Join(pl.Home, ".agents"), ".skill-lock.json"
	if x := pl.Getenv("XDG_STATE_HOME"); filepath.IsAbs(x) {
		if l, err := readLock(filepath.Join(x, "skills"), name); err != nil || l.Skills != nil {
			return l, err
		}
	}
	if pl.Project != "" {
		dir, name = pl.Project, "skills-lock.json"
	}
	return readLock(dir, name)
}

func readLock(dir, name string) (lockFile, error) {
	var l lockFile
	data, err := host.ReadState(dir, name, host.MaxState)
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err != nil {
		return l, fmt.Errorf("read %s: %w", filepath.Join(dir, name), err)
	}
	if problems := syntax.Decode(data, &l, syntax.Options{}); l.Version == 0 && len(problems) > 0 {
		return lockFile{}, fmt.Errorf("read %s: %w", filepath.Join(dir, name), problems.Err())
	}
	return l, nil
}

// fill adds where a skill came from.
func (l lockFile) fill(in *host.Installed) {
	s, ok := l.Skills[in.Name]
	switch {
	case !ok:
		in.Why = "no lock file says where it came from"
		return
	case s.SourceType != "github" && s.SourceType != "git" && s.SourceType != "gitlab":
		in.Why = fmt.Sprintf("it came from a source of the kind %q, which is no repository", cmp.Or(s.SourceType, "unknown"))
		return
	}
	in.Source, in.Ref = s.Source, cmp.Or(s.PinnedRef, s.Ref)
	if s.SourceType != "github" && s.SourceURL != "" {
		in.Source = s.SourceURL
	}
	in.Path = path.Dir(s.SkillPath)
	if s.SkillPath == "" || !fs.ValidPath(in.Path) || !strings.EqualFold(path.Base(s.SkillPath), "SKILL.md") {
		in.Why = fmt.Sprintf("the lock file has the path %q, which leads to no skill", s.SkillPath)
	}
}
