package native

import (
	"net/url"
	"path"
	"strings"

	"pinion/tree"
)

// modules reads the JavaScript and the style sheets of the user interface:
// what they load must be declared (SB-140), styles should be scoped (SB-137),
// and modules should do nothing when they are loaded (SB-147).
func (c *checker) modules() {
	u := &c.doc.UI
	if !u.contributes() {
		return
	}
	w := moduleWalk{checker: c, declared: map[string]bool{}, read: map[string]bool{}}
	lists := [...][]string{u.Patches, u.Styles, u.Assets}
	var entries []string
	for i := range u.Pages[:min(len(u.Pages), maxList)] {
		entries = append(entries, u.Pages[i].Entrypoint)
	}
	for _, l := range lists {
		entries = append(entries, l[:min(len(l), maxList)]...)
	}
	for _, p := range entries {
		w.declared[p] = true
	}
	loaded := entries[:len(entries)-min(len(u.Assets), maxList)]
	for _, p := range loaded {
		w.visit(p, true)
	}
	for _, p := range entries[len(loaded):] {
		w.visit(p, false)
	}
}

// Bounds for one file, so that a hostile one cannot make the search for
// positions long.
const (
	maxLints = 50
	maxRefs  = 500
)

// moduleWalk follows the files of one user interface, each read once.
type moduleWalk struct {
	*checker
	declared map[string]bool // everything in ui
	read     map[string]bool
}

// visit reads one file. loaded is true for what runs with a page or patch: an
// asset may also be a worker, whose statements are meant to run.
func (w *moduleWalk) visit(name string, loaded bool) {
	if w.read[name] {
		return
	}
	w.read[name] = true
	f := w.tree.Lookup(name)
	if f == nil || f.Data == nil {
		return // reported with the list
	}
	switch {
	case isModule(name):
		tokens := jsTokens(f.Data)
		if loaded {
			for _, e := range jsEffects(tokens) {
				w.inFile(ruleEffect.Report("the module %s when it is loaded", clip(e.what)), f, e.at)
			}
		}
		refs := jsImports(tokens)
		for _, ref := range refs[:min(len(refs), maxRefs)] {
			bare := !strings.HasPrefix(ref.path, "./") && !strings.HasPrefix(ref.path, "../")
			if bare && !isNewURL(tokens, ref.at) {
				continue // a package or an address; not a file of the package
			}
			w.follow(f, ref, loaded)
		}
	case strings.HasSuffix(name, ".css"):
		w.style(f, loaded)
	}
}

// isNewURL reports whether the literal at the offset is the first argument of
// new URL, where a bare name is relative too.
func isNewURL(tokens []jsToken, at int) bool {
	lo, hi := 0, len(tokens)
	for lo < hi {
		if mid := (lo + hi) / 2; tokens[mid].at < at {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo >= 2 && tokens[lo-2].is("URL")
}

func (w *moduleWalk) style(f *tree.File, loaded bool) {
	id := w.doc.ID
	sheet := readCSS(f.Data, func(prelude string) bool { return strings.Contains(prelude, "(") && scoped(scopeRoot(prelude), id) })
	reports := 0
	for _, r := range sheet.rules {
		if reports == maxLints {
			break
		}
		if !loaded || scoped(r.selector, id) || r.themes && themed(r.selector) {
			continue
		}
		reports++
		w.inFile(ruleUnscoped.Report("the selector %s reaches beyond the plugin", quote(r.selector)).
			WithFix("begin it with [data-plugin=%q]", id), f, r.at)
	}
	for _, ref := range sheet.imports[:min(len(sheet.imports), maxRefs)] {
		if ref.path == "" || ref.path[0] == '/' || ref.path[0] == '#' || hasScheme(ref.path) {
			continue
		}
		w.follow(f, ref, loaded)
	}
}

// scopeRoot is what @scope (…) is limited to.
func scopeRoot(prelude string) string {
	_, rest, _ := strings.Cut(prelude, "(")
	depth := 1
	for i := range len(rest) {
		switch rest[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return rest[:i]
			}
		}
	}
	return rest
}

// follow checks that a reference leads to a declared file, and visits it.
func (w *moduleWalk) follow(from *tree.File, ref importRef, loaded bool) {
	rel, _, _ := strings.Cut(ref.path, "?")
	rel, _, _ = strings.Cut(rel, "#")
	if u, err := url.PathUnescape(rel); err == nil {
		rel = u
	}
	if rel == "" {
		return
	}
	target := path.Join(path.Dir(from.Path), rel)
	switch {
	case target == ".." || strings.HasPrefix(target, "../"):
		w.inFile(ruleImport.Report("%s is outside of the package", quote(ref.path)).WithFix("copy the file into the package"), from, ref.at)
	case w.declared[target]:
		w.visit(target, loaded)
	case w.tree.Lookup(target) == nil:
		w.inFile(ruleImport.Report("%s is not in the package", quote(ref.path)).WithFix("correct the path, or add the file to the package, to \"files\" and to \"ui.assets\""), from, ref.at)
	default:
		w.inFile(ruleImport.Report("%s is not declared in the ui of the manifest", quote(ref.path)).WithFix("add %q to \"ui.assets\"", clip(target)), from, ref.at)
	}
}

// hasScheme reports whether ref is an absolute address (https:, data:).
func hasScheme(ref string) bool {
	for i := range len(ref) {
		switch c := ref[i]; {
		case c == ':':
			return i > 0
		case isWordPart(c) || c == '+' || c == '-' || c == '.':
		default:
			return false
		}
	}
	return false
}
