package hostcheck

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"time"
)

// Options are those of [Check].
type Options struct {
	Clients, Corpus, Truth, Reasons, Doc, List, Only string
	Offline                                          bool
	Install                                          string // names with commas: install these and do nothing else
	Getenv                                           func(string) string
	Now                                              func() time.Time
	Log                                              func(string)
}

// Threshold is the share of equal answers of one client, in per cent, below which
// [Check] fails. One difference is allowed to a client of fewer than a hundred.
const Threshold = 99

// Low reports whether too few answers of a client are equal.
func (s Score) Low() bool { return s.Percent() < Threshold && s.Asked-s.Agree > 1 }

// Check installs the clients, asks them what is not recorded yet, compares, and
// writes the records and the report. Fewer than [Threshold] per cent of equal
// answers with any client are an error.
func Check(ctx context.Context, o Options) error {
	if o.Install != "" {
		return installOnly(ctx, o)
	}
	cases, err := Battery(o.Corpus)
	if err != nil {
		return err
	}
	truths, err := LoadTruths(o.Truth)
	if err != nil {
		return err
	}
	if o.Only == "" {
		truths.Keep(cases, o.hasCorpus())
	}
	tmp, err := os.MkdirTemp(fastDir(), "pinion-hostcheck-")
	if err != nil {
		return err
	}
	if !o.Offline {
		err = measure(ctx, o, tmp, cases, truths)
	}
	if err == nil {
		err = conclude(ctx, o, tmp, cases, truths)
	}
	return errors.Join(err, os.RemoveAll(tmp))
}

// hasCorpus reports whether the cases of the corpus are in the battery.
func (o Options) hasCorpus() bool {
	_, err := os.Stat(o.Corpus)
	return err == nil
}

// where says what the report is about.
func (o Options) where(cases int) string {
	return fmt.Sprintf("Written on %s on %s/%s: %d cases.", o.Now().UTC().Format(time.DateOnly), runtime.GOOS, runtime.GOARCH, cases)
}

func installOnly(ctx context.Context, o Options) error {
	dir, err := o.dir()
	if err != nil {
		return err
	}
	var names []Name
	for n := range strings.SplitSeq(o.Install, ",") {
		if PinOf(Name(n)).Package == "" {
			return fmt.Errorf("%q is no client; there are %v", n, ClientNames())
		}
		names = append(names, Name(n))
	}
	return Open(dir).Install(ctx, names, o.Log)
}

func (o Options) dir() (string, error) {
	if o.Clients != "" {
		return o.Clients, nil
	}
	return Dir(o.Getenv)
}

// fastDir is a directory in memory where there is one: hundreds of homes are
// made and removed.
func fastDir() string {
	if runtime.GOOS == "linux" {
		if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
			return "/dev/shm"
		}
	}
	return os.TempDir()
}

func measure(ctx context.Context, o Options, tmp string, cases []Case, truths *Truths) error {
	dir, err := o.dir()
	if err != nil {
		return err
	}
	clients := Open(dir)
	if err := clients.Install(ctx, ClientNames(), o.Log); err != nil {
		return err
	}
	var asked []Case
	for _, c := range cases {
		if strings.HasPrefix(c.ID, o.Only) {
			asked = append(asked, c)
		}
	}
	n := 0
	m := Measure{Clients: clients, Temp: tmp, Workers: 2, Done: func(rows []Truth) error {
		n += len(rows)
		o.Log(fmt.Sprintf("%s: %d answers, %d in all", rows[0].Client, len(rows), n))
		return truths.Save(o.Truth)
	}}
	return m.Run(ctx, asked, ClientNames(), truths)
}

func conclude(ctx context.Context, o Options, tmp string, cases []Case, truths *Truths) error {
	reasons, err := LoadReasons(o.Reasons)
	if err != nil {
		return err
	}
	if err := truths.Save(o.Truth); err != nil {
		return err
	}
	result, err := Compare(ctx, tmp, cases, truths, reasons)
	if err != nil {
		return err
	}
	var low []string
	for _, s := range result.Scores {
		o.Log(fmt.Sprintf("%-10s %s: %d of %d answers agree, %.2f %%", s.Client, s.Version, s.Agree, s.Asked, s.Percent()))
		if s.Low() {
			low = append(low, string(s.Client))
		}
	}
	if o.List != "" {
		if err := os.WriteFile(o.List, []byte(listing(result)), 0o644); err != nil {
			return err
		}
	}
	if o.Doc != "" {
		if err := WriteReport(o.Doc, o.where(len(cases)), result); err != nil {
			return err
		}
	}
	if len(low) > 0 {
		return fmt.Errorf("less than %d %% agreement with %s", Threshold, strings.Join(low, ", "))
	}
	return nil
}

// LoadReasons reads the file that says of differences who is right: lines
// "client case[#plugin]: reason"; "#" begins a comment.
func LoadReasons(file string) (map[string]string, error) {
	reasons := map[string]string{}
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return reasons, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		id, reason, ok := strings.Cut(line, ": ")
		if !ok {
			return nil, fmt.Errorf("%s:%d: it is not \"client case: reason\"", file, n)
		}
		reasons[id] = reason
	}
	return reasons, lines.Err()
}

// listing is every difference with its details, for those who mend rules.
func listing(r Comparison) string {
	var b strings.Builder
	for _, d := range r.Differences {
		fmt.Fprintf(&b, "%s\n\tours:   %s", d.ID(), d.Ours)
		if d.Rule != "" {
			fmt.Fprintf(&b, " (%s)", d.Rule)
		}
		fmt.Fprintf(&b, "\n\ttheirs: %s", d.Theirs)
		if d.Text != "" {
			fmt.Fprintf(&b, " (%s)", d.Text)
		}
		if d.Reason != "" {
			fmt.Fprintf(&b, "\n\treason: %s", d.Reason)
		}
		b.WriteString("\n")
	}
	return b.String()
}
