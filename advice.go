package pinion

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"pinion/author"
	"pinion/catalog"
	"pinion/internal/fsx"
	"pinion/market"
	"pinion/source"
	"pinion/store"
)

// Hint returns the next step for an error that a [Client] returned, or "" when
// nothing more can be said than the error itself does.
func Hint(err error) string {
	var hinted interface{ Hint() string }
	if errors.As(err, &hinted) && hinted.Hint() != "" {
		return hinted.Hint()
	}
	var (
		refused  *market.RefusedError
		accept   *market.AcceptError
		written  *author.Error
		exists   *author.ExistsError
		spec     *source.SpecError
		insecure *fsx.InsecureError
		refusal  *store.Refusal
		damage   *store.DamageError
		locked   *fsx.LockedError
	)
	switch {
	case errors.As(err, &refused):
		return waysOut(refused)
	case errors.As(err, &accept):
		if _, err := Explain(accept.Rule); err != nil {
			return Hint(err)
		}
		return "pinion explain " + accept.Rule
	case errors.As(err, &written):
		return written.Hint
	case errors.As(err, &exists):
		return "choose another directory, or remove what is there"
	case errors.As(err, &spec):
		return spec.Hint
	case errors.As(err, &insecure):
		return insecure.Hint
	case errors.As(err, &refusal):
		return refusal.Hint
	case errors.As(err, &damage):
		return damage.Fix
	case errors.As(err, &locked):
		return "wait until the other pinion has ended, or end it"
	}
	return environmentHint(err)
}

// environmentHint is advice on what lies outside Pinion: the disk, the network.
func environmentHint(err error) string {
	var written *fs.PathError
	switch {
	case errors.As(err, &written) && written.Path == os.Stdout.Name():
		return "what was to be done is done; only its result could not be printed"
	case errors.Is(err, fsx.ErrNotDurable):
		return "pinion list shows what is there now; run the command again"
	case errors.Is(err, fsx.ErrNoSpace), errors.Is(err, syscall.ENOSPC):
		return "nothing was changed; free some space (pinion gc removes old versions), or choose another home with --home"
	case errors.Is(err, fsx.ErrReadOnly), errors.Is(err, syscall.EROFS):
		return "nothing was changed; choose a home that can be written with --home or PINION_HOME"
	case errors.Is(err, fs.ErrPermission):
		return "look at the owner and the permissions of what is named"
	case errors.Is(err, catalog.ErrNone):
		return "a catalog is marketplace.json, or .claude-plugin/marketplace.json; --catalog PATH names another; in your own repository pinion build-catalog makes one"
	case errors.Is(err, errOffline):
		return "leave --offline out; what is installed works without a network"
	case errors.Is(err, source.ErrOffline):
		return "what is installed works without a network; check it with pinion status"
	}
	return ""
}

// waysOut are the commands a refusal leaves, one a line.
func waysOut(e *market.RefusedError) string {
	text := ""
	for _, way := range e.WaysOut() {
		if text != "" {
			text += "\n"
		}
		text += fmt.Sprintf("%-12s %s", way[0], way[1])
	}
	return text
}

// Uncertain reports whether an error leaves open if the change was made: the
// disk did not confirm the last step. Exit code 6.
func Uncertain(err error) bool { return errors.Is(err, fsx.ErrNotDurable) }
