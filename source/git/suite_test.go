package git

import (
	"testing"

	"pinion/internal/testkit"
	"pinion/source"
	"pinion/source/sourcetest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	backends(t, func(t *testing.T, open opener) {
		sourcetest.Run(t, sourcetest.Kind{Make: func(t *testing.T, files testkit.Files) source.Source {
			repo := testkit.NewRepo(t)
			repo.Commit("main", files)
			r, _ := open(t, repo, "")
			return r
		}})
	})
}
