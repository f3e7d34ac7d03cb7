package syntax_test

import (
	"fmt"

	"pinion/internal/syntax"
)

func ExampleDecode() {
	var v struct {
		Name    string `json:"name"`
		License string `json:"license"`
	}
	text := "{\n  \"name\": 7,\n  \"licence\": \"MIT\",\n}\n"
	for _, p := range syntax.Decode([]byte(text), &v, syntax.Options{RejectUnknown: true}) {
		fmt.Println(p)
	}
	// Output:
	// 2:11: error: "name" is the number 7, want a string (json/type)
	// 3:3: error: unknown key "licence"; did you mean "license"? (json/unknown-key)
	// 3:19: error: a comma before "}"; JSON has no trailing commas (json/syntax)
}

func ExampleFrontmatter() {
	front, problems := syntax.Frontmatter([]byte("---\nname: deploy\ndescription: Use when: asked\n---\n# Deploy\n"))
	for _, f := range front.Fields {
		fmt.Printf("%s = %q\n", f.Key, f.Value)
	}
	fmt.Println(problems[0])
	// Output:
	// name = "deploy"
	// description = "Use when: asked"
	// 3:22: warning: the value of "description" has a colon and a space, but no quotes (yaml/syntax)
}
