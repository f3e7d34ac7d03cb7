package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
)

// machine returns what the run ran on; what cannot be found out is left out.
func (b *bench) machine(ctx context.Context) []fact {
	facts := []fact{
		{"when", time.Now().UTC().Format("2006-01-02 15:04 MST")},
		{"rounds, scale", fmt.Sprintf("%d, %s", b.rounds, b.scale.name)},
		{"cores", fmt.Sprintf("%d (%s/%s)", runtime.NumCPU(), runtime.GOOS, runtime.GOARCH)},
	}
	if model := cpuModel(); model != "" {
		facts = append(facts, fact{"processor", model})
	}
	for _, q := range []struct {
		name string
		c    command
	}{
		{"kernel", command{path: "uname", args: []string{"-sr"}}},
		{"Go", command{path: "go", args: []string{"env", "GOVERSION"}, env: os.Environ()}},
		{"git", command{path: "git", args: []string{"version"}}},
		{"Node.js", command{path: "node", args: []string{"--version"}}},
		{"Pinion", b.pinion("", "--version")},
		{"file system of the data", b.sh(`df -PT "$1" | awk 'NR==2 {print $2}'`, b.tmp)},
		{"file system of the disk", b.sh(`df -PT "$1" | awk 'NR==2 {print $2}'`, b.durable)},
	} {
		if said, err := b.output(ctx, q.c); err == nil && said != "" {
			facts = append(facts, fact{q.name, said})
		}
	}
	return facts
}

// cpuModel is the processor's name as Linux says it, or "".
func cpuModel() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(info)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
