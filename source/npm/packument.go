package npm

import (
	"cmp"
	"fmt"

	"pinion/internal/syntax"
	"pinion/source"
)

// maxPackument is how many bytes a list of versions may have. The largest public
// ones have some 20 MB in the short form.
const maxPackument = 96 << 20

// packument is what a registry says of a package: npm's word for it.
type packument struct {
	Name     string                `json:"name"`
	Tags     map[string]string     `json:"dist-tags"`
	Versions map[string]syntax.Raw `json:"versions"`
}

// wireRelease is one version of it.
type wireRelease struct {
	Dist struct {
		Tarball   string `json:"tarball"`
		Integrity string `json:"integrity"`
		Shasum    string `json:"shasum"`
	} `json:"dist"`
	Deprecated syntax.Raw `json:"deprecated"` // text, in old ones true or false
}

// release is one version that can be fetched.
type release struct {
	version string
	tarball string
	sum     integrity
}

func (r *release) pin() string { return r.version + "@" + r.sum.String() }

func parsePackument(name string, data []byte) (*packument, error) {
	var p packument
	found := syntax.Decode(data, &p, syntax.Options{AllowDuplicates: true})
	if p.Versions == nil {
		if err := found.Err(); err != nil {
			return nil, fmt.Errorf("the registry's answer: %w", err)
		}
		return nil, fmt.Errorf("%w: the registry lists no versions of %s", source.ErrNotFound, name)
	}
	if p.Name != "" && p.Name != name {
		return nil, fmt.Errorf("the registry answers for %q instead of %q", p.Name, name)
	}
	return &p, nil
}

// read decodes what is said of one version; one that is unlike any gives nothing.
func (p *packument) read(version string) wireRelease {
	var w wireRelease
	syntax.Decode(p.Versions[version], &w, syntax.Options{AllowDuplicates: true})
	return w
}

// deprecated reports whether the version is one that its authors advise against.
func (p *packument) deprecated(version string) bool {
	switch string(p.read(version).Deprecated) {
	case "", "null", "false", `""`:
		return false
	}
	return true
}

// release returns what is needed to fetch a version.
func (p *packument) release(version string) (*release, error) {
	if _, ok := p.Versions[version]; !ok {
		return nil, fmt.Errorf("%w: there is no version %s", source.ErrNotFound, version)
	}
	if !isVersion(version) || len(version) > 256 {
		return nil, fmt.Errorf("the version %.100q is none", version) // a tag of the registry leads to it
	}
	w := p.read(version)
	sum, err := parseIntegrity(cmp.Or(w.Dist.Integrity, w.Dist.Shasum))
	if err != nil {
		return nil, fmt.Errorf("version %s: %w", version, err)
	}
	if w.Dist.Tarball == "" {
		return nil, fmt.Errorf("version %s: the registry does not say where it is", version)
	}
	return &release{version: version, tarball: w.Dist.Tarball, sum: sum}, nil
}
