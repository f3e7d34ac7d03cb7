package checks

import (
	"bytes"
	"path"
	"strings"

	"pinion/scan"
)

// permissionValue looks at one value, or name of a member, of a document.
func permissionValue(p *scan.Pass, f *scan.File, t *scan.Text) {
	last := strings.ToLower(path.Base(t.Pointer))
	list := last
	if strings.Trim(last, "0123456789") == "" {
		list = strings.ToLower(path.Base(path.Dir(t.Pointer)))
	}
	value := strings.TrimSpace(string(t.Data))
	if list == "allowed-tools" || list == "allowed_tools" || list == "allowedtools" {
		if w := broadTool(value); w != "" && isReadByModel(f.Path) {
			p.Report(ruleBroad, t, 0, len(t.Data), "%s is allowed without a limit", w)
		} else if w != "" && isSettings(f) {
			setsPolicy(p, f, t, w+" is allowed without a limit")
		}
		return
	}
	switch {
	case list == "allow" && strings.Contains(strings.ToLower(t.Pointer), "permissions/allow"):
		if w := broadTool(value); w != "" {
			setsPolicy(p, f, t, w+" is allowed without a limit")
		}
	case last == "defaultmode" || last == "permissionmode":
		if !strings.EqualFold(value, "bypassPermissions") && !strings.EqualFold(value, "dontAsk") {
			return
		}
		if t.Pointer == "/permissionMode" && f.Lang == scan.Markdown && isReadByModel(f.Path) {
			p.Report(rulePolicy, t, 0, len(t.Data), "the agent runs with permission checks switched off")
			return
		}
		setsPolicy(p, f, t, "permission checks are switched off")
	case last == "approval_policy" && value == "never", last == "sandbox_mode" && value == "danger-full-access":
		setsPolicy(p, f, t, "the agent acts without asking or without a sandbox")
	case last == "autoapprove" || list == "autoapprove" || last == "alwaysallow" || list == "alwaysallow":
		// An empty list approves nothing; a name of a tool is somebody's choice.
		if value == "*" {
			setsPolicy(p, f, t, "every tool is approved without a question")
		} else if list != last && value != "" {
			p.ReportAs(settingsLevel(f, scan.Medium), rulePolicy, t, 0, len(t.Data), "the tool %q is approved without a question", cutText(value, 60))
		} else if isTrue(f, t) {
			setsPolicy(p, f, t, "every tool is approved without a question")
		}
	case isPolicyFlag(last) && strings.EqualFold(value, last) && isTrue(f, t):
		setsPolicy(p, f, t, "\""+cutText(value, 60)+"\" is switched on")
	}
}

// isPolicyFlag reports whether a member switches questions off when it is true.
func isPolicyFlag(name string) bool {
	switch name {
	case "enableallprojectmcpservers", "skipdangerousmodepermissionprompt", "dangerouslyskippermissions", "bypasspermissionsmodeaccepted", "trust", "yolo",
		"chat.tools.autoapprove", "chat.tools.global.autoapprove", "hastrustdialogaccepted", "autoapproveall", "alwaysallowall":
		return true
	}
	return false
}

// isTrue reports whether the member whose name t is has the value true.
func isTrue(f *scan.File, t *scan.Text) bool {
	if !t.Verbatim() {
		return false
	}
	rest := f.Data[min(t.Offset(len(t.Data)), len(f.Data)):]
	rest = bytes.TrimLeft(rest[:min(len(rest), 80)], "\"' \t\r\n")
	rest, ok := bytes.CutPrefix(rest, []byte(":"))
	return ok && bytes.HasPrefix(bytes.TrimLeft(rest, " \t\r\n"), []byte("true"))
}

// broadTool returns the word of a list of tools that allows anything.
func broadTool(value string) string {
	depth, start := 0, 0
	for i := 0; i <= len(value); i++ {
		switch {
		case i < len(value) && value[i] == '(':
			depth++
			continue
		case i < len(value) && value[i] == ')':
			depth--
			continue
		case i < len(value) && (depth > 0 || value[i] != ',' && value[i] != ' '):
			continue
		}
		switch word := strings.Trim(value[start:i], " \t\"'[]"); word {
		case "*", "Bash", "Bash(*)", "Bash(*:*)", "Bash(**)", "mcp__*":
			return word
		}
		start = i + 1
	}
	return ""
}

// setsPolicy reports a setting by where it stands: in a settings file of the
// package it acts, in a document it is an example.
func setsPolicy(p *scan.Pass, f *scan.File, t *scan.Text, what string) {
	p.ReportAs(settingsLevel(f, scan.High), rulePolicy, t, 0, len(t.Data), "%s", what)
}

func settingsLevel(f *scan.File, level scan.Level) scan.Level {
	switch {
	case isSettings(f):
		return level
	case f.Lang == scan.Markdown && isReadByModel(f.Path):
		return scan.Medium
	}
	return scan.Info
}
