package main

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/urfave/cli/v2"
)

// probe is a command with one flag of each sort.
func probe() *command {
	return &command{Command: &cli.Command{Name: "probe", Flags: []cli.Flag{
		boolFlag(new(bool), "quiet", "", "q"),
		boolFlag(new(bool), "yes", "", "y"),
		stringFlag(new(string), "output", "write to `FILE`", "o"),
		listFlag(new([]string), "allow", "consent to `GRANT`"),
		listFlag(new([]string), "host", "host `NAME`"),
	}}}
}

func TestSplit(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		argv string
		want string // the ordered line, or "error: " and the message
	}{
		{"nothing", "", "--"},
		{"before", "--quiet a b", "--quiet -- a b"},
		{"after", "a b --quiet", "--quiet -- a b"},
		{"between", "a -o x b", "--output=x -- a b"},
		{"with an equals sign", "a --output=x=y", "--output=x=y -- a"},
		{"empty value", "a --output=", "--output= -- a"},
		{"ended", "a -- --quiet -o", "-- a --quiet -o"},
		{"second end is an argument", "-- a -- b", "-- a -- b"},
		{"standard input", "- --output -", "--output=- -- -"},
		{"joined", "-qyo x a", "--quiet --yes --output=x -- a"},
		{"joined value", "-ox a", "--output=x -- a"},
		{"joined value with an equals sign", "-qo=x a", "--quiet --output=x -- a"},
		{"value with a dash", "-o -5", "--output=-5 --"},
		{"list repeats", "--allow a --allow b", "--allow=a --allow=b --"},
		{"list keeps commas", "--allow a,b", "--allow=a,b --"},
		{"hosts take commas", "--host a,b, --host c", "--host=a --host=b --host=c --"},
		{"false", "--quiet=false a", "--quiet=false -- a"},
		{"unknown", "--loud", `error: unknown flag "--loud"`},
		{"unknown short", "-x", `error: unknown flag "-x"`},
		{"long with one dash", "-quiet", `error: unknown flag "-quiet"`},
		{"short with two", "--q", `error: unknown flag "--q"`},
		{"value missing", "a -o", "error: -o needs a value: -o FILE"},
		{"flag instead of a value", "-o --quiet", "error: -o needs a value: -o FILE"},
		{"end instead of a value", "-o --", "error: -o needs a value: -o FILE"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := ""
			p, err := split(strings.Fields(tt.argv), flagsOf(probe()), false)
			if err != nil {
				got = "error: " + err.Error()
			} else {
				got = strings.Join(p.ordered(), " ")
			}
			if got != tt.want {
				t.Errorf("split(%q) = %q, want %q", tt.argv, got, tt.want)
			}
		})
	}
}

func TestResolve(t *testing.T) {
	t.Parallel()
	tests := []struct{ words, want string }{
		{"list", "list"}, {"ls", "list"}, {"rm x", "uninstall"}, {"remove x", "uninstall"},
		{"add x", "install"}, {"update x", "upgrade"}, {"upgrade", "upgrade"},
		{"refresh", "marketplace refresh"}, {"marketplace update", "marketplace refresh"},
		{"marketplace upgrade", "marketplace refresh"}, {"market add x", "marketplace add"},
		{"marketplace ls", "marketplace list"}, {"marketplace rm x", "marketplace remove"},
		{"marketplace remove x", "marketplace remove"}, {"deactivate x", "disable"}, {"ci", "sync"},
		{"lock", "lock"}, {"lock import x", "lock import"},
		{"plugins list", "list"}, {"plugins rm x", "uninstall"}, {"plugins marketplace add x", "marketplace add"},
		{"plugins refresh", "marketplace refresh"}, {"plugin install x", "install"}, {"plugin update x", "upgrade"},
		{"plugin list", "error"}, {"plugin remove x", "error"}, {"plugin", "error"},
		{"update", "error"}, {"plugins update", "error"}, {"marketplace", "error"}, {"marketplace x", "error"},
	}
	list := commands(&env{})
	for _, tt := range tests {
		c, used, err := resolve(list, strings.Fields(tt.words))
		got := "error"
		if err == nil {
			got = c.Name
			if rest := strings.Fields(tt.words)[used:]; len(rest) > 1 {
				t.Errorf("%q leaves the arguments %q", tt.words, rest)
			}
		} else if exitOf(err) != exitUsage || hintOf(err) == "" {
			t.Errorf("%q: exit %d, hint %q", tt.words, exitOf(err), hintOf(err))
		}
		if got != tt.want {
			t.Errorf("resolve(%q) = %s, want %s", tt.words, got, tt.want)
		}
	}
}

// Every command is complete: what help, completion and the man page show.
func TestCommandTable(t *testing.T) {
	t.Parallel()
	list := commands(&env{})
	arity := map[string]bool{}
	seen := map[string]bool{}
	for _, c := range list {
		if seen[c.Name] {
			t.Errorf("%s is there twice", c.Name)
		}
		seen[c.Name] = true
		if c.Usage == "" || c.Description == "" || len(c.examples) == 0 {
			t.Errorf("%s lacks its line, description or examples", c.Name)
		}
		if len(c.Usage) > 56 {
			t.Errorf("%s: the line %q does not fit", c.Name, c.Usage)
		}
		names := map[string]bool{}
		for _, f := range c.Flags {
			if takesValue(f) && placeholder(f) == "VALUE" {
				t.Errorf("%s --%s does not name its value", c.Name, f.Names()[0])
			}
			if flagText(f) == "" {
				t.Errorf("%s --%s has no usage", c.Name, f.Names()[0])
			}
			for _, name := range f.Names() {
				if names[name] {
					t.Errorf("%s has %s twice", c.Name, name)
				}
				names[name] = true
				// The command's words are found before its flags are known.
				if before, ok := arity[name]; ok && before != takesValue(f) {
					t.Errorf("--%s takes a value in one command and none in another", name)
				}
				arity[name] = takesValue(f)
			}
		}
		for _, x := range c.examples {
			if !strings.Contains(x.line, "pinion ") {
				t.Errorf("%s: the example %q does not run pinion", c.Name, x.line)
			}
		}
	}
}

// Every example in the help parses.
func TestExamplesParse(t *testing.T) {
	t.Parallel()
	list := commands(&env{})
	for _, c := range list {
		for _, x := range c.examples {
			_, line, _ := strings.Cut(x.line, "pinion ")
			line, _, _ = strings.Cut(strings.NewReplacer(`)"`, "", ")", "").Replace(line), " |")
			line, _, _ = strings.Cut(line, " >")
			words := strings.Fields(line)
			if asksVersion(words) || slices.Contains(words, "--help") {
				continue
			}
			all := flagsOf(list...)
			delete(all, "version")
			rough, err := split(words, all, true)
			if err != nil {
				t.Errorf("%s: %v", x.line, err)
				continue
			}
			found, used, err := resolve(list, rough.args)
			if err != nil {
				t.Errorf("%s: %v", x.line, err)
				continue
			}
			p, err := split(words, flagsOf(found), false)
			if err == nil {
				err = found.checkArgs(p.args[used:])
			}
			if err != nil {
				t.Errorf("%s: %v", x.line, err)
			}
			if c.Name != "help" && found.Name != c.Name {
				t.Errorf("%s runs %s, and is an example of %s", x.line, found.Name, c.Name)
			}
		}
	}
}

// The flag library puts the values where the options are, lists unsplit.
func TestParseFillsOptions(t *testing.T) {
	t.Parallel()
	e := &env{stdout: io.Discard, stderr: io.Discard, getenv: func(string) string { return "" }}
	o := struct {
		allow, host []string
		out         string
		quiet       bool
	}{}
	var args []string
	c := &command{Command: &cli.Command{Name: "two words", Flags: []cli.Flag{
		boolFlag(&o.quiet, "quiet", "", "q"),
		stringFlag(&o.out, "output", "`FILE`", "o"),
		listFlag(&o.allow, "allow", "`GRANT`"),
		listFlag(&o.host, "host", "`NAME`"),
	}, Action: func(cc *cli.Context) error { args = cc.Args().Slice(); return nil }}, args: []arg{{name: "REF", many: true}}}
	line, err := split([]string{"x", "--allow", "a,b", "-qo=f g", "--allow=c", "--host", "p,q", "--", "-q", "--", "y"}, flagsOf(c), false)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.parse(t.Context(), c, line); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"x", "-q", "--", "y"}, args); diff != "" {
		t.Errorf("arguments (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([][]string{{"a,b", "c"}, {"p", "q"}, {"f g"}}, [][]string{o.allow, o.host, {o.out}}); diff != "" || !o.quiet {
		t.Errorf("options: quiet %v, lists (-want +got):\n%s", o.quiet, diff)
	}
}

func FuzzSplit(f *testing.F) {
	for _, s := range []string{"a --quiet", "-qyo x", "--", "-", "--=", "-=", "--output", "--allow=\x00", "é -é"} {
		f.Add(s)
	}
	list := commands(&env{})
	set := flagsOf(list...)
	f.Fuzz(func(t *testing.T, s string) {
		argv := strings.Fields(s)
		if _, err := split(argv, set, true); err != nil {
			t.Fatalf("lenient split(%q): %v", argv, err)
		}
		p, err := split(argv, set, false)
		if err != nil {
			var u *usageError
			if !errors.As(err, &u) {
				t.Fatalf("split(%q): %v is no usage error", argv, err)
			}
			return
		}
		// What was put in order is read the same again.
		again, err := split(p.ordered(), set, false)
		if err != nil {
			t.Fatalf("split(%q), again: %v", argv, err)
		}
		if diff := cmp.Diff(p.ordered(), again.ordered()); diff != "" {
			t.Fatalf("split(%q) is not stable (-once +twice):\n%s", argv, diff)
		}
	})
}
