"""Secret headers are sent to their origin only, whatever redirect, link, sitemap or proxy there is (NET-12)."""

import json
import os
from pathlib import Path

import pytest

from servers import Reply, Route, Site, redirect, serve
from sitemap_action.__main__ import run

SITE = "https://www.example.com/"
NAME, SECRET = "x-bypass", "s3cr3t-t0k3n-of-the-preview"


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SITEMAP_ACTION_HEADERS", f"{NAME}: {SECRET}")
    return tmp_path


def page(*links: str, head: str = "") -> str:
    anchors = "".join(f'<a href="{link}">{link}</a> ' for link in links)
    return f"<!doctype html><title>Page</title>{head}<main>{anchors}{'some words ' * 60}</main>"


def with_secret(site: Site) -> list[str]:
    """Paths of requests that carried the secret."""
    return [asked.path for asked in site.asked if SECRET in str(asked.headers)]


@pytest.mark.attack("secrets")
def test_no_other_origin_gets_the_secret(workspace: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Another port of the same host is another origin; requests to both are allowed."""
    with serve({"*": page()}) as other:
        routes: dict[str, Route] = {
            "/": page(
                "/hop",
                "/meta",
                f"{other.url}link",
                head=f'<link rel="canonical" href="{other.url}canonical">'
                f'<link rel="alternate" hreflang="de" href="{other.url}alternate"><base href="/">',
            ),
            "/robots.txt": Reply(f"Sitemap: {other.url}sitemap.xml\nSitemap: /moved.xml\n", type="text/plain"),
            "/moved.xml": redirect(f"{other.url}moved.xml"),
            "/hop": redirect(f"{other.url}hop"),
            "/meta": page(head=f'<meta http-equiv="refresh" content="0; url={other.url}meta">'),
            "*": 404,
        }
        with serve(routes) as site:
            flags = ["--url", site.url, "--site-url", SITE, "--allow-private-hosts", "127.0.0.1"]
            run(["check", *flags, "--state", "state", "--events", "events", "--report", "json=report.json", "--debug"])
            assert {"/", "/robots.txt", "/hop", "/meta"} <= set(with_secret(site))
            assert len(with_secret(site)) == len(site.asked)
        assert with_secret(other) == []
    output = capfd.readouterr()
    kept = b"".join(path.read_bytes() for path in workspace.iterdir())
    assert SECRET not in output.out + output.err
    assert SECRET.encode() not in kept


@pytest.mark.attack("addresses")
def test_private_addresses_that_a_site_links_to_are_not_requested() -> None:
    """NET-13: only the configured origin may be private."""
    with serve({"*": page()}) as neighbour:
        routes: dict[str, Route] = {
            "/": page("/a"),
            "/robots.txt": Reply(f"Sitemap: {neighbour.url}sitemap.xml\n", type="text/plain"),
            "/a": page(),
            "*": 404,
        }
        with serve(routes) as site:
            run(["check", "--url", site.url, "--site-url", SITE, "--report", "json=report.json", "--quiet"])
        assert neighbour.asked == []
    report = json.loads(Path("report.json").read_text())
    assert report["counts"]["urls"] == 2


@pytest.mark.attack("secrets")
def test_a_proxy_gets_no_secret_of_a_tunnel(monkeypatch: pytest.MonkeyPatch) -> None:
    """The proxy reads the headers of a CONNECT request."""
    with serve({"*": 403}) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.url)
        monkeypatch.setenv("NO_PROXY", "")
        run(
            ["check", "--url", "https://preview.example.net/", "--site-url", SITE, "--set", "http.retries=0", "--quiet"]
        )
        assert [asked.method for asked in proxy.asked][:1] == ["CONNECT"]
        assert with_secret(proxy) == []


@pytest.mark.attack("secrets")
def test_a_config_file_cannot_choose_where_secrets_go(capfd: pytest.CaptureFixture[str]) -> None:
    with serve({"*": page()}) as other:
        Path("c.yml").write_text(f"site-url: {SITE}\nsource: {{url: '{other.url}'}}\n")
        assert run(["check", "--config", "c.yml"]) == 2
        assert other.asked == []
    assert "SITEMAP_ACTION_HEADERS is set, and --url gives no address" in capfd.readouterr().err


@pytest.mark.attack("secrets")
def test_a_config_file_cannot_choose_it_for_the_action_either(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("SITEMAP_ACTION_HEADERS")
    with serve({"/": page(), "*": 404}) as other:
        Path(".github").mkdir()
        Path(".github/sitemap.yml").write_text(f"site-url: {SITE}\nsource: {{url: '{other.url}'}}\n")
        monkeypatch.setenv("INPUT_HEADERS", f"{NAME}: {SECRET}")
        assert run(["run"]) == 2
        assert other.asked == []
        assert "input headers is set, and url is not" in "".join(capfd.readouterr())
        monkeypatch.setenv("INPUT_URL", other.url)
        assert run(["run"]) == 1
        assert with_secret(other)
    assert os.environ["INPUT_HEADERS"] not in "".join(capfd.readouterr())
