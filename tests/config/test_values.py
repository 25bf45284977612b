"""Every kind of value: what it takes, what it makes of it, and the exact words for what it refuses."""

from datetime import date
from typing import TypeAlias

import pytest

from sitemap_action.config import values
from sitemap_action.config.forms import FailOnKind, QueryKind, QuerySetting
from sitemap_action.config.problem import Bad, Mark
from sitemap_action.config.record import RecordType
from sitemap_action.config.schema import ExpectedRemoval, Orphans, SectionPolicy
from sitemap_action.config.types import KnownNames, ListOf, MapOf, OptionType, choice
from sitemap_action.config.values import Limit
from sitemap_action.config.yaml import read_value

KNOWN = KnownNames(frozenset({"SM-14", "HTML-27"}), frozenset({"SM", "HTML"}), ("xml", "text", "json"), ("generic",))
AnyKind: TypeAlias = OptionType[object]

WHOLE: AnyKind = values.whole(1, 50, 10)
SITE: AnyKind = values.site_url
FILE: AnyKind = values.sitemap_file
BASE: AnyKind = values.baseline
PATTERNS: AnyKind = ListOf(values.pattern)
TYPES: AnyKind = ListOf(values.media, at_least=1)
SECTIONS: AnyKind = MapOf(values.pattern, RecordType(SectionPolicy))
REMOVAL: AnyKind = RecordType(ExpectedRemoval)
SOLD = ExpectedRemoval(url="/a", reason="sold", until=date(2027, 1, 31))

GOOD: list[tuple[AnyKind, str, object]] = [
    # kind, YAML, value
    (values.flag, "true", True),
    (values.flag, "True", True),
    (values.flag, "TRUE", True),
    (values.flag, "false", False),
    (values.flag, "False", False),
    (values.flag, "FALSE", False),
    (WHOLE, "1", 1),
    (WHOLE, "50", 50),
    (WHOLE, "010", 10),  # what it looks like, not octal
    (choice(Orphans), "drop", Orphans.DROP),
    (choice(Orphans), "'drop'", Orphans.DROP),
    (values.limit, "none", Limit()),
    (values.limit, "5", Limit(5)),
    (values.limit, "'5'", Limit(5)),
    (values.limit, "0", Limit(0)),
    (values.limit, "20%", Limit(percent=20)),
    (values.limit, "0.25%", Limit(percent=0.25)),
    (values.limit, "100%", Limit(percent=100)),
    (values.limit, "5 or 2%", Limit(5, 2)),
    (values.limit, "2.5% or 5", Limit(5, 2.5)),
    (SITE, "https://www.example.com", "https://www.example.com/"),
    (SITE, "https://www.example.com/docs", "https://www.example.com/docs/"),  # a directory, so it ends in a slash
    (SITE, "HTTPS://WWW.Example.COM:443/Docs/", "https://www.example.com/Docs/"),
    (SITE, "http://localhost:8000/", "http://localhost:8000/"),
    (SITE, "https://müller.example/", "https://xn--mller-kva.example/"),
    (values.optional(values.site_url), "''", ""),
    (values.optional(values.site_url), "https://x.com/", "https://x.com/"),
    (values.address, "https://x.com/sitemap.xml?v=1", "https://x.com/sitemap.xml?v=1"),
    (BASE, "https://X.com/sitemap.xml?v=1", "https://x.com/sitemap.xml?v=1"),
    (BASE, "HTTP://x.com", "http://x.com/"),
    (values.folder, "dist", "dist"),
    (values.folder, ".", "."),
    (values.folder, "./a//b/", "a/b"),
    (values.folder, "2024", "2024"),
    (values.folder, "..a/b..", "..a/b.."),  # dots that lead nowhere
    (values.folder, "a b/ü", "a b/ü"),
    (FILE, "public/sitemap.xml", "public/sitemap.xml"),
    (FILE, "./sitemap.xml.gz", "sitemap.xml.gz"),
    (FILE, "sitemap.txt", "sitemap.txt"),
    (FILE, ".gitlab/sitemap.json", ".gitlab/sitemap.json"),
    (BASE, "auto", "auto"),
    (BASE, "committed", "committed"),
    (BASE, "old/sitemap.xml", "old/sitemap.xml"),
    (BASE, "git:origin/main", "git:origin/main"),
    (BASE, "git:HEAD~1:./public/sitemap.xml", "git:HEAD~1:public/sitemap.xml"),
    (values.robots, "auto", "auto"),
    (values.robots, "ignore", "ignore"),
    (values.robots, "file:./robots.txt", "file:robots.txt"),
    (values.host, "auto", "auto"),
    (values.host, "generic", "generic"),
    (values.output_format, "xml", "xml"),
    (values.media, "PDF", "pdf"),
    (values.media, "application/pdf", "application/pdf"),
    (values.agent, "Googlebot-Image", "Googlebot-Image"),
    (values.parameter, "utm_*", "utm_*"),
    (values.sentence, "moved to the shop", "moved to the shop"),
    (values.sentence, "2027", "2027"),
    (values.day, "2027-01-31", date(2027, 1, 31)),
    (values.day, "'2027-01-31'", date(2027, 1, 31)),
    (values.pattern, "/blog/**", "/blog/**"),
    (values.pattern, "re:^/[0-9]+/", "re:^/[0-9]+/"),
    (values.pattern, "https://x.com/a", "https://x.com/a"),
    (values.rule, "SM-14", "SM-14"),
    (values.rule, "SM", "SM"),
    (PATTERNS, "[]", ()),
    (PATTERNS, "[/a, /b]", ("/a", "/b")),
    (PATTERNS, "/a", ("/a",)),  # one value is a list of one
    (SECTIONS, "{}", {}),
    (SECTIONS, "{/a: {max-removed: 5}}", {"/a": SectionPolicy(max_removed=Limit(5))}),
    (REMOVAL, "{url: /a, reason: sold, until: 2027-01-31}", SOLD),
    (ListOf(REMOVAL), "{url: /a, reason: sold, until: 2027-01-31}", (SOLD,)),
    (QueryKind(), "keep", QuerySetting()),
    (QueryKind(), "drop", QuerySetting(())),
    (QueryKind(), "{allow: [page, lang]}", QuerySetting(("page", "lang"))),
    (QueryKind(), "{allow: page}", QuerySetting(("page",))),
    (FailOnKind(), "[stale, gone]", frozenset({"stale", "gone"})),
    (FailOnKind(), "lost", frozenset({"lost"})),
    (FailOnKind(), "none", frozenset()),
    (FailOnKind(), "[none]", frozenset()),
    (FailOnKind(), "[]", frozenset()),
]


@pytest.mark.parametrize(("kind", "text", "value"), GOOD)
def test_good(kind: AnyKind, text: str, value: object) -> None:
    node = read_value(Mark("x"), text).root
    assert node is not None
    assert kind.read(node, "key", KNOWN) == value


FLAG_WORDS = "true or false (also True, TRUE, False, FALSE); for example true"
WHOLE_WORDS = "a whole number from 1 to 50; for example 10"
LIMIT_WORDS = 'a number of URLs, a percentage, both with "or" between them, or none; for example 5 or 2%'
SITE_WORDS = "an http or https URL without user name, query and fragment; for example https://www.example.com/docs/"
FOLDER_WORDS = "a path inside the workspace, parts joined by /; for example dist"
FILE_WORDS = (
    "a path inside the workspace, not below .git or .github, that ends in .xml, .txt or .json, perhaps with .gz; "
    "for example public/sitemap.xml"
)
BASE_WORDS = "auto, committed, git:REF, git:REF:PATH, an http or https URL or a path inside the workspace; for example git:origin/main"
ROBOTS_WORDS = "auto, ignore, or file: and a path; for example file:robots.txt"
PATTERN = "a pattern (a path with * and **, a URL, or re: and an expression)"
PATTERN_WORDS = f"{PATTERN}; for example /blog/**"
CLASSES = (
    "moved, moved-temporary, moved-offsite, redirect-broken, gone, deindexed, dropped, excluded, merged, soft-404, "
    "undetermined"
)
DAY_WORDS = "a date, year-month-day; for example 2027-01-31"
AGENT_WORDS = "the name of a crawler; for example Googlebot"
TEXT_WORDS = "a text of one line; for example moved to the shop"
NO_URL = "it starts with none of /, https://, http:// and re:; perhaps you meant"

BAD: list[tuple[AnyKind, str, list[str]]] = [
    # kind, YAML, problems
    (values.flag, "yes", [f'"yes" is not {FLAG_WORDS}']),
    (values.flag, "on", [f'"on" is not {FLAG_WORDS}']),
    (values.flag, "1", [f'"1" is not {FLAG_WORDS}']),
    (values.flag, "'true'", [f'"true" in quotes is not {FLAG_WORDS}']),
    (values.flag, "[true]", [f"a list is not {FLAG_WORDS}"]),
    (WHOLE, "many", [f'"many" is not {WHOLE_WORDS}']),
    (WHOLE, "0", [f'"0" is not {WHOLE_WORDS}']),
    (WHOLE, "51", [f'"51" is not {WHOLE_WORDS}']),
    (WHOLE, "-5", [f'"-5" is not {WHOLE_WORDS}']),
    (WHOLE, "5.0", [f'"5.0" is not {WHOLE_WORDS}']),
    (WHOLE, "0x5", [f'"0x5" is not {WHOLE_WORDS}']),
    (WHOLE, "٥", [f'"٥" is not {WHOLE_WORDS}']),  # a digit, but no ASCII digit
    (WHOLE, "9" * 5000, [f'"{"9" * 59}…" is not {WHOLE_WORDS}']),  # more digits than int() takes
    (WHOLE, "'5'", [f'"5" in quotes is not {WHOLE_WORDS}']),
    (WHOLE, "''", [f"an empty text is not {WHOLE_WORDS}"]),
    (WHOLE, "{a: 1}", [f"a mapping is not {WHOLE_WORDS}"]),
    (values.shape, "2", ['"2" is not 1, the only shape of this file that this version reads; for example 1']),
    (choice(Orphans), "kep", ['"kep" is not one of keep, drop; did you mean keep?']),
    (choice(Orphans), "off", ['"off" is not one of keep, drop']),
    (choice(Orphans), "[keep]", ["a list is not one of keep, drop"]),
    (values.limit, "five", [f'"five" is not {LIMIT_WORDS}']),
    (values.limit, "-1", [f'"-1" is not {LIMIT_WORDS}']),
    (values.limit, "101%", [f'"101%" is not {LIMIT_WORDS}']),
    (values.limit, "100.5%", [f'"100.5%" is not {LIMIT_WORDS}']),
    (values.limit, "0.125%", [f'"0.125%" is not {LIMIT_WORDS}']),
    (values.limit, "5 or 6", [f'"5 or 6" is not {LIMIT_WORDS}']),
    (values.limit, "0.2", [f'"0.2" is not {LIMIT_WORDS}']),
    (SITE, "www.example.com", [f'"www.example.com" is not {SITE_WORDS}']),
    (SITE, "ftp://x.com/", [f'"ftp://x.com/" is not {SITE_WORDS}']),
    (SITE, "https://x.com/?a=b", [f'"https://x.com/?a=b" is not {SITE_WORDS}']),
    (SITE, "'https://x.com/#'", [f'"https://x.com/#" is not {SITE_WORDS}']),
    # URL-20: a password is shown nowhere, wherever the text is cut
    (SITE, "https://u:secret@x.com/", [f'"https://…@x.com/" is not {SITE_WORDS}']),
    (SITE, f"https://u:{'secret' * 20}@x.com/", [f'"https://…@x.com/" is not {SITE_WORDS}']),
    (SITE, "https://u:se/cret@x.com/", ['"https://…@x.com/" cannot be used: the host or port of the URL is not valid']),
    (SITE, "https://x.com:99999/", ['"https://x.com:99999/" cannot be used: the host or port of the URL is not valid']),
    (SITE, "https://x.com/%zz", [
        '"https://x.com/%zz" cannot be used: a % is not followed by two hexadecimal digits; a literal % is written %25'
    ]),
    (SITE, "''", [f"an empty text is not {SITE_WORDS}"]),
    (values.folder, "/dist", [f'"/dist" is not {FOLDER_WORDS}']),
    (values.folder, "../dist", [f'"../dist" is not {FOLDER_WORDS}']),
    (values.folder, "a/../../b", [f'"a/../../b" is not {FOLDER_WORDS}']),
    (values.folder, "a/..", [f'"a/.." is not {FOLDER_WORDS}']),
    (values.folder, "~/dist", [f'"~/dist" is not {FOLDER_WORDS}']),
    (values.folder, "C:/dist", [f'"C:/dist" is not {FOLDER_WORDS}']),
    (values.folder, r"a\b", [rf'"a\b" is not {FOLDER_WORDS}']),
    (values.folder, r'"a\0b"', [rf'"a\x00b" is not {FOLDER_WORDS}']),
    (values.folder, "https://x.com/", [f'"https://x.com/" is not {FOLDER_WORDS}']),
    (FILE, "sitemap", [f'"sitemap" is not {FILE_WORDS}']),
    (FILE, "action.yml", [f'"action.yml" is not {FILE_WORDS}']),
    (FILE, "a.xml/b", [f'"a.xml/b" is not {FILE_WORDS}']),
    (FILE, ".git/sitemap.xml", [f'".git/sitemap.xml" is not {FILE_WORDS}']),
    (FILE, "./.GitHub/sitemap.xml", [f'"./.GitHub/sitemap.xml" is not {FILE_WORDS}']),
    (FILE, "a/.git/b.xml", [f'"a/.git/b.xml" is not {FILE_WORDS}']),
    (FILE, "../sitemap.xml", [f'"../sitemap.xml" is not {FILE_WORDS}']),
    (BASE, "'git:'", [f'"git:" is not {BASE_WORDS}']),
    (BASE, "git:--output=x", [f'"git:--output=x" is not {BASE_WORDS}']),  # would be an option of git
    (BASE, "git:a b", [f'"git:a b" is not {BASE_WORDS}']),
    (BASE, "git:main:../x", [f'"git:main:../x" is not {BASE_WORDS}']),
    (BASE, "ftp://x.com/sitemap.xml", [f'"ftp://x.com/sitemap.xml" is not {BASE_WORDS}']),
    (values.robots, "allow", [f'"allow" is not {ROBOTS_WORDS}']),
    (values.robots, "file:/etc/passwd", [f'"file:/etc/passwd" is not {ROBOTS_WORDS}']),
    (values.host, "generik", ['"generik" is not one of auto, generic; did you mean generic?']),
    (values.output_format, "yaml", ['"yaml" is not one of xml, text, json']),
    (values.media, ".pdf", ['".pdf" is not an extension or a media type; for example pdf']),
    (values.agent, "Mozilla/5.0", [f'"Mozilla/5.0" is not {AGENT_WORDS}']),
    (values.parameter, "a=b", ['"a=b" is not the name of a query parameter, perhaps with *; for example utm_*']),
    (values.sentence, '"a\\nb"', [rf'"a\x0ab" is not {TEXT_WORDS}']),
    (values.sentence, "''", [f"an empty text is not {TEXT_WORDS}"]),
    (values.sentence, "a" * 501, [f'"{"a" * 59}…" is not {TEXT_WORDS}']),
    (values.day, "31.01.2027", [f'"31.01.2027" is not {DAY_WORDS}']),
    (values.day, "2027-1-31", [f'"2027-1-31" is not {DAY_WORDS}']),
    (values.day, "20270131", [f'"20270131" is not {DAY_WORDS}']),
    (values.day, "2027-02-30", ["day is out of range for month"]),
    (values.pattern, "blog", [f"pattern 'blog': {NO_URL} '/blog'"]),
    (values.pattern, "re:(", ["pattern 're:(': the regular expression is not valid: missing ): ("]),
    (values.rule, "SM-41", ['"SM-41" is no rule and no family of rules; did you mean SM-14?']),
    (values.rule, "XY", ['"XY" is no rule and no family of rules; see `sitemap-action rules`']),
    (PATTERNS, "[a, b]", [f"pattern 'a': {NO_URL} '/a'", f"pattern 'b': {NO_URL} '/b'"]),
    (PATTERNS, "[/a, /b, /a, /a]", ['"/a" is listed twice', '"/a" is listed twice']),
    (PATTERNS, "[&x /a, *x]", ['"/a" is listed twice']),
    (PATTERNS, "[[/a]]", [f"a list is not {PATTERN_WORDS}"]),
    (PATTERNS, "{/a: /b}", [f"a mapping is not {PATTERN_WORDS}"]),
    (TYPES, "[]", ["an empty list is not enough; it takes at least 1"]),
    (TYPES, "[pdf, PDF]", ['"PDF" is listed twice']),
    (SECTIONS, "5", [
        f'"5" is not a mapping, each key {PATTERN}, each value {{max-removed}}'
    ]),
    (SECTIONS, "{blog: 5}", [f"pattern 'blog': {NO_URL} '/blog'"]),
    (SECTIONS, "{/a: 5, /b: {}, /c: {max-removd: 5}}", [
        '"5" is not a section; indent its keys below it',
        'max-removed is missing; it takes a number of URLs, a percentage, both with "or" between them, or none',
        ".max-removd is not a known key; did you mean max-removed?",
    ]),
    (REMOVAL, "{class: gon, url: /a, reason: sold, until: x}", [
        f'.class: "gon" is not one of {CLASSES}; did you mean gone?',
        f'.until: "x" is not {DAY_WORDS}',
    ]),
    (REMOVAL, "{class: gone}", [
        f"url is missing; it takes {PATTERN}",
        "reason is missing; it takes a text of one line",
        "until is missing; it takes a date, year-month-day",
    ]),
    (QueryKind(), "strip", ['"strip" is not one of keep, drop']),
    (QueryKind(), "{alow: [a]}", ["a mapping has the one key allow here; for example {allow: [page]}"]),
    (QueryKind(), "{allow: [a], deny: [b]}", ["a mapping has the one key allow here; for example {allow: [page]}"]),
    (QueryKind(), "{allow: []}", [".allow: an empty list is not enough; it takes at least 1"]),
    (FailOnKind(), "[none, stale]", ["none stands alone; remove it or the others"]),
    (FailOnKind(), "[stael]", [
        f'"stael" is not one of stale, lost, invalid, added, changed, errors, {CLASSES}, none; did you mean stale?'
    ]),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "text", "problems"), BAD)
def test_bad(kind: AnyKind, text: str, problems: list[str]) -> None:
    node = read_value(Mark("x"), text).root
    assert node is not None
    with pytest.raises(Bad) as caught:
        kind.read(node, "key", KNOWN)
    expected = [f"x: key{problem if problem.startswith('.') else f': {problem}'}" for problem in problems]
    assert [str(problem) for problem in caught.value.problems] == expected


ALLOWS = [
    # limit, amount, total, allowed
    (Limit(), 1000, 1000, True),
    (Limit(5), 5, 10, True),  # DIFF-41
    (Limit(5), 6, 1000, False),
    (Limit(0), 1, 1000, False),
    (Limit(percent=20), 4, 4, True),  # DIFF-41: a percentage never trips below 5
    (Limit(percent=0), 4, 1000, True),
    (Limit(percent=20), 5, 5, False),
    (Limit(percent=20), 20, 100, True),
    (Limit(percent=20), 21, 100, False),
    (Limit(percent=0.57), 57, 10_000, True),  # in binary 0.57 is a little less
    (Limit(percent=0.57), 58, 10_000, False),
    (Limit(5, 50), 6, 100, False),  # the stricter of both
    (Limit(50, 5), 6, 100, False),
    (Limit(50, 6), 6, 100, True),
]


@pytest.mark.parametrize(("limit", "amount", "total", "allowed"), ALLOWS)
def test_a_limit_allows(limit: Limit, amount: int, total: int, allowed: bool) -> None:
    assert limit.allows(amount, total) is allowed


@pytest.mark.parametrize("value", [Limit(), Limit(5), Limit(percent=20), Limit(5, 2.5), Limit(0, 0)])
def test_a_limit_is_written_as_it_is_read(value: Limit) -> None:
    node = read_value(Mark("x"), str(value)).root
    assert node is not None
    assert values.limit.read(node, "key", KNOWN) == value


@pytest.mark.parametrize("value", [QuerySetting(), QuerySetting(()), QuerySetting(("page", "utm_*"))])
def test_a_query_is_written_as_it_is_read(value: QuerySetting) -> None:
    node = read_value(Mark("x"), str(value).replace("utm_*", "'utm_*'")).root
    assert node is not None
    assert QueryKind().read(node, "key", KNOWN) == value
