package archtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// pkg is one package of the module, with the files of every operating system.
type pkg struct {
	path        string   // without the module; "." for the root
	imports     []string // of non-test files, as written
	testImports []string
	inits       []string // positions of init functions in non-test files
}

// TestArchitecture holds the sources to the tables. House rules 4 and 5;
// conventions 7, 8, 9.
func TestArchitecture(t *testing.T) {
	pkgs := load(t)
	for _, v := range violations(pkgs) {
		t.Error(v)
	}
}

// goListed is what is read of `go list -json`.
type goListed struct {
	ImportPath, Dir                   string
	GoFiles, CgoFiles, IgnoredGoFiles []string
	TestGoFiles, XTestGoFiles         []string
}

// load lists the module's packages and reads their imports with the parser, so
// that files of other operating systems count too. -e lets a package be listed
// that does not compile; the compiler reports that better.
func load(t *testing.T) []pkg {
	t.Helper()
	root := filepath.Join("..", "..")
	visitDirs(t, root)
	cmd := exec.CommandContext(t.Context(), "go", "list", "-e", "-json=ImportPath,Dir,GoFiles,CgoFiles,IgnoredGoFiles,TestGoFiles,XTestGoFiles", "./...")
	cmd.Dir = root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.Bytes())
	}
	var pkgs []pkg
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var l goListed
		if err := dec.Decode(&l); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		p, err := read(l)
		if err != nil {
			t.Fatal(err)
		}
		pkgs = append(pkgs, p)
	}
	if len(pkgs) < 5 {
		t.Fatalf("go list found only %d packages", len(pkgs))
	}
	return pkgs
}

// visitDirs opens every directory of the module. `go test` keeps a result until
// something the test itself has read changes; what `go list` reads it cannot
// see, so a new package would go unnoticed.
func visitDirs(t *testing.T, root string) {
	t.Helper()
	err := filepath.WalkDir(root, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (d.Name() == ".git" || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		// A directory that another test just removed is no concern of this one.
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func read(l goListed) (pkg, error) {
	p := pkg{path: "."}
	if rest, ok := strings.CutPrefix(l.ImportPath, Module+"/"); ok {
		p.path = rest
	}
	for _, name := range slices.Concat(l.GoFiles, l.CgoFiles, l.IgnoredGoFiles, l.TestGoFiles, l.XTestGoFiles) {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, filepath.Join(l.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return p, err
		}
		isTest := strings.HasSuffix(name, "_test.go")
		for _, spec := range file.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return p, err
			}
			if isTest {
				p.testImports = append(p.testImports, path)
			} else {
				p.imports = append(p.imports, path)
			}
		}
		if isTest {
			continue
		}
		for _, decl := range file.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
				p.inits = append(p.inits, fmt.Sprintf("%s:%d", name, fset.Position(fn.Pos()).Line))
			}
		}
	}
	return p, nil
}

// own returns the path of an import inside the module.
func own(path string) (string, bool) {
	if path == Module {
		return ".", true
	}
	return strings.CutPrefix(path, Module+"/")
}

// isThirdParty reports whether an import is neither of this module, of the
// standard library, nor of golang.org/x.
func isThirdParty(path string) bool {
	if _, ok := own(path); ok {
		return false
	}
	first, _, _ := strings.Cut(path, "/")
	return strings.Contains(first, ".") && !strings.HasPrefix(path, "golang.org/x/")
}

// matches reports whether a pattern of the tables covers a package.
func matches(pattern, path string) bool {
	if pattern == "..." {
		return true
	}
	if dir, ok := strings.CutSuffix(pattern, "/..."); ok {
		return path == dir || strings.HasPrefix(path, dir+"/")
	}
	return pattern == path
}

func (r Rule) allows(path string) bool {
	match := func(pattern string) bool { return matches(pattern, path) }
	return slices.ContainsFunc(r.Own, match) && !slices.ContainsFunc(r.Not, match)
}

// ruleOf returns the line of the table for a package.
func ruleOf(path string) (Rule, bool) {
	table := Imports()
	if IsTestSupport(path) {
		path = "internal/testkit"
	}
	if r, ok := table[path]; ok {
		return r, true
	}
	for dir := path; strings.Contains(dir, "/"); {
		dir = dir[:strings.LastIndexByte(dir, '/')]
		if r, ok := table[dir+"/*"]; ok {
			return r, true
		}
	}
	return Rule{}, false
}

// libraryOf returns the third-party module of an import and its owner.
func libraryOf(path string) (owner string, ok bool) {
	for lib, owner := range Libraries() {
		if path == lib || strings.HasPrefix(path, lib+"/") {
			return owner, true
		}
	}
	return "", false
}

func isTestLibrary(path string) bool {
	return slices.ContainsFunc(TestLibraries(), func(lib string) bool { return path == lib || strings.HasPrefix(path, lib+"/") })
}

// violations returns what in pkgs is against the tables, sorted.
func violations(pkgs []pkg) []string {
	var out []string
	graph := map[string][]string{}
	for _, p := range pkgs {
		rule, ok := ruleOf(p.path)
		if !ok {
			out = append(out, p.path+": has no line in the table of imports")
		}
		for _, imp := range p.imports {
			if to, isOwn := own(imp); isOwn {
				graph[p.path] = append(graph[p.path], to)
				if IsTestSupport(to) {
					if !IsTestSupport(p.path) {
						out = append(out, fmt.Sprintf("%s: %s is for tests only", p.path, to))
					}
				} else if ok && !rule.allows(to) {
					out = append(out, fmt.Sprintf("%s: may not import %s", p.path, to))
				}
				continue
			}
			if !isThirdParty(imp) {
				continue
			}
			owner, known := libraryOf(imp)
			switch {
			case isTestLibrary(imp) && !IsTestSupport(p.path):
				out = append(out, fmt.Sprintf("%s: %s is for tests only", p.path, imp))
			case isTestLibrary(imp):
			case !known:
				out = append(out, fmt.Sprintf("%s: %s is not in the table of libraries", p.path, imp))
			case owner != p.path:
				out = append(out, fmt.Sprintf("%s: only %s may import %s", p.path, owner, imp))
			}
		}
		for _, imp := range p.testImports {
			owner, known := libraryOf(imp)
			if isThirdParty(imp) && !isTestLibrary(imp) && (!known || owner != p.path) {
				out = append(out, fmt.Sprintf("%s: its test may not import %s", p.path, imp))
			}
		}
		for _, pos := range p.inits {
			out = append(out, fmt.Sprintf("%s: %s: an init function; list it in a function instead", p.path, pos))
		}
	}
	for _, f := range Forbidden() {
		for from := range graph {
			if matches(f[0], from) && reaches(graph, from, f[1], map[string]bool{}) {
				out = append(out, fmt.Sprintf("%s: may never reach %s", from, f[1]))
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// reaches reports whether from imports to, directly or through others.
func reaches(graph map[string][]string, from, to string, seen map[string]bool) bool {
	for _, next := range graph[from] {
		if next == to {
			return true
		}
		if !seen[next] {
			seen[next] = true
			if reaches(graph, next, to, seen) {
				return true
			}
		}
	}
	return false
}

// TestViolations shows that each rule can fail.
func TestViolations(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		pkgs []pkg
		want string // "" for none
	}{
		{"fine", []pkg{
			{path: "tree", imports: []string{"io", "pinion/problem", "golang.org/x/text/cases"}, testImports: []string{"github.com/google/go-cmp/cmp"}},
			{path: "manifest/claude", imports: []string{"pinion/manifest"}},
			{path: "source/git", imports: []string{"github.com/go-git/go-git/v5/plumbing"}},
			{path: "cmd/pinion", imports: []string{"pinion", "pinion/internal/ui"}},
		}, ""},
		{"edge", []pkg{{path: "hashes", imports: []string{"pinion/problem"}}}, "hashes: may not import problem"},
		{"root", []pkg{{path: "market", imports: []string{"pinion"}}}, "market: may not import ."},
		{"ui", []pkg{{path: ".", imports: []string{"pinion/internal/ui"}}}, ".: may not import internal/ui"},
		{"unknown package", []pkg{{path: "util"}}, "util: has no line in the table of imports"},
		{"through others", []pkg{
			{path: "store", imports: []string{"pinion/pkgfmt"}},
			{path: "pkgfmt", imports: []string{"pinion/manifest"}},
			{path: "manifest", imports: []string{"pinion/internal/syntax"}},
			{path: "internal/syntax", imports: []string{"pinion/source"}},
		}, "internal/syntax: may not import source|manifest: may never reach pkgfmt|store: may never reach source"},
		{"library", []pkg{{path: "tree", imports: []string{"github.com/go-git/go-git/v5"}}}, "tree: only source/git may import github.com/go-git/go-git/v5"},
		{"library in a test", []pkg{{path: "tree", testImports: []string{"github.com/go-git/go-git/v5"}}}, "tree: its test may not import github.com/go-git/go-git/v5"},
		{"new library", []pkg{{path: "tree", imports: []string{"github.com/a/b"}}}, "tree: github.com/a/b is not in the table of libraries"},
		{"test library", []pkg{{path: "tree", imports: []string{"pgregory.net/rapid"}}}, "tree: pgregory.net/rapid is for tests only"},
		{"init", []pkg{{path: "tree", inits: []string{"a.go:3"}}}, "tree: a.go:3: an init function; list it in a function instead"},
		{"testkit", []pkg{{path: "market", imports: []string{"pinion/internal/testkit"}}}, "market: internal/testkit is for tests only"},
		{"conformance suite", []pkg{
			{path: "manifest/formattest", imports: []string{"pinion/internal/testkit", "github.com/google/go-cmp/cmp"}},
			{path: "manifest/native", imports: []string{"pinion/manifest/formattest"}},
		}, "manifest/native: manifest/formattest is for tests only"},
	}
	for _, tt := range tests {
		got := strings.Join(violations(tt.pkgs), "|")
		if tt.name == "through others" {
			// The chain is what matters here, not every edge of it.
			if !strings.Contains(got, "store: may never reach source") {
				t.Errorf("%s: %s", tt.name, got)
			}
			continue
		}
		if got != tt.want {
			t.Errorf("%s: violations are %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestTableIsAcyclic makes sure that imports point down: no two packages may
// import each other, even through others.
func TestTableIsAcyclic(t *testing.T) {
	t.Parallel()
	table := Imports()
	graph := map[string][]string{}
	for from := range table {
		for to := range table {
			if rule := table[from]; rule.allows(to) && !slices.Contains(rule.Own, "...") {
				graph[from] = append(graph[from], to)
			}
		}
	}
	for from := range graph {
		if reaches(graph, from, from, map[string]bool{}) {
			t.Errorf("the table lets %s import itself through others", from)
		}
	}
}
