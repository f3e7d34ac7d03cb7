package tree

// Limits bound what is read before anything is allocated for it.
type Limits struct {
	Files int   // regular files and links
	Bytes int64 // content of all files together
	Depth int   // directories above a file
	Dirs  int   // directories, so that a tree of empty ones ends
}

// Every limit on a tree, in one place. "MB" in the seed documents is read as
// binary; a decimal reading is a note (SB-028).
const (
	NativeFiles     = 100       // declared files of a native package, the manifest not counted (SB-029)
	NativeBytes     = 2 << 20   // all bytes of a native package, the manifest counted (SB-028)
	NativeNoteBytes = 2_000_000 // above it a host that reads "2 MB" as decimal refuses
	ForeignFiles    = 5_000     // files of a package in any other format
	ForeignBytes    = 64 << 20  // bytes of such a package
	MaxDepth        = 32        // directories above a file
	MaxDirs         = 10_000    // directories of one package
	MaxPath         = 1_024     // bytes of one path
	MaxLinkTarget   = 1_024     // bytes of a link's target
	MaxLinkHops     = 8         // links to links
	MaxEntries      = 1_000_000 // names in one repository listing
	MaxMembers      = 20_000    // entries of one archive, directories included
	MaxArchive      = 96 << 20  // bytes of one archive as a file
	MaxUnpacked     = 96 << 20  // bytes that the stream of one archive unpacks to, headers included
	maxZipDirectory = 8 << 20   // bytes of the directory at the end of a zip
	MaxProblems     = 10_000    // findings about the names and kinds of one package
)

// Native are the limits of the native format. More files than may be declared
// are still listed, so that every difference can be named.
func Native() Limits {
	return Limits{Files: ForeignFiles, Bytes: NativeBytes, Depth: MaxDepth, Dirs: MaxDirs}
}

// Foreign are the limits of every other format.
func Foreign() Limits {
	return Limits{Files: ForeignFiles, Bytes: ForeignBytes, Depth: MaxDepth, Dirs: MaxDirs}
}
