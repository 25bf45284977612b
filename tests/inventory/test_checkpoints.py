"""The file at `--state`: resumed, reused, asked for what changed, and left alone when it is somebody else's."""

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import pytest

from crawls import HOME, Route, Seen, Table, at, crawl, document, seen
from sitemap_action.errors import UsageError
from sitemap_action.fetch.base import Response
from sitemap_action.inventory.checkpoints import persistent
from sitemap_action.inventory.frontier import Frontier
from sitemap_action.inventory.store import APPLICATION_ID, VERSION

ETAG = ("etag", '"1"')


def tagged(text: str, tag: str = '"1"') -> Response:
    return Response("", 200, (("content-type", "text/html"), ("etag", tag)), text.encode())


SITE: Mapping[str, Route] = {
    "/": tagged(document("/a", "/b")),
    "/a": tagged(document("/c", head='<link rel=canonical href="/d"><meta name=robots content=noindex>')),
    "/b": document("/a"),
    "/c": 404,
    "/d": document(),
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state.sqlite"


def look(
    path: Path, web: Table, look: str = "a look", commit: str = "1", *, reusable: bool = True, turns: int | None = None
) -> Seen:
    """What a run does with a state: it asks unless all is there, and ends unless it is killed."""
    with persistent(path, look, commit, reusable=reusable) as inventory:
        if not inventory.metadata("finished"):
            crawl(web, inventory, turns=turns, stored=turns is None, step=0.3)
            if turns is None:
                Frontier(inventory).finish()
        return seen(inventory)


def test_a_finished_state_is_the_answer(path: Path) -> None:
    first = look(path, Table(SITE))
    web = Table(SITE)
    assert look(path, web) == first
    assert web.asked == []


@pytest.mark.parametrize("turns", [3, 10, 25, 60, 120])
def test_a_run_that_was_killed_goes_on(path: Path, tmp_path: Path, turns: int) -> None:
    whole = look(tmp_path / "other", Table(SITE, seed=1))
    look(path, Table(SITE, seed=2), turns=turns)
    assert look(path, Table(SITE, seed=3)) == whole


OTHERS = [
    # id, look, commit, reusable, requests with a validator
    ("NET-15 another commit", "a look", "2", True, {"/": '"1"', "/a": '"1"', "/b": "", "/c": "", "/d": ""}),
    ("NET-15 nobody knows the commit", "a look", "1", False, {"/": '"1"', "/a": '"1"', "/b": "", "/c": "", "/d": ""}),
    ("other options: links may lead elsewhere", "another", "1", True, dict.fromkeys(("/", "/a", "/b", "/c", "/d"), "")),
]  # fmt: skip


@pytest.mark.parametrize(
    ("other", "commit", "reusable", "asked"), [pytest.param(*row[1:], id=row[0]) for row in OTHERS]
)
def test_another_state_of_the_site_is_asked_for_what_changed(
    path: Path, other: str, commit: str, reusable: bool, asked: dict[str, str]
) -> None:
    """304 reuses the page, its links and its targets: the same inventory as if all had been read again."""
    first = look(path, Table(SITE))
    web = Table(SITE)
    assert look(path, web, other, commit, reusable=reusable) == first
    assert {request.url.removeprefix(HOME[:-1]): request.etag for request in web.requests} == asked
    with persistent(path, other, commit) as inventory:
        page = inventory.page(at("/a"))
        assert page is not None
        assert page.facts is not None
        assert [one.rule for one in page.facts.directives] == ["noindex"]


LED = [
    # id, links, canonical: a target
    ("nowhere", [], ""),
    ("by links", ["/a", "/b"], ""),
    ("by a target", [], "/c"),
    ("by both", ["/a", "/b"], "/c"),
]


@pytest.mark.parametrize(("links", "target"), [row[1:] for row in LED], ids=[row[0] for row in LED])
def test_where_a_page_led_is_known_to_the_next_run(path: Path, links: list[str], target: str) -> None:
    head = f'<link rel=canonical href="{target}">' if target else ""
    look(path, Table({"/": tagged(document(*links, head=head))}))
    with persistent(path, "a look", "2") as inventory:
        earlier = Frontier(inventory).previous_visit(HOME)
        assert earlier is not None
        assert (earlier.links, earlier.targets) == (tuple(map(at, links)), (at(target),) if target else ())


def test_what_changed_is_read_and_what_went_away_is_gone(path: Path) -> None:
    look(path, Table(SITE))
    changed = {"/": tagged(document("/a")), "/a": tagged(document("/new"), '"2"'), "/new": document()}
    web = Table({**changed, "/": tagged(document("/a", "/b"))})  # `/` still answers 304, so /b is asked for
    found = look(path, web, commit="2")
    assert list(found) == ["/", "/a", "/b", "/new"]
    assert (found["/b"][0], found["/new"][:2]) == ("gone", ("page", 200))


def test_validators_survive_a_run_that_was_killed(path: Path) -> None:
    """What the killed run had no answer for is still known from the run before it."""
    look(path, Table(SITE))
    look(path, Table(SITE), commit="2", turns=1)
    web = Table(SITE)
    look(path, web, commit="3")
    assert [request.etag for request in web.requests[:2]] == ['"1"', '"1"']


def test_sitemaps_are_named_anew(path: Path) -> None:
    with persistent(path, "a look") as inventory:
        Frontier(inventory).require([at("/old")])
    with persistent(path, "a look") as inventory:
        frontier = Frontier(inventory)
        assert frontier.unanswered() == []
        frontier.require([at("/new")])
        assert frontier.unanswered() == [at("/new")]


# Files that are none of ours


def database(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as other:
        for statement in statements:
            other.execute(statement)
        other.commit()


def refused(path: Path) -> UsageError:
    before = path.read_bytes()
    with pytest.raises(UsageError) as caught, persistent(path, "a look"):
        pytest.fail("it was used")
    assert path.read_bytes() == before  # left as it is
    assert caught.value.exit_code == 2
    assert caught.value.hint
    return caught.value


def test_a_database_of_somebody_else(path: Path) -> None:
    database(path, "CREATE TABLE customers (name)", "INSERT INTO customers VALUES ('x')")
    assert str(refused(path)) == f"{path} is no state of sitemap-action"


@pytest.mark.parametrize("content", [b"hello\n", b"<urlset/>" * 999, b"\0" * 5000, bytes(range(256)) * 64])
def test_no_database(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    assert f"cannot read the state {path}" in str(refused(path))


def test_a_broken_state(path: Path) -> None:
    look(path, Table(SITE))
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    path.write_bytes(content)
    assert "cannot read the state" in str(refused(path))


def test_a_state_that_another_run_holds(path: Path) -> None:
    locked = pytest.raises(UsageError, match=r"cannot use the state .* locked")
    with persistent(path, "a look"), locked as caught, persistent(path, "a look"):
        pytest.fail("it was used")
    assert "another run may hold it" in caught.value.hint
    assert look(path, Table(SITE))  # and afterwards it is free


def test_a_folder(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot use the state"), persistent(tmp_path, "a look"):
        pytest.fail("it was used")


def test_no_such_folder(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot use the state"), persistent(tmp_path / "no" / "state", "a look"):
        pytest.fail("it was used")


# Files of ours that are not whole


def test_an_empty_file_is_a_new_state(path: Path) -> None:
    path.touch()
    assert look(path, Table(SITE))


def test_a_run_that_was_killed_before_it_had_made_its_tables(path: Path) -> None:
    database(path, "PRAGMA journal_mode = WAL", "PRAGMA wal_checkpoint", "VACUUM")
    assert path.stat().st_size
    assert look(path, Table(SITE))


def test_a_state_of_another_version_starts_afresh(path: Path) -> None:
    database(
        path,
        f"PRAGMA application_id = {APPLICATION_ID}",
        f"PRAGMA user_version = {VERSION + 1}",
        "CREATE TABLE url (x)",
    )
    assert look(path, Table(SITE))
