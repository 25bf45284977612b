"""Where listed URLs lead: every <loc> is one absolute, encoded, in-scope URL, listed once (SM-20…34).

Hosts of previews and private networks in what a site publishes (ENV-06); another sitemap in the build (ENV-07).
"""

import re
from functools import partial

from sitemap_action.checks.base import (
    DESIGN,
    ERROR,
    GOOGLE,
    INFO,
    PROTOCOL,
    RFC_3986,
    SCHEMA,
    SEARCH_CONSOLE,
    WARNING,
    FileCheck,
    FileOptions,
    Report,
    SiteCheck,
    directory_url,
    live_rule,
    rule,
    site_rule,
)
from sitemap_action.model.finding import Needs
from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.model.outcome import Diff
from sitemap_action.model.page import Facts
from sitemap_action.model.site import KnownUrl, Verdict
from sitemap_action.model.sitemap import ChildSitemap, Entry
from sitemap_action.web.spellings import is_loopback, is_private, leaks
from sitemap_action.web.urls import BadUrl, escapes_utf_8, normal_form, normalize, origin

_FORM = (
    rule(
        "SM-20",
        {"missing-loc": ERROR, "duplicate-loc": ERROR},
        summary="Every entry has exactly one <loc> that is not empty.",
        source=PROTOCOL,
        passes="<url><loc>https://x.com/a</loc></url>",
        fails="<url/>, an entry with two <loc>",
        tip="Write one <loc> with the page's whole address into each entry.",
    ),
    rule(
        "SM-21",
        {
            "loc-relative": (ERROR, "the URL is not an absolute http or https URL"),
            "loc-host": (ERROR, "the URL has no valid host or port"),
        },
        summary="A URL is absolute, http or https, with a valid host; the schema does not check this.",
        source=f"{PROTOCOL}; {GOOGLE}build-sitemap",
        passes="https://x.com/a",
        fails="/a, //x.com/a, www.x.com/a, ftp://x.com/a",
        tip="Set the site's URL in the generator.",
    ),
    rule(
        "SM-22",
        {"loc-long": ERROR, "text-too-long": ERROR, "loc-short": WARNING},
        summary="A URL has fewer than 2,048 characters; the schema requires 12 or more.",
        source=f"{PROTOCOL}#locdef; {SCHEMA}",
        passes="a URL of 2,047 characters",
        fails="a URL of 2,048 characters; http://a.b/ (a warning)",
        tip="Shorten the path, or drop query parameters; a page with such an address cannot be listed.",
    ),
    rule(
        "SM-23",
        {"loc-yandex": (WARNING, "the URL has more than 1,024 characters")},
        summary="A URL has at most 1,024 characters; Yandex drops longer ones.",
        source="Yandex Webmaster, sitemap errors, URL too long",
        passes="a URL of 900 characters",
        fails="a URL of 1,300 characters",
        tip="Shorten the address where Yandex matters; others read it.",
    ),
    rule(
        "SM-24",
        {"loc-double-escaped": (WARNING, "the URL was escaped twice")},
        summary="A URL is escaped once.",
        source=f"{PROTOCOL}#escaping",
        passes="?a=1&amp;b=2",
        fails="?a=1&amp;amp;b=2",
        tip="Give the XML writer the URL as it is, without &amp;: it escapes the URL itself.",
    ),
    rule(
        "SM-25",
        {
            "loc-illegal": (ERROR, "the URL holds a character that must be percent-encoded"),
            "loc-escape": ERROR,
            "loc-non-ascii": (WARNING, "the URL holds characters outside ASCII"),
        },
        summary="A URL holds only the characters of RFC 3986; everything else is percent-encoded as UTF-8.",
        source=f"{PROTOCOL}#escaping; {RFC_3986}#section-2",
        passes="https://x.com/%C3%BCmlat",
        fails="/a b, /%zz; /ümlat (a warning)",
        tip="Percent-encode the path as UTF-8, each segment by itself: `/a b` is /a%20b.",
    ),
    rule(
        "SM-26",
        {"loc-not-utf-8": (WARNING, "the escapes in the URL are not UTF-8")},
        summary="Percent escapes decode to UTF-8.",
        source=f"{PROTOCOL}#escaping",
        passes="%C3%BC",
        fails="%FC",
        tip="Encode the path as UTF-8, unless the server does decode the other charset.",
    ),
    rule(
        "SM-27",
        {"loc-idn": (WARNING, "the host is not written in ASCII")},
        summary="A host name is written in its ASCII form.",
        source="WHATWG URL, host parsing, https://url.spec.whatwg.org/#host-parsing",
        passes="https://xn--exmple-cua.com/",
        fails="https://exämple.com/",
        tip="Write the host as xn--…, as browsers send it.",
    ),
    rule(
        "SM-32",
        {"loc-fragment": (ERROR, "the URL has a fragment")},
        summary="A URL has no fragment.",
        source="Google Search Central, https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls",
        passes="https://x.com/p",
        fails="https://x.com/p#top, https://x.com/#/route",
        tip="List the page without its fragment; a page that is only a fragment needs an address of its own.",
    ),
    rule(
        "SM-33",
        {"padded-loc": WARNING},
        summary="A URL has no white space around it.",
        source=SEARCH_CONSOLE,
        passes="<loc>https://x.com/a</loc>",
        fails="a line break within <loc>",
        tip="Write the URL without line breaks and indentation inside <loc>.",
    ),
    rule(
        "SM-34",
        {"loc-userinfo": (ERROR, "the URL has a user name or password")},
        summary="A URL has no user name or password.",
        source=f"{DESIGN}; {RFC_3986}#section-7.5",
        passes="https://x.com/",
        fails="https://user:password@x.com/",
        tip="Take both out of the URL, and change the password: the file is public.",
    ),
)
_PLACE = (
    rule(
        "SM-28",
        {"loc-origin": (ERROR, "the URL is on another site than the sitemap")},
        summary="Every URL has the scheme, host and port of the sitemap's own address.",
        source=f"{PROTOCOL}#location; {SEARCH_CONSOLE}, URL not allowed",
        passes="https://www.x.com/a in https://www.x.com/sitemap.xml",
        fails="http://www.x.com/a, https://x.com/a, https://www.x.com:8443/a",
        tip="Correct the URL or the address of the sitemap: one of them is not where the site is served.",
    ),
    rule(
        "SM-29",
        {
            "loc-scope": (WARNING, "the URL is not below the directory of the sitemap"),
            "loc-scope-submitted": (
                INFO,
                "the URL is not below the directory of the sitemap (submitted in Search Console)",
            ),
        },
        summary="Every URL is below the directory of the sitemap.",
        source=f"{PROTOCOL}#location; {GOOGLE}build-sitemap",
        passes="/catalog/show?item=23 in /catalog/sitemap.xml",
        fails="/images/1, /catalog (no slash)",
        tip="Move the sitemap up, or submit it in Search Console and set `sitemaps.search-console-submitted`.",
    ),
    live_rule(
        "SM-30",
        {"loc-cross-mixed": (WARNING, "the file lists URLs of more than one other host")},
        summary="A sitemap for another host lists URLs of that host only, and that host's robots.txt names it.",
        source=f"{PROTOCOL}#sitemaps_cross_submits",
        passes="URLs of www.a.com, whose robots.txt names this sitemap",
        fails="URLs of www.a.com and www.b.com in one such file",
        tip="Make one file for each host, and name it in that host's robots.txt with a Sitemap line.",
    ),
    rule(
        "SM-31",
        {"loc-duplicate": (WARNING, "the URL is listed more than once")},
        summary="No URL is listed twice, in one file or across the files of an index.",
        source=DESIGN,
        passes="/a and /b",
        fails="/a twice; /A%2d and /A-",
        tip="Remove one of them; where the spellings differ, keep the one that answers 200.",
        needs=Needs.SET,
    ),
)

_BAD_URL = {
    "not-absolute": "loc-relative",
    "control-character": "loc-illegal",
    "userinfo": "loc-userinfo",
    "malformed-escape": "loc-escape",
    "too-long": "loc-long",
}
_ILLEGAL = lazy_re(r'[\x00-\x20"<>\\^`{|}\x7f]')
_ENTITY = lazy_re(r"&(?:amp|lt|gt|quot|apos|#[0-9]{1,7});")
# The fast path: below a directory in normal form, a path that is in normal form and has no fault.
_SIMPLE_PATH = lazy_re(r"[\w.~!$()*+,;=:@/-]*", re.ASCII)


class LocationCheck(FileCheck):
    """A URL in normal form, in scope and of usual length costs one regular expression."""

    rules = _FORM + _PLACE

    def __init__(self, options: FileOptions, report: Report) -> None:
        super().__init__(options, report)
        # Hashes of URLs, not URLs: a million of them fit in memory. A collision (1 in 2⁶⁴) costs a wrong warning.
        self._seen = report.listed

    def on_file_start(self) -> None:
        self._scope = directory_url(self.file.address)
        self._length = len(self._scope)
        self._origin = self.file.address[: self.file.address.index("/", 8)] if self.file.address else ""
        self._cross_origins: set[str] = set()
        self._cross_entries = 0  # of cross-submitted origins
        self._public = self._scope  # what a URL begins with that is no leak; of an unknown address the last one seen
        if not self.file.address:
            self._public = " "  # no URL begins with it
            self.report.add_without_address("SM-28", "SM-29")

    def on_entry(self, entry: Entry) -> None:
        loc = entry.loc
        scope = self._scope
        if scope and loc.startswith(scope) and _SIMPLE_PATH.fullmatch(loc, self._length) and _is_simple(loc):
            self._check_duplicate(loc, loc, entry.line)
        elif url := self._normalize(loc, entry.line):
            if url != loc or "%" in loc or "&" in loc or not 12 <= len(loc) <= 1024:
                self._check_spelling(loc, entry.line)
            if not url.startswith(self._scope) and not self.file.feed_of_index:
                self._out_of_scope(loc, url, entry.line)

    def on_child(self, child: ChildSitemap) -> None:
        """Checks a child like an entry; the scope of a child is SM-62."""
        if self._normalize(child.loc, child.line):
            self._check_spelling(child.loc, child.line)

    def on_file_end(self) -> None:
        if len(self._cross_origins) > 1 or (self._cross_origins and self.file.entries > self._cross_entries):
            self.report.add("loc-cross-mixed", detail=", ".join(sorted(self._cross_origins)[:5]))

    def _normalize(self, loc: str, line: int) -> str:
        """The normal form of a URL, checked for duplicates and its host; "" when there is none."""
        try:
            url = normalize(loc)
        except BadUrl as bad:
            self.report.add(_BAD_URL.get(bad.code, "loc-host"), loc, line)
            return ""
        self._check_duplicate(url, loc, line)
        if not url.startswith(self._public):
            self._check_leak(loc, url, line)
        return url

    def _check_duplicate(self, url: str, loc: str, line: int) -> None:
        key = hash(url)
        if self.file.feed_of_index:  # which has the newest pages of the other files (U-27)
            return
        if key in self._seen:
            self.report.add("loc-duplicate", loc, line)
        else:
            self._seen.add(key)

    def _check_spelling(self, loc: str, line: int) -> None:
        """Faults of a URL that is not in normal form or has special characters."""
        host, _, rest = loc.partition("://")[2].partition("/")
        found = {
            "loc-long": len(loc) >= 2048,
            "loc-yandex": 1024 < len(loc) < 2048,
            "loc-short": len(loc) < 12,
            "loc-double-escaped": _ENTITY.search(loc),
            "loc-illegal": _ILLEGAL.search(loc),
            "loc-non-ascii": not rest.isascii(),
            "loc-idn": not host.isascii(),
            "loc-not-utf-8": not escapes_utf_8(loc),
            "loc-fragment": "#" in loc,
        }
        for code in filter(found.get, found):
            self.report.add(code, loc, line)

    def _check_leak(self, loc: str, url: str, line: int) -> None:
        if leaks(url, self.file.address):
            self.report.add("leaked-loc", loc, line)
        elif not self.file.address:
            self._public = url[: url.index("/", 8) + 1]

    def _out_of_scope(self, loc: str, url: str, line: int) -> None:
        """A URL outside the sitemap's directory (SM-28…30)."""
        origin = url[: url.index("/", 8)]
        if origin == self._origin:
            submitted = "-submitted" if self.options.search_console_submitted else ""
            self.report.add(f"loc-scope{submitted}", loc, line)
        elif self.options.cross_submitted and origin in self.options.cross_submitted:
            self._cross_origins.add(origin)
            self._cross_entries += 1
        else:
            self.report.add("loc-origin", loc, line, f"expected {self._origin}")
            if self.options.cross_submitted is None:
                self.report.add_not_checked("SM-30", "robots.txt of the other host", "no other host was fetched")


def _is_simple(loc: str) -> bool:
    return "/." not in loc and 12 <= len(loc) <= 1024


_IN_FILES = {
    "leaked-loc": (ERROR, "the sitemap lists a URL of a private host, a preview or a stage"),
    "leaked-version": (ERROR, "the sitemap names a language version on a private host, a preview or a stage"),
    "private-address": (WARNING, "the sitemap is served at an IP address, or at one that is on no public network"),
}
_ON_SITE = {
    "leaked-canonical": (ERROR, "a canonical names a private host, a preview or a stage"),
    "leaked-hreflang": (ERROR, "a language version of a page is on a private host, a preview or a stage"),
    "leaked-sitemap": (ERROR, "a Sitemap line of robots.txt names a private host, a preview or a stage"),
    "private-site": (ERROR, "site-url is an IP address, or on no public network"),
    "private-site-given": (
        WARNING,
        "site-url is an IP address, or on no public network: what is written is for a trial here",
    ),
}
_LEAKS = partial(
    rule,
    "ENV-06",
    needs=Needs.SITE,
    summary="No sitemap, canonical, hreflang or Sitemap line names a private host, a preview or a stage.",
    source=f"{DESIGN}; Google Search Central, "
    "https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls",
    passes="https://www.x.com/",
    fails='<link rel="canonical" href="http://localhost:3000/">, https://staging.x.com/ for www.x.com',
    tip="Set the address of the site in the generator, for the build that is deployed.",
)


class LeakedAddressesCheck(FileCheck):
    """The families that read URLs and language versions report the first two."""

    rules = (_LEAKS(_IN_FILES),)

    def on_file_start(self) -> None:
        if self.options.named and self.file.address and is_private(self.file.address):
            self.report.add("private-address", self.file.address)


class LeakedHostsCheck(SiteCheck):
    rules = (_LEAKS(_ON_SITE),)

    def on_start(self) -> None:
        self._own = self.options.site_url[: self.options.site_url.index("/", 8) + 1]

    def on_url(self, known: KnownUrl, _verdict: Verdict) -> None:
        facts = known.page.facts
        if facts is not None and not known.page.unlisted and (facts.head.canonicals or facts.head.alternates):
            self._check_page(known.page.url, facts)

    def on_end(self, _diff: Diff, /) -> None:
        options = self.options
        source = options.run.source
        own = source.kind == "url" and source.location.startswith(self._own) and is_loopback(options.site_url)
        if is_private(options.site_url) and (options.writing or not own):  # a site of this machine is looked at (I-05)
            self.report.add("private-site-given" if options.site_url_given else "private-site", options.site_url)
        served = f"{origin(source.location)}/" if source.kind == "url" else self._own
        for line, url in options.robots.sitemaps if options.robots is not None else ():
            if self._leaks(url) and not url.startswith(served):  # as of its pages: a preview may name itself (I-01)
                self.report.add("leaked-sitemap", url, line, path="robots.txt")

    def _check_page(self, url: str, facts: Facts) -> None:
        for canonical in facts.head.canonicals:
            if not canonical.ignored and self._leaks(canonical.url):
                self.report.add("leaked-canonical", url, detail=canonical.url)
                break
        for version in facts.head.alternates:
            if self._leaks(version.url):
                self.report.add("leaked-hreflang", url, detail=version.url)
                break

    def _leaks(self, url: str) -> bool:
        if url.startswith(self._own):
            return False
        normal = normal_form(url)
        return bool(normal) and leaks(normal, self._own)


_SHIPPED_RULES = (
    site_rule(
        "ENV-07",
        {
            "shipped-differs": (ERROR, "the build ships another sitemap than the one that is judged"),
            "shipped-unread": (ERROR, "the build ships a sitemap that cannot be read"),
            "shipped-absent": (WARNING, "the build ships no sitemap at this address"),
        },
        summary="The sitemap that a build ships at `sitemap-url` is the one that is judged.",
        source=DESIGN,
        passes="public/sitemap.xml is committed, and the generator copies it to dist/sitemap.xml",
        fails="sitemap.xml is right, and dist/sitemap.xml of another generator names localhost",
        tip="Keep the sitemap where the generator copies it into the build, as in public or static, and let nothing "
        "else write one; where the build has one of its own, it can be judged instead: name it in `sitemap`.",
    ),
)


class ShippedCheck(SiteCheck):
    rules = _SHIPPED_RULES

    def on_end(self, _diff: Diff) -> None:
        shipped = self.options.shipped
        if shipped is None:
            return
        if not shipped.present:
            self.report.add("shipped-absent", path=shipped.path)
        elif shipped.unread:
            self.report.add("shipped-unread", path=shipped.path, detail=shipped.unread)
        else:
            parts = [
                f"{len(urls):,} {'URL' if len(urls) == 1 else 'URLs'} {what}, as {urls[0]}"
                for urls, what in ((shipped.lacking, "missing there"), (shipped.only_here, "only there"))
                if urls
            ]
            self.report.add("shipped-differs", path=shipped.path, detail="; ".join(parts))
