"""The comment end to end: every request is one that GitHub's own descriptions allow, and what is left is one comment."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from forge import faults
from forge.hub import Comment, Hub, Pull
from forge.repository import Repository
from forge.tokens import Token
from publications import write_comment

MARKER = "<!-- sitemap-action:sitemap -->"
POST = "POST /repos/*/issues/*/comments"


class Checked:
    """A pull request that is checked, and what a run with this token writes to it."""

    def __init__(self, hub: Hub, token: Token) -> None:
        self.hub, self.token = hub, token
        self.repository: Repository = hub.repository("octo-org/site")
        self.repository.commit({"page.html": "new"}, "topic")
        self.pull: Pull = hub.open_pull(self.repository, "topic")
        self.pauses: list[float] = []

    def write(self, report: str = "report", *, create: bool = True) -> tuple[str, ...]:
        """The notes."""
        step = (self.pull.number, "sitemap", report, create)
        return write_comment(self.hub.api_url, self.token.value, step, self.pauses.append)

    def add(self, body: str, **given: object) -> Comment:
        return self.hub.comment(self.repository, self.pull.number, body, **given)  # type: ignore[arg-type]

    @property
    def bodies(self) -> list[str]:
        return [one.body for one in self.hub.comments["octo-org/site"]]


@pytest.fixture
def checked(hub: Hub) -> Checked:
    return Checked(hub, hub.token())


def test_created_updated_and_left_alone(checked: Checked) -> None:
    for report in ("3 added", "in sync", "in sync"):
        assert checked.write(report) == ()
    assert checked.bodies == [f"{MARKER}\nin sync"]
    assert len(checked.hub.carried_out()) == 2


def test_on_a_conversation_of_250_comments(checked: Checked) -> None:
    for number in range(250):
        checked.add(f"{MARKER}\nforged {number}" if number % 2 else "talk")
    mine = checked.add(f"{MARKER}\nold", login=checked.token.login)
    checked.add(f"{MARKER}\nhidden", login=checked.token.login, minimized=True)
    assert checked.write("new", create=False) == ()
    assert mine.body == f"{MARKER}\nnew"
    assert len(checked.hub.carried_out()) == 1


def test_the_longest_body_is_accepted(checked: Checked) -> None:
    rows = "".join(f"- `https://www.example.com/😀{number}`\n" for number in range(9_000))
    for report in (rows, f"changed\n{rows}"):
        assert checked.write(f"<details>\n\n{report}\n</details>\n") == ()
    assert len(checked.bodies) == 1


def test_on_a_closed_pull_request(checked: Checked) -> None:
    checked.pull.state = "closed"
    assert checked.write() == ()
    assert checked.bodies == [f"{MARKER}\nreport"]


def test_a_run_that_is_killed_after_any_change_is_repaired_by_the_next(checked: Checked) -> None:
    for changes in (1, 2):
        checked.hub.comments["octo-org/site"].clear()
        if changes == 2:
            for text in ("a", "b"):
                checked.add(f"{MARKER}\n{text}", login=checked.token.login)
        checked.hub.stop_after(1)
        assert checked.write("new")
        checked.hub.resume()
        assert checked.write("new") == ()
        assert checked.bodies == [f"{MARKER}\nnew"]


@pytest.mark.parametrize("on", [POST, "repository"])
@pytest.mark.parametrize(
    "play",
    [faults.lost(), faults.dropped(), faults.outage(), faults.secondary_limit(3), faults.secondary_limit(None), faults.no_json()],
    ids=["lost", "dropped", "outage", "limit", "limit without a time", "no JSON"],
)  # fmt: skip
def test_a_failure_that_passes(checked: Checked, on: str, play: faults.Play) -> None:
    checked.hub.fail(play, on=on, times=2)
    assert checked.write() == ()
    assert checked.bodies == [f"{MARKER}\nreport"]


@pytest.mark.parametrize("play", [faults.rate_limit(), faults.graphql_rate_limit()], ids=["REST", "GraphQL"])
def test_a_limit_for_half_an_hour_is_a_note(checked: Checked, play: faults.Play) -> None:
    checked.hub.fail(play, on="repository")
    assert "run the job again" in checked.write()[0]
    assert checked.pauses == []


def test_a_token_that_can_only_read(hub: Hub) -> None:
    checked = Checked(hub, hub.read_only())
    assert "pull-requests: write" in checked.write()[0]
    assert checked.bodies == []


def test_a_token_that_github_does_not_know(hub: Hub) -> None:
    checked = Checked(hub, Token("ghs_expired"))
    assert "give the action a token that is accepted" in checked.write()[0]


def test_a_private_repository_that_the_token_does_not_reach(hub: Hub) -> None:
    checked = Checked(hub, hub.token("ghs_other", repositories=frozenset({"octo-org/other"})))
    checked.repository.private = True
    assert "pull-requests: write" in checked.write()[0]


def test_two_at_once_leave_one_comment(checked: Checked) -> None:
    for _ in range(25):
        checked.hub.comments["octo-org/site"].clear()
        with ThreadPoolExecutor(2) as pool:
            assert list(pool.map(checked.write, ("one", "two"))) == [(), ()]
        assert len(checked.bodies) == 1
