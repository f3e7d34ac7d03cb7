package testkit

import (
	"crypto/sha1"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"strings"
	"testing"
)

// Registry is an npm registry on loopback that serves what a test publishes, by
// the protocol that the npm client speaks.
type Registry struct {
	*WebServer
	t        testing.TB
	packages map[string]*packument
}

// packument is what a registry says of a package.
type packument struct {
	Name     string             `json:"name"`
	Tags     map[string]string  `json:"dist-tags"`
	Versions map[string]Release `json:"versions"`
}

// Release is what a registry says of one version.
type Release struct {
	Name       string `json:"name"`
	Version    string `json:"version"`
	Dist       Dist   `json:"dist"`
	Deprecated string `json:"deprecated,omitempty"`
}

// Dist is where a version is, and its digests.
type Dist struct {
	Tarball   string `json:"tarball"`
	Integrity string `json:"integrity,omitempty"`
	Shasum    string `json:"shasum,omitempty"`
}

// NewRegistry starts an empty registry over http that ends with the test.
func NewRegistry(t testing.TB) *Registry {
	t.Helper()
	return &Registry{NewWebServer(t), t, map[string]*packument{}}
}

// NewRegistryTLS is NewRegistry over https.
func NewRegistryTLS(t testing.TB) *Registry {
	t.Helper()
	return &Registry{NewWebServerTLS(t), t, map[string]*packument{}}
}

// Publish adds a version of a package, which becomes the latest, and returns the
// pin that it has. A package.json is added to files that have none.
func (r *Registry) Publish(name, version string, files Files) (pin string) {
	r.t.Helper()
	if _, ok := files["package.json"]; !ok {
		all := Files{"package.json": Text(fmt.Sprintf("{\"name\": %q, \"version\": %q}\n", name, version))}
		for p, f := range files {
			all[p] = f
		}
		files = all
	}
	return r.PublishTarball(name, version, TarGz(r.t, "package", files))
}

// PublishTarball is Publish of an archive.
func (r *Registry) PublishTarball(name, version string, tarball []byte) (pin string) {
	r.t.Helper()
	sum512, sum1 := sha512.Sum512(tarball), sha1.Sum(tarball)
	integrity := "sha512-" + base64.StdEncoding.EncodeToString(sum512[:])
	at := fmt.Sprintf("/%s/-/%s-%s.tgz", name, path.Base(name), version)
	p := r.packages[name]
	if p == nil {
		p = &packument{Name: name, Tags: map[string]string{}, Versions: map[string]Release{}}
		r.packages[name] = p
	}
	p.Versions[version] = Release{Name: name, Version: version, Dist: Dist{
		Tarball: r.Set(at, tarball), Integrity: integrity, Shasum: hex.EncodeToString(sum1[:]),
	}}
	p.Tags["latest"] = version
	r.serve(name)
	return version + "@" + integrity
}

// Tag sets a tag of a package.
func (r *Registry) Tag(name, tag, version string) {
	r.t.Helper()
	r.packages[name].Tags[tag] = version
	r.serve(name)
}

// Edit changes what is said of a version.
func (r *Registry) Edit(name, version string, edit func(*Release)) {
	r.t.Helper()
	rel := r.packages[name].Versions[version]
	edit(&rel)
	r.packages[name].Versions[version] = rel
	r.serve(name)
}

func (r *Registry) serve(name string) {
	data, err := json.Marshal(r.packages[name])
	if err != nil {
		r.t.Fatal(err)
	}
	r.Set("/"+strings.Replace(name, "/", "%2f", 1), data)
}
