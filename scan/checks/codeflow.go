package checks

import (
	"strings"

	"pinion/internal/syntax"
	"pinion/scan"
)

// taint says where a value comes from, as far as rules care.
type taint uint16

const (
	isDecoded   taint = 1 << iota // base64, hex, compressed or otherwise packed
	isRemote                      // another machine said it
	isSecret                      // a file or store that holds somebody's keys
	isEnvDump                     // every environment variable
	isChannel                     // it is a connection
	isShellProc                   // it is a running shell
	isMixed                       // it is a part of the value only
	isHome                        // the home or root directory
	isHomeFile                    // any file in it
)

const anySecret = isSecret | isEnvDump

// value is what is known of an expression.
type value struct {
	taint  taint
	secret string // what kind of secret
	host   string // of the connection
	env    string // the environment variable that it is
	file   string // the file that a handle writes, as an operand's key
}

func (v *value) merge(o value) {
	v.taint |= o.taint
	if v.secret == "" || o.secret != "" && projectSecret(v.secret) {
		v.secret = o.secret
	}
	if v.host == "" {
		v.host = o.host
	}
	if v.env == "" {
		v.env = o.env
	}
	if v.file == "" {
		v.file = o.file
	}
}

// operand is one argument of a call, one element of a list, or a statement.
type operand struct {
	value
	key        string // of a keyword argument or a property
	shape      string // the literal parts joined; "$x" for each other part
	literal    bool   // nothing but literals
	name       string // when it is one name or dotted path
	list       []operand
	start, end int // offsets
	parts      int
}

// keyOf identifies a file by how code names it.
func (o *operand) keyOf() string {
	if o.literal && o.parts > 0 {
		return "'" + o.shape
	}
	return o.name
}

// frame is an open bracket, or the text as a whole.
type frame struct {
	kind   byte   // 'c' call, 'i' index, '(' '[' '{' groups, 'b' block, 0 the text
	callee string // of a call
	plain  string // callee resolved
	hidden bool   // the name was put together
	recv   value
	start  int
	args   []operand
	cur    operand
	result value // of what is returned inside a block

	// the statement that is being read
	targets  []string
	add      bool // "+="
	pattern  bool // the targets are members of what is assigned
	returns  bool
	loop     []string // what a for gives values to
	heads    []string // the names since "for"
	inFor    bool
	lastName string
	chain    string // the dotted path that ends at this token
	chainAt  int    // where it begins
	chained  value  // what the path stands for
	hiding   bool   // a part of chain was put together
	joined   bool   // the last token was "+" or a string
	fn       string // the function that a block is the body of
}

const (
	maxFrames = 500
	maxArgs   = 100
	maxShape  = 4 << 10  // bytes of literals that are joined
	maxWhole  = 64 << 10 // bytes of one literal
	maxInside = 2_000    // different strings of code in one text
	maxChain  = 300      // bytes of a dotted path
	maxPath   = 300      // bytes of a literal that is looked at as a path
)

// flow follows values through one text of Python or JavaScript, from where they
// come to where they are used: one pass over the tokens with a stack of open
// brackets, twice, so that functions are known before they are defined. It is no
// interpreter. Names are those of the whole text, assignments replace what a
// name held, and branches are all taken.
type flow struct {
	p      *scan.Pass
	t      *scan.Text
	data   []byte
	toks   []syntax.Token
	python bool
	last   bool // the second round, which reports

	vars     map[string]value
	strings  map[string]string // names that hold a literal
	alias    map[string]string // local name → real name
	params   map[string][]string
	results  map[string]value // what a local function returns
	given    map[string]value // what a parameter, "f.x", was given
	written  map[string]value // files with content from elsewhere
	dumpedAt int              // where the environment was last reported to be written
	inside   map[string]bool  // strings of code that were looked at
	tied     bool             // a connection is an input or output of the program
	frames   []frame
	def      string // the Python function that is being read
	defCol   int
	at       int // the token
}

func (f *flow) top() *frame { return &f.frames[len(f.frames)-1] }

func (f *flow) text(t syntax.Token) string { return string(f.data[t.Start:t.End]) }

func (f *flow) peek(n int) string {
	for i := f.at + 1; i < len(f.toks); i++ {
		if f.toks[i].Kind == syntax.TokenBreak {
			continue
		}
		if n--; n < 0 {
			if k := f.toks[i]; k.Kind == syntax.TokenName || k.Kind == syntax.TokenPunct {
				return f.text(k)
			}
			return ""
		}
	}
	return ""
}

// follow runs the flow over a text.
func follow(p *scan.Pass, t *scan.Text) {
	if !p.Spend(4 * len(t.Data)) {
		return
	}
	lang := syntax.CodeJavaScript
	if t.Lang == scan.Python {
		lang = syntax.CodePython
	}
	f := &flow{
		p: p, t: t, data: t.Data, toks: syntax.ReadCode(lang, t.Data), python: t.Lang == scan.Python,
		vars: map[string]value{}, strings: map[string]string{}, alias: map[string]string{}, params: map[string][]string{},
		results: map[string]value{}, given: map[string]value{}, written: map[string]value{}, dumpedAt: -1, inside: map[string]bool{},
	}
	if len(f.toks) >= syntax.MaxTokens {
		p.Incomplete("%s: it has more code than is followed", t.File.Path)
	}
	for round := range 2 {
		f.last = round == 1
		f.frames = append(f.frames[:0], frame{})
		f.def = ""
		for f.at = 0; f.at < len(f.toks); f.at++ {
			f.token(f.toks[f.at])
		}
		for len(f.frames) > 1 {
			f.close(len(f.data))
		}
		f.endStatement()
	}
}

func (f *flow) token(k syntax.Token) {
	fr := f.top()
	switch k.Kind {
	case syntax.TokenBreak:
		if (fr.kind == 0 || fr.kind == 'b') && f.statementEnds() {
			f.endStatement()
		}
	case syntax.TokenString:
		if k.Doc {
			return
		}
		if n := len(fr.chain); n > 0 && !f.python && f.data[k.Start] == '`' {
			f.tagged(fr, k)
		}
		f.literal(fr, k)
	case syntax.TokenOther:
		fr.chain = ""
		f.dynamic(fr, k)
	case syntax.TokenName:
		f.name(fr, k)
	case syntax.TokenPunct:
		f.punct(fr, k)
	}
}

// statementEnds reports whether JavaScript inserts a semicolon here, roughly.
func (f *flow) statementEnds() bool {
	if f.python {
		return true
	}
	switch f.peek(0) {
	case ".", "?.", "+", "?", ":", "||", "&&", ",", "=", "??", "(", "[":
		return false
	}
	if f.at > 0 {
		if k := f.toks[f.at-1]; k.Kind == syntax.TokenPunct {
			switch f.text(k) {
			case "=", "+", "+=", "=>", ",", "?", ":", "||", "&&", "(", ".", "?.":
				return false
			}
		}
	}
	return true
}

// touch takes a token into the operand.
func (o *operand) touch(k syntax.Token) {
	if o.parts == 0 {
		o.start = int(k.Start)
		o.literal = true
	}
	o.parts++
	o.end = int(k.End)
}

func (f *flow) literal(fr *frame, k syntax.Token) {
	o := &fr.cur
	o.touch(k)
	s := k.Value(f.data)
	if k.Format {
		if f.python {
			s = unhole(s)
			o.literal = o.literal && !strings.Contains(s, "$x")
			f.holes(o, k)
		} else {
			o.literal = false
			if k.End > 0 && f.data[k.End-1] == '{' {
				s += "$x"
			}
		}
	}
	if len(o.shape)+len(s) <= maxShape || o.shape == "" && len(s) <= maxWhole {
		o.shape += s
	}
	if len(s) < maxPath {
		if what := credentialPath(s); what != "" {
			o.merge(value{taint: isSecret, secret: what})
		}
	}
	if o.parts > 1 {
		o.taint &^= isHome // a place below it
	}
	if o.parts == 1 && (s == "~" || s == "/" || s == `C:\`) {
		o.taint |= isHome
	}
	fr.chain, fr.joined, fr.chainAt = "''", true, int(k.Start)
	fr.chained = o.value
}

// holes adds what the names in an f-string stand for.
func (f *flow) holes(o *operand, k syntax.Token) {
	s := string(f.data[k.Inner:k.InnerEnd])
	for n := 0; n < 20; n++ {
		i := strings.IndexByte(s, '{')
		if i < 0 {
			return
		}
		s = s[i+1:]
		end := 0
		for end < len(s) && (s[end] == '_' || s[end] >= 'a' && s[end] <= 'z' || s[end] >= 'A' && s[end] <= 'Z' || s[end] >= '0' && s[end] <= '9') {
			end++
		}
		if v, ok := f.vars[s[:end]]; ok {
			v.taint |= isMixed
			o.merge(v)
		}
	}
}

// unhole replaces what stands in the braces of an f-string by "$x".
func unhole(s string) string {
	if strings.IndexByte(s, '{') < 0 {
		return s
	}
	var b strings.Builder
	depth := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '{' && depth == 0 && i+1 < len(s) && s[i+1] == '{':
			b.WriteByte('{')
			i++
		case c == '{':
			if depth == 0 {
				b.WriteString("$x")
			}
			depth++
		case c == '}' && depth > 0:
			depth--
		case depth == 0:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// dynamic takes a token that is no literal into the operand.
func (f *flow) dynamic(fr *frame, k syntax.Token) {
	o := &fr.cur
	o.touch(k)
	if (o.literal || fr.joined) && !strings.HasSuffix(o.shape, "$x") && len(o.shape) < maxShape {
		o.shape += "$x"
	}
	o.literal, fr.joined = false, false
}

var keywords = wordSet(
	"await", "return", "yield", "new", "not", "in", "of", "as", "and", "or", "if", "else", "elif", "while", "for", "with", "async", "lambda", "const", "let", "var", "typeof", "void", "throw",
	"try", "except", "catch", "finally", "do", "switch", "case", "raise", "assert", "del", "delete", "global", "is", "def", "function", "class", "import", "from", "export", "default",
)

func (f *flow) name(fr *frame, k syntax.Token) {
	word := f.text(k)
	dotted := strings.HasSuffix(fr.chain, ".")
	if !dotted && keywords[word] {
		f.keyword(fr, k, word)
		return
	}
	if dotted {
		f.dynamic(fr, k)
		if len(fr.chain)+len(word) > maxChain {
			fr.chain = "()." // too long to mean anything
		}
		fr.chain += word
		fr.cur.name = fr.chain
		f.envVariable(fr)
		return
	}
	if s, ok := f.strings[word]; ok && f.peek(0) != "=" {
		// A name that holds a literal is as good as the literal.
		fr.cur.touch(k)
		if len(fr.cur.shape)+len(s) <= maxShape {
			fr.cur.shape += s
		}
		fr.joined = true
	} else {
		f.dynamic(fr, k)
	}
	fr.chain, fr.chained, fr.hiding, fr.chainAt = word, f.vars[word], false, int(k.Start)
	if fr.chained.taint&isEnvDump != 0 && f.oneOf() {
		fr.chained.taint &^= isEnvDump
	}
	fr.lastName = word
	if fr.inFor && len(fr.heads) < 8 {
		fr.heads = append(fr.heads, word)
	}
	if real := f.alias[word]; real != "" && f.peek(0) != "=" {
		fr.chain = real
	}
	if fr.cur.parts == 1 {
		fr.cur.name = fr.chain
	} else {
		fr.cur.name = ""
	}
	fr.cur.merge(fr.chained)
	f.callback(fr, word)
	f.envVariable(fr)
}

// callback gives the names of an arrow function's parameters what its call is
// made on: fetch(u).then(r => …), and runs a sink that stands as a name:
// .then(eval).
func (f *flow) callback(fr *frame, word string) {
	call := fr
	if fr.kind == '(' && len(f.frames) > 1 {
		call = &f.frames[len(f.frames)-2]
	}
	if call.kind != 'c' {
		return
	}
	v := call.recv
	if fetches[call.plain] || channels[call.plain] {
		v.taint |= isRemote
	}
	if v.taint == 0 {
		return
	}
	next := f.peek(0)
	if next == "=>" || fr.kind == '(' && (next == ")" || next == ",") || fr.kind == '(' && next == ":" {
		if v.taint&isChannel != 0 {
			v.taint = v.taint&^isChannel | isRemote
		}
		f.vars[word] = v
		return
	}
	if (next == ")" || next == ",") && fr == call && v.taint&isRemote != 0 && runsCode[f.resolve(fr.chain)] {
		f.report(ruleRemoteExec, fr.start, f.toks[f.at].End, "what another machine answers is run by %s", word)
	}
}

func (f *flow) keyword(fr *frame, k syntax.Token, word string) {
	fr.chain, fr.joined = "", false
	switch word {
	case "return":
		fr.returns = true
		return
	case "in", "of":
		if len(fr.loop) == 0 && fr.lastName != "" && (fr.kind == '(' || fr.kind == '[' || fr.kind == 0) {
			fr.loop = append(fr.loop, fr.lastName)
			if fr.inFor {
				fr.loop = fr.heads
			}
			if fr.kind == 0 || !f.python {
				fr.cur = operand{} // the names are no part of what is gone over
			}
		}
		fr.inFor, fr.heads = false, nil
		return
	case "as":
		if n := f.at + 1; f.python && n < len(f.toks) && f.toks[n].Kind == syntax.TokenName {
			f.vars[f.text(f.toks[n])] = fr.cur.value
			fr.cur = operand{}
			f.at = n
		}
		return
	case "for":
		fr.inFor, fr.heads = true, nil
		return
	case "def", "function":
		f.function(word)
		return
	case "import", "from":
		f.imports(fr, k, word)
		return
	case "const", "let", "var":
		f.declares(fr)
		return
	case "await", "new", "async", "export":
		return
	}
}

func (f *flow) punct(fr *frame, k syntax.Token) {
	word := f.text(k)
	switch word {
	case "(":
		f.open(fr, k)
	case "[":
		kind := byte('[')
		if fr.chain != "" && f.at > 0 && f.toks[f.at-1].Kind != syntax.TokenBreak {
			kind = 'i'
		}
		f.push(frame{kind: kind, start: int(k.Start), callee: fr.chain, recv: fr.chained})
	case "{":
		f.brace(fr, k)
	case ")", "]", "}":
		if len(f.frames) > 1 {
			f.close(int(k.End))
		}
	case ".", "?.":
		if fr.chain != "" {
			fr.chain = strings.TrimSuffix(fr.chain, ".") + "."
		} else {
			fr.chain = "?."
		}
		fr.cur.touch(k)
	case ",":
		switch {
		case fr.kind != 0 && fr.kind != 'b':
			f.endOperand(fr)
		case len(fr.targets) > 0 && !f.python:
			f.endStatement() // const a = 1, b = 2
		default:
			fr.chain, fr.joined = "", false
		}
	case ";":
		if fr.kind == 0 || fr.kind == 'b' {
			f.endStatement()
		}
	case "=", ":=", "+=":
		f.assign(fr, word)
	case ":":
		switch {
		case fr.kind == '{' || fr.kind == '[' || fr.kind == 'c':
			if fr.cur.parts > 0 && fr.kind == '{' {
				key := fr.cur.shape
				if fr.cur.name != "" {
					key = fr.cur.name
				}
				fr.cur = operand{key: key}
			}
			fr.chain, fr.joined = "", false
		case f.python && fr.kind == 0:
			f.endStatement() // a header: if …: for …:
		default:
			fr.chain = ""
		}
	case "+":
		fr.chain = ""
		fr.joined = true
		fr.cur.end = int(k.End)
	case "=>":
		fr.chain, fr.joined = "", false
		fr.cur = operand{key: fr.cur.key}
	default:
		fr.chain, fr.joined = "", false
		if word == "/" {
			fr.cur.taint &^= isHome // Path.home() / "x"
		}
		if fr.cur.parts > 0 {
			f.dynamic(fr, k)
		}
	}
}
