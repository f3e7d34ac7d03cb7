package author

import (
	"embed"
	"fmt"
	"strconv"
	"strings"

	"pinion/internal/syntax"
)

// DefaultLicense is the licence of a new package when the author names none.
const DefaultLicense = "MIT"

//go:embed licenses/*.txt
var licenseTexts embed.FS

// Licenses returns the SPDX ids that a native package may have (SB-064).
func Licenses() []string {
	return []string{"MIT", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "0BSD", "Unlicense", "CC0-1.0"}
}

// LicenseText returns the complete text of a licence with the year and the
// holder of the copyright filled in where it has a place for them. An unknown
// id is an [*Error] that names the nearest.
func LicenseText(id string, year int, holder string) ([]byte, error) {
	for _, known := range Licenses() {
		if known != id {
			continue
		}
		text, err := licenseTexts.ReadFile("licenses/" + id + ".txt")
		if err != nil {
			return nil, fmt.Errorf("read licence text: %w", err)
		}
		fill := strings.NewReplacer("{{year}}", strconv.Itoa(year), "{{holder}}", holder)
		return []byte(fill.Replace(string(text))), nil
	}
	e := &Error{
		What: fmt.Sprintf("license %q is not one that a package may have", id),
		Hint: "one of " + strings.Join(Licenses(), ", "),
	}
	if near, ok := syntax.Nearest(id, Licenses()); ok {
		e.Hint = fmt.Sprintf("did you mean %s? It is %s", near, e.Hint)
	}
	return nil, e
}
