package sarif

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRead(t *testing.T) {
	got, err := Read([]byte(`{"version": "2.1.0", "$schema": "x", "runs": [{
		"tool": {"driver": {"name": "s", "semanticVersion": "1.2.3", "rules": [
			{"id": "A", "defaultConfiguration": {"level": "error"}, "properties": {"security-severity": "9.1", "tags": []}}, {"id": "B"}]}},
		"invocations": [{"executionSuccessful": true}],
		"results": [
			{"ruleId": "A", "message": {"text": "m"}, "locations": [{"physicalLocation": {"artifactLocation": {"uri": "a%20b.md"}, "region": {"startLine": 3, "startColumn": 2}}}]},
			{"ruleIndex": 1, "message": {"markdown": "n"}, "level": "note"},
			{"ruleId": "A", "kind": "pass", "message": {"text": "fine"}},
			{"ruleId": "A", "message": {"text": "x"}, "suppressions": [{"kind": "external"}]},
			{"rule": {"id": "C"}, "message": {"text": "o"}, "properties": {"security-severity": 4}}
		]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	want := Log{Tool: "s", Version: "1.2.3", Results: []Result{
		{Rule: "A", Message: "m", URI: "a%20b.md", Line: 3, Column: 2, Level: "error", Score: 9.1},
		{Rule: "B", Message: "n", Level: "note", Score: -1},
		{Rule: "C", Message: "o", Level: "warning", Score: 4},
	}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	for _, bad := range []string{"", "{}", `{"version": "1.0.0", "runs": []}`, `{"version": "2.1.0", "runs": []}`, `{"version": "2.1.0", "runs": 1}`, "not json"} {
		if l, err := Read([]byte(bad)); err == nil {
			t.Errorf("Read(%q) = %+v", bad, l)
		}
	}
	failed, err := Read([]byte(`{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "s"}}, "invocations": [{"executionSuccessful": false}]}]}`))
	if err != nil || !failed.Failed {
		t.Errorf("%+v, %v", failed, err)
	}
}

func TestPath(t *testing.T) {
	for uri, want := range map[string]string{
		"a%20b.md": "a b.md", "./x/../y": "y", "file:///scan/dir/z.py": "z.py", "/scan/dir/z.py": "z.py",
		"../out": "", "file:///etc/passwd": "", "/scan/dirty/x": "", ".": "", "%zz": "", "": "",
	} {
		if got := Path(uri, "/scan/dir"); got != want {
			t.Errorf("Path(%q) = %q, want %q", uri, got, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"version": "2.1.0", "runs": [{"results": [{"ruleIndex": 5}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := Read(data)
		if err != nil {
			return
		}
		for _, r := range l.Results {
			if r.Line < 0 || r.Score > 10 {
				t.Fatalf("%+v", r)
			}
			if p := Path(r.URI, "/d"); p == ".." || len(p) > 0 && p[0] == '/' {
				t.Fatalf("Path(%q) = %q", r.URI, p)
			}
		}
	})
}

// Security 2.4: the author of a package cannot silence a scanner with a comment,
// a result is not ranked by the rule of another component, and a run that did
// not look is no run without results.
func TestReadDoubts(t *testing.T) {
	one := func(results, more string) string {
		return `{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "s", "rules": [{"id": "quiet", "defaultConfiguration": {"level": "note"}}]},
			"extensions": [{"name": "x", "rules": [{"id": "loud", "defaultConfiguration": {"level": "error"}}]}]}` + more + results + `}]}`
	}
	for _, c := range []struct {
		name, text string
		failed     bool
		levels     []string
	}{
		{"in source", one(`, "results": [{"ruleId": "A", "level": "error", "suppressions": [{"kind": "inSource", "status": "accepted"}]}]`, ""), false, []string{"error"}},
		{"no kind", one(`, "results": [{"ruleId": "A", "level": "error", "suppressions": [{}]}]`, ""), false, []string{"error"}},
		{"of an extension", one(`, "results": [{"ruleIndex": 0, "rule": {"id": "loud", "index": 0, "toolComponent": {"index": 0}}}]`, ""), false, []string{"error"}},
		{"index of another rule", one(`, "results": [{"ruleId": "other", "ruleIndex": 0}]`, ""), false, []string{"warning"}},
		{"a part of a rule", one(`, "results": [{"ruleId": "quiet/1", "ruleIndex": 0}]`, ""), false, []string{"note"}},
		{"no list", one("", ""), true, nil},
		{"an empty list", one(`, "results": []`, ""), false, nil},
		{"a file that was not read", one(`, "results": []`, `, "invocations": [{"executionSuccessful": true, "toolExecutionNotifications": [{"level": "error", "message": {"text": "x"}}]}]`), true, nil},
		{"a remark", one(`, "results": []`, `, "invocations": [{"executionSuccessful": true, "toolExecutionNotifications": [{"level": "warning"}]}]`), false, nil},
	} {
		got, err := Read([]byte(c.text))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var levels []string
		for _, r := range got.Results {
			levels = append(levels, r.Level)
		}
		if got.Failed != c.failed || !cmp.Equal(levels, c.levels) {
			t.Errorf("%s: failed %t, levels %q", c.name, got.Failed, levels)
		}
	}
}
