package checks

import (
	"strings"

	"pinion/scan"
)

func destructiveRules() []scan.Rule {
	return []scan.Rule{
		{
			ID: "destructive/delete", Level: scan.High, Since: "0.2.0",
			Title: "the system or the home directory is deleted",
			Help: "rm -r, find -delete, Remove-Item -Recurse and their like on /, the home directory, a system directory or the user's documents. " +
				"Directories of the project, of caches and of /tmp are not reported.",
			Fix:     "delete the one directory that the plugin made",
			Example: "rm -rf ~/*",
		},
		{
			ID: "destructive/device", Level: scan.High, Since: "0.2.0",
			Title: "a disk is overwritten",
			Help: "dd, mkfs, wipefs, shred or a redirection writes to a disk as a whole. Images in files, /dev/null, and the placeholder /dev/sdX of instructions " +
				"(low) are not reported as high.",
			Fix:     "leave disks to the user",
			Example: "dd if=/dev/zero of=/dev/sda",
		},
		{
			ID: "destructive/permissions", Level: scan.High, Since: "0.2.0",
			Title: "the whole system's permissions or owners are changed",
			Help: "chmod -R or chown -R on /, the home directory or a system directory makes a system unusable, or open to everybody. " +
				"Directories of the project are not reported.",
			Fix:     "change the one directory that needs it",
			Example: "chmod -R 777 /",
		},
		{
			ID: "destructive/fork-bomb", Level: scan.High, Since: "0.2.0",
			Title:   "a function starts itself twice, without end",
			Help:    "It fills the machine with processes until it stops answering. Functions that call themselves once are not reported.",
			Fix:     "take it out",
			Example: ":(){ :|:& };:",
		},
		{
			ID: "destructive/force-push", Level: scan.Medium, Since: "0.2.0",
			Title: "history of a shared branch is overwritten",
			Help: "git push --force to main or master, or a mirror push, takes commits of others away. To another branch it is low; " +
				"--force-with-lease is not reported.",
			Fix:     "push to a branch, or use --force-with-lease",
			Example: "git push --force origin main",
		},
		{
			ID: "destructive/hide-traces", Level: scan.Medium, Since: "0.2.0",
			Title: "history or logs are cleared",
			Help: "The history of the shell or the logs of the system are deleted or switched off, so that nobody sees what was run. " +
				"Logs of the project are not reported.",
			Fix:     "leave history and logs alone",
			Example: "history -c; rm ~/.bash_history",
		},
	}
}

// vital reports whether a path is the system, the home directory, or what a user
// keeps there.
func vital(path string) bool {
	p := strings.Trim(path, `"'`)
	p = strings.NewReplacer("${HOME}", "~", "$HOME", "~", "${home}", "~", "$env:USERPROFILE", "~", "%USERPROFILE%", "~", "$env:HOME", "~", `\`, "/").Replace(p)
	p = strings.TrimSuffix(p, "/")
	p = strings.TrimSuffix(p, "/.*")
	p = strings.TrimSuffix(p, "/*")
	p = strings.TrimSuffix(p, "/.")
	if p == "" && path != "" && strings.ContainsAny(path, `/\`) || p == "~" {
		return true
	}
	switch strings.ToLower(p) {
	case "/bin", "/boot", "/dev", "/etc", "/home", "/lib", "/lib64", "/proc", "/root", "/sbin", "/sys", "/usr", "/usr/bin", "/usr/lib", "/usr/local", "/var", "/var/lib",
		"/opt", "/system", "/users", "/library", "/applications", "/volumes", "/mnt", "c:", "c:/windows", "c:/users", "/c",
		"~/documents", "~/desktop", "~/downloads", "~/pictures", "~/library", "~/.ssh", "~/.gnupg", "~/.config", "~/.aws", "~/.local":
		return true
	}
	return false
}

func destructive(v *shellView, c *shellCall) {
	if v.remote || c.wrappedBy("chroot") {
		return
	}
	switch c.name {
	case "rm", "grm":
		if c.has("--no-preserve-root") {
			v.report(scan.High, "destructive/delete", c, "rm is told not to spare the root directory")
			return
		}
		if c.flag("rR") || c.has("--recursive") {
			v.deleted(c)
		}
		v.traces(c)
	case "del", "erase", "rd", "rmdir":
		if c.has("/s", "/S") {
			v.deleted(c)
		}
	case "remove-item", "ri":
		for _, a := range c.args {
			if low := strings.ToLower(a.text); len(low) > 2 && strings.HasPrefix("-recurse", low) {
				v.deleted(c)
				break
			}
		}
	case "find":
		if len(c.args) > 1 && vital(c.args[0].text) && (c.has("-delete") || c.has("-exec") && (c.has("rm") || c.has("shred"))) {
			level := scan.High
			if c.has("-name", "-iname", "-path", "-mtime", "-type", "-regex", "-user", "-empty", "-xtype") && (c.has("-name", "-iname", "-path", "-mtime", "-regex", "-empty", "-xtype")) {
				level = scan.Medium
			}
			v.report(level, "destructive/delete", c, "find deletes below %s", scan.Escape(c.args[0].text, 40))
		}
	case "dd":
		for _, a := range c.args {
			if target, ok := strings.CutPrefix(a.text, "of="); ok {
				v.device(c, target, "dd")
			}
		}
	case "wipefs", "shred", "blkdiscard", "hdparm", "sgdisk", "parted":
		if c.name == "hdparm" && !strings.Contains(strings.Join(c.texts(), " "), "security-erase") || (c.name == "sgdisk" || c.name == "parted") && !c.has("--zap-all", "-Z", "mklabel") {
			break
		}
		for _, a := range c.operands() {
			v.device(c, a.text, c.name)
		}
		v.traces(c)
	case "diskutil":
		if c.has("eraseDisk", "zeroDisk", "eraseVolume", "secureErase", "partitionDisk") {
			v.report(scan.High, "destructive/device", c, "diskutil erases a disk")
		}
	case "format":
		if len(c.args) > 0 && len(c.args[0].text) == 2 && c.args[0].text[1] == ':' {
			v.report(scan.High, "destructive/device", c, "format erases drive %s", scan.Escape(c.args[0].text, 4))
		}
	case "format-volume", "clear-disk":
		v.report(scan.High, "destructive/device", c, "%s erases a disk", c.name)
	case "vssadmin", "wbadmin":
		if c.has("delete", "Delete") {
			v.report(scan.High, "destructive/delete", c, "%s deletes backups", c.name)
		}
	case "chmod", "chown", "chgrp":
		if c.flag("R") || c.has("--recursive") {
			for _, a := range c.operands() {
				if vital(a.text) && a.text != "~/.ssh" && !strings.HasSuffix(a.text, "/.ssh") && !strings.HasSuffix(a.text, "/.gnupg") {
					level := scan.High
					if !isSystem(a.text) {
						level = scan.Medium
					}
					v.report(level, "destructive/permissions", c, "%s changes everything below %s", c.name, scan.Escape(a.text, 40))
					break
				}
			}
		}
	case "git":
		v.push(c)
	case "history":
		if c.flag("c") {
			v.report(scan.Medium, "destructive/hide-traces", c, "the shell's history is cleared")
		}
	case "unset":
		if c.has("HISTFILE") {
			v.report(scan.Medium, "destructive/hide-traces", c, "the shell's history is switched off")
		}
	case "clear-history", "wevtutil", "clear-eventlog":
		if c.name != "wevtutil" || c.has("cl", "clear-log") {
			v.report(scan.Medium, "destructive/hide-traces", c, "%s clears history or logs", c.name)
		}
	}
	if strings.HasPrefix(c.name, "mkfs") || c.name == "mke2fs" || c.name == "mkswap" {
		for _, a := range c.operands() {
			v.device(c, a.text, c.name)
		}
	}
	if c.Function != "" && c.name == strings.ToLower(c.Function) && c.Stages > 1 && c.Stage == 1 && v.calls[c.index-1].name == c.name {
		v.report(scan.High, "destructive/fork-bomb", c, "the function %s starts itself twice", scan.Escape(c.Function, 20))
	}
	for _, r := range c.Redirects {
		if r.Op == ">" || r.Op == ">|" {
			v.device(c, v.expand(r.Target.Text), "a redirection")
			if isHistory(r.Target.Text) {
				v.report(scan.Medium, "destructive/hide-traces", c, "%s is emptied", scan.Escape(r.Target.Text, 60))
			}
		}
	}
	for _, a := range c.Assigns {
		if a.Name == "HISTFILE" && (a.Value.Text == "/dev/null" || a.Value.Text == "") || (a.Name == "HISTSIZE" || a.Name == "HISTFILESIZE") && a.Value.Text == "0" {
			v.report(scan.Medium, "destructive/hide-traces", c, "the shell's history is switched off")
		}
	}
}

// isSystem tells the system's own directories from the user's.
func isSystem(path string) bool {
	return strings.HasPrefix(path, "/") && path != "/opt" && path != "/usr/local" && path != "/mnt" || strings.HasPrefix(strings.ToLower(path), `c:`)
}

func (v *shellView) deleted(c *shellCall) {
	for _, a := range c.operands() {
		if vital(a.text) {
			v.report(scan.High, "destructive/delete", c, "%s deletes %s", c.name, scan.Escape(a.text, 40))
			return
		}
	}
}

func (v *shellView) traces(c *shellCall) {
	for _, a := range c.operands() {
		if isHistory(a.text) || a.text == "/var/log" || a.text == "/var/log/*" {
			v.report(scan.Medium, "destructive/hide-traces", c, "%s deletes %s", c.name, scan.Escape(a.text, 60))
			return
		}
	}
}

func isHistory(path string) bool {
	for _, s := range []string{"/.bash_history", "/.zsh_history", "/.history", "/fish_history", "/.python_history"} {
		if strings.HasSuffix(path, s) {
			return true
		}
	}
	return false
}

// device reports writing to a disk.
func (v *shellView) device(c *shellCall, path, by string) {
	rest, ok := strings.CutPrefix(path, "/dev/")
	if !ok {
		return
	}
	for _, p := range []string{"sd", "hd", "vd", "xvd", "nvme", "disk", "rdisk", "mmcblk", "mapper/", "md", "dm-"} {
		if strings.HasPrefix(rest, p) && len(rest) > len(p) {
			level := scan.High
			if strings.ContainsAny(rest, "XNY<$") {
				level = scan.Low
			}
			v.report(level, "destructive/device", c, "%s overwrites %s", by, scan.Escape(path, 40))
			return
		}
	}
}

// push reports git push that takes history away.
func (v *shellView) push(c *shellCall) {
	at := -1
	for i, a := range c.args {
		if a.text == "push" {
			at = i
			break
		}
	}
	if at < 0 || c.has("--dry-run", "-n") {
		return
	}
	force := c.has("--force", "-f", "--mirror")
	shared := false
	for i, a := range c.args[at+1:] {
		if strings.HasPrefix(a.text, "--force-with-lease") {
			return
		}
		name := a.text
		if strings.HasPrefix(name, "+") && i > 0 {
			force = true
			name = name[1:]
		}
		if _, to, ok := strings.Cut(name, ":"); ok {
			name = to
		}
		name = strings.TrimPrefix(name, "refs/heads/")
		shared = shared || name == "main" || name == "master"
	}
	switch {
	case !force:
	case shared || c.has("--mirror"):
		v.report(scan.Medium, "destructive/force-push", c, "a shared branch is overwritten")
	default:
		v.report(scan.Low, "destructive/force-push", c, "a branch is overwritten")
	}
}
