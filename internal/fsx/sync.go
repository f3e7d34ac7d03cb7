package fsx

import (
	"errors"
	"os"
	"path"
)

// SyncTree makes whole trees durable before they are placed. On Linux it is one
// syncfs(2) for all of them, which also covers every directory made with
// [Dir.MkdirAll] on the same file system; where there is none it is an fsync of
// each file and directory.
func (d *Dir) SyncTree(names ...string) error {
	if len(names) == 0 {
		return nil
	}
	if err := checkNames(names...); err != nil {
		return err
	}
	if hasSyncFS {
		err := d.step(OpSyncFS, names[0], func() error {
			f, err := d.openDir(names[0])
			if err != nil {
				return err
			}
			return errors.Join(syncFS(f), f.Close())
		})
		if !isUnsupported(err) {
			return err
		}
	}
	for _, name := range names {
		if err := d.syncEach(name); err != nil {
			return err
		}
	}
	return nil
}

// syncEach syncs what is below name, children first.
func (d *Dir) syncEach(name string) error {
	dir, err := d.openDir(name)
	if err != nil {
		return d.opError("list", name, err)
	}
	entries, err := dir.ReadDir(-1)
	if err := errors.Join(err, dir.Close()); err != nil {
		return d.opError("list", name, err)
	}
	for _, e := range entries {
		child := path.Join(name, e.Name())
		switch {
		case e.IsDir():
			err = d.syncEach(child)
		case e.Type().IsRegular():
			err = d.step(OpSync, child, func() error { return syncFile(d.root, child) })
		default:
			err = d.opError(OpSync, child, ErrNotRegular)
		}
		if err != nil {
			return err
		}
	}
	return d.SyncDir(name)
}

func openAndSync(root *os.Root, name string, flag int) error {
	f, err := root.OpenFile(name, flag|openFlags, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
