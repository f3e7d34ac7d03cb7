package checks

import "pinion/scan"

// ruleEncoded is the one rule of the family: what stays harmless when it is
// decoded is nobody's business.
const ruleEncoded = "encoded/payload"

// encodedText decodes what is packed in a text and lets every check look at it.
func encodedText() scan.Check {
	return scan.Check{
		Name: "encoded",
		Rules: []scan.Rule{{
			ID: ruleEncoded, Level: scan.Critical, Since: "0.2.0",
			Title: "encoded text hides something grave",
			Help: "Base64, hexadecimal, escapes, character codes, compressed, reversed or pieced together text was decoded, and what it stands for would itself block: it downloads and runs code, " +
				"opens a shell to somewhere, reads credentials, destroys, or sets instructions aside. The message names the rule that found it. " +
				"Images, hashes, certificates, keys and source maps decode to nothing grave and are not reported.",
			Fix:     "write the code in plain text, if it has an honest purpose",
			Example: "echo aWdub3Jl… | base64 -d | sh",
		}},
		Text: func(p *scan.Pass, t *scan.Text) {
			if len(t.Data) < minEncoded || !p.Spend(len(t.Data)) {
				return
			}
			stretches(p, t, func(s stretch) bool { return judgeStretch(p, t, s) })
		},
	}
}

// stretch is a part of a text that stands for something else.
type stretch struct {
	start, end int
	kind       string // "base64 text"
	decoded    []byte
}

// judgeStretch reports a stretch whose content is grave. It returns false when the
// file has cost enough.
func judgeStretch(p *scan.Pass, t *scan.Text, s stretch) bool {
	text, packed := plainText(s.decoded)
	if text == nil || !worthReading(text) {
		return true
	}
	if packed != "" {
		s.kind += " of " + packed
	}
	if !p.Spend(2 * len(text)) {
		return false
	}
	for _, lang := range languagesOf(text) {
		for _, f := range p.Inspect(t, s.start, lang, text) {
			grave := f.Level >= scan.High && !p.Form(f.Rule)
			if !grave && !(f.Rule == ruleOverride && f.Level >= scan.Medium) {
				continue
			}
			message := f.Message
			if f.Rule == ruleEncoded {
				message = "more of the kind: " + message
			} else {
				message = f.Rule + ": " + message
			}
			p.Report(ruleEncoded, t, s.start, s.end, "%s stands for %s", s.kind, message)
			return true
		}
	}
	return true
}
