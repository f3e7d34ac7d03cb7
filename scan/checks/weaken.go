package checks

import (
	"strings"

	"pinion/scan"
)

func weakenRules() []scan.Rule {
	return []scan.Rule{
		{
			ID: "weaken/protection", Level: scan.Medium, Since: "0.2.0",
			Title: "a protection of the system is switched off",
			Help: "Gatekeeper, quarantine, System Integrity Protection, SELinux, AppArmor, Defender, a firewall, auditing or the execution policy of PowerShell is switched off. " +
				"Asking for their state is not reported. Real-time protection and System Integrity Protection are high.",
			Fix:     "do without, or tell the user why it is needed and let them do it",
			Example: "xattr -d com.apple.quarantine ./tool",
		},
		{
			ID: "weaken/tls", Level: scan.Low, Since: "0.2.0",
			Title: "certificates are not checked",
			Help: "curl -k, wget --no-check-certificate, git's http.sslVerify or npm's strict-ssl: anybody on the way can replace what is sent. " +
				"Private addresses are not reported.",
			Fix:     "add the certificate instead",
			Example: "curl -k https://host.invalid/x",
		},
		{
			ID: "weaken/sudo", Level: scan.Info, Since: "0.2.0",
			Title: "commands run as the administrator",
			Help:  "sudo, doas or runas is used; it is said once for each file. What such a command does is reported by the other rules.",
			Fix:   "ask the user to run what needs it",
		},
		{
			ID: "weaken/package-source", Level: scan.Medium, Since: "0.2.0",
			Title: "packages are installed from a source that nobody watches",
			Help: "pip, npm and their like are given another index or registry, a host whose certificate is not checked, or an address over http: it may answer for any name. " +
				"The public registries, those of cloud providers, private addresses and paths on disk are not reported; " +
				"neither are git and https addresses, which are launch/unpinned-script.",
			Fix:     "install from the registry, or name the index in the description",
			Example: "pip install --index-url https://mirror.invalid/simple x",
		},
	}
}

func weaken(v *shellView, c *shellCall) {
	if v.remote {
		return
	}
	if c.wrappedBy("sudo", "doas") || c.name == "runas" || c.name == "sudo" {
		v.sudo(c)
	}
	all := ""
	if len(c.args) > 0 {
		all = strings.Join(c.texts(), " ")
	}
	off := func(level scan.Level, what string) {
		v.report(level, "weaken/protection", c, "%s", what)
	}
	switch c.name {
	case "set":
		if strings.Contains(all, "+o history") {
			v.report(scan.Medium, "destructive/hide-traces", c, "the shell's history is switched off")
		}
	case "spctl":
		if c.has("--master-disable", "--global-disable", "--add") {
			off(scan.Medium, "Gatekeeper is switched off")
		}
	case "csrutil":
		if c.has("disable") {
			off(scan.High, "System Integrity Protection is switched off")
		}
	case "setenforce":
		if c.has("0", "Permissive", "permissive") {
			off(scan.Medium, "SELinux is switched off")
		}
	case "xattr":
		if c.flag("c") || c.flag("d") && strings.Contains(all, "com.apple.quarantine") {
			off(scan.Medium, "the quarantine mark of a download is removed")
		}
	case "ufw":
		if c.has("disable") {
			off(scan.Medium, "the firewall is switched off")
		}
	case "iptables", "ip6tables":
		if c.has("-F", "--flush") {
			off(scan.Medium, "the rules of the firewall are removed")
		}
	case "netsh":
		if strings.Contains(all, "advfirewall") && c.has("off") {
			off(scan.Medium, "the firewall is switched off")
		}
	case "systemctl", "service":
		for _, s := range []string{"auditd", "apparmor", "firewalld", "ufw", "clamav", "falcon-sensor", "rsyslog"} {
			if strings.Contains(all, s) && c.has("stop", "disable", "mask") {
				off(scan.Medium, s+" is stopped")
			}
		}
	case "defaults":
		if strings.Contains(all, "LSQuarantine") {
			off(scan.Medium, "the quarantine of downloads is switched off")
		}
	case "set-mppreference", "add-mppreference":
		low := strings.ToLower(all)
		if strings.Contains(low, "-disable") || strings.Contains(low, "-exclusion") {
			off(scan.High, "Defender is switched off")
		}
	case "set-executionpolicy":
		if low := strings.ToLower(all); (strings.Contains(low, "bypass") || strings.Contains(low, "unrestricted")) && !strings.Contains(low, "process") {
			off(scan.Medium, "PowerShell runs unsigned scripts from now on")
		}
	case "git":
		if low := strings.ToLower(all); strings.Contains(low, "http.sslverify") && (c.has("false", "0") || strings.Contains(low, "http.sslverify=false")) {
			v.report(scan.Low, "weaken/tls", c, "git does not check certificates")
		}
	case "curl", "wget":
		if c.has("--insecure", "--no-check-certificate") || c.name == "curl" && c.flag("k") {
			for _, u := range urlsOf(c) {
				if host := hostOf(u); host != "" && !isPrivateHost(host) && !isExampleHost(host) {
					v.report(scan.Low, "weaken/tls", c, "%s does not check the certificate of %s", c.name, scan.Escape(host, 60))
					break
				}
			}
		}
	}
	v.packageSource(c)
}

func (v *shellView) sudo(c *shellCall) {
	if v.weight != asRun || v.shared.seen["sudo"] {
		return
	}
	v.shared.seen["sudo"] = true
	for _, f := range v.p.Findings(v.t.File.Path) {
		if f.Rule == "weaken/sudo" {
			return
		}
	}
	v.report(scan.Info, "weaken/sudo", c, "a command runs as the administrator")
}

// registries are the public places from which package managers install, and
// those of the builds that their projects document.
func isRegistry(host string) bool {
	for _, d := range []string{"pypi.org", "pythonhosted.org", "pytorch.org", "nvidia.com", "npmjs.org", "npmjs.com", "yarnpkg.com", "npm.pkg.github.com", "pkg.github.com", "pkg.dev", "amazonaws.com", "jsr.io",
		"rubygems.org", "crates.io", "proxy.golang.org", "visualstudio.com", "dev.azure.com", "gitlab.com", "npmmirror.com", "tsinghua.edu.cn", "aliyun.com"} {
		if within(host, d) {
			return true
		}
	}
	return isPrivateHost(host) || isExampleHost(host)
}

func (v *shellView) packageSource(c *shellCall) {
	switch c.name {
	case "pip", "pip3", "pipx", "uv", "npm", "pnpm", "yarn", "bun", "python", "python3", "poetry", "cargo", "gem":
	default:
		return
	}
	verb := false
	for i, a := range c.args {
		if i > 4 {
			break
		}
		switch a.text {
		case "install", "i", "add":
			verb = true
		}
	}
	if !verb || (c.name == "python" || c.name == "python3") && !c.has("pip") {
		return
	}
	if host, i := c.value("--index-url", "--extra-index-url", "--registry", "--find-links", "-f", "-i"); i >= 0 {
		if h := hostOf(host); strings.Contains(host, "://") && h != "" && !isRegistry(h) {
			v.report(scan.Medium, "weaken/package-source", c, "packages come from %s", scan.Escape(h, 60))
			return
		}
	}
	if host, i := c.value("--trusted-host"); i >= 0 && !isRegistry(hostOf(host)) {
		v.report(scan.Medium, "weaken/package-source", c, "packages come from %s, without a check of its certificate", scan.Escape(hostOf(host), 60))
		return
	}
	for _, a := range c.operands() {
		if low := strings.ToLower(a.text); strings.HasPrefix(low, "http://") || strings.HasPrefix(low, "git+http://") {
			host := hostOf(a.text)
			if prev := c.before(a.text); host == "" || isPrivateHost(host) || prev == "--proxy" || strings.HasPrefix(prev, "-") && strings.Contains(prev, "index") {
				continue
			}
			v.report(scan.Medium, "weaken/package-source", c, "%s installs from %s, over http", c.name, scan.Escape(host, 60))
			return
		}
	}
}

// before returns the argument in front of another one.
func (c *shellCall) before(text string) string {
	for i, a := range c.args {
		if a.text == text && i > 0 {
			return c.args[i-1].text
		}
	}
	return ""
}
