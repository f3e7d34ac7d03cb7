package native

import (
	"fmt"
	"slices"
	"strings"

	"pinion/internal/syntax"
	"pinion/problem"
)

func contains(words []string, s string) bool     { return slices.Contains(words, s) }
func indexOf(words []string, s string) int       { return slices.Index(words, s) }
func hasUnfit(s string, lines bool) (found bool) { _, found = unfit(s, lines); return found }
func ptr(parts ...any) string                    { return syntax.Pointer(parts...) }

func clip(s string) string {
	const most = 60
	if len(s) > most {
		return s[:most] + "…"
	}
	return s
}

func isModule(path string) bool {
	return strings.HasSuffix(path, ".js") || strings.HasSuffix(path, ".mjs")
}

func moduleProblem(path string) problem.Problem {
	return ruleUIFile.Report("%s is not a JavaScript module that ends with .js or .mjs", quote(path)).
		WithFix("name a .js or .mjs file")
}

// isSettingKey is ^(PINION|SHINBOT)_PLUGIN_[A-Z0-9_]+$. Which of the two is
// wanted depends on the manifest's name and is checked with the meaning.
func isSettingKey(key string) bool {
	for _, f := range flavours {
		if rest, ok := strings.CutPrefix(key, f.settingPrefix); ok {
			return rest != "" && strings.Trim(rest, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == ""
		}
	}
	return false
}

// settingKeyLike makes what was probably meant.
func settingKeyLike(prefix, key string) string {
	s := strings.ToUpper(strings.ReplaceAll(slugOf(key), "-", "_"))
	for _, f := range flavours {
		s = strings.TrimPrefix(s, f.settingPrefix)
		s = strings.TrimPrefix(s, strings.TrimSuffix(f.settingPrefix, "_"))
	}
	if s == "" {
		s = "TOKEN"
	}
	return prefix + s
}

func versionProblem(v string) problem.Problem {
	if len(v) > maxVersion {
		return ruleVersion.Report("the version is %d characters long, at most %d are allowed", len(v), maxVersion)
	}
	p := ruleVersion.Report("version %s is not a semantic version", quote(v))
	trimmed := strings.TrimPrefix(strings.TrimPrefix(v, "v"), "V")
	for _, s := range []string{trimmed, trimmed + ".0", trimmed + ".0.0"} {
		if isVersion(s) {
			return p.WithFix("write %q", s)
		}
	}
	return p
}

// kindProblem words an unknown kind. A channel is known and refused (SB-004).
func kindProblem(k string) problem.Problem {
	if k == "channel" {
		return ruleChannel.Report("channel plugins cannot be packaged: they run as separately managed services and need host integration")
	}
	return ruleKind.Report("unknown kind %s", quote(k)).WithFix("%s", didYouMean(k, kinds))
}

// licenseProblem words a licence that is not one of the eight (SB-064).
func licenseProblem(l string) problem.Problem {
	p := ruleLicense.Report("license %s is not on the list of supported licences", quote(l))
	for _, id := range licenses {
		if strings.EqualFold(id, l) {
			return ruleLicense.Report("license %s is spelled %s", quote(l), quote(id)).WithFix("write %q", id)
		}
	}
	if near, ok := nearLicense(l); ok {
		return p.WithFix("write %q if that is the licence in LICENSE", near)
	}
	return p.WithFix("the supported licences are %s", oneOf(licenses))
}

// nearLicense finds the id that a common spelling means. A licence that exists
// but is not supported is never "nearly" another one.
func nearLicense(l string) (string, bool) {
	lower := strings.ToLower(l)
	for _, family := range []string{"gpl", "mpl", "epl", "cddl", "cc-by", "proprietary", "unlicensed"} {
		if strings.Contains(lower, family) {
			return "", false
		}
	}
	switch strings.NewReplacer(" ", "", "-", "", "_", "", ".", "", ",", "").Replace(lower) {
	case "apache", "apache2", "apachelicense20", "apachelicense2", "apache20license":
		return "Apache-2.0", true
	case "mitlicense", "themitlicense", "expat":
		return "MIT", true
	case "bsd", "bsd3", "bsd3clauselicense", "newbsd":
		return "BSD-3-Clause", true
	case "bsd2", "simplifiedbsd", "freebsd":
		return "BSD-2-Clause", true
	case "cc0", "publicdomain":
		return "CC0-1.0", true
	}
	near, ok := syntax.Nearest(l, licenses)
	return near, ok && len(l) > 3 // of three letters any two are near
}

// schemaFault words what is wrong inside an input schema.
func schemaFault(pointer, message string) problem.Problem {
	if pointer == "" {
		return ruleToolSchema.Report("input_schema %s", message)
	}
	return ruleToolSchema.Report("%s", fmt.Sprintf("input_schema: %s %s", dotted(pointer), message))
}
