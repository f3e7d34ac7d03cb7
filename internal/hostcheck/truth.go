package hostcheck

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Truth is what one client did with one case, or with one plugin of it.
type Truth struct {
	Case    string `json:"case"`
	Client  Name   `json:"client"`
	Plugin  string `json:"plugin,omitempty"` // of a catalog's entry
	Version string `json:"v"`                // of the client
	Digest  string `json:"d"`                // of the case's content
	// Loads says whether the client took it: a package is installed and
	// loaded, a catalog is added, a skill is copied, a validator is content.
	Loads bool `json:"loads"`
	// Text is what the client said against it, its first bytes.
	Text string `json:"text,omitempty"`
	// Has is the inventory of a loaded package, or the names that are offered
	// of a catalog; null when the client does not tell.
	Has Inventory `json:"has"`
	// Valid is the answer of the client's validator, where it has one.
	Valid *Valid `json:"valid,omitempty"`
}

// Valid is what a client's own validator said.
type Valid struct {
	OK bool `json:"ok"`
	// Has is its inventory; null when it makes none.
	Has Inventory `json:"has,omitempty"`
}

// key identifies what was asked.
func (t Truth) key() string { return t.Case + "\x00" + string(t.Client) + "\x00" + t.Plugin }

// Truths is what is recorded, by question. It is not safe for concurrent use.
type Truths struct{ rows map[string]Truth }

// LoadTruths reads recorded rows; a missing file is none.
func LoadTruths(file string) (*Truths, error) {
	t := &Truths{rows: map[string]Truth{}}
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return t, nil
	}
	if err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		var row Truth
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, n, err)
		}
		t.rows[row.key()] = row
	}
	return t, lines.Err()
}

// Save writes the rows, sorted, one a line.
func (t *Truths) Save(file string) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	for _, row := range t.Rows() {
		if err := e.Encode(row); err != nil {
			return err
		}
	}
	temp := file + "." + strconv.Itoa(os.Getpid())
	return errors.Join(os.WriteFile(temp, b.Bytes(), 0o644), os.Rename(temp, file))
}

// Rows returns all rows, sorted.
func (t *Truths) Rows() []Truth {
	var rows []Truth
	for _, r := range t.rows {
		rows = append(rows, r)
	}
	slices.SortFunc(rows, func(a, b Truth) int { return cmp.Compare(a.key(), b.key()) })
	return rows
}

// fresh reports whether a case was asked with this content and this version.
func (t *Truths) fresh(c Case, name Name) bool {
	row, ok := t.rows[Truth{Case: c.ID, Client: name}.key()]
	return ok && row.Digest == c.Digest() && row.Version == PinOf(name).Version
}

// put records rows in the place of all earlier ones of their cases and clients.
func (t *Truths) put(rows []Truth) {
	type asked struct {
		id     string
		client Name
	}
	now := map[asked]bool{}
	for _, r := range rows {
		now[asked{r.Case, r.Client}] = true
	}
	maps.DeleteFunc(t.rows, func(_ string, r Truth) bool { return now[asked{r.Case, r.Client}] })
	for _, r := range rows {
		t.rows[r.key()] = r
	}
}

// Keep drops the rows of cases that are not among those given or have other
// content now. Without the corpus its rows stay.
func (t *Truths) Keep(cases []Case, corpus bool) {
	known := map[string]Case{}
	for _, c := range cases {
		known[c.ID] = c
	}
	for k, r := range t.rows {
		c, ok := known[r.Case]
		if !ok && !corpus && strings.HasPrefix(r.Case, "corpus") {
			continue
		}
		if !ok || !c.Asks(r.Client) || r.Digest != c.Digest() {
			delete(t.rows, k)
		}
	}
}
