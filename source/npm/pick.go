package npm

import (
	"fmt"
	"strings"

	npmver "deps.dev/util/semver"
	"golang.org/x/mod/semver"

	"pinion/source"
)

// latest is the tag of what is installed when nothing is asked for.
const latest = "latest"

// pick returns the version that npm would take for what is wanted: a version, a
// range or a tag. tag is how it was found, "" by its number. Engines and dates are
// not looked at: nothing of the package runs here.
func (p *packument) pick(want string) (version, tag string, err error) {
	if want == "" {
		want = latest
	}
	if exact := strings.TrimSpace(strings.TrimLeft(want, "=v")); isVersion(exact) {
		exact, _, _ = strings.Cut(exact, "+") // registries know no builds
		if _, ok := p.Versions[exact]; !ok {
			return "", "", fmt.Errorf("%w: there is no version %s; %s", source.ErrNotFound, exact, p.newest())
		}
		return exact, "", nil
	}
	if c, err := npmver.NPM.ParseConstraint(want); err == nil {
		version, ok := p.highest(c, strings.Trim(want, " ") == "*")
		if !ok {
			return "", "", fmt.Errorf("%w: no version satisfies %q; %s", source.ErrNotFound, want, p.newest())
		}
		return version, "", nil
	}
	version, ok := p.Tags[want]
	if _, there := p.Versions[version]; !ok || !there {
		return "", "", fmt.Errorf("%w: there is no version tagged %q; %s", source.ErrNotFound, want, p.newest())
	}
	return version, want, nil
}

// highest returns the version tagged latest when it is good enough, else the
// highest one; what is deprecated comes last (npm-pick-manifest).
func (p *packument) highest(c *npmver.Constraint, any bool) (version string, ok bool) {
	if v := p.Tags[latest]; p.Versions[v] != nil && (any || c.Match(v)) && !p.deprecated(v) {
		return v, true
	}
	var best *npmver.Version
	var bestOld bool
	for text := range p.Versions {
		v, err := npmver.NPM.Parse(text)
		if err != nil || !c.MatchVersion(v) {
			continue
		}
		old := p.deprecated(text)
		if best == nil || bestOld && !old || old == bestOld && v.Compare(best) > 0 {
			best, bestOld, version = v, old, text
		}
	}
	return version, best != nil
}

// newest says what there is, for a version that is not there.
func (p *packument) newest() string {
	if v := p.Tags[latest]; v != "" {
		return "the newest is " + v
	}
	return fmt.Sprintf("%d others are", len(p.Versions))
}

// isVersion reports whether s is a whole version and not a range like "1.2".
func isVersion(s string) bool {
	core, _, _ := strings.Cut(s, "+")
	return semver.Canonical("v"+core) == "v"+core && semver.IsValid("v"+core)
}
