"""Random sites with random faults: accepted today, red for one new fault of each kind, pruned exactly."""

import random
from pathlib import Path
from typing import NamedTuple

import pytest

from examples import few
from known_faults import ACCEPT, CHECK, LIST, SITE, files, put
from sitemap_action.__main__ import run

NAMES = tuple(f"p{number}" for number in range(9))
BASE = "before.xml"


class State(NamedTuple):
    """What is built, what the sitemap lists, and which dates are none."""

    pages: frozenset[str]
    listed: frozenset[str]
    bad: frozenset[str]

    def faults(self) -> set[str]:
        """As lines of the list begin; by hand, without a part of the program."""
        rows = {f"gone\t{SITE}{name}/" for name in self.listed - self.pages}
        rows |= {f"missing\t{SITE}{name}/" for name in self.pages - self.listed}
        return rows | {f"SM-40\t{SITE}{name}/" for name in self.listed & self.bad}

    def put(self) -> None:
        for name in NAMES:
            Path(f"dist/{name}/index.html").unlink(missing_ok=True)
        put(Path(), files(tuple(sorted(self.pages)), tuple(sorted(self.listed)), self.bad))


def some(chance: random.Random, names: frozenset[str], part: float) -> frozenset[str]:
    return frozenset(name for name in sorted(names) if chance.random() < part)


def draw(chance: random.Random) -> State:
    names = frozenset(NAMES)
    listed = some(chance, names, 0.7)
    return State(some(chance, names, 0.7), listed, some(chance, listed, 0.3))


def known() -> set[str]:
    return {line.rpartition("\t2")[0] for line in Path(LIST).read_text().splitlines() if not line.startswith("#")}


def shuffle(chance: random.Random) -> None:
    """The list in another order, with some lines twice, as merges leave it."""
    rows = Path(LIST).read_text().splitlines()
    rows += chance.sample(rows, min(3, len(rows)))
    chance.shuffle(rows)
    Path(LIST).write_text("\n".join(rows))


@pytest.mark.parametrize("seed", range(few(100)))
def test_accepted_faults_hide_no_new_one(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    chance = random.Random(seed)
    old = draw(chance)
    old.put()
    assert run(CHECK) == bool(old.faults())
    assert run(ACCEPT) == 0
    assert (known() if Path(LIST).exists() else set()) == old.faults()
    if not old.faults():
        return
    shuffle(chance)
    assert run(CHECK) == 0, capsys.readouterr().out
    for new in (one for kind in range(3) if (one := one_more(chance, old, kind)) is not None):
        new.put()
        assert run(CHECK) == 1, f"{sorted(new.faults() - old.faults())} is hidden"
        capsys.readouterr()
        assert run([*ACCEPT, "--dry-run"]) == 0
        shown = capsys.readouterr().out
        assert {line.strip().replace("  ", "\t") for line in shown.splitlines()[1:]} == new.faults() - old.faults()
    mended = draw(chance)
    mended.put()
    run([*ACCEPT, "--prune"])
    assert known() == old.faults() & mended.faults()


def one_more(chance: random.Random, old: State, kind: int) -> State | None:
    """The same site with one fault more: a page vanishes, one is not listed, a date is none; None where none can."""
    match kind:
        case 0 if found := sorted(old.pages & old.listed - old.bad):
            return old._replace(pages=old.pages - {chance.choice(found)})
        case 1 if found := sorted(old.pages & old.listed - old.bad):
            return old._replace(listed=old.listed - {chance.choice(found)})
        case 2 if found := sorted(old.listed - old.bad):
            return old._replace(bad=old.bad | {chance.choice(found)})
    return None


@pytest.mark.parametrize("seed", range(few(100)))
def test_no_page_that_the_baseline_lists_is_accepted_away(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    """Another sitemap says what was there: `accept` leaves each lost page of it out, and the check stays red."""
    monkeypatch.chdir(tmp_path)
    chance = random.Random(seed)
    before, now = draw(chance), draw(chance)
    before.put()
    Path(BASE).write_bytes(Path("sitemap.xml").read_bytes())
    now.put()
    lost = before.listed - now.pages - now.listed
    assert run([*ACCEPT, "--baseline", BASE]) == bool(lost)
    accepted = known() if Path(LIST).exists() else set()
    assert accepted.isdisjoint(f"gone\t{SITE}{name}/" for name in lost)
    assert run([*CHECK, "--baseline", BASE]) == bool(lost)
