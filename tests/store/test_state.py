"""The file at `--state`: resumed, reused, used for conditional requests, and never changed when it is another file."""

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from children import in_child, obey_permissions
from crawls import HOME, FakeWeb, Route, Snapshot, at, crawl, document, snapshot
from sitemap_action.errors import UsageError
from sitemap_action.fetch.base import Response
from sitemap_action.store.frontier import Frontier
from sitemap_action.store.inventory import APPLICATION_ID, PREVIOUS, VERSION
from sitemap_action.store.state import persistent, stored_state
from webs import NOW


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


def run(
    path: Path,
    web: FakeWeb,
    key: str = "a key",
    commit: str = "1",
    *,
    cancel_after: int | None = None,
) -> Snapshot:
    """A run with a state: finishes unless it is killed."""
    with persistent(path, key, commit, now=NOW) as inventory:
        crawl(web, inventory, cancel_after=cancel_after, store=cancel_after is None, clock_step=0.3)
        if cancel_after is None:
            Frontier(inventory).finish()
        return snapshot(inventory)


@pytest.mark.parametrize("moment", [3, 10, 25, 60, 120])
def test_a_killed_run_is_resumed(path: Path, tmp_path: Path, moment: int) -> None:
    whole = run(tmp_path / "other", FakeWeb(SITE, seed=1))
    run(path, FakeWeb(SITE, seed=2), cancel_after=moment)
    assert run(path, FakeWeb(SITE, seed=3)) == whole


OTHERS = [
    # id, key, commit, requests with their validators
    ("NET-15 another commit", "a key", "2", {"/": '"1"', "/a": '"1"', "/b": "", "/c": "", "/d": ""}),
    ("U-11 the same commit", "a key", "1", {"/": '"1"', "/a": '"1"', "/b": "", "/c": "", "/d": ""}),
    ("other options: links may resolve differently", "another", "1", dict.fromkeys(("/", "/a", "/b", "/c", "/d"), "")),
]  # fmt: skip


@pytest.mark.parametrize(("key", "commit", "requests"), [pytest.param(*row[1:], id=row[0]) for row in OTHERS])
def test_another_version_of_the_site_is_requested_conditionally(
    path: Path, key: str, commit: str, requests: dict[str, str]
) -> None:
    """304 reuses the page, its links and its targets: the same inventory as if all had been read again."""
    first = run(path, FakeWeb(SITE))
    web = FakeWeb(SITE)
    assert run(path, web, key, commit) == first
    assert {request.url.removeprefix(HOME[:-1]): request.etag for request in web.requests} == requests
    with stored_state(path) as inventory:
        page = inventory.page(at("/a"))
        assert page is not None
        assert page.facts is not None
        assert [one.rule for one in page.facts.head.directives] == ["noindex"]


@pytest.mark.parametrize(("hours", "again"), [(1, False), (23, False), (25, True)])
def test_a_killed_run_is_resumed_within_a_day(path: Path, hours: int, again: bool) -> None:
    """U-11: later its pages are asked for again, and their age is known."""
    run(path, FakeWeb(SITE), cancel_after=25)
    with persistent(path, "a key", "1", now=NOW + timedelta(hours=hours)) as inventory:
        found = Frontier(inventory)
        assert bool(list(found.visited_pages())) is not again
        assert (found.previous_visit(HOME) is not None) is again
        assert inventory.metadata(PREVIOUS) == (NOW.isoformat() if again else "")


TARGETS = [
    # id, links, canonical: a target
    ("none", [], ""),
    ("links", ["/a", "/b"], ""),
    ("a target", [], "/c"),
    ("both", ["/a", "/b"], "/c"),
]


@pytest.mark.parametrize(("links", "target"), [row[1:] for row in TARGETS], ids=[row[0] for row in TARGETS])
def test_the_next_run_has_links_and_targets(path: Path, links: list[str], target: str) -> None:
    head = f'<link rel=canonical href="{target}">' if target else ""
    run(path, FakeWeb({"/": tagged(document(*links, head=head))}))
    with persistent(path, "a key", "2") as inventory:
        previous = Frontier(inventory).previous_visit(HOME)
        assert previous is not None
        assert (previous.links, previous.targets) == (tuple(map(at, links)), (at(target),) if target else ())


def test_changed_pages_are_read_and_missing_ones_are_gone(path: Path) -> None:
    run(path, FakeWeb(SITE))
    changed = {"/": tagged(document("/a")), "/a": tagged(document("/new"), '"2"'), "/new": document()}
    web = FakeWeb({**changed, "/": tagged(document("/a", "/b"))})  # `/` still answers 304, so /b is requested
    found = run(path, web, commit="2")
    assert list(found) == ["/", "/a", "/b", "/new"]
    assert (found["/b"][0], found["/new"][:2]) == ("gone", ("page", 200))


def test_validators_survive_a_killed_run(path: Path) -> None:
    """For URLs that the killed run did not fetch, those of the run before it are kept."""
    run(path, FakeWeb(SITE))
    run(path, FakeWeb(SITE), commit="2", cancel_after=1)
    web = FakeWeb(SITE)
    run(path, web, commit="3")
    assert [request.etag for request in web.requests[:2]] == ['"1"', '"1"']


def test_required_urls_are_reset(path: Path) -> None:
    with persistent(path, "a key") as inventory:
        Frontier(inventory).require([at("/old")])
    with persistent(path, "a key") as inventory:
        frontier = Frontier(inventory)
        assert frontier.unanswered_urls() == []
        frontier.require([at("/new")])
        assert frontier.unanswered_urls() == [at("/new")]


# Files of other programs


def database(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as other:
        for statement in statements:
            other.execute(statement)
        other.commit()


def refused(path: Path) -> UsageError:
    before = path.read_bytes()
    with pytest.raises(UsageError) as caught, persistent(path, "a key"):
        pytest.fail("it was used")
    assert path.read_bytes() == before  # unchanged
    assert caught.value.exit_code == 2
    assert caught.value.hint
    return caught.value


def test_a_database_of_another_program(path: Path) -> None:
    database(path, "CREATE TABLE customers (name)", "INSERT INTO customers VALUES ('x')")
    assert str(refused(path)) == f"{path} is not a state file of sitemap-action"


@pytest.mark.parametrize("content", [b"hello\n", b"<urlset/>" * 999, b"\0" * 5000, bytes(range(256)) * 64])
def test_a_file_that_is_no_database(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    assert str(refused(path)) == f"{path} is not a state file of sitemap-action"


def test_a_state_that_another_run_has_locked(path: Path) -> None:
    locked = pytest.raises(UsageError, match=r"cannot use the state .* locked")
    with persistent(path, "a key"), locked as caught, persistent(path, "a key"):
        pytest.fail("it was used")
    assert "another run may be using it" in caught.value.hint
    assert run(path, FakeWeb(SITE))  # free afterwards


def test_a_folder(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot use the state"), persistent(tmp_path, "a key"):
        pytest.fail("it was used")


def test_no_such_folder(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot use the state"), persistent(tmp_path / "no" / "state", "a key"):
        pytest.fail("it was used")


def test_a_folder_of_another_user(tmp_path: Path) -> None:
    """As in a job with `container:`, whose workspace belongs to root, who is given up (U-10)."""
    folder = tmp_path / "of-another-user"
    folder.mkdir()
    folder.chmod(0o555)

    told = tmp_path / "told"

    def attempt() -> None:
        obey_permissions()
        with pytest.raises(UsageError) as caught, persistent(folder / "state", "a key"):
            pytest.fail("it was used")
        told.write_text(f"{caught.value}\n{caught.value.hint}")

    assert in_child(attempt) == 0
    assert f"cannot use the state {folder}/state: it cannot be written: unable to open database" in told.read_text()
    assert "in a folder that every user may write to" in told.read_text()


# Incomplete files of this program


def test_an_empty_file_is_a_new_state(path: Path) -> None:
    path.touch()
    assert run(path, FakeWeb(SITE))


def test_a_run_that_was_killed_before_it_created_its_tables(path: Path) -> None:
    database(path, f"PRAGMA application_id = {APPLICATION_ID}", "PRAGMA journal_mode = WAL")
    assert path.stat().st_size
    assert run(path, FakeWeb(SITE))


def test_a_state_of_another_version_starts_afresh(path: Path) -> None:
    database(
        path,
        f"PRAGMA application_id = {APPLICATION_ID}",
        f"PRAGMA user_version = {VERSION + 1}",
        "CREATE TABLE url (x)",
    )
    assert run(path, FakeWeb(SITE))
