package mcpb

import (
	"slices"
	"strings"

	"pinion/manifest"
	"pinion/manifest/component"
)

// server lists how the server is started: once for every system, and once for
// each system that has it otherwise.
func (l *loader) server(root, server component.Value) {
	config, _ := server.Get("mcp_config")
	name := l.m.ID
	if name == "" {
		name = "server"
	}
	entry, _ := server.Get("entry_point")
	if command, _ := config.Get("command"); command.Text() == "" && entry.Text() != "" {
		// Hosts of later versions know by the type alone how to start it.
		typ, _ := server.Get("type")
		l.Component(manifest.Component{
			Type: manifest.ServerComponent, Name: name, Path: ManifestPath, Detail: strings.TrimSpace(typ.Text() + " " + entry.Text()),
		})
	}
	l.start(root, config, config, name)
	overrides, _ := config.Get("platform_overrides")
	for _, o := range overrides.Members() {
		l.start(root, o.Value, config, name+" ("+o.Key+")")
	}
	path := component.Inside(strings.TrimPrefix(strings.TrimPrefix(entry.Text(), "${__dirname}"), "/"))
	if entry.Text() == "" || l.Tree.Partial {
		return
	}
	if l.Tree.Lookup(path) == nil {
		l.Report(entry, ruleEntryPoint.Report("the entry point %q is not in the bundle", component.Clip(entry.Text())))
	}
}

// start lists one way in which a host starts the server. What own does not say,
// base does (mcpb 2.1.2, getMcpConfigForManifest).
func (l *loader) start(root, own, base component.Value, name string) {
	get := func(key string) component.Value {
		if v, ok := own.Get(key); ok {
			return v
		}
		v, _ := base.Get(key)
		return v
	}
	command, args := get("command"), get("args")
	words, _ := args.Texts()
	detail := strings.Join(append([]string{command.Text()}, words...), " ")
	if strings.TrimSpace(detail) != "" {
		l.Component(manifest.Component{Type: manifest.ServerComponent, Name: name, Path: ManifestPath, Detail: detail})
	}
	config, _ := root.Get("user_config")
	if v, ok := own.Get("command"); ok {
		l.Program(v)
		l.variables(v, config)
	}
	list, _ := own.Get("args")
	for _, a := range list.Elements() {
		l.variables(a, config)
	}
	env, _ := own.Get("env")
	for _, e := range env.Members() {
		l.variables(e.Value, config)
	}
}

// variables reports what stands in ${…} and is not replaced by hosts: the
// program then gets the text as it is.
func (l *loader) variables(v, config component.Value) {
	rest := v.Text()
	for {
		_, after, ok := strings.Cut(rest, "${")
		name, tail, closed := strings.Cut(after, "}")
		if !ok || !closed {
			return
		}
		rest = tail
		key, isConfig := strings.CutPrefix(name, "user_config.")
		switch {
		case isConfig:
			if _, ok := config.Get(key); !ok {
				l.Report(v, ruleVariable.Report("the setting %q is not in \"user_config\"", component.Clip(key)))
			}
		case !slices.Contains([]string{"__dirname", "HOME", "DESKTOP", "DOCUMENTS", "DOWNLOADS", "pathSeparator", "/"}, name):
			l.Report(v, ruleVariable.Report("hosts do not replace %q", "${"+component.Clip(name)+"}"))
		}
	}
}
