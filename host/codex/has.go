package codex

import (
	"context"

	"pinion/host"
)

// Installed returns the plugins that Codex has by itself.
func (Adapter) Installed(ctx context.Context, p host.Place) ([]host.Installed, error) {
	list, err := InstalledPlugins(ctx, p)
	if err != nil {
		return nil, err
	}
	return host.WithSwitches(list, nil, func(full string) host.Item {
		return host.NewKey(switches(p), host.TOML, false, "plugins", full, "enabled")
	}), nil
}
