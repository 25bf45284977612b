"""docs/security.md says what the code does; `python tests/test_security_page.py` writes its table of modules anew."""

import ast
import re
import sys
from functools import cache
from pathlib import Path

import pytest

from sbom import LOCK, locked
from sitemap_action.__main__ import sitemap_action
from sources import ONE_PROCESS, nodes, parse

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs/security.md"
PACKAGE = ROOT / "sitemap_action"
# Everything of the standard library and of the lock that can open a connection or start a program that does.
LIBRARIES = {
    "pycurl", "httpx", "httpcore", "h11", "anyio", "requests", "urllib3", "subprocess", "socket", "ssl", "ftplib", "smtplib", "poplib",
    "imaplib", "telnetlib", "xmlrpc", "socketserver", "http.client", "http.server", "urllib.request", "multiprocessing.connection",
    "uvicorn", "webbrowser",
}  # fmt: skip
PURPOSES = {
    "browser/process.py": "Chromium, which has no network: what its pages load comes from the requests below",
    "fetch/curl.py": "requests of a crawl, of `read`, `validate` and `diff`, through libcurl; each address is judged before it is connected to",
    "publish/indexnow.py": "IndexNow, with `index-now-key`: URLs of pages that changed, to api.indexnow.org alone",
    "repo/github_api.py": "GitHub's API: the token's only way",
    "repo/git_directory.py": "the resolver, for the address of the host that `git fetch` is to reach",
    "repo/git_process.py": "git, the only program beside Chromium that is started, whose `fetch` alone gets proxies and authorities",
    "ui/session.py": "`ui`: this program again, which is the run",
    "ui/server.py": "`ui`: listens on 127.0.0.1, connects to nothing; opens its address in the user's browser",
}
TEXT = PAGE.read_text(encoding="utf-8")
ROWS = (ROOT / "tests/security.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"(?s)(<!-- egress -->\n).*?(<!-- /egress -->)")


def imported(path: Path) -> set[str]:
    """The modules of LIBRARIES, wherever in the file they are imported; by a name in a text, too."""
    found: set[str] = set()
    text = path.read_text(encoding="utf-8")
    if not any(library.rpartition(".")[2] in text for library in LIBRARIES):
        return found
    for node in nodes(parse(text)):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [one.name for one in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or "", *(f"{node.module}.{one.name}" for one in node.names)]
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) in {
            "import_module",
            "__import__",
        }:
            names = [one.value for one in node.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
        found |= {
            library for library in LIBRARIES for name in names if name == library or name.startswith(f"{library}.")
        }
    return found


@cache
def modules() -> dict[str, set[str]]:
    found = {path.relative_to(PACKAGE).as_posix(): imported(path) for path in sorted(PACKAGE.rglob("*.py"))}
    return {name: libraries for name, libraries in found.items() if libraries}


def table() -> str:
    rows = [f"| `{name}` | {', '.join(sorted(found))} | {PURPOSES[name]} |\n" for name, found in modules().items()]
    return BLOCK.sub(lambda found: found[1] + "".join(rows) + found[2], TEXT)


@ONE_PROCESS
def test_every_module_that_can_connect_is_on_the_page() -> None:
    assert set(modules()) == set(PURPOSES), "say what the module connects to, and whether --offline holds there"
    assert table() == TEXT, "run: python tests/test_security_page.py"


def test_a_module_that_connects_is_found(tmp_path: Path) -> None:
    for code in (
        "import pycurl",
        "def f():\n    from urllib import request",
        "import http.client as c",
        "from httpx import get",
    ):
        path = tmp_path / "x.py"
        path.write_text(code)
        assert imported(path), code
    path.write_text("from urllib.parse import quote\nfrom http import HTTPStatus\n")
    assert not imported(path)


@ONE_PROCESS
def test_no_code_is_made_of_text() -> None:
    """No shell, no eval, no unpickling: what is read is data."""
    banned = re.compile(
        r"\b(?:eval|exec|__import__|os\.system|os\.popen|pickle\.loads?|marshal\.loads?|yaml\.(?:unsafe_)?load)\(?"
    )
    names = re.compile(r"eval|exec|__import__|system|popen|loads?|subprocess")
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        for node in nodes(parse(text)) if names.search(text) else ():
            if isinstance(node, ast.Call):
                called = ast.unparse(node.func)
                assert not banned.fullmatch(called), f"{path}: {ast.unparse(node)}"
                assert not (called.startswith("subprocess.") and any(one.arg == "shell" for one in node.keywords)), path


@pytest.mark.parametrize("name", [row[0] for row in locked(LOCK.read_text(encoding="utf-8"))])
def test_every_dependency_has_a_statement(name: str) -> None:
    assert re.search(rf"(?m)^\| `{re.escape(name)}` \|( [^|]+ \|){{4}}$", ROWS)


def test_no_dependency_is_named_that_is_gone() -> None:
    part = ROWS[ROWS.index("## Each dependency") :]
    assert set(re.findall(r"(?m)^\| `([\w-]+)` \|", part)) == {
        row[0] for row in locked(LOCK.read_text(encoding="utf-8"))
    }


@pytest.mark.parametrize("command", ["check", "write"])
def test_the_commands_have_the_option_that_the_page_promises(command: str) -> None:
    assert f"`{command} --offline`" in TEXT
    assert any("--offline" in option.opts for option in sitemap_action.get_command(None, command).params)  # type: ignore[arg-type, union-attr]


def test_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\((?!https?://|#)([^)#]+)", TEXT):
        assert (PAGE.parent / target).exists(), target
    assert "](docs/security.md" in (ROOT / "SECURITY.md").read_text(encoding="utf-8")


def test_each_row_of_the_table_of_attackers_is_a_test() -> None:
    tests = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    named = re.findall(r"`(test_\w+)`", ROWS)
    assert len(named) > 20
    assert [name for name in named if f"def {name}(" not in tests] == []
    attackers = set(re.findall(r"(?m)^\| ([a-z ]+) \| .* \| `test_", ROWS))
    assert attackers == {"pull request", "artifact", "earlier step", "neighbour", "site", "edge"}
    shown = {found for name in named for found in re.findall(r"S_(\d\d)", name)}
    assert shown >= {f"{number:02}" for number in range(1, 20)}, "each row of S has its test on the page"


if __name__ == "__main__":
    PAGE.write_text(table(), encoding="utf-8")
    sys.stdout.write(f"{PAGE.name}\n")
