package checks

import (
	"slices"
	"strings"

	"pinion/internal/syntax"
	"pinion/scan"
)

func persistenceRules() []scan.Rule {
	return []scan.Rule{
		{
			ID: "persistence/start-later", Level: scan.Medium, Since: "0.2.0",
			Title: "something is made to start again by itself",
			Help: "A timer, a service, a login item or a Run key is set up. It stays after the plugin is removed. Listing and removing timers are not reported; " +
				"enabling a service that is there already is low.",
			Fix:     "let the user set it up, and say in the description that the plugin has a service",
			Example: "(crontab -l; echo '@reboot /tmp/a') | crontab -",
		},
		{
			ID: "persistence/authorized-keys", Level: scan.Critical, Since: "0.2.0",
			Title: "a key is added that may log in to this account",
			Help: "A line is added to ~/.ssh/authorized_keys of the machine that the command runs on: the owner of that key can log in from anywhere. " +
				"On another machine, through ssh, and with ssh-copy-id it is low: that is how people set up their own servers.",
			Fix:     "take it out",
			Example: "echo 'ssh-ed25519 AAAA… x' >> ~/.ssh/authorized_keys",
		},
		{
			ID: "persistence/shell-startup", Level: scan.Medium, Since: "0.2.0",
			Title: "commands are added to a file that every shell runs",
			Help: "Lines are written to .bashrc, .zshrc, .profile or a PowerShell profile. They run in every terminal, after the plugin is removed too. " +
				"Adding a directory to PATH or another variable is low.",
			Fix:     "print the line and let the user add it",
			Example: "echo 'curl host.invalid &' >> ~/.bashrc",
		},
		{
			ID: "persistence/git-hooks", Level: scan.Medium, Since: "0.2.0",
			Title: "git is made to run something",
			Help: "core.hooksPath, a template directory or a helper of git is set for all repositories of the user: git then runs it in any of them. " +
				"For the repository at hand, as husky and its like do, it is low.",
			Fix:     "set it for one repository, without --global",
			Example: "git config --global core.hooksPath /tmp/h",
		},
	}
}

func persistence(v *shellView, c *shellCall) {
	for _, r := range append(slices.Clip(c.Redirects), teeTargets(c)...) {
		if strings.HasPrefix(r.Op, ">") && r.Op != ">&" {
			v.written(c, r)
		}
	}
	ops := c.operands()
	switch c.name {
	case "cp", "mv", "install", "ln", "copy-item":
		if len(ops) > 1 {
			v.written(c, syntax.Redirect{Op: ">", Target: syntax.Word{Text: ops[len(ops)-1].text}})
		}
	case "crontab":
		if c.flag("lre") && !c.has("-") {
			break
		}
		if len(ops) > 0 && !v.remote {
			v.later(c, scan.Medium, "crontab sets up a timer")
		}
	case "launchctl":
		if c.has("load", "bootstrap", "submit", "enable") {
			v.later(c, scan.Medium, "launchctl starts a service at every login")
		}
	case "systemctl":
		if c.has("enable") {
			v.later(c, scan.Low, "systemctl enables a service")
		}
	case "update-rc.d", "chkconfig", "rc-update", "loginctl":
		if c.name != "loginctl" || c.has("enable-linger") {
			v.later(c, scan.Low, c.name+" enables a service")
		}
	case "schtasks":
		if c.has("/create", "/Create", "/CREATE") {
			v.later(c, scan.Medium, "schtasks sets up a timer")
		}
	case "register-scheduledtask", "new-service":
		v.later(c, scan.Medium, c.name+" sets up a service")
	case "sc":
		if c.has("create") {
			v.later(c, scan.Medium, "sc sets up a service")
		}
	case "reg", "new-itemproperty", "set-itemproperty":
		all := strings.ToLower(strings.Join(c.texts(), " "))
		if strings.Contains(all, `currentversion\run`) && (c.name != "reg" || c.has("add", "ADD")) {
			v.later(c, scan.Medium, "a Run key starts it at every login")
		}
	case "osascript":
		if all := strings.ToLower(strings.Join(c.texts(), " ")); strings.Contains(all, "make login item") || strings.Contains(all, "make new login item") {
			v.later(c, scan.Medium, "a login item is made")
		}
	case "ssh-copy-id":
		v.report(scan.Low, "persistence/authorized-keys", c, "the user's key is copied to another machine")
	case "add-content", "ac", "out-file", "set-content":
		for _, a := range c.args {
			v.written(c, syntax.Redirect{Op: ">>", Target: syntax.Word{Text: a.text}})
		}
	case "sed", "gsed":
		if c.flag("i") {
			for _, a := range ops {
				if isStartup(a.text) && !strings.Contains(strings.Join(c.texts(), " "), "/d") {
					v.startup(c, a.text, scan.Low)
				}
			}
		}
	case "git":
		v.gitConfig(c)
	}
}

func (v *shellView) later(c *shellCall, level scan.Level, message string) {
	if v.remote {
		level = scan.Low
	}
	v.report(level, "persistence/start-later", c, "%s", message)
	if level >= scan.Medium {
		v.note(persists, c, c.name)
	}
}

// written looks at a file that a command writes.
func (v *shellView) written(c *shellCall, r syntax.Redirect) {
	path := v.expand(r.Target.Text)
	switch {
	case strings.Contains(path, "/.ssh/authorized_keys"), path == "authorized_keys" && r.Op == ">>":
		if v.remote {
			v.report(scan.Low, "persistence/authorized-keys", c, "a key is added on another machine")
			return
		}
		v.report(scan.Critical, "persistence/authorized-keys", c, "a key is added that may log in to this account")
		v.note(persists, c, "authorized_keys")
	case strings.HasPrefix(path, "/etc/cron"), strings.HasPrefix(path, "/var/spool/cron"):
		v.later(c, scan.Medium, "a timer is written to "+scan.Escape(path, 60))
	case strings.Contains(path, "/LaunchAgents/"), strings.Contains(path, "/LaunchDaemons/"), strings.HasPrefix(path, "/etc/systemd/system/"), strings.Contains(path, ".config/systemd/user/"),
		strings.HasPrefix(path, "/lib/systemd/"), strings.HasPrefix(path, "/etc/init.d/"), path == "/etc/rc.local", strings.Contains(path, ".config/autostart/"),
		strings.Contains(strings.ToLower(path), `\start menu\programs\startup`):
		v.later(c, scan.Medium, "a service is written to "+scan.Escape(path, 60))
	case path == "/etc/ld.so.preload":
		v.report(scan.High, "persistence/start-later", c, "a library is loaded into every program")
	case strings.Contains(path, ".git/hooks/") && !strings.HasSuffix(path, "/"):
		v.report(scan.Low, "persistence/git-hooks", c, "a hook is written into the repository")
	case isStartup(path):
		level := scan.Medium
		if setsVariable(v, c) || v.remote {
			level = scan.Low
		}
		v.startup(c, path, level)
	}
}

func (v *shellView) startup(c *shellCall, path string, level scan.Level) {
	v.report(level, "persistence/shell-startup", c, "lines are written to %s", scan.Escape(path, 60))
	if level >= scan.Medium {
		v.note(persists, c, path)
	}
}

func isStartup(path string) bool {
	path = strings.Trim(path, `"'`)
	if strings.EqualFold(path, "$profile") || strings.HasPrefix(strings.ToLower(path), "$profile.") {
		return true
	}
	base := path[strings.LastIndexAny(path, `/\`)+1:]
	switch base {
	case ".bashrc", ".zshrc", ".profile", ".bash_profile", ".zprofile", ".zshenv", ".bash_login", ".zlogin", ".kshrc", ".cshrc", ".bash_aliases":
		return true
	case "config.fish":
		return true
	}
	return path == "/etc/profile" || path == "/etc/bash.bashrc" || path == "/etc/zshrc" || path == "/etc/environment" || strings.HasPrefix(path, "/etc/profile.d/")
}

// setsVariable reports whether what a command writes only sets variables or
// loads the completion and environment of an installed program.
func setsVariable(v *shellView, c *shellCall) bool {
	texts := c.texts()
	for _, r := range c.Redirects {
		if r.Body != "" {
			texts = append(texts, r.Body)
		}
	}
	if c.name == "tee" {
		for i := c.index - 1; i >= 0 && v.calls[i].Pipeline == c.Pipeline; i-- {
			texts = append(texts, v.calls[i].texts()...)
		}
	}
	sets := false
	for _, t := range texts {
		for line := range strings.SplitSeq(strings.ReplaceAll(t, `\n`, "\n"), "\n") {
			line = strings.TrimSpace(line)
			switch {
			case line == "", strings.HasPrefix(line, "#"), strings.HasPrefix(line, "-"), isStartup(line):
			case strings.HasPrefix(line, "export ") || strings.HasPrefix(line, "fpath") || strings.HasPrefix(line, "set -gx") || strings.HasPrefix(line, "fish_add_path") || strings.HasPrefix(line, "alias ") || strings.HasPrefix(line, "autoload ") || assigns(line):
				if strings.Contains(line, "LD_PRELOAD") || strings.Contains(line, "PROMPT_COMMAND") || strings.Contains(line, "BASH_ENV") || strings.Contains(line, "curl") || strings.Contains(line, "wget") {
					return false
				}
				sets = true
			case strings.HasPrefix(line, `eval "$(`) || strings.HasPrefix(line, "eval $(") || strings.HasPrefix(line, "source ") || strings.HasPrefix(line, ". "):
				if strings.Contains(line, "curl") || strings.Contains(line, "wget") || strings.Contains(line, "base64") || strings.Contains(line, "/tmp/") {
					return false
				}
				sets = true
			default:
				return false
			}
		}
	}
	return sets
}

func assigns(line string) bool {
	name, _, ok := strings.Cut(line, "=")
	return ok && isName(name)
}

// gitConfig reports settings of git that make it run something.
func (v *shellView) gitConfig(c *shellCall) {
	for i, a := range c.args {
		low := strings.ToLower(a.text)
		key, _, joined := strings.Cut(low, "=")
		if joined && (i == 0 || c.args[i-1].text != "-c") {
			continue
		}
		switch key {
		case "core.hookspath", "core.fsmonitor", "core.sshcommand", "init.templatedir", "core.pager", "diff.external", "core.editor", "credential.helper", "core.askpass":
		default:
			continue
		}
		set := joined || c.has("config") && i+1 < len(c.args) && !c.has("--get", "--unset", "--unset-all", "get", "unset")
		if !set {
			continue
		}
		value := low[min(len(low), len(key)+1):]
		if !joined {
			value = c.args[i+1].text
		}
		if key == "credential.helper" && !strings.HasPrefix(value, "!") || key == "core.editor" || key == "core.pager" || value == "/dev/null" || value == "" || value == "false" || value == "true" {
			continue
		}
		level := scan.Low
		if c.has("--global", "--system") && key != "core.sshcommand" {
			level = scan.Medium
		}
		v.report(level, "persistence/git-hooks", c, "git is told to run something: %s", scan.Escape(key, 40))
		return
	}
}
