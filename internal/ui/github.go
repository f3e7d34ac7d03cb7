package ui

import (
	"bytes"
	"strconv"
	"strings"

	"pinion/problem"
)

type githubReporter struct{}

var _ Reporter = githubReporter{}

// Report writes one GitHub workflow command for each problem, which the runner
// turns into an annotation at that line.
func (githubReporter) Report(s Stream, r *Report) error {
	var b bytes.Buffer
	for _, p := range r.Problems {
		b.WriteString("::" + githubCommand(p.Severity) + " ")
		sep := ""
		property := func(key, value string) {
			b.WriteString(sep + key + "=" + githubProperty(value))
			sep = ","
		}
		if p.File != "" {
			property("file", p.File)
		}
		if p.Line > 0 {
			property("line", strconv.Itoa(p.Line))
			if p.Column > 0 {
				property("col", strconv.Itoa(p.Column))
			}
		}
		property("title", p.Rule)
		text := Escape(p.Message)
		if p.Fix != "" {
			text += "\nfix: " + Escape(p.Fix)
		}
		b.WriteString("::" + githubData(text) + "\n")
	}
	return writeAll(s, b.Bytes())
}

func githubCommand(s problem.Severity) string {
	if s == problem.Note {
		return "notice"
	}
	return s.String()
}

// githubData escapes the text of a workflow command, as the runner's own
// toolkit does, so that no text can end it and begin another.
func githubData(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

// githubProperty escapes a value between the command and its text.
func githubProperty(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(githubData(Escape(s)))
}
