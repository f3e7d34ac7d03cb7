package checks

import (
	"strings"
	"sync"
)

// installer is an address from which a well-known project publishes the script
// that its own documentation tells people to pipe into a shell. Running one is
// as much trust as any installation of that project, so it is shown and does
// not block. The list is short on purpose: a host belongs here only when one
// publisher controls every path below the prefix.
type installer struct{ host, path, project string }

var installers = sync.OnceValue(func() []installer {
	return []installer{
		{"sh.rustup.rs", "", "rustup"},
		{"static.rust-lang.org", "", "rustup"},
		{"astral.sh", "", "uv and ruff"},
		{"bun.sh", "", "Bun"},
		{"bun.com", "", "Bun"},
		{"deno.land", "/install", "Deno"},
		{"deno.land", "/x/install", "Deno"},
		{"get.pnpm.io", "", "pnpm"},
		{"get.volta.sh", "", "Volta"},
		{"fnm.vercel.app", "", "fnm"},
		{"install.python-poetry.org", "", "Poetry"},
		{"bootstrap.pypa.io", "", "pip"},
		{"pdm-project.org", "/install", "PDM"},
		{"pyenv.run", "", "pyenv"},
		{"get.docker.com", "", "Docker"},
		{"get.k3s.io", "", "k3s"},
		{"get.helm.sh", "", "Helm"},
		{"dl.k8s.io", "", "Kubernetes"},
		{"ollama.com", "/install", "Ollama"},
		{"ollama.ai", "/install", "Ollama"},
		{"claude.ai", "/install", "Claude Code"},
		{"cli.anthropic.com", "", "Anthropic"},
		{"cursor.com", "/install", "Cursor"},
		{"opencode.ai", "/install", "opencode"},
		{"mise.run", "", "mise"},
		{"mise.jdx.dev", "/install", "mise"},
		{"starship.rs", "/install", "Starship"},
		{"fly.io", "/install", "Fly.io"},
		{"get.pulumi.com", "", "Pulumi"},
		{"cli.github.com", "", "GitHub CLI"},
		{"deb.nodesource.com", "", "NodeSource"},
		{"rpm.nodesource.com", "", "NodeSource"},
		{"sdk.cloud.google.com", "", "Google Cloud"},
		{"awscli.amazonaws.com", "", "AWS CLI"},
		{"aka.ms", "", "Microsoft"},
		{"aspire.dev", "/install", "Aspire"},
		{"dot.net", "/v1/dotnet-install", ".NET"},
		{"dotnet.microsoft.com", "", ".NET"},
		{"builds.dotnet.microsoft.com", "", ".NET"},
		{"get.sdkman.io", "", "SDKMAN"},
		{"nixos.org", "/nix/install", "Nix"},
		{"install.determinate.systems", "", "Determinate Nix"},
		{"foundry.paradigm.xyz", "", "Foundry"},
		{"release.solana.com", "", "Solana"},
		{"release.anza.xyz", "", "Solana"},
		{"sh.install.supabase.com", "", "Supabase"},
		{"tailscale.com", "/install.sh", "Tailscale"},
		{"get.sigstore.dev", "", "Sigstore"},
		{"community.chocolatey.org", "/install.ps1", "Chocolatey"},
		{"chocolatey.org", "/install.ps1", "Chocolatey"},
		{"get.scoop.sh", "", "Scoop"},
		{"win.rustup.rs", "", "rustup"},
		{"repo.anaconda.com", "", "Anaconda"},
		{"micro.mamba.pm", "", "Mamba"},
		{"github.com", "/conda-forge/miniforge/", "Miniforge"},
		{"rclone.org", "/install", "rclone"},
		{"proton.me", "/download/", "Proton"},
		{"dokku.com", "", "Dokku"},
		{"raw.githubusercontent.com", "/babashka/", "Babashka"},
		{"raw.githubusercontent.com", "/nvidia/", "NVIDIA"},
		{"github.com", "/cloudflare/cloudflared/releases/", "Cloudflare"},
		{"fluxcd.io", "/install", "Flux"},
		{"run.linkerd.io", "", "Linkerd"},
		{"istio.io", "/downloadistio", "Istio"},
		{"d2lang.com", "/install", "D2"},
		{"dotenvx.sh", "", "dotenvx"},
		{"cli.doppler.com", "/install", "Doppler"},
		{"get-ghcup.haskell.org", "", "GHCup"},
		{"install.julialang.org", "", "Julia"},
		{"zed.dev", "/install", "Zed"},
		{"gh.io", "/copilot-install", "GitHub Copilot"},
		{"get.nextflow.io", "", "Nextflow"},
		{"get.tur.so", "", "Turso"},
		{"get.jetify.com", "", "Devbox"},
		{"setup.atuin.sh", "", "Atuin"},
		{"temporal.download", "", "Temporal"},
		{"sentry.io", "/get-cli", "Sentry"},
		{"uploader.codecov.io", "", "Codecov"},
		{"cli.codecov.io", "", "Codecov"},
		{"wasmtime.dev", "/install", "Wasmtime"},
		{"raw.githubusercontent.com", "/databricks/", "Databricks"},
		{"raw.githubusercontent.com", "/homebrew/install/", "Homebrew"},
		{"raw.githubusercontent.com", "/nvm-sh/nvm/", "nvm"},
		{"raw.githubusercontent.com", "/creationix/nvm/", "nvm"},
		{"raw.githubusercontent.com", "/ohmyzsh/ohmyzsh/", "Oh My Zsh"},
		{"raw.githubusercontent.com", "/helm/helm/", "Helm"},
		{"raw.githubusercontent.com", "/rancher/k3d/", "k3d"},
		{"raw.githubusercontent.com", "/k3d-io/k3d/", "k3d"},
		{"raw.githubusercontent.com", "/golangci/golangci-lint/", "golangci-lint"},
		{"raw.githubusercontent.com", "/kubernetes-sigs/kustomize/", "kustomize"},
		{"raw.githubusercontent.com", "/aquasecurity/", "Trivy"},
		{"raw.githubusercontent.com", "/anchore/", "Syft and Grype"},
		{"get.anchore.io", "", "Syft and Grype"},
		{"raw.githubusercontent.com", "/microsoft/", "Microsoft"},
		{"raw.githubusercontent.com", "/anthropics/", "Anthropic"},
		{"raw.githubusercontent.com", "/terraform-linters/", "tflint"},
		{"install.duckdb.org", "", "DuckDB"},
		{"sh.qlty.sh", "", "Qlty"},
		{"qlty.sh", "", "Qlty"},
		{"just.systems", "/install.sh", "just"},
		{"raw.githubusercontent.com", "/gitleaks/", "Gitleaks"},
		{"releases.hashicorp.com", "", "HashiCorp"},
		{"packages.microsoft.com", "", "Microsoft"},
		{"download.docker.com", "", "Docker"},
	}
})

// knownInstaller returns the project whose installer a URL is, "" for none. Only
// https counts: over http anybody on the way writes the script.
func knownInstaller(url string) string {
	scheme, rest, ok := strings.Cut(url, "://")
	if !ok {
		scheme, rest = "https", url // curl adds http, but documentation writes "curl sh.rustup.rs"
	}
	if !strings.EqualFold(scheme, "https") || strings.Contains(rest, "/..") || strings.Contains(strings.ToLower(rest), "%2e") {
		return ""
	}
	host := hostOf(url)
	_, path, _ := strings.Cut(rest, "/")
	path = "/" + strings.ToLower(path)
	for _, k := range installers() {
		if host == k.host && strings.HasPrefix(path, k.path) {
			return k.project
		}
	}
	return ""
}
