package compat_test

import (
	"fmt"

	"pinion/compat"
)

func ExampleCatalog() {
	data := []byte(`{"name": "acme", "owner": {"name": "Acme"}, "plugins": [{"name": "zip", "source": {"source": "archive", "url": "https://example.com/a.zip"}}]}`)
	for _, h := range []compat.Host{compat.Claude, compat.Codex, compat.Copilot} {
		v := compat.Catalog(compat.Newest(h), ".claude-plugin/marketplace.json", data, compat.Repo{})
		fmt.Printf("%s: %s, complete %q\n", h.Title(), v.Outcome, v.Complete)
	}
	// Output:
	// Claude Code: yes, complete "2.1.224"
	// Codex: partly, complete ""
	// Copilot CLI: no, complete ""
}
