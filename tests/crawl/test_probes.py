"""Addresses that nobody has ever linked: what a host says of pages that are not there (HTML-46)."""

import asyncio

import pytest

from crawls import HOME, PREVIEW, Table, at, document, gate, leads
from sitemap_action.crawl.probes import MAX_DIRECTORIES, Probes
from sitemap_action.crawl.url_filter import UrlFilter
from sitemap_action.fetch.base import Answer, Failure, Request, Response, Skip, Want
from sitemap_action.model.page import PageKind
from sitemap_action.web.site_mapping import SiteMapping


class Always(Table):
    """One answer for everything."""

    def __init__(self, answer: Answer) -> None:
        super().__init__({})
        self.answer = answer

    async def fetch(self, request: Request) -> Answer:
        self.requests.append(request)
        return self.answer._replace(url=request.url)


def probes(web: Table, at_gate: UrlFilter | None = None, *urls: str) -> Probes:
    """What the site was asked, and then each of the directories that hold these URLs."""
    asked = Probes(web, at_gate or gate(), HOME)

    async def ask() -> None:
        await asked.at_site()
        await asked.below(urls)

    asyncio.run(ask())
    return asked


def test_HTML_46_one_random_path_a_directory() -> None:
    web = Table({})
    found = probes(web, None, at("/blog/a")).pages
    assert [page.kind for page in found] == [PageKind.GONE, PageKind.GONE]
    assert [page.url for page in found] == [request.url for request in web.requests]
    assert {request.want for request in web.requests} == {Want.PROBE}
    names = [page.url.rpartition("/")[2] for page in found]
    assert [len(name) for name in names] == [25, 25]
    assert names[0] != names[1]
    assert found[1].url.startswith(at("/blog/"))


def test_NET_16_the_same_paths_in_every_run() -> None:
    webs = [Table({}), Table({})]
    for web in webs:
        probes(web)
    assert webs[0].asked == webs[1].asked


def test_ENV_02_asked_where_the_site_is_served_and_told_as_on_the_site() -> None:
    body = document(head=f'<link rel="canonical" href="{PREVIEW}">').encode()
    web = Always(Response("", 200, (("content-type", "text/html"), ("x-robots-tag", "noindex")), body))
    (found,) = probes(web, gate(mapping=SiteMapping(HOME, PREVIEW))).pages
    assert web.requests[0].url.startswith(PREVIEW)
    assert found.url.startswith(HOME)
    assert found.facts is not None
    assert [one.url for one in found.facts.canonicals] == [HOME]
    assert [one.rule for one in found.facts.directives] == ["noindex"]  # ENV-03


def test_a_redirect_is_told_as_on_the_site() -> None:
    web = Always(leads(f"{PREVIEW}404"))
    (found,) = probes(web, gate(mapping=SiteMapping(HOME, PREVIEW))).pages
    assert (found.kind, found.target) == (PageKind.REDIRECT, at("/404"))


def test_NET_02_no_probe_where_nobody_is_to_ask() -> None:
    web = Table({})
    at_gate = gate(robots="User-agent: *\nDisallow: /private/\n", exclude=("/tag/**",))
    found = probes(web, at_gate, at("/private/a"), at("/tag/a"), at("/b/a")).pages
    assert [page.url.rpartition("/")[0] for page in found] == [HOME[:-1], at("/b")]
    assert len(web.asked) == 2
    assert asyncio.run(Probes(web, gate(robots="User-agent: *\nDisallow: /\n"), HOME).at_site()) is None


BELOW = [
    ("the site itself", [HOME, at("/a")], []),
    ("in order, each once", [at("/b/c"), at("/b/d/e"), at("/a/x")], ["/a/", "/b/"]),
    ("another host", ["https://other.example/z/y"], []),
    ("a slash in a query", [at("/?next=/a/b"), at("/search?in=/c/")], []),
    ("nothing but files that are no pages", [at("/assets/a.css"), at("/img/b.png"), at("/img/c")], ["/img/"]),
    ("not too many", [at(f"/{number:02}/x") for number in range(99)], [f"/{n:02}/" for n in range(MAX_DIRECTORIES)]),
]


@pytest.mark.parametrize(("urls", "expected"), [row[1:] for row in BELOW], ids=[row[0] for row in BELOW])
def test_directories_right_below_the_site(urls: list[str], expected: list[str]) -> None:
    web = Table({})
    probes(web, gate(skip=["assets"]), *urls)
    assert [path.rpartition("/")[0] + "/" for path in web.asked] == ["/", *expected]


def test_a_directory_is_asked_once_and_the_limit_holds_for_all() -> None:
    web = Table({})
    asked = Probes(web, gate(), HOME)

    async def ask() -> None:
        for last in (MAX_DIRECTORIES - 1, MAX_DIRECTORIES - 1, MAX_DIRECTORIES + 9):
            await asked.below(at(f"/{number}/x") for number in range(last))

    asyncio.run(ask())
    assert len(web.asked) == len(set(web.asked)) == MAX_DIRECTORIES


@pytest.mark.parametrize(
    ("answer", "asked"),
    [(Skip("", "no answer within 30 seconds", failure=Failure.TIMEOUT), 1), (Response("", 503), 2)],
)
def test_who_leaves_one_without_an_answer_is_not_asked_again(answer: Answer, asked: int) -> None:
    assert len(probes(Always(answer), None, at("/a/x")).pages) == asked


@pytest.mark.parametrize(
    ("answer", "served"),
    [
        (Response("", 404, (("content-type", "text/html"),), b"no"), False),
        (Response("", 200, (("content-type", "text/html"),), b"no"), True),
        (Response("", 200, (("content-type", "application/pdf"),), b"%PDF"), False),
        (leads(HOME), False),
    ],
)
def test_HTML_46_whether_there_is_a_document_to_compare_with(answer: Response, served: bool) -> None:
    assert probes(Always(answer)).served is served
