package mcpregistry

import (
	"strings"

	"pinion/manifest"
	"pinion/manifest/component"
)

// pkg lists one package as the command with which hosts fetch and start it.
func (l *loader) pkg(p component.Value) {
	kind, _ := p.Get("registryType")
	name, hasName := p.Get("identifier")
	version, hasVersion := p.Get("version")
	sum, hasSum := p.Get("fileSha256")
	if name.Text() == "" {
		return
	}
	switch kind.Text() {
	case "npm", "pypi", "nuget", "cargo":
		if !hasVersion {
			l.Report(p, ruleUnpinned.Report("the package %q has no version; hosts fetch the newest", component.Clip(name.Text())))
		}
	case "oci":
		if !hasVersion && !strings.Contains(component.Base(name.Text()), ":") && !strings.Contains(name.Text(), "@") {
			l.Report(name, ruleUnpinned.Report("the image %q has no tag; hosts fetch the newest", component.Clip(name.Text())))
		}
	case "mcpb":
		if !strings.HasPrefix(name.Text(), "https://") {
			l.Report(name, ruleAddress.Report("the bundle %q has no https address", component.Clip(name.Text())))
		}
		if !hasSum {
			l.Report(p, ruleMissing.Report("the bundle has no \"fileSha256\"").WithFix("add the SHA-256 of the file"))
		}
	default:
		if hasName && kind.Kind() == '"' {
			l.Report(kind, ruleRegistry.Report("the registry type %q is none that the registry takes", component.Clip(kind.Text())))
		}
	}
	l.Component(manifest.Component{
		Type: manifest.ServerComponent, Name: l.called(), Path: ManifestPath,
		Detail: command(p, kind.Text(), name.Text(), version.Text(), sum.Text()),
	})
	env, _ := p.Get("environmentVariables")
	l.settings(env)
	for _, field := range []string{"runtimeArguments", "packageArguments"} {
		args, _ := p.Get(field)
		for _, a := range args.Elements() {
			variables, _ := a.Get("variables")
			for _, m := range variables.Members() {
				l.setting(m.Key, m.Value)
			}
		}
	}
	transport, _ := p.Get("transport")
	headers, _ := transport.Get("headers")
	l.settings(headers)
}

// command returns the command line for a package: runtime, its arguments, the
// package with its version, and the arguments of the server. A bundle has its
// address and its digest.
func command(p component.Value, kind, name, version, sum string) string {
	if kind == "mcpb" {
		if sum != "" {
			return "bundle " + name + " sha256:" + sum
		}
		return "bundle " + name
	}
	hint, _ := p.Get("runtimeHint")
	words := []string{hint.Text()}
	if words[0] == "" {
		words[0] = map[string]string{"npm": "npx", "pypi": "uvx", "oci": "docker run", "nuget": "dnx"}[kind]
	}
	if words[0] == "" {
		words[0] = kind
	}
	if words[0] == "docker" || words[0] == "podman" {
		words = append(words, "run")
	}
	runtime, _ := p.Get("runtimeArguments")
	words = append(words, arguments(runtime)...)
	switch {
	case version == "":
	case kind == "oci":
		name += ":" + version
	default:
		name += "@" + version
	}
	words = append(words, name)
	own, _ := p.Get("packageArguments")
	return strings.TrimSpace(strings.Join(append(words, arguments(own)...), " "))
}

// arguments returns the words of a list of arguments; what the user gives is
// named in angle brackets.
func arguments(list component.Value) []string {
	var out []string
	for _, a := range list.Elements() {
		for _, key := range []string{"name", "value"} {
			v, ok := a.Get(key)
			if ok && v.Text() != "" {
				out = append(out, v.Text())
			}
		}
		if _, fixed := a.Get("value"); fixed {
			continue
		}
		for _, key := range []string{"default", "valueHint"} {
			if v, _ := a.Get(key); v.Text() != "" {
				out = append(out, "<"+v.Text()+">")
				break
			}
		}
	}
	return out
}
