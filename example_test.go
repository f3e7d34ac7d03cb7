package pinion_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"pinion"
	"pinion/market"
)

// A host finds out which directories hold the active plugins. First, as an
// author and a user would, the marketplace that ships with the project is built,
// added and installed from.
func Example() {
	tmp, err := os.MkdirTemp("", "pinion-example-")
	if err != nil {
		log.Fatal(err)
	}
	defer removeAll(tmp)
	shop := filepath.Join(tmp, "sample")
	if err := os.CopyFS(shop, os.DirFS("demo/marketplace")); err != nil {
		log.Fatal(err)
	}

	client, err := pinion.New(pinion.Options{Home: filepath.Join(tmp, "home"), Cwd: tmp, Offline: true})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	ctx := context.Background()

	if _, err := client.BuildCatalog(ctx, shop, pinion.BuildOptions{Owner: "Ada Author"}); err != nil {
		log.Fatal(err)
	}
	if _, err := client.MarketplaceAdd(ctx, "./sample", market.AddOptions{}); err != nil {
		log.Fatal(err)
	}
	ref, err := pinion.ParseRef("release-notes@sample", tmp)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := client.Install(ctx, []pinion.Ref{ref}, pinion.InstallOptions{Activate: true}); err != nil {
		log.Fatal(err)
	}

	if err := printActive(ctx, client); err != nil {
		log.Fatal(err)
	}
	// Output:
	// release-notes 1.0.0 [LICENSE SKILL.md examples pinion-plugin.json]
}

// printActive prints the active plugins and the names in their directories. Its
// body stands in the README.
func printActive(ctx context.Context, client *pinion.Client) error {
	installed, err := client.List(ctx)
	if err != nil {
		return err
	}
	for _, p := range installed.Plugins {
		if p.State != pinion.StateActive {
			continue
		}
		dir, err := client.Path(ctx, pinion.Ref{ID: p.ID})
		if err != nil {
			return err
		}
		entries, err := os.ReadDir(dir) // read-only
		if err != nil {
			return err
		}
		fmt.Println(p.ID, p.Version, names(entries))
	}
	return nil
}

func names(entries []os.DirEntry) []string {
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

// removeAll also removes installed versions, which are read-only.
func removeAll(dir string) {
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			err = os.Chmod(path, 0o700)
		}
		return err
	})
	if err == nil {
		err = os.RemoveAll(dir)
	}
	if err != nil {
		log.Print(err)
	}
}
