package checks

import (
	"strings"

	"pinion/internal/syntax"
)

// function reads the name and the parameters of a definition.
func (f *flow) function(word string) {
	i := f.at + 1
	if i < len(f.toks) && f.toks[i].Kind == syntax.TokenPunct && f.text(f.toks[i]) == "*" {
		i++
	}
	name := ""
	if i < len(f.toks) && f.toks[i].Kind == syntax.TokenName {
		name = f.text(f.toks[i])
		i++
	}
	if i >= len(f.toks) || f.toks[i].Kind != syntax.TokenPunct || f.text(f.toks[i]) != "(" {
		return
	}
	depth := 0
	var params []string
	for n := 0; i < len(f.toks) && n < 200; i, n = i+1, n+1 {
		k := f.toks[i]
		if k.Kind == syntax.TokenPunct {
			switch f.data[k.Start] {
			case '(', '[', '{':
				depth++
			case ')', ']', '}':
				depth--
			}
			if depth == 0 {
				break
			}
		}
		if prev := f.toks[i-1]; k.Kind == syntax.TokenName && depth == 1 && prev.Kind == syntax.TokenPunct && strings.IndexByte("(,*", f.data[prev.Start]) >= 0 {
			params = append(params, f.text(k))
		}
	}
	if word == "def" {
		f.def, f.defCol = name, f.column(f.at)
	}
	f.params[name] = params
	for _, p := range params {
		delete(f.strings, p)
		f.vars[p] = f.given[name+"."+p]
	}
	if !f.python {
		// An anonymous function as an argument is a callback.
		if fr := f.top(); fr.kind == 'c' && len(params) > 0 {
			v := fr.recv
			if fetches[fr.plain] || channels[fr.plain] {
				v.taint |= isRemote
			}
			if v.taint&isChannel != 0 {
				v.taint = v.taint&^isChannel | isRemote
			}
			for _, p := range params {
				f.vars[p] = v
			}
		}
		f.top().fn = name
	}
	f.at = i
}

// column returns how far a token is from the start of its line.
func (f *flow) column(i int) int {
	at := int(f.toks[i].Start)
	n := 0
	for at > 0 && f.data[at-1] != '\n' && n < 400 {
		at--
		n++
	}
	return n
}

// assign turns what was read of the statement into what it assigns to.
func (f *flow) assign(fr *frame, op string) {
	switch {
	case fr.kind == 'c' || fr.kind == '{' || fr.kind == '(' && op == "=":
		name := fr.cur.name
		fr.cur = operand{key: name}
	case fr.kind == 0 || fr.kind == 'b':
		name := fr.cur.name
		if name == "" {
			name = fr.lastName
		}
		fr.add = op == "+="
		if name != "" && len(fr.targets) < 8 {
			fr.targets = append(fr.targets, name)
			if base, _, nested := strings.Cut(name, "."); nested && !f.python {
				fr.targets = append(fr.targets, base)
			}
		}
		if fr.lastName != "" && fr.lastName != name && len(fr.targets) < 8 {
			fr.targets = append(fr.targets, fr.lastName)
		}
		fr.cur = operand{}
	}
	fr.chain, fr.joined, fr.lastName = "", false, ""
}

func (f *flow) push(fr frame) {
	if len(f.frames) >= maxFrames {
		f.p.Incomplete("code is nested deeper than it is followed")
		f.frames = f.frames[:1]
	}
	f.frames = append(f.frames, fr)
}

// open begins a call or a group.
func (f *flow) open(fr *frame, k syntax.Token) {
	called := fr.chain != "" && !strings.HasSuffix(fr.chain, ".")
	if called && f.at > 0 && f.toks[f.at-1].Kind == syntax.TokenBreak {
		called = f.python
	}
	if !called {
		f.push(frame{kind: '(', start: int(k.Start)})
		return
	}
	n := frame{kind: 'c', callee: fr.chain, plain: f.resolve(fr.chain), recv: fr.chained, hidden: fr.hiding, start: fr.chainAt}
	f.push(n)
}

// brace begins an object or a block, by what stands before it.
func (f *flow) brace(fr *frame, k syntax.Token) {
	n := frame{kind: '{', start: int(k.Start)}
	if !f.python {
		prev := ""
		for i := f.at - 1; i >= 0; i-- {
			if t := f.toks[i]; t.Kind != syntax.TokenBreak {
				prev = f.text(t)
				break
			}
		}
		switch prev {
		case "(", ",", "=", ":", "return", "[", "?", "...", "||", "&&", "??", "default":
		case "{", "}", ";", "":
			n.kind = 'b'
		default:
			n.kind = 'b'
			n.fn, fr.fn = fr.fn, ""
		}
	}
	f.push(n)
}

// resolve returns the real name of a dotted path.
func (f *flow) resolve(chain string) string {
	first, rest, dotted := strings.Cut(chain, ".")
	if real := f.alias[first]; real != "" && real != first {
		chain = real
		if dotted {
			chain += "." + rest
		}
	}
	return plainName(chain)
}

// endOperand takes the operand into the frame.
func (f *flow) endOperand(fr *frame) {
	if fr.cur.parts > 0 || fr.cur.list != nil {
		if fr.cur.shape != "" && !fr.cur.literal && fr.cur.shape != "$x" {
			fr.cur.taint |= isMixed
		}
		if len(fr.args) < maxArgs {
			fr.args = append(fr.args, fr.cur)
		} else {
			fr.args[maxArgs-1].merge(fr.cur.value)
		}
	}
	fr.cur = operand{}
	fr.chain, fr.joined, fr.lastName = "", false, ""
}

// loops gives the variables of a for what it goes over.
func (f *flow) loops(fr *frame, v value) {
	for _, name := range fr.loop {
		f.vars[name] = v
		delete(f.strings, name)
	}
}

// endStatement gives names what was assigned to them.
func (f *flow) endStatement() {
	fr := f.top()
	v := fr.cur.value
	if fr.cur.shape != "" && !fr.cur.literal && fr.cur.shape != "$x" && fr.cur.list == nil {
		v.taint |= isMixed
	}
	if fr.pattern {
		v.taint &^= isEnvDump // const {A, B} = process.env
	}
	for _, name := range fr.targets {
		if fr.add {
			old := f.vars[name]
			old.merge(v)
			f.vars[name] = old
			delete(f.strings, name)
			continue
		}
		f.vars[name] = v
		delete(f.strings, name)
		delete(f.alias, name)
		if fr.cur.literal && fr.cur.parts > 0 && fr.cur.list == nil && len(fr.cur.shape) < 4<<10 {
			f.strings[name] = fr.cur.shape
		}
		if real := f.resolve(fr.cur.name); fr.cur.name != "" && len(fr.targets) == 1 && (runsCode[real] || runsShell[real] || runsPrograms[real] || modules[real] || decodes[real]) && real != name {
			f.alias[name] = real
		}
	}
	f.loops(fr, v)
	if fr.returns {
		fr.result.merge(v)
		fn := fr.fn
		if f.python {
			fn = f.def
		}
		if fn != "" {
			old := f.results[fn]
			old.merge(v)
			f.results[fn] = old
		}
	}
	fr.targets, fr.cur, fr.add, fr.returns, fr.loop, fr.pattern = fr.targets[:0], operand{}, false, false, nil, false
	fr.chain, fr.joined, fr.lastName = "", false, ""
	if f.python && f.def != "" && f.at+1 < len(f.toks) && f.toks[f.at].Kind == syntax.TokenBreak && f.column(f.at+1) <= f.defCol {
		f.def = ""
	}
}
