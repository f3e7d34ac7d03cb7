package launch

import (
	"net/url"
	"strings"
)

// npmRun reads npx and its like. With -p the packages are named by the option,
// and the first word is a program of them.
func npmRun(tool string, args []string, depth int) []Fetch {
	o := options{args, oneOf("-p", "--package", "-c", "--call", "--registry", "--cache", "--userconfig", "--shell", "-w", "--workspace", "--node-options", "--node-arg", "-n")}
	var specs []string
	for {
		option, word, ok := o.next()
		if !ok {
			break
		}
		switch option {
		case "-p", "--package":
			specs = append(specs, word)
		case "-c", "--call":
			return append(npmAll(tool, specs), command([]string{"sh", "-c", word}, depth+1)...)
		case "--no-install", "--no", "--offline":
			return nil // only what is already there
		case "":
			if len(specs) == 0 {
				specs = append(specs, word)
			}
			out := npmAll(tool, specs)
			if len(out) > 0 && (out[0].Name == "mcp-remote" || out[0].Name == "supergateway" || out[0].Name == "@pyroprompts/mcp-stdio-to-streamable-http-adapter") {
				for _, a := range o.args { // a bridge to a remote server
					if f, ok := remote(a); ok {
						out = append(out, f)
					}
				}
			}
			return out
		}
	}
	return npmAll(tool, specs)
}

func npmAll(tool string, specs []string) []Fetch {
	var out []Fetch
	for _, s := range specs {
		if f, ok := npmSpec(s); ok {
			f.Tool = tool
			out = append(out, f)
		}
	}
	return out
}

func npm(name string, args []string, depth int) []Fetch {
	for len(args) > 0 && strings.HasPrefix(args[0], "-") { // npm --silent exec …
		args = args[1:]
	}
	if len(args) == 0 {
		return nil
	}
	sub, rest := args[0], args[1:]
	switch sub {
	case "exec", "x", "dlx":
		if name == "yarn" && sub == "exec" || name == "pnpm" && sub == "exec" {
			return nil // programs of the project
		}
		return npmRun(name+" "+sub, rest, depth)
	case "create", "init":
		if len(rest) > 0 && !strings.HasPrefix(rest[0], "-") {
			return npmAll(name+" "+sub, []string{createName(rest[0])})
		}
	case "install", "i", "add":
		o := options{rest, oneOf("--registry", "--prefix", "-C", "--cache", "--tag", "-w", "--workspace", "--omit", "--cwd")}
		var specs []string
		for {
			option, word, ok := o.next()
			if !ok {
				break
			}
			if option == "" {
				specs = append(specs, word)
			}
		}
		return npmAll(name+" install", specs)
	case "global":
		if name == "yarn" && len(rest) > 1 && rest[0] == "add" {
			return npm(name, rest, depth)
		}
	}
	return nil
}

// createName is the package that "npm create NAME" runs.
func createName(s string) string {
	if scope, rest, ok := strings.Cut(s, "/"); ok && strings.HasPrefix(s, "@") {
		return scope + "/create-" + rest
	}
	return "create-" + s
}

// uvValue reports whether an option of uv takes the next word.
func uvValue(option string) bool {
	switch option {
	case "--from", "--with", "-w", "--with-editable", "--with-requirements", "--python", "-p", "--index", "--default-index", "--index-url", "-i",
		"--extra-index-url", "-f", "--find-links", "--directory", "--project", "--config-file", "--cache-dir", "--env-file", "--refresh-package",
		"--python-preference", "--exclude-newer", "-c", "--constraints", "-b", "--overrides", "--index-strategy", "--keyring-provider", "--resolution",
		"--prerelease", "--extra", "--group", "--package", "-m", "--module", "--color", "--reinstall-package", "-P", "--upgrade-package", "--link-mode",
		"--allow-insecure-host", "-C", "--config-setting", "--fork-strategy", "--python-platform", "--only-group", "--no-group", "--no-extra":
		return true
	}
	return false
}

// uvTool reads uvx and "uv tool run".
func uvTool(tool string, args []string) []Fetch {
	o := options{args, uvValue}
	var out []Fetch
	from := false
	for {
		option, word, ok := o.next()
		if !ok {
			return out
		}
		switch option {
		case "--from":
			from = true
			out = append(out, pypiAll(tool, word)...)
		case "--with", "-w":
			out = append(out, pypiAll(tool, word)...)
		case "--offline":
			return nil
		case "":
			if !from {
				out = append(out, pypiAll(tool, word)...)
			}
			return out
		}
	}
}

func uv(args []string) []Fetch {
	o := options{args, uvValue}
	for {
		option, word, ok := o.next()
		if !ok {
			return nil
		}
		if option != "" {
			continue
		}
		rest := o.args
		switch word {
		case "tool":
			if len(rest) > 0 && rest[0] == "run" {
				return uvTool("uv tool run", rest[1:])
			}
			if len(rest) > 0 && rest[0] == "install" {
				return pipInstall("uv tool install", rest[1:])
			}
		case "pip":
			if len(rest) > 0 && rest[0] == "install" {
				return pipInstall("uv pip install", rest[1:])
			}
		case "add":
			return pipInstall("uv add", rest)
		case "run":
			return uvRun(rest)
		}
		return nil
	}
}

// uvRun reads "uv run": the packages it adds, and a script by address.
func uvRun(args []string) []Fetch {
	o := options{args, uvValue}
	var out []Fetch
	for {
		option, word, ok := o.next()
		if !ok {
			return out
		}
		switch option {
		case "--with", "-w":
			out = append(out, pypiAll("uv run", word)...)
		case "--from": // not an option of uv run, but written by people who mean uvx
			out = append(out, pypiAll("uv run", word)...)
		case "--offline":
			return nil
		case "":
			if f, ok := address(word); ok {
				f.Tool = "uv run"
				out = append(out, f)
			}
			return out
		}
	}
}

func pipx(args []string) []Fetch {
	o := options{args, oneOf("--spec", "--python", "--pip-args", "--index-url", "-i", "--suffix", "--fetch-missing-python")}
	verb, spec := "", ""
	for {
		option, word, ok := o.next()
		if !ok {
			break
		}
		switch {
		case option == "--spec":
			spec = word
		case option != "":
		case verb == "":
			if verb = word; verb != "run" && verb != "install" {
				return nil
			}
		default:
			if spec == "" {
				spec = word
			}
			return pypiAll("pipx "+verb, spec)
		}
	}
	return nil
}

func pipInstall(tool string, args []string) []Fetch {
	o := options{args, func(s string) bool {
		switch s {
		case "-r", "--requirement", "-e", "--editable", "-t", "--target", "--prefix", "--root", "--platform", "--python-version", "--implementation", "--abi", "--src", "--log", "--proxy", "--timeout", "--retries", "--trusted-host", "--cert":
			return true
		}
		return uvValue(s)
	}}
	var out []Fetch
	for {
		option, word, ok := o.next()
		if !ok {
			return out
		}
		switch option {
		case "", "--with", "--with-executables-from":
			out = append(out, pypiAll(tool, word)...)
		case "-e", "--editable":
			if strings.HasPrefix(word, "git+") {
				out = append(out, pypiAll(tool, word)...)
			}
		}
	}
}

// pypiAll reads one requirement, or several with commas as uv takes them.
func pypiAll(tool, text string) []Fetch {
	parts := []string{text}
	if !strings.Contains(text, "://") && !strings.ContainsAny(text, "<>=!~[") {
		parts = strings.Split(text, ",")
	}
	var out []Fetch
	for _, s := range parts {
		if f, ok := pypiSpec(strings.TrimSpace(s)); ok {
			f.Tool = tool
			out = append(out, f)
		}
	}
	return out
}

// dockerFlags are the options of "docker run" that take no value.
const dockerFlags = " -d --detach -i --interactive -t --tty --rm --init --privileged --read-only -P --publish-all --no-healthcheck --oom-kill-disable --sig-proxy --disable-content-trust -q --quiet --replace --tls-verify --systemd "

func container(name string, args []string) []Fetch {
	for len(args) > 0 && strings.HasPrefix(args[0], "-") { // docker --context x run
		skip := 1
		if !strings.Contains(args[0], "=") && len(args) > 1 {
			skip = 2
		}
		args = args[skip:]
	}
	if len(args) > 1 && (args[0] == "container" || args[0] == "image") {
		args = args[1:]
	}
	if len(args) == 0 || args[0] != "run" && args[0] != "create" && args[0] != "pull" {
		return nil
	}
	verb := args[0]
	o := options{args[1:], func(s string) bool {
		if strings.Contains(dockerFlags, " "+s+" ") || verb == "pull" && s != "--platform" {
			return false
		}
		// -it, -dit: letters without a value.
		return strings.HasPrefix(s, "--") || strings.Trim(s, "-ditqP") != ""
	}}
	for {
		option, word, ok := o.next()
		if !ok {
			return nil
		}
		if option == "" {
			if f, ok := imageSpec(word); ok {
				f.Tool = name + " " + verb
				return []Fetch{f}
			}
			return nil
		}
	}
}

func deno(args []string) []Fetch {
	o := options{args, oneOf("-c", "--config", "--import-map", "--lock", "--cert", "--location", "--env-file", "-n", "--name", "--root")}
	tool := "deno"
	for {
		option, word, ok := o.next()
		switch {
		case !ok:
			return nil
		case option != "":
			continue
		case word == "run" || word == "install" || word == "serve" || word == "eval" || word == "x":
			tool = "deno " + word
			continue
		}
		f, ok := Fetch{}, false
		switch {
		case strings.HasPrefix(word, "npm:"):
			f, ok = npmSpec(strings.TrimPrefix(strings.TrimPrefix(word, "npm:"), "/"))
		case strings.HasPrefix(word, "jsr:"):
			name, version := cutVersion(strings.TrimPrefix(word, "jsr:"))
			f, ok = Fetch{Ecosystem: URL, Name: "jsr:" + name, Version: version, Pinned: exact(version)}, true
		default:
			f, ok = address(word)
		}
		if !ok {
			return nil
		}
		f.Tool = tool
		return []Fetch{f}
	}
}

// goRun reads "go run module@version" and "go install module@version". Without
// a version it is a package of the project.
func goRun(args []string) []Fetch {
	if len(args) == 0 || args[0] != "run" && args[0] != "install" {
		return nil
	}
	o := options{args[1:], oneOf("-C", "-mod", "-modfile", "-tags", "-ldflags", "-gcflags", "-exec", "-o", "-p", "-overlay", "-buildmode")}
	for {
		option, word, ok := o.next()
		if !ok {
			return nil
		}
		if option != "" {
			continue
		}
		module, version, found := strings.Cut(word, "@")
		if !found || !strings.Contains(module, ".") {
			return nil
		}
		f := Fetch{Ecosystem: Go, Name: module, Version: version, Tool: "go " + args[0], Pinned: strings.HasPrefix(version, "v") && exact(version)}
		if f.PURL = purl("golang", module, "", nil); f.Pinned {
			f.PURL = purl("golang", module, version, nil)
		}
		return []Fetch{f}
	}
}

func cargo(args []string) []Fetch {
	if len(args) > 0 && strings.HasPrefix(args[0], "+") {
		args = args[1:]
	}
	if len(args) == 0 || args[0] != "install" && args[0] != "binstall" {
		return nil
	}
	o := options{args[1:], oneOf("--version", "--vers", "--git", "--rev", "--branch", "--tag", "--path", "--registry", "--index", "--root", "--features", "-F", "--bin", "--example", "--profile", "--target", "--target-dir", "-j", "--jobs", "--config")}
	var names []string
	version, repo, rev := "", "", ""
	for {
		option, word, ok := o.next()
		if !ok {
			break
		}
		switch option {
		case "":
			names = append(names, word)
		case "--version", "--vers":
			version = word
		case "--git":
			repo = word
		case "--rev":
			rev = word
		case "--path":
			return nil
		}
	}
	if repo != "" {
		f := gitFetch(repo, rev)
		f.Tool = "cargo install"
		return []Fetch{f}
	}
	var out []Fetch
	for _, n := range names {
		n, v := cutVersion(n)
		if v == "" {
			v = version
		}
		v = strings.TrimPrefix(v, "=")
		out = append(out, Fetch{Ecosystem: Cargo, Name: n, Version: v, Pinned: exact(v), PURL: purl("cargo", n, only(v), nil), Tool: "cargo install"})
	}
	return out
}

// nix reads "nix run github:owner/repo/rev".
func nix(args []string) []Fetch {
	if len(args) == 0 || args[0] != "run" && args[0] != "shell" && args[0] != "develop" {
		return nil
	}
	o := options{args[1:], oneOf("--extra-experimental-features", "--experimental-features", "--option", "-c", "--command")}
	for {
		option, word, ok := o.next()
		if !ok {
			return nil
		}
		if option != "" {
			continue
		}
		ref, _, _ := strings.Cut(word, "#")
		path, ok := strings.CutPrefix(ref, "github:")
		if !ok {
			return nil
		}
		parts := strings.SplitN(path, "/", 3)
		if len(parts) < 2 {
			return nil
		}
		rev := ""
		if len(parts) == 3 {
			rev = parts[2]
		}
		f := gitFetch("https://github.com/"+parts[0]+"/"+parts[1], rev)
		f.Tool = "nix " + args[0]
		return []Fetch{f}
	}
}

func dotnet(args []string) []Fetch {
	o := options{args, oneOf("--version", "--source", "--add-source", "--configfile", "-v", "--verbosity")}
	name, version := "", ""
	for {
		option, word, ok := o.next()
		if !ok {
			break
		}
		if option == "--version" {
			version = word
		}
		if option == "" && name == "" {
			name, version = cutVersion(word)
		}
	}
	if name == "" {
		return nil
	}
	return []Fetch{{Ecosystem: NuGet, Name: name, Version: version, Pinned: exact(version), PURL: purl("nuget", name, only(version), nil), Tool: "dnx"}}
}

func gitClone(args []string) []Fetch {
	o := options{args, oneOf("-C", "-c", "-b", "--branch", "--depth", "-o", "--origin", "--filter", "--config", "--reference", "-j", "--jobs")}
	verb, branch := "", ""
	for {
		option, word, ok := o.next()
		if !ok {
			return nil
		}
		switch {
		case option == "-b" || option == "--branch":
			branch = word
		case option != "":
		case verb == "":
			if verb = word; verb != "clone" {
				return nil
			}
		default:
			if !strings.Contains(word, "://") && !strings.HasPrefix(word, "git@") {
				return nil
			}
			f := gitFetch(word, "")
			f.Version, f.Tool = branch, "git clone"
			return []Fetch{f}
		}
	}
}

// address reads an address that is fetched as it is.
func address(word string) (Fetch, bool) {
	if !strings.HasPrefix(word, "https://") && !strings.HasPrefix(word, "http://") {
		return Fetch{}, false
	}
	return Fetch{Ecosystem: URL, Name: word, PURL: purl("generic", baseName(word), "", url.Values{"download_url": {word}})}, true
}

// remote reads the address of a server that is elsewhere. One on the own
// machine is none.
func remote(word string) (Fetch, bool) {
	if !strings.Contains(word, "://") {
		return Fetch{}, false
	}
	scheme, rest, _ := strings.Cut(word, "://")
	switch strings.ToLower(scheme) {
	case "http", "https", "ws", "wss", "sse":
	default:
		return Fetch{}, false
	}
	host, _, _ := strings.Cut(rest, "/")
	switch name, _, _ := strings.Cut(host, ":"); {
	case name == "localhost", name == "127.0.0.1", name == "0.0.0.0", strings.HasPrefix(host, "[::1]"), name == "host.docker.internal", name == "":
		return Fetch{}, false
	}
	return Fetch{Ecosystem: URL, Name: word, Tool: remoteTool}, true
}
