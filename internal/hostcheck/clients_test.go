package hostcheck

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pinion/internal/testkit"
)

// sampleSize is how many cases the clients are asked about in each run of the
// tests.
const sampleSize = 40

// sample takes cases by the hash of their ids.
func sample(cases []Case) []Case {
	cases = slices.DeleteFunc(slices.Clone(cases), func(c Case) bool { return c.Shape == Extension })
	slices.SortFunc(cases, func(a, b Case) int { return strings.Compare(hashOf(a.ID), hashOf(b.ID)) })
	return cases[:sampleSize]
}

// TestClients asks the installed clients about a sample, with a command for
// each installation, and compares with what is recorded and with our verdict.
// Gemini is left out: each of its starts takes more than a second.
func TestClients(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts other people's programs for half a minute")
	}
	dir, err := Dir(os.Getenv)
	if err != nil {
		t.Skip(err)
	}
	clients := Open(dir)
	var names []Name
	for _, n := range ClientNames() {
		if n == GeminiClient {
			continue
		}
		if err := clients.Has(n); err != nil {
			t.Logf("not asked: %v in %s", err, dir)
			continue
		}
		names = append(names, n)
	}
	if len(names) == 0 {
		t.Skipf("no client is installed in %s: `go run ./internal/hostcheck/check -install claude,codex,copilot,skills,skills-ref,mcpb`", dir)
	}
	all, _ := battery(t)
	cases := sample(all)
	fresh := &Truths{rows: map[string]Truth{}}
	m := Measure{Clients: clients, Temp: testkit.FastDir(t), Workers: 2, OneByOne: true, Done: func([]Truth) error { return nil }}
	if err := m.Run(t.Context(), cases, names, fresh); err != nil {
		t.Fatal(err)
	}
	known := recorded(t)
	for _, r := range fresh.Rows() {
		old, ok := known.rows[r.key()]
		if !ok || old.Digest != r.Digest || old.Version != r.Version {
			continue // it is compared with ours below
		}
		if old.Loads != r.Loads || old.Has != nil && r.Has != nil && !slices.Equal(old.Has.told(r.Has), r.Has.told(r.Has)) {
			t.Errorf("%s %s#%s: now it loads %v with %v (%s), recorded is %v with %v", r.Client, r.Case, r.Plugin, r.Loads, r.Has, r.Text, old.Loads, old.Has)
		}
	}
	compareSample(t, cases, fresh)
}

func compareSample(t *testing.T, cases []Case, fresh *Truths) {
	t.Helper()
	reasons, err := LoadReasons(filepath.Join("testdata", "reasons.txt"))
	if err != nil {
		t.Fatal(err)
	}
	result, err := Compare(t.Context(), testkit.FastDir(t), cases, fresh, reasons)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range result.Scores {
		t.Logf("%s %s: %d of %d answers agree", s.Client, s.Version, s.Agree, s.Asked)
	}
	for _, d := range result.Differences {
		if d.Reason == "" {
			t.Errorf("%s: ours: %s (%s), theirs: %s (%s)", d.ID(), d.Ours, d.Rule, d.Theirs, d.Text)
		}
	}
}
