package native

// jsEffect is something a module does when it is loaded.
type jsEffect struct {
	what string // "calls setInterval"
	at   int    // byte offset
}

// maxEffects bounds the findings of one module.
const maxEffects = 20

// jsEffects finds what a module does at import time (SB-147), one finding for
// each statement. Bodies of functions, arrow functions and classes do not run
// then and are not looked at. It is a lint: code that hides what it does is the
// scanner's business.
func jsEffects(tokens []jsToken) []jsEffect {
	w := effectWalk{tokens: tokens, closing: matchParens(tokens)}
	for i := range tokens {
		w.step(i)
		if len(w.found) == maxEffects {
			break
		}
	}
	return w.found
}

// statement is what the current statement at the top of the module is.
type statement uint8

const (
	stmtOther    statement = iota
	stmtBinding            // const, let, var
	stmtFunction           // function or class
	stmtModule             // import, export lists
)

type effectFrame struct {
	deferred bool // what is inside does not run at import time
	open     int  // index of the opening token
}

type effectWalk struct {
	tokens   []jsToken
	closing  []int32 // for a ( and a ), 1 + the index of the other; 0 without one
	frames   []effectFrame
	deferred int   // how many frames are
	arrows   []int // depths of arrow functions without braces
	class    int   // 1 + the depth of a class whose body has not begun
	stmt     statement
	first    int  // index of its first token
	reported bool // of the current statement
	found    []jsEffect
	bound    map[string]bool // memo of declared; hostile text asks often
}

func (w *effectWalk) step(i int) {
	t := w.tokens[i]
	if len(w.frames) == 0 && w.begins(i) {
		w.arrows = w.arrows[:0]
		w.stmt, w.first, w.reported = w.classify(i), i, false
	}
	depth := len(w.frames)
	for n := len(w.arrows); n > 0; n = len(w.arrows) {
		end := w.arrows[n-1] > depth || w.arrows[n-1] == depth && (t.is(",") || t.is(";") || t.is(")") || t.is("]") || t.is("}"))
		if !end {
			break
		}
		w.arrows = w.arrows[:n-1]
	}
	if w.deferred == 0 && len(w.arrows) == 0 && !w.reported {
		if what, at := w.effect(i); what != "" {
			w.reported = true
			w.found = append(w.found, jsEffect{what, w.tokens[at].at})
		}
	}
	switch {
	case t.kind == jsTemplate:
		if t.closes {
			w.pop()
		}
		if t.opens {
			w.push(i, false)
		}
	case t.kind == jsWord:
		if t.is("class") && !w.member(i) {
			w.class = depth + 1
		}
	case t.is("=>"):
		if !w.at(i + 1).is("{") {
			w.arrows = append(w.arrows, depth)
		}
	case t.is("("), t.is("["), t.is("{"):
		w.push(i, w.opensDeferred(i))
	case t.is(")"), t.is("]"), t.is("}"):
		w.pop()
	}
}

func (w *effectWalk) push(i int, deferred bool) {
	w.frames = append(w.frames, effectFrame{deferred, i})
	if deferred {
		w.deferred++
	}
}

func (w *effectWalk) pop() {
	if f := pop(&w.frames); f.deferred {
		w.deferred--
	}
}

// opensDeferred reports whether the bracket at i begins the body of a function
// or class, or a function's parameters.
func (w *effectWalk) opensDeferred(i int) bool {
	before := w.at(i - 1)
	switch {
	case w.tokens[i].is("("):
		return before.is("function") || w.at(i-2).is("function") || w.at(i-2).is("*") && w.at(i-3).is("function")
	case !w.tokens[i].is("{"):
		return false
	case w.class == len(w.frames)+1:
		w.class = 0
		return true
	case before.is("=>"):
		return true
	case before.is(")"):
		open := w.opening(i - 1)
		return open >= 0 && !isEffectControl(w.at(open-1))
	}
	return false
}

// opening returns the index of the ( that the ) at i closes, or -1.
func (w *effectWalk) opening(i int) int {
	return int(w.closing[i]) - 1
}

// effect returns what the token at i does, or "", and the
// token to point at.
func (w *effectWalk) effect(i int) (what string, at int) {
	t := w.tokens[i]
	if w.stmt == stmtModule {
		return "", i
	}
	if t.is("(") && w.stmt == stmtOther {
		return w.plainCall(i)
	}
	if t.kind != jsWord || w.member(i) || w.at(i-1).is("typeof") || w.key(i) {
		return "", i
	}
	name := string(t.text)
	called := w.at(i+1).is("(") && !w.method(i+1)
	switch {
	case name == "await":
		return "waits with await", i
	case isEffectUse(name):
		if !w.declared(name) {
			return "uses " + name, i
		}
	case isEffectCall(name) && called:
		if !w.declared(name) {
			return "calls " + name, i
		}
	case isEffectNew(name) && w.at(i-1).is("new"):
		if !w.declared(name) {
			return "makes a " + name, i
		}
	case isEffectRoot(name):
		if end, op := w.chain(i); op != "" && !w.declared(name) {
			return op + " " + name + "." + string(w.tokens[end].text), i
		}
	case w.stmt == stmtOther && !w.declared(name):
		// Array.prototype.first = … changes it for the whole page.
		if w.at(i+1).is(".") && w.at(i+2).is("prototype") {
			if _, op := w.chain(i); op == "sets" {
				return "changes " + name + ".prototype", i
			}
		}
	}
	return "", i
}

// plainCall returns what the ( at i calls, when it is a call in a statement
// that is no declaration.
func (w *effectWalk) plainCall(i int) (what string, at int) {
	before := w.at(i - 1)
	switch {
	case w.method(i):
		return "", i
	case before.kind == jsWord && !isEffectControl(before) && !isOperatorWord(before):
		root := i - 1
		for w.at(root-1).is(".") || w.at(root-1).is("?.") {
			root -= 2
		}
		root = max(root, w.first)
		if w.at(root).is("Object") {
			return "", i // freeze, defineProperty, assign: on what the module owns
		}
		return "calls " + string(before.text), root
	case before.is(")"), before.is("]"), before.is("}"):
		return "calls a function", w.first
	}
	return "", i
}

// chain follows a.b.c from the word at i and says whether it "calls" or "sets"
// the last name, whose index it returns.
func (w *effectWalk) chain(i int) (end int, op string) {
	end = i
	for (w.at(end+1).is(".") || w.at(end+1).is("?.")) && w.at(end+2).kind == jsWord {
		end += 2
	}
	next, after := w.at(end+1), w.at(end+2)
	switch {
	case end == i:
	case next.is("("):
		return end, "calls"
	case next.is("=") && !after.is("="):
		return end, "sets"
	}
	return end, ""
}

// member reports whether the word at i is a property of something.
func (w *effectWalk) member(i int) bool { return w.at(i-1).is(".") || w.at(i-1).is("?.") }

// key reports whether the word at i is the key of an object.
func (w *effectWalk) key(i int) bool {
	return w.at(i+1).is(":") && (w.at(i-1).is("{") || w.at(i-1).is(","))
}

// method reports whether the ( at i are the parameters of a method: a body
// follows.
func (w *effectWalk) method(i int) bool {
	return w.closing[i] > 0 && w.at(int(w.closing[i])).is("{")
}

// declared reports whether the module binds the name itself.
func (w *effectWalk) declared(name string) bool {
	if known, ok := w.bound[name]; ok {
		return known
	}
	if w.bound == nil {
		w.bound = map[string]bool{}
	}
	w.bound[name] = w.binds(name)
	return w.bound[name]
}

func (w *effectWalk) binds(name string) bool {
	imported := false
	for i, t := range w.tokens {
		switch {
		case t.is("import") && !w.member(i):
			imported = !w.at(i+1).is("(") && !w.at(i+1).is(".")
		case imported && (t.kind == jsString || t.is(";")):
			imported = false
		case t.is(name) && (imported || isDeclarator(w.at(i-1))):
			return true
		}
	}
	return false
}

func (w *effectWalk) at(i int) jsToken {
	if i < 0 || i >= len(w.tokens) {
		return jsToken{}
	}
	return w.tokens[i]
}

// matchParens returns for each ( and ) one more than the index of its partner.
func matchParens(tokens []jsToken) []int32 {
	m := make([]int32, len(tokens))
	var open []int
	for i, t := range tokens {
		switch {
		case t.is("("):
			open = append(open, i)
		case t.is(")") && len(open) > 0:
			o := pop(&open)
			m[o], m[i] = int32(i+1), int32(o+1)
		}
	}
	return m
}
