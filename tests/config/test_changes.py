"""POL-01: changed policy keys between base and head of a pull request."""

import pytest

from configs import changed_keys
from sitemap_action.cli.options import KNOWN
from sitemap_action.config.layers import ConfigReader, assignment


def changes(base: str | None, head: str | None, *flags: str) -> list[tuple[str, str, str]]:
    reader = ConfigReader(".github/sitemap.yml", tuple(assignment(text) for text in flags), KNOWN)
    before, after = (reader.config(None if text is None else text.encode()) for text in (base, head))
    return changed_keys(before, after)


@pytest.mark.parametrize(
    ("base", "head", "found"),
    [
        # no policy key
        (None, None, []),
        (None, "", []),
        (None, "policy: {max-removed: 20%}", []),  # the default, written down
        ("version: 1", None, []),
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
        (
            "checks: {SM-14: off}",
            "checks: {SM-14: {severity: off, paths: [/old/**], until: 2027-01-31}}",
            [("checks.SM-14", "off", "{severity: off, paths: [/old/**], until: 2027-01-31}")],
        ),
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


# One key of every section, and every key at the top: a value that differs from the default, and both as POL-01 shows them.
EVERY_KEY = [
    ("site-url: https://b.example/", "site-url", "of the directories that the sitemap's URLs share the one that fits the build", "https://b.example/"),
    ("sitemap: old/sitemap.xml", "sitemap", "the committed one nearest to the build, else the one in the build", "old/sitemap.xml"),
    ("sitemap-url: https://a.example/s.xml", "sitemap-url", "site-url and the name of the file", "https://a.example/s.xml"),
    ("baseline: committed", "baseline", "auto", "committed"),
    ("source: {path: old}", "source.path", "none", "old"),
    ("source: {url: 'https://old.example/'}", "source.url", "none", "https://old.example/"),
    ("source: {mount: /old/}", "source.mount", "the directory of source.url", "/old/"),
    ("source: {host: generic}", "source.host", "auto", "generic"),
    ("crawl: {max-pages: 1}", "crawl.max-pages", "5000", "1"),
    ("crawl: {wait: {path: /x}}", "crawl.wait.path", "/", "/x"),
    ("sitemaps: {use: false}", "sitemaps.use", "true", "false"),
    ("sitemaps: {max-documents: 1}", "sitemaps.max-documents", "500", "1"),
    ("http: {user-agent: Googlebot}", "http.user-agent", "sitemap-action and its version", "Googlebot"),
    ("http: {retries: 0}", "http.retries", "2", "0"),
    ("select: {noindex: ignore}", "select.noindex", "auto", "ignore"),
    ("select: {trailing-slash: add}", "select.trailing-slash", "verify", "add"),
    ("select: {html-extension: drop}", "select.html-extension", "host", "drop"),
    ("output: {lastmod: omit}", "output.lastmod", "[keep]", "[omit]"),
    ("output: {gzip: true}", "output.gzip", "false", "true"),
    ("policy: {grace: {gone: 3}}", "policy.grace", "{}", "{gone: 3}"),
    ("policy: {moved-from: [https://old.io]}", "policy.moved-from", "[]", "[https://old.io/]"),
    ("versions: {old: [/v*/]}", "versions.old", "[]", "[/v*/]"),
    ("checks: {SM: off}", "checks.SM", "not set", "off"),
]  # fmt: skip


@pytest.mark.attack("policy")
@pytest.mark.parametrize(("text", "key", "default", "value"), EVERY_KEY, ids=[row[1] for row in EVERY_KEY])
def test_S_05_every_key_that_decides_is_shown(text: str, key: str, default: str, value: str) -> None:
    assert changes(None, text) == [(key, default, value)]
    assert changes(text, None) == [(key, value, default)]


def test_a_flag_hides_a_change_of_the_file() -> None:
    """A flag overrides the file in base and head alike."""
    assert changes(None, "policy: {max-removed: none}", "policy.max-removed=3") == []
