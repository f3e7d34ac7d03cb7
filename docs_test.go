package pinion_test

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pinion/internal/archtest"
)

// generated documents are tested where they are made.
var generated = []string{"benchmarks.md", "rules.md", "exit-codes.md"}

// documents returns the project's written documents: path → text.
func documents(t *testing.T) map[string]string {
	t.Helper()
	docs := map[string]string{}
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/hosts/*.md", "docs/decisions/*.md"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			docs[filepath.ToSlash(file)] = string(text)
		}
	}
	for _, must := range []string{"README.md", "docs/design.md", "docs/architecture.md"} {
		if docs[must] == "" {
			t.Fatalf("%s is missing", must)
		}
	}
	return docs
}

// TestDocumentedCommands holds every command line in the documents to the help
// of the command it names: that it exists, takes the flags, and takes as many
// arguments. Conventions 57: a doc that can go stale has a test.
func TestDocumentedCommands(t *testing.T) {
	t.Parallel()
	bin := filepath.Join(t.TempDir(), "pinion")
	if runtime.GOOS == "windows" {
		bin += ".exe"
	}
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", bin, "./cmd/pinion").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	h := helper{t: t, bin: bin, cache: map[string]string{}}
	seen := map[string]bool{}
	for file, text := range documents(t) {
		if slices.Contains(generated, filepath.Base(file)) {
			continue
		}
		full, mentioned := commandLines(text)
		for _, line := range full {
			seen[line] = true
			if err := h.check(line, true); err != nil {
				t.Errorf("%s: %q: %v", file, line, err)
			}
		}
		for _, line := range mentioned {
			if err := h.check(line, false); err != nil {
				t.Errorf("%s: %q: %v", file, line, err)
			}
		}
	}
	if len(seen) < 20 {
		t.Errorf("only %d command lines were found; is the pattern still right?", len(seen))
	}
	// The check itself must be able to fail.
	for _, bad := range []string{"pinion instal x", "pinion install x --no-such-flag", "pinion rollback", "pinion rollback a b", "pinion marketplace"} {
		if h.check(bad, true) == nil {
			t.Errorf("check(%q) found nothing wrong", bad)
		}
	}
}

var inlineCode = regexp.MustCompile("`(pinion [^`\n]+)`")

// commandLines returns the lines of code blocks that call pinion, and inline
// code that does, which may leave arguments out. In a block with prompts the
// lines without one are output.
func commandLines(text string) (full, mentioned []string) {
	inBlock, prompts := false, false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") {
			inBlock, prompts = !inBlock, false
			continue
		}
		if !inBlock {
			for _, m := range inlineCode.FindAllStringSubmatch(line, -1) {
				mentioned = append(mentioned, m[1])
			}
			continue
		}
		line, prompt := strings.CutPrefix(line, "$ ")
		prompts = prompts || prompt
		if prompts && !prompt {
			continue
		}
		if line == "pinion" || strings.HasPrefix(line, "pinion ") {
			line, _, _ = strings.Cut(line, " #")
			line, _, _ = strings.Cut(line, " | ")
			full = append(full, strings.TrimSpace(line))
		}
	}
	return full, mentioned
}

// helper asks the binary for help.
type helper struct {
	t     *testing.T
	bin   string
	cache map[string]string
}

// help returns the help of a command, "" when there is none.
func (h *helper) help(words ...string) string {
	key := strings.Join(words, " ")
	if text, ok := h.cache[key]; ok {
		return text
	}
	cmd := exec.CommandContext(h.t.Context(), h.bin, append([]string{"help"}, words...)...)
	cmd.Env = append(os.Environ(), "PINION_HOME="+h.t.TempDir(), "NO_COLOR=1")
	out, err := cmd.Output()
	if err != nil {
		out = nil
	}
	h.cache[key] = string(out)
	return h.cache[key]
}

// check returns what is wrong with a command line. full is whether all its
// arguments must be there.
func (h *helper) check(line string, full bool) error {
	words := strings.Fields(line)[1:]
	if len(words) == 0 {
		return nil
	}
	help, rest := "", words
	for n := min(2, len(words)); n > 0 && help == ""; n-- {
		name := strings.Join(words[:n], " ")
		if text := h.help(words[:n]...); strings.HasPrefix(text, "pinion "+name+":") {
			help, rest = text, words[n:]
		}
	}
	if help == "" {
		return fmt.Errorf("there is no such command")
	}
	flags := flagsIn(h.help())
	maps.Copy(flags, flagsIn(help))
	args := 0
	for i := 0; i < len(rest); i++ {
		if !strings.HasPrefix(rest[i], "-") || rest[i] == "-" {
			args++
			continue
		}
		name, _, hasValue := strings.Cut(rest[i], "=")
		takesValue, ok := flags[name]
		switch {
		case !ok:
			return fmt.Errorf("it has no flag %s", name)
		case takesValue && !hasValue:
			if i++; i == len(rest) {
				return fmt.Errorf("%s needs a value", name)
			}
		}
	}
	least, most := arity(help)
	if full && args < least || most >= 0 && args > most {
		return fmt.Errorf("it takes %d to %d arguments, not %d", least, most, args)
	}
	return nil
}

var flagLine = regexp.MustCompile(`(?m)^  ((?:-[A-Za-z], )?-[-A-Za-z]+)( [A-Z]+)?(?:  |$)`)

// flagsIn returns the flags that a help text lists, and whether each takes a
// value.
func flagsIn(help string) map[string]bool {
	out := map[string]bool{}
	for _, m := range flagLine.FindAllStringSubmatch(help, -1) {
		for name := range strings.SplitSeq(m[1], ", ") {
			out[name] = m[2] != ""
		}
	}
	return out
}

var usageLine = regexp.MustCompile(`(?m)^usage: pinion ([a-z -]+)(.*)$`)

// arity returns how many arguments a help text's usage line asks for; most is
// -1 for any number.
func arity(help string) (least, most int) {
	m := usageLine.FindStringSubmatch(help)
	if m == nil {
		return 0, -1
	}
	for word := range strings.FieldsSeq(m[2]) {
		if strings.HasPrefix(word, "[") {
			word = strings.Trim(word, "[]")
		} else if word = strings.TrimSpace(word); word != "" {
			least++
		}
		if strings.HasSuffix(word, "…") {
			most = -1
		} else if most >= 0 {
			most++
		}
	}
	return least, most
}

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
)

// TestDocumentLinks holds every link between documents to a file, and every
// anchor to a heading.
func TestDocumentLinks(t *testing.T) {
	t.Parallel()
	n := 0
	for file, text := range documents(t) {
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			target, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			n++
			at := cmp.Or(target, filepath.Base(file))
			at = filepath.Join(filepath.Dir(filepath.FromSlash(file)), filepath.FromSlash(at))
			if _, err := os.Stat(at); err != nil {
				t.Errorf("%s links to %s: %v", file, m[1], err)
				continue
			}
			if anchor == "" {
				continue
			}
			to, err := os.ReadFile(at)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Contains(anchors(string(to)), anchor) {
				t.Errorf("%s links to %s, which has no such heading", file, m[1])
			}
		}
	}
	if n < 10 {
		t.Errorf("only %d links were found; is the pattern still right?", n)
	}
}

// anchors returns the anchors that hosting services make of headings.
func anchors(text string) []string {
	var out []string
	for _, m := range heading.FindAllStringSubmatch(text, -1) {
		out = append(out, strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case 'a' <= r && r <= 'z', '0' <= r && r <= '9', r == '-', r == '_':
				return r
			}
			return -1
		}, strings.ToLower(m[1])))
	}
	return out
}

// TestDecisionsListed holds the list of decisions to the files.
func TestDecisionsListed(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("docs/decisions/[0-9]*.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("decisions: %v, %v", files, err)
	}
	index := documents(t)["docs/decisions/README.md"]
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		first, _, _ := strings.Cut(string(text), "\n")
		number, title, _ := strings.Cut(strings.TrimPrefix(first, "# "), ": ")
		if want := fmt.Sprintf("- [%s](%s): %s\n", number, filepath.Base(file), title); !strings.Contains(index, want) {
			t.Errorf("docs/decisions/README.md lacks the line %q", want)
		}
	}
}

// TestReadmeExample holds the Go code of the README to the example that
// compiles and runs.
func TestReadmeExample(t *testing.T) {
	t.Parallel()
	_, rest, _ := strings.Cut(documents(t)["README.md"], "```go\n")
	code, _, ok := strings.Cut(rest, "```")
	if !ok {
		t.Fatal("README.md has no Go code")
	}
	example, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	unindented := regexp.MustCompile(`(?m)^\t`).ReplaceAllString(string(example), "")
	if !strings.Contains(unindented, code) {
		t.Errorf("the README's Go code is not in example_test.go:\n%s", code)
	}
}

// TestArchitectureTable holds the table of packages in docs/architecture.md to
// the one that the sources are held to. House rule 4.
func TestArchitectureTable(t *testing.T) {
	t.Parallel()
	text := documents(t)["docs/architecture.md"]
	got := map[string]string{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\| [^|]+ \\| ([^|]+) \\|$").FindAllStringSubmatch(text, -1) {
		got[m[1]] = m[2]
	}
	want := map[string]string{}
	for path, rule := range archtest.Imports() {
		want[path] = mayImport(rule)
	}
	for _, path := range slices.Sorted(maps.Keys(want)) {
		if got[path] != want[path] {
			t.Errorf("docs/architecture.md: the row of `%s` says %q, want %q", path, got[path], want[path])
		}
	}
	for path := range got {
		if _, ok := want[path]; !ok {
			t.Errorf("docs/architecture.md has a row for `%s`, which is not in the table of imports", path)
		}
	}
	for lib, owner := range archtest.Libraries() {
		row := regexp.MustCompile("(?m)^\\|[^|]*`" + regexp.QuoteMeta(lib) + "`[^|]*\\| `" + owner + "` \\|$")
		if usesLibrary(t, lib) != row.MatchString(text) {
			t.Errorf("docs/architecture.md: the row of library %s, imported by %s: in use %t, listed %t", lib, owner, usesLibrary(t, lib), row.MatchString(text))
		}
	}
}

// mayImport is how the document writes a rule.
func mayImport(r archtest.Rule) string {
	var own, not []string
	for _, p := range r.Own {
		if p == "..." {
			p = "everything"
		} else {
			p = code(p)
		}
		own = append(own, p)
	}
	for _, p := range r.Not {
		not = append(not, code(p))
	}
	s := cmp.Or(strings.Join(own, ", "), "nothing")
	if len(not) > 0 {
		s += ", but not " + strings.Join(not, ", ")
	}
	return s
}

func code(p string) string { return "`" + strings.ReplaceAll(p, "...", "…") + "`" }

// usesLibrary reports whether any source of the module imports a library.
func usesLibrary(t *testing.T, lib string) bool {
	t.Helper()
	sum, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	// Of a module that tests use as well it may be one package.
	if !strings.Contains(string(sum), lib+" ") && !strings.Contains(string(sum), path.Dir(lib)+" ") {
		return false
	}
	owner := archtest.Libraries()[lib]
	files, err := filepath.Glob(filepath.Join(filepath.FromSlash(owner), "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(src), `"`+lib+`"`) || strings.Contains(string(src), `"`+lib+"/") {
			return true
		}
	}
	return false
}
