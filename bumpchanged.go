package pinion

import (
	"context"
	"path/filepath"
	"slices"

	"pinion/catalog"
	"pinion/problem"
)

// Bumped is one package whose version was raised by [Client.BuildCatalog].
type Bumped struct {
	Dir  string `json:"dir"` // slash-separated, from the repository
	From string `json:"from"`
	To   string `json:"to"`
}

// versionChanged is the rule of package catalog that a raised version cures.
const versionChanged = "catalog/version-changed"

// changedDirs returns the directories of the items that a released catalog
// lists under the same version with another digest.
func changedDirs(items *catalog.Items, released *catalog.Catalog) []string {
	var out []string
	for i := range items.Len() {
		it := items.At(i)
		for _, e := range released.Named(it.ID) {
			if e.Version == it.Version && !e.Digest.IsZero() && e.Digest != it.Digest {
				out = append(out, it.Dir)
				break
			}
		}
	}
	return out
}

// bumpChanged raises the patch version of the packages that changed under a
// released version and builds again. It does nothing when anything else is
// wrong, since the author has to edit then and may want another version.
func (c *Client) bumpChanged(ctx context.Context, repo string, r *BuildReport, o BuildOptions) (*BuildReport, error) {
	if len(r.changed) == 0 || slices.ContainsFunc(r.Problems, otherError) {
		return r, nil
	}
	var bumped []Bumped
	for _, dir := range r.changed {
		b, err := c.Bump(ctx, filepath.Join(c.abs(repo), filepath.FromSlash(dir)), "patch", false, o.DryRun)
		if err != nil {
			return nil, err
		}
		bumped = append(bumped, Bumped{Dir: dir, From: b.From, To: b.To})
	}
	if o.DryRun {
		r.Bumped = bumped
		r.Problems = slices.DeleteFunc(r.Problems, func(p problem.Problem) bool { return p.Rule == versionChanged })
		r.OK, r.Changed = true, true
		return r, nil
	}
	o.Bump = false
	again, err := c.build(ctx, repo, o)
	if again != nil {
		again.Bumped = bumped
	}
	return again, err
}

func otherError(p problem.Problem) bool {
	return p.Severity == problem.Error && p.Rule != versionChanged
}
