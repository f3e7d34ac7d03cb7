package checks

import (
	"strings"

	"pinion/internal/syntax"
	"pinion/scan"
)

const (
	// maxShellDepth is how deep shells inside shells are followed.
	maxShellDepth = 4
	// maxInnerShells bounds the shells inside one text.
	maxInnerShells = 200
	// maxOneLiners bounds the programs of other languages inside one text that
	// are handed to their own rules.
	maxOneLiners = 200
	// maxLookBack is how many commands before another one are searched for the
	// stages of its pipeline.
	maxLookBack = 200
	// maxValue is how long the value of a variable may become.
	maxValue = 4 << 10
)

// weight says how close a command line is to being run.
type weight uint8

const (
	asRun    weight = iota // a script, a hook, a block of a skill that an agent follows
	asDoc                  // documentation for people: a README
	asQuoted               // inside a sentence, or a string of another language
)

// shellArg is one word of a command after variables were replaced. word is the
// index of the word of the script that it comes from.
type shellArg struct {
	text string
	word int
}

// shellCall is one command as the shell would run it: wrappers such as sudo are taken
// off and known variables are replaced.
type shellCall struct {
	*syntax.Command
	index int
	name  string // of the program, without directory, lower case; "" for a dynamic one
	path  string // the program as it is written, variables replaced
	args  []shellArg
	under []string // the wrappers, outermost first
	env   []syntax.Assign
}

// shellView is one script and what its commands mean. A script inside another
// one is a view of its own.
type shellView struct {
	p      *scan.Pass
	t      *scan.Text
	script *syntax.Script
	calls  []shellCall
	vars   map[string]string
	weight weight
	depth  int
	remote bool // it runs on another machine
	power  bool // PowerShell: names and options in any case, "$x = COMMAND"
	// base is added to the offsets of the script. In a view without exact places
	// every finding is at [start, end).
	base       int
	exact      bool
	start, end int
	shared     *shellShared
}

// shellShared is what all views of one text share.
type shellShared struct {
	views     []*shellView
	inner     int
	oneLiners []oneLiner
	seen      map[string]bool // facts that were noted
}

// viewsOf reads a script and every script inside it.
func viewsOf(p *scan.Pass, t *scan.Text, script *syntax.Script, base int, w weight) []*shellView {
	v := &shellView{p: p, t: t, script: script, weight: w, base: base, exact: true, shared: &shellShared{seen: map[string]bool{}}}
	v.read()
	return v.shared.views
}

func (v *shellView) read() {
	if v.power && v.script.Left {
		v.p.Incomplete("%s: it has more PowerShell than is read", v.t.File.Path)
	}
	v.shared.views = append(v.shared.views, v)
	v.vars = map[string]string{}
	v.calls = make([]shellCall, len(v.script.Commands))
	for i := range v.script.Commands {
		c := &v.calls[i]
		c.Command, c.index = &v.script.Commands[i], i
		v.unwrap(c)
		for _, a := range c.Assigns {
			v.assign(a)
		}
	}
	for i := range v.calls {
		v.nest(&v.calls[i])
	}
}

func (v *shellView) assign(a syntax.Assign) {
	value := v.expand(a.Value.Text)
	if len(value) > maxValue || len(v.vars) > 2_000 {
		return
	}
	v.vars[a.Name] = value
}

// expand replaces the variables whose value the script itself sets.
func (v *shellView) expand(s string) string {
	if !strings.Contains(s, "$") || len(s) > maxValue {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s) && b.Len() <= 2*maxValue; {
		if s[i] != '$' || i+1 == len(s) {
			b.WriteByte(s[i])
			i++
			continue
		}
		name, end, fallback := variable(s, i)
		value, known := v.vars[name]
		switch {
		case name == "":
			b.WriteByte(s[i])
			i++
			continue
		case name == "IFS":
			b.WriteByte(' ')
		case known:
			b.WriteString(value)
		case fallback != "":
			b.WriteString(fallback)
		default:
			b.WriteString(s[i:end])
		}
		i = end
	}
	return b.String()
}

// variable reads $NAME, ${NAME} or ${NAME:-fallback} at s[i]; the name is "" for
// anything else.
func variable(s string, i int) (name string, end int, fallback string) {
	j := i + 1
	braces := j < len(s) && s[j] == '{'
	if braces {
		j++
	}
	from := j
	for j < len(s) && (s[j] == '_' || s[j] >= 'a' && s[j] <= 'z' || s[j] >= 'A' && s[j] <= 'Z' || j > from && s[j] >= '0' && s[j] <= '9') {
		j++
	}
	name = s[from:j]
	if !braces || name == "" {
		return name, j, ""
	}
	if j < len(s) && s[j] == '}' {
		return name, j + 1, ""
	}
	if rest := s[j:]; strings.HasPrefix(rest, ":-") {
		if k := strings.IndexByte(rest, '}'); k > 0 && !strings.Contains(rest[:k], "$") {
			return name, j + k + 1, rest[2:k]
		}
	}
	return "", i, ""
}

// unwrap finds the program that a command runs in the end.
func (v *shellView) unwrap(c *shellCall) {
	var args []shellArg
	for i, w := range c.Words {
		text := v.expand(w.Text)
		switch {
		case len(args) == 0 && strings.Contains(text, " ") && text != w.Text,
			strings.Contains(w.Text, "${IFS}"), strings.Contains(w.Text, "$IFS"):
			for _, f := range strings.Fields(text) { // an unquoted variable becomes several words
				args = append(args, shellArg{f, i})
			}
		case len(args) == 0 && strings.HasPrefix(text, "{") && strings.HasSuffix(text, "}") && strings.Contains(text, ","):
			for f := range strings.SplitSeq(text[1:len(text)-1], ",") {
				args = append(args, shellArg{f, i})
			}
		default:
			args = append(args, shellArg{text, i})
		}
	}
	if len(args) > 0 {
		args[0].text = strings.TrimLeft(args[0].text, "@") // make
	}
	for len(args) > 0 {
		name := baseName(args[0].text)
		skip := wrapped(name, args)
		if skip == 0 || skip >= len(args) {
			break
		}
		c.under = append(c.under, name)
		args = args[skip:]
		if name == "env" && strings.Contains(args[0].text, " ") { // env -S
			args = append([]shellArg{{"sh", args[0].word}, {"-c", args[0].word}}, args...)
		}
		for len(args) > 0 && name != "xargs" {
			key, value, ok := strings.Cut(args[0].text, "=")
			if !ok || !isName(key) {
				break
			}
			c.env = append(c.env, syntax.Assign{Name: key, Value: syntax.Word{Text: value}})
			args = args[1:]
		}
	}
	if len(args) == 0 {
		return
	}
	c.path = args[0].text
	c.name = baseName(c.path)
	c.args = args[1:]
	if strings.Contains(c.path, "$") && !strings.HasSuffix(c.path, "/"+c.name) || strings.Contains(c.path, "(…)") {
		c.name = ""
	}
}

// place returns where a stretch of the script is in the text.
func (v *shellView) place(start, end int) (int, int) {
	if !v.exact {
		return v.start, v.end
	}
	return v.base + start, v.base + end
}

// weigh lowers the level of what is only documented or quoted.
func (v *shellView) weigh(l scan.Level) scan.Level {
	if v.weight == asRun {
		return l
	}
	return min(l, scan.Medium)
}

// report adds a finding at a command, weighed.
func (v *shellView) report(level scan.Level, rule string, c *shellCall, format string, args ...any) {
	v.reportAt(v.weigh(level), rule, c, format, args...)
}

func (v *shellView) reportAt(level scan.Level, rule string, c *shellCall, format string, args ...any) {
	from, to := c.Offset, c.End
	if c.Stage > 0 { // the evidence is the pipeline
		for i := c.index; i >= max(0, c.index-maxLookBack) && v.calls[i].Pipeline >= c.Pipeline-1; i-- {
			if v.calls[i].Pipeline == c.Pipeline && v.calls[i].Offset < from {
				from = v.calls[i].Offset
			}
		}
	}
	start, end := v.place(from, to)
	v.p.ReportAs(level, rule, v.t, start, end, format, args...)
}

// note records a fact at a command, once for each detail in a text. What is only
// documented or quoted is no fact.
func (v *shellView) note(fact scan.Fact, c *shellCall, detail string) {
	key := string(fact) + "\n" + detail
	if v.weight != asRun || v.remote || v.shared.seen[key] {
		return
	}
	v.shared.seen[key] = true
	start, end := v.place(c.Offset, c.End)
	v.p.Note(fact, v.t, start, end, detail)
}
