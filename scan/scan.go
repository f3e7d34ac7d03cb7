// Package scan looks at well-formed packages for what should worry a user:
// code that downloads and runs other code, hidden characters, secrets, words
// that turn a model against its user.
//
// It reads the bytes it is given and nothing else: no file, no network, no
// plugin code runs. The rules are in scan/checks, one file for each family; this
// package cuts files into texts, finds literals, counts steps and makes the
// report.
//
// A scan is a tripwire and no verdict. A report without findings says that no
// known-bad pattern was found, and how much was read. Limits count steps, so
// that the same bytes give the same report everywhere, and whatever hits one is
// in the report, which is then not complete and passes no gate.
package scan

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"pinion/hashes"
	"pinion/pkgfmt"
)

// Engine scans packages with a fixed set of checks. It is safe for concurrent
// use.
type Engine struct {
	version string
	checks  []*Check
	rules   map[string]Rule
	form    map[string]bool // rules of families about form
	ruleset hashes.Sum
	matcher func() *matcher // made by the first scan: it costs milliseconds
}

// New returns an engine. version is that of the scanner and ruleset identifies
// its rules, see [RulesetOf]; both are part of every report's key. It panics when two rules have one id, or a pattern names no
// rule: programmer errors that any test meets.
func New(version string, ruleset hashes.Sum, checks []Check) *Engine {
	e := &Engine{version: version, ruleset: ruleset, rules: map[string]Rule{}, form: map[string]bool{RuleIncomplete: true}}
	for i := range checks {
		c := &checks[i]
		e.checks = append(e.checks, c)
		for _, r := range c.Rules {
			if _, twice := e.rules[r.ID]; twice {
				panic("two rules are called " + r.ID)
			}
			e.rules[r.ID] = r
			e.form[r.ID] = c.Form
		}
	}
	for _, r := range OwnRules() {
		e.rules[r.ID] = r
	}
	for _, c := range e.checks {
		for _, p := range c.Patterns {
			if p.Fact == "" {
				e.rule(p.Rule)
			}
		}
		for _, r := range c.Rules {
			for _, other := range r.Covers {
				e.rule(other)
			}
		}
	}
	e.matcher = sync.OnceValue(func() *matcher { return newMatcher(e.checks) })
	return e
}

// Rules returns every rule, sorted by id.
func (e *Engine) Rules() []Rule {
	out := make([]Rule, 0, len(e.rules))
	for _, r := range e.rules {
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b Rule) int { return strings.Compare(a.ID, b.ID) })
	return out
}

func (e *Engine) rule(id string) Rule {
	r, ok := e.rules[id]
	if !ok {
		panic("no rule is called " + id)
	}
	return r
}

// RulesetOf is the digest of what decides: ids, levels and patterns, in their
// order. The code of checks is covered by the scanner's version.
func RulesetOf(checks []Check) hashes.Sum {
	var b strings.Builder
	for _, r := range OwnRules() {
		fmt.Fprintf(&b, "%s %s\n", r.ID, r.Level)
	}
	for _, c := range checks {
		for _, r := range c.Rules {
			fmt.Fprintf(&b, "%s %s %v %q\n", r.ID, r.Level, c.Form, r.Covers)
		}
		for _, p := range c.Patterns {
			fmt.Fprintf(&b, "%s %s %q %q %q %v %v %s\n", p.Rule, p.Level, p.Any, p.Match, p.Unless, p.Langs, p.Roles, p.Fact)
		}
	}
	return hashes.Of([]byte(b.String()))
}

// Scan looks at every file of a package. It errors only when ctx ends; a
// package that could not be read whole gives a report that is not complete.
func (e *Engine) Scan(ctx context.Context, pkg *pkgfmt.Package) (*Report, error) {
	p := &Pass{Package: pkg, engine: e, same: map[[2]string]int{}, total: stepsOf(pkg)}
	r := &Report{
		Schema: Schema, ID: pkg.ID(), Version: pkg.Version(), Digest: pkg.Digest,
		Scanner: e.version, Ruleset: e.ruleset,
	}
	if pkg.Tree.Partial || pkg.Digest.IsZero() {
		p.limit("the package was not read completely")
	}
	for _, f := range pkg.Tree.Files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r.Coverage.Files++
		r.Coverage.Bytes += f.Size
		lang := langOf(f.Path, f.Data)
		file := &File{Path: f.Path, Exec: f.Exec, Data: f.Data, Lang: lang, Text: isText(lang, f.Data)}
		if f.Data == nil && f.Size > 0 {
			p.file = file
			p.limit("it was not read")
			continue
		}
		if e.scanFile(p, file) && file.Text {
			r.Coverage.FilesRead++
			r.Coverage.BytesRead += f.Size
		}
	}
	p.file, p.Texts, p.facts = nil, nil, nil
	for _, c := range e.checks {
		if c.Package != nil {
			c.Package(p)
		}
	}
	e.close(p, r)
	return r, nil
}

// close moves what the pass found into the report.
func (e *Engine) close(p *Pass, r *Report) {
	for _, l := range p.limits {
		p.ReportFile(e.rule(RuleIncomplete).Level, RuleIncomplete, "", "not everything was looked at: %s", l)
	}
	sortFindings(p.findings)
	r.Unlisted = p.unlisted
	r.Findings = e.settle(p.findings)
	r.Limits = p.limits
	r.Complete = len(p.limits) == 0
	r.normalise()
}

// extractSteps is what it costs to take a file apart.
func extractSteps(f *File) int {
	if f.Lang == YAML || f.Lang == TOML {
		return slowDocumentSteps * len(f.Data)
	}
	return len(f.Data)
}

// stepsOf returns how many steps the scan of a package may take.
func stepsOf(pkg *pkgfmt.Package) int {
	size := 0
	for _, f := range pkg.Tree.Files {
		size += len(f.Data)
	}
	return min(packageStepsFree+packageStepsPerByte*size, maxSteps)
}

// scanFile runs every check on one file and reports whether nothing was left
// out.
func (e *Engine) scanFile(p *Pass, f *File) bool {
	p.file, p.facts, p.Texts, p.decodes = f, nil, nil, 0
	p.steps = stepsFree + stepsPerByte*len(f.Data)
	before := len(p.limits)
	if f.Text && p.Spend(extractSteps(f)) {
		var full bool
		if p.Texts, full = extract(f); full {
			p.limit("it has more texts than are looked at")
		}
	}
	for _, c := range e.checks {
		if c.File != nil {
			c.File(p, f)
		}
	}
	for _, t := range p.Texts {
		p.text(t)
	}
	for _, c := range e.checks {
		if c.FileEnd != nil {
			c.FileEnd(p, f)
		}
	}
	return len(p.limits) == before
}

// text runs patterns and text checks on one text.
func (p *Pass) text(t *Text) {
	m := p.engine.matcher()
	var hinted map[*Check]bool
	var seen map[*compiled]int // how far a pattern has looked
	if !p.Spend(len(t.Data) + textSteps) {
		return
	}
	m.trie.Walk(t.Lower(), func(end, n, literal int64) bool {
		for _, c := range m.hints[literal] {
			if hinted == nil {
				hinted = map[*Check]bool{}
			}
			hinted[c] = true
		}
		if len(m.patterns[literal]) == 0 {
			return true
		}
		at := int(end - n + 1)
		for _, cp := range m.patterns[literal] {
			if at < seen[cp] || !cp.applies(t) {
				continue
			}
			if seen == nil {
				seen = map[*compiled]int{}
			}
			seen[cp] = p.pattern(cp, t, at)
		}
		return p.steps > 0
	})
	for _, cp := range m.all {
		if !cp.applies(t) {
			continue
		}
		for at := 0; at < len(t.Data); {
			next := p.pattern(cp, t, at)
			if next <= at {
				break
			}
			at = next
		}
	}
	for _, c := range p.engine.checks {
		if c.Text == nil || len(c.Hints) > 0 && !hinted[c] || len(c.Langs) > 0 && !slices.Contains(c.Langs, t.Lang) {
			continue
		}
		c.Text(p, t)
	}
}

func (c *compiled) applies(t *Text) bool {
	if t.within != nil && c.applies(t.within) {
		return false
	}
	return (len(c.Langs) == 0 || slices.Contains(c.Langs, t.Lang)) && (len(c.Roles) == 0 || slices.Contains(c.Roles, t.Role))
}

// pattern matches one pattern against the line around byte at, and returns the
// offset up to which it has looked.
func (p *Pass) pattern(c *compiled, t *Text, at int) int {
	start, end := lineAround(t.Data, at)
	whole := end
	// A line without end is looked at around the literal only, so that the cost
	// stays in proportion to the literals.
	start, end = max(start, at-lineWindow), min(end, at+lineWindow)
	if !p.Spend(patternSteps * (end - start)) {
		return len(t.Data)
	}
	line := t.Data[start:end]
	next := whole + 1
	if end != whole {
		next = max(end-lineWindow/8, at+1) // what straddles two windows is seen in the next
	}
	loc := c.match().FindIndex(line)
	for c.Valid != nil && loc != nil && !c.Valid(t, line[loc[0]:loc[1]]) {
		from := max(loc[1], loc[0]+1)
		if from >= len(line) || !p.Spend(patternSteps*(len(line)-from)) {
			return next
		}
		if loc = c.match().FindIndex(line[from:]); loc != nil {
			loc[0], loc[1] = loc[0]+from, loc[1]+from
		}
	}
	if loc == nil {
		return next
	}
	if un := c.unless(); un != nil && un.Match(line) {
		return next
	}
	if c.Fact != "" {
		p.Note(c.Fact, t, start+loc[0], start+loc[1], string(line[loc[0]:loc[1]]))
		return next
	}
	level := c.Level
	if level == unset {
		level = p.engine.rule(c.Rule).Level
	}
	message := c.Message
	if message == "" {
		message = p.engine.rule(c.Rule).Title
	}
	p.report(level, c.Rule, t, start+loc[0], start+loc[1], c.Redact, message)
	return next
}
