"""Language versions of listed pages: pages that search engines can index, and one statement of them (HL-08, HL-09)."""

from itertools import combinations
from typing import TypeAlias

from msgspec import Struct

from sitemap_action.checks.base import ERROR, WARNING, SiteCheck, rule
from sitemap_action.model.finding import Needs
from sitemap_action.model.outcome import Diff, Removed, Skipped
from sitemap_action.model.page import Alternate
from sitemap_action.model.site import KnownUrl, Listed, Reason, Verdict
from sitemap_action.web.urls import BadUrl, normalize

_SOURCE = "Google Search Central, https://developers.google.com/search/docs/specialty/international/localized-versions"
_RULES = (
    rule(
        "HL-08",
        {
            "version-redirects": (ERROR, "a language version redirects"),
            "version-gone": (ERROR, "a language version is no page"),
            "version-not-indexable": (ERROR, "a language version is not indexable"),
        },
        needs=Needs.SITE,
        summary="A language version answers 200, is indexable and names no other page as its canonical.",
        source=_SOURCE,
        passes='hreflang="de" names /de/, which answers 200',
        fails="/de/ redirects, answers 404, is noindex or blocked by robots.txt, or names /en/ as its canonical",
        tip="Name the URL that the version is listed under, or remove the link: search engines ignore it.",
    ),
    rule(
        "HL-09",
        {
            "versions-contradict": (WARNING, "two statements of a page's language versions contradict each other"),
            "versions-incomplete": (WARNING, "one statement of a page's language versions lacks what another has"),
            "versions-left-out": (
                WARNING,
                "language versions of a page are left out of the sitemap, where they would not be valid",
            ),
        },
        needs=Needs.SITE,
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


class _Naming(Struct):
    """Where a version is named first, and by how many listed pages."""

    hreflang: str
    url: str
    pages: int = 0


class LanguageVersionsCheck(SiteCheck):
    """A version of another site, or one that was not fetched, is no finding; nor is one that the config excludes."""

    rules = _RULES

    def on_start(self) -> None:
        self._below = self.options.site_url
        self._named: dict[str, _Naming] = {}
        self._full = False

    def on_url(self, known: KnownUrl, verdict: Verdict) -> None:
        if not isinstance(verdict, Listed) or verdict.unverified:
            return
        facts, entry = known.page.facts, known.committed
        shown = facts.alternates if facts is not None else ()
        listed = entry.alternates if entry is not None else ()
        if not shown and not listed:
            return
        in_sitemap = _normal(listed)
        self._name(known.page.url, (*shown, *in_sitemap))
        if verdict.left_out:  # they differ, and this says why
            self.report.add("versions-left-out", known.page.url, detail=verdict.left_out)
            return
        count = facts.header_alternates if facts is not None else 0
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
            naming, row = self._named[url], rows[url]
            if (code := _FAULTS.get(row.reason)) and not (_is_default(naming.hreflang) and row.reason in _LED):
                more = f"; {naming.pages:,} pages name it" if naming.pages > 1 else ""
                self.report.add(code, naming.url, detail=f"{naming.hreflang} is {url} ({_why(row)}){more}")

    def _name(self, page: str, versions: tuple[Alternate, ...]) -> None:
        codes: dict[str, str] = {}
        for hreflang, url in versions:
            if url != page and url.startswith(self._below) and _is_default(codes.get(url, _DEFAULT)):
                codes[url] = hreflang
        for url, hreflang in codes.items():
            naming = self._named.get(url)
            if naming is None:
                if len(self._named) >= _MAX_VERSIONS:
                    self._full = True
                    return
                naming = self._named[url] = _Naming(hreflang, page)
            elif _is_default(naming.hreflang):
                naming.hreflang = hreflang
            naming.pages += 1

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


def _why(row: Removed | Skipped) -> str:
    return f"{row.reason}: {row.detail}" if row.detail else str(row.reason)


def _is_default(hreflang: str) -> bool:
    return hreflang.strip().lower() == _DEFAULT


def _normal(versions: tuple[Alternate, ...]) -> tuple[Alternate, ...]:
    """Those of a sitemap in normal form, as those of pages are; one without is HL-01."""
    found = []
    for hreflang, url in versions:
        try:
            found.append(Alternate(hreflang, normalize(url)))
        except BadUrl:
            continue
    return tuple(found)


def _by_code(versions: tuple[Alternate, ...]) -> _Versions:
    """Compared without `www.`: which host is the site's own is URL-28."""
    found: _Versions = {}
    for hreflang, url in versions:
        found.setdefault(hreflang.strip().lower(), {})[url.replace("://www.", "://", 1)] = url
    return found
