package compat_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pinion/compat"
	"pinion/hashes"
	"pinion/tree"
)

func TestParseTargets(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ text, want string }{
		{"claude", "claude 2.1.332"},
		{"claude@2.1.268", "claude 2.1.268"},
		{"claude@2.1", "claude 2.1.0"},
		{"claude@>=2.1.200", "claude 2.1.200–2.1.332"},
		{"copilot@1.0.6..1.0.70", "copilot 1.0.6–1.0.70"},
		{"claude@3.0.0", "claude 3.0.0"}, // newer than what is known: judged like the newest
		{"all", "claude 2.1.332, codex 0.171.0, copilot 1.0.102, cursor 2.5.0, gemini 0.61.0, agent-plugins 1.0.0, skills 1.7.4"},
		{"claud", `error: "claud" is no host that Pinion judges for; it knows claude, codex, copilot, cursor, gemini, agent-plugins, skills and all`},
		{"claude@x", `error: "x" is not a version like 2.1.268`},
		{"claude@1.2.3.4", `error: "1.2.3.4" is not a version like 2.1.268`},
		{"claude@-1", `error: "-1" is not a version like 2.1.268`},
		{"codex@>=2", "error: 2.0.0 is newer than Codex 0.171.0, the newest that Pinion knows"},
		{"claude@2.1.5..2.1.4", `error: "2.1.5..2.1.4" ends before it begins`},
		{"claude@>=2..3", `error: ">=2..3" has both ">=" and ".."`},
	} {
		targets, err := compat.ParseTargets(tc.text)
		var got []string
		for _, to := range targets {
			got = append(got, fmt.Sprintf("%s %s", to.Host, to.Range))
		}
		text := strings.Join(got, ", ")
		if err != nil {
			text = "error: " + err.Error()
		}
		if text != tc.want {
			t.Errorf("ParseTargets(%q) = %s, want %s", tc.text, text, tc.want)
		}
	}
}

// catalog is one with an archive, a git-subdir source and a rename.
const mixed = `{
  "name": "acme", "owner": {"name": "Acme"}, "renames": {"old": "plain"},
  "plugins": [
    {"name": "plain", "source": "./plain"},
    {"name": "zip", "source": {"source": "archive", "url": "https://example.com/a.zip"}},
    {"name": "sub", "source": {"source": "git-subdir", "url": "acme/tools", "path": "sub"}}
  ]
}`

// The computed minimum: for each version the worst of what holds there, and the
// lowest version from which on nothing does. user-needs §3.8 rows 75, 77, 78.
func TestCatalogByVersion(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ at, want string }{
		{"claude", "yes since 2.1.120 complete 2.1.224: plain yes 2.1.120, zip yes 2.1.224, sub yes 2.1.120"},
		{"claude@2.1.223", "partly since 2.1.120 complete 2.1.224: plain yes 2.1.120, zip no 2.1.224, sub yes 2.1.120"},
		{"claude@2.1.150", "partly since 2.1.120 complete 2.1.224: plain yes 2.1.120, zip no 2.1.224, sub yes 2.1.120"},
		{"claude@2.1.119", "no since 2.1.120 complete 2.1.224: plain no 2.1.120, zip no 2.1.224, sub no 2.1.120"},
		{"claude@2.1.68", "no since 2.1.120 complete 2.1.224: plain no 2.1.120, zip no 2.1.224, sub no 2.1.120"},
		{"claude@>=2.1.100", "no since 2.1.120 complete 2.1.224: plain no 2.1.120, zip no 2.1.224, sub no 2.1.120"},
		{"copilot", "no since  complete : plain no , zip no , sub no "},
		{"codex", "partly since 0.171.0 complete : plain yes 0.171.0, zip no , sub yes 0.171.0"},
		{"gemini", "not-read since  complete : "},
	} {
		targets, err := compat.ParseTargets(tc.at)
		if err != nil {
			t.Fatal(err)
		}
		v := compat.Catalog(targets[0], ".claude-plugin/marketplace.json", []byte(mixed), compat.Repo{})
		var entries []string
		for _, e := range v.Entries {
			entries = append(entries, fmt.Sprintf("%s %s %s", e.Name, e.Outcome, e.Since))
		}
		got := fmt.Sprintf("%s since %s complete %s: %s", v.Outcome, v.Since, v.Complete, strings.Join(entries, ", "))
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.at, diff)
		}
	}
}

// A host reads the first catalog of its list, and no other one. formats §1.0.
func TestCatalogOrder(t *testing.T) {
	t.Parallel()
	there := map[string]bool{".claude-plugin/marketplace.json": true, ".agents/plugins/marketplace.json": true}
	repo := compat.Repo{File: func(p string) bool { return there[p] }}
	for file, want := range map[string]compat.Outcome{
		".agents/plugins/marketplace.json": compat.Loads, ".claude-plugin/marketplace.json": compat.Unread, "marketplace.json": compat.Unread,
	} {
		if got := compat.Catalog(compat.Newest(compat.Codex), file, []byte(`{"name": "acme", "plugins": []}`), repo).Outcome; got != want {
			t.Errorf("%s: %s, want %s", file, got, want)
		}
	}
}

// hostile is a package whose files nobody can have meant well.
func hostile(data string) *tree.Tree {
	t := &tree.Tree{}
	for _, p := range []string{
		".claude-plugin/plugin.json", ".codex-plugin/plugin.json", ".cursor-plugin/plugin.json", ".mcp.json", ".lsp.json", "SKILL.md",
		"agents/a.md", "commands/c.md", "gemini-extension.json", "hooks/hooks.json", "mcp.json", "plugin.json", "skills/s/SKILL.md",
	} {
		t.Files = append(t.Files, tree.File{Path: p, Data: []byte(data), Size: int64(len(data)), Sum: hashes.Sum{}})
	}
	return t
}

// No text makes a judge fail, and every verdict is one of the four.
func FuzzVerdict(f *testing.F) {
	for _, seed := range []string{
		mixed, "", "\ufeff{}", "[]", `{"name": "a"`, `{"name": 5, "plugins": {}, "skills": [[]], "hooks": {"Stop": [null]}}`,
		"---\nname: a\ndescription: b: c\n---\n", "---\n- a\n---\n", "\xff\xfe", strings.Repeat("[", 100), `{"plugins": [null, 1, {"source": {"source": "url", "url": "%"}}]}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data string) {
		for _, h := range compat.Hosts() {
			to := compat.Newest(h)
			verdicts := []compat.Verdict{compat.Package(to, hostile(data), compat.Place{Dir: "a"})}
			for _, file := range compat.CatalogPlaces(h) {
				verdicts = append(verdicts, compat.Catalog(to, file, []byte(data), compat.Repo{Dir: func(string) bool { return false }}))
			}
			for _, v := range verdicts {
				switch v.Outcome {
				case compat.Loads, compat.Partly, compat.Unread:
				case compat.Refused:
					if !v.Problems.HasErrors() && len(v.Entries) == 0 {
						t.Errorf("%s refuses without an error", h)
					}
				default:
					t.Errorf("%s: %q", h, v.Outcome)
				}
			}
		}
	})
}

// A catalog with very many faults is judged in one pass, and says so much only.
// security 3.4 row 66.
func TestManyFaults(t *testing.T) {
	t.Parallel()
	const n = 5_000
	entry := `{"name": "a b", "source": {"source": "pip", "package": "x"}},`
	data := `{"name": "acme", "owner": {"name": "A"}, "plugins": [` + strings.TrimSuffix(strings.Repeat(entry, n), ",") + `]}`
	for _, h := range []compat.Host{compat.Claude, compat.Codex, compat.Copilot, compat.Cursor} {
		v := compat.Catalog(compat.Newest(h), compat.CatalogPlaces(h)[0], []byte(data), compat.Repo{})
		if len(v.Entries) != n || len(v.Problems) > 1000 || v.Entries[n-1].Outcome != compat.Refused {
			t.Errorf("%s: %d entries, %d problems, the last %+v", h, len(v.Entries), len(v.Problems), v.Entries[n-1])
		}
	}
}
