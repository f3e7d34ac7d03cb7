package ui

import (
	"bytes"
	"encoding/xml"

	"pinion/problem"
)

type junitSuites struct {
	XMLName  xml.Name   `xml:"testsuites"`
	Tests    int        `xml:"tests,attr"`
	Failures int        `xml:"failures,attr"`
	Suite    junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	File    string        `xml:"file,attr,omitempty"`
	Line    int           `xml:"line,attr,omitempty"`
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
// case, since some readers take an empty suite for a broken run.
func (junitReporter) Report(s Stream, r *Report) error {
	suite := junitSuite{Name: "pinion " + r.Command}
	for _, p := range r.Problems {
		c := junitCase{Class: Escape(p.File), Name: p.Rule, File: Escape(p.File), Line: p.Line}
		if c.Class == "" {
			c.Class = suite.Name
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
