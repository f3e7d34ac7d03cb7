package checks

import (
	"path"
	"slices"
	"strings"

	"github.com/github/go-spdx/v2/spdxexp"

	"pinion/pkgfmt"
	"pinion/scan"
	"pinion/tree"
)

// licences compares what packages say of their licence with the text they ship.
func licences() scan.Check {
	return scan.Check{
		Name: "license",
		Form: true,
		Rules: []scan.Rule{{
			ID: "license/text-mismatch", Level: scan.Medium, Since: "0.2.0",
			Title: "the licence text is another licence than the declared one",
			Help: "The manifest declares one licence and the LICENSE file beside it is the text of another. Users rely on the declared one, but the text is what was granted. " +
				"A file that holds the declared licence among others, and an expression such as \"MIT OR Apache-2.0\" with one of its texts, are not reported.",
			Fix:     "declare the licence whose text is in the file, or replace the text",
			Example: `"license": "MIT" beside the text of Apache-2.0`,
		}, {
			ID: "license/text-unknown", Level: scan.Low, Since: "0.2.0",
			Title: "the licence text is incomplete or not a known one",
			Help: "Less than three quarters of the LICENSE file is the text of a licence that is known here, so nobody can rely on the declared id without reading it. " +
				"Files beside which no SPDX id is declared are not compared.",
			Fix:     "put the complete, unchanged text of the licence into the file",
			Example: "a LICENSE that says \"MIT\" and nothing else",
		}, {
			ID: "license/not-listed", Level: scan.Low, Since: "0.2.0",
			Title: "the declared licence is not one that marketplaces take",
			Help: "Native packages may have MIT, Apache-2.0, BSD-2-Clause, BSD-3-Clause, ISC, 0BSD, Unlicense or CC0-1.0. The declared text is none of these, or no SPDX expression at all. " +
				"For other formats that is allowed; a policy may refuse it.",
			Fix:     "declare the SPDX id of the licence",
			Example: `license: Proprietary. See LICENSE.txt`,
		}, {
			ID: "license/contradiction", Level: scan.Low, Since: "0.2.0",
			Title: "two manifests declare different licences",
			Help:  "The package.json at the top of the package declares another licence than the plugin's manifest. The package.json of a program in a sub-directory is not compared.",
			Fix:   "declare one licence in both",
		}},
		Package: func(p *scan.Pass) {
			stated := statedLicences(p.Package)
			for _, f := range p.Package.Tree.Files {
				if !isLicenceFile(f.Path) || vendored(f.Path) || f.Size > maxLicence {
					continue
				}
				if s, ok := stated.beside(path.Dir(f.Path)); ok {
					compareLicence(p, f, s)
				}
			}
			if s, ok := stated.beside("."); ok {
				listedLicence(p, s) // that none is declared is said by validate
			}
			stated.contradiction(p)
		},
	}
}

// licenceStatement is where a licence is declared.
type licenceStatement struct {
	dir  string // whose LICENSE file it means
	id   string // as it is written
	file string
	text *scan.Text // nil for what the catalog entry says
}

type licenceStatements []licenceStatement

// statedLicences lists what manifests declare, the most specific for a directory
// first: the plugin's own manifest, a skill, a package.json.
func statedLicences(pkg *pkgfmt.Package) licenceStatements {
	var own, skills, programs licenceStatements
	for _, f := range pkg.Tree.Files {
		dir, base := path.Split(f.Path)
		dir = path.Clean(dir)
		if vendored(f.Path) || f.Size > maxConfig {
			continue
		}
		list := &own
		switch {
		case pkg.IsManifest(f.Path):
			dir = "." // .claude-plugin/plugin.json is about the package
		case base == "SKILL.md":
			list = &skills
		case base == "package.json":
			list = &programs
		default:
			continue
		}
		_, texts := scan.FileTexts(f.Path, f.Exec, f.Data)
		previous := ""
		for _, t := range texts {
			named := previous == "/license" // the name of a member comes before its value
			previous = t.Pointer
			if t.Pointer == "/license" && (named || string(t.Data) != "license") {
				*list = append(*list, licenceStatement{dir, strings.TrimSpace(string(t.Data)), f.Path, t})
				break
			}
		}
	}
	if len(own) == 0 && pkg.Manifest.License != "" {
		own = append(own, licenceStatement{dir: ".", id: pkg.Manifest.License})
	}
	return slices.Concat(own, skills, programs)
}

// beside returns what is declared for a directory.
func (l licenceStatements) beside(dir string) (licenceStatement, bool) {
	for _, s := range l {
		if s.dir == dir && s.id != "" {
			return s, true
		}
	}
	return licenceStatement{}, false
}

func (l licenceStatements) contradiction(p *scan.Pass) {
	first, ok := l.beside(".")
	if !ok {
		return
	}
	for _, s := range l {
		if s.dir == "." && s.id != "" && s.id != first.id && path.Base(s.file) == "package.json" && s.text != nil {
			p.Report("license/contradiction", s.text, 0, len(s.text.Data), "package.json declares %q, the manifest %q", scan.Escape(s.id, 40), scan.Escape(first.id, 40))
		}
	}
}

// isLicenceFile reports whether a name is that of a licence text.
func isLicenceFile(p string) bool {
	base := strings.ToUpper(path.Base(p))
	base = strings.TrimSuffix(strings.TrimSuffix(base, ".TXT"), ".MD")
	return base == "LICENSE" || base == "LICENCE" || base == "COPYING"
}

// compareLicence compares a text with what is declared beside it.
func compareLicence(p *scan.Pass, f tree.File, s licenceStatement) {
	ids := licenceIDs(s.id)
	if len(ids) == 0 {
		return // no SPDX expression, so there is nothing to compare
	}
	found := classify(f.Data)
	file, _ := scan.FileTexts(f.Path, f.Exec, f.Data)
	t := file.Whole()
	end := len(t.Data)
	if line, start := t.Line(0); len(line) > 0 {
		end = start + len(line)
	}
	where := s.file
	if where == "" {
		where = "the catalog entry"
	}
	agrees := slices.ContainsFunc(found.All, func(id string) bool { return slices.Contains(ids, licenceFamily(id)) })
	switch {
	case agrees && found.Percent >= minLicencePercent:
	case agrees || found.Percent < minLicencePercent:
		p.Report("license/text-unknown", t, 0, end, "%s declares %s, but only %d %% of the text is a known licence", where, scan.Escape(s.id, 40), int(found.Percent))
	default:
		p.Report("license/text-mismatch", t, 0, end, "%s declares %s, the text is %s", where, scan.Escape(s.id, 40), found.ID)
	}
}

// minLicencePercent is how much of a text must be licence; the rest is titles
// and names.
const minLicencePercent = 75

// licenceIDs returns the ids of an SPDX expression, each without "-only" and
// the like; none when it is no expression.
func licenceIDs(expression string) []string {
	if len(expression) > 200 {
		return nil
	}
	if ok, _ := spdxexp.ValidateLicenses([]string{expression}); !ok {
		return nil
	}
	ids, err := spdxexp.ExtractLicenses(expression)
	if err != nil {
		return nil
	}
	for i := range ids {
		ids[i] = licenceFamily(ids[i])
	}
	return ids
}

func licenceFamily(id string) string {
	id, _, _ = strings.Cut(id, " WITH ")
	return strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(id, "-only"), "-or-later"), "+")
}

// listedLicence reports a declared licence that is not on the list (SB-064).
func listedLicence(p *scan.Pass, s licenceStatement) {
	ids := licenceIDs(s.id)
	message := ""
	switch {
	case len(ids) == 0:
		message = "is no SPDX expression"
	case !slices.ContainsFunc(ids, func(id string) bool { return slices.Contains(listedLicences(), id) }):
		message = "is not one of the eight licences that native packages may have"
	default:
		return
	}
	if s.text == nil {
		p.ReportFile(scan.Low, "license/not-listed", "", "the catalog entry: %q %s", scan.Escape(s.id, 60), message)
		return
	}
	p.Report("license/not-listed", s.text, 0, len(s.text.Data), "%q %s", scan.Escape(s.id, 60), message)
}

// Licence is what a package says of its licence, and what its text is. Both are
// SPDX expressions; Declared is "" when none is declared or it is no expression,
// Found is "" when the text is missing, incomplete or not known.
type Licence struct {
	Declared string
	Found    string
	File     string // of the text
}

// LicenceOf returns the licence of a package.
func LicenceOf(pkg *pkgfmt.Package) Licence {
	out := Licence{Declared: pkg.Manifest.License}
	if len(licenceIDs(out.Declared)) == 0 {
		out.Declared = ""
	}
	for _, f := range pkg.Tree.Files {
		if path.Dir(f.Path) != "." || !isLicenceFile(f.Path) || f.Size > maxLicence {
			continue
		}
		if found := classify(f.Data); found.Percent >= minLicencePercent && found.ID != "" {
			out.Found, out.File = found.ID, f.Path
			break
		}
	}
	return out
}
