"""What a run does on the forge: a commit, the one pull request, its one comment, and the one issue of scheduled runs.

A commit is made on exactly the files that the sitemap was judged against. The pull request is opened, updated, and
closed when there is nothing left to do; its branch is one commit on its base, made anew when either changes. The
comment is found again by its marker, the issue by its trailers, both by their author.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from hashlib import sha1
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from sitemap_action.errors import PublishError, UnreachableError
from sitemap_action.model.context import Forge
from sitemap_action.model.step import (
    CommitFiles,
    CommitMethod,
    Counts,
    FileChange,
    IssueState,
    Published,
    Publishing,
    RequestOptions,
    SiteMark,
    SyncIssue,
    SyncPullRequest,
    UpsertComment,
    is_forges,
)
from sitemap_action.model.wording import option
from sitemap_action.publish.base import Journal, carry_out
from sitemap_action.repo.github import BranchCommit, GitHubCommits
from sitemap_action.repo.github_api import Api, Pause, Transport, wait
from sitemap_action.repo.pull_requests import Comments, Issue, Issues, OpenRequest, PullRequests
from sitemap_action.repo.push import GitPush
from sitemap_action.web.printable import cut_markdown

_CLOSED = "The sitemap of the base branch is up to date, so this pull request is closed."
_NOT_OURS = "delete it where it is of an earlier site-url; else set pr-branch to another name"
_CLEAN = "clean status"  # GitHub's words where no check and no review has to be waited for
MOST = 60_000  # UTF-16 code units of a comment; GitHub takes 65,536 characters
_TRIES = 4  # of a comment
_CUT = "… cut here: the summary of the job has more rows, and the JSON report has all of them.\n"
_T = TypeVar("_T")


def writable_branches(method: CommitMethod, forge: Forge) -> GitHubCommits:
    """The repository as it is written to: by GitHub's API, or by git."""
    return GitPush(Api(forge)) if method is CommitMethod.GIT else GitHubCommits(Api(forge))


def blob_ids(changes: Sequence[FileChange]) -> Mapping[str, str]:
    """Path → git's id of the content, for the files that are there after the change."""
    return {
        one.path: sha1(b"blob %d\0%b" % (len(one.content), one.content), usedforsecurity=False).hexdigest()
        for one in changes
        if one.content is not None
    }


def _message(branches: GitHubCommits, publishing: Publishing, counts: Counts, mark: SiteMark) -> str:
    return publishing.commit_message(counts, mark, branches.signature() if publishing.sign_off else "")


def commit_files(step: CommitFiles, publishing: Publishing, forge: Forge) -> Published:
    """One commit, or none where the branch has these files already.

    Other commits in between are no obstacle unless they change a sitemap file: then `moved` names the newest, and the
    files are to be judged again.
    """
    branches = writable_branches(publishing.method, forge)
    paths = [change.path for change in step.changes]

    def flow(journal: Journal) -> None:
        head = branches.head(step.branch)
        if head is None:
            raise PublishError(f"there is no branch {step.branch}", hint=f"correct {option('branch')}")
        if head != step.expected:
            found = branches.blob_ids(head, paths)
            if found == blob_ids(step.changes):
                return journal.know(commit=head)
            if found != branches.blob_ids(step.expected, paths):
                return journal.know(moved=head)
        message = _message(branches, publishing, step.counts, step.mark)
        made = journal.step("commit", str(step), lambda: branches.commit(step.branch, head, message, step.changes))
        return journal.know(commit=made)

    return carry_out(flow)


def sync_pull_request(step: SyncPullRequest, publishing: Publishing, forge: Forge, branch_token: str = "") -> Published:
    """Commits of others on the branch are kept: ours goes on top, and nothing is closed.

    `branch_token`: what the branch is written with, where another token opens the request.
    """
    writer = replace(forge, token=branch_token or forge.token)
    sync = _Sync(step, publishing, writable_branches(publishing.method, writer), PullRequests(Api(forge)))
    return carry_out(sync.update if step.changes else sync.close)


class _Seen(Struct, frozen=True):
    """What is there of the request: its branch, and the open requests from it."""

    head: str | None = None  # object id; None without a branch
    shared: str = ""  # object id of the newest commit that the base has, too
    ours: bool = False  # whether nobody else has committed to it, so that it may be made anew, or deleted
    requests: tuple[OpenRequest, ...] = ()
    foreign: str = ""  # why it is not ours


class _Sync:
    """Each flow looks at what is there and does what is missing, so that it may be repeated."""

    def __init__(
        self, step: SyncPullRequest, publishing: Publishing, branches: GitHubCommits, requests: PullRequests
    ) -> None:
        self._step, self._publishing = step, publishing
        self._branches, self._requests = branches, requests
        self._paths = [change.path for change in step.changes]
        self._wanted = blob_ids(step.changes)

    def update(self, journal: Journal) -> None:
        """The branch first: a pull request needs a commit. `moved` when the base has other sitemap files meanwhile."""
        base = self._branches.head(self._step.base)
        if base is None:
            raise PublishError(f"there is no branch {self._step.base}", hint=f"correct {option('base')}")
        if base != self._step.expected and self._differs(base, self._step.expected):
            return journal.know(moved=base)
        seen = self._look(base)
        if seen.foreign:
            raise PublishError(seen.foreign, hint=_NOT_OURS)
        journal.know(branch=self._step.branch)
        self._settle_branch(journal, base, seen)
        self._settle_options(journal, self._settle_request(journal, seen))
        return None

    def close(self, journal: Journal) -> None:
        """Close the pull request with a comment, and delete its branch, but for one that a person has committed to."""
        base = self._branches.head(self._step.base)
        seen = self._look(base or self._step.expected)
        found = self._of_base(seen.requests)
        if seen.foreign or seen.head is None:
            return None
        if found is not None:
            journal.know(number=found.number, url=found.url, branch=self._step.branch)
        if not seen.ours:
            why = "is not needed any more; it stays open, for it has commits of others"
            return journal.note(f"pull request {found.number} {why}") if found else None
        if found is not None:
            journal.step(
                "close", f"closed pull request {found.number}", lambda: self._requests.update(found, state="closed")
            )
            with suppress(PublishError):  # the request is closed, whether or not it is told why
                self._requests.explain(found, _CLOSED)
        act = partial(self._branches.delete, self._step.branch, seen.head)
        return journal.step("delete-branch", f"deleted {self._step.branch}", act)

    def _look(self, base: str) -> _Seen:
        """What is there, and whose it is: a branch without a commit of ours is somebody else's (W-01, W-04)."""
        branch, mark = self._step.branch, self._step.mark
        head = self._branches.head(branch)
        self._branches.drop_drafts(branch, base, self._owns)
        if head is None:
            return _Seen()
        shared, added, whole = self._branches.compare(base, head)
        commits = added or (self._branches.newest(head),)
        alone = whole and all(self._owns(one) or one.is_update for one in commits)
        requests = tuple(self._requests.find(branch))
        theirs = [one for one in requests if not mark.split(one.body)]
        foreign = f"pull request {theirs[0].number} from {branch} is not this action's" if theirs else ""
        if not shared or not any(map(self._owns, commits)):
            foreign = f"the branch {branch} is not this action's: no commit on it states the site and {mark.path}"
        return _Seen(head, shared, alone, requests, foreign)

    def _owns(self, commit: BranchCommit) -> bool:
        return self._step.mark.owns(commit.message) and is_forges(commit.committer)

    def _of_base(self, requests: Sequence[OpenRequest]) -> OpenRequest | None:
        return next((one for one in requests if one.base == self._step.base), None)

    def _settle_branch(self, journal: Journal, base: str, seen: _Seen) -> None:
        """One commit on the base; again where the base has other files than that commit was made on (W-05)."""
        step, branches, head = self._step, self._branches, seen.head
        if head is not None and branches.blob_ids(head, self._paths) == self._wanted:
            if seen.shared in ("", base) or not self._differs(seen.shared, base):
                return journal.know(commit=head if journal.has_begun("commit") else "")
            if not seen.ours:
                return journal.note(f"{step.branch} conflicts with {step.base}, and has commits of others: merge it")
        message = _message(branches, self._publishing, step.counts, step.mark)
        if head is None or seen.ours:
            act = partial(branches.replace, step.branch, head, message, step.changes, base)
        else:
            act = partial(branches.commit, step.branch, head, message, step.changes)
        return journal.know(commit=journal.step("commit", str(step), act))

    def _settle_request(self, journal: Journal, seen: _Seen) -> OpenRequest:
        step, options = self._step, self._options
        title = self._publishing.request_title(step.counts)
        text = step.body.replace("\r\n", "\n").rstrip()
        body = partial(step.mark.body, text, self._publishing.run)
        found = self._of_base(seen.requests) or journal.step(
            "open",
            f"opened a pull request into {step.base}",
            lambda: self._requests.create(step.branch, step.base, title, body(), draft=options.draft),
        )
        journal.know(number=found.number, url=found.url)
        said, below = step.mark.split(found.body) or ("", "")
        if (found.title, said) != (title, text):
            act = partial(self._requests.update, found, title=title, body=body(below))
            journal.step("update", f"updated pull request {found.number}", act)
        return found

    def _settle_options(self, journal: Journal, found: OpenRequest) -> None:
        """Labels, reviewers, assignees, auto-merge: what the request lacks is added, and nothing is taken away."""
        wanted, requests = self._options, self._requests
        if labels := _missing(wanted.labels, found.labels):
            journal.addition("labels", f"added {', '.join(labels)}", lambda: requests.label(found, labels))
        if people := _missing(wanted.assignees, found.assignees):
            journal.addition("assignees", f"assigned {', '.join(people)}", lambda: requests.assign(found, people))
        if asked := _missing(wanted.reviewers, found.asked):
            journal.addition("reviewers", f"asked {', '.join(asked)}", lambda: self._ask(found, asked))
        if wanted.auto_merge and not found.merges:
            made = journal.has_begun("open") or journal.has_begun("commit")
            journal.addition("auto-merge", wanted.auto_merge, lambda: self._merge_later(journal, found, made=made))

    def _ask(self, found: OpenRequest, people: Sequence[str]) -> bool:
        """For a review, until there is one."""
        reviewed = self._requests.is_reviewed(found)
        if not reviewed:
            self._requests.ask_for_review(found, people)
        return not reviewed

    def _merge_later(self, journal: Journal, found: OpenRequest, *, made: bool) -> bool:
        """Whether this run has `made` the request or its commit: else it stays off where somebody has turned it off."""
        if not made and self._requests.was_stopped(found):
            return False
        try:
            self._requests.merge_later(found, self._options.auto_merge)
        except PublishError as error:
            if _CLEAN not in str(error):
                raise
            journal.note(f"pull request {found.number} has nothing to wait for, so that GitHub takes no auto-merge")
            return False
        return True

    @property
    def _options(self) -> RequestOptions:
        return self._publishing.request or RequestOptions()

    def _differs(self, here: str, there: str) -> bool:
        return self._branches.blob_ids(here, self._paths) != self._branches.blob_ids(there, self._paths)


def _missing(wanted: Sequence[str], found: frozenset[str]) -> list[str]:
    return [name for name in wanted if name.casefold() not in found]


def upsert_comment(
    step: UpsertComment, forge: Forge, transport: "Transport | None" = None, pause: Pause = wait
) -> Published:
    """Never fails: a comment that cannot be written is a note, whatever the reason.

    The result of the run stands without it and the report is in the summary, so a fork's token, a limit or an outage
    must not replace the exit code of the check. A token that is not accepted (401) is no exception: where a run writes
    anything else with it, that fails.
    """
    comments = Comments(Api(forge, transport, pause), step.number, _marker(step.name))
    body = comment_body(step.name, step.body)
    done = carry_out(lambda journal: _settle(journal, comments, body, create=step.create), pause, _TRIES)
    if not done.error:
        return Published(steps=done.steps)
    what = f"the comment on pull request {step.number} is not up to date, the summary of the job has the report"
    return Published(notes=("; ".join(filter(None, (f"{what}: {done.error}", done.hint))),), steps=done.steps)


def comment_body(name: str, report: str) -> str:
    """The marker and the report, which cannot contain another one."""
    first = f"{_marker(name)}\n"
    return first + cut_markdown(report.replace("<!--", r"<\!--"), MOST - len(first), _CUT)


def _marker(name: str) -> str:
    return f"<!-- sitemap-action:{name} -->"


def _settle(journal: Journal, comments: Comments, body: str, *, create: bool) -> None:
    """Of several comments, as two jobs at once may create them, the oldest stays: every job chooses the same one."""
    found = comments.ours()
    if not found:
        if not create:
            return
        made = journal.step("comment", "written", lambda: comments.create(body))
        found = {made: body} | _look_again(comments.ours)
    kept, *surplus = sorted(found)
    for comment in surplus:
        comments.delete(comment)
    if _plain(found[kept]) != _plain(body):
        journal.step("comment", "updated", lambda: comments.update(kept, body))


def _look_again(look: Callable[[], dict[int, _T]]) -> dict[int, _T]:
    """What else was made at the same moment; what cannot be read now, the next run finds."""
    try:
        return look()
    except (PublishError, UnreachableError):
        return {}


def _plain(body: str) -> str:
    """A server may change line ends."""
    return body.replace("\r\n", "\n").rstrip()


def sync_issue(step: SyncIssue, run: str, forge: Forge) -> Published:
    """Open the issue, bring it up to date, or close it: one is open at most, and a closed one is opened again.

    Of several, as two runs at once may open them, the oldest stays.
    """
    issues = Issues(Api(forge))
    text = cut_markdown(step.body, MOST, _CUT).rstrip()
    body = partial(step.mark.body, text, run)

    def flow(journal: Journal) -> None:
        found = issues.ours(step.mark.split, closed=step.state is IssueState.OPEN)
        if not found:
            if step.state is not IssueState.OPEN:
                return
            made = journal.step("issue", "opened", lambda: issues.create(step.title, body()))
            journal.know(issue=made)
            found = {made: Issue(made, step.title, body(), open=True)} | _look_again(
                partial(issues.ours, step.mark.split)
            )
        kept, *surplus = sorted(found.values(), key=lambda one: (not one.open, one.number if one.open else -one.number))
        closes = step.state is IssueState.CLOSED
        journal.know(issue=kept.number)
        for one in surplus:
            if one.open:
                issues.update(one.number, state="closed", state_reason="not_planned")
        said, below = step.mark.split(kept.body) or ("", "")
        same = (kept.title, said) == (step.title, text)
        if not same or kept.open is closes:
            state = {"state": "closed", "state_reason": "completed"} if closes else {"state": "open"}
            word = "closed" if closes else "updated" if kept.open else "opened again"
            journal.step("issue", word, lambda: issues.update(kept.number, title=step.title, body=body(below), **state))

    return carry_out(flow)
