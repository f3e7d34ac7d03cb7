package launch

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"pinion/manifest"
	"pinion/pkgfmt"
	"pinion/scan"
	"pinion/tree"
)

// What a server.json fetches when it is started, and whether that is one release
// (security 2.2 D1, formats §1.9).
func TestRegistry(t *testing.T) {
	text := `{"name": "io.github.acme/x", "packages": [
		{"registryType": "npm", "identifier": "@acme/x", "version": "1.2.3"},
		{"registryType": "npm", "identifier": "identifier"},
		{"registryType": "pypi", "identifier": "acme-x", "version": "1.2.3"},
		{"registryType": "oci", "identifier": "ghcr.io/acme/x:1.2.3"},
		{"registryType": "oci", "identifier": "ghcr.io/acme/x@` + digest + `"},
		{"registryType": "nuget", "identifier": "Acme.X", "version": "1.2.3"},
		{"registryType": "cargo", "identifier": "acme-x"},
		{"registryType": "mcpb", "identifier": "https://x.example/x.mcpb", "fileSha256": "` + digest[len("sha256:"):] + `"},
		{"registryType": "mcpb", "identifier": "https://x.example/y.mcpb"},
		{"registryType": "npm", "identifier": "hidden", "version": "1.0.0", "identifier": "shown"},
		{"registryType": "apt", "identifier": "x"}
	], "remotes": [{"type": "sse", "url": "https://x.example/sse"}]}`
	file, texts := scan.FileTexts("server.json", false, []byte(text))
	want := `npm @acme/x "1.2.3" pinned pkg:npm/%40acme/x@1.2.3
npm identifier "" loose pkg:npm/identifier
pypi acme-x "1.2.3" pinned pkg:pypi/acme-x@1.2.3
oci ghcr.io/acme/x "1.2.3" loose pkg:docker/acme/x@1.2.3?repository_url=ghcr.io
oci ghcr.io/acme/x "` + digest + `" pinned pkg:oci/x@sha256%3A` + digest[len("sha256:"):] + `?repository_url=ghcr.io%2Facme%2Fx
nuget Acme.X "1.2.3" pinned pkg:nuget/Acme.X@1.2.3
cargo acme-x "" loose pkg:cargo/acme-x
url https://x.example/x.mcpb "` + digest + `" pinned pkg:generic/x.mcpb?download_url=https%3A%2F%2Fx.example%2Fx.mcpb
url https://x.example/y.mcpb "" loose pkg:generic/y.mcpb?download_url=https%3A%2F%2Fx.example%2Fy.mcpb
npm hidden "1.0.0" pinned pkg:npm/hidden@1.0.0
npm shown "" loose pkg:npm/shown`
	got := registry(file, texts)
	remotes := 0
	var packages []Fetch
	for _, f := range got {
		if f.Remote() {
			remotes++
			continue
		}
		packages = append(packages, f)
		if f.File != "server.json" || f.Line == 0 || f.Tool == "" {
			t.Errorf("%s has no place: %s:%d by %q", f.Name, f.File, f.Line, f.Tool)
		}
	}
	if d := cmp.Diff(want, show(packages)); d != "" || remotes != 1 {
		t.Errorf("registry (-want +got), %d remotes:\n%s", remotes, d)
	}
	if !IsConfig("server.json", []byte(text)) || IsConfig("server.json", []byte(`{"port": 1}`)) {
		t.Error("IsConfig of server.json goes by its packages")
	}
	// Another program's file of this name has none.
	file, texts = scan.FileTexts("server.json", false, []byte(`{"packages": [{"identifier": "x"}]}`))
	if got := registry(file, texts); got != nil {
		t.Errorf("fetches of another server.json: %v", got)
	}
}

// Only what is a package's manifest is started; a server.json among the sources
// is a document.
func TestRegistryStarts(t *testing.T) {
	text := []byte(`{"packages": [{"registryType": "npm", "identifier": "x"}]}`)
	for _, listed := range []bool{true, false} {
		m := &manifest.Manifest{}
		if listed {
			m.Components = []manifest.Component{{Type: manifest.ServerComponent, Name: "x", Path: "server.json", Detail: "npx x"}}
		}
		pkg := &pkgfmt.Package{Manifest: m, Tree: &tree.Tree{Files: []tree.File{{Path: "server.json", Data: text}}}}
		want := Document
		if listed {
			want = Host
		}
		if got := Of(pkg); len(got) != 1 || got[0].Starts != want {
			t.Errorf("listed %v: %+v, want one started by %s", listed, got, want)
		}
	}
}

// The shell in a Gemini CLI command runs when the command is used.
func TestPromptShell(t *testing.T) {
	pkg := &pkgfmt.Package{Manifest: &manifest.Manifest{Components: []manifest.Component{
		{Type: manifest.HookComponent, Name: "invoke", Path: "commands/a.toml", Detail: "npx -y made-up"},
	}}, Tree: &tree.Tree{}}
	got := Of(pkg)
	if len(got) != 1 || got[0].Name != "made-up" || got[0].File != "commands/a.toml" || got[0].Starts != Host {
		t.Errorf("Of = %+v, want made-up, started by the host", got)
	}
}
