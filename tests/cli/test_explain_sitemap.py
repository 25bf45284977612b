"""`explain` of a sitemap: why it cannot be fetched, or read."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from servers import Reply, Site, closed, redirect, serve
from sitemap_action.__main__ import run

NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def urlset(*urls: str) -> str:
    rows = "".join(f"<url><loc>{url}</loc></url>\n" for url in urls)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset {NAMESPACE}>\n{rows}</urlset>\n'


def index(*urls: str) -> str:
    rows = "".join(f"<sitemap><loc>{url}</loc></sitemap>\n" for url in urls)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<sitemapindex {NAMESPACE}>\n{rows}</sitemapindex>\n'


def xml(body: str | bytes, **headers: str) -> Reply:
    return Reply(
        body, headers={name.replace("_", "-"): value for name, value in headers.items()}, type="application/xml"
    )


ROBOTS = """User-agent: Bingbot
Disallow: /half

User-agent: *
Disallow: /closed

Sitemap: /sitemap.xml
Sitemap: /index.xml
"""


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with serve({"/robots.txt": Reply(ROBOTS, type="text/plain")}) as found:
        own = urlset(found.url, f"{found.url}a/")
        found.routes |= {
            "/sitemap.xml": xml(own),
            "/index.xml": xml(index(f"{found.url}child.xml.gz")),
            "/child.xml.gz": Reply(gzip.compress(own.encode()), type="application/gzip"),
            "/coded.xml": xml(gzip.compress(own.encode()), Content_Encoding="gzip"),
            "/cut.xml": xml(own[:-12]),
            "/wrong.xml": xml(urlset(found.url, "nonsense")),
            "/page.xml": "<!doctype html><title>Not found</title>",
            "/login.xml": "<!doctype html><form><input type=password></form>",
            "/empty.xml": xml(""),
            "/far.xml": redirect("/near.xml"),
            "/near.xml": redirect("/sitemap.xml", 302),
            "/loop.xml": redirect("/pool.xml"),
            "/pool.xml": redirect("/loop.xml"),
            "/half.xml": xml(own),
            "/closed.xml": xml(own),
            "/wall.xml": Reply("Attention", 403, {"Server": "cloudflare", "CF-Ray": "1"}),
            "/challenge.xml": Reply("Just a moment", 503, {"cf-mitigated": "challenge"}),
            "/reset.xml": closed(),
            "/hostile.xml": xml("<urlset>\x1b[2J##[add-mask]\n::error::x"),
        }
        yield found


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def explained(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run(["explain", *arguments, "--set", "http.retries=0"]) == 0
    return capsys.readouterr().out


def as_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(explained(capsys, *arguments, "--format", "json"))
    return found


SERVED = [
    # (path, first line without the origin, rows)
    ("/sitemap.xml", "can be fetched: urlset, 2 URLs", ["answer      200, application/xml", "named by    /robots.txt:7", "encoding    utf-8"]),
    ("/index.xml", "can be fetched: sitemapindex, 1 sitemap", ["named by    /robots.txt:8"]),
    ("/child.xml.gz", "can be fetched: urlset, 2 URLs", ["inflated", "named by    /index.xml:3"]),
    ("/coded.xml", "can be fetched: urlset, 2 URLs", ["200, application/xml, Content-Encoding gzip", "inflated"]),
    ("/cut.xml", "can be fetched, and is damaged: line 4: the document is not well-formed XML", ["document    urlset, "]),
    ("/wrong.xml", "can be fetched, and is not valid: SM-21, line 4: the URL is not an absolute", ["findings    1 error"]),
    ("/page.xml", "can be fetched, and is no sitemap: line 1: ", ["answer      200, text/html"]),
    ("/login.xml", "cannot be fetched: /login.xml answers with a page that asks for a password", []),
    ("/empty.xml", "can be fetched, and is no sitemap: the document is empty", ["size        0 bytes"]),
    ("/far.xml", "can be fetched: urlset", ["redirect    301 to /near.xml", "redirect    302 to /sitemap.xml"]),
    ("/loop.xml", "cannot be fetched: redirects in a loop, back to /loop.xml", ["remedy      name the address that"]),
    ("/half.xml", "cannot be fetched by Bingbot: /robots.txt:2: Disallow: /half", ["allowed for Googlebot (no line"]),
    ("/closed.xml", "cannot be fetched: /robots.txt:5 forbids this program to request it", ["not allowed for Googlebot"]),
    ("/wall.xml", "cannot be fetched: /wall.xml answers 403", ["remedy      allow the User-Agent of this run"]),
    ("/challenge.xml", "cannot be fetched: /challenge.xml answers with a bot challenge of Cloudflare", ["Cloudflare's firewall"]),
    ("/missing.xml", "cannot be fetched: /missing.xml answers 404", ["named by    no line of robots.txt"]),
    ("/reset.xml", "cannot be fetched: the connection was closed without an answer", ["remedy      try again"]),
]  # fmt: skip


@pytest.mark.parametrize(("path", "first", "rows"), SERVED, ids=[path for path, _, _ in SERVED])
def test_a_served_sitemap(
    path: str, first: str, rows: list[str], site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    found = explained(capsys, site.origin + path).replace(site.origin, "")
    assert found.splitlines()[0].startswith(first)
    for row in rows:
        assert row in found
    assert as_json(capsys, site.origin + path)["usable"] == (", and" not in first and "cannot" not in first)


def test_the_answer_for_programs(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    found = as_json(capsys, f"{site.url}far.xml")
    assert [(one["status"], one["to"]) for one in found["hops"]] == [
        (301, f"{site.url}near.xml"),
        (302, f"{site.url}sitemap.xml"),
    ]
    assert (found["status"], found["media_type"], found["document"]["kind"]) == (200, "application/xml", "urlset")
    assert found["document"]["entries"] == 2
    assert {row["agent"]: row["allowed"] for row in found["robots"]} == {"Googlebot": True, "Bingbot": True}


def test_robots_txt_that_cannot_be_read_closes_the_host(capsys: pytest.CaptureFixture[str]) -> None:
    """RB-21."""
    with serve({"/robots.txt": 503, "/sitemap.xml": xml(urlset("http://127.0.0.1/"))}) as down:
        found = explained(capsys, f"{down.url}sitemap.xml").replace(down.origin, "")
        assert found.startswith("cannot be fetched: /robots.txt: answers 503; until it can be read")
        assert "/sitemap.xml" not in down.paths


def test_a_server_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    with serve({}) as gone:
        address = f"{gone.url}sitemap.xml"
    assert explained(capsys, address).startswith(f"cannot be fetched: {gone.url}robots.txt: ")


def test_a_path_is_one_of_the_site(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    assert explained(capsys, "/sitemap.xml", "--url", site.url).startswith("can be fetched: urlset, 2 URLs")


BUILD = ["--path", "dist", "--site-url", "https://www.example.com/"]


@pytest.fixture
def dist(workspace: Path) -> Path:
    folder = workspace / "dist"
    folder.mkdir()
    (folder / "sitemap.xml").write_text(index("https://www.example.com/pages.xml"))
    (folder / "pages.xml").write_text(urlset("https://www.example.com/"))
    (folder / "robots.txt").write_text("Sitemap: https://www.example.com/sitemap.xml\n")
    return folder


@pytest.mark.parametrize(
    ("address", "rows"),
    [
        ("dist/pages.xml", ["can be read: urlset, 1 URL\n", "file        dist/pages.xml", "not read    the address"]),
        ("/sitemap.xml", ["can be read: sitemapindex, 1 sitemap\n", "named by    dist/robots.txt:1"]),
        ("https://www.example.com/pages.xml", ["can be read: urlset, 1 URL\n", "named by    dist/sitemap.xml:3"]),
    ],
)
def test_a_sitemap_of_a_build(address: str, rows: list[str], dist: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = explained(capsys, address, *BUILD)
    for row in rows:
        assert row in found


@pytest.mark.attack("arguments")
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["/missing.xml", *BUILD], "cannot read dist/missing.xml: No such file or directory"),
        (["/%2e%2e/%2e%2e/secret.xml", *BUILD], "cannot read dist/"),
        (["/..%2f..%2fsecret.xml", *BUILD], "cannot read dist/"),
        (["missing.xml"], "missing.xml is no file, and no site is known"),
        (["https://user:hunter2secret@www.example.com/sitemap.xml"], "a user name or password"),
        (["https://www.example.com/\x1b[2Jsitemap.xml"], "a raw control character"),
        ([f"https://www.example.com/{'x' * 9000}.xml"], "longer than 8192 characters"),
        (["https://www.example.com/sitemap.xml", "--offline"], "would be requested"),
        (["/sitemap.xml", "--url", "auto"], "/sitemap.xml is no file, and no site is known"),
    ],
)
def test_what_cannot_be_answered_is_a_sentence(
    arguments: list[str], says: str, dist: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (dist.parent / "secret.xml").write_text(urlset("https://secret.example.com/"))
    assert run(["explain", *arguments]) == 2
    captured = capsys.readouterr()
    assert says in captured.err
    assert "hint: " in captured.err
    assert not any(mark in captured.out + captured.err for mark in ("\x1b", "hunter2secret", "secret.example"))


def test_a_hostile_document_is_printed_on_its_lines(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    found = explained(capsys, f"{site.url}hostile.xml")
    assert not any(mark in found for mark in ("\x1b", "##[add", "\n::"))


def test_secret_headers_are_sent_to_the_given_address_alone(
    site: Site, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """NET-12: a sitemap on another host is requested without them."""
    monkeypatch.setenv("SITEMAP_ACTION_HEADERS", "X-Access: hunter2secret")
    explained(capsys, f"{site.url}sitemap.xml", "--url", site.url)
    assert site.asked[-1].header("x-access") == "hunter2secret"
    with serve({"/sitemap.xml": xml(urlset(site.url))}) as other:
        hosts = ["--allow-private-hosts", "127.0.0.1"]
        explained(capsys, f"{other.url}sitemap.xml", "--url", site.url, *hosts)
        assert other.paths
        assert not any(asked.header("x-access") for asked in other.asked)
    assert run(["explain", f"{site.url}sitemap.xml", "--url", "auto"]) == 2
    assert "SITEMAP_ACTION_HEADERS is set" in capsys.readouterr().err
