package store

import (
	"errors"
	"fmt"
	"io/fs"

	"pinion/internal/fsx"
	"pinion/internal/sealed"
)

// Limits of state files, in bytes. A receipt lists at most 5,000 files with
// paths of at most 1,024 bytes.
const (
	maxReceipt = 16 << 20
	maxPointer = 4 << 20
)

// readState reads one state file. fault says why it cannot be used; err is only
// [fs.ErrNotExist].
func (s *Store) readState(file string, limit int64) (data []byte, fault *sealed.Fault, err error) {
	data, err = s.home.ReadFile(file, limit)
	var insecure *fsx.InsecureError
	switch {
	case err == nil:
		return data, nil, nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, err
	case errors.As(err, &insecure):
		return nil, &sealed.Fault{Reason: insecure.Reason}, nil
	case errors.Is(err, fsx.ErrNotRegular):
		return nil, &sealed.Fault{Reason: "is not a regular file"}, nil
	case errors.Is(err, fsx.ErrTooLarge):
		return nil, &sealed.Fault{Reason: "is larger than such a file can be"}, nil
	}
	// One bad sector must not hide the other plugins.
	return nil, &sealed.Fault{Reason: fmt.Sprintf("cannot be read: %v", err)}, nil
}
