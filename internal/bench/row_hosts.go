package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

const (
	hostPackages = 1_000 // of the marketplace that is validated
	hostLinked   = 500   // active plugins that a host is given at once
)

func hostRows(scale) []row {
	validate := fmt.Sprintf("validate a marketplace of %d plugins of %d files", hostPackages, filesPerPackage)
	link := fmt.Sprintf("host link, %d active plugins", hostLinked)
	return []row{
		{"hosts-validate", fmt.Sprintf("validate a marketplace of %d plugins of %d files", hostPackages, len(tiny(0))), "claude plugin validate", 0.05, times},
		{"hosts-validate-large", validate, "claude plugin validate, which reads the catalog alone; the limit is the bench's own", 0.1, times},
		{"hosts-install-claude", "install and activate one plugin, claude linked", "claude plugin install", 0.2, times},
		{"hosts-install-codex", "install and activate one plugin, codex linked", "codex plugin add", 1, times},
		{"hosts-link-claude", link, "one second", 1_000, milliseconds},
		{"hosts-link-codex", link, "one second", 1_000, milliseconds},
	}
}

// client is a host's own program, and how it adds a marketplace and a plugin of
// it.
type client struct {
	name, path string
	install    func(plugin string) []string
}

func (b *bench) clients() []client {
	return []client{
		{"claude", b.claude, func(p string) []string { return []string{"plugin", "install", p} }},
		{"codex", b.codex, func(p string) []string { return []string{"plugin", "add", p} }},
	}
}

func runHosts(ctx context.Context, b *bench, r *record) error {
	if err := b.hostsValidate(ctx, r); err != nil {
		r.miss("hosts-validate", err)
		r.miss("hosts-validate-large", err)
	}
	for _, c := range b.clients() {
		if err := b.hostsInstall(ctx, r, c); err != nil {
			r.miss("hosts-install-"+c.name, err)
		}
		if err := b.hostsLink(ctx, r, c); err != nil {
			r.miss("hosts-link-"+c.name, err)
		}
	}
	return nil
}

func (b *bench) hostsValidate(ctx context.Context, r *record) error {
	if b.claude == "" {
		return fmt.Errorf("no -claude BINARY given")
	}
	small, err := b.tinyPlugins(hostPackages)
	if err != nil {
		return err
	}
	large, err := b.repository(ctx, foreign, hostPackages)
	if err != nil {
		return err
	}
	for _, c := range []struct{ row, dir string }{{"hosts-validate", small}, {"hosts-validate-large", large.source}} {
		got, err := pair{rounds: b.rounds, contenders: []contender{
			b.process("pinion", b.pinion("", "validate", c.dir)),
			b.process("claude", b.client(b.newDir(b.tmp, "user"), b.claude, "plugin", "validate", c.dir)),
		}}.measure(ctx)
		if err != nil {
			return err
		}
		r.set(c.row, ratio(got[0], got[1]), "%s", medians(got))
	}
	return nil
}

// tiny are the files of a plugin as most are: a manifest, a skill, a command and
// a page about it.
func tiny(i int) []file {
	id := made{index: i}.id()
	return []file{
		{".claude-plugin/plugin.json", fmt.Appendf(nil, "{\n  \"name\": %q,\n  \"version\": \"1.0.0\",\n  \"description\": \"Plugin %d\",\n  \"author\": {\"name\": \"Bench\"}\n}\n", id, i)},
		{"README.md", text(1_000, uint64(i), "")},
		{"commands/" + id + ".md", append([]byte("---\ndescription: Do it\n---\n\n"), text(500, uint64(i), "command")...)},
		{"skills/" + id + "/SKILL.md", append([]byte("---\nname: "+id+"\ndescription: When it is asked for\n---\n\n"), text(2_000, uint64(i), "skill")...)},
	}
}

// tinyPlugins makes a marketplace of n of them.
func (b *bench) tinyPlugins(n int) (dir string, err error) {
	dir = b.newDir(b.tmp, "tiny")
	catalog, err := foreignCatalog(n, func(int) string { return firstVersion })
	if err != nil {
		return "", err
	}
	all := []file{{".claude-plugin/marketplace.json", catalog}}
	for i := range n {
		for _, f := range tiny(i) {
			all = append(all, file{"plugins/" + made{index: i}.id() + "/" + f.path, f.data})
		}
	}
	for _, f := range all {
		path := filepath.Join(dir, filepath.FromSlash(f.path))
		if err := makeDirs(filepath.Dir(path)); err != nil {
			return "", err
		}
		if err := os.WriteFile(path, f.data, 0o644); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// client is a command of a host's program for the user whose home directory is
// home, without anything that it would do besides.
func (b *bench) client(home, path string, args ...string) command {
	return command{path: path, args: args, env: []string{
		"HOME=" + home, "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1",
	}}
}

// linked is a command of Pinion for the user whose home directory is user.
func (b *bench) linked(user, home string, args ...string) command {
	c := b.pinion(home, args...)
	c.env = append(c.env, "HOME="+user)
	return c
}

// hostsInstall compares what it takes until a host has one more plugin of a
// marketplace it knows.
func (b *bench) hostsInstall(ctx context.Context, r *record, c client) error {
	if c.path == "" {
		return fmt.Errorf("no -%s BINARY given", c.name)
	}
	repo, err := b.repository(ctx, foreign, b.scale.small)
	if err != nil {
		return err
	}
	ours, theirs := b.newDir(b.tmp, "user"), b.newDir(b.tmp, "user")
	home, err := b.added(ctx, b.tmp, repo)
	if err != nil {
		return err
	}
	if err := makeDirs(ours, filepath.Join(ours, "."+c.name), theirs); err != nil {
		return err
	}
	if err := b.run(ctx, b.linked(ours, home, "host", "link", c.name)); err != nil {
		return err
	}
	if err := b.run(ctx, b.client(theirs, c.path, "plugin", "marketplace", "add", repo.url)); err != nil {
		return err
	}
	got, err := pair{rounds: b.rounds, contenders: []contender{
		{name: "pinion", run: func(ctx context.Context, round int) (sample, error) {
			return b.time(ctx, b.linked(ours, home, "install", "--activate", repo.made(round).id()))
		}},
		{name: c.name, run: func(ctx context.Context, round int) (sample, error) {
			return b.time(ctx, b.client(theirs, c.path, c.install(repo.made(round).id()+"@bench")...))
		}},
	}}.measure(ctx)
	if err != nil {
		return err
	}
	r.set("hosts-install-"+c.name, ratio(got[0], got[1]), "%s", medians(got))
	return nil
}

// hostsLink measures giving a host many plugins at once.
func (b *bench) hostsLink(ctx context.Context, r *record, c client) error {
	repo, err := b.repository(ctx, foreign, hostPackages)
	if err != nil {
		return err
	}
	home, err := b.added(ctx, b.tmp, repo)
	if err != nil {
		return err
	}
	args := []string{"install", "--activate"}
	for i := range hostLinked {
		args = append(args, repo.made(i).id())
	}
	if err := b.run(ctx, b.pinion(home, args...)); err != nil {
		return err
	}
	var user string
	got, err := pair{rounds: b.rounds, contenders: []contender{{
		name: "pinion",
		before: func(context.Context, int) error {
			user = b.newDir(b.tmp, "user")
			return makeDirs(user, filepath.Join(user, "."+c.name))
		},
		run: func(ctx context.Context, _ int) (sample, error) {
			return b.time(ctx, b.linked(user, home, "host", "link", c.name))
		},
		after: func(ctx context.Context, _ int) error {
			return b.run(ctx, b.linked(user, home, "host", "unlink", c.name))
		},
	}}}.measure(ctx)
	if err != nil {
		return err
	}
	r.set("hosts-link-"+c.name, float64(got[0].wall().Microseconds())/1_000, "%s", medians(got))
	return nil
}
