"""Every type of value: what it accepts, the value that results, and the message for what it refuses."""

from datetime import date
from typing import Any, TypeAlias

import pytest

from configs import VALUES, value_or_problems
from sitemap_action.config import types, values
from sitemap_action.config.schema import ExpectedRemoval, Extension, Limit, Orphans, SectionPolicy
from sitemap_action.web.patterns import Query

KNOWN = frozenset({"SM-14", "HTML-27", "SM", "HTML"})
AnyType: TypeAlias = types.ValueType[Any]

WHOLE: AnyType = values.whole_number(1, 50, 10)
PATTERNS: AnyType = types.list_of(values.pattern)
TYPES: AnyType = types.list_of(values.media_type, at_least=1)
SECTIONS: AnyType = VALUES["policy.sections"]
REMOVALS: AnyType = VALUES["policy.expected-removals"]
SITE: AnyType = values.site_url
FILE: AnyType = values.sitemap_file
BASE: AnyType = values.baseline
SOLD = ExpectedRemoval(url="/a", reason="sold", until=date(2027, 1, 31))

GOOD: list[tuple[AnyType, str, object]] = [
    # type, YAML, value
    (values.boolean, "true", True),
    (values.boolean, "True", True),
    (values.boolean, "TRUE", True),
    (values.boolean, "false", False),
    (values.boolean, "False", False),
    (values.boolean, "FALSE", False),
    (values.selector, "'main > a[href]'", "main > a[href]"),
    (values.selector, "'#root'", "#root"),
    (WHOLE, "1", 1),
    (WHOLE, "50", 50),
    (WHOLE, "010", 10),  # decimal, not octal
    (types.choice(Orphans), "drop", Orphans.DROP),
    (types.choice(Orphans), "'drop'", Orphans.DROP),
    (values.limit, "none", Limit()),
    (values.limit, "5", Limit(5)),
    (values.limit, "'5'", Limit(5)),
    (values.limit, "0", Limit(0)),
    (values.limit, "20%", Limit(percent=20)),
    (values.limit, "0.25%", Limit(percent=0.25)),
    (values.limit, "100%", Limit(percent=100)),
    (values.limit, "5 or 2%", Limit(5, 2)),
    (values.limit, "2.5% or 5", Limit(5, 2.5)),
    (values.media_type, "PDF", "pdf"),
    (values.media_type, "application/pdf", "application/pdf"),
    (values.agent, "Googlebot-Image", "Googlebot-Image"),
    (values.parameter, "utm_*", "utm_*"),
    (values.one_line, "moved to the shop", "moved to the shop"),
    (values.one_line, "2027", "2027"),
    (values.iso_date, "2027-01-31", date(2027, 1, 31)),
    (values.iso_date, "'2027-01-31'", date(2027, 1, 31)),
    (values.pattern, "/blog/**", "/blog/**"),
    (values.pattern, "re:^/[0-9]+/", "re:^/[0-9]+/"),
    (values.pattern, "https://x.com/a", "https://x.com/a"),
    (values.rule_id, "SM-14", "SM-14"),
    (values.rule_id, "SM", "SM"),
    (PATTERNS, "[]", ()),
    (PATTERNS, "[/a, /b]", ("/a", "/b")),
    (PATTERNS, "/a", ("/a",)),  # one value is a list of one
    (SECTIONS, "{}", {}),
    (SECTIONS, "{/a: {max-removed: 5}}", {"/a": SectionPolicy(max_removed=Limit(5))}),
    (REMOVALS, "{url: /a, reason: sold, until: 2027-01-31}", (SOLD,)),
    (values.query, "keep", Query()),
    (values.priority, "depth", {"/**": "depth"}),
    (values.priority, "{/a: 0.8, /b/**: home, '/c': '', '/d': }", {"/a": "0.8", "/b/**": "home", "/c": "", "/d": ""}),
    (values.extensions, "keep", ()),
    (values.extensions, "[keep]", ()),
    (values.extensions, "hreflang", (Extension.HREFLANG,)),
    (values.extensions, "[image, hreflang]", (Extension.IMAGE, Extension.HREFLANG)),
    (values.query, "drop", Query(())),
    (values.query, "{allow: [page, lang]}", Query(("page", "lang"))),
    (values.query, "{allow: page}", Query(("page",))),
    (values.fail_on, "[stale, gone]", frozenset({"stale", "gone"})),
    (values.fail_on, "lost", frozenset({"lost"})),
    (values.fail_on, "none", frozenset()),
    (values.fail_on, "[none]", frozenset()),
    (values.fail_on, "[]", frozenset()),
    (values.size, "1", 1),
    (values.size, "15MiB", 15 * 1024 * 1024),
    (values.size, "15 MiB", 15 * 1024 * 1024),
    (values.size, "2KiB", 2048),
    (values.size, "7B", 7),
    (values.size, "5000000", 5_000_000),
    (values.seconds, "20", 20.0),
    (values.seconds, "0.5", 0.5),
    (values.seconds, "0", 0.0),
    (values.wait_seconds, "auto", None),
    (values.wait_seconds, "600", 600.0),
    (values.rate, "auto", None),
    (values.rate, "25", 25.0),
    (values.rate, "0.1", 0.1),
    (values.marker, "build 4711", "build 4711"),
    (values.marker, "4711", "4711"),
    (values.header_text, "docs-check/1.0 (me)", "docs-check/1.0 (me)"),
    (values.header_text, "x", "x"),
    (types.optional(values.header_text), "''", ""),
    (values.environment, "Preview – docs", "Preview – docs"),
    (values.environment, "7", "7"),
    # places
    (SITE, "https://www.example.com", "https://www.example.com/"),
    (SITE, "https://www.example.com/docs", "https://www.example.com/docs/"),  # a directory, so it ends in a slash
    (SITE, "HTTPS://WWW.Example.COM:443/Docs/", "https://www.example.com/Docs/"),
    (SITE, "http://localhost:8000/", "http://localhost:8000/"),
    (SITE, "https://müller.example/", "https://xn--mller-kva.example/"),
    (types.optional(values.site_url), "''", ""),
    (types.optional(values.site_url), "https://x.com/", "https://x.com/"),
    (values.url, "https://x.com/sitemap.xml?v=1", "https://x.com/sitemap.xml?v=1"),
    (BASE, "https://X.com/sitemap.xml?v=1", "https://x.com/sitemap.xml?v=1"),
    (BASE, "HTTP://x.com", "http://x.com/"),
    (values.folder, "dist", "dist"),
    (values.folder, ".", "."),
    (values.folder, "./a//b/", "a/b"),
    (values.folder, "2024", "2024"),
    (values.folder, "..a/b..", "..a/b.."),  # no part is two dots
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
    (values.server_path, "/", "/"),
    (values.server_path, "/status.html?a=b", "/status.html?a=b"),
    (values.server_path, "/ü", "/ü"),
    (values.deployment_url, "auto", "auto"),
    (values.deployment_url, "https://X.com", "https://x.com/"),
    (values.deployment_url, "https://auto", "https://auto/"),
]  # fmt: skip


@pytest.mark.parametrize(("value_type", "text", "value"), GOOD)
def test_good(value_type: AnyType, text: str, value: object) -> None:
    assert value_or_problems(value_type, text, KNOWN) == value


FLAG_TEXT = "true or false (also True, TRUE, False, FALSE); for example true"
WHOLE_TEXT = "a whole number from 1 to 50; for example 10"
LIMIT_TEXT = 'a number of URLs, a percentage, both with "or" between them, or none; for example 5 or 2%'
PATTERN = "a pattern (a path with * and **, a URL, or re: and an expression)"
PATTERN_TEXT = f"{PATTERN}; for example /blog/**"
CLASSES = (
    "moved, moved-home, moved-temporary, moved-offsite, redirect-broken, gone, deindexed, dropped, excluded, other-type, "
    "merged, soft-404, undetermined"
)
DAY_TEXT = "a date, year-month-day; for example 2027-01-31"
AGENT_TEXT = "the name of a crawler; for example Googlebot"
TEXT_TEXT = "a text of one line; for example moved to the shop"
NO_URL = "it starts with none of /, https://, http:// and re:; perhaps you meant"
SIZE = "a number of bytes, perhaps with KiB or MiB; for example 15MiB"
SECONDS = "a number of seconds; for example 20"
WAIT = "auto or a number of seconds; for example 600"
PROCESSES = "auto, or a number of processes from 1 to 32; for example 2"
RATE = "auto or a number of requests a second, above 0; for example 25"
HEADER = "a text that fits in a header; for example docs-check/1.0"
ENVIRONMENT = "the name of an environment; for example Preview"
MARKER = "a text of one line; for example build 4711"

SITE_TEXT = "an http or https URL without user name, query and fragment; for example https://www.example.com/docs/"
FOLDER_TEXT = "a path inside the workspace, parts joined by /; for example dist"
FILE_TEXT = (
    "an http or https URL, or a path inside the workspace, not below .git or .github, that ends in .xml, .txt or .json, perhaps with .gz; "
    "for example public/sitemap.xml"
)
BASE_TEXT = "auto, committed, git:REF, git:REF:PATH, an http or https URL or a path inside the workspace; for example git:origin/main"
ROBOTS_TEXT = "auto, ignore, or file: and a path; for example file:robots.txt"
PATH = "a path on the server that begins with /; for example /status.html"
DEPLOYED = (
    "auto, or an http or https URL without user name, query and fragment; for example https://preview.example.net/"
)

BAD: list[tuple[AnyType, str, list[str]]] = [
    # type, YAML, problems
    (values.selector, "':::'", ['":::" is not a CSS selector; for example a[href]']),
    (values.selector, "'a['", ['"a[" is not a CSS selector; for example a[href]']),
    (values.selector, f"'{'a' * 501}'", [f'"{"a" * 59}…" is not a CSS selector; for example a[href]']),
    (values.boolean, "yes", [f'"yes" is not {FLAG_TEXT}']),
    (values.boolean, "on", [f'"on" is not {FLAG_TEXT}']),
    (values.boolean, "1", [f'"1" is not {FLAG_TEXT}']),
    (values.boolean, "'true'", [f'"true" in quotes is not {FLAG_TEXT}']),
    (values.boolean, "[true]", [f"a list is not {FLAG_TEXT}"]),
    (WHOLE, "many", [f'"many" is not {WHOLE_TEXT}']),
    (WHOLE, "0", [f'"0" is not {WHOLE_TEXT}']),
    (WHOLE, "51", [f'"51" is not {WHOLE_TEXT}']),
    (WHOLE, "-5", [f'"-5" is not {WHOLE_TEXT}']),
    (WHOLE, "5.0", [f'"5.0" is not {WHOLE_TEXT}']),
    (WHOLE, "0x5", [f'"0x5" is not {WHOLE_TEXT}']),
    (WHOLE, "٥", [f'"٥" is not {WHOLE_TEXT}']),  # a digit, but no ASCII digit
    (WHOLE, "9" * 5000, [f'"{"9" * 59}…" is not {WHOLE_TEXT}']),  # more digits than int() takes
    (WHOLE, "'5'", [f'"5" in quotes is not {WHOLE_TEXT}']),
    (WHOLE, "''", [f"an empty text is not {WHOLE_TEXT}"]),
    (WHOLE, "{a: 1}", [f"a mapping is not {WHOLE_TEXT}"]),
    (values.version, "2", ['"2" is not 1, the only format of this file that this version reads; for example 1']),
    (types.choice(Orphans), "kep", ['"kep" is not one of keep, drop; did you mean keep?']),
    (types.choice(Orphans), "off", ['"off" is not one of keep, drop']),
    (types.choice(Orphans), "[keep]", ["a list is not one of keep, drop"]),
    (values.limit, "five", [f'"five" is not {LIMIT_TEXT}']),
    (values.limit, "-1", [f'"-1" is not {LIMIT_TEXT}']),
    (values.limit, "101%", [f'"101%" is not {LIMIT_TEXT}']),
    (values.limit, "100.5%", [f'"100.5%" is not {LIMIT_TEXT}']),
    (values.limit, "0.125%", [f'"0.125%" is not {LIMIT_TEXT}']),
    (values.limit, "5 or 6", [f'"5 or 6" is not {LIMIT_TEXT}']),
    (values.limit, "0.2", [f'"0.2" is not {LIMIT_TEXT}']),
    (values.media_type, ".pdf", ['".pdf" is not an extension or a media type; for example pdf']),
    (values.agent, "Mozilla/5.0", [f'"Mozilla/5.0" is not {AGENT_TEXT}']),
    (values.parameter, "a=b", ['"a=b" is not the name of a query parameter, perhaps with *; for example utm_*']),
    (values.one_line, '"a\\nb"', [rf'"a\x0ab" is not {TEXT_TEXT}']),
    (values.one_line, "''", [f"an empty text is not {TEXT_TEXT}"]),
    (values.one_line, "a" * 501, [f'"{"a" * 59}…" is not {TEXT_TEXT}']),
    (values.iso_date, "31.01.2027", [f'"31.01.2027" is not {DAY_TEXT}']),
    (values.iso_date, "2027-1-31", [f'"2027-1-31" is not {DAY_TEXT}']),
    (values.iso_date, "20270131", [f'"20270131" is not {DAY_TEXT}']),
    (values.iso_date, "2027-02-30", ["the calendar has no 2027-02-30"]),
    (values.pattern, "blog", [f"pattern 'blog': {NO_URL} '/blog'"]),
    (values.pattern, "re:(", ["pattern 're:(': the regular expression is not valid: missing ): ("]),
    (values.rule_id, "SM-41", ['"SM-41" is not a rule or a family of rules; did you mean SM-14?']),
    (values.rule_id, "XY", ['"XY" is not a rule or a family of rules; see `sitemap-action rules`']),
    (PATTERNS, "[a, b]", [f"pattern 'a': {NO_URL} '/a'", f"pattern 'b': {NO_URL} '/b'"]),
    (PATTERNS, "[/a, /b, /a, /a]", ['"/a" is listed twice', '"/a" is listed twice']),
    (PATTERNS, "[&x /a, *x]", ['"/a" is listed twice']),
    (PATTERNS, "[[/a]]", [f"a list is not {PATTERN_TEXT}"]),
    (PATTERNS, "{/a: /b}", [f"a mapping is not {PATTERN_TEXT}"]),
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
    (REMOVALS, "{class: gon, url: /a, reason: sold, until: x}", [
        f'.class: "gon" is not one of {CLASSES}; did you mean gone?',
        f'.until: "x" is not {DAY_TEXT}',
    ]),
    (REMOVALS, "{class: gone}", [
        f"url is missing; it takes {PATTERN}",
        "reason is missing; it takes a text of one line",
        "until is missing; it takes a date, year-month-day",
    ]),
    (values.extensions, "hrefland", ['"hrefland" is not one of keep, hreflang, image, video, news; did you mean hreflang?']),
    (values.extensions, "[keep, hreflang]", ["keep cannot be combined; remove it or the others"]),
    (values.extensions, "[]", ["an empty list is not enough; it takes at least 1"]),
    (values.priority, "height", ['"height" is not one of depth, home']),
    (values.priority, "0.5", ['"0.5" is not one of depth, home']),
    (values.priority, "{/a: 1.1}", ['"1.1" is not a number from 0.0 to 1.0, depth or home; for example 0.8']),
    (values.priority, "{a: 0.1}", ["pattern 'a': it starts with none of /, https://, http:// and re:; perhaps you meant '/a'"]),
    (values.query, "strip", ['"strip" is not one of keep, drop']),
    (values.query, "{alow: [a]}", ["a mapping has the one key allow here; for example {allow: [page]}"]),
    (values.query, "{allow: [a], deny: [b]}", ["a mapping has the one key allow here; for example {allow: [page]}"]),
    (values.query, "{allow: []}", [".allow: an empty list is not enough; it takes at least 1"]),
    (values.fail_on, "[none, stale]", ["none cannot be combined; remove it or the others"]),
    (values.fail_on, "[stael]", [
        f'"stael" is not one of stale, lost, invalid, added, changed, errors, {CLASSES}, none; did you mean stale?'
    ]),
    (values.size, "0", [f'"0" is not {SIZE}']),  # nothing could be read
    (values.size, "15MB", [f'"15MB" is not {SIZE}']),  # a million, or 1,048,576?
    (values.size, "1.5MiB", [f'"1.5MiB" is not {SIZE}']),
    (values.size, "-1", [f'"-1" is not {SIZE}']),
    (values.size, "1GiB", [f'"1GiB" is not {SIZE}']),
    (values.size, "9" * 13, [f'"{"9" * 13}" is too large']),
    (values.seconds, "1m", [f'"1m" is not {SECONDS}']),
    (values.seconds, "-1", [f'"-1" is not {SECONDS}']),
    (values.seconds, "1e3", [f'"1e3" is not {SECONDS}']),
    (values.seconds, "inf", [f'"inf" is not {SECONDS}']),
    (values.seconds, "1:30", [f'"1:30" is not {SECONDS}']),
    (values.wait_seconds, "never", [f'"never" is not {WAIT}']),
    (values.processes, "0", [f'"0" is not {PROCESSES}']),
    (values.processes, "33", [f'"33" is not {PROCESSES}']),
    (values.processes, "none", [f'"none" is not {PROCESSES}']),
    (values.rate, "0", [f'"0" is not {RATE}']),
    (values.rate, "0.000", [f'"0.000" is not {RATE}']),
    (values.rate, "none", [f'"none" is not {RATE}']),
    (values.header_text, '"a\\r\\nX: y"', [rf'"a\x0d\x0aX: y" is not {HEADER}']),  # would be a header of its own
    (values.header_text, "ü", [f'"ü" is not {HEADER}']),
    (values.header_text, "' x'", [f'" x" is not {HEADER}']),
    (values.header_text, "x" * 302, [f'"{"x" * 59}…" is not {HEADER}']),
    (values.marker, '"a\\nb"', [rf'"a\x0ab" is not {MARKER}']),
    (values.environment, '"a\\nb"', [rf'"a\x0ab" is not {ENVIRONMENT}']),
    (values.environment, "' x'", [f'" x" is not {ENVIRONMENT}']),
    (values.skip_class, "medai", ['"medai" is not one of media, archives, documents, assets, feeds, an extension such as .dwg or a media type; did you mean media?']),
    (values.skip_class, "x/unknown", ['no extension of "x/unknown" is known; name the extension, as in .dwg']),
    (values.skip_class, ".a b", ['".a b" is not one of media, archives, documents, assets, feeds, an extension such as .dwg or a media type']),
    (values.marker, "''", [f"an empty text is not {MARKER}"]),
]  # fmt: skip


BAD_PLACES: list[tuple[AnyType, str, list[str]]] = [
    # type, YAML, problems
    (SITE, "www.example.com", ['"www.example.com" has no scheme; did you mean https://www.example.com/?']),
    (SITE, "ftp://x.com/", [f'"ftp://x.com/" is not {SITE_TEXT}']),
    (SITE, "https://x.com/?a=b", [f'"https://x.com/?a=b" is not {SITE_TEXT}']),
    (SITE, "'https://x.com/#'", [f'"https://x.com/#" is not {SITE_TEXT}']),
    # URL-20: a password is shown nowhere, wherever the text is cut
    (SITE, "https://u:secret@x.com/", [f'"https://…@x.com/" is not {SITE_TEXT}']),
    (SITE, f"https://u:{'secret' * 20}@x.com/", [f'"https://…@x.com/" is not {SITE_TEXT}']),
    (SITE, "https://u:se/cret@x.com/", ['"https://…@x.com/" cannot be used: the host or port of the URL is not valid']),
    (SITE, "https://x.com:99999/", ['"https://x.com:99999/" cannot be used: the host or port of the URL is not valid']),
    (SITE, "https://x.com/%zz", [
        '"https://x.com/%zz" cannot be used: a % is not followed by two hexadecimal digits; a literal % is written %25'
    ]),
    (SITE, "''", [f"an empty text is not {SITE_TEXT}"]),
    (values.folder, "/dist", [f'"/dist" is not {FOLDER_TEXT}']),
    (values.folder, "../dist", [f'"../dist" is not {FOLDER_TEXT}']),
    (values.folder, "a/../../b", [f'"a/../../b" is not {FOLDER_TEXT}']),
    (values.folder, "a/..", [f'"a/.." is not {FOLDER_TEXT}']),
    (values.folder, "~/dist", [f'"~/dist" is not {FOLDER_TEXT}']),
    (values.folder, "C:/dist", [f'"C:/dist" is not {FOLDER_TEXT}']),
    (values.folder, r"a\b", [rf'"a\b" is not {FOLDER_TEXT}']),
    (values.folder, r'"a\0b"', [rf'"a\x00b" is not {FOLDER_TEXT}']),
    (values.folder, "https://x.com/", [f'"https://x.com/" is not {FOLDER_TEXT}']),
    (FILE, "sitemap", [f'"sitemap" is not {FILE_TEXT}']),
    (FILE, "action.yml", [f'"action.yml" is not {FILE_TEXT}']),
    (FILE, "a.xml/b", [f'"a.xml/b" is not {FILE_TEXT}']),
    (FILE, ".git/sitemap.xml", [f'".git/sitemap.xml" is not {FILE_TEXT}']),
    (FILE, "./.GitHub/sitemap.xml", [f'"./.GitHub/sitemap.xml" is not {FILE_TEXT}']),
    (FILE, "a/.git/b.xml", [f'"a/.git/b.xml" is not {FILE_TEXT}']),
    (FILE, "../sitemap.xml", [f'"../sitemap.xml" is not {FILE_TEXT}']),
    (BASE, "'git:'", [f'"git:" is not {BASE_TEXT}']),
    (BASE, "git:--output=x", [f'"git:--output=x" is not {BASE_TEXT}']),  # would be an option of git
    (BASE, "git:a b", [f'"git:a b" is not {BASE_TEXT}']),
    (BASE, "git:main:../x", [f'"git:main:../x" is not {BASE_TEXT}']),
    (BASE, "ftp://x.com/sitemap.xml", [f'"ftp://x.com/sitemap.xml" is not {BASE_TEXT}']),
    (values.robots, "allow", [f'"allow" is not {ROBOTS_TEXT}']),
    (values.robots, "file:/etc/passwd", [f'"file:/etc/passwd" is not {ROBOTS_TEXT}']),
    (values.server_path, "status", [f'"status" is not {PATH}']),
    (values.server_path, "https://x.com/", [f'"https://x.com/" is not {PATH}']),
    (values.server_path, "/a b", [f'"/a b" is not {PATH}']),
    (values.server_path, r"'/a\b'", [rf'"/a\b" is not {PATH}']),
    (values.deployment_url, "Auto", [f'"Auto" is not {DEPLOYED}']),
    (values.deployment_url, "automatic", [f'"automatic" is not {DEPLOYED}']),
    (values.deployment_url, "https://a@b.com/", [f'"https://…@b.com/" is not {DEPLOYED}']),
]  # fmt: skip


@pytest.mark.parametrize(
    ("value_type", "text", "problems"),
    [*BAD, *(pytest.param(*row, marks=pytest.mark.attack("arguments")) for row in BAD_PLACES)],
)
def test_bad(value_type: AnyType, text: str, problems: list[str]) -> None:
    expected = [f"x: key{problem if problem.startswith('.') else f': {problem}'}" for problem in problems]
    assert value_or_problems(value_type, text, KNOWN) == expected


@pytest.mark.parametrize("value", [Limit(), Limit(5), Limit(percent=20), Limit(5, 2.5), Limit(0, 0)])
def test_a_limit_is_written_as_it_is_read(value: Limit) -> None:
    assert value_or_problems(values.limit, str(value), KNOWN) == value


@pytest.mark.parametrize("value", [Query(), Query(()), Query(("page", "utm_*"))])
def test_a_query_is_written_as_it_is_read(value: Query) -> None:
    text = str(value).replace("utm_*", "'utm_*'")
    assert value_or_problems(values.query, text, KNOWN) == value
