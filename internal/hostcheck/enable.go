package hostcheck

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
)

// bulk is a client that can be told of many plugins at once. One installation
// costs a start of the client, a third of a second of a processor and more.
type bulk interface {
	// enable writes what an installation of local plugins writes. A plugin that
	// an installation would refuse is found by the client when it loads.
	enable(plugins []PluginID) error
}

// Codex copies at its installation, and judges before it copies; Copilot is
// asked through its server, where an installation is cheap.
var _ bulk = Claude{}

// enable writes the two files that `plugin install` writes for a plugin of a
// directory marketplace, which is read in place (claude 2.1.332: the versions
// and paths in installed_plugins.json are not believed).
func (c Claude) enable(plugins []PluginID) error {
	type install struct {
		Scope       string `json:"scope"`
		InstallPath string `json:"installPath"`
		Version     string `json:"version"`
		InstalledAt string `json:"installedAt"`
		LastUpdated string `json:"lastUpdated"`
	}
	const then = "2026-01-01T00:00:00.000Z"
	doc := struct {
		Version int                  `json:"version"`
		Plugins map[string][]install `json:"plugins"`
	}{2, map[string][]install{}}
	dir := filepath.Join(c.s.Home, ".claude")
	for _, p := range plugins {
		path := filepath.Join(dir, "plugins", "cache", p.Market, p.Plugin, "1.0.0")
		doc.Plugins[p.String()] = []install{{"user", path, "1.0.0", then, then}}
	}
	data, err := json.Marshal(doc)
	if err != nil {
		return err
	}
	err = os.WriteFile(filepath.Join(dir, "plugins", "installed_plugins.json"), data, 0o600)
	return errors.Join(err, enableIn(filepath.Join(dir, "settings.json"), plugins))
}

// enableIn adds plugins to enabledPlugins of a settings file.
func enableIn(file string, plugins []PluginID) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	settings, enabled := map[string]any{}, map[string]bool{}
	if err := json.Unmarshal(data, &settings); err != nil {
		return err
	}
	for _, p := range plugins {
		enabled[p.String()] = true
	}
	settings["enabledPlugins"] = enabled
	if data, err = json.Marshal(settings); err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o600)
}
