package catalog

import (
	"strings"

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
		return Origin{Form: NPM, Location: words(w.Package)}
	case "pip":
		return Origin{Form: Pip, Location: words(w.Package)}
	case "archive":
		return Origin{Form: Archive, Location: w.URL}
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
