package scan

import (
	"time"

	"pinion/hashes"
)

// Acceptance is somebody's decision to live with one finding. It holds for the
// rule, the file, the lines around the finding and the exact package, so any
// change of the content asks again.
type Acceptance struct {
	Rule    string        `json:"rule"`
	File    string        `json:"file"`
	Window  hashes.Sum    `json:"window"`
	Digest  hashes.Digest `json:"digest"`
	Reason  string        `json:"reason"`
	By      string        `json:"by"`
	Expires time.Time     `json:"expires,omitzero"` // zero: never
}

// Accept marks the findings that one of the acceptances covers at a time.
func (r *Report) Accept(list []Acceptance, now time.Time) {
	for i := range r.Findings {
		f := &r.Findings[i]
		for j := range list {
			a := &list[j]
			if a.Rule == f.Rule && a.File == f.File && a.Window == f.Window && a.Digest == r.Digest && (a.Expires.IsZero() || now.Before(a.Expires)) {
				f.Accepted = a
				break
			}
		}
	}
}
