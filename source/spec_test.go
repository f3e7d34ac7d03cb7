package source

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	t.Parallel()
	hex40 := strings.Repeat("0123456789", 4)
	hex64 := strings.Repeat("01234567", 8)
	home, _ := os.UserHomeDir()
	tests := []struct {
		text, canonical, str, name, ref string
	}{
		{"Acme/Plugins", "github.com/acme/plugins", "Acme/Plugins", "plugins", ""},
		{"acme/plugins@v1.2", "github.com/acme/plugins", "acme/plugins@v1.2", "plugins", "v1.2"},
		{"acme/plugins@feature/x", "github.com/acme/plugins", "acme/plugins@feature/x", "plugins", "feature/x"},
		{"acme/plugins@HEAD", "github.com/acme/plugins", "acme/plugins", "plugins", ""},
		{"acme/plugins.git", "github.com/acme/plugins", "acme/plugins", "plugins", ""},
		{"acme/plugins@" + strings.ToUpper("abcdefabcd"+hex40[10:]), "github.com/acme/plugins", "acme/plugins@abcdefabcd" + hex40[10:], "plugins", "abcdefabcd" + hex40[10:]},
		{"acme/plugins@" + hex64, "github.com/acme/plugins", "acme/plugins@" + hex64, "plugins", hex64},
		{"acme/plugins@20240101", "github.com/acme/plugins", "acme/plugins@20240101", "plugins", "20240101"},
		{"acme/plugins@refs/heads/deadbeef", "github.com/acme/plugins", "acme/plugins@refs/heads/deadbeef", "plugins", "refs/heads/deadbeef"},
		{"acme_corp/.github", "github.com/acme_corp/.github", "acme_corp/.github", "github", ""},
		{"acme/42", "github.com/acme/42", "acme/42", "m-42", ""},
		{"github.com/acme/plugins", "github.com/acme/plugins", "acme/plugins", "plugins", ""},
		{"https://github.com/Acme/Plugins.git/", "github.com/acme/plugins", "Acme/Plugins", "plugins", ""},
		{"https://www.GitHub.com:443/acme/plugins#v1", "github.com/acme/plugins", "acme/plugins@v1", "plugins", "v1"},
		{"https://github.com/acme/plugins@v1", "github.com/acme/plugins", "acme/plugins@v1", "plugins", "v1"},
		{"git@github.com:Acme/Plugins.git", "github.com/acme/plugins", "git@github.com:Acme/Plugins.git", "plugins", ""},
		{"ssh://git@github.com/acme/plugins@v1", "github.com/acme/plugins", "ssh://git@github.com/acme/plugins#v1", "plugins", "v1"},
		{"https://GitLab.example:443/a/b/c.git", "https://gitlab.example/a/b/c", "https://gitlab.example/a/b/c.git", "c", ""},
		{"https://gitlab.example/@scope/c#feature/x", "https://gitlab.example/@scope/c", "https://gitlab.example/@scope/c#feature/x", "c", "feature/x"},
		{"http://127.0.0.1:8080/gh/a/b", "http://127.0.0.1:8080/gh/a/b", "http://127.0.0.1:8080/gh/a/b", "b", ""},
		{"http://[::1]:8080/a", "http://[::1]:8080/a", "http://[::1]:8080/a", "a", ""},
		{"ssh://git@host.example:22/a/b.git", "ssh://git@host.example/a/b", "ssh://git@host.example/a/b.git", "b", ""},
		{"git@host.example:a/b.git@v2", "ssh://git@host.example/a/b", "git@host.example:a/b.git@v2", "b", "v2"},
		{"npm:tools", "npm:tools", "npm:tools", "tools", ""},
		{"npm:@acme/tools@^1.2.0", "npm:@acme/tools", "npm:@acme/tools@^1.2.0", "tools", "^1.2.0"},
		{"npm:tools@>=1 <2 || 3#https://Registry.example:443/npm/", "npm:tools#https://registry.example/npm", "npm:tools@>=1 <2 || 3#https://registry.example/npm", "tools", ">=1 <2 || 3"},
		{"npm:tools#http://127.0.0.1:4873", "npm:tools#http://127.0.0.1:4873", "npm:tools#http://127.0.0.1:4873", "tools", ""},
		{"archive:https://Host.example/a/tools-1.0.zip?x=1#" + strings.ToUpper("ab"+hex64[2:]), "archive:https://host.example/a/tools-1.0.zip?x=1", "archive:https://host.example/a/tools-1.0.zip?x=1#ab" + hex64[2:], "tools-1.0", "ab" + hex64[2:]},
		{"archive:http://[::1]:80/t.tar.gz", "archive:http://[::1]/t.tar.gz", "archive:http://[::1]/t.tar.gz", "t", ""},
		{"file:///srv/git/My%20Repo.git/#main", "file:///srv/git/My%20Repo", "file:///srv/git/My%20Repo.git#main", "my-20repo", "main"},
	}
	if runtime.GOOS != "windows" {
		tests = append(tests, []struct{ text, canonical, str, name, ref string }{
			{"./sub/../market", "/cwd/market", "/cwd/market", "market", ""},
			{".", "/cwd", "/cwd", "cwd", ""},
			{"/srv/My Market/", "/srv/My Market", "/srv/My Market", "my-market", ""},
			{"~/m", filepath.Join(home, "m"), filepath.Join(home, "m"), "m", ""},
		}...)
	}
	for _, tt := range tests {
		s, err := Parse(tt.text, "/cwd")
		if err != nil {
			t.Errorf("Parse(%q): %v", tt.text, err)
			continue
		}
		if s.Canonical() != tt.canonical || s.String() != tt.str || s.DefaultName() != tt.name || s.Ref != tt.ref {
			t.Errorf("Parse(%q) = canonical %q, string %q, name %q, ref %q; want %q, %q, %q, %q",
				tt.text, s.Canonical(), s.String(), s.DefaultName(), s.Ref, tt.canonical, tt.str, tt.name, tt.ref)
		}
		again, err := Parse(s.String(), "/cwd")
		if err != nil || again != s {
			t.Errorf("Parse(%q) = %+v, %v, want the same spec %+v", s.String(), again, err, s)
		}
		if len(s.Key()) != 16 {
			t.Errorf("Key() = %q", s.Key())
		}
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	tests := []string{
		"", "plugins", "a/b/c", "acme/", "/../x\x00", "acme/..", "acme/-x", "-acme/x",
		// security 3.3 row 35
		"--upload-pack=touch /tmp/x", "-c", "-c core.sshCommand=x", "owner/repo --exec", "owner/repo@--exec=x",
		"git@-oProxyCommand=x:repo", "git@host:-x", "-oProxyCommand=x@host:repo",
		// security 3.3 row 36
		"ext::sh -c touch% /tmp/x", "fd::17", "ssh://-oProxyCommand=x/repo", "git://host/repo", "http://host.example/repo",
		"ftp://host/x", "http://127.0.0.1.evil.example/x", "file://otherhost/x", "javascript://x",
		// security 3.3 row 38
		"acme/x@a..b", "acme/x@@{u}", "acme/x@x^{}", "acme/x@-x", "acme/x@a:b", "acme/x@a*", "acme/x@.x", "acme/x@a.lock", "acme/x@a/", "acme/x@a//b", "acme/x@@",
		// security 3.3 row 40
		"acme/x@1a2b3c4", "acme/x@1A2B3C4D", "https://host.example/x#" + strings.Repeat("ab", 19),
		// security 3.3 row 57
		"https://ghp_SECRET@github.com/acme/x", "https://u:SECRET@host.example/x", "https://u:SEC/RET@host.example/x",
		"ssh://git:SECRET@host.example/x", "oauth2:SECRET@host.example/x", "https://host.example/x?token=SECRET",
		"acme/x\nfoo", "acme/x\u202e\u0085", "https://host.example/a/../b", "https://host.example//a", "https://host.example/%2e%2e/b",
		"https://host.example/a%0ab", "https://host.example", "https://github.com/acme/x/tree/main", "https:acme/x", "~root/x",
		strings.Repeat("a", 3000),
		"npm:", "npm:@acme", "npm:../x", "npm:.x", "npm:a b", "npm:a/b", "npm:-c\n", "npm:" + strings.Repeat("a", 215),
		"npm:a@git+ssh://host/x", "npm:a@npm:b@1", "npm:a@file:../x", "npm:a@github/x", "npm:a@1\u00e9", "npm:a#http://host.example", "npm:a#https://u:SECRET@host.example",
		"npm:a#https://host.example?token=SECRET", "npm:a#x", "archive:", "archive:./x.zip", "archive:file:///x.zip", "archive:http://host.example/x.zip",
		"archive:https://u:SECRET@host.example/x.zip", "archive:https://host.example/", "archive:https://host.example", "archive:https://host.example/x.zip#00", "archive:ftp://host.example/x.zip",
	}
	for _, text := range tests {
		s, err := Parse(text, "/cwd")
		var se *SpecError
		if !errors.As(err, &se) {
			t.Errorf("Parse(%q) = %+v, %v, want a *SpecError", text, s, err)
			continue
		}
		if strings.Contains(err.Error()+se.Hint, "SEC") || strings.ContainsFunc(err.Error(), isControl) {
			t.Errorf("Parse(%q): message %q repeats a secret or a control character", text, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"a/b@c", "https://h/x#r", "git@h:p", "file:///x", "./d", "ssh://u@h:1/p@q", "npm:@a/b@^1#https://h/x", "archive:https://h/x.zip?y#00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse(text, "/cwd")
		if err != nil {
			return
		}
		again, err := Parse(s.String(), "/cwd")
		if err != nil || again != s {
			t.Fatalf("Parse(%q) = %+v; its string %q parses as %+v, %v", text, s, s.String(), again, err)
		}
		if again.Key() != s.Key() {
			t.Fatalf("keys of %q differ", text)
		}
	})
}
