package checks

import (
	"strings"
	"sync"
)

// credentialFiles are where keys of people lie, below their home. The words are
// looked for in lower case with "/" between parts; what names them in a finding
// stands behind. Sources: the documentation of each tool.
func credentialFiles() [][2]string {
	return [][2]string{
		{".ssh/id_", "a private SSH key"}, {".ssh/*", "SSH keys"}, {".ssh/identity", "a private SSH key"},
		{".aws/credentials", "the AWS credentials"}, {".aws/*", "the AWS credentials"}, {".aws/sso/cache", "the AWS credentials"},
		{"gcloud/application_default_credentials", "the Google Cloud credentials"}, {"gcloud/credentials.db", "the Google Cloud credentials"},
		{"gcloud/access_tokens.db", "the Google Cloud credentials"}, {"gcloud/legacy_credentials", "the Google Cloud credentials"},
		{".azure/accesstokens", "the Azure credentials"}, {".azure/msal_token_cache", "the Azure credentials"},
		{".kube/config", "the Kubernetes credentials"}, {".docker/config.json", "the Docker credentials"},
		{".npmrc", "the npm token"}, {".pypirc", "the PyPI token"}, {".netrc", "the passwords of .netrc"}, {"_netrc", "the passwords of .netrc"},
		{".git-credentials", "the Git passwords"}, {"gh/hosts.yml", "the GitHub token"}, {".cargo/credentials", "the crates.io token"}, {".gem/credentials", "the RubyGems token"},
		{".terraform.d/credentials", "the Terraform token"}, {".vault-token", "the Vault token"}, {".pgpass", "the PostgreSQL passwords"}, {".my.cnf", "the MySQL password"},
		{".gnupg/private-keys", "private PGP keys"}, {".gnupg/secring", "private PGP keys"}, {".password-store/", "the passwords of pass"}, {".config/op/", "the 1Password session"},
		{"login.keychain", "the keychain"}, {"library/keychains", "the keychain"}, {".local/share/keyrings", "the keyring"}, {"kwalletd", "the keyring"},
		{"login data", "the passwords of a browser"}, {"logins.json", "the passwords of a browser"}, {"key4.db", "the passwords of a browser"}, {"cookies.sqlite", "the cookies of a browser"},
		{"default/cookies", "the cookies of a browser"}, {"network/cookies", "the cookies of a browser"}, {"cookies.binarycookies", "the cookies of a browser"}, {"local extension settings", "the data of browser extensions"}, {"chrome/local state", "the key of a browser's passwords"},
		{"wallet.dat", "a wallet"}, {".electrum/wallets", "a wallet"}, {".ethereum/keystore", "a wallet"}, {"exodus/exodus.wallet", "a wallet"}, {".config/solana/id.json", "a wallet"}, {"solana/id.json", "a wallet"}, {"atomic/local storage", "a wallet"}, {"nkbihfbeogaeaoehlefnkodbefgpgknn", "a wallet"},
		{".claude/.credentials.json", "the Claude credentials"}, {".claude.json", "the Claude settings, with keys of servers"}, {".codex/auth.json", "the Codex credentials"}, {".gemini/oauth_creds.json", "the Gemini credentials"},
		{"github-copilot/hosts.json", "the Copilot token"}, {"github-copilot/apps.json", "the Copilot token"}, {".cursor/mcp.json", "the Cursor settings, with keys of servers"}, {".openclaw/openclaw.json", "the OpenClaw settings, with keys"}, {".clawdbot/.env", "the OpenClaw settings, with keys"}, {".openclaw/.env", "the OpenClaw settings, with keys"},
		{"telegram desktop/tdata", "the Telegram session"}, {"discord/local storage", "the Discord session"}, {"/etc/shadow", "the passwords of the system"}, {"/proc/self/environ", "the environment"},
	}
}

// credentialNames are parts of a path that are enough by themselves, as in
// os.path.join(home, ".ssh").
func credentialNames() map[string]string {
	return map[string]string{
		".ssh": "SSH keys", "id_rsa": "a private SSH key", "id_ed25519": "a private SSH key", "id_ecdsa": "a private SSH key", "id_dsa": "a private SSH key",
		".aws": "the AWS credentials", ".git-credentials": "the Git passwords", ".netrc": "the passwords of .netrc", ".pypirc": "the PyPI token",
		".gnupg": "private PGP keys", "login data": "the passwords of a browser", ".env": envFile,
		"/.ssh": "SSH keys", "/.aws": "the AWS credentials", "~/.ssh": "SSH keys", "~/.aws": "the AWS credentials", "~/.ssh/": "SSH keys", "~/.aws/": "the AWS credentials", "~/.gnupg": "private PGP keys", "~/.kube": "the Kubernetes credentials",
		"$home/.ssh": "SSH keys", "$home/.aws": "the AWS credentials", "${home}/.ssh": "SSH keys", "${home}/.aws": "the AWS credentials", "$home/.ssh/": "SSH keys", "$home/.gnupg": "private PGP keys", "$home/.kube": "the Kubernetes credentials",
	}
}

// envFile is the project's own file of settings. Reading it is what half of all
// programs do.
const envFile = "the project's .env"

// projectSecret reports whether a secret belongs to the project or a tool that
// every program of its kind reads.
func projectSecret(what string) bool { return what == envFile || what == "the npm token" }

// credentialPath returns what a path holds, "" when nothing is known of it.
// Public parts, such as known_hosts and a .pub file, are none.
func credentialPath(path string) string {
	if len(path) < 4 || len(path) > 4<<10 {
		return ""
	}
	if strings.IndexByte(path, '.') < 0 && strings.IndexByte(path, '/') < 0 && strings.IndexByte(path, '_') < 0 && strings.IndexByte(path, ' ') < 0 {
		return ""
	}
	p := strings.ToLower(path)
	if strings.IndexByte(p, '\\') >= 0 {
		p = strings.ReplaceAll(strings.ReplaceAll(p, `\\`, "/"), `\`, "/")
	}
	if strings.HasSuffix(p, ".pub") || strings.HasSuffix(p, "known_hosts") || strings.HasSuffix(p, ".example") || strings.HasSuffix(p, ".sample") {
		return ""
	}
	if what := credentialTable().names[p]; what != "" {
		return what
	}
	if strings.HasSuffix(p, "/.env") {
		return envFile
	}
	for _, f := range credentialTable().files {
		if i := strings.Index(p, f[0]); i >= 0 {
			if end := i + len(f[0]); f[0][0] == '.' && end < len(p) && namePart(f[0][len(f[0])-1]) && f[0] != ".ssh/id_" && namePart(p[end]) {
				continue // another file whose name begins the same
			}
			if i > 0 && f[0][0] != '/' && namePart(p[i-1]) && f[0] != "kwalletd" {
				continue
			}
			return f[1]
		}
	}
	return ""
}

func namePart(c byte) bool {
	return c == '_' || c == '-' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9'
}

type credentials struct {
	files [][2]string
	names map[string]string
}

// credentialTable is both lists, made once.
var credentialTable = sync.OnceValue(func() credentials { return credentials{credentialFiles(), credentialNames()} })
