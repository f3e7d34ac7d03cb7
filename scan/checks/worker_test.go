package checks_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"pinion/internal/sandbox"
	"pinion/manifest/agentskill"
	"pinion/manifest/claude"
	"pinion/manifest/native"
	"pinion/pkgfmt"
	"pinion/scan"
	"pinion/scan/checks"
)

// The test binary is its own worker: with one of these words it is no test.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "serve":
			if _, err := sandbox.Confine(); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			byEntry := claude.New()
			loader := pkgfmt.New(byEntry, native.New(native.Options{}), byEntry, agentskill.New())
			if err := scan.New("test", checks.Ruleset(), checks.All()).Serve(context.Background(), os.Stdin, os.Stdout, loader); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			os.Exit(0)
		case "crash":
			fmt.Fprintln(os.Stderr, "something\x1b[31m went wrong")
			os.Exit(2)
		case "nonsense":
			fmt.Print("\x00\x00\x00\x02{}")
			os.Exit(0)
		case "confined":
			os.Exit(confined())
		}
	}
	os.Exit(m.Run())
}

// confined tries what a worker must not be able to do.
func confined() int {
	what, err := sandbox.Confine()
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println(what)
	if _, err := os.ReadFile("/etc/passwd"); err == nil {
		fmt.Println("a file was read")
	}
	if err := os.WriteFile(os.TempDir()+"/pinion-confined", nil, 0o600); err == nil {
		fmt.Println("a file was written")
	}
	if c, err := net.DialTimeout("tcp", os.Args[2], time.Second); err == nil {
		c.Close()
		fmt.Println("a connection was made")
	}
	return 0
}

func TestConfine(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	r, err := sandbox.Run(t.Context(), sandbox.Command{Argv: []string{os.Args[0], "confined", l.Addr().String()}, Output: 1 << 16, Limit: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(r.Stdout)), "\n")
	if !strings.HasPrefix(lines[0], "Landlock") {
		t.Skip("not confined here: " + lines[0])
	}
	if len(lines) > 1 {
		t.Error(lines)
	}
}

// SB-067, SB-068: the worker's report is that of the process itself; a worker
// that crashes, hangs up or answers for something else gives a report that is
// not complete, and the next scan has a new process.
func TestWorker(t *testing.T) {
	engine := scan.New("test", checks.Ruleset(), checks.All())
	pkg := packageOf(map[string]string{
		"SKILL.md": "---\nname: fixture\ndescription: A fixture.\n---\n", "bin/tool": "\x7fELF", "LICENSE": "x",
	})
	place := pkgfmt.Place{Name: "fixture"}
	here, err := engine.Scan(t.Context(), pkg)
	if err != nil {
		t.Fatal(err)
	}
	want, _ := here.Encode()
	w := scan.NewWorker(engine, []string{os.Args[0], "serve"})
	defer w.Close()
	for range 3 {
		there, err := w.Scan(t.Context(), pkg, place)
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := there.Encode(); string(got) != string(want) {
			t.Fatalf("the worker says\n%s\nwant\n%s", got, want)
		}
	}
	for _, how := range []string{"crash", "nonsense"} {
		bad := scan.NewWorker(engine, []string{os.Args[0], how})
		for range 2 {
			r, err := bad.Scan(t.Context(), pkg, place)
			if err != nil {
				t.Fatal(err)
			}
			if r.Complete || len(r.Findings) != 1 || strings.ContainsRune(r.Limits[0], '\x1b') || r.Digest != pkg.Digest {
				t.Errorf("%s: %+v", how, r)
			}
		}
		bad.Close()
	}
	if _, err := scan.NewWorker(engine, []string{"/no/such/program"}).Scan(t.Context(), pkg, place); err == nil {
		t.Error("a worker that cannot be started is not noticed")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := w.Scan(ctx, pkg, place); err == nil {
		t.Error("a scan went on after its context")
	}
}
