package hostcheck

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pinion/internal/sandbox"
)

// Gemini runs the Gemini CLI with its extensions.
type Gemini struct{ s *Session }

// NewGemini returns the client in a session in which every directory is
// trusted: an installation asks otherwise, and waits.
func NewGemini(s *Session) (Gemini, error) {
	dir := filepath.Join(s.Home, ".gemini")
	err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, "settings.json"), []byte(`{"security":{"folderTrust":{"enabled":false}}}`), 0o600))
	return Gemini{s}, err
}

// Validate runs the validator on a directory.
func (g Gemini) Validate(ctx context.Context, dir string) (Reply, error) {
	return g.extensions(ctx, "validate", dir)
}

// Install installs an extension from a local directory.
func (g Gemini) Install(ctx context.Context, dir string) (Reply, error) {
	return g.extensions(ctx, "install", dir, "--consent")
}

func (g Gemini) extensions(ctx context.Context, args ...string) (Reply, error) {
	res, err := g.s.Run(ctx, GeminiClient, append([]string{"extensions"}, args...)...)
	if err != nil {
		return Reply{}, err
	}
	return g.s.reply(res), nil
}

// GeminiExtension is one installed extension.
type GeminiExtension struct {
	Name         string                     `json:"name"`
	Version      string                     `json:"version"`
	Path         string                     `json:"path"`
	IsActive     bool                       `json:"isActive"`
	ContextFiles []string                   `json:"contextFiles"`
	MCPServers   map[string]json.RawMessage `json:"mcpServers"`
	Skills       []struct{ Name string }    `json:"skills"`
	Agents       []struct{ Name string }    `json:"agents"`
	Hooks        map[string]json.RawMessage `json:"hooks"`
}

// List returns the extensions that the client loads.
func (g Gemini) List(ctx context.Context) ([]GeminiExtension, error) {
	argv, err := g.s.clients.argv(GeminiClient)
	if err != nil {
		return nil, err
	}
	// Version 0.61.0 writes the list to its standard error, of which only the end
	// is kept.
	res, err := sandbox.Run(ctx, sandbox.Command{
		Argv: slices.Concat([]string{"/bin/sh", "-c", `exec "$0" "$@" 2>&1`}, argv, []string{"extensions", "list", "-o", "json"}),
		Dir:  g.s.Dir, Env: g.s.env(), Stdin: strings.NewReader(""), Output: runOutput, Limit: runLimit,
	})
	if err != nil {
		return nil, fmt.Errorf("gemini extensions list: %w", err)
	}
	var list []GeminiExtension
	begin := bytes.Index(res.Stdout, []byte("[\n"))
	if begin < 0 {
		return nil, nil // what it says when there is none, or before it stops
	}
	if err := json.Unmarshal(res.Stdout[begin:], &list); err != nil {
		return nil, fmt.Errorf("gemini extensions list: %w", err)
	}
	return list, nil
}

// inventory is what of an extension is loaded.
func (e GeminiExtension) inventory() Inventory {
	inv := Inventory{}
	for _, f := range e.ContextFiles {
		if rel, err := filepath.Rel(e.Path, f); err == nil {
			inv.add(contextType, filepath.ToSlash(rel))
		}
	}
	for name := range e.MCPServers {
		inv.add(serverType, name)
	}
	for _, s := range e.Skills {
		inv.add(skillType, s.Name)
	}
	for _, a := range e.Agents {
		inv.add(agentType, a.Name)
	}
	for event := range e.Hooks {
		inv.add(hookType, event)
	}
	return inv.sorted()
}
