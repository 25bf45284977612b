"""Commands that look at no site: rules explains them, ui serves a page on loopback."""

import json
import os
from difflib import get_close_matches
from importlib.util import find_spec
from itertools import groupby

import click

from sitemap_action.checks.consequences import consequence
from sitemap_action.checks.severity import family
from sitemap_action.cli.settings import KNOWN, RULES
from sitemap_action.console.streams import Console
from sitemap_action.errors import UsageError
from sitemap_action.model.finding import Needs, Rule, Severity

FAMILIES = {
    "DIFF": "what a change does to the site",
    "ENV": "previews, production and hosts that are not public",
    "EXT": "extensions of sitemaps",
    "HL": "language versions",
    "HOST": "static hosts",
    "HTML": "pages",
    "IMG": "images",
    "IN": "IndexNow",
    "NEWS": "news",
    "POL": "the policy of the check",
    "RB": "robots.txt",
    "SM": "sitemap files",
    "URL": "addresses of pages",
    "VID": "videos",
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
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="Output format.")
def rules(rule: str | None, form: str) -> int:
    """List the rules, or explain one of them."""
    chosen = [_find_rule(rule)] if rule else list(RULES.values())
    if form == "json":
        text = json.dumps([_rule_record(one) for one in chosen], indent=2, ensure_ascii=False) + "\n"
    else:
        text = _rule_text(chosen[0]) if rule else _rule_table(chosen)
    Console(os.environ).write_report(text, prose=form == "text" and bool(rule))
    return 0


def _find_rule(name: str) -> Rule:
    found = RULES.get(name.upper())
    if found is None:
        near = get_close_matches(name.upper()[:40], RULES, n=3, cutoff=0.6)
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
        "to accept it in one corner, in .github/sitemap.yml:",
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


_NEEDS = ("starlette", "uvicorn")


@click.command(epilog="Example: sitemap-action ui --port 8080")
@click.option("--port", type=click.IntRange(0, 65_535), default=0, help="Port on 127.0.0.1.  [default: a free one]")
@click.option("--no-open", is_flag=True, help="Print the address, and open no browser.")
@click.option("--tls-verify", type=bool, default=True, metavar="BOOL", help="Verify certificates.  [default: true]")
@click.option(
    "--allow-private-hosts", default="", metavar="LIST", help="Private hosts, addresses or ranges to connect to."
)
def ui(port: int, *, no_open: bool, tls_verify: bool, allow_private_hosts: str) -> int:
    """Check a site from a page in your browser.

    Start, watch, stop, and take the report and the sitemap. It listens on 127.0.0.1 alone, and checks addresses and
    folders below the current one. Needs sitemap-action[ui].
    """
    if missing := [name for name in _NEEDS if find_spec(name) is None]:
        hint = "pip install 'sitemap-action[ui]', or with pipx: pipx inject sitemap-action starlette uvicorn"
        raise UsageError(f"the screen needs {' and '.join(missing)}, which is not installed", hint=hint)
    from sitemap_action.ui.server import serve  # noqa: PLC0415 - its packages are those of an extra

    console = Console(os.environ)
    flags = ("--tls-verify", str(tls_verify).lower(), "--allow-private-hosts", allow_private_hosts)
    try:
        serve(port, KNOWN, flags, console.log, browse=not no_open)
    except KeyboardInterrupt:
        console.log("ended")
    return 0
