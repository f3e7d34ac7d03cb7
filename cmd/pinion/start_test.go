package main

import (
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// maxInit is how many allocations one package of Pinion may make before main
// runs. A compiled regular expression takes about a hundred, a parsed document
// more; errors and the functions that make such things on first use take a few.
const maxInit = 32

// moreInit are packages that may make more. The rules of the scanner are lists
// of words, many of them sets: together they take some 10 µs.
var moreInit = map[string]int{"pinion/scan/checks": 200}

// Every command pays for what packages set up when the program starts, so that
// is counted. Spec performance.md, start-up.
func TestStartIsLean(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("pinion")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, "--version")
	cmd.Env = []string{"GODEBUG=inittrace=1"}
	var trace strings.Builder
	cmd.Stderr = &trace
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^init (\S+) @.* (\d+) bytes, (\d+) allocs$`)
	own := 0
	for _, m := range line.FindAllStringSubmatch(trace.String(), -1) {
		name := m[1]
		// The program under test is the test's own, with what only tests use.
		if name != "pinion" && !strings.HasPrefix(name, "pinion/") || name == "pinion/internal/testkit" {
			continue
		}
		own++
		allocs, err := strconv.Atoi(m[3])
		if err != nil {
			t.Fatal(err)
		}
		if most := max(maxInit, moreInit[name]); allocs > most {
			t.Errorf("package %s makes %d allocations before main runs, at most %d are allowed: use sync.OnceValue", name, allocs, most)
		}
	}
	if own == 0 {
		t.Errorf("no package of Pinion is in the trace, so nothing was counted:\n%s", trace.String())
	}
}
