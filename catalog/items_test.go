package catalog

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"pinion/hashes"
	"pinion/manifest"
)

func manyItem(i int) Item {
	id := fmt.Sprintf("pkg-%06d", i)
	sum := hashes.Of([]byte(id))
	digest, err := hashes.Parse("h1:" + base64.StdEncoding.EncodeToString(sum[:]))
	if err != nil {
		panic(err)
	}
	return Item{
		ID: id, Version: "1.0.0", Dir: "plugins/" + id, Kind: manifest.Skill, License: "MIT", Manifest: "pinion-plugin.json",
		DisplayName: fmt.Sprintf("Package %d", i), Description: strings.Repeat(fmt.Sprintf("Text number %d. ", i), 12), Digest: digest,
	}
}

// Every package comes back as it was added, in whatever order, also from the
// blocks that are compressed.
func TestItemsRoundTrip(t *testing.T) {
	t.Parallel()
	const n = 20_000
	l := NewItems(n)
	// As several readers mix them.
	var order []int
	rnd := rand.New(rand.NewPCG(1, 2))
	for from := 0; from < n; from += 200 {
		for _, i := range rnd.Perm(200) {
			order = append(order, from+i)
		}
	}
	for _, i := range order {
		it := manyItem(i)
		if i == 77 {
			it.Dir, it.Description, it.DisplayName = "elsewhere/x", strings.Repeat("é", 40_000), ""
		}
		l.Add(it)
	}
	if len(l.prose.blocks) <= plainBlocks+openBlocks {
		t.Fatalf("only %d blocks: nothing was compressed", len(l.prose.blocks))
	}
	for k, i := range order {
		want := manyItem(i)
		if i == 77 {
			want.Dir, want.Description, want.DisplayName = "elsewhere/x", strings.Repeat("é", 40_000)[:1<<16-1], ""
		}
		if got := l.At(k); got != want {
			t.Fatalf("At(%d) = %+v, want %+v", k, got, want)
		}
	}
	l.sort()
	for i := range n {
		if got := l.At(i); got.ID != manyItem(i).ID {
			t.Fatalf("after sorting At(%d) is %s", i, got.ID)
		}
	}
}

// Lengths do not add up beyond what one of them can be.
func TestItemsLongWords(t *testing.T) {
	t.Parallel()
	long := func(c string) string { return strings.Repeat(c, 1<<16-1) }
	want := Item{ID: long("i"), Version: long("v"), Dir: long("d"), DisplayName: long("n"), Description: long("t")}
	l := ItemsOf(want, want)
	l.sort()
	if got := l.At(1); got != want {
		t.Errorf("the words have %d, %d, %d, %d and %d bytes", len(got.ID), len(got.Version), len(got.Dir), len(got.DisplayName), len(got.Description))
	}
}

// performance 6 row 2: memory grows by names and digests only.
func TestItemsMemory(t *testing.T) {
	t.Parallel()
	const n = 50_000
	l := NewItems(n)
	for i := range n {
		l.Add(manyItem(i))
	}
	size := cap(l.keys) + cap(l.prose.last)
	for _, b := range l.prose.blocks {
		size += cap(b)
	}
	if size/n > 110 {
		t.Errorf("%d bytes of text a package, want at most 110", size/n)
	}
}
