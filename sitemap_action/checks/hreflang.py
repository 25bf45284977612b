"""Language versions: codes, self reference, return links, clusters (HL-01…07)."""

from msgspec import Struct

from sitemap_action.checks.base import ERROR, INFO, WARNING, FileCheck, FileOptions, Report, rule
from sitemap_action.model.finding import Needs
from sitemap_action.model.page import Alternate
from sitemap_action.model.sitemap import Entry
from sitemap_action.sitemap.extensions import parse_extension
from sitemap_action.sitemap.language_codes import is_hreflang
from sitemap_action.web.site_mapping import leaks
from sitemap_action.web.urls import BadUrl, normalize

_SOURCE = "Google Search Central, https://developers.google.com/search/docs/specialty/international/localized-versions"
_RULES = (
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
        tip="Search engines ignore an hreflang link without a return link.",
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
        tip="The code of the United Kingdom is GB.",
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


class _VersionSet(Struct, frozen=True):
    """The language versions that one or more pages name."""

    links: frozenset[tuple[str, str]]  # hreflang in lower case, URL in normal form
    urls: frozenset[str]


class _LanguagePage(Struct, frozen=True):
    loc: str
    path: str
    line: int
    versions: _VersionSet


class HreflangCheck(FileCheck):
    """Pages that name the same set share it in memory; return links are compared after the last file."""

    rules = _RULES

    def __init__(self, options: FileOptions, report: Report) -> None:
        super().__init__(options, report)
        self._sets: dict[frozenset[tuple[str, str]], _VersionSet] = {}
        self._pages: dict[str, _LanguagePage] = {}
        self._links_left = _MAX_LINKS

    def on_extensions(self, entry: Entry) -> None:
        links = [one for one in entry.extensions if one.startswith(_LINK)]
        valid = [(one.hreflang.lower(), url) for one in entry.alternates if (url := _normal(one.url))]
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
        versions = self._sets.get(key) or _VersionSet(key, frozenset(url for _, url in key))
        page_url = _normal(entry.loc)
        if len(dict(key)) < len(key):
            self.report.add("hreflang-repeated", entry.loc, entry.line)
        if page_url and page_url not in versions.urls:
            self.report.add("hreflang-self", entry.loc, entry.line)
        if page_url and self._links_left > 0:
            self._links_left -= 0 if key in self._sets else len(key)
            self._sets[key] = versions
            self._pages.setdefault(page_url, _LanguagePage(entry.loc, self.report.path, entry.line, versions))

    def on_end(self) -> None:
        if self._links_left <= 0:
            for rule_id in ("HL-03", "HL-04"):
                self.report.add_not_checked(
                    rule_id, f"at most {_MAX_LINKS:,} different links", "check fewer files at once"
                )
            return
        for url, page in self._pages.items():
            found: dict[str, list[str]] = {}
            for other in page.versions.urls:
                if other != url and (code := self._return_link(url, page, other)):
                    found.setdefault(code, []).append(other)
            for code, others in found.items():
                self.report.add(code, page.loc, page.line, min(others), path=page.path)

    def _return_link(self, url: str, page: _LanguagePage, other: str) -> str:
        """The fault code of a page and a version that it names; "" when there is none."""
        version = self._pages.get(other)
        if version is None:
            return "hreflang-one-way" if hash(other) in self.report.listed else "hreflang-unverified"
        if version.versions is page.versions:
            return ""
        return "hreflang-partial" if url in version.versions.urls else "hreflang-one-way"

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


def _normal(url: str) -> str:
    """The normal form of a URL; "" when it has none."""
    try:
        return normalize(url)
    except BadUrl:
        return ""
