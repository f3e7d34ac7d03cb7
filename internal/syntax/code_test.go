package syntax

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadCode(t *testing.T) {
	for _, c := range []struct {
		lang     CodeLang
		in, want string
	}{
		{CodePython, "exec(b64decode('aGk='))  # exec('x')\n", "exec ( b64decode ( 'aGk=' ) ) ;"},
		{CodePython, "\"\"\"doc 'exec'\n\"\"\"\nx = rb'\\n' + \"\\x65v\" 'al'\n", "doc:\"doc 'exec'\\n\" ; x = '\\\\n' + 'ev' 'al' ;"},
		{CodePython, "f(a,\n  b)\nc", "f ( a , b ) ; c"},
		{CodePython, "s = 'no end\nexec(x)", "s = 'no end' ; exec ( x )"},
		{CodeJavaScript, "// eval(a)\n/* eval(b) */ eval(c)", "eval ( c )"},
		{CodeJavaScript, "a = b / c / d; e = /x['\"]/g.test(f)", "a = b / c / d ; e = _ . test ( f )"},
		{CodeJavaScript, "`a${b + `c${d}e`}f`", "f:'a' b + f:'c' d f:'e' f:'f'"},
		{CodeJavaScript, "const {a: b} = require('x'); x => { y === 1 }", "const { a : b } = require ( 'x' ) ; x => { y === _ }"},
		{CodeJavaScript, `"\u{65}\x76\u0061l\154"`, "'evall'"},
		{CodeJavaScript, "`no end ${", "f:'no end '"},
	} {
		var out []string
		for _, k := range ReadCode(c.lang, []byte(c.in)) {
			switch k.Kind {
			case TokenName, TokenPunct:
				out = append(out, c.in[k.Start:k.End])
			case TokenBreak:
				out = append(out, ";")
			case TokenOther:
				out = append(out, "_")
			case TokenString:
				s := "'" + k.Value([]byte(c.in)) + "'"
				if strings.ContainsAny(s, "\n\\") {
					s = strings.ReplaceAll(fmt.Sprintf("%q", s), `"`, "")
				}
				switch {
				case k.Doc:
					s = "doc:" + strings.Replace(s, "'", "\"", 1)
					s = s[:len(s)-1] + "\""
				case k.Format:
					s = "f:" + s
				}
				out = append(out, s)
			}
		}
		if d := cmp.Diff(c.want, strings.Join(out, " ")); d != "" {
			t.Errorf("ReadCode(%q):\n%s", c.in, d)
		}
	}
}

// FuzzReadCode: tokens are in order and inside the text, whatever it is.
func FuzzReadCode(f *testing.F) {
	f.Add([]byte("f'''a{b}''' rb\"\\x41\" `a${`b${c}`}` /[/]/g // x\n/* y"))
	f.Add([]byte("'\\"))
	f.Add([]byte("`${`${`${"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, lang := range []CodeLang{CodePython, CodeJavaScript} {
			last := int32(0)
			for _, k := range ReadCode(lang, data) {
				if k.Start < last || k.End <= k.Start || int(k.End) > len(data) {
					t.Fatalf("%q: %+v after %d", data, k, last)
				}
				if k.Kind == TokenString {
					if k.Inner < k.Start || k.InnerEnd < k.Inner || k.InnerEnd > k.End {
						t.Fatalf("%q: %+v", data, k)
					}
					_ = k.Value(data)
				}
				last = k.End
			}
		}
	})
}
