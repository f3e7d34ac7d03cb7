package ui

import (
	"bytes"
	"encoding/xml"
	"fmt"

	"pinion/problem"
)

// What every reader of JUnit reports takes: the format has no standard, and the
// schemas that are in use agree on this much.
type junitSuites struct {
	XMLName  xml.Name   `xml:"testsuites"`
	Tests    int        `xml:"tests,attr"`
	Failures int        `xml:"failures,attr"`
	Errors   int        `xml:"errors,attr"`
	Suite    junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"` // of the run itself: those end it without a report
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Failure *junitFailure `xml:"failure"`
	Output  string        `xml:"system-out,omitempty"`
}

type junitFailure struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

type junitReporter struct{}

var _ Reporter = junitReporter{}

// Report writes one test case for each problem: an error is a failed one, a
// warning or a note a passed one with output. No problem at all is one passed
// case, since some readers take an empty suite for a broken run. The class of a
// case is the file, its name the rule and the place: readers take cases of one
// class and name for the same case.
func (junitReporter) Report(s Stream, r *Report) error {
	suite := junitSuite{Name: "pinion " + r.Command}
	seen := map[[2]string]int{}
	for _, p := range r.Problems {
		c := junitCase{Class: Escape(p.File), Name: p.Rule}
		if p.Line > 0 {
			c.Name += fmt.Sprintf(" at %d:%d", p.Line, p.Column)
		}
		if c.Class == "" {
			c.Class = suite.Name
		}
		key := [2]string{c.Class, c.Name}
		if seen[key]++; seen[key] > 1 {
			c.Name += fmt.Sprintf(" (%d)", seen[key])
		}
		text := Escape(p.String())
		if p.Fix != "" {
			text += "\nfix: " + Escape(p.Fix)
		}
		if p.Severity == problem.Error {
			suite.Failures++
			c.Failure = &junitFailure{Message: Escape(p.Message), Type: p.Rule, Text: text}
		} else {
			c.Output = text
		}
		suite.Cases = append(suite.Cases, c)
	}
	if len(suite.Cases) == 0 {
		suite.Cases = []junitCase{{Class: suite.Name, Name: "no problems"}}
	}
	suite.Tests = len(suite.Cases)

	var b bytes.Buffer
	b.WriteString(xml.Header)
	enc := xml.NewEncoder(&b)
	enc.Indent("", "  ")
	if err := enc.Encode(junitSuites{Tests: suite.Tests, Failures: suite.Failures, Suite: suite}); err != nil {
		return err
	}
	b.WriteByte('\n')
	return writeAll(s, b.Bytes())
}
