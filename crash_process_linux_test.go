package pinion_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"pinion"
	"pinion/internal/fsx"
	"pinion/internal/testkit"
	"pinion/market"
)

// rounds is how often two processes meet.
func rounds() int {
	if os.Getenv(crashEverywhere) != "" {
		return 20
	}
	return 6
}

// security 3.6 row 96: two commands at once are done one after the other, in
// some order, and nothing of either is lost.
func testTwoProcesses(t *testing.T, bin string) {
	m := newMachine(t)
	allow := []string{"--allow", "extension", "--allow", "computer"}
	for name, pair := range map[string]struct {
		a, b []string
		// refused is what one of the two may say instead of being done.
		refused string
		want    func() string // "" when the state is right
	}{
		"refresh and refresh": {a: []string{"refresh", "acme"}, b: []string{"refresh", "acme"}, want: func() string {
			return m.lacks("1.4.0", m.markets())
		}},
		"refresh and install": {a: []string{"refresh"}, b: []string{"install", "mail@acme"}, want: func() string {
			return m.lacks("1.4.0", m.markets()) + m.lacks("mail/0.2.0", m.contents("home/receipts"))
		}},
		"install and gc": {a: []string{"install", "mail@acme"}, b: []string{"gc", "--keep", "0"}, want: func() string {
			return m.lacks("mail/0.2.0", m.contents("home/receipts")) + m.has("text-tools/1.0.0", m.contents("home/receipts"))
		}},
		"install and install": {a: []string{"install", "mail@acme"}, b: []string{"install", "mail@acme"}, want: func() string {
			return m.lacks("mail/0.2.0", m.contents("home/receipts"))
		}},
		"activate and roll back": {
			a: append([]string{"activate", "text-tools", "1.0.0"}, allow...), b: []string{"rollback", "text-tools"}, refused: "another process changed",
			want: func() string { return "" },
		},
		"add and add": {a: []string{"marketplace", "add", m.spec("beta")}, b: []string{"marketplace", "add", m.spec("beta")}, want: func() string {
			if n := strings.Count(m.markets(), `"spec": "`+m.spec("beta")); n != 1 {
				return fmt.Sprintf("beta is there %d times", n)
			}
			return ""
		}},
		"two names for two sources": {a: []string{"marketplace", "add", m.spec("beta"), "--name", "new"}, b: []string{"marketplace", "add", m.repoAgain("beta"), "--name", "new"},
			refused: `the name "new" belongs to`, want: func() string {
				if n := strings.Count(m.markets(), "\n  \"name\": \"new\""); n != 1 {
					return fmt.Sprintf("new is there %d times", n)
				}
				return ""
			}},
		"two plugins of one project": {
			a: []string{"install", "mail@acme", "--activate", "--project"}, b: []string{"activate", "paint", "--project"},
			want: func() string {
				return m.lacks(`"mail"`, m.contents("project")) + m.lacks(`"paint"`, m.contents("project")) + m.lacks(`"text-tools"`, m.contents("project"))
			},
		},
		"uninstall and install": {a: []string{"uninstall", "paint"}, b: []string{"install", "paint@gone"}, want: func() string { return "" }},
		"build-catalog twice": {a: []string{"-C", m.at("author"), "build-catalog"}, b: []string{"-C", m.at("author"), "build-catalog"}, want: func() string {
			return m.lacks("0.2.0", m.contents("author/marketplace.json"))
		}},
	} {
		for round := range rounds() {
			m.restore()
			var cmds [2]*exec.Cmd
			var outs [2]bytes.Buffer
			for i, args := range [][]string{pair.a, pair.b} {
				cmds[i] = m.command("project", []string{bin}, args...)
				cmds[i].Stdout, cmds[i].Stderr = &outs[i], &outs[i]
				m.must(cmds[i].Start())
			}
			done := 0
			for i, c := range cmds {
				err := c.Wait()
				if err == nil {
					done++
				} else if pair.refused == "" || !strings.Contains(outs[i].String(), pair.refused) {
					t.Errorf("%s, round %d: %v: %s", name, round, err, &outs[i])
				}
			}
			what := fmt.Sprintf("%s, round %d", name, round)
			if done == 0 {
				t.Errorf("%s: neither was done: %s%s", what, &outs[0], &outs[1])
			}
			if bad := pair.want(); bad != "" {
				t.Errorf("%s: %s:\n%s%s", what, bad, &outs[0], &outs[1])
			}
			if left := m.leftovers(); len(left) > 0 {
				t.Errorf("%s: left over: %v", what, left)
			}
			m.sound(what)
		}
	}
}

func (m *machine) lacks(part, text string) string {
	if strings.Contains(text, part) {
		return ""
	}
	return part + " is missing; "
}

func (m *machine) has(part, text string) string {
	if strings.Contains(text, part) {
		return part + " is still there; "
	}
	return ""
}

// repoAgain is a second source with the content of a repository.
func (m *machine) repoAgain(name string) string {
	m.Helper()
	dir := filepath.Join(testkit.FastDir(m.TB), name+".git")
	testkit.CopyTree(m.TB, m.repos[name].Dir, dir)
	return "file://" + dir
}

// holderOf waits until a lock file names its holder.
func (m *machine) holderOf(name string) int {
	m.Helper()
	for range 1000 {
		data, err := os.ReadFile(m.at(name))
		if err == nil && len(data) > 1 {
			if pid, err := strconv.Atoi(strings.TrimSpace(string(data[1:]))); err == nil && pid > 0 {
				return pid
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	m.Fatalf("nobody took %s", name)
	return 0
}

// waits is a client that does not wait long.
func waits(o *pinion.Options) { o.LockWait = 200 * time.Millisecond }

// security 3.6 row 96: a holder that was stopped is named when the wait ends,
// reading goes on, and its death frees the lock.
func testStoppedHolder(t *testing.T, bin string) {
	s := testkit.NewStrace(t)
	m := newMachine(t)
	check := func(what, lock string, holder *exec.Cmd, blocked func(*pinion.Client) error, next ...string) {
		t.Helper()
		pid := m.holderOf(lock)
		m.must(syscall.Kill(pid, syscall.SIGSTOP))
		c := m.client(waits)
		defer c.Close()
		err := blocked(c)
		var locked *fsx.LockedError
		if !errors.As(err, &locked) || locked.PID != pid || !strings.Contains(err.Error(), fmt.Sprintf("locked by process %d", pid)) || pinion.Hint(err) == "" {
			t.Errorf("%s: %v, want the process %d named; hint %q", what, err, pid, pinion.Hint(err))
		}
		m.sound(what)
		m.must(syscall.Kill(pid, syscall.SIGKILL))
		_ = holder.Wait() // it was killed
		if r := m.run(bin, "project", nil, next...); r.code != 0 {
			t.Errorf("%s, after its death: %s", what, r)
		}
		if left := m.leftovers(); len(left) > 0 {
			t.Errorf("%s: left over: %v", what, left)
		}
	}
	m.restore()
	holder := m.command("project", append(s.Inject("syncfs", "signal=STOP", 1, false), bin), "install", "mail@acme")
	m.must(holder.Start())
	check("installing", "home/lock", holder, func(c *pinion.Client) error {
		_, err := c.Activate(t.Context(), ref(t, "paint"), pinion.ActivateOptions{})
		return err
	}, "install", "mail@acme")

	m.restore()
	server := testkit.NewGitServer(t)
	spec := server.Add("acme/slow", m.repos["beta"])
	if r := m.run(bin, "project", nil, "marketplace", "add", spec, "--name", "slow"); r.code != 0 {
		t.Fatal(r)
	}
	server.Change(func() { server.Intercept = testkit.Silent })
	holder = m.command("project", []string{bin}, "refresh", "slow")
	m.must(holder.Start())
	check("refreshing", m.lockOf("slow"), holder, func(c *pinion.Client) error {
		_, err := c.MarketplaceRefresh(t.Context(), []string{"slow"}, market.RefreshOptions{})
		return err
	}, "refresh", "acme")
}

// lockOf is the lock file of a marketplace, from the machine's directory.
func (m *machine) lockOf(alias string) string {
	m.Helper()
	files, err := filepath.Glob(m.at("home/src/*/market.json"))
	m.must(err)
	for _, f := range files {
		data, err := os.ReadFile(f)
		m.must(err)
		if strings.Contains(string(data), fmt.Sprintf("%q: %q", "name", alias)) {
			rel, _ := filepath.Rel(m.base, filepath.Join(filepath.Dir(f), "lock"))
			return rel
		}
	}
	m.Fatalf("no marketplace %s", alias)
	return ""
}

// Issue section 5, spec/cli.md exit codes: Ctrl-C in the middle of a transfer
// ends with 130, in the old state, and takes the programs along that were
// started.
func testInterrupted(t *testing.T, bin string) {
	m := newMachine(t)
	server, whole := testkit.NewGitServer(t), testkit.NewGitServer(t)
	spec := server.Add("acme/slow", m.repos["beta"])
	whole.Add("acme/slow", m.repos["beta"])
	if r := m.run(bin, "project", nil, "marketplace", "add", spec, "--name", "slow"); r.code != 0 {
		t.Fatal(r)
	}
	m.repos["beta"].Update("main", testkit.Files{"plugins/text-tools/new.md": testkit.Text(strings.Repeat("text\n", 1000))})
	old := m.look()
	for name, reached := range map[string]func(chan<- bool) func(http.ResponseWriter, *http.Request) bool{
		"no answer": func(at chan<- bool) func(http.ResponseWriter, *http.Request) bool {
			return func(w http.ResponseWriter, r *http.Request) bool { at <- true; return testkit.Silent(w, r) }
		},
		"half a pack": func(at chan<- bool) func(http.ResponseWriter, *http.Request) bool {
			return func(w http.ResponseWriter, r *http.Request) bool { return halfPack(w, r, whole.URL, at) }
		},
	} {
		at := make(chan bool, 10)
		server.Change(func() { server.Intercept = reached(at) })
		cmd := m.command("project", []string{bin}, "refresh", "slow")
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		m.must(cmd.Start())
		<-at
		m.must(cmd.Process.Signal(os.Interrupt))
		_ = cmd.Wait() // the exit code tells
		if code := cmd.ProcessState.ExitCode(); code != 130 || !strings.Contains(out.String(), "interrupted") {
			t.Errorf("%s: exit %d: %s", name, code, &out)
		}
		if parts := differs(old, m.look()); len(parts) > 0 {
			t.Errorf("%s: changed %v", name, parts)
		}
		if left := m.leftovers(); len(left) > 0 {
			t.Errorf("%s: left over: %v", name, left)
		}
		if p := m.processes(); len(p) > 0 {
			t.Errorf("%s: still running: %v", name, p)
		}
		m.sound(name)
	}
	server.Change(func() { server.Intercept = nil })
	if r := m.run(bin, "project", nil, "refresh", "slow"); r.code != 0 && r.code != 4 {
		t.Errorf("the next refresh: %s", r)
	}
}

// halfPack answers as another server does, but stops in the middle of a pack.
func halfPack(w http.ResponseWriter, r *http.Request, other string, at chan<- bool) bool {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return true
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	if !bytes.Contains(body, []byte("command=fetch")) {
		return false
	}
	req, err := http.NewRequestWithContext(r.Context(), r.Method, other+r.URL.Path, bytes.NewReader(body))
	if err != nil {
		return true
	}
	req.Header = r.Header.Clone()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return true
	}
	defer resp.Body.Close()
	w.Header().Set("Content-Type", resp.Header.Get("Content-Type"))
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return true
	}
	_, _ = w.Write(data[:len(data)/2])
	_ = http.NewResponseController(w).Flush()
	at <- true
	<-r.Context().Done()
	return true
}

// processes are those that were started on this machine and still run.
func (m *machine) processes() []string {
	m.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	m.must(err)
	var names []string
	for _, f := range files {
		env, err := os.ReadFile(f)
		if err != nil || !slices.Contains(strings.Split(string(env), "\x00"), "TMPDIR="+m.at("tmp")) {
			continue // it ended, or is another's
		}
		line, _ := os.ReadFile(filepath.Join(filepath.Dir(f), "cmdline"))
		names = append(names, strings.ReplaceAll(string(line), "\x00", " "))
	}
	return names
}
