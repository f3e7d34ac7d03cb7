package market

import "unicode/utf8"

// maxShown is how many bytes of a text that is only shown are kept: one catalog
// with a description of a hundred megabytes would otherwise be read into memory
// by every command.
const maxShown = 4 << 10

// clip cuts text at a character.
func clip(s string) string {
	if len(s) <= maxShown {
		return s
	}
	n := maxShown
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// clip cuts what is only shown of a plugin.
func (p *Plugin) clip() {
	p.Title, p.Description, p.License = clip(p.Title), clip(p.Description), clip(p.License)
	if e := p.Origin.Entry; e != nil && max(len(e.Description), len(e.License)) > maxShown {
		short := *e
		short.Description, short.License = clip(e.Description), clip(e.License)
		p.Origin.Entry = &short
	}
}
