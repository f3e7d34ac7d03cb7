package tree

import "pinion/problem"

// RuleEmptyDir is the id of the note about an empty directory, which packing
// turns into an error.
const RuleEmptyDir = "files/empty-dir"

// Rules of this package. The ids are permanent.
var (
	ruleInvalid = problem.Rule{
		ID: "path/invalid", Severity: problem.Error, Since: "0.1.0",
		Title:   "A path that cannot be installed safely",
		Help:    "Paths in a package are relative, slash-separated and canonical UTF-8. Absolute paths, \"..\", backslashes, drive letters, control characters and names inside .git can write outside the package or hide what they are, so they are refused on every system.",
		Fix:     "rename the file",
		Example: "files: [\"../shared/prompt.md\"]  →  copy the file into the package and list \"prompt.md\"",
	}
	rulePortable = problem.Rule{
		ID: "path/portable", Severity: problem.Error, Since: "0.1.0",
		Title:   "A name that some systems refuse",
		Help:    "Windows reserves device names (con, nul, com1), drops trailing dots and spaces, and refuses some punctuation; macOS may store a name that is not in Unicode normal form C (NFC) under other bytes. A package with such a name cannot be installed there. In a native package this is an error, elsewhere a warning, because the host that defines the format may still load it.",
		Fix:     "rename the file with letters, digits, '-', '_' and '.'",
		Example: "docs/aux.md  →  docs/auxiliary.md",
	}
	ruleCollision = problem.Rule{
		ID: "path/collision", Severity: problem.Error, Since: "0.1.0",
		Title:   "Two names that are one name on some systems",
		Help:    "File systems that ignore case or Unicode form keep only one of the two files, so the installed bytes would depend on the machine.",
		Fix:     "rename one of the two",
		Example: "README.md and readme.md",
	}
	ruleSymlink = problem.Rule{
		ID: "files/symlink", Severity: problem.Error, Since: "0.1.0",
		Title:   "A symbolic link in the package",
		Help:    "A link can point anywhere on the machine that installs it, and its target is not covered by the digest. Native packages contain none. In other formats a link to a file or directory of the same repository is copied as what it points to, with a note; any other link is refused.",
		Fix:     "replace the link with a copy of the file",
		Example: "LICENSE -> ../../LICENSE  →  a copy of LICENSE",
	}
	ruleHidden = problem.Rule{
		ID: "files/hidden", Severity: problem.Error, Since: "0.1.0",
		Title:   "A hidden file in the package",
		Help:    "Names that begin with a dot are easily published by accident (.env, .DS_Store, editor state) and are not seen in a review. Native packages contain none; other formats only the names they define. Files that usually hold credentials are refused everywhere.",
		Fix:     "delete it from the package, or rename it without the dot",
		Example: "plugins/mail/.env",
	}
	ruleSpecial = problem.Rule{
		ID: "files/special", Severity: problem.Error, Since: "0.1.0",
		Title: "Not a regular file",
		Help:  "Devices, FIFOs and sockets have no content that could be digested, and reading one can hang. They are never opened.",
		Fix:   "remove it from the package",
	}
	ruleHardlink = problem.Rule{
		ID: "files/hardlink", Severity: problem.Error, Since: "0.1.0",
		Title: "A file with more than one name",
		Help:  "A hard link shares its bytes with a file that may lie outside the package, so content could change after the review without a change here. Git does not store hard links.",
		Fix:   "replace it with a copy of its own (cp FILE FILE.new && mv FILE.new FILE)",
	}
	ruleSubmodule = problem.Rule{
		ID: "files/submodule", Severity: problem.Error, Since: "0.1.0",
		Title: "A git submodule in the package",
		Help:  "A submodule is a pointer into another repository. It is never fetched, so what it should contain would be missing after an install.",
		Fix:   "copy the files into the package",
	}
	ruleLimit = problem.Rule{
		ID: "files/limit", Severity: problem.Error, Since: "0.1.0",
		Title: "More than a package may contain",
		Help:  "A native package has at most 100 declared files and 2 MiB in all; packages of other formats at most 5,000 files, 64 MiB and 32 levels. The limits are checked before anything is read into memory.",
		Fix:   "leave out what the plugin does not need at run time, or publish large data elsewhere",
	}
	ruleChanged = problem.Rule{
		ID: "files/changed", Severity: problem.Error, Since: "0.1.0",
		Title: "A file changed while it was read",
		Help:  "Something wrote to the file during the run, so its bytes were neither the old nor the new ones.",
		Fix:   "run the command again when nothing writes to the directory",
	}
	ruleUnreadable = problem.Rule{
		ID: "files/unreadable", Severity: problem.Error, Since: "0.1.0",
		Title: "A file or directory that cannot be read",
		Help:  "The operating system refused to open it, so the package is not known completely.",
		Fix:   "make it readable (chmod u+r), or remove it",
	}
	ruleEmptyDir = problem.Rule{
		ID: RuleEmptyDir, Severity: problem.Note, Since: "0.1.0",
		Title: "An empty directory",
		Help:  "Git stores no empty directories and the digest does not cover them, so it will not be there after an install. Empty directories are refused by pack.",
		Fix:   "remove it, or put a file into it",
	}
	ruleArchive = problem.Rule{
		ID: "archive/damaged", Severity: problem.Error, Since: "0.1.0",
		Title: "An archive that cannot be read to its end, or goes on after it",
		Help:  "The archive is cut off, its check sums are wrong, or there is data before, between or after its entries. Programs disagree about what such an archive contains, so none of it is taken.",
		Fix:   "make the archive again (pinion pack DIR)",
	}
	ruleEncrypted = problem.Rule{
		ID: "archive/encrypted", Severity: problem.Error, Since: "0.1.0",
		Title: "An encrypted archive",
		Help:  "Encrypted entries cannot be checked before they are installed, and a password in an instruction is a known way to pass malware by scanners.",
		Fix:   "make the archive without a password",
	}
	ruleSignature = problem.Rule{
		ID: "archive/signature", Severity: problem.Note, Since: "0.3.0",
		Title: "A signature that was not checked",
		Help:  "A signed MCP bundle ends with a PKCS#7 signature of its zip. Pinion does not verify it, and it is not part of the digest; what identifies the bundle is the digest of its files.",
		Fix:   "compare the digest with the one that the publisher states (pinion hash FILE)",
	}
)

// Rules lists every rule this package reports.
func Rules() []problem.Rule {
	return []problem.Rule{
		ruleInvalid, rulePortable, ruleCollision, ruleSymlink, ruleHidden, ruleSpecial,
		ruleHardlink, ruleSubmodule, ruleLimit, ruleChanged, ruleUnreadable, ruleEmptyDir,
		ruleArchive, ruleEncrypted, ruleSignature,
	}
}
