package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sync/errgroup"
)

// format is how a made-up package is laid out.
type format int

const (
	// native has a pinion-plugin.json; its catalog publishes digests.
	native format = iota
	// foreign has a .claude-plugin/plugin.json; its catalog has no digests.
	foreign
)

// filesPerPackage is the number of files of every made-up package. A native one
// has seven directories below its own.
const filesPerPackage = 10

// made is a made-up package: the same values give the same bytes.
type made struct {
	format  format
	index   int
	version string
	size    int // of each file, in bytes; files that would be larger stay so
}

// file is one file of a package.
type file struct {
	path string // slash-separated, below the package's directory
	data []byte
}

func (m made) id() string { return fmt.Sprintf("pkg-%06d", m.index) }

// content are the files besides manifest, instructions and licence.
var content = [...]string{
	"docs/guide.md",
	"reference/terms.md",
	"examples/first.md",
	"data/words.txt",
	"templates/note.txt",
	"checklists/before.md",
	"assets/table.csv",
}

const licence = `BSD Zero Clause License

Copyright (c) 2026 the authors of the benchmark

Permission to use, copy, modify, and/or distribute this software for any
purpose with or without fee is hereby granted.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY
AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM
LOSS OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR
OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR
PERFORMANCE OF THIS SOFTWARE.
`

// files returns the package's files, the manifest first.
func (m made) files() ([]file, error) {
	manifestPath, skillPath, manifest := "pinion-plugin.json", "SKILL.md", any(m.nativeManifest())
	if m.format == foreign {
		manifestPath, skillPath, manifest = ".claude-plugin/plugin.json", "skills/"+m.id()+"/SKILL.md", m.foreignManifest()
	}
	data, err := json.MarshalIndent(manifest, "", "  ")
	if err != nil {
		return nil, err
	}
	out := []file{
		{manifestPath, m.padded(data)},
		{skillPath, m.padded([]byte(m.skill()))},
		{"LICENSE", m.padded([]byte(licence))},
	}
	for i, path := range content {
		version := ""
		if i == 0 {
			version = m.version // the file that a new version changes
		}
		out = append(out, file{path, text(m.size, uint64(m.index)<<8|uint64(i), version)})
	}
	return out, nil
}

func (m made) nativeManifest() any {
	return struct {
		Schema      int      `json:"schema_version"`
		ID          string   `json:"id"`
		Name        string   `json:"name"`
		Version     string   `json:"version"`
		Description string   `json:"description"`
		Kind        string   `json:"kind"`
		License     string   `json:"license"`
		Files       []string `json:"files"`
	}{1, m.id(), m.title(), m.version, m.description(), "skill", "0BSD", append([]string{"SKILL.md", "LICENSE"}, content[:]...)}
}

func (m made) foreignManifest() any {
	return struct {
		Name        string `json:"name"`
		Version     string `json:"version"`
		Description string `json:"description"`
		Author      owner  `json:"author"`
		License     string `json:"license"`
	}{m.id(), m.version, m.description(), owner{"Bench"}, "0BSD"}
}

// owner is whoever made a plugin or a catalog.
type owner struct {
	Name string `json:"name"`
}

func (m made) title() string { return fmt.Sprintf("Package %d", m.index) }

// description is as long as the median of 699 entries of public marketplaces,
// 157 characters, because the length decides what loading a catalog costs.
func (m made) description() string {
	return fmt.Sprintf("Working instructions for texts of kind %06d. Reads the guide, applies it to the draft, and checks the outcome. "+
		"Use when somebody asks for it by name.", m.index)
}

func (m made) skill() string {
	return fmt.Sprintf("---\nname: %s\ndescription: %s\n---\n\n# %s\n\nWhen to use: the owner asks for package %d.\n\n"+
		"Information needed: the text, and who will read it.\n\n1. Read docs/guide.md.\n2. Apply it to the text.\n\n"+
		"Check the result: read it once more as the intended reader.\n\n%s",
		m.id(), m.description(), m.title(), m.index, text(max(0, m.size-600), uint64(m.index)<<8|0xff, ""))
}

// padded fills data up with empty lines.
func (m made) padded(data []byte) []byte {
	if missing := m.size - len(data); missing > 0 {
		data = append(data, strings.Repeat("\n", missing)...)
	}
	return data
}

// text returns size bytes of lines of words, which compress as prose does.
func text(size int, seed uint64, variant string) []byte {
	words := [...]string{
		"author", "branch", "catalog", "digest", "entry", "file", "guide", "host", "index", "journal", "kind", "ledger",
		"manifest", "notice", "origin", "package", "query", "release", "source", "tree", "update", "version", "write", "yield",
	}
	var salt uint64
	for _, c := range []byte(variant) {
		salt = salt*31 + uint64(c)
	}
	r := rand.New(rand.NewPCG(seed, salt))
	out := make([]byte, 0, size+32)
	for column := 0; len(out) < size; {
		n := r.Uint32()
		w := words[n%uint32(len(words))]
		out = fmt.Appendf(out, "%s%x", w, n>>20&0xf)
		if column += len(w) + 2; column > 72 {
			out, column = append(out, '\n'), 0
		} else {
			out = append(out, ' ')
		}
	}
	out = out[:size]
	if size > 0 {
		out[size-1] = '\n'
	}
	return out
}

// write puts the package into dir, which is made; files that exist are replaced.
func (m made) write(dir string) error {
	files, err := m.files()
	if err != nil {
		return err
	}
	for _, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(f.path))
		err := os.WriteFile(path, f.data, 0o644)
		if errors.Is(err, fs.ErrNotExist) {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				return err
			}
			err = os.WriteFile(path, f.data, 0o644)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// writePackages makes root/plugins with n packages.
func writePackages(ctx context.Context, root string, f format, n, size int) error {
	const workers, share = 2, 64
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(workers)
	for from := 0; from < n; from += share {
		g.Go(func() error {
			for i := from; i < min(from+share, n); i++ {
				if err := ctx.Err(); err != nil {
					return err
				}
				m := made{format: f, index: i, version: firstVersion, size: size}
				if err := m.write(filepath.Join(root, "plugins", m.id())); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return g.Wait()
}

// firstVersion is the version of every package when it is made.
const firstVersion = "1.0.0"

// foreignCatalog is a Claude Code catalog of n packages; version gives the
// version of each.
func foreignCatalog(n int, version func(i int) string) ([]byte, error) {
	type entry struct {
		Name        string `json:"name"`
		Source      string `json:"source"`
		Version     string `json:"version"`
		Description string `json:"description"`
	}
	entries := make([]entry, n)
	for i := range entries {
		m := made{format: foreign, index: i}
		entries[i] = entry{m.id(), "./plugins/" + m.id(), version(i), m.description()}
	}
	return json.MarshalIndent(struct {
		Name    string  `json:"name"`
		Owner   owner   `json:"owner"`
		Plugins []entry `json:"plugins"`
	}{"bench", owner{"Bench"}, entries}, "", "  ")
}
