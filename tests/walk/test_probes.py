"""Probes of random paths: what a host answers for pages that do not exist (HTML-46)."""

import asyncio

import pytest

from crawls import HOME, PREVIEW, FakeWeb, at, document, make_filter, redirect_to
from sitemap_action.fetch.base import Answer, Failure, Request, RequestKind, Response, Skip
from sitemap_action.model.page import PageKind
from sitemap_action.walk.crawl import MAX_DIRECTORIES, Probes
from sitemap_action.walk.frontier import UrlFilter
from sitemap_action.web.spellings import SiteMapping


class Always(FakeWeb):
    """One answer for every request."""

    def __init__(self, answer: Answer) -> None:
        super().__init__({})
        self.answer = answer

    async def fetch(self, request: Request) -> Answer:
        self.requests.append(request)
        return self.answer._replace(url=request.url)


def send_probes(web: FakeWeb, url_filter: UrlFilter | None = None, *urls: str) -> Probes:
    """Probes of the site and of the directories of these URLs."""
    probes = Probes(web, url_filter or make_filter(), HOME)

    async def send() -> None:
        await probes.probe_site()
        await probes.probe_directories(urls)

    asyncio.run(send())
    return probes


def test_HTML_46_one_random_path_a_directory() -> None:
    web = FakeWeb({})
    found = send_probes(web, None, at("/blog/a")).pages
    assert [page.kind for page in found] == [PageKind.GONE, PageKind.GONE]
    assert [page.url for page in found] == [request.url for request in web.requests]
    assert {request.kind for request in web.requests} == {RequestKind.PROBE}
    names = [page.url.rpartition("/")[2] for page in found]
    assert [len(name) for name in names] == [25, 25]
    assert names[0] != names[1]
    assert found[1].url.startswith(at("/blog/"))


def test_NET_16_the_same_paths_in_every_run() -> None:
    webs = [FakeWeb({}), FakeWeb({})]
    for web in webs:
        send_probes(web)
    assert webs[0].requested == webs[1].requested


def test_ENV_02_requested_where_the_site_is_served_and_stored_as_on_the_site() -> None:
    body = document(head=f'<link rel="canonical" href="{PREVIEW}">').encode()
    web = Always(Response("", 200, (("content-type", "text/html"), ("x-robots-tag", "noindex")), body))
    (found,) = send_probes(web, make_filter(mapping=SiteMapping(HOME, PREVIEW))).pages
    assert web.requests[0].url.startswith(PREVIEW)
    assert found.url.startswith(HOME)
    assert found.facts is not None
    assert [one.url for one in found.facts.head.canonicals] == [HOME]
    assert [one.rule for one in found.facts.head.directives] == ["noindex"]  # ENV-03


def test_a_redirect_target_is_a_url_of_the_site() -> None:
    web = Always(redirect_to(f"{PREVIEW}404"))
    (found,) = send_probes(web, make_filter(mapping=SiteMapping(HOME, PREVIEW))).pages
    assert (found.kind, found.target) == (PageKind.REDIRECT, at("/404"))


def test_NET_02_no_probe_where_the_filter_blocks_it() -> None:
    web = FakeWeb({})
    url_filter = make_filter(robots="User-agent: *\nDisallow: /private/\n", exclude=("/tag/**",))
    found = send_probes(web, url_filter, at("/private/a"), at("/tag/a"), at("/b/a")).pages
    assert [page.url.rpartition("/")[0] for page in found] == [HOME[:-1], at("/b")]
    assert len(web.requested) == 2
    assert asyncio.run(Probes(web, make_filter(robots="User-agent: *\nDisallow: /\n"), HOME).probe_site()) is None


BELOW = [
    ("the site itself", [HOME, at("/a")], []),
    ("in order, each once", [at("/b/c"), at("/b/d/e"), at("/a/x")], ["/a/", "/b/"]),
    ("another host", ["https://other.example/z/y"], []),
    ("a slash in a query", [at("/?next=/a/b"), at("/search?in=/c/")], []),
    ("only files that are no pages", [at("/assets/a.css"), at("/img/b.png"), at("/img/c")], ["/img/"]),
    ("not too many", [at(f"/{number:02}/x") for number in range(99)], [f"/{n:02}/" for n in range(MAX_DIRECTORIES)]),
]


@pytest.mark.parametrize(("urls", "expected"), [row[1:] for row in BELOW], ids=[row[0] for row in BELOW])
def test_top_level_directories(urls: list[str], expected: list[str]) -> None:
    web = FakeWeb({})
    send_probes(web, make_filter(skip=["assets"]), *urls)
    assert [path.rpartition("/")[0] + "/" for path in web.requested] == ["/", *expected]


def test_a_directory_is_probed_once_and_the_limit_holds_for_all_calls() -> None:
    web = FakeWeb({})
    found = Probes(web, make_filter(), HOME)

    async def send() -> None:
        for last in (MAX_DIRECTORIES - 1, MAX_DIRECTORIES - 1, MAX_DIRECTORIES + 9):
            await found.probe_directories(at(f"/{number}/x") for number in range(last))

    asyncio.run(send())
    assert len(web.requested) == len(set(web.requested)) == MAX_DIRECTORIES


@pytest.mark.parametrize(
    ("answer", "count"),
    [(Skip("", "no answer within 30 seconds", failure=Failure.TIMEOUT), 1), (Response("", 503), 2)],
)
def test_after_a_probe_without_an_answer_no_other_is_sent(answer: Answer, count: int) -> None:
    assert len(send_probes(Always(answer), None, at("/a/x")).pages) == count


@pytest.mark.parametrize(
    ("answer", "served"),
    [
        (Response("", 404, (("content-type", "text/html"),), b"no"), False),
        (Response("", 200, (("content-type", "text/html"),), b"no"), True),
        (Response("", 200, (("content-type", "application/pdf"),), b"%PDF"), False),
        (redirect_to(HOME), False),
    ],
)
def test_HTML_46_whether_there_is_a_document_to_compare_with(answer: Response, served: bool) -> None:
    assert send_probes(Always(answer)).serves_document is served
