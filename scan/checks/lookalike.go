package checks

import (
	"path"
	"strings"

	"pinion/internal/regex"
	"pinion/scan"
	"pinion/scan/launch"
)

var lookalikeRule = scan.Rule{
	ID: "launch/lookalike", Level: scan.Medium, Since: "0.2.0",
	Title: "a dependency is called almost like a famous one",
	Help: "The name of a package that is fetched or declared differs by one letter from one that very many people use. " +
		"Such names are registered to be met by a slip of the finger or of a model. Names shorter than five letters, and known packages that happen to be near, are not reported.",
	Fix:     "correct the name; if it is meant, accept the finding with the reason",
	Example: "pip install reqeusts",
}

// reportLookalikes reports fetched and declared dependencies whose names are one
// letter away from a famous one.
func reportLookalikes(p *scan.Pass, list []launch.Fetch, npm, pypi lookalikeNames) {
	seen := map[[2]string]bool{}
	check := func(ecosystem launch.Ecosystem, name string, t *scan.Text, start, end int) {
		names := npm
		if ecosystem == launch.PyPI {
			names = pypi
			name = strings.NewReplacer("_", "-", ".", "-").Replace(name) // one name to PyPI
		}
		at := [2]string{t.File.Path, name}
		if f := names.like(name); f != "" && !seen[at] {
			seen[at] = true
			p.Report("launch/lookalike", t, start, end, "the package %q is called almost like %q", scan.Escape(name, 60), f)
		}
	}
	for _, f := range list {
		if f.Text != nil && (f.Ecosystem == launch.NPM || f.Ecosystem == launch.PyPI) {
			check(f.Ecosystem, f.Name, f.Text, f.Start, f.End)
		}
	}
	for _, f := range p.Package.Tree.Files {
		if f.Size <= maxConfig && !vendored(f.Path) {
			dependencies(f.Path, f.Data, check)
		}
	}
}

var (
	requirementsFile = regex.Lazy{Expr: `^(?:requirements|constraints)[\w.-]*\.(?:txt|in)$`}
	requirementLine  = regex.Lazy{Expr: `(?m)^\s*([A-Za-z0-9][A-Za-z0-9._-]*)`}
	requirementName  = regex.Lazy{Expr: `^[A-Za-z0-9][A-Za-z0-9._-]*`}
)

// dependencies calls fn for each dependency that a file of a package manager
// declares.
func dependencies(file string, data []byte, fn func(e launch.Ecosystem, name string, t *scan.Text, start, end int)) {
	switch base := path.Base(file); {
	case base == "package.json":
		_, texts := scan.FileTexts(file, false, data)
		for _, t := range texts {
			list, name := path.Split(t.Pointer)
			name = strings.ReplaceAll(strings.ReplaceAll(name, "~1", "/"), "~0", "~")
			switch list {
			case "/dependencies/", "/devDependencies/", "/optionalDependencies/", "/peerDependencies/":
				if string(t.Data) == name { // the name and not its version
					fn(launch.NPM, name, t, 0, len(t.Data))
				}
			}
		}
	case base == "pyproject.toml":
		_, texts := scan.FileTexts(file, false, data)
		for _, t := range texts {
			if strings.HasPrefix(t.Pointer, "/project/dependencies/") || strings.HasPrefix(t.Pointer, "/project/optional-dependencies/") || strings.HasPrefix(t.Pointer, "/dependency-groups/") {
				if name := requirementName.Get().FindString(string(t.Data)); name != "" {
					fn(launch.PyPI, name, t, 0, len(name))
				}
			}
		}
	case requirementsFile.Get().MatchString(base):
		f, _ := scan.FileTexts(file, false, data)
		t := f.Whole()
		for _, m := range requirementLine.Get().FindAllSubmatchIndex(data, 2_000) {
			fn(launch.PyPI, string(data[m[2]:m[3]]), t, m[2], m[3])
		}
	}
}
