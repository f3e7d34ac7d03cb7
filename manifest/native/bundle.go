package native

import (
	"bytes"
	"errors"
	"io/fs"
	"path"

	"pinion/problem"
	"pinion/tree"
)

// bundled checks a builtin package against what the host ships (SB-110 to
// SB-112).
func (c *checker) bundled() {
	if c.doc.Kind != "builtin" {
		return
	}
	if c.format.bundle == nil {
		c.at(ruleNoBundle.Report("kind \"builtin\" is for plugins that a host ships, and no host's bundle is configured"), "/kind")
		return
	}
	if !isSlug(c.doc.ID) || c.tree.Partial {
		return // reported
	}
	if st, err := fs.Stat(c.format.bundle, c.doc.ID); err != nil || !st.IsDir() {
		c.at(ruleNoBundle.Report("the host ships no plugin %q", c.doc.ID), "/id")
		return
	}
	for i := range c.tree.Files {
		c.compare(&c.tree.Files[i])
	}
	c.leftOut()
}

// compare reports a file whose bytes are not those of the bundle.
func (c *checker) compare(f *tree.File) {
	name := path.Join(c.doc.ID, f.Path)
	st, err := fs.Lstat(c.format.bundle, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		c.differs(f.Path, "%q is not in the host's bundle", f.Path)
		return
	case err != nil:
		c.differs(f.Path, "%q cannot be read in the host's bundle: %v", f.Path, err)
		return
	case !st.Mode().IsRegular() || st.Size() != int64(len(f.Data)):
		c.differs(f.Path, "%q differs from the host's bundle", f.Path)
		return
	}
	want, err := fs.ReadFile(c.format.bundle, name)
	if err != nil || !bytes.Equal(want, f.Data) {
		c.differs(f.Path, "%q differs from the host's bundle", f.Path)
	}
}

// leftOut reports the files that only the bundle has.
func (c *checker) leftOut() {
	err := fs.WalkDir(c.format.bundle, c.doc.ID, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if rel := name[len(c.doc.ID)+1:]; c.tree.Lookup(rel) == nil {
			c.differs("", "%q of the host's bundle is not in the package", rel)
		}
		return nil
	})
	if err != nil {
		c.differs("", "the host's bundle of %q cannot be listed: %v", c.doc.ID, err)
	}
}

func (c *checker) differs(file, format string, args ...any) {
	var p problem.Problem = ruleBundleDiffers.Report(format, args...)
	if file == "" {
		file = c.flavour.file
	}
	c.add(p.At(file, 0, 0))
}
