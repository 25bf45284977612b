"""What the documents say equals what the code does; `python tests/test_docs.py` writes the generated parts anew."""

import re
import sys
from collections.abc import Callable
from pathlib import Path

import click
import pytest

from runners import SITE, urlset
from sitemap_action.__main__ import run, sitemap_action
from sitemap_action.checks.all import fault_cases
from sitemap_action.cli.options import RULES
from sitemap_action.config.options import option_rows
from sitemap_action.runner.event import TABLE, VARIABLES
from sitemap_action.sitemap.faults import TOLERANCES
from test_generator_findings import findings_table

ROOT = Path(__file__).parents[1]
CASES = ROOT / "tests/cases"
CONTEXT = click.Context(sitemap_action)
COMMANDS = {name: sitemap_action.get_command(CONTEXT, name) for name in sitemap_action.list_commands(CONTEXT)}
SHOWN = {name: command for name, command in COMMANDS.items() if command is not None and not command.hidden}


def option_table() -> str:
    rows = [f"| `{key}` | {_default(default)} | {_cell(text)} |" for key, _, default, text in option_rows()]
    return "\n".join(["| key | default | meaning |", "|---|---|---|", *rows])


def rule_table() -> str:
    rows = [f"| {one.id} | {one.severity} | {one.needs} | {_cell(one.summary)} |" for one in RULES.values()]
    return "\n".join(["| rule | severity | needs | what must hold |", "|---|---|---|---|", *rows])


def event_table() -> str:
    lines = [
        "| event | whose change | config file is read from | `mode: write` | commits, pull requests, comments | what GitHub gives |",
        "|---|---|---|---|---|---|",
    ]
    for row in TABLE:
        events = ", ".join(f"`{name}`" for name in row.events) or "every other"
        whose = "; ".join(row.authors)
        lines.append(
            f"| {events} | {whose} | {row.config} | {'yes' if row.writes else 'becomes `check`'} | "
            f"{'yes' if row.publishes else 'none'} | {row.credentials} |"
        )
    return "\n".join(lines)


def red_check() -> str:
    return "```text\n" + (CASES / "three-accidents/expected/report.txt").read_text(encoding="utf-8") + "```"


def _default(text: str) -> str:
    return f"`{text}`" if re.fullmatch(r"[\[{].*[\]}]|[\w%.]+", text) else _cell(text)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")


def tolerance_table() -> str:
    said = {
        "loc-schemeless": "a URL begins with //, without its scheme",
        **{code: case.message for code, (_, case) in fault_cases().items()},
    }
    rows = [f"| {_cell(said[code])} | {_cell(how)} | {_cell(source)} |" for code, (how, source) in TOLERANCES.items()]
    return "\n".join(["| fault | how it is read | source |", "|---|---|---|", *rows])


def variable_table() -> str:
    """Of each CI, what says that there is a request, and what of it is read."""
    parts = ("number", "target", "base", "head", "merge", "ref", "start", "repository", "commit", "branch", "run")
    rows = [
        f"| [{row.ci}]({row.documentation}) | {', '.join(f'`{name}`' for name in dict.fromkeys(getattr(row, part) for part in parts) if name)} |"
        for row in VARIABLES
    ]
    return "\n".join(["| CI | variables |", "|---|---|", *rows])


GENERATED: list[tuple[str, str, Callable[[], str]]] = [
    ("docs/configuration.md", "options", option_table),
    ("README.md", "red check", red_check),
    ("docs/other-ci.md", "variables", variable_table),
    ("docs/workflows.md", "events", event_table),
    ("docs/rules.md", "rules", rule_table),
    ("docs/commands.md", "tolerances", tolerance_table),
    ("docs/built-sitemap.md", "generators", findings_table),
]


def block(text: str, name: str) -> re.Match[str]:
    found = re.search(rf"(?s)(<!-- {name} -->\n).*?(\n<!-- /{name} -->)", text)
    assert found, f"the markers of {name} are missing"
    return found


def regenerated(text: str, name: str, content: str) -> str:
    found = block(text, name)
    return text[: found.end(1)] + content + text[found.start(2) :]


@pytest.mark.parametrize(
    ("path", "name", "content"), GENERATED, ids=lambda value: value if isinstance(value, str) else ""
)
def test_generated_parts_are_current(path: str, name: str, content: Callable[[], str]) -> None:
    text = (ROOT / path).read_text(encoding="utf-8")
    assert text == regenerated(text, name, content()), "run: python tests/test_docs.py"


def test_every_command_is_described_and_no_other() -> None:
    text = (ROOT / "docs/commands.md").read_text(encoding="utf-8").partition("\n## ")[0]
    assert set(re.findall(r"(?m)^\| `([a-z-]+)(?: [^`]*)?` \|", text)) == set(SHOWN)


def test_U_10_the_readme_opens_with_the_incident_and_is_short() -> None:
    """Then one line to try, then `init`."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.split()) <= 700
    order = [
        "deleted 31 pages",
        "951 old",
        "<!-- red check -->",
        "uvx --from ",
        "sitemap-action init",
        "- uses: ",
        "make demo",
    ]
    assert sorted(order, key=text.index) == order


def test_U_38_the_documentation_is_short() -> None:
    """Words without generated tables, of users' pages; those of contributors stand beside what they are about."""
    texts = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs").glob("*.md"))]
    words = sum(len(re.sub(r"(?s)<!-- ([\w -]+) -->\n.*?\n<!-- /\1 -->", "", text).split()) for text in texts)
    assert len(texts) <= 20, "make it a section of a page"
    assert words <= LONGEST, f"{words:,} words"


LONGEST = 18_000
REDIRECTS = [("/s1", "/"), ("/s2", "/"), ("/w/*", "/"), *((f"/r{n}", "/") for n in range(948))]


def test_U_37_what_the_readme_opens_with_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A pull request that deletes 31 of 40 pages, on a host that serves 102 of 951 redirects."""
    monkeypatch.chdir(tmp_path)
    names = ["", *(f"p{n}" for n in range(8))]
    links = "".join(f"<a href=/{name}/>{name}</a>" for name in names)
    for name in names:
        Path("dist", name).mkdir(parents=True, exist_ok=True)
        Path("dist", name, "index.html").write_text(
            f"<!doctype html><title>{name}</title><p>{name} {'word ' * 60}</p>{links}"
        )
    Path("dist/_redirects").write_text("".join(f"{old} {new} 301\n" for old, new in REDIRECTS))
    Path("sitemap.xml").write_text(urlset(*names))
    Path("before.xml").write_text(urlset(*names, *(f"old/{n}" for n in range(31))))
    given = ["--site-url", SITE, "--sitemap", "sitemap.xml", "--baseline", "before.xml", "--host", "cloudflare-pages"]
    assert run(["check", "dist", *given, "--offline"]) == 1
    printed = capsys.readouterr().out
    assert "31 pages of the baseline are lost: 31 gone" in printed
    assert "RT-04" in printed
    assert "(849 times)" in printed, "849 of 951"


@pytest.mark.parametrize("name", SHOWN)
def test_every_command_shows_an_example(name: str) -> None:
    assert (SHOWN[name].epilog or "").startswith(f"Example: sitemap-action {name} ")


_HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
_LINK = re.compile(r"\]\(([^)\n]*)(\)?)")


def _anchors(page: Path) -> set[str]:
    """Of the headings, as GitHub makes them."""
    titles = (re.sub(r"\[([^\]]*)\]\([^)]*\)|`", r"\1", one) for one in _HEADING.findall(page.read_text()))
    return {re.sub(r"[^\w\- ]", "", one).strip().lower().replace(" ", "-") for one in titles}


def test_links_of_the_documentation_lead_to_a_page_and_a_heading() -> None:
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), ROOT / "sitemap_action/README.md"]
    dead = []
    for page in pages:
        for target, end in _LINK.findall(re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(), flags=re.DOTALL)):
            path, _, anchor = target.partition("#")
            file = page.parent / path if path else page
            if not end or (":" not in path and (not file.exists() or (anchor and anchor not in _anchors(file)))):
                dead.append(f"{page.relative_to(ROOT)}: {target}")
    assert len(pages) > 20
    assert dead == []


if __name__ == "__main__":
    for path, name, content in GENERATED:
        file = ROOT / path
        file.write_text(regenerated(file.read_text(encoding="utf-8"), name, content()), encoding="utf-8")
        sys.stdout.write(f"{path}: {name}\n")
