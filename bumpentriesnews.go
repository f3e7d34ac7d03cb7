package pinion

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"pinion/manifest"
	"pinion/source"
)

// target is what an entry could point at now.
type target struct {
	commit string
	ref    string // the version tag that replaces the entry's, "" when its ref stays
}

// answer is what a repository said of one ref.
type answer struct {
	target target
	err    error
}

// newest finds the commit that an entry's ref names now: a branch's or the
// default branch's newest, and for a version tag the highest newer one of the
// same form. asked remembers answers within one repository.
func (b *bumping) newest(ctx context.Context, p *pointed, asked map[string]answer) (target, error) {
	o := p.entry.Source
	key := o.Ref
	if isVersionTag(o.Ref) {
		key += " " + o.SHA // whether the tag was moved depends on what it was
	}
	a, ok := asked[key]
	if !ok {
		a.target, a.err = b.ask(ctx, p)
		asked[key] = a
	}
	return a.target, a.err
}

func (b *bumping) ask(ctx context.Context, p *pointed) (target, error) {
	o := p.entry.Source
	spec := p.spec
	spec.Ref = o.Ref
	src, err := b.c.open(spec, b.strange(spec))
	if err != nil {
		return target{}, err
	}
	if v, ok := versionTag(o.Ref); ok {
		if t, done, err := b.askTags(ctx, src, o.Ref, o.SHA, v); done || err != nil {
			return t, err
		}
	}
	// What is known makes it a conditional request where the server has them.
	known := source.Pin{Commit: o.SHA, Ref: "HEAD"}
	if o.Ref != "" {
		known = source.Pin{}
	}
	pin, err := src.Resolve(ctx, known)
	return target{commit: pin.Commit}, err
}

// strange reports whether an address leads to another host than that of the
// catalog's own repository; it must then be a public one, or a catalog could
// make this machine ask its neighbours (security 3.3 row 55).
func (b *bumping) strange(s source.Spec) bool {
	own, err := source.Parse(b.base, b.c.o.Cwd)
	return err != nil || own.Host() != s.Host()
}

// askTags looks for a version tag that is higher than the entry's. done is false
// when the ref is a branch that only looks like a version.
func (b *bumping) askTags(ctx context.Context, src source.Source, ref, sha string, now version) (t target, done bool, err error) {
	lister, ok := src.(source.Lister)
	if !ok {
		return target{}, false, nil
	}
	name := strings.TrimPrefix(ref, "refs/tags/")
	refs, err := lister.Refs(ctx, "refs/tags/"+now.prefix, "refs/heads/"+name)
	if err != nil {
		return target{}, false, err
	}
	best, mine := source.Pin{}, ""
	highest := now
	for _, r := range refs {
		tag, isTag := strings.CutPrefix(r.Ref, "refs/tags/")
		switch {
		case !isTag && r.Ref == "refs/heads/"+ref:
			return target{}, false, nil // a branch of this name; a tag beside it is ambiguous
		case !isTag:
			continue
		case tag == name:
			mine = r.Commit
		}
		v, ok := versionTag(tag)
		if ok && v.sameForm(now) && v.compare(highest) > 0 {
			best, highest = r, v
		}
	}
	switch {
	case best.Commit != "":
		newRef := strings.TrimPrefix(best.Ref, "refs/tags/")
		if name != ref {
			newRef = best.Ref
		}
		return target{commit: best.Commit, ref: newRef}, true, nil
	case mine == "":
		return target{}, true, fmt.Errorf("%w: there is no tag %q any more, and no newer one", source.ErrNotFound, name)
	case sha != "" && mine != sha:
		return target{}, true, &leftError{tagMoved, fmt.Sprintf("the tag %s now names %s; a version's tag is a promise not to move", name, shortCommit(mine))}
	}
	return target{commit: mine}, true, nil
}

// version is a tag that is a version: "v1.2.0", "tool-2.0", "tool@1.2.0-rc.1".
type version struct {
	prefix  string
	numbers []string // at least two
	pre     string   // after the dash
}

// versionPattern wants two numbers: "v4" is a name that moves on purpose, as are
// "stable" and "latest".
var versionPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(|[^0-9]|.*[^0-9.])([0-9]+(?:\.[0-9]+)+)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$`)
})

func versionTag(ref string) (version, bool) {
	if strings.HasPrefix(ref, "refs/heads/") {
		return version{}, false
	}
	m := versionPattern().FindStringSubmatch(strings.TrimPrefix(ref, "refs/tags/"))
	if m == nil {
		return version{}, false
	}
	return version{prefix: m[1], numbers: strings.Split(m[2], "."), pre: m[3]}, true
}

func isVersionTag(ref string) bool {
	_, ok := versionTag(ref)
	return ok
}

// sameForm reports whether v is written like the version in use. A release is
// not followed by a pre-release.
func (v version) sameForm(now version) bool {
	return v.prefix == now.prefix && len(v.numbers) == len(now.numbers) && (v.pre == "" || now.pre != "")
}

// compare orders two versions of the same form.
func (v version) compare(o version) int {
	for i, a := range v.numbers {
		x, y := strings.TrimLeft(a, "0"), strings.TrimLeft(o.numbers[i], "0")
		if n := cmp.Or(cmp.Compare(len(x), len(y)), strings.Compare(x, y)); n != 0 {
			return n
		}
	}
	switch {
	case v.pre == o.pre:
		return 0
	case v.pre == "":
		return 1
	case o.pre == "":
		return -1
	}
	return manifest.CompareVersions("0.0.0-"+v.pre, "0.0.0-"+o.pre)
}

// higher reports whether a manifest states a higher version than an entry that
// states one.
func higher(stated, entry string) bool {
	return entry != "" && stated != "" && stated != entry && manifest.CompareVersions(stated, entry) > 0
}
