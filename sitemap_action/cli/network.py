"""What the command line says about requests, for commands that read sitemaps from the web."""

import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from os.path import lexists
from typing import Any

import click

from sitemap_action.cli.diagnostics import DIAGNOSTICS
from sitemap_action.config.layers import ConfigReader, assignment
from sitemap_action.config.schema import DEFAULT_CONFIG, ChecksConfig, Config
from sitemap_action.console.streams import Console
from sitemap_action.errors import UsageError
from sitemap_action.fetch.base import Fetcher
from sitemap_action.loader.result import LoadOptions
from sitemap_action.model.access import Access
from sitemap_action.web.urls import BadUrl, normalize

_OPTIONS = (
    click.option("--config", metavar="FILE", help="Config file, for its `sitemaps`, `http` and `crawl` keys."),
    click.option(
        "--set", "settings", multiple=True, metavar="KEY=VALUE", help="Any key of the config file; repeatable."
    ),
    click.option("--tls-verify", type=bool, default=True, metavar="BOOL", help="Verify certificates.  [default: true]"),
    click.option(
        "--allow-private-hosts",
        default="",
        metavar="LIST",
        help="Private hosts, addresses or ranges to connect to; the given host is always allowed.",
    ),
    *DIAGNOSTICS,
)


def network(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def is_url(source: str) -> bool:
    return source.lower().startswith(("http://", "https://"))


def config(options: dict[str, Any]) -> Config:
    """Every default, unless a file or a key is given: the config of a repository is about its own site."""
    if not options["config"] and not options["settings"]:
        return Config()
    from sitemap_action.cli.settings import KNOWN, config_file  # noqa: PLC0415 - the rules, for their names

    layers = tuple(assignment(text) for text in options["settings"])
    reading = ConfigReader(options["config"] or "", layers, KNOWN)
    found = reading.config(config_file(reading.path, required=True, named=True) if options["config"] else None)
    for warning in found.warnings:
        Console(os.environ).log_warning(warning)
    return found


def checks(options: dict[str, Any]) -> ChecksConfig:
    """The severities of rules: unlike all else they are also those of the repository's own config file."""
    if options["config"] or not lexists(DEFAULT_CONFIG):
        return config(options).checks
    from sitemap_action.cli.settings import KNOWN, config_file  # noqa: PLC0415 - the rules, for their names

    layers = tuple(assignment(text) for text in options["settings"])
    return ConfigReader(DEFAULT_CONFIG, layers, KNOWN).config(config_file(DEFAULT_CONFIG, required=True)).checks


def load_options(config: Config) -> LoadOptions:
    limits = config.sitemaps
    return LoadOptions(limits.max_documents, limits.max_depth, limits.max_inflated)


@asynccontextmanager
async def web(source: str, settings: Config, options: dict[str, Any]) -> AsyncIterator[Fetcher]:
    """A fetcher for everything that the source links to."""
    from sitemap_action.fetch.options import http_options  # noqa: PLC0415 - as above
    from sitemap_action.fetch.policies import open_web  # noqa: PLC0415 - as above
    from sitemap_action.runner.event import split_list  # noqa: PLC0415 - a file needs no HTTP client

    try:
        url = normalize(source)
    except BadUrl as error:
        hint = "give a URL such as https://www.example.com/"
        raise UsageError(f"{source} cannot be read: {error}", hint=hint) from None
    allowed = split_list(options["allow_private_hosts"])
    log = Console(os.environ).request_log(verbose=options["verbose"] or options["debug"])
    access = Access(tls_verify=options["tls_verify"], allow_private_hosts=allowed, log=log)
    async with open_web(http_options(settings, access, url, preview=False)) as found:
        yield found.fetcher
