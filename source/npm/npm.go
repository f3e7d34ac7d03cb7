// Package npm reads a package of an npm registry as a source, by the registry's
// own protocol: one request for the list of versions, one for the package.
//
// npm itself is never started, and no script of a package runs: a package is
// read as the archive it is, without its folder "package/" and without what it
// depends on. The pin is the version and the integrity that the registry states
// for it, and other bytes are refused. Of the user's npm configuration only the
// default registry counts, and only from the environment (npm_config_registry);
// no credentials are read or sent.
package npm

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"strings"

	"pinion/source"
	"pinion/source/archive"
	"pinion/source/web"
)

// MaxPackage is how many bytes a package may have as it is transferred, which is
// what Codex takes too (formats 1.2).
const MaxPackage = 50 << 20

// Options configure a [Remote]. The zero value is ready.
type Options struct {
	// PublicOnly refuses a registry, other than the user's default one, at this
	// machine and in private networks: for addresses that content chose.
	PublicOnly bool
	Web        web.Options // but for Trusted, which follows from the rest
	Getenv     func(string) string
	Log        *slog.Logger // nil discards
}

// Remote is a package in a registry. It implements [source.Source].
type Remote struct {
	spec     source.Spec
	registry *url.URL
	web      *web.Client
	log      *slog.Logger
	found    *release // by the last Resolve
}

var _ source.Source = (*Remote)(nil)

// New returns the package that spec names. It touches nothing yet. It errors
// with a [*source.SpecError] when the user's default registry is none.
func New(spec source.Spec, o Options) (*Remote, error) {
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	usual, err := usualRegistry(o.Getenv)
	if err != nil {
		return nil, err
	}
	address := spec.Registry
	if address == "" {
		address = usual
	}
	u, err := url.Parse(address)
	if err != nil {
		return nil, &source.SpecError{Text: spec.String(), Why: "has no valid registry"}
	}
	o.Web.Trusted = ""
	if !o.PublicOnly || address == usual {
		o.Web.Trusted = u.Host
	}
	return &Remote{spec: spec, registry: u, web: web.New(o.Web), log: o.Log}, nil
}

// usualRegistry is the registry that the user's environment names as npm reads
// it, else the public one.
func usualRegistry(getenv func(string) string) (string, error) {
	for _, name := range [...]string{"npm_config_registry", "NPM_CONFIG_REGISTRY"} {
		if v := getenv(name); v != "" {
			s, err := source.NPMSpec("x", "", v)
			if err != nil {
				return "", fmt.Errorf("the registry in %s: %w", name, err)
			}
			return s.Registry, nil
		}
	}
	return "https://" + source.NPMHost, nil
}

// Resolve asks the registry which release the spec means now.
func (r *Remote) Resolve(ctx context.Context, _ source.Pin) (source.Pin, error) {
	list, err := r.versions(ctx)
	if err != nil {
		return source.Pin{}, err
	}
	version, tag, err := list.pick(r.spec.Ref)
	if err != nil {
		return source.Pin{}, fmt.Errorf("%s: %w", r.spec.Canonical(), err)
	}
	rel, err := list.release(version)
	if err != nil {
		return source.Pin{}, fmt.Errorf("%s: %w", r.spec.Canonical(), err)
	}
	if rel.sum.weak() {
		r.log.Warn("the registry states no digest but SHA-1 for this release", "package", r.spec.Canonical(), "version", version)
	}
	r.found = rel
	return source.Pin{Commit: rel.pin(), Ref: tag}, nil
}

// Open fetches the release that the pin names, unless it is in the cache. Bytes
// with another digest are a [*source.IntegrityError].
func (r *Remote) Open(ctx context.Context, pin source.Pin, cache string) (source.Snapshot, error) {
	version, sum, err := parsePin(pin.Commit)
	if err != nil {
		return nil, err
	}
	defer r.web.Close()
	what := r.spec.Canonical() + " " + version
	good := func(path string) bool {
		got := sum.hasher()
		return archive.Kept{Path: path}.Hash(got) == nil && sum.matches(got)
	}
	k, err := archive.Keep(cache, sum.fileName(), good, func(w io.Writer) (string, error) {
		address, err := r.tarball(ctx, version)
		if err != nil {
			return "", err
		}
		got := sum.hasher()
		if err := archive.Download(ctx, r.web, address, MaxPackage, io.MultiWriter(w, got)); err != nil {
			return "", err
		}
		if !sum.matches(got) {
			return "", &source.IntegrityError{What: what, Want: sum.String(), Got: integrity{sum.algorithm, got.Sum(nil)}.String()}
		}
		return sum.fileName(), nil
	})
	if err != nil {
		return nil, err
	}
	snap, err := archive.Read(ctx, k, pin)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	return snap, nil
}

// tarball returns where the package of a version is.
func (r *Remote) tarball(ctx context.Context, version string) (string, error) {
	rel := r.found
	if rel == nil || rel.version != version {
		list, err := r.versions(ctx)
		if err != nil {
			return "", err
		}
		if rel, err = list.release(version); err != nil {
			return "", fmt.Errorf("%s: %w", r.spec.Canonical(), err)
		}
	}
	return r.relocate(rel.tarball), nil
}

// relocate leads an address at the public registry to the one in use, as npm's
// setting replace-registry-host does by default: mirrors repeat the addresses of
// what they mirror.
func (r *Remote) relocate(address string) string {
	u, err := url.Parse(address)
	if err != nil || !strings.EqualFold(u.Hostname(), source.NPMHost) || u.User != nil {
		return address
	}
	u.Scheme, u.Host = r.registry.Scheme, r.registry.Host
	if base := strings.TrimRight(r.registry.Path, "/"); !strings.HasPrefix(u.Path, base+"/") {
		u.Path, u.RawPath = base+u.Path, ""
	}
	return u.String()
}

// versions asks for the list of versions, in its short form where the registry
// has one.
func (r *Remote) versions(ctx context.Context) (*packument, error) {
	// A scoped name is one part of the path: @scope%2fname.
	address := strings.TrimRight(r.registry.String(), "/") + "/" + strings.Replace(r.spec.Package, "/", "%2f", 1)
	body, err := r.web.Get(ctx, web.Request{
		URL: address, Accept: "application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8", Limit: maxPackument,
	})
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(body)
	if cerr := body.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return nil, err
	}
	list, err := parsePackument(r.spec.Package, data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", address, err)
	}
	return list, nil
}
