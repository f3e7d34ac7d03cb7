package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"pinion/internal/fsx"
	"pinion/internal/testkit"
)

// terminal runs pinion as a person does: on a terminal, 100 columns wide.
type terminal struct {
	*session
	program string
}

func newTerminal(t *testing.T) *terminal {
	t.Helper()
	program, err := exec.LookPath("pinion")
	if err != nil {
		t.Fatal(err)
	}
	return &terminal{newSession(t), program}
}

// openPTY returns both ends of a new terminal, or skips where there is none.
func openPTY(t *testing.T) (master, slave *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no terminals here: %v", err)
	}
	t.Cleanup(func() { master.Close() })
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(int(master.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 40, Col: 100})
	}
	if err != nil {
		t.Fatal(err)
	}
	slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no terminals here: %v", err)
	}
	return master, slave
}

// run runs one command line; each line of answer is typed once a question is
// there. It returns the exit code and the screen.
func (tm *terminal) run(answer string, args ...string) (int, string) {
	tm.t.Helper()
	return tm.watch(answer, func(string) {}, args...)
}

// watch is run, and calls look with what the screen has so far each time
// something comes.
func (tm *terminal) watch(answer string, look func(screen string), args ...string) (int, string) {
	tm.t.Helper()
	master, slave := openPTY(tm.t)
	cmd := exec.Command(tm.program, args...)
	cmd.Dir = tm.dir
	cmd.Env = []string{"TERM=xterm"}
	for k, v := range tm.vars {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		tm.t.Fatal(err)
	}
	slave.Close()
	// A question that is never answered must not stop the tests.
	timer := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
	defer timer.Stop()
	var screen strings.Builder
	lines, typed := strings.SplitAfter(answer, "\n"), 0
	for buf := make([]byte, 4096); ; {
		n, err := master.Read(buf)
		screen.Write(buf[:n])
		look(screen.String())
		if typed < len(lines) && strings.Count(screen.String(), "N no: ") > typed {
			if _, err := io.WriteString(master, lines[typed]); err != nil {
				tm.t.Fatal(err)
			}
			typed++
		}
		if err != nil {
			break // the kernel reports EIO when the last writer is gone
		}
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); err != nil && !errors.As(err, &exit) {
		tm.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), strings.ReplaceAll(screen.String(), "\r\n", "\n")
}

// On a terminal results are tables with a header, questions are asked, and a
// changing command ends with the next step. Spec cli.md, "How it looks".
func TestTerminal(t *testing.T) {
	t.Parallel()
	tm := newTerminal(t)
	tm.publish("repo")
	source := "file://" + filepath.ToSlash(filepath.Join(tm.dir, "repo"))
	tm.vars["NO_COLOR"] = "1"
	change := func() {
		tm.edit("repo/plugins/text-tools/pinion-plugin.json", "count_words", "count_all_words")
		tm.edit("repo/plugins/text-tools/server.py", "count_words", "count_all_words")
		if code, out, errs := tm.session.run("build-catalog", "repo", "--bump"); code != 0 {
			t.Fatal(out, errs)
		}
		tm.git("repo", "commit", "-q", "-a", "-m", "change")
	}
	steps := []struct {
		line, answer string
		code         int
		want         []string // on the screen
		not          string   // not on it
		before       func()
	}{
		{line: "list", want: []string{"nothing is installed\n", "next: pinion search"}},
		{line: "marketplace add " + source + " --name acme", want: []string{"added acme  ", "2 plugins from file://"}},
		{line: "search", want: []string{"ID             VERSION  MARKET  KIND   NOTE  ABOUT\n", "next: pinion info text-tools@acme\n"}},
		{line: "install text-tools", want: []string{"installed: text-tools 0.1.0 from acme", "next: pinion activate text-tools\n"}},
		{line: "activate text-tools", answer: "n\n", code: exitConsent, want: []string{
			"text-tools 0.1.0    file://", "  mcp-server text-tools  python server.py\n", "  tool count_words       runs without asking\n",
			"  licence                MIT\n", "  scan                   no known-bad pattern found, 100 % of bytes read\n",
			"It runs with your files and network, without asking again.\nIt is not kept apart from your other plugins: no machine, container or network of its own.\nActivate 0.1.0?  y yes / d show the lines / N no: ", "stopped: you said no",
		}},
		{line: "activate text-tools", answer: "d\nn\n", code: exitConsent, want: []string{
			"text-tools 0.1.0: mcp-server text-tools  server.py  python server.py\n", "file server.py\n    ", "def count_words",
			"\nActivate 0.1.0?  y yes / d show the lines / N no: n\n",
		}, not: "skip this"},
		{line: "activate text-tools --yes", answer: "\n", code: exitConsent, want: []string{"Activate 0.1.0?"}},
		{line: "activate text-tools", answer: "\x03", code: exitInterrupted, want: []string{"\npinion: interrupted\n"}},
		{line: "list", want: []string{"ID          VERSION  MARKET  KIND  STATE      DIGEST", "text-tools  0.1.0    acme    mcp   installed  h1:", "…", "0 active; catalogs checked just now\n"}},
		{line: "activate text-tools", answer: "y\n", want: []string{"active: text-tools 0.1.0.\n", "no known-bad pattern found, 100 % of bytes read"}},
		{line: "activate text-tools", not: "y yes", want: []string{"already active: text-tools 0.1.0.\n"}},
		{line: "outdated", before: change, want: []string{"ID          ACTIVE  NEWEST  MARKET  KIND  NOTE\n", "next: pinion upgrade\n"}},
		{line: "upgrade", answer: "d\ns\n", want: []string{
			"Activate 0.1.1?  y yes / d show the lines / s skip this version / N no: d\ndiff server.py\n@@ ",
			"\n-def count_words", "\n+def count_all_words", "\ndiff pinion-plugin.json\n", "skip this version / N no: s\n", "text-tools stays at 0.1.0: 0.1.1 is there, and you skipped it\n",
			"next: pinion upgrade text-tools takes it all the same\n",
		}, not: "active:"},
		{line: "list", want: []string{"installed  h1:", "skipped\n"}, not: "is out"},
		{line: "upgrade", not: "Activate", want: []string{"you skipped it"}},
		{line: "upgrade text-tools", answer: "what\nyes\n", want: []string{
			"text-tools 0.1.0 → 0.1.1    file://", "  NEW  tool count_all_words", "Activate 0.1.1?",
			"active: text-tools 0.1.0 → 0.1.1.  Back: pinion rollback text-tools\n",
		}},
		{line: "history text-tools", want: []string{"VERSION  DIGEST", "current"}},
		{line: "marketplace refresh", want: []string{"acme  unchanged  2 plugins, checked just now\n"}},
		{line: "status", want: []string{"MARKET  UPSTREAM  CATALOG  CHECKED", "\n\nID "}},
		{line: "rules", want: []string{"RULE  ", "next: pinion explain RULE"}},
		{line: "list -q", not: "active;", want: []string{"text-tools"}},
		{line: "list --json", not: "next:", want: []string{"\"schema\": \"pinion.list/v1\""}},
	}
	for _, step := range steps {
		if step.before != nil {
			step.before()
		}
		code, screen := tm.run(step.answer, strings.Fields(step.line)...)
		if code != step.code {
			t.Errorf("pinion %s: exit %d, want %d\n%s", step.line, code, step.code, screen)
		}
		for _, w := range step.want {
			if !strings.Contains(screen, w) {
				t.Errorf("pinion %s: the screen lacks %q:\n%s", step.line, w, screen)
			}
		}
		if step.not != "" && strings.Contains(screen, step.not) {
			t.Errorf("pinion %s: the screen has %q:\n%s", step.line, step.not, screen)
		}
		if strings.Contains(screen, "\x1b") {
			t.Errorf("pinion %s: colour in spite of NO_COLOR: %q", step.line, screen)
		}
	}
	delete(tm.vars, "NO_COLOR")
	if _, screen := tm.run("", "list"); !strings.Contains(screen, "\x1b[32mactive\x1b[0m") {
		t.Errorf("no colour on a terminal: %q", screen)
	}
	if _, screen := tm.run("", "list", "--no-color"); strings.Contains(screen, "\x1b") {
		t.Errorf("colour in spite of --no-color: %q", screen)
	}
}

// Work that takes longer than half a second is shown on a terminal, and nothing
// of that stays there. Spec cli.md: "Progress only on a terminal, for anything
// longer than half a second".
func TestTerminalProgress(t *testing.T) {
	t.Parallel()
	tm := newTerminal(t)
	repo := testkit.NewRepo(t)
	repo.Commit("main", testkit.Files{
		".claude-plugin/marketplace.json": testkit.Text(`{"name": "acme", "owner": {"name": "x"}, "plugins": [{"name": "p", "source": "./p"}]}`),
		"p/skills/s/SKILL.md":             testkit.Text("---\nname: s\ndescription: d\n---\nx\n"),
	})
	srv := testkit.NewGitServer(t)
	url := srv.Add("acme/plugins", repo)
	// The server answers when progress was seen: that the work is long does not
	// depend on the machine.
	seen := make(chan struct{})
	srv.Change(func() {
		srv.Intercept = func(http.ResponseWriter, *http.Request) bool { <-seen; return false }
	})
	release := sync.OnceFunc(func() { close(seen) })
	defer release()
	code, screen := tm.watch("", func(screen string) {
		if strings.Contains(screen, "127.0.0.1") {
			release()
		}
	}, "marketplace", "add", url)
	last := screen[strings.LastIndex(screen[:strings.Index(screen, "added acme")], "\r")+1:]
	if code != 0 || !strings.HasPrefix(last, "added acme  ") || strings.ContainsAny(last, "\r\x1b") {
		t.Errorf("marketplace add: exit %d, at the end the screen has %q", code, last)
	}
	for _, flag := range []string{"--no-progress", "-q"} {
		code, screen := tm.run("", "marketplace", "refresh", flag)
		if code != 0 || strings.Contains(screen, "\r") {
			t.Errorf("marketplace refresh %s: exit %d, the screen has %q", flag, code, screen)
		}
	}
}

// Whoever waits for another process is told, also in a quiet run.
func TestTerminalWaiting(t *testing.T) {
	t.Parallel()
	tm := newTerminal(t)
	tm.publish("repo")
	if code, out, errs := tm.session.run("marketplace", "add", "file://"+filepath.ToSlash(filepath.Join(tm.dir, "repo")), "--name", "acme"); code != 0 {
		t.Fatal(out, errs)
	}
	home, err := fsx.OpenHome(tm.vars["PINION_HOME"], fsx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer home.Close()
	unlock, err := home.Lock(t.Context(), "lock")
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	want := fmt.Sprintf("waiting for pinion (pid %d) …\n", os.Getpid())
	code, screen := tm.watch("", func(screen string) {
		if strings.Contains(screen, "…") {
			unlock()
		}
	}, "install", "writing-style", "-q")
	if code != 0 || strings.Count(screen, want) != 1 {
		t.Errorf("install: exit %d, the screen has %q, want %q once", code, screen, want)
	}
}

// After an activation that no host sees the next step is a host, and each step
// names one more until the plugin is seen. Spec cli.md: "ends with one next: line".
func TestTerminalHosts(t *testing.T) {
	t.Parallel()
	tm := newTerminal(t)
	tm.publish("repo")
	tm.vars["NO_COLOR"] = "1"
	source := "file://" + filepath.ToSlash(filepath.Join(tm.dir, "repo"))
	for _, step := range []struct {
		line string
		code int
		next string
	}{
		{"marketplace add " + source + " --name acme", 0, ""},
		{"install writing-style --activate", 0, "pinion host list names the programs"},
		{"activate writing-style", 0, "pinion host list names the programs"},
		{"host link skills", 0, "start a new session of your agent"},
		{"activate writing-style", 0, ""},
		{"disable writing-style", 0, "start a new session of your agent"},
		{"host unlink skills --project", exitUsage, ""},
		{"host unlink skills", 0, ""},
		{"host list", 0, "pinion host link HOST"},
	} {
		code, screen := tm.run("", strings.Fields(step.line)...)
		if code != step.code {
			t.Errorf("pinion %s: exit %d, want %d\n%s", step.line, code, step.code, screen)
		}
		_, next, ok := strings.Cut(screen, "next: ")
		if ok != (step.next != "") || !strings.HasPrefix(next, step.next) || strings.Contains(next, "next: ") {
			t.Errorf("pinion %s: want the one next step %q:\n%s", step.line, step.next, screen)
		}
	}
}
