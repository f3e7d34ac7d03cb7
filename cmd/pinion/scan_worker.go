package main

import (
	"context"
	"os"

	"github.com/urfave/cli/v2"

	"pinion"
	"pinion/internal/sandbox"
)

// scanWorker is the word that makes this program a scanning process.
const scanWorker = "scan-worker"

// newScanWorkerCmd is the process that scans for another one: it gives up files
// and network and answers on its standard streams.
func newScanWorkerCmd(e *env) *command {
	return &command{
		Command: &cli.Command{
			Name:  scanWorker,
			Usage: "scan for another pinion process",
			Description: "Answers the requests of another pinion on its standard streams, after giving up files and network as far as the " +
				"system can. It is started by pinion itself; there is no use in typing it.",
			Action: e.with(func(ctx context.Context, lib *pinion.Client, _ []string) error {
				if _, err := sandbox.Confine(); err != nil {
					return err
				}
				return lib.ScanWorker(ctx, os.Stdin, os.Stdout)
			}),
		},
		section:  about,
		examples: []example{{"pinion scan-worker", "as pinion starts it"}},
		hidden:   true,
	}
}

// workerArgv is how this program is started as a scanning process; nil when it
// does not know where it is.
func workerArgv() []string {
	self, err := os.Executable()
	if err != nil {
		return nil
	}
	return []string{self, scanWorker}
}
