package pinion

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"pinion/capability"
	"pinion/hashes"
	"pinion/internal/fsx"
	"pinion/internal/syntax"
	"pinion/manifest"
	"pinion/market"
	"pinion/pkgfmt"
	"pinion/policy"
	"pinion/scan"
	"pinion/scan/checks"
	"pinion/tree"
)

// facts are what one directory of one commit was found to be, as an entry
// reads it. They lie in the home, so that a commit is fetched once, whether it
// passed or not; the scan report lies beside them under its own key. What a
// policy says of them is decided anew each time.
type facts struct {
	Schema       string             `json:"schema"`
	About        string             `json:"about"` // see [bumping.about]
	ID           string             `json:"id"`
	Version      string             `json:"version"`
	Stated       string             `json:"stated"` // by the manifest, "" for none
	Digest       hashes.Digest      `json:"digest"`
	Kind         manifest.Kind      `json:"kind"`
	License      string             `json:"license"`
	Capabilities capability.Summary `json:"capabilities"`
	// Rule and Message say why nobody could use it, "" when one can.
	Rule    string `json:"rule"`
	Message string `json:"message"`
	Mac     string `json:"mac"` // as that of a report
}

const (
	verdictsDir  = "verdicts"
	verdictLimit = 4 << 20
)

// about identifies the facts: the repository, commit, directory, the part of it,
// what the entry adds, and the program that looked.
func (b *bumping) about(p *pointed, commit string) (string, error) {
	entry, err := syntax.Compact(p.entry.Manifest())
	if err != nil {
		return "", err
	}
	choose, err := syntax.Compact(p.choose)
	if err != nil {
		return "", err
	}
	return hashes.Of(fmt.Appendf(nil, "%s\n%s\n%s\n%q\n%q\n%s\n%s", Version, checks.Ruleset(),
		commit, p.spec.Canonical(), p.entry.Source.Dir, entry, choose)).String(), nil
}

func verdictFile(about string) string { return verdictsDir + "/" + about[:2] + "/" + about + ".json" }

// covered begins as no report does.
func (f *facts) covered() ([]byte, error) {
	plain := *f
	plain.Mac = ""
	body, err := syntax.Compact(plain)
	return append([]byte("verdict\n"), body...), err
}

func (f *facts) mac() *string { return &f.Mac }

// loadFacts returns what is known.
func loadFacts(home *fsx.Dir, about string) (*facts, bool) {
	out := new(facts)
	ok := loadAuthentic(home, verdictFile(about), "verdict", verdictLimit, out)
	return out, ok && out.About == about
}

func saveFacts(home *fsx.Dir, f *facts) error {
	f.Schema = "pinion.verdict/v1"
	return saveAuthentic(home, verdictFile(f.About), f)
}

// factsOf returns what is known of an entry's directory at a commit, fetching it
// when nothing is.
func (b *bumping) factsOf(ctx context.Context, p *pointed, commit string) (*facts, error) {
	about, err := b.about(p, commit)
	if err != nil {
		return nil, err
	}
	if f, ok := loadFacts(b.c.home, about); ok {
		return f, nil
	}
	f, _, err := b.read(ctx, p, commit, about, false)
	return f, err
}

// judge finds out whether a commit may replace the entry's one: it loads without
// what its host would refuse, is what the entry says, and the scan and the
// user's policy let it pass. Otherwise the entry is left, and facts are nil. An
// error ends the run.
func (b *bumping) judge(ctx context.Context, p *pointed, commit string) (*facts, *scan.Report, error) {
	about, err := b.about(p, commit)
	if err != nil {
		return nil, nil, err
	}
	var report *scan.Report
	f, ok := loadFacts(b.c.home, about)
	if ok && f.Rule == "" {
		k, have := loadReport(b.c.home, reportOf(f.Digest, b.user.Digest()))
		if ok = have; have {
			report = k.Report
		}
	}
	if !ok {
		if f, report, err = b.read(ctx, p, commit, about, true); err != nil {
			var own *homeError
			if ctx.Err() != nil || errors.As(err, &own) {
				return nil, nil, err
			}
			p.leaveFor(err, commit)
			return nil, nil, nil
		}
	}
	if f.Rule != "" {
		p.leave(f.Rule, f.Message, commit)
		return nil, nil, nil
	}
	now := b.c.o.Clock()
	report.Accept(b.user.Acceptances(), now)
	no := policy.Decide([]*policy.Policy{b.user}, policy.Subject{
		ID: f.ID, Version: f.Version, Source: p.spec.Canonical(), Kind: f.Kind, License: f.License,
		Hosts: f.Capabilities.Hosts, Launch: unpinned(f.Capabilities), Report: report,
	}, now)
	if len(no) > 0 {
		message := no[0].Message
		if where := no[0].Position(); where != "" {
			message += " (" + where + ")"
		}
		if len(no) > 1 {
			message += fmt.Sprintf(", and %d more", len(no)-1)
		}
		p.leave(no[0].Rule, message, commit)
		return nil, nil, nil
	}
	return f, report, nil
}

// homeError is trouble with the home or the scanner, which concerns every entry.
type homeError struct{ err error }

func (e *homeError) Error() string { return e.err.Error() }
func (e *homeError) Unwrap() error { return e.err }

// read fetches the directory of an entry at a commit, finds out what it is, with
// scan also scans it, and keeps the answers.
func (b *bumping) read(ctx context.Context, p *pointed, commit, about string, scanIt bool) (*facts, *scan.Report, error) {
	o := market.Origin{Spec: p.spec.String(), Commit: commit, Path: p.entry.Source.Dir, Select: p.choose, Entry: p.entry.Manifest()}
	f := facts{About: about}
	var report *scan.Report
	err := b.ms.Fetch(ctx, b.base, o, func(t *tree.Tree, at pkgfmt.Place) error {
		at.Name = p.entry.Name
		pkg := b.c.loader.Load(t, at)
		f.of(p, pkg)
		if f.Rule != "" || !scanIt {
			return nil
		}
		var err error
		if report, err = b.c.scanOne(ctx, pkg, at, b.user); err != nil {
			return &homeError{err}
		}
		if err := saveReport(b.c.home, &kept{Report: report, Capabilities: f.Capabilities}); err != nil {
			return &homeError{err}
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	if err := saveFacts(b.c.home, &f); err != nil {
		return nil, nil, &homeError{err}
	}
	return &f, report, nil
}

// of takes over what a package says, and the first thing that keeps it from
// being used.
func (f *facts) of(p *pointed, pkg *pkgfmt.Package) {
	f.ID, f.Version, f.Stated, f.Digest = pkg.ID(), pkg.Version(), pkg.Manifest.Version, pkg.Digest
	f.Kind, f.License, f.Capabilities = pkg.Manifest.Kind, pkg.Manifest.License, capability.Of(pkg)
	switch bad, ok := pkg.Problems.ForUse().First(); {
	case ok:
		f.Rule, f.Message = bad.Rule, strings.TrimSuffix(bad.Position()+": ", ": ")
		if f.Message != "" {
			f.Message += ": "
		}
		f.Message += bad.Message
	case pkg.Digest.IsZero():
		f.Rule, f.Message = notRead, "it could not be read completely"
	case pkg.ID() != p.entry.Name:
		f.Rule, f.Message = disagrees, fmt.Sprintf("the catalog says %s, the package says %s", p.entry.Name, pkg.ID())
	}
}
