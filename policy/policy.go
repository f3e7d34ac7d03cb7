// Package policy is what a user and a project allow: which levels of a scan
// block, from where plugins may come, of which kinds and licences, how old a
// version must be.
//
// A policy is a TOML file. Several apply at once, the user's and the project's,
// and each of them can only forbid: what is allowed is what all of them allow.
// So a project, whose files come from somebody else, can tighten what the user
// decided and never loosen it. What would loosen, accepted findings and external
// scanners, counts in the user's policy alone.
//
// A decision is a list of problems, each with the file and line of the policy
// that made it; an empty list allows.
package policy

import (
	"slices"
	"strings"
	"time"

	"pinion/hashes"
	"pinion/internal/syntax"
	"pinion/problem"
	"pinion/scan"
)

// MaxBytes is the largest policy file that is read.
const MaxBytes = 1 << 20

// Policy is one file. The zero value is the usual policy: high and critical
// findings block, everything else is allowed.
type Policy struct {
	File    string // as the user would call it
	Project bool   // of a project: it may only tighten

	data      []byte
	doc       document
	level     scan.Level
	cooldown  time.Duration
	blocksNet bool
}

// document is the file's shape.
type document struct {
	Cooldown string `toml:"cooldown"`
	Scan     struct {
		Block string `toml:"block"`
	} `toml:"scan"`
	Launch  string    `toml:"launch"`
	Allow   lists     `toml:"allow"`
	Deny    lists     `toml:"deny"`
	Scanner []Scanner `toml:"scanner"`
	Accept  []accept  `toml:"accept"`
}

// lists are patterns; nil says nothing.
type lists struct {
	Sources  []string `toml:"sources"`
	Kinds    []string `toml:"kinds"`
	Licenses []string `toml:"licenses"`
	Hosts    []string `toml:"hosts"`
}

// Scanner is an external scanner that the user added: a command that writes
// SARIF 2.1.0 to its standard output. It is started without a shell; "{dir}" in
// an argument becomes the directory with a copy of the package.
type Scanner struct {
	Name    string   `toml:"name" json:"name"`
	Command []string `toml:"command" json:"command"`
	Timeout string   `toml:"timeout" json:"timeout"`
}

// Limit returns how long the scanner may run: its timeout, a minute without one.
func (s Scanner) Limit() time.Duration {
	if d, err := time.ParseDuration(s.Timeout); err == nil && d > 0 {
		return d
	}
	return time.Minute
}

type accept struct {
	Rule    string `toml:"rule"`
	File    string `toml:"file"`
	Window  string `toml:"window"`
	Digest  string `toml:"digest"`
	Reason  string `toml:"reason"`
	By      string `toml:"by"`
	Expires string `toml:"expires"`
}

// Parse reads a policy. What is wrong with it is in the list, at its place in
// file; a policy with errors must not be used, since the line with the mistake
// may be the one that forbids.
func Parse(file string, data []byte, project bool) (*Policy, problem.List) {
	p := &Policy{File: file, Project: project, data: data, level: scan.High}
	problems := syntax.DecodeTOML(data, &p.doc)
	if !problems.HasErrors() {
		problems = append(problems, p.check()...)
	}
	for i := range problems {
		problems[i].File = file
	}
	problems.Sort()
	return p, problems
}

// at returns a problem with the place of a key of the policy.
func (p *Policy) at(q problem.Problem, pointer string) problem.Problem {
	line, col := syntax.TOMLPosition(p.data, pointer)
	return q.At(p.File, line, col)
}

// check turns words into values.
func (p *Policy) check() problem.List {
	var out problem.List
	bad := func(pointer, format string, args ...any) {
		out.Add(p.at(ruleValue.Report(format, args...), pointer))
	}
	if s := p.doc.Scan.Block; s != "" {
		switch err := p.level.UnmarshalText([]byte(s)); {
		case err != nil || p.level == scan.Info:
			bad("/scan/block", "%q is none of low, medium, high, critical", s)
		case p.level > scan.High && p.Project:
			bad("/scan/block", "a project's policy can only tighten: %q is weaker than high", s)
		}
	}
	if s := p.doc.Cooldown; s != "" {
		d, err := Duration(s)
		if err != nil || d < 0 {
			bad("/cooldown", "%q is no duration such as 72h or 3d", s)
		}
		p.cooldown = d
	}
	switch p.doc.Launch {
	case "", "allow":
	case "block":
		p.blocksNet = true
	default:
		bad("/launch", "%q is neither allow nor block", p.doc.Launch)
	}
	for _, l := range []struct {
		name string
		lists
	}{{"allow", p.doc.Allow}, {"deny", p.doc.Deny}} {
		for i, k := range l.Kinds {
			switch k {
			case "skill", "mcp", "extension", "builtin":
			default:
				bad("/"+l.name+"/kinds"+syntax.Pointer(i), "%q is none of skill, mcp, extension, builtin", k)
			}
		}
		for _, set := range []struct {
			name string
			list []string
		}{{"sources", l.Sources}, {"hosts", l.Hosts}, {"licenses", l.Licenses}} {
			for i, s := range set.list {
				if strings.TrimSpace(s) == "" || strings.Count(s, "*") > 4 {
					bad("/"+l.name+"/"+set.name+syntax.Pointer(i), "%q is no pattern: write a name, or one with at most four *", s)
				}
			}
		}
	}
	for i, s := range p.doc.Scanner {
		at := "/scanner" + syntax.Pointer(i)
		switch {
		case p.Project:
			bad(at, "a project's policy cannot add scanners: they are programs")
		case s.Name == "" || len(s.Command) == 0 || s.Command[0] == "":
			bad(at, "a scanner needs a name and a command")
		case !scannerName(s.Name):
			bad(at, "a scanner is called by small letters, digits and dashes, at most 40: its name begins the ids of its findings")
		case slices.ContainsFunc(p.doc.Scanner[:i], func(o Scanner) bool { return o.Name == s.Name }):
			bad(at, "two scanners are called %s", s.Name)
		}
		if d, err := time.ParseDuration(s.Timeout); s.Timeout != "" && (err != nil || d <= 0) {
			bad(at+"/timeout", "%q is no duration such as 90s", s.Timeout)
		}
	}
	for i := range p.doc.Accept {
		at := "/accept" + syntax.Pointer(i)
		if p.Project {
			bad(at, "a project's policy cannot accept findings: it can only tighten")
			continue
		}
		if _, err := p.doc.Accept[i].read(); err != nil {
			bad(at, "%s", err)
		}
	}
	return out
}

func scannerName(s string) bool {
	return len(s) <= 40 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == "" && s[0] != '-'
}

// Cooldown returns how old a version must be, 0 when its age does not count.
func (p *Policy) Cooldown() time.Duration {
	if p == nil {
		return 0
	}
	return p.cooldown
}

// Scanners returns the external scanners of a user's policy.
func (p *Policy) Scanners() []Scanner {
	if p == nil {
		return nil
	}
	return p.doc.Scanner
}

// Acceptances returns the findings that a user's policy accepts.
func (p *Policy) Acceptances() []scan.Acceptance {
	if p == nil {
		return nil
	}
	var out []scan.Acceptance
	for _, a := range p.doc.Accept {
		if x, err := a.read(); err == nil {
			out = append(out, x)
		}
	}
	return out
}

// Digest identifies what the policy says, however it is laid out: comments and
// the order of keys do not count. Reports and consents are bound to it. That of
// no policy is the digest of an empty one.
func (p *Policy) Digest() hashes.Sum {
	var doc document
	if p != nil {
		doc = p.doc
	}
	b, err := syntax.Compact(doc)
	if err != nil {
		return hashes.Sum{}
	}
	return hashes.Of(b)
}
