package hostcheck

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Difference is one question to which we have another answer than the client.
type Difference struct {
	Case, Plugin string
	Client       Name
	Ours, Theirs string // what differs, in words
	Rule         string // ours
	Text         string // the client's
	Reason       string // who is right and why, "" when nobody has said
}

// ID is how the file of reasons names the question.
func (d Difference) ID() string {
	id := string(d.Client) + " " + d.Case
	if d.Plugin != "" {
		id += "#" + d.Plugin
	}
	return id
}

// Score is the agreement with one client.
type Score struct {
	Client  Name
	Asked   int // questions
	Cases   int
	Agree   int
	Loaded  int // questions whose answer is that it loads
	Version string
}

// Percent is the share of questions with the same answer.
func (s Score) Percent() float64 {
	if s.Asked == 0 {
		return 100
	}
	return 100 * float64(s.Agree) / float64(s.Asked)
}

// Validator compares Claude Code's own validator with its loader and with us.
type Validator struct {
	Asked         int
	LoaderDiffers int // it says other than what the installation then does
	Agree         int // with us, where it agrees with its loader
	Counted       int
	Inventories   int // that it makes of packages that load
	SameInventory int
}

// Comparison is the result for a whole battery.
type Comparison struct {
	Scores      []Score
	Differences []Difference // sorted by client and case
	Validator   Validator
}

// Compare asks us every recorded question.
func Compare(ctx context.Context, tmp string, cases []Case, truths *Truths, reasons map[string]string) (Comparison, error) {
	byCase := map[string][]Truth{}
	for _, r := range truths.Rows() {
		byCase[r.Case] = append(byCase[r.Case], r)
	}
	scores := map[Name]*Score{}
	for _, name := range ClientNames() {
		scores[name] = &Score{Client: name, Version: PinOf(name).Version}
	}
	var result Comparison
	for _, c := range cases {
		rows := byCase[c.ID]
		if len(rows) == 0 {
			continue
		}
		answers, err := Judge(ctx, tmp, c, rows)
		if err != nil {
			return result, err
		}
		seen := map[Name]bool{}
		for i, r := range rows {
			s := scores[r.Client]
			s.Asked++
			if r.Loads {
				s.Loaded++
			}
			if !seen[r.Client] {
				s.Cases++
				seen[r.Client] = true
			}
			if r.Client == ClaudeClient && r.Valid != nil {
				result.Validator.add(r, answers[i])
			}
			d, same := differ(r, answers[i])
			if same {
				s.Agree++
				continue
			}
			d.Reason = reasons[d.ID()]
			result.Differences = append(result.Differences, d)
		}
	}
	for _, name := range ClientNames() {
		if s := *scores[name]; s.Asked > 0 {
			result.Scores = append(result.Scores, s)
		}
	}
	slices.SortStableFunc(result.Differences, func(a, b Difference) int { return strings.Compare(a.ID(), b.ID()) })
	return result, nil
}

// differ compares one answer with a client's.
func differ(r Truth, a Answer) (Difference, bool) {
	d := Difference{Case: r.Case, Plugin: r.Plugin, Client: r.Client, Rule: a.Rule, Text: r.Text}
	if a.Loads != r.Loads {
		d.Ours, d.Theirs = word(a.Loads), word(r.Loads)
		return d, false
	}
	if !r.Loads || r.Has == nil {
		return d, true
	}
	theirs := r.Has
	theirs, a.Has = theirs.told(r.Has), a.Has.told(r.Has)
	if r.Client == GeminiClient {
		theirs = slices.DeleteFunc(slices.Clone(theirs), func(s string) bool {
			typ, _, _ := strings.Cut(s, ":")
			return !tells(GeminiClient, typ)
		})
	}
	if slices.Equal(theirs, a.Has) {
		return d, true
	}
	d.Ours, d.Theirs = only(a.Has, theirs), only(theirs, a.Has)
	return d, false
}

func word(loads bool) string {
	if loads {
		return "loads"
	}
	return "does not load"
}

// only lists what a has and b has not.
func only(a, b Inventory) string {
	var list []string
	for _, x := range a {
		if !slices.Contains(b, x) {
			list = append(list, x)
		}
	}
	if len(list) == 0 {
		return "nothing more"
	}
	if len(list) > 6 {
		list = append(list[:6], fmt.Sprintf("and %d more", len(list)-6))
	}
	return "also " + strings.Join(list, ", ")
}

// add counts one answer of the validator. It judges what an author should mend,
// not what loads: where the two differ, ours follows what loads.
func (v *Validator) add(r Truth, a Answer) {
	v.Asked++
	if r.Valid.OK != r.Loads {
		v.LoaderDiffers++
		return
	}
	v.Counted++
	if a.Loads == r.Valid.OK {
		v.Agree++
	}
	if r.Valid.Has != nil && r.Loads && r.Has != nil {
		v.Inventories++
		if slices.Equal(merged(r.Valid.Has), a.Has) {
			v.SameInventory++
		}
	}
}

// merged is the validator's inventory in the words of the loader, which counts
// commands among the skills.
func merged(inv Inventory) Inventory {
	var out Inventory
	for _, x := range inv {
		if name, ok := strings.CutPrefix(x, commandType+":"); ok {
			x = skillType + ":" + name
		}
		out = append(out, x)
	}
	return append(Inventory{}, out...).sorted()
}
