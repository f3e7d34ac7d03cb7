package catalog_test

import (
	"fmt"

	"pinion/catalog"
	"pinion/hashes"
)

func Example() {
	digest, _ := hashes.Parse("h1:ewgmbxq501s9WBsNBQyYKOiGfnOXpdPPuc8LDrawrBk=")
	built := catalog.Build(catalog.BuildInput{
		Name:  "Acme Plugins",
		Owner: "Acme",
		Items: catalog.ItemsOf(catalog.Item{ID: "writing-style", Version: "1.0.0", Dir: "plugins/writing-style", Kind: "skill", Digest: digest}),
	})
	c, problems := catalog.Parse(built.Path, built.Bytes())
	entry, _, _ := c.Resolve("writing-style")
	dir, _ := entry.Source.Relative()
	fmt.Println(c.Name, c.Native, len(problems), dir, entry.Digest.Short())
	// Output: acme-plugins true 0 plugins/writing-style h1:ewgmbxq5…
}
