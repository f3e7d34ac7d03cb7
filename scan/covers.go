package scan

import "slices"

// settle drops findings that say of a place what a more precise one says of it
// already: a rule names those it covers. What stands for further places of its
// file stays.
func (e *Engine) settle(list []Finding) []Finding {
	type place struct {
		file string
		line int
	}
	covered := map[place][]string{}
	for _, f := range list {
		if c := e.rules[f.Rule].Covers; len(c) > 0 && f.Line > 0 {
			at := place{f.File, f.Line}
			for _, rule := range c {
				if !slices.Contains(covered[at], rule) {
					covered[at] = append(covered[at], rule)
				}
			}
		}
	}
	if len(covered) == 0 {
		return list
	}
	return slices.DeleteFunc(list, func(f Finding) bool {
		return f.More == 0 && f.Level <= e.highest(list, f, covered[place{f.File, f.Line}])
	})
}

// highest returns the level of the gravest finding at the place of f that covers
// it, unset for none.
func (e *Engine) highest(list []Finding, f Finding, covered []string) Level {
	level := unset
	if !slices.Contains(covered, f.Rule) {
		return level
	}
	for _, other := range list {
		if other.File == f.File && other.Line == f.Line && slices.Contains(e.rules[other.Rule].Covers, f.Rule) {
			level = max(level, other.Level)
		}
	}
	return level
}

// Form reports whether a rule is about how something is written, packed or
// declared, and not about what it does.
func (p *Pass) Form(rule string) bool { return p.engine.form[rule] }
