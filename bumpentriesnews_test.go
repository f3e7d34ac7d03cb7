package pinion

import "testing"

// A version tag is followed by higher ones of the same form only.
func TestVersionTags(t *testing.T) {
	t.Parallel()
	for _, ref := range []string{"", "main", "v4", "stable", "release", "refs/heads/v1.2.0", "1", "v1.", "v.1.2", "2026-01-02", "1.2.3.x", "x1..2"} {
		if v, ok := versionTag(ref); ok {
			t.Errorf("%q is taken for the version %+v", ref, v)
		}
	}
	for _, tt := range []struct {
		now, tag string
		want     bool // the tag is a higher one of the same form
	}{
		{"v1.2.0", "v1.10.0", true},
		{"v1.2.0", "v1.2.0", false},
		{"v1.2.0", "v1.1.9", false},
		{"v1.2.0", "1.3.0", false},
		{"v1.2.0", "v1.3", false},
		{"v1.2.0", "v2.0.0-rc.1", false},
		{"v1.2.0", "nightly-v1.3.0", false},
		{"v2.0.0-rc.1", "v2.0.0-rc.2", true},
		{"v2.0.0-rc.1", "v2.0.0", true},
		{"v2.0.0-rc.10", "v2.0.0-rc.9", false},
		{"refs/tags/v1.2.0", "v1.2.1", true},
		{"tool@1.2", "tool@1.3", true},
		{"tool@1.2", "other@1.3", false},
		{"tool2-1.2", "tool2-1.11", true},
		{"2026.01.02", "2026.02.01", true},
		{"1.18446744073709551616", "1.18446744073709551617", true},
	} {
		now, ok := versionTag(tt.now)
		tag, ok2 := versionTag(tt.tag)
		if got := ok && ok2 && tag.sameForm(now) && tag.compare(now) > 0; got != tt.want {
			t.Errorf("%s after %s: %v, want %v (%+v, %+v)", tt.tag, tt.now, got, tt.want, tag, now)
		}
	}
	for _, tt := range []struct {
		stated, entry string
		want          bool
	}{{"1.1.0", "1.0.0", true}, {"1.0.0", "1.0.0", false}, {"0.9.0", "1.0.0", false}, {"1.1.0", "", false}, {"", "1.0.0", false}} {
		if got := higher(tt.stated, tt.entry); got != tt.want {
			t.Errorf("higher(%q, %q) = %v", tt.stated, tt.entry, got)
		}
	}
}
