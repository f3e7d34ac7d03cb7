package pinion

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"pinion/internal/fsx"
	"pinion/market"
	"pinion/store"
)

// DoctorReport is the JSON document pinion.doctor/v1.
type DoctorReport struct {
	Schema string        `json:"schema"`
	OK     bool          `json:"ok"` // no check failed
	Checks []DoctorCheck `json:"checks"`
}

// DoctorCheck is one thing that was looked at. Result is "ok", "note" or
// "failed".
type DoctorCheck struct {
	Name   string `json:"name"`
	Result string `json:"result"`
	Text   string `json:"text"`
	Fix    string `json:"fix"`
}

func (r *DoctorReport) add(name, result, text, fix string) {
	r.Checks = append(r.Checks, DoctorCheck{Name: name, Result: result, Text: text, Fix: fix})
	if result == "failed" {
		r.OK = false
	}
}

// Doctor looks at everything Pinion stands on and says what to do about what is
// wrong. It changes nothing. With project it also lists every program that the
// project's active plugins can start.
func (c *Client) Doctor(ctx context.Context, project bool) (*DoctorReport, error) {
	r := &DoctorReport{Schema: "pinion.doctor/v1", OK: true, Checks: []DoctorCheck{}}
	c.checkGit(ctx, r)
	st, ms, ok, err := c.state(false)
	var insecure *fsx.InsecureError
	switch {
	case errors.As(err, &insecure):
		r.add("home", "failed", insecure.Error(), insecure.Hint)
		return r, nil
	case err != nil:
		r.add("home", "failed", err.Error(), "")
		return r, nil
	case !ok:
		r.add("home", "note", c.o.Home+" does not exist yet", "the first pinion marketplace add or pinion install makes it")
		return r, nil
	}
	c.checkHome(r)
	if err := c.checkStore(ctx, st, r); err != nil {
		return nil, err
	}
	if err := c.checkMarkets(ctx, ms, r); err != nil {
		return nil, err
	}
	if err := c.checkHosts(ctx, r); err != nil {
		return nil, err
	}
	if project {
		return r, c.checkProject(ctx, st, r)
	}
	return r, nil
}

func (c *Client) checkGit(ctx context.Context, r *DoctorReport) {
	path, err := exec.LookPath("git")
	if err != nil {
		r.add("git", "note", "git is not installed; marketplaces are fetched over https without it", "install git for ssh and file:// sources and for faster refreshes")
		return
	}
	cmd := exec.CommandContext(ctx, path, "--version")
	out, err := cmd.Output()
	if err != nil {
		r.add("git", "failed", path+" does not run: "+err.Error(), "install git again")
		return
	}
	r.add("git", "ok", string(trimLine(out)), "")
}

func trimLine(b []byte) []byte {
	for len(b) > 0 && (b[len(b)-1] == '\n' || b[len(b)-1] == '\r') {
		b = b[:len(b)-1]
	}
	return b
}

// checkHome writes and removes one file, because modes alone do not tell
// whether a file system can be written.
func (c *Client) checkHome(r *DoctorReport) {
	f, err := os.CreateTemp(filepath.Join(c.o.Home), ".doctor-")
	switch {
	case errors.Is(err, fs.ErrPermission), errors.Is(err, fsx.ErrReadOnly):
		r.add("home", "note", c.o.Home+" can be read but not written", "")
		return
	case err != nil:
		r.add("home", "note", c.o.Home+" cannot be written: "+err.Error(), "free some space, or choose another home with PINION_HOME")
		return
	}
	err = errors.Join(f.Close(), os.Remove(f.Name()))
	if err != nil {
		r.add("home", "failed", err.Error(), "")
		return
	}
	r.add("home", "ok", c.o.Home, "")
}

func (c *Client) checkStore(ctx context.Context, st *store.Store, r *DoctorReport) error {
	receipts, damage, err := st.List(ctx)
	if err != nil {
		return err
	}
	_, more, err := c.pointers(ctx, st)
	if err != nil {
		return err
	}
	for _, d := range append(damage, more...) {
		r.add("store", "failed", d.Path+" "+d.Reason, d.Fix)
	}
	diffs, err := st.Verify(ctx)
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, d := range diffs {
		if ref := d.Build.Ref(); !seen[ref] && d.What != store.NoReceipt {
			seen[ref] = true
			r.add("store", "failed", ref+" is not what was installed: "+d.Path+" is "+string(d.What), "pinion verify --repair "+ref)
		}
	}
	if len(damage)+len(more)+len(diffs) == 0 {
		r.add("store", "ok", plural(len(receipts), "installed version")+", every file as it was installed", "")
	}
	projects, _, err := st.Projects(ctx)
	if err != nil {
		return err
	}
	for _, p := range projects {
		if p.Missing {
			r.add("projects", "note", p.Root+" is gone; "+plural(len(p.IDs), "plugin")+" stay active for it", "pinion gc lists it")
		}
	}
	return nil
}

func (c *Client) checkMarkets(ctx context.Context, ms *market.Markets, r *DoctorReport) error {
	list, damaged, err := ms.List(ctx)
	if err != nil {
		return err
	}
	for _, d := range damaged {
		fix := ""
		var s *market.StateError
		if errors.As(d.Err, &s) {
			fix = s.Hint()
		}
		r.add("marketplaces", "failed", d.Err.Error(), fix)
	}
	for _, m := range list {
		if _, err := ms.Ledger(m.Key); err != nil {
			r.add("ledger", "failed", err.Error(), "restore the file from a backup; without it a rewritten release cannot be seen")
		}
		text := m.Name + ": " + plural(len(m.State.Plugins), "plugin") + " from " + m.Source
		if m.State.Ancestry == "not checked" {
			r.add("marketplaces", "note", text+"; whether its history was rewritten could not be checked", "install git, or refresh over https")
			continue
		}
		r.add("marketplaces", "ok", text, "")
	}
	return nil
}

// checkProject lists what the project's active plugins can start (SM-56).
func (c *Client) checkProject(ctx context.Context, st *store.Store, r *DoctorReport) error {
	root, err := c.projectRoot()
	if err != nil {
		return err
	}
	effective, _, err := st.Effective(ctx, root)
	if err != nil {
		return err
	}
	n := 0
	for _, p := range effective {
		if p.Current == nil || !p.Enabled {
			continue
		}
		in, err := st.Receipt(*p.Current)
		if err != nil {
			return err
		}
		for _, cap := range thatRun(in.Components) {
			n++
			text := in.ID + " " + in.Version + ": " + string(cap.Type) + " " + cap.Name
			if cap.Detail != "" {
				text += ": " + cap.Detail
			}
			r.add("project", "note", text, "")
		}
	}
	if n == 0 {
		r.add("project", "ok", "no active plugin starts anything in "+root, "")
	}
	if l, err := readLock(root); err == nil {
		have, err := c.projectLock(ctx, root, l)
		if err != nil {
			return err
		}
		for _, d := range lockDifferences(l, have) {
			r.add("lock", "failed", d, "pinion sync, or pinion lock")
		}
	}
	r.add("system", "ok", runtime.GOOS+"/"+runtime.GOARCH+", Pinion "+Version, "")
	return nil
}
