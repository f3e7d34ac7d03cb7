package host

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
	Root string // absolute
	Name string // slash path below Root
}

// Format is the syntax of a configuration file.
type Format string

// The formats. JSONC is JSON with comments and trailing commas.
const (
	JSON  Format = "json"
	JSONC Format = "jsonc"
	TOML  Format = "toml"
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

	Format Format   // of a key's file
	Path   []string // to the key: {"enabledPlugins", "text-tools@pinion"}
	// Value is a bool, string, []string or map[string]any of these.
	Value any
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
