"""What a site declares: robots.txt, the usual paths, and the committed sitemap's address."""

import asyncio

import pytest

from sitemap_action.fetch.base import Failure, RequestKind, Skip
from sitemap_action.walk.declared import Declared, discover
from webs import HOME, Web, at

PATHS = ("/sitemap.xml", "/sitemap.txt")
USUAL = (at("/sitemap.xml"), at("/sitemap.txt"))


def found(robots: object, site: str = HOME, *likely: str) -> Declared:
    web = Web({"/robots.txt": robots})
    declared = asyncio.run(discover(web, site, PATHS, likely))
    assert [(request.url, request.kind) for request in web.requests] == [(at("/robots.txt"), RequestKind.ROBOTS)]
    return declared


# what it is, robots.txt, seeds, usual paths, notes
CASES = (
    ("many lines, in any case, anywhere, on any host (RB-24)", "SITEMAP: https://cdn.example.net/テスト.xml\nUser-agent: *\nsitemap:https://www.example.com/b.xml # why\n", ["https://cdn.example.net/%E3%83%86%E3%82%B9%E3%83%88.xml", at("/b.xml")], USUAL, []),
    ("a line twice", "Sitemap: https://www.example.com/a.xml\nSitemap: https://www.EXAMPLE.com/a.xml", [at("/a.xml")], USUAL, []),
    ("relative is resolved, and said (SM-68)", "Sitemap: /a.xml", [at("/a.xml")], USUAL, ["https://www.example.com/robots.txt:1: /a.xml is relative; it is read as https://www.example.com/a.xml"]),
    ("no address at all", "Sitemap: file:///etc/passwd", [], USUAL, ["https://www.example.com/robots.txt:1: file:///etc/passwd is not the address of a sitemap"]),
    ("a robots.txt without such a line", "User-agent: *\nDisallow:", [], USUAL, []),
    ("none (RB-20)", 404, [], USUAL, []),
    ("forbidden is none (RB-20)", 403, [], USUAL, []),
    ("six redirects are none (RB-19)", Skip("", "too many redirects", failure=Failure.REDIRECTS), [], USUAL, []),
    ("our own group forbids a path (RB-31, NET-02)", "User-agent: sitemap-action\nDisallow: /sitemap.xml", [], USUAL[1:], ["https://www.example.com/sitemap.xml is not requested: https://www.example.com/robots.txt:2 disallows it"]),
    ("a declared sitemap that is forbidden (RB-31)", "User-agent: *\nDisallow: /\nSitemap: https://www.example.com/a.xml\nSitemap: https://cdn.example.net/b.xml", ["https://cdn.example.net/b.xml"], [], ["https://www.example.com/a.xml is not requested: https://www.example.com/robots.txt:2 disallows it"]),
)  # fmt: skip


@pytest.mark.parametrize(
    ("robots", "seeds", "usual", "notes"), [row[1:] for row in CASES], ids=[row[0] for row in CASES]
)
def test_what_is_declared(robots: object, seeds: list[str], usual: list[str], notes: list[str]) -> None:
    declared = found(robots)
    assert (list(declared.seeds), list(declared.usual), list(declared.notes)) == (seeds, list(usual), notes)
    assert not declared.unreachable


@pytest.mark.parametrize(
    ("robots", "why"),
    [(503, "answers 503"), (429, "answers 429"), (Skip("", "timed out", failure=Failure.TIMEOUT), "timed out")],
)
def test_RB_21_nothing_is_concluded_from_a_robots_txt_that_cannot_be_read(robots: object, why: str) -> None:
    declared = found(robots)
    assert (declared.unreachable, declared.seeds, declared.usual) == (why, (), ())


def test_usual_paths_are_tried_in_the_directory_first_and_likely_ones_before_them() -> None:
    declared = found(404, at("/docs/index.html"), at("/docs/map.xml"))
    assert declared.usual == (at("/docs/map.xml"), at("/docs/sitemap.xml"), at("/docs/sitemap.txt"), *USUAL)


def test_what_robots_txt_says_is_handed_on() -> None:
    assert found("Sitemap: /a.xml").robots == b"Sitemap: /a.xml"
    assert found(404).robots is None
