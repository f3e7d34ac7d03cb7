package pinion

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"pinion/capability"
	"pinion/hashes"
	"pinion/internal/fsx"
	"pinion/internal/syntax"
	"pinion/scan"
	"pinion/store"
)

const (
	reportsDir  = "reports"
	reportLimit = 16 << 20
)

// kept is a report as it lies in the home, with what else the gate needs to
// know of the package.
type kept struct {
	Schema       string             `json:"schema"`
	Report       *scan.Report       `json:"report"`
	Capabilities capability.Summary `json:"capabilities"`
	Trees        []judgedTree       `json:"trees"` // newest last
	Mac          string             `json:"mac"`
}

// judgedTree is a directory of the store whose files were compared with the
// digest, and how it looked then.
type judgedTree struct {
	Dir   string     `json:"dir"`
	Stamp hashes.Sum `json:"stamp"`
}

// maxTrees is how many directories with the same bytes are remembered.
const maxTrees = 16

// isOf reports whether the files of a build were compared with the digest and
// look as they did then.
func (k *kept) isOf(b store.Build, stamp hashes.Sum) bool {
	return slices.Contains(k.Trees, judgedTree{b.Dir(), stamp})
}

// note remembers that the files of a build were compared with the digest.
func (k *kept) note(b store.Build, stamp hashes.Sum) {
	k.Trees = slices.DeleteFunc(k.Trees, func(t judgedTree) bool { return t.Dir == b.Dir() })
	k.Trees = append(k.Trees, judgedTree{b.Dir(), stamp})
	k.Trees = k.Trees[max(0, len(k.Trees)-maxTrees):]
}

// stampOf says how a directory looks without reading its files: their names,
// modes, sizes and times. Whatever writes to one of them changes it.
func stampOf(dir string) (hashes.Sum, error) {
	var b []byte
	err := filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		b = fmt.Appendf(b, "%q %s %d %d\n", strings.TrimPrefix(p, dir), info.Mode(), info.Size(), info.ModTime().UnixNano())
		return nil
	})
	return hashes.Of(b), err
}

// reportDir is where the reports of one digest are.
func reportDir(d hashes.Digest) string { return reportsDir + "/" + d.Hex(32) }

func reportFile(k scan.Key) string { return reportDir(k.Digest) + "/" + k.ID() + ".json" }

// covered is all that decides.
func (k *kept) covered() ([]byte, error) {
	report, err1 := k.Report.Encode()
	capabilities, err2 := syntax.Compact(k.Capabilities)
	trees, err3 := syntax.Compact(k.Trees)
	return slices.Concat(report, capabilities, trees), errors.Join(err1, err2, err3)
}

func (k *kept) mac() *string { return &k.Mac }

// loadReport returns the kept report for exactly this key; without one a new scan
// replaces it.
func loadReport(home *fsx.Dir, k scan.Key) (*kept, bool) {
	out := new(kept)
	ok := loadAuthentic(home, reportFile(k), "report", reportLimit, out)
	return out, ok && out.Report.Key() == k
}

// saveReport keeps a report for its key. A scan that was not completed is not
// kept: what crashed or was too slow today is tried again.
func saveReport(home *fsx.Dir, k *kept) error {
	if !k.Report.Complete {
		return nil
	}
	k.Schema = "pinion.report/v1"
	return saveAuthentic(home, reportFile(k.Report.Key()), k)
}

// forgetReports removes the reports of a build that was uninstalled, unless the
// same bytes are installed from elsewhere. What cannot be removed is only a file
// too many, so the uninstallation stands.
func (c *Client) forgetReports(ctx context.Context, st *store.Store, b store.Build) {
	rest, damaged, err := st.Find(ctx, b.ID)
	if err != nil || len(damaged) > 0 || slices.ContainsFunc(rest, func(r store.Receipt) bool { return r.Digest == b.Digest }) {
		return
	}
	if err := c.home.RemoveAll(reportDir(b.Digest)); err != nil {
		c.o.Log.Debug("reports stay", "dir", reportDir(b.Digest), "error", err)
	}
}

// sweepReports removes the reports of everything that is not installed: of what
// was uninstalled by a process that was killed, say. Where a receipt cannot be
// read it is not known what is installed, and all stay.
func (c *Client) sweepReports(ctx context.Context, st *store.Store) error {
	dirs, err := c.home.ReadDir(reportsDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	all, damaged, err := st.List(ctx)
	if err != nil || len(damaged) > 0 {
		return err
	}
	have := map[string]bool{}
	for _, r := range all {
		have[reportDir(r.Digest)] = true
	}
	for _, d := range dirs {
		if name := reportsDir + "/" + d.Name(); name != reportKey && !have[name] {
			if err := c.home.RemoveAll(name); err != nil {
				return err
			}
		}
	}
	return nil
}
