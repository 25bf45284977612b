"""Addresses that nobody has ever linked: what a host says of pages that are not there (HTML-46)."""

import asyncio

from crawls import HOME, PREVIEW, Table, at, document, gate, leads
from sitemap_action.crawl.probes import MAX_DIRECTORIES, directories, probe
from sitemap_action.fetch.base import Answer, Request, Response, Want
from sitemap_action.model.page import Kind
from sitemap_action.web.places import Places


class Always(Table):
    """One answer for everything."""

    def __init__(self, answer: Answer) -> None:
        super().__init__({})
        self.answer = answer

    async def fetch(self, request: Request) -> Answer:
        self.requests.append(request)
        return self.answer._replace(url=request.url)


def test_HTML_46_one_random_path_a_directory() -> None:
    web = Table({})
    found = asyncio.run(probe(web, gate(), [HOME, at("/blog/")]))
    assert [page.kind for page in found] == [Kind.GONE, Kind.GONE]
    assert [page.url for page in found] == [request.url for request in web.requests]
    assert {request.want for request in web.requests} == {Want.PROBE}
    names = [page.url.rpartition("/")[2] for page in found]
    assert [len(name) for name in names] == [25, 25]
    assert names[0] != names[1]
    assert found[1].url.startswith(at("/blog/"))


def test_NET_16_the_same_paths_in_every_run() -> None:
    webs = [Table({}), Table({})]
    for web in webs:
        asyncio.run(probe(web, gate(), [HOME]))
    assert webs[0].asked == webs[1].asked


def test_ENV_02_asked_where_the_site_is_served_and_told_as_on_the_site() -> None:
    body = document(head=f'<link rel="canonical" href="{PREVIEW}">').encode()
    web = Always(Response("", 200, (("content-type", "text/html"), ("x-robots-tag", "noindex")), body))
    (found,) = asyncio.run(probe(web, gate(places=Places(HOME, PREVIEW)), [HOME]))
    assert web.requests[0].url.startswith(PREVIEW)
    assert found.url.startswith(HOME)
    assert found.facts is not None
    assert [one.url for one in found.facts.canonicals] == [HOME]
    assert [one.rule for one in found.facts.directives] == ["noindex"]  # ENV-03


def test_a_redirect_is_told_as_on_the_site() -> None:
    web = Always(leads(f"{PREVIEW}404"))
    (found,) = asyncio.run(probe(web, gate(places=Places(HOME, PREVIEW)), [HOME]))
    assert (found.kind, found.target) == (Kind.REDIRECT, at("/404"))


def test_NET_02_no_probe_where_nobody_is_to_ask() -> None:
    web = Table({})
    at_gate = gate(robots="User-agent: *\nDisallow: /private/\n", exclude=("/tag/**",))
    found = asyncio.run(probe(web, at_gate, [HOME, at("/private/"), at("/tag/"), at("/b/")]))
    assert [page.url.rpartition("/")[0] for page in found] == [HOME[:-1], at("/b")]
    assert len(web.asked) == 2


def test_top_directories_in_order_and_not_too_many() -> None:
    urls = [HOME, at("/a"), at("/b/c"), at("/b/d/e"), at("/a/x"), "https://other.example/z/y"]
    assert directories(HOME, urls) == [at("/a/"), at("/b/")]
    assert directories(at("/b/"), urls) == [at("/b/d/")]
    assert len(directories(HOME, (at(f"/{number}/x") for number in range(99)))) == MAX_DIRECTORIES
