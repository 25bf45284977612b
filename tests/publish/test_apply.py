"""Each step reaches its publisher, steps of one kind in one call; a step without publisher stops the plan."""

from importlib import import_module
from pathlib import Path
from typing import get_args

import pytest
from msgspec.structs import replace

from sitemap_action.errors import PublishError
from sitemap_action.model.context import Forge
from sitemap_action.model.step import (
    CommitFiles,
    Counts,
    FileChange,
    IssueState,
    Published,
    Publishing,
    RequestOptions,
    SiteMark,
    Step,
    SubmitUrls,
    SyncIssue,
    SyncPullRequest,
    UpsertComment,
)
from sitemap_action.publish import files
from sitemap_action.publish.apply import Authority, apply

COUNTS = Counts(added=1, removed=0, changed=0)
MARK = SiteMark("https://www.example.com/", "a.xml")
OPENS = RequestOptions()


def test_files_are_handed_over_in_one_call_and_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[list[Step], Path]] = []
    monkeypatch.setattr(files, "publish", lambda steps, workspace: calls.append((list(steps), workspace)))
    steps = (FileChange("a.xml", b"x"), FileChange("b.xml", None), FileChange("c.xml", b"y"))
    apply(steps, tmp_path)
    assert calls == [(list(steps), tmp_path)]


def test_an_empty_plan_calls_no_publisher(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "publish", lambda *_: pytest.fail("was called"))
    apply((), tmp_path)


def test_an_unknown_step_stops_the_plan_before_anything_is_done(tmp_path: Path) -> None:
    with pytest.raises(AssertionError):
        apply([FileChange("a.xml", b"x"), object()], tmp_path)  # type: ignore[list-item]
    assert list(tmp_path.iterdir()) == []


STEPS: list[Step] = [
    FileChange("a.xml", b"x"),
    FileChange("a.xml", None),
    CommitFiles("main", "0" * 40, COUNTS, MARK, (FileChange("a.xml", b"x"),)),
    SyncPullRequest("update", "main", "0" * 40, COUNTS, MARK, "body", ()),
    UpsertComment(3, "sitemap", "body", create=True),
    SyncIssue(MARK, "title", "body", IssueState.OPEN),
    SubmitUrls("https://www.example.com/", ("https://www.example.com/a",)),
]
PUBLISHERS = {
    CommitFiles: ("forge", "commit_files"),
    SyncPullRequest: ("forge", "sync_pull_request"),
    UpsertComment: ("forge", "upsert_comment"),
    SyncIssue: ("forge", "sync_issue"),
    SubmitUrls: ("indexnow", "submit_urls"),
}
ALLOWED = Publishing(branch="main", number=3, issue=True, index_now_key="0123456789abcdef")
FORGE = Forge("https://api.github.example", "octo-org/site", "token")


def authority(step: Step) -> Authority:
    """What the inputs allow where they ask for this step."""
    return Authority(
        replace(ALLOWED, request=OPENS, pr_branch="update") if isinstance(step, SyncPullRequest) else ALLOWED, FORGE
    )


@pytest.mark.parametrize("step", STEPS, ids=lambda step: type(step).__name__)
def test_every_kind_of_step_has_a_publisher(step: Step, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    published: list[Step] = []
    monkeypatch.setattr(files, "publish", lambda steps, _: published.extend(steps))
    for module, function in PUBLISHERS.values():
        monkeypatch.setattr(
            import_module(f"sitemap_action.publish.{module}"),
            function,
            lambda step, *_, **__: (published.append(step), Published())[1],
        )
    apply([step], tmp_path, authority(step))
    assert published == [step]
    assert {type(one) for one in STEPS} == {*get_args(Step)}


HOSTILE: list[tuple[Step, Publishing]] = [
    (STEPS[2], Publishing(branch="other")),
    (STEPS[2], Publishing()),
    (replace(STEPS[2], mark=replace(MARK, source="0\n\nCo-authored-by: x")), ALLOWED),
    (
        replace(STEPS[3], mark=replace(MARK, source="0\n\nCo-authored-by: x")),
        replace(ALLOWED, request=OPENS, pr_branch="update"),
    ),
    (STEPS[3], replace(ALLOWED, request=OPENS, pr_branch="other")),
    (STEPS[3], replace(ALLOWED, request=OPENS, pr_branch="update", branch="other")),
    (STEPS[3], replace(ALLOWED, request=OPENS)),
    (STEPS[3], replace(ALLOWED, pr_branch="update")),
    (STEPS[4], replace(ALLOWED, number=4)),
    (replace(STEPS[4], name="somebody"), ALLOWED),
    (STEPS[4], replace(ALLOWED, comment_id="other")),
    (STEPS[5], replace(ALLOWED, issue=False)),
    (STEPS[6], replace(ALLOWED, index_now_key="")),
]


@pytest.mark.attack("root")
@pytest.mark.parametrize(("step", "allowed"), HOSTILE)
def test_what_no_input_asks_for_is_refused_before_anything_is_done(
    step: Step, allowed: Publishing, tmp_path: Path
) -> None:
    with pytest.raises(PublishError, match="no input of this step asks for this"):
        apply([FileChange("a.xml", b"x"), step], tmp_path, Authority(allowed, FORGE))
    assert list(tmp_path.iterdir()) == []


def test_without_a_token_nothing_is_published(tmp_path: Path) -> None:
    with pytest.raises(PublishError, match="there is no token to publish with"):
        apply([STEPS[2]], tmp_path, Authority(ALLOWED))
