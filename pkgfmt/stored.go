package pkgfmt

import (
	"bytes"

	"pinion/problem"
)

// lfsPrefix begins every Git LFS pointer.
var lfsPrefix = []byte("version https://git-lfs.github.com/spec/")

// checkPointers reports files whose content git keeps elsewhere.
func (p *Package) checkPointers() {
	for _, f := range p.Tree.Files {
		if f.Size < 1024 && bytes.HasPrefix(f.Data, lfsPrefix) {
			pr := ruleLFS.Report("%q is a Git LFS pointer, not the file", f.Path).At(f.Path, 1, 1)
			if p.Format != "native" {
				pr = pr.As(problem.Warning) // hosts load the plugin all the same
			}
			p.Problems.Add(pr)
		}
	}
}

// Attributes are what git does with one file's content, as .gitattributes and
// the user's core.autocrlf say.
type Attributes struct {
	Text     string // "set", "unset", "auto" or ""
	EOL      string // "lf", "crlf" or ""
	Filter   string // name of a clean/smudge filter
	Ident    bool
	Encoding string // working-tree-encoding
	// AutoCRLF is the user's core.autocrlf: "true", "input" or "".
	AutoCRLF string
}

// CheckStored compares the working tree with what git would store and adds a
// warning for each file that differs. attrs maps paths inside the package.
func (p *Package) CheckStored(attrs map[string]Attributes) {
	var found problem.List
	for _, f := range p.Tree.Files {
		a, ok := attrs[f.Path]
		if !ok || f.Data == nil {
			continue
		}
		if why, fix := a.differs(f.Data); why != "" {
			found.Add(ruleEOL.Report("%s; the digest will differ", why).At(f.Path, 1, 1).WithFix("%s", fix))
		}
	}
	p.Problems = append(p.Problems, found.Under(p.Path)...)
	p.Problems.Sort()
}

func (a Attributes) differs(data []byte) (why, fix string) {
	switch {
	case a.Filter != "":
		return "git filters this file (filter=" + a.Filter + ")", "take the filter attribute off this file in .gitattributes"
	case a.Encoding != "":
		return "git stores this file in another encoding (working-tree-encoding=" + a.Encoding + ")", "store the file as UTF-8 and take the attribute off"
	case a.Ident && bytes.Contains(data, []byte("$Id")):
		return "git expands $Id$ in this file", "take the ident attribute off this file in .gitattributes"
	case !bytes.Contains(data, []byte("\r\n")):
		return "", ""
	}
	converts := a.Text == "set" || a.EOL != "" && a.Text != "unset" ||
		(a.Text == "auto" || a.Text == "" && a.AutoCRLF != "") && !binary(data)
	if !converts {
		return "", ""
	}
	return "the working tree has CRLF, git stores LF", `add "* text eol=lf" for this file to .gitattributes and check out again`
}

// binary is git's own test for content that `text=auto` leaves alone: a NUL in
// the first 8,000 bytes.
func binary(data []byte) bool {
	return bytes.IndexByte(data[:min(len(data), 8000)], 0) >= 0
}
