package pkgfmt_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pinion/internal/syntax"
	"pinion/manifest"
	"pinion/manifest/agentskill"
	"pinion/manifest/native"
	"pinion/pkgfmt"
	"pinion/problem"
	"pinion/tree"
)

func packLoader() *pkgfmt.Loader {
	return pkgfmt.New(agentskill.New(), native.New(native.Options{}), agentskill.New())
}

// loadDir reads a package directory.
func loadDir(t *testing.T, dir string) *pkgfmt.Package {
	t.Helper()
	d, err := tree.OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	at := pkgfmt.Place{Name: filepath.Base(dir)}
	l := packLoader()
	tr, err := d.Read(t.Context(), ".", l.Options(at), new(tree.Scratch))
	if err != nil {
		t.Fatal(err)
	}
	return l.Load(tr, at)
}

func packed(t *testing.T, p *pkgfmt.Package) []byte {
	t.Helper()
	var buf bytes.Buffer
	if err := pkgfmt.Pack(&buf, p); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// makePackage writes files in the given order, with the given modes and times.
func makePackage(t *testing.T, files [][2]string, mode os.FileMode, at time.Time) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "demo")
	for _, f := range files {
		path := filepath.Join(dir, f[0])
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(f[1]), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil { // whatever the umask is
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const mit = `MIT License

Copyright (c) 2026 The authors

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND.
`

func nativeFiles() [][2]string {
	return [][2]string{
		{"pinion-plugin.json", `{"schema_version": 1, "id": "demo", "name": "Demo", "version": "1.2.0", "description": "A demo.", "kind": "skill", "license": "MIT", "files": ["SKILL.md", "LICENSE", "docs/` + strings.Repeat("long-", 30) + `.md", "docs/café.md"]}`},
		{"SKILL.md", "---\nname: demo\ndescription: A demo. Use when asked for one.\n---\n\n# Demo\n\nWhen to use: always.\n"},
		{"LICENSE", mit},
		{"docs/" + strings.Repeat("long-", 30) + ".md", "long\n"},
		{"docs/café.md", "café\n"},
	}
}

// The same package gives the same bytes, whatever its times, modes and order
// on the disk, and the archive gives the same digest.
func TestPackIsDeterministic(t *testing.T) {
	t.Parallel()
	files := nativeFiles()
	reversed := [][2]string{}
	for i := range files {
		reversed = append(reversed, files[len(files)-1-i])
	}
	one := loadDir(t, makePackage(t, files, 0o644, time.Unix(1_000_000_000, 0)))
	two := loadDir(t, makePackage(t, reversed, 0o755, time.Unix(1_700_000_000, 999)))
	a, b := packed(t, one), packed(t, two)
	if !bytes.Equal(a, b) {
		t.Error("two archives of one package differ")
	}
	if one.ArchiveName() != "demo-1.2.0.tar.gz" {
		t.Errorf("the archive is called %q", one.ArchiveName())
	}
	checkHeaders(t, a, "demo-1.2.0/", nil)
	if got := unpack(t, one.ArchiveName(), a); got.Digest != one.Digest || got.Problems.HasErrors() {
		t.Errorf("the archive has the digest %s, want %s; %v", got.Digest, one.Digest, got.Problems)
	}
}

// unpack loads the package in an archive.
func unpack(t *testing.T, name string, data []byte) *pkgfmt.Package {
	t.Helper()
	at := pkgfmt.Place{Name: "demo"}
	l := packLoader()
	tr, err := tree.FromArchive(t.Context(), bytes.NewReader(data), int64(len(data)), name, l.Options(at), new(tree.Scratch))
	if err != nil {
		t.Fatal(err)
	}
	return l.Load(tr, at)
}

// checkHeaders looks at what an archive says beside the content.
func checkHeaders(t *testing.T, data []byte, folder string, exec []string) {
	t.Helper()
	if data[3] != 0 || !bytes.Equal(data[4:8], []byte{0, 0, 0, 0}) {
		t.Errorf("the gzip header has flags %x and time %x", data[3], data[4:8])
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	r := tar.NewReader(z)
	last := ""
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		want := int64(0o644)
		for _, e := range exec {
			if h.Name == folder+e {
				want = 0o755
			}
		}
		if !strings.HasPrefix(h.Name, folder) || h.Name <= last || h.Typeflag != tar.TypeReg || h.Mode != want ||
			h.Uid != 0 || h.Gid != 0 || h.Uname != "" || h.Gname != "" || h.ModTime.Unix() != 315532800 {
			t.Errorf("after %q comes %+v", last, h)
		}
		last = h.Name
	}
}

// The execute bit is content of foreign packages, and survives.
func TestPackKeepsExecutables(t *testing.T) {
	t.Parallel()
	dir := makePackage(t, [][2]string{
		{"SKILL.md", "---\nname: demo\ndescription: A demo. Use when asked for one.\nmetadata:\n  version: 2.0.0\n---\n\n# Demo\n"},
		{"scripts/run.sh", "#!/bin/sh\n"},
	}, 0o600, time.Now())
	if err := os.Chmod(filepath.Join(dir, "scripts/run.sh"), 0o700); err != nil {
		t.Fatal(err)
	}
	p := loadDir(t, dir)
	data := packed(t, p)
	checkHeaders(t, data, p.ID()+"-"+p.Version()+"/", []string{"scripts/run.sh"})
	if got := unpack(t, "x.tgz", data); got.Digest != p.Digest || got.Digest.IsZero() {
		t.Errorf("the archive has the digest %s, want %s", got.Digest, p.Digest)
	}
}

func TestPackRefuses(t *testing.T) {
	t.Parallel()
	dir := makePackage(t, nativeFiles(), 0o644, time.Now())
	if err := os.Mkdir(filepath.Join(dir, "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	var ce *problem.ContentError
	p := loadDir(t, dir)
	if err := pkgfmt.Pack(io.Discard, p); !errors.As(err, &ce) || !strings.Contains(err.Error(), "empty") || ce.Problems.Count(problem.Error) != 1 {
		t.Errorf("an empty directory: %v", err)
	}
	if p.Problems.HasErrors() {
		t.Error("packing changed the problems of the package")
	}
	if err := os.WriteFile(filepath.Join(dir, "empty/extra.md"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := pkgfmt.Pack(io.Discard, loadDir(t, dir)); !errors.As(err, &ce) {
		t.Errorf("an undeclared file: %v", err)
	}
	p = loadDir(t, makePackage(t, nativeFiles(), 0o644, time.Now()))
	p.Tree.Partial = true
	if err := pkgfmt.Pack(io.Discard, p); !errors.Is(err, pkgfmt.ErrIncomplete) {
		t.Errorf("a partial package: %v", err)
	}
	full := loadDir(t, makePackage(t, nativeFiles(), 0o644, time.Now()))
	if err := pkgfmt.Pack(fullDisk{}, full); !errors.Is(err, errFull) {
		t.Errorf("a full disk: %v", err)
	}
}

var errFull = errors.New("no space left on device")

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

// A package that is defined by its catalog entry is not its files alone.
func TestPackRefusesEntryDefined(t *testing.T) {
	t.Parallel()
	dir := makePackage(t, [][2]string{{"SKILL.md", "---\nname: demo\ndescription: A demo. Use when asked.\n---\n"}}, 0o644, time.Now())
	d, err := tree.OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	at := pkgfmt.Place{Name: "demo", Entry: &manifest.Entry{Name: "demo", Version: "1.0.0", Fields: map[string]syntax.Raw{"skills": syntax.Raw(`["./"]`)}}}
	l := packLoader()
	tr, err := d.Read(t.Context(), ".", l.Options(at), new(tree.Scratch))
	if err != nil {
		t.Fatal(err)
	}
	if err := pkgfmt.Pack(io.Discard, l.Load(tr, at)); !errors.Is(err, pkgfmt.ErrEntryDefined) {
		t.Errorf("%v, want ErrEntryDefined", err)
	}
}
