// Package hashes computes the content digests of Pinion: the SHA-256 of a file
// and the "h1:" digest of a package.
//
// The package digest is the algorithm of Go's checksum database and of
// Terraform (dirhash.Hash1): sort the slash-separated paths by bytes; write for
// each file the line
//
//	<lower-case hex SHA-256 of the content>␠␠<path>\n
//
// and the digest is "h1:" + base64(SHA-256 of all lines). So anyone can
// recompute it with sha256sum, sort and openssl. The package knows nothing of
// what the files mean; which files count is decided in pkgfmt.
package hashes

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// prefix names the algorithm in the text form of a [Digest].
const prefix = "h1:"

// Sum is the SHA-256 of one file's content. It is comparable.
type Sum [sha256.Size]byte

// Of returns the sum of content.
func Of(content []byte) Sum { return sha256.Sum256(content) }

// String returns 64 lower-case hex digits.
func (s Sum) String() string { return hex.EncodeToString(s[:]) }

// MarshalText encodes s as hex.
func (s Sum) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads 64 lower-case hex digits.
func (s *Sum) UnmarshalText(b []byte) error {
	if len(b) != 2*len(s) || strings.ToLower(string(b)) != string(b) {
		return fmt.Errorf("file sum %q: want 64 lower-case hex digits", b)
	}
	if _, err := hex.Decode(s[:], b); err != nil {
		return fmt.Errorf("file sum %q: %w", b, err)
	}
	return nil
}

// Digest identifies the exact files of a package. It is comparable; the zero
// value means "none".
type Digest struct{ sum [sha256.Size]byte }

// File is one line of a package digest.
type File struct {
	Path string // slash-separated, relative; no newline
	Sum  Sum
}

// ErrNewline is returned for a path that cannot be written on one line.
var ErrNewline = errors.New("path contains a newline")

// Tree returns the digest of the given files. The order of files does not
// matter and the slice is not changed. Paths must be unique; a path with a
// newline is refused because it could imitate another line.
func Tree(files []File) (Digest, error) {
	if !slices.IsSortedFunc(files, byPath) {
		files = slices.Clone(files)
		slices.SortFunc(files, byPath)
	}
	h := sha256.New()
	var line [2*sha256.Size + 2 + 256]byte
	for i, f := range files {
		if i > 0 && files[i-1].Path == f.Path {
			return Digest{}, fmt.Errorf("path %q appears twice", f.Path)
		}
		if strings.IndexByte(f.Path, '\n') >= 0 {
			return Digest{}, fmt.Errorf("%q: %w", f.Path, ErrNewline)
		}
		b := hex.AppendEncode(line[:0], f.Sum[:])
		b = append(b, ' ', ' ')
		b = append(b, f.Path...)
		b = append(b, '\n')
		h.Write(b)
	}
	var d Digest
	h.Sum(d.sum[:0])
	return d, nil
}

func byPath(a, b File) int { return strings.Compare(a.Path, b.Path) }

// IsZero reports whether d is no digest.
func (d Digest) IsZero() bool { return d == Digest{} }

// String returns "h1:" and 44 base64 characters, or "" for the zero digest.
func (d Digest) String() string {
	if d.IsZero() {
		return ""
	}
	return string(d.append(nil))
}

// AppendText appends the text form of d to b, nothing for the zero digest.
func (d Digest) AppendText(b []byte) ([]byte, error) {
	if d.IsZero() {
		return b, nil
	}
	return d.append(b), nil
}

func (d Digest) append(b []byte) []byte {
	return base64.StdEncoding.AppendEncode(append(b, prefix...), d.sum[:])
}

// Short returns the first eight characters and an ellipsis, for tables.
func (d Digest) Short() string {
	s := d.String()
	if s == "" {
		return ""
	}
	return s[:len(prefix)+8] + "…"
}

// Hex returns the first n (at most 64) hex digits of the digest, used where
// base64 cannot stand: in directory names and made-up versions.
func (d Digest) Hex(n int) string { return hex.EncodeToString(d.sum[:])[:n] }

// Parse reads the text form of a digest.
func Parse(s string) (Digest, error) {
	var buf [len(prefix) + encodedLen]byte
	if len(s) != len(buf) {
		return Digest{}, notDigest(s)
	}
	copy(buf[:], s)
	return ParseBytes(buf[:])
}

// encodedLen is the length of a sum in base64.
const encodedLen = (sha256.Size + 2) / 3 * 4

// ParseBytes is [Parse] for text in a buffer, which is not kept. Catalogs have
// very many digests, so a good one costs no memory.
func ParseBytes(s []byte) (Digest, error) {
	rest, ok := bytes.CutPrefix(s, []byte(prefix))
	if !ok || len(rest) != encodedLen {
		return Digest{}, notDigest(string(s))
	}
	// Room for the bytes that the padding stands for.
	var raw [encodedLen / 4 * 3]byte
	// The decoder skips line ends, and then gives fewer bytes.
	n, err := base64.StdEncoding.Strict().Decode(raw[:], rest)
	if err != nil || n != sha256.Size {
		return Digest{}, notDigest(string(s))
	}
	return Digest{sum: [sha256.Size]byte(raw[:n])}, nil
}

func notDigest(s string) error {
	return fmt.Errorf("digest %q: want %q and base64 of 32 bytes", s, prefix)
}

// MarshalText encodes d as its text form; the zero digest is empty.
func (d Digest) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads the text form; empty text is the zero digest.
func (d *Digest) UnmarshalText(b []byte) error {
	if len(b) == 0 {
		*d = Digest{}
		return nil
	}
	v, err := ParseBytes(b)
	if err != nil {
		return err
	}
	*d = v
	return nil
}

// MismatchError is content that is not what was promised. It is a security
// refusal and keeps its type to the top (exit code 4).
type MismatchError struct {
	What      string // what was checked, for people: "text-tools 1.0.0"
	Want, Got Digest
}

// Error gives both digests.
func (e *MismatchError) Error() string {
	return fmt.Sprintf("%s: digest is %s, want %s", e.What, e.Got, e.Want)
}
