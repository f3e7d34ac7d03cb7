package claude

// events are the names on which the host calls hooks; case counts.
func events() []string {
	return []string{
		"SessionStart", "Setup", "UserPromptSubmit", "UserPromptExpansion", "PreToolUse", "PermissionRequest",
		"PermissionDenied", "PostToolUse", "PostToolUseFailure", "PostToolBatch", "Notification", "MessageDisplay",
		"SubagentStart", "SubagentStop", "TaskCreated", "TaskCompleted", "Stop", "StopFailure", "TeammateIdle",
		"InstructionsLoaded", "ConfigChange", "CwdChanged", "DirectoryAdded", "FileChanged", "WorktreeCreate",
		"WorktreeRemove", "PreCompact", "PostCompact", "Elicitation", "ElicitationResult", "SessionEnd",
	}
}

// gates are the events whose hooks guard permissions: the host applies nothing
// of a plugin in which one of them cannot be loaded.
func gates() []string { return []string{"PreToolUse", "PermissionRequest"} }
