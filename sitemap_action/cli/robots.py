"""`robots`: whether each URL is allowed, and which line of robots.txt decides."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import click

from sitemap_action.cli.options import DIAGNOSTICS
from sitemap_action.console.streams import Console
from sitemap_action.errors import UsageError
from sitemap_action.fetch.robots import fetch_rules
from sitemap_action.model.context import split_list
from sitemap_action.robots.groups import Profile, RobotsVerdict, parse
from sitemap_action.robots.lines import MAX_BYTES
from sitemap_action.web.printable import printable


@click.command(epilog="Example: sitemap-action robots dist/robots.txt --agent Googlebot https://www.example.com/blog/")
@click.argument("file", metavar="FILE_OR_URL")
@click.argument("urls", nargs=-1, required=True, metavar="URL...")
@click.option("--agent", required=True, metavar="NAME", help="Product token of the robot, such as Googlebot.")
@click.option(
    "--profile",
    type=click.Choice([profile.value for profile in Profile]),
    default=Profile.GOOGLE.value,
    help="Read the file by RFC 9309, or as Google does.  [default: google]",
)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="Output format.")
@click.option(
    "--allow-private-hosts",
    "allowed",
    default="",
    metavar="LIST",
    help="Private hosts, addresses or ranges that a redirect may lead to; the given host is always allowed.",
)
@DIAGNOSTICS[0]
@DIAGNOSTICS[1]
def robots(  # noqa: PLR0913 - the options of a command line
    file: str, urls: tuple[str, ...], agent: str, profile: str, form: str, *, allowed: str, verbose: bool, debug: bool
) -> int:
    """Tell whether URLs are allowed, and by which line.

    The line is that of robots.txt. Exit 1 when any URL is not allowed.
    """
    console = Console(os.environ)
    rules = parse(_read(file, allowed, console.request_log(verbose=verbose or debug)), Profile(profile))
    verdicts = [(url, rules.verdict(agent, url)) for url in urls]
    render = _render_json if form == "json" else _render_text
    console.write_report(render(file, agent, verdicts), prose=form == "text")
    return int(any(not verdict.allowed for _, verdict in verdicts))


def _read(name: str, allowed: str, log: Callable[[str], None] | None) -> bytes:
    """The bytes of a file, or of the robots.txt of a URL's host."""
    if name.startswith(("http://", "https://")):
        return fetch_rules(name, log, tuple(split_list(allowed)))
    try:
        with Path(name).open("rb") as file:
            return file.read(MAX_BYTES + 1)  # RB-18: what follows does not count
    except OSError as error:
        raise UsageError(f"cannot read {name}: {error.strerror}", hint="name a robots.txt, or a URL") from None


def _render_text(file: str, agent: str, verdicts: list[tuple[str, RobotsVerdict]]) -> str:
    lines = []
    for url, verdict in verdicts:
        word = "allowed" if verdict.allowed else "disallowed"
        why = f"{file}:{verdict.line}: {verdict.rule}" if verdict.line else "no line disallows it"
        group = f", group of {verdict.agent_group}" if verdict.agent_group else ""
        lines.append(f"{word:<11} {printable(url)}  for {printable(agent)}  [{printable(why)}{printable(group)}]\n")
    return "".join(lines)


def _render_json(_file: str, agent: str, verdicts: list[tuple[str, RobotsVerdict]]) -> str:
    rows = [
        {
            "url": url,
            "agent": agent,
            "allowed": verdict.allowed,
            "group": verdict.agent_group,
            "line": verdict.line,
            "rule": verdict.rule,
        }
        for url, verdict in verdicts
    ]
    return json.dumps(rows, indent=2, ensure_ascii=False) + "\n"
