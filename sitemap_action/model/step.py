"""The effects of a run as values, which a dry run prints instead: files, a commit, a pull request, a comment, URLs.

Each step has a tag: msgspec encodes it for the process that may write, where another one decides (`cli/isolate.py`).
"""

from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from hashlib import sha256
from typing import TypeAlias, assert_never
from urllib.parse import quote

from msgspec import Struct
from msgspec.structs import replace

from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.model.wording import plural


class CommitMethod(StrEnum):
    API = "api"  # signed by GitHub
    GIT = "git"  # pushed


class CommentWhen(StrEnum):
    NEVER = "never"
    ON_CHANGE = "on-change"
    ALWAYS = "always"


class Operation(StrEnum):
    """What was done about a pull request."""

    CREATED = "created"
    UPDATED = "updated"
    CLOSED = "closed"
    NONE = "none"


class Counts(Struct, frozen=True):
    """Of URLs; the only part of a message that depends on the site."""

    added: int
    removed: int
    changed: int

    def __str__(self) -> str:
        found = [(self.added, "added"), (self.removed, "removed"), (self.changed, "changed")]
        return ", ".join(f"{count:,} {what}" for count, what in found if count) or "rewritten"


PR_BRANCH = "sitemap-action/update"
COMMENT = "sitemap"  # name of the comment of the usual sitemap
USUAL = "public/sitemap.xml"  # whose branch and comment have the short names
_TRAILER = "Sitemap-Action-"
_SAFE = "/:?&=%~+,;@!$'()*[]"  # of an address or a path; what is left has neither space nor line break
LONGEST_TITLE = 256  # characters that GitHub takes
_LONGEST_BRANCH = 200


class SiteMark(Struct, frozen=True):
    """Whose a commit or a pull request is: of which sitemap, of which site. Nothing else is ours (W-04)."""

    site: str  # site-url
    path: str  # in the repository
    source: str = ""  # object id of the commit that is built or deployed; "" for a site that is served

    def owns(self, text: str) -> bool:
        """Whether a message of a commit has this mark in its last paragraph."""
        found = trailers(text)
        return (found.get("Site"), found.get("Path")) == (_plain(self.site), _plain(self.path))

    def split(self, text: str) -> tuple[str, str] | None:
        """What a body has before and after this mark, for people and their bots write below it; None without it."""
        parts = text.replace("\r\n", "\n").rstrip().split("\n\n")
        place = next((place for place in reversed(range(len(parts))) if self.owns(parts[place])), None)
        return None if place is None else ("\n\n".join(parts[:place]).rstrip(), "\n\n".join(parts[place + 1 :]))

    def body(self, text: str, run: str, below: str = "") -> str:
        """A body of that text, with the mark, and what others wrote below it."""
        return "\n\n".join(filter(None, (text, self.lines(run), below))) + "\n"

    def lines(self, run: str, after: str = "") -> str:
        """The trailers. `after`: our own commit whose push started the run."""
        values = {"Site": self.site, "Path": self.path, "Run": run, "After": after, "Source": self.source or "served"}
        return "\n".join(f"{_TRAILER}{name}: {_plain(value)}" for name, value in values.items() if value)


def _plain(value: str) -> str:
    return quote(value, safe=_SAFE, errors="replace")


def trailers(text: str) -> Mapping[str, str]:
    """Our trailers by their names, of the last paragraph alone: a squash merge quotes the messages of others above."""
    last = text.replace("\r\n", "\n").rstrip().rpartition("\n\n")[2].splitlines()
    rows = (line.removeprefix(_TRAILER).partition(": ") for line in last if line.startswith(_TRAILER))
    return {name: value.strip() for name, _, value in rows}


def source_of(message: str) -> str:
    """What the trailer of a commit states; "" when it is not ours."""
    return trailers(message).get("Source", "")


def is_forges(committer: str) -> bool:
    """Whether the forge has made a commit, for whoever asked it to, or a bot: a person's is never ours (W-06)."""
    name, _, host = committer.rpartition("@")
    return name == "noreply" or (name.endswith("[bot]") and bool(host))


class RequestOptions(Struct, frozen=True):
    """How a pull request is opened; `org/team` among the reviewers is a team."""

    title: str = ""
    labels: tuple[str, ...] = ()
    draft: bool = False
    reviewers: tuple[str, ...] = ()
    assignees: tuple[str, ...] = ()
    auto_merge: str = ""  # method; "" for none


class Publishing(Struct, frozen=True):
    """Where the inputs and the event allow something to be published, and how; "" where it is nothing."""

    branch: str = ""  # that is committed to, or that the pull request is for
    request: RequestOptions | None = None  # None where none is opened
    pr_branch: str = ""  # of the pull request; "" for one that is named after the sitemap
    message: str = ""  # the whole commit message; "" for one of ours
    method: CommitMethod = CommitMethod.API
    comment: CommentWhen = CommentWhen.NEVER
    comment_id: str = ""  # "" for one that is named after the sitemap
    number: int = 0  # of the pull request that is commented on
    source: str = ""  # object id of the commit that is built or deployed
    index_now_key: str = ""
    run: str = ""  # address of the workflow run
    after: str = ""  # object id of our own commit, whose push started this run
    sign_off: bool = False
    issue: bool = False  # whether the report is kept in one

    def title(self, counts: Counts) -> str:
        """The first line of the commit message."""
        first = self.message.partition("\n")[0].strip()
        return first or f"Update sitemap: {counts}"

    def request_title(self, counts: Counts) -> str:
        """The title of the pull request: of the input, else the first line of the message, not longer than one is."""
        title = (self.request.title if self.request else "") or self.title(counts)
        return title if len(title) <= LONGEST_TITLE else f"{title[: LONGEST_TITLE - 1]}…"

    def commit_message(self, counts: Counts, mark: SiteMark, signature: str = "") -> str:
        """`signature`: name and address of who signs off; "" for nobody."""
        body = self.message.partition("\n")[2].strip()
        joined = "\n\n".join(filter(None, (self.title(counts), body)))
        signed = f"\nSigned-off-by: {signature}" if signature else ""
        return f"{joined}{_before_trailer(body)}{mark.lines(self.run, self.after)}{signed}\n"

    def request_branch(self, path: str) -> str:
        """The branch of the pull request for a sitemap: two in one repository have two branches (W-04)."""
        if self.pr_branch or path == USUAL:
            return self.pr_branch or PR_BRANCH
        name = _NO_BRANCH.sub(lambda found: f"%{ord(found[0]):02X}", quote(path, errors="replace"))
        return f"{PR_BRANCH}-{name if len(name) <= _LONGEST_BRANCH else _digest(path)}"

    def comment_name(self, site: str, path: str) -> str:
        """The name of the comment for a site: two on one pull request have two comments."""
        site = site.rstrip("/")
        if self.comment_id or path == USUAL:
            return self.comment_id or COMMENT
        return f"{COMMENT}-{_digest(f'{site} {path}')}"

    def allows_comment(self, name: str) -> bool:
        return name == self.comment_id if self.comment_id else bool(_COMMENT_NAME.fullmatch(name))


_NO_BRANCH = lazy_re(r"(?<=/)\.|\.(?=\.)|\.(?=lock(?:/|$))|~")  # what quoting leaves, and no branch may have
_COMMENT_NAME = lazy_re(rf"{COMMENT}(?:-[0-9a-f]{{12}})?")


def _digest(text: str) -> str:
    return sha256(text.encode(errors="replace")).hexdigest()[:12]


def _before_trailer(body: str) -> str:
    """A trailer follows other trailers directly, and everything else after an empty line."""
    last = body.rpartition("\n")[2]
    key, colon, _ = last.partition(": ")
    return "\n" if colon and key.replace("-", "").isalnum() else "\n\n"


class FileChange(Struct, frozen=True, tag=True):
    """One file that is written whole, or deleted, as a stale shard of an earlier run is (SM-08)."""

    path: str  # relative to the workspace; of a commit, in the repository
    content: bytes | None  # None where it is deleted
    redirects: bool = False  # it is the host's or generator's file of redirects, not a sitemap

    def __str__(self) -> str:
        return f"delete {self.path}" if self.content is None else f"write {self.path} ({len(self.content):,} bytes)"


class CommitFiles(Struct, frozen=True, tag=True):
    """Commit files to a branch, on the commit that they were judged against."""

    branch: str
    expected: str  # object id of that commit
    counts: Counts
    mark: SiteMark
    changes: tuple[FileChange, ...]

    def __str__(self) -> str:
        return f"commit {plural(len(self.changes), 'file')} to {self.branch} ({self.counts})"


class SyncPullRequest(Struct, frozen=True, tag=True):
    """Open or update the one pull request; without changes, close it."""

    branch: str
    base: str
    expected: str  # object id of the base that the files were judged against
    counts: Counts
    mark: SiteMark
    body: str  # Markdown
    changes: tuple[FileChange, ...]

    def __str__(self) -> str:
        if not self.changes:
            return f"close the pull request from {self.branch}, if one is open"
        return (
            f"open or update the pull request from {self.branch} into {self.base}: {plural(len(self.changes), 'file')}"
        )


class UpsertComment(Struct, frozen=True, tag=True):
    """Update our comment on a pull request; create it where that is asked for."""

    number: int
    name: str  # the input comment-id
    body: str  # Markdown, without the marker
    create: bool

    def __str__(self) -> str:
        return f"{'write' if self.create else 'update'} the comment {self.name} on pull request {self.number}"


class IssueState(StrEnum):
    """What becomes of the issue that has the report."""

    OPEN = "open"  # opened, or brought up to date
    UPDATED = "updated"  # only where there is one
    CLOSED = "closed"


class SyncIssue(Struct, frozen=True, tag=True):
    """Keep the one issue about a sitemap."""

    mark: SiteMark
    title: str
    body: str  # Markdown
    state: IssueState

    def __str__(self) -> str:
        return "close the issue, if one is open" if self.state is IssueState.CLOSED else "open or update the issue"


class SubmitUrls(Struct, frozen=True, tag=True):
    """Tell search engines which pages changed (IndexNow)."""

    site_url: str
    urls: tuple[str, ...]

    def __str__(self) -> str:
        return f"submit {plural(len(self.urls), 'URL')} to IndexNow" if self.urls else "judge the key for IndexNow"


class StepResult(Struct, frozen=True):
    """What became of one step."""

    kind: str  # commit, pull-request, labels, comment, …
    done: bool
    detail: str  # what was done, or why it was not


class Published(Struct, frozen=True):
    """What carrying out the steps came to: what was done is known, whatever becomes of a later step (W-11)."""

    commit: str = ""  # object id
    branch: str = ""  # of the pull request
    number: int = 0  # of the pull request
    url: str = ""
    issue: int = 0  # number of the one that has the report
    operation: Operation = Operation.NONE
    moved: str = ""  # object id of the branch's newer commit, which has other sitemap files: to be judged again
    notes: tuple[str, ...] = ()
    steps: tuple[StepResult, ...] = ()
    pending: tuple[str, ...] = ()  # URLs that no search engine has taken
    error: str = ""  # why a step was not carried out
    hint: str = ""

    def and_then(self, later: "Published") -> "Published":
        """Both together; what the later one knows counts."""
        known = later if later.commit or later.moved or later.number or later.branch else self
        both = {name: getattr(self, name) + getattr(later, name) for name in ("notes", "steps")}
        failed = later if later.error else self
        return replace(
            known,
            error=failed.error,
            hint=failed.hint,
            pending=later.pending or self.pending,
            issue=later.issue or self.issue,
            **both,
        )


Step: TypeAlias = FileChange | CommitFiles | SyncPullRequest | UpsertComment | SyncIssue | SubmitUrls


def file_changes(step: Step) -> tuple[FileChange, ...]:
    """What a step changes in the workspace, or in a commit."""
    match step:
        case FileChange():
            return (step,)
        case CommitFiles(changes=changes) | SyncPullRequest(changes=changes):
            return changes
        case UpsertComment() | SyncIssue() | SubmitUrls():
            return ()
        case _:
            assert_never(step)


def written_paths(steps: Iterable[Step]) -> Iterator[str]:
    """Paths of the files that the steps write, for events."""
    return (step.path for step in steps if isinstance(step, FileChange) and step.content is not None)
