package checks

// keyFormat is how the keys of one service look.
type keyFormat struct {
	what    string
	any     []string // literals in lower case that a key has or that stand before it
	match   string   // the key; a first group is the key when something stands before it
	entropy float64  // bits for each character that the key has at least
	low     bool     // it identifies more than it protects
}

// keyFormats are formats that a service gives its keys so that they can be
// recognised. A key that is only random is not here: what has no mark of its own
// needs the name of its service on the same line. Sources: the documentation of
// each service.
func keyFormats() []keyFormat {
	return []keyFormat{
		{"an AWS access key id", []string{"akia", "asia"}, `\b(?:AKIA|ASIA)[A-Z2-7]{16}\b`, 3, false},
		{"an AWS secret key", []string{"aws"}, `(?i)aws.{0,20}(?:secret|sk).{0,20}[=:]\s*["']?([A-Za-z0-9/+]{40})(?:["'\s,;]|$)`, 4, false},
		{"a GitHub token", []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_"}, `\bgh[pousr]_[A-Za-z0-9]{36}\b`, 3.5, false},
		{"a GitHub token", []string{"github_pat_"}, `\bgithub_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}\b`, 4, false},
		{"a GitLab token", []string{"glpat-", "gldt-", "glrt-", "glptt-"}, `\bgl(?:pat|dt|rt|ptt)-[A-Za-z0-9_-]{20,60}\b`, 3.3, false},
		{"a Slack token", []string{"xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxe-"}, `\bxox[bpars]-[0-9]{10,13}-[0-9]{10,13}-[A-Za-z0-9-]{20,64}\b`, 3.3, false},
		{"a Slack app token", []string{"xapp-"}, `\bxapp-[0-9]-[A-Z0-9]{8,14}-[0-9]{10,14}-[a-f0-9]{64}\b`, 3.3, false},
		{"a Slack webhook", []string{"hooks.slack.com"}, `hooks\.slack\.com/services/T[A-Z0-9]{8,12}/B[A-Z0-9]{8,12}/([A-Za-z0-9]{24})\b`, 3.5, false},
		{"a Stripe key", []string{"sk_live_", "rk_live_"}, `\b[sr]k_live_[A-Za-z0-9]{24,100}\b`, 3.5, false},
		{"a Stripe webhook secret", []string{"whsec_"}, `\bwhsec_[A-Za-z0-9+/]{32,64}\b`, 3.8, false},
		{"a Google API key", []string{"aiza"}, `\bAIza[A-Za-z0-9_-]{35}\b`, 3.8, false},
		{"a Google OAuth secret", []string{"gocspx-"}, `\bGOCSPX-[A-Za-z0-9_-]{28}\b`, 3.8, false},
		{"an OpenAI key", []string{"t3blbkfj"}, `\bsk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{20,74}T3BlbkFJ[A-Za-z0-9_-]{20,74}\b`, 3.8, false},
		{"an Anthropic key", []string{"sk-ant-"}, `\bsk-ant-(?:api|admin|oat|sid)[0-9]{2}-[A-Za-z0-9_-]{80,120}\b`, 4, false},
		{"an OpenRouter key", []string{"sk-or-v1-"}, `\bsk-or-v1-[a-f0-9]{64}\b`, 3, false},
		{"a Groq key", []string{"gsk_"}, `\bgsk_[A-Za-z0-9]{52}\b`, 4, false},
		{"a Hugging Face token", []string{"hf_"}, `\bhf_[A-Za-z]{34}\b`, 3.8, false},
		{"a Replicate token", []string{"r8_"}, `\br8_[A-Za-z0-9]{37}\b`, 3.8, false},
		{"an npm token", []string{"npm_"}, `\bnpm_[A-Za-z0-9]{36}\b`, 3.8, false},
		{"a PyPI token", []string{"pypi-"}, `\bpypi-AgEIcHlwaS5vcmc[A-Za-z0-9_-]{50,300}\b`, 3.8, false},
		{"a RubyGems key", []string{"rubygems_"}, `\brubygems_[a-f0-9]{48}\b`, 3, false},
		{"a Docker token", []string{"dckr_pat_"}, `\bdckr_pat_[A-Za-z0-9_-]{27}\b`, 3.8, false},
		{"a DigitalOcean token", []string{"dop_v1_", "doo_v1_", "dor_v1_"}, `\bdo[opr]_v1_[a-f0-9]{64}\b`, 3, false},
		{"a SendGrid key", []string{"sg."}, `\bSG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}\b`, 4, false},
		{"a Twilio key", []string{"twilio"}, `(?i)twilio.{0,40}\b(SK[a-f0-9]{32}|[a-f0-9]{32})\b`, 3.2, false},
		{"a Mailgun key", []string{"mailgun"}, `(?i)mailgun.{0,40}\b(key-[a-f0-9]{32}|[a-f0-9]{32}-[a-f0-9]{8}-[a-f0-9]{8})\b`, 3, false},
		{"a Mailchimp key", []string{"-us"}, `\b[a-f0-9]{32}-us[0-9]{1,2}\b`, 3.2, false},
		{"a Discord bot token", []string{"discord", "bot"}, `\b[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}\b`, 4.2, false},
		{"a Discord webhook", []string{"/api/webhooks/"}, `discord(?:app)?\.com/api/webhooks/[0-9]{17,20}/([A-Za-z0-9_-]{60,80})`, 4, false},
		{"a Telegram bot token", []string{":aa"}, `\b[0-9]{8,10}:AA[A-Za-z0-9_-]{33}\b`, 4, false},
		{"an Azure storage key", []string{"accountkey="}, `AccountKey=([A-Za-z0-9+/]{86}==)`, 4.2, false},
		{"an Azure client secret", []string{"8q~", "7q~"}, `\b[A-Za-z0-9_~.-]{3}[78]Q~[A-Za-z0-9_~.-]{31,34}`, 4, false},
		{"a Databricks token", []string{"dapi"}, `\bdapi[a-f0-9]{32}(?:-[0-9])?\b`, 3, false},
		{"an Atlassian token", []string{"atatt3x", "atctt3x"}, `\bAT[AC]TT3x[A-Za-z0-9_=-]{100,240}`, 4, false},
		{"a Shopify token", []string{"shpat_", "shpss_", "shpca_", "shppa_"}, `\bshp(?:at|ss|ca|pa)_[a-fA-F0-9]{32}\b`, 3, false},
		{"a Linear key", []string{"lin_api_"}, `\blin_api_[A-Za-z0-9]{40}\b`, 3.8, false},
		{"a Notion token", []string{"ntn_", "secret_"}, `\b(?:ntn_[0-9]{11}[A-Za-z0-9]{35}|secret_[A-Za-z0-9]{43})\b`, 4, false},
		{"a Supabase key", []string{"sbp_", "sb_secret_"}, `\b(?:sbp_[a-f0-9]{40}|sb_secret_[A-Za-z0-9_-]{31})\b`, 3.2, false},
		{"a Vercel token", []string{"vercel"}, `(?i)vercel.{0,20}token.{0,6}[=:]\s*["']?([A-Za-z0-9]{24})\b`, 3.8, false},
		{"a Cloudflare token", []string{"cloudflare"}, `(?i)cloudflare.{0,20}(?:token|key).{0,6}[=:]\s*["']?([A-Za-z0-9_-]{40}|[a-f0-9]{37})\b`, 3.5, false},
		{"a Figma token", []string{"figd_"}, `\bfigd_[A-Za-z0-9_-]{40,60}\b`, 4, false},
		{"a Postman key", []string{"pmak-"}, `\bPMAK-[a-f0-9]{24}-[a-f0-9]{34}\b`, 3, false},
		{"a Grafana token", []string{"glsa_", "glc_"}, `\b(?:glsa_[A-Za-z0-9]{32}_[a-f0-9]{8}|glc_[A-Za-z0-9+/]{40,200}={0,2})`, 3.8, false},
		{"a Sentry token", []string{"sntrys_", "sntryu_"}, `\b(?:sntryu_[a-f0-9]{64}|sntrys_eyJ[A-Za-z0-9+/=_-]{80,300})`, 3, false},
		{"a HashiCorp Vault token", []string{"hvs.", "hvb."}, `\bhv[sb]\.[A-Za-z0-9_-]{90,200}\b`, 4, false},
		{"a Tavily key", []string{"tvly-"}, `\btvly-(?:dev-|prod-)?[A-Za-z0-9]{32}\b`, 4, false},
		{"an age secret key", []string{"age-secret-key-"}, `\bAGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}\b`, 4, false},
		{"a signed web token", []string{"eyj"}, `\beyJ[A-Za-z0-9_-]{15,500}\.eyJ[A-Za-z0-9_-]{15,990}\.[A-Za-z0-9_-]{20,700}\b`, 4, true},
	}
}
