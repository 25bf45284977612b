"""`diff`: two sitemaps as sets of URLs, wherever they are kept."""

import os
from pathlib import Path
from typing import Any

import click

from sitemap_action.cli.network import fetch_sitemap, is_url
from sitemap_action.cli.options import network_options
from sitemap_action.cli.settings import default_config
from sitemap_action.console.streams import Console
from sitemap_action.errors import BaselineError, UnreachableError, UsageError
from sitemap_action.look.collect import collect_local, collect_stored, spool
from sitemap_action.look.committed_sitemap import compare_sitemaps
from sitemap_action.look.documents import STANDARD_INPUT, Documents, WorkTree, user_named
from sitemap_action.reports.sitemap_diff import render_json, render_text


@click.command(epilog="Example: sitemap-action diff git:origin/main:public/sitemap.xml public/sitemap.xml")
@click.argument("old")
@click.argument("new")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="Output format.")
@network_options
def diff(old: str, new: str, form: str, **network: Any) -> int:
    """Compare two sitemaps as sets of URLs.

    A sitemap is a file, a URL, git:REF:PATH, or -. Order, sharding, compression and the spelling of URLs do not
    count. Exit 1 when the sets differ, 3 when a document of a URL could not be read.
    """
    if old == new == STANDARD_INPUT:
        raise UsageError("standard input can be read once", hint="name a file, a URL or git:REF:PATH for the other")
    default_config(network)  # a mistake in it is one where no URL is read, too
    with spool() as folder:
        before, after = (_documents(name, network, folder) for name in (old, new))
        found = compare_sitemaps(before, after)
    text = render_json(found) if form == "json" else render_text(found, old, new)
    Console(os.environ).write_report(text, prose=form == "text")
    return int(bool(found))


def _documents(name: str, network: dict[str, Any], folder: Path) -> Documents:
    """Raises BaselineError when there is no such sitemap, UnreachableError when one of a URL was not read whole."""
    if is_url(name):
        return _fetched(name, network, folder)
    if name == STANDARD_INPUT or name.startswith("git:"):
        return collect_local(user_named(name), folder)
    path = Path(name).as_posix()
    if not (found := collect_stored(WorkTree(Path(), named=path), path)):
        raise BaselineError(f"there is no sitemap at {name}", hint="correct the path")
    return found


def _fetched(url: str, network: dict[str, Any], folder: Path) -> Documents:
    """The URLs of a document that was not received whole are unknown, not removed."""
    found = fetch_sitemap(url, network, folder, cross=False)
    if not found.loaded.complete:
        raise UnreachableError("; ".join(found.loaded.incomplete), hint="try again, or compare with a file")
    return found.documents
