package compile

import (
	"slices"
	"strings"

	"pinion/catalog"
)

const (
	maxNear      = 5_000 // names that are compared letter by letter
	maxNearNotes = 50    // such pairs that are reported
	nearLength   = 6     // shorter names differ by one letter all the time
)

// names looks at the plugins' names: those that hosts keep for themselves, and
// those that can be taken for one another or for a plugin that is known from
// elsewhere.
func (c *compiler) names() {
	for _, p := range catalog.Lint(c.source, c.in.Data, nil) {
		if p.Rule == "catalog/reserved-name" {
			c.out.Problems.Add(p)
		}
	}
	seen := map[string]*unit{} // by skeleton
	for _, u := range c.units {
		if why := reservedPlugin(u.name); why != "" && slices.Contains(c.in.Hosts, catalog.Claude) {
			c.report(u, ruleReservedPlugin.Report("%s %s", clip(u.name), why))
		}
		key := skeleton(u.name)
		if other := seen[key]; other == nil {
			seen[key] = u
		} else if other.name != u.name {
			c.report(u, ruleConfusable.Report("%s can be taken for %s", clip(u.name), clip(other.name)))
		}
	}
	c.near()
	c.taken()
}

// reservedPlugin returns why Claude Code refuses a plugin's name, or "".
func reservedPlugin(name string) string {
	lower := strings.ToLower(name)
	for _, prefix := range []string{"claude-", "anthropic-", "cc-plugin-"} {
		if strings.HasPrefix(lower, prefix) {
			return "begins with " + prefix + ", which Claude Code keeps for Anthropic's own plugins"
		}
	}
	return ""
}

// taken compares with names that are known from elsewhere.
func (c *compiler) taken() {
	if len(c.in.Taken) == 0 {
		return
	}
	byEye := map[string]Taken{}
	for _, t := range c.in.Taken {
		if _, there := byEye[skeleton(t.Name)]; !there {
			byEye[skeleton(t.Name)] = t
		}
	}
	exact := map[string]Taken{}
	for _, t := range c.in.Taken {
		exact[t.Name] = t
	}
	for _, u := range c.units {
		if t, ok := exact[u.name]; ok {
			c.report(u, ruleTaken.Report("%s is also the name of a plugin in %s; who has both marketplaces must always say which one is meant", clip(u.name), clip(t.Market)))
		} else if t, ok := byEye[skeleton(u.name)]; ok {
			c.report(u, ruleTaken.Report("%s can be taken for %s in %s", clip(u.name), clip(t.Name), clip(t.Market)))
		}
	}
}

// near reports names that differ in one letter. Numbers tell things apart on
// purpose, and so are not reported.
func (c *compiler) near() {
	if len(c.units) > maxNear {
		return
	}
	// Two names that differ in one letter have a common form with one letter
	// taken out.
	forms := map[string][]*unit{}
	told := map[[2]string]bool{}
	for _, u := range c.units {
		name := strings.ToLower(u.name)
		if len(name) < nearLength {
			continue
		}
		for i := -1; i < len(name); i++ {
			form := name
			if i >= 0 {
				form = name[:i] + name[i+1:]
			}
			for _, other := range forms[form] {
				pair := [2]string{other.name, u.name}
				if told[pair] || len(told) >= maxNearNotes || skeleton(other.name) == skeleton(u.name) || !oneLetter(strings.ToLower(other.name), name) {
					continue
				}
				told[pair] = true
				c.report(u, ruleNear.Report("%s and %s differ in one letter", clip(u.name), clip(other.name)))
			}
			if all := forms[form]; len(all) == 0 || all[len(all)-1] != u {
				forms[form] = append(all, u)
			}
		}
	}
}

// oneLetter reports whether a becomes b by one letter that is changed, added or
// taken out, inside a word of several letters.
func oneLetter(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) > 1 || a == b {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	rest := a[i:]
	if len(a) == len(b) {
		rest = a[i+1:]
	}
	if rest != b[i+1:] {
		return false
	}
	digit := func(s string, i int) bool { return i < len(s) && s[i] >= '0' && s[i] <= '9' }
	if digit(b, i) || len(a) == len(b) && digit(a, i) {
		return false
	}
	// A word of one letter is there to tell the two apart: plugin-a, plugin-b.
	edge := func(i int) bool { return i < 0 || i >= len(b) || b[i] == '-' || b[i] == '_' || b[i] == '.' }
	return !(edge(i-1) && edge(i+1))
}

// skeleton is what remains of a name for an eye that reads over it: no case, no
// separators, and letters for the digits and pairs that look like them.
func skeleton(name string) string {
	s := strings.ToLower(strings.ReplaceAll(name, "I", "l"))
	return strings.NewReplacer("-", "", "_", "", ".", "", "0", "o", "1", "l", "5", "s", "rn", "m", "vv", "w").Replace(s)
}
