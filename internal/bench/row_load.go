package main

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"runtime"
	"time"

	"pinion/catalog"
)

// loadEntries is the size of the catalog that is loaded.
const loadEntries = 10_000

func loadRows(scale) []row {
	return []row{{"load", fmt.Sprintf("load a catalog of %d entries", loadEntries), "encoding/json v1", 0.5, times}}
}

// plainCatalog is what a program that trusts its input would read the catalog
// into.
type plainCatalog struct {
	SchemaVersion int          `json:"schema_version"`
	Name          string       `json:"name"`
	Owner         owner        `json:"owner"`
	Plugins       []plainEntry `json:"plugins"`
}

type plainEntry struct {
	Name        string `json:"name"`
	Version     string `json:"version"`
	Source      string `json:"source"`
	Hash        string `json:"hash"`
	DisplayName string `json:"displayName"`
	Description string `json:"description"`
	Kind        string `json:"kind"`
	License     string `json:"license"`
}

func runLoad(ctx context.Context, b *bench, r *record) error {
	data, err := nativeCatalog(loadEntries)
	if err != nil {
		return err
	}
	ours := func() error {
		c, problems := catalog.Parse("marketplace.json", data)
		if len(problems) > 0 {
			return fmt.Errorf("the made-up catalog has a problem: %s", problems[0].Message)
		}
		if len(c.Entries) != loadEntries {
			return fmt.Errorf("%d entries", len(c.Entries))
		}
		return nil
	}
	theirs := func() error {
		var c plainCatalog
		if err := json.Unmarshal(data, &c); err != nil {
			return err
		}
		if len(c.Plugins) != loadEntries {
			return fmt.Errorf("%d entries", len(c.Plugins))
		}
		return nil
	}
	got, err := pair{rounds: b.rounds, contenders: []contender{inProcess("catalog.Parse", ours), inProcess("json.Unmarshal", theirs)}}.measure(ctx)
	if err != nil {
		return err
	}
	r.set("load", ratio(got[0], got[1]), "%s; %d bytes", medians(got), len(data))
	return nil
}

// inProcess is a contender that calls a function of this process several times.
func inProcess(name string, work func() error) contender {
	const calls = 5
	return contender{
		name: name,
		// Each starts with a clean heap, so that nobody pays for the other's
		// garbage.
		before: func(context.Context, int) error { runtime.GC(); return nil },
		run: func(context.Context, int) (sample, error) {
			start := time.Now()
			for range calls {
				if err := work(); err != nil {
					return sample{}, err
				}
			}
			return sample{wall: time.Since(start) / calls}, nil
		},
	}
}

// nativeCatalog is a catalog of n entries in the form build-catalog writes.
func nativeCatalog(n int) ([]byte, error) {
	c := plainCatalog{SchemaVersion: 1, Name: "bench", Owner: owner{"Bench"}, Plugins: make([]plainEntry, n)}
	for i := range c.Plugins {
		m := made{index: i, version: firstVersion}
		sum := sha256.Sum256([]byte(m.id()))
		c.Plugins[i] = plainEntry{
			m.id(), m.version, "./plugins/" + m.id(), "h1:" + base64.StdEncoding.EncodeToString(sum[:]),
			m.title(), m.description(), "skill", "0BSD",
		}
	}
	return json.MarshalIndent(c, "", "  ")
}
