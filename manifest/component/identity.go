package component

import (
	"cmp"
	"strings"

	"pinion/manifest"
	"pinion/manifest/agentskill"
	"pinion/problem"
)

// Identity is what a manifest says of the package as a whole. Name and Version
// are looked at where they stand; the other fields are text.
type Identity struct {
	Name, Version               Value
	Title, Description, License string
}

// Identify fills m with what the manifest says, and where it is silent with the
// catalog entry, which may be nil. The entry's name goes before the manifest's.
//
// The ID stays empty when the name cannot be a directory on every system; that
// is reported by the rule name. A version that is no SemVer is reported by the
// rule version and left out. A name the format itself refuses is the caller's to
// report.
func (r *Reader) Identify(m *manifest.Manifest, id Identity, entry *manifest.Entry, name, version problem.Rule) {
	m.ID = id.Name.Text()
	m.Name = cmp.Or(id.Title, m.ID)
	m.Description, m.License = id.Description, id.License
	stated := id.Version.Text()
	if entry != nil {
		m.ID = cmp.Or(entry.Name, m.ID)
		m.Name = cmp.Or(m.Name, entry.Name)
		m.Description = cmp.Or(m.Description, entry.Description)
		m.License = cmp.Or(m.License, entry.License)
		stated = cmp.Or(stated, entry.Version)
	}
	switch {
	case manifest.ValidVersion(stated):
		m.Version = stated
	case stated != "" && stated == id.Version.Text():
		r.Report(id.Version, version.Report("version %q is not a semantic version", Clip(stated)))
	}
	switch {
	case m.ID == "" || agentskill.IsID(m.ID):
	case entry != nil && entry.Name != "":
		r.Add(name.Report("catalog entry: the name %q cannot be a directory", Clip(m.ID)))
		m.ID = ""
	default:
		r.Report(id.Name, name.Report("the name %q cannot be a directory on every system", Clip(m.ID)))
		m.ID = ""
	}
}

// Finish hands what was found over to m: the components, their kind, and the
// note when no licence is stated, neither in the manifest nor in a file.
func (r *Reader) Finish(m *manifest.Manifest) problem.List {
	if m.License == "" && !r.hasLicenseFile() {
		r.Add(agentskill.LicenseMissing(r.AnyFile()))
	}
	m.Components, m.Kind = r.Components, Kind(r.Components)
	return r.Found
}

// hasLicenseFile reports whether a file at the top states the licence: some
// manifests have no field for it.
func (r *Reader) hasLicenseFile() bool {
	for _, f := range r.Tree.Files {
		stem, _, _ := strings.Cut(strings.ToUpper(f.Path), ".")
		switch stem {
		case "LICENSE", "LICENCE", "COPYING":
			return true
		}
	}
	return false
}
