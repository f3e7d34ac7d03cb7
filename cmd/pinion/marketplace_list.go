package main

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"pinion"
	"pinion/internal/ui"
)

func newMarketplaceListCmd(e *env) *command {
	return &command{
		Command: &cli.Command{
			Name:        "marketplace list",
			Usage:       "list the added marketplaces",
			Description: "Lists name, source, commit, age and number of packages.",
			Action: e.with(func(ctx context.Context, lib *pinion.Client, args []string) error {
				return runMarketplaceList(ctx, e, lib)
			}),
		},
		section: markets,
		examples: []example{
			{"pinion marketplace list", "all of them"},
		},
		result: true,
	}
}

func runMarketplaceList(ctx context.Context, e *env, lib *pinion.Client) error {
	r, err := lib.MarketplaceList(ctx)
	if err != nil {
		return err
	}
	e.damaged(r.Damaged)
	return e.show(r, func() error {
		t := ui.NewTable(
			ui.Column{Title: "NAME", Keep: true}, ui.Column{Title: "SOURCE"}, ui.Column{Title: "REF"}, commitColumn("COMMIT"),
			ui.Column{Title: "PLUGINS", Keep: true}, ui.Column{Title: "CHECKED", Short: e.shortAge})
		for _, m := range r.Marketplaces {
			t.Row(m.Name, m.Source, shortRef(m.Ref), m.Commit, strconv.Itoa(m.Plugins), stamp(m.Checked))
		}
		if err := t.Write(e.Out); err != nil {
			return err
		}
		if t.Len() == 0 {
			e.Note("no marketplace has been added")
			e.Next("pinion marketplace add OWNER/REPO")
		}
		return nil
	})
}

// shortAge turns the time in a cell into how long ago that was.
func (e *env) shortAge(cell string) string {
	t, err := time.Parse(time.RFC3339, cell)
	if err != nil {
		return cell
	}
	return age(e.now(), t)
}

// shortRef is the name of a branch or tag without its long prefix.
func shortRef(ref string) string {
	ref = strings.TrimPrefix(ref, "refs/heads/")
	return strings.TrimPrefix(ref, "refs/tags/")
}
