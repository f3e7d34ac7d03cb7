package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"

	"pinion/internal/fsx"
	"pinion/internal/sealed"
	"pinion/internal/syntax"
	"pinion/manifest"
	"pinion/pkgfmt"
)

// Placement is one verified package to be installed.
type Placement struct {
	Stage    *Stage
	Verified pkgfmt.Verified // read from Stage.Root()
	Key      string          // of the source; see [Build]
	Origin   Origin
}

// Placed is what came of a [Placement].
type Placed struct {
	Receipt
	// Already is true when exactly this build was installed before, in which
	// case Receipt is the one of then and nothing was changed.
	Already bool
	// Restored is true when only the receipt had to be written again, because
	// it was damaged while the directory still has exactly these bytes.
	Restored bool
	// Path is the directory of the build.
	Path string
}

// Commit installs a batch: it makes all stages durable with one sync, moves each
// to its place and then writes the receipts. Nothing becomes active. A build
// that is there already is not an error. It refuses with [ErrUnverified] a
// Verified that is zero or was read elsewhere, and with [ErrOccupied] to touch a
// directory that has other bytes.
//
// Placed is in the order of the batch. After an error it holds what was
// installed all the same, which is nothing unless writing the receipts broke off
// in the middle or the error is [fsx.ErrNotDurable].
//
// For one plugin it costs one syncfs and two fsync on Linux.
func (s *Store) Commit(ctx context.Context, batch []Placement) ([]Placed, error) {
	items, err := s.items(batch)
	if err != nil || len(items) == 0 {
		return nil, err
	}
	unlock, err := s.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()

	var todo []*item
	seen := map[string]*item{}
	for _, it := range items {
		place := it.build.place()
		if first := seen[place]; first != nil {
			if first.build != it.build {
				return nil, occupied(s, it.build)
			}
			it.same = first
			continue
		}
		seen[place] = it
		if err := s.inspect(ctx, it); err != nil {
			return nil, err
		}
		if it.tree || it.file {
			todo = append(todo, it)
		}
	}
	err = s.place(todo)
	var placed []Placed
	for _, it := range items {
		if p, ok := it.result(); ok {
			p.Path = s.home.Path(it.build.Dir())
			placed = append(placed, p)
		}
	}
	return placed, err
}

// item is one placement on its way.
type item struct {
	Placement
	build   Build
	receipt Receipt
	data    []byte // the encoded receipt

	tree bool // the directory must be placed
	file bool // the receipt must be written
	fix  bool // a damaged receipt is in its place

	placed bool     // the directory is ours and in its place
	done   bool     // the receipt is there too
	old    *Receipt // of the installed build
	same   *item    // an earlier item with the same build
}

func (it *item) result() (Placed, bool) {
	switch {
	case it.same != nil:
		p, ok := it.same.result()
		p.Already = true
		return p, ok
	case it.old != nil:
		return Placed{Receipt: *it.old, Already: true}, true
	}
	return Placed{Receipt: it.receipt, Restored: !it.tree}, it.done
}

// items checks a batch and makes its receipts, before anything is touched.
func (s *Store) items(batch []Placement) ([]*item, error) {
	items := make([]*item, 0, len(batch))
	for _, p := range batch {
		it, err := s.item(p)
		if err != nil {
			return nil, err
		}
		items = append(items, it)
	}
	return items, nil
}

func (s *Store) item(p Placement) (*item, error) {
	v := p.Verified
	if v.Root() == "" || v.Digest().IsZero() || v.Manifest() == nil {
		return nil, fmt.Errorf("install: %w", ErrUnverified)
	}
	m := v.Manifest()
	if p.Stage == nil || p.Stage.fsx == nil || p.Stage.store != s || p.Stage.root != v.Root() {
		return nil, fmt.Errorf("install %s: it was verified in %s and is to be taken from another directory: %w", m.ID, v.Root(), ErrUnverified)
	}
	it := &item{Placement: p, build: Build{Key: p.Key, ID: m.ID, Version: v.Version(), Digest: v.Digest()}}
	if err := it.build.Check(); err != nil {
		return nil, fmt.Errorf("install: %w", err)
	}
	origin := p.Origin
	origin.Pinned = v.Pinned
	if len(origin.Entry) > 0 {
		// Formatting is not content; one spelling makes receipts comparable.
		c, err := syntax.Compact(origin.Entry)
		if err != nil {
			return nil, fmt.Errorf("install %s: the catalog entry: %w", m.ID, err)
		}
		origin.Entry = c
	}
	it.receipt = Receipt{
		Schema: receiptSchema, Key: p.Key, ID: m.ID, Version: v.Version(), Digest: v.Digest(),
		Format: v.Format(), Kind: m.Kind, Name: m.Name, License: m.License, Description: m.Description,
		Origin: origin, InstalledAt: s.now(), Tool: s.opts.Tool,
		Components: append([]manifest.Component{}, m.Components...), Files: v.Files(),
	}
	data, err := sealed.Encode(it.receipt)
	if err != nil {
		return nil, fmt.Errorf("install %s: %w", m.ID, err)
	}
	// A receipt that could not be read back would make the build useless.
	if fault := sealed.Decode(data, "receipt", new(Receipt)); fault != nil {
		return nil, fmt.Errorf("install %s: its receipt cannot be written: it %w", m.ID, fault)
	}
	if len(data) > maxReceipt {
		return nil, fmt.Errorf("install %s: its receipt is larger than %d bytes", m.ID, maxReceipt)
	}
	it.data = data
	return it, nil
}

// inspect finds out what is there already and what must be done.
func (s *Store) inspect(ctx context.Context, it *item) error {
	r, damage, err := s.readReceipt(it.build.ReceiptPath())
	none := errors.Is(err, fs.ErrNotExist)
	if err != nil && !none {
		return err
	}
	info, err := s.home.Lstat(it.build.Dir())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	there := err == nil
	it.fix = !none
	switch {
	case damage != nil && damage.Newer:
		return &DamageError{*damage}
	case !none && damage == nil && r.Build() != it.build:
		return occupied(s, it.build)
	case !none && damage == nil && there && info.IsDir():
		it.old = &r
	case !there:
		it.tree, it.file = true, true
	default:
		// A tree whose receipt is missing or damaged.
		return s.adopt(ctx, it, none)
	}
	return nil
}

// adopt decides about a directory without a usable receipt. Exactly the bytes
// to be installed only need their receipt; other bytes without a receipt are
// what a killed process left, unless something uses them.
func (s *Store) adopt(ctx context.Context, it *item, none bool) error {
	diffs, err := s.compare(ctx, it.build, it.receipt.Files)
	if err != nil {
		return err
	}
	if len(diffs) == 0 {
		it.file = true
		return nil
	}
	used, err := s.inUse(ctx, Location{it.build.Key, it.build.ID, it.build.Version, it.build.Digest.Hex(shortLen)})
	if err != nil {
		return err
	}
	if used || !none {
		return occupied(s, it.build)
	}
	if err := s.home.RemoveAll(it.build.Dir()); err != nil {
		return fmt.Errorf("remove what an interrupted installation left: %w", err)
	}
	it.tree, it.file = true, true
	return nil
}

func occupied(s *Store, b Build) error {
	return &Refusal{
		Reason:  ErrOccupied,
		Message: fmt.Sprintf("%s holds other bytes than %s %s (%s)", s.home.Path(b.Dir()), b.ID, b.Version, b.Digest),
		Hint:    fmt.Sprintf("run: pinion verify --repair %s", b.Ref()),
	}
}

// place does the work of Commit.
func (s *Store) place(todo []*item) error {
	if len(todo) == 0 {
		return nil
	}
	note, err := s.note()
	if err != nil {
		return fmt.Errorf("install: %w", err)
	}
	err = s.prepare(note, todo)
	clean := true
	if err == nil {
		err = s.placeTrees(todo)
	}
	if err == nil {
		err = s.placeReceipts(note, todo)
	}
	for _, it := range todo {
		switch {
		case it.done:
			if it.tree {
				it.Stage.Discard()
			}
		case it.tree && err != nil:
			clean = s.withdraw(it) == nil && clean
		}
	}
	s.done(note, clean)
	if err != nil {
		return fmt.Errorf("install: %w", err)
	}
	return nil
}

// withdraw removes what was placed of an item that gets no receipt, and the
// directories made for it.
func (s *Store) withdraw(it *item) error {
	if it.placed {
		if err := s.home.RemoveAll(it.build.Dir()); err != nil {
			return err
		}
	}
	return errors.Join(
		s.removeEmpty(path.Dir(it.build.Dir()), packagesDir),
		s.removeEmpty(path.Dir(it.build.ReceiptPath()), receiptsDir))
}

// prepare makes everything that will be moved, and the directories it moves to,
// durable with one sync.
func (s *Store) prepare(note *fsx.Stage, todo []*item) error {
	// So that the first activation need not make it.
	if err := s.home.MkdirAll(activeDir); err != nil {
		return err
	}
	sync := []string{note.Name}
	for i, it := range todo {
		if err := s.home.MkdirAll(path.Dir(it.build.ReceiptPath())); err != nil {
			return err
		}
		if err := note.Dir.WriteNew(noteReceipt(i), it.data, 0o600); err != nil {
			return err
		}
		if !it.tree {
			continue
		}
		if err := s.home.MkdirAll(path.Dir(it.build.Dir())); err != nil {
			return err
		}
		if err := s.home.MakeReadOnly(it.Stage.fsx.Name); err != nil {
			return err
		}
		sync = append(sync, it.Stage.fsx.Name)
	}
	return s.home.SyncTree(sync...)
}

func noteReceipt(i int) string { return strconv.Itoa(i) + ".json" }

func (s *Store) placeTrees(todo []*item) error {
	for _, it := range todo {
		if !it.tree {
			continue
		}
		err := s.home.Place(it.Stage.fsx.Name, it.build.Dir())
		if errors.Is(err, fs.ErrExist) {
			return occupied(s, it.build)
		}
		if err != nil {
			// Nothing was placed, unless the way back did not work either. The
			// name was free before and the lock is ours.
			_, serr := s.home.Lstat(it.build.Dir())
			it.placed = serr == nil
			if step, ok := errors.AsType[*fsx.OpError](err); ok {
				return step // not ErrNotDurable: it will be withdrawn
			}
			return err
		}
		it.placed = true
	}
	return nil
}

// placeReceipts makes the installation visible.
func (s *Store) placeReceipts(note *fsx.Stage, todo []*item) error {
	var dirs []string
	for i, it := range todo {
		name := it.build.ReceiptPath()
		if it.fix {
			if info, err := s.home.Lstat(name); err == nil && info.IsDir() {
				if err := s.home.RemoveAll(name); err != nil { // planted: no receipt is one
					return err
				}
			}
			if err := s.home.WriteFile(name, it.data, 0o600); err != nil {
				it.done = errors.Is(err, fsx.ErrNotDurable)
				return err
			}
			it.done = true
			continue
		}
		if err := s.home.RenameNoReplace(path.Join(note.Name, noteReceipt(i)), name); err != nil {
			return err
		}
		it.done = true
		if d := path.Dir(name); len(dirs) == 0 || dirs[len(dirs)-1] != d {
			dirs = append(dirs, d)
		}
	}
	var err error
	if len(dirs) > maxDirSyncs {
		err = s.home.SyncTree(note.Name) // one syncfs is cheaper than many fsync
	} else {
		for _, d := range dirs {
			err = errors.Join(err, s.home.SyncDir(d))
		}
	}
	if err != nil {
		return errors.Join(err, fsx.ErrNotDurable)
	}
	return nil
}

// maxDirSyncs is how many directories are synced one by one.
const maxDirSyncs = 3
