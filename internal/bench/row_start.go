package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"
)

// shortRounds multiplies the rounds of processes that take milliseconds.
const shortRounds = 15

func startRows(scale) []row {
	return []row{
		{"start-hello", "pinion --version", "Go hello", 8, times},
		{"start-node", "pinion --version", "node -e 0", 0.15, times},
	}
}

func runStart(ctx context.Context, b *bench, r *record) error {
	hello, err := b.tool(ctx, "hello")
	if err != nil {
		return err
	}
	contenders := []contender{
		b.process("pinion", b.pinion("", "--version")),
		b.process("hello", command{path: hello}),
	}
	noNode := available("node")
	if noNode == nil {
		contenders = append(contenders, b.process("node", command{path: "node", args: []string{"-e", "0"}}))
	}
	got, err := pair{rounds: b.rounds * shortRounds, contenders: contenders}.measure(ctx)
	if err != nil {
		return err
	}
	r.set("start-hello", ratio(got[0], got[1]), "%s", medians(got[:2]))
	if noNode != nil {
		r.miss("start-node", noNode)
		return nil
	}
	r.set("start-node", ratio(got[0], got[2]), "%s", medians([]series{got[0], got[2]}))
	return nil
}

func validateRows(scale) []row {
	return []row{
		{"validate-start", "validate one package", "pinion --version", 1.6, times},
		{"validate-claude", "validate one package", "claude plugin validate", 0.02, times},
	}
}

func runValidate(ctx context.Context, b *bench, r *record) error {
	dir := b.newDir(b.tmp, "one")
	ours := made{index: 1, version: firstVersion, size: fileSize}
	if err := ours.write(filepath.Join(dir, ours.id())); err != nil {
		return err
	}
	got, err := pair{rounds: b.rounds * shortRounds, contenders: []contender{
		b.process("validate", b.pinion("", "validate", filepath.Join(dir, ours.id()))),
		b.process("--version", b.pinion("", "--version")),
	}}.measure(ctx)
	if err != nil {
		return err
	}
	r.set("validate-start", ratio(got[0], got[1]), "%s", medians(got))

	if b.claude == "" {
		r.miss("validate-claude", fmt.Errorf("no -claude BINARY given"))
		return nil
	}
	// The same format for both, so that both do the same.
	theirs := made{format: foreign, index: 2, version: firstVersion, size: fileSize}
	path := filepath.Join(dir, theirs.id())
	if err := theirs.write(path); err != nil {
		return err
	}
	got, err = pair{rounds: b.rounds, contenders: []contender{
		b.process("pinion", b.pinion("", "validate", path)),
		b.process("claude", command{path: b.claude, args: []string{"plugin", "validate", path}}),
	}}.measure(ctx)
	if err != nil {
		return err
	}
	r.set("validate-claude", ratio(got[0], got[1]), "%s", medians(got))
	return nil
}

// medians writes the name and the median time of each series.
func medians(all []series) string {
	parts := make([]string, len(all))
	for i, s := range all {
		parts[i] = s.name + " " + short(s.wall())
	}
	return strings.Join(parts, ", ")
}

// short writes a time in milliseconds.
func short(d time.Duration) string {
	ms := float64(d) / float64(time.Millisecond)
	if ms < 100 {
		return fmt.Sprintf("%.2f ms", ms)
	}
	return fmt.Sprintf("%.0f ms", ms)
}
