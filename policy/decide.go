package policy

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"pinion/internal/syntax"
	"pinion/manifest"
	"pinion/problem"
	"pinion/scan"
)

// Subject is one version that is to be used.
type Subject struct {
	ID      string
	Version string
	Source  string // canonical source; "" for a path
	// Repository is where the bytes are when that is not the source itself.
	Repository string
	// Claimed is true when only a lock file says that the source offers the
	// version from the repository.
	Claimed bool
	Kind    manifest.Kind
	License string   // "" when none is stated
	Hosts   []string // network hosts that its code and commands name
	// MoreHosts is true when it names more than are listed.
	MoreHosts bool
	// Launch are what it fetches when it starts and no pin covers.
	Launch []string
	// FirstSeen is when this user's ledger met the version; zero when it is not
	// known, as for a draft.
	FirstSeen time.Time
	// Report is the scan, nil when none is needed.
	Report *scan.Report
}

// Decide returns why the policies forbid the subject, nothing when they all
// allow it. Without policies the usual one applies.
func Decide(policies []*Policy, s Subject, now time.Time) problem.List {
	if !slices.ContainsFunc(policies, func(p *Policy) bool { return p != nil }) {
		policies = []*Policy{{File: "the usual policy", level: scan.High}}
	}
	var out problem.List
	for _, p := range policies {
		if p != nil {
			out = append(out, p.decide(s, now)...)
		}
	}
	return out
}

func (p *Policy) decide(s Subject, now time.Time) problem.List {
	var out problem.List
	no := func(r problem.Rule, pointer, format string, args ...any) {
		out.Add(p.at(r.Report(format, args...), pointer))
	}
	one := func(r problem.Rule, key, what, value string, fits func(pattern string) bool) {
		allow, deny := p.list(key)
		if what == "repository" {
			allow = nil // whoever allows a source allows what it points to
		}
		if i := slices.IndexFunc(deny, fits); i >= 0 {
			no(r, "/deny/"+key+syntax.Pointer(i), "%s %s is denied", what, value)
		} else if allow != nil && !slices.ContainsFunc(allow, fits) {
			no(r, "/allow/"+key, "%s %s is not among the allowed ones", what, value)
		}
	}
	if s.Source != "" {
		one(ruleSource, "sources", "source", s.Source, func(pat string) bool { return match(pat, s.Source) })
	}
	if s.Repository != "" {
		what := "repository"
		if s.Claimed {
			what = "source" // nobody vouches for it
		}
		one(ruleSource, "sources", what, s.Repository, func(pat string) bool { return match(pat, s.Repository) })
	}
	one(ruleKind, "kinds", "kind", string(s.Kind), func(pat string) bool { return pat == string(s.Kind) })
	license := s.License
	if license == "" {
		license = "none"
	}
	one(ruleLicense, "licenses", "licence", license, func(pat string) bool { return match(pat, license) })
	for _, h := range s.Hosts {
		one(ruleHost, "hosts", "network host", h, func(pat string) bool { return hostFits(pat, h) })
	}
	if allow, deny := p.list("hosts"); s.MoreHosts && (allow != nil || len(deny) > 0) {
		key := "/deny/hosts"
		if allow != nil {
			key = "/allow/hosts"
		}
		no(ruleHost, key, "it names more network hosts than can be listed")
	}
	if p.cooldown > 0 && !s.FirstSeen.IsZero() {
		if age := now.Sub(s.FirstSeen); age < p.cooldown {
			no(ruleAge, "/cooldown", "%s %s was first seen %s ago, less than the cooldown of %s; it may be used from %s",
				s.ID, s.Version, rough(age), p.doc.Cooldown, s.FirstSeen.Add(p.cooldown).UTC().Format("2006-01-02 15:04 UTC"))
		}
	}
	if p.blocksNet {
		for _, l := range s.Launch {
			no(ruleLaunch, "/launch", "at launch it fetches %s, which no pin covers", l)
		}
	}
	if s.Report != nil {
		out = append(out, p.judge(s.Report)...)
	}
	return out
}

// judge is the scan gate (SB-067): a completed report, and no finding of the
// blocking level.
func (p *Policy) judge(r *scan.Report) problem.List {
	var out problem.List
	if !r.Complete {
		why := "it hit a limit"
		if len(r.Limits) > 0 {
			why = r.Limits[0]
		}
		out.Add(p.at(ruleScan.Report("the scan was not completed: %s", why), "/scan/block"))
	}
	for _, f := range r.Findings {
		if f.Level >= p.level && f.Accepted == nil {
			where := f.File
			if f.Line > 0 {
				where = fmt.Sprintf("%s:%d", f.File, f.Line)
			}
			if where != "" {
				where = " in " + where
			}
			out.Add(p.at(ruleScan.Report("%s finding %s%s: %s", f.Level, f.Rule, where, f.Message).
				WithFix("pinion explain %s; to live with it, accept it in your policy with a reason", f.Rule), "/scan/block"))
		}
	}
	return out
}

func (p *Policy) list(key string) (allow, deny []string) {
	switch key {
	case "sources":
		return p.doc.Allow.Sources, p.doc.Deny.Sources
	case "kinds":
		return p.doc.Allow.Kinds, p.doc.Deny.Kinds
	case "licenses":
		return p.doc.Allow.Licenses, p.doc.Deny.Licenses
	}
	return p.doc.Allow.Hosts, p.doc.Deny.Hosts
}

// hostFits compares host names; "*.example.com" fits every name below it.
func hostFits(pattern, host string) bool {
	return match(strings.TrimSuffix(pattern, "."), strings.TrimSuffix(host, "."))
}

// rough is a duration as people say it.
func rough(d time.Duration) string {
	switch {
	case d < 0:
		return "0 minutes"
	case d < 2*time.Hour:
		return fmt.Sprintf("%d minutes", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d hours", int(d.Hours()))
	}
	return fmt.Sprintf("%d days", int(d.Hours()/24))
}
