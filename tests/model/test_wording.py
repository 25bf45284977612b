"""Sentences speak of inputs to who reads a workflow, and of flags to who reads a command line (U-06)."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import sitemap_action
from sitemap_action.config.schema import INPUTS
from sitemap_action.fetch.base import Failure, remedy
from sitemap_action.model.wording import Audience, json_report, option, setting, speak_to
from sources import ONE_PROCESS, nodes, parse

NAMES = sorted({*INPUTS, "config", "state", "headers", "token", "tls-verify", "allow-private-hosts", "branch", "base"})
_PACKAGE = Path(sitemap_action.__file__).parent
_ONE_READER = (
    "__main__.py",
    "cli",
    "runner",
    "setup",
    "console",
)  # rooms and modules of the command line or of the action alone
_NAMED = re.compile(rf"(?<![\w-])--(?:{'|'.join(NAMES)}|report)(?![\w-])|\binputs? (?:{'|'.join(NAMES)})\b")


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    yield
    speak_to(Audience.COMMAND_LINE)


@pytest.mark.parametrize(
    ("reader", "named", "with_value", "secret", "report"),
    [
        (Audience.COMMAND_LINE, "--path", "--path dist", "the variable GITHUB_TOKEN", "--report json=FILE"),
        (Audience.WORKFLOW, "the input path", "path: dist", "the input token", "report.json (output report-json)"),
    ],
)
def test_an_option_in_the_words_of_its_reader(
    reader: Audience, named: str, with_value: str, secret: str, report: str
) -> None:
    speak_to(reader)
    assert (option("path"), option("path", "dist"), option("token"), json_report()) == (
        named,
        with_value,
        secret,
        report,
    )


def test_a_script_reads_of_parameters() -> None:
    speak_to(Audience.SCRIPT)
    assert option("state") == "the parameter state"
    assert option("tls-verify", "false") == "Http.tls_verify=False"
    assert option("allow-private-hosts") == "the parameter Http.allow_private_hosts"
    assert setting("sitemaps.max-documents") == "Limits.max_documents"
    assert setting("crawl.max-body") == ""
    assert remedy(Failure.TIMEOUT) == "try again, or raise Http.timeout"
    assert remedy(Failure.TOO_LARGE) == ""
    speak_to(Audience.COMMAND_LINE)
    assert setting("sitemaps.max-documents") == "sitemaps.max-documents"
    assert remedy(Failure.TOO_LARGE) == "raise crawl.max-body"


_KEY = re.compile(r"(?<![\w.])(?:crawl|sitemaps|http|select|source|output|policy)\.[a-z]+(?:-[a-z]+)*")


@ONE_PROCESS
def test_no_sentence_of_the_library_names_a_key_of_the_config() -> None:
    """Its modules are those that it loads for a URL; `setting` has the key, and the parameter for it."""
    code = (
        "import sys, sitemap_action.fetch.curl; from sitemap_action import sitemaps\n"
        "print(*(m.__file__ for n, m in sys.modules.items() if n.startswith('sitemap_action.')))"
    )
    paths = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert len(paths) > 40
    found = [
        f"{path}:{one.lineno}: {one.value}"
        for path in map(Path, paths)
        if path.name not in {"faults.py", "patterns.py"}  # of the documentation, and of the config alone
        for one in texts(parse(path.read_text()))
        if " " in str(one.value) and _KEY.search(str(one.value))
    ]
    assert not found, "\n".join(found)


def texts(tree: ast.AST) -> Iterator[ast.Constant]:
    """All but docstrings, which the user does not read."""
    skipped = {id(one.value) for one in nodes(tree) if isinstance(one, ast.Expr)}
    for one in nodes(tree):
        if isinstance(one, ast.Constant) and isinstance(one.value, str) and id(one) not in skipped:
            yield one


def run_on_import(node: ast.AST) -> Iterator[ast.AST]:
    for one in ast.iter_child_nodes(node):
        if not isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield one
            yield from run_on_import(one)


@ONE_PROCESS
def test_no_sentence_is_made_before_its_reader_is_known() -> None:
    found = [
        f"{path.relative_to(_PACKAGE)}:{one.lineno}: {one.func.id}"
        for path in sorted(_PACKAGE.rglob("*.py"))
        if path.relative_to(_PACKAGE).parts[0] not in _ONE_READER
        for one in run_on_import(parse(path.read_text()))
        if isinstance(one, ast.Call) and isinstance(one.func, ast.Name)
        if one.func.id in {"option", "json_report", "kept_sitemap", "on_command_line"}
    ]
    assert not found, "\n".join(found)


@ONE_PROCESS
def test_no_sentence_for_both_readers_names_a_flag_or_an_input() -> None:
    found = [
        f"{path.relative_to(_PACKAGE)}:{one.lineno}: {one.value}"
        for path in sorted(_PACKAGE.rglob("*.py"))
        if path.relative_to(_PACKAGE).parts[0] not in _ONE_READER and path.name != "wording.py"
        for one in texts(parse(path.read_text()))
        if " " in str(one.value) and _NAMED.search(str(one.value)) and "sitemap-action write" not in str(one.value)
    ]
    assert not found, "\n".join(found)
