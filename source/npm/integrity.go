package npm

import (
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"strings"
)

// integrity is a digest of a package as it is transferred, in the terms of
// Subresource Integrity (W3C SRI).
type integrity struct {
	algorithm string
	sum       []byte
}

// strengths are the algorithms, the best one first. SHA-1 is what registries had
// before 2017, as "shasum".
var strengths = [...]string{"sha512", "sha384", "sha256", "sha1"}

func newHash(algorithm string) hash.Hash {
	switch algorithm {
	case "sha512":
		return sha512.New()
	case "sha384":
		return sha512.New384()
	case "sha256":
		return sha256.New()
	case "sha1":
		return sha1.New()
	}
	return nil
}

func (i integrity) hasher() hash.Hash { return newHash(i.algorithm) }

func (i integrity) matches(got hash.Hash) bool { return string(got.Sum(nil)) == string(i.sum) }

func (i integrity) weak() bool { return i.algorithm == "sha1" }

// String is the form of Subresource Integrity.
func (i integrity) String() string {
	return i.algorithm + "-" + base64.StdEncoding.EncodeToString(i.sum)
}

// fileName names the package in a cache.
func (i integrity) fileName() string { return i.algorithm + "-" + hex.EncodeToString(i.sum) }

// parseIntegrity reads the strongest of the digests of an integrity, or 40 hex
// digits of SHA-1.
func parseIntegrity(text string) (integrity, error) {
	if sum, err := hex.DecodeString(text); err == nil && len(sum) == sha1.Size {
		return integrity{"sha1", sum}, nil
	}
	words := strings.Fields(text)
	for _, algorithm := range strengths {
		for _, word := range words {
			encoded, ok := strings.CutPrefix(word, algorithm+"-")
			if !ok {
				continue
			}
			encoded, _, _ = strings.Cut(encoded, "?") // options, of which there are none
			sum, err := base64.StdEncoding.DecodeString(encoded)
			if err == nil && len(sum) == newHash(algorithm).Size() {
				return integrity{algorithm, sum}, nil
			}
		}
	}
	if text == "" {
		return integrity{}, errors.New("the registry states no digest of it, so what comes could be anything")
	}
	return integrity{}, fmt.Errorf("the registry's digest %.100q is none", text)
}

// parsePin reads "1.2.0@sha512-…".
func parsePin(pin string) (version string, sum integrity, err error) {
	version, text, ok := strings.Cut(pin, "@")
	if ok && version != "" {
		sum, err = parseIntegrity(text)
	}
	if !ok || version == "" || err != nil {
		return "", integrity{}, fmt.Errorf("pin %q of an npm package: %w", pin, fs.ErrInvalid)
	}
	return version, sum, nil
}
