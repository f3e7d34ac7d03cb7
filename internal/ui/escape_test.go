package ui

import (
	"strings"
	"testing"
	"unicode"
)

// Security 3.5 row 74: names and descriptions come from strangers.
func TestEscape(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, want string }{
		{"plain", "text-tools 1.0.0", "text-tools 1.0.0"},
		{"accents and CJK", "Schlüssel 鍵 ключ", "Schlüssel 鍵 ключ"},
		{"emoji with selector", "❤️", "❤️"},
		{"colour", "a\x1b[31mb", `a\x1b[31mb`},
		{"window title", "\x1b]0;x\x07", `\x1b]0;x\x07`},
		{"C1 CSI", "a\u009b31m", `a\u009b31m`},
		{"carriage return", "ok\rBAD", `ok\rBAD`},
		{"newline", "a\nb", `a\nb`},
		{"tab", "a\tb", `a\tb`},
		{"delete", "a\x7f", `a\x7f`},
		{"bidi override", "a\u202etxt", `a\u202etxt`},
		{"bidi isolate", "\u2066x\u2069", `\u2066x\u2069`},
		{"zero width", "text\u200btools\u200d", `text\u200btools\u200d`},
		{"byte order mark", "\ufeffa", `\ufeffa`},
		{"tag characters", "a\U000e0041", `a\U000e0041`},
		{"selector smuggling", "a\U000e0101", `a\U000e0101`},
		{"line separator", "a\u2028b", `a\u2028b`},
		{"no-break space", "a\u00a0b", "a b"},
		{"not UTF-8", "a\xffb", `a\xffb`},
		{"replacement character itself", "a\ufffdb", "a\ufffdb"},
		{"private use", "\ue000", `\ue000`},
		{"workflow command", "::set-output name=x::y", `\x3a:set-output name=x::y`},
		{"workflow command after spaces", "  ::error::x", `  \x3a:error::x`},
		{"colons inside", "a::b", "a::b"},
		{"old workflow command", "x ##[set-env]y", `x ##\x5bset-env]y`},
		{"azure", "##vso[task.setvariable]", `##vso\x5btask.setvariable]`},
		{"two of them", "##[a] ##[b]", `##\x5ba] ##\x5bb]`},
		{"heading", "## Title", "## Title"},
		{"hashes and bracket", "###[a]", `###\x5ba]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Escape(tt.in); got != tt.want {
				t.Errorf("Escape(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

func FuzzEscape(f *testing.F) {
	for _, s := range []string{"", "::a", "\x1b[0m", "##[x]", "\u202e", " \u00a0::x", "###[", "\xe2\x80"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Escape(s)
		for _, r := range got {
			if !unicode.IsPrint(r) {
				t.Fatalf("Escape(%q) = %q shows %U", s, got, r)
			}
		}
		if strings.HasPrefix(strings.TrimSpace(got), "::") {
			t.Fatalf("Escape(%q) = %q is a workflow command", s, got)
		}
		if strings.Contains(got, "##[") {
			t.Fatalf("Escape(%q) = %q holds a workflow command", s, got)
		}
		if again := Escape(got); again != got {
			t.Fatalf("Escape is not idempotent: %q, then %q", got, again)
		}
	})
}
