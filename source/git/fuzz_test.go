package git

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"pinion/source"
)

func FuzzRefs(f *testing.F) {
	id := strings.Repeat("a1", 20)
	f.Add([]byte("0050" + id + " HEAD symref-target:refs/heads/main\n0000"))
	f.Add([]byte("000eversion 2\n0000"))
	f.Add([]byte("0045" + id + " refs/tags/v1 peeled:" + id + "\n0000"))
	f.Fuzz(func(t *testing.T, data []byte) {
		refs, err := parseRefs(newPackets(bytes.NewReader(data)), "repo")
		if err != nil {
			refs = nil
		}
		_, _, old, err := parseAdvertisement(newPackets(bytes.NewReader(data)), "repo")
		if err == nil {
			refs = append(refs, old...)
		}
		for _, r := range refs {
			if !source.IsCommit(r.id) {
				t.Fatalf("ref %q with id %q", r.name, r.id)
			}
		}
		for _, want := range []string{"", "main", "refs/tags/v1"} {
			if pin, err := pick("repo", want, refs); err == nil && !source.IsCommit(pin.Commit) {
				t.Fatalf("pick(%q) = %+v", want, pin)
			}
		}
	})
}

func FuzzTree(f *testing.F) {
	f.Add([]byte("100644 a\x00"+strings.Repeat("x", 20)+"40000 b\x00"+strings.Repeat("y", 20)), "100644 blob "+strings.Repeat("ab", 20)+"\ta/b\x00")
	f.Fuzz(func(t *testing.T, object []byte, listing string) {
		items, err := parseTree(object, 20)
		for _, it := range items {
			if err == nil && (it.path == "" || it.path == ".." || strings.ContainsRune(it.path, '/') || len(it.id) != 40) {
				t.Fatalf("item %+v", it)
			}
		}
		items, err = parseListing(listing)
		for i := 1; err == nil && i < len(items); i++ {
			if items[i-1].path >= items[i].path {
				t.Fatalf("%q before %q", items[i-1].path, items[i].path)
			}
		}
		parseCommit(object)
	})
}

func FuzzPackAnswer(f *testing.F) {
	f.Add([]byte("000dpackfile\n0015\x01PACK\x00\x00\x00\x02\x00\x00\x00\x010000"))
	f.Add([]byte("0011shallow-info\n0035shallow " + strings.Repeat("a1", 20) + "\n00010008\x03bad"))
	f.Fuzz(func(t *testing.T, data []byte) {
		w := &wire{base: "repo"}
		p := newPackets(bytes.NewReader(data))
		if _, err := w.sections(p); err != nil {
			return
		}
		const max = 64
		r, err := limitPack(&sideband{p: p, repo: "repo"}, max, 10)
		if err != nil {
			return
		}
		n, _ := io.Copy(io.Discard, r)
		if n > max+12+1 {
			t.Fatalf("%d bytes of a pack of at most %d", n, max)
		}
	})
}
