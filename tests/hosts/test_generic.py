"""The generic host: which URL a file is listed under, and what a path answers."""

import pytest

from sitemap_action.hosts.base import Missing, Redirect, Serve
from sitemap_action.hosts.control import unlisted
from sitemap_action.hosts.generic import Generic

FILES = {
    "index.html",
    "file.html",
    "folder/index.html",
    "both.html",
    "both/index.html",
    "a b#1.html",
    "ü.html",
    "x.pdf",
}


@pytest.mark.parametrize(
    ("path", "address"),
    [
        ("index.html", "/"),  # HOST-02
        ("folder/index.html", "/folder/"),  # HOST-02
        ("folder/index.htm", "/folder/"),  # HOST-02
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
    assert Generic().address(path) == address


@pytest.mark.parametrize(
    ("url_path", "answer"),
    [
        ("/", Serve("index.html")),
        ("/file.html", Serve("file.html")),
        ("/file", Missing()),  # spec section 6: no clean URLs on a plain server
        ("/file/", Missing()),
        ("/file.html/", Missing()),
        ("/folder", Redirect("/folder/", 301)),
        ("/folder/", Serve("folder/index.html")),
        ("/folder/index.html", Serve("folder/index.html")),
        ("/both", Redirect("/both/", 301)),
        ("/both.html", Serve("both.html")),
        ("/a%20b%231.html", Serve("a b#1.html")),
        ("/%C3%BC.html", Serve("ü.html")),
        ("/%FC.html", Missing()),  # not UTF-8
        ("/%2e%2e/file.html", Missing()),  # nothing above the root
        ("//file.html", Serve("file.html")),
        ("/missing/", Missing()),
    ],
)
def test_answer(url_path: str, answer: object) -> None:
    assert Generic().answer(url_path, FILES) == answer


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("404.html", "error page of the host"),  # HOST-04
        ("docs/404.html", "error page of the host"),  # HOST-04: the nearest parent's page
        ("500.html", "error page of the host"),
        ("403.html", "error page of the host"),
        ("google0123456789abcdef.html", "ownership verification file"),
        ("BingSiteAuth.xml", "ownership verification file"),
        ("404/index.html", ""),  # a page that is named so
        ("google-fonts.html", ""),
        ("errors/http-404.html", ""),
        ("docs/google0123456789abcdef.html", ""),  # verification files lie at the root
    ],
)
def test_HOST_04_unlisted(path: str, reason: str) -> None:
    assert unlisted(path) == reason
