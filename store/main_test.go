package store

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"pinion/internal/fsx"
)

// The variables that turn the test binary into one process of a test: the name
// of an operation, the home, and a directory for its source.
const (
	envOperation = "PINION_STORE_TEST_OPERATION"
	envHome      = "PINION_STORE_TEST_HOME"
	envSource    = "PINION_STORE_TEST_SOURCE"
)

// init keeps the helper on the main thread: strace counts system calls for each
// thread.
func init() {
	if os.Getenv(envOperation) != "" {
		runtime.LockOSThread()
	}
}

func TestMain(m *testing.M) {
	name := os.Getenv(envOperation)
	if name == "" {
		os.Exit(m.Run())
	}
	if err := helper(context.Background(), name, os.Getenv(envHome), os.Getenv(envSource)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func helper(ctx context.Context, name, root, source string) error {
	d, err := fsx.OpenHome(root, fsx.Options{Create: true})
	if err != nil {
		return err
	}
	defer d.Close()
	s, err := Open(d, Options{Clock: func() time.Time { return testTime }, Tool: "1.2.3"})
	if err != nil {
		return err
	}
	if version, ok := strings.CutPrefix(name, "race "); ok {
		return race(ctx, s, source, version)
	}
	for _, o := range operations() {
		if o.name == name {
			return o.run(ctx, s, source)
		}
	}
	return fmt.Errorf("no operation %q", name)
}

// race is what each of two processes does at the same time: install one version
// that only it has and one that both have, activate its own, go back, and clean.
func race(ctx context.Context, s *Store, source, version string) error {
	for i, v := range []string{"1.0.0", version} {
		p, err := stage(ctx, s, fmt.Sprintf("%s/%d", source, i), files("x", v))
		if err != nil {
			return err
		}
		placed, err := s.Commit(ctx, []Placement{p})
		p.Stage.Discard()
		if err != nil {
			return err
		}
		if _, err := s.Activate(ctx, Scope{}, placed[0].Build(), nil, "activate"); err != nil {
			return err
		}
	}
	if _, err := s.GC(ctx, 9, nil, false); err != nil {
		return err
	}
	_, err := s.Verify(ctx)
	return err
}
