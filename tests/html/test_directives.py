"""The grammar of robots directives, and their combination (HTML-01…07, 11…13)."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitemap_action.html import directives
from sitemap_action.model.page import Directive

NOW = datetime(2026, 11, 1, tzinfo=UTC)

META = [
    # HTML-02: case of name and content does not matter
    ("ROBOTS", "NoIndex", [("", "noindex", "")]),
    ("GoogleBot", "NONE", [("googlebot", "none", "")]),
    # HTML-03: a comma list with optional spaces, empty items skipped
    ("robots", "noindex,nofollow", [("", "noindex", ""), ("", "nofollow", "")]),
    ("robots", " noindex ,, nofollow , ", [("", "noindex", ""), ("", "nofollow", "")]),
    # HTML-05: rules with a value
    (
        "robots",
        "max-snippet:-1, max-image-preview: large",
        [("", "max-snippet", "-1"), ("", "max-image-preview", "large")],
    ),
    # HTML-06: the comma inside a date splits nothing
    (
        "robots",
        "unavailable_after: Saturday, 25-Jun-10 15:00:00 PST",
        [("", "unavailable_after", "Saturday, 25-Jun-10 15:00:00 PST")],
    ),
    (
        "robots",
        "noindex, unavailable_after: Fri, 25 Jun 2027 15:00:00 GMT, nofollow",
        [("", "noindex", ""), ("", "unavailable_after", "Fri, 25 Jun 2027 15:00:00 GMT"), ("", "nofollow", "")],
    ),
    # a misspelt rule is returned, so that it can be reported
    ("robots", "no-index", [("", "no-index", "")]),
    # HTML-01: rules of every agent, with its name
    ("otherbot", "noindex", [("otherbot", "noindex", "")]),
    ("yandex", "noindex", [("yandex", "noindex", "")]),
    # metadata whose text mentions robots has no rules
    ("description", "noindex", []),
    ("keywords", "none, all", []),
    ("theme", "dark, noindex", []),
    ("robots", "", []),
]


@pytest.mark.parametrize(("name", "content", "expected"), META)
def test_meta(name: str, content: str, expected: list[tuple[str, str, str]]) -> None:
    found = directives.parse_meta(name, content)
    assert [(one.agent, one.rule, one.value) for one in found] == expected
    assert all(one.source == "meta" for one in found)


HEADERS = [
    # HTML-11: a comma list, case does not matter
    ("NOINDEX, NoFollow", [("", "noindex", ""), ("", "nofollow", "")]),
    # HTML-11: an agent's prefix
    ("googlebot: nofollow", [("googlebot", "nofollow", "")]),
    # HTML-12: the prefix covers the rest of the line
    ("otherbot: noindex, nofollow", [("otherbot", "noindex", ""), ("otherbot", "nofollow", "")]),
    ("Googlebot: noindex, otherbot: nofollow", [("googlebot", "noindex", ""), ("otherbot", "nofollow", "")]),
    # HTML-12: a known rule before the colon is no agent
    ("max-snippet:20", [("", "max-snippet", "20")]),
    ("max-image-preview: none, noindex", [("", "max-image-preview", "none"), ("", "noindex", "")]),
    ("unavailable_after: 25 Jun 2010 15:00:00 PST", [("", "unavailable_after", "25 Jun 2010 15:00:00 PST")]),
    (
        "googlebot: unavailable_after: Saturday, 25-Jun-10 15:00:00 PST, nofollow",
        [("googlebot", "unavailable_after", "Saturday, 25-Jun-10 15:00:00 PST"), ("googlebot", "nofollow", "")],
    ),
    ("", []),
    (" , ", []),
]


@pytest.mark.parametrize(("line", "expected"), HEADERS)
def test_header(line: str, expected: list[tuple[str, str, str]]) -> None:
    found = directives.parse_header(line)
    assert [(one.agent, one.rule, one.value) for one in found] == expected
    assert all(one.source == "header" for one in found)


def meta(agent: str, *rules: str) -> list[Directive]:
    return [one for rule in rules for one in directives.parse_meta(agent, rule)]


VERDICTS = [
    # HTML-05: only noindex, none and a passed date keep a page out
    (meta("robots", "nosnippet, noarchive, noimageindex, max-snippet:0"), False, False),
    (meta("robots", "none"), True, True),
    (meta("robots", "index, follow, all"), False, False),
    # HTML-04: the sum of the negative rules; nothing cancels one
    (meta("robots", "nofollow") + meta("googlebot", "noindex"), True, True),
    (meta("robots", "noindex") + meta("googlebot", "index, follow"), True, False),
    (meta("robots", "noindex", "all"), True, False),
    # HTML-01: rules of the given agents, and of no others
    (meta("otherbot", "noindex"), False, False),
    (meta("googlebot", "noindex"), True, False),
    (meta("googlebot-news", "noindex"), False, False),
    # HTML-07
    (meta("robots", "noindex, indexifembedded"), True, False),
    # HTML-11: Google may not follow; the rest is another robot's
    (
        [*directives.parse_header("googlebot: nofollow"), *directives.parse_header("otherbot: noindex, nofollow")],
        False,
        True,
    ),
    # HTML-13: header and meta add up
    ([*directives.parse_header("noindex"), *meta("robots", "index")], True, False),
    ([], False, False),
]


@pytest.mark.parametrize(("found", "noindex", "nofollow"), VERDICTS)
def test_noindex_and_nofollow(found: list[Directive], noindex: bool, nofollow: bool) -> None:
    assert (bool(directives.find_noindex(found, now=NOW)), directives.has_nofollow(found)) == (noindex, nofollow)


def test_the_directive_that_decides() -> None:
    found = [*meta("robots", "nofollow"), *meta("googlebot", "noindex"), *directives.parse_header("noindex")]
    assert directives.find_noindex(found, now=NOW) == Directive("googlebot", "noindex", "", "meta")
    assert directives.find_noindex(found[:1], now=NOW) is None


def test_agents_are_compared_without_case() -> None:
    assert directives.find_noindex(meta("googlebot", "noindex"), ["Googlebot"], NOW)
    assert not directives.find_noindex(meta("googlebot", "noindex"), ["Bingbot"], NOW)


SOURCES = [
    (meta("robots", "noindex")[0], '<meta name="robots" content="noindex">'),
    (meta("googlebot", "none")[0], '<meta name="googlebot" content="none">'),
    (directives.parse_header("noindex")[0], "X-Robots-Tag: noindex"),
    (directives.parse_header("bingbot: max-snippet: 3")[0], "X-Robots-Tag: bingbot: max-snippet: 3"),
]


@pytest.mark.parametrize(("directive", "expected"), SOURCES)
def test_source_text(directive: Directive, expected: str) -> None:
    assert directives.source_text(directive) == expected


DATES = [  # HTML-06
    ("Saturday, 25-Jun-10 15:00:00 PST", datetime(2010, 6, 25, 23, tzinfo=UTC)),  # RFC 850
    ("Fri, 25 Jun 2010 15:00:00 GMT", datetime(2010, 6, 25, 15, tzinfo=UTC)),  # RFC 822
    ("25 Jun 2010 15:00:00 PST", datetime(2010, 6, 25, 23, tzinfo=UTC)),
    ("2010-06-25T15:00:00+02:00", datetime(2010, 6, 25, 13, tzinfo=UTC)),  # ISO 8601
    ("2010-06-25T15:00:00Z", datetime(2010, 6, 25, 15, tzinfo=UTC)),
    ("2010-06-25", datetime(2010, 6, 25, tzinfo=UTC)),
    ("tomorrow", None),
    ("32 Jun 2010 15:00:00 GMT", None),
    ("", None),
]


@pytest.mark.parametrize(("text", "expected"), DATES)
def test_expiry(text: str, expected: datetime | None) -> None:
    assert directives.expiry(Directive("", "unavailable_after", text, "meta")) == expected


EXPIRED = [  # HTML-06
    ("unavailable_after: Saturday, 25-Jun-10 15:00:00 PST", True),
    ("unavailable_after: 2026-11-01", True),  # the very moment
    ("unavailable_after: 2026-11-01T00:00:01Z", False),
    ("unavailable_after: 1 Jan 2099 00:00:00 GMT", False),
    ("unavailable_after: some day", False),
]


@pytest.mark.parametrize(("content", "noindex"), EXPIRED)
def test_a_passed_date_is_noindex(content: str, noindex: bool) -> None:
    found = meta("robots", content)
    assert bool(directives.find_noindex(found, now=NOW)) is noindex
    assert not directives.find_noindex(found)  # without a now nothing has passed


def test_HTML_06_an_unparsable_date_is_reported() -> None:
    found = meta("robots", "unavailable_after: some day, noindex", "unavailable_after: 2027-01-01")
    assert [one.value for one in directives.unparsable_dates(found)] == ["some day"]


@given(st.text())
def test_never_raises(text: str) -> None:
    found = [*directives.parse_header(text), *directives.parse_meta("robots", text)]
    found.append(Directive("", "unavailable_after", text, "meta"))
    directives.find_noindex(found, now=NOW)
    assert all(directives.source_text(one) for one in found)


def test_a_hostile_list_is_truncated() -> None:
    assert len(directives.parse_header("x," * 100_000)) == 100
    assert len(directives.parse_meta("robots", "a" * 100_000)[0].rule) == 200
