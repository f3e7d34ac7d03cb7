package fsx_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"pinion/internal/fsx"
)

// An installation in the order that survives a kill and a power cut.
func Example() {
	base, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(base)
	home, err := fsx.OpenHome(filepath.Join(base, "home"), fsx.Options{Create: true})
	if err != nil {
		panic(err)
	}
	defer home.Close()
	check := func(err error) {
		if err != nil {
			panic(err)
		}
	}

	unlock, err := home.Lock(context.Background(), "lock")
	check(err)
	defer unlock()
	_, err = home.CleanStaging()
	check(err)

	check(home.MkdirAll("packages/greet"))
	check(home.MkdirAll("receipts"))
	stage, err := home.Stage()
	check(err)
	defer stage.Close()
	check(stage.Dir.WriteNew("SKILL.md", []byte("hello"), 0o644))
	check(home.MakeReadOnly(stage.Name))
	check(home.SyncTree(stage.Name))
	check(home.Place(stage.Name, "packages/greet/1.0.0"))
	check(home.WriteFile("receipts/greet.json", []byte("{}\n"), 0o600))

	data, err := home.ReadFile("packages/greet/1.0.0/SKILL.md", 1<<20)
	check(err)
	fmt.Printf("%s\n", data)
	check(home.RemoveAll("packages/greet/1.0.0"))
	// Output: hello
}
