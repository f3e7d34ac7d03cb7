package schemas_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"pinion"
	"pinion/internal/ui"
	"pinion/problem"
)

// Every report for code scanning is SARIF 2.1.0: a problem of every rule there
// is, in files with every kind of name. The schema is the part of the standard
// that is written; PINION_SARIF_SCHEMA names a file with the whole one, to hold
// both against the same reports. Issue "Scan, gate and review", Review in CI.
func TestSARIFIsValid(t *testing.T) {
	t.Parallel()
	files := []string{filepath.Join("testdata", "sarif-2.1.0-subset.json")}
	if whole := os.Getenv("PINION_SARIF_SCHEMA"); whole != "" {
		files = append(files, whole)
	}
	var every problem.List
	names := []string{"", "plugins/a/SKILL.md", "a b:c,d.md", "é/\x01#?.md", "../up.md", "/abs/olute.md", `c:\x.md`, "100%.md"}
	for i, rule := range pinion.Rules() {
		every.Add(rule.Report("message \x1b[31m {0} [link](1) %d", i).At(names[i%len(names)], i%3, i%2))
	}
	for name, problems := range map[string]problem.List{"none": nil, "every rule": every, "of no known rule": {{Rule: "other/rule", Message: "m", File: "f"}}} {
		var out bytes.Buffer
		reporter, _ := ui.NewReporter(ui.FormatSARIF)
		r := &ui.Report{Command: "check-pr", Version: pinion.Version, Rules: pinion.Rules(), Problems: problems}
		if err := reporter.Report(ui.Stream{Writer: &out}, r); err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if err := valid(t, file, out.Bytes()); err != nil {
				t.Errorf("%s, by %s: %#v", name, file, err)
			}
		}
	}
	// The schema must be able to refuse.
	for _, bad := range []string{`{}`, `{"$schema": "https://x.invalid/s", "version": "2.0.0", "runs": []}`} {
		if valid(t, files[0], []byte(bad)) == nil {
			t.Errorf("%s is accepted", bad)
		}
	}
}

func valid(t *testing.T, file string, doc []byte) error {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat = true
	if err := c.AddResource(file, bytes.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile(file)
	if err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(bytes.NewReader(doc))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return schema.Validate(v)
}
