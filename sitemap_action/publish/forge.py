"""What is published on the forge: a commit, the one pull request, the one comment.

A commit is made on exactly the files that the sitemap was judged against. The pull request is opened, updated, and
closed when there is nothing left to do. The comment is created once and found again by its marker.
"""

import time
from collections.abc import Mapping, Sequence
from hashlib import sha1

from sitemap_action.errors import PublishError
from sitemap_action.model.context import Forge
from sitemap_action.model.step import (
    CommitFiles,
    CommitMethod,
    FileChange,
    Operation,
    Published,
    Publishing,
    SyncPullRequest,
    UpsertComment,
    source_of,
)
from sitemap_action.model.wording import option
from sitemap_action.repo.github import GitHubCommits
from sitemap_action.repo.github_api import Api, Pause, Transport, reconcile
from sitemap_action.repo.pull_requests import Comments, PullRequests
from sitemap_action.repo.push import GitPush
from sitemap_action.web.printable import cut_markdown

MOST = 60_000  # UTF-16 code units; GitHub takes 65,536 characters
_TRIES = 4
_CUT = "… cut here: the summary of the job has more rows, and the JSON report has all of them.\n"


def upsert_comment(
    step: UpsertComment, forge: Forge, transport: "Transport | None" = None, pause: Pause = time.sleep
) -> Published:
    """Never raises: a comment that cannot be written is a note, whatever the reason.

    The result of the run stands without it and the report is in the summary, so a fork's token, a limit or an outage
    must not replace the exit code of the check. A token that is not accepted (401) is no exception: where a run writes
    anything else with it, that fails.
    """
    comments = Comments(Api(forge, transport), step.number, _marker(step.name))
    body = comment_body(step.name, step.body)
    try:
        reconcile(lambda: _settle(comments, body, create=step.create), tries=_TRIES, pause=pause)
    except PublishError as error:
        what = f"the comment on pull request {step.number} is not up to date, the summary of the job has the report"
        return Published(notes=("; ".join(filter(None, (f"{what}: {error}", error.hint))),))
    return Published()


def comment_body(name: str, report: str) -> str:
    """The marker and the report, which cannot contain another one."""
    first = f"{_marker(name)}\n"
    return first + cut_markdown(report.replace("<!--", r"<\!--"), MOST - len(first), _CUT)


def _marker(name: str) -> str:
    return f"<!-- sitemap-action:{name} -->"


def _settle(comments: Comments, body: str, *, create: bool) -> None:
    """May be repeated, also after an answer that was lost: it begins with what is there.

    Of several comments, as two jobs at once may create them, the oldest stays: every job chooses the same one.
    """
    found = comments.ours()
    if not found:
        if not create:
            return
        made = comments.create(body)
        found = {made: body} | comments.ours()
    kept, *surplus = sorted(found)
    for comment in surplus:
        comments.delete(comment)
    if _plain(found[kept]) != _plain(body):
        comments.update(kept, body)


def _plain(body: str) -> str:
    """A server may change line ends."""
    return body.replace("\r\n", "\n").rstrip()


def writable_branches(method: CommitMethod, forge: Forge) -> GitHubCommits:
    """The repository as it is written to: by GitHub's API, or by git."""
    return GitPush(Api(forge)) if method is CommitMethod.GIT else GitHubCommits(Api(forge))


def blob_ids(changes: Sequence[FileChange]) -> Mapping[str, str]:
    """Path → git's id of the content, for the files that are there after the change."""
    return {one.path: _blob_id(one.content) for one in changes if one.content is not None}


def _blob_id(content: bytes) -> str:
    return sha1(b"blob %d\0%b" % (len(content), content), usedforsecurity=False).hexdigest()


def commit_files(step: CommitFiles, publishing: Publishing, forge: Forge, pause: Pause = time.sleep) -> Published:
    """One commit, or none where the branch has these files already.

    Other commits in between are no obstacle unless they change a sitemap file: then `moved` names the newest, and the
    files are to be judged again. Raises PublishError.
    """
    message = publishing.commit_message(step.counts, step.source)
    branches = writable_branches(publishing.method, forge)
    return reconcile(lambda: _attempt(branches, step, message), pause=pause)


def _attempt(branches: GitHubCommits, step: CommitFiles, message: str) -> Published:
    """Commit, also after a try whose answer was lost: what it did is found on the branch."""
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


_CLOSED = "The sitemap of the base branch is up to date, so this pull request is closed."


def sync_pull_request(
    step: SyncPullRequest, publishing: Publishing, forge: Forge, pause: Pause = time.sleep
) -> Published:
    """Raises PublishError. Commits of others on the branch are kept: ours goes on top, and nothing is closed."""
    requests = PullRequests(Api(forge))
    sync = _Sync(step, publishing, writable_branches(publishing.method, forge), requests)
    return reconcile(sync.update if step.changes else sync.close, pause=pause)


class _Sync:
    """Each method reads what is there and does what is missing, so it may be repeated."""

    def __init__(
        self, step: SyncPullRequest, publishing: Publishing, branches: GitHubCommits, requests: PullRequests
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
        """Close the pull request with a comment, and delete its branch, but for one that a person has committed to."""
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
        if found is None:
            return Published()
        return Published(number=found.number, url=found.url, operation=Operation.CLOSED)

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
