"""The URL that `explain` is asked about: what the look phase reads for it."""

from collections.abc import Iterable
from itertools import chain
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from sitemap_action.config.schema import Config, RenderWhen
from sitemap_action.disk.folder import read_head
from sitemap_action.errors import UsageError
from sitemap_action.fetch.base import BROWSER
from sitemap_action.html.shell import needs_scripts
from sitemap_action.html.source_line import canonical_line, noindex_line
from sitemap_action.look.choose import Source, choose_source
from sitemap_action.look.committed_sitemap import foreign
from sitemap_action.model.answers import PageRendering, SeenAround
from sitemap_action.model.context import Context
from sitemap_action.model.observer import Observer
from sitemap_action.model.page import Facts, Page, PageKind, Shell
from sitemap_action.model.source import RenderUse, SourceResult
from sitemap_action.store.inventory import Inventory
from sitemap_action.walk.built_site import FolderSource
from sitemap_action.walk.link_places import first_link
from sitemap_action.web import urls

_MAX_READ = 2**19  # bytes of the page


class AskedUrl(Struct):
    """`choose` takes the place of `choose_source` in a look; afterwards `page` is the URL, and `seen` what is known."""

    text: str  # an absolute URL, or a path below site-url
    state: str = ""  # file that has the pages of a served site; "" to request them
    url: str = ""
    page: Page | None = None  # None where nothing is known about it
    seen: SeenAround = SeenAround()

    def choose(
        self, config: Config, context: Context, site_url: str, observer: Observer, sitemap_url: str = ""
    ) -> Source:
        self.url = asked_url(self.text, site_url)
        if self.state:
            from sitemap_action.walk.served_site import StoredSite  # noqa: PLC0415 - as below

            source: Source = StoredSite(config.source.url)
        else:
            source = choose_source(config, context, site_url, observer, sitemap_url)
        return _AskedSource(self, source, site_url, config.crawl.robots, config.render.when)


class _AskedSource(Struct):
    """A source that answers one more URL."""

    asked: AskedUrl
    source: Source
    site_url: str
    robots: str  # crawl.robots
    render: RenderWhen

    def gather(self, inventory: Inventory, seeds: Iterable[str]) -> SourceResult:
        found = self._gathered(inventory, seeds)
        page = self.asked.page
        facts = page.facts if page is not None and not page.unlisted else None
        rendering = facts and _rendering(facts, found.rendering, self.render, of_state=bool(self.asked.state))
        self.asked.seen = replace(self.asked.seen, rendering=rendering)
        return found

    def _gathered(self, inventory: Inventory, seeds: Iterable[str]) -> SourceResult:
        url = self.asked.url
        other = None if url.startswith(self.site_url) else foreign(url, self.site_url)
        inside = url if other is None else other.target
        if isinstance(self.source, FolderSource):
            found = self.source.gather(inventory, chain(seeds, [inside] if inside else []))
            page = inventory.page(url) or other
            self.asked.seen = _of_build(self.source, inventory, page, found, self.robots)
        elif self.asked.state:
            found = self.source.gather(inventory, seeds)
            page = inventory.page(url) or other or Page(url, PageKind.UNDETERMINED, reason="the state does not have it")
            self.asked.seen = _of_state(self.asked.state, found, self.robots)
        else:
            from sitemap_action.walk.one_url import OneUrlSource  # noqa: PLC0415 - a folder needs no HTTP

            one = OneUrlSource(self.source, inside)  # type: ignore[arg-type]  # the other kind of source
            found = one.gather(inventory, seeds)
            page = inventory.page(url) or other
            self.asked.seen = one.seen
        self.asked.page = page
        return found


def _rendering(facts: Facts, use: RenderUse | None, when: RenderWhen, *, of_state: bool) -> PageRendering | None:
    """HTML-70: what scripts build is judged as a browser sees it, or the answer says why it is not."""
    if (found := facts.rendering) is not None:
        browser = use.browser if use is not None else ""
        return PageRendering(_clause(found.shell), not found.failure, "" if found.failure else browser, found.failure)
    if not needs_scripts(facts):
        return None
    if of_state:
        why = "the run that wrote the state did not render it"
    elif when is RenderWhen.NEVER:
        why = "render.when is never"
    else:
        why = f"no browser is found here: {BROWSER}" if use is None else "a limit of the crawl came first"
    return PageRendering(_clause(facts.shell), rendered=False, reason=why)


def _clause(shell: Shell | None) -> str:
    return shell.clause if shell is not None else ""


def _of_state(state: str, found: SourceResult, robots: str) -> SeenAround:
    named = robots.startswith("file:")
    name = robots.removeprefix("file:") if named else f"{urls.origin(found.location)}/robots.txt"
    return SeenAround(
        robots=name,
        no_robots="" if named or found.robots is not None else "the state has none",
        not_read=(f"the site: this is what the state {state} has of it", *found.incomplete),
    )


def _of_build(
    source: FolderSource, inventory: Inventory, page: Page | None, found: SourceResult, robots: str
) -> SeenAround:
    name = robots.removeprefix("file:") if source.robots_named else f"{source.location.rstrip('/')}/robots.txt"
    missing = "" if found.robots is not None or source.robots_named else _without_robots(source.base, name)
    if page is None:
        return SeenAround(robots=name, no_robots=missing)
    path = page.path
    body = _head(source.root / path) if path and not page.twin else b""
    referrer, place = first_link(inventory, source.root, source.location, page.url)
    return SeenAround(
        file=f"{source.location.rstrip('/')}/{path}" if path else "",
        directive_line=noindex_line(body),
        canonical_line=canonical_line(body),
        referrer=referrer,
        place=place,
        robots=name,
        no_robots=missing,
    )


def _without_robots(base: str, name: str) -> str:
    if base == f"{urls.origin(base)}/":
        return f"there is no {name}"
    return "that of the host is not part of the build; crawl.robots: file:PATH names a copy"


def _head(path: Path) -> bytes:
    try:
        return read_head(path, _MAX_READ)
    except OSError:
        return b""


def asked_url(text: str, site_url: str) -> str:
    """In normal form; a path counts from site-url. Raises UsageError."""
    try:
        return _absolute(text, site_url)
    except urls.BadUrl as error:
        hint = f"give an address such as {site_url}about/, or a path such as /about/"
        raise UsageError(f"there is nothing to explain about this URL: {error}", hint=hint) from None


def _absolute(text: str, site_url: str) -> str:
    if "://" in text or text.lower().startswith(("http:", "https:")):
        return urls.normalize(text)
    if text.partition("/")[0].lower() == site_url.split("/")[2]:
        return urls.normalize(f"{site_url.partition('://')[0]}://{text}")
    urls.normalize(site_url + text.lstrip("/"))  # says what is wrong with it
    if (found := urls.resolve(site_url, text)) is not None:
        return found
    raise urls.BadUrl("it is neither a path nor an http or https URL")
