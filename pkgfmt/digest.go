package pkgfmt

import (
	"strings"

	"pinion/hashes"
	"pinion/internal/syntax"
	"pinion/manifest"
)

// The synthetic files of foreign packages. No real path begins with a slash.
const (
	execFile  = "//exec"
	entryFile = "//entry"
)

func (p *Package) digest(entry *manifest.Entry) {
	var few [32]hashes.File // enough for the usual package, without allocating
	lines := p.appendLines(few[:0])
	if p.Format != "native" {
		content, err := EntryContent(entry)
		if err != nil {
			p.Problems.Add(ruleEntry.Report("the catalog entry cannot be digested: %v", err).At(".", 0, 0))
			return
		}
		if content != nil {
			lines = append(lines, hashes.File{Path: entryFile, Sum: hashes.Of(content)})
		}
	}
	d, err := hashes.Tree(lines)
	if err != nil {
		p.Problems.Add(ruleNoDigest.Report("the files have no digest: %v", err).At(".", 0, 0))
		return
	}
	p.Digest = d
}

// Lines returns the lines of the digest that come from files: one for each
// file, and the list of executable files of a foreign package.
func (p *Package) Lines() []hashes.File {
	return p.appendLines(make([]hashes.File, 0, len(p.Tree.Files)+1))
}

func (p *Package) appendLines(lines []hashes.File) []hashes.File {
	for i := range p.Tree.Files {
		f := &p.Tree.Files[i]
		lines = append(lines, hashes.File{Path: f.Path, Sum: f.Sum})
	}
	if len(p.exec) > 0 {
		lines = append(lines, hashes.File{Path: execFile, Sum: hashes.Of([]byte(strings.Join(p.exec, "\n") + "\n"))})
	}
	return lines
}

// EntryContent returns the content of the synthetic entry file: the canonical
// JSON (RFC 8785) of the entry's name, strictness and component fields. It is
// nil when the entry defines nothing.
func EntryContent(entry *manifest.Entry) ([]byte, error) {
	if entry == nil || entry.Strict && len(entry.Fields) == 0 {
		return nil, nil
	}
	o := make(map[string]any, len(entry.Fields)+2)
	for k, v := range entry.Fields {
		o[k] = v
	}
	o["name"] = entry.Name
	o["strict"] = entry.Strict
	b, err := syntax.Compact(o)
	if err != nil {
		return nil, err
	}
	return syntax.Canonical(b)
}
