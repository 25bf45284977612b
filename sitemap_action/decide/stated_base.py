"""The base that a site states for its pages, wherever it names the address of one, beside `site-url` (URL-35).

Theory of operation. A statement implies a base: its address less the path of the page that it names. What a page says
of itself (canonical, language version, og:url) ends with its own path. Of any other address (link, entry of a sitemap)
each end that is the path of a page implies one, which lookups in the site find; of several the one counts that most
statements allow. After some lookups an address counts for the most frequent base that it is below, and so does what
fits no page. Each kind of statement counts an address once. Addresses of private hosts, previews and stages are leaks
(ENV-06), and no base.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import TypeAlias

from sitemap_action.model.outcome import StatedBase
from sitemap_action.model.page import Head, Page, PageKind
from sitemap_action.model.site import KnownUrl, Site
from sitemap_action.model.sitemap import ShippedSitemap
from sitemap_action.web.patterns import page_key
from sitemap_action.web.spellings import SiteMapping, is_preview, leaks
from sitemap_action.web.urls import directory_of, normal_form, origin

MIN_STATED = 3  # statements for another base
_SHARE = 90  # percent of what is stated that is for it
_LOOKUPS, _SAMPLE = 4_000, 500  # in the site, for addresses of one kind; and for those that are pages below site-url
_MOST = 10_000  # addresses of one kind that pages name and that fit no page
_DEEPEST = 8  # directories of an address that are looked at
_MISSES = 20  # links to one origin that name no page of this site, after which the others are not looked at
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


_Bases: TypeAlias = tuple[str, ...]


class Statements:
    """Counts by kind: of each base that is implied, and of each address that fits no page."""

    def __init__(self, site: Site, mapping: SiteMapping) -> None:
        """`mapping`: of the directory that was crawled: a preview that names itself names the site."""
        self._site, self._site_url, self._on_site = site, mapping.site, mapping.to_site
        self._origin = f"{origin(mapping.site)}/"
        self._implied: dict[Statement, Counter[_Bases]] = defaultdict(Counter)  # by all bases that are possible
        self._loose: dict[Statement, Counter[str]] = defaultdict(Counter)  # by address, or its upper directories
        self._starts: dict[Statement, dict[str, _Bases]] = defaultdict(dict)  # a directory that is listed → its bases
        self._links: set[str] = set()
        self._lookups: Counter[Statement] = Counter()
        self._known: Counter[str] = Counter()  # bases that lookups have found

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
                if address.startswith(self._site_url):
                    self._loose[Statement.ROBOTS][address] += 1
                else:
                    self._implied[Statement.ROBOTS][directory_of(address),] += 1

    def find_base(self, moved_from: Sequence[str]) -> StatedBase:
        """The other base that nearly all statements are for; none where a move from it is announced, or believed.

        A move is believed where the build itself states site-url, whatever a sitemap of an earlier day lists.
        """
        implied = self._count_implied(Statement)
        support = Counter[str]()
        for bases, number in implied.items():
            support.update(dict.fromkeys(bases, number))
        others = [(-number, base) for base, number in support.items() if base != self._site_url]
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
            self._implied[Statement.VERSION][base,] += 1
        if len(self._links) < _MOST:
            self._links.update(page.facts.links.absolute)

    def _add_own(self, kind: Statement, address: str, path: str) -> None:
        address = self._on_site(address)
        if self._is_leak(address):
            return
        if base := self._site_url if address == self._site_url + path else _base_of(address, path):
            self._implied[kind][base,] += 1
        elif len(self._loose[kind]) < _MOST:
            self._loose[kind][address] = 1

    def _version_base(self, head: Head, url: str, path: str) -> str:
        """The base of the language version that is the page itself; "" where none is, or one of several may be."""
        if not head.alternates:
            return ""
        found = {self._on_site(version.url) for version in head.alternates}
        if url in found:
            return self._site_url
        bases = sorted(filter(None, (_base_of(address, path) for address in found)), key=lambda one: (len(one), one))
        return bases[0] if len({origin(base) for base in bases}) == 1 else ""

    def _add_entry(self, kind: Statement, address: str, page: Page | None) -> None:
        """`page`: at the address itself."""
        address = self._on_site(normal_form(address))
        if not address or self._is_leak(address):
            return
        answers = page is not None and page.kind in _ANSWERS and page.url.startswith(self._site_url)
        if bases := self._find_bases(kind, address, answers=answers):
            self._implied[kind][bases] += 1
            if address.endswith("/") and len(self._starts[kind]) < _MOST:
                self._starts[kind][address] = bases
        else:
            self._loose[kind][_upper_directory(address)] += 1

    def _add_links(self) -> None:
        """A link counts where it names a page; most lead to other sites."""
        by_origin: dict[str, list[str]] = defaultdict(list)
        for address in sorted(map(self._on_site, self._links)):
            by_origin[origin(address)].append(address)
        found: Counter[_Bases] = Counter()
        for _, addresses in sorted(by_origin.items(), key=lambda one: (-len(one[1]), one[0])):
            hits = 0
            for seen, address in enumerate([] if self._is_leak(addresses[0]) else addresses):
                if not hits and seen > _MISSES:
                    break  # another site
                if bases := self._find_bases(Statement.LINK, address):
                    found[bases] += 1
                elif address.startswith(self._site_url):
                    self._loose[Statement.LINK][address] = 1
                hits += bool(bases)
        known = {base for bases in self._count_implied(Statement) for base in bases} | {self._site_url}
        self._implied[Statement.LINK].update(
            {bases: number for bases, number in found.items() if number >= _OTHERS or not known.isdisjoint(bases)}
        )

    def _is_leak(self, address: str) -> bool:
        return not address.startswith(self._origin) and (is_preview(address) or leaks(address, self._site_url))

    def _find_bases(self, kind: Statement, address: str, *, answers: bool = False) -> _Bases:
        """What is before each end of an address that is the path of a page.

        `answers`: whether its path below site-url is one; then few shorter ends are looked up, for most are none.
        """
        if self._lookups[kind] > _LOOKUPS:
            known = (base for base, _ in self._known.most_common(_DEEPEST) if address.startswith(base))
            return (self._site_url,) if answers else tuple(known)[:1]
        found, start = list[str](), address.find("/", len("https://")) + 1 or len(address)
        for _ in range(_DEEPEST):
            if start >= len(address):
                break
            base = address[:start]
            if answers and base == self._site_url:
                found.append(base)
                if self._lookups[kind] > _SAMPLE:
                    break
            elif self._has(kind, address[start:]):
                found.append(base)
            start = address.find("/", start) + 1 or len(address)
        for base in found:
            self._known[base] += 1
        return tuple(found) or ((self._site_url,) if answers else ())

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

    def _count_implied(self, kinds: Iterable[Statement]) -> Counter[_Bases]:
        return sum((self._implied[kind] for kind in kinds), Counter[_Bases]())

    def _builds_site_url(self, other: str, stated: int) -> bool:
        """Whether the build itself states site-url; `stated`: how often it states the other base."""
        own = [kind for kind in Statement if kind is not Statement.JUDGED]
        inside = sum(_count(self._loose[kind], self._site_url, other) for kind in own)
        implied = self._count_implied(own).items()
        inside += sum(number for bases, number in implied if self._site_url in bases and other not in bases)
        return inside >= MIN_STATED and inside > stated

    def _count_below(self, kind: Statement, base: str) -> int:
        """Statements for a base, or for one below it, and addresses below it; without those that are site-url's."""
        site = self._site_url

        def is_below(bases: _Bases) -> bool:
            return base in bases or (site not in bases and any(_is_below(one, base, site) for one in bases))

        start = self._starts[kind].get(base, ())  # the start page of this base may be a page of another one
        return (
            bool(start and not is_below(start))
            + sum(number for bases, number in self._implied[kind].items() if is_below(bases))
            + _count(self._loose[kind], base, site)
        )


def _is_below(address: str, base: str, other: str) -> bool:
    """Whether an address is below a base, and not below another one that is inside of it."""
    return address.startswith(base) and not (other.startswith(base) and address.startswith(other))


def _count(counts: Counter[str], base: str, other: str) -> int:
    return sum(number for address, number in counts.items() if _is_below(address, base, other))


def _base_of(address: str, path: str) -> str:
    """The address less the path of its page, in any spelling of both; "" where it does not end with that."""
    start = origin(address)
    own, whole = _stem(path), _stem(address[len(start) + 1 :])
    if own and whole != own and not whole.endswith(f"/{own}"):
        return ""
    rest = whole[: len(whole) - len(own)].rstrip("/")
    return f"{start}/{rest}/" if rest else f"{start}/"


def _stem(path: str) -> str:
    """A path without query, index file, extension and final slash."""
    return page_key(f"/{path.partition('?')[0]}")[1:]


def _upper_directory(url: str) -> str:
    """The first directories of an address, so that a large sitemap has few of them."""
    parts = directory_of(url).split("/")
    return "/".join(parts[: 3 + _DEEPEST // 2]).rstrip("/") + "/"
