"""One line for each request, in every command that fetches (U-15)."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from runner_model import commands
from servers import Site, serve
from sitemap_action.__main__ import run

PAGE = "<!doctype html><title>A page</title><p>" + "some words " * 60


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.chdir(tmp_path)
    with serve({"/": PAGE, "/sitemap.xml": 404, "*": 404}) as served:
        urls = f"<url><loc>{served.url}</loc></url>"
        served.routes["/s.xml"] = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{urls}</urlset>'
        yield served


COMMANDS = {
    "check": ("check", "--url", "{url}", "--site-url", "{url}", "--baseline", "committed"),
    "read": ("read", "{url}s.xml"),
    "validate": ("validate", "{url}s.xml"),
    "diff": ("diff", "{url}s.xml", "{url}s.xml"),
    "robots": ("robots", "{url}robots.txt", "--agent", "Googlebot", "{url}"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_line_for_each_request(
    site: Site, name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = [part.format(url=site.url) for part in COMMANDS[name]]
    run(arguments)
    assert "GET " not in capsys.readouterr().err
    for flag in ("--verbose", "--debug"):
        site.asked.clear()
        run([*arguments, flag])
        lines = [line for line in capsys.readouterr().err.splitlines() if line.startswith("GET ")]
        assert len(lines) == len(site.asked) > 0
        assert all(re.fullmatch(r"GET http\S+ \(\w+\): [45]?\d.* after [\d,]+ ms", line) for line in lines)
    monkeypatch.setenv("RUNNER_DEBUG", "1")
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    run(arguments)
    assert [one.data[:4] for one in commands(capsys.readouterr().out) if one.name == "debug"] == ["GET "] * len(lines)


SET = ("--set", "http.engine=httpx")


@pytest.mark.parametrize("name", ["check", "read"])
def test_a_key_without_effect_is_a_warning(site: Site, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """It is accepted, and neither the exit code nor the report depends on it."""
    arguments = [part.format(url=site.url) for part in COMMANDS[name]]
    codes = run(arguments), run([*arguments, *SET])
    warning = "warning: --set: http.engine has no effect any more, and may be left out: libcurl sends every request"
    assert capsys.readouterr().err.splitlines().count(warning) == 1
    assert codes[0] == codes[1]
