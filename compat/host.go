package compat

import (
	"path"
	"slices"
	"strings"

	"pinion/problem"
	"pinion/tree"
)

// host is one host: what it is called, which versions are known, and how it
// loads.
type host struct {
	name  Host
	title string // for people
	// first is the lowest version whose behaviour is known; newest the highest.
	first, newest Version
	// rules are all that the host's file can report.
	rules []rule
	// pkg simulates the loading of a package.
	pkg func(j *judge, t *tree.Tree, at Place)
	// catalogs is the host's order of looking for a catalog, relative to the
	// root of the repository; nil when it has none.
	catalogs []string
	// catalog simulates the reading of a catalog.
	catalog func(j *judge, data []byte, repo Repo)
}

// hosts lists every host, in the order in which they are shown.
func hosts() []*host {
	return []*host{claudeHost(), codexHost(), copilotHost(), cursorHost(), geminiHost(), agentPluginsHost(), skillsHost()}
}

// Hosts returns every host, in the order in which they are shown.
func Hosts() []Host {
	var out []Host
	for _, h := range hosts() {
		out = append(out, h.name)
	}
	return out
}

// Title returns what people call the host, "Claude Code".
func (h Host) Title() string {
	if known := find(h); known != nil {
		return known.title
	}
	return string(h)
}

func names() []string {
	var out []string
	for _, h := range Hosts() {
		out = append(out, string(h))
	}
	return out
}

func find(name Host) *host {
	for _, h := range hosts() {
		if h.name == name {
			return h
		}
	}
	return nil
}

// Package simulates how a host loads the package in t.
func Package(to Target, t *tree.Tree, at Place) Verdict {
	h := find(to.Host)
	if h == nil {
		return Verdict{Host: to.Host, Versions: to.Range, Outcome: Unread}
	}
	j := &judge{host: h, want: to.Range}
	h.pkg(j, t, at)
	return j.verdict()
}

// Catalog simulates how a host reads the catalog data, which lies at file,
// relative to the root of its repository.
func Catalog(to Target, file string, data []byte, repo Repo) Verdict {
	h := find(to.Host)
	if h == nil || !slices.Contains(h.catalogs, file) {
		return Verdict{Host: to.Host, Versions: to.Range, Outcome: Unread, Problems: problem.List{}}
	}
	for _, earlier := range h.catalogs[:slices.Index(h.catalogs, file)] {
		if repo.File != nil && repo.File(earlier) {
			return Verdict{Host: to.Host, Versions: to.Range, Outcome: Unread, Problems: problem.List{}}
		}
	}
	j := &judge{host: h, want: to.Range, file: file, data: data}
	h.catalog(j, data, repo)
	return j.verdict()
}

// CatalogPlaces returns where a host looks for catalogs, in its order.
func CatalogPlaces(h Host) []string {
	if known := find(h); known != nil {
		return slices.Clone(known.catalogs)
	}
	return nil
}

// NoCatalog is the finding about a repository without a catalog where the host
// looks for one.
func NoCatalog(to Target) problem.Problem {
	h := find(to.Host)
	p := noCatalog(h).public(h).Report("%s: it adds no marketplace from here: there is no catalog at %s", h.title, strings.Join(h.catalogs, ", "))
	return p
}

func noCatalog(h *host) rule {
	return rule{
		id: "no-catalog", effect: fatal,
		title: "No catalog where " + h.title + " looks", help: "The repository has a catalog of another host. " + h.title + " looks at " + strings.Join(h.catalogs, ", ") + ", in this order.",
		fix: "put a catalog there; pinion build-catalog --for writes them", evidence: "the host's documentation, and marketplace add",
	}
}

// Rules lists the rules of every host.
func Rules() []problem.Rule {
	var out []problem.Rule
	for _, h := range hosts() {
		if len(h.catalogs) > 0 {
			out = append(out, noCatalog(h).public(h))
		}
		for _, r := range h.rules {
			out = append(out, r.public(h))
		}
	}
	return out
}

func base(p string) string { return path.Base(p) }
