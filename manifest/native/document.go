package native

import "pinion/internal/syntax"

// document is the manifest as it is written.
type document struct {
	SchemaVersion syntax.Raw   `json:"schema_version"`
	ID            string       `json:"id"`
	Name          string       `json:"name"`
	Version       string       `json:"version"`
	Description   string       `json:"description"`
	Kind          string       `json:"kind"`
	License       string       `json:"license"`
	Files         []string     `json:"files"`
	Entrypoint    string       `json:"entrypoint"`
	Tools         []tool       `json:"tools"`
	Configuration []setting    `json:"configuration"`
	Requires      []syntax.Raw `json:"requires"`
	Permissions   []string     `json:"permissions"`
	UI            ui           `json:"ui"`
	Hooks         []hook       `json:"hooks"`
}

type tool struct {
	Name                 string     `json:"name"`
	Description          string     `json:"description"`
	InputSchema          syntax.Raw `json:"input_schema"`
	RequiresConfirmation bool       `json:"requires_confirmation"`
}

type setting struct {
	Key         string `json:"key"`
	Label       string `json:"label"`
	Description string `json:"description"`
	Secret      bool   `json:"secret"`
	Required    bool   `json:"required"`
}

type ui struct {
	Pages   []page   `json:"pages"`
	Styles  []string `json:"styles"`
	Patches []string `json:"patches"`
	Assets  []string `json:"assets"`
}

type page struct {
	ID         string `json:"id"`
	Title      string `json:"title"`
	Icon       string `json:"icon"`
	Entrypoint string `json:"entrypoint"`
}

type hook struct {
	Event      string `json:"event"`
	Entrypoint string `json:"entrypoint"`
	Timeout    int    `json:"timeout"`
}

// empty reports whether nothing at all could be read.
func (d *document) empty() bool {
	return d.SchemaVersion == nil && d.ID == "" && d.Name == "" && d.Version == "" && d.Kind == "" && d.License == "" && d.Files == nil
}

// contributes reports whether u adds anything that runs or shows.
func (u *ui) contributes() bool {
	return len(u.Pages)+len(u.Styles)+len(u.Patches)+len(u.Assets) > 0
}
