"""`explain`: why one URL is, or is not, in the sitemap, or why a sitemap's own address "couldn't be fetched"."""

import asyncio
import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import click
from msgspec.structs import replace

from sitemap_action.cli.options import explain_options
from sitemap_action.cli.site_run import (
    CommandLine,
    read_command_line,
    require_screenshots_folder,
    write_screenshots,
)
from sitemap_action.config.layers import File, option_place
from sitemap_action.config.schema import AUTO, Config, Orphans
from sitemap_action.console.streams import Console
from sitemap_action.decide.explain import answer_url
from sitemap_action.disk.folder import Workspace, read_whole
from sitemap_action.errors import BaselineError, UsageError
from sitemap_action.fetch.policies import open_web
from sitemap_action.look.one_sitemap import (
    fetch_one_sitemap,
    named_by_index,
    named_by_robots,
    sitemap_content,
)
from sitemap_action.look.phase import LookResult, look
from sitemap_action.look.source import ExplainedUrl
from sitemap_action.look.state import state_refusal
from sitemap_action.look.web_sitemaps import production
from sitemap_action.model.answers import SitemapAnswer, UrlAnswer
from sitemap_action.model.context import Context, Mode
from sitemap_action.model.finding import Place
from sitemap_action.model.observer import Observer
from sitemap_action.model.page import Page, PageKind
from sitemap_action.model.site import Role
from sitemap_action.reports.answers import render_answer
from sitemap_action.robots.groups import MAX_BYTES, Profile, parse
from sitemap_action.run import Decision
from sitemap_action.sitemap.protocol import MAX_INFLATED
from sitemap_action.store.inventory import Inventory, temporary
from sitemap_action.store.state import stored_state
from sitemap_action.walk.start import http_options
from sitemap_action.web.patterns import compile_patterns
from sitemap_action.web.spellings import is_preview
from sitemap_action.web.urls import BadUrl, is_host_of, is_url, normalize, origin, resolve

_OTHER_STATE = "name the file that a run of check wrote, or leave the option out: then the URL is requested"


@click.command(epilog="Example: sitemap-action explain --path dist --site-url https://www.example.com/ /blog/old-post/")
@click.argument("address", metavar="URL")
@explain_options
def explain(address: str, **options: Any) -> int:
    """Tell why one URL is, or is not, in the sitemap.

    Of a sitemap's own address: why it cannot be fetched. A path counts from the site's address. A build is read
    whole; of a deployed site, the URL, its redirects, its canonical and robots.txt are requested. Exit 0 whatever
    the answer is, 2 when there is none.
    """
    console = Console(os.environ, quiet=options["quiet"])
    given = read_command_line(Mode.CHECK, options, console)
    console.log_unmasked(given.context.access.headers)
    shots = options["screenshots"] or ""
    if shots:
        require_screenshots_folder(shots, given.config)
    if _is_sitemap_name(address):
        found = given.context.access.mask.value(_answer_sitemap(address, given))
        console.write_report(render_answer(found, options["form"]))
        return 0
    progress = not options["no_progress"]
    with console.progress(options["events"], progress=progress, screenshots=bool(shots)) as observer:
        answer = given.context.access.mask.value(_answer_url(address, given, observer))
    rendering = answer.seen.rendering
    if rendering is not None and rendering.screenshot:
        assert observer.screenshots is not None  # noqa: S101 - it has given the name
        name = rendering.screenshot
        one = replace(observer.screenshots, files={name: observer.screenshots.files[name]}, omitted=0)
        path = f"{shots}/{name}" if write_screenshots(console, one, shots) else ""
        answer = replace(answer, seen=replace(answer.seen, rendering=rendering._replace(screenshot=path)))
    text = render_answer(answer, options["form"])
    console.write_report(text, prose=options["form"] == "text")
    return 0


def _is_sitemap_name(address: str) -> bool:
    """Whether an address or a path is by its name that of a sitemap."""
    name = address.partition("#")[0].partition("?")[0].rpartition("/")[2].lower().removesuffix(".gz")
    return name.endswith(".xml") or ("sitemap" in name and name.endswith(".txt"))


def _answer_url(address: str, given: CommandLine, observer: Observer) -> UrlAnswer:
    config, context = _add_source(given.config, address), given.context
    state = str(context.state) if context.state and config.source.url else ""  # a build is read whole each time
    asked = ExplainedUrl(address, state)
    with _inventory(context, state) as found:
        silent = context.access.offline or state
        served = None if silent else production(config, context.access, found)
        seen = look(config, context, found, given.reading, observer, production=served, explained=asked)
        page = asked.page or Page(asked.url, PageKind.UNDETERMINED, reason="nothing is known about it")
        policy = Decision(_drop_link_rules(config, asked), context, found, seen).policy
        stated = seen.run.stated.sentence(seen.run.site_url) if seen.run.stated.base else ""
        around = replace(asked.seen, other_base=stated)
        answer = answer_url(found, policy, page, around, names=_name_sitemaps(seen), files=seen.committed.paths)
    key, pattern = _config_rule(given, answer)
    place = _place(given, key, pattern) if key else ""
    decides = answer.absent is not None and key == answer.absent.option
    rule = f"{key}{f' has {pattern}' if pattern else ''} ({place})" if key else ""
    return replace(answer, config=rule, place=place if key and decides else answer.place)


def _inventory(context: Context, state: str) -> AbstractContextManager[Inventory]:
    if not state:
        return temporary()
    try:
        why = state_refusal(Path(state), Path(context.workspace))
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot use the state {state[:200]}: {error.args[-1]}", hint=_OTHER_STATE) from None
    if why:
        raise UsageError(why, hint=_OTHER_STATE)
    return stored_state(Path(context.workspace) / state, context.access.mask)


def _add_source(config: Config, address: str) -> Config:
    """An absolute URL names its own site, where no other is given; one of another host is no preview of that (I-07)."""
    if config.source.path or config.source.url or not is_url(address):
        return config
    try:
        site = f"{origin(address)}/"
    except BadUrl:
        return config  # whoever reads the address says why
    if config.site_url and not is_preview(site) and not is_host_of(site, config.site_url):
        site = config.site_url
    return replace(config, site_url=config.site_url or site, source=replace(config.source, url=site))


def _drop_link_rules(config: Config, asked: ExplainedUrl) -> Config:
    """The config without the rule that needs the links of every page, where these were not read."""
    if asked.seen.links_known:
        return config
    return replace(config, select=replace(config.select, orphans=Orphans.KEEP))


def _name_sitemaps(seen: LookResult) -> dict[Role, str]:
    names = {Role.COMMITTED: seen.run.sitemap if seen.committed.files else ""}
    if not seen.run.baseline.same:
        names[Role.BASELINE] = seen.run.baseline.name
    return names


def _config_rule(given: CommandLine, answer: UrlAnswer) -> tuple[str, str]:
    """The option that names the URL, and its pattern; "" for none."""
    config, select = given.config, given.config.select
    if (pattern := _matching(config.output.keep, answer.page.url)) and answer.committed:
        return "output.keep", pattern
    if pattern := _matching(select.exclude, answer.page.url):
        return "select.exclude", pattern
    if select.include and (pattern := _matching(select.include, answer.page.url)):
        return "select.include", pattern
    option = answer.absent.option if answer.absent else ""
    return (option if option.startswith(("select.", "versions")) else ""), ""


def _matching(patterns: tuple[str, ...], url: str) -> str:
    try:
        return compile_patterns(patterns).match(normalize(url)) or ""
    except BadUrl:
        return ""


def _place(given: CommandLine, key: str, pattern: str) -> str:
    reading = given.reading
    file = () if given.content is None else (File(reading.path, given.content),)
    return option_place((*file, *reading.settings), key, pattern) or "the built-in default"


# --- the address or file of a sitemap ---

_NAMES = ("sitemap_index.xml", "sitemap-index.xml", "sitemap.xml")


def _answer_sitemap(address: str, given: CommandLine) -> SitemapAnswer:
    """Raises UsageError, BaselineError."""
    config = given.config
    if not is_url(address) and os.path.isfile(address):  # noqa: PTH113 - `Path.is_file` raises for a long name
        return _answer_file(address, given)
    base = config.site_url or ("" if config.source.url == AUTO else config.source.url)
    url = _sitemap_url(address, base)
    if config.source.path and not config.source.url and config.site_url and url.startswith(config.site_url):
        return _answer_build_file(url, given)
    if given.context.access.offline:
        hint = "name the file, or leave --offline out"
        raise UsageError(f"--offline is given, and {url} would be requested", hint=hint)
    return asyncio.run(_request_sitemap(url, given))


def _sitemap_url(address: str, base: str) -> str:
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


async def _request_sitemap(url: str, given: CommandLine) -> SitemapAnswer:
    config, access = given.config, given.context.access
    if access.headers and config.source.url == AUTO:
        raise UsageError(
            "SITEMAP_ACTION_HEADERS is set, and where the deployment is served is not looked up for a sitemap",
            hint="give the address with --url",
        )
    start = config.source.url if access.headers else url  # whose origin alone receives the secrets
    async with open_web(http_options(config, access, start, preview=False)) as web:
        return await fetch_one_sitemap(web, url, given.context.now, config.select.agents)


def _answer_file(name: str, given: CommandLine) -> SitemapAnswer:
    content = _read_content(name, lambda: read_whole(Path(name), MAX_INFLATED))
    return SitemapAnswer(
        name,
        content=sitemap_content(name, content, given.context.now),
        not_read=("the address where the file is served: give it to see redirects, robots.txt and firewalls",),
    )


def _answer_build_file(url: str, given: CommandLine) -> SitemapAnswer:
    """The file of the build that the host serves at the URL."""
    config, root = given.config, Workspace(Path(given.context.workspace) / given.config.source.path)
    path = unquote(urlsplit(url).path[len(urlsplit(config.site_url).path) :])
    name = f"{config.source.path.rstrip('/')}/{path}"
    content = _read_content(name, lambda: root.read_whole(path, MAX_INFLATED))
    answer = SitemapAnswer(
        name,
        content=sitemap_content(name, content, given.context.now, address=url),
        named=_find_naming_lines(url, path, root, config),
        not_read=("the answer of the deployed site: without --path the address is requested",),
    )
    return _add_robots(answer, url, root, config)


def _read_content(name: str, read: Callable[[], bytes]) -> bytes:
    try:
        return read()
    except OSError as error:
        hint = "build the site first, correct the path, or give the address where the site serves it"
        raise BaselineError(f"cannot read {name[:200]}: {error.strerror}", hint=hint) from None


def _read_robots(root: Workspace, config: Config) -> bytes | None:
    """None where the build has none, or one for another place than the root of a host (HOST-13)."""
    if config.site_url != f"{origin(config.site_url)}/":
        return None
    try:
        return root.read_head("robots.txt", MAX_BYTES + 1)
    except OSError:
        return None


def _add_robots(answer: SitemapAnswer, url: str, root: Workspace, config: Config) -> SitemapAnswer:
    name = f"{config.source.path.rstrip('/')}/robots.txt"
    if (body := _read_robots(root, config)) is None:
        return replace(answer, robots_name=name, no_robots=f"{name} does not exist, or is not that of the host")
    lines = parse(body, Profile.GOOGLE).lines(config.select.agents, url)
    return replace(answer, robots_name=name, robots=tuple(lines))


def _find_naming_lines(url: str, path: str, root: Workspace, config: Config) -> tuple[Place, ...]:
    folder = config.source.path.rstrip("/")
    found = list[Place]()
    if (body := _read_robots(root, config)) is not None:
        lines = named_by_robots(f"{origin(url)}/robots.txt", body, url)
        found += [Place(f"{folder}/robots.txt", one.line) for one in lines]
    for name in _NAMES:
        try:
            content = root.read_whole(name, MAX_INFLATED) if name != path else b""
        except OSError:
            continue
        found += named_by_index(f"{folder}/{name}", content, url)
    return tuple(found)
