package compat_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pinion/compat"
	"pinion/internal/syntax"
	"pinion/manifest"
	"pinion/problem"
	"pinion/tree"
)

// ruleCase is one file of testdata: the two packages or repositories of a rule.
// The host reports the rule for "bad" and not for "near", which differs from it
// by as little as possible. A file whose text is "LINK target" is a symbolic
// link.
type ruleCase struct {
	head map[string]string // at, bad, near, near-at, bad-entry, near-entry
	dirs map[string]string // the sides, on the disk
}

func readCase(t *testing.T, file string) ruleCase {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	c := ruleCase{head: map[string]string{}, dirs: map[string]string{}}
	root, name := t.TempDir(), ""
	files := map[string][]byte{}
	for line := range strings.Lines(string(text)) {
		marker, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "-- ")
		switch {
		case ok && strings.HasSuffix(marker, " --"):
			name = strings.TrimSuffix(marker, " --")
			files[name] = []byte{}
		case name != "":
			files[name] = append(files[name], line...)
		default:
			key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
			c.head[key] = value
		}
	}
	for name, data := range files {
		side, _, _ := strings.Cut(name, "/")
		c.dirs[side] = filepath.Join(root, side)
		p := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if target, ok := bytes.CutPrefix(data, []byte("LINK ")); ok {
			err = os.Symlink(strings.TrimSpace(string(target)), p)
		} else {
			err = os.WriteFile(p, data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// verdict judges one side of a case: its catalog when it has one, else the
// package that it is.
func (c ruleCase) verdict(t *testing.T, side, at string) compat.Verdict {
	t.Helper()
	targets, err := compat.ParseTargets(at)
	if err != nil || len(targets) != 1 {
		t.Fatalf("ParseTargets(%q) = %v, %v", at, targets, err)
	}
	to, dir := targets[0], c.dirs[side]
	if v, ok := catalogVerdict(t, to, dir); ok {
		return v
	}
	d, err := tree.OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	tr, err := d.Read(t.Context(), ".", tree.Options{}, new(tree.Scratch))
	if err != nil {
		t.Fatal(err)
	}
	place := compat.Place{Dir: "a"}
	if raw := c.head[side+"-entry"]; raw != "" {
		place.Entry, place.Raw = entryOf(t, raw), syntax.Raw(raw)
	}
	return compat.Package(to, tr, place)
}

func catalogVerdict(t *testing.T, to compat.Target, dir string) (compat.Verdict, bool) {
	there := func(p string) bool {
		_, err := os.Stat(filepath.Join(dir, filepath.FromSlash(p)))
		return err == nil
	}
	places := compat.CatalogPlaces(to.Host)
	i := slices.IndexFunc(places, there)
	if i < 0 {
		for _, h := range compat.Hosts() {
			if slices.ContainsFunc(compat.CatalogPlaces(h), there) && len(places) > 0 {
				return compat.Verdict{Outcome: compat.Unread, Problems: problem.List{compat.NoCatalog(to)}}, true
			}
		}
		return compat.Verdict{}, false
	}
	data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(places[i])))
	if err != nil {
		t.Fatal(err)
	}
	return compat.Catalog(to, places[i], data, compat.Repo{Dir: there, File: there}), true
}

func entryOf(t *testing.T, raw string) *manifest.Entry {
	t.Helper()
	var e manifest.Entry
	if err := json.Unmarshal([]byte(raw), &e); err != nil {
		t.Fatal(err)
	}
	e.Strict = true
	return &e
}

// Every rule of every host has a case, in which the host reports it once with a
// position and a message, and a near miss, in which it does not. user-needs
// Annex A, §3.8 rows 70-79, formats §1.15.
func TestRules(t *testing.T) {
	t.Parallel()
	cases, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range compat.Rules() {
		file := path.Join("testdata", strings.TrimPrefix(r.ID, "host/")+".txtar")
		if !slices.Contains(cases, file) {
			t.Errorf("the rule %s has no case", r.ID)
		}
		cases = slices.DeleteFunc(cases, func(c string) bool { return c == file })
		t.Run(strings.TrimPrefix(r.ID, "host/"), func(t *testing.T) {
			t.Parallel()
			if _, err := os.Stat(file); err != nil {
				t.Skip("no case")
			}
			c := readCase(t, file)
			bad := c.verdict(t, "bad", c.head["at"])
			if got := string(bad.Outcome); got != c.head["bad"] || len(bad.Problems.Only(r.ID)) == 0 {
				t.Errorf("bad: %s with %v, want %s with %s", got, bad.Problems, c.head["bad"], r.ID)
			}
			at := c.head["at"]
			if c.head["near-at"] != "" {
				at = c.head["near-at"]
			}
			near := c.verdict(t, "near", at)
			if got := string(near.Outcome); got != c.head["near"] || len(near.Problems.Only(r.ID)) > 0 {
				t.Errorf("near: %s with %v, want %s without %s", got, near.Problems, c.head["near"], r.ID)
			}
		})
	}
	for _, c := range cases {
		t.Errorf("%s is the case of no rule", c)
	}
}

// A rule says what happens, what to do about it, and how that is known.
func TestRuleTexts(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, r := range compat.Rules() {
		_, evidence, ok := strings.Cut(r.Help, "Evidence: ")
		switch {
		case seen[r.ID]:
			t.Errorf("%s is there twice", r.ID)
		case r.Title == "" || r.Fix == "" || r.Since == "" || strings.HasPrefix(r.Help, " "):
			t.Errorf("%s is incomplete: %+v", r.ID, r)
		case !ok || len(evidence) < 10:
			t.Errorf("%s has no evidence: %s", r.ID, r.Help)
		}
		seen[r.ID] = true
	}
}
