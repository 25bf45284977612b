"""The generic host: the URL that a file is listed under, and the response for a path."""

import pickle

import pytest

from sitemap_action.hosts.all import choose_host
from sitemap_action.hosts.base import BuildFiles, Host, HostResponse, why_unlisted

FILES = {
    "index.html",
    "file.html",
    "folder/index.html",
    "both.html",
    "both/index.html",
    "a b#1.html",
    "ü.html",
    "x.pdf",
    "legacy/index.htm",
}


MISSING = HostResponse(404)


def host() -> Host:
    def no_file(name: str) -> None:
        pytest.fail(f"reads {name}")

    return choose_host("generic")(BuildFiles(FILES, no_file)).host


@pytest.mark.parametrize(
    ("path", "address"),
    [
        ("index.html", "/"),  # HOST-02
        ("folder/index.html", "/folder/"),  # HOST-02
        ("folder/index.htm", "/folder/index.htm"),  # V-28
        ("folder/default.asp", "/folder/default.asp"),
        ("folder/INDEX.HTML", "/folder/INDEX.HTML"),
        ("file.html", "/file.html"),  # HOST-01: .html is kept
        ("aindex.html", "/aindex.html"),  # peers invent /a here
        ("a b#1.html", "/a%20b%231.html"),  # HOST-11
        ("100%.html", "/100%25.html"),  # HOST-11
        ("what?.html", "/what%3F.html"),  # HOST-11
        ("ü.html", "/%C3%BC.html"),  # HOST-11
        ("a+b~c(1)'s.html", "/a+b~c(1)'s.html"),  # URL-27: what needs no escape gets none
    ],
)
def test_HOST_02_HOST_11_address(path: str, address: str) -> None:
    assert host().address(path) == address


@pytest.mark.parametrize(
    ("url_path", "answer"),
    [
        ("/", HostResponse(200, "index.html")),
        ("/file.html", HostResponse(200, "file.html")),
        ("/file", MISSING),  # spec section 6: no clean URLs on a plain server
        ("/file/", MISSING),
        ("/file.html/", MISSING),
        ("/folder", HostResponse(301, location="/folder/")),
        ("/folder/", HostResponse(200, "folder/index.html")),
        ("/folder/index.html", HostResponse(200, "folder/index.html")),
        ("/both", HostResponse(301, location="/both/")),
        ("/both.html", HostResponse(200, "both.html")),
        ("/a%20b%231.html", HostResponse(200, "a b#1.html")),
        ("/%C3%BC.html", HostResponse(200, "ü.html")),
        ("/%FC.html", MISSING),  # not UTF-8
        ("/%2e%2e/file.html", MISSING),  # nothing above the root
        ("//file.html", HostResponse(200, "file.html")),
        ("/missing/", MISSING),
        ("/legacy/", MISSING),  # V-28
        ("/legacy", MISSING),
        ("/legacy/index.htm", HostResponse(200, "legacy/index.htm")),
        ("//both", HostResponse(301, location="/both/")),
    ],
)
def test_answer(url_path: str, answer: HostResponse) -> None:
    assert host().answer(url_path) == answer


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("404.html", "error page of the host"),  # HOST-04
        ("docs/404.html", "error page of the host"),  # HOST-04: the nearest parent's page
        ("500.html", "error page of the host"),
        ("403.html", "error page of the host"),
        ("google0123456789abcdef.html", "ownership verification file"),
        ("BingSiteAuth.xml", "ownership verification file"),
        ("p/501.html", ""),  # V-27: an article
        ("501.html", ""),
        ("p/500.html", ""),
        ("p/403.html", ""),
        ("1404.html", ""),
        ("404/index.html", ""),  # a page that is named so
        ("google-fonts.html", ""),
        ("_gatsby/slices/_gatsby-scripts-1.html", "a part that a framework puts into pages"),
        ("guide/_next/index.html", ""),
        ("errors/http-404.html", ""),
        ("docs/google0123456789abcdef.html", ""),  # verification files lie at the root
    ],
)
def test_HOST_04_unlisted(path: str, reason: str) -> None:
    assert why_unlisted(path) == reason


def test_a_host_reaches_worker_processes() -> None:
    assert pickle.loads(pickle.dumps(host())).answer("/folder/") == HostResponse(200, "folder/index.html")
