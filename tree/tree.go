// Package tree says what a tree of files may be and reads it once.
//
// A [Tree] is the listing and the bytes of one package directory, whoever it
// came from: a directory ([Dir.Read]), a git commit (source/git) or an archive
// ([FromArchive]). All of them go through one [Builder], so the rules on names,
// kinds and limits cannot differ between them:
//
//   - paths are slash-separated, relative, canonical and free of control
//     characters and backslashes (path/invalid); names that only some systems
//     refuse are path/portable; two names that fold to one are path/collision;
//   - regular files only; symbolic links are files/symlink, devices, FIFOs and
//     sockets files/special and never opened, submodules files/submodule;
//   - counts, sizes and depth are checked before anything is allocated
//     (files/limit), see limits.go;
//   - no link is followed while reading; where a [Profile] copies links, the
//     target is opened again from the repository root without following links.
//
// The package knows nothing of manifests: which names are expected comes in as
// a [Profile], chosen by the caller from the names at the top of the package.
package tree

import (
	"slices"
	"strings"

	"pinion/hashes"
	"pinion/problem"
)

// File is one regular file of a package.
type File struct {
	Path string // slash-separated, relative to the package
	Exec bool   // any execute bit, as git records it
	Size int64  // bytes
	Sum  hashes.Sum
	// Data is the content. It is nil when a limit stopped the reading, and it
	// belongs to the Scratch the tree was read with: it is valid until the
	// Scratch is used again.
	Data []byte
	// Link is the target when the file was a symbolic link that was copied.
	Link string
}

// Tree is a package directory, read completely and once. It is not changed
// after it was built and may then be read by several goroutines.
type Tree struct {
	Files    []File       // sorted by Path
	Bytes    int64        // sum of the sizes of Files
	Problems problem.List // what is wrong with names, kinds and sizes
	// Partial is true when a limit stopped the reading, so that Files or their
	// Data are not everything. No digest is made of a partial tree.
	Partial bool
	// Profile is the one the tree was read by, chosen from Top, the names at
	// the top of the package. Top is valid as long as the files' Data.
	Profile Profile
	Top     []string
}

// Lookup returns the file at path, or nil.
func (t *Tree) Lookup(path string) *File {
	i, ok := slices.BinarySearchFunc(t.Files, path, func(f File, p string) int {
		return strings.Compare(f.Path, p)
	})
	if !ok {
		return nil
	}
	return &t.Files[i]
}

// Under returns the files whose path begins with dir and a slash, in order.
// The result shares t's memory.
func (t *Tree) Under(dir string) []File {
	prefix := dir + "/"
	lo, _ := slices.BinarySearchFunc(t.Files, prefix, func(f File, p string) int {
		return strings.Compare(f.Path, p)
	})
	hi := lo
	for hi < len(t.Files) && strings.HasPrefix(t.Files[hi].Path, prefix) {
		hi++
	}
	return t.Files[lo:hi]
}

// HasDir reports whether any file lies below dir.
func (t *Tree) HasDir(dir string) bool { return len(t.Under(dir)) > 0 }

// Kind is what an entry of a tree is.
type Kind uint8

// The kinds of entries. Other is a device, a FIFO or a socket.
const (
	Regular Kind = iota
	Symlink
	Submodule
	Other
)

// Entry is one name in a listing, before its content is read. Directories are
// not entries; git has none.
type Entry struct {
	Path   string
	Kind   Kind
	Exec   bool
	Size   int64  // -1 when not known before opening
	Nlink  uint64 // 0 when not known
	Target string // of a Symlink
	// ID is how the reader finds the content: a git object id, or a path from
	// the root of the repository. The builder only carries it.
	ID string

	plain bool // the reader knows that nothing is wrong with the name
}

// Profile is what a package format allows in its tree.
type Profile struct {
	Limits
	// Strict is the native format: no links, no hidden names, no hard links,
	// names that every system accepts. Otherwise such findings are weighed by
	// what hosts do with them.
	Strict bool
	// Known reports whether a path with a hidden component belongs to the
	// format (".claude-plugin/plugin.json"). Nil knows none.
	Known func(path string) bool
}

// Options say how a package is read.
type Options struct {
	// Profile chooses the profile from the names at the top of the package,
	// files and directories, sorted.
	Profile func(top []string) Profile
	// Want limits the reading to a selection: it is asked for every file with
	// its path inside the package, and for every directory with a trailing
	// slash before it is entered. Nil wants everything.
	Want func(path string) bool
}
