package tree

import (
	"encoding/binary"
	"errors"
	"io"
)

// The records of a zip that is longer than 4 GiB or has more than 65,535 entries,
// which some programs write for any zip (APPNOTE 4.3.14, 4.3.15).
const (
	zip64LocatorLen = 20
	zip64EndLen     = 56
	zip64Locator    = "PK\x06\x07"
	zip64End        = "PK\x06\x06"
)

// adjoins reports whether the directory ends exactly where the end record at
// offset at of the file begins. Behind a first zip a second one, whose offsets
// count from its own beginning, would be read by some programs and not by others.
func (a *archive) adjoins(at int64) (bool, error) {
	var end [zipEndLen]byte
	if err := a.readAt(end[:], at); err != nil {
		return false, err
	}
	var before [zip64LocatorLen]byte
	large := false
	if at >= zip64LocatorLen {
		if err := a.readAt(before[:], at-zip64LocatorLen); err != nil {
			return false, err
		}
		large = string(before[:4]) == zip64Locator
	}
	size, offset := uint64(binary.LittleEndian.Uint32(end[12:])), uint64(binary.LittleEndian.Uint32(end[16:]))
	if !large {
		return size <= uint64(at) && offset == uint64(at)-size, nil
	}
	record := binary.LittleEndian.Uint64(before[8:])
	locator := uint64(at) - zip64LocatorLen
	if record > locator || locator-record < zip64EndLen {
		return false, nil
	}
	var end64 [zip64EndLen]byte
	if err := a.readAt(end64[:], int64(record)); err != nil {
		return false, err
	}
	if string(end64[:4]) != zip64End || binary.LittleEndian.Uint64(end64[4:]) != locator-record-12 {
		return false, nil
	}
	size, offset = binary.LittleEndian.Uint64(end64[40:]), binary.LittleEndian.Uint64(end64[48:])
	// Who does not look for these records must not see another directory.
	for _, short := range []struct{ has, want uint64 }{
		{uint64(binary.LittleEndian.Uint32(end[12:])), size}, {uint64(binary.LittleEndian.Uint32(end[16:])), offset},
	} {
		if short.has != 0xffffffff && short.has != short.want {
			return false, nil
		}
	}
	return size <= record && offset == record-size, nil
}

// readAt is ReadAt in which the end of the file is no error: whoever asked looks
// at the bytes.
func (a *archive) readAt(p []byte, off int64) error {
	if _, err := a.r.ReadAt(p, off); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}
