package syntax

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// sharedDir returns the folder with the real manifests: $PINION_SHARED, or a
// folder "shared" beside the checkout.
func sharedDir(t *testing.T) string {
	t.Helper()
	if d := os.Getenv("PINION_SHARED"); d != "" {
		return d
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
		d := filepath.Join(dir, "shared")
		if _, err := os.Stat(filepath.Join(d, "corpus")); err == nil {
			return d
		}
	}
	t.Skip("no folder with real manifests: set PINION_SHARED")
	return ""
}

// faultRule is the rule that must find each kind of fault of the real broken
// files; "" where the file is fine for this package.
var faultRule = map[string]string{
	"json-trailing-comma": "json/syntax", "json-unparsable": "json/syntax", "json-merge-conflict": "json/syntax", "json-crlf": "",
	"yaml-unquoted-colon": "yaml/syntax", "yaml-other": "yaml/syntax", "yaml-bad-start-char": "yaml/syntax", "yaml-control-char": "yaml/syntax",
	"yaml-flow-syntax": "yaml/syntax", "yaml-missing-colon": "yaml/syntax", "yaml-duplicate-key": "yaml/duplicate-key",
	"fm-unclosed": "skill/frontmatter-unclosed",
}

func TestBrokenFilesOfHistory(t *testing.T) {
	t.Parallel()
	indexes, err := filepath.Glob(filepath.Join(sharedDir(t), "corpus", "*", "_history", "INDEX.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	for _, index := range indexes {
		rows, err := os.ReadFile(index)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range strings.Split(string(rows), "\n")[1:] {
			col := strings.Split(row, "\t")
			if len(col) < 5 {
				continue
			}
			rule, known := faultRule[col[4]]
			if !known {
				continue
			}
			name := filepath.Join(filepath.Dir(index), col[0])
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			found := false
			for _, p := range problemsOf(name, data) {
				found = found || p.rule == rule
				if rule == "" {
					t.Errorf("%s (%s): unexpected %s at %d:%d", name, col[4], p.rule, p.line, p.col)
				}
			}
			if rule != "" && !found {
				t.Errorf("%s (%s): %s not found", name, col[4], rule)
			}
		}
	}
}

// Every problem in every real file is at a character of the file, or at its end.
func TestPositionsInRealFiles(t *testing.T) {
	t.Parallel()
	files := 0
	err := filepath.WalkDir(filepath.Join(sharedDir(t), "corpus"), func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) != ".json" && filepath.Base(name) != "SKILL.md" && !strings.HasSuffix(name, "--SKILL.md") {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		files++
		all := bytes.Split(data, []byte("\n"))
		for _, p := range problemsOf(name, data) {
			if p.line < 1 || p.line > len(all) || p.col < 1 || p.col > len([]rune(string(all[p.line-1])))+1 {
				t.Errorf("%s: %s at %d:%d is outside the file", name, p.rule, p.line, p.col)
			}
		}
		return nil
	})
	if err != nil || files == 0 {
		t.Errorf("read %d files: %v", files, err)
	}
}

type at struct {
	rule      string
	line, col int
}

func problemsOf(name string, data []byte) (out []at) {
	var v any
	l := Decode(data, &v, Options{})
	if strings.HasSuffix(name, "SKILL.md") {
		_, l = Frontmatter(data)
	}
	for _, p := range l {
		out = append(out, at{p.Rule, p.Line, p.Column})
	}
	return out
}
