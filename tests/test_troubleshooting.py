"""docs/troubleshooting.md: each message that it quotes is one of the program, and what a newcomer meets is on it."""

import ast
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import click
import pytest

from documents import ROOT, text
from sitemap_action.__main__ import run
from sources import ONE_PROCESS, nodes, parse

PAGE = text("docs/troubleshooting.md")
HEADINGS = re.findall(r"(?m)^### (.+)$", PAGE)
QUOTED = [message for heading in HEADINGS for message in re.findall(r"`([^`]+)`", heading)]
# Said by GitHub's API: nothing here has these words.
OF_OTHERS = {"Resource not accessible by integration"}


@cache
def said() -> str:
    """Every text of the package, one a line, with … where a value stands."""
    sources = [*sorted((ROOT / "sitemap_action").rglob("*.py")), *sorted(Path(click.__file__).parent.glob("*.py"))]
    found = [ROOT.joinpath("action/start.sh").read_text(encoding="utf-8")]
    for path in sources:
        for node in nodes(parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.JoinedStr):
                pieces = (one.value if isinstance(one, ast.Constant) else "…" for one in node.values)
                found.append("".join(map(str, pieces)).replace("\n", " "))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.append(node.value.replace("\n", " "))
    return "\n".join(found)


def pattern(message: str) -> str:
    """The pieces between two … in this order."""
    return ".*".join(re.escape(piece.strip()) for piece in message.split("…") if piece.strip())


@ONE_PROCESS
@pytest.mark.parametrize("message", QUOTED)
def test_a_quoted_message_is_in_the_code(message: str) -> None:
    pieces = [piece for piece in message.split("…") if piece.strip()]
    assert sum(map(len, pieces)) > 8, "too few words to be found by"
    in_code = re.search(pattern(message), said()) or all(
        re.search(re.escape(piece.strip()), said()) for piece in pieces
    )
    assert bool(in_code) is (message not in OF_OTHERS)


@ONE_PROCESS
def test_every_heading_is_a_message() -> None:
    plain = [heading for heading in HEADINGS if "`" not in heading]
    assert plain == ["In a container localhost is the container itself"]
    assert plain[0] in said()


def file(path: str, content: str) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(content)


def configured(content: str) -> Callable[[], None]:
    return lambda: file(".github/sitemap.yml", content)


def built() -> None:
    file("dist/index.html", "<!doctype html><title>Home</title><h1>Home</h1>")


SITE = "--site-url=https://www.example.com/"
MISTAKES: list[tuple[str, Callable[[], None], tuple[str, ...], int]] = [
    # what is said, what is there, command, exit code
    ("no site is given", lambda: None, ("check", SITE), 2),
    ("the folder … does not exist", lambda: None, ("check", "--path=dist", SITE), 2),
    ("the folder … has no page", lambda: Path("dist").mkdir(), ("check", "--path=dist", SITE, "--offline"), 3),
    ("site-url is not set, and …", built, ("check", "--path=dist"), 2),
    ("… counts as a preview, for …; site-url is not set, and …", lambda: None, ("check", "https://x.invalid/"), 2),
    ("… is not a known key … did you mean …?", configured("sitmap: x\n"), ("check",), 2),
    ("… is not one of …", configured("policy: {fail-on: [staale]}\n"), ("check",), 2),
    ("not valid YAML: …", configured("policy:\n  a: 1\n b: 2\n"), ("check",), 2),
    ("path and url are both given, and a run that writes reads one of them", built, ("write", "--path=dist", "--url=https://www.example.com/"), 2),
    ("there is no command …", lambda: None, ("chekc",), 2),
    ("No such option …", lambda: None, ("check", "--pat", "dist"), 2),
    ("…: no such file", lambda: None, ("validate", "sitemap.xml"), 2),
    ("there is no sitemap at …", lambda: None, ("diff", "a.xml", "b.xml"), 2),
    ("… is not well-formed XML", lambda: (file("sitemap.xml", "<urlset"), built())[1], ("check", "--path=dist", SITE, "--offline"), 2),
    ("there is no sitemap yet: a first one goes to …, which the next build removes", built, ("write", "--path=dist", SITE, "--offline"), 0),
    ("there is no sitemap yet; … would be listed in …", built, ("check", "--path=dist", SITE, "--offline"), 1),
    ("host unknown: pages are listed under the addresses that the site itself uses; name it in source.host", built, ("check", "--path=dist", SITE, "--offline"), 1),
    ("… is recognised, and …", lambda: (file("svelte.config.js", ""), file("package.json", '{"devDependencies": {"@sveltejs/kit": "2"}}')), ("init",), 2),
    ("… is not a rule", lambda: None, ("rules", "SM-99"), 2),
    ("cannot use the state …: its folder does not exist", built, ("check", "--path=dist", SITE, "--state=states/1"), 2),
    ("no connection", lambda: None, ("check", "--url=http://127.0.0.1:1/", SITE, "--sitemap=public/sitemap.xml"), 3),
    ("mode … writes to GitHub, and there is no token for it", built, ("commit", "--branch=main", "--path=dist", SITE), 2),
    ("… is not a state file of sitemap-action", lambda: (file("state", "x" * 5000), built())[1], ("check", "--path=dist", SITE, "--state=state"), 2),
]  # fmt: skip


@pytest.mark.parametrize(("message", "there", "command", "code"), MISTAKES, ids=[row[0] for row in MISTAKES])
def test_what_a_newcomer_meets_is_on_the_page(
    message: str,
    there: Callable[[], None],
    command: tuple[str, ...],
    code: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    there()
    assert message in QUOTED
    ended = run([*command])
    printed = "".join(capsys.readouterr())
    assert (ended, bool(re.search(pattern(message), printed))) == (code, True), printed
