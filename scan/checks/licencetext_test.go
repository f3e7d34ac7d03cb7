package checks

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What is known by digest is what the classifier says, so the table cannot claim
// a licence for another text. The texts are those that pinion init writes.
func TestKnownLicences(t *testing.T) { // SB-017, SB-064
	scanner, err := classifier()
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range listedLicences() {
		data, err := os.ReadFile(filepath.Join("..", "..", "author", "licenses", id+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		text := strings.NewReplacer("{{year}}", "2026", "{{holder}}", "Made Up").Replace(string(data))
		cover := scanner.Scan([]byte(text))
		if len(cover.Match) != 1 || cover.Match[0].ID != id || cover.Percent < 90 {
			t.Errorf("%s: the classifier says %+v", id, cover)
		}
		for name, variant := range map[string]string{"as it is": text, "CR LF": strings.ReplaceAll(text, "\n", "\r\n"), "upper case": strings.ToUpper(text)} {
			if got := classify([]byte(variant)); got.ID != id || got.Percent != 100 {
				t.Errorf("%s, %s: %+v", id, name, got)
			}
		}
		// Another word makes it another text, for the classifier too.
		changed := strings.Replace(text, "any", "no", 1)
		if changed != text {
			if got := classify([]byte(changed)); got.Percent == 100 && got.ID == id && id != "Apache-2.0" && id != "CC0-1.0" {
				t.Errorf("%s with another word is %+v", id, got)
			}
		}
	}
	for text, want := range map[string]string{
		"MIT\n": "", "": "", "All rights reserved.": "",
		"GNU GENERAL PUBLIC LICENSE\nVersion 3, 29 June 2007\n" + strings.Repeat("terms and conditions ", 400): "GPL-3.0",
	} {
		if got := classify([]byte(text)); got.ID != want {
			t.Errorf("%.30q: %+v", text, got)
		}
	}
}

func TestLicenceIDs(t *testing.T) {
	for expression, want := range map[string]string{
		"MIT": "MIT", "MIT OR Apache-2.0": "MIT Apache-2.0", "GPL-3.0-or-later": "GPL-3.0", "Proprietary": "", "": "",
		"Complete terms in LICENSE.txt": "", "Apache-2.0 WITH LLVM-exception": "Apache-2.0", strings.Repeat("(", 10_000): "",
	} {
		got := licenceIDs(expression)
		for _, id := range strings.Fields(want) {
			if !strings.Contains(strings.Join(got, " "), id) {
				t.Errorf("%.40q: %v, want %s", expression, got, want)
			}
		}
		if want == "" && len(got) > 0 {
			t.Errorf("%.40q: %v", expression, got)
		}
	}
}
