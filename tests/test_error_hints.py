"""Every error that ends a run says what to do: it is raised with a hint, unless it is named here with the reason."""

import ast
from pathlib import Path

import pytest

from sources import ONE_PROCESS, nodes, parse

PACKAGE = Path(__file__).parents[1] / "sitemap_action"
ERRORS = {
    "UsageError",
    "BaselineError",
    "PublishError",
    "UnreachableError",
}  # the text of ConfigError has what is allowed
# File → why what it raises needs no hint.
EXEMPT = {
    "cli/effects.py": "the process without root asked for what no run asks for: nobody can do anything but report it",
    "publish/apply.py": "as above",
}


def without_hint(path: Path) -> list[str]:
    found = []
    for node in nodes(parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ERRORS:
            hints = [one.value for one in node.keywords if one.arg == "hint"]
            if not hints or (isinstance(hints[0], ast.Constant) and not hints[0].value):
                found.append(f"line {node.lineno}: {ast.unparse(node)[:120]}")
    return found


FILES = [
    path for path in sorted(PACKAGE.rglob("*.py")) if any(name in path.read_text(encoding="utf-8") for name in ERRORS)
]


@ONE_PROCESS
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_an_error_says_what_to_do(path: Path) -> None:
    if path.relative_to(PACKAGE).as_posix() not in EXEMPT:
        assert without_hint(path) == []


@ONE_PROCESS
def test_no_exemption_is_left_over() -> None:
    assert [name for name in EXEMPT if not without_hint(PACKAGE / name)] == []


def test_one_without_a_hint_is_found(tmp_path: Path) -> None:
    path = tmp_path / "x.py"
    path.write_text("raise UsageError('no')\nraise UsageError('no', hint='')\nraise UsageError('no', hint='do this')\n")
    assert [found.partition(":")[0] for found in without_hint(path)] == ["line 1", "line 2"]
