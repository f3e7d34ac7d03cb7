package claude

import (
	"slices"

	"pinion/manifest"
	"pinion/manifest/component"
)

// settingsFile reads the settings that a plugin brings; the host ignores a
// broken file.
func (l *loader) settingsFile(p string) {
	if root, ok := l.JSON(p, manifest.OtherComponent, component.Lenient()); ok {
		l.settings(root)
	}
}

// settings lists the two settings that the host takes from a plugin.
func (l *loader) settings(v component.Value) {
	if line, ok := v.Get("subagentStatusLine"); ok {
		if command, _ := line.Get("command"); command.Text() != "" {
			l.Component(manifest.Component{Type: manifest.HookComponent, Name: "subagentStatusLine", Path: v.File(), Detail: command.Text()})
			l.Program(command)
		}
	}
	if agent, _ := v.Get("agent"); agent.Text() != "" {
		l.Component(manifest.Component{Type: manifest.OtherComponent, Name: agent.Text(), Path: v.File(), Detail: "main agent"})
	}
}

// channels lists the servers whose messages reach the agent by themselves.
func (l *loader) channels(v component.Value) {
	if v.Kind() != '[' {
		l.Report(v, ruleType.Report("\"channels\" is %s, want a list", v.Found()))
		return
	}
	for _, c := range v.Elements() {
		server, _ := c.Get("server")
		if server.Text() == "" {
			l.Report(c, ruleType.Report("a channel needs the name of its \"server\""))
			continue
		}
		l.Component(manifest.Component{Type: manifest.OtherComponent, Name: server.Text(), Path: v.File(), Detail: "channel"})
		for _, m := range c.Members() {
			switch m.Key {
			case "server", "displayName":
			case "userConfig":
				l.userConfig(m.Value, "channels.userConfig")
			default:
				l.Report(m.Value, ruleType.Report("the channel %q has the unknown key %q", component.Clip(server.Text()), component.Clip(m.Key)))
			}
		}
	}
}

// userConfig reads the values that the plugin asks its user for.
func (l *loader) userConfig(v component.Value, field string) {
	if v.Kind() != '{' {
		l.Report(v, ruleType.Report("%q is %s, want an object", field, v.Found()))
		return
	}
	for _, s := range v.Members() {
		if why, at := settingFault(s); why != "" {
			l.Report(at, ruleUserConfig.Report("the setting %q %s", component.Clip(s.Key), why))
		}
		l.setting(s)
	}
}

func (l *loader) setting(s component.Member) {
	title, _ := s.Get("title")
	description, _ := s.Get("description")
	secret, _ := s.Get("sensitive")
	required, _ := s.Get("required")
	l.m.Settings = append(l.m.Settings, manifest.Setting{
		Key: s.Key, Label: title.Text(), Description: description.Text(),
		Secret: secret.Kind() == 't', Required: required.Kind() == 't',
	})
	l.Component(manifest.Component{Type: manifest.SettingComponent, Name: s.Key, Path: s.File(), Detail: title.Text()})
}

// settingFault returns why the host refuses a setting, and where.
func settingFault(s component.Member) (why string, at component.Value) {
	switch {
	case !isIdentifier(s.Key):
		return "needs a key of letters, digits and _, not beginning with a digit", s.Value
	case s.Kind() != '{':
		return "is " + s.Found() + ", want an object", s.Value
	}
	typ, ok := s.Get("type")
	if !slices.Contains([]string{"string", "number", "boolean", "directory", "file"}, typ.Text()) {
		if !ok {
			typ = s.Value
		}
		return "needs a \"type\" of string, number, boolean, directory or file", typ
	}
	for _, key := range []string{"title", "description"} {
		if v, _ := s.Get(key); v.Kind() != '"' {
			return "needs the text \"" + key + "\"", s.Value
		}
	}
	for _, m := range s.Members() {
		switch m.Key {
		case "type", "title", "description":
		case "sensitive", "required", "multiple":
			if !m.IsBool() {
				return "has \"" + m.Key + "\" that is not true or false", m.Value
			}
		case "min", "max":
			if m.Kind() != '0' {
				return "has \"" + m.Key + "\" that is no number", m.Value
			}
		case "default":
			if k := m.Kind(); k == '{' || k == 'n' {
				return "has a \"default\" that is " + m.Found(), m.Value
			}
		default:
			return "has the unknown key \"" + component.Clip(m.Key) + "\"", m.Value
		}
	}
	return "", s.Value
}

func isIdentifier(s string) bool {
	for i, r := range s {
		if r != '_' && !isAlnum(r) || i == 0 && '0' <= r && r <= '9' {
			return false
		}
	}
	return s != ""
}
