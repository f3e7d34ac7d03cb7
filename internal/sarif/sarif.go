// Package sarif reads what other scanners write: SARIF 2.1.0, the OASIS
// standard of 2020, as far as a gate needs it. Everything else of a log is
// passed over, since real scanners write all of the standard and more.
//
// Our own reports are written by internal/ui.
package sarif

import (
	"errors"
	"fmt"
	"net/url"
	"path"
	"strconv"
	"strings"

	"pinion/internal/syntax"
)

// MaxBytes is the largest log that is read.
const MaxBytes = 16 << 20

// maxResults is how many results of a log are taken.
const maxResults = 10_000

// Log is what one scanner says.
type Log struct {
	Tool    string // the driver's name
	Version string
	Results []Result
	// Failed is true when the scanner itself says that it did not end well, or
	// when there are more results than are taken.
	Failed bool
}

// Result is one finding that is no pass and that the scanner's user has not
// suppressed. A suppression in the source does not count.
type Result struct {
	Rule    string
	Message string
	URI     string // of the file, as it is written; "" for none
	Line    int    // 0 for none
	Column  int
	// Level is "none", "note", "warning" or "error"; Score is the
	// security-severity of the rule, 0 to 10, negative when none is given.
	Level string
	Score float64
}

type log struct {
	Version string `json:"version"`
	Runs    []struct {
		Tool struct {
			Driver     component   `json:"driver"`
			Extensions []component `json:"extensions"`
		} `json:"tool"`
		Invocations []struct {
			OK *bool `json:"executionSuccessful"`
			// Troubles are what a scanner says of itself, such as a file that it
			// could not read.
			Troubles []struct {
				Level string `json:"level"`
			} `json:"toolExecutionNotifications"`
		} `json:"invocations"`
		Results []result `json:"results"`
	} `json:"runs"`
}

type component struct {
	Name            string `json:"name"`
	Version         string `json:"version"`
	SemanticVersion string `json:"semanticVersion"`
	Rules           []rule `json:"rules"`
}

type rule struct {
	ID      string `json:"id"`
	Default struct {
		Level string `json:"level"`
	} `json:"defaultConfiguration"`
	Properties map[string]syntax.Raw `json:"properties"`
}

type result struct {
	RuleID string `json:"ruleId"`
	Rule   struct {
		ID        string `json:"id"`
		Index     *int   `json:"index"`
		Component *struct {
			Index *int `json:"index"`
		} `json:"toolComponent"`
	} `json:"rule"`
	RuleIndex *int   `json:"ruleIndex"`
	Kind      string `json:"kind"`
	Level     string `json:"level"`
	Message   struct {
		Text     string `json:"text"`
		Markdown string `json:"markdown"`
		ID       string `json:"id"`
	} `json:"message"`
	Suppressions []struct {
		Kind   string `json:"kind"`
		Status string `json:"status"`
	} `json:"suppressions"`
	Properties map[string]syntax.Raw `json:"properties"`
	Locations  []struct {
		Physical struct {
			Artifact struct {
				URI string `json:"uri"`
			} `json:"artifactLocation"`
			Region struct {
				Line   int `json:"startLine"`
				Column int `json:"startColumn"`
			} `json:"region"`
		} `json:"physicalLocation"`
	} `json:"locations"`
}

// Read reads a log. It errors for what is no SARIF 2.1 log.
func Read(data []byte) (Log, error) {
	var l log
	problems := syntax.Decode(data, &l, syntax.Options{AllowDuplicates: true, AllowBOM: true})
	if p, bad := problems.First(); bad {
		return Log{}, fmt.Errorf("line %d: %s", p.Line, p.Message)
	}
	if !strings.HasPrefix(l.Version, "2.1") {
		return Log{}, fmt.Errorf("SARIF of version %q, want 2.1.0", l.Version)
	}
	if len(l.Runs) == 0 {
		return Log{}, errors.New("the SARIF log has no run")
	}
	out := Log{Tool: l.Runs[0].Tool.Driver.Name, Version: l.Runs[0].Tool.Driver.SemanticVersion}
	if out.Version == "" {
		out.Version = l.Runs[0].Tool.Driver.Version
	}
	for _, run := range l.Runs {
		for _, i := range run.Invocations {
			out.Failed = out.Failed || i.OK != nil && !*i.OK
			for _, t := range i.Troubles {
				out.Failed = out.Failed || t.Level == "error"
			}
		}
		// A run without the list did not look (SARIF 2.1.0, 3.14.23).
		out.Failed = out.Failed || run.Results == nil
		for _, r := range run.Results {
			if len(out.Results) >= maxResults {
				out.Failed = true
				break
			}
			if x, ok := r.read(r.rules(run.Tool.Driver, run.Tool.Extensions)); ok {
				out.Results = append(out.Results, x)
			}
		}
	}
	return out, nil
}

// rules returns those of the component that a result names.
func (r result) rules(driver component, extensions []component) []rule {
	c := r.Rule.Component
	switch {
	case c == nil || c.Index == nil:
		return driver.Rules
	case *c.Index >= 0 && *c.Index < len(extensions):
		return extensions[*c.Index].Rules
	}
	return nil
}

// read resolves the rule of a result; ok is false for what is no finding.
func (r result) read(rules []rule) (out Result, ok bool) {
	if r.Kind != "" && r.Kind != "fail" && r.Kind != "review" && r.Kind != "open" {
		return out, false
	}
	for _, s := range r.Suppressions {
		// A comment in the source is its author's word, and the author is who is
		// being judged.
		if s.Kind == "external" && (s.Status == "" || s.Status == "accepted") {
			return out, false
		}
	}
	out = Result{Rule: r.RuleID, Message: r.Message.Text, Level: r.Level, Score: -1}
	if out.Rule == "" {
		out.Rule = r.Rule.ID
	}
	if out.Message == "" {
		out.Message = r.Message.Markdown
	}
	var def *rule
	index := r.RuleIndex
	if index == nil {
		index = r.Rule.Index
	}
	if index != nil && *index >= 0 && *index < len(rules) {
		// "A/1" is a part of the rule "A"; any other name is not this rule.
		if d := &rules[*index]; out.Rule == "" || out.Rule == d.ID || strings.HasPrefix(out.Rule, d.ID+"/") {
			def = d
		}
	}
	for i := range rules {
		if def == nil && rules[i].ID == out.Rule {
			def = &rules[i]
		}
	}
	if def != nil {
		if out.Rule == "" {
			out.Rule = def.ID
		}
		if out.Level == "" {
			out.Level = def.Default.Level
		}
		out.Score = score(def.Properties)
	}
	if s := score(r.Properties); s >= 0 {
		out.Score = s
	}
	if out.Level == "" {
		out.Level = "warning" // the standard's default
	}
	if len(r.Locations) > 0 {
		l := r.Locations[0].Physical
		out.URI, out.Line, out.Column = l.Artifact.URI, max(l.Region.Line, 0), max(l.Region.Column, 0)
	}
	return out, true
}

// score reads the property by which code scanning services rank, "8.1".
func score(props map[string]syntax.Raw) float64 {
	raw, ok := props["security-severity"]
	if !ok {
		return -1
	}
	f, err := strconv.ParseFloat(strings.Trim(string(raw), `"`), 64)
	if err != nil || !(f >= 0 && f <= 10) {
		return -1
	}
	return f
}

// Path returns the file that a URI means, relative to the directory that was
// scanned; "" when it is none below it.
func Path(uri, dir string) string {
	u, err := url.Parse(uri)
	if err != nil {
		return ""
	}
	p := u.Path
	if u.Scheme == "file" || strings.HasPrefix(p, "/") {
		rest, ok := strings.CutPrefix(path.Clean(p), strings.TrimSuffix(dir, "/")+"/")
		if !ok {
			return ""
		}
		return rest
	}
	if p = path.Clean(p); p == "." || p == ".." || strings.HasPrefix(p, "../") {
		return ""
	}
	return p
}
