package pinion

import (
	"fmt"

	"pinion/market"
	"pinion/store"
)

// lockGuard holds the entries of a lock file, which others write, to what this
// home remembers of the sources that they name.
type lockGuard struct {
	c       *Client
	ms      *market.Markets
	allow   []Grant
	ledgers map[string]*market.Ledger
}

// ledger reads each ledger once.
func (g *lockGuard) ledger(key string) (*market.Ledger, error) {
	if l, ok := g.ledgers[key]; ok {
		return l, nil
	}
	l, err := g.ms.Ledger(key)
	if err != nil {
		return nil, err
	}
	if g.ledgers == nil {
		g.ledgers = map[string]*market.Ledger{}
	}
	g.ledgers[key] = l
	return l, nil
}

// published refuses other bytes under a version that the source published, as a
// refresh does (SB-082).
func (g *lockGuard) published(b store.Build, p Locked) error {
	if p.Commit == "" {
		return nil // a directory of the project
	}
	l, err := g.ledger(b.Key)
	if err != nil {
		return err
	}
	f, ok := l.Published(p.ID, p.Version)
	if !ok || f.Digest == p.Digest {
		return nil
	}
	return &market.RefusedError{Market: LockFile, Source: p.Source, Offered: p.Commit, Refused: []market.Refusal{{
		ID: p.ID, Version: p.Version, Rule: market.RewrittenRule, Recorded: f.Digest, RecordedCommit: f.Origin.Commit,
		FirstSeen: f.FirstSeen, Offered: p.Digest, OfferedCommit: p.Commit,
	}}}
}

// recorded asks before other bytes are taken than those first seen under a
// version of a source that publishes no digests.
func (g *lockGuard) recorded(b store.Build, p Locked) error {
	if p.Commit == "" || granted(g.allow, GrantRewritten) {
		return nil
	}
	l, err := g.ledger(b.Key)
	if err != nil {
		return err
	}
	facts := l.Facts(p.ID, p.Version)
	if len(facts) == 0 || facts[0].Digest == p.Digest {
		return nil
	}
	return g.c.ask(Question{
		Title: fmt.Sprintf("installing %s %s from %s, whose bytes are not those first seen under this version", p.ID, p.Version, LockFile),
		ID:    p.ID, Version: p.Version, Source: p.Source, Digest: p.Digest, Needs: []Grant{GrantRewritten},
	})
}
