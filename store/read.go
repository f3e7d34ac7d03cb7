package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"pinion/internal/sealed"
)

// Receipt returns the receipt of a build: [ErrNotInstalled] when there is none,
// [*DamageError] when it cannot be used.
func (s *Store) Receipt(b Build) (Receipt, error) {
	if s.home == nil {
		return Receipt{}, notInstalled(b)
	}
	if err := b.Check(); err != nil {
		return Receipt{}, err
	}
	r, err := s.one(b.ReceiptPath(), b)
	if err == nil && r.Build() != b {
		return Receipt{}, notInstalled(b) // same version and first digits, other bytes
	}
	return r, err
}

// At returns the receipt at a location that [Store.Builds] gave, with the errors
// of [Store.Receipt].
func (s *Store) At(l Location) (Receipt, error) {
	if s.home == nil {
		return Receipt{}, notInstalled(l.Build())
	}
	return s.one(l.receiptPath(), l.Build())
}

// one reads the receipt of one build. A verb asks several times for the same
// one, so it is decoded again only when the file has other bytes than before.
func (s *Store) one(file string, b Build) (Receipt, error) {
	s.mu.Lock()
	last := s.last
	s.mu.Unlock()
	r, data, damage, err := s.readReceiptAfter(last, file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Receipt{}, notInstalled(b)
	case err != nil:
		return Receipt{}, err
	case damage != nil:
		return Receipt{}, &DamageError{*damage}
	}
	s.mu.Lock()
	s.last = decoded{file, data, r.clone()}
	s.mu.Unlock()
	return r, nil
}

// decoded is a receipt with the file and the bytes it was decoded from.
type decoded struct {
	file    string
	data    []byte
	receipt Receipt
}

// clone returns a receipt whose lists the caller may change.
func (r Receipt) clone() Receipt {
	r.Components, r.Files = slices.Clone(r.Components), slices.Clone(r.Files)
	return r
}

// readReceipt reads one receipt file and checks that it lies where it belongs.
func (s *Store) readReceipt(file string) (Receipt, *Damage, error) {
	r, _, damage, err := s.readReceiptAfter(decoded{}, file)
	return r, damage, err
}

// readReceiptAfter is readReceipt with the one that was decoded before.
func (s *Store) readReceiptAfter(last decoded, file string) (Receipt, []byte, *Damage, error) {
	data, fault, err := s.readState(file, maxReceipt)
	if err != nil {
		return Receipt{}, nil, nil, err
	}
	if fault == nil && last.file == file && bytes.Equal(last.data, data) {
		return last.receipt.clone(), data, nil, nil
	}
	var r Receipt
	if fault == nil {
		fault = sealed.Decode(data, "receipt", &r)
	}
	if fault == nil {
		if err := r.Build().Check(); err != nil {
			fault = &sealed.Fault{Reason: "names no build: " + err.Error()}
		} else if r.Build().ReceiptPath() != file {
			fault = &sealed.Fault{Reason: fmt.Sprintf("is the receipt of %s %s", r.ID, r.Version)}
		}
	}
	if fault != nil {
		return Receipt{}, nil, s.receiptDamage(file, fault), nil
	}
	return r, data, nil, nil
}

func (s *Store) receiptDamage(file string, fault *sealed.Fault) *Damage {
	d := &Damage{name: file, Path: s.home.Path(file), Reason: fault.Reason, Newer: fault.Newer}
	at, err := ParseDir(file)
	d.Build = at.Build()
	switch {
	case err != nil:
		d.Fix = "pinion did not put it there; remove it"
	case fault.Newer:
		d.Fix = "install the newer Pinion again"
	default:
		d.Fix = fmt.Sprintf("run: pinion verify --repair %s, or install it again", d.Build.Ref())
	}
	return d
}
