package checks

import (
	"regexp"
	"strings"
	"testing"

	"pinion/scan"
)

// Patterns are compiled when they are first needed; a mistake in one must not
// wait for that. Literals are looked for in lower case.
func TestPatternsCompile(t *testing.T) {
	for _, c := range []scan.Check{code(), exfiltration(), committed()} {
		for _, p := range c.Patterns {
			if _, err := regexp.Compile(p.Match); err != nil {
				t.Errorf("%s: %v", p.Rule, err)
			}
			for _, w := range p.Any {
				if w != strings.ToLower(w) {
					t.Errorf("%s: %q is not in lower case", p.Rule, w)
				}
			}
		}
	}
}

// security 2.2 S1: documentation is full of keys that are none.
func TestIsPlaceholder(t *testing.T) {
	for key, want := range map[string]bool{
		"AKIAIOSFODNN7EXAMPLE":                     true,
		"ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx": true,
		"ghp_abcdefghijklmnopqrstuvwxyz0123456789": true,
		"sk-ant-your-key-here":                     true,
		"glpat-aaaaaaaaaaaaaaaaaaaa":               true,
		"ghp_q8Zr3vKx1Wb7Tn5Jc2Hd9Lg4Ms6Py0Fe8Ru3": false,
		"AKIAQ3EGRZ7W5MNB2VXT":                     false,
	} {
		if got := isPlaceholder([]byte(key)); got != want {
			t.Errorf("isPlaceholder(%q) = %v", key, got)
		}
	}
}

func TestCredentialPath(t *testing.T) {
	for path, want := range map[string]string{
		"~/.ssh/id_rsa":                       "a private SSH key",
		`C:\Users\u\.ssh\id_ed25519`:          "a private SSH key",
		"~/.ssh/id_rsa.pub":                   "",
		"~/.ssh/known_hosts":                  "",
		"~/.ssh/config":                       "",
		"/root/.aws/credentials":              "the AWS credentials",
		"my.aws/credentialsx":                 "",
		"app/.env":                            envFile,
		".env.example":                        "",
		".npmrc":                              "the npm token",
		"x.npmrcs":                            "",
		"Chrome/User Data/Default/Login Data": "the passwords of a browser",
		"a sentence about nothing":            "",
	} {
		if got := credentialPath(path); got != want {
			t.Errorf("credentialPath(%q) = %q, want %q", path, got, want)
		}
	}
}
