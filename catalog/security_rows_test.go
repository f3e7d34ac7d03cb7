package catalog

import (
	"fmt"
	"strings"
	"testing"

	"pinion/hashes"
	"pinion/problem"
)

// TestBuildMetadataIsNoRelease shows that "1.0.0+b" is the release 1.0.0 again,
// in a catalog that is read, built or compared.
func TestBuildMetadataIsNoRelease(t *testing.T) { // security 3.1 row 16, SB-082
	t.Parallel()
	plain, other := item(t, "a", "1.0.0"), item(t, "a", "1.0.0+b")
	other.Dir = "more/a"
	other.Digest, _ = hashes.Tree([]hashes.File{{Path: "x", Sum: hashes.Of([]byte("other bytes"))}})

	built := Build(BuildInput{Items: ItemsOf(plain, other), Owner: "Acme", Name: "acme"})
	if p, ok := built.Problems.First(); !ok || p.Rule != "catalog/duplicate" {
		t.Errorf("Build of 1.0.0 and 1.0.0+b: %v, want catalog/duplicate", built.Problems)
	}

	read := func(entries ...Item) (*Catalog, problem.List) {
		var list []string
		for _, e := range entries {
			list = append(list, fmt.Sprintf(`{"name": %q, "version": %q, "source": "./%s", "hash": %q}`, e.ID, e.Version, e.Dir, e.Digest))
		}
		return Parse("marketplace.json", []byte(`{"schema_version": 1, "name": "acme", "owner": {"name": "Acme"}, "plugins": [`+strings.Join(list, ",\n")+`]}`))
	}
	if _, got := read(plain, other); !got.HasErrors() || got[0].Rule != "catalog/duplicate" {
		t.Errorf("Parse of 1.0.0 and 1.0.0+b: %v, want catalog/duplicate", got)
	}
	before, _ := read(plain)
	after, _ := read(other)
	if got := CheckUpdate(before, after); len(got) != 1 || got[0].Rule != "catalog/version-changed" {
		t.Errorf("CheckUpdate from 1.0.0 to 1.0.0+b: %v, want catalog/version-changed", got)
	}
	same := plain
	same.Version = "1.0.1+b"
	next, _ := read(same)
	if got := CheckUpdate(before, next); len(got) != 0 {
		t.Errorf("CheckUpdate from 1.0.0 to 1.0.1+b: %v", got)
	}
}

// TestUnverifiedPlaces shows that no source of an entry leads out of the
// repository, to a program, an option, a credential or another machine's files.
func TestUnverifiedPlaces(t *testing.T) { // security 3.1 rows 1-3, 3.3 rows 35, 36, 57
	t.Parallel()
	for _, source := range []string{
		`"../x"`, `"./../x"`, `"./a/../../x"`, `"/etc"`, `"C:\\x"`, `"./a\\..\\b"`, `"./a\u0000"`, `"./a\u001b[31m"`, `""`, `"//host/share"`,
		`{"source": "url", "url": "file:///etc"}`, `{"source": "url", "url": "/etc"}`, `{"source": "url", "url": "./x"}`,
		`{"source": "url", "url": "ext::sh -c id"}`, `{"source": "url", "url": "-oProxyCommand=id"}`,
		`{"source": "url", "url": "ssh://-oProxyCommand=id/x"}`, `{"source": "url", "url": "git://example.com/x"}`,
		`{"source": "url", "url": "http://169.254.169.254/x"}`, `{"source": "url", "url": "https://token@example.com/x"}`,
		`{"source": "url", "url": "https://u:p@example.com/x"}`, `{"source": "url", "url": "fd::17"}`,
		`{"source": "github", "repo": "-x/y"}`, `{"source": "github", "repo": "a/b/../c"}`, `{"source": "github", "repo": "https://evil.example/x"}`,
		`{"source": "git-subdir", "url": "https://example.com/x", "path": "../y"}`,
		`{"source": "github", "repo": "a/b", "ref": "--upload-pack=id"}`, `{"source": "github", "repo": "a/b", "ref": "x..y"}`,
		`{"source": "github", "repo": "a/b", "sha": "abc1234"}`,
	} {
		c, _ := Parse(".claude-plugin/marketplace.json", []byte(`{"name": "acme", "owner": {"name": "x"}, "plugins": [{"name": "a", "source": `+source+`}]}`))
		if len(c.Entries) != 1 {
			t.Errorf("%s: %d entries", source, len(c.Entries))
			continue
		}
		e := c.Entries[0]
		spec, _, _, _ := e.Source.Spec()
		if e.Unavailable == "" && !strings.HasPrefix(spec, "file://") { // a file URL is judged where the base is known
			t.Errorf("%s is usable: %+v", source, e.Source)
		}
		for _, p := range e.Problems {
			if strings.Contains(p.Message, "token") && strings.Contains(source, "token@") && strings.Contains(p.Message, "token@") {
				t.Errorf("%s: the message repeats a credential: %s", source, p.Message)
			}
		}
	}
}
