// Package mcpb reads MCP bundles: a zip, or the directory it is made from, with
// a manifest.json that says how to start the MCP server in it. They were called
// desktop extensions (.dxt) before.
//
// Severity is what mcpb 2.1.2 does, found by trying it and by reading its
// schemas of the manifest versions 0.1 to 0.4: what `mcpb validate` refuses, with
// which `mcpb pack` makes no bundle, is an error. What it lets pass and does not
// work in a host is a warning.
//
// The signature behind the zip is not part of the package; the package tree
// notes that it was not verified.
package mcpb

import (
	"bytes"
	"slices"
	"strings"

	"pinion/internal/syntax"
	"pinion/manifest"
	"pinion/manifest/agentskill"
	"pinion/manifest/component"
	"pinion/problem"
	"pinion/tree"
)

// ManifestPath is the file that describes a bundle.
const ManifestPath = "manifest.json"

// Format reads MCP bundles. It has no state and may be used by several
// goroutines.
type Format struct{}

// New returns the format.
func New() *Format { return &Format{} }

// Name returns "mcpb".
func (*Format) Name() string { return "mcpb" }

// Detect reports whether a directory with these top-level names may be a bundle;
// [Format.Recognize] says whether it is.
func (*Format) Detect(top []string) bool {
	return slices.Contains(top, ManifestPath)
}

// Recognize reports whether the manifest.json that read returns is one of a bundle:
// it states a manifest version and a server. Web apps and browser extensions
// have files of this name too.
func (*Format) Recognize(read func(path string) ([]byte, bool)) bool {
	data, _ := read(ManifestPath)
	if !bytes.Contains(data, []byte("server")) && bytes.IndexByte(data, '\\') < 0 { // it may be escaped
		return false // most that are none end here
	}
	var head struct {
		Version syntax.Raw `json:"manifest_version"`
		Earlier syntax.Raw `json:"dxt_version"`
		Server  syntax.Raw `json:"server"`
	}
	_ = syntax.Decode(data, &head, syntax.Options{AllowDuplicates: true, AllowBOM: true})
	if syntax.TooDeep(data) {
		return bytes.Contains(data, []byte(`"manifest_version"`)) || bytes.Contains(data, []byte(`"dxt_version"`)) || bytes.IndexByte(data, '\\') >= 0
	}
	return (len(head.Version) > 0 || len(head.Earlier) > 0) && len(head.Server) > 0 && head.Server.Kind() == '{'
}

// Profile returns what may be in a bundle.
func (*Format) Profile() tree.Profile {
	return tree.Profile{Limits: tree.Foreign(), Known: known}
}

// known reports whether a path with a hidden component belongs to a bundle.
func known(p string) bool { return p == ".mcpbignore" || agentskill.KnownName(p) }

// Load reads the bundle in t. entry is what a catalog says of it, or nil.
func (f *Format) Load(t *tree.Tree, entry *manifest.Entry) (*manifest.Manifest, problem.List) {
	l := &loader{
		Reader: component.New(t, &component.Host{
			Manifest: ManifestPath, Rules: component.Shared(), Roots: []string{"${__dirname}"},
		}),
		m: &manifest.Manifest{Format: f.Name(), Path: ManifestPath},
	}
	root, ok := l.JSON(ManifestPath, manifest.ServerComponent, syntax.Options{AllowDuplicates: true})
	switch {
	case t.Lookup(ManifestPath) == nil:
		l.Add(ruleMissing.Report("there is no %s", ManifestPath).At(ManifestPath, 1, 1))
	case ok:
		l.bundle(root, entry)
	}
	l.Executables("")
	found := l.Finish(l.m)
	if l.m.Kind == manifest.Skill {
		l.m.Kind = manifest.MCP // whatever else is wrong with it, it is there for its server
	}
	return l.m, found
}

// loader is one reading of one bundle.
type loader struct {
	*component.Reader
	m *manifest.Manifest
}

func (l *loader) bundle(root component.Value, entry *manifest.Entry) {
	l.Check(root, "", manifestShape(l.version(root)), component.ShapeRules{Type: ruleType, Missing: ruleMissing, Unknown: ruleUnknown, Text: ruleValue})
	name, _ := root.Get("name")
	stated, _ := root.Get("version")
	text := func(key string) string {
		v, _ := root.Get(key)
		return v.Text()
	}
	l.Identify(l.m, component.Identity{
		Name: name, Version: stated, Title: text("display_name"), Description: text("description"), License: text("license"),
	}, entry, ruleName, ruleVersion)
	l.icon(root)
	server, _ := root.Get("server")
	l.server(root, server)
	tools, _ := root.Get("tools")
	l.named(tools, manifest.ToolComponent, "")
	prompts, _ := root.Get("prompts")
	l.named(prompts, manifest.OtherComponent, "prompt")
	config, _ := root.Get("user_config")
	for _, s := range config.Members() {
		l.setting(s)
	}
}

// versions are the manifest versions that mcpb 2.1.2 reads.
func versions() []string { return []string{"0.1", "0.2", "0.3", "0.4"} }

// version returns the manifest version by which the file is read: "" when it
// states none that is known, which is reported.
func (l *loader) version(root component.Value) string {
	known := versions()
	for _, key := range []string{"manifest_version", "dxt_version"} {
		v, _ := root.Get(key)
		for _, k := range known {
			if v.Text() == k {
				return k
			}
		}
	}
	at, ok := root.Get("manifest_version")
	if !ok {
		at = root
	}
	l.Report(at, ruleManifestVersion.Report("the manifest version is none of %s", strings.Join(known, ", ")))
	return ""
}

// named lists the elements of a list by their names.
func (l *loader) named(list component.Value, typ manifest.ComponentType, what string) {
	for _, e := range list.Elements() {
		if name, _ := e.Get("name"); name.Text() != "" {
			l.Component(manifest.Component{Type: typ, Name: name.Text(), Path: ManifestPath, Detail: what})
		}
	}
}

// setting lists a value that the user gives.
func (l *loader) setting(s component.Member) {
	title, _ := s.Get("title")
	about, _ := s.Get("description")
	secret, _ := s.Get("sensitive")
	required, _ := s.Get("required")
	l.m.Settings = append(l.m.Settings, manifest.Setting{
		Key: s.Key, Label: title.Text(), Description: about.Text(), Secret: secret.Kind() == 't', Required: required.Kind() == 't',
	})
	l.Component(manifest.Component{Type: manifest.SettingComponent, Name: s.Key, Path: ManifestPath, Detail: title.Text()})
}

// icon checks the icon as `mcpb validate` does: a PNG file of the bundle. An
// address is only warned about.
func (l *loader) icon(root component.Value) {
	v, _ := root.Get("icon")
	path := v.Text()
	switch {
	case path == "":
	case strings.HasPrefix(path, "http://") || strings.HasPrefix(path, "https://"):
		l.Report(v, ruleIcon.Report("the icon is an address; hosts show files of the bundle only").As(problem.Warning))
	case strings.Contains(path, "${__dirname}"):
		l.Report(v, ruleIcon.Report("the icon is named with ${__dirname}, which is not replaced here").WithFix("write the path alone, as in icon.png"))
	case strings.HasPrefix(path, "/"):
		l.Report(v, ruleIcon.Report("the icon has an absolute path"))
	default:
		file := l.Tree.Lookup(component.Inside(path))
		switch {
		case l.Tree.Partial:
		case file == nil:
			l.Report(v, ruleIcon.Report("the icon %q is not in the bundle", component.Clip(path)))
		case !bytes.HasPrefix(file.Data, []byte("\x89PNG\r\n\x1a\n")):
			l.Report(v, ruleIcon.Report("the icon %q is not a PNG image", component.Clip(path)))
		}
	}
}
