package host

import (
	"fmt"
	"slices"
	"strings"
)

// Do is what a [Step] does.
type Do string

// What steps do. A Blocked one does nothing: the host or its user changed the
// thing since, or something is there that is not ours.
const (
	Create  Do = "create"
	Update  Do = "update"
	Remove  Do = "remove"
	Restore Do = "restore" // the value or file that was there before
	Blocked Do = "blocked"
)

// Step is one change of the disk.
type Step struct {
	Do     Do     `json:"do"`
	Kind   Kind   `json:"kind"`
	Path   string `json:"path"`             // absolute
	Key    string `json:"key,omitempty"`    // in the file at Path
	Plugin string `json:"plugin,omitempty"` // its id
	Was    string `json:"was"`              // what is there before, in words
	Why    string `json:"why,omitempty"`    // of a blocked step, and of one that takes back somebody's change
	// Aside is where what was there is kept, "" when it is not.
	Aside string `json:"aside,omitempty"`
}

// mode says what a run may take back.
type mode struct {
	// repair overwrites what the host changed since.
	repair bool
	// replace moves away what is not ours.
	replace bool
	// own is the directory that nobody else has a business in.
	own string
}

// task is one item of a plan.
type task struct {
	step  Step
	do    bool    // something is to be done
	item  *Item   // nil when it goes
	rec   Record  // as the receipt will have it
	old   *Record // as the receipt has it, nil when it has not
	aside bool    // what is there is moved away first
	keep  bool    // the receipt has it afterwards
	// cutOff is true when a run was cut off that may not have got to this item,
	// so that what is there need not be ours although the receipt has it.
	cutOff bool
}

// plan is everything a run will do.
type plan struct {
	tasks   []*task
	blocked []Step
}

func (p *plan) steps() []Step {
	var out []Step
	for _, t := range p.tasks {
		if t.do {
			out = append(out, t.step)
		}
	}
	return out
}

// makePlan compares what is wanted with what the receipt says and with the disk.
func makePlan(want []Item, old *Receipt, k *disk, m mode) (*plan, error) {
	p := &plan{}
	had := map[string]*Record{}
	pending := false
	if old != nil {
		pending = old.Pending
		for i := range old.Items {
			had[old.Items[i].id()] = &old.Items[i]
		}
	}
	seen := map[string]bool{}
	for i := range want {
		rec, err := want[i].record()
		if err != nil {
			return nil, err
		}
		if seen[rec.id()] {
			return nil, fmt.Errorf("two things are wanted at %s %s", rec.At.Path(), strings.Join(rec.Path, "."))
		}
		seen[rec.id()] = true
		t, err := wanted(&want[i], rec, had[rec.id()], pending, k, m)
		if err != nil {
			return nil, err
		}
		p.tasks = append(p.tasks, t)
		if t.step.Do == Blocked {
			p.blocked = append(p.blocked, t.step)
		}
	}
	if old == nil {
		return p, nil
	}
	// What goes, goes in the opposite order.
	for _, r := range slices.Backward(old.Items) {
		if seen[r.id()] {
			continue
		}
		t, err := unwanted(r, k, m)
		if err != nil {
			return nil, err
		}
		p.tasks = append(p.tasks, t)
	}
	return p, nil
}

func newStep(r Record, f found) Step {
	return Step{Kind: r.Kind, Path: r.At.Path(), Key: strings.Join(r.Path, "."), Plugin: r.Plugin, Was: f.words()}
}

// ours reports whether the disk has what we put there, before or after a change
// that was cut off.
func ours(f found, old *Record) bool {
	return old != nil && (f.is(old) && !old.Gone || old.Before != nil && f.is(old.Before) || old.Gone && f.is(old))
}

// wanted decides about one item that has to be there.
func wanted(item *Item, rec Record, old *Record, pending bool, k *disk, m mode) (*task, error) {
	f, err := k.look(rec)
	if err != nil {
		return nil, err
	}
	t := &task{item: item, rec: rec, old: old, keep: true, step: newStep(rec, f)}
	if old != nil {
		t.rec.Was, t.rec.Aside = old.Was, old.Aside
	}
	if rec.Echo {
		return t, nil
	}
	mine := ours(f, old)
	if mine {
		t.step.Was = "what Pinion put there"
	}
	if rec.Kind == CopyItem && f.kind == CopyItem && old != nil && !k.deep {
		// Without a look at the files, what the receipt says was there is there.
		mine = true
		if old.Sum != rec.Sum || old.Kind != CopyItem {
			f.damage = "is another version"
		}
	}
	if f.is(&rec) && (rec.Kind != CopyItem || old != nil || k.deep) {
		if old == nil && rec.Kind == KeyItem {
			t.rec.Was = f.value // it was so before us and stays so
		}
		return t, nil
	}
	t.do = true
	cutOff := pending && old != nil && old.Before == nil
	t.cutOff = cutOff
	switch {
	case f.absent() && (old == nil || cutOff):
		t.step.Do = Create
	case mine:
		t.step.Do = Update
	case old == nil, cutOff:
		t.foreign(f, m)
	case m.repair, rec.At.Root == m.own:
		t.step.Do, t.step.Why = Update, "was changed since: "+f.words()
		if f.absent() {
			t.step.Do = Create
		}
		t.aside = rec.Kind != KeyItem && !f.absent() && f.kind != LinkItem && rec.At.Root != m.own
	default:
		t.block("was changed since by the host or its user: " + f.words())
		// The receipt goes on saying what we put there.
		t.rec = *old
	}
	return t, nil
}

// foreign decides about something that is there and was never ours.
func (t *task) foreign(f found, m mode) {
	switch {
	case t.rec.At.Root == m.own:
		t.step.Do = Update
	case t.rec.Kind == KeyItem && t.item.Over:
		t.step.Do, t.rec.Was = Update, f.value
		if f.value == nil {
			t.block("has a value that cannot be put back later")
		}
	case t.rec.Kind != KeyItem && m.replace:
		t.step.Do, t.aside = Update, true
	default:
		t.block("is there and was not put there by Pinion")
		t.keep = false
	}
}

func (t *task) block(why string) {
	t.step.Do, t.step.Why, t.do = Blocked, why, false
}

// unwanted decides about one item that has to go.
func unwanted(r Record, k *disk, m mode) (*task, error) {
	f, err := k.look(r)
	if err != nil {
		return nil, err
	}
	t := &task{rec: r, old: &r, step: newStep(r, f)}
	if ours(f, &r) {
		t.step.Was = "what Pinion put there"
	}
	switch {
	case r.Echo && !f.is(&r):
		// Nothing of ours, or the user's own by now.
	case r.Base:
		// The file needs it as long as anything else is in it.
	case f.absent() && r.Aside == "":
	case f.absent():
		t.do, t.step.Do = true, Restore
	case r.Kind == KeyItem && ours(f, &r):
		if r.Was != nil && f.is(&Record{Kind: KeyItem, Value: r.Was}) {
			break // it was so before us
		}
		t.do, t.step.Do = true, Remove
		if r.Was != nil {
			t.step.Do = Restore
		}
	case r.Kind == KeyItem:
		// Somebody's own choice by now.
	case f.kind == CopyItem && r.Kind == CopyItem:
		t.do, t.step.Do = true, Remove
		if d, err := k.roots.open(r.At.Root); err == nil && d != nil && r.At.Root != m.own {
			damage, err := compareTree(d, r.At.Name, r.Files)
			if err != nil {
				return nil, err
			}
			if damage != "" && (r.Before == nil || !sameTree(d, r)) {
				t.aside, t.step.Why = true, "was changed since: it "+damage
			}
		}
	case ours(f, &r), r.At.Root == m.own:
		t.do, t.step.Do = true, Remove
	case f.kind == LinkItem:
		// Somebody else's link by now.
	default:
		t.do, t.step.Do, t.aside, t.step.Why = true, Remove, true, "was changed since: "+f.words()
		if r.Kind == LinkItem {
			// What took the place of a link was never ours.
			t.do, t.aside, t.step.Why = false, false, ""
		}
	}
	return t, nil
}
