package checks

import "strings"

// service is somebody who gives out keys: which variables and files hold them,
// and which hosts they are for. Sending a key there is what it is for.
type service struct {
	vars  []string // prefixes of environment variables
	files []string // words of what credentialPath calls a file
	hosts []string // with their subdomains
}

// services lists the well-known ones. Sources: the API reference of each.
func services() []service {
	return []service{
		{[]string{"AWS_"}, []string{"AWS"}, []string{"amazonaws.com", "aws.amazon.com", "api.aws", "amazonaws.com.cn"}},
		{[]string{"GITHUB_", "GH_"}, []string{"GitHub", "Copilot"}, []string{"github.com", "githubcopilot.com", "githubusercontent.com", "ghcr.io", "models.github.ai", "azure.com"}},
		{[]string{"GITLAB_", "CI_JOB_TOKEN"}, nil, []string{"gitlab.com"}},
		{[]string{"OPENAI_"}, []string{"Codex"}, []string{"openai.com", "chatgpt.com", "azure.com"}},
		{[]string{"ANTHROPIC_", "CLAUDE_"}, []string{"Claude"}, []string{"anthropic.com", "claude.ai", "claude.com"}},
		{[]string{"GOOGLE_", "GEMINI_", "GCP_", "GCLOUD_"}, []string{"Google", "Gemini"}, []string{"googleapis.com", "google.com", "google.dev"}},
		{[]string{"AZURE_", "ARM_"}, []string{"Azure"}, []string{"azure.com", "microsoft.com", "microsoftonline.com", "windows.net", "azure.net"}},
		{[]string{"NPM_", "NODE_AUTH_TOKEN"}, []string{"npm"}, []string{"npmjs.org", "npmjs.com", "npm.pkg.github.com"}},
		{[]string{"PYPI_", "TWINE_"}, []string{"PyPI"}, []string{"pypi.org"}},
		{[]string{"CARGO_"}, []string{"crates.io"}, []string{"crates.io"}},
		{[]string{"SLACK_"}, nil, []string{"slack.com"}},
		{[]string{"DISCORD_"}, []string{"Discord"}, []string{"discord.com", "discordapp.com"}},
		{[]string{"TELEGRAM_"}, []string{"Telegram"}, []string{"telegram.org"}},
		{[]string{"STRIPE_"}, nil, []string{"stripe.com"}},
		{[]string{"HF_", "HUGGINGFACE_", "HUGGING_FACE_"}, nil, []string{"huggingface.co", "hf.co", "hf.space"}},
		{[]string{"CLOUDFLARE_", "CF_"}, nil, []string{"cloudflare.com"}},
		{[]string{"DOCKER_"}, []string{"Docker"}, []string{"docker.com", "docker.io"}},
		{[]string{"DIGITALOCEAN_", "DO_"}, nil, []string{"digitalocean.com"}},
		{[]string{"VERCEL_"}, nil, []string{"vercel.com"}},
		{[]string{"NOTION_"}, nil, []string{"notion.com"}},
		{[]string{"LINEAR_"}, nil, []string{"linear.app"}},
		{[]string{"TWILIO_"}, nil, []string{"twilio.com"}},
		{[]string{"SENDGRID_"}, nil, []string{"sendgrid.com"}},
		{nil, []string{"Terraform"}, []string{"terraform.io", "hashicorp.com"}},
		{nil, []string{"RubyGems"}, []string{"rubygems.org"}},
		{nil, []string{"Cursor"}, []string{"cursor.com", "cursor.sh"}},
	}
}

func (s *service) owns(host string) bool {
	for _, h := range s.hosts {
		if within(host, h) {
			return true
		}
	}
	return false
}

// ownService reports whether a file's keys go to whom they are for.
func ownService(secret, host string) bool {
	for _, s := range services() {
		for _, word := range s.files {
			if strings.Contains(secret, word) {
				return s.owns(host)
			}
		}
	}
	return false
}

// hasService reports whether a file's keys are for one service only.
func hasService(secret string) bool {
	for _, s := range services() {
		for _, word := range s.files {
			if strings.Contains(secret, word) {
				return true
			}
		}
	}
	return false
}

// ownVariable reports whether an environment variable goes to a host that its
// name names: ACME_API_KEY to api.acme.example.
func ownVariable(name, host string) bool {
	upper := strings.ToUpper(name)
	for _, s := range services() {
		for _, v := range s.vars {
			if strings.HasPrefix(upper, v) && s.owns(host) {
				return true
			}
		}
	}
	flat := strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(host))
	for part := range strings.SplitSeq(strings.ToLower(name), "_") {
		if len(part) > 2 && !genericParts[part] && strings.Contains(flat, part) {
			return true
		}
	}
	return false
}

// knownVariable reports whether a variable is of a well-known service.
func knownVariable(name string) bool {
	upper := strings.ToUpper(name)
	for _, s := range services() {
		for _, v := range s.vars {
			if strings.HasPrefix(upper, v) {
				return true
			}
		}
	}
	return false
}

var genericParts = wordSet("api", "key", "token", "secret", "access", "url", "auth", "app", "com", "the", "www", "http", "https", "user", "org", "client", "password", "bot")

// secretVariable reports whether a variable's name says that it is a key.
func secretVariable(name string) bool {
	upper := strings.ToUpper(name)
	for _, w := range []string{"TOKEN", "SECRET", "PASSWORD", "PASSWD", "API_KEY", "APIKEY", "PRIVATE_KEY", "ACCESS_KEY", "CREDENTIAL", "_PAT"} {
		if strings.Contains(upper, w) {
			return true
		}
	}
	return false
}

// webHost is hostOf for a URL, with the path kept for hosts on which anybody may
// open a box that takes messages.
func webHost(url string) string {
	if i := strings.Index(url, "://"); i > 0 {
		from := strings.LastIndexAny(url[:i], " \t\"'`(=") + 1
		url = url[from:]
	}
	host := hostOf(url)
	for _, box := range messageBoxes() {
		if within(host, box[0]) && strings.Contains(url, box[1]) {
			return host + box[1]
		}
	}
	return host
}

// messageBoxes are paths on well-known hosts that take a message from anybody
// who knows the address and give it to its owner.
func messageBoxes() [][2]string {
	return [][2]string{{"discord.com", "/api/webhooks"}, {"discordapp.com", "/api/webhooks"}, {"hooks.slack.com", "/services"}, {"api.telegram.org", "/bot"}}
}

// isShownHost reports whether a host is one that texts about attacks take for
// the attacker's.
func isShownHost(host string) bool {
	return shownHosts[host] || isExampleHost(host)
}

var shownHosts = wordSet("evil.com", "attacker.com", "malicious.com", "evil.example.com", "attacker.example.com", "malicious-site.com", "bad.com", "hacker.com")

// isDrop reports whether what webHost returned is a place that takes data from
// anybody.
func isDrop(host string) bool {
	if host == "" {
		return false
	}
	if name, _, box := strings.Cut(host, "/"); box {
		return name != ""
	}
	return isDropHost(host)
}
