"""Files for language models and what they name: the links of llms.txt, and Markdown twins of pages (AGT-01, AGT-02).

Theory of operation. No search engine reads these files, so nothing that they name becomes a seed, a page or a row: an
answer alone is looked for, and only what leads nowhere is kept. A build is asked as its host answers, without reading a
file. On a served site, llms.txt is requested once the crawl is over; what that has seen is not requested again, and of
the rest at most `_REQUESTS` are, each after robots.txt, guard and throttle. What gives no clear answer is not reported.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from html import unescape

from msgspec.structs import replace

from sitemap_action.decide.redirects import PageLookup, follow_http
from sitemap_action.fetch.base import Fetcher, Request, RequestKind, Response
from sitemap_action.fetch.page_from_answer import page_of
from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.model.page import Page, PageKind
from sitemap_action.model.source import DeadReference
from sitemap_action.walk.build import FALLBACK, Build, HostPages, names_file, why_no_answer
from sitemap_action.walk.frontier import UrlFilter
from sitemap_action.web.headers import content_type
from sitemap_action.web.media import HTML_TYPES
from sitemap_action.web.urls import resolve

_INDEX, _WHOLE = "llms.txt", "llms-full.txt"
_FILES = 20  # of a site
_BYTES = 16 * 2**20  # of one file
_LINKS = 20_000  # of one file
_LINE = 20_000  # characters; the rest of a line is not read
_REQUESTS = 500  # of a crawl
_ROUNDS = 11  # of requests: a link, and ten redirects (HTML-43)

_FENCE = lazy_re(r"\s{0,12}(?:[-*+>]\s{1,4})?(`{3,}+|~{3,}+)")
_CODE = lazy_re(r"(?<!`)(`{1,3}+)[^`]++\1(?!`)")
# An image, whose address is none of a link; then the target of a link, of a reference, and a URL in angle brackets.
_TARGET = lazy_re(
    r"(!\[[^\[\]]{0,500}+)?\]\(\s{0,9}+(?:<([^<>]{1,2048}+)>|((?:[^()\s<>]++|\([^()\s<>]{0,500}+\)){1,99}+))"
    r"|^\s{0,3}+\[[^\[\]]{1,500}+\]:\s{0,9}+<?+([^\s<>]{1,2048}+)"
    r"|<(https?://[^\s<>]{1,2048}+)>"
)


def read_links(content: bytes) -> Iterator[tuple[int, str]]:
    """(line, target as written) of the links of a Markdown text, but for images and what is in code."""
    fence, found = "", 0
    for number, line in enumerate(content[:_BYTES].decode(errors="replace").split("\n"), 1):
        if mark := _FENCE.match(line):
            if not fence:
                fence = mark[1]
            elif mark[1].startswith(fence):
                fence = ""
            continue
        if fence or ("](" not in line and "]:" not in line and "<http" not in line):
            continue
        text = line[:_LINE]
        for image, quoted, plain, reference, bare in _TARGET.findall(_CODE.sub(" ", text) if "`" in text else text):
            if not image and found < _LINKS:
                found += 1
                yield number, unescape(quoted or plain or reference or bare)


def is_agent_file(path: str) -> bool:
    return path.rpartition("/")[2] in {_INDEX, _WHOLE}


def links_of_file(address: str, content: bytes) -> Iterator[tuple[int, str]]:
    """(line, URL in normal form) of the links of one file.

    llms-full.txt is the text of many pages: what is relative in it is so to a page that is not known.
    """
    whole = address.endswith(_WHOLE)
    for line, href in read_links(content):
        if whole and not href.startswith(("/", "http:", "https:")):
            continue
        if url := resolve(address, href):
            yield line, url


def find_dead_in_build(  # noqa: PLR0913, PLR0917 - a build is several things
    build: Build,
    files: Collection[str],
    read: Callable[[str], bytes | None],
    code: tuple[str, ...],
    twins: Mapping[str, str],
    location: str,
) -> tuple[DeadReference, ...]:
    """What the llms.txt files and the pages of a build name and its host does not serve.

    `code`: paths below which code answers; `twins`: URL of a twin that is not there → the first page that names it;
    `location`: the folder as the user wrote it.
    """
    named: dict[str, DeadReference] = {}
    order = sorted(filter(is_agent_file, files), key=lambda path: (path.count("/"), path.endswith(_WHOLE), path))
    for path in order[:_FILES]:
        for line, url in links_of_file(build.url(path), read(path) or b""):
            if url.startswith(build.base):
                named.setdefault(url, DeadReference(url, f"{location.rstrip('/')}/{path}", line))
    host = HostPages(build, build.fetcher(), code)
    named |= {url: DeadReference(url, page, twin=True) for url, page in twins.items() if url not in named}
    return tuple(replace(one, why=why) for one in named.values() if (why := host.why_dead(one.url)))


class SiteAnswers:
    """What a served site answers for URLs that are no pages of the crawl; each is requested once."""

    def __init__(self, fetcher: Fetcher, site: PageLookup, url_filter: UrlFilter, concurrency: int) -> None:
        """`site`: what the crawl has seen."""
        self._fetcher, self._site, self._filter = fetcher, site, url_filter
        import asyncio  # noqa: PLC0415 - a build is asked without

        self._free = asyncio.Semaphore(concurrency)
        self._found: dict[str, Page | None] = {}
        self.left_out = 0  # URLs beyond `_REQUESTS`

    def page(self, url: str, /) -> Page | None:
        return self._found.get(url) or self._site.page(url)

    async def find_dead(
        self, twins: Iterable[tuple[str, str]], *, fallback: bool
    ) -> tuple[tuple[DeadReference, ...], tuple[str, ...]]:
        """What leads nowhere, and notes. `twins`: (URL, page that names it); `fallback`: every path has a document."""
        named = await self._read_files()
        for url, page in twins:
            named.setdefault(url, DeadReference(url, page, twin=True))
        await self._ask(named)
        dead = tuple(replace(one, why=why) for one in named.values() if (why := self._why_dead(one.url, fallback)))
        rest = f"{self.left_out:,} links of llms.txt and Markdown twins were not requested: {_REQUESTS} at most are"
        return dead, (rest,) if self.left_out else ()

    def _why_dead(self, url: str, fallback: bool) -> str:
        page = self.page(url)
        if page is None:
            return ""
        end = follow_http(self, page).arrival
        if fallback and end is not None and end.kind is PageKind.PAGE and names_file(end.url):
            return FALLBACK
        return why_no_answer(self, page)

    async def _read_files(self) -> dict[str, DeadReference]:
        """The links of llms.txt, of llms-full.txt beside it, and of each such file that one of them links to."""
        site, named, seen = self._filter.mapping.site, dict[str, DeadReference](), set[str]()
        waiting = [f"{site}{_INDEX}"]
        while waiting and len(seen) < _FILES:
            address = waiting.pop(0)
            if address in seen or (content := await self._read(address)) is None:
                seen.add(address)
                continue
            seen.add(address)
            if address == f"{site}{_INDEX}":
                waiting.append(f"{site}{_WHOLE}")
            for line, target in links_of_file(address, content):
                url = self._filter.mapping.to_site(target)
                if url.startswith(site):
                    named.setdefault(url, DeadReference(url, address, line))
                    if is_agent_file(url):
                        waiting.append(url)
        return named

    async def _read(self, url: str) -> bytes | None:
        if self._filter.blocks(url, required=True) is not None:
            return None
        answer = await self._fetcher.fetch(Request(self._filter.mapping.to_served(url), RequestKind.SITEMAP))
        if not isinstance(answer, Response) or answer.status != 200 or content_type(answer.headers)[0] in HTML_TYPES:
            return None
        self._found[url] = Page(url, PageKind.FILE, status=200)
        return answer.body

    async def _ask(self, named: Iterable[str]) -> None:
        """Request what the crawl has not seen, and where it redirects."""
        import asyncio  # noqa: PLC0415 - as above

        wanted, spent = list(named), 0
        for _ in range(_ROUNDS):
            new = [url for url in dict.fromkeys(wanted) if self._is_unknown(url)]
            self.left_out += max(0, len(new) - (_REQUESTS - spent))
            new = new[: _REQUESTS - spent]
            spent += len(new)
            await asyncio.gather(*map(self._request, new))
            wanted = [page.target for url in new if (page := self._found[url]) is not None and page.target]

    def _is_unknown(self, url: str) -> bool:
        if url in self._found or not url.startswith(self._filter.mapping.site):
            return False
        page = self._site.page(url)
        seen = page is not None and (page.status or page.kind is PageKind.GONE)
        return not seen and self._filter.blocks(url, required=True) is None

    async def _request(self, url: str) -> None:
        mapping = self._filter.mapping
        async with self._free:
            answer = await self._fetcher.fetch(Request(mapping.to_served(url)))
        page, _ = page_of(answer)
        target = page.target and mapping.to_site(page.target)
        self._found[url] = page._replace(url=url, target=target, facts=None)
