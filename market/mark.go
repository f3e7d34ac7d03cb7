package market

import "hash/crc32"

// Mark says how much of a file that only grows is in use: its first Size bytes,
// and their CRC-32C. What comes after them was written by a process that ended
// before it was done, or, in a ledger, by an install. Like every checksum of the
// home, it is against flipped bits and cut files, not against somebody who can
// write there; this one goes on where the file does.
type Mark struct {
	Size int64  `json:"size"`
	Sum  uint32 `json:"sum"`
}

// holds reports whether a file begins with what was there at the mark.
func (m Mark) holds(data []byte) bool {
	return m.Size <= int64(len(data)) && m == Mark{}.after(data[:m.Size])
}

// after is the mark when more was added to the file.
func (m Mark) after(more ...[]byte) Mark {
	castagnoli := crc32.MakeTable(crc32.Castagnoli) // made once, by the library
	for _, b := range more {
		m.Size += int64(len(b))
		m.Sum = crc32.Update(m.Sum, castagnoli, b)
	}
	return m
}

// afterLines is the mark when lines were added, given without their ends.
func (m Mark) afterLines(lines [][]byte) Mark {
	for _, line := range lines {
		m = m.after(line, []byte{'\n'})
	}
	return m
}
