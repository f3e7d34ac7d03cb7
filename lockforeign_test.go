package pinion_test

import (
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pinion"
	"pinion/internal/testkit"
)

// lockWorld is what testdata/locks was made from: skills 1.7.4 and apm 0.35.0
// installed from these repositories, served on loopback, and wrote the files there.
// The commits are the same whoever makes them.
type lockWorld struct {
	*world
	skills  *testkit.Repo
	project string
	fill    *strings.Replacer
}

func newLockWorld(t *testing.T) *lockWorld {
	t.Helper()
	w := &lockWorld{world: newWorld(t), skills: testkit.NewRepo(t)}
	skill := func(n string) testkit.File {
		return testkit.Text("---\nname: " + n + "\ndescription: Says " + n + " when asked.\n---\n# " + n + "\n")
	}
	files := testkit.Files{"skills/alpha/SKILL.md": skill("alpha"), "skills/beta/SKILL.md": skill("beta"), "README.md": testkit.Text("x")}
	for _, n := range []string{"a.md", "B.md", "b.md", "A_1.md", "a-1.md", "a1.md", "zeta/Q.md", "zeta.md", "metadata.json", "10.md", "9.md", "scripts/run.sh"} {
		files["skills/alpha/"+n] = testkit.Text("file " + n + "\n")
	}
	commit := w.skills.Commit("main", files)
	w.skills.Tag("v1.0.0", commit)
	tools, plug := testkit.NewRepo(t), testkit.NewRepo(t)
	command := testkit.Text("---\ndescription: hi\n---\nhi\n")
	tools.Commit("main", testkit.Files{
		"apm.yml": testkit.Text("name: tools\nversion: 1.2.0\n"), ".apm/instructions/x.instructions.md": testkit.Text("---\napplyTo: \"**\"\n---\nx\n"),
		".claude-plugin/plugin.json": testkit.Text(`{"name": "tools", "version": "1.2.0", "description": "x"}`), "commands/hi.md": command,
	})
	plug.Commit("main", testkit.Files{
		".claude-plugin/plugin.json": testkit.Text(`{"name": "plug", "version": "1.2.0", "description": "x"}`), "commands/hi.md": command,
	})
	gh, srv := testkit.NewGitHub(t), testkit.NewGitServerTLS(t)
	for name, repo := range map[string]*testkit.Repo{"acme/skills": w.skills, "acme/tools": tools, "acme/plug": plug} {
		gh.Git.Add(name, repo)
		srv.Add(name, repo)
	}
	w.env["PINION_GITHUB_API"], w.env["PINION_GITHUB_CLONE"] = gh.API, gh.Git.URL
	u, err := url.Parse(srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	w.fill = strings.NewReplacer("GIT_URL", srv.URL, "GIT_HOST", u.Hostname(), "GIT_PORT", u.Port())
	w.project = t.TempDir()
	return w
}

func (w *lockWorld) client() *pinion.Client {
	return w.world.client(func(o *pinion.Options) {
		o.Project = w.project
		o.HTTP = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	})
}

// lock puts a file of testdata into the project, as name, changed by edits.
func (w *lockWorld) lock(from, name string, edits ...string) string {
	w.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "locks", from))
	if err != nil {
		w.Fatal(err)
	}
	text := strings.NewReplacer(edits...).Replace(w.fill.Replace(string(data)))
	return w.file(name, text)
}

func (w *lockWorld) file(name, text string) string {
	w.Helper()
	p := filepath.Join(w.project, name)
	if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
		w.Fatal(err)
	}
	return p
}

// became says what became of each entry.
func became(r *pinion.LockReport) []string {
	out := []string{}
	if r == nil {
		return out
	}
	for _, in := range r.Imported {
		line := fmt.Sprintf("%s %s %s", in.ID, in.Path, in.Hash)
		if in.Resolved {
			line += " resolved"
		}
		if in.Already {
			line += " already"
		}
		if in.HashWhy != "" {
			line += " (" + in.HashWhy + ")"
		}
		out = append(out, line)
	}
	for _, l := range r.Left {
		out = append(out, "- "+l.Name+": "+l.Why)
	}
	return out
}

// formats 1.10-1.12: the locks that the real clients write, their digests compared.
func TestImportForeignLocks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, from, as string
		edits          []string
		want           []string
	}{
		{"project skills", "skills-lock.json", "skills-lock.json", nil, []string{"alpha skills/alpha same resolved", "beta skills/beta same resolved"}},
		{"skills of a user", "skill-lock.json", ".skill-lock.json", nil, []string{"alpha skills/alpha same resolved", "beta skills/beta same resolved"}},
		{"by content", "skill-lock.json", "renamed.json", nil, []string{"alpha skills/alpha same resolved", "beta skills/beta same resolved"}},
		{"apm", "apm.lock.yaml", "apm.lock.yaml", nil, []string{
			"plug .  (apm hashed files that it had added to the package)", "alpha skills/alpha same", "beta skills/beta same", "tools . same",
		}},
		{"apm version 2", "apm.lock.yaml", "apm.lock.yaml", []string{"lockfile_version: '1'", "lockfile_version: \"2\"", "deployments:", "- repo_url: x\n  source: registry\n  name: reg\ndeployments:"}, []string{
			"plug .  (apm hashed files that it had added to the package)", "alpha skills/alpha same", "beta skills/beta same", "tools . same",
			"- reg: it comes from a registry of apm, which only apm asks",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newLockWorld(t)
			r, err := w.client().ImportLock(t.Context(), w.lock(c.from, c.as, c.edits...), pinion.ImportLockOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, became(r)); diff != "" {
				t.Errorf("imported (-want +got):\n%s", diff)
			}
			data, err := os.ReadFile(r.Path)
			if err != nil {
				t.Fatal(err)
			}
			var lock pinion.Lock
			if err := json.Unmarshal(data, &lock); err != nil {
				t.Fatal(err)
			}
			for _, p := range lock.Plugins {
				if len(p.Commit) != 40 || p.Digest.IsZero() {
					t.Errorf("locked: %+v", p)
				}
			}
			// What was imported can be installed, and is what it says; again changes nothing.
			s, err := w.client().Sync(t.Context(), pinion.SyncOptions{Allow: both})
			if err != nil || len(s.Installed) != len(lock.Plugins) {
				t.Errorf("sync: %+v, %v", s, err)
			}
			again, err := w.client().ImportLock(t.Context(), filepath.Join(w.project, c.as), pinion.ImportLockOptions{})
			if err != nil || again.Changed || slices.ContainsFunc(again.Imported, func(in pinion.Imported) bool { return !in.Already }) {
				t.Errorf("again: %v, %v", became(again), err)
			}
		})
	}
}

// A digest that is not that of the files is refused, whichever kind it is.
func TestImportMismatch(t *testing.T) {
	t.Parallel()
	w := newLockWorld(t)
	treeID := w.skills.Head("main:skills/beta")
	const alpha, beta, apmAlpha, apmTools = "a939a92e73ad2f8fd5a79e2437c7d3206c684664c2f7ae0b674e14f84a1428eb",
		"1f6a30ceee712489c03f617192e3c98116f8440494f06e543b147b044b38fb94", "7b0ff8873a5831c5058f16e8597431160ef4684dea51b044d9d4683d79ca4e09",
		"7797fd3067ff8a010f809a55192945df2fc9255cb70e7ab9f354bb479799bdc6"
	// gh skill writes git's own id, and a ref that holds the skill.
	pinned := []string{`"skillFolderHash": "` + beta + `"`, `"pinnedRef": "v1.0.0", "skillFolderHash": "` + treeID + `"`}
	if r, err := w.client().ImportLock(t.Context(), w.lock("skill-lock.json", ".skill-lock.json", pinned...), pinion.ImportLockOptions{DryRun: true}); err != nil ||
		!slices.Contains(became(r), "beta skills/beta same resolved") {
		t.Errorf("a tree id: %v, %v", became(r), err)
	}
	zero := func(s string) string { return strings.Repeat("0", len(s)) }
	for name, c := range map[string]struct {
		from, as string
		edits    []string
	}{
		"computedHash":    {"skills-lock.json", "skills-lock.json", []string{alpha, zero(alpha)}},
		"skillFolderHash": {"skill-lock.json", ".skill-lock.json", []string{alpha, zero(alpha)}},
		"tree id":         {"skill-lock.json", ".skill-lock.json", []string{alpha, zero(treeID)}},
		"apm skill":       {"apm.lock.yaml", "apm.lock.yaml", []string{apmAlpha, zero(apmAlpha)}},
		"apm package":     {"apm.lock.yaml", "apm.lock.yaml", []string{apmTools, zero(apmTools)}},
	} {
		file := w.lock(c.from, c.as, c.edits...)
		_, err := w.client().ImportLock(t.Context(), file, pinion.ImportLockOptions{})
		bad, ok := errors.AsType[*pinion.LockMismatchError](err)
		if !ok || bad.ExitCode() != 4 || len(bad.Refused) != 1 || bad.Hint() == "" {
			t.Errorf("%s: %v, want one mismatch", name, err)
			continue
		}
		if _, err := os.Stat(filepath.Join(w.project, pinion.LockFile)); err == nil {
			t.Fatalf("%s: the lock was written", name)
		}
		r, err := w.client().ImportLock(t.Context(), file, pinion.ImportLockOptions{SkipRefused: true, DryRun: true})
		if err != nil || len(r.Imported) == 0 || len(r.Left) != 1 {
			t.Errorf("%s, the rest: %v, %v", name, became(r), err)
		}
	}
	// What changed since is seen too: these locks name no commit.
	w.skills.Update("main", testkit.Files{"skills/alpha/a.md": testkit.Text("other\n")})
	_, err := w.client().ImportLock(t.Context(), w.lock("skills-lock.json", "skills-lock.json"), pinion.ImportLockOptions{})
	if bad, ok := errors.AsType[*pinion.LockMismatchError](err); !ok || !bad.Refused[0].Resolved || !strings.Contains(bad.Hint(), "update it") {
		t.Errorf("changed upstream: %v", err)
	}
	if r, err := w.client().ImportLock(t.Context(), w.lock("apm.lock.yaml", "apm.lock.yaml"), pinion.ImportLockOptions{}); err != nil || len(r.Left) > 0 {
		t.Errorf("apm names the commit: %v, %v", became(r), err)
	}
}

// What cannot be taken over is named, and the rest is.
func TestImportLeaves(t *testing.T) {
	t.Parallel()
	w := newLockWorld(t)
	w.file("apm.yml", w.fill.Replace(`name: mine
version: 1.0.0
dependencies:
  apm:
    - acme/skills/skills/alpha#v1.0.0
    - git: GIT_URL/acme/tools.git
    - acme/skills#^1.0.0
    - acme/skills/prompts/x.prompt.md
    - ./local
    - {path: ./packages/x}
    - {name: sec, marketplace: acme}
    - {git: parent, path: skills/shared}
    - acme/none
    - acme/skills/skills/none
    - acme/skills/skills
    - [odd]
  mcp:
    - io.github.acme/server
    - {name: mine, registry: false}
`))
	want := []string{
		"alpha skills/alpha  resolved (the lock states no digest)", "tools .  resolved (the lock states no digest)",
		`- acme/skills#^1.0.0: "^1.0.0" is a range of versions; give apm.lock.yaml, which has the commit`,
		"- acme/skills/prompts/x.prompt.md: it is a single file, which only apm makes a package of",
		"- ./local: it lies in a directory of one computer; pinion install DIR takes it as it is there",
		`- /./packages/x: it lies in the directory "./packages/x"; pinion install DIR takes it as it is there`,
		`- sec: apm.yml names the marketplace "acme" and no commit; give apm.lock.yaml, which does`,
		"- parent/skills/shared: it lies in the repository of what names it; give apm.lock.yaml, which says where that is",
		"- : its entry cannot be read: the document is a list, want an object",
		"- io.github.acme/server: it is an MCP server in apm.yml, not a package; add it to a plugin or to the host itself",
		"- mine: it is an MCP server in apm.yml, not a package; add it to a plugin or to the host itself",
	}
	r, err := w.client().ImportLock(t.Context(), filepath.Join(w.project, "apm.yml"), pinion.ImportLockOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got := became(r)
	for _, gone := range []string{"acme/none: ", "acme/skills/skills/none: ", "acme/skills/skills: "} {
		i := slices.IndexFunc(got, func(s string) bool { return strings.HasPrefix(s, "- "+gone) })
		if i < 0 || strings.HasSuffix(got[i], ": ") {
			t.Errorf("nothing says what is wrong with %s%v", gone, got)
			continue
		}
		t.Log(got[i])
		got = slices.Delete(got, i, i+1)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("imported (-want +got):\n%s", diff)
	}
	// The lock beside it knows the commits.
	w.lock("apm.lock.yaml", "apm.lock.yaml")
	if r, err = w.client().ImportLock(t.Context(), filepath.Join(w.project, "apm.yml"), pinion.ImportLockOptions{}); err != nil || len(r.Imported) != 4 || !r.Imported[1].Already {
		t.Errorf("with its lock: %v, %v", became(r), err)
	}
	for text, why := range map[string]string{
		`{"version": 2, "skills": {}}`: "another version", `{"version": 1}`: "no \"skills\"", `{`: "cannot be read", `{"version": 1, "skills": {"x": 7, "y": {"sourceType": "local"}}}`: "",
	} {
		r, err := w.client().ImportLock(t.Context(), w.file("skills-lock.json", text), pinion.ImportLockOptions{})
		if why == "" && (err != nil || len(r.Left) != 2 || r.Changed) || why != "" && (err == nil || !strings.Contains(err.Error(), why)) {
			t.Errorf("%s: %v, %v", text, became(r), err)
		}
	}
}
