"""The options that commands share, the config file, and the event of a run."""

import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from os.path import lexists
from pathlib import Path
from typing import Any

import click

from sitemap_action.checks.all import RULES as FILE_RULES
from sitemap_action.checks.all import SITE_RULES
from sitemap_action.checks.severity import families
from sitemap_action.config.layers import ConfigReader, assignment
from sitemap_action.config.schema import DEFAULT_CONFIG, INPUTS, Config
from sitemap_action.config.types import RuleNames, near_names
from sitemap_action.config.values import parse_site_url
from sitemap_action.config.yaml import MAX_BYTES
from sitemap_action.console.streams import Console
from sitemap_action.disk.folder import Workspace, read_head, read_whole
from sitemap_action.errors import ConfigError, UsageError
from sitemap_action.hosts.all import HOSTS
from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.model.site import MOST, SiteShard, parse_shard
from sitemap_action.model.wording import option
from sitemap_action.reports.all import FORMATS
from sitemap_action.runner.event import ConfigFrom
from sitemap_action.web.spellings import is_loopback, is_preview
from sitemap_action.web.urls import is_url


class NearChoice(click.Choice[str]):
    """A choice that names the nearest of its words for one that it has not (U-31)."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            near = near_names(str(value).lower(), self.choices)
            if not near:
                raise
            raise UsageError(error.format_message(), hint=f"did you mean {near[0]}?") from None


DIAGNOSTICS = (
    click.option("--verbose", is_flag=True, help="Print a line for each request."),
    click.option("--debug", is_flag=True, help="The same, and a traceback when the program itself fails."),
)
"""Of every command that fetches."""
TLS_VERIFY = click.option(
    "--tls-verify", type=bool, default=True, metavar="BOOL", help="Verify certificates.  [default: true]"
)
PRIVATE_HOSTS = click.option(
    "--allow-private-hosts", default="", metavar="LIST", help="Private hosts, addresses or ranges to connect to."
)
_SET = click.option(
    "--set", "settings", multiple=True, metavar="KEY=VALUE", help="Any key of the config file; repeatable."
)
_HELP = {  # what stands for the value, and the sentence
    "path": ("DIR", "Folder of the built site, such as dist. Without --path and --url: source.path of the config."),
    "url": ("URL", "Address of the deployed site that is crawled, such as a preview."),
    "environment": ("NAME", "Environment of the deployment, where url is auto."),
    "host": ("NAME", f"Static host whose rules turn files into URLs: auto, {', '.join(HOSTS)}."),
    "site-url": ("URL", "Where the pages will live, such as https://www.example.com/docs/."),
    "sitemap": ("FILE", "The sitemap or sitemap index that is judged: a committed one, or one in the build; or a URL."),
    "baseline": (
        "SITEMAP",
        "What added and removed pages are measured against: auto, committed, a path, a URL, git:REF[:PATH].",
    ),
    "fail-on": ("LIST", "What fails the check, separated by commas: stale, lost, invalid, a class of removal, none."),
    "max-removed": ("LIMIT", "How many pages may be lost at once: a number, a percentage (20%), or both."),
    "wait-for": ("TEXT", "Text that the deployed site serves once it is ready; the run waits for it."),
    "wait-path": ("PATH", "Page that serves it."),
    "wait-timeout": ("SECONDS", "How long to wait for it."),
}
_TOP = (
    click.option("--config", metavar="FILE", help=f"Config file.  [default: {DEFAULT_CONFIG}, which may be missing]"),
    click.option(
        "--config-from",
        type=NearChoice([one.value for one in ConfigFrom]),
        default=ConfigFrom.HEAD.value,
        help="Whose copy of the config holds on a merge or pull request: the change's, or the target branch's (base).",
    ),
    _SET,
)
_REPORTS = (
    click.option(
        "--format", "form", type=NearChoice(list(FORMATS)), default="text", help="Output format.  [default: text]"
    ),
    click.option(
        "--report", "reports", multiple=True, metavar="FORMAT=FILE", help="Also write a report to a file; repeatable."
    ),
)
_NETWORK = (
    click.option(
        "--state", metavar="FILE", help="File that keeps what was read: a killed run resumes, a later one fetches less."
    ),
    click.option("--events", metavar="FILE", help="Write one JSON object per event as it happens; - is stderr."),
    TLS_VERIFY,
    PRIVATE_HOSTS,
    click.option("--offline", is_flag=True, help="Connect to nothing: a folder and local files alone."),
    click.option("--no-progress", is_flag=True, help="Show no progress."),
)
_SHARD = click.option(
    "--shard", metavar="K/N", help="Look at one of N parts of the site, and store it in --state for merge."
)
_DRY_RUN = click.option("--dry-run", is_flag=True, help="Print what would be done, and exit as if it had been.")
_OUTPUT = (
    click.option("--quiet", is_flag=True, help="Print the report and errors only."),
    *DIAGNOSTICS,
)

_WEB = (
    click.option("--config", metavar="FILE", help="Config file, for its `sitemaps`, `http` and `crawl` keys."),
    _SET,
    TLS_VERIFY,
    click.option(
        "--allow-private-hosts",
        default="",
        metavar="LIST",
        help="Private hosts, addresses or ranges to connect to; the given host is always allowed.",
    ),
    *DIAGNOSTICS,
)


def _options(*options: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """What adds options to a command in their order, which is that of the help."""

    def add_all(command: Callable[..., Any]) -> Callable[..., Any]:
        for add in reversed(options):
            command = add(command)
        return command

    return add_all


_KEYS = tuple(click.option(f"--{name}", metavar=_HELP[name][0], help=_HELP[name][1]) for name in INPUTS)
where_argument = click.argument("where", metavar="[WHERE]", required=False)
"""The site: the folder of its build, or its address (I-05)."""
screenshots_option = click.option(
    "--screenshots", metavar="DIR", help="Also write a small picture of each page that a browser rendered."
)
look_options = _options(*_KEYS, *_TOP, *_REPORTS, *_NETWORK, _SHARD, _DRY_RUN, *_OUTPUT)
"""Of every command that reads a site."""
merge_options = _options(*_KEYS, *_TOP, *_REPORTS, *_NETWORK, _DRY_RUN, *_OUTPUT)
"""Of `merge`: those of a site, for all shards at once."""
_ANSWER = click.option("--format", "form", type=NearChoice(["text", "json"]), default="text", help="Output format.")
explain_options = _options(*_KEYS, *_TOP, _ANSWER, screenshots_option, *_NETWORK, *_OUTPUT)
"""Of `explain`, which prints one answer and writes nothing: no reports and no dry run."""
accept_options = _options(*_KEYS, *_TOP, *_NETWORK, _DRY_RUN, *_OUTPUT)
"""Of `accept`: those of a check that makes no report."""
network_options = _options(*_WEB)
"""Of commands that read sitemaps, perhaps from the web."""


# --- the config file, and the event of a run ---

_MAX_EVENT = 32 * 2**20  # bytes; GitHub sends at most 25 MB
RULES = dict(sorted({**FILE_RULES, **SITE_RULES}.items()))

KNOWN: RuleNames = frozenset(RULES) | families(RULES)
"""What a config may name in `checks`."""


def config_file(name: str, *, required: bool, named: bool = False) -> bytes | None:
    """The content of the config file; None when it does not exist and is not required.

    `named`: on the command line, so that it may lie anywhere.
    """
    try:
        return read_whole(Path(name), MAX_BYTES) if named else Workspace(Path.cwd()).read_whole(name, MAX_BYTES)
    except FileNotFoundError:
        if not required:
            return None
        raise ConfigError(f"{name}: no such file", hint=f"correct {option('config')}, or omit it") from None
    except OSError as error:
        hint = "" if named else "name a regular file of the workspace, without a symbolic link"
        raise ConfigError(f"{name}: cannot be read: {error.strerror}", hint=hint) from None


def event_file(environment: Mapping[str, str]) -> bytes:
    """The payload of the event that a GitHub runner names; empty when there is none to read."""
    try:
        return read_head(Path(environment.get("GITHUB_EVENT_PATH") or os.devnull), _MAX_EVENT)
    except OSError:
        return b""


def default_config(options: dict[str, Any]) -> Config:
    """Every default, unless a file or a key is given: the config of a repository is about its own site."""
    if not options["config"] and not options["settings"]:
        return Config()
    layers = tuple(assignment(text) for text in options["settings"])
    reading = ConfigReader(options["config"] or "", layers, KNOWN)
    found = reading.config(config_file(reading.path, required=True, named=True) if options["config"] else None)
    for warning in found.warnings:
        Console(os.environ).log_warning(warning)
    return found


def rule_settings(options: dict[str, Any]) -> Config:
    """The config that has the severities of rules: unlike all else they may be those of the repository's own file."""
    if options["config"] or not lexists(DEFAULT_CONFIG):
        return default_config(options)
    layers = tuple(assignment(text) for text in options["settings"])
    return ConfigReader(DEFAULT_CONFIG, layers, KNOWN).config(config_file(DEFAULT_CONFIG, required=True))


# --- the site that is named without an option, and none at all ---

_SITEMAP_NAME = lazy_re(r"(?:(?!sitemap)[^/?#])*+sitemap[^/?#]*\.(?:xml|txt)(?:\.gz)?", re.ASCII | re.IGNORECASE)
_MISTYPED_SCHEME = lazy_re(r"[A-Za-z]{2,9}:/{0,2}(?!\d+(?:/|$))([\w.-]+\.[\w-]+(?::\d+)?(?:/.*)?)", re.ASCII)
_OTHER_CONFIGS = (".github/sitemap.yaml", "sitemap.yml", "sitemap.yaml", ".sitemap.yml")
_HOST_NAME = lazy_re(r"(?:localhost|[\w-]+(?:\.[\w-]+)+)(?::\d+)?(?:[/?#].*)?", re.ASCII)
_LONGEST_NAME = 4_096  # of a path; the reader of a build says why it cannot read a longer one
_MOST_FOLDERS = 1_000  # that are looked into for a build
_NESTED_BUILDS = (".output/public", "docs/_build/html", "docs/.vitepress/dist", "docs/build/html")


def name_where(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options with the site of WHERE as `--path`, or as `--url` and, unless it is a preview, `--site-url`.

    Raises UsageError.
    """
    given, where = dict(options), options.get("where")
    if not where:
        _require_place(given)
        return given
    named = "url" if is_url(where) else "path"
    if given[named]:
        raise UsageError(f"{where[:200]} and --{named} are both given", hint="give one of them: each names the site")
    if named == "path":
        given["path"] = _require_folder(where)
        return given
    if _SITEMAP_NAME.fullmatch(where.rpartition("/")[2]):
        alone, site = f"`sitemap-action validate {where}`", f"`sitemap-action check {_directory(where)}`"
        hint = f"it alone is judged by {alone}, its site by {site}"
        raise UsageError(f"{where[:200]} is the address of a sitemap", hint=hint)
    given["url"] = where.partition("#")[0].partition("?")[0]
    if given["site_url"] is None and not is_preview(where):
        with suppress(ValueError):  # what is no address is said of the option alone that it stands for
            given["site_url"] = parse_site_url(_directory(given["url"]))
    return given


def _directory(url: str) -> str:
    """The address of the site that a person names: of its start page, or of a folder with or without its slash."""
    last = url.partition("://")[2].partition("/")[2].rpartition("/")[2]
    return url.removesuffix(last) if "." in last else f"{url.rstrip('/')}/"


def _require_folder(name: str) -> str:
    """Raises UsageError for what is surely no folder; the reader of a build says why it cannot read one."""
    if os.path.isfile(name):  # noqa: PTH113 - `Path.is_file` raises for a long name
        raise UsageError(f"{name} is a file", hint=f"a sitemap alone is judged by `sitemap-action validate {name}`")
    if os.path.isdir(name) or len(name) > _LONGEST_NAME:  # noqa: PTH112 - as above
        return name
    if found := _MISTYPED_SCHEME.fullmatch(name):
        raise UsageError(f"{name[:200]} is no address", hint=f"write the address of a site as https://{found[1]}")
    if _HOST_NAME.fullmatch(name):
        scheme = "http" if is_loopback(f"http://{name}") else "https"
        raise UsageError(f"there is no folder {name[:200]}", hint=f"write the address of a site as {scheme}://{name}")
    builds = list(_find_builds())
    meant = f"did you mean {builds[0]}?" if builds else "or correct --path"
    raise UsageError(f"the folder {name} does not exist", hint=f"build the site first; {meant}")


def _require_place(options: Mapping[str, Any]) -> None:
    """Raises UsageError for an address that is given as a folder, and the reverse."""
    path, url = options.get("path") or "", options.get("url") or ""
    if is_url(path):
        raise UsageError(f"--path {path[:200]} is an address", hint=f"write --url {path}")
    if path:
        _require_folder(path)
    if url and not is_url(url) and os.path.isdir(url):  # noqa: PTH112 - as above
        raise UsageError(f"--url {url[:200]} is a folder", hint=f"write --path {url}")


def require_source(config: Config) -> None:
    """Raises UsageError where no site is named, with what could be one here (U-31)."""
    if config.source.path or config.source.url:
        return
    builds = list(_find_builds())
    hint = f"run `sitemap-action check {builds[0]}`" if builds else "name a folder or an address"
    others = f" ({', '.join(builds[1:4])} may be one too)" if builds[1:] else ""
    known = DEFAULT_CONFIG if lexists(DEFAULT_CONFIG) else ""
    setup = f"{known} names no source" if known else "`sitemap-action init` sets this repository up"
    if not known and (other := next(filter(lexists, _OTHER_CONFIGS), "")):
        setup = f"{other} is not read: call it {DEFAULT_CONFIG}, or name it with --config"
    raise UsageError(
        "no site is given: neither the folder of a build nor an address",
        hint=f"{hint}{others}; for a site that is served, `sitemap-action check https://www.example.com/`; {setup}",
    )


def _find_builds() -> Iterator[str]:
    """Folders here with a start page, which a generator may have written; sorted."""
    try:
        folders = sorted(one.name for one in islice(os.scandir(), _MOST_FOLDERS) if one.is_dir())
    except OSError:
        return
    for folder in (*folders, *_NESTED_BUILDS):
        if lexists(f"{folder}/index.html"):
            yield folder


def require_shard(text: str, name: str) -> SiteShard:
    """Raises UsageError."""
    if (found := parse_shard(text)) is None:
        hint = f"write K/N, as in 1/8: the parts are counted from 1, and there are {MOST} at most"
        raise UsageError(f"{name} {text}: it names no shard", hint=hint)
    return found
