package main

import (
	"context"
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

//go:embed testdata/cread.c testdata/hello/main.go testdata/peak/main.go
var toolSources embed.FS

// tool builds one of the small programs that Pinion is compared with, once, and
// returns its path.
func (b *bench) tool(ctx context.Context, name string) (string, error) {
	if path, ok := b.tools[name]; ok {
		return path, nil
	}
	source, build := "testdata/"+name+"/main.go", b.compileGo
	if name == "cread" {
		source, build = "testdata/cread.c", b.compileC
	}
	data, err := toolSources.ReadFile(source)
	if err != nil {
		return "", err
	}
	copied := filepath.Join(b.tmp, name+filepath.Ext(source))
	if err := os.WriteFile(copied, data, 0o600); err != nil {
		return "", err
	}
	path := filepath.Join(b.tmp, name)
	if err := build(ctx, path, copied); err != nil {
		return "", fmt.Errorf("build %s: %w", name, err)
	}
	b.tools[name] = path
	return path, nil
}

func (b *bench) compileC(ctx context.Context, out, source string) error {
	cc, err := exec.LookPath("cc")
	if err != nil {
		return fmt.Errorf("no C compiler: %w", err)
	}
	return b.run(ctx, command{path: cc, args: []string{"-O2", "-pthread", "-o", out, source}})
}

// compileGo builds with the flags of the product, and with the user's own
// environment, where Go's caches are.
func (b *bench) compileGo(ctx context.Context, out, source string) error {
	env := append(os.Environ(), "CGO_ENABLED=0", "GO111MODULE=off")
	return b.run(ctx, command{path: "go", args: []string{"build", "-trimpath", "-ldflags", "-s -w", "-o", out, source}, env: env})
}

// available returns an error that names a program when it is not installed.
func available(program string) error {
	if _, err := exec.LookPath(program); err != nil {
		return fmt.Errorf("%s is not installed", program)
	}
	return nil
}
