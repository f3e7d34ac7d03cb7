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

	"pinion/internal/regex"
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
	Version      any                        `json:"version"` // text, unless the manifest says otherwise
	Path         string                     `json:"path"`
	IsActive     bool                       `json:"isActive"`
	ContextFiles []string                   `json:"contextFiles"`
	MCPServers   map[string]json.RawMessage `json:"mcpServers"`
	Skills       []struct{ Name string }    `json:"skills"`
	Agents       []struct{ Name string }    `json:"agents"`
	Hooks        map[string]json.RawMessage `json:"hooks"`
}

// List returns the extensions that the client loads. It gives no list at all
// when one of them breaks it, which is a Reply that is not OK.
func (g Gemini) List(ctx context.Context) ([]GeminiExtension, Reply, error) {
	res, err := g.list(ctx, "-o", "json")
	if err != nil {
		return nil, Reply{}, err
	}
	var list []GeminiExtension
	if at := listStart.Get().FindIndex(res.Stdout); res.Exit != 0 || at == nil || json.Unmarshal(res.Stdout[at[0]:], &list) != nil {
		res.Exit = max(res.Exit, 1)
		return nil, g.s.reply(res), nil
	}
	// An extension that stops a session stops the list for people, too, and not
	// the JSON ("extension.excludeTools.forEach is not a function").
	if res, err = g.list(ctx); err != nil {
		return nil, Reply{}, err
	}
	if bytes.Count(res.Stdout, []byte("\n ID: ")) < len(list) {
		res.Exit = max(res.Exit, 1)
		return nil, g.s.reply(res), nil
	}
	return list, Reply{OK: true}, nil
}

// list runs `extensions list`. Version 0.61.0 writes it to its standard error, of
// which only the end would be kept, after warnings about what it skips.
func (g Gemini) list(ctx context.Context, args ...string) (sandbox.Result, error) {
	argv, err := g.s.clients.argv(GeminiClient)
	if err != nil {
		return sandbox.Result{}, err
	}
	res, err := sandbox.Run(ctx, sandbox.Command{
		Argv: slices.Concat([]string{"/bin/sh", "-c", `exec "$0" "$@" 2>&1`}, argv, []string{"extensions", "list"}, args),
		Dir:  g.s.Dir, Env: g.s.env(), Stdin: strings.NewReader(""), Output: runOutput, Limit: runLimit,
	})
	if err != nil {
		return res, fmt.Errorf("gemini extensions list: %w", err)
	}
	return res, nil
}

// listStart is where the list begins.
var listStart = regex.Lazy{Expr: `(?m)^\[(\]|$)`}

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
