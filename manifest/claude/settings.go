package claude

import (
	"slices"

	"pinion/manifest"
)

// settingsFile reads the settings that a plugin brings; the host ignores a
// broken file.
func (l *loader) settingsFile(p string) {
	if root, ok := l.json(p, lenient()); ok {
		l.settings(root)
	}
}

// settings lists the two settings that the host takes from a plugin.
func (l *loader) settings(v value) {
	if line, ok := v.get("subagentStatusLine"); ok {
		if command, _ := line.get("command"); command.text() != "" {
			l.component(manifest.Component{Type: manifest.HookComponent, Name: "subagentStatusLine", Path: v.file(), Detail: command.text()})
			l.program(command)
		}
	}
	if agent, _ := v.get("agent"); agent.text() != "" {
		l.component(manifest.Component{Type: manifest.OtherComponent, Name: agent.text(), Path: v.file(), Detail: "main agent"})
	}
}

// channels lists the servers whose messages reach the agent by themselves.
func (l *loader) channels(v value) {
	if v.kind() != '[' {
		l.report(v, ruleType.Report("\"channels\" is %s, want a list", v.found()))
		return
	}
	for _, c := range v.elements() {
		server, _ := c.get("server")
		if server.text() == "" {
			l.report(c, ruleType.Report("a channel needs the name of its \"server\""))
			continue
		}
		l.component(manifest.Component{Type: manifest.OtherComponent, Name: server.text(), Path: v.file(), Detail: "channel"})
		for _, m := range c.members() {
			switch m.key {
			case "server", "displayName":
			case "userConfig":
				l.userConfig(m.value, "channels.userConfig")
			default:
				l.report(m.value, ruleType.Report("the channel %q has the unknown key %q", clip(server.text()), clip(m.key)))
			}
		}
	}
}

// userConfig reads the values that the plugin asks its user for.
func (l *loader) userConfig(v value, field string) {
	if v.kind() != '{' {
		l.report(v, ruleType.Report("%q is %s, want an object", field, v.found()))
		return
	}
	for _, s := range v.members() {
		if why, at := settingFault(s); why != "" {
			l.report(at, ruleUserConfig.Report("the setting %q %s", clip(s.key), why))
		}
		l.setting(s)
	}
}

func (l *loader) setting(s member) {
	title, _ := s.get("title")
	description, _ := s.get("description")
	secret, _ := s.get("sensitive")
	required, _ := s.get("required")
	l.m.Settings = append(l.m.Settings, manifest.Setting{
		Key: s.key, Label: title.text(), Description: description.text(),
		Secret: secret.kind() == 't', Required: required.kind() == 't',
	})
	l.component(manifest.Component{Type: manifest.SettingComponent, Name: s.key, Path: s.file(), Detail: title.text()})
}

// settingFault returns why the host refuses a setting, and where.
func settingFault(s member) (why string, at value) {
	switch {
	case !isIdentifier(s.key):
		return "needs a key of letters, digits and _, not beginning with a digit", s.value
	case s.kind() != '{':
		return "is " + s.found() + ", want an object", s.value
	}
	typ, ok := s.get("type")
	if !slices.Contains([]string{"string", "number", "boolean", "directory", "file"}, typ.text()) {
		if !ok {
			typ = s.value
		}
		return "needs a \"type\" of string, number, boolean, directory or file", typ
	}
	for _, key := range []string{"title", "description"} {
		if v, _ := s.get(key); v.kind() != '"' {
			return "needs the text \"" + key + "\"", s.value
		}
	}
	for _, m := range s.members() {
		switch m.key {
		case "type", "title", "description":
		case "sensitive", "required", "multiple":
			if !m.isBool() {
				return "has \"" + m.key + "\" that is not true or false", m.value
			}
		case "min", "max":
			if m.kind() != '0' {
				return "has \"" + m.key + "\" that is no number", m.value
			}
		case "default":
			if k := m.kind(); k == '{' || k == 'n' {
				return "has a \"default\" that is " + m.found(), m.value
			}
		default:
			return "has the unknown key \"" + clip(m.key) + "\"", m.value
		}
	}
	return "", s.value
}

func isIdentifier(s string) bool {
	for i, r := range s {
		if r != '_' && !isAlnum(r) || i == 0 && '0' <= r && r <= '9' {
			return false
		}
	}
	return s != ""
}
