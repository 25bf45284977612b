"""`explain` of a sitemap's own address or file: the answer to "couldn't fetch"."""

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote, urlsplit

from msgspec.structs import replace

from sitemap_action.cli.check import CommandLine
from sitemap_action.cli.network import is_url
from sitemap_action.config.schema import AUTO, Config
from sitemap_action.disk.folder import read_whole
from sitemap_action.disk.workspace import Workspace
from sitemap_action.errors import BaselineError, UsageError
from sitemap_action.look.one_sitemap import named_by_index, named_by_robots, sitemap_content
from sitemap_action.model.answers import Naming, RobotsLine, SitemapAnswer
from sitemap_action.robots.groups import Profile, parse
from sitemap_action.robots.lines import MAX_BYTES
from sitemap_action.sitemap.protocol import MAX_INFLATED
from sitemap_action.web.urls import BadUrl, normalize, origin, resolve

_NAMES = ("sitemap_index.xml", "sitemap-index.xml", "sitemap.xml")


def answer_sitemap(address: str, given: CommandLine) -> SitemapAnswer:
    """Raises UsageError, BaselineError."""
    config = given.config
    if not is_url(address) and os.path.isfile(address):  # noqa: PTH113 - `Path.is_file` raises for a long name
        return _of_file(address, given)
    base = config.site_url or ("" if config.source.url == AUTO else config.source.url)
    url = _url(address, base)
    if config.source.path and not config.source.url and config.site_url and url.startswith(config.site_url):
        return _of_build(url, given)
    if given.context.access.offline:
        hint = "name the file, or leave --offline out"
        raise UsageError(f"--offline is given, and {url} would be requested", hint=hint)
    return asyncio.run(_fetched(url, given))


def _url(address: str, base: str) -> str:
    try:
        if is_url(address):
            return normalize(address)
        if base:
            normalize(base + address.lstrip("/"))  # says what is wrong with it
        if base and (found := resolve(base, address)):
            return found
    except BadUrl as error:
        hint = "give an address such as https://www.example.com/sitemap.xml, or a file"
        raise UsageError(f"there is nothing to explain about this URL: {error}", hint=hint) from None
    raise UsageError(
        f"{address[:200]} is no file, and no site is known that a path could be one of",
        hint="give a whole address such as https://www.example.com/sitemap.xml, or --site-url",
    )


async def _fetched(url: str, given: CommandLine) -> SitemapAnswer:
    from sitemap_action.fetch.options import http_options  # noqa: PLC0415
    from sitemap_action.fetch.policies import open_web  # noqa: PLC0415 - a file needs no HTTP client
    from sitemap_action.look.one_sitemap import AskedSitemap, fetch_one_sitemap  # noqa: PLC0415

    config, access = given.config, given.context.access
    if access.headers and config.source.url == AUTO:
        raise UsageError(
            "SITEMAP_ACTION_HEADERS is set, and where the deployment is served is not looked up for a sitemap",
            hint="give the address with --url",
        )
    start = config.source.url if access.headers else url  # whose origin alone receives the secrets
    async with open_web(http_options(config, access, start, preview=False)) as web:
        return await fetch_one_sitemap(web, AskedSitemap(url, given.context.now, config.select.agents))


def _of_file(name: str, given: CommandLine) -> SitemapAnswer:
    content = _content(name, lambda: read_whole(Path(name), MAX_INFLATED))
    return SitemapAnswer(
        name,
        content=sitemap_content(name, content, given.context.now),
        not_read=("the address where the file is served: give it to see redirects, robots.txt and firewalls",),
    )


def _of_build(url: str, given: CommandLine) -> SitemapAnswer:
    """The file of the build that the host serves at the URL."""
    config, root = given.config, Workspace(Path(given.context.workspace) / given.config.source.path)
    path = unquote(urlsplit(url).path[len(urlsplit(config.site_url).path) :])
    name = f"{config.source.path.rstrip('/')}/{path}"
    content = _content(name, lambda: root.read_whole(path, MAX_INFLATED))
    answer = SitemapAnswer(
        name,
        content=sitemap_content(name, content, given.context.now, address=url),
        named=_named_in_build(url, path, root, config),
        not_read=("the answer of the deployed site: without --path the address is requested",),
    )
    return _with_robots(answer, url, root, config)


def _content(name: str, read: Callable[[], bytes]) -> bytes:
    try:
        return read()
    except OSError as error:
        hint = "build the site first, correct the path, or give the address where the site serves it"
        raise BaselineError(f"cannot read {name[:200]}: {error.strerror}", hint=hint) from None


def _robots_of(root: Workspace, config: Config) -> bytes | None:
    """None where the build has none, or one for another place than the root of a host (HOST-13)."""
    if config.site_url != f"{origin(config.site_url)}/":
        return None
    try:
        return root.read_head("robots.txt", MAX_BYTES + 1)
    except OSError:
        return None


def _with_robots(answer: SitemapAnswer, url: str, root: Workspace, config: Config) -> SitemapAnswer:
    name = f"{config.source.path.rstrip('/')}/robots.txt"
    if (body := _robots_of(root, config)) is None:
        return replace(answer, robots_name=name, no_robots=f"{name} does not exist, or is not that of the host")
    rules = parse(body, Profile.GOOGLE)
    verdicts = ((agent, rules.verdict(agent, url)) for agent in config.select.agents)
    lines = tuple(RobotsLine(agent, one.allowed, one.line, one.rule) for agent, one in verdicts)
    return replace(answer, robots_name=name, robots=lines)


def _named_in_build(url: str, path: str, root: Workspace, config: Config) -> tuple[Naming, ...]:
    folder = config.source.path.rstrip("/")
    found = list[Naming]()
    if (body := _robots_of(root, config)) is not None:
        lines = named_by_robots(f"{origin(url)}/robots.txt", body, url)
        found += [Naming(f"{folder}/robots.txt", one.line) for one in lines]
    for name in _NAMES:
        try:
            content = root.read_whole(name, MAX_INFLATED) if name != path else b""
        except OSError:
            continue
        found += named_by_index(f"{folder}/{name}", content, url)
    return tuple(found)
