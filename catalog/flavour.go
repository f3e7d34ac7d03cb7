package catalog

import (
	"path"
	"slices"
	"strings"

	"pinion/problem"
)

// Flavour says whose catalog format a file is.
type Flavour string

// The flavours.
const (
	Native  Flavour = "native"
	Claude  Flavour = "claude"
	Codex   Flavour = "codex"
	Copilot Flavour = "copilot" // Copilot CLI and VS Code
	Cursor  Flavour = "cursor"
)

// profile is a flavour: where its file lies, and what its host does with
// content that is unusual. Severities follow the host: what it loads is never
// an error, what it refuses is one.
type profile struct {
	flavour Flavour
	host    string   // for people
	paths   []string // in lookup order

	bom          problem.Severity
	duplicateKey problem.Severity
	owner        need
	// duplicateName is for a second entry of a name.
	duplicateName problem.Severity
	// kinds are the object sources the host reads.
	kinds []string
	// otherKind is for any other object source.
	otherKind problem.Severity
	// alsoKinds are object sources that only another host of the same file reads,
	// which is alsoHost.
	alsoKinds []string
	alsoHost  string
	// kindKills and namelessKills say that one entry with such a source, or
	// without a name, makes the host refuse the whole catalog.
	kindKills, namelessKills bool
	// plainDirs says that "plugins/x" is read like "./plugins/x".
	plainDirs bool
}

// need is how much a host wants a field.
type need uint8

const (
	ignored need = iota
	wanted
	required
)

// profiles lists every flavour in lookup order.
func profiles() []*profile {
	return []*profile{nativeProfile(), claudeProfile(), codexProfile(), copilotProfile(), cursorProfile()}
}

// Flavours returns every flavour in lookup order.
func Flavours() []Flavour {
	var out []Flavour
	for _, p := range profiles() {
		out = append(out, p.flavour)
	}
	return out
}

// profileOf returns how the file at path is read. native is whether it may turn
// out to be a native catalog, and forced whether its name alone says so.
func profileOf(name string) (foreign *profile, native, forced bool) {
	name = strings.TrimPrefix(path.Clean(strings.ReplaceAll(name, `\`, "/")), "./")
	if path.Base(name) == shinbotPath {
		return nil, true, true
	}
	for _, p := range profiles()[1:] {
		for _, known := range p.paths {
			// The bare file name of Copilot must be at the root.
			if name == known || strings.Contains(known, "/") && strings.HasSuffix(name, "/"+known) {
				return p, known == nativePath, false
			}
		}
	}
	// A file at an unusual place: the most lenient and most common reading.
	return claudeProfile(), true, false
}

func (p *profile) reads(kind string) bool { return slices.Contains(p.kinds, kind) }
