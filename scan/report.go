package scan

import (
	"fmt"

	"pinion/hashes"
	"pinion/internal/syntax"
	"pinion/problem"
)

// Schema is the first field of every report.
const Schema = "pinion.scan-report/v1"

// Report is what a scan found in exactly these bytes. It says nothing of when or
// where it was made: the same package, scanner, rules and policy give the same
// report, byte for byte.
type Report struct {
	Schema  string        `json:"schema"`
	ID      string        `json:"id"`
	Version string        `json:"version"`
	Digest  hashes.Digest `json:"digest"`
	Scanner string        `json:"scanner"` // version of the scanner
	Ruleset hashes.Sum    `json:"ruleset"` // digest of its rules
	// Policy is the digest of what the user's policy says of scans: baselines
	// and external scanners are part of a report.
	Policy hashes.Sum `json:"policy"`
	// Complete is false when a limit was hit or a scanner did not end well. Such
	// a report passes no gate.
	Complete bool      `json:"complete"`
	Coverage Coverage  `json:"coverage"`
	Findings []Finding `json:"findings"` // sorted by file, line, column, rule
	Limits   []string  `json:"limits"`   // what was left out
	// Unlisted counts the info and low findings beyond what a report holds.
	Unlisted int      `json:"unlisted,omitzero"`
	External []string `json:"external"` // other scanners that took part, with versions
}

// Coverage says how much of the package rules have read. Bytes of images and
// other binary files are not read, only what kind they are.
type Coverage struct {
	Files     int   `json:"files"`
	FilesRead int   `json:"filesRead"`
	Bytes     int64 `json:"bytes"`
	BytesRead int64 `json:"bytesRead"`
}

// Percent returns the share of bytes read, rounded down; 100 for an empty
// package.
func (c Coverage) Percent() int {
	if c.Bytes == 0 {
		return 100
	}
	return int(c.BytesRead * 100 / c.Bytes)
}

// Key identifies a report: any change of the four asks for another scan
// (SB-068).
type Key struct {
	Digest  hashes.Digest
	Scanner string
	Ruleset hashes.Sum
	Policy  hashes.Sum
}

// Key returns what the report is valid for.
func (r *Report) Key() Key { return Key{r.Digest, r.Scanner, r.Ruleset, r.Policy} }

// ID returns a short name for the key, fit for a file name and a consent: 32
// hexadecimal digits.
func (k Key) ID() string {
	sum := hashes.Of(fmt.Appendf(nil, "%s\n%s\n%s\n%s\n", k.Digest, k.Scanner, k.Ruleset, k.Policy))
	return sum.String()[:32]
}

// Encode returns the canonical JSON of the report.
func (r *Report) Encode() ([]byte, error) { return syntax.Encode(r) }

// Blocking returns the findings that keep the package from being activated
// under the usual policy.
func (r *Report) Blocking() []Finding {
	var out []Finding
	for _, f := range r.Findings {
		if f.Blocks() {
			out = append(out, f)
		}
	}
	return out
}

// Problems returns the findings as problems of the package, its files under
// dir.
func (r *Report) Problems(dir string) problem.List {
	var out problem.List
	for _, f := range r.Findings {
		out = append(out, f.Problem())
	}
	return out.Under(dir)
}

// Summary says what the report says, in one line, without the promise that a
// scan cannot make.
func (r *Report) Summary() string {
	var n [Critical + 1]int
	accepted := 0
	for _, f := range r.Findings {
		if f.Accepted != nil {
			accepted++
			continue
		}
		n[f.Level]++
	}
	s := "no known-bad pattern found"
	switch {
	case n[High]+n[Critical] > 0:
		s = count(n[High]+n[Critical], "finding") + " that block"
		if n[High]+n[Critical] == 1 {
			s += "s"
		}
	case n[Medium]+n[Low] > 0:
		s = fmt.Sprintf("no finding that blocks, %d to look at", n[Medium]+n[Low])
	}
	if accepted > 0 {
		s += fmt.Sprintf(", %d accepted", accepted)
	}
	s += fmt.Sprintf(", %d %% of bytes read", r.Coverage.Percent())
	if !r.Complete {
		s = "not completed: " + s
	}
	return s
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// normalise makes lists of the JSON document never null.
func (r *Report) normalise() {
	if r.Findings == nil {
		r.Findings = []Finding{}
	}
	if r.Limits == nil {
		r.Limits = []string{}
	}
	if r.External == nil {
		r.External = []string{}
	}
}
