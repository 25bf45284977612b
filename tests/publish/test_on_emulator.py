"""The pull request on a GitHub that others have written (npm `emulate`), as the token of a workflow uses it."""

from collections.abc import Iterator

import pytest

from forge.emulator import REPOSITORY, TOKEN, emulator
from forge.emulator_moves import moves
from sitemap_action.model.context import Forge
from sitemap_action.model.step import (
    Counts,
    FileChange,
    Operation,
    Publishing,
    RequestOptions,
    SiteMark,
    SyncPullRequest,
)
from sitemap_action.publish.forge import sync_pull_request
from sitemap_action.repo.github import GitHub
from sitemap_action.repo.github_api import Api

PUBLISHING = Publishing(branch="main", pr_branch="sitemap-action/update", request=RequestOptions(labels=("seo",)))


@pytest.fixture(scope="module")
def forge() -> Iterator[Forge]:
    with emulator() as address, moves(address) as graphql:
        yield Forge(address, REPOSITORY, TOKEN, graphql)


def test_a_pull_request_is_opened_updated_and_closed(forge: Forge) -> None:
    github = GitHub(Api(forge))
    base = github.head("main") or ""
    mark = SiteMark("https://www.example.com/", "public/sitemap.xml", base)

    def step(*contents: bytes) -> SyncPullRequest:
        changes = tuple(FileChange("public/sitemap.xml", content) for content in contents)
        return SyncPullRequest(
            PUBLISHING.pr_branch, "main", base, Counts(len(contents), 0, 0), mark, "The report", changes
        )

    opened = sync_pull_request(step(b"<urlset/>"), PUBLISHING, forge)
    assert (opened.operation, opened.number > 0) == (Operation.CREATED, True)
    assert github.blob(github.head(PUBLISHING.pr_branch) or "", "public/sitemap.xml") == b"<urlset/>"
    assert sync_pull_request(step(b"<urlset/>"), PUBLISHING, forge).operation is Operation.NONE
    updated = sync_pull_request(step(b"<urlset></urlset>"), PUBLISHING, forge)
    assert (updated.operation, updated.number) == (Operation.UPDATED, opened.number)
    closed = sync_pull_request(step(), PUBLISHING, forge)
    assert (closed.operation, closed.number) == (Operation.CLOSED, opened.number)
    assert github.head(PUBLISHING.pr_branch) is None
