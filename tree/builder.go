package tree

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"pinion/problem"
)

// Builder makes a [Tree] out of a listing and the contents. It is the one place
// where names, kinds and limits are checked, whoever reads the bytes.
//
// The order of calls is: [Builder.Enter] before each directory and
// [Builder.Add] for each other entry; [Builder.Links] once; for each entry to
// be read [Builder.Reserve] and then [Builder.Fill] or [Builder.Fail];
// [Builder.Tree] at the end. It is for one goroutine.
type Builder struct {
	tree    Tree
	opts    Options
	scratch *Scratch
	links   []Entry
	dirs    int
	over    bool // the file limit was reported
}

// Pending is an entry whose content the reader must still supply.
type Pending struct {
	Index int
	Entry Entry
}

// Resolver answers what a symbolic link of the package stands for inside the
// same repository: itself as a regular file, or the files of a directory, with
// paths below the link's own path. why is set instead when it points outside,
// to nothing, or in a circle.
type Resolver func(link Entry) (files []Entry, why string)

// NewBuilder starts a tree whose top-level names (files and directories,
// sorted) are top.
func NewBuilder(opts Options, top []string, s *Scratch) *Builder {
	b := &Builder{opts: opts, scratch: s}
	b.tree.Top = top
	if opts.Profile != nil {
		b.tree.Profile = opts.Profile(top)
	} else {
		b.tree.Profile = Profile{Limits: Foreign()}
	}
	b.tree.Files = s.takeFiles()
	return b
}

// Enter reports whether the directory at path is to be listed.
func (b *Builder) Enter(path string) bool {
	if base(path) == ".git" {
		if b.tree.Profile.Strict {
			// One finding for the directory, not one for each object in it.
			b.checkName(path)
			b.tree.Partial = true
		}
		return false // the repository's own data is never content
	}
	if b.opts.Want != nil && !b.opts.Want(path+"/") {
		return false
	}
	if strings.Count(path, "/")+1 > b.tree.Profile.Depth {
		b.limit(path, "%q is more than %d directories deep", path, b.tree.Profile.Depth)
		return false
	}
	if b.dirs++; b.dirs > b.tree.Profile.Dirs {
		if b.dirs == b.tree.Profile.Dirs+1 {
			b.limit("", "more than %d directories", b.tree.Profile.Dirs)
		}
		return false
	}
	return true
}

// EmptyDir notes a directory in which nothing was found.
func (b *Builder) EmptyDir(path string) {
	b.report(ruleEmptyDir.Report("directory %q is empty", path).At(path, 0, 0))
}

// Add records an entry. read is true when its content is wanted; i then
// identifies it to Reserve and Fill.
func (b *Builder) Add(e Entry) (i int, read bool) {
	if e.Path == ".git" || strings.HasSuffix(e.Path, "/.git") {
		if !b.tree.Profile.Strict {
			return 0, false // a worktree's or submodule's pointer file
		}
	}
	if b.opts.Want != nil && !b.opts.Want(e.Path) {
		return 0, false
	}
	switch e.Kind {
	case Symlink:
		if b.tree.Profile.Strict {
			b.checkName(e.Path)
			b.report(ruleSymlink.Report("%q is a symbolic link to %q", e.Path, e.Target).At(e.Path, 0, 0))
			return 0, false
		}
		if len(b.links) < b.tree.Profile.Files {
			b.links = append(b.links, e)
		} else {
			b.overFiles()
		}
		return 0, false
	case Submodule:
		p := ruleSubmodule.Report("%q is a git submodule", e.Path).At(e.Path, 0, 0)
		if !b.tree.Profile.Strict {
			// Hosts check out without submodules and load the rest.
			p = p.As(problem.Warning)
		}
		b.report(p)
		return 0, false
	case Other:
		b.report(ruleSpecial.Report("%q is a device, FIFO or socket", e.Path).At(e.Path, 0, 0))
		return 0, false
	}
	return b.addFile(e, "")
}

func (b *Builder) addFile(e Entry, link string) (int, bool) {
	if len(b.tree.Files) >= b.tree.Profile.Files {
		b.overFiles()
		return 0, false
	}
	if !e.plain && !b.checkName(e.Path) {
		b.tree.Partial = true
		return 0, false
	}
	b.Opened(e.Path, e.Nlink)
	b.tree.Files = append(b.tree.Files, File{Path: e.Path, Exec: e.Exec, Size: max(e.Size, 0), Link: link})
	return len(b.tree.Files) - 1, true
}

// Opened reports the link count of a file, when it is known only after opening.
func (b *Builder) Opened(path string, nlink uint64) {
	if nlink <= 1 {
		return
	}
	p := ruleHardlink.Report("%q has %d hard links", path, nlink).At(path, 0, 0)
	if !b.tree.Profile.Strict {
		p = p.As(problem.Note)
	}
	b.report(p)
}

// SetExec records the execute bit, when it is known only after opening.
func (b *Builder) SetExec(i int, exec bool) { b.tree.Files[i].Exec = exec }

// Links settles the symbolic links: what can be copied becomes files to be
// read, the rest is reported.
func (b *Builder) Links(resolve Resolver) []Pending {
	var pending []Pending
	for _, l := range b.links {
		if b.over {
			break // nothing more is taken, so nothing more is listed
		}
		files, why := resolve(l)
		if why != "" {
			b.checkName(l.Path)
			b.report(ruleSymlink.Report("%q is a symbolic link to %q: %s", l.Path, l.Target, why).At(l.Path, 0, 0))
			continue
		}
		b.report(ruleSymlink.Report("%q is a symbolic link to %q; it is copied as what it points to", l.Path, l.Target).
			At(l.Path, 0, 0).As(problem.Note))
		for _, f := range files {
			if b.opts.Want != nil && !b.opts.Want(f.Path) {
				continue
			}
			if i, ok := b.addFile(f, l.Target); ok {
				pending = append(pending, Pending{i, f})
			}
		}
	}
	b.links = nil
	return pending
}

// Reserve checks the size of file i against what is left of the byte limit and
// returns a buffer of exactly that size, or false after reporting the limit.
func (b *Builder) Reserve(i int, size int64) ([]byte, bool) {
	f := &b.tree.Files[i]
	f.Size = size
	limit, before := b.tree.Profile.Bytes, b.tree.Bytes
	// Sparse files claim up to 2^63-1 bytes each: the sum must not wrap around.
	if size > math.MaxInt64-before {
		b.tree.Bytes = math.MaxInt64
	} else {
		b.tree.Bytes += size
	}
	if b.tree.Bytes > limit {
		if before <= limit {
			b.limit(f.Path, "the package is larger than %d bytes with %q (%d bytes)", limit, f.Path, size)
		}
		b.tree.Partial = true
		return nil, false
	}
	return b.scratch.alloc(int(size)), true
}

// Fill sets the content of file i.
func (b *Builder) Fill(i int, data []byte, sum [32]byte) {
	b.tree.Files[i].Data, b.tree.Files[i].Sum = data, sum
}

// Fail reports that file i could not be read.
func (b *Builder) Fail(i int, why string) { b.Unreadable(b.tree.Files[i].Path, why) }

// Changed reports that file i was written to during the reading.
func (b *Builder) Changed(i int) {
	path := b.tree.Files[i].Path
	b.tree.Partial = true
	b.report(ruleChanged.Report("%q changed while it was read", path).At(path, 0, 0))
}

// NotRegular reports that file i turned out to be something else when opened.
func (b *Builder) NotRegular(i int) {
	path := b.tree.Files[i].Path
	b.tree.Partial = true
	b.report(ruleSpecial.Report("%q is not a regular file", path).At(path, 0, 0))
}

// Unreadable reports a file or directory that the system refuses to open.
func (b *Builder) Unreadable(path, why string) {
	b.tree.Partial = true
	b.report(ruleUnreadable.Report("%q cannot be read: %s", path, why).At(path, 0, 0))
}

// Tree returns the finished tree. The builder must not be used afterwards.
func (b *Builder) Tree() *Tree {
	t := &b.tree
	if !slices.IsSortedFunc(t.Files, byPath) {
		slices.SortFunc(t.Files, byPath)
	}
	b.checkCollisions()
	b.scratch.lent = t.Files
	return t
}

func byPath(a, b File) int { return strings.Compare(a.Path, b.Path) }

func (b *Builder) overFiles() {
	if !b.over {
		b.over = true
		b.limit("", "more than %d files", b.tree.Profile.Files)
	}
}

// report adds a finding about one name, at most MaxProblems of them.
func (b *Builder) report(p problem.Problem) {
	switch n := len(b.tree.Problems); {
	case n < MaxProblems:
		b.tree.Problems.Add(p)
	case n == MaxProblems:
		b.limit("", "more than %d problems", MaxProblems)
	default:
		b.tree.Partial = true
	}
}

func (b *Builder) limit(path, format string, args ...any) {
	b.tree.Partial = true
	b.tree.Problems.Add(ruleLimit.Report("%s", fmt.Sprintf(format, args...)).At(path, 0, 0))
}

func base(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }
