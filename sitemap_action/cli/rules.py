"""`rules`: every rule, or one with its source and examples."""

import json
import os

import click

from sitemap_action.cli.settings import RULES
from sitemap_action.console.output import Console
from sitemap_action.errors import UsageError
from sitemap_action.model.finding import Rule


@click.command(epilog="Example: sitemap-action rules SM-14")
@click.argument("rule", required=False)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="Output format.")
def rules(rule: str | None, form: str) -> int:
    """List the rules, or explain one of them."""
    chosen = [_find(rule)] if rule else list(RULES.values())
    if form == "json":
        text = json.dumps([_document(one) for one in chosen], indent=2, ensure_ascii=False) + "\n"
    else:
        text = _explained(chosen[0]) if rule else _table(chosen)
    Console(os.environ).write_report(text)
    return 0


def _find(name: str) -> Rule:
    found = RULES.get(name.upper())
    if found is None:
        raise UsageError(f"{name} is not a rule", hint="`sitemap-action rules` lists all rules")
    return found


def _table(chosen: list[Rule]) -> str:
    lines = [f"{one.id:<8} {one.severity.value:<8} {one.needs.value:<9} {one.summary}" for one in chosen]
    return "\n".join([f"{'rule':<8} {'severity':<8} {'needs':<9} what must hold", *lines]) + "\n"


def _explained(one: Rule) -> str:
    cases = [f"  {code}: {severity}" for code, severity in one.cases.items()]
    lines = [
        f"{one.id} ({one.severity}, needs {one.needs})",
        one.summary,
        "",
        f"passes  {one.passes}",
        f"fails   {one.fails}",
        *([f"to do   {one.tip}"] if one.tip else []),
        *(["cases", *cases] if len(cases) > 1 else []),
        f"source  {one.source}",
    ]
    return "\n".join(lines) + "\n"


def _document(one: Rule) -> dict[str, object]:
    return {
        "id": one.id,
        "severity": one.severity.value,
        "needs": one.needs.value,
        "summary": one.summary,
        "passes": one.passes,
        "fails": one.fails,
        "tip": one.tip,
        "source": one.source,
        "cases": {code: severity.value for code, severity in one.cases.items()},
    }
