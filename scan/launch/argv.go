package launch

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"pinion/internal/regex"
	"pinion/internal/syntax"
)

// MaxFetches is how many fetches of one text, and servers of one file, are
// listed. Who judges a list of this length must say that it is not all.
const MaxFetches = 500

// maxShells is how many shells inside shells are followed: sh -c "bash -c …".
const maxShells = 3

// located is a fetch and the bytes of the text that name it.
type located struct {
	Fetch
	start, end int
}

// fromScript returns what the commands of a script fetch.
func fromScript(script *syntax.Script, depth int) []located {
	var out []located
	for _, c := range script.Commands {
		if len(out) >= MaxFetches {
			break
		}
		words := make([]string, 0, len(c.Words))
		for _, w := range c.Words {
			words = append(words, w.Text)
		}
		for _, f := range command(words, depth) {
			out = append(out, located{f, c.Words[0].Offset, c.Words[len(c.Words)-1].End})
		}
	}
	return out
}

// Command returns what one program fetches when it is started with these words,
// the program first. Starters of other programs (env, sudo, sh -c, cmd /c, npm
// exec) are looked through.
func Command(argv []string) []Fetch { return command(argv, 0) }

func command(argv []string, depth int) []Fetch {
	argv = unwrap(argv)
	if len(argv) == 0 || depth > maxShells {
		return nil
	}
	if len(argv) == 1 || strings.ContainsAny(argv[0], " \t") {
		// A configuration may hold the whole line in one string.
		argv = append(strings.Fields(argv[0]), argv[1:]...)
		if argv = unwrap(argv); len(argv) == 0 {
			return nil
		}
	}
	name, args := program(argv[0]), argv[1:]
	sub := ""
	if len(args) > 0 {
		sub = args[0]
	}
	switch name {
	case "sh", "bash", "zsh", "dash", "ksh", "ash":
		for i, a := range args {
			if strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") && strings.Contains(a, "c") && i+1 < len(args) {
				return plain(fromScript(syntax.ParseShell([]byte(args[i+1])), depth+1))
			}
		}
	case "cmd":
		for i, a := range args {
			if strings.EqualFold(a, "/c") || strings.EqualFold(a, "/k") {
				return command(args[i+1:], depth+1)
			}
		}
	case "powershell", "pwsh":
		for i, a := range args {
			if f := strings.ToLower(a); (f == "-c" || f == "-command") && i+1 < len(args) {
				return plain(fromScript(syntax.ParseShell([]byte(strings.Join(args[i+1:], " "))), depth+1))
			}
		}
	case "npx", "pnpx", "bunx":
		return npmRun(name, args, depth)
	case "npm", "pnpm", "yarn", "bun":
		return npm(name, args, depth)
	case "uvx":
		return uvTool("uvx", args)
	case "uv":
		return uv(args)
	case "pipx":
		return pipx(args)
	case "pip", "pip3":
		if sub == "install" {
			return pipInstall(name+" install", args[1:])
		}
	case "python", "python3", "py":
		if i := slices.Index(args, "-m"); i >= 0 && i+2 < len(args) && (args[i+1] == "pip" || args[i+1] == "pipx") {
			return command(args[i+1:], depth+1)
		}
	case "docker", "podman", "nerdctl", "finch":
		return container(name, args)
	case "deno":
		return deno(args)
	case "go":
		return goRun(args)
	case "cargo":
		return cargo(args)
	case "nix":
		return nix(args)
	case "dnx":
		return dotnet(args)
	case "git":
		return gitClone(args)
	case "claude", "codex", "gemini", "copilot":
		// "claude mcp add NAME -- npx -y pkg" starts what stands behind the dashes.
		if i := slices.Index(args, "--"); sub == "mcp" && i >= 0 {
			return command(args[i+1:], depth+1)
		}
	}
	return nil
}

func plain(list []located) []Fetch {
	var out []Fetch
	for _, l := range list {
		out = append(out, l.Fetch)
	}
	return out
}

// program returns the name of a program without directory and without the
// endings that Windows needs.
func program(word string) string {
	name := path.Base(strings.ReplaceAll(word, `\`, "/"))
	lower := strings.ToLower(name)
	for _, ending := range []string{".exe", ".cmd", ".bat", ".ps1"} {
		if strings.HasSuffix(lower, ending) {
			return lower[:len(lower)-len(ending)]
		}
	}
	return name
}

var assignment = regex.Lazy{Expr: `^[A-Za-z_][A-Za-z0-9_]*=`}

// unwrap takes away what only starts the rest.
func unwrap(argv []string) []string {
	for len(argv) > 0 {
		switch name := program(argv[0]); {
		case assignment.Get().MatchString(argv[0]):
			argv = argv[1:]
		case name == "env":
			argv = argv[1:]
			for len(argv) > 0 && strings.HasPrefix(argv[0], "-") {
				if argv[0] == "-u" && len(argv) > 1 {
					argv = argv[1:]
				}
				argv = argv[1:]
			}
		case name == "timeout":
			argv = argv[1:]
			for len(argv) > 0 && strings.HasPrefix(argv[0], "-") {
				argv = argv[1:]
			}
			argv = argv[min(1, len(argv)):]
		case slices.Contains([]string{"sudo", "nohup", "exec", "command", "time", "nice", "doas", "start", "xargs", "setsid", "stdbuf"}, name):
			argv = argv[1:]
			for len(argv) > 0 && strings.HasPrefix(argv[0], "-") {
				argv = argv[1:]
			}
		default:
			return argv
		}
	}
	return nil
}

// options walks over the words of a command. value says whether an option takes
// the next word; it is given the option without "=…".
type options struct {
	args  []string
	value func(option string) bool
}

// next returns the next option with its value, or the next positional word with
// an empty option. After "--" everything is positional.
func (o *options) next() (option, word string, ok bool) {
	if len(o.args) == 0 {
		return "", "", false
	}
	word, o.args = o.args[0], o.args[1:]
	switch {
	case word == "--":
		o.value = nil
		if len(o.args) == 0 {
			return "", "", false
		}
		word, o.args = o.args[0], o.args[1:]
		return "", word, true
	case o.value == nil || len(word) < 2 || word[0] != '-':
		return "", word, true
	}
	if name, v, found := strings.Cut(word, "="); found {
		return name, v, true
	}
	if o.value(word) && len(o.args) > 0 {
		v := o.args[0]
		o.args = o.args[1:]
		return word, v, true
	}
	return word, "", true
}

// oneOf returns a function for [options].
func oneOf(list ...string) func(string) bool {
	return func(s string) bool { return slices.Contains(list, s) }
}

// codeTools are the programs that are looked for in string literals.
var codeTools = []string{"npx", "bunx", "pnpx", "pnpm", "yarn", "npm", "bun", "uvx", "uv", "pipx", "docker", "podman", "deno", "dnx"}

const (
	maxCodeHits   = MaxFetches // literals of one text that are looked at
	maxCodeWindow = 512        // bytes behind each
)

var (
	// codeList is what stands behind the name of a program in a literal when its
	// arguments follow: ["npx", "-y", "pkg"] or spawn("npx", ["-y", "pkg"]).
	codeList = regex.Lazy{Expr: `^\s*,\s*\[?\s*((?:["'][^"'\n]*["']\s*,?\s*)+)`}
	codeWord = regex.Lazy{Expr: `["']([^"'\n]*)["']`}
	// codeCall is what stands before a literal that is handed to something that
	// runs it.
	codeCall = regex.Lazy{Expr: `(?i:exec\w*|spawn\w*|system|popen|run\w*|call|check_output|shell)\(\s*$`}
)

// fromCode returns what commands in string literals fetch. Literals are found
// by looking at quotes, so that the cost does not grow with what is between.
func fromCode(data []byte) []located {
	var out []located
	hits := 0
	for i := 0; i+1 < len(data) && hits < maxCodeHits; i++ {
		q := data[i]
		if q != '"' && q != '\'' && q != '`' {
			continue
		}
		tool := toolAt(data[i+1:])
		if tool == "" {
			continue
		}
		hits++
		after := i + 1 + len(tool)
		end := min(len(data), after+maxCodeWindow)
		if data[after] == q {
			m := codeList.Get().FindSubmatchIndex(data[after+1 : end])
			if m == nil {
				continue
			}
			argv := []string{tool}
			for _, w := range codeWord.Get().FindAllSubmatch(data[after+1+m[2]:after+1+m[3]], -1) {
				argv = append(argv, string(w[1]))
			}
			for _, f := range Command(argv) {
				out = append(out, located{f, i, after + 1 + m[1]})
			}
			continue
		}
		length := bytes.IndexByte(data[after:end], q)
		if length < 0 || !codeCall.Get().Match(data[max(0, i-40):i]) {
			continue
		}
		for _, f := range Command(strings.Fields(string(data[i+1 : after+length]))) {
			out = append(out, located{f, i, after + length + 1})
		}
	}
	return out
}

// toolAt returns the program that data begins with, when a quote or a blank
// follows it.
func toolAt(data []byte) string {
	for _, t := range codeTools {
		if len(data) > len(t) && string(data[:len(t)]) == t {
			switch data[len(t)] {
			case '"', '\'', '`', ' ':
				return t
			}
		}
	}
	return ""
}
