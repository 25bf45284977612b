"""Anomalies of one URL, and keys that two URLs share."""

import pytest

from sitemap_action.web.urls import anomalies, case_key, composition_key, normalize

ANOMALIES = [
    # id, URL, codes
    ("none", "https://x.com/a?b=c", ()),
    ("URL-24 PHP", "https://x.com/?PHPSESSID=1", ("session-id",)),
    ("URL-24 later parameter", "https://x.com/?a&sid=1", ("session-id",)),
    ("URL-24 path parameter", "https://x.com/a;jsessionid=1", ("session-id",)),
    ("URL-24 inside=1 is no sid", "https://x.com/?inside=1", ()),
    ("URL-24 a value is no name", "https://x.com/?a=sid", ()),
    ("URL-26 double slash", "https://x.com/a//b", ("double-slash",)),
    ("URL-26 at the root", "https://x.com//", ("double-slash",)),
    ("URL-26 a URL in the query is none", "https://x.com/?u=https://y.com/", ()),
    ("URL-34 trailing dot", "https://x.com./", ("trailing-dot-host",)),
    ("URL-34 with a port", "https://x.com.:8443/", ("trailing-dot-host",)),
    ("all", "https://x.com.//?sid=", ("session-id", "double-slash", "trailing-dot-host")),
]


@pytest.mark.parametrize(("url", "codes"), [row[1:] for row in ANOMALIES], ids=[row[0] for row in ANOMALIES])
def test_anomalies(url: str, codes: tuple[str, ...]) -> None:
    assert anomalies(url) == codes


TWINS = [
    # id, one, other, differ only by case, differ only by composition
    ("URL-25 case", "https://x.com/Apple", "https://x.com/apple", True, False),
    ("URL-25 case of a non-ASCII letter", "https://x.com/É", "https://x.com/é", True, False),
    ("URL-25 in the query", "https://x.com/?A", "https://x.com/?a", True, False),
    ("URL-25 ß is not ss", "https://x.com/ß", "https://x.com/ss", False, False),
    ("URL-27 %2F is not /", "https://x.com/a%2Fb", "https://x.com/a/b", False, False),
    ("URL-29 composed and decomposed", "https://x.com/\u00e9", "https://x.com/e\u0301", False, True),
    ("URL-29 not UTF-8", "https://x.com/%E9", "https://x.com/é", False, False),
]


@pytest.mark.parametrize(
    ("one", "other", "case", "composition"), [row[1:] for row in TWINS], ids=[row[0] for row in TWINS]
)
def test_twins(one: str, other: str, case: bool, composition: bool) -> None:
    assert normalize(one) != normalize(other)
    assert (case_key(one) == case_key(other)) is case
    assert (composition_key(one) == composition_key(other)) is composition
