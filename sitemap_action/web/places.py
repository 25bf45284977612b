"""Where a site is looked at and where its pages will live: two places with one shape (ENV-01, ENV-02)."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar
from urllib.parse import urlsplit

from sitemap_action.model.page import CANONICAL_TO_HOME, Alternate, Canonical, Facts, Refresh
from sitemap_action.web import urls

_T = TypeVar("_T")
_PREVIEWS = (
    *(".vercel.app", ".netlify.app", ".pages.dev", ".workers.dev", ".web.app", ".firebaseapp.com", ".onrender.com"),
    *(".surge.sh", ".fly.dev", ".herokuapp.com", ".azurestaticapps.net", ".amplifyapp.com", ".ngrok.io", ".ngrok.app"),
    *(".ngrok-free.app", ".trycloudflare.com", ".localhost", ".local", ".test", ".invalid", ".internal"),
)


@dataclass(frozen=True, slots=True)
class Places:
    """Two directories, each in normal form and with its final slash; equal when production itself is looked at."""

    site: str  # site-url, or all of its origin
    served: str  # the directory that serves the same pages
    www: bool = False  # www. and the bare domain are one site (`crawl.www: same`)

    @property
    def same(self) -> bool:
        return self.site == self.served

    @property
    def aligned(self) -> bool:
        """One path leads to one page on either, so a document may be read as if it came from the site."""
        return not self.www and self.site[self.site.index("/", 8) :] == self.served[self.served.index("/", 8) :]

    def wider(self) -> "Places":
        """All of both origins, where one path leads to the same page on either."""
        site, served = urls.origin(self.site), urls.origin(self.served)
        same_path = self.site[len(site) :] == self.served[len(served) :]
        return Places(f"{site}/", f"{served}/", self.www) if same_path else self

    def to_site(self, url: str) -> str:
        """The address that a URL met on the served site will have; what is elsewhere stays as it is."""
        if self.www:
            url = self._folded(url)
        if self.site != self.served and url.startswith(self.served):
            return self.site + url[len(self.served) :]
        return url

    def to_served(self, url: str) -> str:
        """Where to ask for a URL of the site."""
        if self.site != self.served and url.startswith(self.site):
            return self.served + url[len(self.site) :]
        return url

    def facts(self, facts: Facts, own: str) -> Facts:
        """The facts of a document as the same document states them on the site, where it has the address `own`."""
        if not self.www and (self.same or (facts.base.startswith(self.site) and not self._mentioned(facts))):
            return facts
        base = self.to_site(facts.base)
        if not (facts.canonicals or facts.refresh or facts.alternates or facts.images):
            return facts._replace(base=base)
        refresh, canonicals = facts.refresh, _mapped(facts.canonicals, self._canonical)
        itself = any(canonical.url == own for canonical in canonicals)  # the site's home page leads home, and may
        return facts._replace(
            base=base,
            canonicals=canonicals,
            soft404=tuple(sign for sign in facts.soft404 if sign != CANONICAL_TO_HOME or not itself),
            refresh=None if refresh is None else Refresh(refresh.seconds, self.to_site(refresh.url)),
            alternates=_mapped(facts.alternates, self._alternate),
            images=_mapped(facts.images, self.to_site),
        )

    def _mentioned(self, facts: Facts) -> bool:
        """Whether a document names the served place."""
        named = [canonical.url for canonical in facts.canonicals]
        named += [alternate.url for alternate in facts.alternates]
        named += facts.images if facts.refresh is None else [*facts.images, facts.refresh.url]
        return any(url.startswith(self.served) for url in named)

    def _canonical(self, canonical: Canonical) -> Canonical:
        return canonical._replace(url=self.to_site(canonical.url))

    def _alternate(self, alternate: Alternate) -> Alternate:
        return Alternate(alternate.hreflang, self.to_site(alternate.url))

    def _folded(self, url: str) -> str:
        """With `www: same`, the spelling of the host that the site and the served site use."""
        for place in (self.served, self.site):
            origin = place[: place.index("/", 8)]
            if url.startswith(f"{_other(origin)}/"):
                return origin + url[len(_other(origin)) :]
        return url


def places(site_url: str, start: str, mount: str = "", *, www: bool = False, whole: bool = False) -> Places:
    """`start` is the page to begin with; its directory, or the path `mount`, serves what lives below site-url.

    `whole`: what lives above both directories is looked at too, where it can be told which is which.
    """
    if mount:
        served = urls.normal(urls.origin(start) + mount)
        served = served if served.endswith("/") else f"{served}/"
    else:
        served = start.partition("?")[0].rpartition("/")[0] + "/"
        if site_url.startswith(served):  # a start page above the site, on its own server
            served = site_url
    found = Places(site_url, served, www)
    return found.wider() if whole else found


def is_preview(url: str) -> bool:
    """Whether a host is surely nobody's production: this machine, an address, a single label, a preview service."""
    host = urlsplit(url).hostname or ""
    return "." not in host or host.startswith("[") or ":" in host or host.endswith(_PREVIEWS) or _is_number(host)


def _is_number(host: str) -> bool:
    return host.replace(".", "").isdigit()


def _other(origin: str) -> str:
    scheme, _, host = origin.partition("://")
    return f"{scheme}://{host.removeprefix('www.')}" if host.startswith("www.") else f"{scheme}://www.{host}"


def _mapped(values: Iterable[_T], function: Callable[[_T], _T]) -> tuple[_T, ...]:
    return tuple(map(function, values))
