package author

import (
	"embed"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"pinion/internal/syntax"
	"pinion/manifest"
)

//go:embed templates
var templates embed.FS

// file is one file of a new package.
type file struct {
	name string
	data []byte
}

// document is a new manifest, in the order in which it is written.
type document struct {
	SchemaVersion int      `json:"schema_version"`
	ID            string   `json:"id"`
	Name          string   `json:"name"`
	Version       string   `json:"version"`
	Description   string   `json:"description"`
	Kind          string   `json:"kind"`
	License       string   `json:"license"`
	Files         []string `json:"files"`
	Entrypoint    string   `json:"entrypoint,omitempty"`
	Tools         []tool   `json:"tools,omitempty"`
	Permissions   []string `json:"permissions,omitempty"`
	UI            *ui      `json:"ui,omitempty"`
	Hooks         []hook   `json:"hooks,omitempty"`
}

type tool struct {
	Name        string     `json:"name"`
	Description string     `json:"description"`
	InputSchema syntax.Raw `json:"input_schema"`
}

type ui struct {
	Pages   []page   `json:"pages"`
	Styles  []string `json:"styles"`
	Patches []string `json:"patches"`
	Assets  []string `json:"assets"`
}

type page struct {
	ID         string `json:"id"`
	Title      string `json:"title"`
	Icon       string `json:"icon"`
	Entrypoint string `json:"entrypoint"`
}

type hook struct {
	Event      string `json:"event"`
	Entrypoint string `json:"entrypoint"`
	Timeout    int    `json:"timeout"`
}

// describe is the description of a package whose author gave none.
func describe(kind manifest.Kind) string {
	switch kind {
	case manifest.MCP:
		return "Counts the words of a text."
	case manifest.Extension:
		return "Adds a page, and working rules to every chat."
	}
	return "Describe here what the skill does and when to use it."
}

// scaffold returns the files of a new package, the manifest last: until it is
// there, nothing takes the directory for a package.
func scaffold(o InitOptions) ([]file, error) {
	license, err := LicenseText(o.License, o.Now.Year(), o.Holder)
	if err != nil {
		return nil, err
	}
	doc := document{
		SchemaVersion: 1, ID: o.ID, Name: o.Name, Version: "0.1.0",
		Description: o.Description, Kind: string(o.Kind), License: o.License,
	}
	var names []string
	switch o.Kind {
	case manifest.MCP:
		names = []string{"server.py"}
		doc.Entrypoint = "server.py"
		doc.Tools = []tool{{
			Name: "count_words", Description: "Count the words in text.",
			InputSchema: syntax.Raw(`{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`),
		}}
	case manifest.Extension:
		names = []string{"hooks.py", "page.js", "page.css"}
		doc.Permissions = []string{"ui.pages", "ui.styles", "hooks"}
		doc.UI = &ui{
			Pages:  []page{{ID: "main", Title: o.Name, Icon: "puzzle", Entrypoint: "page.js"}},
			Styles: []string{"page.css"}, Patches: []string{}, Assets: []string{},
		}
		doc.Hooks = []hook{{Event: "before_chat", Entrypoint: "hooks.py", Timeout: 10}}
	default:
		names = []string{"SKILL.md"}
	}
	var files []file
	for _, name := range names {
		data, err := o.fill(name)
		if err != nil {
			return nil, err
		}
		files = append(files, file{name, data})
	}
	files = append(files, file{"LICENSE", license})
	doc.Files = append(names, "LICENSE")
	data, err := syntax.Encode(doc)
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", o.Manifest, err)
	}
	return append(files, file{o.Manifest, data}), nil
}

// fill returns a template with the author's words in it, each written as its
// language wants it.
func (o InitOptions) fill(name string) ([]byte, error) {
	text, err := templates.ReadFile("templates/" + name)
	if err != nil {
		return nil, fmt.Errorf("read template: %w", err)
	}
	quoted, err := syntax.Compact(o.Name) // a JSON string is a Python and a JavaScript string
	if err != nil {
		return nil, fmt.Errorf("quote the name: %w", err)
	}
	description, err := yamlText(o.Description)
	if err != nil {
		return nil, err
	}
	r := strings.NewReplacer(
		"{{id}}", o.ID, "{{name}}", o.Name, "{{quoted name}}", string(quoted), "{{description}}", description,
	)
	return []byte(r.Replace(string(text))), nil
}

// plainYAML matches texts that YAML reads as themselves without quotes.
var plainYAML = pattern(`^[A-Za-z][A-Za-z0-9 ,.()/'_-]*[A-Za-z0-9.)]$`)

// yamlWords are texts that YAML reads as something else than a text.
var yamlWords = pattern(`^(?i:null|true|false|yes|no|on|off|y|n)$`)

// pattern compiles on first use, since most runs start no package.
func pattern(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// yamlText writes a line of text as a YAML value.
func yamlText(s string) (string, error) {
	if plainYAML().MatchString(s) && !yamlWords().MatchString(s) {
		return s, nil
	}
	quoted, err := syntax.Compact(s) // a JSON string is a YAML string
	if err != nil {
		return "", fmt.Errorf("quote the description: %w", err)
	}
	return string(quoted), nil
}
