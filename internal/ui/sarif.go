package ui

import (
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"pinion/problem"
)

// The subset of SARIF 2.1.0 (OASIS, 2020) that code scanning services read.
type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool       sarifTool       `json:"tool"`
	Automation sarifAutomation `json:"automationDetails"`
	ColumnKind string          `json:"columnKind"`
	Results    []sarifResult   `json:"results"`
}

type sarifAutomation struct {
	ID string `json:"id"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name            string      `json:"name"`
	SemanticVersion string      `json:"semanticVersion,omitempty"`
	Rules           []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID               string       `json:"id"`
	ShortDescription sarifText    `json:"shortDescription"`
	FullDescription  *sarifText   `json:"fullDescription,omitempty"`
	Help             *sarifText   `json:"help,omitempty"`
	Default          sarifDefault `json:"defaultConfiguration"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifDefault struct {
	Level string `json:"level"`
}

type sarifResult struct {
	RuleID       string            `json:"ruleId"`
	RuleIndex    int               `json:"ruleIndex"`
	Level        string            `json:"level"`
	Message      sarifText         `json:"message"`
	Locations    []sarifLocation   `json:"locations,omitempty"`
	Fingerprints map[string]string `json:"partialFingerprints"`
}

type sarifLocation struct {
	Physical sarifPhysical `json:"physicalLocation"`
}

type sarifPhysical struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   *sarifRegion  `json:"region,omitempty"`
}

type sarifArtifact struct {
	URI string `json:"uri"`
}

type sarifRegion struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn,omitempty"`
}

type sarifReporter struct{}

var _ Reporter = sarifReporter{}

// Report writes one SARIF 2.1.0 run.
func (sarifReporter) Report(s Stream, r *Report) error {
	run := sarifRun{
		Tool:       sarifTool{Driver: sarifDriver{Name: "pinion", SemanticVersion: r.Version, Rules: []sarifRule{}}},
		Automation: sarifAutomation{ID: "pinion/" + strings.ReplaceAll(r.Command, " ", "-") + "/"},
		ColumnKind: "unicodeCodePoints",
		Results:    []sarifResult{},
	}
	index := map[string]int{}
	for i, rule := range r.usedRules() {
		index[rule.ID] = i
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, newSARIFRule(rule))
	}
	seen := map[string]int{}
	for _, p := range r.Problems {
		run.Results = append(run.Results, newSARIFResult(p, index[p.Rule], seen))
	}
	return WriteJSON(s, sarifLog{
		Schema:  "https://json.schemastore.org/sarif-2.1.0.json",
		Version: "2.1.0",
		Runs:    []sarifRun{run},
	})
}

func newSARIFRule(rule problem.Rule) sarifRule {
	out := sarifRule{
		ID:               rule.ID,
		ShortDescription: sarifText{rule.Title},
		Default:          sarifDefault{rule.Severity.String()},
	}
	if rule.Help != "" {
		out.FullDescription = &sarifText{rule.Help}
	}
	help := rule.Fix
	if rule.Example != "" {
		help = strings.TrimSpace(help + "\n\n" + rule.Example)
	}
	if help != "" {
		out.Help = &sarifText{help}
	}
	return out
}

// newSARIFResult converts p; seen counts equal problems, so that the second of
// two equal ones gets its own fingerprint.
func newSARIFResult(p problem.Problem, rule int, seen map[string]int) sarifResult {
	message := sarifMessage(p.Message)
	if p.Fix != "" {
		message += "\nfix: " + sarifMessage(p.Fix)
	}
	res := sarifResult{
		RuleID:    p.Rule,
		RuleIndex: rule,
		Level:     p.Severity.String(),
		Message:   sarifText{message},
	}
	if p.File != "" {
		loc := sarifLocation{sarifPhysical{Artifact: sarifArtifact{fileURI(p.File)}}}
		if p.Line > 0 {
			loc.Physical.Region = &sarifRegion{p.Line, p.Column}
		}
		res.Locations = []sarifLocation{loc}
	}
	// The line is not part of it: a problem that moved is the same problem.
	key := strings.Join([]string{p.Rule, p.File, p.Message}, "\x00")
	seen[key]++
	sum := sha256.Sum256([]byte(key + "\x00" + strconv.Itoa(seen[key])))
	res.Fingerprints = map[string]string{"pinionProblem/v1": hex.EncodeToString(sum[:16])}
	return res
}

// sarifMessage returns untrusted text that is no link: viewers make one of
// [text](address) in the text of a message (SARIF 3.11.6).
func sarifMessage(s string) string { return strings.ReplaceAll(Escape(s), "](", "] (") }

// fileURI returns a path as SARIF wants it: relative paths stay relative to
// where the tool ran, each segment percent-encoded.
func fileURI(name string) string {
	slashed := filepath.ToSlash(name)
	if filepath.IsAbs(name) {
		if !strings.HasPrefix(slashed, "/") {
			slashed = "/" + slashed
		}
		return (&url.URL{Scheme: "file", Path: slashed}).String()
	}
	// url.URL puts "./" before a first segment that looks like a scheme.
	return (&url.URL{Path: path.Clean(slashed)}).String()
}
