package policy

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pinion/hashes"
	"pinion/manifest"
	"pinion/problem"
	"pinion/scan"
)

var now = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func must(t *testing.T, file, text string, project bool) *Policy {
	t.Helper()
	p, problems := Parse(file, []byte(text), project)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return p
}

func short(l problem.List) string {
	var out []string
	for _, p := range l {
		out = append(out, p.Position()+" "+p.Rule)
	}
	return strings.Join(out, "\n")
}

// SB-067: high and critical refuse, medium and low pass, a scan that was not
// completed refuses.
func TestGate(t *testing.T) {
	report := func(complete bool, levels ...scan.Level) *scan.Report {
		r := &scan.Report{Complete: complete}
		for _, l := range levels {
			r.Findings = append(r.Findings, scan.Finding{Rule: "x/y", Level: l, File: "a"})
		}
		return r
	}
	accepted := report(true, scan.High)
	accepted.Findings[0].Accepted = &scan.Acceptance{By: "me"}
	strict := must(t, "policy.toml", "[scan]\nblock = 'medium'\n", true)
	loose := must(t, "policy.toml", "[scan]\nblock = 'critical'\n", false)
	for _, c := range []struct {
		name   string
		policy *Policy
		report *scan.Report
		blocks int
	}{
		{"nothing", nil, report(true), 0},
		{"medium and low", nil, report(true, scan.Medium, scan.Low, scan.Info), 0},
		{"high", nil, report(true, scan.High, scan.Medium), 1},
		{"critical", nil, report(true, scan.Critical, scan.High), 2},
		{"not completed", nil, report(false), 1},
		{"accepted", nil, accepted, 0},
		{"a stricter level", strict, report(true, scan.Medium, scan.Low), 1},
		{"a looser level of the user", loose, report(true, scan.High), 0},
		{"a looser level, critical", loose, report(true, scan.Critical), 1},
	} {
		if got := Decide([]*Policy{c.policy}, Subject{Kind: manifest.MCP, Report: c.report}, now); len(got) != c.blocks {
			t.Errorf("%s: %d reasons, want %d: %v", c.name, len(got), c.blocks, got)
		}
	}
	// The user's looser level does not count against a stricter project.
	if got := Decide([]*Policy{loose, strict}, Subject{Report: report(true, scan.High)}, now); len(got) != 1 {
		t.Error(got)
	}
}

func TestDecide(t *testing.T) {
	p := must(t, "policy.toml", `cooldown = "72h"
launch = "block"

[allow]
sources = ["github.com/acme/*"]
kinds = ["skill", "mcp"]
licenses = ["MIT", "Apache-*"]
hosts = ["api.example.com", "*.acme.example"]

[deny]
sources = ["github.com/acme/old", "*/bad*"]
hosts = ["x.acme.example"]
`, false)
	good := Subject{
		ID: "a", Version: "1.0.0", Source: "github.com/acme/plugins", Kind: manifest.MCP, License: "MIT",
		Hosts: []string{"api.example.com", "a.b.acme.example"}, FirstSeen: now.Add(-73 * time.Hour),
	}
	if got := Decide([]*Policy{p, nil}, good, now); len(got) > 0 {
		t.Fatal(got)
	}
	for _, c := range []struct {
		name string
		edit func(*Subject)
		want string
	}{
		{"source", func(s *Subject) { s.Source = "github.com/other/plugins" }, "policy.toml:5:1 policy/source"},
		{"denied source", func(s *Subject) { s.Source = "github.com/acme/OLD" }, "policy.toml:11:1 policy/source"},
		{"kind", func(s *Subject) { s.Kind = manifest.Extension }, "policy.toml:6:1 policy/kind"},
		{"licence", func(s *Subject) { s.License = "" }, "policy.toml:7:1 policy/license"},
		{"hosts", func(s *Subject) { s.Hosts = []string{"acme.example", "x.acme.example."} }, "policy.toml:8:1 policy/host\npolicy.toml:12:1 policy/host"},
		{"age", func(s *Subject) { s.FirstSeen = now.Add(-71 * time.Hour) }, "policy.toml:1:1 policy/age"},
		{"a clock that was set back", func(s *Subject) { s.FirstSeen = now.Add(time.Hour) }, "policy.toml:1:1 policy/age"},
		{"a draft has no age", func(s *Subject) { s.FirstSeen = time.Time{} }, ""},
		{"launch", func(s *Subject) { s.Launch = []string{"npm:x@latest"} }, "policy.toml:2:1 policy/launch"},
		{"a path has no source", func(s *Subject) { s.Source = "" }, ""},
	} {
		s := good
		c.edit(&s)
		if d := cmp.Diff(c.want, short(Decide([]*Policy{p}, s, now))); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}

func TestParse(t *testing.T) {
	sum := strings.Repeat("0", 64)
	digest, err := hashes.Tree([]hashes.File{{Path: "a", Sum: hashes.Of(nil)}})
	if err != nil {
		t.Fatal(err)
	}
	good := "[[accept]]\nrule = 'x/y'\nfile = 'a'\nwindow = '" + sum + "'\ndigest = '" + digest.String() + "'\nreason = 'seen'\nby = 'me'\n"
	for _, c := range []struct {
		name, text string
		project    bool
		want       string
	}{
		{"empty", "", true, ""},
		{"an accepted finding", good + "expires = '2027-01-31'\n", false, ""},
		{"of a project", good, true, "p:1:3 policy/value"},
		{"without reason", strings.Replace(good, "seen", " ", 1), false, "p:1:3 policy/value"},
		{"with a bad date", good + "expires = 'soon'\n", false, "p:1:3 policy/value"},
		{"a scanner", "[[scanner]]\nname = 's'\ncommand = ['s', '{dir}']\ntimeout = '90s'\n", false, ""},
		{"a scanner of a project", "[[scanner]]\nname = 's'\ncommand = ['s']\n", true, "p:1:3 policy/value"},
		{"a scanner without command", "[[scanner]]\nname = 's'\n", false, "p:1:3 policy/value"},
		{"a looser project", "[scan]\nblock = 'critical'\n", true, "p:2:1 policy/value"},
		{"a level", "[scan]\nblock = 'severe'\n", false, "p:2:1 policy/value"},
		{"a misspelt key", "cooldwon = '72h'\n", false, "p:1:1 toml/unknown-key"},
		{"days", "cooldown = '3d'\n", false, ""},
		{"no days", "cooldown = 'three'\n", false, "p:1:1 policy/value"},
		{"launch", "launch = 'never'\n", false, "p:1:1 policy/value"},
		{"kind", "[allow]\nkinds = ['skill', 'skills']\n", false, "p:2:1 policy/value"},
		{"pattern", "[deny]\nsources = ['*a*a*a*a*a*']\n", false, "p:2:1 policy/value"},
		{"syntax", "[allow\n", false, "p:1:7 toml/syntax"},
	} {
		_, problems := Parse("p", []byte(c.text), c.project)
		if d := cmp.Diff(c.want, short(problems)); d != "" {
			t.Errorf("%s: %s %v", c.name, d, problems)
		}
	}
	// SB-068: what the policy says is part of a report's key, its layout is not.
	one, _ := Parse("p", []byte("cooldown = '3d'\nlaunch = 'block'\n"), false)
	two, _ := Parse("q", []byte("# why\nlaunch = \"block\"\ncooldown = \"3d\"\n"), false)
	three, _ := Parse("q", []byte("launch = \"block\"\n"), false)
	if one.Digest() != two.Digest() || one.Digest() == three.Digest() {
		t.Error("the digest is not that of what the policy says")
	}
	if empty, _ := Parse("p", nil, false); empty.Digest() != (*Policy)(nil).Digest() {
		t.Error("an empty policy is not no policy")
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("cooldown = '3d'\n[allow]\nhosts = ['*']\n[[accept]]\nrule='a'\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, problems := Parse("p", data, false)
		if !problems.HasErrors() {
			Decide([]*Policy{p}, Subject{Hosts: []string{"a"}, Kind: manifest.Skill}, now)
		}
	})
}

// A repository is denied whoever points to it. What is allowed is the source
// that points to it, unless only a lock file says that it does.
func TestDecideRepository(t *testing.T) {
	p := must(t, "policy.toml", "[allow]\nsources = ['github.com/acme/*']\n[deny]\nsources = ['github.com/bad/*']\n", false)
	for _, c := range []struct {
		repository string
		claimed    bool
		want       string
	}{
		{"", false, ""},
		{"github.com/other/x", false, ""},
		{"github.com/other/x", true, "policy.toml:2:1 policy/source"},
		{"github.com/acme/x", true, ""},
		{"github.com/bad/x", false, "policy.toml:4:1 policy/source"},
		{"github.com/bad/x", true, "policy.toml:4:1 policy/source"},
	} {
		s := Subject{Source: "github.com/acme/plugins", Repository: c.repository, Claimed: c.claimed}
		if got := short(Decide([]*Policy{p}, s, now)); got != c.want {
			t.Errorf("%+v: %q, want %q", c, got, c.want)
		}
	}
}

// A name that is pushed out of the list is not allowed by that.
func TestDecideMoreHosts(t *testing.T) {
	s := Subject{Hosts: []string{"a.example"}, MoreHosts: true}
	for text, want := range map[string]string{
		"":                                "",
		"[deny]\nhosts = ['z.example']\n": "policy.toml:2:1 policy/host",
		"[allow]\nhosts = ['*']\n":        "policy.toml:2:1 policy/host",
		"[deny]\nkinds = ['builtin']\n":   "",
	} {
		if got := short(Decide([]*Policy{must(t, "policy.toml", text, false)}, s, now)); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// A scanner's name begins the ids of its findings and stands in every report.
func TestScannerNames(t *testing.T) {
	for text, ok := range map[string]bool{
		"[[scanner]]\nname = 'good-1'\ncommand = ['x']\n":                                      true,
		"[[scanner]]\nname = 'a'\ncommand = ['x']\n[[scanner]]\nname = 'a'\ncommand = ['y']\n": false,
		"[[scanner]]\nname = \"a\\u001b[31m\"\ncommand = ['x']\n":                              false,
		"[[scanner]]\nname = 'unicode/bidi'\ncommand = ['x']\n":                                false,
		"[[scanner]]\nname = '-x'\ncommand = ['x']\n":                                          false,
		"[[scanner]]\nname = 'x'\ncommand = ['x']\ntimeout = '-1s'\n":                          false,
		"[[scanner]]\nname = 'x'\ncommand = ['x']\ntimeout = '0s'\n":                           false,
		"[[scanner]]\nname = '" + strings.Repeat("x", 41) + "'\ncommand = ['x']\n":             false,
	} {
		if _, problems := Parse("policy.toml", []byte(text), false); problems.HasErrors() == ok {
			t.Errorf("%q: %v", text, problems)
		}
	}
}
