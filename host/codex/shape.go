package codex

import (
	"errors"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"pinion/host"
	"pinion/internal/syntax"
)

const (
	codexManifest  = ".codex-plugin/plugin.json"
	claudeManifest = ".claude-plugin/plugin.json"
	migrated       = ".codex-plugin/migrated-command-skills"
	maxText        = 1 << 20 // bytes of a manifest or a command
)

// shaped is how a plugin's copy differs from its files.
type shaped struct {
	extra map[string][]byte
	under string
}

// shape works out what a copy needs so that Codex loads it, or says why it
// cannot.
func shape(pl host.Plugin) (s shaped, why string) {
	s.extra = map[string][]byte{}
	if !validSegment(pl.ID, "_-") {
		return s, "its id is no name of a plugin in Codex: letters, digits, hyphen and underscore"
	}
	if !validSegment(pl.Version, "._+-") {
		return s, "its version is no name of a directory that Codex takes"
	}
	file, doc, err := manifestOf(pl)
	switch {
	case err != nil:
		return s, "its " + file + " cannot be read: " + err.Error()
	case file != "":
		if name, _ := doc.Get("name"); string(name) != strconv.Quote(pl.ID) {
			if err := doc.SetValue("name", pl.ID); err != nil {
				return s, err.Error()
			}
			text, err := syntax.Encode(doc)
			if err != nil {
				return s, err.Error()
			}
			s.extra[file] = text
		}
	case pl.Format == "native" && !pl.Has("SKILL.md"):
		return s, "it is a native " + string(pl.Kind) + " plugin, which Codex cannot run by itself"
	default:
		if pl.Has("SKILL.md") {
			s.under = path.Join("skills", pl.ID)
		}
		text, err := made(pl)
		if err != nil {
			return s, err.Error()
		}
		s.extra[codexManifest] = text
	}
	if s.under == "" {
		s.commands(pl)
	}
	return s, ""
}

// manifestOf reads the manifest that Codex would: its own, else that of Claude
// Code. Without one file is "".
func manifestOf(pl host.Plugin) (file string, doc syntax.Object, err error) {
	for _, file := range []string{codexManifest, claudeManifest} {
		data, err := host.ReadState(pl.Dir, file, maxText)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = syntax.Decode(data, &doc, syntax.Options{AllowDuplicates: true, AllowBOM: true}).Err()
		}
		return file, doc, err
	}
	return "", doc, nil
}

// made is a manifest from what the catalog said of a plugin, as `codex plugin add`
// makes one.
func made(pl host.Plugin) ([]byte, error) {
	entry, err := host.ClaudeEntry(pl, "")
	if err != nil {
		return nil, err
	}
	entry.Delete("source")
	entry.Delete("strict")
	return syntax.Encode(entry)
}

// commands turns commands into skills, in the words of Codex's own migration.
func (s *shaped) commands(pl host.Plugin) {
	for _, f := range pl.Files {
		rest, ok := strings.CutPrefix(f.Path, "commands/")
		name, isText := strings.CutSuffix(rest, ".md")
		if !ok || !isText || f.Size > maxText {
			continue
		}
		data, err := host.ReadState(pl.Dir, f.Path, maxText)
		if err != nil {
			continue // a damaged store is verify's to tell; the copy is refused anyway
		}
		name = strings.ReplaceAll(name, "/", "-")
		slug := "source-command-" + strings.ToLower(strings.ReplaceAll(name, "_", "-"))
		if text := skill(slug, name, data); text != nil && validSegment(slug, "-") {
			s.extra[path.Join(migrated, slug, "SKILL.md")] = text
		}
	}
}

// skill is the skill that Codex 0.171.0 makes of a command, nil when it makes
// none: without a description, and when the text has arguments, shell commands or
// references to files, which a skill cannot have.
func skill(slug, name string, data []byte) []byte {
	front, _ := syntax.Frontmatter(data)
	field, ok := front.Get("description")
	if !ok || field.Value == "" {
		return nil
	}
	body := strings.TrimSpace(strings.ReplaceAll(string(data[front.Body:]), "\r\n", "\n"))
	if strings.Contains(body, "$ARGUMENTS") || len(syntax.BangCommands([]byte(body))) > 0 || hasMark(body, '$', isDigit) || hasMark(body, '@', isWord) {
		return nil
	}
	if body == "" {
		body = "No command template body was found."
	}
	quoted := `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(strings.TrimSpace(field.Value)) + `"`
	return []byte("---\nname: \"" + slug + "\"\ndescription: " + quoted + "\n---\n\n# " + slug +
		"\n\nUse this skill when the user asks to run the migrated source command `" + name + "`.\n\n## Command Template\n\n" + body + "\n")
}

// hasMark reports whether mark stands at the start of a word and next follows.
func hasMark(s string, mark byte, next func(byte) bool) bool {
	for i := 0; i+1 < len(s); i++ {
		if s[i] == mark && next(s[i+1]) && (i == 0 || !isWord(s[i-1])) {
			return true
		}
	}
	return false
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isWord(c byte) bool {
	return isDigit(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '.' || c == '/' || c == '_'
}
