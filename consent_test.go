package pinion_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pinion"
	"pinion/internal/fsx"
	"pinion/internal/testkit"
	"pinion/market"
)

// asked is a user who notes each question and answers it.
type asked struct {
	questions []pinion.Question
	answer    pinion.Answer
}

func (a *asked) options(o *pinion.Options) {
	o.Ask = func(q pinion.Question) (pinion.Answer, error) {
		a.questions = append(a.questions, q)
		return a.answer, nil
	}
}

// lines are what the last question shows.
func (a *asked) lines(t *testing.T) []string {
	t.Helper()
	q := a.questions[len(a.questions)-1]
	if q.Show == nil {
		t.Fatalf("the question shows nothing: %+v", q)
	}
	lines, err := q.Show(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

func wantLines(t *testing.T, got []string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !slices.Contains(got, w) {
			t.Errorf("not shown: %q; shown is\n%s", w, strings.Join(got, "\n"))
		}
	}
}

// TestQuestionShowsLines shows what a user sees of a package before agreeing to
// it: what runs, or what changed since the version that is active.
func TestQuestionShowsLines(t *testing.T) { // SB-066, cli.md "How it looks"
	w := newWorld(t)
	files := hookPlugin("p", "1.0.0", "sh ${CLAUDE_PLUGIN_ROOT}/run.sh")
	files["run.sh"], files["README.md"] = testkit.Exec("#!/bin/sh\necho one\n"), testkit.Text("read me\n")
	files["bin/blob"], files["bin/long"] = testkit.Exec("\x00\x01"), testkit.Exec(strings.Repeat("x", 5000)+"\n")
	files["data.txt"], files["gone.sh"] = testkit.Text("a\n"), testkit.Exec("exit 1\n")
	w.oneClaude(files)
	user := &asked{answer: pinion.Yes}
	c := w.client(user.options)
	if _, err := c.MarketplaceAdd(t.Context(), fileURL(w.repo), market.AddOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Install(t.Context(), []pinion.Ref{ref(t, "p")}, pinion.InstallOptions{Activate: true}); err != nil {
		t.Fatal(err)
	}
	if user.questions[0].Skippable {
		t.Error("an activation by name can be skipped")
	}
	got := user.lines(t)
	wantLines(t, got, "file run.sh", "    echo one", "file bin/blob: 2 bytes, not text", "file hooks/hooks.json", "file gone.sh")
	if slices.Contains(got, "    read me") {
		t.Error("a file that nothing runs is shown")
	}
	if !slices.ContainsFunc(got, func(l string) bool { return strings.HasSuffix(l, "x … 3000 more bytes in this line") }) {
		t.Error("the long line is not cut, or it is not said")
	}

	files[".claude-plugin/plugin.json"] = hookPlugin("p", "1.1.0", "")[".claude-plugin/plugin.json"]
	files["hooks/hooks.json"] = hookPlugin("p", "1.1.0", "sh ${CLAUDE_PLUGIN_ROOT}/run.sh --all")["hooks/hooks.json"]
	files["run.sh"], files["bin/blob"] = testkit.Exec("#!/bin/sh\necho two\n"), testkit.Exec("\x00\x01\x02")
	files["data.txt"] = testkit.Exec("a\n")
	delete(files, "gone.sh")
	w.oneClaude(files)
	user.answer = pinion.Skip
	up, err := c.Upgrade(t.Context(), nil, pinion.UpgradeOptions{})
	if err != nil || len(up.Passed) != 1 || up.Passed[0].Passed != "skipped" || len(up.Stopped)+len(up.Upgraded) != 0 {
		t.Fatalf("a skipped version: %+v, %v", up, err)
	}
	if q := user.questions[len(user.questions)-1]; !q.Skippable || q.From != "1.0.0" || q.Version != "1.1.0" {
		t.Errorf("the question of the upgrade: %+v", q)
	}
	got = user.lines(t)
	wantLines(t, got, "diff run.sh", "-echo one", "+echo two", "diff bin/blob", "before: 2 bytes, not text; now: 3 bytes, not text",
		"diff data.txt", "executable before: false, now: true", "diff gone.sh: removed", "-exit 1")
	if slices.Contains(got, "diff README.md") || slices.Contains(got, "diff bin/long") {
		t.Error("a file that did not change is shown")
	}
	if slices.Index(got, "diff run.sh") > slices.Index(got, "diff .claude-plugin/plugin.json") {
		t.Error("what runs does not come first")
	}

	// Skipped is remembered, and not asked again.
	n := len(user.questions)
	if up, err = w.client(user.options).Upgrade(t.Context(), nil, pinion.UpgradeOptions{}); err != nil || len(user.questions) != n || len(up.Passed) != 1 {
		t.Errorf("the next upgrade: %d questions more, %+v, %v", len(user.questions)-n, up, err)
	}
	list, err := c.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range list.Plugins {
		if want := map[string][]string{"1.0.0": {}, "1.1.0": {"skipped"}}[p.Version]; !slices.Equal(p.Notes, want) {
			t.Errorf("list: the notes of %s are %q, want %q", p.Version, p.Notes, want)
		}
	}
	// Nobody agrees to other lines than those that were installed.
	at, err := c.Path(t.Context(), ref(t, "p@1.1.0"))
	if err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(at, "run.sh")
	was, err := os.ReadFile(script)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Chmod(at, 0o700), os.Chmod(script, 0o600), os.WriteFile(script, []byte("#!/bin/sh\necho own\n"), 0o500)); err != nil {
		t.Fatal(err)
	}
	if lines, err := user.questions[len(user.questions)-1].Show(t.Context()); err == nil {
		t.Errorf("changed bytes are shown: %q", lines)
	}
	// Nobody is asked about them either; about what was installed, named, again.
	user.answer = pinion.No
	if _, err = c.Upgrade(t.Context(), []pinion.Ref{ref(t, "p")}, pinion.UpgradeOptions{}); err == nil || len(user.questions) != n {
		t.Errorf("an upgrade to changed bytes: %d questions more, %v", len(user.questions)-n, err)
	}
	if err := errors.Join(os.Chmod(script, 0o600), os.WriteFile(script, was, 0o500), os.Chmod(script, 0o500)); err != nil {
		t.Fatal(err)
	}
	if _, err = c.Upgrade(t.Context(), []pinion.Ref{ref(t, "p")}, pinion.UpgradeOptions{}); exitCode(err) != 5 || len(user.questions) != n+1 {
		t.Errorf("an upgrade that names it: %d questions more, %v", len(user.questions)-n, err)
	}
}

func exitCode(err error) int {
	var coded interface{ ExitCode() int }
	if errors.As(err, &coded) {
		return coded.ExitCode()
	}
	return -1
}

// TestSyncShowsLines shows that the one question of a sync shows the lines of
// every plugin it is about.
func TestSyncShowsLines(t *testing.T) { // SB-066, security 3.5 row 88
	tm := newTeam(t)
	tm.evil("9.9.9")
	tm.write()
	user := &asked{answer: pinion.No}
	if _, err := tm.client(user.options).Sync(t.Context(), pinion.SyncOptions{}); exitCode(err) != 5 || len(user.questions) != 1 {
		t.Fatalf("sync: %d questions, %v", len(user.questions), err)
	}
	if user.questions[0].Skippable {
		t.Error("a sync can skip a version")
	}
	wantLines(t, user.lines(t), "diff hooks.py", "+# and something else", "diff shinbot-plugin.json", `+  "version": "9.9.9",`)
}

// TestRewrittenIsAskedOnce shows that bytes which the user took under a known
// version need no grant again while they are there.
func TestRewrittenIsAskedOnce(t *testing.T) { // house "Ledger", cli.md "Consent"
	w := newWorld(t)
	skill := func(text string) {
		w.oneClaude(testkit.Files{
			".claude-plugin/plugin.json": testkit.Text(`{"name": "p", "version": "1.0.0", "description": "d"}`),
			"skills/s/SKILL.md":          testkit.Text("---\nname: s\ndescription: d\n---\n" + text + "\n"),
		})
	}
	skill("one")
	c := w.client()
	if _, err := c.MarketplaceAdd(t.Context(), fileURL(w.repo), market.AddOptions{}); err != nil {
		t.Fatal(err)
	}
	p := []pinion.Ref{ref(t, "p")}
	first, err := c.Install(t.Context(), p, pinion.InstallOptions{Activate: true})
	if err != nil {
		t.Fatal(err)
	}
	skill("two")
	up, err := c.Upgrade(t.Context(), nil, pinion.UpgradeOptions{})
	if err != nil || len(up.Upgraded) != 0 || len(up.Passed) != 1 || up.Passed[0].Passed != "rewritten" {
		t.Fatalf("a bare upgrade with rewritten bytes: %+v, %v", up, err)
	}
	if _, err = c.Upgrade(t.Context(), p, pinion.UpgradeOptions{}); exitCode(err) != 5 {
		t.Fatalf("without the grant: %v", err)
	}
	rewritten := []pinion.Grant{pinion.GrantRewritten}
	up, err = c.Upgrade(t.Context(), p, pinion.UpgradeOptions{Allow: rewritten})
	if err != nil || len(up.Upgraded) != 1 {
		t.Fatalf("with the grant: %+v, %v", up, err)
	}
	second := up.Upgraded[0].Digest
	if _, err := c.Install(t.Context(), p, pinion.InstallOptions{}); err != nil {
		t.Errorf("install of what is active: %v", err)
	}
	if _, err := c.Activate(t.Context(), ref(t, "p@1.0.0+"+first.Installed[0].Digest.Hex(8)), pinion.ActivateOptions{}); err != nil {
		t.Fatal(err)
	}
	up, err = c.Upgrade(t.Context(), p, pinion.UpgradeOptions{})
	if err != nil || len(up.Upgraded) != 1 || up.Upgraded[0].Digest != second {
		t.Errorf("an upgrade to the bytes that were taken before: %+v, %v", up, err)
	}
	// Uninstalled, they are unknown bytes again.
	if _, err := c.Activate(t.Context(), ref(t, "p@1.0.0+"+first.Installed[0].Digest.Hex(8)), pinion.ActivateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Uninstall(t.Context(), []pinion.Ref{ref(t, "p@1.0.0+"+second.Hex(8))}, pinion.UninstallOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err = c.Upgrade(t.Context(), p, pinion.UpgradeOptions{}); exitCode(err) != 5 {
		t.Errorf("after uninstalling them: %v, want the grant asked for", err)
	}
}

// TestWaitingIsTold shows that a verb which another process keeps waiting says
// so, and goes on when that is done.
func TestWaitingIsTold(t *testing.T) { // user needs: nothing stands still silently
	w := newWorld(t)
	w.publish(fixtures(t))
	if _, err := w.client().MarketplaceAdd(t.Context(), fileURL(w.repo), market.AddOptions{Name: "acme"}); err != nil {
		t.Fatal(err)
	}
	home, err := fsx.OpenHome(w.home, fsx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer home.Close()
	unlock, err := home.Lock(t.Context(), "lock")
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	var told []int
	c := w.client(func(o *pinion.Options) {
		o.Waiting = func(pid int) {
			told = append(told, pid)
			unlock()
		}
	})
	if _, err := c.Install(t.Context(), []pinion.Ref{ref(t, "writing-style")}, pinion.InstallOptions{}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(told, []int{os.Getpid()}) {
		t.Errorf("told of the processes %v, want %d once", told, os.Getpid())
	}
}
