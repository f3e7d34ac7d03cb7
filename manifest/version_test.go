package manifest

import (
	"testing"

	"pgregory.net/rapid"
)

func TestValidVersion(t *testing.T) { // SB-009, security 3.1 row 15
	for v, want := range map[string]bool{
		"1.0.0": true, "0.0.0-h0123456789ab": true, "1.2.3-rc.1+build": true,
		"1.0": false, "v1.0.0": false, "1": false, "01.0.0": false, "": false, "1.0.0/../../x": false, "1.0.0+../": false,
	} {
		if got := ValidVersion(v); got != want {
			t.Errorf("ValidVersion(%q) = %v, want %v", v, got, want)
		}
	}
}

func TestCompareVersions(t *testing.T) {
	ordered := []string{"", "1.9", "1.10", "2024-01", "unknown", "0.0.0-h0", "0.9.0", "1.0.0-rc.1", "1.0.0", "1.0.0+a", "1.0.0+b", "1.10.0"}
	for i, a := range ordered {
		for j, b := range ordered {
			want := 0
			if i < j {
				want = -1
			} else if i > j {
				want = 1
			}
			if got := CompareVersions(a, b); got != want {
				t.Errorf("CompareVersions(%q, %q) = %d, want %d", a, b, got, want)
			}
		}
	}
}

func TestCompareVersionsIsAnOrder(t *testing.T) {
	gen := rapid.StringMatching(`[0-9a-c.+-]{0,6}`)
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := gen.Draw(t, "a"), gen.Draw(t, "b"), gen.Draw(t, "c")
		if CompareVersions(a, b) != -CompareVersions(b, a) {
			t.Fatalf("not antisymmetric: %q, %q", a, b)
		}
		if CompareVersions(a, b) <= 0 && CompareVersions(b, c) <= 0 && CompareVersions(a, c) > 0 {
			t.Fatalf("not transitive: %q, %q, %q", a, b, c)
		}
		if (CompareVersions(a, b) == 0) != (a == b) {
			t.Fatalf("equal and different: %q, %q", a, b)
		}
	})
}
