"""The host table of spec section 6, over its fixture: file.html, folder/index.html, both.html and both/index.html."""

import re

import pytest

from documents import text
from sitemap_action.hosts.all import HOSTS, choose_host
from sitemap_action.hosts.azure_swa import AZURE
from sitemap_action.hosts.base import BuildFiles, Host, HostResponse
from sitemap_action.hosts.cloudflare import PAGES, WORKERS, AssetHost, Handling
from sitemap_action.hosts.firebase import FIREBASE
from sitemap_action.hosts.netlify import NOT_PRETTY, PRETTY
from sitemap_action.hosts.page_spellings import PLAIN_HOSTS, Spellings, StaticHost
from sitemap_action.hosts.vercel import VERCEL

FILES = frozenset(
    {"index.html", "file.html", "folder/index.html", "both.html", "both/index.html", "a b#1.html", "x.pdf"}
)
PATHS = ("/file", "/file/", "/file.html", "/folder", "/folder/", "/folder/index.html", "/both", "/both/")

# ok: 200 from the page's file; 404; a path: redirect. For /both, the file that answers.
TABLE: tuple[tuple[str, Spellings | Handling, str, tuple[str, str]], ...] = (
    (
        "github-pages",
        PLAIN_HOSTS["github-pages"],
        "ok 404 ok /folder/ ok ok both.html both/index.html",
        ("/file.html", "/folder/"),
    ),
    ("netlify", PRETTY, "ok /file ok /folder/ ok ok both.html /both", ("/file", "/folder/")),
    ("netlify-plain", NOT_PRETTY, "ok ok ok ok ok ok both.html both.html", ("/file.html", "/folder/")),
    ("vercel", VERCEL[False, None], "404 404 ok ok ok ok both/index.html both/index.html", ("/file.html", "/folder/")),
    ("vercel clean", VERCEL[True, None], "ok ok /file ok ok /folder both.html both.html", ("/file", "/folder")),
    (
        "vercel clean, no slash",
        VERCEL[True, False],
        "ok /file /file ok /folder /folder both.html /both",
        ("/file", "/folder"),
    ),
    (
        "vercel clean, slash",
        VERCEL[True, True],
        "/file/ ok /file/ /folder/ ok /folder/ /both/ both.html",
        ("/file/", "/folder/"),
    ),
    (
        "vercel no slash",
        VERCEL[False, False],
        "404 404 ok ok /folder ok both/index.html /both",
        ("/file.html", "/folder"),
    ),
    (
        "vercel slash",
        VERCEL[False, True],
        "404 404 ok /folder/ ok ok /both/ both/index.html",
        ("/file.html", "/folder/"),
    ),
    (
        "cloudflare-pages",
        PAGES,
        "ok /file /file /folder/ ok /folder/ both.html both/index.html",
        ("/file", "/folder/"),
    ),
    (
        "cloudflare-workers",
        WORKERS["auto-trailing-slash"],
        "ok /file /file /folder/ ok /folder/ both.html both/index.html",
        ("/file", "/folder/"),
    ),
    (
        "s3-website",
        PLAIN_HOSTS["s3-website"],
        "404 404 ok /folder/ ok ok /both/ both/index.html",
        ("/file.html", "/folder/"),
    ),
    ("nginx", PLAIN_HOSTS["nginx"], "404 404 ok /folder/ ok ok /both/ both/index.html", ("/file.html", "/folder/")),
    (
        "nginx-clean",
        PLAIN_HOSTS["nginx-clean"],
        "ok 404 ok ok ok ok both/index.html both/index.html",
        ("/file.html", "/folder/"),
    ),
    ("render", PLAIN_HOSTS["render"], "ok ok ok ok ok ok both.html both.html", ("/file.html", "/folder/")),
    ("azure-swa", AZURE[""], "ok /file ok ok ok ok both.html /both", ("/file", "/folder/")),
    ("firebase", FIREBASE[False, None], "404 404 ok /folder/ ok ok /both/ both/index.html", ("/file.html", "/folder/")),
    (
        "firebase clean",
        FIREBASE[True, False],
        "ok /file /file ok /folder /folder both/index.html /both",
        ("/file", "/folder"),
    ),
)


@pytest.mark.parametrize(("spellings", "cells", "listed"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE])
def test_HOST_table(spellings: Spellings | Handling, cells: str, listed: tuple[str, str]) -> None:
    host = host_of(spellings)
    assert (host.address("file.html"), host.address("folder/index.html")) == listed
    for path, cell in zip(PATHS, cells.split(), strict=True):
        assert host.answer(path) == _response(path, cell, spellings.status), path


def host_of(spellings: Spellings | Handling) -> Host:
    return AssetHost(FILES, spellings) if isinstance(spellings, Handling) else StaticHost(FILES, spellings)


def _response(path: str, cell: str, status: int) -> HostResponse:
    if cell == "404":
        return HostResponse(404)
    if cell.startswith("/"):
        return HostResponse(status, location=cell)
    return HostResponse(200, cell if cell != "ok" else "file.html" if path.startswith("/file") else "folder/index.html")


@pytest.mark.parametrize("spellings", [row[1] for row in TABLE], ids=[row[0] for row in TABLE])
def test_what_no_host_treats_differently(spellings: Spellings | Handling) -> None:
    host = host_of(spellings)
    assert host.answer("/") == HostResponse(200, "index.html")
    assert host.answer("/x.pdf") == HostResponse(200, "x.pdf")
    joined = isinstance(spellings, Handling) and spellings.strict  # Workers join slashes before they look
    double = "/none//" if joined else "/both//"
    assert host.answer("/none") == host.answer("/%ff") == host.answer(double) == HostResponse(404)
    assert host.address("x.pdf") == "/x.pdf"
    assert host.address("index.html") == "/"
    for file in FILES:  # HOST-10: what is listed answers 200, but for the page behind a page of the same name
        response = host.answer(host.address(file))
        assert response.status == 200 or file.startswith("both"), file
    assert host.address("a b#1.html").startswith("/a%20b%231")  # HOST-11


def test_the_table_of_the_page() -> None:
    """What is listed without a control file: one form, or the one that the site uses where the host serves several."""
    rows = re.findall(r"(?m)^\| (`[^|]+) \| ([^|]+) \| ([^|]+) \|[^|]+\|$", text("docs/hosts.md").partition("\n## ")[0])
    seen: set[str] = set()
    for names, *cells in rows[1:]:
        for name in re.findall(r"`([^`]+)`", names):
            host = choose_host(name)(BuildFiles(FILES, lambda _: None)).host
            for file, cell in zip(("file.html", "folder/index.html"), cells, strict=True):
                stem = f"/{file.partition('.')[0].partition('/')[0]}"
                forms = {host.preferring([f"{stem}{end}"]).address(file) for end in ("", "/", ".html")}
                assert f"`{host.address(file)}`" in cell, (name, cell)
                assert ("the form that the site uses" in cell) is (len(forms) > 1), (name, cell)
            seen.add(name)
    assert seen == {*HOSTS}


# host, URL paths that the site uses, addresses of file.html and folder/index.html
USED = (
    ("github-pages", (), ("/file.html", "/folder/")),
    ("github-pages", ("/file", "/none", "/x.pdf", "/"), ("/file", "/folder/")),
    ("github-pages", ("/file", "/a%20b%231.html"), ("/file.html", "/folder/")),  # a draw
    ("github-pages", ("/folder",), ("/file.html", "/folder/")),  # which redirects
    ("netlify-plain", ("/file/", "/folder"), ("/file/", "/folder")),
    ("netlify", ("/file.html",), ("/file", "/folder/")),  # this host has no choice: it names one in its headers
    ("vercel", ("/folder",), ("/file.html", "/folder")),
    ("nginx-clean", ("/file",), ("/file", "/folder/")),
    ("nginx", ("/folder/index.html",), ("/file.html", "/folder/")),
    ("azure-swa", ("/folder",), ("/file", "/folder")),
)


@pytest.mark.parametrize(("host", "used", "addresses"), USED)
def test_of_several_spellings_the_one_that_the_site_uses(
    host: str, used: tuple[str, ...], addresses: tuple[str, str]
) -> None:
    found = choose_host(host)(BuildFiles(FILES, lambda _: None)).host.preferring(used)
    assert (found.address("file.html"), found.address("folder/index.html")) == addresses
    assert found.preferring(()).answer(addresses[0]).status == 200
