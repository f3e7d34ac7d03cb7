package hostcheck

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// The markers between which the page is written by the program.
const (
	reportBegin = "<!-- check-hosts: begin, written by `make check-hosts` -->"
	reportEnd   = "<!-- check-hosts: end -->"
)

// WriteReport puts the result into the page, between its markers. About says
// when, where and of what it is.
func WriteReport(file, about string, r Comparison) error {
	page, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	before, rest, ok := bytes.Cut(page, []byte(reportBegin))
	_, after, end := bytes.Cut(rest, []byte(reportEnd))
	if !ok || !end {
		return fmt.Errorf("%s: it lacks the markers of the generated part", file)
	}
	var b bytes.Buffer
	b.Write(before)
	b.WriteString(reportBegin + "\n\n" + Report(about, r) + "\n" + reportEnd)
	b.Write(after)
	return os.WriteFile(file, b.Bytes(), 0o644)
}

// Report is the generated part of the page, in Markdown.
func Report(about string, r Comparison) string {
	var b strings.Builder
	b.WriteString(about + " An answer is what a client did with one case, or with one plugin of a case's catalog.\n\n")
	b.WriteString("| client | version | cases | answers | of these it loads | agree with ours | |\n|---|---|---:|---:|---:|---:|---:|\n")
	for _, s := range r.Scores {
		fmt.Fprintf(&b, "| %s | %s | %d | %d | %d | %d | %.2f %% |\n", s.Client, s.Version, s.Cases, s.Asked, s.Loaded, s.Agree, s.Percent())
	}
	v := r.Validator
	fmt.Fprintf(&b, "\n`claude plugin validate` judges what an author should mend, not what loads: in %d of %d answers it says other than what `claude plugin install` and `list` then do, and ours follows these. Of the other %d it agrees with ours in %d; its own inventory (`provides`) is ours in %d of %d.\n", v.LoaderDiffers, v.Asked, v.Counted, v.Agree, v.SameInventory, v.Inventories)
	if len(r.Differences) == 0 {
		b.WriteString("\nThere is no disagreement.\n")
		return b.String()
	}
	fmt.Fprintf(&b, "\n%d disagreements, with who is right:\n\n| client | case | ours | theirs | who is right |\n|---|---|---|---|---|\n", len(r.Differences))
	for _, d := range r.Differences {
		_, id, _ := strings.Cut(d.ID(), " ")
		reason := d.Reason
		if reason == "" {
			reason = "not decided"
		}
		fmt.Fprintf(&b, "| %s | `%s` | %s | %s | %s |\n", d.Client, id, cell(d.Ours), cell(d.Theirs), cell(reason))
	}
	return b.String()
}

// cell makes any text one cell of a table.
func cell(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, text)
	return strings.NewReplacer("|", "\\|", "<", "&lt;", ">", "&gt;", "`", "'").Replace(text)
}
