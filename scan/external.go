package scan

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"pinion/hashes"
	"pinion/internal/sandbox"
	"pinion/internal/sarif"
	"pinion/pkgfmt"
)

// External is another scanner: a program that writes SARIF 2.1.0 to its
// standard output. "{dir}" in an argument becomes the directory with a copy of
// the package.
type External struct {
	Name  string
	Argv  []string
	Limit time.Duration
	// Path is where programs are looked for, as in $PATH. Nothing else of the
	// environment is handed on.
	Path string
}

// Join runs other scanners over a package and adds what they find to the
// report. One that cannot be started, fails or writes something else makes the
// report one that is not complete: it was asked for.
func (r *Report) Join(ctx context.Context, pkg *pkgfmt.Package, scanners []External) error {
	if len(scanners) == 0 {
		return nil
	}
	dir, err := os.MkdirTemp("", "pinion-scan-")
	if err != nil {
		return fmt.Errorf("make a directory for other scanners: %w", err)
	}
	defer os.RemoveAll(dir)
	// Where temporary files are may be said relative to a directory that is not
	// the scanner's.
	if dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return err
	}
	content, home := filepath.Join(dir, "package"), filepath.Join(dir, "home")
	if err := errors.Join(copyOut(pkg, content), os.Mkdir(home, 0o700)); err != nil {
		return fmt.Errorf("copy the package for other scanners: %w", err)
	}
	for _, s := range scanners {
		// A report is the same on every machine and in every run, so it does not say
		// where a scanner ran.
		place := strings.NewReplacer(content+"/", "", content, "{dir}", home, "{home}", dir, "{dir}", filepath.Base(dir), "{dir}")
		found, version, err := s.run(ctx, pkg, content, home, place)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if version != "" {
			version = " " + version
		}
		r.External = append(r.External, s.Name+version)
		if err != nil {
			r.fail(fmt.Sprintf("scanner %s: %s", s.Name, Escape(err.Error(), maxWords)))
		}
		r.Findings = append(r.Findings, found...)
	}
	sortFindings(r.Findings)
	return nil
}

// fail makes the report one that is not complete.
func (r *Report) fail(why string) {
	r.Complete = false
	r.Limits = append(r.Limits, why)
	r.Findings = append(r.Findings, Finding{Rule: incomplete.ID, Level: incomplete.Level, Message: "not everything was looked at: " + why, fix: incomplete.Fix})
}

func (s External) run(ctx context.Context, pkg *pkgfmt.Package, dir, home string, place *strings.Replacer) (found []Finding, version string, err error) {
	argv := make([]string, len(s.Argv))
	for i, a := range s.Argv {
		argv[i] = strings.ReplaceAll(a, "{dir}", dir)
	}
	res, err := sandbox.Run(ctx, sandbox.Command{
		Argv: argv, Dir: home, Output: sarif.MaxBytes, Limit: s.Limit,
		Env: []string{"PATH=" + s.Path, "HOME=" + home, "TMPDIR=" + home, "LANG=C.UTF-8", "NO_COLOR=1"},
	})
	if err != nil {
		return nil, "", err
	}
	l, err := sarif.Read(res.Stdout)
	if err != nil {
		// Many scanners end with 1 when they found something: the status alone says
		// nothing, a log that cannot be read does.
		words := Escape(hideTokens(place.Replace(lastLine(res.Stderr))), 120)
		return nil, "", fmt.Errorf("exit status %d without a SARIF log (%w) %s", res.Exit, err, words)
	}
	for _, x := range l.Results {
		found = append(found, s.finding(x, pkg, dir, place))
	}
	switch {
	case l.Failed:
		err = errors.New("it says that it did not end well")
	case res.Exit > 1 && len(found) == 0:
		// 1 may mean that something was found; with nothing found it is not that
		// bad, and more is a crash behind an empty log.
		err = fmt.Errorf("exit status %d without a result", res.Exit)
	}
	return found, Escape(place.Replace(l.Version), 40), err
}

func lastLine(s string) string { return s[strings.LastIndexByte(s, '\n')+1:] }

// finding takes one result over. Names and words are the other scanner's, and
// so not to be trusted on a terminal.
func (s External) finding(x sarif.Result, pkg *pkgfmt.Package, dir string, place *strings.Replacer) Finding {
	f := Finding{
		Rule: s.Name + "/" + Escape(place.Replace(x.Rule), 80), Level: levelOf(x),
		Message: Escape(hideTokens(place.Replace(strings.TrimSpace(x.Message))), 300),
		Scanner: s.Name, fix: adviceOf(s.Name),
	}
	f.File = sarif.Path(x.URI, filepath.ToSlash(dir))
	file := pkg.Tree.Lookup(f.File)
	if file == nil {
		f.File = ""
		f.Window = hashes.Of([]byte(f.Message))
		return f
	}
	f.Line, f.Column = x.Line, x.Column
	start, end := lineRange(file.Data, x.Line)
	f.Window = window(file.Data, start, end)
	if x.Line > 0 && isText(langOf(f.File, file.Data), file.Data) {
		f.Evidence = hideTokens(evidence(file.Data, start, start, false))
	}
	return f
}

func adviceOf(scanner string) string { return "see the documentation of " + scanner }

// minToken is the shortest run of characters that may be a secret, in bytes.
const minToken = 16

// hideTokens takes out of a text what looks like a key or a token. Scanners for
// secrets like to print what they found, and our own rules may not know it.
func hideTokens(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		n := 0
		for i+n < len(s) && tokenByte(s[i+n]) {
			n++
		}
		if n == 0 {
			b.WriteByte(s[i])
			i++
			continue
		}
		if looksSecret(s[i : i+n]) {
			b.WriteString(redact(s[i : i+n]))
		} else {
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	return b.String()
}

func tokenByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '+' || c == '/' || c == '=' || c == '_' || c == '-'
}

// looksSecret tells random characters from words and paths: they mix capitals,
// small letters and digits, or are many digits of a large base.
func looksSecret(s string) bool {
	if len(s) < minToken {
		return false
	}
	small := strings.ContainsAny(s, "abcdefghijklmnopqrstuvwxyz")
	capital := strings.ContainsAny(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
	digit := strings.ContainsAny(s, "0123456789")
	switch {
	case small && capital && digit:
		return true
	case digit && (small || capital) && !strings.Contains(s, "/"):
		return len(s) >= 2*minToken || capital && !strings.ContainsAny(s, "-_")
	}
	return false
}

// levelOf ranks a result: by its score where it has one, on the scale that code
// scanning services use, else by its level.
func levelOf(x sarif.Result) Level {
	switch {
	case x.Score >= 9:
		return Critical
	case x.Score >= 7:
		return High
	case x.Score >= 4:
		return Medium
	case x.Score > 0:
		return Low
	case x.Score == 0 || x.Level == "none":
		return Info
	case x.Level == "error":
		return High
	case x.Level == "note":
		return Low
	}
	return Medium
}

// lineRange returns where a 1-based line begins and ends.
func lineRange(data []byte, line int) (start, end int) {
	pos := 0
	for i := 1; i < line && pos < len(data); i++ {
		_, pos = cutLine(data, pos)
	}
	return lineAround(data, pos)
}

// copyOut writes the files of a package below a new directory, for programs that
// need one. Paths were checked when the package was read.
func copyOut(pkg *pkgfmt.Package, dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, f := range pkg.Tree.Files {
		if parent := path.Dir(f.Path); parent != "." {
			if err := root.MkdirAll(parent, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
				return err
			}
		}
		if err := root.WriteFile(f.Path, f.Data, 0o600); err != nil {
			return err
		}
	}
	return nil
}
