// Package host makes the active plugins visible to the programs that load
// plugins, and takes that back.
//
// A host's [Adapter] says what has to be on the disk for a list of plugins: files,
// links, copies, and values of keys in the host's own configuration. It changes
// nothing. The [Linker] compares that with its receipt and with the disk, makes a
// [Plan], and carries it out.
//
// Rules it enforces:
//
//   - A receipt of everything is written before the first change, so that a run
//     that was cut off is completed or taken back exactly.
//   - Keys, order, comments, indentation, line ends and mode of a configuration
//     file stay; only the bytes of our own keys change.
//   - What the host or the user changed since is never overwritten silently: it is
//     left alone and reported, and only [Linker.Link], asked for by name, takes it
//     back. What was there before is set aside or remembered.
//   - Taking back removes only what still is ours, and puts former values back.
//   - Files of hosts are hostile input: links, special files and files that are too
//     large or cannot be parsed are refused, and nothing is changed.
//
// It starts no program and opens no connection.
package host

import (
	"context"
	"path/filepath"

	"pinion/manifest"
)

// Info is what a host is called.
type Info struct {
	Name    string // in commands: "claude"
	Title   string // for people: "Claude Code"
	Restart string // what makes it read its configuration again: "restart Claude Code"
	Scopes  Scopes // where plugins can be made visible
}

// Scopes says for whom a host can be given plugins.
type Scopes struct{ User, Project bool }

// Place is where a host is looked for and changed.
type Place struct {
	// Home is the home directory of the user, absolute.
	Home string
	// Project is the root of the project, "" for the user's own scope.
	Project string
	// Own is an absolute directory in Pinion's home for this host and scope alone.
	// It need not exist; a linker makes what is planned in it.
	Own string
	// Base is Pinion's home, absolute: a link that leads into it is ours.
	Base string
	// Getenv reads the environment, for variables by which hosts move their
	// directories.
	Getenv func(string) string
	// Copy asks for copies where links would do.
	Copy bool
}

// Env returns the directory that an environment variable names when it is
// absolute, else parts below the user's home.
func (p Place) Env(name string, parts ...string) string {
	if v := p.Getenv(name); name != "" && filepath.IsAbs(v) {
		return filepath.Clean(v)
	}
	return filepath.Join(append([]string{p.Home}, parts...)...)
}

// Plugin is one plugin that is active in the scope of a [Place].
type Plugin struct {
	ID          string
	Version     string
	Marketplace string // alias, for people
	Description string
	Format      string // of the manifest: "native", "claude", "agent-skill", …
	Kind        manifest.Kind
	Dir         string // absolute, read-only: the files in the store
	Digest      string // of the package, "h1:…"
	Files       []File // sorted by path
	Components  []manifest.Component
	// Entry is the catalog's entry as it was written, nil when there was none.
	Entry []byte
	// Enabled is false for a plugin that the user switched off: the host must not
	// load it.
	Enabled bool
	// Refused is why no host may be given it, "" when it may: a policy forbids it by
	// now. It completes "ID: ".
	Refused string
	// Hides is true in a project when the user's own scope has the id too: the
	// user's must not be loaded in this project.
	Hides bool
}

// Has reports whether the plugin has a file.
func (p Plugin) Has(path string) bool {
	for _, f := range p.Files {
		if f.Path == path {
			return true
		}
	}
	return false
}

// File is one file of a plugin.
type File struct {
	Path string `json:"path"`   // slash-separated, relative
	Sum  string `json:"sha256"` // lower-case hex
	Size int64  `json:"size"`
	Exec bool   `json:"exec,omitzero"`
}

// Adapter knows one host. It reads, and never changes anything. All of its
// methods may be called by several goroutines.
type Adapter interface {
	Info() Info
	// Look says whether the host is on this machine.
	Look(Place) Presence
	// Want says what has to be on the disk so that the host sees exactly these
	// plugins. The same arguments always give the same answer.
	Want(Place, []Plugin) (Want, error)
	// Installed returns the plugins that the host has by itself: not those that
	// Want put there.
	Installed(context.Context, Place) ([]Installed, error)
}

// Namer is an [Adapter] whose host calls plugins by another name than their id.
type Namer interface {
	NameOf(Place, Plugin) string
}

// Presence is what is there of a host.
type Presence struct {
	Found bool
	Dir   string // its configuration directory, whether or not it exists
}

// Want is what has to be on the disk.
type Want struct {
	Items []Item
	Shown []Shown
	// LeftOut are plugins that this host cannot be given, with the reason.
	LeftOut []LeftOut
}

// Shown is how a host calls a plugin.
type Shown struct {
	ID      string `json:"id"`
	Version string `json:"version"`
	Name    string `json:"name"`
}

// LeftOut is a plugin that a host cannot load. Reason completes "ID: ".
type LeftOut struct {
	ID     string `json:"id"`
	Reason string `json:"reason"`
}

// Installed is one plugin that a host has by itself.
type Installed struct {
	Name        string // the bare name
	Shown       string // as the host calls it: "name@marketplace"
	Version     string // "" when the host does not say
	Marketplace string // the host's name of the marketplace, "" for none
	Source      string // of the marketplace: "owner/repo", a URL, a directory; "" when unknown
	Ref         string // branch or tag of Source, "" for none
	Commit      string // what was installed, "" when unknown
	Path        string // of a plugin without a marketplace: its directory in Source
	// Why completes "NAME: " when it cannot be taken over: it has no source.
	Why     string
	Dir     string // where the host keeps it, "" when unknown
	Enabled bool
	// InPlace is set for one that stands exactly where ours would: the plan finds
	// that, and may move it away.
	InPlace bool
	// Off switches it off in the host, nil when that cannot be done. It is there
	// also when the plugin is switched off already.
	Off []Item
}

// Leftover is something that a host no longer uses and did not remove.
type Leftover struct {
	Path   string // absolute
	Reason string // completes "PATH "
	Bytes  int64
}

// Marketer is an [Adapter] whose host keeps marketplaces.
type Marketer interface {
	// Marketplaces returns what the user has added, without those of Pinion.
	Marketplaces(context.Context, Place) ([]Marketplace, error)
}

// Sweeper is an [Adapter] that knows what its host leaves behind.
type Sweeper interface {
	Leftovers(context.Context, Place) ([]Leftover, error)
}
