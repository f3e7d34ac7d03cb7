package pinion_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pinion"
	"pinion/catalog"
	"pinion/internal/testkit"
	"pinion/market"
	"pinion/pkgfmt"
	"pinion/problem"
	"pinion/tree"
)

var update = flag.Bool("update", false, "rewrite the expected summaries in testdata/corpus")

// sampleEntries is how large a repository may be to be read in a sampled run.
const sampleEntries = 500

// TestCorpus rebuilds public repositories that nobody here wrote: their real
// manifests in trees of their real shape with made-up content. Each is
// validated as a directory and added as a marketplace from git, and what came
// out is compared with a summary that people reviewed.
func TestCorpus(t *testing.T) { // SB-001, SB-061
	if runtime.GOOS == "windows" {
		t.Skip("the trees have links and names that this system refuses")
	}
	shared := testkit.SharedDir(t)
	tsvs, err := filepath.Glob(filepath.Join(shared, "corpus", "*", "_TREE.tsv"))
	if err != nil || len(tsvs) < 40 {
		t.Fatalf("%d repositories, %v: want the whole corpus", len(tsvs), err)
	}
	known := map[string]bool{}
	for _, r := range pinion.Rules() {
		known[r.ID] = true
	}
	sampled := 0
	for _, tsv := range tsvs {
		repo := filepath.Dir(tsv)
		shape := readShape(t, repo)
		if len(shape) > sampleEntries && (testing.Short() || raceBuild()) {
			sampled++
			continue
		}
		t.Run(filepath.Base(repo), func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
			defer cancel()
			files := rebuild(t, repo, shape)
			s := &summary{t: t, known: known}
			fmt.Fprintf(s, "# %s\n", strings.Replace(filepath.Base(repo), "+", "/", 1))
			s.validate(ctx, files)
			s.marketplaces(ctx, files)
			s.compare(filepath.Join("testdata", "corpus", filepath.Base(repo)+".txt"))
		})
	}
	if sampled > 0 {
		t.Logf("%d repositories with more than %d entries are left out of a short or race run", sampled, sampleEntries)
	}
}

// raceBuild reports whether the race detector slows this run down.
func raceBuild() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// summary collects what one repository gave, as lines for people.
type summary struct {
	strings.Builder
	t     *testing.T
	known map[string]bool
}

// validate judges the tree as an author's directory.
func (s *summary) validate(ctx context.Context, files testkit.Files) {
	dir := filepath.Join(scratchDir(s.t), "checkout")
	write(s.t, dir, files)
	c, err := pinion.New(pinion.Options{Home: filepath.Join(s.t.TempDir(), "home"), Cwd: dir, Offline: true})
	if err != nil {
		s.t.Fatal(err)
	}
	defer c.Close()
	r, err := c.Validate(ctx, nil, pinion.ValidateOptions{})
	if err != nil {
		s.t.Fatalf("validate: %v", err)
	}
	all := r.All()
	s.positions(all, files)
	fmt.Fprintf(s, "validate: %d packages, %d errors, %d warnings, %d notes\n",
		len(r.Packages), all.Count(problem.Error), all.Count(problem.Warning), all.Count(problem.Note))
	counts := map[string]int{}
	for _, p := range all {
		counts[fmt.Sprintf("%s %s", p.Severity, p.Rule)]++
	}
	for _, k := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(s, "  %4d %s\n", counts[k], k)
	}
	for _, p := range all {
		if p.Severity == problem.Error {
			fmt.Fprintf(s, "%s\n", p)
		}
	}
	fmt.Fprintln(s, "\npackages: path, format, id, version, kind, components, error rules")
	root, err := tree.OpenDir(dir)
	if err != nil {
		s.t.Fatal(err)
	}
	defer root.Close()
	loader := pinion.Loader()
	scratch := new(tree.Scratch)
	for _, p := range r.Packages {
		at := pkgfmt.Place{Path: p.Path, Name: path.Base(p.Path)}
		t, err := root.Read(ctx, p.Path, loader.Options(at), scratch)
		if err != nil {
			s.t.Fatalf("%s: %v", p.Path, err)
		}
		bad := map[string]bool{}
		for _, q := range p.Problems {
			if q.Severity == problem.Error {
				bad[q.Rule] = true
			}
		}
		components := "-" // the catalog's entry counts too, see below
		if alone := loader.Load(t, at); alone.Digest == p.Digest {
			components = fmt.Sprint(len(alone.Manifest.Components))
		}
		fmt.Fprintf(s, "  %s  %s %s %s %s %s %s\n", p.Path, dash(p.Format), dash(p.ID), version(p.Version), p.Kind,
			components, strings.Join(slices.Sorted(maps.Keys(bad)), ","))
	}
}

// positions holds every finding to its promise: a known rule, a file, and a
// line where the finding is about what the file says.
func (s *summary) positions(all problem.List, files testkit.Files) {
	for _, p := range all {
		whole := strings.HasPrefix(p.Rule, "files/") || strings.HasPrefix(p.Rule, "path/") || p.Rule == "manifest/missing" || p.Rule == "skill/missing"
		switch {
		case !s.known[p.Rule]:
			s.t.Errorf("%s: the rule is not listed", p)
		case p.File == "" || path.IsAbs(p.File):
			s.t.Errorf("%s: %q is no file of the repository", p, p.File)
		case p.Line < 1 && !whole:
			s.t.Errorf("%s: no line", p)
		case p.Line > 0:
			f, ok := files[p.File]
			if ok && f.Mode != "120000" && p.Line > strings.Count(f.Data, "\n")+1 {
				s.t.Errorf("%s: the file has %d lines", p, strings.Count(f.Data, "\n")+1)
			}
		}
	}
}

// marketplaces adds the repository once by each catalog that it has.
func (s *summary) marketplaces(ctx context.Context, files testkit.Files) {
	repo := testkit.NewRepo(s.t)
	repo.Commit("main", files)
	for _, name := range catalog.Candidates() {
		if _, ok := files[name]; !ok {
			continue
		}
		c, err := pinion.New(pinion.Options{Home: filepath.Join(s.t.TempDir(), "home"), Cwd: repo.Dir})
		if err != nil {
			s.t.Fatal(err)
		}
		_, err = c.MarketplaceAdd(ctx, "file://"+repo.Dir, market.AddOptions{Name: "corpus", Catalog: name})
		var refused *market.CatalogError
		switch {
		case errors.As(err, &refused):
			fmt.Fprintf(s, "\ncatalog %s refused\n", name)
			for _, p := range refused.Problems {
				fmt.Fprintf(s, "  %s\n", p)
			}
		case err != nil:
			s.t.Errorf("add by %s: %v", name, err)
		default:
			s.entries(ctx, c, name)
		}
		c.Close()
	}
}

// entries lists what can be done with each plugin of a catalog.
func (s *summary) entries(ctx context.Context, c *pinion.Client, name string) {
	d, err := c.MarketplaceInfo(ctx, "corpus")
	if err != nil {
		s.t.Fatal(err)
	}
	counts := map[market.Status]int{}
	for _, p := range d.Entries {
		counts[p.Status]++
	}
	fmt.Fprintf(s, "\ncatalog %s (%s): %d entries", name, d.Flavour, len(d.Entries))
	for _, st := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(s, ", %d %s", counts[st], st)
	}
	fmt.Fprintln(s)
	for _, p := range d.Entries {
		if p.Status == market.Unavailable && !s.known[p.Rule] {
			s.t.Errorf("%s: unavailable by the unlisted rule %q", p.ID, p.Rule)
		}
		switch p.Status {
		case market.Ready:
			fmt.Fprintf(s, "  %s  %s ready %s %s %d components %d files", p.ID, version(p.Version), p.Format, p.Kind, len(p.Components), p.Files)
			if !p.Origin.Select.Whole() {
				fmt.Fprintf(s, ", selected from %s", p.Origin.Path)
			}
			fmt.Fprintln(s)
		case market.Unavailable:
			fmt.Fprintf(s, "  %s  %s unavailable %s: %s\n", p.ID, version(p.Version), p.Rule, p.Why)
		default:
			fmt.Fprintf(s, "  %s  %s %s %s\n", p.ID, version(p.Version), p.Status, p.Why)
		}
	}
}

// compare holds the summary against the reviewed one.
func (s *summary) compare(golden string) {
	got := s.String()
	if *update {
		if err := errors.Join(os.MkdirAll(filepath.Dir(golden), 0o755), os.WriteFile(golden, []byte(got), 0o644)); err != nil {
			s.t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(golden)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		s.t.Errorf("%s (-want +got), go test -run TestCorpus -update rewrites it:\n%s", golden, diff)
	}
}

var contentVersion = regexp.MustCompile(`^0\.0\.0-h[0-9a-f]{12}$`)

// version hides what depends on the made-up content.
func version(v string) string {
	if contentVersion.MatchString(v) {
		return "0.0.0-h*"
	}
	return dash(v)
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// faults are the rules by which each kind of fault of a real broken file is
// found; a kind without one is what hosts and Pinion read.
var faults = map[string][]string{
	"json-trailing-comma":   {"json/syntax"},
	"json-unparsable":       {"json/syntax"},
	"json-merge-conflict":   {"json/syntax"},
	"json-crlf":             nil,
	"fm-not-at-start":       {"skill/no-frontmatter", "skill/frontmatter"},
	"fm-inline-triple-dash": {"yaml/syntax"},
	"fm-unclosed":           {"skill/frontmatter-unclosed"},
	"skill-bom":             {"skill/no-frontmatter"},
	"skill-mixed-eol":       nil, // outside git nobody converts them
	"skill-non-utf8":        nil, // after the frontmatter, which is all that was kept
	"skill-hidden-unicode":  nil, // well-formed; what it hides is for the scan
	"yaml-unquoted-colon":   {"yaml/syntax"},
	"yaml-other":            {"yaml/syntax"},
	"yaml-bad-start-char":   {"yaml/syntax"},
	"yaml-control-char":     {"yaml/syntax"},
	"yaml-flow-syntax":      {"yaml/syntax"},
	"yaml-missing-colon":    {"yaml/syntax"},
	"yaml-duplicate-key":    {"yaml/duplicate-key"},
}

// TestBrokenFiles puts every broken file that the histories of these
// repositories hold in its original place in a small package.
func TestBrokenFiles(t *testing.T) {
	t.Parallel()
	indexes, err := filepath.Glob(filepath.Join(testkit.SharedDir(t), "corpus", "*", "_history", "INDEX.tsv"))
	if err != nil || len(indexes) == 0 {
		t.Fatalf("%d histories, %v", len(indexes), err)
	}
	c, err := pinion.New(pinion.Options{Home: filepath.Join(t.TempDir(), "home"), Cwd: t.TempDir(), Offline: true})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	n := 0
	for _, index := range indexes {
		rows, err := os.ReadFile(index)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range strings.Split(strings.TrimSpace(string(rows)), "\n")[1:] {
			col := strings.Split(row, "\t")
			file, place, kind := filepath.Join(filepath.Dir(index), col[0]), col[1], col[4]
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if n++; strings.HasPrefix(place, ".github/plugin/") {
				continue // Copilot's own manifest, which no format reads yet
			}
			files := testkit.Files{place: testkit.Text(string(data))}
			if strings.HasSuffix(place, "plugin.json") {
				files[path.Join(path.Dir(path.Dir(place)), "skills", "s", "SKILL.md")] = testkit.Text("---\nname: s\ndescription: Made up.\n---\n")
			}
			dir := t.TempDir()
			write(t, dir, files)
			r, err := c.Validate(t.Context(), []string{dir}, pinion.ValidateOptions{})
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			found := false
			for _, p := range r.All() {
				inFile := strings.HasSuffix(p.File, "/"+place)
				found = found || inFile && p.Line > 0 && p.Column > 0 && slices.Contains(faults[kind], p.Rule)
			}
			if want, known := faults[kind]; !known {
				t.Errorf("%s: a new kind of fault %q: %v", file, kind, r.All())
			} else if !found && len(want) > 0 {
				t.Errorf("%s (%s): none of %v is found, only %v", file, kind, want, r.All())
			}
		}
	}
	if n < 100 {
		t.Errorf("%d broken files, want all of the corpus", n)
	}
}
