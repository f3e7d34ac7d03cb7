package native

import (
	"bytes"
	"path"
	"slices"
	"strings"
	"unicode"

	"pinion/internal/syntax"
	"pinion/problem"
	"pinion/tree"
)

// fileList holds "files" against the tree, both ways (SB-018, SB-031, SB-032,
// SB-033). Duplicates are reported with the shape.
func (c *checker) fileList() {
	files := c.tree.Files
	declared := make([]bool, len(files))
	var lost []int // indexes of declared names that the tree does not have
	for i, p := range c.doc.Files {
		at := c.find(p)
		switch {
		case isManifest(p):
			c.at(ruleManifestListed.Report("the manifest lists itself"), ptr("files", i))
		case at >= 0:
			declared[at] = true
		default:
			lost = append(lost, i)
		}
	}
	for _, i := range lost {
		c.notThere(i, c.doc.Files[i], declared)
	}
	if c.doc.Files == nil {
		return // there is no list to be complete
	}
	for i := range files {
		p := files[i].Path
		if declared[i] || isManifest(p) || c.refused(p) {
			continue
		}
		c.atKey(ruleUndeclared.Report("%q is in the package but not in \"files\"", p).
			WithFix("pinion validate --fix, or delete the file"), "/files")
	}
}

// find returns the index of the tree's file at p, or -1.
func (c *checker) find(p string) int {
	i, ok := slices.BinarySearchFunc(c.tree.Files, p, func(f tree.File, p string) int { return strings.Compare(f.Path, p) })
	if !ok {
		return -1
	}
	return i
}

// refused reports whether the tree refuses the name, so that declaring it would
// not help.
func (c *checker) refused(p string) bool {
	for i := range c.tree.Problems {
		if c.tree.Problems[i].Severity == problem.Error && c.tree.Problems[i].File == p {
			return true
		}
	}
	return false
}

// notThere explains why element i of the list, p, is no file of the tree. When
// it means one in another spelling, that one counts as declared.
func (c *checker) notThere(i int, p string, declared []bool) {
	at := ptr("files", i)
	if dir := strings.TrimRight(p, "/"); dir != "" && (dir != p || c.tree.HasDir(dir)) {
		c.at(ruleNotAFile.Report("%s names a directory; \"files\" lists every file by name", quote(p)).
			WithFix("list the files in it one by one (pinion validate --fix adds them), and remove this entry"), at)
		return
	}
	if strings.ContainsAny(p, "*?[") {
		c.at(ruleNotAFile.Report("%s is a pattern; \"files\" lists every file by name", quote(p)).
			WithFix("list the files one by one (pinion validate --fix adds them), and remove this entry"), at)
		return
	}
	if why := tree.CheckPath(p); why != "" {
		r := rulePath.Report("path %s %s", quote(p), why)
		if clean := path.Clean(strings.ReplaceAll(p, `\`, "/")); p != "" {
			if j := c.find(clean); j >= 0 {
				declared[j] = true
				r = r.WithFix("write %q", clean)
			}
		}
		c.at(r, at)
		return
	}
	for j := range c.tree.Files {
		if name := c.tree.Files[j].Path; strings.EqualFold(name, p) {
			declared[j] = true
			c.at(ruleCase.Report("%s is declared, but the file is called %q", quote(p), name).WithFix("write %q", name), at)
			return
		}
	}
	switch why := tree.CheckPortable(p); {
	case blocked(c.tree, p): // the tree says why it is not there
	case tree.IsHidden(p):
		c.at(rulePath.Report("path %s is hidden", quote(p)).WithFix("rename the file without the dot"), at)
	case why != "":
		c.at(rulePath.Report("path %s %s", quote(p), why), at)
	default:
		r := ruleMissing.Report("%s is declared but not in the package", quote(p))
		if near, ok := syntax.Nearest(p, c.undeclared(declared)); ok {
			r = r.WithFix("write %q, or add the file", near)
		}
		c.at(r, at)
	}
}

// undeclared returns the first names that no element of the list has.
func (c *checker) undeclared(declared []bool) []string {
	var names []string
	for j := range c.tree.Files {
		if p := c.tree.Files[j].Path; !declared[j] && !isManifest(p) && len(names) < maxList {
			names = append(names, p)
		}
	}
	return names
}

// misspelled reports whether the package has name, and the list has it in
// another case, which files/case is about.
func (c *checker) misspelled(name string) bool {
	return c.tree.Lookup(name) != nil && slices.ContainsFunc(c.doc.Files, func(p string) bool { return strings.EqualFold(p, name) })
}

// licenseFile checks that LICENSE is there and not empty (SB-017).
func (c *checker) licenseFile() {
	const name = "LICENSE"
	if !contains(c.doc.Files, name) {
		if c.doc.Files == nil || c.misspelled(name) {
			return // reported with the list
		}
		r := ruleLicenseFile.Report("\"files\" does not list LICENSE")
		for _, p := range c.doc.Files[:min(len(c.doc.Files), maxList)] {
			stem := strings.ToUpper(strings.TrimSuffix(path.Base(p), path.Ext(p)))
			if stem == name || stem == "LICENCE" || stem == "COPYING" {
				r = r.WithFix("rename %q to LICENSE at the top of the package", p)
				break
			}
		}
		c.atKey(r, "/files")
		return
	}
	if f := c.tree.Lookup(name); f != nil && f.Data != nil && !hasText(f.Data) {
		c.add(ruleLicenseEmpty.Report("LICENSE is empty").At(name, 1, 1).WithFix("put the complete text of the licence into it"))
	}
}

// hasText reports whether data is more than blanks, and reads no further than
// the first that is.
func hasText(data []byte) bool {
	return bytes.IndexFunc(data, func(r rune) bool { return !unicode.IsSpace(r) }) >= 0
}

// guidance is what a SKILL.md with something to say has at least, in bytes.
const guidance = 120

// skill checks that a skill has its instructions, and notes when they are thin
// (SB-014, SB-015).
func (c *checker) skill() {
	const name = "SKILL.md"
	if c.doc.Kind != "skill" {
		return
	}
	if !contains(c.doc.Files, name) {
		if c.doc.Files != nil && !c.misspelled(name) {
			c.atKey(ruleSkillFile.Report("a plugin of kind \"skill\" needs SKILL.md in \"files\"").WithFix("write the instructions into SKILL.md and add it to \"files\""), "/files")
		}
		return
	}
	f := c.tree.Lookup(name)
	if f == nil || f.Data == nil {
		return
	}
	body := skillBody(f.Data)
	switch {
	case len(body) < guidance:
		c.inFile(ruleGuidance.Report("the instructions are only %d bytes long", len(body)), f, max(0, bytes.Index(f.Data, body)))
	case body[0] != '#' && !bytes.Contains(body, []byte("\n#")):
		c.inFile(ruleGuidance.Report("the instructions have no heading"), f, bytes.Index(f.Data, body))
	}
}

// skillBody returns the text below the frontmatter without blanks around it.
func skillBody(data []byte) []byte {
	data = syntax.TrimBOM(data)
	if bytes.HasPrefix(data, []byte("---")) {
		if end := bytes.Index(data[3:], []byte("\n---")); end >= 0 {
			data = data[3+end+4:]
		}
	}
	return bytes.TrimSpace(data)
}
