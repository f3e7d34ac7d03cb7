// Command check asks the pinned clients about the battery, compares their
// answers with ours, and writes both down. `make check-hosts` runs it.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"

	"pinion/internal/hostcheck"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "check-hosts:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	var o hostcheck.Options
	flag.StringVar(&o.Clients, "clients", "", "directory of the clients (default $PINION_CLIENTS, else in the user's cache)")
	flag.StringVar(&o.Corpus, "corpus", "../shared/corpus", "directory of the corpus; without one only what is made in code is asked about")
	flag.StringVar(&o.Truth, "truth", "internal/hostcheck/testdata/truth.jsonl", "where the answers are kept")
	flag.StringVar(&o.Reasons, "reasons", "internal/hostcheck/testdata/reasons.txt", "who is right where we disagree")
	flag.StringVar(&o.Doc, "doc", "docs/hosts.md", "page with the part that is written; empty for none")
	flag.StringVar(&o.List, "list", "", "file that gets every disagreement with its details")
	flag.StringVar(&o.Only, "only", "", "ask only about cases whose id begins with this")
	flag.StringVar(&o.Install, "install", "", "install these clients, names with commas, and do nothing else")
	flag.BoolVar(&o.Offline, "recorded", false, "compare what is recorded, and ask nothing")
	flag.Parse()
	o.Getenv, o.Now, o.Log = os.Getenv, time.Now, func(line string) { fmt.Fprintln(os.Stderr, line) }
	return hostcheck.Check(ctx, o)
}
