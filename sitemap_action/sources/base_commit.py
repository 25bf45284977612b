"""Which commit a pull request is measured against (DIFF-22)."""

from dataclasses import dataclass

from sitemap_action.errors import BaselineError
from sitemap_action.model.context import PullRequest
from sitemap_action.repo.git import Git

_DEEPER = "check out with fetch-depth: 0, or say what to compare with: baseline git:REF, a path, or committed"


@dataclass(frozen=True, slots=True)
class BaseCommit:
    """A commit that is here, its files too."""

    id: str
    words: str  # what it is to this change
    checked_out: str  # what HEAD is to this change


def base_commit(git: Git, pull_request: PullRequest) -> BaseCommit:
    """Raises BaselineError, with the remedy, when this clone does not tell.

    A merge commit as GitHub makes it has the target branch as its first parent, and that parent is exact: the event's
    own idea of the target branch may be older. A depth-1 clone knows its name, and it is fetched alone.
    """
    head = git.commit("HEAD")
    if head is None:
        hint = "check the repository out first (actions/checkout), or set baseline to a path or to committed"
        raise BaselineError(f"{git.directory} is no git checkout, so the target branch is unknown", hint=hint)
    parents = git.parents(head)
    if pull_request.queued:
        return _queued(git, pull_request, head, parents)
    merged = len(parents) > 1 and (head == pull_request.merge or parents[1] == pull_request.head)
    if merged:
        words = "the first parent of the merge commit"
        return BaseCommit(_present(git, parents[0], words), words, f"merge commit {head[:12]}")
    return BaseCommit(_merge_base(git, pull_request, head), "where this change left the target branch", head[:12])


def _queued(git: Git, group: PullRequest, head: str, parents: tuple[str, ...]) -> BaseCommit:
    """A group may be several commits, so the event knows better than HEAD what it builds on."""
    words = "what the merge group builds on"
    base = group.base or next(iter(parents), "")
    return BaseCommit(_present(git, base, words), words, head[:12])


def _present(git: Git, commit: str, words: str) -> str:
    """From the object store, else fetched alone."""
    if commit and (git.has(commit) or (git.fetch(commit) and git.has(commit))):
        return commit
    what = f"{commit[:12]}, {words}," if commit else words
    hint = "check out with fetch-depth: 2 or 0, or say what to compare with: baseline git:REF, a path, or committed"
    raise BaselineError(f"{what} is not in this clone and cannot be fetched", hint=hint)


def _merge_base(git: Git, pull_request: PullRequest, head: str) -> str:
    """Of HEAD and every known state of the target branch: the newest commit they share is where the change began.

    A branch that was merged meanwhile shares everything; then the event's older state of the target branch counts.
    """
    tracked = git.commit(f"refs/remotes/origin/{pull_request.base_ref}") if pull_request.base_ref else None
    given = git.commit(pull_request.base) if pull_request.base else None
    found = git.merge_base(head, *filter(None, (tracked, given)))
    if found == head and given:
        found = git.merge_base(head, given)
    if found is None:
        branch = pull_request.base_ref or "the target branch"
        why = "the clone is shallow" if git.shallow() else "this clone has no commit of it"
        raise BaselineError(f"cannot tell where {head[:12]} left {branch}: {why}", hint=_DEEPER)
    return found
