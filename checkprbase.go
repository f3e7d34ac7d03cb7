package pinion

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"pinion/source"
	"pinion/source/git"
)

// What CI systems say of the change they run for.
const (
	githubBase   = "GITHUB_BASE_REF"
	githubRef    = "GITHUB_REF"
	gitlabBase   = "CI_MERGE_REQUEST_TARGET_BRANCH_NAME"
	gitlabCommit = "CI_MERGE_REQUEST_DIFF_BASE_SHA"
)

// deepenBy is how many commits a shallow clone is deepened by, step after step,
// until it has the one that the base and the change share.
func deepenBy() []int { return []int{50, 1000} }

// namedBase returns what the change is for: a revision, and the branch of
// origin to fetch when there is no such revision.
func (c *Client) namedBase(given string) (ref, branch string) {
	if given != "" {
		return given, strings.TrimPrefix(given, "origin/")
	}
	for _, v := range []string{githubBase, gitlabBase} {
		if b := c.o.Getenv(v); b != "" {
			return "origin/" + b, b
		}
	}
	return "origin/HEAD", ""
}

// resolveBase finds the commit a change is compared with: the last one that the
// base and the change share, so that what others merged meanwhile is not taken
// for a part of the change. What a shallow clone lacks of it is fetched.
func (c *Client) resolveBase(ctx context.Context, local *git.Local, given string, r *CheckReport) error {
	head, err := local.Resolve(ctx, "HEAD")
	if errors.Is(err, source.ErrNotFound) {
		return notFound("commit something first", "the repository has no commit yet, so there is nothing to compare")
	}
	if err != nil {
		return err
	}
	ref, branch := c.namedBase(given)
	r.BaseRef = ref
	tip, err := local.Resolve(ctx, ref)
	if errors.Is(err, source.ErrNotFound) && branch != "" && ref == branch {
		if tip, err = local.Resolve(ctx, "origin/"+branch); err == nil {
			r.BaseRef = "origin/" + branch
		}
	}
	missing := errors.Is(err, source.ErrNotFound)
	if err != nil && !missing {
		return err
	}
	if !missing {
		if r.Base, err = local.MergeBase(ctx, tip, head); err != nil || r.Base != "" {
			return err
		}
	}
	shallow, err := local.Shallow(ctx)
	if err != nil {
		return err
	}
	if shallow && given == "" {
		if r.Base, err = c.statedBase(ctx, local, head); err != nil || r.Base != "" {
			return err
		}
	}
	if missing {
		if tip, err = c.missingBase(ctx, local, branch, r); err != nil {
			return err
		}
		if r.Base, err = local.MergeBase(ctx, tip, head); err != nil || r.Base != "" {
			return err
		}
	}
	r.Base = tip
	if !shallow {
		return usage("name the branch that the change is to be merged into: --base origin/main", "%s and this branch have no commit in common", r.BaseRef)
	}
	if c.o.Offline || branch == "" || source.IsCommit(branch) {
		r.Notes = append(r.Notes, "the clone is shallow: compared with the newest commit of "+r.BaseRef+", so what others changed there counts as undone")
		return nil
	}
	return c.deepen(ctx, local, branch, tip, head, r)
}

// statedBase is the commit that the CI system compares with, "" when it does
// not say or the commit cannot be fetched. GitHub checks out a merge of the
// change into its base, whose first parent is the base.
func (c *Client) statedBase(ctx context.Context, local *git.Local, head string) (string, error) {
	commit := ""
	if ref := c.o.Getenv(githubRef); c.o.Getenv(githubBase) != "" && strings.HasPrefix(ref, "refs/pull/") && strings.HasSuffix(ref, "/merge") {
		parents, err := local.Parents(ctx, head)
		if err != nil {
			return "", err
		}
		if len(parents) == 2 {
			commit = parents[0]
		}
	} else if c.o.Getenv(gitlabBase) != "" {
		commit = c.o.Getenv(gitlabCommit)
	}
	if !source.IsCommit(commit) {
		return "", nil
	}
	if _, err := local.Resolve(ctx, commit); err == nil {
		return commit, nil
	}
	if c.o.Offline || local.FetchCommit(ctx, commit) != nil {
		return "", nil // another way is tried
	}
	return commit, nil
}

// missingBase fetches what is compared with, or says how to.
func (c *Client) missingBase(ctx context.Context, local *git.Local, branch string, r *CheckReport) (string, error) {
	name := func(tip string) error { return notFound(tip, "there is no commit %s to compare with", r.BaseRef) }
	if branch == "" {
		return "", name("name the branch that the change is to be merged into: pinion check-pr --base origin/main")
	}
	if why, _ := source.RefProblem(branch); why != "" {
		return "", name("a base is a branch, a tag or a whole commit id")
	}
	how := fmt.Sprintf("git fetch origin %[1]s:refs/remotes/origin/%[1]s && pinion check-pr --base origin/%[1]s", branch)
	commit := source.IsCommit(branch)
	if commit {
		how = fmt.Sprintf("git fetch origin %[1]s && pinion check-pr --base %[1]s", branch)
	}
	if c.o.Offline {
		return "", notFound(how, "there is no commit %s to compare with, and --offline forbids to fetch it", r.BaseRef)
	}
	fetch := local.FetchBranch
	if commit {
		fetch = local.FetchCommit
	}
	if err := fetch(ctx, branch); err != nil {
		return "", notFound(how, "there is no commit %s to compare with: %s", r.BaseRef, err)
	}
	r.Notes = append(r.Notes, "fetched "+branch+" from origin")
	if !commit {
		r.BaseRef = "origin/" + branch
	}
	return local.Resolve(ctx, r.BaseRef)
}

// deepen fetches history until the commit is there that both sides share.
func (c *Client) deepen(ctx context.Context, local *git.Local, branch, tip, head string, r *CheckReport) error {
	for _, n := range deepenBy() {
		if err := local.Deepen(ctx, n, branch, head); err != nil {
			break // the server does not give the commit by its name
		}
		base, err := local.MergeBase(ctx, tip, head)
		if err != nil {
			return err
		}
		if base != "" {
			r.Base = base
			return nil
		}
	}
	r.Notes = append(r.Notes, "the clone is shallow: compared with the newest commit of "+r.BaseRef+", so what others changed there counts as undone; git fetch --unshallow helps")
	return nil
}
