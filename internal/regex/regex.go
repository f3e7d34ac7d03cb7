// Package regex has regular expressions that are compiled when they are first
// used. A package-level expression of package regexp is compiled at every start
// of the program, also of the commands that never meet it.
package regex

import (
	"regexp"
	"sync"
)

// Lazy is an expression. It must be a variable of a package, and is safe for
// concurrent use.
type Lazy struct {
	Expr string

	once sync.Once
	re   *regexp.Regexp
}

// Get returns the compiled expression. It panics when Expr is none, which the
// first test that uses it meets.
func (l *Lazy) Get() *regexp.Regexp {
	l.once.Do(func() { l.re = regexp.MustCompile(l.Expr) })
	return l.re
}
