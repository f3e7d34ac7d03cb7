package catalog

// Every limit on a catalog, in one place (security 3.4 row 73).
const (
	MaxBytes   = 128 << 20 // bytes of a catalog file
	MaxEntries = 200_000   // plugins in one catalog

	maxID       = 40    // characters of a native id
	maxName     = 128   // characters of any other name
	maxVersion  = 128   // characters of a version in a foreign catalog
	maxLocation = 1_024 // characters of a directory
	maxCircles  = 20    // circles of renames that are reported
	maxReported = 1_000 // entry problems repeated in the list of a native catalog
)
