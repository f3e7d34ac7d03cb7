package scan

import (
	"bytes"
	"fmt"
	"slices"

	"pinion/pkgfmt"
)

// Fact is something that is no finding by itself and weighs together with
// others: a credential is read, data leaves the machine.
type Fact string

// Noted is a fact at one place.
type Noted struct {
	Fact   Fact
	Detail string // a host, a path, a variable
	Text   *Text
	Start  int // in Text.Data
	End    int
}

// Pass is the scan of one package: what checks read and where they report. It
// is for one goroutine.
type Pass struct {
	Package *pkgfmt.Package
	// Texts are those of the file being looked at.
	Texts []*Text

	engine   *Engine
	file     *File
	findings []Finding
	same     map[[2]string]int // rule and file → index of the finding that counts the rest
	facts    []Noted           // of the file being looked at
	all      []Noted
	steps    int // left for the file
	total    int // left for the package
	unlisted int // findings of no weight beyond what a report holds
	limits   []string
	decodes  int
	inner    int        // bytes of packed files that were looked at
	unpacked int        // bytes that checks have unpacked
	quiet    *[]Finding // where findings go while encoded content is inspected
}

// Spend takes n steps, usually bytes to be looked at, from what the file and
// the package may cost. When it returns false the work must be left out; the
// report then says that the file was not read completely.
func (p *Pass) Spend(n int) bool {
	if p.steps < n || p.total < n {
		p.limit("the file costs more steps than it may")
		p.steps = 0
		return false
	}
	p.steps -= n
	p.total -= n
	return true
}

// limit records that something was left out.
func (p *Pass) limit(what string) {
	name := what
	if p.file != nil {
		name = p.file.Path + ": " + what
	}
	if !slices.Contains(p.limits, name) && len(p.limits) < 100 {
		p.limits = append(p.limits, name)
	}
}

// Incomplete records that a check could not look at everything it should. The
// report is then not complete and passes no gate.
func (p *Pass) Incomplete(format string, args ...any) { p.limit(fmt.Sprintf(format, args...)) }

// Report adds a finding of a rule at t.Data[start:end].
func (p *Pass) Report(rule string, t *Text, start, end int, format string, args ...any) {
	p.ReportAs(p.engine.rule(rule).Level, rule, t, start, end, format, args...)
}

// ReportAs is Report with another level than the rule's.
func (p *Pass) ReportAs(level Level, rule string, t *Text, start, end int, format string, args ...any) {
	p.report(level, rule, t, start, end, false, fmt.Sprintf(format, args...))
}

func (p *Pass) report(level Level, rule string, t *Text, start, end int, hide bool, message string) {
	p.Spend(factSteps)
	// Evidence costs a walk over the line, so it is not made for what is only
	// counted: a long line may be full of findings.
	if p.counted(level, rule, t.File.Path) {
		return
	}
	start = min(max(start, 0), len(t.Data))
	end = min(max(end, start), len(t.Data))
	f := Finding{Rule: rule, Level: level, File: t.File.Path, Message: message, Evidence: evidence(t.Data, start, end, hide), fix: p.engine.rule(rule).Fix}
	f.Line, f.Column = t.File.position(t.Offset(start))
	if t.verbatim {
		f.Window = window(t.File.Data, t.base+start, t.base+end)
	} else {
		f.Window = window(t.Data, start, end)
	}
	p.add(f)
}

// ReportFile adds a finding about a file as a whole, or about the package for
// an empty path.
func (p *Pass) ReportFile(level Level, rule, path string, format string, args ...any) {
	f := Finding{Rule: rule, Level: level, File: path, Message: fmt.Sprintf(format, args...), fix: p.engine.rule(rule).Fix}
	if file := p.Package.Tree.Lookup(path); file != nil {
		f.Window = file.Sum
	}
	p.add(f)
}

func (p *Pass) add(f Finding) {
	if p.quiet != nil {
		*p.quiet = append(*p.quiet, f)
		return
	}
	if p.counted(f.Level, f.Rule, f.File) {
		return
	}
	p.Spend(reportSteps)
	// A string of code is looked at in the code and by itself.
	for i := range p.findings {
		if o := &p.findings[i]; o.Line > 0 && o.Rule == f.Rule && o.File == f.File && o.Line == f.Line && o.Column == f.Column && o.Message == f.Message {
			o.Level = max(o.Level, f.Level)
			return
		}
	}
	if len(p.findings) >= maxFindings && f.Level <= Low {
		p.unlisted++ // they decide nothing, so the report can do without them
		return
	}
	if len(p.findings) >= 2*maxFindings {
		p.limit("more findings than a report holds")
		return
	}
	p.same[[2]string{f.Rule, f.File}]++
	p.findings = append(p.findings, f)
}

// counted reports whether a finding of this rule and file is one too many to be
// listed; it is then added to the last one listed.
func (p *Pass) counted(level Level, rule, file string) bool {
	if p.quiet != nil {
		return len(*p.quiet) >= maxQuiet
	}
	if p.same[[2]string{rule, file}] < maxSameFindings {
		return false
	}
	for i := len(p.findings) - 1; i >= 0; i-- {
		if f := &p.findings[i]; f.Rule == rule && f.File == file {
			f.More++
			f.Level = max(f.Level, level)
			return true
		}
	}
	return false
}

// Note records a fact at t.Data[start:end].
func (p *Pass) Note(fact Fact, t *Text, start, end int, detail string) {
	if len(p.all) >= maxFacts || len(p.facts) >= maxFileFacts {
		p.limit("more facts than a scan holds")
		return
	}
	if !p.Spend(factSteps) {
		return
	}
	n := Noted{Fact: fact, Detail: detail, Text: t, Start: start, End: end}
	p.facts = append(p.facts, n)
	p.all = append(p.all, n)
}

// Facts returns the facts of the file being looked at, in the order they were
// noted; only those of one kind when kinds are given.
func (p *Pass) Facts(kinds ...Fact) []Noted { return ofKinds(p.facts, kinds) }

// AllFacts returns the facts of the package so far.
func (p *Pass) AllFacts(kinds ...Fact) []Noted { return ofKinds(p.all, kinds) }

func ofKinds(list []Noted, kinds []Fact) []Noted {
	if len(kinds) == 0 {
		return list
	}
	var out []Noted
	for _, n := range list {
		if slices.Contains(kinds, n.Fact) {
			out = append(out, n)
		}
	}
	return out
}

// Findings returns what was reported for a file so far.
func (p *Pass) Findings(file string) []Finding {
	var out []Finding
	for _, f := range p.findings {
		if f.File == file {
			out = append(out, f)
		}
	}
	return out
}

// Inspect runs every check on content that was decoded from t.Data[start:],
// such as base64 that is handed to a shell, and returns what they find without
// reporting it. It returns nil at the third layer, and when the file has more
// encoded content than is followed.
func (p *Pass) Inspect(t *Text, start int, lang Lang, decoded []byte) []Finding {
	if t.Depth >= maxDerived {
		return nil
	}
	if p.decodes++; p.decodes > maxDecodes {
		p.limit("more encoded stretches than are decoded")
		return nil
	}
	if !p.Spend(decodeSteps) {
		return nil
	}
	if len(decoded) > maxDecoded {
		decoded = decoded[:maxDecoded]
		p.limit("an encoded stretch is longer than is decoded")
	}
	x := extraction{file: t.File}
	x.whole(lang, decoded, t.Offset(start), false, t.Depth+1)
	if x.full {
		p.limit("it has more texts than are looked at")
	}
	var found []Finding
	before, facts := p.quiet, p.facts
	p.quiet = &found
	for _, inner := range x.texts {
		p.text(inner)
	}
	p.quiet, p.facts = before, facts
	return found
}

// Within runs the checks on code that stands as a string in other code, such as
// the literal that Python hands to os.system, and reports what they find there.
// t.Data[start:end] is the string as it is written, data what it stands for.
// Patterns that look at the language around it have seen it already and are left
// out. Strings in strings in strings are followed to a fixed depth.
func (p *Pass) Within(t *Text, start, end int, lang Lang, data []byte) {
	if t.nest >= maxNested || len(bytes.TrimSpace(data)) == 0 {
		return
	}
	inner := &Text{File: t.File, Lang: lang, Role: t.Role, Data: data, Depth: t.Depth, base: t.Offset(start), within: t, nest: t.nest + 1}
	inner.verbatim = t.verbatim && bytes.Equal(t.Data[start:end], data)
	p.text(inner)
}
