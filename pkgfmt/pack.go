package pkgfmt

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"pinion/hashes"
	"pinion/problem"
	"pinion/tree"
)

// packTime is the time of every file in an archive: the first that all archive
// formats can write. The epoch itself makes GNU tar complain.
var packTime = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// Errors of [Pack].
var (
	// ErrIncomplete is a package that was not read to its end, so that no
	// archive can hold all of it.
	ErrIncomplete = errors.New("the package was not read completely")
	// ErrEntryDefined is a package whose digest covers its catalog entry, which
	// an archive of its files does not contain.
	ErrEntryDefined = errors.New("the package is defined by its catalog entry; an archive of its files would be another package")
)

// ArchiveName returns the file name of the package's archive: ID-VERSION.tar.gz.
func (p *Package) ArchiveName() string { return p.stem() + ".tar.gz" }

func (p *Package) stem() string { return p.ID() + "-" + p.Version() }

// Pack writes the package as a gzipped tar with one folder, ID-VERSION. The
// same package gives the same bytes, wherever and whenever it is packed by the
// same build of Pinion: files are sorted, and times, owners and modes are
// fixed. What identifies the package is its digest, which the archive read by
// [tree.FromArchive] has again.
//
// It errors with [*problem.ContentError] for a package with errors, and for one
// with empty directories, since an archive of files cannot keep them; with
// [ErrIncomplete] and [ErrEntryDefined]; and when w fails.
func Pack(w io.Writer, p *Package) error {
	if err := p.packable(); err != nil {
		return err
	}
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	t := tar.NewWriter(z)
	exec := make(map[string]bool, len(p.exec))
	for _, e := range p.exec {
		exec[e] = true
	}
	for _, f := range p.Tree.Files {
		h := &tar.Header{
			Typeflag: tar.TypeReg, Name: p.stem() + "/" + f.Path, Size: int64(len(f.Data)),
			Mode: 0o644, ModTime: packTime,
		}
		if exec[f.Path] {
			h.Mode = 0o755
		}
		if err := t.WriteHeader(h); err != nil {
			return fmt.Errorf("pack %s: %w", f.Path, err)
		}
		if _, err := t.Write(f.Data); err != nil {
			return fmt.Errorf("pack %s: %w", f.Path, err)
		}
	}
	if err := t.Close(); err != nil {
		return fmt.Errorf("pack %s: %w", p.stem(), err)
	}
	if err := z.Close(); err != nil {
		return fmt.Errorf("pack %s: %w", p.stem(), err)
	}
	return nil
}

// packable reports what stands against an archive of p.
func (p *Package) packable() error {
	problems := append(problem.List(nil), p.Problems...)
	for i, pr := range problems {
		if pr.Rule == tree.RuleEmptyDir {
			problems[i] = pr.As(problem.Error).WithFix("delete the directory, or put a file into it")
		}
	}
	if err := problems.Err(); err != nil {
		return err
	}
	if p.Tree.Partial || p.Digest.IsZero() {
		return ErrIncomplete
	}
	if d, err := hashes.Tree(p.Lines()); err != nil {
		return err
	} else if d != p.Digest {
		return ErrEntryDefined
	}
	if stem := p.stem(); !validID(p.ID()) || strings.Contains(stem, "/") || tree.CheckPath(stem) != "" {
		return fmt.Errorf("%q cannot be the name of an archive", stem)
	}
	return nil
}
