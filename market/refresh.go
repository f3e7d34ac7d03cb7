package market

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"pinion/catalog"
	"pinion/problem"
	"pinion/source"
)

// RefreshOptions say how much a refresh may take.
type RefreshOptions struct {
	// SkipRefused takes the rest of a catalog with digests when some entries
	// are refused; those stay at the bytes in use.
	SkipRefused bool
	// Accept are rules whose refusal is taken once and logged. Digest
	// mismatches and rewritten releases are never accepted.
	Accept []string
	// Deep also fetches the plugins that live in other repositories.
	Deep bool
	// Only reads no plugins but these; the others are listed, and read by the
	// next refresh or when they are installed. Empty reads all.
	Only []string
	// DryRun writes nothing but the cache of fetched objects.
	DryRun bool

	from string // [AddOptions.Commit]
}

// Report is what a refresh found. The lists are sorted and never nil.
type Report struct {
	Name        string    `json:"name"`
	Former      string    `json:"former,omitempty"` // its name before this add gave it another
	Source      string    `json:"source"`
	Commit      string    `json:"commit"`
	Previous    string    `json:"previous"`
	Unchanged   bool      `json:"unchanged"`
	Ancestry    string    `json:"ancestry"`
	Plugins     int       `json:"plugins"`
	Added       []Change  `json:"added"`
	Updated     []Change  `json:"updated"`
	Removed     []Change  `json:"removed"`
	Rewritten   []Change  `json:"rewritten"`
	Unavailable []Change  `json:"unavailable"`
	Refused     []Refusal `json:"refused"`
}

// Change is one plugin in a report.
type Change struct {
	ID     string `json:"id"`
	From   string `json:"from"` // version before, "" when new
	To     string `json:"to"`   // version now, "" when removed
	Digest string `json:"digest"`
	Rule   string `json:"rule"`
	Why    string `json:"why"`
}

// Refresh asks the source again and, when it changed, verifies the new state
// and puts it in the place of the old one. It errors with [*RefusedError] when
// the new state is refused as a whole and with [*CatalogError] when there is no
// usable catalog; nothing has changed then.
func (ms *Markets) Refresh(ctx context.Context, alias string, o RefreshOptions) (*Report, error) {
	for _, rule := range o.Accept {
		if !acceptable(rule) {
			return nil, &AcceptError{Rule: rule}
		}
	}
	m, err := ms.Head(ctx, alias)
	if err != nil {
		return nil, err
	}
	unlock, err := ms.lock(ctx, m.Key)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if m, err = ms.head(m.Key); err != nil { // it may have changed while we waited
		return nil, err
	}
	if err := ms.present(m); err != nil {
		return nil, err
	}
	spec, err := source.Parse(m.Spec, ms.o.Cwd)
	if err != nil {
		return nil, err
	}
	return ms.update(ctx, m, m.Name, spec, false, o)
}

// AcceptError is a rule that cannot be accepted. It is a usage error.
type AcceptError struct{ Rule string }

// Error names what can be.
func (e *AcceptError) Error() string {
	return fmt.Sprintf("%q cannot be accepted; only %s, %s, %s and %s can", e.Rule,
		ruleHistory.ID, ruleMoved.ID, ruleTagMoved.ID, ruleDowngrade.ID)
}

// ExitCode is 2, usage.
func (e *AcceptError) ExitCode() int { return 2 }

// update is the common part of adding and refreshing. m.State is the snapshot
// in use, or zero for a new marketplace, and was the name it had so far. otherRef
// is true when the user named another ref than before. The caller holds the lock.
func (ms *Markets) update(ctx context.Context, m *Market, was string, spec source.Spec, otherRef bool, o RefreshOptions) (*Report, error) {
	fresh := m.Listing.File == ""
	src, err := ms.o.Open(spec, false)
	if err != nil {
		return nil, err
	}
	ms.o.Progress(m.Source, 0, 0)
	next := State{Accepted: m.State.Accepted, Ancestry: "first"}
	pin, err := src.Resolve(ctx, m.State.Pin)
	if err != nil {
		if src, err = ms.moved(m, &next, spec, err, o); err != nil {
			return nil, err
		}
		if pin, err = src.Resolve(ctx, m.State.Pin); err != nil {
			return nil, err
		}
	}
	if fresh && o.from != "" && pin.Commit != "" && pin.Commit != o.from {
		if pin, err = ms.begin(ctx, m, src, pin, o.from); err != nil {
			return nil, err
		}
	}
	if !fresh && pin == m.State.Pin && pin.Commit != "" && !o.Deep && !m.State.Partial {
		return ms.unchanged(ctx, m, was, o)
	}
	start, known := ms.recall(m)
	snap, err := src.Open(source.WhileWaiting(ctx, start), pin, ms.cache(m.Key))
	list, ledger, lerr := known()
	if err == nil {
		defer snap.Close()
	}
	if err := cmp.Or(lerr, err); err != nil {
		return nil, err
	}
	pin = snap.Pin() // some sources know it only now
	next.Pin = pin
	if err := ms.ancestry(ctx, m, snap, &next, otherRef, o); err != nil {
		return nil, err
	}
	j := &judge{ms: ms, snap: snap, ledger: ledger, title: m.Source, only: o.Only, trees: map[string]map[string]string{}}
	part, err := ms.news(ctx, m, j, list)
	if err != nil {
		return nil, err
	}
	cat := part.cat
	if !cat.Native && ledger.HasPublished() {
		if err := ms.accept(m, &next, ruleDowngrade, "the catalog no longer publishes digests", o); err != nil {
			return nil, err
		}
	}
	// From here on it is about the plugins that are not kept as they are.
	if m.State.Plugins, err = ms.plugins(m, list, func(_ *listing, r *row) bool { return !r.kept }); err != nil {
		return nil, err
	}
	j.cat, j.prev = cat, m.State.Plugins
	plugins, err := j.run(ctx)
	if err != nil {
		return nil, err
	}
	if len(j.refused) > 0 && !o.SkipRefused {
		return nil, &RefusedError{Market: m.Name, Source: m.Source, Previous: m.State.Pin.Commit, Offered: pin.Commit, Refused: j.refused}
	}
	if o.Deep {
		if err := ms.deep(ctx, m.Spec, m.Key, j, plugins); err != nil {
			return nil, err
		}
	}
	lines, err := j.lines(plugins, part.texts)
	if err != nil {
		return nil, err
	}
	sortPlugins(plugins)
	next.Plugins, next.Count, next.Bad = plugins, list.kept()+len(plugins), unavailable(plugins)
	next.Partial = slices.ContainsFunc(plugins, func(p Plugin) bool { return p.Status == Listed })
	next.CatalogPath, next.Flavour, next.Native, next.Frame = cat.Path, string(cat.Flavour), cat.Native, part.frame
	next.Title, next.Owner, next.Description = clip(cat.Name), clip(cat.Owner.Name), clip(cat.Description)
	next.Renames = renames(cat)
	next.Changed = ms.o.Clock().UTC()
	report := compare(m, &next, j.refused)
	if m.Name == "" {
		if m.Name, err = ms.alias(ctx, m, spec, cat.Name); err != nil {
			return nil, err
		}
		report.Name = m.Name
	}
	m.State, m.Checked = next, next.Changed
	if o.DryRun {
		return report, nil
	}
	unlock, err := ms.claim(ctx, m, was)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := ms.record(m.Key, ledger, j.facts); err != nil {
		return nil, err
	}
	m.Ledger = ledger.mark
	return report, ms.save(m, list, lines)
}

// begin returns the pin of an earlier commit than the source has now. It has to
// be one of its history: a server also hands out the commits of other people's
// forks by their id, and of branches that were thrown away.
func (ms *Markets) begin(ctx context.Context, m *Market, src source.Source, now source.Pin, from string) (source.Pin, error) {
	if !source.IsCommit(from) {
		return now, fmt.Errorf("begin at %q: not a whole commit id", from)
	}
	snap, err := src.Open(ctx, now, ms.cache(m.Key))
	if err != nil {
		return now, err
	}
	defer snap.Close()
	a, err := snap.Descends(ctx, from)
	if err != nil {
		return now, err
	}
	if a == source.Rewritten {
		return now, &RefusedError{Market: m.Name, Source: m.Source, Offered: from, Refused: []Refusal{{
			Rule: ruleHistory.ID, RecordedCommit: now.Commit, OfferedCommit: from,
			Message: fmt.Sprintf("%s is not in the history of %s, which the source has now", short(from), short(now.Commit)),
		}}}
	}
	return source.Pin{Commit: from, Ref: now.Ref}, nil
}

// recall reads the listing and the ledger while the source is asked. Nobody else
// writes them: the caller holds the lock. known begins, unless start did, and waits.
func (ms *Markets) recall(m *Market) (start func(), known func() (*listing, *Ledger, error)) {
	var list *listing
	var ledger *Ledger
	var err error
	var reading sync.WaitGroup
	// One goroutine, not two: on two cores they would leave none for the answer.
	start = sync.OnceFunc(func() {
		reading.Go(func() {
			if list, err = ms.listing(m); err == nil {
				ledger, err = ms.ledger(m.Key, m.Ledger)
			}
		})
	})
	return start, func() (*listing, *Ledger, error) {
		start()
		reading.Wait()
		return list, ledger, err
	}
}

// unchanged notes when the source was asked. A home that cannot be written is
// no reason to fail: nothing is lost but the age shown.
func (ms *Markets) unchanged(ctx context.Context, m *Market, was string, o RefreshOptions) (*Report, error) {
	m.Checked = ms.o.Clock().UTC()
	if !o.DryRun {
		unlock, err := ms.claim(ctx, m, was)
		if err != nil {
			return nil, err
		}
		defer unlock()
		if err := ms.saveMarket(m); err != nil {
			ms.o.Log.Warn("the time of the check could not be saved", "marketplace", m.Name, "err", err)
		}
	}
	r := compare(m, &m.State, nil)
	r.Unchanged = true
	return r, nil
}

// ancestry refuses a new state that does not follow from the old one. otherRef
// is true when the user named another ref than before.
func (ms *Markets) ancestry(ctx context.Context, m *Market, snap source.Snapshot, next *State, otherRef bool, o RefreshOptions) error {
	old := m.State.Pin
	if old.Commit == "" || next.Pin.Commit == "" || old.Commit == next.Pin.Commit {
		if old.Commit != "" {
			next.Ancestry = m.State.Ancestry
		}
		return nil
	}
	if otherRef {
		// The user chose another line of history; which one it is called by the
		// server does not count, or the server could choose it too.
		next.Ancestry = "not checked"
		return nil
	}
	if strings.HasPrefix(old.Ref, "refs/tags/") {
		msg := fmt.Sprintf("%s moved from %s to %s", strings.TrimPrefix(old.Ref, "refs/tags/"), short(old.Commit), short(next.Pin.Commit))
		return ms.accept(m, next, ruleTagMoved, msg, o)
	}
	a, err := snap.Descends(ctx, old.Commit)
	if err != nil {
		return err
	}
	switch a {
	case source.Descendant:
		next.Ancestry = "checked"
	case source.Unchecked:
		next.Ancestry = "not checked"
	case source.Rewritten:
		msg := fmt.Sprintf("%s does not descend from %s", short(next.Pin.Commit), short(old.Commit))
		return ms.accept(m, next, ruleHistory, msg, o)
	}
	return nil
}

// accept refuses for a rule, unless the user takes it this once; that is logged
// in the state.
func (ms *Markets) accept(m *Market, next *State, rule problem.Rule, msg string, o RefreshOptions) error {
	if !slices.Contains(o.Accept, rule.ID) {
		return &RefusedError{
			Market: m.Name, Source: m.Source, Previous: m.State.Pin.Commit, Offered: next.Pin.Commit,
			Refused: []Refusal{{Rule: rule.ID, RecordedCommit: m.State.Pin.Commit, OfferedCommit: next.Pin.Commit, Message: msg}},
		}
	}
	next.Ancestry = "accepted"
	next.Accepted = append(slices.Clone(next.Accepted), Accept{
		Rule: rule.ID, From: m.State.Pin.Commit, To: next.Pin.Commit, At: ms.o.Clock().UTC(),
	})
	return nil
}

// moved refuses a source that answers under another name, unless the user takes
// that once: then it is asked there from now on. The marketplace stays the one
// it is, with its ledger, and the new commit has to descend from the old one.
func (ms *Markets) moved(m *Market, next *State, spec source.Spec, err error, o RefreshOptions) (source.Source, error) {
	var moved *source.MovedError
	if !errors.As(err, &moved) {
		return nil, err
	}
	if err := ms.accept(m, next, ruleMoved, moved.Error(), o); err != nil {
		return nil, err
	}
	there, err := source.Parse(moved.To, ms.o.Cwd)
	if err != nil {
		return nil, err
	}
	if there.Scheme() != "https" && there.Scheme() != spec.Scheme() {
		// The server chose it: neither a file of this machine nor a less guarded
		// way to another one.
		return nil, fmt.Errorf("%w, which is not an https address; add it as a marketplace of its own", moved)
	}
	there.Ref = spec.Ref
	m.Spec = there.String()
	return ms.o.Open(there, false)
}

func renames(c *catalog.Catalog) []Rename {
	out := make([]Rename, 0, len(c.Renames))
	for from, to := range c.Renames {
		out = append(out, Rename{From: from, To: to})
	}
	slices.SortFunc(out, func(a, b Rename) int { return strings.Compare(a.From, b.From) })
	return out
}

func short(commit string) string {
	if commit == "" {
		return "the directory"
	}
	return source.Short(commit)
}
