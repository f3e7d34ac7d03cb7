package launch

import (
	"bytes"
	"strings"

	"pinion/scan"
)

// registryFile is the file in which the MCP registry lists a server's packages.
const registryFile = "server.json"

// isRegistry reports whether a file may be a server.json of the MCP registry.
// Many programs have a file of this name.
func isRegistry(path string, data []byte) bool {
	return strings.HasSuffix("/"+path, "/"+registryFile) &&
		(bytes.Contains(data, []byte(`"registryType"`)) || bytes.Contains(data, []byte(`"remotes"`)))
}

// registryPackage is one package of a server.json, as it is written.
type registryPackage struct {
	kind, name, version, sum string
	text                     *scan.Text // the name
}

// registry returns what a host fetches for the packages of a server.json, each
// at its name, and the servers at an address.
func registry(file *scan.File, texts []*scan.Text) []Fetch {
	if !isRegistry(file.Path, file.Data) {
		return nil
	}
	packages := map[string]*registryPackage{}
	var order []*registryPackage
	var out []Fetch
	add := func(f Fetch, t *scan.Text) {
		f.Text, f.Start, f.End, f.File = t, 0, len(t.Data), file.Path
		f.Line, _ = t.Position(0)
		out = append(out, f)
	}
	previous := ""
	for _, t := range texts {
		object, key := splitPointer(t.Pointer)
		list, index := splitPointer(object)
		value := string(t.Data)
		isName := previous != t.Pointer && value == key // names are texts too
		previous = t.Pointer
		switch {
		case isName:
			continue
		case list == "/remotes" && key == "url":
			if f, ok := remote(value); ok {
				add(f, t)
			}
			continue
		case list != "/packages" || !isIndex(index) || len(order) >= MaxFetches:
			continue
		}
		p := packages[index]
		if p == nil || key == "identifier" && p.text != nil { // a second one does not hide the first
			last := p
			p = &registryPackage{}
			if last != nil {
				p.kind = last.kind
			}
			packages[index] = p
			order = append(order, p)
		}
		switch key {
		case "registryType":
			p.kind = value
		case "identifier":
			p.name, p.text = value, t
		case "version":
			p.version = value
		case "fileSha256":
			p.sum = value
		}
	}
	for _, p := range order {
		if p.text == nil {
			continue
		}
		if f, ok := p.fetch(); ok {
			add(f, p.text)
		}
	}
	return out
}

// fetch is what a host does with a package. A file is pinned by its digest.
func (p registryPackage) fetch() (f Fetch, ok bool) {
	at := func(separator string) string {
		if p.version == "" {
			return p.name
		}
		return p.name + separator + p.version
	}
	switch p.kind {
	case "npm":
		f, ok = npmSpec(at("@"))
		f.Tool = "npx"
	case "pypi":
		f, ok = pypiSpec(at("=="))
		f.Tool = "uvx"
	case "oci":
		f, ok = imageSpec(at(":"))
		f.Tool = "docker run"
	case "nuget":
		if list := dotnet([]string{at("@")}); len(list) > 0 {
			f, ok = list[0], true
		}
	case "cargo":
		f, ok = Fetch{
			Ecosystem: Cargo, Name: p.name, Version: p.version, Pinned: exact(p.version), PURL: purl("cargo", p.name, only(p.version), nil), Tool: "cargo install",
		}, p.name != ""
	default:
		f, ok = address(p.name)
		f.Tool = "mcp bundle"
	}
	if digest := "sha256:" + p.sum; ok && imageDigest.Get().MatchString(digest) {
		f.Pinned = true
		if f.Version == "" {
			f.Version = digest
		}
	}
	return f, ok
}
