"""Maps URLs between the site (`site-url`) and the directory that serves it, such as a preview (ENV-01, ENV-02)."""

from collections.abc import Callable, Iterable
from functools import lru_cache
from ipaddress import ip_address
from typing import TypeVar
from urllib.parse import urlsplit

from msgspec import Struct

from sitemap_action.model.page import (
    Alternate,
    Canonical,
    Facts,
    Head,
    PageVideo,
    Refresh,
    Rendering,
    Soft404,
)
from sitemap_action.web import urls

_T = TypeVar("_T")
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
                images=_map_all(media.images, self.to_site), videos=_map_all(media.videos, self._video)
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
            canonicals=_map_all(head.canonicals, self._canonical),
            alternates=_map_all(head.alternates, self._alternate),
            og_url=self.to_site(head.og_url),
            markdown=tuple(map(self.to_site, head.markdown)),
        )

    def _canonical(self, canonical: Canonical) -> Canonical:
        return canonical._replace(url=self.to_site(canonical.url))

    def _alternate(self, alternate: Alternate) -> Alternate:
        return Alternate(alternate.hreflang, self.to_site(alternate.url))

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
    return "." not in host or ":" in host or host.endswith(_PRIVATE_SUFFIXES) or _is_ipv4(host)


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


def _is_ipv4(host: str) -> bool:
    return host.replace(".", "").isdigit()


def www_twin(origin: str) -> str:
    """An origin with `www.` added or removed."""
    scheme, _, host = origin.partition("://")
    return f"{scheme}://{host.removeprefix('www.')}" if host.startswith("www.") else f"{scheme}://www.{host}"


def _map_all(values: Iterable[_T], function: Callable[[_T], _T]) -> tuple[_T, ...]:
    return tuple(map(function, values))
