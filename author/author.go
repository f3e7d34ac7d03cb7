// Package author does what authors do to a package directory: start one
// ([Init]) and give it a new version ([Bump]).
//
// It changes nothing that it cannot put back: Init never touches what is there,
// and when it cannot finish it removes what it made; Bump decides every edit
// before it writes, keeps every byte but the version, and replaces all files or
// none. Links are not followed below the directories that the user named. What
// packages mean is known by the formats in manifest, not here.
package author

// Error is something the author has to change before the command can work.
type Error struct {
	What string // what is wrong: "id \"My Tool\" is not …"
	Hint string // what to do instead, "" when there is nothing to say
}

// Error returns what is wrong, without the hint.
func (e *Error) Error() string { return e.What }

// ExistsError is a file or directory that is in the way. Nothing was changed.
type ExistsError struct {
	Path string
	Dir  bool // a directory that is not empty
}

// Error names what is in the way.
func (e *ExistsError) Error() string {
	if e.Dir {
		return e.Path + ": the directory is not empty"
	}
	return e.Path + ": the file exists"
}
