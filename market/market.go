// Package market keeps the marketplaces a user added, and verifies each on
// refresh before the new state replaces the copy in use.
//
// What it promises:
//
//   - A marketplace is its canonical source, not its alias; state lies under a
//     key made from the source.
//   - Everything that is listed was read from one commit and judged: each entry
//     is verified, unavailable with the rule that says why, or known to live
//     elsewhere.
//   - The ledger remembers for ever which bytes an (id, version) had. Where the
//     catalog publishes digests, other bytes are refused; where it does not,
//     they are a second build that is shown as rewritten and never chosen
//     silently.
//   - A refusal leaves the state as it was, byte for byte.
//
// It fetches through package source and places nothing in the store.
package market

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"time"

	"pinion/hashes"
	"pinion/internal/fsx"
	"pinion/manifest"
	"pinion/pkgfmt"
	"pinion/source"
)

// Options are what a [Markets] needs from outside.
type Options struct {
	Home   *fsx.Dir
	Loader *pkgfmt.Loader
	// Open returns the source of a spec. strange is true for an address that a
	// catalog chose on a host of its own: it must be a public one.
	Open func(s source.Spec, strange bool) (source.Source, error)
	// Cwd resolves relative directories in specs.
	Cwd   string
	Clock func() time.Time
	Log   *slog.Logger
	// Progress is told what is being read, with how many of how many are done;
	// total is 0 when it is not known. It may be nil.
	Progress func(what string, done, total int)
	// LockWait bounds the wait for another process that reads the same source;
	// 0 is two minutes.
	LockWait time.Duration
}

// defaultWait is how long a change of one source waits for another process,
// which may be fetching it.
const defaultWait = 2 * time.Minute

// Markets are the marketplaces in one home. It is safe for concurrent use by
// several processes; each change holds the lock of the source it changes.
type Markets struct {
	o Options
}

// New returns the marketplaces of a home.
func New(o Options) *Markets {
	if o.Progress == nil {
		o.Progress = func(string, int, int) {}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.LockWait == 0 {
		o.LockWait = defaultWait
	}
	return &Markets{o: o}
}

// Market is one added marketplace: what the user said and what was found last,
// but for the plugins. It is the marketplace's own file; writing it is what makes
// a refresh count.
type Market struct {
	Schema  string    `json:"schema"`
	Name    string    `json:"name"`    // the alias
	Source  string    `json:"source"`  // canonical, without the ref
	Key     string    `json:"key"`     // directory name, from Source
	Spec    string    `json:"spec"`    // as it can be typed again, with the ref
	Catalog string    `json:"catalog"` // the path the user chose, "" to look it up
	Added   time.Time `json:"added"`
	Checked time.Time `json:"checked"` // when the source was last asked
	Listing Listing   `json:"listing"` // where State.Plugins are
	Ledger  Mark      `json:"ledger"`  // the ledger after the last change
	State   State     `json:"state"`
}

// State is what one refresh found: the snapshot in use.
type State struct {
	Pin         source.Pin `json:"pin"`
	Ancestry    string     `json:"ancestry"` // "checked", "not checked", "first"
	CatalogPath string     `json:"catalogPath"`
	Flavour     string     `json:"flavour"`
	Native      bool       `json:"native"`  // digests are published
	Partial     bool       `json:"partial"` // some plugins are only listed
	Title       string     `json:"title"`   // the catalog's own name
	Owner       string     `json:"owner"`
	Description string     `json:"description"`
	Changed     time.Time  `json:"changed"`
	Accepted    []Accept   `json:"accepted"`
	Renames     []Rename   `json:"renames"`
	Frame       Frame      `json:"frame"` // of the catalog
	// Count and Bad are the number of Plugins and the unavailable ones among
	// them: all that a refresh without news says, so that it need not read them.
	Count   int      `json:"count"`
	Bad     []Change `json:"bad"`
	Plugins []Plugin `json:"-"` // sorted by id and version; only those that were asked for
}

// Accept is a refusal the user took once, for the record.
type Accept struct {
	Rule string    `json:"rule"`
	From string    `json:"from"`
	To   string    `json:"to"`
	At   time.Time `json:"at"`
}

// Rename is a name the catalog's owner moved: To is "" for a removed plugin.
type Rename struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// Status is what can be done with a listed plugin.
type Status string

// The statuses of a plugin in a catalog.
const (
	Ready       Status = "ready"       // verified; can be installed
	Listed      Status = "listed"      // not read yet; it is verified when it is installed
	Elsewhere   Status = "elsewhere"   // lives in another repository, not fetched yet
	Unavailable Status = "unavailable" // has errors, see Rule and Why
	Unsupported Status = "unsupported" // a source form Pinion does not fetch
)

// Installable reports whether an install may try: what was not read yet is
// verified then.
func (s Status) Installable() bool { return s == Ready || s == Listed || s == Elsewhere }

// Plugin is one plugin of a catalog, as it was judged.
type Plugin struct {
	ID          string               `json:"id"`
	Version     string               `json:"version"` // "" while not known
	Status      Status               `json:"status"`
	Rule        string               `json:"rule,omitempty"` // of an unavailable one
	Why         string               `json:"why,omitempty"`
	Digest      hashes.Digest        `json:"digest,omitzero"`
	Published   bool                 `json:"published,omitempty"` // the digest is the catalog's word
	Rewritten   bool                 `json:"rewritten,omitempty"` // other bytes were seen under this version before
	Kept        string               `json:"kept,omitempty"`      // the rule for which newer bytes were refused
	Kind        manifest.Kind        `json:"kind,omitempty"`
	Format      string               `json:"format,omitempty"`
	Title       string               `json:"title,omitempty"`
	Description string               `json:"description,omitempty"`
	License     string               `json:"license,omitempty"`
	Files       int                  `json:"files,omitempty"`
	Bytes       int64                `json:"bytes,omitempty"`
	Components  []manifest.Component `json:"components,omitempty"`
	Notes       int                  `json:"notes,omitempty"` // warnings found
	Origin      Origin               `json:"origin"`
	// Floating is true when the catalog does not pin the bytes of a plugin that
	// lives elsewhere: there may be others without a change of the catalog.
	Floating bool `json:"floating,omitempty"`
	// TreeID is equal when the directory's content is equal, "" when unknown.
	TreeID string `json:"treeId,omitempty"`
}

// Origin is where the bytes of a plugin are.
type Origin struct {
	Spec   string           `json:"spec,omitempty"`   // of another repository; "" for the marketplace's own
	Commit string           `json:"commit,omitempty"` // "" in a plain directory
	Path   string           `json:"path"`             // directory, "." for the root
	Select pkgfmt.Selection `json:"select,omitzero"`
	Entry  *manifest.Entry  `json:"entry,omitempty"` // what the catalog defines
}

const (
	marketSchema = "pinion.market/v1"
	marketLimit  = 128 << 20 // of a catalog whose every entry is unavailable
	listingLimit = 1 << 30
	ledgerLimit  = 1 << 30
)

// Draft reports whether the marketplace is a plain directory, whose content is
// its author's and not yet released.
func (m *Market) Draft() bool { return m.State.Pin.Commit == "" }

// Errors a caller branches on.
var (
	// ErrUnknown is an alias nobody added.
	ErrUnknown = errors.New("no such marketplace")
	// ErrTaken is an alias that another source has.
	ErrTaken = errors.New("the name is taken")
)

// List returns the marketplaces sorted by alias, with their state. One that
// cannot be read is in damaged with the reason; the others are returned.
func (ms *Markets) List(ctx context.Context) (list []*Market, damaged []Damage, err error) {
	return ms.list(ctx, ms.read)
}

func (ms *Markets) list(ctx context.Context, read func(key string) (*Market, error)) (list []*Market, damaged []Damage, err error) {
	ents, err := ms.o.Home.ReadDir("src")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	for _, e := range ents {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		m, err := read(e.Name())
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue // only a cache, of a repository that a plugin lives in
		case err != nil:
			damaged = append(damaged, Damage{Key: e.Name(), Err: err})
			continue
		}
		list = append(list, m)
	}
	sortMarkets(list)
	return list, damaged, nil
}

// Damage is a marketplace whose state cannot be read.
type Damage struct {
	Key string
	Err error
}

// Get returns the marketplace with the alias, or [ErrUnknown].
func (ms *Markets) Get(ctx context.Context, alias string) (*Market, error) {
	return find(ctx, alias, ms.List)
}

// find picks the marketplace with the alias out of a listing.
func find(ctx context.Context, alias string, list func(context.Context) ([]*Market, []Damage, error)) (*Market, error) {
	all, damaged, err := list(ctx)
	if err != nil {
		return nil, err
	}
	for _, m := range all {
		if m.Name == alias {
			return m, nil
		}
	}
	return nil, &UnknownError{Name: alias, Have: names(all), Damaged: damaged}
}

// ByKey returns the marketplace with the key, or an error that is
// fs.ErrNotExist.
func (ms *Markets) ByKey(key string) (*Market, error) { return ms.read(key) }
