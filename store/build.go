package store

import (
	"encoding/hex"
	"fmt"
	"path"
	"strings"

	"pinion/hashes"
)

// shortLen is how many hex digits of the digest stand in a directory name: they
// keep two builds of one version apart, and the receipt holds the whole digest.
const shortLen = 8

// maxName is the longest file name that every usual file system takes, less
// the ending of a receipt.
const maxName = 255 - len(".json")

// Build identifies one installed content: where it came from, what it is called
// and which bytes it is. It is comparable.
type Build struct {
	Key     string        `json:"key"` // of the source: 16 hex digits, or a name the caller reserves
	ID      string        `json:"id"`
	Version string        `json:"version"`
	Digest  hashes.Digest `json:"digest"`
}

// Dir returns the slash path of the build's directory in the home. In each part
// the characters a-z, 0-9, ".", "_", "+" and "-" stay and every other byte is
// "=XX", so that names differing in case only stay apart everywhere; a trailing
// dot and the first letter of a name that Windows keeps for a device are
// escaped too.
func (b Build) Dir() string { return path.Join(packagesDir, b.place()) }

// ReceiptPath returns the slash path of the build's receipt in the home.
func (b Build) ReceiptPath() string { return path.Join(receiptsDir, b.place()+".json") }

func (b Build) place() string {
	return path.Join(escape(b.Key), escape(b.ID), escape(b.Version+"+"+b.Digest.Hex(shortLen)))
}

// Ref returns the build as commands take it: id@version.
func (b Build) Ref() string { return b.ID + "@" + b.Version }

// Check refuses a build that has no place on disk: an empty part, or one whose
// escaped name is longer than file systems allow.
func (b Build) Check() error {
	if b.Digest.IsZero() {
		return fmt.Errorf("build %s %s has no digest", b.ID, b.Version)
	}
	for _, p := range []struct{ what, value string }{
		{"key", b.Key}, {"id", b.ID}, {"version", b.Version},
	} {
		if p.value == "" {
			return fmt.Errorf("build %q %q has an empty %s", b.ID, b.Version, p.what)
		}
		if len(escape(p.value))+1+shortLen > maxName {
			return fmt.Errorf("the %s %.40q… is too long for a directory name", p.what, p.value)
		}
	}
	return nil
}

// Location is what the path of a build tells: everything but the whole digest.
type Location struct {
	Key, ID, Version string
	Short            string // the first eight hex digits of the digest
}

func (l Location) receiptPath() string {
	return path.Join(receiptsDir, escape(l.Key), escape(l.ID), escape(l.Version+"+"+l.Short)+".json")
}

// Build returns the location as a build without digest.
func (l Location) Build() Build { return Build{Key: l.Key, ID: l.ID, Version: l.Version} }

// ParseDir reads the slash path of a build's directory or receipt, or the part
// of it after the first component. It accepts exactly what [Build.Dir] and
// [Build.ReceiptPath] return.
func ParseDir(dir string) (Location, error) {
	rest := dir
	if r, ok := strings.CutPrefix(dir, packagesDir+"/"); ok {
		rest = r
	} else if r, ok := strings.CutPrefix(dir, receiptsDir+"/"); ok {
		if rest, ok = strings.CutSuffix(r, ".json"); !ok {
			return Location{}, fmt.Errorf("%q is not the name of a receipt", dir)
		}
	}
	parts := strings.Split(rest, "/")
	if len(parts) != 3 {
		return Location{}, fmt.Errorf("%q is not the directory of a build", dir)
	}
	for i, p := range parts {
		u, err := unescape(p)
		if err != nil {
			return Location{}, fmt.Errorf("%q is not the directory of a build: %w", dir, err)
		}
		parts[i] = u
	}
	at := strings.LastIndexByte(parts[2], '+')
	if at < 1 || !isShort(parts[2][at+1:]) {
		return Location{}, fmt.Errorf("%q does not end with %d hex digits of a digest", dir, shortLen)
	}
	return Location{Key: parts[0], ID: parts[1], Version: parts[2][:at], Short: parts[2][at+1:]}, nil
}

func isShort(s string) bool {
	if len(s) != shortLen || strings.ToLower(s) != s {
		return false
	}
	_, err := hex.DecodeString(s)
	return err == nil
}

const upperHex = "0123456789ABCDEF"

func escape(s string) string {
	device := isDevice(s)
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		switch {
		case device && i == 0, c == '.' && i == len(s)-1:
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '.', c == '_', c == '+', c == '-':
			b.WriteByte(c)
			continue
		}
		b.WriteByte('=')
		b.WriteByte(upperHex[c>>4])
		b.WriteByte(upperHex[c&15])
	}
	return b.String()
}

// unescape accepts only the one spelling that escape gives.
func unescape(name string) (string, error) {
	var b strings.Builder
	for i := 0; i < len(name); i++ {
		if name[i] != '=' {
			b.WriteByte(name[i])
			continue
		}
		if i+2 >= len(name) {
			return "", fmt.Errorf("%q ends within an escape", name)
		}
		c, err := hex.DecodeString(name[i+1 : i+3])
		if err != nil {
			return "", fmt.Errorf("%q has a broken escape", name)
		}
		b.WriteByte(c[0])
		i += 2
	}
	s := b.String()
	if s == "" || escape(s) != name {
		return "", fmt.Errorf("%q is not a name of the store", name)
	}
	return s, nil
}

// isDevice reports whether Windows opens a device for this name, with any
// ending. Only lower case matters: upper-case letters are escaped anyway.
func isDevice(s string) bool {
	stem, _, _ := strings.Cut(s, ".")
	switch stem {
	case "con", "prn", "aux", "nul":
		return true
	}
	if len(stem) != 4 || stem[3] < '0' || stem[3] > '9' {
		return false
	}
	return stem[:3] == "com" || stem[:3] == "lpt"
}
