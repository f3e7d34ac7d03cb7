package checks

import (
	"strings"
	"testing"
)

// No content of a picture may send the walkers outside of it, and cut off
// pictures carry nothing.
func TestCutPictures(t *testing.T) {
	png := "\x89PNG\r\n\x1a\n\x00\x00\x00\x00IEND\xae\x42\x60\x82"
	jpg := "\xff\xd8\xff\xe0\x00\x04\x00\x00\xff\xda\x00\x04\x00\x00ab\xff\x00cd\xff\xd9"
	gif := "GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff!\xf9\x04\x00\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"
	for _, s := range []string{png, jpg, gif} {
		for n := range len(s) + 1 {
			if got := carries([]byte(s[:n]), "image"); got != "" {
				t.Errorf("%q: %s", s[:n], got)
			}
		}
		if got := carries([]byte(s+"\n#!/bin/sh\n"), "image"); !strings.Contains(got, "script") {
			t.Errorf("%q with a script: %q", s[:6], got)
		}
		if got := carries([]byte(s+s), "image"); got != "" {
			t.Errorf("%q twice: %s", s[:6], got)
		}
	}
}

func FuzzCarries(f *testing.F) {
	f.Add([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x00IEND\xae\x42\x60\x82PK\x05\x06"))
	f.Add([]byte("GIF89a\x01\x00\x01\x00\x80\x00\x00,;"))
	f.Add([]byte("\xff\xd8\xff\xda\x00\x02\xff\xd9"))
	f.Fuzz(func(t *testing.T, data []byte) {
		carries(data, "image")
		kindOf(data)
		classify(data[:min(len(data), 1<<10)])
	})
}
