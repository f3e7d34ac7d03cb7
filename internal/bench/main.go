// Command bench measures Pinion against the programs people use instead, and
// against the physical limit, as ratios of one interleaved run.
//
// It asserts nothing: it prints a table with the limits beside the figures, and
// writes the same with the circumstances to a Markdown file. The counters that
// must never grow are tests of the packages they belong to.
//
// All data is made up here and is the same in every run. It lies on a memory
// file system where there is one; only what must reach a disk is on a disk. Git
// servers are git's own http-backend on loopback, so server and client share the
// cores. Children get a clean environment: no configuration of git's or of the
// user's.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	var o options
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.StringVar(&o.binary, "pinion", "bin/pinion", "the `BINARY` that is measured")
	flags.StringVar(&o.claude, "claude", "", "the `BINARY` of Claude Code to compare with")
	flags.StringVar(&o.codex, "codex", "", "the `BINARY` of Codex to compare with")
	flags.StringVar(&o.dir, "dir", memoryDir(), "`DIR` for the data, best a memory file system")
	flags.StringVar(&o.disk, "disk", os.TempDir(), "`DIR` on a disk, for what must be durable")
	flags.IntVar(&o.rounds, "rounds", 7, "measure this many `TIMES`; the median counts")
	scale := flags.String("scale", "full", "`SIZE` of the data: full, or small for a quick look")
	only := flags.String("only", "", "measure only this `GROUP`, and write no file: "+strings.Join(groupNames(), ", "))
	out := flags.String("out", "", "write the result to this Markdown `FILE` too")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if o.rounds < 1 {
		return fmt.Errorf("%d rounds", o.rounds)
	}
	var ok bool
	if o.scale, ok = scaleNamed(*scale); !ok {
		return fmt.Errorf("no scale %q: full or small", *scale)
	}
	chosen, err := chooseGroups(*only)
	if err != nil {
		return err
	}
	if o.binary, err = filepath.Abs(o.binary); err != nil {
		return err
	}
	if _, err := os.Stat(o.binary); err != nil {
		return fmt.Errorf("%w; make build makes it", err)
	}

	b, err := newBench(o)
	if err != nil {
		return err
	}
	defer b.close()
	r := report{machine: b.machine(ctx), options: o, results: b.measure(ctx, chosen)}
	if err := ctx.Err(); err != nil {
		return err
	}
	r.text(os.Stdout)
	if *out == "" || *only != "" {
		return nil
	}
	return os.WriteFile(*out, r.markdown(), 0o644)
}

// memoryDir returns where Linux has a memory file system, else the directory
// for temporary files.
func memoryDir() string {
	const shared = "/dev/shm"
	if info, err := os.Stat(shared); err == nil && info.IsDir() {
		return shared
	}
	return os.TempDir()
}
