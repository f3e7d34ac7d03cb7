// Package hostcheck checks our verdicts against the hosts' own programs.
//
// It keeps a table of pinned clients ([Pins]), puts them on the machine
// ([Install]), and runs them offline, each time in a home directory of its own
// that is thrown away ([Session]): [Claude], [Codex] and [Copilot] with their
// marketplaces, [Gemini] with its extensions, the skills installer and the two
// validators of single formats.
//
// On top of that it has a battery of small packages and catalogs ([Battery]),
// made from the corpus and in code, asks each client about each case
// ([Measure]), keeps the answers as data ([Truth], testdata/truth.jsonl), and
// compares them with what package compat says ([Compare]). `make check-hosts`
// does all of it and writes the result into docs/hosts.md.
//
// What is in a case is hostile until proven otherwise: a client is only asked
// to add, install, list and validate. No hook and no server of a package runs.
package hostcheck
