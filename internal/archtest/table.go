// Package archtest holds the architecture as data: which package may import
// which, and which third-party library belongs to which package. Its test reads
// the module's sources, for every operating system, and fails on an edge that
// is not in the tables.
//
// A new edge or a new library is a design decision: it is a line here, with a
// commit that says why. The package has no other code.
package archtest

import "strings"

// Module is the module's path; the tables leave it out, and the root package
// is ".".
const Module = "pinion"

// Rule says what one package may import directly.
type Rule struct {
	// Own are packages of this module; "a/..." is every package at or below a,
	// "..." is every package.
	Own []string
	// Not takes away from Own.
	Not []string
}

// Imports is the table of direct imports. A package that is not here may not
// exist; "a/*" is every package below a that has no line of its own.
func Imports() map[string]Rule {
	return map[string]Rule{
		// The front. cmd prints values of many packages; suggestions for
		// misspelt words come from internal/syntax.
		"cmd/pinion": {Own: []string{"...", "internal/ui"}, Not: []string{"internal/fsx", "internal/testkit", "internal/archtest", "cmd/..."}},
		".":          {Own: []string{"..."}, Not: []string{"cmd/...", "internal/ui", "internal/testkit", "internal/archtest"}},

		// Words and facts.
		"problem": {},
		"hashes":  {},
		"schemas": {Own: []string{"problem", "internal/syntax"}},
		"tree":    {Own: []string{"problem", "hashes"}},

		// Content.
		"manifest":            {Own: []string{"problem", "schemas", "internal/syntax"}},
		"manifest/native":     {Own: []string{"problem", "schemas", "internal/syntax", "tree", "manifest"}},
		"manifest/agentskill": {Own: []string{"problem", "schemas", "internal/syntax", "tree", "manifest"}},
		// Plugins of every host hold Agent Skills, which are read by the one reader,
		// and share servers, hooks and commands.
		"manifest/component": {Own: []string{"problem", "internal/syntax", "tree", "manifest", "manifest/agentskill"}},
		"manifest/*":         {Own: []string{"problem", "schemas", "internal/syntax", "tree", "manifest", "manifest/agentskill", "manifest/component", "internal/regex"}},
		// What of a plugin.json at the top is Copilot's, Agent Plugins says.
		"manifest/copilot": {Own: []string{"problem", "schemas", "internal/syntax", "tree", "manifest", "manifest/agentskill", "manifest/component", "manifest/agentplugins"}},
		"pkgfmt":           {Own: []string{"problem", "hashes", "tree", "manifest", "internal/syntax"}},
		// Which fields of a Claude catalog's entry name components is knowledge of
		// that format.
		"catalog": {Own: []string{"problem", "hashes", "tree", "pkgfmt", "manifest", "manifest/claude", "schemas", "source", "internal/syntax"}},
		// Says the same to each host in its own dialect; pure, like the catalogs.
		"catalog/compile": {Own: []string{"problem", "manifest", "catalog", "internal/syntax"}},
		"author":          {Own: []string{"problem", "hashes", "tree", "pkgfmt", "manifest", "schemas", "internal/syntax", "internal/fsx"}},
		// The judge of hosts reads what it is given; where a format's own reader says
		// what its host does, it asks that.
		"compat": {Own: []string{"problem", "tree", "manifest", "manifest/agentplugins", "manifest/claude", "manifest/cursor", "manifest/gemini", "internal/syntax"}},

		// The judge: it reads what it is given, and nothing else.
		"scan":        {Own: []string{"problem", "hashes", "tree", "manifest", "pkgfmt", "internal/sandbox", "internal/sarif", "internal/syntax"}},
		"scan/launch": {Own: []string{"manifest", "pkgfmt", "scan", "internal/regex", "internal/syntax"}},
		"scan/checks": {Own: []string{"problem", "hashes", "tree", "manifest", "pkgfmt", "scan", "scan/launch", "internal/regex", "internal/syntax"}},
		"scan/sbom":   {Own: []string{"problem", "hashes", "tree", "manifest", "pkgfmt", "scan", "scan/checks", "scan/launch", "internal/syntax"}},
		"capability":  {Own: []string{"problem", "hashes", "tree", "manifest", "pkgfmt", "scan", "scan/launch", "internal/regex", "internal/syntax"}},
		"policy":      {Own: []string{"problem", "hashes", "manifest", "scan", "internal/syntax"}},

		// Places.
		"source":   {Own: []string{"hashes", "tree"}},
		"source/*": {Own: []string{"hashes", "tree", "source", "internal/regex", "source/web"}},
		// What other tools pinned: bytes in, values out.
		"locks": {Own: []string{"tree", "source", "internal/syntax"}},
		// What is not a repository comes as one file over the web.
		"source/web":     {Own: []string{"source"}},
		"source/archive": {Own: []string{"tree", "source", "source/web"}},
		"source/npm":     {Own: []string{"source", "source/archive", "source/web", "internal/syntax"}},
		"source/github":  {Own: []string{"hashes", "tree", "source", "source/git"}},
		"market":         {Own: []string{"problem", "hashes", "tree", "pkgfmt", "manifest", "source", "catalog", "policy", "internal/fsx", "internal/sealed", "internal/syntax"}},
		"store":          {Own: []string{"problem", "hashes", "tree", "manifest", "pkgfmt", "internal/fsx", "internal/sealed", "internal/syntax"}},

		// Other programs that load plugins. An adapter says what has to be on the
		// disk; host alone changes it.
		"host":   {Own: []string{"manifest", "internal/fsx", "internal/sealed", "internal/syntax"}},
		"host/*": {Own: []string{"manifest", "host", "host/skills", "internal/syntax"}},

		// Tools of the above.
		"internal/syntax":   {Own: []string{"problem"}},
		"internal/fsx":      {},
		"internal/regex":    {},
		"internal/sandbox":  {},
		"internal/sarif":    {Own: []string{"internal/syntax"}},
		"internal/sealed":   {Own: []string{"internal/syntax"}},
		"internal/ui":       {Own: []string{"problem"}},
		"internal/archtest": {},

		// Programs and servers around the product.
		"internal/bench": {Own: []string{"..."}, Not: []string{"cmd/...", "internal/ui", "internal/archtest"}},
		// The check against the hosts' own programs, and its command. They judge by
		// compat, and read a case's catalog with catalog.
		"internal/hostcheck":       {Own: []string{"problem", "manifest", "manifest/agentskill", "manifest/mcpb", "tree", "catalog", "compat", "internal/regex", "internal/sandbox", "internal/syntax"}},
		"internal/hostcheck/check": {Own: []string{"internal/hostcheck"}},
		// testkit's line is that of every test support package.
		"internal/testkit": {Own: []string{"..."}, Not: []string{".", "cmd/...", "internal/ui", "internal/archtest"}},
	}
}

// Forbidden are paths that may not exist even through others: the first
// package may never reach the second.
func Forbidden() [][2]string {
	return [][2]string{
		{"store", "source"},
		{"store", "catalog"},
		{"store", "market"},
		{"source", "manifest"},
		{"manifest", "pkgfmt"},
		{"scan", "source"},
		{"scan", "market"},
		{"scan", "store"},
		{"scan", "net"},
	}
}

// IsTestSupport reports whether a package is there for tests: the loopback
// servers, and the conformance suites that stand beside what they test, named
// formattest or sourcetest. Only tests and other such packages may import it,
// and it may import the libraries of tests.
func IsTestSupport(path string) bool {
	switch path[strings.LastIndexByte(path, '/')+1:] {
	case "testkit", "formattest", "sourcetest":
		return true
	}
	return false
}

// Libraries says which package alone may import a third-party module, by the
// beginning of the import path. What is not here may not be imported at all.
// golang.org/x/* is free.
func Libraries() map[string]string {
	return map[string]string{
		"github.com/urfave/cli/v2":                 "cmd/pinion",
		"github.com/schollz/progressbar/v3":        "internal/ui",
		"github.com/rivo/uniseg":                   "internal/ui",
		"github.com/santhosh-tekuri/jsonschema/v5": "schemas",
		"github.com/go-json-experiment/json":       "internal/syntax",
		"github.com/pelletier/go-toml/v2":          "internal/syntax",
		"go.yaml.in/yaml/v3":                       "internal/syntax",
		"mvdan.cc/sh/v3":                           "internal/syntax",
		"github.com/gofrs/flock":                   "internal/fsx",
		"github.com/BobuSumisu/aho-corasick":       "scan",
		"github.com/google/licensecheck":           "scan/checks",
		"github.com/github/go-spdx/v2":             "scan/checks",
		"github.com/spdx/tools-golang":             "scan/sbom",
		"github.com/landlock-lsm/go-landlock":      "internal/sandbox",
		"github.com/go-git/go-git/v5":              "source/git",
		"github.com/go-git/go-billy/v5":            "source/git",
		"github.com/google/go-github/v60":          "source/github",
		"deps.dev/util/semver":                     "source/npm",
		"github.com/rogpeppe/go-internal/diff":     ".",
	}
}

// TestLibraries are the modules that only tests import, each from anywhere.
func TestLibraries() []string {
	return []string{
		"github.com/rogpeppe/go-internal/testscript",
		"github.com/google/go-cmp",
		"pgregory.net/rapid",
	}
}
