"""The commit that a pull request is compared with (DIFF-22)."""

from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from sitemap_action.errors import BaselineError
from sitemap_action.model.context import PullRequest
from sitemap_action.repo.remote import Remote

if TYPE_CHECKING:
    from sitemap_action.repo.git import Git

_DEEPER = "check out with fetch-depth: 0, or set baseline to git:REF, a path or committed"


class BaseCommit(Struct, frozen=True):
    """A commit whose files can be read."""

    id: str
    relation: str  # to this change, for the report
    checked_out: str  # what HEAD is, for the report
    remote: bool = False  # its files are not in this clone; the remote has them


def base_commit(git: "Git", pull_request: PullRequest, remote: Remote | None = None) -> BaseCommit:
    """Raises BaselineError, with the remedy, when neither this clone nor the remote has it.

    A merge commit as GitHub makes it has the target branch as its first parent, and that parent is exact: the event's
    payload may name an older commit of the target branch. A depth-1 clone knows the parent's id alone: the remote has
    its files, or it is fetched alone.
    """
    head = git.commit("HEAD")
    if head is None:
        hint = "check the repository out first (actions/checkout), or set baseline to a path or to committed"
        why = f": {refusal}" if (refusal := git.refusal()) else ""
        raise BaselineError(f"{git.directory} is not a git checkout, so the target branch is unknown{why}", hint=hint)
    parents = git.parents(head)
    if pull_request.queued:
        return _queued(git, pull_request, head, parents, remote)
    merged = len(parents) > 1 and (head == pull_request.merge or parents[1] == pull_request.head)
    if merged:
        relation = "the first parent of the merge commit"
        return _present(git, BaseCommit(parents[0], relation, f"merge commit {head[:12]}"), remote)
    left = _merge_base(git, pull_request, head, remote)
    return _present(git, BaseCommit(left, "the merge base with the target branch", head[:12]), remote)


def _queued(git: "Git", group: PullRequest, head: str, parents: tuple[str, ...], remote: Remote | None) -> BaseCommit:
    """A group may be several commits, so the event knows better than HEAD what it builds on."""
    relation = "the base of the merge group"
    base = group.base or next(iter(parents), "")
    return _present(git, BaseCommit(base, relation, head[:12]), remote)


def _present(git: "Git", base: BaseCommit, remote: Remote | None) -> BaseCommit:
    """From the object store, else from the remote, else fetched alone."""
    commit = base.id
    if commit and git.has(commit):
        return base
    if commit and remote is not None and remote.has(commit):
        return replace(base, remote=True)
    if commit and git.fetch(commit) and git.has(commit):
        return base
    what = f"{commit[:12]}, {base.relation}," if commit else base.relation
    hint = "check out with fetch-depth: 2 or 0, or set baseline to git:REF, a path or committed"
    raise BaselineError(f"{what} is not in this clone and cannot be fetched", hint=hint)


def _merge_base(git: "Git", pull_request: PullRequest, head: str, remote: Remote | None) -> str:
    """Of HEAD and every known state of the target branch: the newest commit they share is where the change began.

    A branch that was merged meanwhile shares everything; then the event's older state of the target branch counts.
    """
    tracked = git.commit(f"refs/remotes/origin/{pull_request.base_ref}") if pull_request.base_ref else None
    given = git.commit(pull_request.base) if pull_request.base else None
    found = git.merge_base(head, *filter(None, (tracked, given)))
    if found == head and given:
        found = git.merge_base(head, given)
    if found is None and remote is not None and (base := pull_request.base_ref or pull_request.base):
        found = remote.merge_base(base, pull_request.head or head)
    if found is None:
        branch = pull_request.base_ref or "the target branch"
        why = "the clone is shallow" if git.shallow() else "this clone has no commit of it"
        raise BaselineError(f"cannot find the merge base of {head[:12]} and {branch}: {why}", hint=_DEEPER)
    return found
