"""What the documents say equals what the code does; `python tests/test_docs.py` writes the generated parts anew."""

import re
import sys
from collections.abc import Callable
from pathlib import Path

import click
import pytest
import yaml

from sitemap_action.cli.look import outputs
from sitemap_action.cli.main import sitemap_action
from sitemap_action.cli.settings import KNOWN, RULES
from sitemap_action.config.export import options
from sitemap_action.config.schema import INPUTS
from sitemap_action.model.context import Mode
from sitemap_action.model.outcome import Diff, Look, Outcome, Result

ROOT = Path(__file__).parents[1]
CASES = ROOT / "tests/cases"
CONTEXT = click.Context(sitemap_action)
COMMANDS = {name: sitemap_action.get_command(CONTEXT, name) for name in sitemap_action.list_commands(CONTEXT)}
SHOWN = {name: command for name, command in COMMANDS.items() if command is not None and not command.hidden}
OUTSIDE_CONFIG = {"mode", "config", "summary", "report-path"}  # inputs that are no option of the config file


def option_table() -> str:
    rows = [f"| `{row.key}` | {_default(row.default)} | {_cell(row.help)} |" for row in options(KNOWN)]
    return "\n".join(["| key | default | meaning |", "|---|---|---|", *rows])


def rule_table() -> str:
    rows = [f"| {one.id} | {one.severity} | {one.needs} | {_cell(one.summary)} |" for one in RULES.values()]
    return "\n".join(["| rule | severity | needs | what must hold |", "|---|---|---|---|", *rows])


def red_check() -> str:
    return "```text\n" + (CASES / "three-accidents/expected/report.txt").read_text(encoding="utf-8") + "```"


def _default(text: str) -> str:
    return f"`{text}`" if re.fullmatch(r"[\[{].*[\]}]|[\w%.]+", text) else _cell(text)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")


GENERATED: list[tuple[str, str, Callable[[], str]]] = [
    ("README.md", "options", option_table),
    ("README.md", "red check", red_check),
    ("docs/rules.md", "rules", rule_table),
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


def test_the_readme_names_every_command_and_no_other() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    named = set(re.findall(r"(?m)^\| `([a-z]+)[^`]*` \|", text[: text.index("<!-- options -->")]))
    assert named == set(SHOWN)


@pytest.mark.parametrize("name", SHOWN)
def test_every_command_shows_an_example(name: str) -> None:
    assert (SHOWN[name].epilog or "").startswith(f"Example: sitemap-action {name} ")


ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))


def test_the_inputs_of_the_action_are_those_that_are_read() -> None:
    assert set(ACTION["inputs"]) == OUTSIDE_CONFIG | set(INPUTS)


def test_an_input_of_an_option_has_no_default_of_its_own() -> None:
    """The runner exports defaults always: one here would beat the config file."""
    assert {name for name, entry in ACTION["inputs"].items() if "default" in entry} == {"mode", "config", "summary"}
    for name in set(ACTION["inputs"]) - {"mode", "config", "summary"}:
        assert "Built-in default" in ACTION["inputs"][name]["description"], name


def test_the_modes_of_the_action_are_named() -> None:
    for mode in Mode:
        assert mode.value in ACTION["inputs"]["mode"]["description"]


def test_the_outputs_of_the_action_are_those_that_are_written() -> None:
    look = Look("https://x.com/", "folder", "dist", "sitemap.xml", "", same_baseline=True, first_run=False)
    assert set(outputs(Outcome(Result.IN_SYNC, 0, look, Diff(), ()), "r.json")) == set(ACTION["outputs"])


LINK = re.compile(r"\]\((?!https?://|#)([^)#]+)")


@pytest.mark.parametrize(
    "path",
    [
        "README.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
        "docs/how-it-works.md",
        "docs/rules.md",
        "sitemap_action/README.md",
    ],
)
def test_links_between_documents_lead_somewhere(path: str) -> None:
    file = ROOT / path
    for target in LINK.findall(file.read_text(encoding="utf-8")):
        assert (file.parent / target).exists(), target


if __name__ == "__main__":
    for path, name, content in GENERATED:
        file = ROOT / path
        file.write_text(regenerated(file.read_text(encoding="utf-8"), name, content()), encoding="utf-8")
        sys.stdout.write(f"{path}: {name}\n")
