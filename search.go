package pinion

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"pinion/hashes"
	"pinion/manifest"
	"pinion/market"
)

// SearchReport is the JSON document pinion.search/v1.
type SearchReport struct {
	Schema  string      `json:"schema"`
	Query   string      `json:"query"`
	Plugins []SearchHit `json:"plugins"`
	// Marketplaces is how many were looked through, so that "nothing found" can
	// say where.
	Marketplaces int `json:"marketplaces"`
}

// SearchHit is one plugin that matches.
type SearchHit struct {
	ID          string        `json:"id"`
	Version     string        `json:"version"`
	Marketplace string        `json:"marketplace"`
	Kind        manifest.Kind `json:"kind"`
	Status      market.Status `json:"status"`
	Title       string        `json:"title"`
	Description string        `json:"description"`
	Digest      hashes.Digest `json:"digest"`
	Installed   bool          `json:"installed"`

	rank int
}

// Search looks for words in the ids, names and descriptions of the local
// catalogs, ignoring case; every word must occur. Without words everything is
// listed. It works offline.
func (c *Client) Search(ctx context.Context, words []string) (*SearchReport, error) {
	r := &SearchReport{Schema: "pinion.search/v1", Query: strings.Join(words, " "), Plugins: []SearchHit{}}
	st, ms, ok, err := c.state(false)
	if err != nil || !ok {
		return r, err
	}
	receipts, _, err := st.List(ctx)
	if err != nil {
		return nil, err
	}
	have := map[[2]string]bool{}
	for _, in := range receipts {
		have[[2]string{in.Key, in.ID}] = true
	}
	markets, _, err := ms.List(ctx)
	if err != nil {
		return nil, err
	}
	terms := strings.Fields(strings.ToLower(r.Query))
	r.Marketplaces = len(markets)
	for _, m := range markets {
		for _, p := range m.State.Plugins {
			rank, ok := match(p, terms)
			if !ok {
				continue
			}
			r.Plugins = append(r.Plugins, SearchHit{
				ID: p.ID, Version: p.Version, Marketplace: m.Name, Kind: p.Kind, Status: p.Status, Title: p.Title,
				Description: p.Description, Digest: p.Digest, Installed: have[[2]string{m.Key, p.ID}], rank: rank,
			})
		}
	}
	slices.SortStableFunc(r.Plugins, func(a, b SearchHit) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), strings.Compare(a.ID, b.ID), strings.Compare(a.Marketplace, b.Marketplace),
			-manifest.CompareVersions(a.Version, b.Version))
	})
	return r, nil
}

// match ranks a plugin: 0 when the id is a word, 1 when every word is in the id
// or name, 2 when some are only in the description.
func match(p market.Plugin, terms []string) (rank int, ok bool) {
	id, title, text := strings.ToLower(p.ID), strings.ToLower(p.Title), strings.ToLower(p.Description)
	if len(terms) == 1 && terms[0] == id {
		return 0, true
	}
	rank = 1
	for _, t := range terms {
		switch {
		case strings.Contains(id, t), strings.Contains(title, t):
		case strings.Contains(text, t):
			rank = 2
		default:
			return 0, false
		}
	}
	return rank, true
}
