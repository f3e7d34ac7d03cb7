package checks

import (
	"bytes"
	"math"
	"regexp"
	"strings"
	"sync"

	"pinion/scan"
)

const (
	ruleKey        = "secrets/key"
	rulePrivateKey = "secrets/private-key"
	ruleAssigned   = "secrets/assigned"
	ruleArgument   = "secrets/argument"
)

// committed reports keys that were left in the package.
func committed() scan.Check {
	return scan.Check{
		Name: "secrets",
		Form: true,
		Rules: []scan.Rule{{
			ID: ruleKey, Level: scan.High, Since: "0.2.0",
			Title: "a key of a service is in the package",
			Help: "The text has the format of one service's keys and is random enough to be one. Everybody who gets the package has the key. " +
				"Placeholders, the examples of the service's documentation and repeated characters are not reported; " +
				"a signed web token weighs little, and so does a key in a directory of tests.",
			Fix:     "take the key back at the service, remove it, and read it from the host's settings",
			Example: "token = \"ghp_…36 letters and digits…\"",
		}, {
			ID: rulePrivateKey, Level: scan.High, Since: "0.2.0",
			Title: "a private key is in the package",
			Help: "A block of BEGIN … PRIVATE KEY with a key in it. A header without content, as documentation shows it, is not reported; " +
				"a key in a directory of tests weighs less.",
			Fix: "make a new key, and keep it out of the package",
		}, {
			ID: ruleAssigned, Level: scan.Low, Since: "0.2.0",
			Title: "what looks like a secret is assigned to a name that says so",
			Help: "A name such as password, secret or api_key gets a random literal. It may be a test value. " +
				"Placeholders, variables, digests and words are not reported.",
			Fix: "read it from the environment or the host's settings",
		}, {
			ID: ruleArgument, Level: scan.Medium, Since: "0.2.0",
			Title: "a secret is handed over in a command line or an address",
			Help: "A command that the host runs has a key as an argument or in an address. Every program of the user can read the arguments of another, and addresses are logged. " +
				"Commands in documentation are not reported.",
			Fix:     "hand it over in the environment or a header",
			Example: "server --api-key $API_KEY",
		}},
		Patterns: keyPatterns(),
		Hints:    []string{"private key"},
		Text:     privateKeys,
	}
}

func keyPatterns() []scan.Pattern {
	var out []scan.Pattern
	for _, f := range keyFormats() {
		for _, tests := range []bool{false, true} {
			level := scan.High
			switch {
			case f.low, tests:
				level = scan.Low
			}
			out = append(out, scan.Pattern{Rule: ruleKey, Level: level, Any: f.any, Match: f.match, Message: f.what, Redact: true, Valid: validKey(f, tests)})
		}
	}
	return append(out, scan.Pattern{
		Rule: ruleAssigned, Redact: true, Valid: validAssigned,
		Any:   []string{"secret", "password", "passwd", "api_key", "apikey", "api-key", "access_key", "auth_token", "access_token", "private_key"},
		Match: `(?i)\b[a-z0-9_.-]{0,30}(?:secret|passw(?:or)?d|api[_-]?key|access[_-]?key|auth[_-]?token|access[_-]?token|private[_-]?key)[a-z0-9_]{0,12}["']?\s{0,3}(?:=|:|:=)\s{0,3}["'][A-Za-z0-9+/_.=@!#$%^&*-]{16,120}["']`,
	}, scan.Pattern{
		Rule: ruleArgument, Roles: []scan.Role{scan.Command}, Redact: true, Valid: validArgument,
		Any:   []string{"token", "password", "passwd", "secret", "api-key", "apikey", "api_key", "access_key"},
		Match: `(?i)(?:\s--?[a-z-]*(?:token|password|passwd|secret|api-?key|access-key)[= ]["']?[^\s"'-][^\s"']*|[?&](?:access_|auth_)?(?:token|api_?key|password|secret)=[^\s"'&]+)`,
	})
}

// validKey returns the check of one format. tests selects the keys in
// directories of tests, which weigh less.
func validKey(f keyFormat, tests bool) func(*scan.Text, []byte) bool {
	group := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(f.match) })
	grouped := strings.Contains(strings.NewReplacer(`(?:`, "", `(?i)`, "", `\(`, "").Replace(f.match), "(")
	return func(t *scan.Text, found []byte) bool {
		if tests != isTestPath(t.File.Path) {
			return false
		}
		key := found
		if grouped {
			if m := group().FindSubmatch(found); len(m) > 1 && m[1] != nil {
				key = m[1]
			}
		}
		return entropy(key) >= f.entropy && !isPlaceholder(key)
	}
}

// isTestPath reports whether a file is among tests, examples or fixtures.
func isTestPath(path string) bool {
	p := strings.ToLower(path)
	for part := range strings.SplitSeq(p, "/") {
		switch part {
		case "test", "tests", "testdata", "fixtures", "fixture", "__tests__", "spec", "specs", "examples", "example", "mocks", "__mocks__", "evals":
			return true
		}
	}
	base := p[strings.LastIndexByte(p, '/')+1:]
	return strings.Contains(base, "_test.") || strings.Contains(base, ".test.") || strings.Contains(base, ".spec.") || strings.HasPrefix(base, "test_") || strings.Contains(base, ".example")
}

// placeholderWords stand in keys that documentation shows.
var placeholderWords = []string{
	"example", "sample", "placeholder", "xxxx", "your", "my-", "test", "dummy", "fake", "redacted", "abcdef", "12345", "changeme", "change-me", "insert", "replace", "todo", "secret-here", "demo", "aaaa", "0000", "1111", "....", "****", "----", "____", "qwerty", "foobar", "mock", "notreal", "not-a-real",
}

// isPlaceholder reports whether a key is one that nobody was given.
func isPlaceholder(key []byte) bool {
	lower := bytes.ToLower(key)
	for _, w := range placeholderWords {
		if bytes.Contains(lower, []byte(w)) {
			return true
		}
	}
	run := 0 // of characters that follow each other: abcdefgh, 23456789
	for i := 1; i < len(lower); i++ {
		if lower[i] == lower[i-1]+1 || lower[i] == lower[i-1] {
			if run++; run >= 6 {
				return true
			}
		} else {
			run = 0
		}
	}
	return false
}

// entropy returns the Shannon entropy of the bytes, in bits for each of them.
func entropy(data []byte) float64 {
	if len(data) == 0 {
		return 0
	}
	var n [256]int
	for _, c := range data {
		n[c]++
	}
	sum := 0.0
	for _, k := range n {
		if k > 0 {
			q := float64(k) / float64(len(data))
			sum -= q * math.Log2(q)
		}
	}
	return sum
}

// validAssigned decides about NAME = "…": the value is random, no word, path,
// digest or variable.
func validAssigned(t *scan.Text, found []byte) bool {
	if isTestPath(t.File.Path) || len(found) < 18 {
		return false
	}
	quote := found[len(found)-1]
	from := bytes.LastIndexByte(found[:len(found)-1], quote)
	if from < 0 {
		return false
	}
	value := found[from+1 : len(found)-1]
	if isPlaceholder(value) || entropy(value) < 3.6 || bytes.ContainsAny(value, "${}<> ") || bytes.HasPrefix(value, []byte("process.")) {
		return false
	}
	digits, letters, breaks := 0, 0, 0
	for _, c := range value {
		switch {
		case c >= '0' && c <= '9':
			digits++
		case c == '-' || c == '_' || c == '.' || c == '/':
			breaks++
		default:
			letters++
		}
	}
	return digits >= 3 && letters >= 6 && breaks*5 <= len(value)
}

// validArgument decides about an argument of a command: a path, or a flag that
// only names a file, is none.
func validArgument(_ *scan.Text, found []byte) bool {
	s := strings.ToLower(string(found))
	if strings.Contains(s, "-file") || strings.Contains(s, "-stdin") || strings.Contains(s, "-path") || strings.Contains(s, "-name") || strings.Contains(s, "-env") {
		return false
	}
	i := strings.LastIndexAny(s, "= ")
	return i >= 0 && len(s)-i > 4
}

// privateKeys reports blocks that hold a key.
func privateKeys(p *scan.Pass, t *scan.Text) {
	lower := t.Lower()
	for at := 0; ; {
		i := bytes.Index(lower[at:], []byte("private key"))
		if i < 0 {
			return
		}
		i += at
		at = i + len("private key")
		start := bytes.LastIndex(t.Data[max(0, i-40):i], []byte("-----BEGIN "))
		if start < 0 || !bytes.HasPrefix(lower[at:], []byte("-----")) && !bytes.HasPrefix(lower[at:], []byte(" block-----")) {
			continue
		}
		start += max(0, i-40)
		body := t.Data[at:min(len(t.Data), at+600)]
		if end := bytes.Index(body, []byte("-----END")); end >= 0 {
			body = body[:end]
		}
		// Escaped line ends, quotes and joins stand between the lines of a key in code.
		key := strings.NewReplacer(`\n`, "", `\r`, "", "\n", "", "\r", "", " ", "", "\"", "", "'", "", "+", "", "-----", "").Replace(string(body))
		n := 0
		for n < len(key) && (key[n] == '/' || key[n] == '=' || key[n] >= '0' && key[n] <= '9' || key[n] >= 'A' && key[n] <= 'Z' || key[n] >= 'a' && key[n] <= 'z') {
			n++
		}
		if n < 60 || entropy([]byte(key[:n])) < 4 || isPlaceholder([]byte(key[:min(n, 20)])) && n < 100 {
			continue
		}
		if isTestPath(t.File.Path) {
			p.ReportAs(scan.Medium, rulePrivateKey, t, start, at, "a private key, in a file of tests")
			continue
		}
		p.Report(rulePrivateKey, t, start, at, "a private key")
	}
}
