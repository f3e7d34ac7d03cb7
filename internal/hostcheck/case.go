package hostcheck

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"pinion/internal/regex"
)

// Shape is what a case is.
type Shape string

// The shapes.
const (
	Package   Shape = "package"   // a plugin's directory
	Catalog   Shape = "catalog"   // a repository with a catalog
	Extension Shape = "extension" // a Gemini extension's directory
	Skill     Shape = "skill"     // the directory of one Agent Skill
	Bundle    Shape = "bundle"    // the manifest of an MCP bundle
)

// Case is one small tree that clients are asked about.
type Case struct {
	ID      string // unique, [a-z0-9-/]; its first part is the family
	Shape   Shape
	Files   []File
	Clients []Name // the only ones that are asked; nil for all of the shape
	Dir     string // the name of its directory; "" for that of Name
	// Install are the entries of a catalog whose plugins are installed, too.
	Install []string
}

// File is one file of a case.
type File struct {
	Path string
	Data []byte
	Link string // the target of a symbolic link, "" for a file
}

// clientsOf are the clients that have something to say about a shape.
func clientsOf(s Shape) []Name {
	switch s {
	case Package:
		return []Name{ClaudeClient, CodexClient, CopilotClient, SkillsClient}
	case Catalog:
		return []Name{ClaudeClient, CodexClient, CopilotClient}
	case Extension:
		return []Name{GeminiClient}
	case Skill:
		return []Name{SkillsRefClient, SkillsClient}
	case Bundle:
		return []Name{McpbClient}
	}
	return nil
}

// Asks reports whether a client is asked about the case.
func (c Case) Asks(name Name) bool {
	if !slices.Contains(clientsOf(c.Shape), name) {
		return false
	}
	if name == SkillsClient && (!c.hasSkill() || c.skillsAlike()) {
		return false
	}
	return c.Clients == nil || slices.Contains(c.Clients, name)
}

// Family is the first part of the id.
func (c Case) Family() string {
	family, _, _ := strings.Cut(c.ID, "/")
	return family
}

// skillsAlike reports whether the case is one of many that differ only in what
// the skills installer does not read.
func (c Case) skillsAlike() bool {
	return slices.Contains([]string{"type", "name", "version", "field", "hooks", "mcp", "lsp", "agent", "command"}, c.Family())
}

func (c Case) hasSkill() bool {
	return slices.ContainsFunc(c.Files, func(f File) bool { return strings.EqualFold(path.Base(f.Path), "SKILL.md") })
}

// Name is the name of the case's directory and, with a package, of its entry in
// the catalog: the manifest's own name where that can be a directory's and an
// entry's name everywhere, else the end of the id.
func (c Case) Name() string {
	if c.Dir != "" {
		return c.Dir
	}
	for _, f := range c.Files {
		if path.Base(f.Path) != "plugin.json" || strings.Count(f.Path, "/") > 2 {
			continue
		}
		if m := manifestName.Get().FindSubmatch(f.Data); m != nil && len(m[1]) <= nameLimit {
			return string(m[1])
		}
	}
	return slug(c.ID)
}

var manifestName = regex.Lazy{Expr: `(?s)^\s*\{(?:\s*"[$a-zA-Z]+"\s*:\s*"[^"]*"\s*,)*\s*"name"\s*:\s*"([a-z0-9]+(?:-[a-z0-9]+)*)"`}

// nameLimit is what Copilot accepts as the name of an entry; one name above it
// and the whole catalog is refused.
const nameLimit = 64

// slug makes a portable name of an id.
func slug(id string) string {
	name := strings.ReplaceAll(id, "/", "-")
	if len(name) > nameLimit {
		name = strings.TrimRight(name[:nameLimit-9], "-") + "-" + hashOf(name)[:8]
	}
	return name
}

// Digest is over everything that a client sees of the case.
func (c Case) Digest() string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\x00%s\x00%q\x00", c.Shape, c.Name(), c.Install)
	for _, f := range c.Files {
		fmt.Fprintf(h, "%s\x00%s\x00%d\x00", f.Path, f.Link, len(f.Data))
		h.Write(f.Data)
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// Text is the content of a file of the case, and whether it has it.
func (c Case) Text(p string) ([]byte, bool) {
	for _, f := range c.Files {
		if f.Path == p && f.Link == "" {
			return f.Data, true
		}
	}
	return nil, false
}

// Write makes the case's tree at dir, which must not exist. Nothing is written
// outside it.
func (c Case) Write(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	for _, f := range c.Files {
		if err := writeFile(root, f); err != nil {
			return errors.Join(fmt.Errorf("case %s: write %s: %w", c.ID, f.Path, err), root.Close())
		}
	}
	return root.Close()
}

func writeFile(root *os.Root, f File) error {
	if d := path.Dir(f.Path); d != "." {
		if err := root.MkdirAll(filepath.FromSlash(d), 0o755); err != nil {
			return err
		}
	}
	name := filepath.FromSlash(f.Path)
	if f.Link != "" {
		return root.Symlink(f.Link, name)
	}
	w, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, strings.NewReader(string(f.Data)))
	return errors.Join(err, w.Close())
}
