package author

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pinion/problem"
)

var catalogs = []string{"marketplace.json", ".claude-plugin/marketplace.json", ".agents/plugins/marketplace.json", ".cursor-plugin/marketplace.json"}

// repo is a repository with one package that states its version everywhere, in
// the odd ways in which people write files. OLD stands for the version.
func repo() map[string]string {
	return map[string]string{
		"p/x/.claude-plugin/plugin.json": "\ufeff{ \"name\":\"x\",\r\n\t\"version\" :  \"OLD\" ,\"note\": \"1.2.3\", \"n\": 1e3}\r\n\r\n",
		"p/x/.codex-plugin/plugin.json":  "{\n    \"version\": \"OLD\",\n    \"name\": \"x\"}",
		"p/x/.cursor-plugin/plugin.json": `{"name":"x","version":"OLD"}`,
		"p/x/plugin.json":                "{\"name\": \"x\", \"version\": \"OLD\"}\n",
		"p/x/gemini-extension.json":      "{\"version\":\"OLD\", \"dependencies\": {\"version\": \"1.2.3\"}}\n",
		"p/x/package.json":               "{\"name\": \"x\", \"version\": \"OLD\"}\n",
		"p/x/SKILL.md":                   "---\r\nname: x # 1.2.3\r\nversion:   'OLD'\r\nmetadata: {a: 1.2.3, version: \"OLD\"}\r\n---\r\nversion: 1.2.3\r\n",
		"p/x/sub/package.json":           "{\"version\": \"1.2.3\"}",
		".claude-plugin/marketplace.json": "{\"name\": \"m\", \"version\": \"1.2.3\", \"metadata\": {\"pluginRoot\": \"./p\"}, \"plugins\": [\n" +
			"  {\"name\": \"w\", \"source\": \"./p/w\", \"version\": \"1.2.3\"},\n" +
			"  {\"name\": \"x\", \"source\": \"x\", \"version\": \"OLD\"},\n" +
			"  {\"name\": \"x2\", \"source\": {\"source\": \"github\", \"repo\": \"a/x\"}, \"version\": \"1.2.3\"}]}\n",
		".agents/plugins/marketplace.json": "{\"plugins\": [{\"name\": \"x\", \"source\": {\"source\": \"local\", \"path\": \"./p/x\"}, \"version\": \"OLD\"}]}",
		".cursor-plugin/marketplace.json":  "{\"plugins\": [{\"name\": \"x\", \"source\": \"./p/x/\"}]}",
		"marketplace.json":                 "{\"schema_version\": 1, \"plugins\": [{\"name\": \"x\", \"source\": \"./p/x\", \"version\": \"1.2.3\", \"hash\": \"h1:AAAA\"}]}",
	}
}

func stated(files map[string]string, version string) map[string]string {
	out := map[string]string{}
	for name, data := range files {
		out[name] = strings.ReplaceAll(data, "OLD", version)
	}
	return out
}

// Every file that states the version gets the new one; every other byte, and
// the mode, stays.
func TestBumpWritesEverywhere(t *testing.T) {
	t.Parallel()
	dir, want := t.TempDir(), t.TempDir()
	put(t, dir, stated(repo(), "1.2.3"))
	put(t, want, stated(repo(), "1.3.0"))
	for _, d := range []string{dir, want} {
		if err := os.Chmod(filepath.Join(d, "p/x/plugin.json"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	o := BumpOptions{Repo: dir, Catalogs: catalogs, DryRun: true}
	before := snapshot(t, dir)
	planned, err := Bump(t.Context(), filepath.Join(dir, "p", "x"), "minor", o)
	if err != nil {
		t.Fatal(err)
	}
	if snapshot(t, dir) != before {
		t.Error("a dry run changed something")
	}
	o.DryRun = false
	got, err := Bump(t.Context(), filepath.Join(dir, "p", "x"), "minor", o)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := snapshot(t, dir), snapshot(t, want); got != want {
		t.Errorf("wrote\n%q\nwant\n%q", got, want)
	}
	var files []string
	for name, data := range repo() {
		if strings.Contains(data, "OLD") {
			files = append(files, name)
		}
	}
	slices.Sort(files)
	if got.From != "1.2.3" || got.To != "1.3.0" || !slices.Equal(got.Files, files) || !slices.Equal(got.Rebuild, []string{"marketplace.json"}) {
		t.Errorf("Bump = %+v, want the files %q", got, files)
	}
	if fmt.Sprint(planned) != fmt.Sprint(got) {
		t.Errorf("the dry run promised %+v, got %+v", planned, got)
	}
}

// A package that is its own repository, and one outside of any.
func TestBumpPlaces(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"pinion-plugin.json":              `{"id": "x", "version": "OLD"}`,
		".claude-plugin/marketplace.json": `{"plugins": [{"name": "x", "source": "./", "version": "OLD"}]}`,
	}
	for _, inRepo := range []bool{true, false} {
		dir, want := t.TempDir(), t.TempDir()
		put(t, dir, stated(files, "0.1.0"))
		expected := stated(files, "0.1.1")
		o := BumpOptions{Repo: dir, Catalogs: catalogs}
		if !inRepo {
			o.Repo = ""
			o.Catalogs = nil
			expected[".claude-plugin/marketplace.json"] = strings.ReplaceAll(files[".claude-plugin/marketplace.json"], "OLD", "0.1.0")
		}
		put(t, want, expected)
		if _, err := Bump(t.Context(), dir, "patch", o); err != nil {
			t.Fatal(err)
		}
		if got, want := snapshot(t, dir), snapshot(t, want); got != want {
			t.Errorf("in a repository %v: wrote\n%s\nwant\n%s", inRepo, got, want)
		}
	}
	if _, err := Bump(t.Context(), t.TempDir(), "patch", BumpOptions{Repo: t.TempDir()}); err == nil || !strings.Contains(err.Error(), "does not lie in") {
		t.Errorf("a package elsewhere: %v", err)
	}
	if _, err := Bump(t.Context(), filepath.Join(t.TempDir(), "none"), "patch", BumpOptions{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no package: %v", err)
	}
}

func TestBumpSteps(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		from, how string
		force     bool
		want      string // "" when it is refused
		hint      string
	}{
		{"1.2.3", "patch", false, "1.2.4", ""}, {"1.2.3", "minor", false, "1.3.0", ""}, {"1.2.3", "major", false, "2.0.0", ""},
		{"1.2.3+b", "patch", false, "1.2.4", ""}, {"0.0.0", "patch", false, "0.0.1", ""},
		{"2.0.0-rc.1", "patch", false, "2.0.0", ""}, {"2.0.0-rc.1", "minor", false, "2.0.0", ""}, {"2.0.0-rc.1", "major", false, "2.0.0", ""},
		{"2.1.0-rc.1", "major", false, "3.0.0", ""}, {"2.1.1-rc.1", "minor", false, "2.2.0", ""},
		{"1.2.3", "1.2.4", false, "1.2.4", ""}, {"1.2.3", "2.0.0-rc.1", false, "2.0.0-rc.1", ""}, {"2.0.0-rc.1", "2.0.0", false, "2.0.0", ""},
		{"1.9.0", "1.10.0", false, "1.10.0", ""},
		{"1.2.3", "1.2.3", false, "", "--force"}, {"1.2.3", "1.2.2", false, "", "--force"}, {"1.10.0", "1.9.0", false, "", "--force"},
		{"1.2.3", "1.2.3+b", false, "", "--force"}, {"2.0.0", "2.0.0-rc.1", false, "", "--force"},
		{"1.2.3", "1.2.2", true, "1.2.2", ""},
		{"1.2.3", "v1.3.0", false, "", "did you mean 1.3.0?"}, {"1.2.3", "1.3", false, "", "did you mean 1.3.0?"}, {"1.2.3", "v2", false, "", "did you mean 2.0.0?"},
		{"1.2.3", "pacth", false, "", "did you mean patch?"}, {"1.2.3", "", false, "", "versions look like"}, {"1.2.3", "1.0.0/../../x", true, "", "versions look like"},
		{"1.2.3", "01.0.0", true, "", "versions look like"}, {"1.2.3", "1.2.4\n", true, "", ""},
		{"1.2", "patch", false, "", "the new version itself"}, {"latest", "major", false, "", "the new version itself"}, {"1.2", "1.2.1", false, "1.2.1", ""},
		{"18446744073709551615.0.0", "major", false, "", "the new version itself"},
	} {
		got, err := next(c.from, c.how, c.force)
		var e *Error
		if got != c.want || (err == nil) != (c.want != "") || err != nil && (!errors.As(err, &e) || !strings.Contains(e.Hint, c.hint)) {
			t.Errorf("next(%q, %q, %v) = %q, %v, hint %+v; want %q, hint %q", c.from, c.how, c.force, got, err, e, c.want, c.hint)
		}
	}
}

// What Bump changes in one file, and where it finds the old version.
func TestBumpStatements(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		before map[string]string
		how    string
		after  map[string]string // nil when it is refused
		says   string            // of the error
	}{
		{"package.json of another version stays",
			map[string]string{"plugin.json": `{"version": "1.0.0"}`, "package.json": `{"version": "7.0.0"}`}, "patch",
			map[string]string{"plugin.json": `{"version": "1.0.1"}`, "package.json": `{"version": "7.0.0"}`}, ""},
		{"a sibling that lags is brought up",
			map[string]string{"pinion-plugin.json": `{"version": "1.1.0"}`, ".codex-plugin/plugin.json": `{"version": "1.0.0"}`}, "minor",
			map[string]string{"pinion-plugin.json": `{"version": "1.2.0"}`, ".codex-plugin/plugin.json": `{"version": "1.2.0"}`}, ""},
		{"a sibling that is ahead stops it",
			map[string]string{"pinion-plugin.json": `{"version": "1.1.0"}`, ".codex-plugin/plugin.json": `{"version": "3.0.0"}`}, "minor",
			nil, ".codex-plugin/plugin.json states version 3.0.0"},
		{"a sibling without a version stays",
			map[string]string{"pinion-plugin.json": `{"version": "1.1.0"}`, ".codex-plugin/plugin.json": `{}`, "plugin.json": `{"version": 7}`}, "patch",
			map[string]string{"pinion-plugin.json": `{"version": "1.1.1"}`, ".codex-plugin/plugin.json": `{}`, "plugin.json": `{"version": 7}`}, ""},
		{"a skill by itself",
			map[string]string{"SKILL.md": "---\nname: x\nmetadata:\n  author: a\n  version: 1.0.0\n---\n1.0.0\n"}, "patch",
			map[string]string{"SKILL.md": "---\nname: x\nmetadata:\n  author: a\n  version: 1.0.1\n---\n1.0.0\n"}, ""},
		{"a skill with a short version",
			map[string]string{"SKILL.md": "---\nname: x\nversion: \"1.10\"\n---\n"}, "1.11.0",
			map[string]string{"SKILL.md": "---\nname: x\nversion: \"1.11.0\"\n---\n"}, ""},
		{"a skill with a number",
			map[string]string{"SKILL.md": "---\nname: x\nversion: 1.10\n---\n"}, "2.0.0",
			map[string]string{"SKILL.md": "---\nname: x\nversion: 2.0.0\n---\n"}, ""},
		{"a skill with another version than its manifest",
			map[string]string{"plugin.json": `{"version": "1.0.0"}`, "SKILL.md": "---\nname: x\nversion: 3.0.0\n---\n"}, "patch",
			map[string]string{"plugin.json": `{"version": "1.0.1"}`, "SKILL.md": "---\nname: x\nversion: 3.0.0\n---\n"}, ""},
		{"duplicate keys: the last counts for hosts",
			map[string]string{"plugin.json": `{"version": "0.0.1", "version": "1.0.0"}`}, "patch",
			map[string]string{"plugin.json": `{"version": "0.0.1", "version": "1.0.1"}`}, ""},
		{"only in the catalog",
			map[string]string{"marketplace.json": `{"plugins": [{"source": "./", "version": "1.0.0"}, {"source": "./y", "version": "1.0.0"}]}`}, "major",
			map[string]string{"marketplace.json": `{"plugins": [{"source": "./", "version": "2.0.0"}, {"source": "./y", "version": "1.0.0"}]}`}, ""},
		{"several plugins in one directory",
			map[string]string{"plugin.json": `{"version": "1.0.0"}`, "marketplace.json": `{"plugins": [{"source": "./", "version": "1.0.0"}, {"source": ".", "version": "4.0.0"}]}`}, "patch",
			map[string]string{"plugin.json": `{"version": "1.0.1"}`, "marketplace.json": `{"plugins": [{"source": "./", "version": "1.0.1"}, {"source": ".", "version": "4.0.0"}]}`}, ""},
		{"odd catalogs",
			map[string]string{"plugin.json": `{"version": "1.0.0"}`, "marketplace.json": `{"plugins": [7, {"source": 7, "version": "1.0.0"}, {"source": "../..", "version": "1.0.0"}, {"source": "https://x/.", "version": "1.0.0"}]}`}, "patch",
			map[string]string{"plugin.json": `{"version": "1.0.1"}`, "marketplace.json": `{"plugins": [7, {"source": 7, "version": "1.0.0"}, {"source": "../..", "version": "1.0.0"}, {"source": "https://x/.", "version": "1.0.0"}]}`}, ""},
		{"none", map[string]string{".claude-plugin/plugin.json": `{"name": "x"}`}, "patch", nil, "no file of the package states a version"},
		{"nothing at all", map[string]string{"README": "x"}, "patch", nil, "no file of the package states a version"},
		{"broken", map[string]string{"pinion-plugin.json": `{"version": "1.0.0"}`, "package.json": "{\n"}, "patch", nil, "package.json"},
		{"lower", map[string]string{"pinion-plugin.json": `{"version": "1.0.0"}`}, "0.9.0", nil, "lower than 1.0.0"},
	} {
		dir, want := t.TempDir(), t.TempDir()
		put(t, dir, c.before)
		if c.after == nil {
			put(t, want, c.before)
		} else {
			put(t, want, c.after)
		}
		_, err := Bump(t.Context(), dir, c.how, BumpOptions{Repo: dir, Catalogs: catalogs})
		if (err == nil) != (c.after != nil) || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.name, err, c.says)
		}
		if got, want := snapshot(t, dir), snapshot(t, want); got != want {
			t.Errorf("%s: the files are\n%s\nwant\n%s", c.name, got, want)
		}
	}
}

// The error of a package without a version says where to write one; a file
// that is not JSON is content, not a failure of the run.
func TestBumpErrors(t *testing.T) {
	t.Parallel()
	for name, hint := range map[string]string{".claude-plugin/plugin.json": `add "version": "0.1.0" to .claude-plugin/plugin.json`, "README": "SKILL.md"} {
		dir := t.TempDir()
		put(t, dir, map[string]string{name: "{}"})
		var e *Error
		if _, err := Bump(t.Context(), dir, "patch", BumpOptions{}); !errors.As(err, &e) || !strings.Contains(e.Hint, hint) {
			t.Errorf("%s: %v, %+v", name, err, e)
		}
	}
	dir := t.TempDir()
	put(t, dir, map[string]string{"pinion-plugin.json": `{"version": "1.0.0"`})
	var ce *problem.ContentError
	if _, err := Bump(t.Context(), dir, "patch", BumpOptions{}); !errors.As(err, &ce) || ce.Problems[0].File != "pinion-plugin.json" || ce.Problems[0].Line == 0 {
		t.Errorf("broken: %v", err)
	}
}

// Links are left alone: what they point to may lie outside.
func TestBumpFollowsNoLinks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, map[string]string{"outside.json": `{"version": "1.0.0"}`, "outside/plugin.json": `{"version": "1.0.0"}`, "repo/p/plugin.json": `{"version": "1.0.0"}`})
	for link, target := range map[string]string{"package.json": "../../outside.json", ".codex-plugin": "../../outside", "gemini-extension.json": "plugin.json"} {
		if err := os.Symlink(target, filepath.Join(dir, "repo/p", link)); err != nil {
			t.Skipf("no links here: %v", err)
		}
	}
	got, err := Bump(t.Context(), filepath.Join(dir, "repo/p"), "patch", BumpOptions{Repo: filepath.Join(dir, "repo")})
	if err != nil || !slices.Equal(got.Files, []string{"p/plugin.json"}) {
		t.Errorf("%+v, %v", got, err)
	}
	for _, name := range []string{"outside.json", "outside/plugin.json"} {
		if data, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(data) != `{"version": "1.0.0"}` {
			t.Errorf("%s became %s, %v", name, data, err)
		}
	}
	if st, err := os.Lstat(filepath.Join(dir, "repo/p/gemini-extension.json")); err != nil || st.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link was replaced: %v, %v", st, err)
	}
}

// All or nothing: whichever step fails, every file is what it was and no
// temporary file is left.
func TestReplaceFailsAtEachStep(t *testing.T) {
	t.Parallel()
	files := map[string]string{"a": "old a", "d/b": "old b", "c": "old c"}
	edits := []edit{
		{path: "a", old: []byte("old a"), new: []byte("new a")}, {path: "c", old: []byte("old c"), new: []byte("new c")},
		{path: "d/b", old: []byte("old b"), new: []byte("new b")},
	}
	errStep := errors.New("this step fails")
	for fail := 0; ; fail++ {
		dir := t.TempDir()
		put(t, dir, files)
		before := snapshot(t, dir)
		root, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		steps := 0
		r := replacement{root: root, hook: func(string, string) error {
			if steps++; steps > fail {
				return errStep
			}
			return nil
		}}
		err = r.run(edits)
		root.Close()
		if err == nil {
			if fail != 9 { // three files, each two writes and a rename
				t.Errorf("there are %d steps, want 9", fail)
			}
			if got, want := snapshot(t, dir), strings.ReplaceAll(before, "old", "new"); got != want {
				t.Errorf("replaced\n%s\nwant\n%s", got, want)
			}
			return
		}
		if after := snapshot(t, dir); !errors.Is(err, errStep) || after != before {
			t.Fatalf("step %d failed with %v and left\n%s\nof\n%s", fail, err, after, before)
		}
	}
}

// A file that was edited since it was read is not overwritten.
func TestReplaceSeesOtherWriters(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, map[string]string{"a": "old a", "b": "edited by someone"})
	before := snapshot(t, dir)
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	err = (&replacement{root: root}).run([]edit{
		{path: "a", old: []byte("old a"), new: []byte("new")}, {path: "b", old: []byte("old b"), new: []byte("new")},
	})
	if err == nil || !strings.Contains(err.Error(), "in the meantime") || snapshot(t, dir) != before {
		t.Errorf("%v, left\n%s", err, snapshot(t, dir))
	}
}
