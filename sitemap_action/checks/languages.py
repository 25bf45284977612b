"""Language versions: in the files (HL-01…07), of listed pages (HL-08, HL-09), and those that a page lost (DIFF-14)."""

from collections import Counter
from collections.abc import Iterable
from itertools import combinations
from typing import TypeAlias

from sitemap_action.checks.base import (
    ERROR,
    INFO,
    WARNING,
    FileCheck,
    FileOptions,
    Report,
    SiteCheck,
    baseline_rule,
    rule,
    site_rule,
)
from sitemap_action.model.finding import Needs
from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.model.outcome import Diff, Removed, Skipped
from sitemap_action.model.page import Alternate
from sitemap_action.model.site import KnownUrl, Listed, Reason, Verdict
from sitemap_action.model.sitemap import Entry
from sitemap_action.sitemap.extension_faults import is_hreflang
from sitemap_action.sitemap.extensions import parse_extension
from sitemap_action.web.spellings import leaks
from sitemap_action.web.urls import normal_form

_SOURCE = "Google Search Central, https://developers.google.com/search/docs/specialty/international/localized-versions"
_FILE_RULES = (
    rule(
        "HL-01",
        {
            "hreflang-link": (ERROR, "an xhtml:link with an hreflang lacks rel alternate or an absolute href"),
            "link-rel": (INFO, "search engines do not read an xhtml:link of this rel"),
        },
        summary="An xhtml:link with an hreflang has rel alternate and an absolute href; one without has a known rel.",
        source=_SOURCE,
        passes='<xhtml:link rel="alternate" hreflang="de" href="https://x.com/de/"/>',
        fails='href="/de/", href="//x.com/de"',
        tip='Write rel="alternate" and the whole address, https://www.example.com/de/, into href.',
    ),
    rule(
        "HL-02",
        {"hreflang-self": (ERROR, "the versions of a page do not include the page itself")},
        summary="The versions of a page include the page itself.",
        source=_SOURCE,
        passes="3 versions, 3 links on each",
        fails="links to the other two only",
        tip="Add the page's own URL with its language to its set of links.",
    ),
    rule(
        "HL-03",
        {
            "hreflang-one-way": (ERROR, "a page names a version that does not link back"),
            "hreflang-unverified": (
                INFO,
                "a page names a version that is in none of these files, so its return link is not checked",
            ),
        },
        summary="A page that is named as a version links back.",
        source=_SOURCE,
        passes="/en names /de, /de names /en",
        fails="/en names /de; /de, which these files list, names no other page, or none at all",
        tip="Let the other page name this one too: search engines ignore an hreflang link without a return link.",
        needs=Needs.SET,
    ),
    rule(
        "HL-04",
        {"hreflang-partial": (WARNING, "versions of one page name different sets")},
        summary="All versions of a page name the same set.",
        source=_SOURCE,
        passes="three identical sets",
        fails="/en names 3, /de names 2",
        tip="Let every version name all versions, itself included; the template that writes the links has the list.",
        needs=Needs.SET,
    ),
    rule(
        "HL-05",
        {"hreflang-code": (ERROR, "an hreflang is not a code that search engines support")},
        summary="An hreflang is an ISO 639-1 language, with or without script and ISO 3166-1 region, or x-default.",
        source=_SOURCE,
        passes="zh-Hant-TW, de-be, x-default",
        fails="en-UK, es-419, en_US, fil",
        tip="Write a language of ISO 639-1, alone or with a region of ISO 3166-1, such as en or en-GB (not en-UK).",
    ),
    rule(
        "HL-06",
        {"hreflang-repeated": (ERROR, "one hreflang has two URLs")},
        summary="In one set each hreflang has one URL; one URL may have several.",
        source=_SOURCE,
        passes="en and x-default both name /en",
        fails="en names /en and /en-gb",
        tip="Keep one URL for each hreflang; a second one needs a code of its own, such as en-gb.",
    ),
    rule(
        "HL-07",
        {"hreflang-default": (INFO, "a page in several languages names no x-default")},
        summary="A page in two or more languages names an x-default.",
        source=_SOURCE,
        passes="en, de and x-default",
        fails="en and de only",
        tip='Add <xhtml:link rel="alternate" hreflang="x-default" href="…"/> for readers of no listed language.',
    ),
)
_LINK = "<xhtml:link"
_OTHER_RELS = frozenset(("alternate", "amphtml"))
"""Of links without hreflang: a page for small screens, an AMP page, an app."""
_MAX_LINKS = 1_000_000
"""Of all different sets, which stay in memory to compare return links."""


class HreflangCheck(FileCheck):
    """Pages that name the same set share it in memory; return links are compared after the last file."""

    rules = _FILE_RULES

    def __init__(self, options: FileOptions, report: Report) -> None:
        super().__init__(options, report)
        self._sets: dict[frozenset[tuple[str, str]], frozenset[str]] = {}  # (hreflang, URL) → URLs
        # URL → as written, file, line, URLs of its versions: one object for all that name the same by the same codes
        self._pages: dict[str, tuple[str, str, int, frozenset[str]]] = {}
        self._links_left = _MAX_LINKS

    def on_extensions(self, entry: Entry) -> None:
        links = [one for one in entry.extensions if one.startswith(_LINK)]
        valid = [(one.hreflang.lower(), url) for one in entry.alternates if (url := normal_form(one.url))]
        found = {_link_fault(one) for one in links} if len(links) > len(entry.alternates) else set()
        if any(leaks(url, self.file.address) for _, url in valid):
            self.report.add("leaked-version", entry.loc, entry.line)
        if len(valid) < len(entry.alternates) or "hreflang-link" in found:
            self.report.add("hreflang-link", entry.loc, entry.line)
        if "link-rel" in found:
            self.report.add("link-rel", entry.loc, entry.line)
        if not entry.alternates:
            return
        self._codes(entry, entry.alternates)
        key = frozenset(valid)
        versions = self._sets.get(key) or frozenset(url for _, url in key)
        page_url = normal_form(entry.loc)
        if len(dict(key)) < len(key):
            self.report.add("hreflang-repeated", entry.loc, entry.line)
        if page_url and page_url not in versions:
            self.report.add("hreflang-self", entry.loc, entry.line)
        if page_url and self._links_left > 0:
            self._links_left -= 0 if key in self._sets else len(key)
            self._sets[key] = versions
            self._pages.setdefault(page_url, (entry.loc, self.report.path, entry.line, versions))

    def on_end(self) -> None:
        if self._links_left <= 0:
            for rule_id in ("HL-03", "HL-04"):
                self.report.add_not_checked(
                    rule_id, f"at most {_MAX_LINKS:,} different links", "check fewer files at once"
                )
            return
        for url, (loc, path, line, versions) in self._pages.items():
            found: dict[str, list[str]] = {}
            for other in versions:
                if other != url and (code := self._return_link(url, versions, other)):
                    found.setdefault(code, []).append(other)
            for code, others in found.items():
                self.report.add(code, loc, line, min(others), path=path)

    def _return_link(self, url: str, versions: frozenset[str], other: str) -> str:
        """The fault code of a page and a version that it names; "" when there is none."""
        if other not in self._pages:
            return "hreflang-one-way" if hash(other) in self.report.listed else "hreflang-unverified"
        back = self._pages[other][-1]
        if back is versions:
            return ""
        return "hreflang-partial" if url in back else "hreflang-one-way"

    def _codes(self, entry: Entry, alternates: tuple[Alternate, ...]) -> None:
        codes = [one.hreflang for one in alternates]
        bad = [code for code in codes if not is_hreflang(code)]
        if bad:
            self.report.add("hreflang-code", entry.loc, entry.line, ", ".join(bad[:10]))
        languages = {code.lower().partition("-")[0] for code in codes if code.lower() != "x-default"}
        if len(languages) > 1 and all(code.lower() != "x-default" for code in codes):
            self.report.add("hreflang-default", entry.loc, entry.line)


def _link_fault(link: str) -> str:
    """The fault code of an xhtml:link as far as it names a language version; "" when there is none."""
    element = parse_extension(link)
    words = (element.get("rel") or "").lower().split()
    if element.get("hreflang") is None:
        return "" if _OTHER_RELS.intersection(words) else "link-rel"
    complete = "alternate" in words and element.get("hreflang") and element.get("href")
    return "" if complete else "hreflang-link"


_SITE_RULES = (
    site_rule(
        "HL-08",
        {
            "version-redirects": (ERROR, "a language version redirects"),
            "version-gone": (ERROR, "a language version is no page"),
            "version-not-indexable": (ERROR, "a language version is not indexable"),
        },
        summary="A language version answers 200, is indexable and names no other page as its canonical.",
        source=_SOURCE,
        passes='hreflang="de" names /de/, which answers 200',
        fails="/de/ redirects, answers 404, is noindex or blocked by robots.txt, or names /en/ as its canonical",
        tip="Name the URL that the version is listed under, or remove the link: search engines ignore it.",
    ),
    site_rule(
        "HL-09",
        {
            "versions-contradict": (WARNING, "two statements of a page's language versions contradict each other"),
            "versions-incomplete": (WARNING, "one statement of a page's language versions lacks what another has"),
            "versions-left-out": (
                WARNING,
                "language versions of a page are left out of the sitemap, where they would not be valid",
            ),
        },
        summary="The sitemap, the page and its Link header name the same language versions, where several of them do.",
        source=_SOURCE,
        passes="the sitemap alone names versions, or the page does, or both name the same",
        fails='hreflang="en" is /a on the page and /b in the sitemap',
        tip="State the versions in one place, or generate all of them from one list.",
    ),
)
_FAULTS = {
    **dict.fromkeys(
        (Reason.MOVED, Reason.MOVED_HOME, Reason.MOVED_TEMPORARY, Reason.MOVED_OFFSITE, Reason.REDIRECT_BROKEN),
        "version-redirects",
    ),
    **dict.fromkeys((Reason.GONE, Reason.SOFT_404), "version-gone"),
    Reason.DEINDEXED: "version-not-indexable",
}
_LED = frozenset((Reason.MOVED, Reason.MOVED_HOME, Reason.MOVED_TEMPORARY))
"""An x-default may lead visitors to their language."""
_MAX_VERSIONS = 500_000  # different URLs, which stay in memory until all verdicts are known
_DEFAULT = "x-default"
_Versions: TypeAlias = dict[str, dict[str, str]]  # hreflang in lower case → URLs by what is compared of them


class LanguageVersionsCheck(SiteCheck):
    """A version of another site, or one that was not fetched, is no finding; nor is one that the config excludes."""

    rules = _SITE_RULES

    def on_start(self) -> None:
        self._below = self.options.site_url
        self._named: dict[str, tuple[str, str]] = {}  # URL of a version → hreflang, the page that names it first
        self._pages = Counter[str]()  # the number of listed pages that name it
        self._full = False

    def on_url(self, known: KnownUrl, verdict: Verdict) -> None:
        if not isinstance(verdict, Listed) or verdict.unverified:
            return
        facts, entry = known.page.facts, known.committed
        shown = facts.head.alternates if facts is not None else ()
        listed = entry.alternates if entry is not None else ()
        if not shown and not listed:
            return
        in_sitemap = _normalize_versions(listed)
        self._name(known.page.url, (*shown, *in_sitemap))
        if verdict.left_out:  # they differ, and this says why
            self.report.add("versions-left-out", known.page.url, detail=verdict.left_out)
            return
        count = facts.head.header_alternates if facts is not None else 0
        self._compare(
            known.page.url,
            (("in the Link header", shown[:count]), ("on the page", shown[count:]), ("in the sitemap", in_sitemap)),
        )

    def on_end(self, diff: Diff, /) -> None:
        if self._full:
            needs = f"at most {_MAX_VERSIONS:,} different language versions"
            self.report.add_not_checked("HL-08", needs, "check parts of the site, each below a site-url of its own")
            return
        rows: dict[str, Removed | Skipped] = {row.url: row for row in diff.skipped}
        rows |= {row.url: row for row in (*diff.extra, *diff.removed)}
        for url in sorted(self._named.keys() & rows.keys()):
            (hreflang, page), pages, row = self._named[url], self._pages[url], rows[url]
            if (code := _FAULTS.get(row.reason)) and not (_is_default(hreflang) and row.reason in _LED):
                more = f"; {pages:,} pages name it" if pages > 1 else ""
                why = f"{row.reason}: {row.detail}" if row.detail else row.reason
                self.report.add(code, page, detail=f"{hreflang} is {url} ({why}){more}")

    def _name(self, page: str, versions: tuple[Alternate, ...]) -> None:
        codes: dict[str, str] = {}
        for hreflang, url in versions:
            if url != page and url.startswith(self._below) and _is_default(codes.get(url, _DEFAULT)):
                codes[url] = hreflang
        for url, hreflang in codes.items():
            if (first := self._named.get(url)) is None:
                if len(self._named) >= _MAX_VERSIONS:
                    self._full = True
                    return
                self._named[url] = hreflang, page
            elif _is_default(first[0]):
                self._named[url] = hreflang, first[1]
            self._pages[url] += 1

    def _compare(self, page: str, stated: tuple[tuple[str, tuple[Alternate, ...]], ...]) -> None:
        places = [(name, _by_code(versions)) for name, versions in stated if versions]
        for (one, first), (other, second) in combinations(places, 2):
            both = sorted(code for code in first.keys() & second.keys() if first[code].keys() != second[code].keys())
            alone = sorted((first.keys() ^ second.keys()) - {_DEFAULT})
            if both:
                code = both[0]
                here, there = (min(urls[code].values()) for urls in (first, second))
                self.report.add("versions-contradict", page, detail=f"{code} is {here} {one} and {there} {other}")
            elif alone:
                has, lacks = (one, other) if alone[0] in first else (other, one)
                self.report.add("versions-incomplete", page, detail=f"{alone[0]} is {has}, not {lacks}")


def _is_default(hreflang: str) -> bool:
    return hreflang.strip().lower() == _DEFAULT


def _normalize_versions(versions: tuple[Alternate, ...]) -> tuple[Alternate, ...]:
    """Language versions with URLs in normal form, as those of pages have; a URL without one is HL-01."""
    return tuple(Alternate(hreflang, normal) for hreflang, url in versions if (normal := normal_form(url)))


def _by_code(versions: tuple[Alternate, ...]) -> _Versions:
    """Compared without `www.`: which host is the site's own is URL-28."""
    found: _Versions = {}
    for hreflang, url in versions:
        found.setdefault(hreflang.strip().lower(), {})[url.replace("://www.", "://", 1)] = url
    return found


_HREFLANG = lazy_re(r'hreflang="([^"]*)"')
_BASELINE_RULES = (
    baseline_rule(
        "DIFF-14",
        {"versions-lost": (WARNING, "a listed page no longer names some of its language versions")},
        summary="A page that stays listed keeps its language versions.",
        source="Google Search Central, "
        "https://developers.google.com/search/docs/specialty/international/localized-versions",
        passes="/a names en and de, before and after",
        fails="/a named en and de, and now names en alone",
        tip="Where the version is still there, restore its link: without it search engines do not connect the two.",
    ),
)


class LostVersionsCheck(SiteCheck):
    rules = _BASELINE_RULES

    def on_start(self) -> None:
        self._left_out: dict[str, set[str]] = {}  # versions that the judged sitemap still names, by URL

    def on_url(self, known: KnownUrl, verdict: Verdict, /) -> None:
        """What only a repair would leave out is the matter of the rule that the sitemap breaks (R-09)."""
        if self.options.repair and not self.options.writing and known.committed and isinstance(verdict, Listed):
            left_out = _versions(known.committed.extensions).keys() - _versions(verdict.entry.extensions).keys()
            if left_out:
                self._left_out[known.page.url] = left_out

    def on_end(self, diff: Diff, /) -> None:
        for row in diff.changed:
            for name, old, new in row.fields:
                if name == "alternates":
                    before = _versions([old])
                    lost = before.keys() - _versions([new]).keys() - self._left_out.get(row.url, set())
                    if lost:
                        self.report.add("versions-lost", row.url, detail=", ".join(sorted(before[one] for one in lost)))


def _versions(elements: Iterable[str]) -> dict[str, str]:
    """Codes as they are compared → as they are written."""
    found = (code for one in elements if "hreflang" in one for code in _HREFLANG.findall(one))
    return {code.lower().replace("_", "-"): code for code in found}
