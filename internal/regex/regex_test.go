package regex

import "testing"

var word = Lazy{Expr: `^\w+$`}

func TestLazy(t *testing.T) {
	if word.re != nil {
		t.Error("compiled before it is used")
	}
	first := word.Get()
	if !first.MatchString("abc") || first.MatchString("a b") || word.Get() != first {
		t.Error("not the expression")
	}
}
