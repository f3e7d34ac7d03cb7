package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"pinion"
	"pinion/capability"
	"pinion/internal/ui"
)

// buildCatalogOptions are the flags and arguments of `pinion build-catalog`.
type buildCatalogOptions struct {
	check  bool
	stdout bool
	from   string
	base   string
	bump   bool
	hosts  []string
	owner  string
	failOn string
}

func newBuildCatalogCmd(e *env) *command {
	o := &buildCatalogOptions{}
	return &command{
		Command: &cli.Command{
			Name:  "build-catalog",
			Usage: "write the catalog of a repository of plugins",
			Description: "Reads plugins/*, and writes marketplace.json with the version and digest of each. The bytes " +
				"of a version that is released stay the same: a change is refused (catalog/version-changed) " +
				"until the version is raised. Released is what the catalog of --base says, without it the one " +
				"of HEAD, and outside git the file that is replaced. A failed build leaves the old file. " +
				"--bump gives each changed package the next patch version. Where the catalog is one of another format " +
				"(.claude-plugin/marketplace.json and its like) and points at other repositories, --bump looks for news of each entry: " +
				"the newest commit of its ref or default branch, and for a version tag the highest newer tag written the same way. " +
				"The new bytes are fetched, validated, scanned and held against your policy; what passes is written into the file " +
				"(sha; ref and version where the entry states them, and a sha where it has none) and nothing else in it changes. " +
				"What fails stays as it is and is reported with the reason. What was found out is kept, so that a second run " +
				"fetches only what is new. No plugin code runs.",
			Flags: []cli.Flag{
				boolFlag(&o.check, "check", "write nothing; exit 3 when the file on disk differs"),
				boolFlag(&o.stdout, "stdout", "print the catalog instead of writing it"),
				stringFlag(&o.from, "from", "build from the blobs of the commit `REV`"),
				stringFlag(&o.base, "base", "released is what this `CATALOG` says: a file, a git ref, or none"),
				boolFlag(&o.bump, "bump", "next patch version of changed packages; newest commit of entries in other repositories"),
				stringFlag(&o.failOn, "fail-on", "with --bump, leave for a human and exit 3 on `WHAT`: new-capability (may do more than before)"),
				listFlag(&o.hosts, "for", "also write the catalog of `HOST`: claude, codex, copilot, cursor"),
				stringFlag(&o.owner, "owner", "the `NAME` of the owner, when the file has none"),
			},
			Action: e.with(func(ctx context.Context, lib *pinion.Client, args []string) error {
				return runBuildCatalog(ctx, e, lib, *o, args)
			}),
		},
		section: authors,
		args:    []arg{{name: "REPO", kind: onDisk, optional: true}},
		examples: []example{
			{"pinion build-catalog", "write marketplace.json"},
			{"pinion build-catalog --check --format github", "in a CI job"},
			{"pinion build-catalog --from HEAD --stdout", "what the last commit would publish"},
			{"pinion build-catalog --for claude,codex,copilot", "also the catalogs that these hosts read"},
			{"pinion build-catalog --bump --dry-run", "news of the plugins in other repositories"},
			{"pinion build-catalog --bump --fail-on new-capability", "take what may do no more than before"},
		},
		exits:   []int{exitProblems},
		changes: true,
		reports: true,
	}
}

func runBuildCatalog(ctx context.Context, e *env, lib *pinion.Client, o buildCatalogOptions, args []string) error {
	if err := o.conflicts(e); err != nil {
		return err
	}
	begun := e.now()
	repo := "."
	if len(args) > 0 {
		repo = args[0]
	}
	e.manyFiles, e.memory = true, buildMemory(e.path(repo))
	r, err := lib.BuildCatalog(ctx, repo, pinion.BuildOptions{
		Check: o.check, Stdout: o.stdout, From: o.from, Base: o.base, Owner: o.owner, Bump: o.bump, FailOnNew: o.failOn != "",
		DryRun: e.opts.dryRun, Hosts: o.hosts,
	})
	if err != nil {
		return err
	}
	for _, b := range r.Bumped {
		e.Note("%s: %s %s → %s", b.Dir, e.did("raised", "would raise"), b.From, b.To)
	}
	if err := e.sayNews(r, o.stdout); err != nil {
		return err
	}
	if o.stdout && r.OK {
		if err := ui.WriteText(e.Err, r.Problems); err != nil {
			return err
		}
		_, err := r.Catalog.WriteTo(e.Out)
		return err
	}
	checked := ui.Count(r.Packages, "package")
	if r.Elsewhere > 0 {
		checked = strconv.Itoa(r.Elsewhere) + " " + plural(r.Elsewhere, "entry", "entries") + " of other repositories"
		if r.Packages > 0 {
			checked = ui.Count(r.Packages, "package") + " and " + checked
		}
	}
	report := &ui.Report{
		Command: "build-catalog", Problems: r.Problems, Checked: checked, Elapsed: e.now().Sub(begun), Document: r,
	}
	if o.stdout {
		return e.reportTo(e.Err, report, r.OK)
	}
	err = e.report(report, r.OK)
	var code codeError
	if err != nil && !(errors.As(err, &code) && r.Elsewhere > 0) {
		return err
	}
	if said := e.sayBuilt(r, o); said != nil {
		return said
	}
	return err
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// sayNews tells what is new of each entry in another repository, and what it may
// do now. With the catalog on stdout the words go to stderr.
func (e *env) sayNews(r *pinion.BuildReport, aside bool) error {
	if e.format != ui.FormatText {
		return nil
	}
	say := e.line
	if aside {
		say = func(format string, args ...any) error {
			e.Note(format, args...)
			return nil
		}
	}
	for _, b := range r.Entries {
		from := "no commit"
		if b.From != "" {
			from = b.From[:7]
		}
		if b.ToRef != "" {
			from = b.FromRef + " " + from
		}
		text := fmt.Sprintf("%s  %s → %s", b.Name, from, strings.TrimSpace(b.ToRef+" "+b.To[:7]))
		if b.FromVersion != b.ToVersion {
			text += fmt.Sprintf("  version %s → %s", cmp.Or(b.FromVersion, "none"), b.ToVersion)
		}
		if err := say("%s  %s", text, b.Source); err != nil {
			return err
		}
		if b.Note != "" {
			if err := say("     %s", b.Note); err != nil {
				return err
			}
		}
		if err := sayCapabilities(say, b.Capabilities); err != nil {
			return err
		}
	}
	for _, l := range r.LeftOut {
		if len(l.Capabilities) == 0 {
			continue
		}
		if err := say("%s  waits for a human", l.Name); err != nil {
			return err
		}
		if err := sayCapabilities(say, l.Capabilities); err != nil {
			return err
		}
	}
	if r.Elsewhere > 0 {
		e.Note("%d with news, %d without, %d left as they are", len(r.Entries), r.Unchanged, len(r.LeftOut))
	}
	return nil
}

func sayCapabilities(say func(format string, args ...any) error, changes []capability.Change) error {
	for _, c := range changes {
		mark := "     "
		if c.Widens {
			mark = "NEW  "
		}
		if err := say("  %s%s", mark, c); err != nil {
			return err
		}
	}
	return nil
}

// sayBuilt says what became of the file.
func (e *env) sayBuilt(r *pinion.BuildReport, o buildCatalogOptions) error {
	if e.format != ui.FormatText {
		return nil
	}
	if len(r.Hosts) > 0 {
		return e.sayTargets(r, o)
	}
	switch {
	case !r.Changed && len(r.LeftOut) > 0:
		return e.line("%s stays as it is", r.Path)
	case o.check || !r.Changed:
		return e.line("%s is up to date", r.Path)
	case !r.Written:
		return e.line("would write %s", r.Path)
	}
	if err := e.line("wrote %s", r.Path); err != nil {
		return err
	}
	if r.Elsewhere > 0 {
		e.Next("look at what changed, then commit and push it")
		return nil
	}
	e.Next("commit and push it; others then add the repository with pinion marketplace add")
	return nil
}

// sayTargets says what became of the files for the hosts.
func (e *env) sayTargets(r *pinion.BuildReport, o buildCatalogOptions) error {
	for _, h := range r.Hosts {
		left := ""
		if h.LeftOut > 0 {
			left = ", " + strconv.Itoa(h.LeftOut) + " left out"
		}
		if err := e.line("%s: %s in %s%s", h.Host, ui.Count(h.Plugins, "plugin"), h.Path, left); err != nil {
			return err
		}
	}
	if o.check || !r.Changed {
		return e.line("everything is up to date")
	}
	for _, p := range r.Outputs {
		if err := e.line("%s %s", e.did("wrote", "would write"), p); err != nil {
			return err
		}
	}
	if r.Written {
		e.Next("commit and push it; others then add the repository in their host")
	}
	return nil
}

// conflicts refuses flags that contradict each other.
func (o buildCatalogOptions) conflicts(e *env) error {
	switch {
	case o.stdout && e.format != ui.FormatText:
		return usagef("leave one of the two out", "--stdout prints the catalog, --format %s a report on it", e.format)
	case o.stdout && o.check:
		return usagef("leave one of the two out", "--check prints no catalog")
	case o.bump && o.check:
		return usagef("leave one of the two out", "--check changes nothing, --bump raises versions")
	case o.failOn != "" && o.failOn != "new-capability":
		return usagef("the one word is new-capability", "--fail-on %s is not known", o.failOn)
	case o.failOn != "" && !o.bump:
		return usagef("add --bump", "--fail-on is about what --bump finds")
	case o.bump && o.from != "":
		return usagef("leave one of the two out", "--bump changes files, --from reads a commit")
	case len(o.hosts) > 0 && o.bump:
		return usagef("run it once with --bump and once with --for", "--for writes catalogs from what is there, --bump changes what is there")
	case len(o.hosts) > 1 && o.stdout:
		return usagef("name one host", "--stdout prints one catalog")
	}
	return nil
}
