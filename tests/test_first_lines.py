"""The first line says what is the case, and what to do; a host name that does not exist is a first deployment."""

import asyncio
import socket
from pathlib import Path

import pytest

from repositories import create, git
from sitemap_action.__main__ import run
from sitemap_action.look import web_sitemaps
from test_stated_base import NAMES, build, urlset

SITE = "https://acme.io/"
PAGES = NAMES[:20]


def test_I_08_pages_of_the_baseline_are_lost_and_the_sitemap_is_true(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    build(here / "dist", PAGES)
    urlset(here / "sitemap.xml", SITE, PAGES)
    urlset(here / "before.xml", SITE, [*PAGES, "a/", "b/", "c/"])
    assert run(["check", "--path", "dist", "--site-url", SITE, "--baseline", "before.xml"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "drift: 3 pages of the baseline are lost; the sitemap matches the site (exit 1)"
    assert lines[-1].startswith("→ Restore the lost pages, redirect each to its successor")


def test_I_08_another_failure_beside_a_true_sitemap(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    build(here / "dist", PAGES)
    urlset(here / "sitemap.xml", SITE, PAGES)
    urlset(here / "before.xml", SITE, PAGES[:-1])
    given = ["--path", "dist", "--site-url", SITE, "--baseline", "before.xml", "--fail-on", "added"]
    assert run(["check", *given]) == 1
    assert (
        capsys.readouterr().out.splitlines()[0] == "drift: the sitemap matches the site, and the check fails (exit 1)"
    )


def test_I_11_old_debt_is_no_removal_of_this_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    here = create(tmp_path / "repository")
    monkeypatch.chdir(here)
    build(here / "dist", PAGES)
    urlset(here / "sitemap.xml", SITE, [*PAGES, "dead/"])
    git(here, "add", "sitemap.xml")
    git(here, "commit", "-qm", "x")
    assert run(["check", "--path", "dist", "--site-url", SITE, "--baseline", "git:HEAD"]) == 1
    printed = capsys.readouterr().out
    assert "Listed in sitemap.xml, but gone (before this change) (1)" in printed
    assert "Removed with this change" not in printed
    urlset(here / "sitemap.xml", SITE, PAGES)
    assert run(["check", "--path", "dist", "--site-url", SITE, "--baseline", "git:HEAD"]) == 1
    assert "Removed with this change: gone (1)" in capsys.readouterr().out


NO_NAME = "http://nowhere.invalid/"  # RFC 6761: a name that exists nowhere


@pytest.mark.parametrize(
    ("failure", "code", "first"),
    [
        (socket.EAI_NONAME, 0, "in-sync: the sitemap matches the site"),
        (socket.EAI_AGAIN, 3, "inconclusive: not enough was read for a verdict"),
    ],
)
def test_I_12_a_name_that_does_not_exist_is_a_first_deployment(
    failure: int, code: int, first: str, here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def resolve(*_: object, **__: object) -> None:
        raise socket.gaierror(failure, "as the resolver says")

    monkeypatch.setattr(asyncio.BaseEventLoop, "getaddrinfo", resolve)
    monkeypatch.setattr("sitemap_action.run.production", web_sitemaps.production)
    build(here / "dist", PAGES)
    urlset(here / "dist/sitemap.xml", NO_NAME, PAGES)
    assert run(["check", "--path", "dist", "--site-url", NO_NAME]) == code
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(first)
    assert any("first deployment" in line for line in lines) is (code == 0)
    assert lines[-1].startswith("→ With --offline or ") is (code == 3)
