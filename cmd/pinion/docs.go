package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"pinion"
	"pinion/problem"
)

func newDocsCmd(e *env) *command {
	return &command{
		Command: &cli.Command{
			Name:        "docs",
			Usage:       "write the generated documents",
			Description: "Writes rules.md, exit-codes.md and json.md into DIR, from the same tables as the commands.",
			Action:      func(c *cli.Context) error { return runDocs(c.Context, e, c.Args().First()) },
		},
		section:  about,
		args:     []arg{{name: "DIR", kind: onDisk}},
		examples: []example{{"pinion docs docs", "what make docs runs"}},
		hidden:   true,
	}
}

func runDocs(_ context.Context, e *env, dir string) error {
	for _, d := range generatedDocs() {
		text, err := d.text()
		if err != nil {
			return fmt.Errorf("%s: %w", d.name, err)
		}
		name := filepath.Join(e.path(dir), d.name)
		if err := os.WriteFile(name, text, 0o644); err != nil {
			return err
		}
		if err := e.line("%s", e.brief(name)); err != nil {
			return err
		}
	}
	return nil
}

// generatedDoc is one document that is made from the program's own tables.
type generatedDoc struct {
	name string
	text func() ([]byte, error)
}

func generatedDocs() []generatedDoc {
	return []generatedDoc{
		{"rules.md", func() ([]byte, error) { return rulesDoc(pinion.Rules()), nil }},
		{"exit-codes.md", func() ([]byte, error) { return exitCodesDoc(), nil }},
		{"json.md", jsonDoc},
	}
}

// rulesDoc lists every rule, grouped by the first part of its id.
func rulesDoc(rules []problem.Rule) []byte {
	var b bytes.Buffer
	b.WriteString("# Rules\n\nEvery problem that Pinion reports belongs to one of these rules. The ids are permanent.\n")
	b.WriteString("`pinion explain RULE` prints the same. A report may give a rule another weight, by what the format's own host does.\n")
	group := ""
	for _, r := range rules {
		if g, _, _ := strings.Cut(r.ID, "/"); g != group {
			group = g
			b.WriteString("\n## " + group + "\n")
		}
		fmt.Fprintf(&b, "\n### %s\n\n%s (%s, since %s).\n\n%s\n", r.ID, prose(r.Title), r.Severity, r.Since, prose(r.Help))
		if r.Fix != "" {
			b.WriteString("\nFix: " + prose(r.Fix) + "\n")
		}
		if r.Example != "" {
			b.WriteString("\n```\n" + strings.TrimSuffix(r.Example, "\n") + "\n```\n")
		}
	}
	return b.Bytes()
}

// prose escapes what Markdown would read as markup in a text of ours.
func prose(text string) string {
	return strings.NewReplacer("<", "&lt;", "*", `\*`, "_", `\_`, "`", "\\`").Replace(text)
}

// exitCodesDoc is the table that help ends with.
func exitCodesDoc() []byte {
	var b bytes.Buffer
	b.WriteString("# Exit codes\n\nThe same for every command and every output format.\n\n| code | name | meaning |\n|---|---|---|\n")
	for _, c := range exitCodes() {
		fmt.Fprintf(&b, "| %d | %s | %s |\n", c.Code, c.Name, c.Meaning)
	}
	b.WriteString("\nWith --json an error is one object on stderr, `pinion.error/v1`, whose `exit` is the code.\n")
	return b.Bytes()
}

// jsonDoc lists the documents and their keys, from the published schemas.
func jsonDoc() ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("# JSON documents\n\nEvery command that prints a result takes --json. The document begins with its `schema`; lists are never null;\n")
	b.WriteString("within v1 keys are only added. `pinion schema NAME` prints the whole JSON Schema of one.\n")
	for _, name := range pinion.Schemas() {
		text, err := pinion.Schema(name)
		if err != nil {
			return nil, err
		}
		var s struct {
			Title       string          `json:"title"`
			Description string          `json:"description"`
			Properties  json.RawMessage `json:"properties"`
		}
		if err := json.Unmarshal(text, &s); err != nil {
			return nil, err
		}
		keys, err := keysInOrder(s.Properties)
		if err != nil {
			return nil, err
		}
		about := strings.TrimSuffix(s.Description, " Later versions of Pinion may add keys.")
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n`%s`\n", name, prose(about), strings.Join(keys, "` `"))
	}
	return b.Bytes(), nil
}

// keysInOrder returns the keys of a JSON object as they are written.
func keysInOrder(object []byte) ([]string, error) {
	dec := json.NewDecoder(bytes.NewReader(object))
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	var keys []string
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, err
		}
		keys = append(keys, fmt.Sprint(key))
		var skipped json.RawMessage
		if err := dec.Decode(&skipped); err != nil {
			return nil, err
		}
	}
	return keys, nil
}
