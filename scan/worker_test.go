//go:build unix

package scan

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pinion/hashes"
	"pinion/manifest"
	"pinion/pkgfmt"
	"pinion/tree"
)

func tinyPackage() (*Engine, *pkgfmt.Package) {
	e := New("test", hashes.Of([]byte("rules")), []Check{{Rules: []Rule{{ID: "a/b", Level: High, Fix: "mend it"}}}})
	data := []byte("one\ntwo\n")
	digest, err := hashes.Tree([]hashes.File{{Path: "a.sh", Sum: hashes.Of(data)}})
	if err != nil {
		panic(err)
	}
	pkg := &pkgfmt.Package{
		Format: "claude", Digest: digest, Manifest: &manifest.Manifest{ID: "tool", Version: "1.0.0"},
		Tree: &tree.Tree{Files: []tree.File{{Path: "a.sh", Size: int64(len(data)), Data: data, Sum: hashes.Of(data)}}},
	}
	return e, pkg
}

// shell is a worker that is a line of shell.
func shell(script string) []string { return []string{"/bin/sh", "-c", script} }

// Security 3.7 row 104: whatever a worker does, the scan comes to an end, and it
// is one that was not completed.
func TestWorkerMisbehaves(t *testing.T) {
	e, pkg := tinyPackage()
	for name, script := range map[string]string{
		"ends at once":               "exit 0",
		"half a length":              `printf '\000\000'; exit 0`,
		"four gigabytes":             `printf '\377\377\377\377'; sleep 60`,
		"half a message":             `printf '\000\000\001\000{'; exit 0`,
		"talks on standard error":    "head -c 30000000 /dev/zero | tr '\\0' x >&2; exit 1",
		"leaves a child on the pipe": "sleep 300 & exit 0",
		"its child has left":         "(setsid sleep 6 &) ; exit 0",
		"says nothing":               "cat >/dev/null",
		"reads nothing":              "sleep 60",
		"does not want to end":       "trap '' TERM INT HUP; printf '\\377\\377\\377\\377'; while :; do sleep 1; done",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := NewWorker(e, shell(script))
			w.limit = 5 * time.Second
			defer w.Close()
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			r, err := w.Scan(ctx, pkg, pkgfmt.Place{})
			if err != nil || r.Complete || len(r.Limits) != 1 || len(r.Limits[0]) > 1000 {
				t.Errorf("%+v, %v", r, err)
			}
		})
	}
}

// Content that got the better of a worker may speak for it: nobody is taken down
// by what it says, and nothing of it reaches a terminal as it is.
func TestWorkerLies(t *testing.T) {
	e, pkg := tinyPackage()
	good := func() *Report {
		r, err := e.Scan(t.Context(), pkg)
		if err != nil {
			t.Fatal(err)
		}
		r.Findings = []Finding{{Rule: "a/b", Level: High, File: "a.sh", Line: 1, Column: 1, Message: "m", Evidence: "one"}}
		return r
	}
	if r := good(); e.check(r, pkg) != nil || r.Findings[0].fix != "mend it" {
		t.Fatalf("%+v: %v", r, e.check(r, pkg))
	}
	for name, edit := range map[string]func(*Report){
		"schema":         func(r *Report) { r.Schema = "pinion.scan-report/v2" },
		"digest":         func(r *Report) { r.Digest = hashes.Digest{} },
		"id":             func(r *Report) { r.ID = "other" },
		"version":        func(r *Report) { r.Version = "2.0.0" },
		"scanner":        func(r *Report) { r.Scanner = "new" },
		"rules":          func(r *Report) { r.Ruleset[0] ^= 1 },
		"policy":         func(r *Report) { r.Policy[0] ^= 1 },
		"other scanners": func(r *Report) { r.External = []string{"other 1"} },
		"complete":       func(r *Report) { r.Limits = []string{"a.sh: x"} },
		"not complete":   func(r *Report) { r.Complete = false },
		"unknown rule":   func(r *Report) { r.Findings[0].Rule = "no/rule" },
		"accepted":       func(r *Report) { r.Findings[0].Accepted = &Acceptance{By: "worker"} },
		"of another":     func(r *Report) { r.Findings[0].Scanner = "other" },
		"no such file":   func(r *Report) { r.Findings[0].File = "../../etc/passwd" },
		"line":           func(r *Report) { r.Findings[0].Line = -1 },
		"count":          func(r *Report) { r.Findings[0].More = -5 },
		"no level":       func(r *Report) { r.Findings[0].Level = unset },
	} {
		r := good()
		edit(r)
		if e.check(r, pkg) == nil {
			t.Errorf("%s: it is believed", name)
		}
	}
	if e.check(nil, pkg) == nil {
		t.Error("no report is a report")
	}
	r := good()
	r.Findings[0].Message, r.Findings[0].Evidence = "a\x1b[2Jb\u202ec", strings.Repeat("x", 200)+"\u200b"
	r.Complete, r.Limits = false, []string{"\x1b]0;t\a"}
	if err := e.check(r, pkg); err != nil {
		t.Fatal(err)
	}
	if f := r.Findings[0]; strings.ContainsAny(f.Message+r.Limits[0], "\x1b\a\u202e") || len([]rune(f.Evidence)) > maxEvidence {
		t.Errorf("%q, %q, %q", f.Message, f.Evidence, r.Limits)
	}
	// The same over the pipe.
	body := `{"report": {"schema": "` + Schema + `", "id": "tool", "version": "1.0.0", "digest": "` + pkg.Digest.String() + `", "scanner": "test", "ruleset": "` + e.ruleset.String() +
		`", "policy": "` + hashes.Sum{}.String() + `", "complete": true, "coverage": {"files": 1, "filesRead": 1, "bytes": 8, "bytesRead": 8}, "findings": [{"rule": "no/rule", "level": "high", "file": "", "line": 0, "column": 0, "message": "", "evidence": "", "window": "` +
		hashes.Sum{}.String() + `", "more": 0, "scanner": ""}], "limits": [], "external": []}, "error": ""}`
	file := filepath.Join(t.TempDir(), "answer")
	if err := os.WriteFile(file, append([]byte{0, 0, byte(len(body) >> 8), byte(len(body))}, body...), 0o600); err != nil {
		t.Fatal(err)
	}
	w := NewWorker(e, shell(fmt.Sprintf("cat '%s'; sleep 20", file)))
	defer w.Close()
	if r, err := w.Scan(t.Context(), pkg, pkgfmt.Place{}); err != nil || r.Complete || !strings.Contains(r.Limits[0], "no rule makes") {
		t.Errorf("%+v, %v", r, err)
	}
}
