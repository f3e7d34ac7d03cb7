package main

import (
	"slices"
	"strings"
	"testing"
)

// The short way to a command gives what the long way gives, or steps aside.
func TestDirect(t *testing.T) {
	t.Parallel()
	tests := []struct {
		line  string
		short bool
	}{
		{"activate x", true},
		{"activate x 1.0.0 --allow extension -y", true},
		{"activate --version 1.0.0 x", true},
		{"validate . --format json", true},
		{"install --home /h a b", true},
		{"install -- --x", true},
		{"marketplace add o/r", true},
		{"lock import f", true},
		{"version", true},
		{"--home /h -C d list", true},
		{"--home=/h -q --offline marketplace add o/r --name x", true},

		{"", false},
		{"--home", false},
		{"--home list", false},  // the value of --home
		{"--json list", false},  // not every command takes it
		{"--home /h ls", false}, // another word
		{"lock", false},         // a noun that is a command too
		{"lock -q import f", false},
		{"marketplace", false},
		{"marketplace ls", false},
		{"plugins list", false},
		{"activate x --help", false},
		{"list -h", false},
		{"list --version", false}, // asks for Pinion's
		{"list -V", false},
		{"list --no-such-flag", false},
		{"activate x --allow", false},
		{"nonsense", false},
	}
	for _, tt := range tests {
		args := strings.Fields(tt.line)
		c, line, ok := direct(&env{}, args)
		if ok != tt.short {
			t.Errorf("direct(%q) = %v, want %v", tt.line, ok, tt.short)
		}
		if !ok {
			continue
		}
		all := commands(&env{})
		set := flagsOf(all...)
		delete(set, "version")
		rough, err := split(args, set, true)
		if err != nil {
			t.Fatal(err)
		}
		long, used, err := resolve(all, rough.args)
		if err != nil {
			t.Fatal(err)
		}
		want, err := split(args, flagsOf(long), false)
		if err != nil {
			t.Fatal(err)
		}
		want.args = want.args[used:]
		if c.Name != long.Name || !slices.Equal(line.ordered(), want.ordered()) {
			t.Errorf("direct(%q) = %s %q, want %s %q", tt.line, c.Name, line.ordered(), long.Name, want.ordered())
		}
	}
}

// The table calls every command what the command calls itself.
func TestMakers(t *testing.T) {
	t.Parallel()
	for _, m := range makers() {
		if c := m.command(&env{}); c.Name != m.name {
			t.Errorf("%q makes %q", m.name, c.Name)
		}
	}
}
