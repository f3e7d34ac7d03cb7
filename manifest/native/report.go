package native

import (
	"slices"
	"strings"

	"pinion/internal/syntax"
	"pinion/problem"
	"pinion/tree"
)

// checker holds one package while it is checked.
type checker struct {
	format   *Format
	flavour  flavour
	tree     *tree.Tree
	data     []byte // the manifest's text
	doc      document
	decoded  problem.List // what decoding found, without the file's name
	problems problem.List

	places  map[string]place // memo of positions, made with the first problem
	located int              // bytes that looking for positions has read
}

type place struct{ line, col int }

const (
	// maxProblems bounds what is reported of one package.
	maxProblems = 1000
	// maxLocated bounds the work for positions: each look-up reads the
	// manifest once. Ordinary manifests never come near it; of a hostile one
	// the last problems get the position of the list they are in.
	maxLocated = 16 << 20
)

// at adds a problem about the value that pointer names, unless decoding has
// reported that very place.
func (c *checker) at(p problem.Problem, pointer string) { c.place(p, pointer, false) }

// atKey is at for the key of the value.
func (c *checker) atKey(p problem.Problem, pointer string) { c.place(p, pointer, true) }

func (c *checker) place(p problem.Problem, pointer string, key bool) {
	pl := c.locate(pointer, key)
	for _, d := range c.decoded {
		if d.Severity == problem.Error && d.Line == pl.line && d.Column == pl.col {
			return // the value is of the wrong type, so it is not "empty" as well
		}
	}
	c.add(p.At(c.flavour.file, pl.line, pl.col))
}

// add adds a problem whose position is known.
func (c *checker) add(p problem.Problem) {
	if len(c.problems) < maxProblems {
		c.problems.Add(p)
	}
}

// inFile adds a problem at a byte offset of another file.
func (c *checker) inFile(p problem.Problem, f *tree.File, offset int) {
	if len(c.problems) >= maxProblems {
		return
	}
	line, col := syntax.PositionAt(f.Data, offset)
	c.add(p.At(f.Path, line, col))
}

func (c *checker) locate(pointer string, key bool) place {
	memo := pointer
	if key {
		memo += "\x00key"
	}
	if pl, ok := c.places[memo]; ok {
		return pl
	}
	if c.located += len(c.data); c.located > maxLocated {
		if i := strings.IndexByte(pointer[min(1, len(pointer)):], '/'); i >= 0 {
			return c.locate(pointer[:i+1], key)
		}
	}
	var pl place
	if key {
		pl.line, pl.col = syntax.LocateKey(c.data, pointer)
	} else {
		pl.line, pl.col = syntax.Locate(c.data, pointer)
	}
	if c.places == nil {
		c.places = map[string]place{}
	}
	c.places[memo] = pl
	return pl
}

// absent reports whether the document has no value at pointer. A value that is
// there begins after its parent does.
func (c *checker) absent(pointer string) bool {
	return c.locate(pointer, false) == c.locate(pointer[:strings.LastIndexByte(pointer, '/')], false)
}

// missing reports a required value that is absent, and with what an empty one.
func (c *checker) missing(p problem.Problem, pointer string) {
	if c.absent(pointer) {
		parent, name := pointer[:strings.LastIndexByte(pointer, '/')], pointer[strings.LastIndexByte(pointer, '/')+1:]
		c.at(ruleRequired.Report("%s has no %q", object(parent), name).WithFix("add %q", name), parent)
		return
	}
	c.at(p, pointer)
}

// object names the value at pointer in a message.
func object(pointer string) string {
	if pointer == "" {
		return "the manifest"
	}
	return quote(dotted(pointer))
}

// dotted is tools[0].name for /tools/0/name.
func dotted(pointer string) string {
	var b strings.Builder
	for _, part := range strings.Split(pointer[1:], "/") {
		part = strings.ReplaceAll(strings.ReplaceAll(part, "~1", "/"), "~0", "~")
		switch {
		case part != "" && strings.Trim(part, "0123456789") == "":
			b.WriteString("[" + part + "]")
		case b.Len() > 0:
			b.WriteString("." + part)
		default:
			b.WriteString(part)
		}
	}
	return b.String()
}

// blocked reports whether the tree has refused path or a directory above it, so
// that its absence is explained.
func blocked(t *tree.Tree, path string) bool {
	return slices.ContainsFunc(t.Problems, func(p problem.Problem) bool {
		if p.Severity != problem.Error {
			return false
		}
		return p.File == path || p.File != "" && strings.HasPrefix(path, p.File+"/") || p.File == "" && t.Partial
	})
}
