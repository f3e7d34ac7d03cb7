package scan

import "slices"

// FileTexts cuts a file into the texts that rules look at, for other readers of
// a package. A binary file has none.
func FileTexts(path string, exec bool, data []byte) (*File, []*Text) {
	lang := langOf(path, data)
	f := &File{Path: path, Exec: exec, Data: data, Lang: lang, Text: isText(lang, data)}
	if !f.Text {
		return f, nil
	}
	texts, _ := extract(f)
	return f, texts
}

// Position returns the 1-based line and column in the file of byte i of the
// text, the column in code points.
func (t *Text) Position(i int) (line, col int) { return t.File.position(t.Offset(i)) }

// Inner runs every check on a file that is packed inside f, such as the member
// of an archive, and reports what they find as findings of f. It returns false
// when it was left out: it is no text, or the package has more packed content
// than is looked at. The caller has said already that f cannot be reviewed, so
// that is no limit of the scan.
func (p *Pass) Inner(f *File, name string, data []byte) bool {
	lang := langOf(name, data)
	budget := min(stepsFree+stepsPerByte*len(data), p.total)
	if len(data) > maxInner-p.inner || budget < innerStepsPerByte*len(data) || !isText(lang, data) {
		return false
	}
	p.inner += len(data)
	inner := &File{Path: f.Path, Data: data, Lang: lang, Text: true, Member: name}
	var found []Finding

	file, texts, facts, steps, decodes, quiet := p.file, p.Texts, p.facts, p.steps, p.decodes, p.quiet
	limits, all := len(p.limits), len(p.all)
	p.file, p.facts, p.steps, p.decodes, p.quiet = inner, nil, budget, 0, &found
	p.Texts, _ = extract(inner)
	for _, t := range p.Texts {
		p.text(t)
	}
	for _, c := range p.engine.checks {
		if c.FileEnd != nil {
			c.FileEnd(p, inner)
		}
	}
	complete := len(p.limits) == limits
	p.limits, p.all = slices.Clip(p.limits[:limits]), p.all[:all]
	p.file, p.Texts, p.facts, p.steps, p.decodes, p.quiet = file, texts, facts, steps, decodes, quiet

	for _, x := range found {
		x.Message = "in " + Escape(name, 80) + " inside it: " + x.Message
		x.Line, x.Column = 0, 0 // the member has lines, the file has none
		p.add(x)
	}
	return complete
}

// Unpack takes n bytes from what may be unpacked of the archives in a package,
// and returns how many of them are left to take, at most n. What was not needed
// is given back with a negative n.
func (p *Pass) Unpack(n int) int {
	n = min(n, maxUnpacked-p.unpacked)
	p.unpacked += n
	return n
}
