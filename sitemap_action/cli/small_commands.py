"""Commands that judge no site: rules, diff of two sitemaps, robots, and ui, which serves a page on loopback."""

import os
import shlex
import sys
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from itertools import chain, groupby
from pathlib import Path
from typing import Any

import click

from sitemap_action.checks.severity import consequence, family
from sitemap_action.cli.options import (
    DIAGNOSTICS,
    KNOWN,
    PRIVATE_HOSTS,
    RULES,
    TLS_VERIFY,
    NearChoice,
    default_config,
    network_options,
)
from sitemap_action.cli.read import fetch_sitemap
from sitemap_action.config.types import near_names
from sitemap_action.console.streams import Console
from sitemap_action.errors import BaselineError, UnreachableError, UsageError
from sitemap_action.fetch.base import HOST_FAILURES, HttpOptions, RobotsAnswer, fetch_robots, remedy
from sitemap_action.fetch.policies import open_web
from sitemap_action.look.committed_sitemap import compare_sitemaps
from sitemap_action.look.documents import (
    STANDARD_INPUT,
    Documents,
    documents_of,
    find_documents,
    temporary_folder,
    user_named,
)
from sitemap_action.model.context import split_list
from sitemap_action.model.finding import Needs, Rule, Severity
from sitemap_action.model.mask import Access
from sitemap_action.reports.sitemap_files import differences_json, differences_text
from sitemap_action.robots.groups import MAX_BYTES, Profile, RobotsStatus, RobotsVerdict, parse, why_unread
from sitemap_action.walk.folders import WorkTree
from sitemap_action.web.printable import printable, visible_json
from sitemap_action.web.urls import BadUrl, is_url, origin

FAMILIES = {
    "DIFF": "what a change does to the site",
    "ENV": "previews, production and hosts that are not public",
    "EXT": "extensions of sitemaps",
    "HL": "language versions",
    "HOST": "static hosts",
    "HTML": "pages",
    "IMG": "images",
    "IN": "IndexNow",
    "LED": "the ledger of published addresses",
    "NEWS": "news",
    "POL": "the policy of the check",
    "RB": "robots.txt",
    "RT": "redirect rules of static hosts",
    "SM": "sitemap files",
    "URL": "addresses of pages",
    "VER": "versions of a documentation",
    "AGT": "files for language models",
    "VID": "videos",
    "WIT": "what is served where a build is deployed",
}
SEVERITIES = {
    Severity.ERROR: "fails the check (file and set rules by `invalid` in fail-on, others by `errors`)",
    Severity.WARNING: "fails only with `checks.strict`",
    Severity.INFO: "never fails",
}
NEEDS = {
    Needs.FILE: "the sitemap file alone",
    Needs.SET: "all files of the sitemap",
    Needs.SITE: "the pages of the site",
    Needs.LIVE: "the answers of the production host",
    Needs.BASELINE: "a sitemap to compare with",
    Needs.STATE: "the state of an earlier run",
}


@click.command(epilog="Example: sitemap-action rules SM-14")
@click.argument("rule", required=False)
@click.option("--format", "form", type=NearChoice(["text", "json"]), default="text", help="Output format.")
def rules(rule: str | None, form: str) -> int:
    """List the rules, or those of a family; explain one of them."""
    chosen = [one for one in RULES.values() if rule is None or family(one.id) == rule.upper()]
    alone = not chosen
    if rule and alone:
        chosen = [_find_rule(rule)]
    if form == "json":
        text = visible_json([_rule_record(one) for one in chosen], indent=2) + "\n"
    else:
        text = _rule_text(chosen[0]) if alone else _rule_table(chosen)
    Console(os.environ).write_report(text, prose=form == "text" and alone)
    return 0


def _find_rule(name: str) -> Rule:
    found = RULES.get(name.upper())
    if found is None:
        near = near_names(name.upper(), RULES, 3)
        guess = f"did you mean {' or '.join(near)}? " if near else ""
        raise UsageError(f"{name} is not a rule", hint=f"{guess}`sitemap-action rules` lists all rules")
    return found


def _rule_table(chosen: list[Rule]) -> str:
    lines = [f"{'rule':<8} {'severity':<8} {'needs':<9} what must hold"]
    for name, rows in groupby(chosen, key=lambda one: family(one.id)):
        lines += ["", f"{name}: {FAMILIES.get(name, 'others')}"]
        lines += [f"{one.id:<8} {one.severity.value:<8} {one.needs.value:<9} {one.summary}" for one in rows]
    return "\n".join(lines) + "\n"


def _rule_text(one: Rule) -> str:
    cases = [f"  {code}: {case.severity}" for code, case in one.cases.items()] if len(one.cases) > 1 else []
    lines = [
        f"{one.id} ({one.severity}, needs {one.needs})",
        one.summary,
        "",
        f"why      {consequence(one.id)}",
        f"severity {one.severity}: {SEVERITIES[one.severity]}",
        *(["cases", *cases] if cases else []),
        f"needs    {NEEDS[one.needs]}",
        "",
        f"passes   {one.passes}",
        f"fails    {one.fails}",
        "",
        f"to do    {one.tip}",
        "to accept it in one part of the site, in .github/sitemap.yml:",
        *(f"  {line}" for line in _example_setting(one).splitlines()),
        "",
        f"source   {one.source}",
    ]
    return "\n".join(lines) + "\n"


def _example_setting(one: Rule) -> str:
    """The lines of a config file."""
    return (
        "checks:\n"
        f"  {one.id}:\n"
        "    severity: off        # or info, warning, error\n"
        "    paths: [/old/**]     # pages, or sitemap files; everywhere when omitted\n"
        "    reason: why it is accepted\n"
        "    until: 2027-01-31    # the last day; no end when omitted\n"
    )


def _rule_record(one: Rule) -> dict[str, object]:
    return {
        "id": one.id,
        "family": family(one.id),
        "severity": one.severity.value,
        "needs": one.needs.value,
        "summary": one.summary,
        "why": consequence(one.id),
        "passes": one.passes,
        "fails": one.fails,
        "tip": one.tip,
        "source": one.source,
        "cases": {code: case.severity.value for code, case in one.cases.items()},
        "accept": _example_setting(one),
    }


# --- diff ---


@click.command(epilog="Example: sitemap-action diff git:origin/main:public/sitemap.xml public/sitemap.xml")
@click.argument("old")
@click.argument("new")
@click.option("--format", "form", type=NearChoice(["text", "json"]), default="text", help="Output format.")
@network_options
def diff(old: str, new: str, form: str, **network: Any) -> int:
    """Compare two sitemaps as sets of URLs.

    A sitemap is a file, a URL, git:REF:PATH, or -. Order, sharding, compression and the spelling of URLs do not
    count. Exit 1 when the sets differ, 3 when a document of a URL could not be read.
    """
    if old == new == STANDARD_INPUT:
        raise UsageError("standard input can be read once", hint="name a file, a URL or git:REF:PATH for the other")
    default_config(network)  # a mistake in it is one where no URL is read, too
    with temporary_folder() as folder:
        before, after = (_collect(name, network, folder) for name in (old, new))
        found = compare_sitemaps(before, after)
        first = next(found, None)
        rows = found if first is None else chain((first,), found)
        report = differences_json(rows) if form == "json" else differences_text(rows, old, new)
    Console(os.environ).write_report(map(bytes.decode, report), prose=form == "text")
    return int(first is not None)


def _collect(name: str, network: dict[str, Any], folder: Path) -> Documents:
    """Raises BaselineError when there is no such sitemap, UnreachableError when one of a URL was not read whole."""
    if is_url(name):
        return _fetch(name, network, folder)
    if name == STANDARD_INPUT or name.startswith("git:"):
        return documents_of(user_named(name), folder)
    path = Path(name).as_posix()
    if not (found := find_documents(WorkTree(Path(), named=path), path)):
        raise BaselineError(f"there is no sitemap at {name}", hint="correct the path")
    return found


def _fetch(url: str, network: dict[str, Any], folder: Path) -> Documents:
    """The URLs of a document that was not received whole are unknown, not removed."""
    documents, loaded, _ = fetch_sitemap(url, network, folder, cross=False)
    if not loaded.complete:
        raise UnreachableError("; ".join(loaded.incomplete), hint="try again, or compare with a file")
    return documents


# --- robots ---


@click.command(epilog="Example: sitemap-action robots dist/robots.txt --agent Googlebot https://www.example.com/blog/")
@click.argument("file", metavar="FILE_OR_URL")
@click.argument("urls", nargs=-1, required=True, metavar="URL...")
@click.option("--agent", required=True, metavar="NAME", help="Product token of the robot, such as Googlebot.")
@click.option(
    "--profile",
    type=NearChoice([profile.value for profile in Profile]),
    default=Profile.GOOGLE.value,
    help="Read the file by RFC 9309, or as Google does.  [default: google]",
)
@click.option("--format", "form", type=NearChoice(["text", "json"]), default="text", help="Output format.")
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
    body = _read_robots(file, allowed, console.request_log(verbose=verbose or debug))
    if why := why_unread(body):
        console.log(f"note: {file} has no rule: {why}")
    rules = parse(body, Profile(profile))
    verdicts = [(url, rules.verdict(agent, url)) for url in urls]
    render = _robots_json if form == "json" else _robots_text
    console.write_report(render(file, agent, verdicts), prose=form == "text")
    return int(any(not verdict.allowed for _, verdict in verdicts))


def _read_robots(name: str, allowed: str, log: Callable[[str], None] | None) -> bytes:
    """The bytes of a file, or of the robots.txt of a URL's host."""
    if name.startswith(("http://", "https://")):
        return fetch_rules(name, log, tuple(split_list(allowed)))
    try:
        with Path(name).open("rb") as file:
            return file.read(MAX_BYTES + 1)  # RB-18: what follows does not count
    except OSError as error:
        raise UsageError(f"cannot read {name}: {error.strerror}", hint="name a robots.txt, or a URL") from None


def fetch_rules(url: str, log: Callable[[str], None] | None = None, allowed: tuple[str, ...] = ()) -> bytes:
    """The rules of the URL's host; b"" where there are none (RB-20). `log` gets a line for each request.

    `allowed`: private hosts that a redirect may lead to. Raises UnreachableError where the rules are not known (RB-21).
    """
    import asyncio  # noqa: PLC0415 - files are read without, and start sooner

    try:
        options = HttpOptions(origin(url), Access(log=log, allow_private_hosts=allowed))
    except BadUrl as error:
        hint = "name a file, or a URL such as https://www.example.com/robots.txt"
        raise UsageError(f"not a URL that can be fetched: {error}", hint=hint) from None
    answer = asyncio.run(_fetch_robots(options))
    if answer.status is RobotsStatus.UNREACHABLE:
        hint = "while robots.txt cannot be read, everything is disallowed; try again, or give a file"
        hint = remedy(answer.failure) if answer.failure in HOST_FAILURES else hint
        raise UnreachableError(f"{answer.url}: {answer.reason}", hint=hint)
    return answer.body


async def _fetch_robots(options: HttpOptions) -> RobotsAnswer:
    async with open_web(options) as web:
        return await fetch_robots(web.fetcher, options.seed)


def _robots_text(file: str, agent: str, verdicts: list[tuple[str, RobotsVerdict]]) -> str:
    lines = []
    for url, verdict in verdicts:
        word = "allowed" if verdict.allowed else "disallowed"
        why = f"{file}:{verdict.line}: {verdict.rule}" if verdict.line else "no line disallows it"
        group = f", group of {verdict.agent_group}" if verdict.agent_group else ""
        lines.append(f"{word:<11} {printable(url)}  for {printable(agent)}  [{printable(why)}{printable(group)}]\n")
    return "".join(lines)


def _robots_json(_file: str, agent: str, verdicts: list[tuple[str, RobotsVerdict]]) -> str:
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
    return visible_json(rows, indent=2) + "\n"


# --- ui ---

_NEEDS = ("starlette", "uvicorn")
_IMAGE = Path("/opt/venv")  # of the Dockerfile


@click.command(epilog="Example: sitemap-action ui --port 8080")
@click.option("--port", type=click.IntRange(0, 65_535), default=0, help="Port on 127.0.0.1.  [default: a free one]")
@click.option("--no-open", is_flag=True, help="Print the address, and open no browser.")
@TLS_VERIFY
@PRIVATE_HOSTS
def ui(port: int, *, no_open: bool, tls_verify: bool, allow_private_hosts: str) -> int:
    """Check a site from a page in your browser.

    Start, watch, stop, and take the report and the sitemap. It listens on 127.0.0.1 alone, and checks addresses and
    folders below the current one. Needs the extra `ui`.
    """
    if missing := [name for name in _NEEDS if find_spec(name) is None]:
        what = f"the screen needs {' and '.join(missing)}, which {'are' if len(missing) > 1 else 'is'} not installed"
        raise UsageError(what, hint=_install_hint(os.environ, Path(sys.prefix)))
    from sitemap_action.ui.server import serve  # noqa: PLC0415 - its packages are those of an extra

    console = Console(os.environ)
    flags = ("--tls-verify", str(tls_verify).lower(), "--allow-private-hosts", allow_private_hosts)
    try:
        serve(port, KNOWN, flags, console.log, browse=not no_open)
    except KeyboardInterrupt:
        console.log("ended")
    return 0


def _install_hint(environment: Mapping[str, str], prefix: Path) -> str:
    """The command that adds the extra to this copy of the program, however it was installed (U-40).

    It names the packages and not the extra: a copy from a path or a git address has no name in an index.
    """
    packages = " ".join(_NEEDS)
    if (prefix / "pipx_metadata.json").exists():
        return f"pipx inject sitemap-action {packages}"
    more = " ".join(f"--with {name}" for name in _NEEDS)
    if (prefix / "uv-receipt.toml").exists():
        return f"install it again with its source: uv tool install {more} SOURCE"
    if "UV" in environment:  # which uv names to what it runs
        return f"write {more} behind uvx, or behind uv run"
    if prefix == _IMAGE:
        return "a container has no browser: install the program outside of it, as in docs/commands.md"
    if find_spec("pip") is None:
        return f"uv pip install --python {shlex.quote(str(prefix))} {packages}"
    return f"{shlex.quote(sys.executable)} -m pip install {packages}"
