package checks

import (
	"maps"
	"slices"
	"strings"

	"pinion/internal/syntax"
	"pinion/scan"
)

// maxChildren is how many substitutions of one command are followed.
const maxChildren = 300

// origin says where the data of a stream, a variable or a file comes from.
type origin struct {
	loaded  bool // from a download
	decoded bool
	urls    []string
}

func (a origin) plus(b origin) origin {
	out := origin{loaded: a.loaded || b.loaded, decoded: a.decoded || b.decoded, urls: a.urls}
	for _, u := range b.urls {
		if len(out.urls) < 8 {
			out.urls = append(out.urls[:len(out.urls):len(out.urls)], u)
		}
	}
	return out
}

func (a origin) any() bool { return a.loaded || a.decoded }

// shellFlow follows data through one script.
type shellFlow struct {
	*shellView
	vars     map[string]origin
	files    map[string]*loadedFile
	stages   map[[2]int][]int  // pipeline and stage → commands
	out      map[[2]int]origin // what a stage prints
	children [][]int
	funcs    map[string]origin
	verified bool
	loop     origin // what is redirected into a loop
}

type loadedFile struct {
	origin
	exec     *shellCall // what made it executable
	reported bool
}

// flowOf reports what is downloaded or decoded and then run.
func flowOf(v *shellView) {
	f := &shellFlow{
		shellView: v, vars: map[string]origin{}, files: map[string]*loadedFile{}, stages: map[[2]int][]int{},
		out: map[[2]int]origin{}, children: make([][]int, len(v.calls)), funcs: map[string]origin{},
	}
	interesting := false
	for i := range v.calls {
		c := &v.calls[i]
		k := [2]int{c.Pipeline, c.Stage}
		f.stages[k] = append(f.stages[k], i)
		if c.Parent >= 0 && len(f.children[c.Parent]) < maxChildren {
			f.children[c.Parent] = append(f.children[c.Parent], i)
		}
		interesting = interesting || isDownload(c) || isDecoder(c) || strings.ContainsAny(c.path, "$(") || c.name == "printf" || c.name == "echo" || isInterpreter(c.name) || isLauncher(c.name)
		if v.power {
			interesting = true
		}
	}
	if !interesting {
		return
	}
	for i := range v.calls {
		if c := &v.calls[i]; c.Function != "" && isDownload(c) && writesOutput(c) {
			f.funcs[strings.ToLower(c.Function)] = f.funcs[strings.ToLower(c.Function)].plus(origin{loaded: true, urls: urlsOf(c)})
		}
	}
	for i := range v.calls {
		if c := &v.calls[i]; len(c.Words) == 0 && len(c.Redirects) > 0 {
			f.loop = f.loop.plus(f.input(c))
		}
	}
	for i := range v.calls {
		f.step(&v.calls[i])
	}
	for _, name := range slices.Sorted(maps.Keys(f.files)) {
		file := f.files[name]
		if file.exec != nil && !file.reported && file.loaded {
			f.report(f.levelOf(file.origin, scan.Medium), "download/file-run", file.exec, "a downloaded file is made executable%s", from(file.origin))
		}
	}
}

// input returns what a command reads: the stage before it and redirections.
func (f *shellFlow) input(c *shellCall) origin {
	var in origin
	if c.Stage > 0 {
		in = f.stage(c.Pipeline, c.Stage-1)
	}
	for _, r := range c.Redirects {
		switch r.Op {
		case "<", "<<<", "<<", "<<-":
			in = in.plus(f.wordTaint(c, r.Target))
			if r.Op == "<" {
				in = in.plus(f.file(f.expand(r.Target.Text)))
			}
		}
	}
	return in
}

func (f *shellFlow) stage(pipeline, stage int) origin {
	k := [2]int{pipeline, stage}
	if t, ok := f.out[k]; ok {
		return t
	}
	f.out[k] = origin{} // a stage inside itself prints nothing
	var out origin
	for _, i := range f.stages[k] {
		out = out.plus(f.output(&f.calls[i]))
	}
	f.out[k] = out
	return out
}

// output returns what a command prints.
func (f *shellFlow) output(c *shellCall) origin {
	for _, r := range c.Redirects {
		if (r.Fd == "" || r.Fd == "1") && (r.Op == ">" || r.Op == ">>" || r.Op == ">|" || r.Op == "&>") && r.Target.Text != "/dev/stdout" && c.name != "tee" && !strings.HasPrefix(r.Target.Text, "/dev/fd") {
			return origin{}
		}
	}
	return f.printed(c)
}

// printed is output without regard to redirections.
func (f *shellFlow) printed(c *shellCall) origin {
	in := f.input(c)
	switch {
	case isDownload(c):
		if writesOutput(c) || f.power {
			return origin{loaded: true, urls: f.urls(c)}
		}
		return origin{}
	case isDecoder(c):
		for _, a := range c.args { // base64 -d FILE
			in = in.plus(f.argTaint(c, a)).plus(f.file(a.text))
		}
		in.decoded = true
		return in
	case c.name == "echo" || c.name == "printf" || c.name == "print" || c.name == "write-output":
		for _, a := range c.args {
			in = in.plus(f.argTaint(c, a))
		}
		if escaped(c) {
			in.decoded = true
		}
		return in
	case c.name == "cat" || c.name == "head" || c.name == "tail" || c.name == "zcat" || c.name == "get-content" || c.name == "gc":
		for _, a := range c.args {
			in = in.plus(f.argTaint(c, a)).plus(f.file(a.text))
		}
		return in
	}
	if t, ok := f.funcs[c.name]; ok {
		in = in.plus(t)
	}
	if f.power {
		for _, a := range c.args {
			in = in.plus(f.argTaint(c, a))
		}
		in = in.plus(f.argTaint(c, shellArg{text: c.path}))
	}
	return in
}

// urls returns the URLs of a download with variables replaced.
func (f *shellFlow) urls(c *shellCall) []string { return urlsOf(c) }

// argTaint is where an argument's text comes from.
func (f *shellFlow) argTaint(c *shellCall, a shellArg) origin {
	if len(c.Words) == 0 {
		return origin{}
	}
	return f.wordTaint(c, c.word(a))
}

func (f *shellFlow) wordTaint(c *shellCall, w syntax.Word) origin {
	var out origin
	if w.Literal && !f.power {
		return out
	}
	for _, i := range f.children[c.index] {
		k := &f.calls[i]
		if k.Offset < w.Offset || k.End > w.End || k.Via == ">(" || k.Stage != k.Stages-1 {
			continue
		}
		out = out.plus(f.stage(k.Pipeline, k.Stage))
	}
	for s := w.Text; len(f.vars) > 0; {
		i := strings.IndexByte(s, '$')
		if i < 0 {
			break
		}
		name, end, _ := variable(s, i)
		out = out.plus(f.vars[name])
		s = s[max(end, i+1):]
	}
	if f.power {
		out = out.plus(powerTaint(w.Text))
	}
	return out
}

// powerTaint reads calls of methods, which are part of a word.
func powerTaint(s string) origin {
	low := strings.ToLower(s)
	var out origin
	for _, m := range []string{".downloadstring(", ".downloaddata(", ".openread(", ".getstringasync(", ".getasync("} {
		if strings.Contains(low, m) {
			out.loaded, out.urls = true, urlsIn(s)
		}
	}
	if strings.Contains(low, "frombase64string(") || strings.Contains(low, "fromhexstring(") {
		out.decoded = true
	}
	return out
}

func (f *shellFlow) file(path string) origin {
	if t := f.files[fileKey(path)]; t != nil {
		return t.origin
	}
	return origin{}
}

// fileKey makes the spellings of one file in a script equal.
func fileKey(path string) string {
	path = strings.Trim(path, `"'`)
	path = strings.ReplaceAll(path, "${", "$")
	path = strings.ReplaceAll(path, "}", "")
	path = strings.ReplaceAll(path, `.\`, "")
	return strings.TrimPrefix(path, "./")
}

// step looks at one command in order: what it writes, and what it runs.
func (f *shellFlow) step(c *shellCall) {
	for _, a := range c.Assigns {
		t := f.wordTaint(c, a.Value)
		if f.power && len(c.Words) > 0 {
			t = t.plus(f.stage(c.Pipeline, c.Stages-1))
		}
		f.vars[a.Name] = t
	}
	f.verified = f.verified || verifies(c)
	f.write(c)
	if c.name == "read" || c.name == "mapfile" || c.name == "readarray" {
		if in := f.input(c).plus(f.loop); in.any() {
			for _, a := range c.operands() {
				f.vars[a.text] = in
			}
		}
	}
	if c.name == "chmod" && len(c.args) > 1 && (strings.Contains(c.args[0].text, "x") || strings.Trim(c.args[0].text, "01234567") == "" && strings.ContainsAny(c.args[0].text, "1357")) {
		for _, a := range c.args[1:] {
			if file := f.files[fileKey(a.text)]; file != nil {
				file.exec = c
			}
		}
	}
	if (c.name == "mv" || c.name == "cp" || c.name == "ln") && len(c.args) >= 2 {
		ops := c.operands()
		if len(ops) == 2 {
			if file := f.files[fileKey(ops[0].text)]; file != nil {
				f.files[fileKey(ops[1].text)] = &loadedFile{origin: file.origin, reported: true}
			}
		}
	}
	f.sink(c)
}

// write records which files hold what was downloaded or decoded.
func (f *shellFlow) write(c *shellCall) {
	if isDownload(c) {
		for _, name := range downloadTargets(c) {
			f.put(name, origin{loaded: true, urls: f.urls(c)})
		}
	}
	if targets := append(slices.Clip(c.Redirects), teeTargets(c)...); len(targets) > 0 {
		if t := f.printed(c); t.any() {
			for _, r := range targets {
				if (r.Fd == "" || r.Fd == "1") && (r.Op == ">" || r.Op == ">>" || r.Op == ">|") {
					f.put(f.expand(r.Target.Text), t)
				}
			}
		}
	}
	if c.name == "base64" && c.flag("dD") || c.name == "certutil" && c.has("-decode", "/decode") || c.name == "openssl" {
		if name, i := c.value("-o", "--output", "-out"); i >= 0 {
			f.put(name, origin{decoded: true})
		} else if ops := c.operands(); c.name == "certutil" && len(ops) > 0 {
			f.put(ops[len(ops)-1].text, origin{decoded: true})
		}
	}
}

func (f *shellFlow) put(name string, t origin) {
	if name == "" || name == "-" || strings.HasPrefix(name, "/dev/") || len(f.files) > 1_000 {
		return
	}
	f.files[fileKey(name)] = &loadedFile{origin: t}
}
