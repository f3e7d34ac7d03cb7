// Package sealed writes and reads state files that tell when they were changed:
// JSON whose last field is its own checksum. It protects against a flipped bit
// and a half-written file, not against somebody who can write the home.
package sealed

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"

	"pinion/internal/syntax"
)

// A state file is JSON whose last field is its own checksum: the SHA-256 of the
// same document without that field. So a flipped bit anywhere in the file is
// seen, and the file stays plain JSON for others.
const (
	sealStart = ",\n  \"checksum\": \"sha256:"
	sealEnd   = "\"\n}\n"
	bodyEnd   = "\n}\n"
	sealLen   = len(sealStart) + 2*sha256.Size + len(sealEnd)
)

// Encode writes a value whose first field is its schema ("pinion.NAME/v1"), and
// adds the checksum.
func Encode(v any) ([]byte, error) {
	body, err := syntax.Encode(v)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(body)
	out := append(body[:len(body)-len(bodyEnd):len(body)-len(bodyEnd)], sealStart...)
	out = hex.AppendEncode(out, sum[:])
	return append(out, sealEnd...), nil
}

// Fault is why a state file cannot be used.
type Fault struct {
	Reason string // completes "FILE ..."
	Newer  bool   // a newer Pinion wrote it, nothing is wrong with it
}

// Error returns the reason.
func (f *Fault) Error() string { return f.Reason }

// Decode checks and reads what [Encode] wrote. name is the part of the schema
// that identifies the kind of file, such as "receipt".
func Decode(data []byte, name string, v any) *Fault {
	body, fault := Open(data, name)
	if fault != nil {
		return fault
	}
	if problems := syntax.Decode(body, v, syntax.Options{}); problems.HasErrors() {
		p, _ := problems.First()
		return &Fault{Reason: "cannot be read: " + p.String()}
	}
	return nil
}

// Open checks what [Encode] wrote and returns it without the checksum: the very
// bytes of [syntax.Encode].
func Open(data []byte, name string) (body []byte, fault *Fault) {
	if len(data) == 0 {
		return nil, &Fault{Reason: "is empty"}
	}
	start := []byte("{\n  \"schema\": \"pinion." + name + "/v")
	rest, ok := bytes.CutPrefix(data, start)
	if !ok {
		return nil, &Fault{Reason: "does not begin as a file of this kind does"}
	}
	digits, _, _ := bytes.Cut(rest, []byte{'"'})
	if n, err := strconv.Atoi(string(digits)); err == nil && n > 1 && len(digits) < 4 {
		return nil, &Fault{Reason: fmt.Sprintf("has format %d, which a newer Pinion wrote", n), Newer: true}
	} else if n != 1 {
		return nil, &Fault{Reason: "does not say its format"}
	}
	if len(data) < sealLen || !bytes.HasSuffix(data, []byte(sealEnd)) ||
		!bytes.HasPrefix(data[len(data)-sealLen:], []byte(sealStart)) {
		return nil, &Fault{Reason: "is cut off or was edited: it does not end with its checksum"}
	}
	body = append(data[:len(data)-sealLen:len(data)-sealLen], bodyEnd...)
	sum := sha256.Sum256(body)
	if hex.EncodeToString(sum[:]) != string(data[len(data)-sealLen+len(sealStart):len(data)-len(sealEnd)]) {
		return nil, &Fault{Reason: "was changed: its checksum does not match"}
	}
	return body, nil
}
