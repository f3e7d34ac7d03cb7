package launch

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"pinion/scan"
)

// Server is an object of a configuration that names a program or an address:
// an MCP or language server, or a hook with arguments.
type Server struct {
	Name    string   // the last name on its pointer
	Pointer string   // JSON pointer of the object
	Command []string // one word or command line; several when it is a list
	Args    []string
	URL     string
	Env     []string // names of variables it sets, in order
	// Example is true for a Markdown code block, which nobody starts.
	Example bool
	// Text is the command or the address, where a finding is shown.
	Text *scan.Text
}

// Argv returns the words that are started.
func (s Server) Argv() []string { return slices.Concat(s.Command, s.Args) }

// Servers lists the servers of a JSON, TOML or YAML document, or of the
// frontmatter and code blocks of a Markdown file: every object with a "command",
// and every object with an address that stands among servers. It knows the
// spellings of Claude Code, Codex (mcp_servers), Gemini CLI (httpUrl) and their
// like. Repeated names are told apart, so that the second does not hide the
// first.
func Servers(file *scan.File, texts []*scan.Text) []Server {
	var out []Server
	open := map[string]*Server{} // by pointer
	var order []string
	flush := func(pointer string) {
		if s := open[pointer]; s != nil && s.Text != nil && (len(s.Command) > 0 || s.URL != "") {
			out = append(out, *s)
		}
		delete(open, pointer)
	}
	example := false
	at := func(pointer string) *Server {
		s := open[pointer]
		if s == nil {
			s = &Server{Name: lastName(pointer), Pointer: pointer, Example: example}
			open[pointer] = s
			order = append(order, pointer)
		}
		return s
	}
	previous := ""
	for _, t := range texts {
		if len(out)+len(open) >= MaxFetches {
			break
		}
		if t.Pointer == "" {
			continue
		}
		example = file.Lang == scan.Markdown && !inFront(t)
		parent, key := splitPointer(t.Pointer)
		isName := previous != t.Pointer && file.Lang != scan.TOML && string(t.Data) == key
		previous = t.Pointer
		value := string(t.Data)
		// P/args/0, P/command/0, P/env/NAME
		if object, list := splitPointer(parent); parent != "" {
			switch {
			case list == "args" && isIndex(key):
				s := at(object)
				s.Args = append(s.Args, value)
			case list == "command" && isIndex(key):
				s := at(object)
				s.Command = append(s.Command, value)
				if s.Text == nil {
					s.Text = t
				}
			case (list == "env" || list == "environment") && !slices.Contains(at(object).Env, key):
				s := at(object)
				s.Env = append(s.Env, key)
			}
		}
		if isName {
			continue
		}
		switch key {
		case "command":
			if s := open[parent]; s != nil && len(s.Command) > 0 {
				flush(parent)
			}
			s := at(parent)
			s.Command, s.Text = []string{value}, t
		case "url", "httpUrl", "http_url", "serverUrl", "uri", "endpoint":
			if amongServers(parent, file.Path) && strings.Contains(value, "://") {
				if s := open[parent]; s != nil && s.URL != "" {
					flush(parent)
				}
				s := at(parent)
				s.URL = value
				if s.Text == nil {
					s.Text = t
				}
			}
		}
	}
	for _, pointer := range order {
		flush(pointer)
	}
	return out
}

// amongServers reports whether an object is a server: it stands below a name
// that says so, or at the top of a file of servers.
func amongServers(pointer, path string) bool {
	for name := range strings.SplitSeq(pointer, "/") {
		switch name {
		case "mcpServers", "mcp_servers", "mcp-servers", "servers", "mcp", "lspServers", "hooks":
			return true
		}
	}
	base := path[strings.LastIndexByte(path, '/')+1:]
	return strings.HasSuffix(base, "mcp.json") && strings.Count(pointer, "/") == 1
}

func splitPointer(p string) (parent, key string) {
	i := strings.LastIndexByte(p, '/')
	if i < 0 {
		return "", ""
	}
	key = strings.ReplaceAll(strings.ReplaceAll(p[i+1:], "~1", "/"), "~0", "~")
	return p[:i], key
}

func lastName(p string) string {
	_, key := splitPointer(p)
	return key
}

func isIndex(key string) bool {
	_, err := strconv.ParseUint(key, 10, 16)
	return err == nil
}

// IsConfig reports whether a file may hold servers: a JSON, TOML or YAML file,
// or Markdown with frontmatter, that names a command or an address.
func IsConfig(path string, data []byte) bool {
	lower := strings.ToLower(path)
	switch lower[strings.LastIndexByte(lower, '.')+1:] {
	case "json", "jsonc", "toml", "yaml", "yml":
	case "md", "mdc":
		if !bytes.HasPrefix(data, []byte("---")) || !bytes.Contains(data, []byte("mcp")) {
			return false
		}
	default:
		return false
	}
	return isRegistry(path, data) || bytes.Contains(data, []byte("command")) || bytes.Contains(data, []byte("url")) || bytes.Contains(data, []byte("Url")) || bytes.Contains(data, []byte(`\u00`))
}
