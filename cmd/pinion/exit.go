package main

import (
	"context"
	"errors"
	"os/exec"

	"pinion"
	"pinion/author"
	"pinion/hashes"
	"pinion/problem"
	"pinion/source"
	"pinion/store"
)

// The exit codes of every command, the same in every output format.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitProblems    = 3
	exitRefused     = 4
	exitConsent     = 5
	exitUncertain   = 6
	exitInterrupted = 130
)

// exitCode is one line of the table that help, the man page and
// docs/exit-codes.md are made from.
type exitCode struct {
	Code    int
	Name    string
	Meaning string
}

// exitCodes returns the table, ordered by code.
func exitCodes() []exitCode {
	return []exitCode{
		{exitDone, "done", "done, or already so"},
		{exitFailed, "failed", "the run failed: no such id, no disk, no network"},
		{exitUsage, "usage", "the command line has no meaning"},
		{exitProblems, "problems", "the content has problems, or a gate says no"},
		{exitRefused, "refused", "verification refused: digest, rewritten release or history, moved source, signature"},
		{exitConsent, "consent", "consent or approval is needed and was not given"},
		{exitUncertain, "uncertain", "the outcome is uncertain: it may or may not have happened"},
		{exitInterrupted, "interrupted", "interrupted; the state is the old one or the new one"},
	}
}

// exitOf maps an error to its code. An error that knows its own code has the
// method ExitCode; a security refusal may have the method Refused instead.
func exitOf(err error) int {
	var (
		coded    interface{ ExitCode() int }
		child    *exec.ExitError
		spec     *source.SpecError
		written  *author.Error
		refusal  interface{ Refused() bool }
		mismatch *hashes.MismatchError
		moved    *source.MovedError
		content  *problem.ContentError
	)
	switch {
	case err == nil:
		return exitDone
	case pinion.Uncertain(err):
		return exitUncertain
	case errors.As(err, &coded) && !(errors.As(err, &child) && coded == interface{ ExitCode() int }(child)):
		return coded.ExitCode() // and not that of a program we ran
	case errors.As(err, &spec), errors.As(err, &written):
		return exitUsage
	case errors.As(err, &refusal) && refusal.Refused(),
		errors.As(err, &mismatch), errors.As(err, &moved), errors.Is(err, store.ErrDamaged):
		return exitRefused
	case errors.As(err, &content):
		return exitProblems
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	}
	return exitFailed
}

// codeError ends a command whose result already says everything.
type codeError int

// Error is only seen in a log.
func (c codeError) Error() string {
	for _, e := range exitCodes() {
		if e.Code == int(c) {
			return e.Meaning
		}
	}
	return "failed"
}

// ExitCode is the code itself.
func (c codeError) ExitCode() int { return int(c) }
