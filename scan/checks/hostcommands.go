package checks

import (
	"path"
	"strings"

	"pinion/internal/syntax"
	"pinion/manifest"
	"pinion/scan"
)

func hostCommandRules() []scan.Rule {
	return []scan.Rule{
		{
			ID: "host/shell-command", Level: scan.Medium, Since: "0.2.0",
			Title: "a server is started through a shell",
			Help: "The command of an MCP server, a language server or a monitor is a shell with a script in its arguments. It can do anything before or beside the server. " +
				"What the script does is judged by the other rules. `cmd /c npx …`, as documentation for Windows has it, and a script file of the package are not reported; " +
				"neither are hooks, which are shell commands always.",
			Fix:     "name the program in \"command\" and its arguments in \"args\"",
			Example: `{"command": "sh", "args": ["-c", "setup; exec server"]}`,
		},
		{
			ID: "host/loader-environment", Level: scan.High, Since: "0.2.0",
			Title: "a variable makes other programs load code",
			Help: "LD_PRELOAD, DYLD_INSERT_LIBRARIES, NODE_OPTIONS=--require, BASH_ENV, PYTHONSTARTUP, PERL5OPT, RUBYOPT, GIT_SSH_COMMAND, PROMPT_COMMAND and their like, " +
				"set for a hook, a server or the agent: code runs inside whatever is started next. Set in a script it is medium. " +
				"Directories of the package in PYTHONPATH or NODE_PATH, memory limits in NODE_OPTIONS and plain `ssh -i` are not reported.",
			Fix:     "take the variable out and start what is needed by name",
			Example: `"env": {"NODE_OPTIONS": "--require /tmp/x.js"}`,
		},
		{
			ID: "host/redirects-agent", Level: scan.High, Since: "0.2.0",
			Title: "the agent's own requests are sent to another server",
			Help: "Settings of the agent set the address of its model service or a proxy: prompts, files and keys then go there. " +
				"For a single MCP server it is low, since gateways are common; the services' own hosts and the machine itself are not reported.",
			Fix:     "leave the choice of the service to the user",
			Example: `"env": {"ANTHROPIC_BASE_URL": "https://host.invalid"}`,
		},
		{
			ID: "host/frequent-hook", Level: scan.Info, Since: "0.2.0",
			Title: "a hook runs on every prompt or tool call",
			Help: "It sees what the user writes, or what each tool gets and returns. It is medium when a script that it names sends data, and high when that goes to a tunnel, " +
				"a paste, a collector of requests or a bare address. Hooks on rare events, such as the start of a session, are not reported.",
			Fix:     "use a matcher for the tools that matter, and say what the hook does with what it sees",
			Example: `"UserPromptSubmit": [{"hooks": [{"type": "command", "command": "./log.sh"}]}]`,
		},
	}
}

// launch is one object of a document that names a command, with its arguments
// and environment.
type launchSpec struct {
	parent  string
	command *scan.Text
	args    []*scan.Text
}

// hostConfigs looks at the commands of documents as a whole: arguments make
// sense only with their command, and variables by their name.
func hostConfigs(p *scan.Pass) {
	var cur launchSpec
	flush := func() {
		if cur.command != nil && len(cur.args) > 0 {
			started(p, &cur)
		}
		cur = launchSpec{}
	}
	for _, t := range p.Texts {
		if t.Pointer == "" || isMemberName(t) || t.Depth > 0 {
			continue
		}
		parent, key := cutPointer(t.Pointer)
		if up, name := cutPointer(parent); strings.EqualFold(name, "env") || strings.EqualFold(name, "environment") {
			variableSet(p, t, up, key)
			continue
		}
		switch {
		case key == "command" || key == "cmd":
			if cur.command != nil || cur.parent != parent {
				args := cur.args
				same := cur.parent == parent && cur.command == nil
				if !same {
					flush()
					args = nil
				}
				cur = launchSpec{parent: parent, args: args}
			}
			cur.command = t
		default:
			up, name := cutPointer(parent)
			if name != "args" && name != "arguments" && name != "command" {
				continue
			}
			if up != cur.parent {
				flush()
				cur.parent = up
			}
			if name == "command" && cur.command == nil { // "command": ["sh", "-c", …]
				cur.command = t
				continue
			}
			cur.args = append(cur.args, t)
		}
	}
	flush()
}

func cutPointer(pointer string) (parent, last string) {
	i := strings.LastIndexByte(pointer, '/')
	if i < 0 {
		return "", pointer
	}
	last = pointer[i+1:]
	if strings.IndexByte(last, '~') >= 0 {
		last = strings.ReplaceAll(strings.ReplaceAll(last, "~1", "/"), "~0", "~")
	}
	return pointer[:i], last
}

// started judges a command and its list of arguments.
func started(p *scan.Pass, l *launchSpec) {
	command := strings.TrimSpace(string(l.command.Data))
	words := []syntax.Word{{Text: command, Literal: true}}
	size := len(command)
	for _, a := range l.args {
		words = append(words, syntax.Word{Text: string(a.Data), Literal: true})
		size += len(a.Data)
	}
	if len(words) > 1_000 || !p.Spend(size) {
		return
	}
	at := l.command
	for _, a := range l.args {
		if len(a.Data) > 20 || strings.ContainsAny(string(a.Data), " |;") {
			at = a // the script is what to look at
			break
		}
	}
	script := &syntax.Script{Commands: []syntax.Command{{Words: words, Pipeline: 1, Stages: 1, Parent: -1}}}
	w := weightOf(at)
	v := &shellView{p: p, t: at, script: script, weight: w, end: len(at.Data), shared: &shellShared{seen: map[string]bool{}}}
	v.read()
	judge(v.shared.views)

	c := &v.calls[0]
	if strings.Contains(l.parent, "hooks") || !isHostConfig(l.command, l.parent) || !isShellProgram(c.name) && c.name != "powershell" && c.name != "pwsh" {
		return
	}
	if _, i := c.value("-c", "-Command", "-command"); i >= 0 {
		level := scan.Medium
		if l.command.File.Lang == scan.Markdown {
			level = scan.Low
		}
		p.ReportAs(level, "host/shell-command", at, 0, len(at.Data), "%s runs a script from its arguments", c.name)
	}
}

// isHostConfig reports whether a document is one that a host reads.
func isHostConfig(t *scan.Text, parent string) bool {
	base := strings.ToLower(path.Base(t.File.Path))
	switch {
	case base == ".mcp.json" || base == "mcp.json" || base == "plugin.json" || base == "config.toml" || base == "hooks.json" || base == "marketplace.json" || base == "manifest.json",
		strings.HasPrefix(base, "settings") && strings.HasSuffix(base, ".json"), strings.HasPrefix(base, "hooks") && strings.HasSuffix(base, ".json"):
		return true
	}
	return strings.Contains(parent, "mcpServers") || strings.Contains(parent, "mcp_servers") || strings.Contains(parent, "/servers/") || strings.Contains(parent, "lspServers")
}

// variableSet judges one variable of the environment that a document sets.
func variableSet(p *scan.Pass, t *scan.Text, parent, name string) {
	if !isHostConfig(t, parent) {
		return
	}
	value := string(t.Data)
	if level, what := loaderVariable(name, value); level > scan.Info {
		if weightOf(t) != asRun || t.File.Lang == scan.Markdown {
			level = min(level, scan.Medium)
		}
		p.ReportAs(level, "host/loader-environment", t, 0, len(t.Data), "%s %s", scan.Escape(name, 40), what)
	}
	if host, what := redirected(name, value); host != "" {
		level := scan.High
		if parent != "" || t.File.Lang == scan.Markdown { // of one server only
			level = scan.Low
		}
		p.ReportAs(level, "host/redirects-agent", t, 0, len(t.Data), "%s sends %s to %s", scan.Escape(name, 40), what, scan.Escape(host, 60))
	}
	if (name == "NODE_TLS_REJECT_UNAUTHORIZED" && value == "0") || (name == "PYTHONHTTPSVERIFY" && value == "0") || (name == "GIT_SSL_NO_VERIFY" && value != "" && value != "0") {
		p.ReportAs(scan.Medium, "weaken/tls", t, 0, len(t.Data), "%s: certificates are not checked", name)
	}
}

// loaderVariable says how much a variable weighs that changes what programs
// load; Info means that it does not matter.
func loaderVariable(name, value string) (scan.Level, string) {
	value = strings.TrimSpace(value)
	if value == "" {
		return scan.Info, ""
	}
	switch name {
	case "LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES":
		return scan.High, "loads a library into every program"
	case "BASH_ENV", "PYTHONSTARTUP", "PROMPT_COMMAND", "PERL5DB", "PERL5OPT", "RUBYOPT", "GIT_EXTERNAL_DIFF", "GIT_PROXY_COMMAND", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "PYTHONINSPECT", "GIT_TEMPLATE_DIR":
		if (name == "JAVA_TOOL_OPTIONS" || name == "_JAVA_OPTIONS") && !strings.Contains(value, "-javaagent") && !strings.Contains(value, "-agentpath") || name == "RUBYOPT" && !strings.Contains(value, "-r") || name == "PYTHONINSPECT" {
			return scan.Info, ""
		}
		return scan.High, "runs code in whatever is started next"
	case "GIT_SSH_COMMAND", "GIT_ASKPASS", "SSH_ASKPASS":
		if strings.HasPrefix(value, "ssh ") && !strings.Contains(value, "ProxyCommand") || value == "ssh" || value == "true" || value == "echo" || value == "/bin/true" || value == "/bin/false" || value == "false" {
			return scan.Info, ""
		}
		return scan.High, "makes git run something"
	case "NODE_OPTIONS":
		for _, f := range strings.Fields(value) {
			if f == "-r" || strings.HasPrefix(f, "--require") || strings.HasPrefix(f, "--import") || strings.HasPrefix(f, "--loader") || strings.HasPrefix(f, "--experimental-loader") {
				return scan.High, "loads code into every Node.js program"
			}
		}
	case "PYTHONPATH", "NODE_PATH", "PERL5LIB", "RUBYLIB", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "CLASSPATH", "PYTHONHOME":
		for part := range strings.SplitSeq(value, ":") {
			if strings.HasPrefix(part, "/tmp") || strings.HasPrefix(part, "/var/tmp") || strings.HasPrefix(part, "/dev/shm") || strings.HasPrefix(part, "~") || strings.HasPrefix(part, "$HOME") || strings.HasPrefix(part, "${HOME}") {
				return scan.Medium, "is a directory outside the package"
			}
		}
	}
	return scan.Info, ""
}

// redirected returns the host that a variable sends the agent's requests to, ""
// when it is the service's own.
func redirected(name, value string) (host, what string) {
	switch strings.ToUpper(name) {
	case "ANTHROPIC_BASE_URL", "ANTHROPIC_API_URL", "OPENAI_BASE_URL", "OPENAI_API_BASE", "CLAUDE_CODE_API_BASE_URL", "GEMINI_API_BASE_URL", "GOOGLE_GEMINI_BASE_URL", "ANTHROPIC_BEDROCK_BASE_URL", "ANTHROPIC_VERTEX_BASE_URL":
		what = "prompts and keys"
	case "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY":
		what = "every request"
	default:
		return "", ""
	}
	host = hostOf(value)
	if host == "" || !strings.Contains(value, "://") || isPrivateHost(host) {
		return "", ""
	}
	for _, d := range []string{"anthropic.com", "openai.com", "googleapis.com", "amazonaws.com", "azure.com"} {
		if within(host, d) {
			return "", ""
		}
	}
	return host, what
}

// scriptVariables reports loader variables that a script sets.
func scriptVariables(v *shellView, c *shellCall) {
	if v.remote {
		return
	}
	check := func(name, value string) {
		value = v.expand(value)
		level, what := loaderVariable(name, value)
		if level <= scan.Info || level == scan.Medium && !strings.Contains(value, "/tmp") && !strings.Contains(value, "/dev/shm") {
			return // a script may use a library of its user
		}
		if v.t.Role != scan.Command {
			level = min(level, scan.Medium)
		}
		v.report(level, "host/loader-environment", c, "%s %s", name, what)
	}
	for _, a := range c.Assigns {
		if len(c.Words) > 0 || c.name == "export" { // a plain assignment reaches no other program
			check(a.Name, a.Value.Text)
		}
	}
	for _, a := range c.env {
		check(a.Name, a.Value.Text)
	}
}

// hookPackage reports hooks that see everything, and what their scripts do with
// it.
func hookPackage(p *scan.Pass) {
	if p.Package.Manifest == nil {
		return
	}
	type key struct{ path, event string }
	seen := map[key]bool{}
	for _, c := range p.Package.Manifest.Components {
		if c.Type != manifest.HookComponent || !frequent(c.Name) {
			continue
		}
		sends, drop := "", ""
		for _, n := range p.AllFacts(sendsData, dropHost) {
			file := n.Text.File.Path
			if !strings.Contains(c.Detail, path.Base(file)) && (file != c.Path || !strings.Contains(c.Detail, n.Detail)) {
				continue
			}
			if n.Fact == dropHost || isDropHost(n.Detail) {
				drop = n.Detail
			}
			if n.Fact == sendsData && sends == "" {
				sends = "another machine"
				if n.Detail != "" {
					sends = n.Detail
				}
			}
		}
		level, why := scan.Info, ""
		switch {
		case sends != "" && drop != "":
			level, why = scan.High, " and sends data to "+scan.Escape(drop, 60)
		case sends != "":
			level, why = scan.Medium, " and sends data to "+scan.Escape(sends, 60)
		}
		k := key{c.Path, c.Name}
		if seen[k] && level == scan.Info {
			continue
		}
		seen[k] = true
		p.ReportFile(level, "host/frequent-hook", c.Path, "a hook runs on every %s%s", scan.Escape(c.Name, 40), why)
	}
}

// frequent reports whether an event happens at every prompt or tool call.
func frequent(event string) bool {
	switch event {
	case "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolBatch", "MessageDisplay", "userPromptSubmitted", "preToolUse", "postToolUse", "beforeSubmitPrompt",
		"beforeShellExecution", "afterFileEdit", "BeforeTool", "AfterTool", "BeforeModel", "AfterModel", "message_received", "message_sending", "before_tool_call", "after_tool_call":
		return true
	}
	return false
}
