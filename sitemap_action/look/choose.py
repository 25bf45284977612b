"""The registry of sources: the one that the config names."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Protocol, TypeAlias

from msgspec.structs import replace

from sitemap_action.config.schema import DEPTH, Config
from sitemap_action.decide.policy import required_facts
from sitemap_action.disk.folder import read_head
from sitemap_action.disk.workspace import Workspace
from sitemap_action.errors import UsageError
from sitemap_action.hosts.all import choose
from sitemap_action.model.context import Context
from sitemap_action.model.observer import Observer
from sitemap_action.model.source import SourceResult
from sitemap_action.model.wording import option
from sitemap_action.robots.lines import MAX_BYTES
from sitemap_action.store.inventory import Inventory
from sitemap_action.walk.built_site import FolderSource
from sitemap_action.web.patterns import Query
from sitemap_action.web.site_mapping import as_directory


class Source(Protocol):
    def gather(self, inventory: Inventory, seeds: Iterable[str]) -> SourceResult:
        """Store every page of the site and an answer for every seed (a URL in normal form, below site-url)."""
        ...


ChooseSource: TypeAlias = Callable[[Config, Context, str, Observer, str], Source]


def choose_source(config: Config, context: Context, site_url: str, observer: Observer, sitemap_url: str = "") -> Source:
    """`sitemap_url`: where the sitemap will be served."""
    path = config.source.path
    if config.source.url:
        from sitemap_action.walk.served_site import DeployedSource  # noqa: PLC0415 - a folder needs no HTTP

        rules = verdict_robots(config, context, None) if config.crawl.robots.startswith("file:") else None
        source = replace(config.source, url=as_directory(config.source.url, site_url))
        return DeployedSource(replace(config, source=source), site_url, context.access, observer, context.now, rules)
    if not path:
        folder, address = option("path", "dist"), option("url")
        hint = f"name the folder that the build writes ({folder}), or the address of the site ({address})"
        raise UsageError("no site is given", hint=hint)
    return FolderSource(
        root=_folder(path, context),
        location=path,
        base=site_url,
        host=choose(config.source.host),
        types=config.select.types,
        agents=config.select.agents,
        robots_named=config.crawl.robots.startswith("file:"),
        workspace=Path(context.workspace),
        query=Query(config.select.query.allow, config.select.drop_params),
        spellings=config.select.spelling_rules,
        promised=frozenset([sitemap_url]),
        observer=observer,
        optional_facts=required_facts(config.output),
        render=config.render,
        max_routes=config.crawl.max_pages,
        deadline=config.crawl.deadline,
        clicks=DEPTH in config.output.priority.values(),
    )


def _folder(path: str, context: Context) -> Path:
    workspace = Path(context.workspace)
    if context.names("source.path"):
        return workspace / path
    try:
        return Workspace(workspace).folder_path(path)
    except (FileNotFoundError, NotADirectoryError):
        return workspace / path  # the reader of the folder says so
    except OSError as error:
        hint = f"name a folder of the workspace, without a symbolic link, in source.path ({option('path')})"
        raise UsageError(f"cannot read the folder {path}: {error.strerror}", hint=hint) from None


def verdict_robots(config: Config, context: Context, found: bytes | None) -> bytes | None:
    """The robots.txt that decides what may be listed: the site's own, whether or not the crawl obeys it, or a file."""
    setting = config.crawl.robots
    if setting.startswith("file:"):
        path = setting.removeprefix("file:")
        workspace, size = Path(context.workspace), MAX_BYTES + 1  # RB-18 says that there is more
        try:
            if context.names("crawl.robots"):
                return read_head(workspace / path, size)
            return Workspace(workspace).read_head(path, size)
        except OSError as error:
            raise UsageError(f"cannot read {path}: {error.strerror}", hint="correct crawl.robots") from None
    return found
