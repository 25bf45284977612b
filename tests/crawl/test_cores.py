"""How many processes read the pages of a crawl: as many as were asked for, else as many as have something to win."""

import sys

import pytest

from sitemap_action.crawl import cores
from sitemap_action.crawl.cores import ReaderCount, reader_count

AUTO = [
    # cores, requests a second, processes
    (1, None, 0),
    (2, None, 2),
    (3, None, 3),
    (64, None, 3),
    (2, 10.0, 0),
    (64, 499.0, 0),
    (2, 500.0, 2),
]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere one process fetches and reads")
@pytest.mark.parametrize(("count", "rate", "processes"), AUTO)
def test_auto(count: int, rate: float | None, processes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cores, "available_cores", lambda: count)
    assert reader_count(None, rate).processes == processes
    assert reader_count(None, rate).after > 50
    assert reader_count(1, rate) == ReaderCount(0)
    assert reader_count(7, rate) == ReaderCount(7)


def test_elsewhere_one_process_does_both(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert reader_count(4, None) == reader_count(None, None) == ReaderCount(0)
