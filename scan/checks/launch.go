package checks

import (
	"sync"

	"pinion/internal/syntax"
	"pinion/scan"
	"pinion/scan/launch"
)

// launches is noted for a text with a command that fetches something.
const launches scan.Fact = "launches"

// launching reports what is fetched when the plugin is used and is not covered
// by the package's digest.
func launching() scan.Check {
	npm := sync.OnceValue(func() lookalikeNames { return namesOf(famousNPM, nearNPM) })
	pypi := sync.OnceValue(func() lookalikeNames { return namesOf(famousPyPI, nearPyPI) })
	return scan.Check{
		Name: "launch",
		Rules: []scan.Rule{{
			ID: "launch/unpinned", Level: scan.Medium, Since: "0.2.0",
			Title: "a server or hook fetches code that no pin covers",
			Help: "The host starts a command that fetches a package, image or repository without an exact version, so what runs tomorrow may be something else than what was reviewed today. " +
				"Whoever controls that name controls the machine. Exact versions (npm name@1.2.3, PyPI name==1.2.3, image@sha256:…, git+…@COMMIT) are launch/pinned; programs that are on the machine already are not reported.",
			Fix:     "name one exact version, image digest or full commit in the command",
			Example: `{"mcpServers": {"notes": {"command": "npx", "args": ["-y", "notes-server@latest"]}}}`,
		}, {
			ID: "launch/unpinned-script", Level: scan.Low, Since: "0.2.0",
			Title: "a script or instruction fetches code without a version",
			Help: "A script of the package, or a command that the instructions tell the agent to run, fetches a package, image or repository without an exact version. " +
				"It happens only when somebody runs it, so it weighs less than a server the host starts. Plain installs from a registry (pip install name, npm install) are not reported.",
			Fix:     "name an exact version where the command is meant to be copied",
			Example: "uvx notes-tool --help",
		}, {
			ID: "launch/remote-server", Level: scan.Medium, Since: "0.2.0",
			Title: "a server of the plugin is somewhere else",
			Help: "The tools of an MCP server at an address are whatever its operator serves at that moment; neither digest nor review covers them, and requests and their content go there. " +
				"Servers on the own machine are not reported.",
			Fix:     "say in the description who runs the server, or ship the server with the plugin",
			Example: `{"mcpServers": {"notes": {"type": "http", "url": "https://mcp.notes.example/"}}}`,
		}, {
			ID: "launch/pinned", Level: scan.Info, Since: "0.2.0",
			Title: "a server or hook fetches one exact version",
			Help:  "What the host starts comes from a registry or repository at an exact version. It is not part of the package and is not scanned, but it does not change by itself. Its own dependencies may.",
			Fix:   "nothing to do; ship the program with the plugin if it should be scanned too",
		}, lookalikeRule},
		Hints: launch.Hints(),
		Text: func(p *scan.Pass, t *scan.Text) {
			if !launch.Commands(t) {
				return
			}
			switch n := len(launch.InText(t, launchScript(p, t))); {
			case n >= launch.MaxFetches:
				p.Incomplete("more commands that fetch something than are listed")
				fallthrough
			case n > 0:
				p.Note(launches, t, 0, len(t.Data), "")
			}
		},
		Package: func(p *scan.Pass) {
			list := launchFetches(p)
			reportLaunches(p, list)
			reportLookalikes(p, list, npm(), pypi())
		},
	}
}

// launchScript parses a text when it is shell, and takes what reading it costs
// otherwise.
func launchScript(p *scan.Pass, t *scan.Text) *syntax.Script {
	if t.Lang == scan.Shell {
		return p.Script(t)
	}
	p.Spend(2 * len(t.Data))
	return nil
}

func reportLaunches(p *scan.Pass, list []launch.Fetch) {
	type place struct {
		file, name string
		line       int
	}
	seen := map[place]bool{} // a string of code is a text of its own too
	for _, f := range list {
		at := place{f.File, f.Name, f.Line}
		if seen[at] {
			continue
		}
		seen[at] = true
		rule := launchRule(f)
		if rule == "" {
			continue
		}
		message := launchWords(f)
		if f.Text == nil {
			level := scan.Medium
			if rule == "launch/pinned" {
				level = scan.Info
			}
			p.ReportFile(level, rule, "", "the catalog entry: %s", message)
			continue
		}
		p.Report(rule, f.Text, f.Start, f.End, "%s", message)
	}
}

// launchFetches returns everything that the package fetches, from the texts that were
// noted and from configurations.
func launchFetches(p *scan.Pass) []launch.Fetch {
	c := launch.NewContext(p.Package)
	out := c.Entry()
	for _, n := range p.AllFacts(launches) {
		var script *syntax.Script
		if n.Text.Lang == scan.Shell {
			script = p.Script(n.Text) // parsed before, so it costs nothing
		}
		out = append(out, c.Text(n.Text, script)...)
	}
	for _, f := range p.Package.Tree.Files {
		if f.Size <= maxConfig && launch.IsConfig(f.Path, f.Data) {
			file, texts := scan.FileTexts(f.Path, f.Exec, f.Data)
			list := c.Config(file, texts)
			if len(list) >= launch.MaxFetches {
				p.Incomplete("%s: more servers than are listed", f.Path)
			}
			out = append(out, list...)
		}
	}
	return out
}

// maxConfig is the largest configuration whose servers are listed. Real ones
// stay below 100 KiB; the strings of a larger one are scanned like all others.
const maxConfig = 1 << 20

// launchRule is the rule that a fetch is reported by, "" for none.
func launchRule(f launch.Fetch) string {
	host := f.Starts == launch.Host
	switch {
	case f.Remote():
		if host {
			return "launch/remote-server"
		}
	case f.Pinned:
		if host {
			return "launch/pinned"
		}
	case host:
		return "launch/unpinned"
	case f.Tool == "git clone", f.Installs() && (f.Ecosystem == launch.NPM || f.Ecosystem == launch.PyPI):
		// Everybody's documentation says how to install things.
	default:
		return "launch/unpinned-script"
	}
	return ""
}

func launchWords(f launch.Fetch) string {
	name, version := scan.Escape(f.Name, 80), scan.Escape(f.Version, 80)
	switch {
	case f.Remote():
		return "the server is at " + name
	case f.Pinned:
		return f.Tool + " fetches " + name + " " + version
	case version == "":
		return f.Tool + " fetches " + name + " without a version"
	case f.Ecosystem == launch.OCI:
		return f.Tool + " fetches " + name + ":" + version + ", and a tag can be moved"
	}
	return f.Tool + " fetches " + name + " at " + version + ", which is no exact version"
}
