"""Spellings of one address among the URLs of a crawl, and what refers to each."""

import sqlite3
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

_SPELLED_TWICE = """
SELECT one.url, other.url FROM url AS one JOIN url AS other ON other.url = {stem} || ?
WHERE one.done = 1 AND other.done = 1 AND instr(one.url, '?') = 0 {where}
"""
_REDIRECTS_TO = """
SELECT redirect.target, count(*), sum(url.inlinks) FROM redirect JOIN url ON url.id = redirect.url_id GROUP BY 1
"""


class References(NamedTuple):
    """What refers to a URL."""

    id: int
    required: bool
    links: int  # to it, or to a URL that redirects to it
    redirects: int


def spelled_twice(database: sqlite3.Connection, suffixes: Sequence[str]) -> Iterator[str]:
    """URLs that are known with and without one of the suffixes, or with two of them."""
    for index, suffix in enumerate(suffixes):
        pairs = database.execute(_SPELLED_TWICE.format(stem="one.url", where=""), (suffix,)).fetchall()
        for other in suffixes[:index]:
            stem, where = f"substr(one.url, 1, length(one.url) - {len(other)})", "AND one.url LIKE ?"
            select = _SPELLED_TWICE.format(stem=stem, where=where)
            pairs += database.execute(select, (suffix, f"%{other}")).fetchall()
        for pair in pairs:
            yield from pair


def references(database: sqlite3.Connection, urls: Collection[str]) -> dict[str, References]:
    """Of known URLs, in one pass over all redirects."""
    select = "SELECT id, required, inlinks FROM url WHERE url = ?"
    rows = {url: database.execute(select, (url,)).fetchone() for url in urls}
    redirects = {row[0]: row[1:] for row in database.execute(_REDIRECTS_TO) if row[0] in rows}
    none = (0, 0)
    return {
        url: References(row_id, bool(required), links + redirects.get(url, none)[1], redirects.get(url, none)[0])
        for url, (row_id, required, links) in rows.items()
    }
