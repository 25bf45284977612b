"""A repository that is written to: by GitHub's API, or by git."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha1

from sitemap_action.model.context import Forge
from sitemap_action.model.publication import CommitMethod, FileChange
from sitemap_action.repo.remote import WritableBranches


@contextmanager
def writable_branches(method: CommitMethod, forge: Forge) -> Iterator[WritableBranches]:
    if method is CommitMethod.GIT:
        from sitemap_action.repo.git_remote import GitRemote  # noqa: PLC0415 - few runs push

        with GitRemote(forge) as remote:
            yield remote
    else:
        from sitemap_action.repo.api import Api  # noqa: PLC0415 - a push needs no HTTP of ours
        from sitemap_action.repo.github_commits import GitHubCommits  # noqa: PLC0415

        yield GitHubCommits(Api(forge))


def blob_ids(changes: Sequence[FileChange]) -> Mapping[str, str]:
    """Path → git's id of the content, for the files that are there after the change."""
    return {one.path: _blob_id(one.content) for one in changes if one.content is not None}


def _blob_id(content: bytes) -> str:
    return sha1(b"blob %d\0%b" % (len(content), content), usedforsecurity=False).hexdigest()
