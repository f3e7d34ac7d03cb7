package git

import (
	"slices"
	"strings"
	"testing"

	"pinion/internal/testkit"
	"pinion/source"
)

// Branches and tags are listed by the beginning of their names, tags with the
// commit they lead to, over every transport.
func TestRefs(t *testing.T) {
	t.Parallel()
	repo := testkit.NewRepo(t)
	commit := repo.Commit("main", testkit.Files{"a": testkit.Text("a")})
	repo.Tag("v1.0", commit)
	repo.SetRef("refs/tags/v1.1", commit)
	repo.SetRef("refs/tags/w/v1.2", commit)
	repo.SetRef("refs/heads/x/refs/tags/v9", commit)
	repo.SetRef("refs/tags/blob", repo.Blob("x"))
	want := []source.Pin{{Commit: commit, Ref: "refs/heads/main"}, {Commit: commit, Ref: "refs/tags/v1.0"}, {Commit: commit, Ref: "refs/tags/v1.1"}}
	old := testkit.NewGitServer(t)
	old.OldProtocol = true
	for name, url := range map[string]string{
		"http": testkit.NewGitServer(t).Add("a/b", repo), "version 0": old.Add("a/b", repo), "file": "file://" + repo.Dir,
	} {
		got, err := remote(t, url, Options{}).Refs(t.Context(), "refs/tags/v", "refs/heads/main")
		slices.SortFunc(got, func(a, b source.Pin) int { return strings.Compare(a.Ref, b.Ref) })
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}
