package hostcheck

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
)

// SkillsInstaller runs the `skills` command in the session's working directory.
type SkillsInstaller struct{ s *Session }

// NewSkillsInstaller returns the client in a session.
func NewSkillsInstaller(s *Session) SkillsInstaller { return SkillsInstaller{s} }

// Add takes every skill that it finds in a directory, as a copy for Claude Code.
func (k SkillsInstaller) Add(ctx context.Context, dir string) (Reply, error) {
	res, err := k.s.Run(ctx, SkillsClient, "add", dir, "--agent", "claude-code", "--skill", "*", "--copy", "--yes")
	if err != nil {
		return Reply{}, err
	}
	return k.s.reply(res), nil
}

// InstalledSkill is one skill in the installer's list.
type InstalledSkill struct {
	Name   string `json:"name"`
	Path   string `json:"path"`
	Source string `json:"source"` // the directory that it was added from
}

// List returns the skills of the working directory.
func (k SkillsInstaller) List(ctx context.Context) ([]InstalledSkill, error) {
	res, err := k.s.Run(ctx, SkillsClient, "list", "--json")
	if err != nil {
		return nil, err
	}
	var list []InstalledSkill
	if err := json.Unmarshal(res.Stdout, &list); err != nil {
		return nil, fmt.Errorf("skills list: %w", err)
	}
	return list, nil
}

// inventory are the skills by the names of their directories, which is what
// the hosts will see.
func skillInventory(list []InstalledSkill) Inventory {
	inv := Inventory{}
	for _, s := range list {
		inv.add(skillType, filepath.Base(s.Path))
	}
	return inv.sorted()
}
