package locks

import (
	"net"
	"slices"
	"strings"

	"pinion/internal/syntax"
	"pinion/source"
)

// wireAPMLock is apm.lock.yaml, versions 1 and 2 (formats 1.12; apm 0.35.0). All
// scalars are text.
type wireAPMLock struct {
	Version      string       `json:"lockfile_version"`
	Dependencies []syntax.Raw `json:"dependencies"`
	MCPServers   []string     `json:"mcp_servers"`
	LSPServers   []string     `json:"lsp_servers"`
}

type wireAPMLocked struct {
	RepoURL     string `json:"repo_url"` // owner/repo, or an address
	Name        string `json:"name"`
	Host        string `json:"host"` // "" is github.com
	Port        string `json:"port"`
	Prefix      string `json:"registry_prefix"`
	Commit      string `json:"resolved_commit"`
	Ref         string `json:"resolved_ref"`
	Tag         string `json:"resolved_tag"`
	Virtual     string `json:"virtual_path"`
	Source      string `json:"source"` // "local", "registry", "" for git
	LocalPath   string `json:"local_path"`
	PackageType string `json:"package_type"`
	ContentHash string `json:"content_hash"` // "sha256:" and hex digits
	Insecure    string `json:"is_insecure"`
}

func readAPMLock(data []byte) (*List, error) {
	var w wireAPMLock
	if err := decodeYAML(data, &w); err != nil {
		return nil, err
	}
	if w.Version != "1" && w.Version != "2" {
		return nil, &Error{Why: "apm.lock.yaml has version \"" + w.Version + "\", this Pinion knows 1 and 2"}
	}
	l := &List{Tool: "apm"}
	for _, raw := range w.Dependencies {
		var d wireAPMLocked
		if p, bad := syntax.Decode(raw, &d, syntax.Options{}).First(); bad {
			l.leave(d.RepoURL, "its entry cannot be read: %s", p.Message)
			continue
		}
		l.locked(d)
	}
	l.servers(w.MCPServers, w.LSPServers)
	return l, nil
}

func (l *List) servers(mcp, lsp []string) {
	for _, name := range mcp {
		l.leave(name, "it is an MCP server in apm.yml, not a package; add it to a plugin or to the host itself")
	}
	for _, name := range lsp {
		l.leave(name, "it is a language server in apm.yml, not a package; add it to a plugin or to the host itself")
	}
}

// locked takes one dependency of the lock over.
func (l *List) locked(d wireAPMLocked) {
	name := d.Name
	if name == "" {
		name = strings.TrimSuffix(d.RepoURL+"/"+d.Virtual, "/")
	}
	switch {
	case d.Source == "local" || d.LocalPath != "":
		l.leave(name, "it lies in the directory %q; pinion install DIR takes it as it is there", d.LocalPath)
		return
	case d.Source == "registry":
		l.leave(name, "it comes from a registry of apm, which only apm asks")
		return
	case d.Source != "" && d.Source != "git":
		l.leave(name, "its source is of the kind %q, which only apm fetches", d.Source)
		return
	case d.Prefix != "":
		l.leave(name, "it came through a proxy of repositories (%s), which only apm asks", d.Prefix)
		return
	case d.Insecure == "true":
		l.leave(name, "it came over http, where anybody on the way can change it")
		return
	case isFile(d.Virtual):
		l.leave(name, "it is the single file %q, which only apm makes a package of", d.Virtual)
		return
	}
	sum := Sum{}
	if hash, ok := strings.CutPrefix(d.ContentHash, "sha256:"); ok && len(hash) == 64 && isHex(hash) {
		sum = Sum{apmHash, hash}
		if d.PackageType == "claude_skill" {
			sum.kind = apmSkillHash
		}
	} else if d.ContentHash != "" {
		sum = Sum{unknownHash, d.ContentHash}
	}
	ref := d.Ref
	if d.Tag != "" {
		ref = d.Tag
	}
	if d.Commit != "" {
		ref = "" // it may be gone, or a range
	}
	l.add(name, addressOf(d.RepoURL, d.Host, d.Port), ref, strings.ToLower(d.Commit), d.Virtual, sum)
}

// addressOf is how a repository is reached: apm tells host and path apart.
func addressOf(repo, host, port string) string {
	if strings.Contains(repo, "://") || strings.Contains(repo, "@") || host == "" || strings.EqualFold(host, "github.com") && port == "" {
		return repo
	}
	if port != "" {
		host = net.JoinHostPort(strings.Trim(host, "[]"), port)
	}
	return "https://" + host + "/" + repo
}

// isFile reports whether a path of apm is that of a single primitive.
func isFile(virtual string) bool {
	return slices.ContainsFunc([]string{".prompt.md", ".instructions.md", ".agent.md", ".chatmode.md", ".context.md", ".collection.yml", ".collection.yaml"},
		func(ending string) bool { return strings.HasSuffix(virtual, ending) })
}

// wireAPM is apm.yml.
type wireAPM struct {
	Dependencies struct {
		APM []syntax.Raw `json:"apm"`
		MCP []syntax.Raw `json:"mcp"`
		LSP []syntax.Raw `json:"lsp"`
	} `json:"dependencies"`
	Dev struct {
		APM []syntax.Raw `json:"apm"`
	} `json:"devDependencies"`
}

type wireAPMDependency struct {
	Git         string `json:"git"`
	Path        string `json:"path"`
	Ref         string `json:"ref"`
	Name        string `json:"name"`
	Marketplace string `json:"marketplace"`
	Registry    string `json:"registry"`
	ID          string `json:"id"`
}

func readAPM(data []byte) (*List, error) {
	var w wireAPM
	if err := decodeYAML(data, &w); err != nil {
		return nil, err
	}
	l := &List{Tool: "apm"}
	for _, raw := range slices.Concat(w.Dependencies.APM, w.Dev.APM) {
		if text, ok := syntax.Unquote(raw); ok {
			l.short(text)
			continue
		}
		var d wireAPMDependency
		if p, bad := syntax.Decode(raw, &d, syntax.Options{}).First(); bad {
			l.leave(d.Name, "its entry cannot be read: %s", p.Message)
			continue
		}
		l.dependency(d)
	}
	var names [2][]string
	for i, raws := range [...][]syntax.Raw{w.Dependencies.MCP, w.Dependencies.LSP} {
		for _, raw := range raws {
			name, ok := syntax.Unquote(raw)
			if !ok {
				var d wireAPMDependency
				syntax.Decode(raw, &d, syntax.Options{}) // only its name is wanted
				name = d.Name
			}
			names[i] = append(names[i], name)
		}
	}
	l.servers(names[0], names[1])
	return l, nil
}

// dependency takes one over that is written as an object.
func (l *List) dependency(d wireAPMDependency) {
	name := d.Name
	if name == "" {
		name = strings.TrimSuffix(d.Git+"/"+d.Path, "/")
	}
	switch {
	case d.Marketplace != "":
		l.leave(name, "apm.yml names the marketplace %q and no commit; give apm.lock.yaml, which does", d.Marketplace)
	case d.Registry != "" || d.ID != "":
		l.leave(name, "it comes from a registry of apm, which only apm asks")
	case d.Git == "parent":
		l.leave(name, "it lies in the repository of what names it; give apm.lock.yaml, which says where that is")
	case d.Git == "":
		l.leave(name, "it lies in the directory %q; pinion install DIR takes it as it is there", d.Path)
	case isFile(d.Path):
		l.leave(name, "it is the single file %q, which only apm makes a package of", d.Path)
	case isRange(d.Ref):
		l.leave(name, "%q is a range of versions; give apm.lock.yaml, which has the commit", d.Ref)
	default:
		address := d.Git
		if spec, err := source.Parse(address, "/"); err != nil || spec.Kind == source.Dir {
			if host, repo, ok := strings.Cut(address, "/"); ok && strings.Contains(host, ".") {
				address = addressOf(repo, host, "")
			}
		}
		l.add(name, address, d.Ref, "", d.Path, Sum{})
	}
}

// short takes one over that is written as text: [host/]owner/repo[/path][#ref],
// an address, or a directory.
func (l *List) short(text string) {
	address, ref, _ := strings.Cut(text, "#")
	switch {
	case text == "":
		l.leave(text, "it is empty")
		return
	case strings.HasPrefix(address, ".") || strings.HasPrefix(address, "/") || strings.HasPrefix(address, "~"):
		l.leave(text, "it lies in a directory of one computer; pinion install DIR takes it as it is there")
		return
	case isRange(ref):
		l.leave(text, "%q is a range of versions; give apm.lock.yaml, which has the commit", ref)
		return
	case strings.Contains(address, "://") || strings.HasPrefix(address, "git@"):
		l.add(text, address, ref, "", "", Sum{})
		return
	}
	parts := strings.Split(address, "/")
	host := ""
	if strings.Contains(parts[0], ".") {
		host, parts = parts[0], parts[1:]
	}
	if len(parts) < 2 {
		l.leave(text, "it is not owner/repo")
		return
	}
	dir := ""
	if host == "" || strings.EqualFold(host, "github.com") {
		dir, parts = strings.Join(parts[2:], "/"), parts[:2]
	} // elsewhere a repository may lie deeper, and nothing says where it ends
	if isFile(dir) || isFile(parts[len(parts)-1]) {
		l.leave(text, "it is a single file, which only apm makes a package of")
		return
	}
	l.add(text, addressOf(strings.Join(parts, "/"), host, ""), ref, "", dir, Sum{})
}

// isRange reports whether a ref asks for the best of several tags.
func isRange(ref string) bool {
	return strings.ContainsAny(ref, "^~<>*| ") || strings.HasSuffix(ref, ".x")
}

func decodeYAML(data []byte, v any) error {
	raw, err := syntax.YAMLTexts(data)
	if err == nil {
		err = syntax.Decode(raw, v, syntax.Options{}).Err()
	}
	if err != nil {
		return &Error{Why: "the file cannot be read: " + err.Error()}
	}
	return nil
}
