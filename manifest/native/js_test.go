package native

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func paths(refs []importRef) []string {
	var out []string
	for _, r := range refs {
		out = append(out, r.path)
	}
	return out
}

// SB-140: what counts as an import, and what only looks like one.
func TestJSImports(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		src  string
		want string // paths, separated by blanks
	}{
		{`import "./a.js"`, "./a.js"},
		{`import a from './a.js'`, "./a.js"},
		{"import a\n, {b as c}\nfrom\n'./a.js'", "./a.js"},
		{`import{a}from"./a.js";import*as b from"./b.js"`, "./a.js ./b.js"},
		{`import data from './d.json' with { type: 'json' }`, "./d.json"},
		{`import { "odd name" as a } from './a.js'`, "./a.js"},
		{`export { a, b } from './a.js'; export * as c from './c.js'`, "./a.js ./c.js"},
		{`export { a, b }; const from = './no.js'`, ""},
		{`export const from = './no.js'`, ""},
		{`await import('./a.js'); import ( "./b.js" , {with: {type: 'json'}})`, "./a.js ./b.js"},
		{"import(`./a.js`); import(`./${x}.js`); import(x); import('./a' + x)", "./a.js"},
		{`new URL('a.png', import.meta.url); new URL("./b.png", import . meta . url)`, "a.png ./b.png"},
		{`new URL('a.png', location.href); new URL('https://x.org/a', import.meta.url); URL('./a', import.meta.url)`, ""},
		{`import.meta.resolve('./a.js'); import.meta.url`, "./a.js"},
		{`a.import('./no.js'); a?.import('./no.js'); ({import: './no.js'})`, ""},
		{`// import './no.js'` + "\n" + `/* import './no.js' */ import './a.js'`, "./a.js"},
		{`const s = "import './no.js'"; const q = 'it\'s import("./no.js")'`, ""},
		{"const s = `import './no.js' ${ `nested ${import('./a.js')} import './no.js'` } import './no.js'`", "./a.js"},
		{`const r = /import '.\/no.js'/g; x = a / import('./a.js') / 2`, "./a.js"},
		{`const r = /['"]/; import './a.js'`, "./a.js"},
		{`const r = /[/'"]/.test(x); import './a.js'`, "./a.js"},
		{`if (x) /'/.test(x); import './a.js'`, "./a.js"},
		{`f(x) / 2; y = "'"; import './a.js'`, "./a.js"},
		{`x++ / 2; y = '/'; import './a.js'`, "./a.js"},
		{`return /'/; import './a.js'`, "./a.js"},
		{`const o = {} / 1; import './a.js'`, "./a.js"},
		{`function f() {} /'/.test(x); import './a.js'`, "./a.js"},
		{`const s = 'open` + "\n" + `import './a.js'`, "./a.js"},
		{"#!/usr/bin/env node '\nimport './a.js'", "./a.js"},
		{`import '.\/a.js'`, "./a.js"},
		{`import './\u002e/a.js'`, "././a.js"},
		{`import`, ""}, {`import(`, ""}, {`import.meta.resolve(`, ""}, {`export *`, ""}, {`new URL(`, ""}, {`import a from`, ""},
		{"#a$zb #x in o; import './a.js'", "./a.js"}, {"`${", ""}, {"`", ""}, {"'\\", ""}, {"/*", ""}, {"/\\", ""}, {"}}))]", ""},
	} {
		got := strings.Join(paths(jsImports(jsTokens([]byte(tt.src)))), " ")
		if got != tt.want {
			t.Errorf("jsImports(%s) = %q, want %q", tt.src, got, tt.want)
		}
	}
}

// SB-147: what runs at import time.
func TestJSEffects(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		src  string
		want string // what is found, separated by "; "
	}{
		{`export function mount(root, sdk) { document.title = 'x'; setInterval(f, 1) }`, ""},
		{`export async function activate(sdk) { await f(); fetch('/x') }`, ""},
		{`export default function () { start() }`, ""},
		{`export const mount = (root) => { root.append(document.body) }`, ""},
		{`const f = () => document.title, g = 1`, ""},
		{`const f = x => y => fetch(x)` + "\n" + `const g = 2`, ""},
		{`const f = () => fetch('/a')` + "\n" + `fetch('/b')`, "calls fetch"},
		{`const f = (() => fetch('/a'), fetch('/b'))`, "calls fetch"},
		{`class A { constructor() { document.x() } static b = fetch }`, ""},
		{`class A extends mixin({}) { run() { fetch('/') } }`, ""},
		{`const a = class { run() { fetch('/') } }`, ""},
		{`const api = { get() { return fetch('/') }, async *all() { await x }, document: 1 }`, ""},
		{`const o = { fetch(x) { return x } }`, ""},
		{`const state = new Map(); const now = Date.now(); let x = compute()`, ""},
		{`Object.freeze(state); Object.defineProperty(a, 'b', {})`, ""},
		{`const dark = typeof document === 'undefined'`, ""},
		{`import { document } from './dom.js'; const a = document.b()`, ""},
		{`function fetch() {} const a = fetch()`, ""},
		{`const a = x.document; const b = sdk.fetch('/')`, ""},
		{`'use strict'; 5; a; a.b; x = 5; counter++`, ""},
		{`import './a.js'` + "\n" + `export { b } from './b.js'`, ""},
		{`const s = "document.write()" + /fetch()/.source // document`, ""},
		{"const s = `document ${name}`", ""},
		{"const s = `${document.title}`", "uses document"},
		{`document.title = 'x'`, "uses document"},
		{`const el = document.createElement('p')`, "uses document"},
		{`const a = 1` + "\n" + `start()` + "\n" + `const b = 2`, "calls start"},
		{`start(); sdk.run()`, "calls start; calls run"},
		{`(() => { start() })()`, "calls a function"},
		{`(function () {})()`, "calls a function"},
		{`!function () { x() }()`, "calls a function"},
		{`if (window.x) { start() }`, "calls start"},
		{`if (a) b = 1; else start()`, "calls start"},
		{`for (const a of b) { c(a) }`, "calls c"},
		{`try { start() } catch (e) { }`, "calls start"},
		{`window.x = 1; window.y; globalThis.a.b = 2; window.z === 1`, "sets window.x; sets globalThis.b"},
		{`self.addEventListener('x', f)`, "calls self.addEventListener"},
		{`const t = setTimeout(() => {}, 1)`, "calls setTimeout"},
		{`const w = new Worker(url), m = new MutationObserver(f)`, "makes a Worker"},
		{`const data = await load()`, "waits with await"},
		{`String.prototype.x = function () {}`, "changes String.prototype"},
		{`Mine.prototype.x = 1; class Mine {}`, ""},
		{`customElements.define('a-b', class extends HTMLElement {})`, "calls customElements.define"},
		{`function f() {} start()`, "calls start"},
		{`export default start()`, ""},
	} {
		var got []string
		for _, e := range jsEffects(jsTokens([]byte(tt.src))) {
			got = append(got, e.what)
		}
		if s := strings.Join(got, "; "); s != tt.want {
			t.Errorf("jsEffects(%s) = %q, want %q", tt.src, s, tt.want)
		}
	}
}

// Tokens cover the source in order and never overlap.
func FuzzJSTokens(f *testing.F) {
	for _, s := range []string{"import './a.js'", "`a${b}c`", "a/b/c", "/[/]/g", "x => {}", "'\\\n'", "#!x", "\ufeff/*"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		tokens := jsTokens([]byte(src))
		at := -1
		for _, tok := range tokens {
			if tok.at <= at || tok.at > len(src) {
				t.Fatalf("token at %d after one at %d of %d", tok.at, at, len(src))
			}
			at = tok.at
		}
		if len(tokens) > len(src)+1 {
			t.Fatalf("%d tokens of %d bytes", len(tokens), len(src))
		}
		jsEffects(tokens)
		for _, r := range jsImports(tokens) {
			if r.at < 0 || r.at >= len(src) {
				t.Fatalf("import at %d of %d", r.at, len(src))
			}
		}
	})
}

// SB-137 and SB-140 for style sheets.
func TestReadCSS(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		src     string
		imports []string
		rules   []string // "*" in front of one that only sets variables
	}{
		{`a{b:c}`, nil, []string{"a"}},
		{`a , b > c /* { */ { color: red } d{}`, nil, []string{"a , b > c", "d"}},
		{`@charset "utf-8"; @import 'a.css' layer(x); @import url( "b.css" ); @IMPORT url(c.css);`, []string{"a.css", "b.css", "c.css"}, nil},
		{`@media screen { a{} @supports (x: y) { b{} } } c{}`, nil, []string{"a", "b", "c"}},
		{`@font-face { src: url(f.woff) } @keyframes k { from { a: b } to { a: b } } @page :first { margin: 1px } a{}`, []string{"f.woff"}, []string{"a"}},
		{`@layer a, b; @layer c { d{} }`, nil, []string{"d"}},
		{`a{ background: URL('x.png') , url(y.png) } b{ content: "url(z.png) }" }`, []string{"x.png", "y.png"}, []string{"a", "b"}},
		{`a{ background: my-url(x.png); --u: url(v.png) }`, []string{"v.png"}, []string{"a"}},
		{`:root { --a: 1; --b: url(b.png); color-scheme: dark }`, []string{"b.png"}, []string{"*:root"}},
		{`:root { --a: { x: y } }`, nil, []string{":root"}},
		{`:root { --a: 1; color: red }`, nil, []string{":root"}},
		{`:root {}`, nil, []string{":root"}},
		{`a { & b { c: d } e: f; @media x { g: h } } i{}`, nil, []string{"a", "i"}},
		{`a[title="}{"] {} b\{ {}`, nil, []string{`a[title="}{"]`, `b\{`}},
		{`a { /* } */ b: c } d{}`, nil, []string{"a", "d"}},
		{`@scope (mine) to (x) { a{} } b{}`, nil, []string{"b"}},
		{`@scope (other) { a{} } b{}`, nil, []string{"a", "b"}},
		{`<!-- a{} --> b{}`, nil, []string{"a", "b"}},
		{`a{`, nil, []string{"a"}}, {`@media x {`, nil, nil}, {`}}a{}`, nil, []string{"a"}}, {`url(`, []string{""}, nil}, {`a{b:url(`, []string{""}, []string{"a"}},
		{`@import "x`, []string{"x"}, nil}, {`/*`, nil, nil}, {`\`, nil, nil},
	} {
		got := readCSS([]byte(tt.src), func(p string) bool { return scopeRoot(p) == "mine" })
		var rules []string
		for _, r := range got.rules {
			s := r.selector
			if r.themes {
				s = "*" + s
			}
			rules = append(rules, s)
		}
		if d := cmp.Diff(tt.imports, paths(got.imports)); d != "" {
			t.Errorf("%s: imports (-want +got)\n%s", tt.src, d)
		}
		if d := cmp.Diff(tt.rules, rules); d != "" {
			t.Errorf("%s: rules (-want +got)\n%s", tt.src, d)
		}
	}
}

func TestScoped(t *testing.T) {
	t.Parallel()
	for sel, want := range map[string]bool{
		`[data-plugin="p"]`:                        true,
		`[data-plugin='p'] a`:                      true,
		`[ data-plugin = p ] a`:                    true,
		`body [data-plugin="p"]>a:hover::before`:   true,
		`:is([data-plugin="p"]) a`:                 true,
		`[data-plugin="p"] a, [data-plugin="p"] b`: true,
		`[data-plugin="p"] :is(a, b)`:              true,
		`[data-plugin="p"]:not(.x) a`:              true,
		`a`:                                        false,
		`[data-plugin="p"] a, b`:                   false,
		`[data-plugin="pq"]`:                       false,
		`[data-plugin]`:                            false,
		`[data-plugin^="p"]`:                       false,
		`[data-plugin~="p"]`:                       false,
		`a:not([data-plugin="p"])`:                 false,
		`body:has([data-plugin="p"])`:              false,
		`body:HAS(:is([data-plugin="p"]))`:         false,
		`[title='[data-plugin="p"]']`:              false,
		`[title="x] [data-plugin=p] y"]`:           false,
		`\[data-plugin="p"\]`:                      false,
		`.data-plugin`:                             false,
		``:                                         false,
		`(`:                                        false,
		`[data-plugin="p"`:                         true, // browsers close it at the end too
	} {
		if got := scoped(sel, "p"); got != want {
			t.Errorf("scoped(%s) = %t, want %t", sel, got, want)
		}
	}
	for sel, want := range map[string]bool{
		`:root`: true, `html`: true, `[data-theme]`: true, `:root[data-theme="dark"]`: true, `:root, [data-theme=a]`: true, `:root:not([data-theme])`: true,
		`:root a`: false, `a`: false, `:root, a`: false, `.root`: false, `[data-theme] a`: false, `:rooted`: false,
	} {
		if got := themed(sel); got != want {
			t.Errorf("themed(%s) = %t, want %t", sel, got, want)
		}
	}
}

func FuzzReadCSS(f *testing.F) {
	for _, s := range []string{"a{b:url(c)}", "@import 'x';", "@media{a{}}", "\\", "url(\\", "a[b='"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		got := readCSS([]byte(src), func(string) bool { return false })
		for _, r := range got.imports {
			if r.at < 0 || r.at > len(src) {
				t.Fatalf("import at %d of %d", r.at, len(src))
			}
		}
		for _, r := range got.rules {
			scoped(r.selector, "p")
			themed(r.selector)
		}
	})
}
