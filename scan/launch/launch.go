// Package launch reads what a command or a configuration fetches when it is
// started: packages of a registry, container images, modules, repositories,
// remote servers. Such content is outside the digest of the plugin, so what was
// reviewed is not what runs, unless the command names one exact version.
//
// It only reads: nothing is looked up, started or resolved.
package launch

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"pinion/internal/syntax"
	"pinion/manifest"
	"pinion/pkgfmt"
	"pinion/scan"
)

// Ecosystem is where content comes from.
type Ecosystem string

// The ecosystems. URL is anything that is fetched by its address alone.
const (
	NPM   Ecosystem = "npm"
	PyPI  Ecosystem = "pypi"
	OCI   Ecosystem = "oci"
	Git   Ecosystem = "git"
	Go    Ecosystem = "go"
	Cargo Ecosystem = "cargo"
	NuGet Ecosystem = "nuget"
	URL   Ecosystem = "url"
)

// Starter is who makes the fetch happen.
type Starter string

// The starters, from the one that asks nobody to the one that only mentions it.
const (
	Host     Starter = "host"     // a server or hook that the host starts by itself
	Script   Starter = "script"   // a file of the package, when something runs it
	Document Starter = "document" // an example or an instruction
)

// Fetch is one thing that a command fetches.
type Fetch struct {
	Ecosystem Ecosystem `json:"ecosystem"`
	Name      string    `json:"name"`    // "@scope/pkg", "ghcr.io/a/b", an address
	Version   string    `json:"version"` // as it is written, "" for none: "1.2.3", "latest", "sha256:…"
	// Pinned is true when the same command fetches the same release every time:
	// an exact version, an image digest, a full commit.
	Pinned bool `json:"pinned"`
	// PURL is the package URL, "" for what has none.
	PURL string `json:"purl"`
	// Tool is the program that fetches: "npx", "docker run", "mcp server".
	Tool   string  `json:"tool"`
	Starts Starter `json:"starts"`
	File   string  `json:"file"` // "" when the catalog entry says it
	Line   int     `json:"line"` // 1-based, 0 for a whole file

	// Where it stands, for a finding; Text is nil for what the entry says.
	Text       *scan.Text `json:"-"`
	Start, End int        `json:"-"`
}

// Installs reports whether the tool only puts the content on the machine, as
// "pip install" does, and does not run it at once.
func (f Fetch) Installs() bool {
	return strings.HasSuffix(f.Tool, " install") || strings.HasSuffix(f.Tool, " add") || f.Tool == "git clone" || f.Tool == "docker pull"
}

// Remote reports whether it is a server at an address: nothing is fetched and
// started here, but what answers is somebody else's.
func (f Fetch) Remote() bool { return f.Tool == remoteTool }

// remoteTool is the tool of a remote server.
const remoteTool = "mcp server"

// Of returns everything that a package fetches when it is used, in the order of
// its files, each once for each place.
func Of(pkg *pkgfmt.Package) []Fetch {
	c := NewContext(pkg)
	out := c.Entry()
	for _, f := range pkg.Tree.Files {
		if !mentions(f.Data) {
			continue
		}
		file, texts := scan.FileTexts(f.Path, f.Exec, f.Data)
		out = append(out, c.Config(file, texts)...)
		for _, t := range texts {
			if Commands(t) {
				var script *syntax.Script
				if t.Lang == scan.Shell {
					script = syntax.ParseShell(t.Data)
				}
				out = append(out, c.Text(t, script)...)
			}
		}
	}
	Sort(out)
	return slices.CompactFunc(out, func(a, b Fetch) bool {
		return a.File == b.File && a.Line == b.Line && a.Ecosystem == b.Ecosystem && a.Name == b.Name && a.Version == b.Version
	})
}

// Sort orders fetches by file, line and what is fetched.
func Sort(list []Fetch) {
	slices.SortStableFunc(list, func(a, b Fetch) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Ecosystem, b.Ecosystem),
			cmp.Compare(a.Name, b.Name), cmp.Compare(a.Version, b.Version))
	})
}

// Hints returns words in lower case without one of which no text names a fetch.
func Hints() []string {
	return []string{
		"npx", "bunx", "bun x", "pnpm", "pnpx", "yarn", "npm ", "uvx", "uv ", "pipx", "pip ", "pip3", "docker", "podman", "nerdctl",
		"deno", "go run", "go install", "cargo", "nix ", "dnx", "git clone",
	}
}

// mentions reports whether a file may name a fetch or a server at all.
func mentions(data []byte) bool {
	if bytes.Contains(data, []byte("registryType")) || bytes.Contains(data, []byte("url")) || bytes.Contains(data, []byte("Url")) {
		return true
	}
	return slices.ContainsFunc(Hints(), func(w string) bool { return bytes.Contains(data, []byte(w)) })
}

// Commands reports whether a text is of a kind that [Context.Text] reads.
func Commands(t *scan.Text) bool {
	switch t.Lang {
	case scan.Shell, scan.PowerShell, scan.Python, scan.JavaScript:
		return true
	}
	return false
}

// Context knows which files of a package the host reads to start something. It
// may be used by several goroutines.
type Context struct {
	pkg      *pkgfmt.Package
	files    map[string]bool
	commands string // every command line that a host runs, one a line
}

// NewContext looks at a package's components.
func NewContext(pkg *pkgfmt.Package) *Context {
	c := &Context{pkg: pkg, files: map[string]bool{}}
	var b strings.Builder
	for _, k := range pkg.Manifest.Components {
		switch k.Type {
		case manifest.HookComponent, manifest.ServerComponent, manifest.LSPComponent, manifest.MonitorComponent:
			if k.Path != "" {
				c.files[k.Path] = true
			}
			b.WriteString(k.Detail)
			b.WriteByte('\n')
		}
	}
	c.commands = b.String()
	return c
}

// Starts says who runs what stands in a text.
func (c *Context) Starts(t *scan.Text) Starter {
	p := t.File.Path
	switch {
	case t.Role == scan.Block || t.Lang == scan.Prose:
		return Document
	case t.File.Lang == scan.Markdown && !(t.Role == scan.Command && c.files[p] && inFront(t)):
		return Document
	case t.Role == scan.Command && (c.files[p] || HostFile(p)):
		return Host
	case t.Role == scan.Body && strings.Contains(p, "/") && strings.Contains(c.commands, p):
		return Host // the hook or server runs this script
	case documentDir(p):
		return Document
	}
	return Script
}

// inFront reports whether a text stands in the frontmatter of its Markdown file.
func inFront(t *scan.Text) bool {
	data := t.File.Data
	if !bytes.HasPrefix(syntax.TrimBOM(data), []byte("---")) {
		return false
	}
	end := bytes.Index(data, []byte("\n---"))
	return end > 0 && t.Offset(0) < end
}

// HostFile reports whether a host reads a file of this path, wherever it lies in
// the package, to find servers and hooks.
func HostFile(p string) bool {
	dir, base := "", p
	if i := strings.LastIndexByte(p, '/'); i >= 0 {
		dir, base = p[:i], p[i+1:]
	}
	if documentDir(p) {
		return false
	}
	switch base {
	case ".mcp.json", "mcp.json", "mcp.toml", "plugin.json", "gemini-extension.json", "hooks.json", ".lsp.json", "monitors.json",
		"settings.json", "settings.local.json", "mcp_config.json", "opencode.json", ".app.json":
		return true
	case "config.toml":
		return strings.HasSuffix("/"+dir, "/.codex")
	}
	return strings.HasSuffix("/"+dir, "/hooks") && strings.HasSuffix(base, ".json")
}

// documentDir reports whether a path lies where examples and tests lie.
func documentDir(p string) bool {
	for part := range strings.SplitSeq(strings.ToLower(p), "/") {
		switch part {
		case "docs", "doc", "example", "examples", "test", "tests", "fixtures", "testdata", "templates", "references", "reference", "assets", "samples":
			return true
		}
	}
	return false
}

// Entry returns what the catalog entry itself starts, which has no file, and what
// the shell in the prompts of commands does.
func (c *Context) Entry() []Fetch {
	var out []Fetch
	for _, k := range c.pkg.Manifest.Components {
		// The prompt of a TOML command is one text, in which shell is not seen.
		inPrompt := k.Type == manifest.HookComponent && strings.HasSuffix(k.Path, ".toml")
		if k.Path != "" && !inPrompt {
			continue
		}
		from := len(out)
		switch k.Type {
		case manifest.HookComponent, manifest.ServerComponent, manifest.LSPComponent, manifest.MonitorComponent:
			for _, word := range strings.Fields(k.Detail) {
				if f, ok := remote(word); ok && k.Type == manifest.ServerComponent {
					out = append(out, f)
				}
			}
			for _, l := range fromScript(syntax.ParseShell([]byte(k.Detail)), 0) {
				out = append(out, l.Fetch)
			}
		}
		for i := range out[from:] {
			out[from+i].Starts, out[from+i].File = Host, k.Path
		}
	}
	return out
}

// Text returns what the commands in a text fetch. script is the text parsed,
// for shell.
func (c *Context) Text(t *scan.Text, script *syntax.Script) []Fetch {
	out := InText(t, script)
	for i := range out {
		out[i].Starts = c.Starts(t)
	}
	return out
}

// InText is [Context.Text] for whoever does not know the package: the fetches
// have no Starts.
func InText(t *scan.Text, script *syntax.Script) []Fetch {
	var list []located
	switch {
	case t.Lang == scan.Shell && script != nil:
		list = fromScript(script, 0)
	case t.Lang == scan.PowerShell:
		list = fromScript(syntax.ParseShell(t.Data), 0) // simple commands read alike
	case t.Lang == scan.Python || t.Lang == scan.JavaScript:
		list = fromCode(t.Data)
	}
	out := make([]Fetch, 0, len(list))
	for _, l := range list {
		f := l.Fetch
		f.File, f.Text, f.Start, f.End = t.File.Path, t, l.start, l.end
		f.Line, _ = t.Position(l.start)
		out = append(out, f)
	}
	return out
}

// Config returns what the servers of a configuration file fetch.
func (c *Context) Config(file *scan.File, texts []*scan.Text) []Fetch {
	out := registry(file, texts)
	for i := range out {
		if out[i].Starts = Document; c.files[file.Path] {
			out[i].Starts = Host
		}
	}
	for _, s := range Servers(file, texts) {
		var list []Fetch
		if len(s.Args) > 0 || len(s.Command) > 1 {
			list = Command(s.Argv())
		} // a command line alone is shell, and read as a text
		if f, ok := remote(s.URL); ok {
			list = append(list, f)
		}
		starts := Document
		if (c.files[file.Path] || HostFile(file.Path) || file.Lang == scan.Markdown) && !s.Example {
			starts = Host
		}
		for _, f := range list {
			f.Starts, f.File, f.Text, f.Start, f.End = starts, file.Path, s.Text, 0, len(s.Text.Data)
			f.Line, _ = s.Text.Position(0)
			out = append(out, f)
		}
	}
	return out
}
