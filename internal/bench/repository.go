package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// repository is a marketplace of made-up packages behind the bench's git
// server. Its content lies on disk as well, because Pinion's own build-catalog
// makes its catalog.
type repository struct {
	b        *bench
	format   format
	packages int
	source   string // directory with plugins/ and the catalog
	bare     string
	url      string
	versions map[int]string // of the packages that changed
	commits  int
}

func (r *repository) files() int { return r.packages * filesPerPackage }

// repository makes the marketplace with n packages, or returns the one made
// before.
func (b *bench) repository(ctx context.Context, f format, n int) (*repository, error) {
	name := fmt.Sprintf("%s-%d", [...]string{"native", "foreign"}[f], n)
	if r, ok := b.repositories[name]; ok {
		return r, nil
	}
	if err := b.serve(ctx); err != nil {
		return nil, err
	}
	source, err := b.packages(ctx, f, n, fileSize)
	if err != nil {
		return nil, err
	}
	r := &repository{
		b: b, format: f, packages: n, source: source, versions: map[int]string{},
		bare: filepath.Join(b.tmp, "served", name+".git"), url: b.server.url + "/" + name + ".git",
	}
	b.note("making a git repository of %d files", r.files())
	if err := r.buildCatalog(ctx); err != nil {
		return nil, err
	}
	if err := b.run(ctx, b.git(b.tmp, "init", "-q", "--bare", "--initial-branch=main", r.bare)); err != nil {
		return nil, err
	}
	// What a public forge allows, and how it keeps its repositories.
	for _, c := range [][]string{
		{"config", "uploadpack.allowFilter", "true"},
		{"config", "uploadpack.allowAnySHA1InWant", "true"},
		{"config", "gc.auto", "0"},
	} {
		if err := b.run(ctx, b.git(r.bare, c...)); err != nil {
			return nil, err
		}
	}
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	if err := r.commit(ctx, all); err != nil {
		return nil, err
	}
	for _, c := range [][]string{
		{"repack", "-q", "-a", "-d", "-b"},
		{"commit-graph", "write", "--reachable"},
	} {
		if err := b.run(ctx, b.git(r.bare, c...)); err != nil {
			return nil, err
		}
	}
	b.repositories[name] = r
	return r, nil
}

// change publishes a new version of one package: its manifest, one other file
// and its entry in the catalog differ.
func (r *repository) change(ctx context.Context) error {
	i := r.commits % r.packages
	r.versions[i] = fmt.Sprintf("1.0.%d", r.commits)
	if err := r.made(i).write(filepath.Join(r.source, "plugins", r.made(i).id())); err != nil {
		return err
	}
	if err := r.buildCatalog(ctx); err != nil {
		return err
	}
	return r.commit(ctx, []int{i})
}

func (r *repository) made(i int) made { return made{r.format, i, r.version(i), fileSize} }

func (r *repository) version(i int) string {
	if v, ok := r.versions[i]; ok {
		return v
	}
	return firstVersion
}

func (r *repository) catalogPath() string {
	if r.format == foreign {
		return ".claude-plugin/marketplace.json"
	}
	return "marketplace.json"
}

func (r *repository) buildCatalog(ctx context.Context) error {
	if r.format == native {
		return r.b.run(ctx, r.b.pinion("", "build-catalog", "--owner", "Bench", r.source))
	}
	data, err := foreignCatalog(r.packages, r.version)
	if err != nil {
		return err
	}
	path := filepath.Join(r.source, filepath.FromSlash(r.catalogPath()))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}

// commit adds one commit with the given packages and the catalog to main.
func (r *repository) commit(ctx context.Context, packages []int) error {
	stream, w := io.Pipe()
	go func() { w.CloseWithError(r.stream(w, packages)) }()
	c := r.b.git(r.bare, "fast-import", "--quiet")
	c.in = stream
	err := r.b.run(ctx, c)
	stream.CloseWithError(io.ErrClosedPipe) // ends the writer when git has failed
	if err != nil {
		return err
	}
	r.commits++
	return nil
}

// stream writes the commit in the format of git fast-import.
func (r *repository) stream(out io.Writer, packages []int) error {
	w := bufio.NewWriterSize(out, 1<<20)
	message := fmt.Sprintf("bench: change %d", r.commits)
	fmt.Fprintf(w, "commit refs/heads/main\ncommitter Bench <bench@localhost> %d +0000\ndata %d\n%s\n", 1767225600+r.commits, len(message), message)
	if r.commits > 0 {
		fmt.Fprintf(w, "from refs/heads/main^0\n")
	}
	catalog, err := os.ReadFile(filepath.Join(r.source, filepath.FromSlash(r.catalogPath())))
	if err != nil {
		return err
	}
	writeBlob(w, r.catalogPath(), catalog)
	for _, i := range packages {
		m := r.made(i)
		files, err := m.files()
		if err != nil {
			return err
		}
		for _, f := range files {
			writeBlob(w, "plugins/"+m.id()+"/"+f.path, f.data)
		}
	}
	return w.Flush()
}

func writeBlob(w *bufio.Writer, path string, data []byte) {
	fmt.Fprintf(w, "M 100644 inline %s\ndata %d\n", path, len(data))
	w.Write(data) // the writer keeps its first error for Flush
	w.WriteByte('\n')
}
