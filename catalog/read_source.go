package catalog

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"pinion/internal/syntax"
	"pinion/problem"
	"pinion/source"
)

// readSource turns a source as written into an origin, and reports what is
// wrong with it.
func (k *entryCheck) readSource(s *wireSource) Origin {
	switch s.kind {
	case '"':
		return k.relative(s.text, "/source", true)
	case '{':
		return k.object(s)
	case 0, 'n':
		k.report("", ruleSource.Report("the entry has no source"))
	default:
		k.report("/source", ruleSource.Report("the source is neither text nor an object"))
	}
	return Origin{}
}

// relative reads a directory of the catalog's own repository.
func (k *entryCheck) relative(text, pointer string, plain bool) Origin {
	dir, why := cleanDir(text)
	if why != "" {
		k.report(pointer, ruleSourcePath.Report("the source %q %s", clip(text), why))
		return Origin{Form: Relative}
	}
	o := Origin{Form: Relative, Dir: dir}
	dotted := text == "." || strings.HasPrefix(text, "./")
	o.bare = plain && !dotted && !strings.Contains(text, "/")
	switch {
	case dotted || o.bare && k.profile.flavour != Native || k.profile.plainDirs:
	case k.profile.flavour == Native || k.profile.flavour == Claude:
		k.report(pointer, ruleSourceForm.Report("the source %q does not begin with \"./\"", clip(text)).
			As(problem.Error).WithFix("write %q", "./"+text))
	default:
		k.report(pointer, ruleSourceForm.Report("the source %q does not begin with \"./\"", clip(text)).
			As(problem.Warning).WithFix("write %q", "./"+text))
	}
	return o
}

// object reads a source that is an object, of any host's kinds.
func (k *entryCheck) object(s *wireSource) Origin {
	w := &s.object
	if len(s.problems) > 0 {
		k.reportIn("/source", "the source", s.problems)
		if s.problems.HasErrors() {
			return Origin{}
		}
	}
	k.kind(w.Source)
	switch w.Source {
	case "local":
		return k.relative(w.Path, "/source/path", false)
	case "github":
		return k.git(GitHub, "repo", w.Repo, w)
	case "url":
		if k.profile.flavour == Codex && (w.URL == "." || strings.HasPrefix(w.URL, "./")) {
			// Published catalogs name their own repository so.
			return k.relative(w.URL, "/source/url", false)
		}
		return k.git(URL, "url", w.URL, w)
	case "git-subdir":
		return k.git(GitSubdir, "url", w.URL, w)
	case "npm":
		return k.npm(w)
	case "pip":
		return Origin{Form: Pip, Location: words(w.Package)}
	case "archive":
		return k.archive(w)
	case "command":
		return Origin{Form: Command, Location: words(w.Command)}
	case "":
		k.report("/source", ruleSource.Report("the source does not say its kind: it has no \"source\""))
		return Origin{}
	}
	return Origin{Location: clip(w.Source)}
}

// kind reports a source that the flavour's host does not read.
func (k *entryCheck) kind(kind string) {
	p := k.profile
	if kind == "" || p.reads(kind) {
		return
	}
	found := ruleSourceForm.Report("%s does not read sources of the kind %q", p.host, clip(kind)).As(p.otherKind)
	if p.kindKills {
		found.Message += ", and refuses the whole catalog because of it"
	}
	if slices.Contains(p.alsoKinds, kind) {
		found = found.As(problem.Warning)
		found.Message += "; " + p.alsoHost + " does"
	}
	switch kind {
	case "pip":
		found.Message += "; " + Origin{Form: Pip}.Why()
	case "command":
		found.Message += "; " + Origin{Form: Command}.Why()
	case "settings":
		found.Message += "; " + Origin{Location: kind}.Why()
	case "local", "github", "url", "git-subdir", "npm", "archive":
	default:
		found.Message += "; neither does Pinion: a newer one may, or another host"
	}
	k.report("/source", found)
}

// git reads a source that is a git repository, named by text in field.
func (k *entryCheck) git(form Form, field, text string, w *wireObject) Origin {
	o := Origin{Form: form}
	location, fault := repository(field, text)
	if fault != "" {
		k.report("/source", ruleSource.Report("%s", fault))
		return o
	}
	dir := "."
	if w.Path != "" {
		var why string
		if dir, why = cleanDir(w.Path); why != "" {
			k.report("/source/path", ruleSourcePath.Report("the path %q %s", clip(w.Path), why))
			return o
		}
	} else if form == GitSubdir {
		k.report("/source", ruleSource.Report("a git-subdir source needs a path"))
		return o
	}
	if w.SHA != "" {
		if len(w.SHA) != 40 || !source.IsCommit(w.SHA) {
			k.report("/source/sha", ruleSHA.Report("the sha %q is not 40 lower-case hex digits", clip(w.SHA)))
			return o
		}
		o.SHA = w.SHA
	}
	switch commit := strings.ToLower(w.Ref); {
	case w.Ref == "" || w.Ref == "HEAD":
	case source.IsCommit(commit):
		// A branch that is named like a commit must not take its place.
		k.report("/source/ref", ruleRefIsCommit.Report("the ref %q is a commit", w.Ref))
		if o.SHA == "" {
			o.SHA = commit
		}
	default:
		if why, hint := source.RefProblem(w.Ref); why != "" {
			k.report("/source/ref", ruleSource.Report("the ref %q %s", clip(w.Ref), why).WithFix("%s", hint))
			return o
		}
		o.Ref = w.Ref
	}
	o.Location, o.Dir = location, dir
	return o
}

// npm reads a source that is a package of an npm registry.
func (k *entryCheck) npm(w *wireObject) Origin {
	o := Origin{Form: NPM}
	if len(w.Package) == 0 {
		k.report("/source", ruleSource.Report("the package is missing"))
		return o
	}
	for _, f := range [...]struct {
		name string
		raw  syntax.Raw
	}{{"package", w.Package}, {"version", w.Version}, {"registry", w.Registry}} {
		if len(f.raw) > 0 && f.raw[0] != '"' && f.raw[0] != 'n' {
			k.report("/source/"+f.name, ruleSource.Report("the %s of an npm source is not text", f.name))
			return o
		}
	}
	spec, err := source.NPMSpec(words(w.Package), words(w.Version), words(w.Registry))
	if err != nil {
		k.report("/source", ruleSource.Report("%s", why("npm source", err)))
		return o
	}
	o.Location, o.Dir = spec.String(), "."
	return o
}

// archive reads a source that is a file at a web address.
func (k *entryCheck) archive(w *wireObject) Origin {
	o := Origin{Form: Archive}
	sum := words(w.SHA256)
	if len(w.SHA256) > 0 && w.SHA256[0] != 'n' && !isSHA256(sum) {
		k.report("/source/sha256", ruleSHA.Report("the sha256 %s is not 64 hex digits", clip(string(w.SHA256))).
			WithFix("write the output of sha256sum FILE"))
		return o
	}
	spec, err := source.ArchiveSpec(w.URL, "")
	if err != nil {
		k.report("/source/url", ruleSource.Report("%s", why("url", err)))
		return o
	}
	if sum == "" {
		k.report("/source", ruleUnpinnedArchive.Report("the archive has no sha256"))
	}
	o.Location, o.Dir, o.SHA = spec.String(), ".", strings.ToLower(sum)
	return o
}

func isSHA256(s string) bool { return len(s) == 64 && source.IsCommit(strings.ToLower(s)) }

// why is what is wrong with a field, by the error of reading it.
func why(field string, err error) string {
	refused, ok := errors.AsType[*source.SpecError](err)
	switch {
	case !ok:
		return fmt.Sprintf("the %s cannot be used: %v", field, err)
	case refused.Text == "":
		return fmt.Sprintf("the %s cannot be used: %s", field, refused.Why)
	}
	return fmt.Sprintf("the %s %q %s", field, clip(refused.Text), refused.Why)
}

// clip shortens text of the catalog that a message repeats.
func clip(s string) string {
	const most = 80
	n := 0
	for i := range s {
		if n++; n > most {
			return s[:i] + "…"
		}
	}
	return s
}
