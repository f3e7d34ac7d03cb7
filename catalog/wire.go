package catalog

import (
	"bytes"

	"pinion/hashes"
	"pinion/internal/syntax"
	"pinion/problem"
)

// wireHeader is the catalog without its entries. Values that hosts differ about
// are kept as text and read by the flavour.
type wireHeader struct {
	SchemaVersion syntax.Raw `json:"schema_version"`
	Name          string     `json:"name"`
	Owner         syntax.Raw `json:"owner"`
	Description   string     `json:"description"`
	Version       string     `json:"version"`
	Metadata      syntax.Raw `json:"metadata"`
	Renames       syntax.Raw `json:"renames"`
}

// wireMetadata is where older catalogs state the same things.
type wireMetadata struct {
	Description string `json:"description"`
	Version     string `json:"version"`
	PluginRoot  string `json:"pluginRoot"`
}

// wireEntry is an entry as written. What is not listed is not read: author,
// homepage and the like are in the plugin's own manifest.
type wireEntry struct {
	Name        string     `json:"name"`
	Version     string     `json:"version"`
	Source      wireSource `json:"source"`
	Hash        wireHash   `json:"hash"`
	DisplayName string     `json:"displayName"`
	Description string     `json:"description"`
	Kind        string     `json:"kind"`
	License     string     `json:"license"`
	Category    syntax.Raw `json:"category"`
	Tags        wireTags   `json:"tags"`
	Keywords    wireTags   `json:"keywords"`
	Strict      *bool      `json:"strict"`

	wireComponents
}

// wireTags is a list of words for the search. Anything else in it is an owner's
// own business.
type wireTags []string

// UnmarshalJSON never fails.
func (t *wireTags) UnmarshalJSON(b []byte) error {
	*t = nil
	for s := range elements(b, 0) {
		if w := words(b[s.start:s.end]); w != "" {
			*t = append(*t, w)
		}
	}
	return nil
}

// wireHash is the digest of an entry. In a foreign catalog "hash" is nobody's
// key and may be anything.
type wireHash struct {
	digest  hashes.Digest
	present bool
	text    string // what is written instead of a digest
}

// UnmarshalJSON never fails: what is wrong is reported where the flavour is
// known.
func (h *wireHash) UnmarshalJSON(b []byte) error {
	*h = wireHash{present: true}
	if len(b) >= 2 && b[0] == '"' {
		d, err := hashes.ParseBytes(b[1 : len(b)-1])
		if err != nil && bytes.IndexByte(b, '\\') >= 0 {
			d, err = hashes.Parse(unquote(b))
		}
		if err == nil {
			h.digest = d
			return nil
		}
	}
	h.text = string(b)
	return nil
}

// wireSource is a source as written: text, or an object.
type wireSource struct {
	kind     byte // the first byte of the JSON value, 0 when there is none
	text     string
	object   wireObject
	problems problem.List // of the object, relative to it
}

// wireObject has the fields of every kind of object source.
type wireObject struct {
	Source  string     `json:"source"`
	Path    string     `json:"path"`
	Repo    string     `json:"repo"`
	URL     string     `json:"url"`
	Ref     string     `json:"ref"`
	SHA     string     `json:"sha"`
	SHA256  syntax.Raw `json:"sha256"`
	Package syntax.Raw `json:"package"`
	Version syntax.Raw `json:"version"`
	// Registry and the others are of any type where their kind is not the source's.
	Registry syntax.Raw `json:"registry"`
	Command  syntax.Raw `json:"command"`
}

// UnmarshalJSON keeps faults for later, so that one bad source does not end the
// reading of the list.
func (s *wireSource) UnmarshalJSON(b []byte) error {
	*s = wireSource{kind: b[0]}
	switch b[0] {
	case '"':
		s.text = unquote(b)
	case '{':
		s.problems = syntax.Decode(b, &s.object, syntax.Options{AllowDuplicates: true})
	}
	return nil
}

// words returns the text of a value that should be a string, "" for others.
func words(raw syntax.Raw) string {
	if len(raw) < 2 || raw[0] != '"' {
		return ""
	}
	return unquote(raw)
}
