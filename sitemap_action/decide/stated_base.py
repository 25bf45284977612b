"""The base that a site states for its pages, wherever it names the address of one, beside `site-url` (URL-35).

Theory of operation. A statement implies a base: its address less the path of the page that it names. What a page says
of itself (canonical, language version, og:url) ends with its own path. Of any other address (link, entry of a sitemap)
the longest end that is the path of a page counts, which a few lookups in the site find; once a base is known, an
address below it is one more statement for it. What fits no page counts for the base that it is below. Each kind of
statement counts an address once. Addresses of private hosts, previews and stages are leaks (ENV-06), and no base.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from enum import StrEnum

from sitemap_action.model.outcome import StatedBase
from sitemap_action.model.page import Head, Page, PageKind
from sitemap_action.model.site import KnownUrl, Site
from sitemap_action.model.sitemap import ShippedSitemap
from sitemap_action.web.site_mapping import is_preview, leaks
from sitemap_action.web.urls import normal_form

MIN_STATED = 3  # statements for another base
_SHARE = 90  # percent of what is stated that is for it
_LOOKUPS = 4_000  # in the site, for addresses of one kind
_MOST = 10_000  # addresses of one kind that pages name and that fit no page
_DEEPEST = 8  # directories of an address that are looked at
_OTHERS = 3  # links to one base from which on it may be the site's
_ANSWERS = frozenset({PageKind.PAGE, PageKind.FILE, PageKind.REDIRECT})


class Statement(StrEnum):
    """What states an address, as text of the report."""

    CANONICAL = "canonicals"
    VERSION = "language versions"
    OG_URL = "og:url"
    LINK = "links with a host"
    SHIPPED = "of the build's sitemap"
    ROBOTS = "Sitemap lines of robots.txt"
    JUDGED = "of the judged sitemap"


class Statements:
    """Counts by kind: of each base that is implied, and of each address that fits no page."""

    def __init__(self, site: Site, site_url: str, served: str = "") -> None:
        """`served`: the directory that was crawled, whose addresses count as those of the site; "" for a build."""
        self._site, self._site_url, self._served = site, site_url, served
        self._implied: dict[Statement, Counter[str]] = defaultdict(Counter)
        self._loose: dict[Statement, Counter[str]] = defaultdict(Counter)  # by address, or its upper directories
        self._starts: dict[Statement, dict[str, str]] = defaultdict(dict)  # directory that is listed → its base
        self._links: set[str] = set()
        self._lookups: Counter[Statement] = Counter()
        self._known: list[str] = []  # bases that a lookup has found, the last one first

    def add_rows(self, rows: Iterable[KnownUrl], shipped: ShippedSitemap | None, *, built: bool) -> None:
        """Every page and entry. `shipped`: another sitemap of the build; `built`: the judged one is the build's own."""
        judged, lacking = Statement.SHIPPED if built else Statement.JUDGED, set(shipped.lacking) if shipped else set()
        read = shipped is not None and shipped.present and not shipped.unread
        for row in rows:
            url = row.page.url
            self._add_page(row.page)
            if row.committed is not None:
                self._add_entry(judged, url, row.page)
                if read and url not in lacking:
                    self._add_entry(Statement.SHIPPED, url, row.page)
        for url in shipped.only_here if shipped else ():
            self._add_entry(Statement.SHIPPED, url, self._site.page(url))
        self._add_links()

    def add_robots(self, sitemaps: Iterable[str]) -> None:
        """A sitemap lies below the base of its pages: on another one, its directory is all that is known."""
        for address in dict.fromkeys(self._on_site(normal_form(text)) for text in sitemaps):
            if address and not self._is_leak(address):
                inside = address.startswith(self._site_url)
                counts = self._loose if inside else self._implied
                counts[Statement.ROBOTS][address if inside else _directory(address)] += 1

    def find_base(self, moved_from: Sequence[str]) -> StatedBase:
        """The other base that nearly all statements are for; none where a move from it is announced, or believed.

        A move is believed where the build itself states site-url, whatever a sitemap of an earlier day lists.
        """
        implied = self._count_implied(Statement)
        others = [(-count, base) for base, count in implied.items() if base != self._site_url]
        if not others:
            return StatedBase()
        base = min(others)[1]
        counts = {kind: self._count_below(kind, base) for kind in Statement}
        if self._builds_site_url(base, sum(counts.values()) - counts[Statement.JUDGED]):
            return StatedBase()
        count, total = sum(counts.values()), implied.total() + sum(one.total() for one in self._loose.values())
        if count < MIN_STATED or count * 100 < total * _SHARE or base.startswith(tuple(moved_from)):
            return StatedBase()
        return StatedBase(base, count, total, tuple((kind.value, number) for kind, number in counts.items() if number))

    def _add_page(self, page: Page) -> None:
        """What a page says of itself."""
        if page.facts is None or page.twin or page.unlisted or not page.url.startswith(self._site_url):
            return
        path, head = page.url[len(self._site_url) :], page.facts.head
        for canonical in head.canonicals:
            if not canonical.ignored:
                self._add_own(Statement.CANONICAL, canonical.url, path)
        if head.og_url:
            self._add_own(Statement.OG_URL, head.og_url, path)
        if (base := self._version_base(head, page.url, path)) and not self._is_leak(base):
            self._implied[Statement.VERSION][base] += 1
        if len(self._links) < _MOST:
            self._links.update(page.facts.links.absolute)

    def _add_own(self, kind: Statement, address: str, path: str) -> None:
        address = self._on_site(address)
        if self._is_leak(address):
            return
        if base := self._site_url if address == self._site_url + path else _base_of(address, path):
            self._implied[kind][base] += 1
        elif len(self._loose[kind]) < _MOST:
            self._loose[kind][address] = 1

    def _version_base(self, head: Head, url: str, path: str) -> str:
        """The base of the language version that is the page itself; "" where none is, or one of several may be."""
        found = {self._on_site(version.url) for version in head.alternates}
        if url in found:
            return self._site_url
        bases = sorted(filter(None, (_base_of(address, path) for address in found)), key=lambda one: (len(one), one))
        return bases[0] if len({_origin(base) for base in bases}) == 1 else ""

    def _add_entry(self, kind: Statement, address: str, page: Page | None) -> None:
        """`page`: at the address itself."""
        address = self._on_site(address)
        if not address.startswith(("http://", "https://")) or self._is_leak(address):
            return
        answers = page is not None and page.kind in _ANSWERS and page.url.startswith(self._site_url)
        if base := self._find_base(kind, address, answers=answers):
            self._implied[kind][base] += 1
            if address.endswith("/") and len(self._starts[kind]) < _MOST:
                self._starts[kind][address] = base
        else:
            self._loose[kind][_upper_directory(address)] += 1

    def _add_links(self) -> None:
        """A link counts where it names a page; most lead to other sites."""
        by_origin: dict[str, list[str]] = defaultdict(list)
        for address in sorted(map(self._on_site, self._links)):
            by_origin[_origin(address)].append(address)
        found: Counter[str] = Counter()
        for _, addresses in sorted(by_origin.items(), key=lambda one: (-len(one[1]), one[0])):
            for address in [] if self._is_leak(addresses[0]) else addresses:
                if base := self._find_base(Statement.LINK, address):
                    found[base] += 1
                elif address.startswith(self._site_url):
                    self._loose[Statement.LINK][address] = 1
        others = self._count_implied(Statement)
        known = (base for base, count in found.items() if count >= _OTHERS or others[base] or base == self._site_url)
        self._implied[Statement.LINK].update({base: found[base] for base in known})

    def _on_site(self, address: str) -> str:
        """The address on the site: a preview that names itself names the site."""
        if self._served and address.startswith(self._served):
            return self._site_url + address[len(self._served) :]
        return address

    def _is_leak(self, address: str) -> bool:
        if address.startswith(f"{_origin(self._site_url)}/"):
            return False
        return is_preview(address) or leaks(address, self._site_url)

    def _find_base(self, kind: Statement, address: str, *, answers: bool = False) -> str:
        """What is before the longest end of an address that is the path of a page; "" where no end is.

        `answers`: whether its path below site-url is one.
        """
        own = self._site_url if answers else ""
        for base in self._known:
            inside = address.startswith(base) and not (own and base.startswith(own))
            if inside and (self._lookups[kind] > _LOOKUPS or self._has(kind, address[len(base) :])):
                return base
        start = len(_origin(address)) + 1
        for _ in range(_DEEPEST):
            if start >= len(address) or address[:start] == own or self._lookups[kind] > _LOOKUPS:
                break
            if self._has(kind, address[start:]):
                base = address[:start]
                self._known = [base, *(one for one in self._known if one != base)][:_DEEPEST]
                return base
            start = address.find("/", start) + 1 or len(address)
        return own

    def _has(self, kind: Statement, path: str) -> bool:
        """Whether the site has a page at a path below site-url, in one of its spellings."""
        if not path:
            return False
        self._lookups[kind] += 1
        stem = _stem(path)
        for one in dict.fromkeys((path, f"{stem}/", stem, f"{stem}.html", f"{stem}/index.html") if stem else (path,)):
            page = self._site.page(self._site_url + one)
            if page is not None and page.kind in _ANSWERS:
                return True
        return False

    def _count_implied(self, kinds: Iterable[Statement]) -> Counter[str]:
        return sum((self._implied[kind] for kind in kinds), Counter[str]())

    def _builds_site_url(self, other: str, stated: int) -> bool:
        """Whether the build itself states site-url; `stated`: how often it states the other base."""
        own, deeper = [kind for kind in Statement if kind is not Statement.JUDGED], other.startswith(self._site_url)
        loose = (self._loose[kind] for kind in own)
        inside = sum(_count(one, self._site_url) - (_count(one, other) if deeper else 0) for one in loose)
        inside += self._count_implied(own)[self._site_url]
        return inside >= MIN_STATED and inside > stated

    def _count_below(self, kind: Statement, base: str) -> int:
        """Statements for a base, or for one below it, and addresses below it; without those that are site-url's."""
        inner = self._site_url if self._site_url.startswith(base) else ""
        counts = (self._implied[kind], self._loose[kind])
        is_page = not self._starts[kind].get(base, base).startswith(base)  # of site-url, and the start of this one
        return is_page + sum(_count(one, base) - (_count(one, inner) if inner else 0) for one in counts)


def _count(counts: Counter[str], base: str) -> int:
    return sum(number for address, number in counts.items() if address.startswith(base))


def _base_of(address: str, path: str) -> str:
    """The address less the path of its page, in any spelling of both; "" where it does not end with that."""
    start = _origin(address)
    own, whole = _stem(path), _stem(address[len(start) + 1 :])
    if own and whole != own and not whole.endswith(f"/{own}"):
        return ""
    rest = whole[: len(whole) - len(own)].rstrip("/")
    return f"{start}/{rest}/" if rest else f"{start}/"


def _stem(path: str) -> str:
    """A path without query, index file, extension and final slash."""
    path = path.partition("?")[0].removesuffix(".html").removesuffix(".htm")
    if path == "index" or path.endswith("/index"):
        path = path.removesuffix("index")
    return path.rstrip("/")


def _origin(url: str) -> str:
    return url[: url.index("/", 8)]


def _directory(url: str) -> str:
    return url.partition("?")[0].rpartition("/")[0] + "/"


def _upper_directory(url: str) -> str:
    """The first directories of an address, so that a large sitemap has few of them."""
    parts = _directory(url).split("/")
    return "/".join(parts[: 3 + _DEEPEST // 2]).rstrip("/") + "/"
