package main

import (
	"context"
	"slices"

	"github.com/urfave/cli/v2"

	"pinion"
	"pinion/manifest"
)

// client returns the library, made on first use from the flags of this run.
func (e *env) client(ctx context.Context) (*pinion.Client, error) {
	if e.lib != nil {
		return e.lib, nil
	}
	lib, err := pinion.New(pinion.Options{
		Home: e.opts.home, Cwd: e.cwd, Offline: e.opts.offline, Getenv: e.getenv, Clock: e.now,
		Log: e.logger(), ScanWorker: workerArgv(),
		Progress: func(what string, done, total int) {
			e.useAllCores(done, total)
			e.Progress().Update(what, int64(done), int64(total))
		},
		Ask:     func(q pinion.Question) (pinion.Answer, error) { return e.ask(ctx, q) },
		Waiting: e.sayWaiting,
	})
	if err != nil {
		return nil, err
	}
	e.lib = lib
	return lib, nil
}

// close releases what the run opened.
func (e *env) close() error {
	if e.lib == nil {
		return nil
	}
	err := e.lib.Close()
	e.lib = nil
	return err
}

// with makes the action of a command that uses the library.
func (e *env) with(run func(ctx context.Context, lib *pinion.Client, args []string) error) cli.ActionFunc {
	return func(c *cli.Context) error {
		lib, err := e.client(c.Context)
		if err != nil {
			return err
		}
		return run(c.Context, lib, c.Args().Slice())
	}
}

// ref reads a REF and the version that was given beside it, by --version or as
// an argument of its own. There a version may have any form.
func (e *env) ref(text string, versions ...string) (pinion.Ref, error) {
	r, err := pinion.ParseRef(text, e.cwd)
	if err != nil {
		return r, err
	}
	for _, v := range versions {
		switch {
		case v == "" || v == r.Version:
		case r.Path != "":
			return r, usagef("leave the version out", "%s is a path, which has only one version", text)
		case r.Version != "":
			return r, usagef("give one version", "%s or %s: which version of %s?", r.Version, v, r.ID)
		default:
			r.Version = v
		}
	}
	return r, nil
}

// refs reads several REFs. version is for the only one.
func (e *env) refs(args []string, version string) ([]pinion.Ref, error) {
	// "install text-tools 1.0.0" is what people type; no id is a version.
	if len(args) == 2 && version == "" && manifest.ValidVersion(args[1]) {
		args, version = args[:1], args[1]
	}
	if version != "" && len(args) != 1 {
		return nil, usagef("write the version into each: ID@VERSION", "--version is for one plugin, here are %d", len(args))
	}
	out := make([]pinion.Ref, len(args))
	for i, a := range args {
		r, err := e.ref(a, version)
		if err != nil {
			return nil, err
		}
		out[i] = r
	}
	return out, nil
}

// arguments splits the two arguments of the commands that take REF [VERSION].
func (e *env) refAndVersion(args []string, flag string) (pinion.Ref, error) {
	if len(args) > 1 {
		return e.ref(args[0], flag, args[1])
	}
	return e.ref(args[0], flag)
}

// grants reads the values of --allow.
func grants(words []string) ([]pinion.Grant, error) {
	known := pinion.Grants()
	out := make([]pinion.Grant, 0, len(words))
	for _, w := range words {
		g := pinion.Grant(w)
		if !slices.Contains(known, g) {
			return nil, unknownWord("--allow", w, known)
		}
		out = append(out, g)
	}
	return out, nil
}
