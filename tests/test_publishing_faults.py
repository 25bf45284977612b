"""Faults at the requests of each flow, and runs that are killed: the end is right, nothing is doubled, nothing of others
is touched, and the outputs are true. tests/faults.md has the whole table; here is a share of it.

SITEMAP_ACTION_FAULTS=all plays every row, SITEMAP_ACTION_KILLS=200 sets how many runs are killed (30 without it).
"""

import os
from collections.abc import Iterator

import pytest

from examples import share
from forge.hub import Hub
from forge.indexnow import IndexNow
from forge.indexnow import indexnow as engines
from publishing_flows import COMBINATIONS, FAULTS, FLOWS, KEY, UPDATE, play, world, wrong_after
from publishing_table import FILE, described

KILLS = int(os.environ.get("SITEMAP_ACTION_KILLS") or share(150))
SHARE = 0 if os.environ.get("SITEMAP_ACTION_FAULTS") == "all" else share(20)
LAST = 8  # changes that the longest flow makes


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> Iterator[IndexNow]:
    monkeypatch.setattr("sitemap_action.repo.github_api.FIRST", 0.001)
    monkeypatch.setattr("sitemap_action.repo.git_process.PROTOCOLS", "https:ssh:http")
    with engines(KEY) as made:
        yield made


@pytest.mark.parametrize(("flow", "who"), COMBINATIONS, ids=map("-".join, COMBINATIONS))
def test_every_fault_at_every_request(flow: str, who: str, hub: Hub, engine: IndexNow) -> None:
    """Where the share is not all of them, another request meets each fault."""
    first = play(hub, engine, flow, who)
    assert not first.wrong
    every = [(fault, skip) for fault in FAULTS for skip in range(first.requests)]
    rows = every[:: len(every) // SHARE or 1] if SHARE else every
    found = {row: said for row in rows if (said := play(hub, engine, flow, who, *row).wrong)}
    assert not found, f"{len(found)} of {len(rows)}: {found}"
    assert who == "git" or described(flow, who, first.requests) in FILE.read_text(encoding="utf-8"), "run: make faults"


def test_the_table_has_every_row_and_all_are_held() -> None:
    rows = [
        line.split(" | ") for line in FILE.read_text(encoding="utf-8").splitlines() if "/" in line and line[0] == "|"
    ]
    assert [(says.removeprefix("| "), who) for says, who, *_ in rows] == [
        (FLOWS[flow].says, who) for flow, who in COMBINATIONS
    ]
    cells = [(requests, *cell.strip(" |").split("/")) for _, _, requests, *held in rows for cell in held]
    assert len(cells) == len(rows) * len(FAULTS)
    assert all(requests == held == of for requests, held, of in cells)
    total = sum(int(of) for _, _, of in cells)
    assert f"**{total:,} rows of {len(FLOWS)} flows and {len(FAULTS)} faults, {total:,} held.**" in FILE.read_text()


def test_kills(hub: Hub, engine: IndexNow, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that ends at any change is repaired by the next one, an hour later: nothing doubled, nothing of others touched."""
    monkeypatch.setattr("sitemap_action.repo.github_api.TRIES", 2)
    monkeypatch.setattr("sitemap_action.repo.github._ABANDONED", 0)
    every = [(flow, who, at) for flow, who in COMBINATIONS if flow != "index-now" for at in range(1, LAST + 1)]
    for number in range(KILLS):
        flow, who, changes = every[number * len(every) // KILLS % len(every)]
        *earlier, last = FLOWS[flow].acts
        at = world(hub, who, engine, tuple(earlier))
        before = at.others()
        hub.stop_after(changes)
        last(at)
        hub.resume()
        done = flow == "commit" and at.site.read("public/sitemap.xml") == b"new"  # which the next run finds in sync
        wrong = [] if done else wrong_after(at, flow, last(at), before)
        assert not wrong, (flow, who, changes, wrong)
        assert done or not at.leftovers()


def test_nothing_is_left_of_a_draft(hub: Hub, engine: IndexNow, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed once the draft is made, and once it has the commit."""
    monkeypatch.setattr("sitemap_action.repo.github_api.TRIES", 2)
    for who in ("person", "branch-token"):
        for changes in (1, 2):
            at = world(hub, who, engine)
            hub.stop_after(changes)
            FLOWS["open"].acts[0](at)
            hub.resume()
            assert len(at.leftovers()) == 1
            monkeypatch.setattr("sitemap_action.repo.github._ABANDONED", 0)
            FLOWS["open"].acts[0](at)
            assert (at.leftovers(), bool(at.site.head(UPDATE))) == ([], True)
            monkeypatch.setattr("sitemap_action.repo.github._ABANDONED", 3600)
