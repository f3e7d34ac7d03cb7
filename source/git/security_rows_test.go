package git

import (
	"testing"

	"pinion/internal/testkit"
)

// TestReplaceRefs shows that refs which stand for other objects, and grafts, have
// no say in what is read.
func TestReplaceRefs(t *testing.T) { // security 3.3 row 49
	t.Parallel()
	repo := testkit.NewRepo(t)
	head := repo.Commit("main", testkit.Files{"p/a.md": testkit.Text("published")})
	other := repo.Commit("other", testkit.Files{"p/a.md": testkit.Text("evil")})
	repo.SetRef("refs/replace/"+repo.Git("rev-parse", head+":p/a.md"), repo.Blob("evil"))
	repo.SetRef("refs/replace/"+repo.Git("rev-parse", head+":p"), repo.Git("rev-parse", other+":p"))
	repo.SetRef("refs/replace/"+head, other)
	if got := repo.Git("show", "main:p/a.md"); got != "evil" {
		t.Fatalf("git itself does not replace: %q", got)
	}
	backends(t, func(t *testing.T, open opener) {
		s := open.snapshot(t, repo)
		if data, err := s.ReadFile(t.Context(), "p/a.md", 100); err != nil || string(data) != "published" {
			t.Errorf("%s: p/a.md = %q, %v", s.Pin().Commit, data, err)
		}
	})
}
