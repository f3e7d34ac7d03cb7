package market

import "pinion/problem"

// Rules of this package. The ids are permanent; scripts rely on hash/mismatch,
// release/rewritten, history/rewritten and source/moved.
var (
	ruleMismatch = problem.Rule{
		ID: "hash/mismatch", Severity: problem.Error, Since: "0.1.0",
		Title:   "The bytes are not the published ones",
		Help:    "The catalog states a digest for this version, and the files at the same commit have another one. Either the catalog was not rebuilt after a change, or somebody changed the files. A mismatch can not be accepted.",
		Fix:     "the publisher runs pinion build-catalog and commits the result",
		Example: "a file edited after build-catalog, committed without building again",
	}
	ruleRewritten = problem.Rule{
		ID: RewrittenRule, Severity: problem.Error, Since: "0.1.0",
		Title:   "A released version has other bytes than before",
		Help:    "The ledger remembers which digest was published for this version when it was first seen. A released version never changes: a change needs a new version. What is installed goes on running.",
		Fix:     "ask the publisher for a new version; --skip-refused takes the rest of the marketplace",
		Example: "text-tools 1.0.0 published again with an edited server.py",
	}
	ruleHistory = problem.Rule{
		ID: "history/rewritten", Severity: problem.Error, Since: "0.1.0",
		Title: "The repository's history was rewritten",
		Help:  "The new commit does not descend from the one in use: a force-push, or another repository under the same name. Nothing links the new state to what was verified before.",
		Fix:   "ask the publisher what happened; --accept history/rewritten takes the new history once",
	}
	ruleMoved = problem.Rule{
		ID: "source/moved", Severity: problem.Error, Since: "0.1.0",
		Title: "The source answers under another name",
		Help:  "The server redirects to another owner or repository. Whoever registers a freed name can serve anything from it, so a redirect is not followed.",
		Fix:   "add the new address as a marketplace of its own after checking that it is the same publisher",
	}
	ruleTagMoved = problem.Rule{
		ID: "source/tag-moved", Severity: problem.Error, Since: "0.1.0",
		Title: "A tag points to another commit than before",
		Help:  "The marketplace was added at a tag, and a tag is a promise not to move. The new commit may hold anything.",
		Fix:   "ask the publisher; --accept source/tag-moved takes the new commit once",
	}
	ruleDowngrade = problem.Rule{
		ID: "catalog/digests-dropped", Severity: problem.Error, Since: "0.1.0",
		Title: "The catalog no longer publishes digests",
		Help:  "This marketplace published a digest for every version. A catalog without them could not be checked any more, which is what somebody who changed the files would want.",
		Fix:   "ask the publisher to build the catalog with pinion build-catalog; --accept catalog/digests-dropped goes on without",
	}
	ruleDisagrees = problem.Rule{
		ID: "catalog/disagrees", Severity: problem.Error, Since: "0.1.0",
		Title: "The catalog and the package say different things",
		Help:  "The entry's id or version is not the one in the package's manifest, so it is not clear what is being offered.",
		Fix:   "the publisher runs pinion build-catalog and commits the result",
	}
	ruleNoDirectory = problem.Rule{
		ID: "catalog/missing-directory", Severity: problem.Error, Since: "0.1.0",
		Title: "The entry's directory does not exist",
		Help:  "The catalog names a directory that is not in the repository at this commit.",
		Fix:   "the publisher corrects the entry's source, or removes the entry",
	}
	ruleUnreachable = problem.Rule{
		ID: "source/unreachable", Severity: problem.Error, Since: "0.1.0",
		Title: "The repository a plugin lives in could not be read",
		Help:  "The entry points to another repository, which did not answer, does not exist, or needs credentials.",
		Fix:   "try again with pinion marketplace refresh --deep",
	}
	ruleIntegrity = problem.Rule{
		ID: "source/integrity", Severity: problem.Error, Since: "0.3.0",
		Title: "The file is not the one that was named",
		Help:  "The catalog states the sha256 of an archive, or a registry the integrity of an npm package, and what the server sends has another one. Either the file was replaced after the catalog was written, or somebody on the way changed it.",
		Fix:   "the publisher corrects the sha256, or gives the new file a new address; until then install an older version",
	}
)

// Rules lists every rule this package reports.
func Rules() []problem.Rule {
	return []problem.Rule{
		ruleMismatch, ruleRewritten, ruleHistory, ruleMoved, ruleTagMoved, ruleDowngrade,
		ruleDisagrees, ruleNoDirectory, ruleUnreachable, ruleIntegrity,
	}
}

// RewrittenRule is the id of the refusal of other bytes under a published
// version, for callers that hold something else than a catalog to the ledger.
const RewrittenRule = "release/rewritten"

// acceptable are the refusals that a user may take once, knowingly. A digest
// mismatch and a rewritten release are not among them.
func acceptable(rule string) bool {
	switch rule {
	case ruleHistory.ID, ruleMoved.ID, ruleTagMoved.ID, ruleDowngrade.ID:
		return true
	}
	return false
}
