package launch

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pinion/internal/syntax"
	"pinion/scan"
)

const commit = "0123456789abcdef0123456789abcdef01234567"

var digest = "sha256:" + strings.Repeat("ab", 32)

func show(list []Fetch) string {
	var out []string
	for _, f := range list {
		state := "loose"
		if f.Pinned {
			state = "pinned"
		}
		out = append(out, fmt.Sprintf("%s %s %q %s %s", f.Ecosystem, f.Name, f.Version, state, f.PURL))
	}
	return strings.Join(out, "\n")
}

// security 2.2 D1
func TestCommand(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"npx -y made-up", `npm made-up "" loose pkg:npm/made-up`},
		{"npx made-up@latest --port 1", `npm made-up "latest" loose pkg:npm/made-up`},
		{"npx @scope/made-up@1.2.3", `npm @scope/made-up "1.2.3" pinned pkg:npm/%40scope/made-up@1.2.3`},
		{"npx @scope/made-up@^1.2.3", `npm @scope/made-up "^1.2.3" loose pkg:npm/%40scope/made-up`},
		{"npx --yes --package=a@1.0.0 -p b c", "npm a \"1.0.0\" pinned pkg:npm/a@1.0.0\nnpm b \"\" loose pkg:npm/b"},
		{"npx --no-install made-up", ``},
		{"npx ./local", ``},
		{"npx owner/repo", `git https://github.com/owner/repo "" loose pkg:github/owner/repo`},
		{"npx github:owner/repo#" + commit, `git https://github.com/owner/repo "` + commit + `" pinned pkg:github/owner/repo@` + commit},
		{"npx mcp-remote https://mcp.made-up.example/sse", "npm mcp-remote \"\" loose pkg:npm/mcp-remote\nurl https://mcp.made-up.example/sse \"\" loose "},
		{"bunx made-up", `npm made-up "" loose pkg:npm/made-up`},
		{"bun x made-up", `npm made-up "" loose pkg:npm/made-up`},
		{"pnpm dlx made-up@2", `npm made-up "2" loose pkg:npm/made-up`},
		{"yarn dlx made-up", `npm made-up "" loose pkg:npm/made-up`},
		{"npm exec -- made-up", `npm made-up "" loose pkg:npm/made-up`},
		{"npm install", ``},
		{"npm create made-up", `npm create-made-up "" loose pkg:npm/create-made-up`},
		{"uvx made_up", `pypi made_up "" loose pkg:pypi/made-up`},
		{"uvx made-up==1.2", `pypi made-up "1.2" pinned pkg:pypi/made-up@1.2`},
		{"uvx made-up@1.2.3", `pypi made-up "1.2.3" pinned pkg:pypi/made-up@1.2.3`},
		{"uvx made-up@latest", `pypi made-up "latest" loose pkg:pypi/made-up`},
		{"uvx --python 3.12 --from 'made-up[cli]>=1' tool", `pypi made-up ">=1" loose pkg:pypi/made-up`},
		{"uvx --from git+https://git.example/a/b tool", `git https://git.example/a/b "" loose pkg:generic/b?vcs_url=git%2Bhttps%3A%2F%2Fgit.example%2Fa%2Fb`},
		{"uvx --from git+https://github.com/a/b@" + commit + " tool", `git https://github.com/a/b "` + commit + `" pinned pkg:github/a/b@` + commit},
		{"uv run --with made-up,other server.py", "pypi made-up \"\" loose pkg:pypi/made-up\npypi other \"\" loose pkg:pypi/other"},
		{"uv run --directory /x server.py", ``},
		{"uv tool run made-up", `pypi made-up "" loose pkg:pypi/made-up`},
		{"pipx run --spec made-up==1 tool", `pypi made-up "1" pinned pkg:pypi/made-up@1`},
		{"pip install -r requirements.txt made-up", `pypi made-up "" loose pkg:pypi/made-up`},
		{"python3 -m pip install made-up==1.0.0", `pypi made-up "1.0.0" pinned pkg:pypi/made-up@1.0.0`},
		{"docker run -i --rm -e TOKEN -v /a:/b ghcr.io/made/up", `oci ghcr.io/made/up "" loose pkg:docker/made/up?repository_url=ghcr.io`},
		{"docker run -it made/up:latest sh", `oci made/up "latest" loose pkg:docker/made/up@latest`},
		{"podman run made/up:1@" + digest, `oci made/up "` + digest + `" pinned pkg:oci/up@` + strings.Replace(digest, ":", "%3A", 1) + `?repository_url=docker.io%2Fmade%2Fup&tag=1`},
		{"docker compose up", ``},
		{"deno run -A https://x.example/m.ts", `url https://x.example/m.ts "" loose pkg:generic/m.ts?download_url=https%3A%2F%2Fx.example%2Fm.ts`},
		{"deno run npm:made-up@1.2.3", `npm made-up "1.2.3" pinned pkg:npm/made-up@1.2.3`},
		{"deno run main.ts", ``},
		{"go run example.com/a/b@latest", `go example.com/a/b "latest" loose pkg:golang/example.com/a/b`},
		{"go run example.com/a/b@v1.2.3", `go example.com/a/b "v1.2.3" pinned pkg:golang/example.com/a/b@v1.2.3`},
		{"go run ./cmd", ``},
		{"cargo install made-up", `cargo made-up "" loose pkg:cargo/made-up`},
		{"cargo install made-up --version 1.2.3", `cargo made-up "1.2.3" pinned pkg:cargo/made-up@1.2.3`},
		{"cargo install --git https://github.com/a/b --rev " + commit, `git https://github.com/a/b "` + commit + `" pinned pkg:github/a/b@` + commit},
		{"nix run github:a/b", `git https://github.com/a/b "" loose pkg:github/a/b`},
		{"dnx Made.Up@1.0.0 --yes", `nuget Made.Up "1.0.0" pinned pkg:nuget/Made.Up@1.0.0`},
		{"cmd /c npx -y made-up", `npm made-up "" loose pkg:npm/made-up`},
		{"sh -c 'cd /x && exec npx made-up'", `npm made-up "" loose pkg:npm/made-up`},
		{"env -u A B=1 sudo -E npx.cmd made-up", `npm made-up "" loose pkg:npm/made-up`},
		{"claude mcp add x -- uvx made-up", `pypi made-up "" loose pkg:pypi/made-up`},
		{"A=1 timeout -k 5 10 npx ${PKG}@${V}", ``},
		{"npx made-up@${V}", `npm made-up "${V}" loose pkg:npm/made-up`},
		{"echo npx made-up", ``},
	} {
		var got []Fetch
		for _, l := range fromScript(syntax.ParseShell([]byte(c.line)), 0) {
			got = append(got, l.Fetch)
		}
		if d := cmp.Diff(c.want, show(got)); d != "" {
			t.Errorf("%s\n%s", c.line, d)
		}
	}
}

// Every spelling of a server that hosts read gives the same server.
func TestServers(t *testing.T) {
	for _, c := range []struct{ path, text, want string }{
		{".mcp.json", `{"mcpServers": {"a": {"command": "npx", "args": ["-y", "made-up"], "env": {"TOKEN": "x"}}}}`, "a [npx -y made-up] [TOKEN]"},
		{".mcp.json", `{"a": {"type": "http", "url": "https://m.example/"}}`, "a https://m.example/ []"},
		{"gemini-extension.json", `{"mcpServers": {"a": {"httpUrl": "https://m.example/"}}}`, "a https://m.example/ []"},
		{".codex/config.toml", "[mcp_servers.a]\ncommand = \"uvx\"\nargs = [\"made-up\"]\nenv = { TOKEN = \"x\" }\n", "a [uvx made-up] [TOKEN]"},
		{"opencode.json", `{"mcp": {"a": {"type": "local", "command": ["npx", "made-up"], "environment": {"T": ""}}}}`, "a [npx made-up] [T]"},
		{"x.yaml", "mcpServers:\n  a:\n    command: docker\n    args: [run, made/up]\n", "a [docker run made/up] []"},
		// A second one of the same name does not hide the first.
		{".mcp.json", `{"mcpServers": {"a": {"command": "npx", "args": ["one"], "command": "npx", "args": ["two"]}}}`, "a [npx one] []\na [npx two] []"},
		{"package.json", `{"repository": {"url": "https://x.example/a"}, "scripts": {"command": "x"}}`, "scripts [x] []"},
	} {
		file, texts := scan.FileTexts(c.path, false, []byte(c.text))
		var out []string
		for _, s := range Servers(file, texts) {
			what := s.URL
			if what == "" {
				what = fmt.Sprint(s.Argv())
			}
			out = append(out, fmt.Sprintf("%s %s %v", s.Name, what, s.Env))
		}
		if d := cmp.Diff(c.want, strings.Join(out, "\n")); d != "" {
			t.Errorf("%s: %s\n%s", c.path, c.text, d)
		}
	}
}

func TestCode(t *testing.T) {
	for text, want := range map[string]string{
		`spawn("npx", ["-y", "made-up"])`:               `npm made-up "" loose pkg:npm/made-up`,
		`subprocess.run(["uvx", "made-up==1.0"])`:       `pypi made-up "1.0" pinned pkg:pypi/made-up@1.0`,
		"execSync(`npx made-up@1.0.0 --x`)":             `npm made-up "1.0.0" pinned pkg:npm/made-up@1.0.0`,
		`print("npx"); x = "made-up"`:                   ``,
		`os.system('docker run --rm made/up:2 --flag')`: `oci made/up "2" loose pkg:docker/made/up@2`,
	} {
		var got []Fetch
		for _, l := range fromCode([]byte(text)) {
			got = append(got, l.Fetch)
		}
		if d := cmp.Diff(want, show(got)); d != "" {
			t.Errorf("%s\n%s", text, d)
		}
	}
}

func FuzzCommand(f *testing.F) {
	f.Add("npx -p a -c 'uvx b'")
	f.Add("docker run --rm -it x:y@z")
	f.Add("uvx --from git+https://a@b/c@d e")
	f.Fuzz(func(t *testing.T, line string) {
		for _, l := range fromScript(syntax.ParseShell([]byte(line)), 0) {
			if l.Name == "" || l.start > l.end || l.end > len(line) {
				t.Fatalf("%+v", l)
			}
		}
		fromCode([]byte(line))
	})
}
