package store_test

import (
	"context"
	"errors"
	"fmt"

	"pinion/hashes"
	"pinion/store"
)

// A store without a home reads as empty.
func ExampleOpen() {
	s, err := store.Open(nil, store.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	receipts, damaged, err := s.List(context.Background())
	fmt.Println(len(receipts), len(damaged), err)
	_, err = s.Rollback(context.Background(), store.Scope{}, "text-tools", store.Build{}, nil)
	fmt.Println(errors.Is(err, store.ErrNoHome))
	// Output:
	// 0 0 <nil>
	// true
}

func ExampleBuild_Dir() {
	d, err := hashes.Parse("h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")
	if err != nil {
		fmt.Println(err)
		return
	}
	b := store.Build{Key: "0123456789abcdef", ID: "Text-Tools", Version: "1.0.0", Digest: d}
	fmt.Println(b.Dir())
	// Output:
	// packages/0123456789abcdef/=54ext-=54ools/1.0.0+e3b0c442
}
