package tree

import (
	"bytes"
	"encoding/binary"
	"os"
	"strings"
	"testing"
)

// signature is a block as mcpb writes it, with a stated length.
func signature(body string, length int) []byte {
	out := append([]byte(nil), sigHeader...)
	out = binary.LittleEndian.AppendUint32(out, uint32(length))
	return append(append(out, body...), sigFooter...)
}

// The file was packed and signed by mcpb 2.1.2 (formats §1.8).
func TestSignedBundle(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/signed.mcpb")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"hello.mcpb", "HELLO.MCPB", "hello.dxt"} {
		tr := fromArchive(t, name, data, profileOf(false))
		if tr.Partial || tr.Lookup("manifest.json") == nil || tr.Lookup("server/index.js") == nil {
			t.Errorf("%s: files %s, problems %v", name, contents(tr), tr.Problems)
		}
		if len(tr.Problems) != 1 || tr.Problems[0].Rule != "archive/signature" {
			t.Errorf("%s: problems %v, want one archive/signature", name, tr.Problems)
		}
	}
	// A zip has no signature; what stands after it is refused.
	if tr := fromArchive(t, "hello.zip", data, profileOf(false)); !tr.Partial {
		t.Errorf("a zip with data after its end was taken")
	}
}

func TestBundleSignature(t *testing.T) {
	t.Parallel()
	zipped := zipOf(t, file("a", "x"))
	two := zipOf(t, file("b", "y"))
	commented := func(block []byte) []byte { // the block counted as the zip's comment
		out := bytes.Clone(zipped)
		binary.LittleEndian.PutUint16(out[len(out)-2:], uint16(len(block)))
		return append(out, block...)
	}
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	for _, c := range []struct {
		what string
		data []byte
		want string // the rules, and the files
	}{
		{"none", zipped, " a=x"},
		{"one", join(zipped, signature("sig", 3)), "archive/signature a=x"},
		{"empty", join(zipped, signature("", 0)), "archive/signature a=x"},
		{"as comment", commented(signature("sig", 3)), "archive/signature a=x"},
		{"wrong length", join(zipped, signature("sig", 2)), "archive/damaged "},
		{"length beyond the file", join(zipped, signature("sig", 1<<31)), "archive/damaged "},
		{"data after it", join(zipped, signature("sig", 3), []byte("x")), "archive/damaged "},
		{"data before it", join(zipped, []byte("x"), signature("sig", 3)), "archive/signature archive/damaged "},
		{"two", join(zipped, signature("sig", 3), signature("sig", 3)), "archive/signature archive/damaged "},
		{"a zip inside", join(zipped, signature(string(two), len(two))), "archive/signature a=x"},
		{"another zip after the block", join(zipped, signature("sig", 3), two), "archive/damaged "},
		{"no header", join(zipped, []byte("sig"), sigFooter), "archive/damaged "},
		{"longer than read", join(zipped, signature(strings.Repeat("s", maxSignature+1), maxSignature+1)), "archive/damaged "},
	} {
		tr := fromArchive(t, "p.mcpb", c.data, profileOf(false))
		var rules []string
		for _, p := range tr.Problems {
			rules = append(rules, p.Rule)
		}
		if got := strings.Join(rules, " ") + " " + contents(tr); got != c.want {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
}
