package host

import (
	"path/filepath"

	"pinion/internal/syntax"
)

// Kind is what an [Item] is.
type Kind string

// The kinds.
const (
	FileItem Kind = "file" // a whole file that is ours
	LinkItem Kind = "link" // a symbolic link to a directory or file
	CopyItem Kind = "copy" // a read-only tree with the files of a plugin
	KeyItem  Kind = "key"  // one value in a configuration file of the host
)

// At is a place below a directory. Nothing outside Root is touched, whatever
// links there are.
type At struct {
	Root string `json:"root"` // absolute
	Name string `json:"name"` // slash path below Root
}

// Path returns the place as a path of this system.
func (a At) Path() string { return filepath.Join(a.Root, filepath.FromSlash(a.Name)) }

// Guard is how a host keeps its own processes from writing one of its files at
// the same time. We take the same lock.
type Guard string

// The guards.
const (
	NoGuard Guard = ""
	// DirGuard is a directory FILE.lock, in the manner of the npm package
	// proper-lockfile: it is stale when it has not been touched for ten seconds.
	DirGuard Guard = "dir"
	// FlockGuard is flock(2) on FILE.lock.
	FlockGuard Guard = "flock"
)

// Format is the syntax of a configuration file.
type Format = syntax.ConfigFormat

// The formats. JSONC is JSON with comments and trailing commas.
const (
	JSON  = syntax.ConfigJSON
	JSONC = syntax.ConfigJSONC
	TOML  = syntax.ConfigTOML
)

// Item is one thing that has to be on the disk. Make it with [NewFile],
// [NewLink], [NewCopy] or [NewKey].
type Item struct {
	Kind   Kind
	At     At
	Plugin string // the id of the plugin it is for, "" for all of them

	Content []byte // of a file
	Target  string // absolute: of a link, and where a copy comes from
	Files   []File // of a copy, and Extra
	// Extra are files of a copy that are not in Target: a manifest that the host
	// needs. One goes before a file of the same path.
	Extra map[string][]byte
	// Under is a slash path that goes before the paths of Files, "" for none.
	Under string

	Format Format   // of a key's file
	Guard  Guard    // of a key's file
	Path   []string // to the key: {"enabledPlugins", "text-tools@pinion"}
	// Value is a bool, string, []string or map[string]any of these.
	Value any
	// Over allows to replace a value that is not ours, which is put back later.
	// Without it such a value is a conflict.
	Over bool
	// Echo is a value that the host writes by itself because of ours. It is never
	// written here; when it has to go, the table that it is in goes.
	Echo bool
	// Base is a value without which the host takes nothing of its file: it goes only
	// with the file.
	Base bool
}

// NewFile is a file with exactly this content, mode 0600.
func NewFile(at At, content []byte) Item {
	return Item{Kind: FileItem, At: at, Content: content}
}

// NewLink is a symbolic link to an absolute path.
func NewLink(at At, plugin, target string) Item {
	return Item{Kind: LinkItem, At: at, Plugin: plugin, Target: target}
}

// NewCopy is a copy of a plugin's files, with more files of the host's kind.
func NewCopy(at At, p Plugin, extra map[string][]byte) Item {
	return Item{Kind: CopyItem, At: at, Plugin: p.ID, Target: p.Dir, Files: p.Files, Extra: extra}
}

// NewKey is one value of a configuration file, which is made when it is missing.
func NewKey(at At, f Format, value any, path ...string) Item {
	return Item{Kind: KeyItem, At: at, Format: f, Path: path, Value: value}
}

// For returns the item as one of a plugin.
func (i Item) For(plugin string) Item {
	i.Plugin = plugin
	return i
}

// Guarded returns a key's item with the lock of the host for its file.
func (i Item) Guarded(g Guard) Item {
	i.Guard = g
	return i
}

// Replacing returns a key's item that may take the place of a value that is not
// ours.
func (i Item) Replacing() Item {
	i.Over = true
	return i
}

// Echoed returns a key's item that the host writes by itself because of our
// others.
func (i Item) Echoed() Item {
	i.Echo = true
	return i
}

// Basic returns a key's item without which the host takes nothing of the file. It
// may be there already, with another value.
func (i Item) Basic() Item {
	i.Base, i.Over = true, true
	return i
}
