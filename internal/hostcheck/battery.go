package hostcheck

import (
	"cmp"
	"errors"
	"io/fs"
	"slices"
)

// Made returns the cases that are written in code, sorted by id.
func Made() []Case {
	var m maker
	m.madeManifests()
	m.madePaths()
	m.madeHooks()
	m.madeServers()
	m.madeMarkdown()
	m.madeTrees()
	m.madeSkills()
	m.madeCatalogs()
	m.madeExtensions()
	m.madeBundles()
	sortCases(m.cases)
	return m.cases
}

func sortCases(cases []Case) {
	slices.SortFunc(cases, func(a, b Case) int { return cmp.Compare(a.ID, b.ID) })
}

// Battery returns every case: those of the corpus in a directory, where it is
// there, and those that are made.
func Battery(corpus string) ([]Case, error) {
	cases := Made()
	more, err := Corpus(corpus)
	if errors.Is(err, fs.ErrNotExist) {
		return cases, nil
	}
	if err != nil {
		return nil, err
	}
	cases = append(cases, more...)
	sortCases(cases)
	return cases, nil
}
