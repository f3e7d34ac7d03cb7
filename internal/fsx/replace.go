package fsx

// ReplaceTree is [Dir.Place] for a name that holds a tree placed before: staged,
// prepared by [Dir.MakeReadOnly] and [Dir.SyncTree], takes its place by
// [Dir.SwapDir], whose promises on crashes and errors hold here too. What is not
// a directory at final is removed first.
func (d *Dir) ReplaceTree(staged, final string) error {
	info, err := d.Lstat(final)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		if err := d.RemoveAll(final); err != nil {
			return err
		}
		return d.Place(staged, final)
	}
	// Exchanging two directories needs write permission on both.
	if err := d.chmodIfNeeded(d.root, final, final, info, info.Mode().Perm()|0o700); err != nil {
		return err
	}
	swapped := d.SwapDir(staged, final)
	// Old or new, what is there now is not to be written to.
	err = d.Seal(final)
	if swapped != nil {
		return swapped
	}
	return err
}

// Seal takes write permission from the directory at name alone, the last step of
// [Dir.Place] and [Dir.ReplaceTree], after a crash just before it.
func (d *Dir) Seal(name string) error {
	info, err := d.Lstat(name)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return d.opError(OpChmod, name, ErrNotDir)
	}
	return d.chmodIfNeeded(d.root, name, name, info, readOnlyMode(info.Mode()))
}
