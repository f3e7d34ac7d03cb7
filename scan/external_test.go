//go:build unix

package scan

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"pinion/internal/sarif"
)

// join runs one scanner that is a script over the tiny package.
func join(t *testing.T, script string) *Report {
	t.Helper()
	e, pkg := tinyPackage()
	r, err := e.Scan(t.Context(), pkg)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Join(t.Context(), pkg, []External{{Name: "other", Argv: append(shell(script), "sh", "{dir}"), Limit: 20 * time.Second, Path: os.Getenv("PATH")}}); err != nil {
		t.Fatal(err)
	}
	return r
}

func sarifLog(result string) string {
	return `{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "x", "version": "1 in '"$1"'"}}, "results": [` + result + `]}]}`
}

// SB-068: a report is byte for byte the same in every run, also when another
// scanner prints where it was run.
func TestExternalIsImpersonal(t *testing.T) {
	result := `{"ruleId": "R'"$1"'", "message": {"text": "see '"$1"'/a.sh and '"$HOME"' in '"$(dirname "$1")"'"}, "locations": [{"physicalLocation": {"artifactLocation": {"uri": "'"$1"'/a.sh"}, "region": {"startLine": 2}}}]}`
	for _, script := range []string{
		"echo '" + sarifLog(result) + "'",
		"echo '" + sarifLog(strings.Replace(result, "a.sh", "none", 1)) + "'",
		`echo "no such file: $1/x" >&2; exit 3`,
	} {
		first, err1 := join(t, script).Encode()
		second, err2 := join(t, script).Encode()
		if err1 != nil || err2 != nil || string(first) != string(second) {
			t.Errorf("%s:\n%s\n%s", script, first, second)
		}
		if strings.Contains(string(first), "pinion-scan-") {
			t.Errorf("%s", first)
		}
	}
}

// Security 2.4: what another scanner says is escaped, its secrets are hidden,
// its places are in the package or none.
func TestExternalIsNotTrusted(t *testing.T) {
	const secret = "q7Zx81LmPq" + "0aTs93KdYw"
	results := []string{
		`{"ruleId": "unicode/bidi\u001b[31m", "message": {"text": "key ` + secret + ` found\u202e\n"}, "locations": [{"physicalLocation": {"artifactLocation": {"uri": "../../etc/passwd"}, "region": {"startLine": -4}}}]}`,
		`{"ruleId": "x", "level": "error", "message": {"text": "` + strings.Repeat("long ", 200) + `"}, "locations": [{"physicalLocation": {"artifactLocation": {"uri": "a.sh"}, "region": {"startLine": 99999999}}}]}`,
	}
	file := filepath.Join(t.TempDir(), "log") // some shells read escapes
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(sarifLog(strings.Join(results, ", ")), `'"$1"'`, "there")), 0o600); err != nil {
		t.Fatal(err)
	}
	r := join(t, "cat '"+file+"'")
	if len(r.Findings) != 2 || !r.Complete {
		t.Fatalf("%+v", r)
	}
	for _, f := range r.Findings {
		if !strings.HasPrefix(f.Rule, "other/") || f.Scanner != "other" || f.File != "" && f.File != "a.sh" || f.Line < 0 || len([]rune(f.Message)) > 300 || len([]rune(f.Evidence)) > maxEvidence {
			t.Errorf("%+v", f)
		}
		if text := f.Rule + f.Message + f.Evidence; strings.Contains(text, secret) || strings.ContainsAny(text, "\x1b\u202e\n") {
			t.Errorf("%+v", f)
		}
	}
	for text, want := range map[string]string{
		secret:                             "q7Zx[hidden]",
		"token=" + secret + " in a.sh":     "toke[hidden] in a.sh",
		"0123456789abcdef0123456789abcdef": "0123[hidden]",
		"plugins/some-tool/scripts/run2":   "plugins/some-tool/scripts/run2",
		"CVE-2026-1234567 in a dependency": "CVE-2026-1234567 in a dependency",
		"an-ordinary-long-rule-name":       "an-ordinary-long-rule-name",
	} {
		if got := hideTokens(text); got != want {
			t.Errorf("hideTokens(%q) = %q, want %q", text, got, want)
		}
	}
}

// SB-067: a scanner that did not do its work is a scan that was not completed,
// however good its log looks.
func TestExternalFails(t *testing.T) {
	empty := "echo '" + sarifLog("") + "'"
	for name, script := range map[string]string{
		"a signal":               empty + "; kill -9 $$",
		"a crash behind a shell": empty + "; exit 139",
		"an error":               empty + "; exit 2",
		"no list":                `echo '{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "x"}}}]}'`,
		"too much":               "head -c " + strconv.Itoa(sarif.MaxBytes+1) + " /dev/zero",
		"half a log":             `echo '{"version": "2.1.0", "runs": [{'`,
	} {
		if r := join(t, script); r.Complete || len(r.Limits) != 1 {
			t.Errorf("%s: %+v", name, r)
		}
	}
	for name, script := range map[string]string{"nothing found": empty, "nothing found, as 1": empty + "; exit 1"} {
		if r := join(t, script); !r.Complete || len(r.Findings) > 0 {
			t.Errorf("%s: %+v", name, r)
		}
	}
	if r := join(t, "echo '"+sarifLog(`{"ruleId": "a", "message": {"text": "m"}}`)+"'; exit 5"); !r.Complete || len(r.Findings) != 1 {
		t.Errorf("%+v", r)
	}
}

// Security 3.7 row 104: what a scanner leaves running ends with it.
func TestExternalLeavesNothing(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pid")
	r := join(t, fmt.Sprintf("sleep 300 </dev/null >/dev/null 2>&1 & echo $! >'%s'; echo '%s'", file, sarifLog("")))
	if !r.Complete {
		t.Fatalf("%+v", r)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || pid < 2 {
		t.Fatalf("%q, %v", text, err)
	}
	for range 200 { // whoever takes orphans in may need a moment
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if syscall.Kill(pid, 0) != nil || err == nil && strings.Contains(string(stat), ") Z ") {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Errorf("process %d is still there", pid)
}
