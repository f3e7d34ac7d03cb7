package main

import (
	"slices"
	"strings"
	"testing"
)

// Every command refuses what it cannot mean with exit code 2, one line that says
// what is wrong, and the next step; nothing is on stdout and no home is made.
// Spec cli.md, Everywhere; issue section 6 "with wrong arguments too".
func TestWrongArguments(t *testing.T) {
	t.Parallel()
	s := newSession(t)
	refuse := func(args []string, want ...string) {
		t.Helper()
		code, out, errs := s.run(args...)
		line := strings.Join(args, " ")
		if code != exitUsage || out != "" {
			t.Errorf("pinion %s: exit %d, stdout %q; want %d and nothing\n%s", line, code, out, exitUsage, errs)
		}
		first, hint, _ := strings.Cut(errs, "\n")
		if !strings.HasPrefix(first, "pinion: ") || !strings.HasPrefix(hint, "  ") {
			t.Errorf("pinion %s: the error is not one line with a next step below it: %q", line, errs)
		}
		for _, w := range want {
			if !strings.Contains(errs, w) {
				t.Errorf("pinion %s: %q does not say %q", line, errs, w)
			}
		}
	}
	for _, c := range commands(&env{}) {
		words := strings.Fields(c.Name)
		least, most := c.count()
		for n := range least {
			refuse(slices.Concat(words, slices.Repeat([]string{"x"}, n)), "needs "+c.args[n].name, "usage: "+c.usage())
		}
		// help takes the words as a command's name, whose error is another one.
		if most >= 0 {
			refuse(slices.Concat(words, slices.Repeat([]string{"x"}, most+1)), `takes no argument "x"`, "usage: "+c.usage())
		}
		unknown := slices.Concat(words, slices.Repeat([]string{"x"}, least), []string{"--dry-rum"})
		refuse(unknown, `unknown flag "--dry-rum"`, `did you mean "--dry-run"`)
		for _, f := range c.Flags {
			if name := f.Names()[0]; takesValue(f) && len(name) > 1 {
				code, _, errs := s.run(slices.Concat(words, []string{"--" + name})...)
				if code != exitUsage || !strings.Contains(errs, "--"+name+" needs a value: --"+name+" "+placeholder(f)) {
					t.Errorf("pinion %s --%s: exit %d, %q", c.Name, name, code, errs)
				}
			}
		}
		if code, out, _ := s.run(append(words, "--help")...); code != exitDone || !strings.Contains(out, "usage: "+c.usage()) {
			t.Errorf("pinion %s --help: exit %d", c.Name, code)
		}
	}
	if code, _, errs := s.run("list"); code != 0 || !strings.Contains(errs, "nothing is installed") {
		t.Errorf("a wrong command line left something behind: list says %q", errs)
	}
}

// What people type for a plugin and what they are told when it is none.
func TestWrongRefs(t *testing.T) {
	t.Parallel()
	s := newSession(t)
	tests := []struct {
		line string
		code int
		want []string
	}{
		{"install acme/tools", 2, []string{`"acme/tools" is a repository, not a plugin`, "--from acme/tools"}},
		{"install @x", 2, []string{`"@x" is not a plugin`, "ID@MARKET@VERSION"}},
		{"install a@1.0.0@2.0.0", 2, []string{"is no version and no marketplace"}},
		{"install a@B@C", 2, []string{"is no version and no marketplace"}},
		{"install a@1.0.0 --version 2.0.0", 2, []string{"1.0.0 or 2.0.0"}},
		{"install a b --version 2.0.0", 2, []string{"--version is for one plugin, here are 2"}},
		{"install ./x --version 1.0.0", 2, []string{"which has only one version"}},
		{"install ./missing", 1, []string{"missing does not exist"}},
		{"install a", 1, []string{"no marketplace has been added", "pinion marketplace add"}},
		{"install a --allow all", 2, []string{`--allow "all" is not known`, "one of extension, computer"}},
		{"install a --from 'ext::sh -c id'", 2, []string{"pinion: "}},
		{"activate ./x", 2, []string{"is a path", "pinion install"}},
		{"activate a", 1, []string{"a is not installed"}},
		{"activate a 1.0.0 --version 2.0.0", 2, []string{"which version of a"}},
		{"rollback a", 1, []string{"a is not installed"}},
		{"disable a", 1, []string{"a is not installed"}},
		{"hold a", 1, []string{"a is not installed"}},
		{"history a", 1, []string{"a is not installed"}},
		{"path a", 1, []string{"a is not installed"}},
		{"uninstall a", 1, []string{"a is not installed"}},
		{"upgrade a", 1, []string{"a is not installed"}},
		{"upgrade a@1.0.0", 2, []string{"pinion install a@1.0.0 --activate"}},
		{"status a", 1, []string{"a is not installed"}},
		{"verify a", 1, []string{"a is not installed"}},
		{"info a", 1, []string{"no marketplace has been added"}},
		{"marketplace info x", 1, []string{`no marketplace "x"`}},
		{"marketplace refresh x", 1, []string{`no marketplace "x"`}},
		{"marketplace remove x", 1, []string{`no marketplace "x"`}},
		{"marketplace add x", 2, []string{"pinion: "}},
		{"marketplace add http://example.org/x.git", 2, []string{"https"}},
		{"marketplace add https://user:secret@example.org/x.git", 2, []string{"pinion: "}},
		{"marketplace add ./missing", 1, []string{"no directory"}},
		{"explain files/undeclard", 1, []string{`did you mean "files/undeclared"`}},
		{"explain undeclared x", 2, []string{"takes no argument"}},
		{"schema lst", 1, []string{`did you mean "list"`}},
		{"outdated --fail-on all", 2, []string{`--fail-on "all" is not known`}},
		{"gc --keep -1", 2, []string{"--keep"}},
		{"validate nowhere", 1, []string{"nowhere does not exist"}},
		{"hash nowhere", 1, []string{"nowhere does not exist"}},
		{"pack .", 1, []string{"is no package"}},
		{"bump nowhere patch", 1, []string{"nowhere does not exist"}},
		{"build-catalog", 1, []string{"there is no plugins directory", "pinion init"}},
		{"lock import nowhere", 2, []string{"no project"}},
	}
	for _, tt := range tests {
		args := strings.Fields(tt.line)
		code, out, errs := s.run(args...)
		if code != tt.code || out != "" {
			t.Errorf("pinion %s: exit %d, want %d\n%s%s", tt.line, code, tt.code, out, errs)
		}
		for _, w := range tt.want {
			if !strings.Contains(errs, w) {
				t.Errorf("pinion %s: %q does not say %q", tt.line, errs, w)
			}
		}
		if strings.Contains(errs, "secret") {
			t.Errorf("pinion %s: a credential is shown: %q", tt.line, errs)
		}
	}
}
