// Package compat answers, for one package or one catalog and one host: does it
// load there, from which version of the host on, and what of it is seen?
//
// It is a simulation of loading, not a check against a schema: the host's own
// order of looking for manifests and catalogs, the files it loads by itself,
// which fields replace a default directory and which add to it, names it
// compares and names it keeps for itself, and what one broken part does to the
// rest. Each difference between hosts is a rule with an id of the form
// host/HOST-WHAT, the versions it holds for, and the evidence for it; what the
// real programs did is the judge (internal/hostcheck compares).
//
// It is pure: it reads trees and bytes that it is given, and nothing else. A
// host is one file and one line in [hosts].
package compat

import (
	"pinion/internal/syntax"
	"pinion/manifest"
	"pinion/problem"
)

// Host is a program that loads packages, or a specification that stands for the
// programs that follow it.
type Host string

// The hosts.
const (
	Claude       Host = "claude"        // Claude Code
	Codex        Host = "codex"         // OpenAI Codex CLI
	Copilot      Host = "copilot"       // GitHub Copilot CLI
	Cursor       Host = "cursor"        // Cursor, by its published schemas
	Gemini       Host = "gemini"        // Gemini CLI
	AgentPlugins Host = "agent-plugins" // the Agent Plugins specification 1.0
	Skills       Host = "skills"        // the skills installer, and with it every skills directory
)

// Outcome is what a host does with a package, a catalog or an entry.
type Outcome string

// The outcomes.
const (
	Loads   Outcome = "yes"      // with everything that it declares for this host
	Partly  Outcome = "partly"   // without some part; the problems say which
	Refused Outcome = "no"       // not at all
	Unread  Outcome = "not-read" // nothing here is for this host: it does not look, or finds nothing
)

// Verdict is the answer for one package or catalog on one host.
type Verdict struct {
	Host Host
	// Versions are the versions that were asked for. The outcome is the worst
	// among them.
	Versions Range
	Outcome  Outcome
	// Since is the lowest version from which on every known version loads it;
	// zero when the newest does not.
	Since Version
	// Complete is the lowest version from which on nothing of it is left out;
	// zero when the newest leaves something out.
	Complete Version
	// Components are what the newest of the asked versions would see of a
	// package that it loads; with a catalog there are none.
	Components []manifest.Component
	// Entries are the entries of a catalog, in its order.
	Entries []EntryVerdict
	// Problems are sorted; files are relative to the package, "" for the entry
	// of the catalog. An error is what keeps the host from loading.
	Problems problem.List
}

// EntryVerdict is the answer for one entry of a catalog, without a look at its
// package.
type EntryVerdict struct {
	Name    string
	Index   int  // in the list, from 0
	Listed  bool // the host offers it; what it cannot install may be offered too
	Outcome Outcome
	Since   Version
	Rule    string // the rule that keeps it from loading, or ""
}

// Place is what is known of a package from outside.
type Place struct {
	// Dir is the name of its directory.
	Dir string
	// Entry is the catalog's entry for it, or nil, and Raw is its JSON; without
	// Raw it is taken to have no fields beyond those of Entry.
	Entry *manifest.Entry
	Raw   syntax.Raw
}

// fields is the entry as a JSON object, nil when there is none.
func (p Place) fields() map[string]any {
	if len(p.Raw) > 0 {
		v, _ := parse(p.Raw)
		return object(v)
	}
	if p.Entry == nil {
		return nil
	}
	o := map[string]any{"name": p.Entry.Name}
	for key, text := range map[string]string{"version": p.Entry.Version, "description": p.Entry.Description, "license": p.Entry.License} {
		if text != "" {
			o[key] = text
		}
	}
	if !p.Entry.Strict {
		o["strict"] = false
	}
	for key, raw := range p.Entry.Fields {
		o[key], _ = parse(raw)
	}
	return o
}

// Repo answers what a catalog needs to know of its repository. Nil functions
// answer nothing, and what depends on them is not judged.
type Repo struct {
	// Dir reports whether a directory exists, "." for the root.
	Dir func(dir string) bool
	// File reports whether a file exists: the host takes the first catalog of
	// its list that is there.
	File func(path string) bool
}
