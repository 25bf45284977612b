"""One comment stays, and stays current, whatever other people, other jobs and the server do meanwhile."""

import json
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hostile import HOSTILE, everything
from publications import write_comment
from sitemap_action.publish.forge import MOST, comment_body
from sitemap_action.reports.markdown import render

API, TOKEN = "https://api.github.example", "s3cret-token"
US, MONA = "github-actions[bot]", "mona"
MARKER = "<!-- sitemap-action:sitemap -->"
THREAD, COMMENT = "/repos/octo-org/site/issues/7/comments", "/repos/octo-org/site/issues/comments/"
FORBIDDEN = {"message": "Resource not accessible by integration", "status": "403"}
LOCKED = {"message": "Unable to create comment because issue is locked.", "status": "403"}
SECONDARY = {"message": "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."}


@dataclass
class Written:
    id: int
    body: str
    login: str = US
    minimized: bool = False

    def node(self) -> dict[str, Any]:
        own = self.login == US
        return {
            "fullDatabaseId": str(self.id),
            "body": self.body,
            "isMinimized": self.minimized,
            "viewerDidAuthor": own,
        }


@dataclass
class Conversation:
    """The comments of pull request 7 as GitHub has them; `fault` may answer first, or raise after the work is done."""

    comments: list[Written] = field(default_factory=list)
    fault: Callable[[httpx.Request, Callable[[], httpx.Response]], httpx.Response] = lambda _, work: work()
    log: list[str] = field(default_factory=list)
    hidden: int = 0  # listings that do not have the newest comment yet
    lock: threading.RLock = field(default_factory=threading.RLock)
    pauses: list[float] = field(default_factory=list)

    def add(self, body: str, login: str = US, *, minimized: bool = False) -> Written:
        made = Written(1000 + len(self.log) + len(self.comments), body, login, minimized)
        while any(one.id == made.id for one in self.comments):
            made.id += 1
        self.comments.append(made)
        return made

    def send(self, report: str = "report", *, create: bool = True, name: str = "sitemap") -> tuple[str, ...]:
        """The notes."""
        transport = httpx.MockTransport(self.answer)
        return write_comment(API, TOKEN, (7, name, report, create), self.pauses.append, transport)

    @property
    def ours(self) -> list[str]:
        return [one.body for one in self.comments if one.login == US and one.body.startswith(MARKER)]

    @property
    def writes(self) -> list[str]:
        return [line for line in self.log if line != "POST /graphql"]

    def answer(self, request: httpx.Request) -> httpx.Response:
        with self.lock:
            self.log.append(f"{request.method} {request.url.path}")
        return self.fault(request, lambda: self._locked(request))

    def _locked(self, request: httpx.Request) -> httpx.Response:
        with self.lock:
            return self._work(request)

    def _work(self, request: httpx.Request) -> httpx.Response:
        assert request.headers["authorization"] == f"Bearer {TOKEN}"
        given = json.loads(request.content or b"{}")
        line, number = f"{request.method} {request.url.path}", request.url.path.rpartition("/")[2]
        if line == "POST /graphql":
            return self._page(given["variables"])
        if line == f"POST {THREAD}":
            made = self.add(given["body"])
            return httpx.Response(201, json={"id": made.id, "body": made.body})
        found = next((one for one in self.comments if str(one.id) == number), None)
        if found is None:
            return httpx.Response(404, json={"message": "Not Found"})
        if request.method == "DELETE":
            self.comments.remove(found)
            return httpx.Response(204)
        found.body = given["body"]
        return httpx.Response(200, json={"id": found.id, "body": found.body})

    def _page(self, given: dict[str, Any]) -> httpx.Response:
        assert given | {"after": None} == {"owner": "octo-org", "name": "site", "number": 7, "after": None}
        start, shown = int(given["after"] or 0), self.comments
        if self.hidden:
            self.hidden -= 1
            shown = shown[:-1]
        nodes = [one.node() for one in shown[start : start + 100]]
        more = len(shown) > start + 100
        page = {"nodes": nodes, "pageInfo": {"hasNextPage": more, "endCursor": str(start + 100) if nodes else None}}
        return httpx.Response(200, json={"data": {"repository": {"pullRequest": {"comments": page}}}})


def first(times: int, on: str, play: Callable[[Callable[[], httpx.Response]], httpx.Response]) -> Any:
    """A fault for so many requests whose line begins with `on`."""
    left = [times]

    def fault(request: httpx.Request, work: Callable[[], httpx.Response]) -> httpx.Response:
        if left[0] and f"{request.method} {request.url.path}".startswith(on):
            left[0] -= 1
            return play(work)
        return work()

    return fault


def refused(
    status: int, body: object = None, **headers: str
) -> Callable[[Callable[[], httpx.Response]], httpx.Response]:
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda _: httpx.Response(status, json=body or {"message": "no"}, headers=names)


def lost(work: Callable[[], httpx.Response]) -> httpx.Response:
    work()
    raise httpx.ReadError("the connection ended")


def never(_: Callable[[], httpx.Response]) -> httpx.Response:
    raise httpx.ConnectError("no connection")


# What is written


def test_it_is_created_once_updated_in_place_and_left_alone_when_nothing_changed() -> None:
    there = Conversation()
    there.send("3 added")
    assert there.ours == [f"{MARKER}\n3 added"]
    there.send("in sync", create=False)
    assert there.ours == [f"{MARKER}\nin sync"]
    before = list(there.writes)
    assert there.send("in sync") == ()
    assert there.writes == before == [f"POST {THREAD}", f"PATCH {COMMENT}{there.comments[0].id}"]


def test_where_nothing_is_asked_for_nothing_is_created() -> None:
    there = Conversation()
    assert there.send(create=False) == ()
    assert there.writes == []


def test_two_sites_have_a_comment_each() -> None:
    there = Conversation()
    for name in ("docs", "doc", "docs"):
        there.send(f"of {name}", name=name)
    assert [one.body for one in there.comments] == [
        "<!-- sitemap-action:docs -->\nof docs",
        "<!-- sitemap-action:doc -->\nof doc",
    ]


def test_a_body_that_the_server_wrote_differently_is_the_same() -> None:
    there = Conversation([Written(1, f"{MARKER}\r\none\r\ntwo\r\n\r\n")])
    there.send("one\ntwo\n")
    assert there.writes == []


OTHERS = [
    # id, body, login, minimized
    ("a person who copies our marker", f"{MARKER}\nmerge this", MONA, False),
    ("hidden by a maintainer", f"{MARKER}\nold", US, True),
    ("the same bot, another action", "Coverage: 80%", US, False),
    ("the same bot quotes a page", f"Title: {MARKER}", US, False),
    ("the same bot, the marker further down", f"A report\n{MARKER}\n", US, False),
    ("another of our comments", "<!-- sitemap-action:sitemap2 -->\nx", US, False),
    ("one whose name begins alike", "<!-- sitemap-action:sitemap --> and more\nx", US, False),
]


@pytest.mark.attack("injection")
@pytest.mark.parametrize(("body", "login", "minimized"), [pytest.param(*row[1:], id=row[0]) for row in OTHERS])
def test_what_is_not_ours_is_not_touched(body: str, login: str, minimized: bool) -> None:
    there = Conversation([Written(5, body, login, minimized)])
    there.send("new")
    assert there.comments[0] == Written(5, body, login, minimized)
    assert [one.body for one in there.comments[1:]] == [f"{MARKER}\nnew"]
    assert there.writes == [f"POST {THREAD}"]


@pytest.mark.parametrize("place", [0, 99, 100, 249])
def test_it_is_found_on_every_page(place: int) -> None:
    there = Conversation([Written(number, "talk", MONA) for number in range(250)])
    there.comments[place] = Written(place, f"{MARKER}\nold")
    there.send("new")
    assert there.comments[place].body == f"{MARKER}\nnew"
    assert there.log == ["POST /graphql"] * 3 + [f"PATCH {COMMENT}{place}"]


# Several jobs


def test_of_several_the_oldest_stays() -> None:
    there = Conversation([Written(number, f"{MARKER}\n{number}") for number in (30, 9, 100)])
    there.send("new", create=False)
    assert there.comments == [Written(9, f"{MARKER}\nnew")]


def test_two_that_create_at_once_leave_one_comment() -> None:
    """Both have looked before either writes, each of a hundred times."""
    for _ in range(100):
        there, gate = Conversation(), threading.Barrier(2, timeout=20)
        together(there, gate)
        with ThreadPoolExecutor(2) as pool:
            done = list(pool.map(there.send, ("one", "two")))
        assert done == [(), ()]
        assert [body in (f"{MARKER}\none", f"{MARKER}\ntwo") for body in there.ours] == [True]
        assert there.writes.count(f"POST {THREAD}") == 2


def together(there: Conversation, gate: threading.Barrier) -> None:
    """The first POST of each thread waits for the other one's."""

    def fault(request: httpx.Request, work: Callable[[], httpx.Response]) -> httpx.Response:
        if request.url.path == THREAD:
            gate.wait()
        return work()

    there.fault = fault


def test_many_at_once_leave_one_comment() -> None:
    there = Conversation()
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(there.send, [f"run {number % 3}" for number in range(200)]))
    assert len(there.ours) == 1


def test_one_that_is_not_listed_yet_is_ours_all_the_same() -> None:
    """A replica of the database that is late: the comment that was just made is neither lost nor made again."""
    there = Conversation(hidden=2)
    there.send("new")
    assert there.ours == [f"{MARKER}\nnew"]


# Interruptions


@pytest.mark.parametrize(
    "start", [[], [Written(1, f"{MARKER}\nold")], [Written(1, f"{MARKER}\na"), Written(2, f"{MARKER}\nb")]]
)
@pytest.mark.parametrize("after", range(4))
def test_a_run_that_dies_after_any_request_is_repaired_by_the_next(start: list[Written], after: int) -> None:
    there = Conversation([Written(one.id, one.body) for one in start])
    left = [after]

    class KilledError(Exception):
        pass

    def fault(_: httpx.Request, work: Callable[[], httpx.Response]) -> httpx.Response:
        answer = work()
        if not left[0]:
            raise KilledError
        left[0] -= 1
        return answer

    there.fault = fault
    with (
        pytest.MonkeyPatch.context() as patch,
        pytest.raises(KilledError) if after < requests(start) else patch.context(),
    ):
        there.send("new")
    there.fault = lambda _, work: work()
    there.send("new")
    assert there.ours == [f"{MARKER}\nnew"]


def requests(start: list[Written]) -> int:
    """List; then create and list, or delete the others and update."""
    return 3 if not start else len(start) + 1


@pytest.mark.parametrize("on", ["POST /graphql", f"POST {THREAD}"])
@pytest.mark.parametrize(
    "play", [lost, never, refused(502), refused(429, retry_after="7"), refused(403, SECONDARY, retry_after="7")]
)
def test_a_failure_that_passes_leaves_one_comment(on: str, play: Any) -> None:
    there = Conversation(fault=first(2, on, play))
    assert there.send("new") == ()
    assert there.ours == [f"{MARKER}\nnew"]
    assert there.pauses


def test_a_limit_is_waited_for_as_long_as_it_says() -> None:
    there = Conversation(fault=first(1, f"POST {THREAD}", refused(403, SECONDARY, retry_after="7")))
    there.send("new")
    assert there.pauses == [7.0]


def test_a_limit_that_says_no_time_is_waited_for_a_minute() -> None:
    """https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api#exceeding-the-rate-limit"""
    there = Conversation(fault=first(1, f"POST {THREAD}", refused(403, SECONDARY)))
    assert there.send("new") == ()
    assert there.pauses == [60.0]


def test_one_that_is_deleted_meanwhile_is_written_again() -> None:
    there = Conversation([Written(1, f"{MARKER}\nold")])

    def deleted(work: Callable[[], httpx.Response]) -> httpx.Response:
        there.comments.clear()
        return work()

    there.fault = first(1, "PATCH", deleted)
    assert there.send("new") == ()
    assert there.ours == [f"{MARKER}\nnew"]


def test_one_that_is_deleted_meanwhile_stays_away_where_none_is_created() -> None:
    there = Conversation([Written(1, f"{MARKER}\nold")])

    def deleted(work: Callable[[], httpx.Response]) -> httpx.Response:
        there.comments.clear()
        return work()

    there.fault = first(1, "PATCH", deleted)
    assert there.send("new", create=False) == ()
    assert there.ours == []


def test_another_run_deletes_the_surplus_first() -> None:
    there = Conversation([Written(1, f"{MARKER}\na"), Written(2, f"{MARKER}\nb")])

    def gone(work: Callable[[], httpx.Response]) -> httpx.Response:
        del there.comments[1]
        return work()

    there.fault = first(1, "DELETE", gone)
    assert there.send("new") == ()
    assert there.ours == [f"{MARKER}\nnew"]


# Refusals: each is a note


def graphql(kind: str, message: str) -> Any:
    error = {"type": kind, "message": message} if kind else {"message": message}
    return refused(200, {"data": {"repository": None}, "errors": [error]})


PERMISSION = "`permissions: pull-requests: write`"
REFUSALS = [
    # id, requests, answer, words of the note
    ("a fork's token", f"POST {THREAD}", refused(403, FORBIDDEN), PERMISSION),
    ("a token without the scope", f"POST {THREAD}", refused(404, {"message": "Not Found"}), PERMISSION),
    ("a locked conversation", f"POST {THREAD}", refused(403, LOCKED), "unlock the conversation"),
    ("a token that is not accepted", "POST /graphql", refused(401, {"message": "Bad credentials"}), "a token that is accepted"),
    ("a repository that the token may not see", "POST /graphql", graphql("NOT_FOUND", "Could not resolve to a Repository"), PERMISSION),
    ("a token that may not read", "POST /graphql", graphql("FORBIDDEN", "Resource not accessible by integration"), PERMISSION),
    ("no such pull request", "POST /graphql", refused(200, {"data": {"repository": {"pullRequest": None}}}), "pull request 7"),
    ("a limit for half an hour", "POST /graphql", refused(403, SECONDARY, retry_after="1800"), "run the job again"),
    ("a limit that GraphQL states", "POST /graphql", graphql("RATE_LIMITED", "API rate limit exceeded"), "run the job again"),
    ("a query that takes too long", "POST /graphql", graphql("", "Something went wrong while executing your query."), "run the job again"),
    ("an outage", "POST /graphql", refused(503), "answers 503, an outage"),
    ("no connection", "POST /graphql", never, "cannot be reached"),
    ("no JSON", "POST /graphql", lambda _: httpx.Response(200, text="{"), "cannot be read"),
    ("another shape", "POST /graphql", refused(200, ["x"]), "cannot be read"),
    ("a comment without an id", f"POST {THREAD}", refused(201, {"message": "?"}), "cannot be read"),
    ("a body that is refused", f"POST {THREAD}", refused(422, {"message": "Validation Failed"}), "Validation Failed"),
    ("a repository that was renamed", f"POST {THREAD}", refused(301, {"message": "Moved Permanently"}), "answers 301"),
]  # fmt: skip


@pytest.mark.parametrize(("on", "play", "words"), [pytest.param(*row[1:], id=row[0]) for row in REFUSALS])
def test_a_refusal_is_a_note_with_the_remedy(on: str, play: Any, words: str) -> None:
    there = Conversation(fault=first(100, on, play))
    done = there.send("new")
    (note,) = done
    assert words in note
    assert "the summary of the job has the report" in note
    assert TOKEN not in note
    assert "\n" not in note
    assert there.ours == []
    assert sum(there.pauses) <= 240


@pytest.mark.parametrize("status", [403, 404])
@pytest.mark.parametrize("on", ["PATCH", "DELETE"])
def test_a_comment_that_may_not_be_changed_is_a_note(on: str, status: int) -> None:
    there = Conversation([Written(1, f"{MARKER}\na"), Written(2, f"{MARKER}\nb")], first(100, on, refused(status)))
    done = there.send("new")
    assert bool(done) is (on == "PATCH" or status == 403)


def test_pages_without_end_are_not_read_for_ever() -> None:
    page = {"nodes": [None, {}, {"viewerDidAuthor": True}], "pageInfo": {"hasNextPage": True, "endCursor": "again"}}
    body = {"data": {"repository": {"pullRequest": {"comments": page}}}}
    there = Conversation(fault=first(10_000, "POST /graphql", refused(200, body)))
    assert "too many comments" in there.send()[0]
    assert len(there.log) <= 100


# The body


@pytest.mark.attack("injection")
@pytest.mark.parametrize("text", [MARKER, f"a{MARKER}b", f"`{MARKER}`", f"\n\n{MARKER}\nx", "<!--<!--", "<!-- open"])
def test_a_report_has_no_marker_of_its_own(text: str) -> None:
    body = comment_body("sitemap", text)
    assert body.startswith(f"{MARKER}\n")
    assert body.count("<!--") == 1


@pytest.mark.attack("injection")
@pytest.mark.parametrize("text", [*HOSTILE, MARKER, f"{MARKER}\n", "</details>", "```\n<details>"])
def test_whatever_a_site_says_the_marker_is_the_only_one(text: str) -> None:
    lines = comment_body("sitemap", render(everything(text))).split("\n")
    assert lines[0] == MARKER
    assert not any("<!--" in line for line in lines[1:])
    assert sum(line.startswith("<details") for line in lines) == lines.count("</details>")


ROW = "- `https://www.example.com/{}` 404, no redirect\n"


@pytest.mark.parametrize("character", ["x", "é", "語", "😀"])
def test_a_long_report_is_cut_between_rows(character: str) -> None:
    report = "### Sitemap\n\n<details open><summary>Removed</summary>\n\n" + "".join(
        ROW.format(character * 20 + str(number)) for number in range(5_000)
    )
    there = Conversation()
    there.send(report)
    (body,) = there.ours
    assert MOST - 500 < len(body.encode("utf-16-le")) // 2 <= MOST
    head, _, tail = body.partition("\n</details>\n")
    assert report.startswith(head.removeprefix(f"{MARKER}\n"))
    assert head.endswith("404, no redirect\n")
    assert "cut here" in tail
    there.send(f"{report}and more")  # an update is capped by the same function
    assert there.ours == [body]
    assert there.writes == [f"POST {THREAD}"]


@given(st.text(alphabet=st.characters(codec=None), max_size=400), st.integers(0, 3))
def test_every_body_can_be_sent(text: str, times: int) -> None:
    body = comment_body("sitemap", text * 50**times)
    assert len(body.encode("utf-16-le")) // 2 <= MOST
    assert json.dumps(body, ensure_ascii=False).encode()
