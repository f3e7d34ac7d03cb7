package checks

import (
	"slices"
	"strings"
	"sync"

	"github.com/google/licensecheck"

	"pinion/hashes"
)

// foundLicence is what a licence text is.
type foundLicence struct {
	ID string // SPDX id; "" when it is none that is known here
	// All are the ids of every licence in the text, the largest first.
	All []string
	// Percent of the text that the licence makes up; what is left is titles,
	// names and additions.
	Percent float64
}

// knownText are the digests of standard texts as [licenceWords] writes them, so
// that nearly every licence file is known without the classifier. A test holds
// them against the classifier.
var knownText = map[string]string{
	"ff7be961361eda3cd2a76927dd0d9482cf45defafde2045befedf77400d98100": "Apache-2.0",
	"35a446201226de6b27cfb7106d0f6c697f63bfeac2913dcf89024911e66ef164": "MIT",
	"6c833965e9ca4cf8095655005226f24fe8bf7b1605dbe513204837a7371fa127": "MIT",
	"0cf21bdfd1964a97a8615e128534845826afbc887edc95aa5c925cbf64386b5c": "MIT",
	"cc65957a28f15bbcef5b0c23770aae3bd8462cb25904250f77a812ab3b2efe15": "BSD-3-Clause",
	"48a6c8566967108ff456fde2d9e45199df7a8cf85cff34196f64518281a6ac2c": "BSD-3-Clause",
	"73d4f18261dc5ce7e97c2c48d40b56085ef20d1ddcb89938580af8b1a99a59fd": "BSD-3-Clause",
	"447686a56472ea2e9713ca89034ee666e6646bd1a33eba38690cb875708663e2": "BSD-2-Clause",
	"94b4e9f723d13830ec6a47b422738caee264943af1673fa32782cefd730ffc82": "ISC",
	"9c842909bcc85365ba7f0d106fccdc3af51784431076174588a9832837ebf153": "0BSD",
	"fd1b07be5f4f94926b6ea4df3943b05ab90c1a1f3b1a3d574ae7ab58bca58fff": "Unlicense",
	"96bdc7f63190fb4bd1ae584b890300ed7517d858b34c945642a3b9b2f1612a5f": "CC0-1.0",
	"3dacd2c104719e7227969cbdcc7d581518827199e830b9379627eec0a32f8ab7": "MPL-2.0",
}

// licenceWords is a licence without what differs between copies of it: copyright
// lines, letter case, punctuation, line ends.
func licenceWords(data []byte) string {
	var words []string
	for line := range strings.Lines(strings.ToLower(string(data))) {
		fields := strings.FieldsFunc(line, func(r rune) bool {
			return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9')
		})
		if len(fields) == 0 || fields[0] == "copyright" || strings.HasPrefix(strings.TrimSpace(line), "(c)") || strings.HasPrefix(strings.TrimSpace(line), "©") {
			continue
		}
		words = append(words, fields...)
	}
	return strings.Join(words, " ")
}

// longTexts are long texts that would make the classifier slow to build; their
// titles tell them apart.
var longTexts = []struct{ title, id string }{
	{"gnu affero general public license version 3", "AGPL-3.0"},
	{"gnu lesser general public license version 3", "LGPL-3.0"},
	{"gnu lesser general public license version 2 1", "LGPL-2.1"},
	{"gnu general public license version 3", "GPL-3.0"},
	{"gnu general public license version 2", "GPL-2.0"},
	{"mozilla public license version 2 0", "MPL-2.0"},
	{"eclipse public license v 2 0", "EPL-2.0"},
	{"attribution 4 0 international", "CC-BY-4.0"},
	{"attribution sharealike 4 0 international", "CC-BY-SA-4.0"},
	{"attribution noncommercial 4 0 international", "CC-BY-NC-4.0"},
	{"attribution noncommercial sharealike 4 0 international", "CC-BY-NC-SA-4.0"},
	{"business source license 1 1", "BUSL-1.1"},
	{"server side public license", "SSPL-1.0"},
}

// maxLicence is the largest licence file that is classified, in bytes.
const maxLicence = 64 << 10

// listedLicences are the ids that native packages may have (SB-064).
func listedLicences() []string {
	return []string{"MIT", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "0BSD", "Unlicense", "CC0-1.0"}
}

// classifier is built at its first use, in about 6 ms. It knows the licences that
// packages may have; with all of the library's it would take 0.6 s.
var classifier = sync.OnceValues(func() (*licensecheck.Scanner, error) {
	ids := listedLicences()
	var list []licensecheck.License
	for _, l := range licensecheck.BuiltinLicenses() {
		if l.LRE != "" && slices.Contains(ids, l.ID) {
			list = append(list, l)
		}
	}
	return licensecheck.NewScanner(list)
})

// classify says what licence a text is.
func classify(data []byte) foundLicence {
	plain := licenceWords(data)
	if id := knownText[hashes.Of([]byte(plain)).String()]; id != "" {
		return foundLicence{id, []string{id}, 100}
	}
	head := plain[:min(len(plain), 200)]
	for _, g := range longTexts {
		if strings.Contains(head, g.title) {
			if len(plain) < 3_000 {
				return foundLicence{g.id, []string{g.id}, 10} // a notice and not the text
			}
			return foundLicence{g.id, []string{g.id}, 90}
		}
	}
	scanner, err := classifier()
	if err != nil {
		return foundLicence{}
	}
	cover := scanner.Scan(data)
	slices.SortStableFunc(cover.Match, func(a, b licensecheck.Match) int { return (b.End - b.Start) - (a.End - a.Start) })
	found := foundLicence{Percent: cover.Percent}
	for _, m := range cover.Match {
		if !slices.Contains(found.All, m.ID) {
			found.All = append(found.All, m.ID)
		}
	}
	if len(found.All) > 0 {
		found.ID = found.All[0]
	}
	return found
}
