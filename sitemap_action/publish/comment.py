"""Keeps one comment on a pull request up to date: created once, found again by its marker, never left twice."""

import time

from sitemap_action.errors import PublishError
from sitemap_action.model.context import Forge
from sitemap_action.model.publication import Published, UpsertComment
from sitemap_action.repo.api import Api, Transport
from sitemap_action.repo.comments import Comments
from sitemap_action.repo.retries import Pause, reconcile
from sitemap_action.web.cut_markdown import cut_markdown

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
        found = sorted({comment.id: comment for comment in (made, *comments.ours())}.values())
    kept, *surplus = found
    for comment in surplus:
        comments.delete(comment)
    if _plain(kept.body) != _plain(body):
        comments.update(kept, body)


def _plain(body: str) -> str:
    """A server may change line ends."""
    return body.replace("\r\n", "\n").rstrip()
