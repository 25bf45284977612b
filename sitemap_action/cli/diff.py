"""`diff`: two sitemaps as sets of URLs, wherever they are kept."""

import os
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Any

import click

from sitemap_action.baseline.diff_sitemaps import Kept, compare
from sitemap_action.cli import plain
from sitemap_action.cli.network import is_url
from sitemap_action.cli.network import network as network_options
from sitemap_action.console.output import Console


@click.command(epilog="Example: sitemap-action diff git:origin/main:public/sitemap.xml public/sitemap.xml")
@click.argument("old")
@click.argument("new")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="What is printed.")
@network_options
def diff(old: str, new: str, form: str, **network: Any) -> int:
    """Compare two sitemaps as sets: files, URLs, or git:REF:PATH.

    Order, sharding, compression and spelling are no difference. Exit 1 when the sets differ, 3 when a document of a URL
    could not be read.
    """
    with ExitStack() as stack:
        fetched = {url: stack.enter_context(_kept(url, network)) for url in (old, new) if is_url(url)}
        found = compare(old, new, Path.cwd(), fetched)
    Console(os.environ).report(plain.diff_json(found) if form == "json" else plain.diff_text(found, old, new))
    return int(bool(found))


def _kept(url: str, network: dict[str, Any]) -> AbstractContextManager[Kept]:
    from sitemap_action.cli.remote import kept  # noqa: PLC0415 - only here is an HTTP client worth its start-up

    return kept(url, network)
