package hostcheck

import "context"

// ValidateSkill asks skills-ref, the strict validator of the Agent Skills
// specification, about the directory of one skill.
func (s *Session) ValidateSkill(ctx context.Context, dir string) (Reply, error) {
	return s.validate(ctx, SkillsRefClient, dir)
}

// ValidateBundle asks mcpb about the manifest of one bundle.
func (s *Session) ValidateBundle(ctx context.Context, manifest string) (Reply, error) {
	return s.validate(ctx, McpbClient, manifest)
}

func (s *Session) validate(ctx context.Context, name Name, path string) (Reply, error) {
	res, err := s.Run(ctx, name, "validate", path)
	if err != nil {
		return Reply{}, err
	}
	return s.reply(res), nil
}
