package pinion

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"pinion/capability"
	"pinion/hashes"
	"pinion/internal/fsx"
	"pinion/internal/sealed"
	"pinion/internal/syntax"
	"pinion/scan"
	"pinion/store"
)

const (
	reportsDir  = "reports"
	reportKey   = reportsDir + "/key"
	reportLimit = 16 << 20
	keyBytes    = 64 // hexadecimal digits
)

// kept is a report as it lies in the home, with what else the gate needs to
// know of the package. Mac is the HMAC of all of it under a key of this home, so that
// a file that came from elsewhere is not taken for a report (security 2.4).
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

// seal computes the mac of a report.
func (k *kept) seal(key []byte) (string, error) {
	body, err := k.Report.Encode()
	if err != nil {
		return "", err
	}
	more, err := syntax.Compact(k.Capabilities)
	if err != nil {
		return "", err
	}
	trees, err := syntax.Compact(k.Trees)
	if err != nil {
		return "", err
	}
	m := hmac.New(sha256.New, key)
	for _, part := range [][]byte{body, more, trees} {
		m.Write(part)
	}
	return hex.EncodeToString(m.Sum(nil)), nil
}

// loadReport returns the kept report for exactly this key. Whatever is wrong
// with it, it is then not there: a new scan replaces it.
func loadReport(home *fsx.Dir, k scan.Key) (*kept, bool) {
	key, err := home.ReadFile(reportKey, keyBytes)
	if err != nil || !isReportKey(key) {
		return nil, false
	}
	data, err := home.ReadFile(reportFile(k), reportLimit)
	if err != nil {
		return nil, false
	}
	var out kept
	if fault := sealed.Decode(data, "report", &out); fault != nil || out.Report == nil || out.Report.Key() != k {
		return nil, false
	}
	mac, err := out.seal(key)
	if err != nil || !hmac.Equal([]byte(mac), []byte(out.Mac)) {
		return nil, false
	}
	return &out, true
}

// saveReport keeps a report for its key.
func saveReport(home *fsx.Dir, k kept) error {
	key, err := makeReportKey(home)
	if err != nil {
		return err
	}
	k.Schema = "pinion.report/v1"
	if k.Mac, err = k.seal(key); err != nil {
		return err
	}
	data, err := sealed.Encode(k)
	if err != nil {
		return err
	}
	if err := home.MkdirAll(reportDir(k.Report.Digest)); err != nil {
		return err
	}
	return home.WriteFile(reportFile(k.Report.Key()), data, 0o600)
}

// isReportKey tells a key from what a crash or an editor left: with an empty key
// anybody could make a report.
func isReportKey(key []byte) bool {
	_, err := hex.Decode(make([]byte, keyBytes/2), key)
	return err == nil && len(key) == keyBytes
}

// makeReportKey returns the key of this home, which is made when there is none
// that can be used. The reports of another key are then none.
func makeReportKey(home *fsx.Dir) ([]byte, error) {
	key, err := home.ReadFile(reportKey, keyBytes)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !isReportKey(key) {
		raw := make([]byte, keyBytes/2)
		rand.Read(raw)
		key = hex.AppendEncode(nil, raw)
		if err = home.MkdirAll(reportsDir); err == nil {
			err = home.WriteFile(reportKey, key, 0o600)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("the key of reports: %w", err)
	}
	return key, nil
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
