"""What is said on the forge: the one comment on a pull request, and the one issue of scheduled runs.

The comment is found again by its marker, the issue by its trailers, both by their author.
"""

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from sitemap_action.errors import PublishError, UnreachableError
from sitemap_action.model.context import Forge
from sitemap_action.model.step import IssueState, Published, SyncIssue, UpsertComment
from sitemap_action.publish.base import Journal, carry_out
from sitemap_action.repo.github_api import Api, Pause, Transport, wait
from sitemap_action.repo.pull_requests import Comments, Issue, Issues
from sitemap_action.web.printable import cut_markdown

MOST = 60_000  # UTF-16 code units; GitHub takes 65,536 characters
_T = TypeVar("_T")
_TRIES = 4
_CUT = "… cut here: the summary of the job has more rows, and the JSON report has all of them.\n"


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
