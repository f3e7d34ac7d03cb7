package host

import "context"

// Marketplace is a marketplace that a host knows by itself.
type Marketplace struct {
	Name   string // as the host calls it
	Source string // "owner/repo", a git URL, a directory
	Ref    string // branch or tag of Source, "" for its default
	Commit string // what the host's copy is at, "" when unknown
	Dir    string // the host's copy, "" when it has none
	// Why completes "NAME: " when it cannot be taken over: it is no repository.
	Why string
}

// Keeper is an [Adapter] whose host keeps marketplaces.
type Keeper interface {
	Marketplaces(context.Context, Place) ([]Marketplace, error)
}
