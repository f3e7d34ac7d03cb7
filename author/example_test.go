package author_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"pinion/author"
	"pinion/manifest"
)

// A package is started and released.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	pkg := filepath.Join(dir, "my-tool")

	made, err := author.Init(context.Background(), author.InitOptions{Kind: manifest.Skill, ID: "my-tool", Dir: pkg, Holder: "Ada Lovelace"})
	fmt.Println(made.Files, err)
	bumped, err := author.Bump(context.Background(), pkg, "major", author.BumpOptions{})
	fmt.Println(bumped.From, bumped.To, bumped.Files, err)
	// Output:
	// [LICENSE SKILL.md pinion-plugin.json] <nil>
	// 0.1.0 1.0.0 [pinion-plugin.json] <nil>
}

func ExampleCheckID() {
	var e *author.Error
	if errors.As(author.CheckID("My Tool"), &e) {
		fmt.Println(e)
		fmt.Println(e.Hint)
	}
	// Output:
	// id "My Tool" is not lower-case words joined by single dashes
	// did you mean my-tool?
}
