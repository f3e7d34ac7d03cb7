package pinion

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"pinion/source"
)

// UsageError is something typed that has no meaning. Exit code 2.
type UsageError struct{ Msg, Tip string }

// Error says what is wrong.
func (e *UsageError) Error() string { return e.Msg }

// Hint tells what to type instead.
func (e *UsageError) Hint() string { return e.Tip }

// ExitCode is 2.
func (e *UsageError) ExitCode() int { return 2 }

func usage(hint, format string, args ...any) error {
	return &UsageError{Msg: fmt.Sprintf(format, args...), Tip: hint}
}

// ConsentError is a step that needs the user's agreement and did not get it.
// Exit code 5.
type ConsentError struct {
	What  string
	Needs []Grant // the flags that would give it
	Tip   string  // what else can be done
}

// Hint tells what else can be done.
func (e *ConsentError) Hint() string { return e.Tip }

// Error names what needs consent.
func (e *ConsentError) Error() string {
	return fmt.Sprintf("%s needs your consent; without a prompt give it with %s", e.What, strings.Join(flags(e.Needs), " "))
}

// ExitCode is 5.
func (e *ConsentError) ExitCode() int { return 5 }

func flags(gs []Grant) []string {
	out := make([]string, 0, len(gs))
	for _, g := range gs {
		out = append(out, "--allow "+string(g))
	}
	return out
}

// NotFoundError is an id, version or name that is not there. Exit code 1.
type NotFoundError struct{ Msg, Tip string }

// Error says what is missing.
func (e *NotFoundError) Error() string { return e.Msg }

// Hint tells what to do.
func (e *NotFoundError) Hint() string { return e.Tip }

func notFound(tip, format string, args ...any) error {
	return &NotFoundError{Msg: fmt.Sprintf(format, args...), Tip: tip}
}

// BlockedError is a step that the state does not allow: the active version is
// not removed, a marketplace with installed plugins stays. Exit code 1.
type BlockedError struct{ Msg, Tip string }

// Error says why.
func (e *BlockedError) Error() string { return e.Msg }

// Hint tells what to do.
func (e *BlockedError) Hint() string { return e.Tip }

func blocked(tip, format string, args ...any) error {
	return &BlockedError{Msg: fmt.Sprintf(format, args...), Tip: tip}
}

// errOffline is every request of a client that may not make one.
var errOffline = fmt.Errorf("%w: --offline forbids it", source.ErrOffline)

// forbidden shortens what was wrapped around a forbidden request on its way:
// every layer tried another way to reach the same machine.
func forbidden(what string, err error) error {
	if errors.Is(err, errOffline) {
		return fmt.Errorf("%s: %w", what, errOffline)
	}
	return err
}

// noNetwork is the transport of such a client.
type noNetwork struct{}

// RoundTrip refuses.
func (noNetwork) RoundTrip(*http.Request) (*http.Response, error) { return nil, errOffline }

// offline is a source that could only be asked by a program of its own.
type offline struct{ spec source.Spec }

// Resolve refuses.
func (o offline) Resolve(context.Context, source.Pin) (source.Pin, error) {
	return source.Pin{}, fmt.Errorf("%s: %w", o.spec, errOffline)
}

// Open refuses.
func (o offline) Open(context.Context, source.Pin, string) (source.Snapshot, error) {
	return nil, fmt.Errorf("%s: %w", o.spec, errOffline)
}
