package pinion

import (
	"context"
	"slices"
	"strings"

	"pinion/catalog"
	"pinion/compat"
	"pinion/internal/syntax"
	"pinion/manifest"
	"pinion/pkgfmt"
	"pinion/problem"
)

// HostVerdict is what one host does with a package or a catalog.
type HostVerdict struct {
	Host     compat.Host    `json:"host"`
	Versions string         `json:"versions"` // those that were asked for
	Loads    compat.Outcome `json:"loads"`
	// Since is the lowest version from which on every known one loads it, and
	// Complete the same for everything in it; "" when the newest does not.
	Since    string `json:"since"`
	Complete string `json:"complete"`
	// Why names the rules behind a host that does not load it, or not all of it.
	Why []string `json:"why"`
	// Components are what the host sees of a package.
	Components []manifest.Component `json:"components,omitempty"`
	// Entries are what the host does with each entry of a catalog.
	Entries []HostEntry `json:"entries,omitempty"`
}

// HostEntry is what a host does with one entry of a catalog, without a look at
// its package.
type HostEntry struct {
	Name  string         `json:"name"`
	Loads compat.Outcome `json:"loads"`
	Since string         `json:"since"`
	Why   string         `json:"why"` // a rule, or ""
}

// CatalogReport is one catalog of a [ValidateReport].
type CatalogReport struct {
	Path    string          `json:"path"`
	Flavour catalog.Flavour `json:"flavour"`
	Hosts   []HostVerdict   `json:"hosts"`
}

// hostJudge asks hosts about the packages and catalogs of one run of validate.
type hostJudge struct {
	targets []compat.Target
	// entries are those of the catalogs as written, by their place in the file.
	entries map[pkgfmt.Position]syntax.Raw
}

func newHostJudge(targets []compat.Target) *hostJudge {
	if len(targets) == 0 {
		return nil
	}
	return &hostJudge{targets: targets, entries: map[pkgfmt.Position]syntax.Raw{}}
}

// visit judges one package and adds its problems to the report.
func (h *hostJudge) visit(_ context.Context, pkg *pkgfmt.Package, at pkgfmt.Place, r *PackageReport) error {
	for _, to := range h.targets {
		v := compat.Package(to, pkg.Tree, compat.Place{Dir: at.Name, Entry: at.Entry, Raw: h.entries[at.Listed]})
		r.Hosts = append(r.Hosts, hostVerdict(v))
		for _, p := range named(to, v) {
			if p.File == "" && at.Listed.File != "" {
				p = p.At(at.Listed.File, at.Listed.Line, at.Listed.Column)
			} else {
				p = problem.List{p}.Under(at.Path)[0]
			}
			if !said(r.Problems, p) {
				r.Problems = append(r.Problems, p)
			}
		}
	}
	r.Problems.Sort()
	return nil
}

// named returns the problems of a verdict. That nothing is there for a host is
// an error when the host was asked for by its name.
func named(to compat.Target, v compat.Verdict) problem.List {
	if v.Outcome != compat.Unread || to.Optional {
		return v.Problems
	}
	out := slices.Clone(v.Problems)
	for i := range out {
		out[i] = out[i].As(problem.Error)
	}
	return out
}

// said reports whether the format's own reader reports the same, which a host's
// problem then names at its end.
func said(list problem.List, p problem.Problem) bool {
	return slices.ContainsFunc(list, func(q problem.Problem) bool {
		return q.File == p.File && q.Line == p.Line && q.Column == p.Column && q.Severity == p.Severity &&
			strings.HasSuffix(p.Message, " ("+q.Rule+")")
	})
}

func hostVerdict(v compat.Verdict) HostVerdict {
	r := HostVerdict{
		Host: v.Host, Versions: v.Versions.String(), Loads: v.Outcome, Since: v.Since.String(), Complete: v.Complete.String(),
		Why: []string{}, Components: v.Components,
	}
	for _, p := range v.Problems {
		if (p.Severity != problem.Note || v.Outcome == compat.Unread) && !slices.Contains(r.Why, p.Rule) {
			r.Why = append(r.Why, p.Rule)
		}
	}
	for _, e := range v.Entries {
		r.Entries = append(r.Entries, HostEntry{Name: e.Name, Loads: e.Outcome, Since: e.Since.String(), Why: e.Rule})
	}
	return r
}

// catalog judges one catalog. file is its path from the validated directory,
// shown what problems call it.
func (h *hostJudge) catalog(r *ValidateReport, cat *catalog.Catalog, file, shown string, data []byte, repo compat.Repo) {
	report := CatalogReport{Path: shown, Flavour: cat.Flavour, Hosts: []HostVerdict{}}
	var found problem.List
	for _, to := range h.targets {
		places := compat.CatalogPlaces(to.Host)
		if len(places) == 0 {
			continue // it has no marketplaces
		}
		v := compat.Catalog(to, file, data, repo)
		if v.Outcome == compat.Unread && !slices.ContainsFunc(places, repo.File) && !to.Optional {
			v.Problems.Add(compat.NoCatalog(to).At(file, 0, 0))
		}
		report.Hosts = append(report.Hosts, hostVerdict(v))
		found = append(found, v.Problems...)
	}
	for i := range found {
		found[i].File = shown
	}
	found.Sort()
	r.Problems = append(r.Problems, found...)
	r.Catalogs = append(r.Catalogs, report)
}

// remember keeps the entries of a catalog as they are written.
func (h *hostJudge) remember(cat *catalog.Catalog, shown string, data []byte) {
	var doc struct {
		Plugins []syntax.Raw `json:"plugins"`
	}
	// What is wrong with it has been reported.
	_ = syntax.Decode(data, &doc, syntax.Options{AllowDuplicates: true, AllowBOM: true})
	for _, e := range cat.Entries {
		if e.Index < len(doc.Plugins) {
			h.entries[pkgfmt.Position{File: shown, Line: e.Line, Column: e.Column}] = doc.Plugins[e.Index]
		}
	}
}

// together makes one visit of several; nil ones are left out.
func together(visits ...visit) visit {
	visits = slices.DeleteFunc(visits, func(v visit) bool { return v == nil })
	switch len(visits) {
	case 0:
		return nil
	case 1:
		return visits[0]
	}
	return func(ctx context.Context, pkg *pkgfmt.Package, at pkgfmt.Place, r *PackageReport) error {
		for _, v := range visits {
			if err := v(ctx, pkg, at, r); err != nil {
				return err
			}
		}
		return nil
	}
}

// JudgedHosts returns the hosts that [ValidateOptions] can ask about.
func JudgedHosts() []compat.Host { return compat.Hosts() }

// ParseHosts reads the words of --host: "claude", "claude@2.1.268",
// "claude@>=2.1.200", "all". The error is a [*UsageError].
func ParseHosts(words []string) ([]compat.Target, error) {
	var out []compat.Target
	for _, w := range words {
		targets, err := compat.ParseTargets(w)
		if err != nil {
			return nil, usage("", "--host %s: %v", w, err)
		}
		for _, t := range targets {
			if !slices.Contains(out, t) {
				out = append(out, t)
			}
		}
	}
	return out, nil
}
