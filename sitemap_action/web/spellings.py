"""URLs that name one page: of the site (`site-url`) and of the directory that serves it, such as a preview (ENV-01,
ENV-02); the spelling that the config asks for, those of the host, and the known ones that a mistyped URL may mean.
"""

import re
from collections.abc import Collection, Iterator
from functools import lru_cache
from ipaddress import ip_address
from itertools import compress, count
from operator import ne
from urllib.parse import urlsplit

from msgspec import Struct

from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.model.page import (
    Facts,
    Head,
    PageVideo,
    Refresh,
    Rendering,
    Soft404,
)
from sitemap_action.web import urls
from sitemap_action.web.media import media_type
from sitemap_action.web.urls import origin

_PREVIEW_SUFFIXES = (
    *(".vercel.app", ".netlify.app", ".pages.dev", ".workers.dev", ".web.app", ".firebaseapp.com", ".onrender.com"),
    *(".surge.sh", ".fly.dev", ".herokuapp.com", ".azurestaticapps.net", ".amplifyapp.com", ".ngrok.io", ".ngrok.app"),
    *(".ngrok-free.app", ".trycloudflare.com"),
)
_PRIVATE_SUFFIXES = (".localhost", ".local", ".test", ".invalid", ".internal")
_STAGES = frozenset(("staging", "stage", "preview", "dev", "develop", "test", "testing", "qa", "uat"))


class SiteMapping(Struct, frozen=True):
    """Two directories, each in normal form and with its final slash; equal when production itself is fetched."""

    site: str  # site-url, or all of its origin
    served: str  # the directory that serves the same pages: the start page's, or `source.mount`
    www: bool = False  # www. and the bare domain are one site (`crawl.www: same`)

    @property
    def is_identity(self) -> bool:
        return self.site == self.served

    @property
    def same_paths(self) -> bool:
        """Whether a page has the same path on both, so that a document may be read as if the site had served it."""
        return not self.www and self.site[self.site.index("/", 8) :] == self.served[self.served.index("/", 8) :]

    def whole_origin(self) -> "SiteMapping":
        """All of both origins, where a page has the same path on both."""
        site, served = urls.origin(self.site), urls.origin(self.served)
        same_path = self.site[len(site) :] == self.served[len(served) :]
        return SiteMapping(f"{site}/", f"{served}/", self.www) if same_path else self

    def to_site(self, url: str) -> str:
        """The URL on the site for one on the served site; other URLs are unchanged."""
        if self.www:
            url = self._with_known_host(url)
        if self.site != self.served and url.startswith(self.served):
            return self.site + url[len(self.served) :]
        return url

    def to_served(self, url: str) -> str:
        """Where a URL of the site is fetched."""
        if self.site != self.served and url.startswith(self.site):
            return self.served + url[len(self.site) :]
        return url

    def map_facts(self, facts: Facts, url: str) -> Facts:
        """The facts of a document with their URLs mapped to the site, where the document's URL is `url`."""
        if not self.www and (self.is_identity or (facts.base.startswith(self.site) and not self._names_served(facts))):
            return facts
        base = self.to_site(facts.base)
        if facts.rendering is not None:
            facts = facts._replace(rendering=self._rendering(facts.rendering))
        head, media, refresh = self._head(facts.head), facts.media, facts.refresh
        # The canonical of the site's home page is the home page, and that is no sign of a soft 404.
        to_itself = any(canonical.url == url for canonical in head.canonicals)
        return facts._replace(
            base=base,
            head=head,
            soft404=tuple(sign for sign in facts.soft404 if sign is not Soft404.CANONICAL or not to_itself),
            refresh=None if refresh is None else Refresh(refresh.seconds, self.to_site(refresh.url)),
            media=media._replace(
                images=tuple(map(self.to_site, media.images)), videos=tuple(map(self._video, media.videos))
            ),
        )

    def _names_served(self, facts: Facts) -> bool:
        """Whether a document contains a URL of the served site."""
        found = [canonical.url for canonical in facts.head.canonicals]
        found += [alternate.url for alternate in facts.head.alternates]
        found += (facts.head.og_url, *facts.head.markdown)
        found += facts.media.images if facts.refresh is None else [*facts.media.images, facts.refresh.url]
        found += [url for video in facts.media.videos for url in (video.thumbnail, video.content, video.player)]
        return any(url.startswith(self.served) for url in found)

    def _rendering(self, found: Rendering) -> Rendering:
        return found._replace(
            served=self._head(found.served),
            rendered=None if found.rendered is None else self._head(found.rendered),
            redirect=self.to_site(found.redirect),
        )

    def _head(self, head: Head) -> Head:
        return head._replace(
            canonicals=tuple(one._replace(url=self.to_site(one.url)) for one in head.canonicals),
            alternates=tuple(one._replace(url=self.to_site(one.url)) for one in head.alternates),
            og_url=self.to_site(head.og_url),
            markdown=tuple(map(self.to_site, head.markdown)),
        )

    def _video(self, video: PageVideo) -> PageVideo:
        return video._replace(
            thumbnail=self.to_site(video.thumbnail),
            content=self.to_site(video.content),
            player=self.to_site(video.player),
        )

    def _with_known_host(self, url: str) -> str:
        """Replaces the host's twin by the host that the site or the served site uses, with `www: same`."""
        for directory in (self.served, self.site):
            origin = directory[: directory.index("/", 8)]
            twin = www_twin(origin)
            if url.startswith(f"{twin}/"):
                return origin + url[len(twin) :]
        return url


def site_mapping(site_url: str, start: str, mount: str = "", *, www: bool = False, whole: bool = False) -> SiteMapping:
    """`start` is the start page; its directory, or the path `mount`, serves what is below site-url.

    `whole`: includes all of both origins, where a page has the same path on both.
    """
    if mount:
        served = urls.normalize(urls.origin(start) + mount)
        served = served if served.endswith("/") else f"{served}/"
    else:
        served = start.partition("?")[0].rpartition("/")[0] + "/"
        if site_url.startswith(served):  # a start page above the site, on its own server
            served = site_url
    mapping = SiteMapping(site_url, served, www)
    return mapping.whole_origin() if whole else mapping


def as_directory(start: str, site_url: str) -> str:
    """The start page, with a final slash where its last name is that of the site's directory."""
    name = start.rpartition("/")[2]
    return f"{start}/" if name and "." not in name and "?" not in name and site_url.endswith(f"/{name}/") else start


def is_preview(url: str) -> bool:
    """Whether a host cannot be production: this machine, an IP address, a single label, a preview service."""
    return bool(preview_reason(url))


def preview_reason(url: str) -> str:
    """Why the address counts as that of a preview, as text; "" where it does not."""
    if is_private(url):
        return "its host is on no public network"
    suffix = next(filter((urlsplit(url).hostname or "").endswith, _PREVIEW_SUFFIXES), "")
    return f"its host ends with {suffix}, as previews do" if suffix else ""


def is_private(url: str) -> bool:
    """Whether a host is on no public network: this machine, a single label, a reserved name; or an IP address."""
    host = urlsplit(url).hostname or ""
    return "." not in host or ":" in host or host.endswith(_PRIVATE_SUFFIXES) or host.replace(".", "").isdigit()


def is_loopback(url: str) -> bool:
    """Whether a host is this machine."""
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def leaks(url: str, site: str) -> bool:
    """Whether a URL in normal form is on a host that is private, a preview or a stage, and not that of a public site.

    `site`: a URL of it, in normal form; "" when it is unknown, and only a private host is certain.
    """
    return _leaks(url[: url.index("/", 8)], site[: site.index("/", 8)] if site else "")


@lru_cache(maxsize=1024)
def _leaks(origin: str, site: str) -> bool:
    if not site:
        return is_private(origin)
    return origin != site and not is_private(site) and (is_preview(origin) or _is_stage(origin, site))


def _is_stage(origin: str, site: str) -> bool:
    stage, _, rest = (urlsplit(origin).hostname or "").partition(".")
    return stage in _STAGES and rest == (urlsplit(site).hostname or "").removeprefix("www.")


def www_twin(origin: str) -> str:
    """An origin with `www.` added or removed."""
    scheme, _, host = origin.partition("://")
    return f"{scheme}://{host.removeprefix('www.')}" if host.startswith("www.") else f"{scheme}://www.{host}"


# --- spellings of one URL ---

_HTML = ".html"
_INDEX = "/index.html"


class SpellingRules(Struct, frozen=True):
    """`None`: as the host serves the page."""

    slash: bool | None = None  # whether a page without a file extension ends with a slash
    html: bool | None = None  # whether the `.html` of its file is part of its URL

    @property
    def any(self) -> bool:
        return self.slash is not None or self.html is not None

    def spell(self, url: str, start: str, file: str = "") -> Iterator[str]:
        """The spellings to list, the best first; the URL itself where the rules change nothing.

        `start`: site-url, which keeps its slash; `file`: of a build, "" when it is not known.
        """
        path, question, query = url.partition("?")
        if path == start:
            yield url
            return
        index = f"/{file}".endswith(_INDEX) if file else path.endswith("/") and self.slash is not False
        if self.slash is False:
            path = path.removesuffix("/")
        if self.html and not index and not _has_extension(path):
            yield path.removesuffix("/") + _HTML + question + query
        stem = path.removesuffix(_HTML)
        if self.html is False and not path.endswith(_INDEX) and not stem.endswith("/") and not _has_extension(stem):
            path = stem
        if self.slash and not path.endswith("/") and not _has_extension(path):
            path += "/"
        yield path + question + query

    def spelling_to_request(self, url: str, start: str) -> str:
        """The spelling to request from a server, "" for none: only a folder shows which pages are files `x.html`."""
        *_, last = self.spell(url, start)
        return "" if last == url else last


NO_RULES = SpellingRules()


def other_slash(url: str, start: str) -> str:
    """The URL with the final slash of its path added or removed; "" for the start page and for a file name."""
    path, question, query = url.partition("?")
    if path == start or _has_extension(path):
        return ""
    return (path[:-1] if path.endswith("/") else f"{path}/") + question + query


def _has_extension(path: str) -> bool:
    """Whether the last segment is the name of a file: `/v1.2` is a page."""
    return bool(media_type(path.rpartition("/")[2]))


def count_links(origins: tuple[str, ...], links: Collection[str]) -> tuple[tuple[str, int], ...]:
    """(origin, links to it) of those origins that links of a page name."""
    text = "\n".join(("", *links))  # one search per origin, however many links a page has
    return tuple((one, number) for one in origins if (number := text.count(f"\n{one}/")))


def other_spellings(site_url: str, mapping: SiteMapping | None = None) -> tuple[str, ...]:
    """Origins under which a site may be reached as well: the other scheme, with or without www. (URL-28).

    `mapping`: of a served site, which reaches some of them.
    """
    site = origin(site_url)
    if is_preview(site_url) or ":" in site.partition("://")[2]:
        return ()
    other = site.replace("https:", "http:", 1) if site.startswith("https:") else site.replace("http:", "https:", 1)
    found = (other, www_twin(site), www_twin(other))
    path = site_url[len(site) :]
    return tuple(
        one
        for one in found
        if mapping is None or (mapping.to_site(one + path) == one + path and not mapping.served.startswith(f"{one}/"))
    )


_MOST = 3
_EDITS = 2
_LONGEST = 60  # characters that differ; a longer rest is no slip of a key
_SPELLING = lazy_re(r"https?://(?:www\.)?([^?]*?)(?:/index\.html?|\.html?)?/?(?=\?|\Z)", re.DOTALL)


class NearUrls:
    """Collects the best three of many; the order in which they come does not matter."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._folded = _fold_spelling(url)
        self._found: dict[str, int] = {}  # URL → edits

    def add(self, url: str) -> None:
        if url == self._url:
            return
        folded = _fold_spelling(url)
        edits = 0 if folded == self._folded else self._edits(folded)
        if edits <= _EDITS:
            self._found[url] = edits

    def best(self) -> tuple[str, ...]:
        return tuple(sorted(self._found, key=lambda url: (self._found[url], url))[:_MOST])

    def _edits(self, folded: str) -> int:
        if abs(len(folded) - len(self._folded)) > _EDITS:
            return _EDITS + 1
        one, other = _different_parts(folded, self._folded)
        if max(len(one), len(other)) > _LONGEST:
            return _EDITS + 1
        return edit_distance(one, other, _EDITS)


def _fold_spelling(url: str) -> str:
    """The URL without what differs between spellings of a page: scheme, www., case, index.html, .html, final slash."""
    found = _SPELLING.match(url)
    return (found[1] + url[found.end() :] if found else url).lower()


def _different_parts(one: str, other: str) -> tuple[str, str]:
    start = _common_length(one, other)
    one, other = one[start:], other[start:]
    end = _common_length(one[::-1], other[::-1])
    return one[: len(one) - end], other[: len(other) - end]


def _common_length(one: str, other: str) -> int:
    """Length of their common beginning."""
    return next(compress(count(), map(ne, one, other)), min(len(one), len(other)))


def edit_distance(one: str, other: str, most: int) -> int:
    """Insertions, deletions and substitutions that turn one text into the other (Levenshtein), at most `most` + 1.

    No path with so few edits leaves the diagonal by more than `most`, so that only the cells beside it are computed.
    """
    more = most + 1
    row = [min(place, more) for place in range(len(other) + 1)]
    for index, character in enumerate(one, 1):
        before, row = row, [more] * len(row)
        row[0] = min(index, more)
        for place in range(max(1, index - most), min(len(other), index + most) + 1):
            replaced = before[place - 1] + (character != other[place - 1])
            row[place] = min(before[place] + 1, row[place - 1] + 1, replaced, more)
        if min(row) == more:
            return more
    return row[-1]
