package pinion

import (
	"errors"
	"fmt"
	"strings"

	"pinion/hashes"
	"pinion/market"
)

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// isAre counts plugins with their verb.
func isAre(n int) string {
	if n == 1 {
		return "1 plugin is"
	}
	return fmt.Sprintf("%d plugins are", n)
}

// list joins at most limit names and counts the rest.
func list(names []string, limit int) string {
	if len(names) > limit {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:limit], ", "), len(names)-limit)
	}
	return strings.Join(names, ", ")
}

// refused reports whether an error is a security refusal.
func refused(err error) bool {
	var r *market.RefusedError
	var m *hashes.MismatchError
	return errors.As(err, &r) || errors.As(err, &m)
}
