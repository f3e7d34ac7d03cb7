package checks

import (
	"bytes"
	"path"
	"strings"

	"pinion/scan"
)

const (
	minifiedBytes = 8 << 10 // a smaller script can be read, whatever its lines
	minifiedLine  = 1_000   // bytes of a line that nobody wrote
)

// minified reports a script that is almost all long lines when the package has
// nothing that it could be made of.
func minified(p *scan.Pass, f *scan.File) {
	if f.Lang != scan.JavaScript || len(f.Data) < minifiedBytes || !p.Spend(len(f.Data)/8) {
		return
	}
	long := 0
	for line := range bytes.Lines(f.Data) {
		if len(line) > minifiedLine {
			long += len(line)
		}
	}
	if long*10 < len(f.Data)*7 {
		return
	}
	head := f.Data[:min(len(f.Data), 1<<10)]
	if bytes.Contains(head, []byte("/*!")) || bytes.Contains(head, []byte("@license")) || bytes.Contains(head, []byte("@preserve")) {
		return // a library that says what it is
	}
	if hasSource(p, f.Path) {
		return
	}
	p.ReportFile(scan.Medium, ruleMinified, f.Path, "minified code without its source")
}

// hasSource reports whether the package has a source map of a script, a script of
// the same name that is no bundle, or a build that is declared beside sources.
func hasSource(p *scan.Pass, name string) bool {
	tree := p.Package.Tree
	if tree.Lookup(name+".map") != nil {
		return true
	}
	dir, base := path.Split(name)
	stem := base[:max(0, strings.IndexByte(base, '.'))]
	for up := dir; ; {
		for _, d := range []string{up, up + "src/", up + "lib/"} {
			for _, ext := range []string{".ts", ".tsx", ".mts", ".js", ".mjs", ".jsx"} {
				if c := d + stem + ext; c != name && tree.Lookup(c) != nil {
					return true
				}
			}
		}
		if tree.Lookup(up+"package.json") != nil {
			for _, s := range []string{"src/index.ts", "src/index.js", "src/main.ts", "src/cli.ts", "src/server.ts", "index.ts", "src/index.tsx", "src/index.mjs"} {
				if tree.Lookup(up+s) != nil {
					return true
				}
			}
		}
		if up == "" {
			return false
		}
		up, _ = path.Split(strings.TrimSuffix(up, "/"))
	}
}
