"""S-19: no JSON that a command prints has a character that nobody sees, or that turns the direction of text."""

import json
from pathlib import Path

import pytest

from hostile import everything
from sitemap_action.__main__ import run
from sitemap_action.reports.all import FORMATS, render

HIDDEN = "a\u200bb\u202ec\u2066d\u2028e\u00adf\ufeffg\U000e0041h\x9bi"
JSON = [form for form in FORMATS if form in {"json", "sarif", "gitlab"}]


def _hidden(text: str) -> set[str]:
    return set(HIDDEN) & set(text) - set("abcdefghi")


@pytest.mark.attack("injection")
@pytest.mark.parametrize("form", JSON)
def test_S_19_a_report_escapes_what_nobody_sees(form: str) -> None:
    text = render(form, everything(HIDDEN))
    assert not _hidden(text)
    json.loads(text)
    if form == "json":
        assert r"a\u200bb\u202ec\u2066d\u2028e" in text
        assert HIDDEN in json.loads(text)["notes"], "and it means the same"


COMMANDS = {
    "validate": ["validate", "s.xml", "--format", "json"],
    "explain": [
        "explain",
        f"https://www.example.com/{HIDDEN}",
        "--path",
        ".",
        "--site-url",
        "https://www.example.com/",
        "--format",
        "json",
    ],
    "robots": [
        "robots",
        "robots.txt",
        "--agent",
        f"x{HIDDEN}",
        f"https://www.example.com/{HIDDEN}",
        "--format",
        "json",
    ],
    "diff": ["diff", "s.xml", "t.xml", "--format", "json"],
    "read": ["read", "s.xml", "--format", "jsonl"],
    "rules": ["rules", "--format", "json"],
}


@pytest.mark.attack("injection")
@pytest.mark.parametrize("arguments", COMMANDS.values(), ids=COMMANDS)
def test_S_19_a_command_escapes_what_nobody_sees(arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    rows = f"<url><loc>https://www.example.com/{HIDDEN[:-2]}</loc><priority>{HIDDEN[:-2]}</priority></url>"
    (tmp_path / "s.xml").write_text(f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{rows}</urlset>')
    (tmp_path / "t.xml").write_text('<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"></urlset>')
    (tmp_path / "robots.txt").write_text(f"User-agent: *\nDisallow: /{HIDDEN}\n")
    (tmp_path / "index.html").write_text("<title>x</title>")
    run(arguments)
    printed = capsys.readouterr().out
    assert printed
    assert not _hidden(printed)
