"""DIFF-42: announced removals, and announcements that are unused or expired."""

from datetime import date

import pytest

from sitemap_action.config.schema import ExpectedRemoval
from sitemap_action.decide.acknowledged import Acknowledgements
from sitemap_action.model.outcome import Removed
from sitemap_action.model.site import Reason

TODAY = date(2026, 11, 20)


def announced(url: str, until: date = TODAY, reason_class: str = "", reason: str = "sold") -> ExpectedRemoval:
    return ExpectedRemoval(url=url, class_=reason_class, reason=reason, until=until)


def gone(path: str) -> Removed:
    return Removed(f"https://www.example.com{path}", Reason.GONE)


ROWS = [
    # id, announcements, removal, acknowledged as, unused, expired
    ("exact", [announced("/a")], gone("/a"), "sold", (), ()),
    ("glob", [announced("/sale/**")], gone("/sale/x"), "sold", (), ()),
    ("class named", [announced("/a", reason_class="gone")], gone("/a"), "sold", (), ()),
    ("another class", [announced("/a", reason_class="moved")], gone("/a"), "", ("/a",), ()),
    ("another page", [announced("/b")], gone("/a"), "", ("/b",), ()),
    ("its last day", [announced("/a", date(2026, 11, 20))], gone("/a"), "sold", (), ()),
    ("the day after", [announced("/a", date(2026, 11, 19))], gone("/a"), "", (), ("/a",)),
    ("expired and unused counts as expired alone", [announced("/b", date(2026, 11, 19))], gone("/a"), "", (), ("/b",)),
    ("the second applies where the first expired", [announced("/a", date(2020, 1, 1)), announced("/**", reason="rebuilt")], gone("/a"), "rebuilt", (), ("/a",)),
    ("the first of two that apply", [announced("/a"), announced("/**", reason="rebuilt")], gone("/a"), "sold", ("/**",), ()),
    ("the listed text is no URL", [announced("/**")], Removed("about us", Reason.EXCLUDED), "", ("/**",), ()),
]  # fmt: skip


@pytest.mark.parametrize(
    ("removals", "removed", "reason", "unused", "expired"), [pytest.param(*row[1:], id=row[0]) for row in ROWS]
)
def test_expected(
    removals: list[ExpectedRemoval], removed: Removed, reason: str, unused: tuple[str, ...], expired: tuple[str, ...]
) -> None:
    expected = Acknowledgements(removals, TODAY)
    assert expected.acknowledge(removed.url, removed.reason) == reason
    assert expected.list_unused() == unused
    assert expected.list_expired() == expired
