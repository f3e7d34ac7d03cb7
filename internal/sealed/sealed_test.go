package sealed_test

import (
	"bytes"
	"testing"

	"pinion/internal/sealed"
)

type doc struct {
	Schema string   `json:"schema"`
	Name   string   `json:"name"`
	List   []string `json:"list"`
}

func TestEveryFlippedBitIsSeen(t *testing.T) { // security 3.6 row 98
	good, err := sealed.Encode(doc{"pinion.sample/v1", "x", []string{"a"}})
	if err != nil {
		t.Fatal(err)
	}
	var d doc
	if fault := sealed.Decode(good, "sample", &d); fault != nil || d.Name != "x" {
		t.Fatalf("Decode(own output) = %v, %+v", fault, d)
	}
	for i := range good {
		for bit := range 8 {
			bad := bytes.Clone(good)
			bad[i] ^= 1 << bit
			if sealed.Decode(bad, "sample", new(doc)) == nil {
				t.Errorf("byte %d, bit %d flipped: not seen", i, bit)
			}
		}
	}
	for n := range good {
		if sealed.Decode(good[:n], "sample", new(doc)) == nil {
			t.Errorf("cut off after %d bytes: not seen", n)
		}
	}
}

func TestNewerIsTold(t *testing.T) { // security 3.6 row 99
	b, err := sealed.Encode(doc{"pinion.sample/v2", "x", nil})
	if err != nil {
		t.Fatal(err)
	}
	if fault := sealed.Decode(b, "sample", new(doc)); fault == nil || !fault.Newer {
		t.Errorf("a file of a newer version: %+v", fault)
	}
	if fault := sealed.Decode(b, "other", new(doc)); fault == nil || fault.Newer {
		t.Errorf("a file of another kind: %+v", fault)
	}
}

func FuzzDecode(f *testing.F) {
	b, err := sealed.Encode(doc{"pinion.sample/v1", "x", nil})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Fuzz(func(t *testing.T, data []byte) {
		var d doc
		if sealed.Decode(data, "sample", &d) == nil {
			back, err := sealed.Encode(d)
			if err != nil || sealed.Decode(back, "sample", new(doc)) != nil {
				t.Errorf("accepted, and not written back: %v", err)
			}
		}
	})
}
