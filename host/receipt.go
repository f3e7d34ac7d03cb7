package host

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"pinion/internal/fsx"
	"pinion/internal/sealed"
	"pinion/internal/syntax"
)

const receiptSchema = "pinion.host/v1"

// undoDir is the directory of the home with the receipts: one for each host and
// scope, and asideDir for what had to make room.
const (
	undoDir  = "undo"
	asideDir = undoDir + "/aside"
	lockName = undoDir + "/lock"
)

// maxReceipt is the largest receipt that is read, in bytes.
const maxReceipt = 64 << 20

// Receipt is everything that is on the disk because of one link. It is written
// before a change, with both what was and what will be, and again after it.
type Receipt struct {
	Schema  string `json:"schema"`
	Host    string `json:"host"`
	Project string `json:"project,omitempty"`
	Copy    bool   `json:"copy,omitzero"`
	Replace bool   `json:"replace,omitzero"`
	// Pending is true from before the first change until after the last one.
	Pending bool      `json:"pending,omitzero"`
	At      time.Time `json:"at"`
	Shown   []Shown   `json:"shown"`
	Items   []Record  `json:"items"`
	// Tables, Files and Dirs had to be made; they go when they are empty again.
	Tables []Table `json:"tables,omitempty"`
	Files  []At    `json:"files,omitempty"`
	Dirs   []At    `json:"dirs,omitempty"`
}

// Table is a table of keys in a configuration file.
type Table struct {
	At   At       `json:"at"`
	Path []string `json:"path"`
}

// Record is one item of a receipt.
type Record struct {
	Kind   Kind   `json:"kind"`
	At     At     `json:"at"`
	Plugin string `json:"plugin,omitempty"`

	Sum    string `json:"sum,omitempty"`    // hex SHA-256 of a file's content, or of a copy's list of files
	Target string `json:"target,omitempty"` // of a link, and where a copy came from
	Files  []File `json:"files,omitempty"`  // of a copy

	Format Format     `json:"format,omitempty"`
	Guard  Guard      `json:"guard,omitempty"`
	Path   []string   `json:"path,omitempty"` // of a key
	Value  syntax.Raw `json:"value,omitempty"`
	Was    syntax.Raw `json:"was,omitempty"` // the value before ours, nil for none
	Echo   bool       `json:"echo,omitzero"` // the host's own, because of ours
	Base   bool       `json:"base,omitzero"` // goes only with its file

	// Aside is the slash path in the home of what had to make room, "" for none.
	Aside string `json:"aside,omitempty"`
	// Before is what a pending change replaces, nil for nothing of ours.
	Before *Record `json:"before,omitempty"`
	// Gone is true in a pending receipt for what the change takes away.
	Gone bool `json:"gone,omitzero"`
}

// id tells items apart: there can be one thing at one place.
func (r Record) id() string { return itemID(r.At, r.Path) }

func itemID(at At, key []string) string {
	return strings.Join(append([]string{at.Root, at.Name}, key...), "\x00")
}

// record is what a receipt says of a wanted item.
func (i Item) record() (Record, error) {
	r := Record{Kind: i.Kind, At: i.At, Plugin: i.Plugin, Target: i.Target, Format: i.Format, Guard: i.Guard, Path: i.Path, Echo: i.Echo, Base: i.Base}
	switch i.Kind {
	case FileItem:
		r.Sum = sum(i.Content)
	case CopyItem:
		r.Files = i.contents()
		r.Sum = listSum(r.Files)
	case KeyItem:
		text, err := syntax.ConfigText(i.Value)
		if err != nil {
			return Record{}, fmt.Errorf("value of %s: %w", strings.Join(i.Path, "."), err)
		}
		r.Value = text
	}
	if !fs.ValidPath(i.At.Name) || i.At.Name == "." {
		return Record{}, fmt.Errorf("%q below %s is no place for a %s", i.At.Name, i.At.Root, i.Kind)
	}
	return r, nil
}

// contents lists the files of a copy.
func (i Item) contents() []File {
	files := make([]File, 0, len(i.Files)+len(i.Extra))
	for _, f := range i.Files {
		f.Path = path.Join(i.Under, f.Path)
		if _, ok := i.Extra[f.Path]; !ok {
			files = append(files, f)
		}
	}
	for name, data := range i.Extra {
		files = append(files, File{Path: name, Sum: sum(data), Size: int64(len(data))})
	}
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return files
}

func sum(data []byte) string {
	s := sha256.Sum256(data)
	return hex.EncodeToString(s[:])
}

func listSum(files []File) string {
	var b strings.Builder
	for _, f := range files {
		fmt.Fprintf(&b, "%s %v %q\n", f.Sum, f.Exec, f.Path)
	}
	return sum([]byte(b.String()))
}

// ScopeName names a scope in the home: "user", or 16 hex digits of the
// SHA-256 of a project's root.
func ScopeName(project string) string {
	if project == "" {
		return "user"
	}
	s := sha256.Sum256([]byte(project))
	return hex.EncodeToString(s[:8])
}

func receiptFile(host, project string) string {
	return path.Join(undoDir, ScopeName(project), host+".json")
}

// readReceipt returns the receipt of a link, nil when there is none.
func (l *Linker) readReceipt(host, project string) (*Receipt, error) {
	if l.o.Home == nil {
		return nil, nil
	}
	name := receiptFile(host, project)
	data, err := l.o.Home.ReadFile(name, maxReceipt)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the receipt of %s: %w", host, err)
	}
	var r Receipt
	fault := sealed.Decode(data, "host", &r)
	if fault == nil && (r.Host != host || r.Project != project) {
		fault = &sealed.Fault{Reason: fmt.Sprintf("is the receipt of %q", r.Host)}
	}
	if fault != nil {
		return nil, &DamageError{Path: l.o.Home.Path(name), Reason: fault.Reason, Newer: fault.Newer}
	}
	for i := range r.Items {
		if err := r.Items[i].canonical(); err != nil {
			return nil, &DamageError{Path: l.o.Home.Path(name), Reason: "has a value that is not JSON: " + err.Error()}
		}
	}
	return &r, nil
}

// canonical takes the layout of the receipt out of the values.
func (r *Record) canonical() (err error) {
	for _, v := range []*syntax.Raw{&r.Value, &r.Was} {
		if *v == nil {
			continue
		}
		if *v, err = syntax.Canonical(*v); err != nil {
			return err
		}
	}
	if r.Before != nil {
		return r.Before.canonical()
	}
	return nil
}

// DamageError is a receipt that cannot be used.
type DamageError struct {
	Path   string
	Reason string // completes "PATH "
	Newer  bool   // a newer Pinion wrote it
}

func (e *DamageError) Error() string { return e.Path + " " + e.Reason }

func (l *Linker) writeReceipt(r *Receipt) error {
	r.Schema = receiptSchema
	data, err := sealed.Encode(r)
	if err != nil {
		return fmt.Errorf("write the receipt of %s: %w", r.Host, err)
	}
	name := receiptFile(r.Host, r.Project)
	if err := l.o.Home.MkdirAllSynced(path.Dir(name)); err != nil {
		return err
	}
	return l.o.Home.WriteFile(name, data, 0o600)
}

func (l *Linker) removeReceipt(host, project string) error {
	name := receiptFile(host, project)
	err := l.o.Home.Remove(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		// Of the last host of a scope; it stays while there is another.
		_ = l.o.Home.RemoveOne(path.Dir(name))
	}
	return err
}

// Linked is one host that plugins are given to.
type Linked struct {
	Host    string
	Project string // "" for the user
	Damage  error  // why its receipt cannot be used, nil when it can
	Pending bool   // a change was cut off
	Copy    bool
	Shown   []Shown
}

// Linked returns the links of one scope, sorted by host. It reads one directory
// and, when there is a link, its receipt.
func (l *Linker) Linked(ctx context.Context, project string) ([]Linked, error) {
	names, err := l.Names(project)
	if err != nil {
		return nil, err
	}
	var out []Linked
	for _, host := range names {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r, err := l.readReceipt(host, project)
		var damage *DamageError
		switch {
		case errors.As(err, &damage):
			out = append(out, Linked{Host: host, Project: project, Damage: damage})
		case err != nil:
			return nil, err
		case r != nil:
			out = append(out, Linked{Host: host, Project: project, Pending: r.Pending, Copy: r.Copy, Shown: r.Shown})
		}
	}
	return out, nil
}

// Names returns the hosts that are linked in one scope, sorted. Without any it
// costs one look for a directory that does not exist.
func (l *Linker) Names(project string) ([]string, error) {
	if l.o.Home == nil {
		return nil, nil
	}
	entries, err := l.o.Home.ReadDir(path.Join(undoDir, ScopeName(project)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list the linked hosts: %w", err)
	}
	var names []string
	for _, e := range entries {
		if host, ok := strings.CutSuffix(e.Name(), ".json"); ok && e.Type().IsRegular() {
			names = append(names, host)
		}
	}
	return names, nil
}

// Projects returns the roots of the projects with a link, sorted, and what is
// there that cannot be read.
func (l *Linker) Projects(ctx context.Context) (roots []string, damaged []error, err error) {
	if l.o.Home == nil {
		return nil, nil, nil
	}
	scopes, err := l.o.Home.ReadDir(undoDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("list the linked hosts: %w", err)
	}
	for _, s := range scopes {
		if !s.IsDir() || s.Name() == "user" || s.Name() == path.Base(asideDir) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		files, err := l.o.Home.ReadDir(path.Join(undoDir, s.Name()))
		if err != nil {
			damaged = append(damaged, err)
			continue
		}
		for _, f := range files {
			name := path.Join(undoDir, s.Name(), f.Name())
			data, err := l.o.Home.ReadFile(name, maxReceipt)
			var r Receipt
			if err == nil {
				if fault := sealed.Decode(data, "host", &r); fault != nil {
					err = &DamageError{Path: l.o.Home.Path(name), Reason: fault.Reason, Newer: fault.Newer}
				}
			}
			if err != nil {
				damaged = append(damaged, err)
			} else if !slices.Contains(roots, r.Project) {
				roots = append(roots, r.Project)
			}
		}
	}
	slices.Sort(roots)
	return roots, damaged, nil
}

// Options configure a [Linker].
type Options struct {
	// Home is Pinion's home, nil when there is none yet: then nothing is linked.
	Home  *fsx.Dir
	Clock func() time.Time
	// Hook sees every step that changes a host's files; nil in production.
	Hook fsx.Hook
	// Wait bounds the wait for a lock, ours or a host's.
	Wait time.Duration
}

// Linker plans and applies the changes. It is safe for concurrent use by several
// goroutines and processes: they come one after the other.
type Linker struct{ o Options }

// New returns a linker.
func New(o Options) *Linker {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Wait == 0 {
		o.Wait = 30 * time.Second
	}
	return &Linker{o: o}
}

// lock takes the lock that orders all changes of hosts.
func (l *Linker) lock(ctx context.Context) (func(), error) {
	if err := l.o.Home.MkdirAllSynced(undoDir); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, l.o.Wait)
	defer cancel()
	return l.o.Home.Lock(ctx, lockName)
}
