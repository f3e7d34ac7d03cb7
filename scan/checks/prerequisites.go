package checks

import (
	"bytes"
	"regexp"
	"sync"

	"pinion/scan"
)

// The rules on what a reader is told to fetch with their own hands, which no
// command of the package shows.
const (
	ruleLockedDownload = "prerequisite/locked-download"
	rulePasteFromPage  = "prerequisite/paste-from-page"
)

// maxParagraph is how much of one paragraph is looked at, in bytes.
const maxParagraph = 2 << 10

// prerequisites reports fake prerequisites: the skill is said to need a program
// that comes in an archive with a password, which no scanner on the way can open,
// or a command that stands on somebody's page.
func prerequisites() scan.Check {
	return scan.Check{
		Name: "prerequisite",
		Rules: []scan.Rule{{
			ID: ruleLockedDownload, Level: scan.High, Since: "0.2.0",
			Title: "a program in an archive with a password is to be downloaded and run",
			Help: "The text has the reader download an archive from an address, open it with a password that is given, and run what is in it. The password protects " +
				"nobody, since it stands beside the link; it keeps scanners from looking inside. Campaigns against users of skills began this way. " +
				"Archives without a password, and passwords of documents or databases, are not reported.",
			Fix:     "publish the program where it can be looked at, with its SHA-256",
			Example: "Download [agent.zip](https://host.invalid/agent.zip), extract it with the password: 1234, and run it.",
		}, {
			ID: rulePasteFromPage, Level: scan.High, Since: "0.2.0",
			Title: "a command is to be copied from a page into a terminal",
			Help: "The text sends the reader to an address for a script or command to paste into a terminal. What stands there is not in the package and can change at any " +
				"time. On a paste service it is critical. Commands that stand in the text itself, keys and codes to log in with, and installers of well-known projects are not reported.",
			Fix:     "write the command into the text, with a fixed version",
			Example: "Visit https://host.invalid/setup, copy the installation script and paste it into Terminal.",
		}},
		Hints: []string{"password", "passcode", "pass:", "pass `", "pwd", "paste", "terminal", "powershell", "command prompt"},
		Langs: []scan.Lang{scan.Prose, scan.HTML, scan.Plain},
		Text:  prerequisiteText,
	}
}

var (
	lockedWith = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("(?i)\\bpass(?:word|code|phrase|wd)?\\b(?: for (?:the |this )?(?:archive|zip|file)| is| to (?:open|extract|unzip)(?: it)?)?\\s*[:=`\"'(*–—]+\\s*[`\"'*]*[a-z0-9!@#$_.-]{3,}|\\bpassword[- ]protected\\b")
	})
	archiveLink = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)https?://[^\s<>"')]+\.(?:zip|rar|7z|exe|msi|dmg|pkg|iso|tgz|tar\.gz)\b|\.(?:zip|rar|7z|exe|msi|dmg|pkg|iso)\b[^\n]{0,80}https?://|https?://[^\n]{0,200}\.(?:zip|rar|7z|exe|msi|dmg|pkg|iso)\b|https?://[^\s<>"')]+/releases/`)
	})
	takeAndRun = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?is)\b(?:download|get|fetch|grab|install)\b.*\b(?:run|execute|launch|start|install|open|double-click)\b`)
	})
	pasteFrom = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?is)\b(?:visit|go to|open|navigate to|head (?:over )?to|browse to|from)\b.{0,100}?(https?://[^\s<>"')\]]+).{0,160}?\bcopy\b.{0,40}?\b(?:scripts?|commands?|one-?liner|snippet|install(?:ation|er) code)\b.{0,120}?\b(?:paste|run|execute)\b.{0,80}?\b(?:terminal|powershell|command prompt|console|cmd|shell|run dialog|win ?\+ ?r)\b`)
	})
)

func prerequisiteText(p *scan.Pass, t *scan.Text) {
	if t.Role == scan.Block && t.Lang == scan.Plain {
		return // a listing, not words to a reader
	}
	lower := t.Lower()
	for pos := 0; pos < len(lower); {
		end := paragraphEnd(lower, pos)
		part := lower[pos:min(end, pos+maxParagraph)]
		at := pos
		pos = end
		if !bytes.Contains(part, []byte("://")) {
			continue
		}
		locked := bytes.Contains(part, []byte("pass"))
		pastes := bytes.Contains(part, []byte("copy"))
		if !locked && !pastes {
			continue
		}
		if !p.Spend(24 * len(part)) {
			return
		}
		if locked {
			if m := lockedWith().FindIndex(part); m != nil && archiveLink().Match(part) && takeAndRun().Match(part) {
				p.Report(ruleLockedDownload, t, at+m[0], at+m[1], "a program in an archive with a password is to be downloaded and run")
			}
		}
		if m := pasteFrom().FindSubmatchIndex(part); pastes && m != nil {
			url := string(part[m[2]:m[3]])
			host := hostOf(url)
			switch {
			case knownInstaller(url) != "" || isPrivateHost(host):
			case isDropHost(host):
				p.ReportAs(scan.Critical, rulePasteFromPage, t, at+m[2], at+m[3], "a command is to be copied from %s into a terminal, where anybody can put one", host)
			default:
				p.Report(rulePasteFromPage, t, at+m[2], at+m[3], "a command is to be copied from %s into a terminal", host)
			}
		}
	}
}

// paragraphEnd returns where the paragraph that begins at pos ends: behind an
// empty line.
func paragraphEnd(data []byte, pos int) int {
	for at := pos; ; {
		i := bytes.IndexByte(data[at:], '\n')
		if i < 0 {
			return len(data)
		}
		at += i + 1
		rest := bytes.TrimLeft(data[at:min(at+80, len(data))], " \t\r")
		if len(rest) > 0 && rest[0] == '\n' || at-pos >= maxParagraph {
			return at
		}
	}
}
