package tree

// Scratch is memory that is used again for one package after another, so that
// reading 10,000 packages allocates as much as reading one. A tree read with it
// is valid until the Scratch is reset. The zero value is ready; it is for one
// goroutine.
type Scratch struct {
	chunk []byte   // the free rest is chunk[len(chunk):cap(chunk)]
	files []File   // free to be lent
	lent  []File   // in the tree that was read last
	names []string // the free rest is names[len(names):cap(names)]
	osScratch
}

// chunkSize is what a small package needs at once.
const chunkSize = 64 << 10

// Reset makes the memory free again. Trees read with s are invalid afterwards.
func (s *Scratch) Reset() {
	s.chunk = s.chunk[:0]
	clear(s.lent)
	s.files, s.lent = s.lent[:0], nil
	clear(s.names)
	s.names = s.names[:0]
	s.osScratch.reset()
}

// alloc returns n bytes with room for one more, so that a reader can see with
// the same call that a file is longer than it was.
func (s *Scratch) alloc(n int) []byte {
	if cap(s.chunk)-len(s.chunk) < n+1 {
		s.chunk = make([]byte, 0, max(n+1, chunkSize))
	}
	lo := len(s.chunk)
	s.chunk = s.chunk[:lo+n+1]
	return s.chunk[lo : lo+n : lo+n+1]
}

// takeFiles hands out the file slice. Only one tree at a time may use it; a
// second one gets its own.
func (s *Scratch) takeFiles() []File {
	f := s.files
	s.files = nil
	return f
}
