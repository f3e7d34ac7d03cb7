package pinion

import (
	"os"
	"testing"

	"pinion/internal/fsx"
	"pinion/internal/sealed"
	"pinion/scan"
)

// Security 2.4 and SB-068, for every kind of file that is believed: only what was
// made with a whole key of this home counts, whoever could know another one.
func TestAuthentic(t *testing.T) {
	t.Parallel()
	home, err := fsx.OpenHome(t.TempDir(), fsx.Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	defer home.Close()
	const about = "abcdef"
	if err := saveFacts(home, &facts{About: about, Message: "as it was"}); err != nil {
		t.Fatal(err)
	}
	if f, ok := loadFacts(home, about); !ok || f.Message != "as it was" {
		t.Fatalf("%+v, %v", f, ok)
	}
	if _, ok := loadFacts(home, "abcdee"); ok {
		t.Error("facts of something else were taken")
	}
	forged := &facts{Schema: "pinion.verdict/v1", About: about, Message: "forged"}
	for _, key := range []string{"", "00", "no digits, and as long as a key, which has 64 characters in all"} {
		if err := os.WriteFile(home.Path(reportKey), []byte(key), 0o600); err != nil {
			t.Fatal(err)
		}
		if forged.Mac, err = authenticate(forged, []byte(key)); err != nil {
			t.Fatal(err)
		}
		data, err := sealed.Encode(forged)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(home.Path(verdictFile(about)), data, 0o600); err != nil {
			t.Fatal(err)
		}
		if f, ok := loadFacts(home, about); ok {
			t.Errorf("key %q: %+v was believed", key, f)
		}
	}
}

// SB-067: whoever scans, a scan that was not completed is not kept; it would be
// refused for ever.
func TestIncompleteReportsAreNotKept(t *testing.T) {
	t.Parallel()
	home, err := fsx.OpenHome(t.TempDir(), fsx.Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	defer home.Close()
	for _, complete := range []bool{false, true} {
		r := &scan.Report{Schema: scan.Schema, Complete: complete}
		if err := saveReport(home, &kept{Report: r}); err != nil {
			t.Fatal(err)
		}
		if _, ok := loadReport(home, r.Key()); ok != complete {
			t.Errorf("complete %v: kept %v", complete, ok)
		}
	}
}
