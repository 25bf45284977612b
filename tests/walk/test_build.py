"""The build directory as a server: the answer for each URL, and for a file that cannot be read."""

import asyncio
import os
from pathlib import Path

import pytest

from sitemap_action.fetch.base import Request, Response, Skip
from sitemap_action.hosts.base import HostResponse
from sitemap_action.hosts.page_spellings import PLAIN_HOSTS, StaticHost
from sitemap_action.walk.build import MAX_BODY, BuildFetcher, media_type
from sitemap_action.web.headers import content_type

ROOT, BELOW = "https://x.com/", "https://x.com/docs/"
FILES = ("index.html", "a/index.html", "b.html", "ü ber.html", "paper.PDF", "LICENSE")


@pytest.fixture
def site(tmp_path: Path) -> Path:
    for path in FILES:
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(path, encoding="utf-8")
    return tmp_path


def fetcher(site: Path, base: str, *more: str) -> BuildFetcher:
    return BuildFetcher(str(site), base, StaticHost({*FILES, *more}, PLAIN_HOSTS["generic"]))


# base, URL, the file that answers
SERVED = (
    (ROOT, "https://x.com/", "index.html"),
    (ROOT, "https://x.com/index.html", "index.html"),  # a second spelling, with the same path
    (ROOT, "https://x.com/a/", "a/index.html"),
    (ROOT, "https://x.com/b.html", "b.html"),
    (ROOT, "https://x.com/b.html?page=2&q=/a/", "b.html"),  # a file server ignores the query
    (ROOT, "https://x.com/%C3%BC%20ber.html", "ü ber.html"),
    (BELOW, "https://x.com/docs/", "index.html"),  # the path of the base is not part of the build
    (BELOW, "https://x.com/docs/a/?x", "a/index.html"),
    (BELOW, "https://x.com/docs/b.html", "b.html"),
)


@pytest.mark.parametrize(("base", "url", "path"), SERVED)
def test_a_file_answers(site: Path, base: str, url: str, path: str) -> None:
    headers = (("content-type", "text/html"),)
    expected = Response(url, 200, headers, path.encode(), path=path)
    assert fetcher(site, base).answer(Request(url)) == expected
    assert asyncio.run(fetcher(site, base).fetch(Request(url))) == expected


# base, URL, target
REDIRECTS = (
    (ROOT, "https://x.com/a", "https://x.com/a/"),
    (ROOT, "https://x.com/a?x=1", "https://x.com/a/?x=1"),
    (BELOW, "https://x.com/docs/a", "https://x.com/docs/a/"),
)


@pytest.mark.parametrize(("base", "url", "target"), REDIRECTS)
def test_HOST_03_a_directory_without_slash_redirects(site: Path, base: str, url: str, target: str) -> None:
    assert fetcher(site, base).answer(Request(url)) == Response(url, 301, target=target)


MISSING = (
    (ROOT, "https://x.com/missing.html"),
    (ROOT, "https://x.com/b.html/"),  # a file is no directory
    (ROOT, "https://x.com/%FF.html"),  # no UTF-8
    (ROOT, "https://x.com/..%2Fsecret.html"),  # only listed files are opened
    (BELOW, "https://x.com/docs/docs/b.html"),
)


@pytest.mark.parametrize(("base", "url"), MISSING)
def test_no_file_answers(site: Path, base: str, url: str) -> None:
    assert fetcher(site, base).answer(Request(url)) == Response(url, 404)


def test_a_missing_file_is_skipped_with_its_reason(site: Path) -> None:
    url = "https://x.com/gone.html"
    reason = "cannot read gone.html: No such file or directory"
    assert fetcher(site, ROOT, "gone.html").answer(Request(url)) == Skip(url, reason, "gone.html")


def test_HTML_49_a_file_beyond_the_limit_is_skipped_unread(site: Path) -> None:
    (site / "big.html").touch()
    os.truncate(site / "big.html", MAX_BODY + 1)
    answer = fetcher(site, ROOT, "big.html").answer(Request("https://x.com/big.html"))
    assert answer == Skip("https://x.com/big.html", "big.html is larger than 64 MiB", "big.html")


def test_a_url_is_resolved_without_opening_a_file(tmp_path: Path) -> None:
    assert fetcher(tmp_path, ROOT).resolve("https://x.com/b.html?x") == HostResponse(200, "b.html")


class ScriptedHost:
    """Answers from a table of URL paths."""

    def __init__(self, table: dict[str, HostResponse]) -> None:
        self._table = table

    def address(self, path: str, /) -> str:
        return f"/{path}"

    def answer(self, url_path: str, /) -> HostResponse:
        return self._table.get(url_path, HostResponse(404))


TAG = (("x-robots-tag", "noindex"), ("x-robots-tag", "otherbot: nofollow"))
HTML = ("content-type", "text/html")
# what the host answers, the response of the fetcher for /docs/x
RESPONSES = (
    ("headers of a page", HostResponse(200, "b.html", headers=TAG), {"headers": (HTML, *TAG), "body": b"b.html", "path": "b.html"}),
    ("a file with its own status", HostResponse(404, "b.html"), {"status": 404, "headers": (HTML,), "body": b"b.html", "path": "b.html"}),
    ("a path below the deployment", HostResponse(302, location="/a/"), {"status": 302, "target": "https://x.com/docs/a/"}),
    ("another site", HostResponse(301, location="https://y.com/a"), {"status": 301, "target": "https://y.com/a"}),
    ("headers of a redirect", HostResponse(301, location="/a/", headers=TAG), {"status": 301, "target": "https://x.com/docs/a/", "headers": TAG}),
    ("no page, with headers", HostResponse(410, headers=TAG), {"status": 410, "headers": TAG}),
)  # fmt: skip


@pytest.mark.parametrize(("answer", "expected"), [pytest.param(*row[1:], id=row[0]) for row in RESPONSES])
def test_what_the_host_answers_becomes_the_response(
    site: Path, answer: HostResponse, expected: dict[str, object]
) -> None:
    url = f"{BELOW}x"
    found = BuildFetcher(str(site), BELOW, ScriptedHost({"/x": answer})).answer(Request(url))
    assert found == Response(url, 200)._replace(**expected)  # type: ignore[arg-type]


def test_a_type_that_the_host_states_wins(site: Path) -> None:
    host = ScriptedHost({"/b.html": HostResponse(200, "b.html", headers=(("content-type", "text/plain"),))})
    found = BuildFetcher(str(site), ROOT, host).answer(Request(f"{ROOT}b.html"))
    assert isinstance(found, Response)
    assert content_type(found.headers)[0] == "text/plain"


# path, type
TYPES = (
    ("a/b.html", "text/html"),
    ("B.HTM", "text/html"),
    ("x.xhtml", "application/xhtml+xml"),
    ("paper.PDF", "application/pdf"),
    ("photo.jpeg", "image/jpeg"),
    ("LICENSE", ""),  # no suffix
    ("html", ""),  # a name without a suffix
    ("x.unknown", ""),
    ("v1.2/changes", ""),  # the dot is not in the name
)


@pytest.mark.parametrize(("path", "kind"), TYPES)
def test_media_type(path: str, kind: str) -> None:
    assert media_type(path) == kind
