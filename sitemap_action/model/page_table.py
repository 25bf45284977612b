"""Every known URL with its verdict, for a report that shows them all: bounded in number, with counts of the whole."""

from typing import NamedTuple

from msgspec import Struct


class PageRow(NamedTuple):
    """One known URL."""

    url: str
    reason: str = ""  # of the verdict: why it is not listed; "" for a listed page
    detail: str = ""
    status: int = 0  # 0 without an answer
    depth: int = 0
    title: str = ""
    found_on: str = ""
    target: str = ""  # where it leads, or under which URL it is listed
    unverified: bool = False  # listed, and no answer confirms it


class SectionCount(NamedTuple):
    """Pages below one directory of the site."""

    path: str  # relative to site-url, "" for the pages that are in no directory
    listed: int
    absent: int


class TrailHop(NamedTuple):
    """One address of a redirect, with what it answers."""

    url: str
    status: int = 0


class RedirectTrail(NamedTuple):
    """A redirect from its first address to where it ends."""

    hops: tuple[TrailHop, ...]
    end: str = ""  # why the trail has no end, as text


class PageTable(Struct, frozen=True):
    """`rows` are sorted by URL; the counts are those of all `total` URLs."""

    rows: tuple[PageRow, ...]
    total: int
    every: int = 1  # of the pages without a difference or a problem, this one is shown
    clicks: bool = False  # whether a depth counts clicks from the start page; else directories
    statuses: tuple[tuple[int, int], ...] = ()  # (status, number of URLs)
    depths: tuple[tuple[int, int], ...] = ()  # (depth, number of listed pages)
    sections: tuple[SectionCount, ...] = ()
    trails: tuple[RedirectTrail, ...] = ()
    redirects: int = 0  # of which `trails` are the first
    all: tuple[PageRow, ...] = ()  # the rows of every URL, only for a report that asks for them
