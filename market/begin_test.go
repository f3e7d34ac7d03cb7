package market_test

import (
	"errors"
	"testing"

	"pinion/internal/testkit"
	"pinion/market"
)

// A marketplace may begin at a commit that the source has left behind, and goes
// on from there with its history checked. A commit that is not in that history
// is refused, although the server hands it out: it may be one of somebody's fork.
func TestBegin(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := w.repo.Commit("main", published(t, skill("one", "1.0.0", "first")))
	second := w.repo.Commit("main", published(t, skill("one", "1.1.0", "second")))
	strange := w.repo.Restart("fork", testkit.Files{"README": testkit.Text("theirs")})

	_, err := w.ms.Add(t.Context(), w.url(), market.AddOptions{Name: "m", Commit: strange})
	var refused *market.RefusedError
	if !errors.As(err, &refused) || refused.Rule() != "history/rewritten" {
		t.Fatalf("a commit of another history: %v", err)
	}
	if list, _, err := w.ms.Heads(t.Context()); err != nil || len(list) != 0 {
		t.Fatalf("a refused marketplace was added: %v, %v", list, err)
	}
	if _, err := w.ms.Add(t.Context(), w.url(), market.AddOptions{Name: "m", Commit: "HEAD"}); err == nil {
		t.Error("a name was taken for a commit")
	}

	r, err := w.ms.Add(t.Context(), w.url(), market.AddOptions{Name: "m", Commit: first})
	if err != nil || r.Commit != first || len(r.Added) != 1 || r.Added[0].To != "1.0.0" {
		t.Fatalf("add: %+v, %v", r, err)
	}
	r, err = w.ms.Refresh(t.Context(), "m", market.RefreshOptions{})
	if err != nil || r.Commit != second || r.Ancestry != "checked" || len(r.Updated) != 1 || r.Updated[0].To != "1.1.0" {
		t.Errorf("refresh: %+v, %v", r, err)
	}
	// What is added already does not go back.
	if r, err = w.ms.Add(t.Context(), w.url(), market.AddOptions{Name: "m", Commit: first}); err != nil || r.Commit != second {
		t.Errorf("again: %+v, %v", r, err)
	}
}
