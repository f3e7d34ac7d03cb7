package sbom

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	spdxjson "github.com/spdx/tools-golang/json"
	"github.com/spdx/tools-golang/spdx"
	"github.com/spdx/tools-golang/spdxlib"
	"github.com/spdx/tools-golang/utils"

	"pinion/manifest/claude"
	"pinion/manifest/native"
	"pinion/pkgfmt"
	"pinion/tree"
)

var when = time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)

// load writes files to a directory and reads it as a package.
func load(t *testing.T, files map[string]string) *pkgfmt.Package {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	l := pkgfmt.New(claude.New(), native.New(native.Options{}), claude.New())
	d, err := tree.OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	place := pkgfmt.Place{Name: "fixture"}
	tr, err := d.Read(context.Background(), ".", l.Options(place), &tree.Scratch{})
	if err != nil {
		t.Fatal(err)
	}
	return l.Load(tr, place)
}

func samples(t *testing.T) []Item {
	one := load(t, map[string]string{
		".claude-plugin/plugin.json": `{"name": "one", "version": "1.2.0", "license": "Unlicense", "description": "A plugin."}`,
		"LICENSE":                    unlicense,
		".mcp.json": `{"mcpServers": {
			"a": {"command": "npx", "args": ["-y", "@scope/made-up@1.2.3"]},
			"b": {"command": "uvx", "args": ["made-up"]},
			"c": {"command": "docker", "args": ["run", "ghcr.io/made/up:1"]},
			"d": {"command": "go", "args": ["run", "example.com/tool@v1.0.0"]},
			"e": {"command": "uvx", "args": ["--from", "git+https://github.com/made/up", "x"]},
			"f": {"type": "http", "url": "https://mcp.made-up.example/"}}}`,
	})
	two := load(t, map[string]string{
		"skills/a/SKILL.md": "---\nname: a\ndescription: b\n---\nText <b> & more.\n",
		".mcp.json":         `{"mcpServers": {"b": {"command": "uvx", "args": ["made-up"]}}}`,
	})
	return []Item{
		Describe(two, Origin{}),
		Describe(one, Origin{Repository: "https://user:secret@git.made-up.example/a/b.git", Commit: strings.Repeat("ab", 20), Path: "plugins/one"}),
	}
}

// The document is read back by the library with nothing lost, and validates.
// issue 3, SBOM.
func TestDocument(t *testing.T) {
	in := samples(t)
	out, err := Document(in, when, "pinion-test")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := spdxjson.Read(bytes.NewReader(out))
	if err != nil {
		t.Fatal(err)
	}
	if err := spdxlib.ValidateDocument(doc); err != nil {
		t.Error(err)
	}
	var again bytes.Buffer
	if err := spdxjson.Write(doc, &again, spdxjson.Indent("  "), spdxjson.EscapeHTML(false)); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(out), again.String()); d != "" {
		t.Errorf("the way through the reader changed it:\n%s", d)
	}
	// Order of the input does not matter, and nothing is listed twice.
	turned, err := Document([]Item{in[1], in[0], in[1]}, when, "pinion-test")
	if err != nil {
		t.Fatal(err)
	}
	a, b := plain(t, out), plain(t, turned)
	delete(a, "name")
	delete(a, "documentNamespace")
	delete(b, "name")
	delete(b, "documentNamespace")
	if d := cmp.Diff(a, b); d != "" {
		t.Error(d)
	}
	if bytes.Contains(out, []byte("secret")) {
		t.Error("a password of an address is in the document")
	}
	// The library computes the same code from the files.
	described, err := spdxlib.GetDescribedPackageIDs(doc)
	if err != nil || len(described) != 2 {
		t.Fatal(described, err)
	}
	for _, p := range doc.Packages {
		if p.PackageVerificationCode == nil {
			continue
		}
		var files []*spdx.File
		for _, r := range doc.Relationships {
			if r.RefA.ElementRefID != p.PackageSPDXIdentifier || r.Relationship != "CONTAINS" {
				continue
			}
			for _, f := range doc.Files {
				if f.FileSPDXIdentifier == r.RefB.ElementRefID {
					files = append(files, f)
				}
			}
		}
		code, err := utils.GetVerificationCode(files, "")
		if err != nil || code.Value != p.PackageVerificationCode.Value || len(files) == 0 {
			t.Error(p.PackageName, code, err)
		}
	}

	golden := filepath.Join("testdata", "two.json")
	if os.Getenv("PINION_UPDATE") != "" {
		if err := os.WriteFile(golden, out, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(out)); d != "" {
		t.Error(d)
	}
}

func plain(t *testing.T, b []byte) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestLocation(t *testing.T) {
	commit := strings.Repeat("0", 40)
	for o, want := range map[Origin]string{
		{}:                                      "NOASSERTION",
		{Repository: "https://git.example/a/b"}: "git+https://git.example/a/b",
		{Repository: "https://t:x@git.example/a/b", Commit: commit, Path: "p/q r"}:         "git+https://git.example/a/b@" + commit + "#p/q%20r",
		{Repository: "git@git.example:a/b.git", Commit: commit}:                            "git+ssh://git.example/a/b.git@" + commit,
		{Repository: "file:///home/somebody/x", Commit: commit}:                            "NOASSERTION",
		{Repository: "/home/somebody/x"}:                                                   "NOASSERTION",
		{Repository: "C:\\x"}:                                                              "NOASSERTION",
		{Repository: "archive:https://host.example/a.zip", Commit: "sha256:00", Path: "."}: "https://host.example/a.zip",
		{Repository: "npm:@acme/tools", Commit: "1.0.0@sha512-AA=="}:                       "NOASSERTION",
		{Repository: "git+https://git.example/a", Commit: commit}:                          "NOASSERTION",
		{Repository: "https://git.example/a/b", Commit: commit, Path: "."}:                 "git+https://git.example/a/b@" + commit,
		{Repository: "ssh://git@git.example/a/b"}:                                          "git+ssh://git.example/a/b",
		{Repository: "https://git.example/a b", Commit: commit, Path: "x#y"}:               "git+https://git.example/a%20b@" + commit + "#x%23y",
	} {
		if got := location(o); got != want {
			t.Errorf("%+v: %s, want %s", o, got, want)
		}
	}
}

// An npm package has the name that other tools know it by.
func TestPURL(t *testing.T) {
	out, err := Document([]Item{{ID: "tools", Origin: Origin{Repository: "npm:@acme/tools#https://npm.example", Commit: "1.0.0@sha512-AA=="}}}, when, "pinion-test")
	if err != nil || !strings.Contains(string(out), `"referenceLocator": "pkg:npm/%40acme/tools@1.0.0"`) {
		t.Errorf("%s, %v", out, err)
	}
}

// A package that was not read completely lists no files.
func TestPartial(t *testing.T) {
	out, err := Document([]Item{{ID: "x", Partial: true}}, when, "pinion-test")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := spdxjson.Read(bytes.NewReader(out))
	if err != nil {
		t.Fatal(err)
	}
	if p := doc.Packages[0]; p.FilesAnalyzed || p.PackageVerificationCode != nil || len(doc.Files) != 0 {
		t.Errorf("%+v", p)
	}
	if err := spdxlib.ValidateDocument(doc); err != nil {
		t.Error(err)
	}
}

const unlicense = `This is free and unencumbered software released into the public domain.

Anyone is free to copy, modify, publish, use, compile, sell, or
distribute this software, either in source code form or as a compiled
binary, for any purpose, commercial or non-commercial, and by any
means.

In jurisdictions that recognize copyright laws, the author or authors
of this software dedicate any and all copyright interest in the
software to the public domain. We make this dedication for the benefit
of the public at large and to the detriment of our heirs and
successors. We intend this dedication to be an overt act of
relinquishment in perpetuity of all present and future rights to this
software under copyright law.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND,
EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF
MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT.
IN NO EVENT SHALL THE AUTHORS BE LIABLE FOR ANY CLAIM, DAMAGES OR
OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE,
ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR
OTHER DEALINGS IN THE SOFTWARE.

For more information, please refer to <https://unlicense.org/>
`
