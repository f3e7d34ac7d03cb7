package pkgfmt

import (
	"pinion/hashes"
	"pinion/manifest"
)

// FirstSeen is what to verify against when nobody published a digest: whatever
// the content has is then recorded.
var FirstSeen hashes.Digest

// Record is one installed file as a receipt keeps it.
type Record struct {
	Path string     `json:"path"`
	Sum  hashes.Sum `json:"sha256"`
	Size int64      `json:"size"`
	Exec bool       `json:"exec,omitzero"`
}

// Verified is a package whose bytes were compared with a digest. Only
// [Package.Verify] makes one; the zero value is refused wherever one is needed.
type Verified struct {
	root     string
	digest   hashes.Digest
	version  string
	manifest *manifest.Manifest
	format   string
	files    []Record
	// Pinned is true when the digest was published or recorded before, false
	// when this was the first time it was seen.
	Pinned bool
}

// Verify compares the package with the digest it should have. It errors with
// [*problem.ContentError] when the package has errors that the host does not
// tolerate either, and with
// [*hashes.MismatchError] when the bytes are others.
func (p *Package) Verify(want hashes.Digest) (Verified, error) {
	if err := p.Problems.ForUse().Err(); err != nil {
		return Verified{}, err
	}
	if want != FirstSeen && p.Digest != want {
		return Verified{}, &hashes.MismatchError{What: p.ID() + " " + p.Version(), Want: want, Got: p.Digest}
	}
	v := Verified{
		root: p.root, digest: p.Digest, version: p.Version(), manifest: p.Manifest,
		format: p.Format, Pinned: want != FirstSeen,
	}
	exec := make(map[string]bool, len(p.exec))
	for _, e := range p.exec {
		exec[e] = true
	}
	for _, f := range p.Tree.Files {
		v.files = append(v.files, Record{Path: f.Path, Sum: f.Sum, Size: f.Size, Exec: exec[f.Path]})
	}
	return v, nil
}

// Root returns where the bytes were read from, "" for the zero value.
func (v Verified) Root() string { return v.root }

// Digest returns the digest of the bytes, zero for the zero value.
func (v Verified) Digest() hashes.Digest { return v.digest }

// Version returns the version they are installed as.
func (v Verified) Version() string { return v.version }

// Format returns the name of the package's format.
func (v Verified) Format() string { return v.format }

// Manifest returns what the package says of itself.
func (v Verified) Manifest() *manifest.Manifest { return v.manifest }

// Files returns every file with its sum, sorted by path.
func (v Verified) Files() []Record { return v.files }
