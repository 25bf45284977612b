"""One pull request for the sitemap: opened, updated, and closed when there is nothing left to do."""

import time

from sitemap_action.model.context import Forge
from sitemap_action.model.publication import (
    Operation,
    Published,
    Publishing,
    SyncPullRequest,
    source_of,
)
from sitemap_action.repo.api import Api
from sitemap_action.repo.pull_requests import OpenRequest, PullRequests
from sitemap_action.repo.remote import WritableBranches
from sitemap_action.repo.retries import Pause, reconcile
from sitemap_action.repo.writable import blob_ids, writable_branches

_CLOSED = "The sitemap of the base branch is up to date, so this pull request is closed."


def sync_pull_request(
    step: SyncPullRequest, publishing: Publishing, forge: Forge, pause: Pause = time.sleep
) -> Published:
    """Raises PublishError. Commits of others on the branch are kept: ours goes on top, and nothing is closed."""
    requests = PullRequests(Api(forge))
    with writable_branches(publishing.method, forge) as branches:
        sync = _Sync(step, publishing, branches, requests)
        return reconcile(sync.update if step.changes else sync.close, pause=pause)


class _Sync:
    """Each method reads what is there and does what is missing, so it may be repeated."""

    def __init__(
        self, step: SyncPullRequest, publishing: Publishing, branches: WritableBranches, requests: PullRequests
    ) -> None:
        self._step, self._publishing = step, publishing
        self._branches, self._requests = branches, requests
        self._paths = [change.path for change in step.changes]
        self._wanted = blob_ids(step.changes)

    def update(self) -> Published:
        """The branch first: a pull request needs a commit. `moved` when the base has other sitemap files meanwhile."""
        base = self._branches.head(self._step.base) or ""
        if base != self._step.expected and self._differs(base, self._step.expected):
            return Published(moved=base)
        commit = self._commit(base)
        title = self._publishing.title(self._step.counts)
        found = self._requests.find(self._step.branch, self._step.base)
        if found is None:
            found = self._requests.create(self._step.branch, self._step.base, title, self._step.body)
            operation = Operation.CREATED
        elif (found.title, found.body) != (title, self._step.body):
            self._requests.update(found, title, self._step.body)
            operation = Operation.UPDATED
        else:
            operation = Operation.UPDATED if commit else Operation.NONE
        self._requests.label(found, self._publishing.pr_labels)
        return Published(commit=commit, number=found.number, url=found.url, operation=operation)

    def close(self) -> Published:
        """With a word; the branch goes too. What a person has committed to stays open."""
        found = self._requests.find(self._step.branch, self._step.base)
        head = self._branches.head(self._step.branch)
        ours = head is not None and self._ours(self._step.expected, head)
        if found is not None and not ours and head is not None:
            note = f"pull request {found.number} is not needed any more; it stays open, for it has commits of others"
            return Published(number=found.number, url=found.url, notes=(note,))
        if found is not None:
            self._requests.close(found, _CLOSED)
        if head is not None and ours:
            self._branches.delete(self._step.branch, head)
        return _closed(found)

    def _commit(self, base: str) -> str:
        """Object id of a new commit; "" where the branch has these files already."""
        head = self._branches.head(self._step.branch)
        if head is not None and self._branches.blob_ids(head, self._paths) == self._wanted:
            return ""
        message = self._publishing.commit_message(self._step.counts, self._step.source)
        if head is None or self._ours(base, head):
            return self._branches.replace(self._step.branch, head, message, self._step.changes, base)
        return self._branches.commit(self._step.branch, head, message, self._step.changes)

    def _ours(self, base: str, head: str) -> bool:
        """Whether every commit that the branch adds to its base has our trailer."""
        messages = self._branches.messages(base, head)
        return messages is not None and all(map(source_of, messages))

    def _differs(self, here: str, there: str) -> bool:
        return self._branches.blob_ids(here, self._paths) != self._branches.blob_ids(there, self._paths)


def _closed(found: OpenRequest | None) -> Published:
    if found is None:
        return Published()
    return Published(number=found.number, url=found.url, operation=Operation.CLOSED)
