"""POL-01: changed policy keys between base and head of a pull request."""

import pytest

from sitemap_action.cli.settings import KNOWN
from sitemap_action.config.changes import policy_changes
from sitemap_action.config.layers import assignment
from sitemap_action.config.parse import ConfigReader


def changes(base: str | None, head: str | None, *flags: str) -> list[tuple[str, str, str]]:
    reader = ConfigReader(".github/sitemap.yml", tuple(assignment(text) for text in flags), KNOWN)
    configs = [reader.config(None if text is None else text.encode()) for text in (base, head)]
    return [(row.key, row.base, row.head) for row in policy_changes(*configs)]


@pytest.mark.parametrize(
    ("base", "head", "found"),
    [
        # no policy key
        (None, None, []),
        (None, "", []),
        (None, "policy: {max-removed: 20%}", []),  # the default, written down
        ("source: {path: dist}", "source: {path: build}", []),
        ("site-url: https://a.example/", "site-url: https://b.example/", []),
        ("output: {gzip: true}", "output: {gzip: false}", []),
        ("policy: {fail-on: [lost, stale]}", "policy: {fail-on: [stale, lost]}", []),  # a set
        # policy
        (None, "policy: {max-removed: none}", [("policy.max-removed", "20%", "none")]),
        ("policy: {max-removed: 5}", None, [("policy.max-removed", "5", "20%")]),
        (
            None,
            "policy: {fail-on: none}",
            [("policy.fail-on", "[stale, lost, invalid]; [invalid] when writing", "none")],
        ),
        (
            "policy: {fail-on: [stale, lost]}",
            "policy: {fail-on: stale}",
            [("policy.fail-on", "[lost, stale]", "[stale]")],
        ),
        (None, "policy: {required: [/a, /b]}", [("policy.required", "[]", "[/a, /b]")]),
        (
            "policy: {sections: {/blog/**: {max-removed: 5}}}",
            "policy: {sections: {/blog/**: {max-removed: 50%}}}",
            [("policy.sections", "{/blog/**: {max-removed: 5}}", "{/blog/**: {max-removed: 50%}}")],
        ),
        (
            None,
            "policy: {expected-removals: [{url: /a, reason: gone for good, until: 2027-01-31}]}",
            [("policy.expected-removals", "[]", "[{url: /a, reason: gone for good, until: 2027-01-31}]")],
        ),
        # what is compared, crawled, listed and kept
        (None, "baseline: committed", [("baseline", "auto", "committed")]),
        (None, "crawl: {robots: ignore}", [("crawl.robots", "auto", "ignore")]),
        (None, "select: {exclude: [/shop/**]}", [("select.exclude", "[]", "[/shop/**]")]),
        ("select: {include: [/a/**]}", None, [("select.include", "[/a/**]", "[]")]),
        (None, "select: {query: drop}", [("select.query", "keep", "drop")]),
        (None, "select: {orphans: drop}", [("select.orphans", "keep", "drop")]),
        (None, "output: {keep: [/old]}", [("output.keep", "[]", "[/old]")]),
        # rules
        (None, "checks: {SM-14: off}", [("checks.SM-14", "not set", "off")]),
        ("checks: {SM-14: off}", None, [("checks.SM-14", "off", "not set")]),
        (None, "checks: {strict: true}", [("checks.strict", "false", "true")]),
        # several, in the order of the schema
        (
            None,
            "checks: {HTML: off}\npolicy: {min-urls: 0}\nselect: {exclude: [/a]}",
            [("select.exclude", "[]", "[/a]"), ("policy.min-urls", "1", "0"), ("checks.HTML", "not set", "off")],
        ),
    ],
)
def test_policy_changes(base: str | None, head: str | None, found: list[tuple[str, str, str]]) -> None:
    assert changes(base, head) == found


def test_a_flag_hides_a_change_of_the_file() -> None:
    """A flag overrides the file in base and head alike."""
    assert changes(None, "policy: {max-removed: none}", "policy.max-removed=3") == []
