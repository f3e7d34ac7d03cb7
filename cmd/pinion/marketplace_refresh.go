package main

import (
	"context"
	"errors"

	"github.com/urfave/cli/v2"

	"pinion"
	"pinion/market"
)

// marketplaceRefreshOptions are the flags and arguments of `pinion marketplace refresh`.
type marketplaceRefreshOptions struct {
	skipRefused bool
	accept      []string
	deep        bool
}

func newMarketplaceRefreshCmd(e *env) *command {
	o := &marketplaceRefreshOptions{}
	return &command{
		Command: &cli.Command{
			Name:  "marketplace refresh",
			Usage: "fetch the newest catalogs",
			Description: "Resolves the commit again, verifies, then swaps; installed plugins stay as they are. Prints " +
				"what was added, updated, removed, rewritten, is unavailable or was refused. A catalog with " +
				"digests is taken as a whole or not at all (exit 4). In one without, every entry is judged by " +
				"itself, and other bytes under a known version become a second build that is shown as " +
				"rewritten. Every refusal prints its way out.",
			Flags: []cli.Flag{
				boolFlag(&o.skipRefused, "skip-refused", "take the rest; refused entries stay at the bytes you have"),
				listFlag(&o.accept, "accept", "accept `RULE` once: history/rewritten, source/moved, source/tag-moved or catalog/digests-dropped"),
				boolFlag(&o.deep, "deep", "also fetch the entries that live in other repositories"),
			},
			Action: e.with(func(ctx context.Context, lib *pinion.Client, args []string) error {
				return runMarketplaceRefresh(ctx, e, lib, *o, args)
			}),
		},
		section: markets,
		args:    []arg{{name: "NAME", kind: marketplace, optional: true, many: true}},
		examples: []example{
			{"pinion marketplace refresh", "all marketplaces"},
			{"pinion marketplace refresh tools --skip-refused", "one of them, without what it refuses"},
		},
		exits:   []int{exitRefused},
		changes: true,
		result:  true,
	}
}

func runMarketplaceRefresh(ctx context.Context, e *env, lib *pinion.Client, o marketplaceRefreshOptions, names []string) error {
	e.collectLate()
	r, err := lib.MarketplaceRefresh(ctx, names, market.RefreshOptions{
		SkipRefused: o.skipRefused, Accept: o.accept, Deep: o.deep, DryRun: e.opts.dryRun,
	})
	if r == nil {
		return err
	}
	if e.asJSON() {
		return errors.Join(e.printJSON(r), err)
	}
	if werr := e.sayRefreshed(r.Marketplaces); werr != nil {
		return werr
	}
	if len(r.Marketplaces)+len(r.Failed) == 0 && err == nil {
		e.Note("no marketplace has been added")
		e.Next("pinion marketplace add OWNER/REPO")
	}
	e.nextAfterRefresh(r.Marketplaces)
	return e.failures(r.Failed, err)
}

// failures prints every marketplace that could not be refreshed, and returns
// what ends the command. err is the one that decides the exit code.
func (e *env) failures(failed []pinion.RefreshFailure, err error) error {
	if len(failed) == 0 || e.asJSON() {
		return err
	}
	for _, f := range failed {
		var no *market.RefusedError
		if !errors.As(f.Err, &no) {
			e.warn("%s could not be refreshed; its catalog stays as it was", f.Name)
		}
		printError(e.Console, false, f.Err)
	}
	if err == nil {
		return nil
	}
	return codeError(exitOf(err))
}

// worst picks the failure that decides the exit code: a refusal before any
// other.
func worst(failed []pinion.RefreshFailure) error {
	var first error
	for _, f := range failed {
		if first == nil || exitOf(first) != exitRefused && exitOf(f.Err) == exitRefused {
			first = f.Err
		}
	}
	return first
}

func (e *env) nextAfterRefresh(reports []*market.Report) {
	for _, r := range reports {
		if len(r.Updated) > 0 {
			e.Next("pinion upgrade")
			return
		}
	}
}
