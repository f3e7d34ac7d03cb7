package main

import (
	"context"
	"fmt"
	"strings"
)

// row is one line of the table: what is measured, and the most it may be.
type row struct {
	id    string
	work  string
	over  string // what it is compared with, or what counts it
	limit float64
	unit  unit
}

// unit is what a row's figures are.
type unit string

const (
	times unit = "×"
	mib   unit = " MiB"
	count unit = ""
	size  unit = " B"

	nanoseconds  unit = " ns/B"
	milliseconds unit = " ms"
)

// result is a row with what was measured.
type result struct {
	row
	value  float64
	detail string
	missed string // why there is no value, or ""
}

// verdict is ok, over, or not run with the reason.
func (r result) verdict() string {
	switch {
	case r.missed != "":
		return "not run: " + r.missed
	case r.value > r.limit:
		return "over"
	}
	return "ok"
}

// group are rows that are measured together.
type group struct {
	name string
	rows func(s scale) []row
	// run records what it has measured. Its error is the reason given for the
	// rows it has not recorded.
	run func(ctx context.Context, b *bench, r *record) error
}

// groups lists everything in the order it is measured: what needs little data
// first.
func groups() []group {
	return []group{
		{"load", loadRows, runLoad},
		{"start", startRows, runStart},
		{"validate", validateRows, runValidate},
		{"scan", scanRows, runScan},
		{"activate", activateRows, runActivate},
		{"install-cached", cachedRows, runCached},
		{"refresh-unchanged", unchangedRows, runUnchanged},
		{"refresh-changed", changedRows, runChanged},
		{"add", addRows, runAdd},
		{"install-new", newRows, runNew},
		{"hosts", hostRows, runHosts},
		{"catalog", catalogRows, runCatalog},
		{"from-head", fromHeadRows, runFromHead},
		{"growth", growthRows, runGrowth},
	}
}

func groupNames() []string {
	var names []string
	for _, g := range groups() {
		names = append(names, g.name)
	}
	return names
}

// chooseGroups returns the group with the name, or all of them for "".
func chooseGroups(name string) ([]group, error) {
	if name == "" {
		return groups(), nil
	}
	for _, g := range groups() {
		if g.name == name {
			return []group{g}, nil
		}
	}
	return nil, fmt.Errorf("no group %q; there are %s", name, strings.Join(groupNames(), ", "))
}

// record takes the results of a group.
type record struct{ results []result }

// set records the value of the row with the id. The id must be one of the
// group's.
func (r *record) set(id string, value float64, detail string, args ...any) {
	res := r.find(id)
	res.value, res.detail, res.missed = value, fmt.Sprintf(detail, args...), ""
}

// miss records why a row has no value.
func (r *record) miss(id string, why error) { r.find(id).missed = why.Error() }

// rest gives the reason for the rows that have no value yet.
func (r *record) rest(why string) {
	for i := range r.results {
		if r.results[i].missed == unset {
			r.results[i].missed = why
		}
	}
}

func (r *record) find(id string) *result {
	for i := range r.results {
		if r.results[i].id == id {
			return &r.results[i]
		}
	}
	panic("bench: no row " + id)
}

// measure runs the groups. A group that fails costs its own rows only.
func (b *bench) measure(ctx context.Context, chosen []group) []result {
	var all []result
	for _, g := range chosen {
		b.note("%s", g.name)
		var r record
		for _, w := range g.rows(b.scale) {
			r.results = append(r.results, result{row: w, missed: unset})
		}
		why := "nothing was recorded"
		if err := g.run(ctx, b, &r); err != nil {
			why = err.Error()
			b.note("%s: %v", g.name, err)
		}
		r.rest(why)
		for i := range r.results {
			r.results[i].missed = b.nameless(r.results[i].missed)
		}
		all = append(all, r.results...)
	}
	return all
}

// nameless takes the random names of the bench's directories out of a reason.
func (b *bench) nameless(reason string) string {
	for _, dir := range []string{b.tmp, b.durable} {
		if dir != "" {
			reason = strings.ReplaceAll(reason, dir, "TMP")
		}
	}
	return reason
}

// unset marks a row that its group has not recorded yet.
const unset = "\x00"
