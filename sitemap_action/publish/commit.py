"""Commits the sitemap to a branch, on exactly the files that it was judged against."""

import time

from sitemap_action.errors import PublishError
from sitemap_action.model.context import Forge
from sitemap_action.model.publication import CommitFiles, Published, Publishing
from sitemap_action.model.wording import option
from sitemap_action.repo.remote import WritableBranches
from sitemap_action.repo.retries import Pause, reconcile
from sitemap_action.repo.writable import blob_ids, writable_branches


def commit_files(step: CommitFiles, publishing: Publishing, forge: Forge, pause: Pause = time.sleep) -> Published:
    """One commit, or none where the branch has these files already.

    Other commits in between are no obstacle unless they change a sitemap file: then `moved` names the newest, and the
    files are to be judged again. Raises PublishError.
    """
    message = publishing.commit_message(step.counts, step.source)
    with writable_branches(publishing.method, forge) as branches:
        return reconcile(lambda: _attempt(branches, step, message), pause=pause)


def _attempt(branches: WritableBranches, step: CommitFiles, message: str) -> Published:
    """Also after a try whose answer was lost: what it did is found on the branch."""
    head = branches.head(step.branch)
    if head is None:
        raise PublishError(f"there is no branch {step.branch}", hint=f"correct {option('branch')}")
    if head != step.expected:
        paths = [change.path for change in step.changes]
        found = branches.blob_ids(head, paths)
        if found == blob_ids(step.changes):
            return Published(commit=head)
        if found != branches.blob_ids(step.expected, paths):
            return Published(moved=head)
    return Published(commit=branches.commit(step.branch, head, message, step.changes))
