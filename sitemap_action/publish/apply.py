"""The registry of publishers: which one carries out which step."""

from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias, assert_never

from sitemap_action.errors import PublishError
from sitemap_action.model.context import Forge
from sitemap_action.model.mask import Access, SecretStruct
from sitemap_action.model.step import (
    CommitFiles,
    FileChange,
    Published,
    Publishing,
    Step,
    SubmitUrls,
    SyncIssue,
    SyncPullRequest,
    UpsertComment,
)
from sitemap_action.model.wording import option
from sitemap_action.publish import files, forge, indexnow

NO_ACCESS = Access()
_Published: TypeAlias = CommitFiles | SyncPullRequest | UpsertComment | SyncIssue | SubmitUrls


class Authority(SecretStruct, frozen=True):
    """What inputs and event allow to be published, and with which token."""

    publishing: Publishing
    forge: Forge | None = None
    access: Access = NO_ACCESS  # to the site, whose key for search engines is read
    branch_token: str = ""  # what the branch of a pull request is written with; "" for the token of everything else

    def require(self, step: "_Published") -> None:
        """Raises PublishError for a step that no input asks for: steps may come from a hostile process."""
        allowed = self.publishing
        match step:
            case CommitFiles(branch=branch, mark=mark):
                fits = branch == allowed.branch and mark.source in ("", allowed.source)
            case SyncPullRequest(branch=branch, base=base, mark=mark):
                wanted = allowed.request and allowed.request_branch(mark.path)
                fits = (branch, base) == (wanted, allowed.branch) and mark.source in ("", allowed.source)
            case UpsertComment(number=number, name=name):
                fits = number == allowed.number and allowed.allows_comment(name)
            case SyncIssue():
                fits = allowed.issue
            case SubmitUrls():
                fits = bool(allowed.index_now_key)
            case _:
                assert_never(step)
        if not fits:
            raise PublishError(f"no input of this step asks for this: {step}")

    def token(self) -> Forge:
        if self.forge is None:
            raise PublishError("there is no token to publish with", hint=f"give {option('token')}")
        return self.forge


NO_AUTHORITY = Authority(Publishing())
"""Only files may be written."""


def apply(steps: Sequence[Step], workspace: Path, authority: Authority = NO_AUTHORITY) -> Published:
    """Carry out a plan, files in one call.

    Raises PublishError for a step that is not allowed, before anything is done, and for a file that cannot be written,
    after which existing files are whole. What a forge refuses is in the result, beside what was done before.
    """
    on_disk = [step for step in steps if isinstance(step, FileChange)]
    others = [step for step in steps if not isinstance(step, FileChange)]
    for one in others:
        authority.require(one)
    if on_disk:
        files.publish(on_disk, workspace)
    published = Published()
    for one in others:
        published = published.and_then(_publish(one, authority))
        if published.moved or published.error:
            break
    return published


def _publish(step: _Published, authority: Authority) -> Published:
    match step:
        case SubmitUrls():
            return indexnow.submit_urls(step, authority.publishing.index_now_key, authority.access)
        case CommitFiles():
            return forge.commit_files(step, authority.publishing, authority.token())
        case SyncPullRequest():
            given = authority.branch_token
            return forge.sync_pull_request(step, authority.publishing, authority.token(), branch_token=given)
        case UpsertComment():
            return forge.upsert_comment(step, authority.token())
        case SyncIssue():
            return forge.sync_issue(step, authority.publishing.run, authority.token())
        case _:
            assert_never(step)
