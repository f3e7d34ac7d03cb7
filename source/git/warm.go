package git

import (
	"crypto/sha1"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
)

// What changed last is what will most likely change next: the catalog, and the
// directory with the packages. The server sends the difference, and while it
// works that out, what the difference will be against is made ready here.

const (
	// warmFile names the large objects that the last pack made out of others. It
	// says nothing that anybody has to rely on.
	warmFile = "pinion-next"
	maxWarm  = 4        // objects
	minWarm  = 32 << 10 // bytes of an object that takes long enough
)

// arm allows one call of warm, until the answer is there.
func (s *packSet) arm(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.armed = on
}

// warm begins to read the objects named in the file. warmUp waits for it.
func (s *packSet) warm() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.armed || s.idLen != sha1.Size {
		return
	}
	s.armed = false
	s.warming.Go(s.readAhead)
}

// warmUp waits for warm and lets no other begin.
func (s *packSet) warmUp() {
	s.arm(false)
	s.warming.Wait()
}

func (s *packSet) readAhead() {
	text, err := os.ReadFile(filepath.Join(s.dir, warmFile))
	if err != nil || len(text) > maxWarm*(hex.EncodedLen(sha1.Size)+1) {
		return
	}
	r := s.reader()
	defer r.close()
	r.u.max = smallObjects
	left := smallObjects
	warmed := map[oid]*outer{}
	for line := range strings.Lines(string(text)) {
		var id oid
		digits := strings.TrimSpace(line)
		if len(digits) != hex.EncodedLen(len(id)) {
			return
		}
		if _, err := hex.Decode(id[:], []byte(digits)); err != nil {
			return
		}
		b := r.outer(id)
		if b == nil {
			continue
		}
		if left -= len(b.data); left < 0 {
			break
		}
		warmed[id] = b
	}
	s.mu.Lock()
	s.warmed = warmed
	s.mu.Unlock()
}

// ready returns an object that was made ready.
func (s *packSet) ready(id oid) *outer {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.warmed[id]
}

// leave notes what the next call of warm is to read.
func (s *packSet) leave(k *keeping) {
	var ids []byte
	n := 0
	for _, o := range k.objects {
		if o.delta && len(o.data) >= minWarm && n < maxWarm {
			ids = append(hex.AppendEncode(ids, o.id[:]), '\n')
			n++
		}
	}
	s.mu.Lock()
	s.warmed = nil
	s.mu.Unlock()
	if n == 0 {
		return
	}
	// Without it the next time takes a little longer.
	name := filepath.Join(s.dir, warmFile)
	if os.WriteFile(name+tempSuffix, ids, 0o600) == nil {
		os.Rename(name+tempSuffix, name)
	}
}
